"""Recognises spoken commands to the memory with patterns, in English and in French.

The patterns cover the common ways to phrase each command; a text that matches none is not a command
and is left to the assistant. A model may be asked instead (the task ``command``); without one, the
patterns are used. Questions about what the memory can do are recognised here too, and requests for
work that it cannot do.
"""

import re
from typing import Final, NamedTuple

from recollect.vocabulary.personal import Intent


class SpokenCommand(NamedTuple):
    """A recognised command: its intent, its subject and its language."""

    intent: Intent
    about: str = ""
    language: str = "en"
    to_do: bool = False  # a to-do rather than a fact about the person


_POLITE: Final = re.compile(
    r"^\s*+(?:(?:hey|hi|ok(?:ay)?|please|could you|can you|would you|will you"
    r"|i(?:'d| would) like you to|i want you to|let's|just|now|so|and|assistant"
    r"|actually|wait|sorry|oops|no(?=,)|non(?=,)|attends|attendez|en fait|finalement|pardon|oups"
    r"|s'il (?:te|vous) pla[iî]t|stp|svp|peux-tu"
    r"|pourrais-tu|pouvez-vous|pourriez-vous|je veux que tu|alors|bon)\b[\s,:]*+)++",
    re.IGNORECASE,
)
_TAIL: Final = re.compile(
    r"(?:[\s,]+(?:please|for me|thanks|thank you|now|s'il (?:te|vous) pla[iî]t|stp|svp|merci))?"
    r"[\s,.!?]*$",
    re.IGNORECASE,
)
_THAT: Final = r"(?:that|this|it|the last (?:thing|one|message|entry)|what i (?:just )?said)"
_CELA: Final = r"(?:[cç]a|cela|ceci|ce que (?:je viens de|j'ai) di[tr]e?|la derni[eè]re chose)"
_MEMORY: Final = r"(?:your |my |the )?memor(?:y|ies)"
_LA_MEMOIRE: Final = r"(?:la |ta |ma |votre )?m[ée]moire"

#: "delete everything about", "forget what I told you about", "wipe all you know about".
_FORGET_ALL_OF: Final = (
    r"(?:forget|delete|erase|remove|wipe|clear|drop|get rid of|throw away)"
    r"(?: (?:everything|anything|all|whatever|what|all of (?:it|what)|the (?:entries|memories"
    r"|facts)))"
    r"(?: (?:that )?(?:you (?:know|remember|have|have saved|saved|kept|stored|noted)|i(?:'ve"
    r"| have)?"
    r" (?:ever )?(?:said|told you|mentioned)))?"
)
#: A question that somebody asks to have remembered is answered, not kept.
_ASKED: Final = re.compile(
    r"(?:what|when|where|who|whose|which|why|how|whether|if) (?!i (?:need|have) to\b|to )"
    r"|(?:ce que|quand|où|qui|quel|quelle|comment|pourquoi|si) ",
    re.IGNORECASE,
)
_TOLD_ABOUT: Final = re.compile(
    r"(?:what|ce que) (?:i(?:'ve| have)? (?:said|told you|mentioned)|je t'ai dit"
    r"|j'ai dit) (?:about|on"
    r"|of|sur|de|[àa] propos de) (?P<about>.+)",
    re.IGNORECASE,
)

#: Undo code of an action: its id, for a forgetting followed by a point and a key.
_CODE: Final = r"(?P<about>aud_[0-9a-z]+(?:\.[\w-]+)?)"

#: The number of an open question that was listed: "yes 2".
_NUMBERED: Final = r"(?:,? (?:to |à )?(?P<about>\d{1,3}))?"


def _rule(intent: Intent, language: str, *patterns: str) -> tuple[Intent, str, re.Pattern[str]]:
    return intent, language, re.compile(rf"^(?:{'|'.join(patterns)})$", re.IGNORECASE)


