"""The only place where rooms are put together."""

import getpass
import os
import socket
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache
from os import PathLike
from typing import TYPE_CHECKING, Any, Final, NamedTuple, cast

from recollect.engine import AsyncRecollect, Recollect, Rooms
from recollect.engine.code import CodeRooms
from recollect.inference.cached import CachedEmbedder, MemoryVectorCache
from recollect.inference.chat_model import ChatModel, ModelChoice, choose_model
from recollect.inference.choice import choose_embedder
from recollect.inference.embedder import Embedder, EmbedderChoice, Provider
from recollect.inference.health import probe
from recollect.inference.indexer import EMBED, Indexer
from recollect.inference.reranker import Reranker, RerankerChoice, RerankProvider
from recollect.inference.reranker_choice import choose_reranker
from recollect.inference.spending import Spending
from recollect.inference.tasks import Tasks
from recollect.jobs.handler import Handler, Handlers
from recollect.jobs.metrics import list_dead, queue_metrics, retry_dead
from recollect.jobs.tidy import TIDY, Tidy
from recollect.jobs.worker import Worker
from recollect.memories.keeper import LEVELS, MemoryKeeper
from recollect.memories.levels import LevelsHandler, Shortener
from recollect.memories.reader import MemoryReader
from recollect.memories.statistics import Statistics
from recollect.memories.upkeep import INDEX_TIDY, IndexTidy, Upkeep
from recollect.pages.events import Events
from recollect.pages.spaces import Spaces
from recollect.pages.streams import Streams
from recollect.recall.imagine import Imagine
from recollect.recall.profiles import profile_of
from recollect.recall.search import Recall
from recollect.recall.serving import Serving
from recollect.settings import Value, default_database, read_settings
from recollect.storage.database import Database
from recollect.storage.search_index import SearchIndex
from recollect.trust.access import AccessTokens
from recollect.vocabulary.audiences import Viewer
from recollect.vocabulary.clock import Clock, system_clock
from recollect.vocabulary.errors import InferenceError, InvalidSetting, RecollectError
from recollect.vocabulary.jobs import CHAT_TIDY
from recollect.vocabulary.results import Filters, MoveReport, Recalled
from recollect.vocabulary.spaces import Space

if TYPE_CHECKING:
    from recollect.codegraph.indexing import CodeIndexer
    from recollect.codegraph.questions import CodeQuestions
    from recollect.engine.agents import AgentRooms
    from recollect.engine.chat import ChatRooms
    from recollect.memories.exporting import Exporter
    from recollect.memories.returning import Returner
    from recollect.observer.learner import Learner
    from recollect.pages.importing import Importer
    from recollect.storage.moving import Progress

UNSET: Any = object()

#: How long a question waits for a remote embedder before words alone answer.
QUESTION_SECONDS: Final = 3.0

#: How much a spoken question is answered with.
CHAT_RESULTS: Final = 12


def open(
    db: str | PathLike[str] | None = None,
    *,
    space: str | None = None,
    user: str | None = None,
    embedder: Embedder | str | None = UNSET,
    reranker: Reranker | None = UNSET,
    imagine: Callable[[str], str | None] | None = None,
    worker: bool | None = None,
    clock: Clock = system_clock,
    settings: Mapping[str, str | None] | None = None,
) -> Recollect:
    """Open a memory. With nothing given: the file in your data folder, the space ``default``.

    ``reranker`` and ``imagine`` (a question to the text that would answer it) may be your own.
    """
    named = embedder if isinstance(embedder, str) else None
    given = {
        "db": None if db is None else os.fspath(db),
        "space": space,
        "user": user,
        "embedder": named,
        "worker": None if worker is None else ("on" if worker else "off"),
    }
    spoken = {name: text for name, text in given.items() if text is not None}
    values = read_settings({**(settings or {}), **spoken})
    if embedder is UNSET or named:
        wanted = choice_of(values)
        chosen, asker = choose_embedder(wanted), choose_embedder(_impatient(wanted))
    else:
        chosen, asker = cast("Embedder | None", embedder), None
    viewer = Viewer(values["user"].text or login())
    work_alone = _switch(values["worker"])
    rooms = build(
        values["db"].text or default_database(),
        chosen,
        clock,
        asker,
        logged=_switch(values["question_log"]),
        reranker=choose_reranker(reranker_of(values)) if reranker is UNSET else reranker,
        imagine=imagine,
        model=choose_model(model_choice_of(values)),
        patience=_number(values["agent_patience"]),
    )
    try:
        memory = Recollect(rooms, viewer, rooms.spaces.ensure(viewer, values["space"].text))
    except RecollectError:
        rooms.close()
        raise
    if work_alone:
        rooms.worker.start()
    return memory


