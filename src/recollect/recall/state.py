"""One question on its way through the chain, with what was noticed and what was missing."""

from dataclasses import dataclass, field

from recollect.index.vector_index import Vector
from recollect.recall import dense
from recollect.recall.plan import Plan
from recollect.storage.search.sessions import StreamSession


@dataclass(slots=True)
class RecallState:
    """One question on its way through the chain."""

    plan: Plan
    words: list[str]
    vector: dense.Question | None
    notes: list[str] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)

    weighs: bool = False
    sessions: tuple[StreamSession, ...] | None = None
    imagined: Vector | None = None
    explained: bool = False
    session: str | None = None
    closed: str | None = None
    wants_memories: bool = True
    ahead: bool = False
    packs: bool = False
    #: Events that stand after outside text on their stream; only known where they are packed.
    tainted: frozenset[str] = frozenset()

    @property
    def context(self) -> bool:
        """Whether the profile looks at what stands around."""
        return self.plan.profile.uses_context
