"""Who may be named as the author of an event: the writer, and whoever the writer may speak for.

A steward may name anybody, because a steward also corrects what others said. A member writes in
their own name, under another name that a steward confirmed, or for a program that works for them;
a program never bears the name of another person of the space.
"""

from collections.abc import Iterable
from typing import Final

from recollect.storage.database import Database, Transaction
from recollect.storage.pages import aliases, spaces
from recollect.trust.secrets import safe_name
from recollect.trust.visibility import authorise, require_role
from recollect.vocabulary.audiences import Access, Viewer
from recollect.vocabulary.clock import Clock
from recollect.vocabulary.errors import InvalidInput, NotAllowed
from recollect.vocabulary.numbers import shown
from recollect.vocabulary.spaces import Alias, Role, Space
from recollect.vocabulary.text import checked_name

#: Words for a part in a conversation, which are nobody's name.
PARTS: Final = frozenset({"user", "assistant", "agent", "model", "system", "tool"})


class Aliases:
    """The other names of the people of a space."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    def list(self, viewer: Viewer, space: Space) -> list[Alias]:
        """Every confirmed name, for those who belong."""
        with self._database.reading() as transaction:
            require_role(authorise(transaction, viewer, space), Role.READER, "see other names")
            return aliases.list_aliases(transaction, space.id)

    def confirm(self, viewer: Viewer, space: Space, user: str, name: str) -> Alias:
        """Let a member write under another name; a steward may, unless it is another member's."""
        alias = Alias(safe_name(user, "user"), safe_name(name, "alias"), viewer.user, self._clock())

        def work(transaction: Transaction) -> Alias:
            require_role(authorise(transaction, viewer, space), Role.STEWARD, "confirm other names")
            if spaces.role_of(transaction, space.id, alias.user) is None:
                raise InvalidInput(f"{alias.user} is no member of this space.")
            if spaces.role_of(transaction, space.id, alias.name) is not None:
                raise InvalidInput(
                    f"{alias.name} is the name of a member, so it is nobody's other name."
                )
            aliases.put_alias(transaction, space.id, alias)
            return alias

        return self._database.write(work)

    def withdraw(self, viewer: Viewer, space: Space, user: str, name: str) -> bool:
        """Take another name away; a steward may, and whoever bears it. Whether it was there."""
        user, name = checked_name(user, "user"), checked_name(name, "alias")

        def work(transaction: Transaction) -> bool:
            needed = Role.MEMBER if user == viewer.user else Role.STEWARD
            require_role(authorise(transaction, viewer, space), needed, "withdraw other names")
            return aliases.drop_alias(transaction, space.id, user, name)

        return self._database.write(work)


def is_own(transaction: Transaction, access: Access, author: str) -> bool:
    """Whether an author is the viewer, under whatever confirmed name."""
    if author == access.viewer.user:
        return True
    return author in aliases.aliases_of(transaction, access.space_id, access.viewer.user)


def require_authors(
    transaction: Transaction,
    access: Access,
    authors: Iterable[str],
    programs: Iterable[str] = (),
) -> None:
    """Nothing, when the viewer may write in all of these names; otherwise an error.

    ``programs`` are names of programs that work for the viewer.
    """
    foreign = set(authors) - {access.viewer.user}
    if not foreign or (access.role is not None and access.role.includes(Role.STEWARD)):
        return
    allowed = {*PARTS, *programs}
    unknown = foreign - aliases.aliases_of(transaction, access.space_id, access.viewer.user)
    for author in sorted(unknown):
        person = spaces.role_of(transaction, access.space_id, author) is not None
        if person or author not in allowed:
            raise NotAllowed(
                f"{access.viewer.user} may not write in the name of {shown(author)}. "
                "Nothing was recorded.",
                hint="Leave the author out; or have a steward record it, or confirm that name.",
            )
