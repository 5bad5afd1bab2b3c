"""People page: members and roles of the space, their aliases, and access tokens."""

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
from recollect.vocabulary.spaces import Role


def people(request: PageRequest) -> Rendered:
    """Show members, tokens and aliases."""
    memory = request.memory
    return Rendered("people.html", _values(request, memory.members()))


def _values(request: PageRequest, members: object, secret: str = "") -> dict[str, object]:
    memory = request.memory
    return {
        "members": members,
        "roles": [role.value for role in Role],
        "tokens": memory.tokens.list(),
        "aliases": memory.aliases(),
        "viewer": memory.viewer.user,
        "secret": secret,
    }


def set_member(request: PageRequest) -> Redirect:
    """Add a member, or change their role."""
    form = request.form
    if not form.has("user"):
        raise InvalidInput("Name the person. Nothing was changed.")
    request.memory.add_member(form.get("user"), form.get("role"))
    return Redirect("/panel/people", "saved")


def remove_member(request: PageRequest) -> Redirect:
    """Take a person out of the space."""
    request.memory.remove_member(request.form.get("user"))
    return Redirect("/panel/people", "removed")


def create_token(request: PageRequest) -> Rendered:
    """Create a token; its secret is shown once, on this page."""
    form, memory = request.form, request.memory
    if request.logged_in:
        raise NotAllowed(
            "A token cannot create tokens. Nothing was created.",
            hint="Run 'recollect token create' on the server's machine.",
        )
    new = memory.tokens.create(
        user=form.get("user") or None, role=form.get("role") or "member", name=form.get("name")
    )
    return Rendered("people.html", _values(request, memory.members(), new.secret))


def revoke_token(request: PageRequest) -> Redirect:
    """Revoke a token."""
    request.memory.tokens.revoke(request.form.get("token"))
    return Redirect("/panel/people", "revoked")


def confirm_alias(request: PageRequest) -> Redirect:
    """Confirm that a name in imported histories is a member's."""
    request.memory.confirm_alias(request.form.get("user"), request.form.get("alias"))
    return Redirect("/panel/people", "saved")


def withdraw_alias(request: PageRequest) -> Redirect:
    """Remove an alias from a member."""
    request.memory.withdraw_alias(request.form.get("user"), request.form.get("alias"))
    return Redirect("/panel/people", "removed")


ROUTES: Final = (
    PageRoute(GET, "/panel/people", people),
    PageRoute(POST, "/panel/people/members", set_member),
    PageRoute(POST, "/panel/people/remove", remove_member),
    PageRoute(POST, "/panel/people/tokens", create_token),
    PageRoute(POST, "/panel/people/revoke", revoke_token),
    PageRoute(POST, "/panel/people/aliases", confirm_alias),
    PageRoute(POST, "/panel/people/withdraw", withdraw_alias),
)