def open_async(*args: Any, threads: int = 8, **options: Any) -> AsyncRecollect:
    """The same for asyncio: every verb is awaited and runs on a bounded pool of threads."""
    return AsyncRecollect(open(*args, **options), threads=threads)


class AgentSettings(NamedTuple):
    """What the daemon of the hooks has to know."""

    idle_seconds: float
    space: str | None


def agent_settings() -> AgentSettings:
    """When the daemon ends, and the space it uses where one was named."""
    values = read_settings()
    space = values["space"]
    return AgentSettings(
        _number(values["agent_idle"]), None if space.origin == "default" else space.text
    )


def move(source: str, target: str, progress: "Progress | None" = None) -> MoveReport:
    """Move a whole store to another address, or go on with it; then compare the two."""
    from recollect.storage.moving import move_store

    return move_store(source, target, progress)


def build(
    address: str,
    embedder: Embedder | None,
    clock: Clock,
    asker: Embedder | None = None,
    *,
    logged: bool = True,
    reranker: Reranker | None = None,
    imagine: Callable[[str], str | None] | None = None,
    model: ChatModel | None = None,
    patience: float = 1.0,
) -> Rooms:
    """Every room on one database."""
    database = Database(address)
    clock = database.shared_clock(clock)
    indexer = Indexer(embedder, _remembering(asker or embedder))
    upkeep = Upkeep(database, indexer)
    spaces = Spaces(database, clock, daily=(TIDY, INDEX_TIDY, CHAT_TIDY))
    try:
        upkeep.keep_up(clock())
        spaces.keep_up()
    except RecollectError:
        database.close()
        raise
    streams = Streams(database, clock)
    spending = Spending(database, clock)
    events = Events(database, indexer, clock, spending)
    reader = MemoryReader(database, clock)
    index = SearchIndex(database.dialect)
    shortener = Shortener()
    keeper = MemoryKeeper(database, indexer, clock, shortener)
    tasks = Tasks(model, spending)
    recall = Recall(
        database,
        index,
        indexer,
        clock,
        reranker=reranker,
        imagine=imagined_by(tasks, imagine),
    )
    learner = cache(lambda: _learner(database, keeper, indexer, tasks, clock))
    worker = Worker(
        database,
        Handlers(
            lambda: handlers(
                database, indexer, (keeper, shortener), tasks, spending=spending, clock=clock
            )
        ),
        clock=clock,
        name=worker_name(),
        listen=database.dialect.listen,
    )
    database.when_promised(worker.wake)
    return Rooms(
        spaces=spaces,
        streams=streams,
        events=events,
        importer=cache(lambda: _importer(database, indexer, clock)),
        keeper=keeper,
        reader=reader,
        exporter=cache(lambda: _exporter(reader, streams, events, clock)),
        returner=cache(lambda: _returner(database, indexer)),
        recall=recall,
        serving=Serving(database, clock, logged=logged),
        chat=cache(
            lambda: chat_rooms(
                database,
                keeper=keeper,
                events=events,
                indexer=indexer,
                index=index,
                recall=recall,
                tasks=tasks,
                clock=clock,
            )
        ),
        learner=learner,
        upkeep=upkeep,
        access=AccessTokens(database, clock),
        worker=worker,
        agents=cache(
            lambda: _agents(
                database,
                (streams, events),
                (keeper, recall),
                learner(),
                clock=clock,
                patience=patience,
            )
        ),
        clock=clock,
        close=database.close,
        statistics=Statistics(database, indexer, index).figures,
        embedder_state=lambda: embedder_state(embedder),
        spending=spending,
        metrics=lambda now: queue_metrics(database, now),
        dead_jobs=lambda ids: list_dead(database, ids),
        retry_jobs=lambda ids, job, now: retry_dead(database, ids, job, now),
        code=code_rooms(database, indexer, clock),
    )


def imagined_by(tasks: Tasks, own: Callable[[str], str | None] | None) -> Imagine | None:
    """Who imagines the answer to a question that finds little: the caller's own, or the model."""
    if own is not None:
        return lambda _space, question: own(question)
    if not tasks.has_model:
        return None

    def imagine(space: Space, question: str) -> str | None:
        from recollect.inference.text_tasks import HYDE, Asked

        done = tasks.run(space.id, HYDE, Asked(question))
        return None if done.why else done.value.passage

    return imagine


