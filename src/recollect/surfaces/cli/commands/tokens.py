"""Access token commands: create, list, revoke. A secret is shown once, on creation."""

import re
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Annotated, Any, Final

from typer import Argument, Option, Typer

from recollect.surfaces.cli.command import CliCommand, CliGroup, command
from recollect.surfaces.cli.session import CommandContext
from recollect.vocabulary.errors import InvalidInput

if TYPE_CHECKING:
    from recollect.surfaces.cli.views.screen import Screen

_SPAN: Final = re.compile(r"([1-9][0-9]{0,4})([hdwmy])")
_HOURS: Final = {"h": 1, "d": 24, "w": 7 * 24, "m": 30 * 24, "y": 365 * 24}


def list_tokens(session: CommandContext) -> None:
    """List, create and revoke access tokens."""
    with session.open() as memory:
        tokens = memory.tokens.list()
        space = memory.space.name
    now = datetime.now(UTC)
    session.answer({"space": space, "tokens": tokens}, lambda screen: _table(screen, tokens, now))
    if not tokens:
        session.note(
            f"No token gives access to the space {space!r}. 'recollect token create' makes one."
        )


def create(
    session: CommandContext,
    bearer: Annotated[
        str | None, Option("--for", metavar="USER", help="The user it acts for; you by default.")
    ] = None,
    role: Annotated[
        str, Option("--role", metavar="ROLE", help="reader, member, steward or owner.")
    ] = "member",
    name: Annotated[
        str, Option("--name", metavar="TEXT", help="What it is for; shown in the list.")
    ] = "",
    expires: Annotated[
        str, Option("--expires", metavar="SPAN", help="How long it is valid: 12h, 90d, 1y, never.")
    ] = "90d",
) -> None:
    """Create a token for the server; its secret is shown once."""
    expires_at = _expiry(expires, datetime.now(UTC))
    with session.open(makes=True) as memory:
        made = memory.tokens.create(user=bearer, role=role, name=name, expires_at=expires_at)
        space = memory.space.name
    token = made.token
    answer = {"secret": made.secret, "space": space, "token": token}
    session.answer(answer, lambda screen: _secret(screen, made.secret))
    until = "for good" if token.expires_at is None else f"until {token.expires_at:%Y-%m-%d %H:%M}"
    session.note(
        f"{token.user} may enter {space!r} with it as {token.role.value}, {until}. "
        "Save it now: it is not shown again."
    )


def revoke(
    session: CommandContext,
    token: Annotated[
        str, Argument(metavar="TOKEN", help="Its id, or the beginning of its secret.")
    ],
) -> None:
    """Revoke a token: from now on it gives no access here."""
    from recollect.surfaces.cli.views.screen import StyledText

    with session.open() as memory:
        gone = memory.tokens.revoke(token)
        space = memory.space.name
    words = f"{gone.shown}… of {gone.user} opens {space!r} no longer."
    session.answer({"revoked": gone.id}, lambda screen: screen.line(StyledText(words)))


def _expiry(span: str, now: datetime) -> datetime | None:
    if span == "never":
        return None
    given = _SPAN.fullmatch(span)
    if given is None:
        raise InvalidInput(
            f"{span!r} is not a span of time.", hint="Write it like 12h, 90d, 2w, 6m, 1y or never."
        )
    return now + timedelta(hours=int(given[1]) * _HOURS[given[2]])


def _secret(screen: "Screen", secret: str) -> None:
    from recollect.surfaces.cli.views.screen import StyledText

    screen.line(StyledText(secret, "bold"))


def _table(screen: "Screen", tokens: Any, now: datetime) -> None:
    from recollect.surfaces.cli.views.screen import StyledText

    rows = [
        [
            [StyledText(token.id)],
            [StyledText(f"{token.shown}…")],
            [StyledText(token.user)],
            [StyledText(token.role.value)],
            [StyledText(_state(token, now))],
            [
                StyledText("never")
                if token.last_used_at is None
                else screen.when(token.last_used_at)
            ],
            [StyledText(token.name)],
        ]
        for token in tokens
    ]
    screen.table(("id", "secret", "for", "role", "good", "last used", "name"), rows)


def _state(token: Any, now: datetime) -> str:
    if token.revoked_at is not None:
        return "revoked"
    if token.expires_at is None:
        return "for good"
    return f"{'until' if token.opens_at(now) else 'ended'} {token.expires_at:%Y-%m-%d}"


token = Typer(
    cls=CliGroup, add_completion=False, rich_markup_mode=None, invoke_without_command=True
)
token.callback()(command(list_tokens))
token.command("create", cls=CliCommand)(command(create))
token.command("revoke", cls=CliCommand)(command(revoke))
