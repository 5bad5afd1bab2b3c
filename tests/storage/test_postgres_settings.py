"""Databases and logins that are set up otherwise than ours: each works, or is refused by name.

The settings stand where an administrator puts them, on the database or on the login.
"""

from collections.abc import Callable

import psycopg
import pytest
from sqlalchemy import make_url

import recollect
from recollect.storage.database import Database
from recollect.vocabulary.errors import StoreBusy, StoreReadOnly, StoreUnavailable
from tests.embedders import WordEmbedder
from tests.postgres_server import PostgresServer

Run = Callable[[str], None]

EMOJI = "Zoë said 谢谢 👩‍👩‍👧 at 9 o'clock \\ sharp."


def opened(address: str) -> recollect.Recollect:
    return recollect.open(address, user="ada", embedder=WordEmbedder(), worker=False)


@pytest.mark.parametrize("encoding", ["SQL_ASCII", "LATIN1", "WIN1252"])
def test_database_that_cannot_hold_every_text_is_refused_by_name(
    server: PostgresServer, administrator: Run, encoding: str
) -> None:
    name = f"in_{encoding.lower()}"
    administrator(f"CREATE DATABASE {name} ENCODING '{encoding}' LOCALE 'C' TEMPLATE template0")
    with pytest.raises(StoreUnavailable, match=f"encoded in {encoding}") as refused:
        Database(server.address(name))
    assert "Nothing was changed" in str(refused.value)
    assert "ENCODING 'UTF8'" in str(refused.value.hint)


@pytest.mark.parametrize(
    "setting",
    [
        "datestyle = 'German'",
        "datestyle = 'SQL, DMY'",
        "timezone = 'Pacific/Kiritimati'",
        "intervalstyle = 'sql_standard'",
        "standard_conforming_strings = off",
        "bytea_output = 'escape'",
        "client_encoding = 'LATIN1'",
        "client_encoding = 'SQL_ASCII'",
        "row_security = off",
        "extra_float_digits = -3",
    ],
)
def test_settings_of_the_database_change_nothing(
    ready: str, administrator: Run, setting: str
) -> None:
    administrator(f"ALTER DATABASE {make_url(ready).database} SET {setting}")
    with opened(ready) as memory:
        kept = memory.remember(EMOJI)
        memory.record(EMOJI, stream="talk")
        assert memory.get(kept.id) == kept
        assert [event.text for event in memory.read("talk").items] == [EMOJI]
        assert [hit.id for hit in memory.recall("Zoë sharp", kinds=["memory"])] == [kept.id]
        assert memory.health().sound


def test_settings_in_the_address_change_nothing_either(ready: str) -> None:
    url = make_url(ready).update_query_dict(
        {"options": "-c datestyle=German -c timezone=Asia/Tokyo", "client_encoding": "latin1"}
    )
    with opened(url.render_as_string(hide_password=False)) as memory:
        kept = memory.remember(EMOJI)
        assert memory.get(kept.id) == kept


# --- Settings that stop us ------------------------------------------------------------------------


def test_statement_timeout_is_named(ready: str) -> None:
    url = make_url(ready).update_query_dict({"options": "-c statement_timeout=2s"})
    with opened(url.render_as_string(hide_password=False)) as memory:
        space = memory.space.id
        with psycopg.connect(ready, autocommit=True) as other:
            other.execute("SELECT pg_advisory_lock(hashtextextended(%s, 0))", (space,))
            with pytest.raises(StoreBusy, match="longer than its statement_timeout") as stopped:
                memory.open_stream("held up")
        assert "Nothing of this call was written" in str(stopped.value)
        assert "ALTER ROLE" in str(stopped.value.hint)


def test_login_that_only_reads_is_not_called_a_replica(ready: str, administrator: Run) -> None:
    with opened(ready) as memory:
        kept = memory.remember("readable all the same")
    administrator(
        f"ALTER DATABASE {make_url(ready).database} SET default_transaction_read_only = on"
    )
    with opened(ready) as memory:
        assert memory.get(kept.id) == kept
        with pytest.raises(StoreReadOnly, match="default_transaction_read_only is on") as refused:
            memory.remember("never")
    assert "default_transaction_read_only = off" in str(refused.value.hint)