#: Rules in the order in which they are tried.
_RULES: Final = (
    _rule(
        Intent.INCOGNITO_END,
        "en",
        r"(?:end|stop|leave|exit|quit|turn off|switch off|disable) (?:the )?(?:incognito|private)"
        r"(?: (?:mode|session|chat))?(?: (?:for|in) this (?:chat|session))?",
        r"(?:i'm|we're) (?:done|finished) (?:with|being) (?:incognito|private)",
    ),
    _rule(
        Intent.INCOGNITO_END,
        "fr",
        r"(?:arr[êe]te|termine|quitte|sors (?:de|du)|d[ée]sactive|fin (?:de|du))(?:r|z)? (?:la |le "
        r"|l')?(?:mode )?(?:navigation priv[ée]e|incognito|priv[ée])(?: (?:pour|dans) .*)?",
    ),
    _rule(
        Intent.INCOGNITO_START,
        "en",
        r"(?:start|begin|go|use|enter|turn on|switch (?:on|to)|enable|make this)(?: an?| the)? "
        r"?(?:incognito|private)(?: (?:mode|session|chat))?(?: (?:for|in) this (?:chat|session"
        r"|conversation))?",
        r"(?:don't|do not) (?:remember|keep|save|store|record) (?:any(?:thing)? of )?"
        r"(?:this (?:chat|conversation|session)|anything (?:from|in|about) this "
        r"(?:chat|conversation|session))",
        r"(?:this is )?off the record",
    ),
    _rule(
        Intent.INCOGNITO_START,
        "fr",
        r"(?:passe|d[ée]marre|commence|active|lance|mets(?:-toi)?|va)(?:r|z)? (?:en |le |la )?"
        r"(?:mode |session )?(?:incognito|priv[ée]e?|navigation priv[ée]e)(?: (?:pour|dans) .*)?",
        r"ne (?:retiens|garde|m[ée]morise|enregistre)s? (?:rien de|pas) (?:cette|la) "
        r"(?:conversation|discussion|session)",
    ),
    _rule(
        Intent.MEMORY_OFF,
        "en",
        rf"(?:turn|switch) (?:off {_MEMORY}|{_MEMORY} off)(?: .*)?",
        rf"(?:disable|deactivate|pause) {_MEMORY}(?: .*)?",
        r"stop remembering(?: (?:things|anything|what i say|me|everything))?",
        r"(?:don't|do not) remember (?:anything|things)(?: (?:any ?more|from now on))?",
    ),
    _rule(
        Intent.MEMORY_OFF,
        "fr",
        rf"(?:d[ée]sactive|coupe|[ée]teins|arr[êe]te)(?:r|z)? {_LA_MEMOIRE}(?: .*)?",
        r"(?:arr[êe]te|cesse)(?:r|z)? de (?:te souvenir|retenir|m[ée]moriser)(?: .*)?",
        r"ne (?:retiens|m[ée]morise|garde) plus rien",
    ),
    _rule(
        Intent.MEMORY_ON,
        "en",
        rf"(?:turn|switch) (?:(?:back )?on {_MEMORY}|{_MEMORY} (?:back )?on)(?: .*)?",
        rf"(?:enable|activate|resume|unpause) {_MEMORY}(?: .*)?",
        r"(?:start|resume) remembering(?: (?:things|again|me))*",
    ),
    _rule(
        Intent.MEMORY_ON,
        "fr",
        rf"(?:r[ée])?(?:active|allume|remets)(?:r|z)? {_LA_MEMOIRE}(?: .*)?",
        r"(?:recommence|commence)(?:r|z)? [àa] (?:te souvenir|retenir|m[ée]moriser)(?: .*)?",
    ),
    _rule(
        Intent.FORGET_ALL,
        "en",
        r"(?:forget|delete|erase|clear|wipe) (?:everything|all)(?: (?:you know|you remember|of it"
        r"|about me|that you know|memories|my memories))*",
        r"(?:delete|erase|clear|wipe) (?:all )?(?:of )?(?:my|your|the) (?:memory|memories)",
    ),
    _rule(
        Intent.FORGET_ALL,
        "fr",
        r"(?:oublie|efface|supprime)(?:r|z)? tout(?: ce que tu sais(?: (?:sur|de) moi)?)?",
        r"(?:efface|vide|supprime)(?:r|z)? (?:toute )?(?:ta|la|ma) m[ée]moire",
    ),
    _rule(
        Intent.UNDO,
        "en",
        r"undo(?: (?:that|it|this|the last one))?",
        rf"undo {_CODE}",
        r"take (?:that|it) back",
        r"(?:bring|get) (?:that|it) back",
    ),
    _rule(
        Intent.UNDO,
        "fr",
        r"annule(?:r|z)?(?: (?:[cç]a|cela|la derni[eè]re action))?",
        rf"annule(?:r|z)? {_CODE}",
        r"reviens en arri[eè]re",
    ),
    _rule(
        Intent.UNPIN,
        "en",
        rf"(?:unpin|stop pinning) (?:{_THAT}|(?:the (?:entry|memory|fact) )?(?:about|that) ?"
        r"(?P<about>.+))",
        r"unpin (?P<about2>.+)",
    ),
    _rule(
        Intent.UNPIN,
        "fr",
        rf"(?:d[ée]s[ée]pingle|ne garde plus [ée]pingl[ée]e?)(?:r|z)? (?:{_CELA}|(?P<about>.+))",
    ),
    _rule(
        Intent.PIN,
        "en",
        rf"pin {_THAT}",
        rf"(?:always|never forget to|make sure (?:you|to)) (?:remember|keep) {_THAT}",
        rf"never forget {_THAT}",
        r"pin (?:the (?:entry|memory|fact) (?:about|that) |what (?:i said|you know) about )?"
        r"(?P<about>.+)",
    ),
    _rule(
        Intent.PIN,
        "fr",
        rf"[ée]pingle(?:r|z)? (?:{_CELA}|(?P<about>.+))",
        rf"n'oublie(?:z)? jamais {_CELA}",
    ),
    _rule(
        Intent.FORGET,
        "en",
        rf"(?:forget|delete|erase|remove) {_THAT}",
        rf"(?:don't|do not) remember {_THAT}",
        rf"{_FORGET_ALL_OF} (?:about|on|regarding|concerning) (?P<about4>.+)",
        r"forget (?:about |that )?(?P<about>(?!to ).+)",
        r"(?:delete|erase|remove) (?:the (?:entry|memory|fact) )?(?:about|that) (?P<about2>.+)",
    ),
    _rule(
        Intent.FORGET,
        "fr",
        rf"(?:oublie|efface|supprime)(?:r|z)?(?:-moi)? {_CELA}",
        r"(?:oublie|efface|supprime)z?-l(?:e|a|es)",
        rf"ne retiens pas {_CELA}",
        r"(?:oublie|efface|supprime)(?:r|z)? (?:(?:tout )?ce que (?:je t'ai dit|je t'ai raconté"
        r"|tu sais"
        r"|tu as (?:noté|gardé|retenu)) (?:sur|de|[àa] propos de|au sujet de|concernant) "
        r"|tout (?:sur"
        r"|au sujet de|[àa] propos de) |que )?(?P<about>.+)",
    ),
    _rule(
        Intent.SUMMARY,
        "en",
        r"what do you (?:remember|know)(?: about me)?",
        r"(?:show|list|tell)(?: me)? (?:what you (?:remember|know)(?: about me)?|(?:your|my)"
        r" memor(?:y|ies)|everything you (?:remember|know)(?: about me)?)",
        r"summari[sz]e (?:your|my) memor(?:y|ies)",
    ),
    _rule(
        Intent.SUMMARY,
        "fr",
        r"(?:que|qu'est-ce que) (?:tu )?sais(?:-tu| tu)?(?: (?:sur|de) moi)?",
        r"(?:de quoi te souviens-tu|que retiens-tu|qu'as-tu retenu|qu'est-ce que tu as retenu)"
        r"(?: (?:sur|de) moi)?",
        r"(?:montre|liste)(?:-moi)? (?:tes souvenirs|ta m[ée]moire|ce que tu sais)(?: .*)?",
    ),
    _rule(
        Intent.ASK,
        "en",
        r"(?:what|anything) do you (?:remember|know|have)(?: saved| stored| noted)? "
        r"(?:about|on|regarding) (?P<about>.+)",
        r"do you (?:remember|know|recall) (?:anything about |what i (?:said|told you) about )?"
        r"(?P<about2>.+)",
        r"(?:tell me|show me|list) what you (?:remember|know) about (?P<about3>.+)",
        r"what did i (?:say|tell you) about (?P<about4>.+)",
        r"remind me (?:what|when|where|who|which|how) (?P<about5>.+)",
    ),
    _rule(
        Intent.ASK,
        "fr",
        r"(?:que|qu'est-ce que) (?:tu )?sais(?:-tu| tu)? (?:sur|de|[àa] propos de|au sujet de) "
        r"(?P<about>.+)",
        r"(?:de quoi te souviens-tu|que retiens-tu|qu'as-tu retenu) (?:sur|de|[àa] propos de|au"
        r" sujet de|concernant) (?P<about2>.+)",
        r"(?:te souviens-tu|tu te souviens) (?:de |d')?(?P<about3>.+)",
        r"que t'ai-je dit (?:sur|de|[àa] propos de) (?P<about4>.+)",
    ),
    _rule(
        Intent.REMEMBER,
        "en",
        r"(?:remember|remind me|don't forget|do not forget|don't let me forget) to"
        r" (?P<to_do>.{3,})",
        r"(?:remember|note|save|store|memori[sz]e|keep in mind|make a note|don't forget|do not"
        r" forget)(?: (?:this|that|down))?(?: that|:|,)? (?P<about>(?!to ).{3,})",
        r"(?:remind me|don't let me forget) that (?P<about2>.{3,})",
    ),
    _rule(
        Intent.REMEMBER,
        "fr",
        r"(?:rappelle-moi|n'oublie pas|pense|souviens-toi) (?:de |d'|à )(?P<to_do>.{3,})",
        r"(?:souviens-toi|retiens|note|m[ée]morise|enregistre|n'oublie pas|rappelle-toi"
        r"|rappelle-moi(?= qu[e' ])|garde en"
        r" t[êe]te)(?: bien)?(?: que| qu'| de|:|,) ?(?P<about>.{3,})",
    ),
    _rule(
        Intent.YES,
        "en",
        rf"(?:yes|yeah|yep|yup|sure|correct|do it|go ahead|replace it|confirm){_NUMBERED}",
    ),
    _rule(Intent.YES, "fr", rf"(?:oui|ouais|d'accord|vas-y|remplace(?:-le)?|confirme){_NUMBERED}"),
    _rule(Intent.NO, "en", rf"(?:no|nope|keep both|leave it|don't|do not|cancel){_NUMBERED}"),
    _rule(Intent.NO, "fr", rf"(?:non|garde les deux|laisse|ne change rien){_NUMBERED}"),
)
_POINTING: Final = re.compile(rf"^(?:{_THAT}|{_CELA}|them|those|these|me|us)$", re.IGNORECASE)


