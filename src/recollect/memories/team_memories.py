"""Shared memories: the five shown to newcomers, and personal wishes proposed to the project.

A wish that one person stated is personal. Its owner can propose it to the project, where everyone
sees it, attributed to its author and unconfirmed. A second person or a steward makes it the
project's.
"""

from dataclasses import replace
from typing import Final

from recollect.memories.drafts import Draft
from recollect.memories.operations import MemoryKeeper
from recollect.memories.write_policy import REMEMBER
from recollect.memories.writer import found
from recollect.storage.database import Database
from recollect.storage.memories.overview import most_important
from recollect.storage.pages import spaces
from recollect.trust.authorisation import authorise, require_role
from recollect.vocabulary.arguments import whole
from recollect.vocabulary.audiences import Viewer, Visibility
from recollect.vocabulary.clock import Clock
from recollect.vocabulary.errors import InvalidInput, NotAllowed
from recollect.vocabulary.memory import DISPUTED, Memory, Relation
from recollect.vocabulary.memory_types import OnRepeat, RelationType
from recollect.vocabulary.own_wishes import is_one_persons_wish
from recollect.vocabulary.spaces import AT_LEAST, Role, Space

#: Number of memories that a newcomer is shown.
FIRST: Final = 5
#: Weight of a pinned memory.
PINNED: Final = 2.0
MAX_LISTED: Final = 50


class TeamMemories:
    """Shared memories of a space, for newcomers and contributors."""

    def __init__(self, database: Database, keeper: MemoryKeeper, clock: Clock) -> None:
        self._database = database
        self._keeper = keeper
        self._clock = clock

    def onboarding(self, viewer: Viewer, space: Space, limit: int = FIRST) -> tuple[Memory, ...]:
        """The most important memories of others: confidence x pinned weight x access. Wishes that
        are one person's still are not among them."""
        whole(limit, 1, MAX_LISTED, "A list has")
        with self._database.reading() as transaction:
            access = authorise(transaction, viewer, space)
            found = most_important(
                transaction, access, pinned=PINNED, disputed=DISPUTED, limit=MAX_LISTED
            )
        return tuple(one for one in found if not is_one_persons_wish(one))[:limit]

    def welcome(self, viewer: Viewer, space: Space) -> tuple[Memory, ...]:
        """The onboarding memories at a member's first visit to a space; nothing from then on."""
        with self._database.reading() as transaction:
            access = authorise(transaction, viewer, space)
            new = access.member and not spaces.is_welcomed(transaction, space.id, viewer.user)
        if not new or self._database.read_only:
            return ()
        shown = self.onboarding(viewer, space)
        if shown:  # where there is nothing yet, the first sight is still to come
            now = self._clock()
            self._database.write(
                lambda transaction: spaces.set_welcomed(transaction, space.id, viewer.user, now),
                all_spaces=True,
            )
        return shown

    def propose(self, viewer: Viewer, space: Space, memory_id: str) -> Memory:
        """Propose a personal memory to the project: visible there, unconfirmed and under its
        author's name, until somebody else adopts it."""
        with self._database.reading() as transaction:
            access = authorise(transaction, viewer, space)
            require_role(access, Role.MEMBER, "propose memories")
            own = found(transaction, access, memory_id)
        if own.audience.visibility is not Visibility.PERSONAL:
            raise InvalidInput("That memory is shared already. Nothing was changed.")
        draft = Draft(
            own.content,
            type=own.type,
            confidence=own.confidence,
            importance=own.importance,
            source=own.provenance.source,
            visibility=Visibility.PROJECT,
            tags=own.tags,
            files=own.files,
            modules=own.modules,
            extras=dict(own.extras),
            events=own.provenance.events,
            needs_review=True,
        )
        policy = replace(REMEMBER, repeats=OnRepeat.KEEP)
        proposed = self._keeper.path.create(viewer, space, draft, policy)
        relation = Relation(RelationType.DERIVED_FROM, proposed.id, target_id=own.id)
        self._keeper.relate(viewer, space, relation)
        return proposed

    def adopt(self, viewer: Viewer, space: Space, memory_id: str) -> Memory:
        """Make a proposed memory the project's; a second person or a steward may."""
        with self._database.reading() as transaction:
            access = authorise(transaction, viewer, space)
            require_role(access, Role.MEMBER, "adopt memories")
            memory = found(transaction, access, memory_id)
        if memory.audience.visibility is Visibility.PERSONAL:
            raise InvalidInput(
                "That memory is personal. Nothing was changed.", hint="Propose it first."
            )
        own = viewer.user in (memory.audience.owner, memory.provenance.created_by)
        if own and access.role not in AT_LEAST[Role.STEWARD]:
            raise NotAllowed(
                "A proposed memory must be adopted by a second person, or by a steward.",
                hint="Ask somebody else of the space to adopt it.",
            )
        fields = {"user_verified": True, "needs_review": False}
        return self._keeper.change(viewer, space, memory_id, fields)
