"""Weighted search terms of a question about code.

People who report a bug write words that occur in every report (that it crashes, what they expected,
which versions they have) and paste what their tracker asks for. Such words count little, numbers
count little, and a word that is repeated counts more, but not by much. In a longer text the first
line counts most, and words that occur only in pasted code count less than written ones.
"""

import math
import re
from collections.abc import Mapping
from typing import Final

from recollect.index.code_words import analysed
from recollect.vocabulary.lazy_patterns import lazy_pattern
from recollect.vocabulary.linear_patterns import closed_replaced
from recollect.vocabulary.stopwords import STOP_WORDS

TERMS: Final = 256
_WEIGHT_OF_COMMON_TERM: Final = 0.3
_TITLE: Final = 1.5
_PASTED: Final = 0.5
_COMMENT: Final = lazy_pattern(r"<!--.*?-->", re.S)
_NOISE: Final = lazy_pattern(
    r"https?://\S+|\b[0-9a-f]{12,}\b|\b0x[0-9a-f]+\b|^- \[[ xX]\][^\n]*$"
    r"|^[#=\-*~^+|: ]+$"
    # a line that names something and its version, as lists of what is installed do
    r"|^[^\w\n]*+\w[\w.\-]*+(?: [\w.\-]++){0,2}[ \t:=|]++v?\d++(?:\.[\w+]++)++[^\w\n]*+$",
    re.S | re.M | re.I,
)
_HEADING: Final = lazy_pattern(
    r"^[ \t]*+(?:#{1,6}[ \t]*+|\*\*|<summary>)(.+)$"
    r"|^(\S.{0,60})\n[ \t]*+(?:={3,}+|-{3,}+|~{3,}+)[ \t]*+$",
    re.M,
)
#: Headings under which trackers ask people to describe their machines.
_MACHINE: Final = lazy_pattern(
    r"\b(?:environment|versions?|system|platform|operating system|os|pip (?:list|freeze)|installed"
    r"|packages|show_versions|set-?up|checklist|check list|sphinx extensions|extra tools)\b",
    re.I,
)
_LONG_HEADING: Final = 5
_CODE: Final = lazy_pattern(
    r"^[ \t]*+(```|~~~).*?(?:^[ \t]*+\1|\Z)|\{\{\{.*?(?:\}\}\}|\Z)"
    r"|^(?: {4}|\t|[ \t]*+(?:>>>|\.\.\.|In \[\d+\]:)).*$",
    re.S | re.M,
)
#: The message of an error, after its class.
_MESSAGE: Final = lazy_pattern(
    r"\b\w*(?:Error|Exception|Warning|Exit)(?:\(\d+\))?: *([^\n]{15,300})"
)
_MESSAGES: Final = 6
_REPORTS: Final = frozenset(
    analysed(
        "bug fix fixed fixes issue regression crash crashed crashes caused causes error errors "
        "problem wrong incorrect incorrectly broken breaks expected actual behavior behaviour "
        "reproduce reproducible steps describe description version versions work works working "
        "following added adds allow allowed make made prevented prevent ensure ensured support "
        "traceback recent call last line file python report reported thanks review reviewed "
        "backport commit main master branch cve potential possible vulnerability attack attacker "
        "security denial service environment platform linux windows darwin macos installed pip "
        "conda example minimal snippet output result results please would happens happened"
    )[0].split()
)


def weighed_terms(text: str) -> dict[str, float]:
    """The terms of a question, each with its weight."""
    said = closed_replaced(_COMMENT, " ", _without_machines(text), "-->")
    said = _NOISE.sub(" ", said)
    counts = _counted(said) or _counted(text)
    places = _places(said)
    worth = {term: _worth(term) * places.get(term, 1.0) for term in counts}
    listed = sorted(counts, key=lambda term: -worth[term] * counts[term])[:TERMS]
    return {term: worth[term] * (1.0 + 0.5 * math.log(counts[term])) for term in listed}


def messages(text: str) -> list[str]:
    """The messages of the errors in a report; the last ones where there are many."""
    return list(dict.fromkeys(_MESSAGE.findall(text)))[-_MESSAGES:]


def _without_machines(text: str) -> str:
    """A report without the sections that describe machines; the first line always stays."""
    title, newline, rest = text.partition("\n")
    kept, begin, dropping = [title, newline], 0, False
    for found in _HEADING.finditer(rest):
        if not dropping:
            kept.append(rest[begin : found.start()])
        words = found[1] or found[2]
        dropping = len(words.split()) <= _LONG_HEADING and bool(_MACHINE.search(words))
        begin = found.start()
    if not dropping:
        kept.append(rest[begin:])
    return "".join(kept)


def _counted(text: str) -> dict[str, int]:
    counts: dict[str, int] = {}
    for term in analysed(text)[0].split():
        if term not in STOP_WORDS and len(term) > 1:
            counts[term] = counts.get(term, 0) + 1
    return counts


def _places(text: str) -> Mapping[str, float]:
    """Weights of the terms of a multi-line text by their position."""
    title, _, rest = text.strip().partition("\n")
    if not rest.strip():
        return {}
    pasted = " ".join(found[0] for found in _CODE.finditer(rest))
    found = dict.fromkeys(_counted(pasted), _PASTED)
    found |= dict.fromkeys(_counted(_CODE.sub(" ", rest)), 1.0)
    return found | dict.fromkeys(_counted(title), _TITLE)


def _worth(term: str) -> float:
    return _WEIGHT_OF_COMMON_TERM if term in _REPORTS or term.replace(".", "").isdigit() else 1.0
