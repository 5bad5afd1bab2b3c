"""Access tokens API, for the space and the viewer of one engine."""

from dataclasses import dataclass
from datetime import datetime

from recollect.engine.verb_wrappers import repeatable
from recollect.trust.access_tokens import AccessTokens
from recollect.vocabulary.access import AccessToken, NewAccessToken
from recollect.vocabulary.arguments import amount
from recollect.vocabulary.audiences import Viewer
from recollect.vocabulary.spaces import Role, Space


@dataclass(frozen=True, slots=True)
class Tokens:
    """``memory.tokens``: who may connect over a server, and with which role."""

    _access: AccessTokens
    _viewer: Viewer
    _space: Space

    def create(
        self,
        *,
        user: str | None = None,
        role: str = Role.MEMBER,
        name: str = "",
        expires_at: datetime | None = None,
    ) -> NewAccessToken:
        """Create a token for a person; its secret is in the answer and nowhere else."""
        return self._access.create(
            self._viewer, self._space, user=user, role=role, name=name, expires_at=expires_at
        )

    @repeatable
    def list(self) -> tuple[AccessToken, ...]:
        """The viewer's tokens in this space; an owner sees everyone's."""
        return tuple(self._access.list(self._viewer, self._space))

    def revoke(self, token: str) -> AccessToken:
        """Revoke a token, by its id or the beginning of its secret."""
        return self._access.revoke(self._viewer, self._space, token)

    @repeatable
    def any(self) -> bool:
        """Whether the store has any valid token."""
        return self._access.any()

    def begin_login(self, secret: str, *, hours: float = 12.0) -> str:
        """Log in with a token: a secret for one browser, which expires after some hours."""
        return self._access.begin_login(secret, amount(hours, 0.01, 720.0, "A login lasts"))

    def end_login(self, secret: str) -> None:
        """Log one browser out."""
        self._access.end_login(secret)

    def end_logins(self) -> int:
        """Log the viewer out everywhere; how many browsers."""
        return self._access.end_logins(self._viewer)

    def flush(self) -> None:
        """Write when tokens were last used; this happens automatically every half minute."""
        self._access.flush()
