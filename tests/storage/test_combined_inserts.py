"""Inserts that belong together go out as one statement, or none of them does."""

from datetime import UTC, datetime

import pytest
from sqlalchemy import Connection, insert, select

from recollect.storage.database import Database
from recollect.storage.prepared import Prepared, batched_inserts, insert_rows, statement_size
from recollect.storage.schema import space_members, spaces
from recollect.vocabulary.errors import StoreError
from tests.stores import StoreMaker

_MEMBER = Prepared(lambda: insert(space_members))
_NOW = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.fixture
def database(stores: StoreMaker) -> Database:
    return stores.database(stores.ready())


def _members(database: Database) -> list[str]:
    with database.reading(all_spaces=True) as transaction:
        query = select(space_members.c.user_id).where(space_members.c.space_id == "spc")
        return sorted(transaction.execute(query).scalars())


def _add_space(transaction: Connection) -> None:
    columns = ("space_id", "number", "name", "kind", "created_at", "clock")
    insert_rows(transaction, spaces, columns, [("spc", 7, "a space", "workspace", 0, 0)])


def _add_members(transaction: Connection, count: int) -> None:
    for number in range(count):
        insert_rows(
            transaction,
            space_members,
            ("space_id", "user_id", "role", "joined_at"),
            [("spc", f"user{number:03} 100%s %(x)s", "member", number)],
        )


@pytest.mark.parametrize("count", [0, 1, 3, 120])
def test_a_row_and_what_hangs_on_it_are_written_at_the_end(database: Database, count: int) -> None:
    def work(transaction: Connection) -> None:
        with batched_inserts(transaction):
            _add_space(transaction)
            with batched_inserts(transaction):
                _add_members(transaction, count)
                _MEMBER.add(
                    transaction,
                    space_id="spc",
                    user_id="ana",
                    role="owner",
                    joined_at=_NOW,
                    welcomed_at=None,
                )

    database.write(work, all_spaces=True)
    assert len(_members(database)) == count + 1


def test_nothing_goes_out_before_the_end(database: Database) -> None:
    def work(transaction: Connection) -> None:
        with batched_inserts(transaction):
            _add_space(transaction)
            assert transaction.execute(select(spaces).where(spaces.c.space_id == "spc")).all() == []
        assert len(transaction.execute(select(spaces).where(spaces.c.space_id == "spc")).all()) == 1

    database.write(work, all_spaces=True)


def test_what_one_of_them_breaks_keeps_all_of_them_out(database: Database) -> None:
    def work(transaction: Connection) -> None:
        with batched_inserts(transaction):
            _add_space(transaction)
            _MEMBER.add(
                transaction,
                space_id="no space",
                user_id="ana",
                role="owner",
                joined_at=_NOW,
                welcomed_at=None,
            )

    with pytest.raises(StoreError):
        database.write(work, all_spaces=True)
    with database.reading(all_spaces=True) as transaction:
        assert transaction.execute(select(spaces).where(spaces.c.space_id == "spc")).all() == []


def test_after_an_error_inside_nothing_is_gathered_any_more(database: Database) -> None:
    def fail(transaction: Connection) -> None:
        with batched_inserts(transaction):
            _add_space(transaction)
            raise ZeroDivisionError

    def work(transaction: Connection) -> None:
        with pytest.raises(ZeroDivisionError):
            fail(transaction)
        _add_space(transaction)
        _add_members(transaction, 1)

    database.write(work, all_spaces=True)
    assert len(_members(database)) == 1


@pytest.mark.parametrize("count", [1, 16, 17, 64, 65, 199, 200, 663, 1_600, 2_049, 4_000])
def test_every_row_of_a_bulk_insert_is_written_once(database: Database, count: int) -> None:
    rows = [("spc", f"user{number:05}", "member", number) for number in range(count)]

    def work(transaction: Connection) -> None:
        _add_space(transaction)
        columns = ("space_id", "user_id", "role", "joined_at")
        insert_rows(transaction, space_members, columns, rows)

    database.write(work, all_spaces=True)

    assert _members(database) == [user for _, user, _, _ in rows]


def test_few_rows_more_than_a_statement_holds_are_not_padded_to_the_next_size() -> None:
    """What a bulk insert sends is at most a third more than its rows, beyond the smallest size."""
    for count in (65, 257, 300, 419, 552, 663, 1_535, 2_049, 2_600):
        sent: list[int] = []
        left = count
        while left > 0:
            sent.append(statement_size(left, 13))
            left -= sent[-1]
        assert sum(sent) <= count * 4 / 3 + 64
