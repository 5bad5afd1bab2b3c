"""An access token: what a program shows at the door of a server, in a person's name.

It is a secret that is told once; what is kept of it cannot be turned back into it. It holds a role
in each space that it opens, and never lets its bearer do more than that, nor go elsewhere.
"""

from dataclasses import dataclass
from datetime import datetime

from recollect.vocabulary.spaces import Role


@dataclass(frozen=True, slots=True)
class AccessToken:
    """One token in one space. The same token may open several, with a role in each."""

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
    #: The id of the token that somebody logged in with, where this one is the login's own.
    parent: str | None = None

    def opens_at(self, now: datetime) -> bool:
        """Whether it is still good."""
        return self.revoked_at is None and (self.expires_at is None or now < self.expires_at)


@dataclass(frozen=True, slots=True)
class NewAccessToken:
    """A token just made, with the secret that nobody will see again."""

    token: AccessToken
    secret: str
