"""Teams page: the visitor's teams and organisations, and suggested aliases to confirm."""

from contextlib import suppress
from typing import Final

from recollect.surfaces.panel.page_request import (
    GET,
    POST,
    PageRequest,
    PageRoute,
    Redirect,
    Rendered,
)
from recollect.vocabulary.errors import InvalidInput, NotAllowed
from recollect.vocabulary.spaces import AliasSuggestion, GroupKind, GroupRole

_PAGE: Final = "/panel/teams"


def teams(request: PageRequest) -> Rendered:
    """Show every team and organisation with its people, and aliases to confirm."""
    people = request.memory.people
    suggested: tuple[AliasSuggestion, ...] = ()
    with suppress(NotAllowed):  # only stewards are asked
        suggested = people.suggest_aliases()
    return Rendered(
        "teams.html",
        {
            "groups": people.groups(),
            "suggested": suggested,
            "kinds": [kind.value for kind in GroupKind],
            "roles": [role.value for role in GroupRole],
        },
    )


def found(request: PageRequest) -> Redirect:
    """Create a team or an organisation."""
    request.memory.people.found_group(request.form.get("kind"), _named(request, "name"))
    return Redirect(_PAGE, "saved")


def add(request: PageRequest) -> Redirect:
    """Add a person to a group, or change their role."""
    form = request.form
    request.memory.people.add_to_group(
        form.get("kind"),
        _named(request, "name"),
        _named(request, "user"),
        form.get("role") or GroupRole.MEMBER,
    )
    return Redirect(_PAGE, "saved")


def remove(request: PageRequest) -> Redirect:
    """Remove a person from a group."""
    form = request.form
    request.memory.people.remove_from_group(
        form.get("kind"), _named(request, "name"), _named(request, "user")
    )
    return Redirect(_PAGE, "removed")


def confirm(request: PageRequest) -> Redirect:
    """Confirm that a suggested name is a member's."""
    request.memory.confirm_alias(_named(request, "user"), _named(request, "alias"))
    return Redirect(_PAGE, "saved")


def _named(request: PageRequest, field: str) -> str:
    if not request.form.has(field):
        raise InvalidInput("Give a name. Nothing was changed.")
    return request.form.get(field)


ROUTES: Final = (
    PageRoute(GET, _PAGE, teams),
    PageRoute(POST, "/panel/teams/found", found),
    PageRoute(POST, "/panel/teams/add", add),
    PageRoute(POST, "/panel/teams/remove", remove),
    PageRoute(POST, "/panel/teams/aliases", confirm),
)
