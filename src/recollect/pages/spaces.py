"""Spaces and their people."""

from collections.abc import Sequence
from datetime import timedelta
from difflib import get_close_matches
from typing import Final

from recollect.jobs.schedule import ensure_schedule
from recollect.storage.access.row_security import EVERY_SPACE, hold
from recollect.storage.database import Database, Transaction
from recollect.storage.pages import spaces
from recollect.storage.store_facts import fact, put_fact
from recollect.trust.visibility import authorise, require_role
from recollect.vocabulary.audiences import Viewer
from recollect.vocabulary.choices import choice
from recollect.vocabulary.clock import Clock
from recollect.vocabulary.errors import NotAllowed, SpaceNotFound
from recollect.vocabulary.ids import SPACE, new_id
from recollect.vocabulary.jobs import TIDY
from recollect.vocabulary.spaces import Member, Role, Space, SpaceKind
from recollect.vocabulary.text import checked_name

DAY: Final = timedelta(days=1)
_DAILY: Final = "daily_jobs"
_NEAR: Final = 3  # how many names an error tells


class Spaces:
    """Makes spaces, finds them, and says who belongs. A new space gets its daily jobs."""

    def __init__(self, database: Database, clock: Clock, daily: Sequence[str] = (TIDY,)) -> None:
        self._database = database
        self._clock = clock
        self._daily = tuple(daily)

    def ensure(
        self,
        viewer: Viewer,
        name: str,
        *,
        kind: SpaceKind = SpaceKind.PROJECT,
        organisation: str | None = None,
        team: str | None = None,
    ) -> Space:
        """The space of that name; a new one, owned by the viewer, when there is none."""
        wanted = checked_name(name, "space")
        for what, given in (("organisation", organisation), ("team", team)):
            if given is not None:
                _safe(given, what)
        with self._database.reading(house=True) as transaction:
            space = spaces.space_named(transaction, wanted)
        if viewer.opens is not None and (space is None or not viewer.enters(space.id)):
            raise SpaceNotFound(  # the same words whether there is such a space or not
                f"No space {wanted!r} is visible here.",
                hint="A token opens the space that it was made for, and makes no new ones.",
            )
        if space is not None:
            return space
        from recollect.trust.secrets import refuse_secrets

        refuse_secrets([wanted, viewer.user], "name of a space")
        now = self._clock()
        new = Space(new_id(SPACE, now), wanted, kind, organisation, team, now)

        def work(transaction: Transaction) -> Space:
            hold(transaction, [EVERY_SPACE])
            space = spaces.space_named(transaction, wanted)
            if space is None:
                spaces.add_space(transaction, new, viewer.user)
                for job in self._daily:
                    ensure_schedule(transaction, new.id, job, job, every=DAY, first=now + DAY)
                space = new
            return space

        return self._database.write(work, house=True)

    def change_number(self, viewer: Viewer, space: Space) -> int:
        """How far the space's clock has come: it moves with every change, whoever makes it."""
        with self._database.reading() as transaction:
            require_role(authorise(transaction, viewer, space), Role.READER, "follow its changes")
            return spaces.number_and_clock(transaction, space.id)[1]

    def keep_up(self) -> None:
        """Give the daily jobs of this version to spaces that were made before there were some."""
        if self._database.read_only:
            return
        daily = " ".join(sorted(self._daily))
        with self._database.reading(house=True) as transaction:
            if fact(transaction, _DAILY) == daily:
                return
        now = self._clock()

        def work(transaction: Transaction) -> None:
            hold(transaction, [EVERY_SPACE])
            for space_id in spaces.all_space_ids(transaction):
                for job in self._daily:
                    ensure_schedule(transaction, space_id, job, job, every=DAY, first=now + DAY)
            put_fact(transaction, _DAILY, daily)

        self._database.write(work, house=True)

    @property
    def any_made(self) -> bool:
        """Whether the store has a space already."""
        with self._database.reading(house=True) as transaction:
            return bool(spaces.all_space_ids(transaction))

    def find(self, name: str) -> Space | None:
        """The space of that name; None when there is none. Nothing is made."""
        wanted = checked_name(name, "space")
        with self._database.reading(house=True) as transaction:
            return spaces.space_named(transaction, wanted)

    def named(self, viewer: Viewer, name: str) -> Space:
        """The space of that name; an error that names those it may have meant otherwise."""
        space = self.find(name)
        if space is None or not viewer.enters(space.id):  # the same words for both
            raise self._not_found(viewer, name)
        return space

    def entered(self, viewer: Viewer, name: str) -> Space:
        """The space of that name, when there is anything the viewer might see in it."""
        space = self.named(viewer, name)
        with self._database.reading() as transaction:
            access = authorise(transaction, viewer, space)
        if not (access.member or viewer.teams or viewer.organisations):
            raise self._not_found(viewer, name)
        return space

    def _not_found(self, viewer: Viewer, name: str) -> SpaceNotFound:
        """No such space, and which of the viewer's own spaces may have been meant."""
        own = [space.name for space in self.of(viewer)]
        near = get_close_matches(name, own, _NEAR)
        if near:
            hint = f"Did you mean {_listed(near)}?"
        elif own:
            more = f" and {len(own) - _NEAR:,} more" if len(own) > _NEAR else ""
            hint = f"Your spaces: {', '.join(map(repr, own[:_NEAR]))}{more}."
        else:
            hint = "You belong to no space here yet."
        return SpaceNotFound(f"No space {name!r} is visible here.", hint=hint)

    def of(self, viewer: Viewer) -> list[Space]:
        """The spaces the viewer belongs to."""
        with self._database.reading(house=True) as transaction:
            found = spaces.spaces_of(transaction, viewer.user)
        return [space for space in found if viewer.enters(space.id)]

    def require(self, viewer: Viewer, space: Space, role: Role, doing: str) -> None:
        """Nothing, when the viewer's role suffices; otherwise an error that says what it takes."""
        with self._database.reading() as transaction:
            require_role(authorise(transaction, viewer, space), role, doing)

    def members(self, viewer: Viewer, space: Space) -> list[Member]:
        """Who belongs, for those who belong."""
        with self._database.reading() as transaction:
            require_role(authorise(transaction, viewer, space), Role.READER, "see who belongs")
            return spaces.members_of(transaction, space.id)

    def set_member(self, viewer: Viewer, space: Space, user: str, role: str) -> Member:
        """Give a person a role; only an owner may."""
        member = Member(_safe(user, "user"), choice(Role, role, "role"), self._clock())

        def work(transaction: Transaction) -> Member:
            require_role(authorise(transaction, viewer, space), Role.OWNER, "give roles")
            spaces.set_member(transaction, space.id, member)
            _keep_an_owner(transaction, space)
            return member

        return self._database.write(work)

    def remove_member(self, viewer: Viewer, space: Space, user: str) -> bool:
        """Take a person out; an owner may, and everyone may leave. Whether they were in."""
        user = checked_name(user, "user")

        def work(transaction: Transaction) -> bool:
            access = authorise(transaction, viewer, space)
            if user != viewer.user:
                require_role(access, Role.OWNER, "take people out")
            removed = spaces.remove_member(transaction, space.id, user)
            if removed:  # a stranger changed nothing, and is not shown who belongs
                _keep_an_owner(transaction, space)
            return removed

        return self._database.write(work)


def _listed(names: Sequence[str]) -> str:
    return " or ".join(repr(name) for name in names)


def _keep_an_owner(transaction: Transaction, space: Space) -> None:
    """Undo a change that would leave the space without an owner."""
    members = spaces.members_of(transaction, space.id)
    if not any(member.role is Role.OWNER for member in members):
        raise NotAllowed("A space keeps at least one owner. Nothing was changed.")


def _safe(name: str, what: str) -> str:
    """The name, which must not be a secret; the rules for that are loaded when they are needed."""
    from recollect.trust.secrets import safe_name

    return safe_name(name, what)
