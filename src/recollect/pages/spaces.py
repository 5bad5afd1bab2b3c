"""Spaces and their members: creation, lookup, roles, retention, archiving and deletion."""

from collections.abc import Callable, Sequence
from datetime import timedelta
from difflib import get_close_matches
from typing import Any, Final

from recollect.jobs.schedule import begin_schedules, ensure_schedule
from recollect.storage.access.visibility_filter import EVERY_SPACE, acquire_locks, visible_ids
from recollect.storage.database import Database, Transaction
from recollect.storage.pages import spaces
from recollect.storage.prepared import dialect_of
from recollect.storage.space_clock import number_and_clock
from recollect.storage.store_facts import fact, put_fact
from recollect.trust.authorisation import authorise, require_role
from recollect.vocabulary.arguments import checked_name, choice, whole
from recollect.vocabulary.audiences import Viewer
from recollect.vocabulary.clock import Clock
from recollect.vocabulary.errors import Conflict, NotAllowed, SpaceNotFound
from recollect.vocabulary.ids import SPACE, new_id
from recollect.vocabulary.jobs import TIDY
from recollect.vocabulary.spaces import Member, Role, Space, SpaceKind

DAY: Final = timedelta(days=1)
_DAILY: Final = "daily_jobs"
LONGEST_RETENTION: Final = 36_500  # days
_NAMES_SHOWN: Final = 3  # names in an error


