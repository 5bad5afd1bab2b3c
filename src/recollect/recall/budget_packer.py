"""Packs what was found into one text for a prompt: never over its budget, each piece cited.

The text says that it is quoted data; each piece names its author and origin, and one that comes
from outside or gives orders is marked where it stands. All of that counts as tokens.

Turns of one conversation stand together in their order; what says the same is said once; a long
text gives way to its summary, and a piece that does not fit is left out and named.
"""

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Final

from recollect.trust.fence import fenced
from recollect.trust.quoted_text import FRAME, attribution, indented
from recollect.vocabulary.errors import InvalidInput
from recollect.vocabulary.ids import short_id
from recollect.vocabulary.memory import Memory
from recollect.vocabulary.results import Chunk, Dropped, Found, Packed

Count = Callable[[str], int]

OTHER: Final = "other"
_LONG: Final = 200  # tokens from which a summary is preferred
_SAME: Final = 0.9


def pack(
    found: Sequence[Found],
    budget: int,
    count: Count,
    shares: Mapping[str, float] | None = None,
    *,
    viewer: str | None = None,
    tainted: Collection[str] = (),
) -> Packed:
    """The best that fits. ``shares`` keep parts of the budget for kinds; what is left is free.

    ``viewer`` is who asks: their own words are marked only for what nobody asks of an assistant.
    ``tainted`` are events that stand after outside text.
    """
    if budget < 1:
        raise InvalidInput("A budget has at least one token.")
    kept: list[tuple[Found, str]] = []
    left: list[Found] = []
    reasons: dict[str, str] = {}
    room = _BudgetLeft(budget - count(_framed("")), shares or {})
    told = _Teller(count, viewer, tainted)
    for one in found:
        like = _like(one, kept)
        if like is not None:
            reasons[one.id] = f"says what {citation(like)} says"
        elif not _place(one, kept, room, told, within_share=True):
            left.append(one)
    for one in left:
        if not _place(one, kept, room, told, within_share=False):
            reasons[one.id] = "does not fit the budget"
    text = _served(kept)
    while kept and count(text) > budget:
        last, _ = kept.pop()
        reasons[last.id] = "does not fit the budget"
        text = _served(kept)
    return Packed(
        text,
        count(text) if text else 0,
        budget,
        tuple(one.id for one, _ in kept),
        tuple(
            Dropped(one.id, one.text[:200], one.score, reasons[one.id])
            for one in found
            if one.id in reasons
        ),
    )


def citation(one: Found) -> str:
    """A short mark by which a piece can be cited: its kind, the end of its id, and when."""
    item = one.item
    if isinstance(item, Chunk):
        return f"[code {item.path}:{item.start_line}]"
    label = item.type.value if isinstance(item, Memory) else "event"
    when = item.created_at if isinstance(item, Memory) else item.occurred_at
    return f"[{label} {short_id(item.id)} {when:%Y-%m-%d}]"


class _Teller:
    """Words a piece: its citation, whose words follow and where they came from, and the words."""

    def __init__(self, count: Count, viewer: str | None, tainted: Collection[str]) -> None:
        self.count = count
        self._viewer, self._tainted = viewer, tainted
        self._heads: dict[str, str] = {}

    def line(self, one: Found, form: str) -> str:
        """One piece; its later lines are set in, so that none can pass for another piece."""
        if one.id not in self._heads:  # judged once, whatever form is tried
            after = one.id in self._tainted
            who = attribution(one.item, self._viewer, after_outside=after)
            self._heads[one.id] = f"{citation(one)} {who}:"
        return f"{self._heads[one.id]} {indented(form)}"


class _BudgetLeft:
    """What is left of the budget, as a whole and of each kind's share."""

    def __init__(self, budget: int, shares: Mapping[str, float]) -> None:
        self.left = budget
        self._shares = {kind: int(share * budget) for kind, share in shares.items()}

    def take(self, kind: str, tokens: int, *, within_share: bool) -> bool:
        """Take so many tokens, if there is room for them."""
        if tokens > self.left:
            return False
        if within_share and self._shares:
            name = kind if kind in self._shares else OTHER
            if tokens > self._shares.get(name, 0):
                return False
            self._shares[name] -= tokens
        self.left -= tokens
        return True


def _place(
    one: Found,
    kept: list[tuple[Found, str]],
    room: _BudgetLeft,
    told: _Teller,
    *,
    within_share: bool,
) -> bool:
    """Put a piece in, in the longest form that fits."""
    kind = one.item.type.value if isinstance(one.item, Memory) else one.kind
    for form in _forms(one, told.count):
        line = told.line(one, form)
        if room.take(kind, told.count(f"{line}\n\n"), within_share=within_share):
            kept.append((one, line))
            return True
    return False


def _forms(one: Found, count: Count) -> list[str]:
    """The text, and shorter ones; a long text comes after its own summary."""
    if not isinstance(one.item, Memory):
        return [one.text]
    levels = one.item.levels
    shorter = [form for form in (levels.summary, levels.compressed, levels.index) if form]
    full = one.text
    if shorter and (levels.full_tokens or count(full)) > _LONG:
        return [*shorter]
    return [full, *shorter]


def _served(kept: Sequence[tuple[Found, str]]) -> str:
    """The pieces inside the fence by which they are known when they come back."""
    return _framed(_text(kept)) if kept else ""


def _framed(text: str) -> str:
    return fenced(f"{FRAME}\n{text}")


def _text(kept: Sequence[tuple[Found, str]]) -> str:
    """The pieces: memories by what they are about, then each conversation in its order."""
    topics = _topics([one for one, _ in kept])
    return "\n".join(line for _, line in sorted(kept, key=lambda pair: _home(pair[0], topics)))


def _topics(found: Sequence[Found]) -> Counter[str]:
    """The tags by which at least two of the pieces belong together."""
    tags = Counter(tag for one in found if isinstance(one.item, Memory) for tag in one.item.tags)
    return Counter({tag: count for tag, count in tags.items() if count > 1})


def _home(one: Found, topics: Counter[str]) -> tuple[int, str, str, str]:
    """Where a piece stands: by its file, else by the topic that it shares with most others."""
    item = one.item
    if isinstance(item, Memory):
        topic = max(sorted(set(item.tags) & topics.keys()), key=topics.__getitem__, default="")
        return 0, item.files[0] if item.files else "", topic, item.id
    if isinstance(item, Chunk):
        return 0, item.path, "", f"{item.start_line:09}"
    return 1, item.stream_id, "", f"{item.occurred_at:%Y%m%d%H%M%S%f}{item.id}"


def _like(one: Found, kept: Sequence[tuple[Found, str]]) -> Found | None:
    """Something kept already that says nearly the same words."""
    words = set(one.text.lower().split())
    for other, _ in kept:
        theirs = set(other.text.lower().split())
        if words and len(words & theirs) >= _SAME * len(words | theirs):
            return other
    return None
