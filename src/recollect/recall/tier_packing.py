"""Packs pieces into the four tiers of a budget, never over it, each once, as detailed as fits.

An assembled context has all tiers; hints to a running agent and packed recall results are one tier
without a heading.

Each tier has its share of the budget and what the tier before did not use. Critical items that
waited because others of their group had taken the group's part come before the index: they get what
the tiers before it left. After all tiers, the rest of the budget goes first to items that did not
fit, then to more detail for critical and relevant ones. Every line is counted with its line break,
which is what it adds to the whole: no token goes on in the next line.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Generic, Protocol, TypeVar

from recollect.memories.short_forms import compressed_form, index_line, summarised, typed_form
from recollect.trust.fence import fenced
from recollect.trust.quoted_text import FRAME
from recollect.vocabulary.assembly import AssembledEntry, Level, Tier
from recollect.vocabulary.memory import Memory
from recollect.vocabulary.results import Dropped

Count = Callable[[str], int]

HEADINGS: Final[Mapping[Tier, str]] = {
    Tier.CRITICAL: "Critical now:",
    Tier.RELEVANT: "Relevant:",
    Tier.BACKGROUND: "Background, shortened:",
    Tier.INDEX: "Ask about (expand opens an id):",
}
#: The levels of each tier, the most detailed first.
LEVELS: Final[Mapping[Tier, tuple[Level, ...]]] = {
    Tier.CRITICAL: (Level.FULL, Level.SUMMARY, Level.COMPRESSED),
    Tier.RELEVANT: (Level.SUMMARY, Level.COMPRESSED),
    Tier.BACKGROUND: (Level.COMPRESSED, Level.INDEX),
    Tier.INDEX: (Level.INDEX,),
}
_LIFTED: Final = (Tier.CRITICAL, Tier.RELEVANT)
NO_ROOM: Final = "does not fit the budget"
_SHOWN: Final = 200


class Packable(Protocol):
    """An item that can be packed: a memory, or anything else with an id and text."""

    @property
    def id(self) -> str:
        """Id by which the item is packed only once."""

    @property
    def content(self) -> str:
        """Text of the item."""


P = TypeVar("P", bound=Packable)


@dataclass(slots=True, eq=False)  # hundreds are made for each context: frozen would cost more
class TierItem(Generic[P]):
    """A candidate for a tier: one memory, or several that are shown together; never changed.

    ``tell`` formats it at a level, and only names those of its memories that are packed already.
    ``most`` is the share of the tier that items of its ``group`` may take together. ``levels``
    replace those of the tier. One that is not ``lifted`` stays short even where room is left.
    ``repeats`` are other items that say the same, each with the reason
    to report when that item is packed and this one is therefore left out.
    """

    memories: tuple[P, ...]
    tier: Tier
    reason: str
    tell: Callable[[Level, Collection[str]], str]
    group: str = ""
    most: float = 1.0
    levels: tuple[Level, ...] = ()
    lifted: bool = True
    repeats: Mapping[str, str] = field(default_factory=dict)
    ids: frozenset[str] = field(init=False)

    def __post_init__(self) -> None:
        some = self.memories
        self.ids = frozenset((some[0].id,) if len(some) == 1 else [one.id for one in some])


@dataclass(slots=True)
class _Placed:
    item: TierItem[Any]
    level: Level
    line: str
    tokens: int
    before: frozenset[str]


@dataclass(frozen=True, slots=True)
class PackedTiers:
    """The packed text, the tokens of each tier, the items packed and those left out."""

    text: str
    tokens: int
    tiers: Mapping[str, int]
    entries: tuple[AssembledEntry, ...]
    left_out: tuple[Dropped, ...]


@dataclass(slots=True)
class TierPacker:
    """One run of the packer. ``count`` measures text in the unit of the budget: tokens of a model,
    or characters.
    """

    budget: int
    shares: Sequence[float]
    count: Count
    headings: Mapping[Tier, str] = field(default_factory=lambda: HEADINGS)
    frame: Callable[[Sequence[str]], str] = field(default_factory=lambda: _framed)
    #: Sort key of the lines of a tier; None for the order in which they were placed.
    order: Callable[[TierItem[Any]], Any] | None = None
    #: Number of items that did not fit after which no more of a tier are tried.
    patience: int = 12
    room: int = 0
    told: set[str] = field(default_factory=set)
    placed: dict[Tier, list[_Placed]] = field(default_factory=lambda: {tier: [] for tier in Tier})
    waiting: list[TierItem[Any]] = field(default_factory=list)
    left_out: dict[str, Dropped] = field(default_factory=dict)
    _headings: dict[Tier, int] = field(default_factory=dict)
    _grouped: dict[str, int] = field(default_factory=dict)

    def pack(self, items: Sequence[TierItem[Any]]) -> PackedTiers:
        """Pack the items, in their order within each tier, as far as the budget goes."""
        self.room = self.room_at_first
        carried = 0
        for tier, share in zip(Tier, self.shares, strict=True):
            if tier is Tier.INDEX:
                carried = self._critical_turn(carried)
            given = min(self.room, int(max(0, self.room_at_first) * share) + carried)
            carried = self._fill(tier, [one for one in items if one.tier is tier], given)
        self._second_turn()
        self._lift()
        return self._packed()

    @property
    def room_at_first(self) -> int:
        """Budget available before the first line."""
        return self.budget - self.count(self.frame([])) - 1

    def _fill(self, tier: Tier, items: Sequence[TierItem[Any]], given: int) -> int:
        """Place the items that fit; return the unused part of the tier's budget."""
        left, failures = given, 0
        for item in items:
            if not self._is_new(item):
                continue
            if failures >= self.patience:  # full: hardly any other item would fit
                self.waiting.append(item)
                continue
            capped = int(given * item.most) - self._grouped.get(item.group, 0)
            taken = self._place(item, min(left, capped if item.group else left))
            if taken is None:
                failures += not item.group
                self.waiting.append(item)
            else:
                left -= taken
                if item.group:
                    self._grouped[item.group] = self._grouped.get(item.group, 0) + taken
        return left

    def _critical_turn(self, given: int) -> int:
        """Place critical items that exceeded the part of their group; return what is left."""
        left, failures = given, 0
        for item in self.waiting:
            if not item.group or item.tier is not Tier.CRITICAL or not self._is_new(item):
                continue
            taken = self._place(item, left)
            failures += taken is None
            left -= taken or 0
            if failures >= self.patience:
                break
        return left

    def _second_turn(self) -> None:
        """Place waiting items in the budget that all tiers left; leave out the rest."""
        failures = 0
        for item in self.waiting:
            if not self._is_new(item):
                continue
            if failures >= self.patience or self._place(item, self.room) is None:
                failures += 1
                self._leave_out(item, NO_ROOM)

    def _is_new(self, item: TierItem[Any]) -> bool:
        """Whether an item says something that is not packed already."""
        if item.repeats and not item.ids & self.told:
            said = next((why for one, why in item.repeats.items() if one in self.told), None)
            if said is not None:
                self._leave_out(item, said)
                return False
        return not item.ids <= self.told

    def _place(self, item: TierItem[Any], left: int) -> int | None:
        """Place an item at the highest level that fits; return the budget it took, or None."""
        heading = 0 if self.placed[item.tier] else self._heading(item.tier)
        least = heading + len(item.memories)
        before = self.told.intersection(item.ids)
        for level in item.levels or LEVELS[item.tier]:
            if least > left:
                break
            line = item.tell(level, before)
            tokens = self._line_tokens(line)
            if tokens + heading <= left and tokens + heading <= self.room:
                self.placed[item.tier].append(_Placed(item, level, line, tokens, frozenset(before)))
                self.told.update(item.ids)
                self.room -= tokens + heading
                return tokens + heading
        return None

    def _line_tokens(self, line: str) -> int:
        return self.count(f"{line}\n")

    def _heading(self, tier: Tier) -> int:
        if tier not in self._headings:
            heading = self.headings[tier]
            self._headings[tier] = self._line_tokens(heading) if heading else 0
        return self._headings[tier]

    def _lift(self) -> None:
        """Show the most important items in more detail, as far as the budget goes."""
        for tier in _LIFTED:
            for one in self.placed[tier]:
                if self.room <= 0:
                    return
                self._lift_one(one)

    def _lift_one(self, one: _Placed) -> None:
        for level in (Level.FULL, Level.SUMMARY) if one.item.lifted else ():
            if level is one.level:
                return
            line = one.item.tell(level, one.before)
            tokens = self._line_tokens(line)
            if tokens - one.tokens <= self.room:
                self.room -= tokens - one.tokens
                one.level, one.line, one.tokens = level, line, tokens
                return

    def _leave_out(self, item: TierItem[Any], reason: str) -> None:
        for memory in item.memories:
            if memory.id not in self.told:
                self.left_out[memory.id] = Dropped(memory.id, memory.content[:_SHOWN], 0.0, reason)

    def _packed(self) -> PackedTiers:
        text, tokens = self._text()
        while text and tokens > self.budget:  # some tokenizers join lines: drop the last line
            tier = next(tier for tier in reversed(Tier) if self.placed[tier])
            last = self.placed[tier].pop()
            self.told.difference_update(last.item.ids - last.before)
            self._leave_out(last.item, NO_ROOM)
            text, tokens = self._text()
        entries = [
            AssembledEntry(memory.id, tier, one.level, one.tokens, one.item.reason)
            for tier, lines in self.placed.items()
            for one in lines
            for memory in one.item.memories
            if memory.id not in one.before
        ]
        return PackedTiers(
            text,
            tokens,
            {
                tier.value: sum(one.tokens for one in lines) + (self._heading(tier) if lines else 0)
                for tier, lines in self.placed.items()
            },
            tuple(entries),
            tuple(one for one in self.left_out.values() if one.id not in self.told),
        )

    def _text(self) -> tuple[str, int]:
        lines: list[str] = []
        for tier, placed in self.placed.items():
            if placed:
                heading = [self.headings[tier]] if self.headings[tier] else []
                lines += [*heading, *(one.line for one in self._ordered(placed))]
        text = self.frame(lines) if lines else ""
        return text, self.count(text) if text else 0

    def _ordered(self, placed: list[_Placed]) -> list[_Placed]:
        order = self.order
        return placed if order is None else sorted(placed, key=lambda one: order(one.item))


def _framed(lines: Sequence[str]) -> str:
    return fenced("\n".join([FRAME, *lines]))


def form_of(memory: Memory, level: Level) -> str:
    """The text of a memory at a level; computed here where no job has done so yet."""
    if level is Level.FULL:
        return memory.content
    summary = memory.levels.summary or summarised(memory.content)
    if level is Level.SUMMARY:
        return summary
    typed = typed_form(memory.content, memory.type, memory.extras)
    compressed = memory.levels.compressed or typed or compressed_form(summary)
    if level is Level.COMPRESSED:
        return compressed
    return memory.levels.index or index_line(compressed, keyed=typed is not None)
