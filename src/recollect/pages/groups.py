"""Teams and organisations: people who share memories beyond one space.

A team's memories are visible to its members in any space, so its name protects those memories:
nobody can found a team under a name that other people's memories are shared with already, and only
its owners decide who belongs.
"""

from collections.abc import Callable

from recollect.storage.access.visibility_filter import EVERY_SPACE, acquire_locks
from recollect.storage.database import Database, Transaction
from recollect.storage.pages import groups, spaces
from recollect.trust.secrets import safe_name
from recollect.vocabulary.arguments import checked_name, choice
from recollect.vocabulary.audiences import Viewer
from recollect.vocabulary.clock import Clock
from recollect.vocabulary.errors import Conflict, NotAllowed, NotFound
from recollect.vocabulary.spaces import Group, GroupKind, GroupMember, GroupRole, Role


class Groups:
    """Founds teams and organisations, and manages their members."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    def of(self, viewer: Viewer) -> tuple[Group, ...]:
        """The viewer's teams and organisations, each with its members."""
        with self._database.reading(all_spaces=True) as transaction:
            return tuple(groups.groups_of(transaction, viewer.user))

    def get(self, viewer: Viewer, kind: str, name: str) -> Group:
        """One group; to everyone outside, it does not exist."""
        wanted = _kind(kind), checked_name(name, "name of a group")
        with self._database.reading(all_spaces=True) as transaction:
            return _seen(transaction, viewer, *wanted)

    def found(self, viewer: Viewer, kind: str, name: str) -> Group:
        """Found a team or an organisation, with the viewer as its owner."""
        now = self._clock()
        owner = GroupMember(viewer.user, GroupRole.OWNER, now)
        group = Group(_kind(kind), safe_name(name, "name of a group"), (owner,), viewer.user, now)
        _require_owner_token(viewer)

        def work(transaction: Transaction) -> Group:
            acquire_locks(transaction, [EVERY_SPACE])
            taken = groups.get_group(transaction, group.kind, group.name) is not None
            using = groups.spaces_using(transaction, group.kind, group.name)
            if taken or not all(_owns(transaction, viewer, space_id) for space_id in using):
                raise Conflict(  # the same words, so that nobody learns what others share
                    f"The name {group.name!r} is taken. Nothing was made.",
                    hint="Choose another; or ask whoever shares memories under it to create it.",
                )
            groups.add_group(transaction, group)
            return group

        return self._database.write(work, all_spaces=True)

    def set_member(self, viewer: Viewer, kind: str, name: str, user: str, role: str) -> Group:
        """Add a person to a group or change their role; its owners may."""
        member = GroupMember(
            safe_name(user, "user"), choice(GroupRole, role, "role"), self._clock()
        )

        def change(transaction: Transaction, group: Group) -> None:
            _require_owner(group, viewer)
            groups.put_member(transaction, group.kind, group.name, member)

        return self._changed(viewer, kind, name, change)

    def remove_member(self, viewer: Viewer, kind: str, name: str, user: str) -> Group:
        """Remove a person from a group; its owners may, and everyone may leave."""
        user = checked_name(user, "user")

        def change(transaction: Transaction, group: Group) -> None:
            if user != viewer.user:
                _require_owner(group, viewer)
            if not groups.drop_member(transaction, group.kind, group.name, user):
                raise NotFound(f"{user} is not in the {group.kind.value} {group.name!r}.")

        return self._changed(viewer, kind, name, change)

    def dissolve(self, viewer: Viewer, kind: str, name: str) -> None:
        """Delete a group; its memories are then visible to their own authors only."""
        wanted = _kind(kind), checked_name(name, "name of a group")
        _require_owner_token(viewer)

        def work(transaction: Transaction) -> None:
            group = _seen(transaction, viewer, *wanted)
            _require_owner(group, viewer)
            groups.drop_group(transaction, group.kind, group.name)

        self._database.write(work, all_spaces=True)

    def _changed(
        self,
        viewer: Viewer,
        kind: str,
        name: str,
        change: Callable[[Transaction, Group], None],
    ) -> Group:
        """The group after a change; a change that would leave it without an owner is undone."""
        wanted = _kind(kind), checked_name(name, "name of a group")
        _require_owner_token(viewer)

        def work(transaction: Transaction) -> Group:
            before = _seen(transaction, viewer, *wanted)
            change(transaction, before)
            group = groups.get_group(transaction, *wanted) or before
            if not any(member.role is GroupRole.OWNER for member in group.members):
                raise NotAllowed(
                    f"A {group.kind.value} keeps at least one owner. Nothing was changed.",
                    hint="Make somebody else its owner first, or dissolve it.",
                )
            return group

        return self._database.write(work, all_spaces=True)


def _kind(kind: str) -> GroupKind:
    return choice(GroupKind, kind, "kind of group")


def _seen(transaction: Transaction, viewer: Viewer, kind: GroupKind, name: str) -> Group:
    """The group, for its members."""
    group = groups.get_group(transaction, kind, name)
    if group is None or all(member.user != viewer.user for member in group.members):
        raise NotFound(f"No {kind.value} {name!r} is visible here.")
    return group


def _require_owner(group: Group, viewer: Viewer) -> None:
    own = next((one for one in group.members if one.user == viewer.user), None)
    if own is None or own.role is not GroupRole.OWNER:
        raise NotAllowed(
            f"{viewer.user} may not change the members of the {group.kind.value} {group.name!r}.",
            hint="Its owners may.",
        )


def _require_owner_token(viewer: Viewer) -> None:
    """Refuse a token without the role of owner: a group reaches beyond a space."""
    if viewer.opens is not None and all(role is not Role.OWNER for _, role in viewer.opens):
        raise NotAllowed(
            "That token may not manage teams and organisations. Nothing was changed.",
            hint="A token with the role 'owner' may.",
        )


def _owns(transaction: Transaction, viewer: Viewer, space_id: str) -> bool:
    role = spaces.role_of(transaction, space_id, viewer.user)
    return role is Role.OWNER and viewer.enters(space_id)
