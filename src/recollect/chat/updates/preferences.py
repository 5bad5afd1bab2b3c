"""Likes and dislikes of a person, and whether two of them contradict each other.

"I love jazz" and "jazz gets on my nerves" cannot both be true of one person; liking two different
things can. In "I used to love it, now I hate it" the later half counts.
"""

import re
from functools import lru_cache
from typing import Final

from recollect.memories.text_comparison import read

_READ: Final = 600
_LIKES: Final = re.compile(
    r"\b(?:love|loves|like|likes|enjoy|enjoys|adores?|fan of|crazy about|mad about|fond of"
    r"|obsessed with|addicted to|hooked on|into|favou?rite|can't get enough of|grown to love"
    r"|come to (?:love|like)|aime|adorons|raffole de|fana? de|kiffe|préférée?)\b",
    re.IGNORECASE,
)
_DISLIKES: Final = re.compile(
    r"\b(?:hate|hates|can't stand|cannot stand|can't bear|dislike|dislikes|detest|detests|loathe"
    r"|sick of|fed up with|bored of|tired of|gone off|went off|off (?:the )?(?=\w{3,20}$)|not (?:a"
    r" fan of|into|keen on|fond of)|no fan of|don't (?:like|enjoy|love)|doesn't (?:like|enjoy"
    r"|love)|don't care for|gets? on my nerves|gross(?:es)? me out|put me off|déteste|détestons"
    r"|supporte (?:pas|plus)|n'aime (?:pas|plus)|aime (?:pas|plus)|horreur d[eu']|marre d[eu']"
    r"|lassée? d[eu']|dégoûtée? d[eu'])(?!\w)",
    re.IGNORECASE,
)
#: A former liking or dislike, which no longer holds.
_FORMERLY: Final = re.compile(
    r"\b(?:used to|didn't use to|once|before,? i|avant,? j[e'])\b.{0,80}?(?:\b(?:but|and|,|now"
    r"|these days|mais|maintenant)\b)",
    re.IGNORECASE,
)
_NO_THING: Final = frozenset(
    """
    love like hate enjoy stand bear dislik detest loath adore favourit favorit fan prefer use used
    now mor anymor any really much lot one thing find got get becom it that them aim détest adorer
    support plus maintenant horreur marre music food drink eat listen play watch go
    """.split()
)


@lru_cache(1_024)
def _preference(text: str) -> tuple[int, frozenset[str]] | None:
    """Whether a text states a liking (1) or a dislike (-1), and of what; None for neither."""
    plain = text[:_READ].replace("\u2019", "'")
    told = _FORMERLY.sub(" ", plain) if _FORMERLY.search(plain) else plain
    dislikes = _DISLIKES.search(told)
    likes = None if dislikes else _LIKES.search(told)
    if dislikes is None and likes is None:
        return None
    things = frozenset(one for one in read(plain).stems if one not in _NO_THING)
    return (-1 if dislikes else 1, things)


def states_preference(text: str) -> bool:
    """Whether a text states a liking or a dislike."""
    return _preference(text) is not None


def contrary_preferences(old: str, new: str) -> bool:
    """Whether two statements of one person express contrary tastes about the same thing."""
    one, other = _preference(old), _preference(new)
    if one is None or other is None or one[0] == other[0]:
        return False
    small, large = sorted((one[1], other[1]), key=len)
    return bool(small) and small <= large and len(large) - len(small) <= 2
