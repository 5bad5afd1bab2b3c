"""Sharing of tags between a person's spaces: recall in one space also finds shared entries.

Each space is searched with the person's own access to it, so a share never shows more than they
could see there; and nothing is shared from or into a space where memory is off.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Final, Protocol

from recollect.chat.entries.audit import note
from recollect.chat.entries.member_transaction import deciding
from recollect.storage.chat import personal_settings
from recollect.storage.database import Database, Transaction
from recollect.trust.authorisation import authorise, require_role
from recollect.trust.secrets import safe_name
from recollect.vocabulary.audiences import Access, Viewer
from recollect.vocabulary.clock import Clock
from recollect.vocabulary.memory import Memory
from recollect.vocabulary.personal import Share
from recollect.vocabulary.results import Filters, Found, Recalled
from recollect.vocabulary.spaces import Role, Space

_MAX_FOUND: Final = 12

Ask = Callable[[Space, Filters], Recalled]


class AskThere(Protocol):
    """Searches another space with narrower filters."""

    def __call__(self, space: Space, /, *, filters: Filters) -> Recalled: ...


class Sharing:
    """The tags that a person shares between their spaces."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    def share(self, viewer: Viewer, space: Space, tag: str, target: Space) -> Share:
        """Share the viewer's entries with a tag, so that another space of theirs finds them too."""
        share = Share(safe_name(tag, "tag"), space.id, target.id, self._clock())
        with self._database.reading() as transaction:
            require_role(authorise(transaction, viewer, target), Role.READER, "share into it")

        def work(transaction: Transaction, access: Access) -> Share:
            personal_settings.put_share(transaction, access, share)
            detail = {"tag": share.tag, "into": target.id}
            note(transaction, access, "share", detail=detail, now=share.since)
            return share

        return deciding(self._database, viewer, space, "share", work)

    def unshare(self, viewer: Viewer, space: Space, tag: str, target: Space) -> bool:
        """Stop sharing a tag; return whether it was shared."""

        def work(transaction: Transaction, access: Access) -> bool:
            dropped = personal_settings.drop_share(transaction, access, tag, target.id)
            if dropped:
                detail = {"tag": tag, "into": target.id}
                note(transaction, access, "unshare", detail=detail, now=self._clock())
            return dropped

        return deciding(self._database, viewer, space, "share", work)

    def shares(self, viewer: Viewer, space: Space) -> tuple[Share, ...]:
        """The viewer's shares from this space to others."""
        with self._database.reading() as transaction:
            return tuple(
                personal_settings.shares_from(transaction, authorise(transaction, viewer, space))
            )

    def shares_into(self, viewer: Viewer, space: Space) -> tuple[Share, ...]:
        """The viewer's shares into this space, from spaces that they may enter now: a token without
        access to the source space sees only this space's own entries.
        """
        with self._database.reading(all_spaces=True) as transaction:
            shares = personal_settings.shares_into(transaction, space.id, viewer.user)
        return tuple(share for share in shares if viewer.enters(share.source_id))

    def along_with(
        self, here: Recalled, ask: AskThere, wanted: Filters, viewer: Viewer, space: Space
    ) -> Recalled:
        """Results from this space, plus what ``ask`` finds by shared tags in the person's other
        spaces.
        """
        if here.missing and not here.found:
            return here
        tags: dict[str, set[str]] = {}
        for share in self.shares_into(viewer, space):
            if not wanted.tags or share.tag in wanted.tags:
                tags.setdefault(share.source_id, set()).add(share.tag)
        found = {one.id: one for one in here.found}
        for source_id, shared in sorted(tags.items()):
            filters = replace(wanted, tags=frozenset(shared))
            there = ask(replace(space, id=source_id), filters=filters)
            found.update((one.id, one) for one in there.found if _is_of(one, viewer))
        if len(found) == len(here.found):
            return here
        ordered = sorted(found.values(), key=lambda one: -one.score)
        return replace(here, found=tuple(ordered[: max(len(here.found), _MAX_FOUND)]))


def with_shared(ask: Ask, sharing: Sharing, viewer: Viewer, space: Space) -> Recalled:
    """Search this space and, by shared tags, the person's other spaces."""

    def there(where: Space, *, filters: Filters) -> Recalled:
        return ask(where, filters)

    return sharing.along_with(ask(space, Filters()), there, Filters(), viewer, space)


def _is_of(one: Found, viewer: Viewer) -> bool:
    return isinstance(one.item, Memory) and one.item.audience.owner == viewer.user
