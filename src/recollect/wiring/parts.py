"""The rooms that have rooms of their own: personal memory, code, and agents."""

from typing import TYPE_CHECKING, Final

from recollect.engine.code import CodeRooms
from recollect.inference.indexer import Indexer
from recollect.inference.tasks import Tasks
from recollect.memories.keeper import MemoryKeeper
from recollect.memories.seals import Seals
from recollect.pages.events import Events
from recollect.pages.streams import Streams
from recollect.recall.profiles import profile_of
from recollect.recall.search import Recall
from recollect.storage.database import Database
from recollect.storage.search_index import SearchIndex
from recollect.vocabulary.audiences import Viewer
from recollect.vocabulary.clock import Clock
from recollect.vocabulary.results import Filters, Recalled
from recollect.vocabulary.spaces import Space

if TYPE_CHECKING:
    from recollect.codegraph.indexing import CodeIndexer
    from recollect.codegraph.questions import CodeQuestions
    from recollect.engine.agents import AgentRooms
    from recollect.engine.chat import ChatRooms
    from recollect.observer.learner import Learner

#: How much a spoken question is answered with.
CHAT_RESULTS: Final = 12


def chat_rooms(
    database: Database,
    *,
    keeper: MemoryKeeper,
    events: Events,
    indexer: Indexer,
    index: SearchIndex,
    recall: Recall,
    tasks: Tasks,
    seals: Seals,
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
        database,
        keeper=keeper,
        pages=events,
        indexer=indexer,
        shelf=shelf,
        seals=seals,
        clock=clock,
    )
    undo = Undo(
        database,
        control=control,
        keeper=keeper,
        pages=events,
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


def code_rooms(database: Database, indexer: Indexer, clock: Clock) -> CodeRooms:
    """The rooms of code; their parsers are loaded when they are first used."""

    def make_indexer() -> "CodeIndexer":
        from recollect.codegraph.indexing import CodeIndexer

        return CodeIndexer(database, indexer, clock)

    def make_questions() -> "CodeQuestions":
        from recollect.codegraph.questions import CodeQuestions

        return CodeQuestions(database, clock)

    return CodeRooms(make_indexer, make_questions)


def agent_rooms(
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
    from recollect.context.points import SessionRooms
    from recollect.context.punctual import Punctual
    from recollect.context.reviewing import Reviewer
    from recollect.context.rule_files import RuleFiles
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
            landing=lambda who, pattern: learner.experience.landing(*who, pattern),
            fix=lambda who, error: learner.experience.fix(*who, error),
            foretell=lambda who, files, prompt, branch: [
                one.path for one in learner.experience.predict(*who, files, prompt, branch=branch)
            ],
        ),
        ledger=ledger,
        reviewer=Reviewer(database, ledger, keeper),
        rules=RuleFiles(keeper, teller),
        streams=streams,
        clock=clock,
    )
