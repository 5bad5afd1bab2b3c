"""What one session alone makes certain, kept as a memory once, with the events it came from."""

from collections.abc import Sequence
from dataclasses import dataclass

from recollect.context.telling import Teller
from recollect.memories.drafts import draft_of
from recollect.memories.keeper import MemoryKeeper
from recollect.observer.candidates import Candidate
from recollect.storage import memories
from recollect.trust.visibility import look
from recollect.vocabulary.audiences import Viewer
from recollect.vocabulary.clock import to_microseconds
from recollect.vocabulary.memory import Memory
from recollect.vocabulary.memory_types import Source
from recollect.vocabulary.results import Filters
from recollect.vocabulary.spaces import Space


@dataclass(frozen=True, slots=True)
class CertainOnly:
    """Keeps candidates that need no second session, each once."""

    keeper: MemoryKeeper
    teller: Teller

    def __call__(
        self, viewer: Viewer, space: Space, found: Sequence[Candidate]
    ) -> Sequence[Memory]:
        """Keep what is certain and not kept yet."""
        kept = []
        for one in found:
            tag = f"{one.signal.value}:{one.key}"[:200]
            if one.needed_sessions > one.sessions or self._known(viewer, space, tag):
                continue
            fields = {
                "type": one.type,
                "source": Source.OBSERVER_INFERRED,
                "confidence": one.confidence,
                "files": one.files,
                "modules": one.modules,
                "events": one.events,
                "session": one.session,
                "tags": (one.signal.value, tag),
                "needs_review": one.needs_review,
                "extras": one.extras,
            }
            kept.append(self.keeper.create(viewer, space, draft_of(one.content, fields)))
        return kept

    def _known(self, viewer: Viewer, space: Space, tag: str) -> bool:
        now = to_microseconds(self.teller.clock())
        with self.teller.database.reading() as transaction:
            sight = look(transaction, viewer, space)
            return any(
                memories.list_memories(
                    transaction,
                    sight,
                    Filters(tags=frozenset([tag]), archived=archived, superseded=True),
                    now=now,
                    before=None,
                    limit=1,
                )
                for archived in (False, True)
            )
