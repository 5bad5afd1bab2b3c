"""Assembles the context for a prompt: four tiers of memories under one token budget.

The critical tier holds open contradictions, decisions about the file and the task, and failures of
the last day with their fixes. The relevant tier holds memories predicted to be needed, memories
that match the task, and the wishes of the participants. The background tier holds how things are
done in the project, shortened. The index lists the remaining memories by ids that ``expand`` opens.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from functools import partial
from typing import Final

from recollect.chat.language.standing_wishes import is_standing_wish
from recollect.context.fact_lines import marked
from recollect.context.memory_lines import MemoryLines
from recollect.context.memory_lookup import WARNINGS, WISHES, MemoryLookup, may_be_given
from recollect.context.personal_memories import for_work, may_enter_work
from recollect.context.planner import shares_words
from recollect.context.predictor import (
    ANY,
    MAX_PREDICTIONS,
    OF_THE_FILE,
    OF_THE_MODULE,
    Noted,
    Predictor,
)
from recollect.context.session_log import SessionLog
from recollect.inference.tokens import (
    Family,
    family_of,
)
from recollect.memories.contradiction_register import ContradictionRegister
from recollect.observer.phrases import module_of
from recollect.recall.contradiction_marks import SHORT
from recollect.recall.tier_packing import TierItem, TierPacker
from recollect.recall.usage_log import UsageLog
from recollect.storage.database import Transaction
from recollect.trust.authorisation import authorise, closed
from recollect.vocabulary.agents import TrustLevel
from recollect.vocabulary.assembly import (
    SHARES,
    Assembled,
    ContextPrediction,
    ContextSignals,
    Level,
    PredictedMemory,
    PredictionSignal,
    Tier,
    WorkActivity,
)
from recollect.vocabulary.audiences import Access, Viewer, Visibility
from recollect.vocabulary.bounded_wishes import holds_at
from recollect.vocabulary.clock import Clock
from recollect.vocabulary.contradictions import Contradiction, in_display_order
from recollect.vocabulary.memory import Memory
from recollect.vocabulary.memory_types import MemoryType
from recollect.vocabulary.own_wishes import is_others_wish
from recollect.vocabulary.phases import Phase
from recollect.vocabulary.results import Dropped, Filters
from recollect.vocabulary.spaces import Space
from recollect.vocabulary.uses import Channel, Usage

Who = tuple[Viewer, Space]
Tell = Callable[[Level, Collection[str]], str]

_DAY: Final = timedelta(days=1)
_LEADING: Final = 160
_WISHES: Final = 5  # of the viewer's own; they come before everything else
#: Fewest and most memories that are searched for by the task, and how many may follow; a line of a
#: memory takes about so many tokens.
_RECALLED: Final = (40, 64)
_MORE: Final = 96
_TOKENS_A_LINE: Final = 50
_CONTRADICTIONS: Final = 16
#: Why memories that may be needed stand in the background, and the largest share of it they take.
_FOLLOWING: Final = "about files that often follow"
_FOLLOWED: Final = 0.5
#: Largest share of the first tier that contradictions may take, so that many of them do not crowd
#: out everything else.
_CONTRADICTED: Final = 0.5
_PHASES: Final = {
    WorkActivity.CODING: Phase.IMPLEMENT,
    WorkActivity.DEBUGGING: Phase.REFINE,
    WorkActivity.STARTING: Phase.DEFINE,
    WorkActivity.REVIEWING: Phase.VALIDATE,
    WorkActivity.REFINING: Phase.REFINE,
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
_DECIDED: Final = (MemoryType.DECISION, MemoryType.REQUIREMENT)
_PAST: Final = "history"
_TASK_DECIDED: Final = "decided about this task"
#: Reasons for which a memory stands in the background, the first ones first.
_BACKGROUND: Final = ("how things are done here", "how such work is done here", _PAST)
_BACKGROUND_OF: Final = {
    **dict.fromkeys(_CONVENTIONS, _BACKGROUND[0]),
    MemoryType.WORKFLOW_RECIPE: _BACKGROUND[1],
    **dict.fromkeys(_HISTORY, _PAST),
}
_FAILURES: Final = Filters(types=frozenset({MemoryType.ERROR_PATTERN}))
_ALL_LISTED: Final = Filters(
    types=frozenset(kind.value for kind in MemoryType if kind not in _NEVER)
)


#: Tiers that show memories whole, and how one is shown there while it waits for review.
_TOLD_WHOLE: Final = frozenset({Tier.CRITICAL, Tier.RELEVANT})
_UNREVIEWED: Final = (Level.COMPRESSED,)


@dataclass(frozen=True, slots=True)
class _Known:
    """What a context begins with: trust, contradictions, notes on the files, leading memories."""

    level: TrustLevel
    #: Clock of the space at that moment.
    moved: int
    contradictions: Sequence[Contradiction]
    open_contradictions: int
    noted: Noted
    leading: Sequence[Memory]
    failures: Sequence[Memory]


@dataclass(frozen=True, slots=True)
class _Leading:
    """What a leading memory is offered as, and the modules that it is about."""

    background: TierItem[Memory] | None
    index: TierItem[Memory]
    modules: frozenset[str]


@dataclass(slots=True)
class Assembler:
    """Assembles contexts from one store."""

    lookup: MemoryLookup
    predictor: Predictor
    contradictions: ContradictionRegister
    session_log: SessionLog
    usage: UsageLog
    clock: Clock
    #: Tokenizer family of the configured model.
    family: Family = "o200k"
    lines: MemoryLines = field(default_factory=MemoryLines)
    _offered: tuple[Sequence[Memory], Sequence[_Leading]] = ((), ())

    def assemble(
        self,
        who: Who,
        budget: int,
        signals: ContextSignals,
        *,
        model: str | None = None,
        session: str | None = None,
        personal: bool = False,
    ) -> Assembled:
        """Assemble the context; also returns the items left out, with the reasons. Personal
        memories that are no wishes about the work are in it only if asked for."""
        known = self._known(who, signals, session, personal=personal)
        if known is None:
            return Assembled("", 0, budget, signals.activity)
        refused: dict[str, Memory] = {}
        space = who[1]

        def admitted(one: Memory) -> bool:
            if is_others_wish(one, who[0].user) or not holds_at(one, None, signals.branch):
                return False
            return personal or may_enter_work(one, space)

        between = [one for one in known.contradictions if admitted(one.a) and admitted(one.b)]
        gathered = self._gathered(who, signals, known, budget, personal=personal)
        wanted = (one for one in gathered if all(map(admitted, one.memories)))
        standing = list(self._standing(wanted, known.level, refused))
        items = [
            *self._contradicted(between, signals),
            *(self._marked(who, standing) if known.open_contradictions else standing),
        ]
        family = self.family if model is None else family_of(model)
        packer = TierPacker(budget, SHARES[signals.activity], partial(self.lines.count, family))
        packed = packer.pack(items)
        read = [one.id for one in packed.entries if one.level is not Level.INDEX]
        self.usage.used(who[1], read, Channel.ASSEMBLE, Usage.SERVED)
        waiting = [
            Dropped(one.id, one.content[:200], 0.0, "not sure enough for this project's trust")
            for one in refused.values()
        ]
        return Assembled(
            packed.text,
            packed.tokens,
            budget,
            signals.activity,
            packed.tiers,
            packed.entries,
            (*packed.left_out, *waiting),
            known.open_contradictions,
        )

    def predict(self, who: Who, signals: ContextSignals) -> ContextPrediction:
        """Predict the memories that will probably be needed."""
        if self.lookup.closed(who, None) is not None:
            return ContextPrediction((), 0.0)
        return self.predictor.predict(who, signals, self.session_log.standing(*who).level)

    def _standing(
        self, items: Iterable[TierItem[Memory]], level: TrustLevel, refused: dict[str, Memory]
    ) -> Iterator[TierItem[Memory]]:
        """Yield the items that may be given; each memory is judged once, even when it is offered
        for several tiers."""
        now = self.clock()
        judged: dict[str, bool] = {}
        for item in items:
            (one,) = item.memories
            given = judged.get(one.id)
            if given is None:
                given = judged[one.id] = may_be_given(one, level, now)
                if not given and not one.archived and one.stale_at is None and one.valid_at(now):
                    refused[one.id] = one
            if given:
                yield item

    # --- candidates -------------------------------------------------------------------------------

    def _known(
        self, who: Who, signals: ContextSignals, session: str | None, *, personal: bool
    ) -> "_Known | None":
        """What a context begins with, read at one moment; None where memory is closed."""
        listed, failures = _ALL_LISTED, _FAILURES
        if not personal:
            listed, failures = for_work(listed, who[1]), for_work(failures, who[1])
        with self.lookup.database.reading() as transaction:
            access = authorise(transaction, *who)
            if closed(transaction, access, session) is not None:
                return None
            found, count = self.contradictions.newest_open(
                transaction,
                access,
                _CONTRADICTIONS,
                lambda: self._about_files(transaction, access, signals),
            )
            moved = self.lookup.space_clock_within(transaction, access)
            return _Known(
                self.session_log.standing_within(transaction, access).level,
                moved,
                found,
                count,
                self.predictor.noted_within(transaction, access, who, signals, moved),
                self.lookup.kept_list_within(transaction, access, listed, _LEADING),
                self.lookup.kept_list_within(transaction, access, failures, _LEADING),
            )

    def _about_files(
        self, transaction: Transaction, access: Access, signals: ContextSignals
    ) -> list[str]:
        """Ids of memories about the files at hand."""
        files = frozenset(signals.all_files)
        about = self.lookup.about_within
        found = about(transaction, access, files, frozenset(), _LEADING) if files else ()
        return [one.id for one in found]

    def _gathered(
        self,
        who: Who,
        signals: ContextSignals,
        known: "_Known",
        budget: int,
        *,
        personal: bool,
    ) -> Iterator[TierItem[Memory]]:
        """Yield all candidates for the context, in the order of the tiers."""
        predicted = self.predictor.predicted(who, signals, known.level, known.moved, known.noted)
        recalled = self._recalled(who, signals, budget, personal=personal)
        leading = known.leading
        wishes = [one for one in leading if _is_own_wish(one, who[0])][:_WISHES]
        yield from self._items(wishes, Tier.CRITICAL, "how you want to be answered")
        yield from self._critical(signals, predicted, recalled, known.failures)
        for one in predicted[:MAX_PREDICTIONS]:
            past = one.memory.type in _HISTORY and one.score <= OF_THE_MODULE
            tier, why = (
                (Tier.BACKGROUND, "history of this module")
                if past
                else (Tier.RELEVANT, f"predicted: {one.signal.value}")
            )
            yield self._item(one.memory, tier, why)
        yield from self._items(recalled, Tier.RELEVANT, "bears on the task")
        people = {who[0].user, *signals.collaborators}
        own = [
            one
            for one in leading
            if one.type is MemoryType.PREFERENCE
            and one.provenance.created_by in people
            and not _waits_for_review(one)
        ]
        yield from self._items(own, Tier.RELEVANT, "a preference of who takes part")
        near = frozenset(filter(None, map(module_of, signals.all_files))) | set(signals.modules)
        offered = self._leading_items(leading)
        if near:  # those of the modules at hand first, otherwise in their order
            offered = sorted(offered, key=lambda one: near.isdisjoint(one.modules))
        for one in predicted[MAX_PREDICTIONS:]:
            yield self._item(
                one.memory, Tier.BACKGROUND, _FOLLOWING, group=_FOLLOWING, most=_FOLLOWED
            )
        for reason in _BACKGROUND:
            if reason == _PAST:  # what bears on the task tells more than the rest of the past
                yield from self._items(recalled, Tier.BACKGROUND, "bears on the task")
            yield from [
                one.background
                for one in offered
                if one.background is not None and one.background.reason == reason
            ]
        yield from [one.index for one in offered]

    def _leading_items(self, leading: Sequence[Memory]) -> Sequence["_Leading"]:
        """Items of the leading memories for background and index, made once for each such list."""
        made, items = self._offered
        if made is not leading:
            items = [
                _Leading(
                    None
                    if one.type not in _BACKGROUND_OF
                    else self._item(one, Tier.BACKGROUND, _BACKGROUND_OF[one.type]),
                    self._item(one, Tier.INDEX, "can be asked about"),
                    frozenset((*one.modules, *filter(None, map(module_of, one.files)))),
                )
                for one in leading
            ]
            self._offered = leading, items
        return items

    def _critical(
        self,
        signals: ContextSignals,
        predicted: Sequence[PredictedMemory],
        recalled: Sequence[Memory],
        failures: Sequence[Memory],
    ) -> Iterator[TierItem[Memory]]:
        certain = [
            one
            for one in predicted
            if one.score >= OF_THE_FILE and not _waits_for_review(one.memory)
        ]
        for one in certain:
            if one.signal is PredictionSignal.ERROR:
                yield self._item(one.memory, Tier.CRITICAL, "met this failure before")
        for one in certain:
            if one.memory.type in WISHES:
                yield self._item(one.memory, Tier.CRITICAL, "decided about this file")
            elif one.memory.type in WARNINGS:
                yield self._item(one.memory, Tier.CRITICAL, "a warning about this file")
        yield from self._items(_decided(recalled, signals.task), Tier.CRITICAL, _TASK_DECIDED)
        since = self.clock() - _DAY
        for memory in failures:
            if memory.created_at >= since:
                yield self._item(memory, Tier.CRITICAL, "failed within the last day")

    def _recalled(
        self, who: Who, signals: ContextSignals, budget: int, *, personal: bool
    ) -> list[Memory]:
        """Memories that match the task, or the few signals known about it; as many as may fit."""
        words = signals.task or " ".join(
            (*signals.recent_errors[:1], *signals.all_files[:2], signals.branch)
        )
        least, most = _RECALLED
        fitting = budget // _TOKENS_A_LINE
        limit = min(most, max(least, fitting))
        found = self.lookup.asked(
            who,
            ANY,
            words[:2_000],
            phase=_PHASES[signals.activity],
            limit=limit,
            more=max(0, min(_MORE, fitting - limit)),
            may=may_be_given,
            personal=personal,
        )
        return [one for one in found if one.type not in _NEVER]

    def _items(
        self, found: Iterable[Memory], tier: Tier, reason: str
    ) -> Iterator[TierItem[Memory]]:
        for one in found:
            yield self._item(one, tier, reason)

    def _item(
        self, one: Memory, tier: Tier, reason: str, *, group: str = "", most: float = 1.0
    ) -> TierItem[Memory]:
        short = tier in _TOLD_WHOLE and _waits_for_review(one)
        return TierItem(
            (one,),
            tier,
            reason,
            partial(self.lines.worded, one, tier is Tier.INDEX),
            group=group,
            most=most,
            levels=_UNREVIEWED if short else (),
            lifted=not short,
        )

    # --- contradictions ---------------------------------------------------------------------------

    def _marked(self, who: Who, items: Sequence[TierItem[Memory]]) -> Iterator[TierItem[Memory]]:
        """The items, with what is to be said of memories that another one contradicts: a pair may
        have no room, or be one of too many, and each side stands alone then."""
        every = {one.id: one for item in items for one in item.memories}
        marks = self.lookup.contradiction_marks(who, list(every.values()))
        for item in items:
            mark = marks.get(item.memories[0].id)
            yield (
                item if mark is None else replace(item, tell=partial(_told, item.tell, SHORT[mark]))
            )

    def _contradicted(
        self, found: Sequence[Contradiction], signals: ContextSignals
    ) -> Iterator[TierItem[Memory]]:
        """Open contradictions, those about the files at hand first."""
        files = set(signals.all_files)
        near = sorted(found, key=lambda one: not files & {*one.a.files, *one.b.files})
        for one in near:
            sides = in_display_order(one.a, one.b)
            yield TierItem(
                sides,
                Tier.CRITICAL,
                "contradicts another memory",
                partial(self.lines.both, one, sides),
                group="contradictions",
                most=_CONTRADICTED,
            )


def _decided(recalled: Sequence[Memory], task: str) -> Iterator[Memory]:
    """Decisions about a task that do not wait for review."""
    for one in recalled if task else ():
        if one.type in _DECIDED and not _waits_for_review(one) and shares_words(one, task):
            yield one


def _told(tell: Tell, mark: str, level: Level, told: Collection[str]) -> str:
    """The line of an item with a mark behind it."""
    return marked(tell(level, told), mark)


def _waits_for_review(one: Memory) -> bool:
    return one.needs_review and not (one.user_verified or one.pinned)


def _is_own_wish(one: Memory, viewer: Viewer) -> bool:
    """Whether the memory is a viewer's instruction to their own assistant about how to answer, and
    not a taste of theirs. Nobody else sees it."""
    return (
        one.type is MemoryType.PREFERENCE
        and one.audience.visibility is Visibility.PERSONAL
        and one.audience.owner == viewer.user
        and is_standing_wish(one.content, asks=False)
    )
