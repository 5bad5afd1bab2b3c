"""Tenant commands: create, list, move and drop a store per tenant, for administrators."""

from typing import Annotated, Any

from typer import Argument, Option, Typer

from recollect.surfaces.cli.command import CliCommand, CliGroup, command
from recollect.surfaces.cli.session import CommandContext
from recollect.vocabulary.errors import InvalidInput

Name = Annotated[str, Argument(metavar="TENANT", help="Its name: small letters, digits, _.")]


def tenant_list(session: CommandContext) -> None:
    """Give each organisation its own store.

    The setting db is then a template: postgresql://host/{tenant}. 'RECOLLECT_TENANT=acme recollect
    recall ...' uses the store of acme.
    """
    from recollect import composition

    found = composition.list_tenants(session.db_template)

    def draw(screen: Any) -> None:
        from recollect.surfaces.cli.views.screen import StyledText

        for one in found:
            screen.line(StyledText(one))

    session.answer({"tenants": found}, draw)
    if not found:
        session.note("There are none.")


def tenant_create(session: CommandContext, tenant: Name) -> None:
    """Create a tenant's store."""
    from recollect import composition

    composition.create_tenant(session.db_template, tenant)
    _say(session, {"created": tenant}, f"{tenant!r} has a store of its own.")


def tenant_move(
    session: CommandContext,
    tenant: Name,
    target: Annotated[
        str, Argument(metavar="TO", help="The new address: a new file, or an empty database.")
    ],
) -> None:
    """Move a tenant's store to another address; the old one stays until it is dropped."""
    from recollect import composition
    from recollect.surfaces.cli.commands.move import run_move

    run_move(session, composition.tenant_address(session.db_template, tenant), target)


def tenant_drop(
    session: CommandContext,
    tenant: Name,
    confirm: Annotated[
        str, Option("--confirm", metavar="TENANT", help="Repeat the name to confirm.")
    ] = "",
) -> None:
    """Permanently delete a tenant's store with everything in it."""
    from recollect import composition

    if confirm != tenant:
        raise InvalidInput(f"Add --confirm {tenant} to drop its store. Nothing was dropped.")
    composition.drop_tenant(session.db_template, tenant)
    _say(session, {"dropped": tenant}, f"The store of {tenant!r} is gone.")


def _say(session: CommandContext, value: Any, words: str) -> None:
    from recollect.surfaces.cli.views.screen import StyledText

    session.answer(value, lambda screen: screen.line(StyledText(words)))


tenant = Typer(
    cls=CliGroup, add_completion=False, rich_markup_mode=None, invoke_without_command=True
)
tenant.callback()(command(tenant_list))
tenant.command("create", cls=CliCommand)(command(tenant_create))
tenant.command("move", cls=CliCommand)(command(tenant_move))
tenant.command("drop", cls=CliCommand)(command(tenant_drop))
