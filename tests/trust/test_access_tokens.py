"""Access tokens on every store: told once, kept as a digest, never more than they say."""

from datetime import timedelta

import pytest
from sqlalchemy import select

from recollect.engine import Recollect
from recollect.storage.schema import access_tokens
from recollect.trust.access_tokens import MARK, SECRET_LENGTH, digest_of
from recollect.vocabulary.errors import (
    InvalidInput,
    NotAllowed,
    NotFound,
    SpaceNotFound,
    TokenRefused,
)
from tests.clocks import TickingClock
from tests.stores import StoreMaker


def test_the_secret_is_told_once_and_kept_nowhere(stores: StoreMaker) -> None:
    address = stores.ready()
    memory = stores.open(address)
    made = memory.tokens.create(name="laptop")
    assert len(made.secret) == SECRET_LENGTH
    assert made.secret.startswith(MARK)
    with stores.database(address).reading() as connection:
        (row,) = connection.execute(select(access_tokens)).all()
    assert made.secret not in " ".join(map(str, row))
    assert row.digest == digest_of(made.secret)
    assert made.secret.startswith(row.shown)
    assert len(row.shown) < 12
    assert memory.tokens.create().secret != made.secret


def test_everyone_makes_their_own_and_owners_for_anyone(memory: Recollect) -> None:
    memory.add_member("bob", "member")
    bob = memory.within(user="bob")
    assert bob.tokens.create(role="reader").token.user == "bob"
    with pytest.raises(NotAllowed, match="role 'owner'"):
        bob.tokens.create(role="owner")
    with pytest.raises(NotAllowed, match="for others"):
        bob.tokens.create(user="eve", role="reader")
    with pytest.raises(NotAllowed):
        memory.within(user="eve").tokens.create(role="reader")
    memory.tokens.create(user="eve", role="reader")
    assert {member.user: member.role for member in memory.members()}["eve"] == "reader"
    memory.tokens.create(user="bob", role="owner")
    assert {member.user: member.role for member in memory.members()}["bob"] == "member"


def test_a_bearer_has_the_lower_of_two_roles(memory: Recollect) -> None:
    memory.tokens.create(user="bob", role="reader")
    high = memory.bearing(memory.tokens.create(user="bob", role="owner").secret)
    low = memory.bearing(memory.tokens.create(role="reader").secret)
    for view in (high, low):
        with pytest.raises(NotAllowed):
            view.remember("no")
    with pytest.raises(NotAllowed, match="cannot create tokens"):
        memory.bearing(memory.tokens.create(role="owner").secret).tokens.create()


def test_owners_see_all_and_others_their_own(memory: Recollect) -> None:
    mine = memory.tokens.create(name="mine").token
    bobs = memory.tokens.create(user="bob", role="member").token
    assert [token.id for token in memory.tokens.list()] == [mine.id, bobs.id]
    bob = memory.within(user="bob")
    assert [token.id for token in bob.tokens.list()] == [bobs.id]
    with pytest.raises(NotFound):
        bob.tokens.revoke(mine.id)
    with pytest.raises(NotAllowed):
        memory.within(user="eve").tokens.list()


def test_revoking_by_id_or_by_the_secret_s_beginning(memory: Recollect) -> None:
    first, second = memory.tokens.create(), memory.tokens.create()
    memory.tokens.revoke(first.token.id)
    memory.tokens.revoke(second.secret)
    for made in (first, second):
        with pytest.raises(TokenRefused):
            memory.bearing(made.secret)
    assert all(token.revoked_at for token in memory.tokens.list())
    assert not memory.tokens.any()
    for unknown in ("", "no", "tok_x"):
        with pytest.raises(NotFound):
            memory.tokens.revoke(unknown)


@pytest.mark.parametrize("secret", ["", "x", MARK, MARK + "x" * 43, MARK + "\x00" * 43, "é" * 47])
def test_what_is_no_token_opens_nothing(memory: Recollect, secret: str) -> None:
    memory.tokens.create()
    with pytest.raises(TokenRefused):
        memory.bearing(secret)


def test_one_space_is_one_space(memory: Recollect) -> None:
    garden = memory.within(space="garden")
    view = memory.bearing(memory.tokens.create(role="owner").secret)
    assert [space.name for space in view.spaces()] == ["default"]
    with pytest.raises(SpaceNotFound):
        view.within(space="garden").list()
    with pytest.raises(SpaceNotFound):
        view.within(space="garden", make=False)
    with pytest.raises(SpaceNotFound):
        view.within(space="meadow")
    assert garden.bearing(garden.tokens.create().secret).space.name == "garden"


def test_expiry(memory: Recollect, clock: TickingClock) -> None:
    with pytest.raises(InvalidInput, match="expired already"):
        memory.tokens.create(expires_at=clock() - timedelta(seconds=1))
    made = memory.tokens.create(expires_at=clock() + timedelta(days=1))
    assert memory.bearing(made.secret).viewer.user == "ada"
    clock.move(timedelta(days=2))
    with pytest.raises(TokenRefused):
        memory.bearing(made.secret)


def test_uses_are_noted_together_and_not_with_each_reading(
    memory: Recollect, clock: TickingClock
) -> None:
    made = memory.tokens.create()
    memory.bearing(made.secret)
    assert memory.tokens.list()[0].last_used_at is None
    clock.move(timedelta(minutes=1))
    memory.bearing(made.secret)
    first = memory.tokens.list()[0].last_used_at
    assert first is not None
    memory.bearing(made.secret)
    memory.tokens.flush()
    last = memory.tokens.list()[0].last_used_at
    assert last is not None
    assert last > first
