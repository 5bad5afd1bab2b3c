"""Parses a question: its search words, the people it is about, and the kind of answer wanted."""

import re
from dataclasses import dataclass
from typing import Final

from recollect.chat.language.sentence_subject import SAME_RELATION, names_in, relations_in
from recollect.chat.statements.statement_extraction import language_spoken
from recollect.memories.text_comparison import IDLE, normalised, stem, words_of

_LONGEST: Final = 600
_WANTS: Final[tuple[tuple[str, re.Pattern[str]], ...]] = tuple(
    (kind, re.compile(pattern, re.IGNORECASE))
    for kind, pattern in (
        (
            "clock",
            r"\b(?:what time|at what hour|(?:à )?quelle heure)\b",
        ),
        (
            "when",
            r"\b(?:when|when's|what (?:date|day|year|month)(?! (?:format|formats|style|plan|job"
            r"|trip|care|off))|which (?:dates?|days?|years?"
            r"|months?)|what days"
            r"|by when"
            r"|since when|quand|le combien|quel(?:le)? (?:jour|date|année|mois)(?! (?:format))"
            r"|depuis quand"
            r"|how soon)\b",
        ),
        ("colour", r"\b(?:what|which) colou?r\b|\bquelle couleur\b|\bde quelle couleur\b"),
        ("age", r"\b(?:how old|what age|quel âge|(?:my|his|her|their|'s|mon|son) (?:age|âge))\b"),
        (
            "money",
            r"\bhow much (?:do|did|does|is|was|are|were|will|have"
            r"|has) (?:[\w'-]{1,20} ){0,4}?(?:pay|paid"
            r"|cost|earn|make|spend|spent|rent|salary|worth|owe|owed|save|charge|mortgage|sell"
            r"|get paid)\b"
            r"|\bhow much(?:'s| is| was) (?:my|our|the|his|her) (?:[\w'-]{2,20} ){0,2}(?:rent"
            r"|salary|pay"
            r"|mortgage|fee|subscription|ticket|bill|insurance|pension|budget)\b"
            r"|\bwhat (?:price|does (?:[\w'-]{1,20} ){1,4}cost|did (?:[\w'-]{1,20} ){1,4}cost)\b"
            r"|\bcombien (?:[\w'-]{1,20} ){0,4}?(?:coûte|coûté|coûtait|paie|paye|payé|payons"
            r"|gagne|gagné"
            r"|dépensé|doit|dois)\b|\bquel (?:prix|est le prix|loyer|salaire)\b",
        ),
        (
            "number",
            r"\b(?:how (?:many|much|long|far|tall|often|big|high|heavy)|combien|what (?:number|size"
            r"|height|weight))\b",
        ),
        (
            "where",
            r"\b(?:where|where's|whereabouts|(?:which|what) (?:city|town|country|place|suburb"
            r"|village)|où|quelle ville|quel pays|quel village)\b",
        ),
        ("who", r"\b(?:who|who's|whose|whom|qui)\b"),
        ("why", r"\b(?:why|pourquoi|how come)\b"),
    )
)
_YES_NO: Final = re.compile(
    r"(?:do|does|did|am|is|are|was|were|can|could|have|has|will|should|est-ce que|on a|j'ai|je suis"
    r"|tu dois)\b",
    re.IGNORECASE,
)
_QUOI: Final = re.compile(r"\b(?:quoi|comment|quel(?:le)?s?)\b", re.IGNORECASE)  # "j'ai quoi ?"
#: Words for people that do not say whom a question is about: "am I still a teacher?", "what is my
#: mother tongue?", "who is Tom's mum?" (stated as "my sister's Tom").
_NO_RELATION: Final = re.compile(
    r"\b(?:i|we|je) (?:still |ever |now )?an? [\w-]{3,20}\b|\bmother tongue\b"
    r"|\blangue maternelle\b|[\w-]{2,30}'s (?:mum|mom|mother|dad|father|parents?|brother|sister"
    r"|son|daughter|wife|husband|partner|boyfriend|girlfriend)\b",
    re.IGNORECASE,
)
#: A relative who is called by what they are: "when is Mum's birthday?"
_KIN: Final = re.compile(
    r"(?<!my )(?<!our )(?<!\w['\u2019])\b(Mum|Mom|Mama|Mummy|Dad|Daddy|Papa|Maman|Grandma|Grandpa"
    r"|Granny|Gran|Nan|Grandad|Mamie|Papi|Papy|Auntie|Uncle|Tante|Tonton)\b"
)
_SEVERAL: Final = re.compile(
    r"\b(?:what|who|how old|comment) (?:are|were|s'appellent) (?:all )?(?:my|our|mes"
    r"|nos) (?:(?:two|three|four|five|deux|trois|quatre|cinq) )?"
    r"(?:sons|daughters|kids|children|boys|girls|brothers|sisters|siblings|friends|cats|dogs|pets"
    r"|flatmates|housemates|roommates|nephews|nieces|cousins|fils|filles|enfants|frères|sœurs|amis"
    r"|chats|chiens)\b"
    r"|\b(?:what|which) (?!(?:day|time|hour|year|month|date|week|unit|this|plan|clas|busines)e?s\b)"
    r"(?:[a-z-]{3,15} )?[a-z-]{3,20}s (?:do|does|have|can|am|are) (?:i|we)\b"
    r"|\b(?:names of|noms de|what are) (?:[\w'-]{2,20} ){1,3}"
    r"(?:sons|daughters|kids|children|dogs|cats|pets|brothers|sisters|enfants|chiens|chats)\b"
    r"|\bwhat (?:pets|children|kids|dogs|cats|brothers|sisters) (?:does|has)\b"
    r"|\bwho(?:'s| is| are| else is) (?:all )?in (?:my|our) (?:family|band|team|household)\b"
    r"|\b(?:allerg(?:ic|ies|iques?)|intoleran(?:t|ces?)|intoléran(?:te?|ces?))\b"
    r"|\bquel(?:le)?s [\w-]{3,20}s (?:est-ce que )?(?:je|j'\w{1,12}|on|nous)\b",
    re.IGNORECASE,
)
_INTO: Final = re.compile(
    r"\b(?:is|are|am i|was|were|be|been)\b[^?]{0,60}\binto\W{0,3}$", re.IGNORECASE
)  # "what is my dad into?"
_ASKS_NOW: Final = re.compile(
    r"\b(?:now|nowadays|currently|current|these days|at the moment|latest|maintenant"
    r"|actuel(?:le)?s?|actuellement|en ce moment|désormais)\b",
    re.IGNORECASE,
)
#: Questions about a version that no longer holds.
_ASKS_PAST: Final = re.compile(
    r"\b(?:before(?! (?:i|we|the|my|our|you|noon|midnight|bed|work|lunch|dinner|\d))"
    r"|previous(?:ly)?|used? to(?! (?:do|make|take|get) )|former(?:ly)?|originally|at first"
    r"|initially|first (?:plan|planned|want|wanted|think|thought)"
    r"|back then|no longer|ex-\w{2,15}|(?:my|our|the|'s) (?:old|ex|last|earlier|past|first)"
    r" (?:jobs?|employers?|flat|address|car|place|school|city|town|home|house|boss|phone|team"
    r"|band|boyfriend|girlfriend|partner|husband|wife|landlord|dentist|doctor|bank|company)"
    r"|avant(?! (?:de|le|la|les|d'|l'|\d))|anciens?|anciennes?|précédent(?:e|es|s)?|autrefois"
    r"|à l'origine|au départ|auparavant"
    r"|(?:habit|travaill|us|utilis|mange|port|conduis|pay|roul)ai[st])\b",
    re.IGNORECASE,
)
_AT_PLACE: Final = re.compile(
    r"\b(?:to|in|from|at|near|around|à|en|au|aux|depuis) (?-i:([A-ZÀ-Þ][\w-]{2,30}))\b", re.I
)
_WHAT: Final = re.compile(
    r"(?:what|which|who|how|where|why)\b(?! (?:date|dates|day|days|time|year|month|soon)\b)"
    r"|(?:qu'est-ce|que|qu'|quel(?:le)?s?|comment|où|qui|pourquoi|tu|est-ce|do|does|should|am|is"
    r"|are"
    r"|can)\b(?! (?:jour|date|année|mois)\b)",
    re.IGNORECASE,
)
_SELF: Final = re.compile(
    r"\b(?:i|my|me|we|our|us|mine|je|j'\w{1,20}|mon|ma|mes|moi|on|nous|notre|nos|m'\w{1,20})\b",
    re.I,
)
_LIVELIHOOD: Final = re.compile(
    r"\b(?:do i do|does [\w'-]{1,30}(?: [\w'-]{1,30}){0,2} do|for a living|fais dans la vie"
    r"|fait dans la vie|fait (?:mon|ma) \w{2,20})\b|\bdo for work\b",
    re.IGNORECASE,
)
_DATES: Final = frozenset({"date", "dates"})  # "what date format do I like?"
_LIVELIHOOD_WORDS: Final = frozenset({"living", "life", "vie", "work"})
#: "Which app do I ...": the answer is an app, and seldom says so.
_CATEGORY: Final = re.compile(
    r"\b(?:which|what|quel|quelle|quels|quelles|comme) ([\w-]{3,30})(?: ([\w-]{3,30}))? "
    r"(?:do|does|did|am|is|are|was|were|have|has|should|can|will|je|j'\w{1,20}|tu|il|elle|on|nous"
    r"|est)\b",
    re.IGNORECASE,
)
#: Phrases of place and time in a question that no answer repeats.
_ADJUNCT: Final = re.compile(
    r"\b(?:at (?:work|home|the moment)|right now|these days|for a living|in (?:the )?general|au"
    r" (?:travail|boulot|bureau)|à la maison|en ce moment|en général)\b",
    re.IGNORECASE,
)
_ELISION: Final = re.compile(r"\b(?:l|d|j|qu|n|s|m|t|c)'", re.IGNORECASE)
_IDLE: Final = IDLE | frozenset(
    """
    still date day time year month now currently moment actually tell know remember thing kind sort
    long many much often go going come quel quelle quels quelles quand combien comment pourquoi où
    est-ce jour date heure année mois fait fais faire déjà dois doit must should days these get use
    using old year years please again ce c'est c'était qu'est-ce comme chez depuis pour toi tu
    genre follow suivre avoid éviter not pas peut peux était étais étaient can't cannot or stand
    supposed meant again encore toujours
    mine vais vas va aller ils elles ont été keep keeps ou quoi quelqu'un souci problème
    when's what's who's where's how's need might new like
    """.split()
)

