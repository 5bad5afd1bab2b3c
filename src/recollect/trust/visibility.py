"""Who may see what: the one door through which every read and every write of a space goes.

``look`` places a viewer in a space and gives an access; every read of every room wants one, and
nothing else makes them. Membership is read from the store each time, so a change of it counts at
once.
"""

from dataclasses import replace

from recollect.storage.access.row_security import enter
from recollect.storage.database import Transaction
from recollect.storage.pages.spaces import standing_of
from recollect.vocabulary.audiences import Access, Viewer
from recollect.vocabulary.errors import NotAllowed, SpaceNotFound
from recollect.vocabulary.spaces import Role, Space


def authorise(
    transaction: Transaction, viewer: Viewer, space: Space, *, alone: bool = True
) -> Access:
    """The viewer in that space, with what the store knows of them there.

    A stranger gets an access too: it sees only what the space's team or organisation shares, and
    only if they belong to those. A transaction that writes is alone in the space from here on,
    unless it says that it needs not be: what it only adds is put in order by the space's clock.
    """
    if not viewer.enters(space.id):
        raise SpaceNotFound(f"No space {space.name!r} is visible here.")
    enter(transaction, space.id, viewer, alone=alone)
    return access_of(transaction, viewer, space)


def access_of(transaction: Transaction, viewer: Viewer, space: Space) -> Access:
    """The viewer in a space, for a transaction that has the house's rights already."""
    if not viewer.enters(space.id):
        raise SpaceNotFound(f"No space {space.name!r} is visible here.")
    state = standing_of(transaction, space.id, viewer.user)
    if state.teams or state.organisations:
        viewer = replace(
            viewer,
            teams=viewer.teams | state.teams,
            organisations=viewer.organisations | state.organisations,
        )
    return Access(
        space.id,
        viewer,
        viewer.limited(space.id, state.role),
        state.remembers,
        state.discreet,
        state.forgot,
    )


def require_role(access: Access, needed: Role, doing: str) -> Access:
    """The same access, when its role suffices for what is to be done."""
    if access.role is None or not access.role.includes(needed):
        raise NotAllowed(
            f"{access.viewer.user} may not {doing} in this space.",
            hint=f"It takes the role {needed.value!r}; ask an owner of the space.",
        )
    return access
