"""Aliases: other names that members of a space write under, each confirmed by a steward.

A person's history comes from places where they had other names. An event is recorded under such a
name only when a steward of the space has confirmed whose it is.
"""

from typing import TYPE_CHECKING, Annotated

from typer import Argument, Typer

from recollect.surfaces.cli.command import CliCommand, CliGroup, command
from recollect.surfaces.cli.session import CommandContext

if TYPE_CHECKING:
    from collections.abc import Sequence

    from recollect.surfaces.cli.views.screen import Screen
    from recollect.vocabulary.spaces import Alias

Member = Annotated[str, Argument(metavar="MEMBER", help="The member who writes under it.")]
Other = Annotated[str, Argument(metavar="NAME", help="The other name.")]


def alias_list(session: CommandContext) -> None:
    """List aliases of members; confirm or remove one."""
    with session.open() as memory:
        found = memory.aliases()
    session.answer({"aliases": found}, lambda screen: _table(screen, found))
    if not found:
        session.note("No member writes under another name. 'recollect alias confirm' adds one.")


def alias_confirm(session: CommandContext, member: Member, other: Other) -> None:
    """Confirm that a member writes under another name; stewards may."""
    from recollect.surfaces.cli.views.screen import StyledText

    with session.open() as memory:
        kept = memory.confirm_alias(member, other)
    words = f"{kept.user} writes as {kept.name!r} too."
    session.answer(kept, lambda screen: screen.line(StyledText(words)))


def alias_remove(session: CommandContext, member: Member, other: Other) -> None:
    """Remove an alias; what was recorded under it stays."""
    from recollect.surfaces.cli.views.screen import StyledText

    with session.open() as memory:
        removed = memory.withdraw_alias(member, other)
    words = f"{member} writes as {other!r} no longer." if removed else f"{member} has no such name."
    session.answer({"removed": removed}, lambda screen: screen.line(StyledText(words)))


def _table(screen: "Screen", found: "Sequence[Alias]") -> None:
    from recollect.surfaces.cli.views.screen import Line, StyledText
    from recollect.surfaces.cli.views.words import stamp

    rows: list[list[Line]] = [
        [
            [StyledText(one.user, "bold")],
            [StyledText(one.name)],
            [StyledText(one.confirmed_by, "dim")],
            [StyledText(stamp(one.confirmed_at), "dim")],
        ]
        for one in found
    ]
    screen.table(("member", "writes as", "confirmed by", "at"), rows)


alias = Typer(
    cls=CliGroup, add_completion=False, rich_markup_mode=None, invoke_without_command=True
)
alias.callback()(command(alias_list))
alias.command("confirm", cls=CliCommand)(command(alias_confirm))
alias.command("remove", cls=CliCommand)(command(alias_remove))