_TO_DOS: Final = re.compile(
    r"\b(?:my|any|the|mes|ma|de) (?:to-?dos?\b|to-do list|to do list|todo list|reminders|rappels"
    r"|list of things to do|liste de choses à faire|choses à faire)"
    r"|\bwhat reminders\b|\bthings to do\b"
    r"|\bwhat (?:do i (?:still )?(?:have|need)|am i supposed) to do *\??$"
    r"|\bqu(?:e|'est-ce que) (?:je dois|j'ai à|dois-je) faire *\??$",
    re.IGNORECASE,
)
_SOME_DAY: Final = re.compile(
    r"\b(?:today|tonight|tomorrow|(?:mon|tues|wednes|thurs|fri|satur|sun)day|week|weekend|month"
    r"|aujourd'hui|demain|(?:lun|mar|mercre|jeu|vendre|same)di|dimanche|semaine|mois)\b",
    re.IGNORECASE,
)


#: Idioms in questions, and plain words for their meaning.
_IDIOMS: Final = tuple(
    (re.compile(pattern, re.IGNORECASE), words)
    for pattern, words in (
        (
            r"\bhow (?:do |does )?(i|we|he|she|my [\w-]{2,15}|[\w-]{2,20}) (?:earns?|makes?|gets?)"
            r" (?:my|our|his|her|their|a|some) (?:money|living|keep|bread|wages?)\b",
            r"what does \1 do for a living",
        ),
        (r"\bpays? (?:my|our|the) bills\b", "do for a living"),
        (
            r"\bcomment (?:est-ce que )?(?:je gagne|j'ai gagné|est-ce que je gagne) (?:ma vie"
            r"|mon pain"
            r"|mon argent)\b|\bje gagne ma vie comment\b",
            "qu'est-ce que je fais dans la vie",
        ),
        (
            r"\bwho(?:m)? am i (?:married|marrying|engaged|hitched|going out|seeing|dating"
            r"|together|in a"
            r" relationship)(?: to| with)?\b",
            "who is my partner",
        ),
        (
            r"\bwhat (?:do|should) i (?:have to |need to |need )?(?:stay away from|steer clear of"
            r"|keep away from|cut out)\b|\bwhat (?:can't|cannot|can i not|mustn't|must i not"
            r"|shouldn't)"
            r" i (?:eat|have|digest|tolerate|touch)\b|\bwhat foods? (?:can't|mustn't"
            r"|shouldn't) i\b",
            "what am I allergic to or intolerant of",
        ),
        (
            r"\bqu'est-ce que je (?:ne )?(?:peux|dois|digère|supporte) pas (?:manger|digérer"
            r"|avaler)?\b",
            "à quoi je suis allergique ou intolérant",
        ),
        (
            r"\b(?:do|does|like to do|enjoy doing) (?:to (?:unwind|relax|switch off|wind down)"
            r"|for (?:fun|pleasure)|in (?:my|his|her|our) (?:free|spare) time"
            r"|when i'm not working)\b",
            "have as a hobby",
        ),
        (r"\bwhat (?:wheels|motor) (?:do|have) (i|we)(?: got| have)?\b", r"what car do \1 drive"),
        (
            r"\bwho(?:m)? do (?:i|we) (?:share (?:a |my |our |the )?(?:flat|house|place|home"
            r"|apartment)"
            r" with|live with|room with)\b",
            "who is my flatmate or who lives with me",
        ),
        (
            r"\b(?:what|which) (?:day|date) do (?:i|we) (?:celebrate|turn (?:\w{1,12}))\b"
            r"|\bwhen do i"
            r" turn \w{1,12}\b",
            "when is my birthday",
        ),
        (r"\b(?:do|does|did|will)? ?([\w' ]{2,40}?) tak(?:e|es|ing) place\b", r"is \1"),
        (r"\bwho do i (?:answer|report) to\b", "who is my boss"),
        (
            r"\bwhat (?:do|should|must) (?:i|we) (?:still )?(?:(?:need|have|want) to )?"
            r"(?:buy|pick up)"
            r"(?: (?:at|from) the (?:shops?|store|supermarket|market))?(?=\W*$)",
            "what is on my shopping list",
        ),
        (
            r"\b(?:qu'est-ce (?:que je|qu'on)|que) (?:dois|doit|dois-je|faut-il)"
            r" (?:encore )?acheter(?=\W*$)|\bje dois acheter quoi\b",
            "qu'y a-t-il sur ma liste de courses",
        ),
        (r"\bwho(?:'s| is) in charge of me\b", "who is my boss"),
        (
            r"\bhow (?:should|do|must|are|shall|will) you (?:to |supposed to )?(?:address|call)"
            r" me\b"
            r"|\b(?:what|which) name (?:should|must|do|are) (?:you|u) (?:to )?(?:use|call me)"
            r"(?: for me| by)?\b|\b(?:by )?(?:what|which) name do i (?:wish|want|like|prefer) to be"
            r" (?:addressed|called)(?: by)?\b|\bhow do i (?:wish|want|like|prefer) to be"
            r" (?:addressed|called)\b",
            "what should you call me",
        ),
        (
            r"\b(?:comment )?tu dois (?:t'adresser à moi|me parler)(?= *\?|$)"
            r"|\b(?:me dire )?tu ou vous\b",
            "tu dois me tutoyer ou me vouvoyer",
        ),
    )
)


