"""``Recollect``: the public verbs of the engine, and nothing else.

Each verb is one call into one package. An object works in one space for one viewer; ``within``
gives another view on the same store. Everything is thread-safe.
"""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final, Self, TypeVar

from recollect.engine.admin_verbs import AdminVerbs
from recollect.engine.context_verbs import ContextVerbs
from recollect.engine.event_verbs import EventVerbs
from recollect.engine.research_verbs import ResearchVerbs
from recollect.engine.verb_wrappers import repeatable
from recollect.recall.plan import narrowed, temporal_of
from recollect.recall.profiles import Profile, profile_of
from recollect.recall.trend import period, trend_of
from recollect.vocabulary.arguments import (
    amount,
    checked_name,
    choice,
    flag,
    fraction,
    shown,
    whole,
)
from recollect.vocabulary.audiences import viewer_of
from recollect.vocabulary.errors import EventNotFound, InvalidInput, StoreBusy
from recollect.vocabulary.events import Event
from recollect.vocabulary.ids import EVENT, is_id
from recollect.vocabulary.memory import HistoryEntry, Memory, Relation
from recollect.vocabulary.memory_types import ListOrder, OnRepeat, RelationType
from recollect.vocabulary.pagination import Page
from recollect.vocabulary.pending_counts import timed_verbs
from recollect.vocabulary.phases import Phase
from recollect.vocabulary.results import LARGEST_BUDGET, Filters, Recalled, Trend
from recollect.vocabulary.retrievals import RESEARCH, Retrieval, Verdict
from recollect.vocabulary.spaces import SpaceKind

if TYPE_CHECKING:
    from recollect.context.session import AgentSession
    from recollect.engine.agents import Agents
    from recollect.engine.chat import Chat
    from recollect.engine.code import Code
    from recollect.engine.contradictions import Contradictions
    from recollect.engine.evolution import Evolution
    from recollect.engine.lessons import Learning
    from recollect.engine.metrics import Metrics
    from recollect.engine.sync import Sync
    from recollect.engine.workspace import Workspace

T = TypeVar("T")

LONGEST_TREND: Final = 36_500.0  # days
TREND_DEPTH: Final = 200


