"""Builds the services that span several packages: personal memory, code, agents, sync and more."""

from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

from recollect.engine.code import CodeServices
from recollect.index.indexer import Indexer
from recollect.inference.tasks import Tasks
from recollect.memories.operations import MemoryKeeper
from recollect.memories.undo_expiry import Seals
from recollect.memories.write_path import WritePath
from recollect.memories.writer import MemoryWriter
from recollect.pages.events import Events
from recollect.pages.streams import Streams
from recollect.recall.profiles import Profile, profile_of
from recollect.recall.search import Recall
from recollect.recall.usage_reader import UsageReader
from recollect.storage.database import Database, Transaction
from recollect.vocabulary.audiences import Access, Viewer
from recollect.vocabulary.clock import Clock
from recollect.vocabulary.errors import RecollectError
from recollect.vocabulary.pending_counts import PendingCounts
from recollect.vocabulary.phases import Phase
from recollect.vocabulary.results import Filters, Recalled
from recollect.vocabulary.retrievals import Retrieval
from recollect.vocabulary.spaces import Space

if TYPE_CHECKING:
    from recollect.codegraph.indexer import CodeIndexer
    from recollect.codegraph.questions import CodeQuestions
    from recollect.engine.agents import AgentServices
    from recollect.engine.chat import ChatServices
    from recollect.engine.services import Lazy, PeopleServices
    from recollect.engine.workspace import WorkspaceServices
    from recollect.evolution.evolution import EvolutionServices
    from recollect.index.search_index import SearchIndex
    from recollect.inference.budgets import Spending
    from recollect.inference.chat_model import ChatModel
    from recollect.memories.contradiction_register import ContradictionRegister
    from recollect.memories.reader import MemoryReader
    from recollect.metrics.weights import MetricsServices
    from recollect.observer.learner import Learner
    from recollect.recall.hyde import Imagine
    from recollect.recall.usage_log import UsageLog
    from recollect.research.researcher import Researcher
    from recollect.sync.device import SyncServices
    from recollect.workspace.experts import Experts
    from recollect.workspace.memos import Memos

#: Number of results for a spoken question.
CHAT_RESULTS: Final = 12
#: Number of results when logged queries are repeated.
REPLAYED_RESULTS: Final = 20


def chat_services(
    database: Database,
    *,
    writer: MemoryWriter,
    path: WritePath,
    events: Events,
    indexer: Indexer,
    recall: Recall,
    usage: UsageReader,
    tasks: Tasks,
    seals: Seals,
    clock: Clock,
) -> "ChatServices":
    """Services of personal memory."""
    from recollect.chat.answers.answer_finder import AnswerFinder
    from recollect.chat.entries.control import Control
    from recollect.chat.entries.entry_writer import EntryWriter
    from recollect.chat.entries.pending_confirmations import PendingConfirmations
    from recollect.chat.entries.quarantine import Quarantine
    from recollect.chat.entries.question_replies import QuestionReplies
    from recollect.chat.entries.shares import Sharing, with_shared
    from recollect.chat.entries.undo import Undo
    from recollect.chat.entries.undo_keys import UndoKeys
    from recollect.chat.listener import Listener
    from recollect.chat.spoken_commands import SpokenCommands
    from recollect.chat.talk import Talk
    from recollect.engine.chat import ChatServices

    entry_writer = EntryWriter(database, path=path, writer=writer, understands=tasks.has_model)
    undo_keys = UndoKeys(clock)
    control = Control(
        database,
        writer=writer,
        pages=events,
        indexer=indexer,
        undo_keys=undo_keys,
        seals=seals,
        clock=clock,
    )
    undo = Undo(
        database,
        control=control,
        writer=writer,
        pages=events,
        undo_keys=undo_keys,
        clock=clock,
    )
    sharing = Sharing(database, clock)
    answer_finder = AnswerFinder(database, control=control, path=path)
    listener = Listener(
        database,
        keeper=entry_writer,
        events=events,
        streams=Streams(database, clock),
        path=path,
        tasks=tasks,
        clock=clock,
    )

    def find(viewer: Viewer, space: Space, query: str, session: str | None) -> Recalled:
        def ask(where: Space, filters: Filters) -> Recalled:
            return recall.search(
                viewer,
                where,
                query,
                kinds=("memory",),
                filters=filters,
                limit=CHAT_RESULTS,
                profile=profile_of("chat"),
                session=session if where == space else None,
            )

        return with_shared(ask, sharing, viewer, space)

    def last_asked(viewer: Viewer, space: Space) -> Retrieval | None:
        found = usage.retrievals(viewer, space, cursor=None, limit=1).items
        return found[0] if found else None

    return ChatServices(
        entry_writer,
        control,
        undo,
        SpokenCommands(
            database,
            keeper=entry_writer,
            control=control,
            undo=undo,
            find=find,
            last_asked=last_asked,
            tasks=tasks,
            talk=Talk(listener, answer_finder, clock),
            pending=PendingConfirmations(database, clock),
            replies=QuestionReplies(database, control, clock),
            clock=clock,
        ),
        Quarantine(database, writer, clock),
        sharing,
        listener,
        answer_finder,
    )


