"""Packs recall results into one text for a prompt: never over its token budget, every piece cited.

The text says that it is quoted data; each piece names its author and origin, and a piece that comes
from outside or gives orders is marked in place. All of these marks count as tokens.

This module prepares recall results for the shared packer (``tier_packing.py``): turns of one
conversation are kept together in their order; pieces that say the same appear once; a long text is
first given by its summary, and whole if budget is left at the end; kinds have shares of the budget.
"""

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

from recollect.recall.tier_packing import TierItem, TierPacker, form_of
from recollect.trust.fence import fenced
from recollect.trust.quoted_text import FRAME, attribution, indented
from recollect.vocabulary.assembly import Level, Tier
from recollect.vocabulary.errors import InvalidInput
from recollect.vocabulary.events import day_of
from recollect.vocabulary.ids import short_id
from recollect.vocabulary.memory import Memory
from recollect.vocabulary.results import Chunk, Dropped, Found, Packed

Count = Callable[[str], int]

OTHER: Final = "other"
_LONG: Final = 200  # tokens from which a summary is preferred
_SAME: Final = 0.9
_SHORTER: Final = (Level.SUMMARY, Level.COMPRESSED, Level.INDEX)


@dataclass(frozen=True, slots=True)
class _FoundPiece:
    """A search result in the form that the packer takes."""

    found: Found

    @property
    def id(self) -> str:
        return self.found.id

    @property
    def content(self) -> str:
        return self.found.text


def pack(
    found: Sequence[Found],
    budget: int,
    count: Count,
    shares: Mapping[str, float] | None = None,
    *,
    viewer: str | None = None,
    tainted: Collection[str] = (),
) -> Packed:
    """Pack the best results that fit.

    ``shares`` limit the part of the budget that a kind takes at first; the rest is free for any.
    ``viewer`` is the person who asks: their own words are marked only for orders that nobody gives
    to an assistant. ``tainted`` are events that follow outside text on their stream.
    """
    if budget < 1:
        raise InvalidInput("A budget has at least one token.")
    teller = _LineFormatter(viewer, tainted)
    repeats = _repeats(found)
    topics = _topics(found)
    items = [
        TierItem(
            (_FoundPiece(one),),
            Tier.RELEVANT,
            "found",
            partial(teller.line, one),
            *_share(one, shares or {}),
            levels=_levels(one, count),
            repeats=repeats.get(one.id, {}),
        )
        for one in found
    ]
    packed = TierPacker(
        budget,
        (0.0, 1.0, 0.0, 0.0),
        count,
        headings=dict.fromkeys(Tier, ""),
        frame=lambda lines: fenced("\n".join([FRAME, *lines])),
        order=lambda item: _sort_key(item.memories[0].found, topics),
        patience=len(items) + 1,
    ).pack(items)
    reasons = {one.id: one.reason for one in packed.left_out}
    return Packed(
        packed.text,
        packed.tokens,
        budget,
        tuple(one.id for one in packed.entries),
        tuple(
            Dropped(one.id, one.text[:200], one.score, reasons[one.id])
            for one in found
            if one.id in reasons
        ),
    )


def citation(one: Found) -> str:
    """A short mark by which a piece can be cited: its kind, the end of its id, and its date."""
    item = one.item
    if isinstance(item, Chunk):
        return f"[code {item.path}:{item.start_line}]"
    label = item.type_name if isinstance(item, Memory) else "event"
    when = f"{item.created_at:%Y-%m-%d}" if isinstance(item, Memory) else day_of(item)
    return f"[{label} {short_id(item.id)} {when}]"


class _LineFormatter:
    """Formats a piece as lines: its citation, the author and origin of its words, and the words."""

    def __init__(self, viewer: str | None, tainted: Collection[str]) -> None:
        self._viewer, self._tainted = viewer, tainted
        self._heads: dict[str, str] = {}

    def line(self, one: Found, level: Level, _told: Collection[str] = ()) -> str:
        """Format one piece; its later lines are indented, so that none passes for another piece."""
        if one.id not in self._heads:  # computed once, whatever level is tried
            after = one.id in self._tainted
            who = attribution(one.item, self._viewer, after_outside=after)
            self._heads[one.id] = f"{citation(one)} {who}:"
        form = form_of(one.item, level) if isinstance(one.item, Memory) else one.text
        return f"{self._heads[one.id]} {indented(form)}"


def _share(one: Found, shares: Mapping[str, float]) -> tuple[str, float]:
    """The kind that a piece counts as, and the share of the budget that it may take at first."""
    if not shares:
        return "", 1.0
    kind = one.item.type_name if isinstance(one.item, Memory) else one.kind
    name = kind if kind in shares else OTHER
    return name, shares.get(name, 0.0)


def _levels(one: Found, count: Count) -> tuple[Level, ...]:
    """Levels of detail in the order in which they are tried; only memories have shorter ones."""
    if not isinstance(one.item, Memory):
        return (Level.FULL,)
    whole = one.item.levels.full_tokens or count(one.text)
    return _SHORTER if whole > _LONG else (Level.FULL, *_SHORTER)


def _topics(found: Sequence[Found]) -> Counter[str]:
    """The tags that at least two of the pieces share."""
    tags = Counter(tag for one in found if isinstance(one.item, Memory) for tag in one.item.tags)
    return Counter({tag: count for tag, count in tags.items() if count > 1})


def _sort_key(one: Found, topics: Counter[str]) -> tuple[int, str, str, str]:
    """Sort key of a piece: its file, or the topic that it shares with most other pieces."""
    item = one.item
    if isinstance(item, Memory):
        topic = max(sorted(set(item.tags) & topics.keys()), key=topics.__getitem__, default="")
        return 0, item.files[0] if item.files else "", topic, item.id
    if isinstance(item, Chunk):
        return 0, item.path, "", f"{item.start_line:09}"
    return 1, item.stream_id, "", f"{item.occurred_at:%Y%m%d%H%M%S%f}{item.id}"


def _repeats(found: Sequence[Found]) -> dict[str, dict[str, str]]:
    """For each piece, the other pieces with nearly the same words, and the text that reports the
    repetition.
    """
    told = [(one, set(one.text.lower().split())) for one in found]
    same: dict[str, dict[str, str]] = {}
    for at, (one, words) in enumerate(told):
        for other, theirs in told[:at]:
            fewer, more = sorted((len(words), len(theirs)))
            if fewer < _SAME * more or not words:
                continue
            if len(words & theirs) >= _SAME * len(words | theirs):
                same.setdefault(one.id, {})[other.id] = f"says what {citation(other)} says"
                same.setdefault(other.id, {})[one.id] = f"says what {citation(one)} says"
    return same