@timed_verbs
class Recollect(EventVerbs, ResearchVerbs, ContextVerbs, AdminVerbs):
    """A memory: remember, recall, and everything a person may do with stored memories."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Stop the worker and close the store. Everything acknowledged is on the disk already."""
        self._services.close()

    @repeatable
    def within(
        self,
        *,
        space: str | None = None,
        kind: str = SpaceKind.PROJECT,
        user: str | None = None,
        teams: Iterable[str] = (),
        organisations: Iterable[str] = (),
        organisation: str | None = None,
        team: str | None = None,
        make: bool = True,
        client: str | None = None,
    ) -> "Recollect":
        """The same store, seen by another person, in another space or from another program.

        A space that is new is made; with ``make=False`` it must be there and visible instead.
        ``client`` is what stands in the log of what was served as the program that asked.
        """
        viewer = self.viewer if user is None else viewer_of(user, teams, organisations)
        viewer = replace(viewer, client=self.viewer.client if client is None else client)
        if space is None:
            return Recollect(self._services, viewer, self.space)
        if not flag(make, "make"):
            return Recollect(self._services, viewer, self._services.spaces.entered(viewer, space))
        entered = self._services.spaces.ensure(
            viewer,
            space,
            kind=choice(SpaceKind, kind, "kind of space"),
            organisation=organisation,
            team=team,
        )
        return Recollect(self._services, viewer, entered)

    @repeatable
    def bearing(self, secret: str) -> "Recollect":
        """The same store, for the viewer of an access token, in a space that it gives access to."""
        viewer = self._services.access.viewer_of(secret)
        space = self.space
        if not viewer.enters(space.id):
            space = (
                next(iter(self._services.spaces.of(viewer)), None) or self._services.access.refuse()
            )
        return Recollect(self._services, viewer, space)

    def at_once(self, call: Callable[[], T]) -> T:
        """Run calls that wait for nothing but the disk, for an event loop that must not block.

        StoreBusy, with nothing done, if others are writing to the file, or if a server or a model
        may have to be contacted.
        """
        if self._services.waits:
            raise StoreBusy("A verb may have to wait here. Nothing was done.")
        with self._services.without_waiting():
            return call()

    @property
    def chat(self) -> "Chat":
        """Personal memory: what an assistant remembers for this person, and their choices."""
        from recollect.engine.chat import Chat

        services = self._services
        return Chat(services.chat(), self.viewer, self.space, services.serving, services.reader)

    @property
    def code(self) -> "Code":
        """The code graph."""
        from recollect.engine.code import Code

        return Code(self._services.code, self.viewer, self.space)

    @property
    def workspace(self) -> "Workspace":
        """Shared knowledge of this space: memos, experts, gaps, suggestions."""
        from recollect.engine.workspace import Workspace

        return Workspace(self._services.workspace(), self.viewer, self.space)

    # --- memories ---------------------------------------------------------------------------------

    def remember(
        self,
        /,
        content: str,
        *,
        repeats: str = OnRepeat.MERGE,
        same_tags: bool = False,
        **fields: Any,
    ) -> Memory:
        """Store something worth finding again. Fields are those of ``Draft``: type, tags, ...

        A text that says the same as an existing memory is merged with it: ``times_told`` goes up,
        and its tags, files and sources are added. With ``same_tags`` only a memory that has all of
        the new one's tags counts as the same; ``repeats="keep"`` stores it a second time, and
        ``"skip"`` returns the existing memory unchanged.
        """
        from recollect.memories.drafts import draft_of, names
        from recollect.memories.write_policy import REMEMBER

        draft = draft_of(content, fields)
        policy = replace(
            REMEMBER,
            repeats=choice(OnRepeat, repeats, "repeats"),
            tags=names(draft.tags, "tag") if flag(same_tags, "same_tags") else (),
        )
        return self._services.write_path.create(self.viewer, self.space, draft, policy)

    @repeatable
    def recall(
        self,
        /,
        query: str,
        *,
        limit: int = 10,
        kinds: Collection[str] = ("memory", "event", "chunk"),
        filters: Filters | None = None,
        profile: str | Profile | None = None,
        phase: str | None = None,
        budget: int | None = None,
        explain: bool = False,
        explicit: bool = True,
        shown: bool = True,
        last_sessions: int | None = None,
        around: str | None = None,
        chain: bool = False,
        session: str | None = None,
        recent_files: Sequence[str] = (),
        **narrow: Any,
    ) -> Recalled:
        """Find what a question is about, best first. Narrow by type=, tags=, files=, as_of=...

        ``profile`` says how to rank, ``phase`` what kind of work is going on. With ``budget`` the
        answer is also packed into that many tokens (0: the default of the phase or the profile),
        and with ``explain`` every result says why it is there. ``last_sessions`` limits results to
        that many sessions, ``around`` to those before and after an event, and ``chain`` adds the
        memories of files that must be changed together. ``recent_files`` are those worked on
        lately: memories about them and their neighbours in the code are added too. What is returned
        counts as served; a query that nobody typed (``explicit=False``) is not logged, and where
        nobody sees the results (``shown=False``) nothing is counted either. An incognito
        ``session`` gets nothing, and so does everyone who switched memory off here. With the
        profile ``chat``, what the person shares into this space is included.
        """
        wanted_phase = None if phase is None else choice(Phase, phase, "phase")
        asked_for, counts = flag(explicit, "explicit"), flag(shown, "shown")
        ranking, wanted = profile_of(profile), narrowed(filters, narrow)
        search = partial(
            self._services.recall.search,
            query=query,
            kinds=(kinds,) if isinstance(kinds, str) else kinds,
            limit=limit,
            profile=ranking,
            phase=wanted_phase,
            budget=None if budget is None else whole(budget, 0, LARGEST_BUDGET, "A budget has"),
            explained=flag(explain, "explain"),
            explicit=asked_for,
            temporal=temporal_of(last_sessions, around),
            chain=flag(chain, "chain"),
            session=None if session is None else checked_name(session, "session"),
            recent=_touched(recent_files),
        )
        answer = search(self.viewer, self.space, filters=wanted)
        if answer.closed:  # and nothing is logged either
            return answer
        if ranking.name == "chat":
            found_there = partial(search, self.viewer, session=None, budget=None)
            answer = self._services.chat().sharing.along_with(
                answer, found_there, wanted, self.viewer, self.space
            )
        if not counts:
            return answer
        return self._services.serving.answered(
            self.viewer, self.space, answer, explicit=asked_for, phase=wanted_phase
        )

    def feedback(
        self,
        retrieval_id: str,
        verdict: str,
        *,
        items: str | Sequence[str] = (),
        note: str | None = None,
    ) -> Retrieval:
        """Rate an answer: helpful, unhelpful, wrong; or report what was cited, ignored.

        ``retrieval_id`` is the answer's ``id``. With ``items`` it is about these alone.
        """
        said = self._services.usage.feedback(
            self.viewer, self.space, retrieval_id, verdict, items=items, note=note
        )
        if verdict == Verdict.HELPFUL and said.profile == RESEARCH:
            self._services.research().praised(self.viewer, self.space, said)
        return said

    @repeatable
    def retrievals(
        self, *, cursor: str | None = None, limit: int = 20, client: str | None = None
    ) -> Page[Retrieval]:
        """What the viewer asked here, newest first, with what was served and said of it.

        With ``client``, what came from one program (``mcp/claude-code``) or one surface (``mcp``).
        """
        return self._services.usage.retrievals(
            self.viewer, self.space, cursor=cursor, limit=limit, client=client
        )

    @repeatable
    def trend(
        self,
        /,
        query: str,
        *,
        days: float = 30.0,
        filters: Filters | None = None,
        **narrow: Any,
    ) -> Trend:
        """How often something came up in the last days, counted in ten intervals.

        ``created_after`` and ``created_before`` replace the start and the end of that period.
        """
        span = amount(days, 0.001, LONGEST_TREND, "A trend goes over")
        chosen = narrowed(filters, narrow)
        start, end = period(chosen, span, self._services.clock())
        found = self._services.recall.search(
            self.viewer,
            self.space,
            query,
            kinds=("memory", "event"),
            filters=replace(chosen, created_after=start),
            limit=TREND_DEPTH,
            profile=profile_of("workspace"),
        )
        return trend_of(query, found.found, start, end)

    @repeatable
    def get(
        self, item_id: str, *, as_of: datetime | None = None, explicit: bool = True
    ) -> Memory | Event:
        """One memory or event by its id; a memory also as it stood at an earlier time.

        That somebody opened it is counted, unless nobody did (``explicit=False``).
        """
        asked_for = flag(explicit, "explicit")
        if is_id(item_id, EVENT):
            return self._services.events.get(self.viewer, self.space, item_id)
        if str(item_id).startswith(f"{EVENT}_"):
            raise EventNotFound(f"No event {shown(item_id)} is visible here.")
        memory = self._services.reader.get(self.viewer, self.space, self._id(item_id), as_of)
        if asked_for:
            self._services.serving.opened(self.space, memory.id)
        return memory

    @repeatable
    def list(
        self,
        /,
        *,
        cursor: str | None = None,
        limit: int = 50,
        order: str = ListOrder.NEWEST,
        filters: Filters | None = None,
        **narrow: Any,
    ) -> Page[Memory]:
        """Memories a page at a time: the newest first, the least sure, or the most used."""
        return self._services.reader.list(
            self.viewer,
            self.space,
            narrowed(filters, narrow),
            cursor=cursor,
            limit=limit,
            order=choice(ListOrder, order, "order"),
        )

    def update(self, /, memory_id: str, *, revision: int | None = None, **fields: Any) -> Memory:
        """Change a memory; with ``revision``, only if nobody changed it since."""
        return self._services.keeper.change(
            self.viewer, self.space, self._id(memory_id), fields, revision=revision
        )

    def forget(self, memory_id: str, *, for_good: bool = False) -> Memory | None:
        """Archive a memory, so that ``restore`` can bring it back; or erase it permanently."""
        complete = self._id(memory_id)
        if flag(for_good, "for_good"):
            self._services.keeper.erase(self.viewer, self.space, complete)
            return None
        return self._services.keeper.archive(self.viewer, self.space, complete)

    def restore(self, memory_id: str) -> Memory:
        """Restore an archived memory."""
        return self._services.keeper.restore(self.viewer, self.space, self._id(memory_id))

    def supersede(self, /, memory_id: str, content: str, **fields: Any) -> Memory:
        """Replace a memory by a new one; the old one stays readable as of its time."""
        from recollect.memories.drafts import draft_of

        return self._services.keeper.supersede(
            self.viewer, self.space, self._id(memory_id), draft_of(content, fields)
        )

    def pin(self, memory_id: str, pinned: bool = True) -> Memory:
        """Protect a memory from fading and from being trimmed; or stop protecting it."""
        return self.update(memory_id, pinned=pinned)

    def verify(self, memory_id: str) -> Memory:
        """Confirm that a memory is right."""
        return self.update(memory_id, user_verified=True, needs_review=False)

    @repeatable
    def history(self, memory_id: str) -> tuple[HistoryEntry, ...]:
        """Every change of a memory: who, when, what."""
        return self._services.reader.history(self.viewer, self.space, self._id(memory_id))

    def relate(
        self,
        source_id: str,
        type: str,
        *,
        memory: str | None = None,
        file: str | None = None,
        confidence: float = 1.0,
    ) -> Relation:
        """Add a relation from a memory to another memory or to a file; confidence flows along."""
        return self._services.keeper.relate(
            self.viewer, self.space, self._relation(source_id, type, memory, file, confidence)
        )

    def unrelate(
        self, source_id: str, type: str, *, memory: str | None = None, file: str | None = None
    ) -> bool:
        """Remove a relation; whether it was there."""
        return self._services.keeper.unrelate(
            self.viewer, self.space, self._relation(source_id, type, memory, file, 1.0)
        )

    @repeatable
    def relations(self, memory_id: str) -> tuple[Relation, ...]:
        """Every relation from or to a memory."""
        return self._services.reader.relations(self.viewer, self.space, self._id(memory_id))

    # --- agents -----------------------------------------------------------------------------------

    @property
    def agents(self) -> "Agents":
        """The API for agents: their sessions, reviews of what they learned, trust, rule files."""
        from recollect.engine.agents import Agents

        return Agents(self._services.agents(), self.viewer, self.space)

    def session(self, **given: Any) -> "AgentSession":
        """An agent's session with memory: task=, root=, modules=, methodology=, stage=, ..."""
        return self.agents.session(**given)

    @property
    def learning(self) -> "Learning":
        """Learning from agents' sessions in this space: learn, replay, predict, bootstrap."""
        from recollect.engine.lessons import Learning

        return Learning(
            self._services.learner(), self._services.commit_lessons, self.viewer, self.space
        )

    # --- living memory ----------------------------------------------------------------------------

    @property
    def contradictions(self) -> "Contradictions":
        """Memories that cannot both be true: list and resolve them."""
        from recollect.engine.contradictions import Contradictions

        return Contradictions(self._services, self.viewer, self.space)

    @property
    def evolution(self) -> "Evolution":
        """Nightly maintenance: confidence, forgetting, consolidation; its reports, and undoing."""
        from recollect.engine.evolution import Evolution

        return Evolution(self._services, self.viewer, self.space)

    @property
    def metrics(self) -> "Metrics":
        """Metrics: tracked figures, experiments, learned ranking weights."""
        from recollect.engine.metrics import Metrics

        return Metrics(self._services, self.viewer, self.space)

    @property
    def sync(self) -> "Sync":
        """Sync of this space with a server: now, preview, conflicts."""
        from recollect.engine.sync import Sync

        return Sync(self._services, self.viewer, self.space)

    def _id(self, memory_id: str) -> str:
        return self._services.reader.complete_id(self.viewer, self.space, memory_id)

    def _relation(
        self, source: str, type: str, memory: str | None, file: str | None, confidence: float
    ) -> Relation:
        from recollect.memories.drafts import path

        if (memory is None) == (file is None):
            raise InvalidInput(
                "A relation points to one memory or one file: give memory= or file=."
            )
        return Relation(
            type=choice(RelationType, type, "type of relation"),
            source_id=self._id(source),
            target_id=None if memory is None else self._id(memory),
            target_path=None if file is None else path(file),
            confidence=fraction(confidence, "confidence"),
        )


def _touched(files: Sequence[str]) -> tuple[str, ...]:
    """Paths from the repository's root; their checks are loaded only if there are any."""
    if files in ((), []):
        return ()
    from recollect.memories.drafts import paths

    return paths(files)