#: Short forms that are typed without their apostrophe: "whats my rate?".
_TYPED_TOGETHER: Final = re.compile(
    r"\b(what|who|where|when|how)(s)\b(?! (?:and|or)\b)", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class AskedQuestion:
    """A parsed question."""

    text: str
    language: str
    terms: tuple[str, ...]  # as written, for word vectors
    stems: frozenset[str]
    names: frozenset[str]
    relations: frozenset[str]
    wants: str  # when, age, number, where, who, why, yes, what
    own: bool  # whether it is about the asker
    category: frozenset[str] = frozenset()
    #: Names in the position of a place: an entry may call the place by another name.
    places: frozenset[str] = frozenset()
    several: bool = False  # whether it asks for more than one: "what are my sisters called?"
    now: bool = False  # whether it asks explicitly for what holds now
    past: bool = False  # whether it asks for a former state: "where did I live before?"


def asked(text: str) -> AskedQuestion:
    """Parse a question."""
    plain = " ".join(text[:_LONGEST].replace("\u2019", "'").split())
    plain = _TYPED_TOGETHER.sub(r"\1'\2", plain)
    language = language_spoken(plain)
    for pattern, words in _IDIOMS:
        plain = pattern.sub(words, plain, count=1)
    wants = _wanted(plain)
    idle = _IDLE | _LIVELIHOOD_WORDS if _LIVELIHOOD.search(plain) else _IDLE
    if wants == "what":
        idle = idle - _DATES
    bare = _ADJUNCT.sub(" ", plain)
    terms = tuple(dict.fromkeys(word for word in content_words_of(bare) if word not in idle))
    if _INTO.search(plain):
        terms = (*terms, "interests")
    kind = _CATEGORY.search(plain)
    return AskedQuestion(
        plain,
        language,
        terms,
        frozenset(stem(word) for word in terms),
        frozenset(
            name.removesuffix("'s")
            for name in names_in(_ELISION.sub(" ", plain))
            if name.removesuffix("'s").lower() not in SAME_RELATION
        ),
        frozenset(relations_in(_KIN.sub(r"my \1", _NO_RELATION.sub(" ", plain)))),
        wants,
        bool(_SELF.search(plain)),
        frozenset(content_words_of(" ".join(filter(None, kind.groups())))) if kind else frozenset(),
        frozenset(_AT_PLACE.findall(plain)),
        bool(_SEVERAL.search(plain)),
        bool(_ASKS_NOW.search(plain)),
        bool(_ASKS_PAST.search(plain)),
    )


def _wanted(text: str) -> str:
    """The kind of answer wanted. The beginning of the question counts: "what comes first when ...?"
    does not ask for a time.
    """
    for kind, pattern in _WANTS:
        found = pattern.search(text)
        if found and not (kind == "when" and found.start() and _WHAT.match(text)):
            return kind
    return "yes" if _YES_NO.match(text) and not _QUOI.search(text) else "what"


def content_words_of(text: str) -> list[str]:
    """The meaningful words of a text; French words without an elided article or pronoun."""
    return [word for word in words_of(normalised(_ELISION.sub(" ", text))) if word not in IDLE]


_SHAPE: Final = re.compile(
    r"(?:what|what's|whats|which|who|who's|whose|where|where's|when|when's|how|how's|why|do i"
    r"|does my"
    r"|did i|did we|am i|is my|are my|was i|was my|have i|has my|can i|do we|should i|when is"
    r"|remind me(?! that\b)"
    r"|(?:rappelle|dis)-moi (?:quand|où|qui|quels?|quelles?|comment|combien|pourquoi|ce que)"
    r"|by when|in which|at what|on which|for whom|do you (?:know|remember)|can you (?:remember"
    r"|tell me"
    r"|remind)|quel|quelle|quels|quelles|quand|où|qui|combien|comment|pourquoi|est-ce que"
    r"|c'est quand"
    r"|c'était|depuis quand|à quoi|à qui|de quoi|dans quel|que|qu'est-ce|ai-je|suis-je"
    r"|tu te souviens"
    r"|c'est quoi|c'est qui|c'est où|pour quand)\b",
    re.IGNORECASE,
)


def is_question(text: str) -> bool:
    """Whether a text is a question."""
    plain = text.strip().replace("\u2019", "'")
    return plain.endswith(("?", "\uff1f", "\u061f")) or bool(_SHAPE.match(plain))


_MEANT: Final = re.compile(
    r"(?:hey |hi |ok |so |and |please )?(?:can|could|would|do) you (?:still |please )?(?:remember"
    r"|recall"
    r"|tell me|remind me|know)(?: of)? |(?:remind|tell) me |(?:te souviens-tu|tu te souviens"
    r"|peux-tu me"
    r" (?:dire|rappeler)|rappelle-moi|dis-moi) (?:de )?",
    re.IGNORECASE,
)


def without_asking(text: str) -> str:
    """A question without polite openings such as "can you tell me"."""
    found = _MEANT.match(text)
    return text[found.end() :] if found and text[found.end() :].strip() else text


_ABOUT_MEMORY: Final = re.compile(
    r"(?:what|anything|everything) (?:do you (?:remember|know|have)|you (?:remember|know))"
    r"|(?:que|qu'est-ce que tu) sais|de quoi te souviens-tu|que retiens-tu|qu'as-tu retenu",
    re.IGNORECASE,
)
_RECALLS: Final = re.compile(
    r"(?:(?:hey|hi|ok|so|and|please),? )?(?:(?:can|could|would|do) you (?:still "
    r"|please )?(?:remember"
    r"|recall|tell me|remind me|know) |(?:remind|tell) me )"
    r"(?:what|when|where|who|which|whose|how|why|if|whether)\b|(?:peux-tu me (?:dire|rappeler)"
    r"|tu te souviens|te souviens-tu) (?:quand|où|qui|quel|quelle|comment|ce que|de ce que)\b",
    re.IGNORECASE,
)


def is_for_answering(text: str) -> bool:
    """Whether a text that mentions remembering only asks for an earlier statement."""
    plain = text[:_LONGEST].strip().replace("\u2019", "'")
    return bool(_RECALLS.match(plain)) and not _ABOUT_MEMORY.match(without_asking(plain))


#: Questions about the last statement, whatever its topic.
_THE_LAST: Final = re.compile(
    r"what (?:did i|have i|was i|i) (?:just |only just )(?:say|said|tell you|told you|saying"
    r"|telling you|mention|mentioned|write|written)|what (?:was|is|were|'s) (?:the )?(?:last|latest"
    r"|most recent) (?:thing|message|news|stuff)s? (?:that )?(?:i(?:'ve)?|from me)\b"
    r"|what did i (?:say|tell you|mention) (?:just now|last|a (?:moment|second|minute) ago)"
    r"|qu'est-ce que (?:je viens|j'ai dit en dernier)|que viens-je de|je viens de (?:te )?dire quoi"
    r"|qu'ai-je dit en dernier|c'était quoi (?:mon dernier message|la dernière chose)",
    re.IGNORECASE,
)


def asks_for_to_dos(text: str) -> bool:
    """Whether a question asks for all to-dos."""
    return _TO_DOS.search(text) is not None and _SOME_DAY.search(text) is None


def asks_for_the_last(text: str) -> bool:
    """Whether a question asks for the person's own last statement."""
    plain = without_asking(text[:_LONGEST].strip()).replace("\u2019", "'")
    return _THE_LAST.match(plain) is not None and " about " not in plain


_ASKS: Final = re.compile(
    r"\bwhat should you call me\b|\b(?:what|which) name do i go by\b|\bwhat do i go by\b"
    r"|\bme tutoyer ou me vouvoyer\b"
    r"|\bcomment (?:tu (?:dois|devrais) m'appeler|dois-tu m'appeler)\b",
    re.IGNORECASE,
)
_TELLS: Final = re.compile(
    r"\b(?:call|address|calling|addressing) me (?!back\b|later\b|when\b|if\b|at\b|on\b|in\b"
    r"|tomorrow\b|today\b|tonight\b|about\b|for\b|every\b|a\b)\w"
    r"|\b(?:i|i'd rather|i prefer to|and) go by (?!bus\b|train\b|car\b|bike\b|foot\b|the\b)\w"
    r"|^(?:i am|i'm) (?-i:[A-ZÀ-Þ])[\w-]{1,20} to (?:everyone|everybody|all|my friends|friends)\b"
    r"|\b(?:everyone|everybody|people|my friends) (?:just )?calls? me (?-i:[A-ZÀ-Þ])"
    r"|\btout le monde m'appelle (?-i:[A-ZÀ-Þ])"
    r"|^(?:it's|its|that's|i am|i'm) (?:dr|mr|mrs|ms|miss|mx|prof|professor)\b"
    r"|\b(?:tutoie|vouvoie|tutoyer|vouvoyer|tutoyons|vouvoyons|tutoiement|vouvoiement"
    r"|appelle-moi|appelez-moi|dis-moi tu|dites-moi vous)\b",
    re.IGNORECASE,
)


def asks_for_address(question: str) -> bool:
    """Whether a question asks how the speaker wants to be addressed."""
    return _ASKS.search(question) is not None


def tells_address(text: str) -> bool:
    """Whether a text says how the speaker wants to be addressed."""
    return _TELLS.search(text.strip().replace("\u2019", "'")) is not None
