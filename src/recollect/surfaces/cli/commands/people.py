"""Commands on people: members and roles, aliases, teams, onboarding, proposals."""

from typing import TYPE_CHECKING, Annotated, Any

from typer import Argument, Option, Typer

from recollect.surfaces.cli.command import CliCommand, CliGroup, command
from recollect.surfaces.cli.session import CommandContext

if TYPE_CHECKING:
    from recollect.surfaces.cli.views.screen import Screen
    from recollect.vocabulary.spaces import Group

User = Annotated[str, Argument(metavar="USER", help="The person, by the name they work under.")]
OtherName = Annotated[
    str, Argument(metavar="NAME", help="The other name, as it appears on events.")
]
GroupName = Annotated[str, Argument(metavar="NAME", help="The team or organisation.")]
Organisation = Annotated[bool, Option("--organisation", help="It is an organisation, not a team.")]
MemoryId = Annotated[str, Argument(metavar="ID", help="The memory.")]


# --- members --------------------------------------------------------------------------------------


def member_list(session: CommandContext) -> None:
    """List members; add people, set roles.

    Roles are reader, member, steward and owner, each including the rights of those before it.
    """
    with session.open() as memory:
        members, space = memory.members(), memory.space.name

    def draw(screen: "Screen") -> None:
        from recollect.surfaces.cli.views.screen import StyledText

        rows = [
            [[StyledText(one.user, "bold")], [StyledText(one.role)], [screen.when(one.joined_at)]]
            for one in members
        ]
        screen.table(("member", "role", "since"), rows)

    session.answer({"space": space, "members": members}, draw)


def member_add(
    session: CommandContext,
    who: User,
    role: Annotated[
        str, Option("--role", metavar="ROLE", help="reader, member, steward or owner.")
    ] = "member",
) -> None:
    """Add a person to the space, or change their role. Owners only."""
    with session.open() as memory:
        member, space = memory.add_member(who, role), memory.space.name
    _say(session, member, f"{member.user} is {member.role.value} of {space!r}.")


def member_remove(session: CommandContext, who: User) -> None:
    """Remove a person from the space. Owners only; the last owner stays."""
    with session.open() as memory:
        removed, space = memory.remove_member(who), memory.space.name
    words = f"{who} is no longer in {space!r}." if removed else f"{who} was not in {space!r}."
    _say(session, {"removed": removed}, words)


def member_leave(session: CommandContext) -> None:
    """Leave the space; the last owner cannot."""
    with session.open() as memory:
        left, space = memory.people.leave(), memory.space.name
    _say(session, {"left": left}, f"You left {space!r}." if left else f"You were not in {space!r}.")


# --- other names ----------------------------------------------------------------------------------


def alias_list(session: CommandContext) -> None:
    """List aliases of members; confirm one.

    A name on an imported message (Dan Petrov) is a member's (dan) once a steward confirms it. Then
    dan also reads the private conversations that list him under it.
    """
    with session.open() as memory:
        known = memory.aliases()

    def draw(screen: "Screen") -> None:
        from recollect.surfaces.cli.views.screen import StyledText

        rows = [
            [
                [StyledText(one.name, "bold")],
                [StyledText(one.user)],
                [StyledText(one.confirmed_by)],
                [screen.when(one.confirmed_at)],
            ]
            for one in known
        ]
        screen.table(("name", "is", "confirmed by", "since"), rows)

    session.answer({"aliases": known}, draw)
    if not known:
        session.note("There are none. 'recollect alias suggest' looks for some.")


def alias_suggest(session: CommandContext) -> None:
    """Suggest whose other names the authors of imported messages are. Stewards may confirm."""
    with session.open() as memory:
        suggested = memory.people.suggest_aliases()
    session.answer({"suggestions": suggested}, lambda screen: draw_suggestions(screen, suggested))
    if not suggested:
        session.note("No author looks like a member under another name.")


def draw_suggestions(screen: "Screen", suggested: Any) -> None:
    """Each suggestion, and the command that confirms it."""
    import shlex

    from recollect.surfaces.cli.views.screen import StyledText

    for one in suggested:
        screen.line(
            StyledText(f"{one.name} is probably {one.user}", "bold"),
            StyledText(f" ({one.reason}; {one.events:,} messages): "),
            StyledText(f"recollect alias confirm {shlex.join([one.user, one.name])}", "cyan"),
        )


def alias_confirm(session: CommandContext, who: User, name: OtherName) -> None:
    """Confirm that a name is a member's. Stewards only; 'alias withdraw' undoes it."""
    with session.open() as memory:
        alias = memory.confirm_alias(who, name)
    _say(session, alias, f"{alias.name} is {alias.user}.")


def alias_withdraw(session: CommandContext, who: User, name: OtherName) -> None:
    """Remove an alias of a member. Stewards, and the member."""
    with session.open() as memory:
        gone = memory.withdraw_alias(who, name)
    words = f"{name} is no longer {who}." if gone else f"{name} was not another name of {who}."
    _say(session, {"withdrawn": gone}, words)


# --- teams and organisations ----------------------------------------------------------------------


