"""Runs one action of a member in a transaction of its own, with the member's access."""

from collections.abc import Callable
from typing import TypeVar

from recollect.storage.database import Database, Transaction
from recollect.trust.authorisation import authorise, require_role
from recollect.vocabulary.audiences import Access, Viewer
from recollect.vocabulary.spaces import Role, Space

T = TypeVar("T")


def deciding(
    database: Database,
    viewer: Viewer,
    space: Space,
    doing: str,
    work: Callable[[Transaction, Access], T],
) -> T:
    """Run an action that members may take; ``doing`` names it in the error for others."""

    def whole(transaction: Transaction) -> T:
        access = require_role(authorise(transaction, viewer, space), Role.MEMBER, doing)
        return work(transaction, access)

    return database.write(whole)
