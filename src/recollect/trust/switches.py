"""The switches: whether anything may be kept or recalled here and now.

Memory is off for a person in a space, or a session of theirs is incognito: then nothing is written
and nothing is read for recall. What a person does by hand (list, pin, forget) is always possible.
"""

from typing import Final, NoReturn

from recollect.storage.access.switches import session_state, settings_of
from recollect.storage.database import Transaction
from recollect.vocabulary.audiences import Access
from recollect.vocabulary.errors import MemoryOff

OFF: Final = "memory is off in this space"
INCOGNITO: Final = "this session is incognito"


def closed(transaction: Transaction, access: Access, session: str | None) -> str | None:
    """Why nothing may be kept or recalled; None when it may."""
    if not access.remembers:
        return OFF
    if session is None or not access.discreet:
        return None
    state = session_state(transaction, access, session)
    if state is None:
        state = settings_of(transaction, access).incognito_default
    return INCOGNITO if state else None


def require_memory(transaction: Transaction, access: Access, session: str | None) -> None:
    """Nothing, when something may be kept; otherwise an error that says why not."""
    why = closed(transaction, access, session)
    if why is not None:
        refuse_closed(why)


def refuse_closed(why: str) -> NoReturn:
    """Say that nothing was kept, and what opens memory again."""
    ends = "Say 'end incognito'" if why == INCOGNITO else "Say 'turn memory on'"
    raise MemoryOff(f"Nothing was kept: {why}.", hint=ends)
