"""State of one question during a recall: notes, missing steps, and data read so far."""

from dataclasses import dataclass, field

from recollect.index.vector_index import Vector
from recollect.recall.plan import Plan
from recollect.recall.signals import Question
from recollect.storage.search.sessions import StreamSession
from recollect.vocabulary.memory import Memory


@dataclass(slots=True)
class RecallState:
    """State of one question during a recall."""

    plan: Plan
    words: list[str]
    vector: Question | None
    notes: list[str] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)

    #: Whether the profile uses the neighbours of a row.
    context: bool = False
    weighs: bool = False
    sessions: tuple[StreamSession, ...] | None = None
    imagined: Vector | None = None
    #: Vectors of the question without the names of people, by its words; None where it has none.
    without_names: dict[str, Question | None] = field(default_factory=dict)
    explained: bool = False
    session: str | None = None
    closed: str | None = None
    wants_memories: bool = True
    ahead: bool = False
    packs: bool = False
    #: Events that follow outside text on their stream; only known where they are packed.
    tainted: frozenset[str] = frozenset()
    #: Recently touched files, the most recent last.
    recent: tuple[str, ...] = ()
    #: Number of candidates that are returned beyond the limit.
    more: int = 0
    #: Memories already read, by id.
    memories: dict[str, Memory] = field(default_factory=dict)
    #: Memories that had other words at the time that was asked about; the passages are of today's.
    reworded: set[str] = field(default_factory=set)
