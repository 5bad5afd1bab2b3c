"""Frames of other languages than English, by which a user lays down what holds beyond the task.

They say what the English frames of ``standing_instructions.py`` say: for every time, from now on,
never this kind of thing, stop doing it, which language to answer in, and what somebody does not
want to exist. "Still" and "not yet" are spelt with the same words and are none of these.
"""

import re
from typing import Final

#: For every time, from now on, or a wish that forbids.
_EVERY_TIME: Final = (
    r"^(?:bitte )?(?:immer|nie|niemals) (?!noch\b|wieder\b)\w",
    r"\bbitte (?:\w+ ){0,2}(?:immer|nie|niemals|keine?[nmr]?)\b(?! (?:noch|wieder)\b)",
    r"\b(?:soll\w{0,3}|muss\w{0,2}|müssen|darf\w{0,2}|dürfen) (?:\w+ ){0,3}"
    r"(?:immer|nie|niemals)\b(?! (?:noch|wieder)\b)",
    r"\bab (?:jetzt|sofort) (?:immer|nur|bitte)\b|\bin Zukunft (?:immer|nur|bitte|keine?)\b",
    r"^(?:toujours|jamais|ne jamais|désormais)\b(?! pas\b)",
    r"\b(?:il faut|faut|tu dois|vous devez|on doit|merci de) (?:ne )?(?:toujours|jamais)\b",
    r"\b(?:dorénavant|à partir de maintenant|à l'avenir)\b",
    r"^(?:siempre|nunca|sempre|mai|altijd|nooit) \w",
    r"\b(?:debe[sn]?|hay que|por favor|quiero que|tienes que|deve[ms]?|devi|quero que|"
    r"per favore) (?:\w+ ){0,3}(?:siempre|nunca|sempre|mai)\b",
    r"\b(?:de ahora en adelante|a partir de ahora|a partir de agora|daqui (?:em diante|"
    r"para frente)|d'ora in poi|da ora in poi|vanaf nu)\b",
    r"(?:^|\b(?:пожалуйста|нужно|надо),? )(?:всегда|никогда)\b|\bвпредь\b",  # noqa: RUF001
    r"以后(?:都|不要|请)|从现在(?:起|开始)|务必|永远(?:不要|别)|始终(?:使用|用)|"
    r"请(?:始终|总是|不要再)",
    r"今後は|これからは|必ず|絶対に|앞으로(?:는)? |항상 .{0,40}해",
    r"\b(?:luôn luôn|từ (?:bây giờ|giờ) trở đi|đừng bao giờ)\b",
    r"\b(?:bundan sonra|her zaman .{3,40}(?:kullan|yap)|asla .{3,40}(?:ma|me)\b)",
    r"\b(?:od teraz|zawsze (?:używaj|rób|pisz)|nigdy nie (?:używaj|rób|pisz))\b",
)
#: Stop doing what agents do, or never do it.
_STOPPING: Final = (
    r"\barr[êe]te[zr]? de (?:(?:faire|créer|ajouter|lancer|mettre) (?:des |les |de |du )?)?"
    r"(?:commit|push|test|comment|fichier|script|doc|modifi|suppos|invent)\w*",
    r"\b(?:deja|dejá|dejen|para) de (?:(?:hacer|crear|agregar|añadir|correr) )?(?:los |las |más )?"
    r"(?:commit|push|test|comentario|archivo|script|modific|asum|invent)\w*",
    r"\bhör(?:t|e)? auf,? .{0,30}(?:commit|push|test|kommentar|datei|skript|änder|rat|erfind)\w*",
    r"\b(?:smetti(?:la)?|pare|para) (?:di|de) .{0,20}(?:commit|push|test|coment|file)\w*",
    r"(?:перестань|прекрати|хватит) (?:\w+ ){0,2}\w+ть\b",
    r"(?:^|[,.;] )не (?:делай|пиши|добавляй|создавай|используй|коммить|пушь|запускай|удаляй)"
    r"(?! (?:это|этот|эту|пока)\b)",
    r"(?:不要|别|请勿|禁止)(?:再|自动|擅自|随意|直接){0,2}(?:提交|推送|commit|push|创建新|新建|运行|"
    r"写注释|加注释|写测试|使用)(?!这个|那个|这里)",
    r"勝手に.{1,20}(?:しない|するな)|(?:コミット|プッシュ|テスト)しないで",
)
#: The language of what the agent says.
_SPOKEN: Final = (
    r"用(?:简体|繁体)?(?:中文|英文|英语|日语|日文|韩语|汉语).{0,6}(?:回答|回复|解释|交流|说|写)|"
    r"(?:回答|回复|解释|交流|说).{0,6}用(?:中文|英文|英语|日语)",
    r"\b(?:réponds?|répondez|parle[zs]?|écris|explique[zs]?)\b.{0,30}\ben (?:français|anglais)\b",
    r"\b(?:responde|respóndeme|habla|háblame|contesta|escribe|explica)\w*\b.{0,30}\ben "
    r"(?:español|castellano|inglés)\b",
    r"\b(?:antworte|sprich|schreib|rede|erkläre?)\w*\b.{0,30}\b(?:auf |in )?(?:deutsch|englisch)\b",
    r"\b(?:responda|responde|fale|fala|escreva)\b.{0,30}\bem (?:português|inglês)\b",
    r"\b(?:rispondi|parla|scrivi)\w*\b.{0,30}\bin (?:italiano|inglese)\b",
    r"(?:отвечай|пиши|говори|объясняй|общайся).{0,30}(?:на (?:русском|английском)|по-русски)",
    r"日本語で.{0,6}(?:答|回答|説明|お願い|話|書)|한국어로 .{0,10}(?:답|대답|설명|말|해)",
    r"\b(?:trả lời|giải thích|nói)\b.{0,20}\btiếng (?:việt|anh)\b",
    r"\btürkçe (?:cevap|yaz|konuş|açıkla)\w*|\b(?:odpowiadaj|pisz|mów)\b.{0,20}\bpo polsku\b",  # noqa: RUF001
)
#: What somebody does not want to exist, and what must hold of the product.
_INVARIANT: Final = (
    r"\bje ne veux (?:pas|plus|jamais) (?:de|d'|que|qu'|aucun)",
    r"\b(?:il ne (?:doit|faut)|on ne doit) (?:jamais|pas|plus|y avoir aucun)\b.{8}",
    r"\b(?:doit|doivent|devra|devront) (?:toujours|uniquement|seulement|jamais|rester) \w",
    r"\bno (?:quiero|queremos) (?:que (?:haya|exista|se|sea|tenga)|ning[uú]n|un[ao]?|más)\b",
    r"\b(?:debe|deben|tiene que|tienen que) (?:\w+ )?(?:solo|sólo|solamente|únicamente|siempre|"
    r"nunca)\b|\b(?:nunca|siempre|solo|sólo) (?:debe|deben|puede|pueden)\b",
    r"\bnão (?:quero|queremos) (?:que (?:haja|exista|tenha)|nenhum|um|mais)\b",
    r"\bnon (?:voglio|vogliamo) (?:che (?:ci sia|esista)|nessun|un|più)\b",
    r"\bich (?:will|möchte) (?:\w+ ){0,2}(?:keine?n?\b(?! fehler)|nicht,? dass)",
    r"\b(?:soll(?:te)?n?|muss|müssen|darf|dürfen) (?:\w+ ){0,4}(?:immer|nie|niemals|nur|"
    r"ausschließlich|auf keinen Fall)\b",
    r"(?:не должн[оаы]?|нельзя|должн[оаы]? (?:всегда|только|быть только)|только через|"
    r"не хочу,? чтобы|обязательно (?:использ|провер|сохран))",
    r"(?:必须|只能|不允许|应该始终|绝不能|一律).{4}|(?:设计|本来)(?:就)?是.{0,4}(?:解耦|独立|分开|分离)",
    r"(?:不需要|不应该|不要)(?:有|显示|绘制|支持|依赖|包含|保留|存在).{3}",
    r"(?:統一|禁止|必須)(?:して|に|です)|だけにして",
    r"\b(?:không được|chỉ được|bắt buộc|luôn phải)\b.{6}",
)
#: What was given up for good.
_GIVEN_UP: Final = (
    r"\b(?:abandonner|laisser tomber) (?:complètement|totalement|définitivement)\b",
    r"\b(?:abandonar|descartar) (?:completamente|totalmente|definitivamente|por completo)\b",
    r"\b(?:komplett|endgültig|vollständig) (?:verwerfen|aufgeben)\b",
    r"(?:полностью|окончательно) (?:отказ|заброс|убра)\w+|(?:彻底|完全)(?:放弃|废弃|弃用)",  # noqa: RUF001
)
_FORMS: Final = tuple(
    re.compile(form, re.I) for form in (*_EVERY_TIME, *_STOPPING, *_SPOKEN, *_INVARIANT, *_GIVEN_UP)
)
#: Words of this moment.
_FOR_NOW: Final = re.compile(
    r"\b(?:pour l'instant|pour le moment|por ahora|de momento|por enquanto|per ora|vorerst|"
    r"erst ?mal|fürs erste|пока(?: что)?|jusqu'à|hasta que|bis ich)\b|"
    r"先不|暂时|目前|とりあえず|今は",
    re.I,
)
#: A question, or a report that something always happens.
_ASKED: Final = re.compile(
    r"[?\uff1f]\s*$|吗|为什么|怎么|如何|なぜ|どうして|"
    r"\b(?:почему|зачем|pourquoi|warum|wieso|por qu[eé]|perché|tại sao)\b",
    re.I,
)
#: Words of somebody who speaks for themselves, to somebody.
_PERSONAL: Final = re.compile(
    r"\b(?:je|tu|vous|nous|moi|mon|ich|du|wir|mir|uns|bitte|mein\w*|yo|quiero|queremos|necesito|"
    r"por favor|nosotros|veo|você|quero|preciso|nós|minha|meu|voglio|noi|mio|mia|ik|jij|wij|"
    r"я|мы|ты|вы|мне|нам|мой|моя|наш\w*|пожалуйста|"
    r"tôi|bạn|giúp|mình|biz|lütfen|proszę)\b|\bj'|[我你您咱请帮]|私|僕|ください|해줘|주세요",
    re.I,
)


def lays_down_elsewhere(sentence: str) -> bool:
    """Whether a sentence in another language than English lays down what holds beyond the task."""
    if _FOR_NOW.search(sentence) or _ASKED.search(sentence):
        return False
    return any(form.search(sentence) for form in _FORMS)


def is_personal_elsewhere(sentence: str) -> bool:
    """Whether somebody speaks for themselves, or to somebody, in another language than English."""
    return _PERSONAL.search(sentence) is not None