def evolution_services(
    database: Database,
    writing: tuple[MemoryWriter, WritePath],
    tasks: Tasks,
    *,
    clock: Clock,
) -> "EvolutionServices":
    """Services of the nightly maintenance."""
    from recollect.evolution.evolution import EvolutionServices
    from recollect.evolution.neighbours import NeighbourComparison
    from recollect.evolution.night import Night

    writer, path = writing
    night = Night(database, writer, NeighbourComparison(database, path, tasks, clock), tasks, clock)
    return EvolutionServices(database, writer, night, clock)


def sync_services(
    database: Database, writer: MemoryWriter, events: Events, indexer: Indexer, *, clock: Clock
) -> "SyncServices":
    """Both sides of sync: every store can act as a device and as a server."""
    from recollect.sync.conflicts import ContentConflicts
    from recollect.sync.device import SyncDevice, SyncServices
    from recollect.sync.replica import Replica
    from recollect.sync.replica_writer import ReplicaWriter
    from recollect.sync.server import SyncServer

    rows = ReplicaWriter(database, writer, events, indexer, clock=clock)
    replica = Replica(rows, writer, indexer, clock)

    def model_id() -> str | None:
        return indexer.model_id

    return SyncServices(
        SyncDevice(database, replica, writer, clock, model_id),
        SyncServer(database, replica, clock, model_id),
        ContentConflicts(database, replica, clock),
    )


def code_services(
    database: Database,
    indexer: Indexer,
    clock: Clock,
    keeper: "Callable[[], MemoryKeeper]",
    tasks: Callable[[], Tasks],
) -> CodeServices:
    """Services of code; parsers are loaded when first used."""

    def make_indexer() -> "CodeIndexer":
        from recollect.codegraph.indexer import CodeIndexer

        return CodeIndexer(database, indexer, clock, follow)

    def make_questions() -> "CodeQuestions":
        from recollect.codegraph.questions import CodeQuestions

        return CodeQuestions(database, clock, ask_review, tasks())

    def follow(viewer: Viewer, space: Space, root: Path, only: Collection[str] | None) -> None:
        rooms.questions.memories.follow(viewer, space, root, only)

    def ask_review(viewer: Viewer, space: Space, memory_id: str) -> None:
        with suppress(RecollectError):  # the caller may not change it, or was too late
            keeper().change(viewer, space, memory_id, {"needs_review": True})

    rooms = CodeServices(make_indexer, make_questions)
    return rooms


