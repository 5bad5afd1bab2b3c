"""Looks up the memories an agent may be given, by file, by type or by question.

A memory may be given when its current confidence reaches the threshold of the project's trust
level. Memories that a person taught, confirmed or pinned may always be given; stale ones never.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final

from recollect.context.personal_memories import for_work, may_enter_work
from recollect.context.work_place import WorkPlace
from recollect.observer.taxonomy import Signal
from recollect.recall.contradiction_marks import contradiction_marks
from recollect.recall.profiles import profile_of
from recollect.recall.search import Recall
from recollect.storage.agents import sessions
from recollect.storage.code import graph
from recollect.storage.database import Database, Transaction, once
from recollect.storage.memories import reads
from recollect.storage.memories.important import most_important_memories
from recollect.storage.space_clock import number_and_clock
from recollect.trust.authorisation import authorise, closed
from recollect.vocabulary.agents import TrustLevel
from recollect.vocabulary.audiences import Access, Viewer
from recollect.vocabulary.bounded_wishes import BOUNDED, holds_at, is_bounded
from recollect.vocabulary.clock import Clock, to_microseconds
from recollect.vocabulary.memory import Memory
from recollect.vocabulary.memory_types import INFERRED, MemoryType, Source
from recollect.vocabulary.own_wishes import is_others_wish
from recollect.vocabulary.phases import Phase
from recollect.vocabulary.results import Filters
from recollect.vocabulary.spaces import Space

#: Types that warn: given when a file is read or about to be changed.
WARNINGS: Final = (MemoryType.GOTCHA, MemoryType.ERROR_PATTERN, MemoryType.DEAD_END)
#: Types that state wishes: given when a file is about to be changed.
WISHES: Final = (MemoryType.PREFERENCE, MemoryType.DECISION, MemoryType.REQUIREMENT)
#: Types that a session begins with.
GROUND: Final = (
    MemoryType.PREFERENCE,
    MemoryType.DECISION,
    MemoryType.REQUIREMENT,
    MemoryType.PATTERN,
    MemoryType.GOTCHA,
    MemoryType.ERROR_PATTERN,
    MemoryType.WORKFLOW_RECIPE,
    MemoryType.MODULE_INSIGHT,
    MemoryType.FACT,
)
#: Tags of refusals and corrections in the user's own words.
OWN_WORDS: Final = frozenset({"signal:refusal", "signal:correction"})
_CHECK_RULE: Final = f"signal:{Signal.CHECK_RULE.value}"
#: Number of sessions since indexing began that are warned that it is not finished.
_FIRST_SESSIONS: Final = 3
UNFINISHED: Final = "[Code graph: indexing is not finished; impact analysis may be incomplete.]"
_WORD: Final = re.compile(r"[^\W\d_][\w]{2,}")
#: The line of a refusal that says what was refused. Older memories say it ahead of the
#: user's words.
_REFUSED: Final = re.compile(r"^(?:Refused|Stopped): .*|\A[^\u201c]*", re.M)
#: Extra candidates to fetch, because some of them may not be given.
_SPARE: Final = 12
#: Number of notes that are compared with each command.
_WEIGHED: Final = 400
_KEPT: Final = timedelta(seconds=30)
_BOUNDED: Final = 100
_LISTS: Final = 128

#: Whether a memory may be given on some occasion, at a trust level and a time.
MayTell = Callable[[Memory, TrustLevel, datetime], bool]


def may_be_told(memory: Memory, level: TrustLevel, now: datetime) -> bool:
    """Whether a project at this trust level gives an agent the memory unasked."""
    if memory.archived or memory.stale_at is not None or not memory.valid_at(now):
        return False
    taught = memory.provenance.source is Source.USER_TAUGHT and not memory.provenance.outside
    if memory.pinned or memory.user_verified or taught:
        return True
    if OWN_WORDS & frozenset(memory.tags) and not memory.needs_review:
        return True  # the user's own words need no minimum confidence
    if level is TrustLevel.CAUTIOUS and memory.needs_review:
        return False
    return memory.current_confidence(now) > level.threshold


def is_settled(memory: Memory) -> bool:
    """Whether a person stands behind a memory: it was taught or written down by one, or confirmed
    or pinned after it was learned from a session."""
    return memory.pinned or memory.user_verified or memory.provenance.source not in INFERRED


def may_be_told_of_check(memory: Memory, level: TrustLevel, now: datetime) -> bool:
    """Whether the memory may be given to an agent that is about to run a check: besides what may be
    told anywhere, the rules that the same check enforced, though nobody has reviewed them yet."""
    if _CHECK_RULE in memory.tags and not memory.provenance.outside:
        return not memory.archived and memory.stale_at is None and memory.valid_at(now)
    return may_be_told(memory, level, now)


def may_be_given(memory: Memory, level: TrustLevel, now: datetime) -> bool:
    """Whether a requested context may contain the memory. Memories that people wrote or had written
    down always may, and so may a user's own words of a session, marked where they wait for review;
    other inferred ones follow ``may_be_told``. Archived, stale and expired memories never may."""
    own_words = OWN_WORDS & frozenset(memory.tags) and not memory.provenance.outside
    if memory.provenance.source not in INFERRED or own_words:
        return not memory.archived and memory.stale_at is None and memory.valid_at(now)
    return may_be_told(memory, level, now)


@dataclass(frozen=True, slots=True)
class MemoryLookup:
    """Finds memories that may be given."""

    database: Database
    recall: Recall
    clock: Clock
    _kept: dict[tuple[Access, Filters, int], tuple[int, datetime, list[Memory]]] = field(
        default_factory=dict, repr=False
    )

    def of_files(
        self,
        who: tuple[Viewer, Space],
        level: TrustLevel,
        files: Iterable[str],
        limit: int = 8,
        *,
        edited: bool = False,
    ) -> list[Memory]:
        """Warnings about files, highest confidence first. For a file about to be changed, also the
        wishes about it: refusals, and wishes that were stated rather than inferred."""
        wanted = frozenset(files)
        if not wanted:
            return []
        types = frozenset((*WARNINGS, *WISHES) if edited else WARNINGS)
        found = self.listed(who, Filters(types=types, files=wanted), 50)
        return [one for one in self._told(who, found, level) if _is_about_file(one)][:limit]

    def before_command(
        self, who: tuple[Viewer, Space], level: TrustLevel, command: str
    ) -> list[Memory]:
        """Warnings and wishes among which those about a command are found: the most important ones,
        and where there are more, also those that match its words."""
        types = (*WARNINGS, *WISHES)
        found = self.kept_list(who, for_work(Filters(types=frozenset(types)), who[1]), _WEIGHED)
        now = self.clock()
        known = [
            one
            for one in found
            if may_be_told_of_check(one, level, now)
            and not is_others_wish(one, who[0].user)
            and not is_bounded(one)
            and may_enter_work(one, who[1])
        ]
        if len(found) < _WEIGHED:
            return known
        more = self.asked(who, level, command, types=types, limit=8, may=may_be_told_of_check)
        return list({one.id: one for one in (*known, *more)}.values())

    def leading(
        self,
        who: tuple[Viewer, Space],
        level: TrustLevel,
        types: Sequence[MemoryType],
        *,
        limit: int,
        modules: Iterable[str] = (),
        tags: Iterable[str] = (),
    ) -> list[Memory]:
        """Most important memories of some types: pinned, then confirmed, then by importance and
        confidence."""
        filters = Filters(types=frozenset(types), modules=frozenset(modules), tags=frozenset(tags))
        found = self.listed(who, for_work(filters, who[1]), limit * 4)
        return self._told(who, found, level)[:limit]

    def bounded(
        self, who: tuple[Viewer, Space], level: TrustLevel, place: WorkPlace
    ) -> list[Memory]:
        """Wishes that hold for the work at this place only. No other lookup gives them."""
        now = self.clock()
        found = self.kept_list(who, Filters(tags=frozenset({BOUNDED})), _BOUNDED)
        return [
            one
            for one in found
            if holds_at(one, place.unit, place.branch)
            and may_be_told(one, level, now)
            and not is_others_wish(one, who[0].user)
        ]

    def refused_files(self, who: tuple[Viewer, Space]) -> set[str]:
        """Files whose change the user refused: an earlier session did not need them after all."""
        refusals = self.leading(
            who,
            TrustLevel.AUTONOMOUS,
            [MemoryType.PREFERENCE],
            limit=50,
            tags=(f"signal:{Signal.REFUSAL.value}",),
        )
        return {
            path
            for one in refusals
            for path in one.files
            if f"`{path}`" in _refused(one.content)  # not what was changed instead
        }

    def newest(
        self, who: tuple[Viewer, Space], types: Sequence[MemoryType], limit: int
    ) -> list[Memory]:
        """Newest memories of some types at any trust level: they describe work, not claims."""
        viewer, space = who
        now = self.clock()
        with self.database.reading() as transaction:
            found = reads.list_memories(
                transaction,
                authorise(transaction, viewer, space),
                Filters(types=frozenset(types)),
                now=to_microseconds(now),
                before=None,
                limit=limit,
            )
        return [memory for memory in found if memory.stale_at is None]

    def asked(
        self,
        who: tuple[Viewer, Space],
        level: TrustLevel,
        question: str,
        *,
        types: Sequence[MemoryType] = (),
        phase: Phase | None = None,
        limit: int = 8,
        recent: Sequence[str] = (),
        more: int = 0,
        may: MayTell = may_be_told,
        personal: bool = False,
    ) -> list[Memory]:
        """Memories that match a question, best first; ``recent`` are the files touched lately, and
        up to ``more`` follow that were weighed but are less likely to match. ``may`` says which of
        them fit the occasion: told unasked, before a check, or in a requested context. Personal
        ones that are no wishes about the work are left out unless asked for."""
        viewer, space = who
        words = " ".join(question.split())[:2_000]
        if not words:
            return []
        found = self.recall.search(
            viewer,
            space,
            words,
            kinds=("memory",),
            filters=Filters(types=frozenset(types)),
            limit=limit + min(limit, _SPARE),
            profile=profile_of(None),
            phase=phase,
            budget=None,
            explained=False,
            recent=recent,
            more=more,
        )
        items = [one.item for one in found if isinstance(one.item, Memory)]
        now = self.clock()
        return [
            one
            for one in items
            if may(one, level, now)
            and not is_others_wish(one, viewer.user)
            and not is_bounded(one)
            and (personal or may_enter_work(one, space))
        ][: limit + more]

    def naming(
        self, who: tuple[Viewer, Space], level: TrustLevel, pattern: str, limit: int = 1
    ) -> list[Memory]:
        """Memories that name every term of a search pattern."""
        wanted = {word.lower() for word in _WORD.findall(pattern)}
        if not wanted:
            return []
        found = self.asked(who, level, " ".join(sorted(wanted)), limit=8)
        return [
            memory
            for memory in found
            if wanted <= {word.lower() for word in _WORD.findall(_searched(memory))}
        ][:limit]

    def unfinished_code(self, who: tuple[Viewer, Space]) -> str:
        """Notice for the first sessions while the project's code is still being indexed."""
        with self.database.reading() as transaction:
            access = authorise(transaction, *who)
            index = graph.get_index(transaction, access)
            if index is None or index.complete:
                return ""
            begun = sessions.count_sessions(transaction, access, since=index.updated_at)
        return UNFINISHED if begun < _FIRST_SESSIONS else ""

    @staticmethod
    def space_clock_within(transaction: Transaction, access: Access) -> int:
        """Clock of the space, which moves with every change of what can be found there."""
        return once(transaction, "clock", number_and_clock, access.space_id)[1]

    def kept_list(self, who: tuple[Viewer, Space], filters: Filters, limit: int) -> list[Memory]:
        """Cached ``listed``: read again after a memory was added or removed, and after 30 seconds
        in any case."""
        with self.database.reading() as transaction:
            access = authorise(transaction, *who)
            return self.kept_list_within(transaction, access, filters, limit)

    def kept_list_within(
        self, transaction: Transaction, access: Access, filters: Filters, limit: int
    ) -> list[Memory]:
        """Cached ``listed``, in the caller's transaction. What may be seen follows the access, and
        the space's clock moves with every change of a memory or of a stream's readers."""
        now = self.clock()
        moved = self.space_clock_within(transaction, access)
        known = self._kept.get((access, filters, limit))
        if known and known[0] == moved and timedelta(0) <= now - known[1] <= _KEPT:
            return known[2]
        found = most_important_memories(
            transaction, access, filters, now=to_microseconds(now), limit=limit
        )
        if len(self._kept) >= _LISTS:
            self._kept.clear()
        self._kept[access, filters, limit] = (moved, now, found)
        return found

    def contradiction_marks(
        self, who: tuple[Viewer, Space], found: Sequence[Memory]
    ) -> Mapping[str, str]:
        """What is to be said of those memories that others contradict, undecided, by id."""
        if not found:
            return {}
        with self.database.reading() as transaction:
            return contradiction_marks(transaction, authorise(transaction, *who), found)

    def by_id(self, who: tuple[Viewer, Space], ids: Sequence[str]) -> dict[str, Memory]:
        """Memories by id, limited to those that the viewer may see."""
        if not ids:
            return {}
        viewer, space = who
        with self.database.reading() as transaction:
            return reads.get_memories(transaction, authorise(transaction, viewer, space), ids)

    def closed(self, who: tuple[Viewer, Space], session: str | None) -> str | None:
        """Reason why no memory may be given: memory is off, or the session is incognito."""
        viewer, space = who
        with self.database.reading() as transaction:
            return closed(transaction, authorise(transaction, viewer, space), session)

    def listed(self, who: tuple[Viewer, Space], filters: Filters, limit: int) -> list[Memory]:
        """Memories that pass the filters, most important first, at any trust level."""
        now = to_microseconds(self.clock())
        with self.database.reading() as transaction:
            access = authorise(transaction, *who)
            return most_important_memories(transaction, access, filters, now=now, limit=limit)

    def about_within(
        self,
        transaction: Transaction,
        access: Access,
        files: frozenset[str],
        modules: frozenset[str],
        limit: int,
    ) -> list[Memory]:
        """Memories about files and then about modules, half as many, most important first and at
        any trust level; those of a module are cached as ``kept_list`` are.
        """
        found: list[Memory] = []
        if files:
            now = to_microseconds(self.clock())
            only = Filters(files=files)
            found += most_important_memories(transaction, access, only, now=now, limit=limit)
        if modules:
            of_modules = Filters(modules=modules)
            found += self.kept_list_within(transaction, access, of_modules, limit // 2)
        return found

    def _told(
        self, who: tuple[Viewer, Space], found: Iterable[Memory], level: TrustLevel
    ) -> list[Memory]:
        now = self.clock()
        return [
            memory
            for memory in found
            if may_be_told(memory, level, now)
            and not is_others_wish(memory, who[0].user)
            and not is_bounded(memory)
            and may_enter_work(memory, who[1])
        ]


def _is_about_file(memory: Memory) -> bool:
    """Whether a note is about its files; a wish only stated while they were open is not."""
    inferred = memory.provenance.source is Source.OBSERVER_INFERRED
    return memory.type in WARNINGS or not inferred or "signal:refusal" in memory.tags


def _searched(memory: Memory) -> str:
    return " ".join((memory.content, *memory.files, *memory.tags))


def _refused(content: str) -> str:
    """What the memory of a refusal says was refused."""
    return " ".join(_REFUSED.findall(content))