_MENTIONS: Final = re.compile(
    r"\b(?:remember\w*|forget\w*|memor\w+|recall\w*|incognito|private|pin(?:ned)?|undo|store[ds]?"
    r"|oubli\w*|m[ée]mo\w*|souvien\w*|retien\w*|[ée]pingl\w*|annul\w*|priv[ée]e?)\b",
    re.IGNORECASE,
)


def mentions_memory(text: str) -> bool:
    """Whether a text mentions remembering at all, so that asking a model about it is worthwhile."""
    return len(text) <= 500 and _MENTIONS.search(text) is not None


def understand(text: str) -> SpokenCommand:
    """The command in a text; ``Intent.NONE`` when there is none."""
    plain = " ".join(text.replace("\u2019", "'").split())
    if len(plain) > 500:
        return SpokenCommand(Intent.NONE)
    plain = _TAIL.sub("", plain)
    bare = _POLITE.sub("", plain) or plain
    for intent, language, pattern in _RULES:
        found = pattern.match(bare)
        if found:
            told = next((value for value in found.groupdict().values() if value), "")
            about = _TAIL.sub("", told)
            if intent is Intent.REMEMBER and _ASKED.match(about):
                asked = _TOLD_ABOUT.match(about)
                return SpokenCommand(Intent.ASK, asked["about"] if asked else about, language)
            to_do = bool(found.groupdict().get("to_do"))
            return SpokenCommand(intent, "" if _POINTING.match(about) else about, language, to_do)
    return SpokenCommand(Intent.NONE)