class Spaces:
    """Creates and finds spaces, and manages their members. A new space gets its daily jobs."""

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
        with self._database.reading(all_spaces=True) as transaction:
            space = spaces.space_named(transaction, wanted)
        if viewer.opens is not None and (space is None or not viewer.enters(space.id)):
            raise SpaceNotFound(  # the same words whether there is such a space or not
                f"No space {wanted!r} is visible here.",
                hint="A token gives access to its own space, and cannot create others.",
            )
        if space is not None:
            return _unarchived(space)
        from recollect.trust.secrets import refuse_secrets

        refuse_secrets([wanted, viewer.user], "name of a space")
        now = self._clock()
        new = Space(new_id(SPACE, now), wanted, kind, organisation, team, now)

        def work(transaction: Transaction) -> Space:
            acquire_locks(transaction, [EVERY_SPACE])
            space = spaces.space_named(transaction, wanted)
            if space is None:
                spaces.add_space(transaction, new, viewer.user)
                begin_schedules(transaction, new.id, self._daily, every=DAY, first=now + DAY)
                space = new
            return space

        return self._database.write(work, all_spaces=True)

    def change_number(self, viewer: Viewer, space: Space) -> int:
        """Value of the space's clock, which moves with every change, whoever makes it."""
        with self._database.reading() as transaction:
            require_role(authorise(transaction, viewer, space), Role.READER, "follow its changes")
            return number_and_clock(transaction, space.id)[1]

    def keep_up(self) -> None:
        """Add this version's daily jobs to spaces that were made before the jobs existed."""
        if self._database.read_only:
            return
        daily = " ".join(sorted(self._daily))
        with self._database.reading(all_spaces=True) as transaction:
            if fact(transaction, _DAILY) == daily:
                return
        now = self._clock()

        def work(transaction: Transaction) -> None:
            acquire_locks(transaction, [EVERY_SPACE])
            for space_id in spaces.all_space_ids(transaction):
                for job in self._daily:
                    ensure_schedule(transaction, space_id, job, job, every=DAY, first=now + DAY)
            put_fact(transaction, _DAILY, daily)

        self._database.write(work, all_spaces=True)

    @property
    def has_spaces(self) -> bool:
        """Whether the store has a space already."""
        with self._database.reading(all_spaces=True) as transaction:
            return bool(spaces.all_space_ids(transaction))

    def find(self, name: str) -> Space | None:
        """The space of that name; None when there is none. Never creates one."""
        wanted = checked_name(name, "space")
        with self._database.reading(all_spaces=True) as transaction:
            return spaces.space_named(transaction, wanted)

    def named(self, viewer: Viewer, name: str) -> Space:
        """The space of that name; otherwise an error that suggests similar names."""
        space = self.find(name)
        if space is None or not viewer.enters(space.id):  # the same words for both
            raise self._not_found(viewer, name)
        if space.archived_at is not None and space not in self.of(viewer, archived=True):
            raise self._not_found(viewer, name)
        return _unarchived(space)

    def entered(self, viewer: Viewer, name: str) -> Space:
        """The space of that name, if the viewer might see anything in it."""
        space = self.named(viewer, name)
        with self._database.reading() as transaction:
            access = authorise(transaction, viewer, space)
            shown = access.member or bool(visible_ids(transaction, access))
        if not shown:
            raise self._not_found(viewer, name)
        return space

    def _not_found(self, viewer: Viewer, name: str) -> SpaceNotFound:
        """The error for an unknown space, with similar names among the viewer's own spaces."""
        own = [space.name for space in self.of(viewer)]
        near = get_close_matches(name, own, _NAMES_SHOWN)
        if near:
            hint = f"Did you mean {_listed(near)}?"
        elif own:
            more = f" and {len(own) - _NAMES_SHOWN:,} more" if len(own) > _NAMES_SHOWN else ""
            hint = f"Your spaces: {', '.join(map(repr, own[:_NAMES_SHOWN]))}{more}."
        else:
            hint = "You belong to no space here yet."
        return SpaceNotFound(f"No space {name!r} is visible here.", hint=hint)

    def of(self, viewer: Viewer, *, archived: bool = False) -> list[Space]:
        """The spaces that the viewer belongs to; or those of them that are archived."""
        with self._database.reading(all_spaces=True) as transaction:
            found = spaces.spaces_of(transaction, viewer.user)
        return [
            space
            for space in found
            if viewer.enters(space.id) and (space.archived_at is not None) == archived
        ]

    def rename(self, viewer: Viewer, space: Space, name: str) -> Space:
        """Rename a space; an owner may, if no other space has the name."""
        wanted = _safe(name, "space")

        def change(transaction: Transaction) -> dict[str, Any]:
            other = spaces.space_named(transaction, wanted)
            if other is not None and other.id != space.id:
                raise Conflict(f"The name {wanted!r} is taken. Nothing was changed.")
            return {"name": wanted}

        return self._changed(viewer, space, "rename it", change)

    def archive(self, viewer: Viewer, space: Space) -> Space:
        """Close a space without losing anything; an owner may."""
        now = self._clock()
        return self._changed(viewer, space, "archive it", lambda _: {"archived_at": now})

    def reopen(self, viewer: Viewer, name: str) -> Space:
        """Reopen an archived space of the viewer."""
        wanted = checked_name(name, "space")
        found = next((one for one in self.of(viewer, archived=True) if one.name == wanted), None)
        if found is None:
            raise SpaceNotFound(f"No archived space {wanted!r} is visible here.")
        return self._changed(viewer, found, "restore it", lambda _: {"archived_at": None})

    def set_retention(self, viewer: Viewer, space: Space, days: int | None) -> Space:
        """Set after how many days the nightly run deletes things; None keeps all. Owners may."""
        kept = None if days is None else whole(days, 1, LONGEST_RETENTION, "A retention has")
        return self._changed(viewer, space, "say what is kept", lambda _: {"retention_days": kept})

    def delete(self, viewer: Viewer, space: Space) -> str:
        """Delete a space and everything in it for good; return where traces remain, in words."""

        def work(transaction: Transaction) -> None:
            require_role(authorise(transaction, viewer, space), Role.OWNER, "delete it")
            dialect_of(transaction).bypass_row_security(transaction)
            spaces.delete_space(transaction, space.id)
            self._database.erasure.mark(transaction, self._clock())

        self._database.write(work)
        return self._database.erasure.scrub_whole_files()

    def _changed(
        self,
        viewer: Viewer,
        space: Space,
        doing: str,
        change: Callable[[Transaction], dict[str, Any]],
    ) -> Space:
        """A space after an owner's change."""

        def work(transaction: Transaction) -> Space:
            require_role(authorise(transaction, viewer, space), Role.OWNER, doing)
            acquire_locks(transaction, [EVERY_SPACE])
            dialect_of(transaction).bypass_row_security(transaction)
            spaces.change_space(transaction, space.id, **change(transaction))
            return spaces.space_of(transaction, space.id) or space

        return self._database.write(work)

    def require(self, viewer: Viewer, space: Space, role: Role, doing: str) -> None:
        """Refuse a viewer whose role does not suffice; the error names the role needed."""
        with self._database.reading() as transaction:
            require_role(authorise(transaction, viewer, space), role, doing)

    def members(self, viewer: Viewer, space: Space) -> list[Member]:
        """The members, for members."""
        with self._database.reading() as transaction:
            require_role(authorise(transaction, viewer, space), Role.READER, "see who belongs")
            return spaces.members_of(transaction, space.id)

    def belongs(self, viewer: Viewer, space: Space) -> bool:
        """Whether the viewer is a member of a space, and so sees what its members share."""
        with self._database.reading() as transaction:
            return authorise(transaction, viewer, space).member

    def is_new(self, viewer: Viewer, space: Space) -> bool:
        """Whether the viewer is a member who has not seen the onboarding yet."""
        with self._database.reading() as transaction:
            member = authorise(transaction, viewer, space).member
            return member and not spaces.is_welcomed(transaction, space.id, viewer.user)

    def set_member(self, viewer: Viewer, space: Space, user: str, role: str) -> Member:
        """Set a person's role; only an owner may."""
        member = Member(_safe(user, "user"), choice(Role, role, "role"), self._clock())

        def work(transaction: Transaction) -> Member:
            require_role(authorise(transaction, viewer, space), Role.OWNER, "give roles")
            spaces.set_member(transaction, space.id, member)
            _keep_an_owner(transaction, space)
            return member

        return self._database.write(work)

    def remove_member(self, viewer: Viewer, space: Space, user: str) -> bool:
        """Remove a person; an owner may, and everyone may leave. Return whether they belonged."""
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


def _unarchived(space: Space) -> Space:
    """The space, unless it is archived."""
    if space.archived_at is not None:
        raise SpaceNotFound(
            f"The space {space.name!r} is archived. Nothing was changed.",
            hint=f"An owner opens it again with 'recollect spaces restore {space.name}'.",
        )
    return space


def _listed(names: Sequence[str]) -> str:
    return " or ".join(repr(name) for name in names)


def _keep_an_owner(transaction: Transaction, space: Space) -> None:
    """Undo a change that would leave the space without an owner."""
    members = spaces.members_of(transaction, space.id)
    if not any(member.role is Role.OWNER for member in members):
        raise NotAllowed("A space keeps at least one owner. Nothing was changed.")


def _safe(name: str, what: str) -> str:
    """The name, which must not be a secret; the rules for that are loaded on demand."""
    from recollect.trust.secrets import safe_name

    return safe_name(name, what)
