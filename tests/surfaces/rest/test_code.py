"""Questions about code over HTTP: answered from the index, by whoever may read the space."""

from pathlib import Path

from recollect.engine import Recollect
from tests.codegraph.projects import SHOP, write
from tests.surfaces.rest.running import Running


def test_code_is_asked_about(memory: Recollect, ask: Running, tmp_path: Path) -> None:
    assert ask("GET", "/v1/code/status").json["indexed"] is False
    assert ask("GET", "/v1/code/map").error["code"] == "code_not_indexed"
    root = write(tmp_path / "shop", SHOP)
    memory.code.index(root)

    status = ask("GET", "/v1/code/status")
    assert (status.json["indexed"], status.json["files"]) == (True, len(SHOP))
    assert str(root) not in status.body.decode()
    impact = ask("GET", "/v1/code/impact?target=vat&depth=1").json
    assert {one["node"]["path"] for one in impact["touched"]} == {"shop/prices.py"}
    needed = ask("GET", "/v1/code/dependencies?target=shop/prices.py").json
    assert "shop/tax.py" in {one["node"]["path"] for one in needed["reached"]}
    needing = ask("GET", "/v1/code/dependants?target=shop/tax.py").json
    assert "shop/prices.py" in {one["node"]["path"] for one in needing["reached"]}
    way = ask("GET", "/v1/code/flow?source=total&target=vat").json
    assert [one["node"]["name"] for one in way["reached"]] == ["vat"]
    assert "shop" in {row["path"] for row in ask("GET", "/v1/code/map").json}
    assert ask("GET", "/v1/code/cycles").json == []
    unknown = ask("GET", "/v1/code/impact?target=nothing_like_it")
    assert (unknown.status, unknown.error["code"]) == (422, "invalid_input")
    assert ask("GET", "/v1/code/impact").status == 422
    assert ask("GET", "/v1/code/map?depth=21").status == 422


def test_only_members_ask_and_only_in_their_space(
    guarded: tuple[Recollect, Running], tmp_path: Path
) -> None:
    memory, ask = guarded
    memory.code.index(write(tmp_path / "shop", SHOP))
    garden = memory.within(space="garden")
    outsider = garden.tokens.create(role="owner").secret
    reader = memory.tokens.create(user="bob", role="reader").secret
    assert ask("GET", "/v1/code/status").status == 401
    assert ask("GET", "/v1/code/map", token=reader).status == 200
    assert ask("GET", "/v1/code/map", token=outsider).error["code"] == "code_not_indexed"
    assert ask("GET", "/v1/code/map?space=default", token=outsider).status == 404