_HELP: Final = re.compile(
    r"(?:please |hi,? |hello,? )?(?:help(?: me)?|what (?:can|do) you do(?: for me)?|who are you"
    r"|what are you|how do you work|how does this work|what can i (?:say|ask)(?: you)?"
    r"|aide(?:-moi)?|que (?:sais|peux)-tu faire|qu'est-ce que tu (?:sais|peux) faire|qui es-tu"
    r"|tu es qui|comment ça marche)(?: please| s'il te plaît)?[\s.!?]*",
    re.IGNORECASE,
)
#: Something to make or to do, which a memory does not.
_WORK: Final = re.compile(
    r"(?:hi,? |hello,? |hey,? |please |so |ok,? )*"
    r"(?:(?:can|could|would|will) you (?:please |maybe )?|please )?"
    r"(?:write|draft|compose|draw|paint|translate|summari[sz]e|rewrite|proofread|book"
    r"|order|call (?!me\b)|e-?mail|send|play|sing|code|build|generate|design|calculate|solve"
    r"|recommend|suggest)\b"
    r"|(?:peux-tu|pourrais-tu|tu peux|tu pourrais) (?:m')?(?:écrire|rédiger|dessiner|traduire"
    r"|résumer|réserver"
    r"|commander|envoyer|appeler|jouer|chanter|calculer|recommander|proposer)\b",
    re.IGNORECASE,
)


def asks_for_help(text: str) -> bool:
    """Whether a text only asks what the memory can do, or who answers."""
    return _HELP.fullmatch(text.strip().replace("\u2019", "'")) is not None


def asks_for_work(text: str) -> bool:
    """Whether a text asks to make or to do something that has nothing to do with remembering."""
    return _WORK.match(text.strip().replace("\u2019", "'")) is not None
