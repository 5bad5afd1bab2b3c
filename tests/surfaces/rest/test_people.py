"""Teams, disputes, spaces and a person's own data over HTTP, each for those who may."""

from recollect.engine import Recollect
from tests.surfaces.rest.running import Running


def test_people_disagree_share_and_leave_over_http(guarded: tuple[Recollect, Running]) -> None:
    memory, running = guarded
    ada = memory.tokens.create(role="owner").secret
    dan = memory.tokens.create(user="dan").secret
    kept = memory.remember("The quartzite door opens at nine.")

    said = {"memory": kept.id, "text": "It opens at ten."}
    opened = running("POST", "/v1/disputes", said, token=dan)
    assert (opened.status, opened.json["waits_for"]) == (201, ["ada"])
    home = f"/v1/disputes/{opened.json['id']}"
    assert running("POST", f"{home}/settle", {"resolution": "confirmed"}, token=dan).status == 403
    running("POST", f"{home}/comments", {"text": "I looked."}, token=ada)
    done = {"resolution": "updated", "content": "The quartzite door opens at ten."}
    settled = running("POST", f"{home}/settle", done, token=ada).json
    assert (settled["resolution"], len(settled["comments"])) == ("updated", 2)
    assert running("GET", "/v1/disputes", token=dan).json["items"] == []

    assert running("PUT", "/v1/groups/team/core", token=dan).status == 403
    assert running("PUT", "/v1/groups/team/core", token=ada).status == 201
    members = "/v1/groups/team/core/members/dan"
    assert len(running("PUT", members, {"role": "member"}, token=ada).json["members"]) == 2
    assert running("GET", "/v1/groups", token=dan).json[0]["name"] == "core"
    assert running("GET", "/v1/onboarding", token=dan).json[0]["id"] == kept.id

    assert running("PATCH", "/v1/spaces/default", {"name": "mine"}, token=dan).status == 403
    changed = running("PATCH", "/v1/spaces/default", {"retention_days": 30}, token=ada).json
    assert changed["retention_days"] == 30
    running("POST", "/v1/memories", {"content": "Dan likes marzipan."}, token=dan)
    told = repr(running("GET", "/v1/person/export", token=dan).json)
    assert [word in told for word in ("marzipan", "quartzite")] == [True, False]
    assert running("DELETE", "/v1/person?confirm=ada", token=dan).status == 422
    gone = running("DELETE", "/v1/person?confirm=dan", token=dan).json
    assert gone["memories"] == 1
    assert running("GET", "/v1/person", token=dan).status == 401
    assert running("DELETE", "/v1/spaces/default?confirm=default", token=ada).json["done"]
