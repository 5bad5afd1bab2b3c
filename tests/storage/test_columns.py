"""Values of columns come back as they went in, null and empty ones too."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import pytest
from sqlalchemy import Connection, Text, bindparam, insert, select

from recollect.storage.prepared import Prepared
from recollect.storage.schema import jobs, space_members, spaces
from recollect.vocabulary.json_depth import DEEPEST, is_not_shown
from tests.stores import StoreMaker

#: Columns of a job that nobody has begun.
_NOT_YET = ("started_at", "finished_at", "leased_until", "worker", "last_error")
_NOW = datetime(2026, 3, 4, 5, 6, 7, 8, tzinfo=UTC)
_ADD_JOB = Prepared(lambda: insert(jobs))
_ADD_MEMBER = Prepared(lambda: insert(space_members))
_JOB = Prepared(
    lambda: select(jobs.c.payload, jobs.c.run_at).where(
        jobs.c.job_id == bindparam("wanted", type_=Text)
    )
)
_MEMBERS = Prepared(
    lambda: select(space_members.c.joined_at, space_members.c.welcomed_at).where(
        space_members.c.user_id == bindparam("wanted", type_=Text)
    )
)


def _add_job(transaction: Connection, payload: Mapping[str, Any] | None) -> None:
    _add_space(transaction)
    _ADD_JOB.run(
        transaction,
        space_id="spc",
        job_id="job",
        kind="a kind",
        payload=payload,
        state="waiting",
        attempts=0,
        max_attempts=1,
        failures=0,
        run_at=_NOW,
        created_at=_NOW,
        **dict.fromkeys(_NOT_YET),
    )


def _add_space(transaction: Connection) -> None:
    values = {"space_id": "spc", "number": 7, "name": "a space", "kind": "workspace"}
    transaction.execute(insert(spaces).values(**values, created_at=_NOW, clock=0))


def _deep(levels: int) -> dict[str, Any]:
    return {"a": _deep(levels - 1)} if levels else {}


@pytest.mark.parametrize("payload", [None, {}, {"a": [1, {"é": None}]}])
def test_a_document_comes_back_and_an_empty_one_is_stored_as_null(
    stores: StoreMaker, payload: Mapping[str, Any] | None
) -> None:
    database = stores.database(stores.ready())
    database.write(lambda one: _add_job(one, payload), all_spaces=True)

    with database.reading(all_spaces=True) as transaction:
        prepared = [_JOB.rows(transaction, wanted="job")[0] for _ in range(2)]
        plain = transaction.execute(select(jobs.c.payload, jobs.c.run_at)).one()
        stored = transaction.exec_driver_sql("SELECT payload FROM jobs").scalar()

    assert [tuple(one) for one in prepared] == [(payload or {}, _NOW)] * 2 == [tuple(plain)] * 2
    assert prepared[0].payload is not prepared[1].payload  # nobody changes another's
    assert (stored is None) is (not payload)


def test_a_document_that_is_too_deep_is_replaced_by_a_notice(stores: StoreMaker) -> None:
    database = stores.database(stores.ready())
    database.write(lambda one: _add_job(one, _deep(DEEPEST + 1)), all_spaces=True)

    with database.reading(all_spaces=True) as transaction:
        assert is_not_shown(_JOB.rows(transaction, wanted="job")[0].payload)


@pytest.mark.parametrize("welcomed", [None, _NOW])
def test_a_time_comes_back_and_none_stays_none(
    stores: StoreMaker, welcomed: datetime | None
) -> None:
    database = stores.database(stores.ready())

    def work(transaction: Connection) -> None:
        _add_space(transaction)
        member = {"space_id": "spc", "user_id": "ana", "role": "member", "joined_at": _NOW}
        _ADD_MEMBER.run(transaction, **member, welcomed_at=welcomed)

    database.write(work, all_spaces=True)

    with database.reading(all_spaces=True) as transaction:
        (found,) = _MEMBERS.rows(transaction, wanted="ana")
        plain = transaction.execute(
            select(space_members.c.joined_at, space_members.c.welcomed_at).where(
                space_members.c.user_id == "ana"
            )
        ).one()

    assert tuple(found) == (_NOW, welcomed) == tuple(plain)
