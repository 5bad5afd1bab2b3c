"""Context for a prompt: what matters now, in four tiers under one token budget.

Critical is what contradicts itself, what was decided about the file and the task, and failures of
the last day with what helped. Relevant is what is predicted to be needed, what bears on the task,
and the wishes of whoever takes part. Background is how things are done here, shortened. The index
names the rest by ids that ``expand`` opens.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from functools import partial
from typing import Final

from recollect.context.fact_lines import plain, short_id
from recollect.context.memory_lookup import WARNINGS, WISHES, MemoryLookup, may_be_given
from recollect.context.planner import bears_on, shares_words
from recollect.context.predictor import ANY, Predictor
from recollect.context.session_log import SessionLog
from recollect.context.tier_packing import TierItem, TierPacker, form_of
from recollect.inference.tokens import Family, count_tokens, family_of
from recollect.memories.contradiction_register import ContradictionRegister
from recollect.observer.phrases import module_of
from recollect.recall.usage_log import UsageLog
from recollect.trust.quoted_text import ORDERS, OUTSIDE, attribution
from recollect.vocabulary.agents import TrustLevel
from recollect.vocabulary.assembly import (
    SHARES,
    Activity,
    Assembled,
    ContextPrediction,
    ContextSignals,
    Level,
    Tier,
)
from recollect.vocabulary.audiences import Viewer, Visibility
from recollect.vocabulary.clock import Clock
from recollect.vocabulary.contradictions import Contradiction
from recollect.vocabulary.memory import Memory
from recollect.vocabulary.memory_types import MemoryType
from recollect.vocabulary.phases import Phase
from recollect.vocabulary.results import Dropped, Filters
from recollect.vocabulary.spaces import Space
from recollect.vocabulary.uses import Channel, Usage

Who = tuple[Viewer, Space]

_DAY: Final = timedelta(days=1)
_LEADING: Final = 240
_OF_FILES: Final = 60
_RECALLED: Final = 40
_CONTRADICTIONS: Final = 40
#: Contradictions may take so much of the first tier: a thousand of them crowd nothing out.
_CONTRADICTED: Final = 0.5
_ATTRIBUTIONS: Final = 4_000
_PHASES: Final = {
    Activity.CODING: Phase.IMPLEMENT,
    Activity.DEBUGGING: Phase.REFINE,
    Activity.STARTING: Phase.DEFINE,
    Activity.REVIEWING: Phase.VALIDATE,
    Activity.REFINING: Phase.REFINE,
}
_CONVENTIONS: Final = frozenset(
    {MemoryType.PATTERN, MemoryType.REQUIREMENT, MemoryType.PREFERENCE, MemoryType.DECISION}
)
_HISTORY: Final = frozenset(
    {MemoryType.EPISODE, MemoryType.MODULE_INSIGHT, MemoryType.WORK_UNIT_OUTCOME}
)
_NEVER: Final = frozenset(
    {
        MemoryType.WORK_STATE,
        MemoryType.PREFETCH_PATTERN,
        MemoryType.TASK_CALIBRATION,
        MemoryType.CONTEXT_COST,
    }
)
_LISTED: Final = frozenset(kind.value for kind in MemoryType if kind not in _NEVER)


@dataclass(slots=True)
class Assembler:
    """Assembles contexts of one store."""

    lookup: MemoryLookup
    predictor: Predictor
    contradictions: ContradictionRegister
    session_log: SessionLog
    usage: UsageLog
    clock: Clock
    #: The tokenizer of the model that is configured.
    family: Family = "o200k"
    _attributions: dict[tuple[str, int], str] = field(default_factory=dict)

    def assemble(
        self,
        who: Who,
        budget: int,
        signals: ContextSignals,
        *,
        model: str | None = None,
        session: str | None = None,
    ) -> Assembled:
        """The context, and what was left out of it with the reasons."""
        if self.lookup.closed(who, session) is not None:
            return Assembled("", 0, budget, signals.activity)
        level = self.session_log.standing(*who).level
        opened, count = self._open(who)
        refused: list[Memory] = []
        items = [
            one
            for one in (*self._contradicted(opened, signals), *self._gathered(who, signals, level))
            if len(one.memories) > 1 or self._may_stand(one.memories[0], level, refused)
        ]
        family = self.family if model is None else family_of(model)
        packer = TierPacker(
            budget, SHARES[signals.activity], lambda text: count_tokens(text, family)
        )
        packed = packer.pack(items)
        given = [one.id for one in packed.entries]
        self.usage.used(who[1], given, Channel.ASSEMBLE, Usage.SERVED)
        waiting = [
            Dropped(one.id, one.content[:200], 0.0, "not sure enough for this project's trust")
            for one in {one.id: one for one in refused}.values()
        ]
        return Assembled(
            packed.text,
            packed.tokens,
            budget,
            signals.activity,
            packed.tiers,
            packed.entries,
            (*packed.left_out, *waiting),
            count,
        )

    def predict(self, who: Who, signals: ContextSignals) -> ContextPrediction:
        """Which memories will probably be needed."""
        if self.lookup.closed(who, None) is not None:
            return ContextPrediction((), 0.0)
        return self.predictor.predict(who, signals, self.session_log.standing(*who).level)

    def _may_stand(self, one: Memory, level: TrustLevel, refused: list[Memory]) -> bool:
        if may_be_given(one, level, self.clock()):
            return True
        if not one.archived and one.stale_at is None and one.valid_at(self.clock()):
            refused.append(one)
        return False

    # --- what wants in ----------------------------------------------------------------------------

    def _gathered(self, who: Who, signals: ContextSignals, level: TrustLevel) -> Iterator[TierItem]:
        """Everything that may stand in the context, in the order of the tiers."""
        files = signals.all_files
        modules = frozenset(filter(None, map(module_of, files))) | frozenset(signals.modules)
        tied = self.lookup.listed(who, Filters(files=frozenset(files)), _OF_FILES) if files else []
        recalled = self._recalled(who, signals)
        yield from self._critical(who, signals, tied, recalled)
        predicted = self.predictor.predict(who, signals, level).predicted_memories
        for one in predicted:
            yield self._item(one.memory, Tier.RELEVANT, f"predicted: {one.signal.value}")
        yield from self._items(recalled, Tier.RELEVANT, "bears on the task")
        yield from self._items(tied, Tier.RELEVANT, "about this file")
        leading = self.lookup.listed(who, Filters(types=_LISTED), _LEADING)
        wishes = [one for one in leading if one.type is MemoryType.PREFERENCE]
        people = {who[0].user, *signals.collaborators}
        own = [one for one in wishes if one.provenance.created_by in people]
        yield from self._items(own, Tier.RELEVANT, "a preference of who takes part")
        if modules:
            of_module = self.lookup.listed(who, Filters(modules=modules), _OF_FILES)
            related = [one for one in of_module if one.type in WISHES]
            yield from self._items(related, Tier.RELEVANT, "a decision about this module")
            history = [one for one in of_module if one.type in _HISTORY]
            yield from self._items(history, Tier.BACKGROUND, "history of this module")
        yield from self._background(leading)

    def _background(self, leading: Sequence[Memory]) -> Iterator[TierItem]:
        for kinds, reason in (
            (_CONVENTIONS, "how things are done here"),
            (frozenset({MemoryType.WORKFLOW_RECIPE}), "how such work is done here"),
            (_HISTORY, "history"),
        ):
            chosen = [one for one in leading if one.type in kinds]
            yield from self._items(chosen, Tier.BACKGROUND, reason)
        yield from self._items(leading, Tier.INDEX, "can be asked about")

    def _critical(
        self,
        who: Who,
        signals: ContextSignals,
        tied: Sequence[Memory],
        recalled: Sequence[Memory],
    ) -> Iterator[TierItem]:
        for error in signals.recent_errors[:3]:
            known = self.lookup.asked(
                who, ANY, error[:600], types=WARNINGS, phase=Phase.REFINE, limit=6
            )
            helped = [one for one in known if bears_on(one, "", error)]
            yield from self._items(helped, Tier.CRITICAL, "met this failure before")
        for one in tied:
            if one.type in WISHES:
                yield self._item(one, Tier.CRITICAL, "decided about this file")
            elif one.type in WARNINGS:
                yield self._item(one, Tier.CRITICAL, "a warning about this file")
        if signals.task:
            decided = [
                one
                for one in recalled
                if one.type in (MemoryType.DECISION, MemoryType.REQUIREMENT)
                and shares_words(one, signals.task)
            ]
            yield from self._items(decided, Tier.CRITICAL, "decided about this task")
        failed = self.lookup.listed(
            who,
            Filters(types=frozenset({MemoryType.ERROR_PATTERN}), created_after=self.clock() - _DAY),
            20,
        )
        yield from self._items(failed, Tier.CRITICAL, "failed within the last day")

    def _recalled(self, who: Who, signals: ContextSignals) -> list[Memory]:
        """What bears on the task, or on what little is known of it."""
        words = signals.task or " ".join(
            (*signals.recent_errors[:1], *signals.all_files[:2], signals.branch)
        )
        found = self.lookup.asked(
            who, ANY, words[:2_000], phase=_PHASES[signals.activity], limit=_RECALLED
        )
        return [one for one in found if one.type not in _NEVER]

    def _items(self, found: Iterable[Memory], tier: Tier, reason: str) -> Iterator[TierItem]:
        for one in found:
            yield self._item(one, tier, reason)

    def _item(self, one: Memory, tier: Tier, reason: str) -> TierItem:
        tell = partial(self._index_entry if tier is Tier.INDEX else self._line, one)
        return TierItem((one,), tier, reason, tell)

    # --- how it is told ---------------------------------------------------------------------------

    def _line(self, one: Memory, level: Level, _told: Collection[str] = ()) -> str:
        """One memory on one line: what kind it is, its id, whose it is, its words."""
        where = f"{one.files[0]}: " if one.files and one.files[0] not in one.content else ""
        words = plain(form_of(one, level))
        if level in (Level.COMPRESSED, Level.INDEX) and not self._is_marked(one):
            return f"- [{one.type.value} {short_id(one.id)}] {words}"
        fix = str(one.extras.get("fix") or "")
        helped = f" What helped: {plain(fix)}" if fix and fix not in one.content else ""
        mark = " (disputed)" * one.disputed
        who = self._attribution(one)
        return f"- [{one.type.value} {short_id(one.id)}] {who}: {where}{words}{helped}{mark}"

    def _index_entry(self, one: Memory, _level: Level, _told: Collection[str] = ()) -> str:
        """A name to ask about, with the id that opens it; what gives orders is only its kind."""
        name = one.type.value if self._is_marked(one) else plain(form_of(one, Level.INDEX))
        return f"- {name} [{short_id(one.id)}]"

    def _is_marked(self, one: Memory) -> bool:
        """Whether there is something to mind about its words: such a memory always says whose it
        is and what to mind."""
        said = self._attribution(one)
        return ORDERS in said or OUTSIDE in said

    def _attribution(self, one: Memory) -> str:
        """Whose words they are; worked out once for each state of a memory."""
        key = (one.id, one.revision)
        known = self._attributions.get(key)
        if known is None:
            if len(self._attributions) >= _ATTRIBUTIONS:
                self._attributions.clear()
            known = self._attributions[key] = attribution(one)
        return known

    # --- contradictions ---------------------------------------------------------------------------

    def _open(self, who: Who) -> tuple[Sequence[Contradiction], int]:
        """The newest open contradictions, and how many there are of them."""
        page = self.contradictions.page(
            *who, resolved=False, memory_id=None, cursor=None, limit=_CONTRADICTIONS
        )
        if page.next_cursor is None:
            return page.items, len(page.items)
        return page.items, self.contradictions.count_open(*who)

    def _contradicted(
        self, found: Sequence[Contradiction], signals: ContextSignals
    ) -> Iterator[TierItem]:
        """Open contradictions, those about the files at hand first."""
        files = set(signals.all_files)
        near = sorted(found, key=lambda one: not files & {*one.a.files, *one.b.files})
        for one in near:
            sides = by_standing(one)
            yield TierItem(
                sides,
                Tier.CRITICAL,
                "contradicts another memory",
                partial(self._both, one, sides),
                group="contradictions",
                most=_CONTRADICTED,
            )

    def _both(
        self,
        found: Contradiction,
        sides: tuple[Memory, Memory],
        level: Level,
        told: Collection[str],
    ) -> str:
        """Both sides on one line, each with whose it is, for whom it holds and since when."""
        words = [
            f"[{one.type.value} {short_id(one.id)}]"
            if one.id in told
            else f"[{one.type.value} {short_id(one.id)}] {reach(one)}, {one.valid_from:%Y-%m-%d}, "
            f"{self._attribution(one)}: {plain(form_of(one, level))}"
            for one in sides
        ]
        return f"- contradiction {found.id} ({found.reason}): {' | against: '.join(words)}"


def reach(one: Memory) -> str:
    """For whom a memory holds: its owner alone, or others too."""
    visibility = one.audience.visibility
    return (
        f"personal to {one.audience.owner}"
        if visibility is Visibility.PERSONAL
        else (visibility.value)
    )


def by_standing(found: Contradiction) -> tuple[Memory, Memory]:
    """Both sides of a contradiction: a personal one first when it is surer and newer than what
    others hold, otherwise what others hold first; between equals, the later one."""
    a, b = found.a, found.b
    own = [one for one in (a, b) if one.audience.visibility is Visibility.PERSONAL]
    if len(own) == 1:
        mine, others = own[0], b if own[0] is a else a
        leads = mine.confidence >= others.confidence and mine.valid_from > others.valid_from
        return (mine, others) if leads else (others, mine)
    return (b, a) if b.valid_from >= a.valid_from else (a, b)
