"""Facts that are lasting by the form of their sentence, whatever their words are.

Somebody says that it is to be noted ("for the record", "put down that ..."); a thing of theirs is
identified by a name ("the boiler is an Okofen"); a named person does or likes something as a rule;
an illness is had; an event has its day. The form decides, so no list of topics is needed.
"""

import re
from typing import Final

from recollect.chat.language.sentence_subject import RELATIONS

_FEWEST_WORDS: Final = 3
#: Words that ask to note what follows.
_NOTE: Final = re.compile(
    r"(?:(?:ok|okay|so|and|also|right|oh|please|pls|plz|kindly|just|could you|can you"
    r"|dear [a-z]{3,12}"
    r"|et|alors|sinon|bon)[,.]? ){0,4}"
    r"(?:(?:note|record|put (?:it |this )?down|jot(?: it)? down|write (?:it |this )?down|mark"
    r"(?: it)? down|make a note|take note|(?:log|save)(?= (?:this|that)\b)|remember"
    r"|keep (?:it )?(?:in mind|on file|straight)"
    r"|add to (?:your|my|the) (?:notes?|file|records?)|bear in mind)"
    r"(?: (?:this|it|somewhere|for (?:me|later|your records|the record|next time)|in your (?:notes"
    r"|records)|please))*(?: that |: |, (?=[a-z]))"
    r"|(?:fyi|for (?:your|future) (?:information|reference|info)|for the (?:record|file)|for info"
    r"|just so you know|so you know|pour (?:info|information|mémoire|le dossier)|à noter"
    r"(?: qu[e'])?|sache qu[e']|(?:note|notez|retiens|retenez|inscris|marque|écris)(?: bien)?"
    r" (?:quelque part )?qu[e'])[,:]? ?)",
    re.IGNORECASE,
)
#: What somebody is just about to do.
_LEAVING: Final = re.compile(
    r"(?:i'm|im|i am|we're|i'll be|i have to|i gotta|je suis|je dois) (?:off|back|away|out|here"
    r"|done|busy"
    r"|going|leaving|go|run|tired|late|y aller|là|partie?)\b[^,]{0,20}$",
    re.IGNORECASE,
)
_ASKS: Final = re.compile(
    r"(?:what|who|where|when|how|which|why|is|are|do|does|can|could|quel\w{0,3}|où|quand|comment"
    r"|pourquoi|qui)\b.*\?\s*$|(?:to|de|d')\b",
    re.IGNORECASE,
)
#: What a note is for, behind "remember that": "that" is then what was said before.
_PURPOSE: Final = re.compile(
    r"(?:for|because|when|next|in case|as|so|pour|parce que|quand|au cas où)\b"
    r"(?!.*\b(?:i|i'm|i've|we|we're|my|our|he|she|they|is|are|was|je|j'\w+|nous|mon|ma|est|sont)\b)",
    re.IGNORECASE,
)
_RIDDLE: Final = re.compile(r"\b(?:what|who|qui|que) (?:am i|suis-je)\b[ ?.!]{0,4}$", re.IGNORECASE)
_LINK: Final = r"(?:(?:and|also|oh|ah|et|btw|\d{1,2}[.)]),? ){0,4}"
_THING: Final = r"(?:the|le|la|les|our|my|mon|ma|mes|notre|nos) [^,.;:?!]{2,45}?"
#: A thing or a role that is identified by a name.
_NAMED: Final = re.compile(
    rf"(?i:{_LINK}(?:{_THING}|l'[^,.;:?!]{{2,45}}?),? (?:is|are|=|est|sont|c'est|ce sont|se trouve)"
    r"(?: called| named| an?| the| at| with| in| chez| une?| le| la| à| au)? )"
    r"(?:(?:Mr|Mrs|Ms|Dr|M|Mme|Prof)\.? )?(?!I\b|I'|OK\b)[A-ZÀ-Þ][\w'-]+"
)
_KEPT_AT: Final = re.compile(
    rf"(?i:{_LINK}(?:(?:the|le|la|les) |l')(?:[\w'-]{{2,20}} ){{1,4}}?(?:is|are|est|sont|lives?"
    r"|se trouve(?:nt)?)"
    r" (?:kept |hidden )?(?:under|behind|in|on|inside|above|sous|derrière|dans|sur|chez) (?:the|my"
    r"|our|le|la|les|l'|ma|mon))",
)
#: A named person and what they do, like or have as a rule.
_HABIT: Final = re.compile(
    rf"(?i:{_LINK})(?!(?:The|This|That|His|Its|It|There|What|He|She|They|We|You|Who|Everyone|Nobody"
    r"|Somebody|Class|News|Les|Des|Mes|Tes|Ses|Nos|Vos|Cela)\b)"
    r"(?:(?:Big|Little|Old|Young|Auntie|Uncle|Mr|Mrs|Ms|Dr)\.? )?[A-ZÀ-Þ][a-zà-ÿ'-]{2,20}"
    r"(?:, [^,.]{3,45},)? (?:always |never |only |still |also )?"
    rf"(?:(?:hates|loves|likes|prefers|eats|drinks|takes|teaches|drives|plays|speaks|owns|collects"
    rf"|wears|carries|runs|works|lives|sleeps|reads|keeps the|can't (?:eat|have|stand|drink)|won't"
    rf" eat|is (?:the one|allergic|vegan|vegetarian|coeliac|diabetic)|had (?:a|the) (?:stroke|heart"
    rf" attack)|déteste|adore|aime|préfère|mange|boit|travaille|habite|joue|parle|conduit|porte)"
    r" \w)"
)
_ILLNESS: Final = re.compile(
    r"\b(?:i|he|she|my [a-z]{3,12}|we)(?: (?:have|has|had|'ve got|got|suffers? from|was diagnosed"
    r" with|am|is living with)|'ve (?:got|had)) (?:an? |the |bad |severe |mild |chronic "
    r"|type \w+ ){0,2}"
    r"(?:[a-z-]{3,20} ){0,2}?(?:[a-z]{3,18}(?:itis|osis|oma|aemia|emia|pathy|algia|plegia|trophy"
    r"|rrhoea|rrhea|phobia|lepsy|sclerosis)|degeneration|disease|syndrome|disorder|deficiency"
    r"|failure"
    r"|palsy|apn(?:o)?ea|tinnitus|lupus|diabetes|asthma|epilepsy|one kidney)\b"
    r"|\bj'ai (?:une? |de l'|du |des )?(?:[a-zà-ÿ-]{3,20} )?(?:[a-zà-ÿ]{3,18}(?:ite|ose|ome|émie"
    r"|pathie|algie|plégie|lepsie)|dégénérescence [a-z]+|maladie (?:de|du) \w+|syndrome \w+|diabète"
    r"|asthme|apnée)\b",
    re.IGNORECASE,
)
_NO_ILLNESS: Final = re.compile(
    r"\b(?:purpose|suppose|close|nose|diplom|welcome|some|home)\w*\b", re.I
)
#: What somebody was before.
_FORMERLY: Final = re.compile(
    r"\b(?:i|he|she|my [a-z]{3,12}) used to (?:be an? \w|(?:live|work|teach|play|drive|run|own) )",
    re.IGNORECASE,
)
#: What somebody wants to become or to study, and an office that they hold.
_WANTS_TO_BE: Final = re.compile(
    r"\bi(?:'d)? (?:really |still )?(?:want|plan|hope|like|love) to (?:be(?:come)? an? |study "
    r"|train as |read )\w"
    r"|\bj(?:e |')?(?:veux|voudrais|aimerais) (?:faire (?!une?\b|l[ea]s?\b|d[eu]s?\b|ça\b|ce\b"
    r"|mon\b|ma\b|mes\b"
    r"|en\b|court|plus|mieux|tout|pareil|comme)[a-zà-ÿ]{4,}|devenir \w)",
    re.IGNORECASE,
)
_OFFICE: Final = re.compile(
    r"\b(?:i'm|i am|she's|he's) (?:the |a )?(?!kind|sort|out|sick|tired|full|fond|afraid|aware"
    r"|proud|part|ahead"
    r"|short|made|none|one|lots?|capable|worth|not|back)[a-z]{4,12}(?: man)? (?:of (?:honou?r|the"
    r"|our|a)\b)",
    re.IGNORECASE,
)
_MONTH: Final = (
    r"(?:january|february|march|april|may|june|july|august|september|october|november|december"
    r"|janvier|février|mars|avril|mai|juin|juillet|août|septembre|octobre|novembre|décembre)"
)
_COUNT: Final = (
    r"(?:\d{1,3}|an?|one|two|three|four|five|six|seven|eight|nine|ten|twelve|fifteen|twenty"
    r"|thirty|une?"
    r"|deux|trois|quatre|cinq|six|sept|huit|neuf|dix|quinze|vingt|trente)"
)
#: Something other than what the speaker does, and the day on which it happens.
_HAPPENS: Final = re.compile(
    rf"{_LINK}(?:(?:the|my|our|his|her|their|le|la|l'|mon|ma|notre|son|sa) ?)?(?!i\b|i'|im\b|we\b"
    rf"|we'|je\b"
    rf"|j'|on\b|it\b|it'|back\b|see\b|talk\b|be\b|done\b)[^,.;?!]{{3,50}}?"
    r" (?:is|are|starts?|begins?|opens?|ends?|arrives?|comes?|lands?|leaves?|est|passe|commence"
    rf"|arrive|a lieu|ouvre|finit)? ?(?:in {_COUNT} (?:days|weeks?|months?)|dans {_COUNT} (?:jours"
    rf"|semaines?|mois)|{_COUNT} (?:days|weeks?|months?) from (?:today|now|tomorrow))\b",
    re.IGNORECASE,
)
_ON_A_DAY: Final = re.compile(
    rf"{_LINK}(?:le|on the|on) \d{{1,2}}(?:st|nd|rd|th|er)? (?:of )?{_MONTH},? (?:c'est|il y a|on"
    rf"|j'ai|is|it's"
    r"|i have|we have|there's) \w",
    re.IGNORECASE,
)
_FAMILY_IS: Final = re.compile(
    rf"(?:my|our|mon|ma|mes|notre|nos) (?:[\w-]{{2,15}} )?(?:{RELATIONS}|family|famille)s? (?:is"
    rf"|are|est|sont)"
    r" (?!here|coming|there|back|late|asleep|out|home|là|en train|en retard|so\b|being|shouting"
    r"|calling|[a-z]+ing\b)\w{4,}",
    re.IGNORECASE,
)
#: An arrangement that holds from now on.
_FROM_NOW_ON: Final = re.compile(
    rf"{_LINK}(?:change of plans?[,:] |changement de programme[,:] |new plan[,:] )?(?!it\b|that\b"
    rf"|this\b|i\b|ok\b)"
    r"(?:(?:the|my|our|le|la|les|mon|ma|mes|nos|notre) )?[a-zà-ÿ-]{4,20}(?: [a-zà-ÿ-]{3,20})?"
    r" (?:is|are|est|sont) (?:in|at|on|with|à|au|chez|le) [^?]{3,60}\b(?:from now on|these days"
    r"|from (?:next"
    r" )?(?:week|month)|désormais|dorénavant|à partir de)\b",
    re.IGNORECASE,
)
#: What a thing does to somebody: "wool gives my hands a rash".
_REACTION: Final = re.compile(
    r"\b[a-zà-ÿ-]{3,20} (?:(?:always|really|just) )?(?:gives? (?:me|my [\w-]{3,15})"
    r" (?:[\w-]{1,12} ){0,2}"
    r"(?:rash(?:es)?|hives|headaches?|migraines?|heartburn|cramps|nightmares|spots)"
    r"|(?:brings?|makes?) me (?:out in|come out in|ill|sick|itch\w{0,2}|wheeze|sneeze|swell"
    r"|break out)"
    r"|(?:doesn't|don't) agree with me|is (?:a no(?:-no)?|off limits|out of bounds) for me"
    r"|me (?:donnent?|filent?) (?:des?|de l'|de la|la) ?(?:boutons|plaques|urticaire|migraines?"
    r"|nausées?)|me (?:rend|rendent) malade)\b",
    re.IGNORECASE,
)
#: How somebody is addressed: "It's Dr Osei, by the way".
_ADDRESSED: Final = re.compile(
    r"^(?i:it's|its|c'est|that's) (?:Dr|Mr|Mrs|Ms|Miss|Prof|Professor|Docteur|Madame"
    r"|Monsieur|Mme|M)\.?"
    r" [A-ZÀ-Þ][\w-]{1,30}(?:,? (?i:by the way|actually|please|btw|s'il (?:te|vous) plaît"
    r"|au fait)|$)"
)
#: What somebody has as their own: a hobby, an ambition, a mother tongue.
_OWN: Final = re.compile(
    rf"{_LINK}(?:my|our|mon|ma|mes|notre) (?:[a-zà-ÿ-]{{2,12}} ){{0,2}}?(?:hobby|hobbies|pastimes?"
    r"|passions?|ambition|dream|religion|nickname|speciality|specialty|mother tongue"
    r"|native language|star sign|guilty pleasure|passe-temps|loisirs?|surnom|religion|rêve"
    r"|langue maternelle) (?:is|are|est|sont|c'est) \w",
    re.IGNORECASE,
)
_FORMS: Final = (_ILLNESS, _FORMERLY, _WANTS_TO_BE, _OFFICE, _REACTION, _ADDRESSED)
_BEGINNINGS: Final = (_OWN, _NAMED, _KEPT_AT, _HABIT, _HAPPENS, _ON_A_DAY, _FAMILY_IS, _FROM_NOW_ON)
_LONGEST: Final = 240
_PASSING: Final = re.compile(
    r"\b(?:today|tonight|right now|this (?:morning|afternoon|evening)|just now|again|at it|lol|haha"
    r"|aujourd'hui|ce (?:matin|soir)|là maintenant|encore)\b|[?]\s*$",
    re.IGNORECASE,
)


def noted_words(sentence: str) -> str | None:
    """The words that a sentence asks to note, or marks as information; None for other sentences."""
    plain = sentence.replace("\u2019", "'").strip()
    found = _NOTE.match(plain)
    if found is None:
        return None
    words = plain[found.end() :].strip()
    if len(words.split()) < _FEWEST_WORDS or words.endswith("?") or _ASKS.match(words):
        return None
    if _PURPOSE.match(words):
        return None
    return None if _LEAVING.match(words) else words


def is_riddle(text: str) -> bool:
    """Whether a text ends with the question of a riddle: "what am I?"."""
    return _RIDDLE.search(text) is not None


def tells_plainly(clause: str) -> bool:
    """Whether a clause tells a lasting fact by its form."""
    plain = clause[:_LONGEST].replace("\u2019", "'").strip()
    if _PASSING.search(plain):
        return False
    if any(form.match(plain) for form in _BEGINNINGS):
        return True
    return any(form.search(_NO_ILLNESS.sub(" ", plain)) for form in _FORMS)
