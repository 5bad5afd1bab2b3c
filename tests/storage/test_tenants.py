"""A store for each tenant: made, listed, moved and dropped on purpose, never by a slip."""

from pathlib import Path

import pytest

import recollect
from recollect import composition
from recollect.vocabulary.errors import Conflict, InvalidSetting, NotFound, RecollectError
from tests.postgres_server import PostgresServer


def lives(template: str, moved: str) -> None:
    """What an administrator does in the life of two tenants."""
    settings = {"tenant": "acme", "embedder": "none", "worker": "off"}
    with pytest.raises(RecollectError):
        recollect.open(template, settings=settings)
    for tenant in ("acme", "globex"):
        composition.create_tenant(template, tenant)
    with pytest.raises(Conflict):
        composition.create_tenant(template, "acme")
    with recollect.open(template, settings=settings) as memory:
        memory.remember("The quartzite door opens at nine.")
    with recollect.open(template, settings={**settings, "tenant": "globex"}) as memory:
        assert memory.recall("quartzite").found == ()
    assert composition.list_tenants(template) == ["acme", "globex"]
    composition.move(composition.tenant_address(template, "acme"), moved)
    with recollect.open(moved, settings=settings) as memory:
        assert memory.recall("quartzite").found
    composition.drop_tenant(template, "acme")
    assert composition.list_tenants(template) == ["globex"]
    with pytest.raises(NotFound):
        composition.drop_tenant(template, "acme")
    for name in ("", "Acme", "a/b", "../x", "a" * 60, "postgres; --"):
        with pytest.raises(InvalidSetting):
            composition.create_tenant(template, name)
    with pytest.raises(InvalidSetting, match="no tenant was named"):
        recollect.open(template, settings={"embedder": "none"})


def test_tenants_have_files(tmp_path: Path) -> None:
    lives(str(tmp_path / "store_{tenant}.db"), str(tmp_path / "moved.db"))


def test_tenants_have_databases(server: PostgresServer, tmp_path: Path) -> None:
    lives(server.address("t_{tenant}"), str(tmp_path / "moved.db"))
