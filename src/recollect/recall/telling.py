"""What of a question about code tells anything: its terms, each with how much it counts.

People who report a bug write words that stand in every report (that it crashes, what they expected,
which versions they have) and paste what their tracker asks for. Such words count little, numbers
count little, and a word that is said often counts more, but not by much.
"""

import math
import re
from typing import Final

from recollect.storage.chunks import analysed
from recollect.storage.stopwords import STOP_WORDS

TERMS: Final = 256
_LITTLE: Final = 0.3
_NOISE: Final = re.compile(
    r"https?://\S+|<!--.*?-->|\b[0-9a-f]{12,}\b|\b0x[0-9a-f]+\b|^- \[[ xX]\].*$|^[#=\-*~^+|: ]+$",
    re.S | re.M | re.I,
)
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
    """The terms of a question, each with how much it counts."""
    counts: dict[str, int] = {}
    for term in analysed(_NOISE.sub(" ", text))[0].split() or analysed(text)[0].split():
        if term not in STOP_WORDS and len(term) > 1:
            counts[term] = counts.get(term, 0) + 1
    listed = sorted(counts.items(), key=lambda one: -one[1] * _worth(one[0]))[:TERMS]
    return {term: _worth(term) * (1.0 + 0.5 * math.log(count)) for term, count in listed}


def _worth(term: str) -> float:
    return _LITTLE if term in _REPORTS or term.replace(".", "").isdigit() else 1.0
