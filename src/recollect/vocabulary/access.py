"""Access tokens: credentials of a program for a server, on behalf of a person.

The secret is shown once; the stored digest cannot be turned back into it. A token has a role in
each space it gives access to, and never allows more than that, nor any other space.
"""

from dataclasses import dataclass
from datetime import datetime

from recollect.vocabulary.spaces import Role


@dataclass(frozen=True, slots=True)
class AccessToken:
    """One token in one space. The same token may give access to several, with a role in each."""

    id: str
    space_id: str
    user: str
    name: str
    role: Role
    shown: str
    created_at: datetime
    created_by: str
    expires_at: datetime | None = None
    last_used_at: datetime | None = None
    revoked_at: datetime | None = None
    #: The id of the token that a login was made with, if this token is a login.
    parent: str | None = None

    def opens_at(self, now: datetime) -> bool:
        """Whether the token is still valid."""
        return self.revoked_at is None and (self.expires_at is None or now < self.expires_at)


@dataclass(frozen=True, slots=True)
class NewAccessToken:
    """A new token, with the secret that is never shown again."""

    token: AccessToken
    secret: str