def workspace_services(
    database: Database,
    *,
    memories: "tuple[MemoryKeeper, MemoryReader, MemoryWriter, WritePath]",
    index: "tuple[SearchIndex, Indexer]",
    streams: Streams,
    tasks: Tasks,
    written_down: Callable[[], object],
    switched_off: frozenset[str],
    counts: PendingCounts,
    clock: Clock,
) -> "WorkspaceServices":
    """Services of a workspace."""
    from recollect.engine.workspace import WorkspaceServices
    from recollect.workspace.conversation_reader import ConversationReader
    from recollect.workspace.experts import Experts
    from recollect.workspace.knowledge import Knowledge
    from recollect.workspace.knowledge_import import KnowledgeImporter
    from recollect.workspace.memo_search import MemoFinder
    from recollect.workspace.memos import Memos

    keeper, reader, writer, path = memories
    search_index, indexer = index
    finder = MemoFinder(
        database,
        index=search_index,
        indexer=indexer,
        clock=clock,
        vectors=lambda: path.lexicon.word_vectors,
    )
    memos = Memos(
        database,
        keeper=keeper,
        reader=reader,
        path=path,
        writer=writer,
        finder=finder,
        tasks=tasks,
        clock=clock,
    )
    experts = Experts(
        database,
        index=search_index,
        indexer=indexer,
        clock=clock,
        vectors=lambda: path.lexicon.word_vectors,
    )
    knowledge = Knowledge(
        database,
        finder=finder,
        experts=experts,
        clock=clock,
        vectors=lambda: path.lexicon.word_vectors,
        written_down=written_down,
        counts=counts,
    )
    return WorkspaceServices(
        memos,
        ConversationReader(database),
        experts,
        knowledge,
        streams,
        KnowledgeImporter(memos, path),
        switched_off,
        listen=database.dialect.listen,
    )


def researcher(
    database: Database,
    pages: tuple[Streams, Events],
    search: tuple[Recall, Indexer],
    model: "tuple[Tasks, Spending]",
    *,
    memos: "Memos | None",
    experts: "Experts | None",
    clock: Clock,
    logged: bool,
) -> "Researcher":
    """The service that answers with citations."""
    from recollect.research.answer_composer import AnswerComposer
    from recollect.research.log import ResearchLog
    from recollect.research.researcher import Researcher
    from recollect.research.search_rounds import SearchRounds
    from recollect.research.source_reader import SourceReader
    from recollect.workspace.conversation_reader import ConversationReader

    (streams, events), (recall, indexer), (tasks, spending) = pages, search, model
    sources = SourceReader(events, streams, ConversationReader(database))
    rounds = SearchRounds(
        recall=recall, indexer=indexer, tasks=tasks, spending=spending, sources=sources
    )
    return Researcher(
        rounds=rounds,
        composer=AnswerComposer(sources, indexer),
        sources=sources,
        memos=memos,
        experts=experts,
        log=ResearchLog(database, clock, logged=logged),
    )


