"""No prepared statement walks a whole space once for every row of another table."""

import re
import sqlite3
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages

import pytest
from sqlalchemy import Text, bindparam, select
from sqlalchemy.dialects import sqlite

import recollect
from recollect import storage
from recollect.storage import schema
from recollect.storage.prepared import Prepared
from recollect.storage.schema import code_edges, code_nodes, entries
from recollect.storage.schema.base import metadata

_LOOP = re.compile(r"(?:SEARCH|SCAN) \S+(?: USING .*?)?(?: \((?P<keys>[^()]*)\))?(?: LEFT-JOIN)?$")


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    path = tmp_path_factory.mktemp("plans") / "memory.db"
    with recollect.open(path, worker=False, embedder="none") as memory:
        memory.remember("The tables are there.")
    connection = sqlite3.connect(path)
    yield connection
    connection.close()


def prepared_statements() -> dict[str, Prepared]:
    found = {}
    for module in walk_packages(storage.__path__, f"{storage.__name__}."):
        if "migrations" not in module.name:
            for name, one in vars(import_module(module.name)).items():
                if isinstance(one, Prepared):
                    found[f"{Path(module.name).suffix[1:]}.{name}"] = one
    return found


def loops_of(
    database: sqlite3.Connection, statement: Prepared, *, length: int = 1
) -> dict[int, list[re.Match[str]]]:
    """The loops of a statement's plan, each under its parent, outermost first; its lists have so
    many items.
    """
    written = str(statement._statement().compile(dialect=sqlite.dialect()))
    text = re.sub(r"__\[POSTCOMPILE_\w+\]", ", ".join("?" * length), written)
    plan = database.execute(f"EXPLAIN QUERY PLAN {text}", [None] * text.count("?")).fetchall()
    loops: dict[int, list[re.Match[str]]] = {}
    for _, parent, _, detail in plan:
        if loop := _LOOP.match(detail):
            loops.setdefault(parent, []).append(loop)
    return loops


def whole_walks(database: sqlite3.Connection, statement: Prepared) -> list[str]:
    """The inner loops of a statement's plan that no key but the space narrows."""
    inner = [loop for some in loops_of(database, statement).values() for loop in some[1:]]
    return [loop.group() for loop in inner if loop["keys"] in (None, "", "space_id=?")]


def test_every_inner_loop_is_narrowed_by_a_key(database: sqlite3.Connection) -> None:
    statements = prepared_statements()
    assert len(statements) > 80
    walks = {name: whole_walks(database, one) for name, one in statements.items()}
    assert {name: some for name, some in walks.items() if some} == {}


def test_a_statement_that_walks_everything_again_and_again_is_seen(
    database: sqlite3.Connection,
) -> None:
    slow = Prepared(
        lambda: select(code_nodes.c.name, code_edges.c.line).where(
            code_nodes.c.space_id == "space", code_edges.c.space_id == code_nodes.c.space_id
        )
    )
    assert whole_walks(database, slow)


def walks_despite_ids(database: sqlite3.Connection, statement: Prepared) -> str | None:
    """The outermost loop of a statement that is given ids, where it does not go by them."""
    written = str(statement._statement().compile(dialect=sqlite.dialect()))
    outermost = loops_of(database, statement, length=16).get(0)
    if "__[POSTCOMPILE_ids]" not in written or outermost is None:
        return None
    keys = set(re.findall(r"(\w+_id)=", outermost[0]["keys"] or "")) - {"space_id", "user_id"}
    return None if keys else outermost[0].group()


def test_what_is_read_by_ids_is_looked_up_by_them(database: sqlite3.Connection) -> None:
    statements = prepared_statements()
    by_ids = [one for one in statements.values() if "ids" in str(one._statement())]
    assert len(by_ids) > 20
    walks = {name: walks_despite_ids(database, one) for name, one in statements.items()}
    assert {name: walk for name, walk in walks.items() if walk} == {}


def test_streams_of_a_name_are_found_by_it(database: sqlite3.Connection) -> None:
    named = {
        name: loops_of(database, one)
        for name, one in prepared_statements().items()
        if "streams.name = " in str(one._statement())
    }
    assert len(named) > 1
    walks = {name: [loop["keys"] for loop in loops.get(0, ())] for name, loops in named.items()}
    assert "space_id=?" not in [keys for some in walks.values() for keys in some], walks


def test_a_walk_through_everything_of_a_person_is_seen(database: sqlite3.Connection) -> None:
    slow = Prepared(
        lambda: select(entries).where(
            entries.c.space_id == "space",
            entries.c.user_id == "user",
            entries.c.memory_id.in_(bindparam("ids", type_=Text, expanding=True)),
        )
    )
    assert walks_despite_ids(database, slow)


def test_whatever_points_at_a_memory_is_found_by_an_index() -> None:
    for module in walk_packages(schema.__path__, f"{schema.__name__}."):
        import_module(module.name)
    walked = []
    for table in metadata.tables.values():
        ordered = [list(table.primary_key.columns), *(list(one.columns) for one in table.indexes)]
        for key in table.foreign_key_constraints:
            wanted = set(key.columns)
            narrowed = any(set(some[: len(wanted)]) == wanted for some in ordered)
            if key.referred_table.name in ("memories", "events") and not narrowed:
                walked.append((table.name, key.column_keys))
    assert walked == []
