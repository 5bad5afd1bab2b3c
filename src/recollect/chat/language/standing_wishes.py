"""Recognises standing wishes about how the assistant is to answer: "keep it short", "call me Sam".

A wish is an instruction that is meant to last: by a word for permanence ("always", "from now on",
"with me") or by a property that only answers have (their length, their language, their units).
"""

import re
from typing import Final

_STANDING_FORMS: Final = (
    r"call me",
    r"(?:always|never) (?!been|had|was|learned|liked|really|thought|heard|seen|ate|did)",
    r"from now on",
    r"in (?:the )?future",
    r"every time",
    r"each time",
    r"whenever (?:you|i)",
    r"when (?:you (?:answer|reply|write|explain|give)|i (?:ask|paste|send|write))",
    r"(?:your|all|the) (?:answers?|replies|responses|messages|explanations?)",
    r"(?:short|shorter|brief|long|longer|detailed|simple|concise|plain|one-line) (?:answers?"
    r"|replies"
    r"|responses|sentences|paragraphs|explanations?)",
    r"(?:didn't|don't|not) (?:use|add|give|write|call) ",
    r"réponses? (?:\w+ ){0,2}(?:courtes?|brèves?|longues?|simples?|concises?|détaillées?)",
    r"(?:answer|reply|respond|write|speak|talk)(?: to me| me)? (?:in|like|as)",
    r"keep (?:it|them|things|answers?|replies|your|everything) (?:\w+ ){0,3}(?:short|brief|simple"
    r"|concise|formal|informal|casual|polite|light|under|to)",
    r"be (?:brief|concise|blunt|direct|formal|honest|patient|gentle)",
    r"(?:no|without|skip(?: the)?|drop(?: the)?|stop(?: using| adding| with)?|don't(?: use| add"
    r"| give)?|avoid) (?:\w+ ){0,2}(?:emojis?|emoticons?|bullet (?:points?|lists?)|bullets"
    r"|small talk|jargon|tables?|disclaimers?|exclamation marks?|markdown|headings|apologies"
    r"|apologi[sz]ing|flattery|pleasantries)",
    r"(?:metric|imperial|celsius|fahrenheit|24[- ]?h(?:our)?|kilomet(?:er|re)s|british spelling"
    r"|american spelling)",
    r"(?:explain|describe|spell|phrase|word|format|write) (?:stuff|things?|everything|it all|words"
    r"|concepts?|dates?|numbers?|prices?)",
    r"(?:the (?:british|american|uk|us|european|metric|imperial) (?:way|spelling|format))",
    r"(?:avoid|skip|no more|évite|stop with|arrête avec) (?:the |les |la |le |l'|d'|de )?[\wà-ÿ' -]"
    r"{3,40}, (?:it|they|i|i'm|ça|je|j'|that)",
    r"tutoie[sz]?[- ]moi",
    r"vouvoie[sz]?[- ]moi",
    r"appelle[sz]?[- ]moi",
    r"toujours",
    r"jamais",
    r"désormais",
    r"dorénavant",
    r"à partir de maintenant",
    r"à l'avenir",
    r"à chaque fois",
    r"quand (?:je (?:colle|demande|pose|t'envoie)|tu (?:réponds|écris|expliques))",
    r"(?:tes|vos|les) réponses",
    r"(?:réponds?|répondez|écris|parle)(?:[- ]moi)? en",
    r"(?:pas d[e'] ?|sans |évite les |arrête (?:avec )?les )(?:emojis?|listes?|puces|jargon"
    r"|émoticônes?)",
    r"sois (?:bref|brève|concis|concise|direct|directe)",
    r"fais court",
)
_STANDING: Final = re.compile(rf"\b(?:{'|'.join(_STANDING_FORMS)})\b", re.IGNORECASE)
_COMMANDED: Final = re.compile(
    r"(?:please |pls |plz |just |and |also |from now on,? |in future,? |in the future,? )?"
    r"(?:(?:always|never|call me|keep|be|don't|do not|no|stop|use|answer|reply|respond|write|speak"
    r"|talk|give|skip|avoid|drop|when|whenever|every time|explain|address|show|put|send|include"
    r"|spell|phrase|format|describe|start|end|remember|i(?:'d)? (?:really |much )?(?:prefer|like"
    r"|want|hate|love|rather)|tutoie"
    r"|vouvoie"
    r"|appelle|ré?ponds|sois|évite|arrête|pas de|utilise|écris|parle|ne|quand|donne|fais"
    r"|mets|explique|garde|désormais|dorénavant)\b|pas d'|n')",
    re.IGNORECASE,
)
#: Polite requests that are meant to last: "could you always use bullet points?"
_ASKED_FOR_GOOD: Final = re.compile(
    r"(?:(?:can|could|would|will) you|you can|tu peux|tu pourrais|peux-tu|on peut)"
    r" (?:please |just |maybe |also |se |me )?(?:always|never|stick to|tutoyer|vouvoyer|toujours"
    r"|(?:[\w']{2,15} ){1,8}(?:for good|once and for all|pour de bon|from now on"
    r"|in future|in the future|every time|each time|with me"
    r"|as a rule|in general|désormais|à l'avenir|avec moi|à chaque fois)\b)",
    re.IGNORECASE,
)
_RULE: Final = re.compile(
    r"(?:one more |another |one |new |first |second |third |last |quick |première |deuxième "
    r"|dernière |une (?:autre |seule )?|petite )?(?:house |ground |basic "
    r"|golden )?"
    r"(?:rule|règle)(?: for you| pour toi| du jeu)?(?: ?:|,| is| est)",
    re.IGNORECASE,
)
#: A form of answers that is always or never wanted: "bullet points, never paragraphs".
_FORM: Final = re.compile(
    r"(?:bullet points|bullets|lists|tables|paragraphs|prose|headings|emojis|short (?:answers"
    r"|sentences)|whole sentences|plain text|puces|listes|paragraphes|phrases (?:courtes|complètes)"
    r"|réponses courtes)(?:,? (?:only|always|never|please|not|no|and never|jamais|toujours|pas de"
    r"|uniquement|svp|stp))\b",
    re.IGNORECASE,
)
_GRATEFUL: Final = re.compile(
    r"(?:i'd|i would|it'd|it would|ce serait|j'aimerais) (?:really |also )?(?:be (?:grateful|glad"
    r"|happy|great|nice|lovely|good)|appreciate it|love it|like it|bien|sympa|super) (?:if|when|si"
    r"|que) (?:you|tu) (?:could |would |can )?(?:always|never|[\w']{2,15} toujours|ne [\w']{2,15}"
    r" jamais)\b",
    re.IGNORECASE,
)
#: What to do whenever something happens in the conversation: "if I ask for your opinion, pick one".
_EACH_TIME: Final = re.compile(
    r"(?:(?:if|when(?:ever)?|any ?time|every time|each time) (?:i|you)|(?:quand|si|chaque fois que)"
    r" (?:je|tu|vous)) (?:ever |also )?(?:ask|paste|send|write|quote|explain|give|get something"
    r"|get it|suggest|recommend|answer|reply|translate|correct|mention|cite|list|don't know"
    r"|aren't sure|are unsure|make a mistake|make an error|am wrong|are wrong"
    r"|demande|colle|envoie|écris|cites?|expliques?|proposes?|réponds?|traduis|corriges?|te trompes"
    r"|ne sais pas|n'es pas sûre?)\b[^?]{0,60}?(?:, |: | )(?:then |just |please |always |never )?"
    r"(?:don't|do not|never|always|pick|give|tell|say|show|use|include|add|start|end|keep|make|put"
    r"|skip|leave|stick|be|ask|admit|explain|answer|reply|ne |pas de|donne|dis|mets|ajoute|montre"
    r"|commence|garde|explique|choisis|cite|utilise|réponds|avoue)\b",
    re.IGNORECASE,
)
#: The unit or form of everything that is measured: "temperatures in celsius for me".
_UNITS: Final = re.compile(
    r"(?:(?:with|for|in) (?:my )?\w{3,15},? )?(?:i(?:'d| would)? (?:always )?(?:need|want|prefer"
    r"|like) |give me |show me |please |je (?:veux|préfère) |il me faut )?(?:all |my |the |any "
    r"|every |oven |les |mes |tous les |toutes les )*(?:temperatures?|prices?|amounts?|distances?"
    r"|weights?|measure(?:ment)?s|quantities|lengths|sizes|speeds|dates|times|températures?|prix"
    r"|montants|distances|poids|mesures|quantités|tailles|dates|heures|horaires) (?:always |please "
    r"|toujours )?(?:in|en|as|au format) \w",
    re.IGNORECASE,
)
#: A value: "prices in Oslo were up 10 %" tells something of prices.
_VALUE_TOLD: Final = re.compile(r"\b(?:is|are|was|were|went|est|sont|étaient)\b|\d")
#: What is wanted of the one who answers: "I'd rather you were blunt", "je préfère que tu ...".
_OF_YOU: Final = re.compile(
    r"(?:i(?:'d| would)? (?:much )?(?:rather|prefer(?: it)?(?: if| that| when)?|like it"
    r"(?: if| when| that)) you|i(?:'d| would) (?:prefer|like|want) you to always"
    r"|je préfère(?:rais)? qu(?:e tu|e vous|'on se)|j'aime(?:rais)? (?:autant |mieux )?qu(?:e tu|e "
    r"vous|'on se)) (?:me |m'|ne |n')?\w",
    re.IGNORECASE,
)
_WHEN_YOU: Final = re.compile(
    r"(?:when(?:ever)? (?:you|i)|every time (?:you|i)|quand (?:tu|je)|chaque fois que (?:tu|je))"
    r" [^,?]{3,60}, ",
    re.IGNORECASE,
)
#: What somebody wants to do themselves, which says nothing about how to answer.
_WANTS_TO_DO: Final = re.compile(
    r"i(?:'d| would)? (?:really |much |also |just )?(?:want|like|love) to (?!be (?:called"
    r"|addressed)"
    r"|get (?:short|brief|long)|hear|be told)",
    re.IGNORECASE,
)


def asks_politely(plain: str) -> bool:
    """Whether a sentence politely asks for something permanent: "I'd be grateful if you always
    ...".
    """
    return _GRATEFUL.match(plain) is not None


def is_standing_wish(plain: str, *, asks: bool) -> bool:
    """Whether a sentence without its opening is a wish for all future answers; a sentence that ends
    like a question is one if it says that it is meant to last.
    """
    if (
        asks_politely(plain)
        or _ASKED_FOR_GOOD.match(plain)
        or _RULE.match(plain)
        or _FORM.match(plain)
        or (not asks and _of_each_answer(plain))
    ):
        return True
    if _STANDING.search(plain) is None or asks:
        return False
    if _WHEN_YOU.match(plain):
        return True
    return _COMMANDED.match(plain) is not None and _WANTS_TO_DO.match(plain) is None


def _of_each_answer(plain: str) -> bool:
    """Whether a sentence says what is wanted of all answers, without a word for permanence."""
    units = _UNITS.match(plain) is not None and _VALUE_TOLD.search(plain) is None
    return units or _EACH_TIME.match(plain) is not None or _OF_YOU.match(plain) is not None