def team_list(session: CommandContext) -> None:
    """List teams and organisations; create one.

    What is remembered with visibility team or organisation is seen by its people in every space.
    """
    with session.open_store() as memory:
        found = memory.people.groups()
    session.answer({"groups": found}, lambda screen: _draw_groups(screen, found))
    if not found:
        session.note("You are in none. 'recollect team create NAME' creates one.")


def team_create(
    session: CommandContext, name: GroupName, organisation: Organisation = False
) -> None:
    """Create a team, or an organisation; you become its owner."""
    with session.open_store() as memory:
        group = memory.people.found_group(_kind(organisation), name)
    _say(session, group, f"Founded the {group.kind.value} {group.name!r}.")


def team_add(
    session: CommandContext,
    name: GroupName,
    who: User,
    owner: Annotated[
        bool, Option("--owner", help="Make them an owner, who may add and remove people.")
    ] = False,
    organisation: Organisation = False,
) -> None:
    """Add a person to a team, or change their role. Its owners only."""
    with session.open_store() as memory:
        role = "owner" if owner else "member"
        group = memory.people.add_to_group(_kind(organisation), name, who, role)
    session.answer(group, lambda screen: _draw_groups(screen, [group]))


def team_remove(
    session: CommandContext, name: GroupName, who: User, organisation: Organisation = False
) -> None:
    """Remove a person from a team. Its owners only; anyone may leave."""
    with session.open_store() as memory:
        group = memory.people.remove_from_group(_kind(organisation), name, who)
    session.answer(group, lambda screen: _draw_groups(screen, [group]))


def team_dissolve(
    session: CommandContext, name: GroupName, organisation: Organisation = False
) -> None:
    """Dissolve a team; what was shared with it is then visible to its authors only."""
    with session.open_store() as memory:
        memory.people.dissolve_group(_kind(organisation), name)
    _say(session, {"dissolved": name}, f"{name!r} is dissolved.")


def _kind(organisation: bool) -> str:
    return "organisation" if organisation else "team"


def _draw_groups(screen: "Screen", found: "tuple[Group, ...] | list[Group]") -> None:
    from recollect.surfaces.cli.views.screen import StyledText

    rows = [
        [
            [StyledText(one.name, "bold")],
            [StyledText(one.kind)],
            [
                StyledText(
                    ", ".join(f"{person.user} ({person.role.value})" for person in one.members)
                )
            ],
        ]
        for one in found
    ]
    screen.table(("name", "kind", "people"), rows)


# --- what is shared -------------------------------------------------------------------------------


def onboarding(
    session: CommandContext,
    limit: Annotated[int, Option("--limit", metavar="COUNT", help="How many at most.")] = 5,
) -> None:
    """Show a newcomer what matters most.

    Ranked by confidence, pinning and use. A new member sees this list once, without asking.
    """
    with session.open() as memory:
        shown = memory.people.onboarding(limit)
    session.answer({"memories": shown}, lambda screen: draw_onboarding(screen, shown))
    if not shown:
        session.note("Nobody else has shared anything here yet.")


def draw_onboarding(screen: "Screen", shown: Any) -> None:
    """Each memory in a line, with whose it is."""
    from recollect.surfaces.cli.views.screen import StyledText
    from recollect.surfaces.cli.views.words import one_line

    for number, one in enumerate(shown, 1):
        screen.line(
            StyledText(f"{number}. {one_line(one.content)} "),
            StyledText(f"({one.provenance.created_by}, {one.audience.visibility.value})", "dim"),
        )


def propose(session: CommandContext, memory: MemoryId) -> None:
    """Propose one of your memories to the project.

    It is shown under your name, unconfirmed, until a second person or a steward adopts it.
    """
    with session.open() as store:
        kept = store.people.propose(memory)
    _say(session, kept, f"Proposed as {kept.id}. 'recollect adopt' makes it the project's.")


def adopt(session: CommandContext, memory: MemoryId) -> None:
    """Adopt a proposed memory for the project."""
    with session.open() as store:
        kept = store.people.adopt(memory)
    _say(session, kept, f"{kept.id} is the project's.")


def _say(session: CommandContext, value: Any, words: str) -> None:
    from recollect.surfaces.cli.views.screen import StyledText

    session.answer(value, lambda screen: screen.line(StyledText(words)))


def _group() -> Typer:
    return Typer(
        cls=CliGroup, add_completion=False, rich_markup_mode=None, invoke_without_command=True
    )


member = _group()
member.callback()(command(member_list))
member.command("add", cls=CliCommand)(command(member_add))
member.command("remove", cls=CliCommand)(command(member_remove))
member.command("leave", cls=CliCommand)(command(member_leave))

alias = _group()
alias.callback()(command(alias_list))
alias.command("suggest", cls=CliCommand)(command(alias_suggest))
alias.command("confirm", cls=CliCommand)(command(alias_confirm))
alias.command("withdraw", cls=CliCommand)(command(alias_withdraw))

team = _group()
team.callback()(command(team_list))
team.command("create", cls=CliCommand)(command(team_create))
team.command("add", cls=CliCommand)(command(team_add))
team.command("remove", cls=CliCommand)(command(team_remove))
team.command("dissolve", cls=CliCommand)(command(team_dissolve))
