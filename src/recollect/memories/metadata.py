"""Extracts names, key phrases, dates and tags from a text without a model.

English is supported best and French well enough. Other languages written with capitals still give
names, and any language gives numbers, dates in figures and its longest words. The confidence is the
mean of the confidence of each finding.
"""

import re
from functools import lru_cache
from typing import Final

from recollect.memories.synonyms import LIGHT
from recollect.memories.text_comparison import IDLE, normalised, words_of
from recollect.vocabulary.personal import Noticed

_READ: Final = 4_000  # characters; what matters in a long text is said early
_SENTENCE_LOOKBACK: Final = 64
_MAX_KEPT: Final = 8
_MAX_TAGS: Final = 5
_NAME: Final = re.compile(
    r"[A-ZÀ-Þ](?:\w++|['\u2019&-]++(?=\w))+"
    r"(?:\s++(?:(?:of|de|du|la|le|von|van|the)\s++(?=[A-ZÀ-Þ]))?)?"
    r"(?:[A-ZÀ-Þ0-9][\w'\u2019&-]*\s?)*"
)
_CONTRACTION: Final = re.compile(r"^I['\u2019](?:m|ve|d|ll) ")  # "I'm Nadia" names Nadia
_CODE: Final = re.compile(r"`([^`\n]{2,60})`|(\w[\w./-]*+)")
_FILES: Final = tuple(".py .ts .js .go .rs .java .md .toml .json .yml .yaml".split())
_LONGEST_PATH: Final = 500
_HANDLE: Final = re.compile(r"(?<!\w)[@#][\w-]{2,40}")
_MONTHS: Final = (
    "january|february|march|april|may|june|july|august|september|october|november|december"
    "|janvier|février|mars|avril|mai|juin|juillet|août|septembre|octobre|novembre|décembre"
)
_DAYS: Final = (
    "monday|tuesday|wednesday|thursday|friday|saturday|sunday"
    "|lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche"
)
_DATE: Final = re.compile(
    rf"\b(?:\d{{4}}-\d{{2}}-\d{{2}}|\d{{1,2}}[/.]\d{{1,2}}[/.]\d{{2,4}}"
    rf"|\d{{1,2}}(?:st|nd|rd|th|er)? (?:of )?(?:{_MONTHS})(?: \d{{4}})?"
    rf"|(?:{_MONTHS}) \d{{1,2}}(?:st|nd|rd|th)?(?:,? \d{{4}})?"
    rf"|(?:every |next |last |on )?(?:{_DAYS})s?"
    r"|today|tomorrow|tonight|yesterday|next (?:week|month|year)|demain|hier|aujourd'hui"
    r"|\d{1,2}(?::\d{2})? ?(?:am|pm)|\d{1,2} ?h(?: ?\d{2})?\b|\d{1,2}:\d{2})",
    re.IGNORECASE,
)
#: Every date contains a digit or one of these, and most texts have none.
_SIGNS_OF_DATES: Final = (
    *("day", "tomorrow", "tonight", "next ", "demain", "hier", "aujourd"),
    *("lundi", "mardi", "mercredi", "jeudi", "vendredi", "samedi", "dimanche"),
)
_DIGIT: Final = re.compile(r"\d")
_TOPICS: Final[dict[str, frozenset[str]]] = {
    topic: frozenset(words.split())
    for topic, words in {
        "food": "food eat eats eating meal recipe restaurant vegetarian vegan tea coffee cook"
        " cooking dinner lunch breakfast meat peanut peanuts drink alcohol sugar cuisine"
        " manger repas",
        "health": "health doctor dentist allergy allergic allergies asthma diabetes medicine"
        " hospital vitamin gym physiotherapy intolerant sleep santé médecin allergique",
        "work": "work job manager team meeting meetings office project deadline colleague boss"
        " client standup review deploy deploys travail réunion projet équipe",
        "family": "wife husband son daughter mother father brother sister parents family baby kids"
        " child children grandmother famille fille fils mère père frère soeur",
        "travel": "trip flight travel hotel passport visa train plane holiday vacation voyage vol",
        "home": "house flat apartment home rent kitchen garden landlord maison appartement loyer",
        "hobby": "guitar piano chess music book books film movie hiking running marathon tennis"
        " football swimming reading novel game games livre musique",
        "pets": "dog cat dogs cats puppy kitten pet pets chien chat chiens chats",
        "money": "budget euros dollars salary rent price cost saving savings bank argent",
        "code": "code python rust tabs spaces function api server database postgresql bug tests"
        " deploy git branch repository",
        "study": "university degree school exam course class learning study école université",
    }.items()
}


