"""Kinds of answer in a text: a date, a number, an age, a place, a person, a reason."""

import re
from typing import Final

from recollect.chat.language.concepts import is_common_word
from recollect.chat.language.sentence_subject import names_in, relations_in

_MONTHS: Final = (
    r"january|february|march|april|may|june|july|august|september|october|november|december|janvier"
    r"|février|mars|avril|mai|juin|juillet|août|septembre|octobre|novembre|décembre"
)
#: Months in short, beside their day: "18 sept".
_MONTHS_SHORT: Final = r"jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec|janv|févr?|avr|juil|aoû|déc"
_DAYS: Final = (
    r"monday|tuesday|wednesday|thursday|friday|saturday|sunday|lundi|mardi|mercredi|jeudi|vendredi"
    r"|samedi|dimanche"
)
_COUNTS: Final = (
    r"one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen"
    r"|sixteen|seventeen|eighteen|nineteen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety"
    r"|hundred|thousand|deux|trois|quatre|cinq|sept|huit|neuf|dix|onze|douze|treize|quatorze|quinze"
    r"|seize|vingt|trente|quarante|cinquante|soixante|cent|mille"
)
_DATE: Final = re.compile(
    rf"\b(?:{_MONTHS}|\d{{4}}|{_DAYS}|weekdays?|weekends?|week-ends?|morning|afternoon"
    r"|evening|night|noon|midnight|summer|winter|spring|autumn|easter|christmas|midi|minuit|matin"
    r"|soir|nuit|été|hiver|printemps|automne|noël|pâques|past|o'clock|daily|weekly|monthly"
    r"|tomorrow|yesterday|today|demain|hier"
    r"|(?:year|grade|form) (?:\d{1,2}|one|two|three|four|five|six|seven|eight|nine|ten|eleven))"
    rf"(?:s|\b)|\b(?:at|till|until|by|around|before|after|since|jusqu'à|à|vers|avant|après)"
    rf" (?:(?!one\b){_COUNTS}|\d{{1,2}}|lunch|dinner|school|work|term)\b"
    r"|\b(?:moved|pushed|shifted|changed|brought forward|put back|décalée?|reportée?) "
    rf"(?:[\w'-]{{1,20}} ){{0,4}}?(?:to|au|à) (?:{_COUNTS}|\d{{1,2}})\b"
    r"|\b\d{1,2}(?:[:h]\d{0,2}|(?:st|nd|rd|th)| ?(?:am|pm))\b|\bhalf past\b|(?<!\w)'\d{2}\b"
    r"|\b(?:mon|tues?|wed|thurs?|fri|sat|sun)s?(?:,? (?:and |& )?|/)(?:mon|tues?|wed|thurs?|fri"
    r"|sat|sun)s?\b"
    rf"|\b\d{{1,2}}(?:st|nd|rd|th|er)? (?:{_MONTHS_SHORT})\b|\b(?:{_MONTHS_SHORT})\.? \d{{1,2}}\b"
    r"|\b(?:with|at|over|before|after) (?:breakfast|lunch|dinner|supper|bedtime|dawn|dusk"
    r"|sunrise)\b"
    r"|\b(?:every|each|last|next|this|chaque|tous les"
    r"|toutes les) (?:day|week|month|year|time|jour|mois|semaine|an)|\bago\b|\bil y a\b",
    re.IGNORECASE,
)
_NUMBER: Final = re.compile(
    rf"\d|\b(?!one of (?:my|our|the|them)\b)(?:one|{_COUNTS}|once|twice"
    r"|(?:un|une)(?= seule?\b| fille\b| fils\b| frère\b| sœur\b"
    r"| chat\b| chien\b| enfant\b| fois\b)|half|couple|dozen|every|weekly|daily|monthly|both|pair"
    r"|several|single|first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth"
    r"|eleventh|twelfth|ground floor|top floor|no|none|aucune?|moitié|fois|douzaine|dizaine"
    r"|vingtaine|centaine)\b",
    re.IGNORECASE,
)
#: A word that is a number.
IS_NUMBER: Final = re.compile(
    rf"(?:\d[\d.,:]{{0,12}}\w{{0,5}}|one|{_COUNTS}|couple|dozen|both|pair|several|half|douzaine"
    r"|dizaine|moitié|no|aucune?)(?:-[a-z]{3,6})?$",
    re.IGNORECASE,
)
_MONEY: Final = re.compile(
    r"[€£$]|\b(?:euros?|pounds?|quid|dollars?|bucks?|cents?|pence|francs?|chf|eur|usd|gbp|grand"
    r"|yen|rupees?|balles|free|gratuite?|nothing|hundred|thousand|cent|mille)\b"
    r"|\b\d{2,7}(?:[.,]\d{1,3})?k?\b(?! ?(?:am|pm|km|kg|cm|mg|ml|%|years?|ans|days?|jours?|weeks?"
    r"|minutes?|hours?|h\b|people|guests))"
    r"|\b\d{1,3}k\b",
    re.IGNORECASE,
)
_CLOCK: Final = re.compile(
    rf"\b(?:at|by|till|until|from|to|before|after|around|for|past|half|quarter|à|vers|dès|jusqu'à"
    rf"|pour) (?:half |quarter |about )?(?:past |to )?(?:{_COUNTS}|one|\d{{1,2}}|noon|midnight|midi"
    r"|minuit)\b|\b\d{1,2}(?:[:h.]\d{0,2}| ?(?:am|pm))\b|\b(?:noon|midnight|midi|minuit|o'clock"
    r"|morning|evening|afternoon|night|matin|soir)s?\b",
    re.IGNORECASE,
)
_AGE: Final = re.compile(
    rf"(?<![\d.,:/])\b(?:\d{{1,3}}|one|{_COUNTS})\b(?![.,:]\d)[ -]?(?:year|month|ans|mois)"
    rf"|\b(?:am|is|are|i'm|im|he's|she's|they're|it's|turn(?:s|ed|ing)?|aged?|ai|a|en a|now)"
    rf" (?:only |just |nearly |almost |about )?(?:\d{{1,3}}|{_COUNTS})\b(?![.,:]\d)"
    r"(?! (?-i:[A-ZÀ-Þ])| (?:euros?|pounds?|dollars?|minutes?|hours?|km|times?|people|kilos?)\b)"
    r"|\b(?:born|née?) .{0,20}\b(?:1[89]|20)\d{2}\b|\(\d{1,2}\)"
    r"|\b(?:from|since|built|made|dates?|dating|bought|old|de|depuis"
    r"|construite?)\b.{0,20}\b(?:1[5-9]"
    r"|20)\d{2}\b|(?:^|[,;:] )(?:\d{1,2})(?=$|[,;.](?!\d))",
    re.IGNORECASE,
)
_PLACE: Final = re.compile(
    r"\b(?:past|outside|off|around|beyond|behind|opposite|beside|under|over|in|at|to|from|near|on"
    r"|by|with|above|below|round|inside|into|for|à|en|au|aux|chez|dans|près d[eu]|de|du|sur|sous"
    r"|derrière)"
    r" (?:(?:the|an?|la|le|les|une?|my|our|his|her|their|mon|ma|notre|this|that|old|new) "
    rf"(?!(?:day|week|month|year|moment|morning|evening|time|age|end|{_MONTHS})s?\b)[\w'-]{{2,30}}"
    rf"|(?-i:(?!(?i:{_MONTHS}|{_DAYS})s?\b)[A-ZÀ-Þ])[\w'-]{{1,30}})"
    r"|\b(?:à|dans|chez|devant|derrière) l['\u2019][\w-]{3,30}"
    r"|\b(?:upstairs|downstairs|next door|abroad|at home|at work|in town|nearby|remotely|online"
    r"|round the corner|à la maison|à l'étranger)\b",
    re.IGNORECASE,
)
_REASON: Final = re.compile(
    r"\b(?:because|cause|cos|since|so|as|for|due|thanks to|reason|until|till|after|when|about|if"
    r"|otherwise|therefore|why|donc|alors|du coup|parce|car|puisque|comme|pour"
    r"|à cause|grâce|vu que|depuis|quand)\b|\bto \w",
    re.IGNORECASE,
)
_COLOUR: Final = re.compile(
    r"\b(?:anthracite|apricot|aqua|aubergine|beige|black|blue|bronze|brown|burgundy|charcoal"
    r"|colou?r"
    r"\w{0,3}|copper|coral|cream|crimson|cyan|emerald|fuchsia|gold\w{0,2}|gr[ae]y|green|indigo"
    r"|lavender|magenta|mint|mustard|peach|plum|rust|sage|sand|tan|taupe|terracotta|crème|ivoire"
    r"|kaki"
    r"|moutarde|ocre|saumon|argentée?|lavande|ivory|khaki|lilac|mauve|maroon|navy|ochre|olive"
    r"|orange|pink|purple|red|scarlet|silver|teal"
    r"|turquoise|violet|white|yellow|blanc|blanche|bleue?s?|bordeaux|brune?|couleur|dorée?|grise?"
    r"|jaune|marron|mauve|noire?s?|orange|rose|rouge|verte?s?|violette?)\b",
    re.IGNORECASE,
)
_AFTER_PLACE: Final = re.compile(
    r"\b(?:in|from|at|to|near|of|à|de|en|au|chez) ([A-ZÀ-Þ][\w-]{1,30})"
)
_SUBJECT: Final = re.compile(
    r"[A-ZÀ-Þ][\w-]{1,30}(?:'s|:|,| (?:and|is|has|was|had|will|can|does|isn't|from|et|est|a|ne"
    r"|[a-z]{3,15}s|[a-z]{2,15}ed))\b"
)
_TITLED: Final = re.compile(r"\b(?:mr|mrs|ms|dr|miss|madame|monsieur|mme|professor)\b", re.I)
_FIGURE: Final = re.compile(r"\d[\d.,:]{0,12}")
_HOLDS: Final = {
    "colour": _COLOUR,
    "when": _DATE,
    "age": _AGE,
    "number": _NUMBER,
    "money": _MONEY,
    "clock": _CLOCK,
    "where": _PLACE,
    "why": _REASON,
}
#: A full date, as opposed to a word for a time.
FULL_DATE: Final = re.compile(
    rf"\b\d{{1,2}}(?:st|nd|rd|th)? (?:of )?(?:{_MONTHS}|{_MONTHS_SHORT})\b"
    rf"|\b(?:{_MONTHS}) \d{{1,4}}\b"
    r"|\b(?:19|20)\d{2}\b",
    re.IGNORECASE,
)


_DAY_BESIDE: Final = re.compile(r" \([^()]{3,30} (?:19|20)\d{2}\)")


def people_named(text: str) -> set[str]:
    """Names of people in a text: no places, no languages; a first word only if it is a subject."""
    found = names_in(text) - set(_AFTER_PLACE.findall(text))
    begins = re.match(r"[\w-]{1,30}", text)
    if begins and _SUBJECT.match(text):
        found |= names_in(f" {begins[0]}")
    return {name for name in found if not is_common_word(name)}


def holds(kind: str, text: str, question: str) -> bool | None:
    """Whether a text holds a kind of answer beyond what the question already says; None for kinds
    that any text may answer.
    """
    if kind == "who":
        return bool(people_named(text) or relations_in(text) or _TITLED.search(text))
    pattern = _HOLDS.get(kind)
    if pattern is None:
        return None
    for figure in _FIGURE.findall(question):  # a figure repeated from the question is no answer
        text = text.replace(figure, " ")
    if kind in ("age", "number"):
        text = _DAY_BESIDE.sub("", text)  # the day that was put beside "on Monday"
    if kind == "money":
        text = FULL_DATE.sub(" ", text)  # a year is not a price
    return pattern.search(text) is not None
