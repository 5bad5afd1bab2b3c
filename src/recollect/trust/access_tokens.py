"""Access tokens: created for a person, shown once, checked at every request.

A token is 256 random bits; the store keeps only their SHA-256. Its rights are read from the store
each time, so a token that was revoked a moment ago gives no access.
"""

import base64
import hashlib
import os
import threading
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final, NoReturn

from recollect.storage.access import tokens
from recollect.storage.database import Database, Transaction
from recollect.storage.pages import spaces
from recollect.trust.authorisation import authorise, require_role
from recollect.trust.secrets import safe_name
from recollect.vocabulary.access import AccessToken, NewAccessToken
from recollect.vocabulary.arguments import choice, shown
from recollect.vocabulary.audiences import Viewer
from recollect.vocabulary.clock import Clock, aware
from recollect.vocabulary.errors import InvalidInput, NotAllowed, NotFound, TokenRefused
from recollect.vocabulary.ids import ACCESS_TOKEN, new_id
from recollect.vocabulary.spaces import Member, Role, Space

MARK: Final = "rcl_"
SECRET_LENGTH: Final = len(MARK) + 43
SHOWN: Final = len(MARK) + 6
_BETWEEN_NOTES: Final = timedelta(seconds=30)


class AccessTokens:
    """Creates, lists and revokes tokens, and identifies the person behind a secret."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock
        self._turn = threading.Lock()
        self._used: dict[str, datetime] = {}
        self._noted = clock()

    def create(
        self,
        viewer: Viewer,
        space: Space,
        *,
        user: str | None = None,
        role: str = Role.MEMBER,
        name: str = "",
        expires_at: datetime | None = None,
    ) -> NewAccessToken:
        """Create a token for a person in a space. Everyone may create their own; owners, for
        anyone.

        A person who is not a member of the space yet becomes one with the token's role.
        """
        now = self._clock()
        secret = _new_secret()
        token = AccessToken(
            id=new_id(ACCESS_TOKEN, now),
            space_id=space.id,
            user=viewer.user if user is None else safe_name(user, "user"),
            name=safe_name(name, "name") if name else "",
            role=choice(Role, role, "role"),
            shown=secret[:SHOWN],
            created_at=now,
            created_by=viewer.user,
            expires_at=None if expires_at is None else aware(expires_at, "expires_at"),
        )
        if token.expires_at is not None and token.expires_at <= now:
            raise InvalidInput("The token would be expired already. Nothing was created.")

        def work(transaction: Transaction) -> None:
            self._admit(transaction, viewer, space, token)
            tokens.add_token(transaction, token, digest_of(secret))

        self._database.write(work)
        return NewAccessToken(token, secret)

    def list(self, viewer: Viewer, space: Space) -> Sequence[AccessToken]:
        """The viewer's tokens in a space; an owner sees everyone's."""
        with self._database.reading() as transaction:
            access = require_role(authorise(transaction, viewer, space), Role.READER, "list tokens")
        with self._database.reading(all_spaces=True) as transaction:
            found = tokens.tokens_of(transaction, space.id)
        return [token for token in found if access.role is Role.OWNER or token.user == viewer.user]

    def revoke(self, viewer: Viewer, space: Space, token: str) -> AccessToken:
        """Revoke a token, by its id or by the beginning of its secret."""
        matching = [
            known
            for known in self.list(viewer, space)
            if token and (known.id == token or known.shown == token[:SHOWN])
        ]
        if len(matching) != 1:
            raise NotFound(
                f"No token {shown(token[:SHOWN])} is visible here."
                if not matching
                else "More than one token begins like that.",
                hint="List the tokens to see their ids.",
            )
        now = self._clock()
        self._database.write(
            lambda transaction: tokens.revoke_token(transaction, space.id, matching[0].id, now),
            all_spaces=True,
        )
        return matching[0]

    def viewer_of(self, secret: str) -> Viewer:
        """The viewer that a secret authenticates, with the role in each space it opens."""
        now = self._clock()
        rows = []
        if len(secret) == SECRET_LENGTH and secret.startswith(MARK):
            with self._database.reading(all_spaces=True) as transaction:
                rows = tokens.opened_by(transaction, digest_of(secret), now)
        if not rows:
            self.refuse()
        self._note(rows[0].token_id, now)
        return Viewer(
            rows[0].user_id,
            opens=frozenset((row.space_id, Role(row.role)) for row in rows),
            token=rows[0].token_id,
        )

    def refuse(self) -> NoReturn:
        """The one error for every invalid token, whatever the reason is."""
        raise TokenRefused(
            "That token is not valid: it is unknown, expired, or was revoked.",
            hint="'recollect token create' makes one.",
        )

    def begin_login(self, secret: str, hours: float) -> str:
        """A secret for one browser, with the rights of the token; expires with it or sooner."""
        now = self._clock()
        with self._database.reading(all_spaces=True) as transaction:
            rows = tokens.opened_by(transaction, digest_of(secret), now)
        if not rows:
            self.refuse()
        own = _new_secret()
        number = new_id(ACCESS_TOKEN, now)

        def work(transaction: Transaction) -> None:
            for row in rows:
                login = AccessToken(
                    id=number,
                    space_id=row.space_id,
                    user=row.user_id,
                    name="panel",
                    role=Role(row.role),
                    shown=own[:SHOWN],
                    created_at=now,
                    created_by=row.user_id,
                    expires_at=now + timedelta(hours=hours),
                    parent=row.parent_id or row.token_id,  # a login's login: same token
                )
                tokens.add_token(transaction, login, digest_of(own))

        self._database.write(work, all_spaces=True)
        return own

    def end_login(self, secret: str) -> None:
        """End the login of a secret; a token that was created explicitly stays."""
        now = self._clock()
        self._database.write(
            lambda transaction: tokens.revoke_digest(transaction, digest_of(secret), now),
            all_spaces=True,
        )

    def end_logins(self, viewer: Viewer) -> int:
        """End every login of the viewer, in every browser; how many."""
        now = self._clock()
        return self._database.write(
            lambda transaction: tokens.revoke_logins(transaction, viewer.user, now), all_spaces=True
        )

    def any(self) -> bool:
        """Whether the store has any valid token."""
        with self._database.reading(all_spaces=True) as transaction:
            return tokens.any_token(transaction, self._clock())

    def flush(self) -> None:
        """Write which tokens were used since the last time."""
        with self._turn:
            used, self._used = self._used, {}
            self._noted = self._clock()
        if used:
            self._database.write(
                lambda transaction: tokens.note_used(transaction, used), all_spaces=True
            )

    def _note(self, token_id: str, now: datetime) -> None:
        """Buffer the use of a token: reads must not write, so uses are written together."""
        with self._turn:
            self._used[token_id] = now
            due = now - self._noted >= _BETWEEN_NOTES
        if due:
            self.flush()

    def _admit(
        self, transaction: Transaction, viewer: Viewer, space: Space, token: AccessToken
    ) -> None:
        """Check that the viewer may create this token; adds its person as a member if needed."""
        access = authorise(transaction, viewer, space)
        if viewer.token is not None:
            raise NotAllowed("A token cannot create tokens. Nothing was created.")
        if token.user == viewer.user:
            require_role(access, token.role, f"make a token with the role {token.role.value!r}")
            return
        require_role(access, Role.OWNER, "make tokens for others")
        if spaces.role_of(transaction, space.id, token.user) is None:
            spaces.set_member(
                transaction, space.id, Member(token.user, token.role, token.created_at)
            )


def _new_secret() -> str:
    return MARK + base64.urlsafe_b64encode(os.urandom(32)).decode().rstrip("=")


def digest_of(secret: str) -> str:
    """The stored digest of a secret: 256 random bits need no salt and no slow hash."""
    return hashlib.sha256(secret.encode()).hexdigest()