def notice(text: str, given: tuple[str, ...] = ()) -> Noticed:
    """Metadata of a text; tags given by the caller come first and are certain."""
    text = text[:_READ]
    names = _names(text)
    dates = dates_of(text)
    words = words_of(normalised(text))
    phrases = _phrases(words, names)
    topics = tuple(topic for topic, known in _TOPICS.items() if not known.isdisjoint(words))
    tags = tuple(dict.fromkeys((*given, *topics, *(name.lower() for name in names))))
    worth = [0.9] * len(names) + [0.95] * len(dates) + [0.7] * len(topics) + [1.0] * len(given)
    worth += [0.4] * min(2, len(phrases))
    confidence = round(sum(worth) / len(worth), 4) if worth else 0.0
    return Noticed(names, phrases, dates, tags[: max(_MAX_TAGS, len(given))], confidence)


@lru_cache(4_096)
def dates_of(text: str) -> tuple[str, ...]:
    """The dates and times in a text, each once."""
    plain = text.lower()
    if _DIGIT.search(plain) is None and not any(map(plain.__contains__, _SIGNS_OF_DATES)):
        return ()
    return tuple(dict.fromkeys(found.group().lower() for found in _DATE.finditer(text)))[:_MAX_KEPT]


def merged(one: Noticed, other: Noticed) -> Noticed:
    """Combined metadata of two wordings of one entry."""
    return Noticed(
        _both(one.entities, other.entities),
        _both(one.phrases, other.phrases),
        _both(one.dates, other.dates),
        _both(one.tags, other.tags),
        max(one.confidence, other.confidence),
        _both(one.proposed, other.proposed),
    )


def _both(one: tuple[str, ...], other: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*one, *other)))[: 2 * _MAX_KEPT]


def _names(text: str) -> tuple[str, ...]:
    """Names: capitalised words inside a sentence, code, handles; each once."""
    found: dict[str, None] = {}
    common: dict[str, bool] = {}
    for match in _NAME.finditer(text):
        name = _CONTRACTION.sub("", match.group()).strip(" '\u2019-&")
        if not name or name in found:
            continue
        if name not in common:
            common[name] = _is_common(name)
        alone = " " not in name
        if common[name] or (alone and not name.isupper() and _begins_sentence(text, match.start())):
            continue
        found.setdefault(name)
    for match in _CODE.finditer(text):
        quoted, path = match.groups()
        if quoted:
            found.setdefault(quoted)
        elif (path := path.rstrip("./-")).endswith(_FILES) and len(path) <= _LONGEST_PATH:
            found.setdefault(path)
    for match in _HANDLE.finditer(text):
        found.setdefault(match.group())
    return tuple(found)[:_MAX_KEPT]


def _is_common(name: str) -> bool:
    """Whether a capitalised word is no name: a common word, a date, a single letter."""
    first = name.split(maxsplit=1)[0].casefold().split("'")[0].split("\u2019")[0]
    alone = " " not in name
    return len(name) < 2 or (alone and (first in IDLE or first in LIGHT or _is_date(name)))


def _begins_sentence(text: str, start: int) -> bool:
    before = text[max(0, start - _SENTENCE_LOOKBACK) : start].rstrip(" \"'“«(")
    return not before or before[-1] in ".!?:\n…-*"


def _is_date(name: str) -> bool:
    return _DATE.fullmatch(name) is not None or re.fullmatch(_MONTHS, name, re.I) is not None


def _phrases(words: list[str], names: tuple[str, ...]) -> tuple[str, ...]:
    """Runs of meaningful words, the longest first, then long single words."""
    known = {part.casefold() for name in names for part in name.split()}
    runs: list[list[str]] = [[]]
    for word in words:
        if word in IDLE or word in LIGHT or word[0].isdigit():
            runs.append([])
        else:
            runs[-1].append(word)
    phrases = [" ".join(run[:3]) for run in runs if len(run) > 1]
    phrases += [run[0] for run in runs if len(run) == 1 and len(run[0]) > 5 and run[0] not in known]
    return tuple(dict.fromkeys(phrases))[:_MAX_KEPT]
