"""Tokens at the door: who comes in, as whom, and what stays shut."""

from datetime import timedelta

import pytest

from recollect.engine import Recollect
from tests.clocks import TickingClock
from tests.surfaces.rest.running import Running

Guarded = tuple[Recollect, Running]


def test_nobody_comes_in_without(guarded: Guarded) -> None:
    memory, ask = guarded
    for path in ("/v1/spaces", "/v1/memories", "/metrics", "/v1/export", "/v1/memory/entries"):
        assert ask("GET", path).status == 401
    assert ask("GET", "/health").status == 200
    assert ask("GET", "/ready").status == 200
    other = memory.tokens.create().secret
    assert ask("GET", "/v1/spaces", token=other[:-1] + "!").status == 401


def test_the_bearer_is_the_token_s_person(guarded: Guarded) -> None:
    memory, ask = guarded
    token = memory.tokens.create(user="bob", role="member").secret
    made = ask("POST", "/v1/memories", {"content": "Bob was here."}, token=token).json
    assert made["provenance"]["created_by"] == "bob"
    assert made["audience"]["owner"] == "bob"


def test_a_role_is_the_most_it_lets(guarded: Guarded) -> None:
    memory, ask = guarded
    kept = memory.remember("Read me.")
    reader = memory.tokens.create(role="reader").secret  # of ada, who owns the space
    assert ask("GET", f"/v1/memories/{kept.id}", token=reader).status == 200
    for method, path, body in (
        ("POST", "/v1/memories", {"content": "no"}),
        ("DELETE", f"/v1/memories/{kept.id}", None),
        ("POST", f"/v1/memories/{kept.id}/pin", None),
        ("POST", "/v1/streams/x/events", {"events": [{"text": "no"}]}),
        ("PUT", "/v1/spaces/default/members/eve", {"role": "owner"}),
        ("GET", "/metrics", None),
    ):
        assert ask(method, path, body, token=reader).status == 403, path
    steward = memory.tokens.create(role="steward").secret
    assert ask("GET", "/metrics", token=steward).status == 200
    refused = ask("GET", "/metrics", token=reader)
    assert "may not read the metrics of this space" in refused.body.decode()
    assert ask(
        "PUT", "/v1/spaces/default/members/eve", {"role": "owner"}, token=steward
    ).status == (403)


def test_a_token_opens_its_space_alone(guarded: Guarded) -> None:
    memory, ask = guarded
    garden = memory.within(space="garden")  # ada owns both
    rose = garden.remember("Roses want sun.")
    talk = garden.record("Good morning.", stream="talk")
    token = memory.tokens.create(role="owner").secret
    for path in (
        *("/v1/memories", "/v1/streams", "/v1/export", f"/v1/memories/{rose.id}"),
        *(f"/v1/events/{talk.id}", f"/v1/events/{talk.id}/window", "/v1/memory/entries"),
    ):
        shut = ask("GET", f"{path}?space=garden", token=token)
        assert (shut.status, shut.error["code"]) == (404, "space_not_found"), path
    for path in (f"/v1/memories/{rose.id}", f"/v1/events/{talk.id}"):
        assert ask("GET", path, token=token).status == 404
    for path in ("/v1/spaces/garden", "/v1/spaces/garden/members", "/v1/spaces/garden/stats"):
        assert ask("GET", path, token=token).status == 404
    asked = ask("POST", "/v1/recall", {"query": "roses", "space": "garden"}, token=token)
    assert asked.status == 404
    written = ask("POST", "/v1/memories?space=garden", {"content": "no"}, token=token)
    assert written.status == 404
    assert ask("POST", "/v1/memories?space=new", {"content": "no"}, token=token).status == 404
    assert [space["name"] for space in ask("GET", "/v1/spaces", token=token).json] == ["default"]
    assert ask("POST", "/v1/spaces", {"name": "garden"}, token=token).status == 404
    assert ask("POST", "/v1/spaces", {"name": "new"}, token=token).status == 404
    assert [one.content for one in garden.list().items] == ["Roses want sun."]


def test_a_token_of_another_space_needs_no_name(guarded: Guarded) -> None:
    memory, ask = guarded
    garden = memory.within(space="garden")
    garden.remember("Roses want sun.")
    token = garden.tokens.create(role="reader").secret
    found = ask("GET", "/v1/memories", token=token).json["items"]
    assert [one["content"] for one in found] == ["Roses want sun."]


def test_revoked_or_past_its_time_it_opens_nothing(guarded: Guarded, clock: TickingClock) -> None:
    memory, ask = guarded
    soon = memory.tokens.create(expires_at=clock() + timedelta(hours=1))
    other = memory.tokens.create()
    assert ask("GET", "/v1/spaces", token=soon.secret).status == 200
    memory.tokens.revoke(other.token.id)
    assert ask("GET", "/v1/spaces", token=other.secret).status == 401
    clock.move(timedelta(hours=2))
    assert ask("GET", "/v1/spaces", token=soon.secret).status == 401


@pytest.mark.parametrize("role", ["reader", "member"])
def test_who_leaves_the_space_leaves_with_their_token(guarded: Guarded, role: str) -> None:
    memory, ask = guarded
    memory.remember("Ours.")
    token = memory.tokens.create(user="bob", role=role).secret
    assert len(ask("GET", "/v1/memories", token=token).json["items"]) == 1
    memory.remove_member("bob")
    assert ask("GET", "/v1/memories", token=token).status == 401
    assert ask("POST", "/v1/memories", {"content": "no"}, token=token).status == 401
