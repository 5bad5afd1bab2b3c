"""Permitted authors of an event: the writer, and everyone the writer may speak for.

A steward may name anybody, because a steward also corrects what others said. A member writes in
their own name, under another name that a steward confirmed, or for a program that works for them; a
program never has the name of another person of the space.
"""

import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from recollect.storage.database import Database, Transaction
from recollect.storage.pages import aliases, spaces
from recollect.storage.prepared import dialect_of
from recollect.trust.authorisation import authorise, require_role
from recollect.trust.secrets import safe_name
from recollect.vocabulary.arguments import checked_name, shown
from recollect.vocabulary.audiences import Access, Viewer
from recollect.vocabulary.clock import Clock
from recollect.vocabulary.errors import Conflict, InvalidInput, NotAllowed
from recollect.vocabulary.spaces import AT_LEAST, Alias, AliasSuggestion, Role, Space

#: Names of roles in a conversation, which are nobody's name.
PARTS: Final = frozenset({"user", "assistant", "agent", "model", "system", "tool"})

#: Number of letters that two names must share for one to be a form of the other: Bob and Bobby.
_SHORTEST_BEGINNING: Final = 3

#: Number of names, those with most events first, whose handles are looked up.
_MAX_HANDLES: Final = 500


class Aliases:
    """The other names (aliases) of the people of a space."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    def list(self, viewer: Viewer, space: Space) -> list[Alias]:
        """Every confirmed alias, for members of the space."""
        with self._database.reading() as transaction:
            require_role(authorise(transaction, viewer, space), Role.READER, "see other names")
            return aliases.list_aliases(transaction, space.id)

    def confirm(self, viewer: Viewer, space: Space, user: str, name: str) -> Alias:
        """Let a member write under another name; a steward may, unless it is another member's.

        The alias also lets them read the private streams that list it. Nobody can confirm their own
        alias except an owner, who may join such a stream anyway.
        """
        alias = Alias(safe_name(user, "user"), safe_name(name, "alias"), viewer.user, self._clock())

        def work(transaction: Transaction) -> Alias:
            access = authorise(transaction, viewer, space)
            require_role(access, Role.STEWARD, "confirm other names")
            if alias.user == viewer.user:
                require_role(access, Role.OWNER, "confirm another name of their own")
            if spaces.role_of(transaction, space.id, alias.user) is None:
                raise InvalidInput(f"{alias.user} is not a member of this space.")
            if spaces.role_of(transaction, space.id, alias.name) is not None:
                raise InvalidInput(
                    f"{alias.name} is the name of a member, so it cannot be an alias."
                )
            bearer = aliases.user_of_alias(transaction, space.id, alias.name)
            if bearer not in (None, alias.user):
                raise Conflict(
                    f"{alias.name} is already an alias of {bearer}. Nothing was changed.",
                    hint="Withdraw it from them first.",
                )
            if bearer is None:
                aliases.put_alias(transaction, space.id, alias)
                dialect_of(transaction).bypass_row_security(transaction)
                aliases.add_alias_to_streams(transaction, space.id, alias)
            return alias

        return self._database.write(work)

    def withdraw(self, viewer: Viewer, space: Space, user: str, name: str) -> bool:
        """Remove an alias; a steward or the person who has it may. Return whether it existed."""
        user, name = checked_name(user, "user"), checked_name(name, "alias")

        def work(transaction: Transaction) -> bool:
            needed = Role.MEMBER if user == viewer.user else Role.STEWARD
            require_role(authorise(transaction, viewer, space), needed, "withdraw other names")
            dialect_of(transaction).bypass_row_security(transaction)
            aliases.remove_alias_from_streams(transaction, space.id, user, name)
            return aliases.drop_alias(transaction, space.id, user, name)

        return self._database.write(work)

    def suggest(self, viewer: Viewer, space: Space) -> tuple[AliasSuggestion, ...]:
        """Names on events that are probably a member's, for a steward to confirm."""
        with self._database.reading() as transaction:
            access = require_role(
                authorise(transaction, viewer, space), Role.STEWARD, "confirm other names"
            )
            known = {one.name for one in aliases.list_aliases(transaction, space.id)}
            members = [one.user for one in spaces.members_of(transaction, space.id)]
            counts = aliases.count_authors(transaction, access)
            open_names = {
                name: count
                for name, count in counts.items()
                if name not in known and name not in members and name not in PARTS
            }
            asked = sorted(open_names, key=lambda name: -open_names[name])[:_MAX_HANDLES]
            handles = aliases.handles_of(transaction, access, asked)
        return tuple(_suggestions(open_names, members, handles))


def _suggestions(
    names: Mapping[str, int], members: Sequence[str], handles: Mapping[str, str]
) -> Iterator[AliasSuggestion]:
    """Names, each with the one member whom it fits; a name that fits two members fits none. A
    handle that equals a member's name is stronger evidence than a similar display name."""
    for name, count in sorted(names.items(), key=lambda one: (-one[1], one[0])):
        handle = handles.get(name, "").casefold()
        fits = [(user, "the same handle") for user in members if user.casefold() == handle]
        fits = fits or [(user, why) for user in members if (why := _fits(user, name))]
        if len(fits) == 1:
            yield AliasSuggestion(fits[0][0], name, fits[0][1], count)


def _fits(user: str, name: str) -> str | None:
    """Reason why a name is probably a user's: its words form the user's name in a usual way."""
    words, short = _words(name), "".join(_words(user))
    if not words or not short:
        return None
    first, last = words[0], words[-1]
    ways = {
        "the same letters": "".join(words),
        "the first name": first,
        "the first letter and the last name": first[0] + last,
        "the first name and the first letter of the last": first + last[0],
        "the last name and the first letter": last + first[0],
        "the last name": last,
    }
    why = next((why for why, made in ways.items() if made == short), None)
    lesser, greater = sorted((first, short), key=len)
    if why is None and len(lesser) >= _SHORTEST_BEGINNING and greater.startswith(lesser):
        return "one name begins with the other"
    return why


def _words(name: str) -> list[str]:
    """The words of a name in lower case without accents; of an address, the part before @."""
    plain = unicodedata.normalize("NFKD", name.partition("@")[0]).casefold()
    letters = "".join(sign for sign in plain if not unicodedata.combining(sign))
    return "".join(sign if sign.isalnum() else " " for sign in letters).split()


def is_own(transaction: Transaction, access: Access, author: str) -> bool:
    """Whether an author is the viewer, under any confirmed name."""
    if author == access.viewer.user:
        return True
    return author in aliases.aliases_of(transaction, access.space_id, access.viewer.user)


def require_authors(
    transaction: Transaction,
    access: Access,
    authors: Iterable[str],
    programs: Iterable[str] = (),
) -> None:
    """Refuse authors in whose names the viewer may not write.

    ``programs`` are names of programs that work for the viewer.
    """
    foreign = set(authors) - {access.viewer.user}
    if not foreign or access.role in AT_LEAST[Role.STEWARD]:
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
