"""What the bearer of a member's token may do to what others said: nothing."""

from recollect.engine import Recollect
from tests.surfaces.rest.running import Running


def test_over_http_a_member_s_token_changes_nobody_else_s_words(
    guarded: tuple[Recollect, Running],
) -> None:
    memory, ask = guarded
    kept = memory.remember("Ada's words.")
    token = memory.tokens.create(user="bob", role="member").secret
    place = f"/v1/memories/{kept.id}"
    for method, path, body in (
        ("PATCH", place, {"content": "mine"}),
        ("DELETE", place, None),
        ("DELETE", f"{place}?for_good=true", None),
        ("POST", f"{place}/pin", None),
        ("POST", f"{place}/supersede", {"content": "mine"}),
        ("POST", "/v1/streams/talk/events", {"events": [{"text": "I quit.", "author": "ada"}]}),
        ("PUT", "/v1/spaces/default/aliases/bob/Robert", None),
    ):
        got = ask(method, path, body, token=token)
        assert (got.status, got.error["code"]) == (403, "not_allowed"), path
    assert memory.get(kept.id) == kept
    assert memory.streams().items == ()
    said = {"events": [{"text": "Hello."}, {"text": "Hi.", "author": "bob"}]}
    assert ask("POST", "/v1/streams/talk/events", said, token=token).status == 201
    steward = memory.tokens.create(role="steward").secret
    assert ask("PUT", "/v1/spaces/default/aliases/bob/Robert", token=steward).status == 200
    said = {"events": [{"text": "Me.", "author": "Robert"}]}
    assert ask("POST", "/v1/streams/talk/events", said, token=token).status == 201
