"""Statements compiled once for all stores of a run.

SQLAlchemy keeps what it compiled with each engine, and a test has an engine of its own: a fifth of
the time of a small test went into compiling what the test before had compiled. What is compiled
depends on the kind of database only, so all engines of a kind share it here, as all requests of a
server do that has one store.
"""

from typing import Any

from sqlalchemy import Connection, Engine, event


class SharedStatements(dict[Any, Any]):
    """A cache of compiled statements for every engine of one kind.

    A key begins with the dialect's object, which each engine has anew; it is left out.
    """

    _MOST = 5_000

    def get(self, key: Any, default: Any = None) -> Any:
        return super().get(key[1:], default)

    def __setitem__(self, key: Any, value: Any) -> None:
        if len(self) >= self._MOST:
            self.clear()
        super().__setitem__(key[1:], value)


def share_compiled_statements() -> None:
    """From now on every connection uses the cache of its kind of database."""
    kinds: dict[tuple[str, str], SharedStatements] = {}

    @event.listens_for(Engine, "engine_connect")
    def use_shared(connection: Connection) -> None:
        kind = (connection.dialect.name, connection.dialect.driver)
        connection.execution_options(compiled_cache=kinds.setdefault(kind, SharedStatements()))
