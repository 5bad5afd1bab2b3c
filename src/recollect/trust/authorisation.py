"""Authorisation: the one entry point for every read and write of a space.

``authorise`` resolves a viewer in a space to an access; every read requires one, and nothing else
creates them. Membership is read from the store each time, so a change takes effect at once.

The switches are checked here too: where memory is off for a person in a space, or a session of
theirs is incognito, nothing is written and nothing is read for recall. What a person does by hand
(list, pin, forget) is always possible.
"""

from dataclasses import replace
from typing import Final, NoReturn

from recollect.storage.access.visibility_filter import enter, member_state
from recollect.storage.chat.personal_settings import session_state, settings_of
from recollect.storage.database import Transaction
from recollect.vocabulary.audiences import Access, Viewer
from recollect.vocabulary.errors import MemoryOff, NotAllowed, SpaceNotFound
from recollect.vocabulary.spaces import AT_LEAST, Role, Space

OFF: Final = "memory is off in this space"
INCOGNITO: Final = "this session is incognito"


def authorise(
    transaction: Transaction, viewer: Viewer, space: Space, *, exclusive: bool = True
) -> Access:
    """The viewer's access in a space, with what the store knows of them there.

    A non-member gets an access too: it sees only what the space's team or organisation shares, and
    only if they belong to those. A writing transaction locks the space from here on, unless
    ``exclusive`` is false: pure inserts are ordered by the space's clock.
    """
    if viewer.opens is not None:
        _require_opened(viewer, space)
    enter(transaction, space.id, viewer, exclusive=exclusive)
    return _access(transaction, viewer, space)


def access_of(transaction: Transaction, viewer: Viewer, space: Space) -> Access:
    """The viewer's access in a space, for a transaction that has system access already."""
    if viewer.opens is not None:
        _require_opened(viewer, space)
    return _access(transaction, viewer, space)


def _require_opened(viewer: Viewer, space: Space) -> None:
    """Refuse a space that the viewer's token does not open."""
    if not viewer.enters(space.id):
        raise SpaceNotFound(f"No space {space.name!r} is visible here.")


def _access(transaction: Transaction, viewer: Viewer, space: Space) -> Access:
    state = member_state(transaction, space.id, viewer.user)
    if state.teams or state.organisations:
        viewer = replace(
            viewer,
            teams=viewer.teams | state.teams,
            organisations=viewer.organisations | state.organisations,
        )
    return Access(
        space.id,
        viewer,
        state.role if viewer.opens is None else viewer.limited(space.id, state.role),
        state.remembers,
        state.has_incognito_sessions,
        state.forgot,
        state.code_indexed,
    )


def require_role(access: Access, needed: Role, doing: str) -> Access:
    """The same access, if its role is sufficient; otherwise an error."""
    if access.role not in AT_LEAST[needed]:
        raise NotAllowed(
            f"{access.viewer.user} may not {doing} in this space.",
            hint=f"It takes the role {needed.value!r}; ask an owner of the space.",
        )
    return access


def closed(transaction: Transaction, access: Access, session: str | None) -> str | None:
    """Why nothing may be stored or recalled; None if it may."""
    if not access.remembers:
        return OFF
    if session is None or not access.has_incognito_sessions:
        return None
    state = session_state(transaction, access, session)
    if state is None:
        state = settings_of(transaction, access).incognito_default
    return INCOGNITO if state else None


def require_memory(transaction: Transaction, access: Access, session: str | None) -> None:
    """Raise an error that says why, if nothing may be stored."""
    why = closed(transaction, access, session)
    if why is not None:
        refuse_closed(why)


def refuse_closed(why: str) -> NoReturn:
    """Raise an error: nothing was stored, and how to switch memory on again."""
    ends = "Say 'end incognito'" if why == INCOGNITO else "Say 'turn memory on'"
    raise MemoryOff(f"Nothing was kept: {why}.", hint=ends)