def chat_rooms(
    database: Database,
    *,
    keeper: MemoryKeeper,
    events: Events,
    indexer: Indexer,
    index: SearchIndex,
    recall: Recall,
    tasks: Tasks,
    clock: Clock,
) -> "ChatRooms":
    """The parts of personal memory. The second look at repeats always has the bundled words."""
    from recollect.chat.control import Control
    from recollect.chat.keeping import EntryKeeper
    from recollect.chat.quarantine import Quarantine
    from recollect.chat.saying import Saying
    from recollect.chat.sharing import Sharing, with_shared
    from recollect.chat.shelf import Shelf
    from recollect.chat.undoing import Undo
    from recollect.engine.chat import ChatRooms
    from recollect.inference.static import StaticEmbedder

    lexicon = indexer.lexicon or StaticEmbedder()
    entry_keeper = EntryKeeper(
        database,
        keeper=keeper,
        indexer=indexer,
        index=index,
        lexicon=lexicon,
        clock=clock,
        understands=tasks.has_model,
    )
    shelf = Shelf(clock)
    control = Control(
        database, keeper=keeper, pages=events, indexer=indexer, shelf=shelf, clock=clock
    )
    undo = Undo(
        database,
        control=control,
        keeper=keeper,
        entry_keeper=entry_keeper,
        shelf=shelf,
        clock=clock,
    )
    sharing = Sharing(database, clock)

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

    return ChatRooms(
        entry_keeper,
        control,
        undo,
        Saying(database, keeper=entry_keeper, control=control, undo=undo, find=find, tasks=tasks),
        Quarantine(database, keeper, clock),
        sharing,
    )


def _importer(database: Database, indexer: Indexer, clock: Clock) -> "Importer":
    from recollect.pages.importing import Importer

    return Importer(database, indexer, clock)


def _exporter(reader: MemoryReader, streams: Streams, events: Events, clock: Clock) -> "Exporter":
    from recollect.memories.exporting import Exporter

    return Exporter(reader, streams, events, clock)


def _returner(database: Database, indexer: Indexer) -> "Returner":
    from recollect.memories.returning import Returner

    return Returner(database, indexer)


def _learner(
    database: Database, keeper: MemoryKeeper, indexer: Indexer, tasks: Tasks, clock: Clock
) -> "Learner":
    from recollect.observer.learner import Learner
    from recollect.observer.wording_task import local_wording, model_wording

    wording = model_wording(tasks) if tasks.has_model else local_wording
    return Learner(database, keeper, indexer, clock, wording)


def code_rooms(database: Database, indexer: Indexer, clock: Clock) -> CodeRooms:
    """The rooms of code; their parsers are loaded when they are first used."""

    def make_indexer() -> "CodeIndexer":
        from recollect.codegraph.indexing import CodeIndexer

        return CodeIndexer(database, indexer, clock)

    def make_questions() -> "CodeQuestions":
        from recollect.codegraph.questions import CodeQuestions

        return CodeQuestions(database, clock)

    return CodeRooms(make_indexer, make_questions)


def _agents(
    database: Database,
    pages: tuple[Streams, Events],
    memories: tuple[MemoryKeeper, Recall],
    learner: "Learner",
    *,
    clock: Clock,
    patience: float,
) -> "AgentRooms":
    """The rooms of agents, put together when the first agent comes."""
    from recollect.context.ledger import Ledger
    from recollect.context.outcomes import Outcomes
    from recollect.context.punctual import Punctual
    from recollect.context.reviewing import Reviewer
    from recollect.context.rule_files import RuleFiles
    from recollect.context.serving import SessionRooms
    from recollect.context.telling import Teller
    from recollect.engine.agents import AgentRooms
    from recollect.inference.tokens import count_tokens

    (streams, events), (keeper, recall) = pages, memories
    ledger, teller = Ledger(database, clock), Teller(database, recall, clock)
    outcomes = Outcomes(keeper, events, ledger, teller, learner)
    return AgentRooms(
        sessions=SessionRooms(
            teller,
            ledger,
            outcomes,
            Punctual(patience),
            clock,
            count_tokens,
            foretell=lambda who, files, prompt, branch: [
                one.path for one in learner.predict(*who, files, prompt, branch=branch)
            ],
        ),
        ledger=ledger,
        reviewer=Reviewer(database, ledger, keeper),
        rules=RuleFiles(keeper, teller),
        streams=streams,
        clock=clock,
    )