def agent_services(
    database: Database,
    pages: tuple[Streams, Events],
    memories: tuple[MemoryKeeper, Recall],
    learner: "Learner",
    living: "tuple[UsageLog, UsageReader, ContradictionRegister]",
    *,
    model: "ChatModel | None",
    counts: PendingCounts,
    clock: Clock,
    patience: float,
) -> "AgentServices":
    """Services of agents, built when the first agent connects."""
    from recollect.context.assembler import Assembler
    from recollect.context.deadlines import DeadlineRunner
    from recollect.context.memory_lookup import MemoryLookup
    from recollect.context.outcomes import Outcomes
    from recollect.context.predictor import FILES_AHEAD, Predictor
    from recollect.context.review import Reviewer
    from recollect.context.rule_files import RuleFiles
    from recollect.context.session_log import SessionLog
    from recollect.context.session_services import SessionServices
    from recollect.engine.agents import AgentServices
    from recollect.inference.tokens import count_tokens, family_of
    from recollect.memories.team_memories import TeamMemories
    from recollect.workspace.memo_view import with_answers

    (streams, events), (keeper, recall) = pages, memories
    session_log, lookup = SessionLog(database, clock), MemoryLookup(database, recall, clock)
    serving, usage, contradictions = living
    outcomes = Outcomes(keeper, events, session_log, lookup, learner)
    team_memories = TeamMemories(database, keeper, clock)

    def predict_files(
        who: tuple[Viewer, Space], files: Sequence[str], prompt: str, branch: str
    ) -> list[str]:
        return [one.path for one in learner.experience.predict(*who, files, prompt, branch=branch)]

    def predict_bearing(
        who: tuple[Viewer, Space], files: Sequence[str], prompt: str, branch: str
    ) -> list[str]:
        found = learner.experience.predict(*who, files, prompt, branch=branch)
        return [one.path for one in found if one.is_told]

    def predict_within(
        transaction: Transaction, access: Access, files: Sequence[str], prompt: str, branch: str
    ) -> list[str]:
        found = learner.experience.predict_within(
            transaction, access, files, prompt, branch=branch, limit=FILES_AHEAD
        )
        return [one.path for one in found]

    return AgentServices(
        sessions=SessionServices(
            lookup,
            session_log,
            outcomes,
            DeadlineRunner(patience),
            clock,
            count_tokens,
            landing=lambda who, pattern: learner.experience.landing(*who, pattern),
            fix=lambda who, error: learner.experience.fix(*who, error),
            foretell=predict_files,
            calibrations=lambda who, modules: learner.experience.calibrations(*who, modules),
            together=lambda who, files: learner.experience.together(*who, files),
            needed=predict_bearing,
            usage=serving,
            counts=counts,
            welcome=lambda who: with_answers(database, *who, team_memories.welcome(*who)),
        ),
        session_log=session_log,
        reviewer=Reviewer(database, session_log, keeper),
        rules=RuleFiles(keeper, lookup),
        streams=streams,
        assembler=Assembler(
            lookup,
            Predictor(lookup, serving, usage, predict_within, clock),
            contradictions,
            session_log,
            serving,
            clock,
            "o200k" if model is None else family_of(model.name),
        ),
        clock=clock,
    )


def people_services(
    database: Database, keeper: MemoryKeeper, writer: MemoryWriter, clock: Clock
) -> "PeopleServices":
    """Services for people, their disputes and their rights."""
    from recollect.engine.services import PeopleServices
    from recollect.memories.disputes import DisputeRegister
    from recollect.memories.person_data import PersonData
    from recollect.memories.team_memories import TeamMemories
    from recollect.pages.groups import Groups

    return PeopleServices(
        Groups(database, clock),
        TeamMemories(database, keeper, clock),
        DisputeRegister(database, writer, clock),
        PersonData(database, writer, clock),
    )


def imagined_by(
    tasks: "Lazy[Tasks]", model: "ChatModel | None", own: Callable[[str], str | None] | None
) -> "Imagine | None":
    """Generates a hypothetical answer to a question that finds little: the caller's own function,
    or the model.
    """
    if own is not None:
        return lambda _space, question: own(question)
    if model is None:
        return None

    def imagine(space: Space, question: str) -> str | None:
        from recollect.inference.text_tasks import HYDE, SearchedQuestion

        done = tasks().run(space.id, HYDE, SearchedQuestion(question))
        return None if done.why else done.value.passage

    return imagine


def metrics_services(
    database: Database, recall: Recall, usage: UsageReader, clock: Clock
) -> "MetricsServices":
    """Services of metrics, experiments and learned weights."""
    from recollect.metrics.experiments import Experiments
    from recollect.metrics.figures import SpaceFigures
    from recollect.metrics.weights import LearnedWeights, MetricsServices

    def ask_again(viewer: Viewer, space: Space, question: Retrieval, profile: Profile) -> list[str]:
        found = recall.search(
            viewer,
            space,
            question.query,
            kinds=("memory", "event"),
            filters=Filters(),
            limit=REPLAYED_RESULTS,
            profile=profile,
            phase=None if question.phase is None else Phase(question.phase),
        )
        return [one.id for one in found]

    def asked(viewer: Viewer, space: Space, limit: int) -> Sequence[Retrieval]:
        return usage.retrievals(viewer, space, cursor=None, limit=limit).items

    return MetricsServices(
        SpaceFigures(database, clock),
        Experiments(database, clock),
        LearnedWeights(database, clock, asked=asked, ask_again=ask_again),
    )