def handlers(
    database: Database,
    indexer: Indexer,
    writing: tuple[MemoryKeeper, Shortener],
    tasks: Tasks,
    *,
    spending: Spending,
    clock: Clock,
) -> dict[str, Handler]:
    """Who does which kind of job."""
    from recollect.chat.understanding import UNDERSTAND, Understand
    from recollect.chat.upkeep import ChatTidy
    from recollect.memories.embedding import (
        EMBED_MISSING,
        EmbedHandler,
        EmbedMissingHandler,
        Purse,
    )
    from recollect.observer.learner import embedding
    from recollect.observer.promotion import Judge
    from recollect.observer.synthesis import CHAINS, SYNTHESISE, Synthesis
    from recollect.pages.signals import ENRICH, Enrich

    keeper, shortener = writing
    synthesis = Synthesis(database, keeper, Judge(embed=embedding(indexer)))
    purse = Purse(spending, clock) if indexer.paid else None
    return {
        SYNTHESISE: synthesis,
        CHAINS: synthesis,
        EMBED: EmbedHandler(database, indexer, purse),
        EMBED_MISSING: EmbedMissingHandler(database, indexer, purse),
        LEVELS: LevelsHandler(database, shortener),
        TIDY: Tidy(clock),
        INDEX_TIDY: IndexTidy(database, indexer),
        ENRICH: Enrich(database, indexer, tasks, clock),
        CHAT_TIDY: ChatTidy(database, keeper, tasks, clock),
        UNDERSTAND: Understand(database, keeper, tasks, clock),
    }


def choice_of(values: Mapping[str, Value]) -> EmbedderChoice:
    """The embedder that the settings ask for."""
    return EmbedderChoice(
        provider=cast("Provider", values["embedder"].text),
        model=values["embedder_model"].text or None,
        base_url=values["embedder_url"].text or None,
        api_key=values["embedder_key"].text or None,
        dims=_whole(values["embedder_dims"]),
        timeout_seconds=_number(values["embedder_timeout"]),
        ollama_url=values["ollama_url"].text or None,
    )


def reranker_of(values: Mapping[str, Value]) -> RerankerChoice:
    """The reranker that the settings ask for."""
    return RerankerChoice(
        provider=cast("RerankProvider", values["reranker"].text),
        model=values["reranker_model"].text or None,
        base_url=values["reranker_url"].text or None,
        api_key=values["reranker_key"].text or None,
        timeout_seconds=_number(values["reranker_timeout"]),
    )


def model_choice_of(values: Mapping[str, Value]) -> ModelChoice:
    """The language model that the settings ask for."""
    return ModelChoice(
        provider=values["model"].text,
        model=values["model_name"].text or None,
        base_url=values["model_url"].text or None,
        api_key=values["model_key"].text or None,
        timeout_seconds=_number(values["model_timeout"]),
        prices=_prices(values["model_prices"]),
    )


def _prices(value: Value) -> tuple[float, float]:
    """Two numbers with a stroke between them; nothing where nothing is set."""
    if not value.text:
        return 0.0, 0.0
    inward, _, outward = value.text.partition("/")
    try:
        return float(inward), float(outward or inward)
    except ValueError:
        raise InvalidSetting(
            f"{value.setting.name} is two numbers like 15/60, not {value.text!r}."
        ) from None


def _impatient(choice: EmbedderChoice) -> EmbedderChoice:
    """The same model for questions: asked once, for a moment, because somebody waits."""
    return replace(
        choice, attempts=1, timeout_seconds=min(choice.timeout_seconds, QUESTION_SECONDS)
    )


def _remembering(embedder: Embedder | None) -> Embedder | None:
    """A remote embedder that does not ask the same question twice."""
    if embedder is None or embedder.local:
        return embedder
    return CachedEmbedder(embedder, MemoryVectorCache())


def embedder_state(embedder: Embedder | None) -> tuple[bool, str]:
    """Whether the embedder answers now, and what it says of itself."""
    if embedder is None:
        return True, "none: search goes by words alone"
    try:
        return True, probe(embedder)
    except InferenceError as error:
        return False, str(error)


def login() -> str:
    """The name of whoever runs this."""
    try:
        return getpass.getuser()
    except (OSError, KeyError):
        return "local"


def worker_name() -> str:
    """A name that no other worker has."""
    return f"{socket.gethostname()}-{os.getpid()}-{os.urandom(3).hex()}"


def _switch(value: Value) -> bool:
    if value.text not in {"on", "off"}:
        raise InvalidSetting(f"{value.setting.name} is on or off, not {value.text!r}.")
    return value.text == "on"


def _whole(value: Value) -> int | None:
    if not value.text:
        return None
    if not value.text.isdigit():
        raise InvalidSetting(f"{value.setting.name} is a whole number, not {value.text!r}.")
    return int(value.text)


def _number(value: Value) -> float:
    try:
        return float(value.text)
    except ValueError:
        raise InvalidSetting(f"{value.setting.name} is a number, not {value.text!r}.") from None
