"""Nobody comes in who may not, and nothing is done that a visitor did not press."""

import re
from datetime import timedelta
from urllib.parse import urlencode

import pytest

from recollect.engine import Recollect
from recollect.surfaces.panel.login import notice_of
from recollect.surfaces.panel.pages.memories import ACTS
from recollect.surfaces.panel.panel import PAGES
from tests.stores import StoreMaker
from tests.surfaces.panel.conftest import Guarded
from tests.surfaces.panel.visitor import Visitor
from tests.surfaces.rest.running import Running


def _logged_in(guarded: Guarded, user: str, role: str) -> tuple[Visitor, str]:
    memory, running = guarded
    secret = memory.tokens.create(user=user, role=role).secret
    visitor = Visitor(running.port)
    visitor.get("/panel/login")
    assert "Health" in visitor.press("/panel/login", token=secret).text
    return visitor, secret


def test_without_a_login_there_is_nothing_to_see(guarded: Guarded) -> None:
    memory, running = guarded
    memory.remember("A secret plan.")
    memory.tokens.create(user="grace")
    visitor = Visitor(running.port)
    for path in ("/", "/panel/memories", "/panel/personal/export", "/panel/served"):
        got = visitor.get(path)
        assert "Access token" in got.text
        assert "secret plan" not in got.body
    assert visitor.get("/panel/live").status == 401


def test_a_login_is_a_cookie_that_no_script_reads_and_that_ends(guarded: Guarded) -> None:
    memory, running = guarded
    secret = memory.tokens.create(user="grace").secret
    visitor = Visitor(running.port)
    visitor.get("/panel/login")
    got = visitor.press("/panel/login", follow=False, token=secret)
    cookie = next(one for one in got.cookies if one.startswith("recollect_login="))
    for part in ("HttpOnly", "SameSite=Strict", "Max-Age=43200", "Path=/"):
        assert part in cookie
    assert secret not in cookie
    login = next(one for one in memory.tokens.list() if one.parent is not None)
    assert login.expires_at is not None


@pytest.mark.parametrize("token", ["", "rcl_wrong", "x" * 10_000])
def test_a_wrong_token_is_told_so(guarded: Guarded, token: str) -> None:
    memory, running = guarded
    memory.tokens.create(user="grace")
    visitor = Visitor(running.port)
    visitor.get("/panel/login")
    got = visitor.press("/panel/login", token=token)
    assert got.status == 401
    assert "recollect_login" not in visitor.cookies


def test_a_login_ends_by_itself(guarded: Guarded, stores: StoreMaker) -> None:
    visitor, _ = _logged_in(guarded, "grace", "member")
    stores.clock.move(timedelta(hours=11))
    assert "Health" in visitor.get("/").text
    stores.clock.move(timedelta(hours=2))
    assert "Access token" in visitor.get("/").text


def test_logging_out_ends_the_login_on_the_server_too(guarded: Guarded) -> None:
    visitor, _ = _logged_in(guarded, "grace", "member")
    stolen = dict(visitor.cookies)
    visitor.press("/panel/logout")
    thief = Visitor(visitor.port)
    thief.cookies = stolen
    assert "Access token" in thief.get("/").text


def test_logging_out_everywhere_ends_every_browser(guarded: Guarded) -> None:
    first, secret = _logged_in(guarded, "grace", "member")
    second = Visitor(first.port)
    second.get("/panel/login")
    second.press("/panel/login", token=secret)
    assert "Health" in second.get("/").text
    first.press("/panel/logout", everywhere="yes")
    assert "Access token" in second.get("/").text
    assert "Health" in _again(first.port, secret).get("/").text  # the token itself is still good


def _again(port: int, secret: str) -> Visitor:
    visitor = Visitor(port)
    visitor.get("/panel/login")
    visitor.press("/panel/login", token=secret)
    return visitor


def test_a_revoked_token_ends_the_logins_made_with_it(guarded: Guarded) -> None:
    visitor, secret = _logged_in(guarded, "grace", "member")
    memory, _ = guarded
    memory.tokens.revoke(secret)
    assert "Access token" in visitor.get("/").text


def test_a_login_made_with_a_login_ends_with_the_token_too(guarded: Guarded) -> None:
    visitor, secret = _logged_in(guarded, "grace", "member")
    memory, _ = guarded
    again = _again(visitor.port, visitor.cookies["recollect_login"])
    assert "Health" in again.get("/").text
    memory.tokens.revoke(secret)
    assert "Access token" in again.get("/").text


def test_a_login_opens_the_api_for_nobody(guarded: Guarded) -> None:
    """The cookie counts on pages alone: a page of another site cannot use it on the API."""
    visitor, _ = _logged_in(guarded, "grace", "member")
    assert visitor.get("/v1/memories").status == 401


def test_a_form_without_its_mark_does_nothing(memory: Recollect, visitor: Visitor) -> None:
    kept = memory.remember("Deploys are on Tuesdays.")
    visitor.get("/")
    path = f"/panel/memories/{kept.id}/erase"
    for fields in ({}, {"form_token": "wrong"}, {"form_token": ""}):
        assert visitor.send(path, urlencode(fields).encode()).status == 403
    fresh = Visitor(visitor.port)  # a browser that never loaded a page
    assert fresh.send(path, b"form_token=").status == 403
    assert fresh.send("/panel/import", b"{}", headers={"X-Form-Token": "x"}).status == 403
    assert len(memory.list().items) == 1


def test_no_form_of_any_page_works_without_its_mark(memory: Recollect, visitor: Visitor) -> None:
    """Each path that a button sends to, those of pages to come among them."""
    kept = memory.remember("Deploys are on Tuesdays.")
    before = memory.change_number()
    visitor.get("/")
    paths = _buttons()
    paths += ["/panel/logout", "/panel/choose", "/panel/ask/stream", "/panel/import"]
    assert len(paths) > 20
    for path in paths:
        filled = re.sub(r"\{[a-z_:]+\}", kept.id, path)
        assert visitor.send(filled, b"text=x&content=x&act=open", follow=False).status == 403, path
    assert memory.change_number() == before


def test_a_page_of_another_site_is_refused(memory: Recollect, server: Running) -> None:
    elsewhere = Visitor(server.port, host="evil.example")
    assert elsewhere.get("/").status == 403
    assert elsewhere.get("/panel/memories").status == 403
    here = Visitor(server.port)
    got = here.send("/panel/sample", b"", headers={"Origin": "https://evil.example"})
    assert got.status == 403


def test_every_button_asks_for_the_right_it_needs(guarded: Guarded) -> None:
    memory, _ = guarded
    kept = memory.remember("Deploys are on Tuesdays.")
    reader, _ = _logged_in(guarded, "rita", "reader")
    assert "Deploys are on Tuesdays." in reader.get("/panel/memories").text
    memory.remember("The stand-up of the web team is at 9:15.")
    memory.remember("The stand-up of the web team moved to 10:00.")
    clash = memory.contradictions.list().items[0].id
    memory.session(id="checkout", agent="claude-code", task="Try again").finish()
    said = memory.record("Which day do we deploy on?", stream="general")
    memory.confirm_alias("ada", "Ada L.")
    memory.people.found_group("team", "core")
    ours = memory.tokens.create(user="ada").token
    asked: list[tuple[str, dict[str, str]]] = [
        *((f"/panel/memories/{kept.id}/{act}", {}) for act in ACTS),
        *(("/panel/memories", {"act": act, "id": kept.id}) for act in ACTS),
        (f"/panel/memories/restore?id={kept.id}", {}),
        (f"/panel/memories/{kept.id}/correct", {"reason": "inaccurate", "content": "x"}),
        (f"/panel/memories/{kept.id}/dispute", {"act": "open", "text": "Is that so?"}),
        ("/panel/knowledge", {"event": said.id}),
        ("/panel/teach", {"content": "Rita was here."}),
        ("/panel/teach/rules", {"name": "CLAUDE.md", "rules": "- Rita rules.", "keep": "yes"}),
        ("/panel/people/revoke", {"token": ours.id}),
        ("/panel/people/aliases", {"user": "ada", "alias": "Rita"}),
        ("/panel/people/withdraw", {"user": "ada", "alias": "Ada L."}),
        ("/panel/teams/add", {"kind": "team", "name": "core", "user": "rita", "role": "owner"}),
        ("/panel/teams/remove", {"kind": "team", "name": "core", "user": "ada"}),
        ("/panel/teams/aliases", {"user": "ada", "alias": "Rita"}),
        (f"/panel/attention/contradictions/{clash}", {"resolution": "a_wins"}),
        (f"/panel/conflicts/{kept.id}", {"act": "both"}),
        ("/panel/sessions/checkout", {"act": "confirm_all"}),
        ("/panel/people/members", {"user": "mallory", "role": "owner"}),
        ("/panel/people/remove", {"user": "ada"}),
        ("/panel/people/tokens", {"user": "mallory"}),
        ("/panel/settings/retry", {}),
        ("/panel/settings/retention", {"days": "1"}),
        ("/panel/settings/provider", {"provider": "model"}),
        ("/panel/settings/budget", {"kind": "cents", "allowed": "1"}),
        ("/panel/sessions/trust", {"level": "4"}),
    ]
    known = _shared_state(memory)
    for path, fields in asked:
        assert reader.press(path, follow=True, **fields).status in (403, 404), (path, fields)
        assert _shared_state(memory) == known, (path, fields)
    pressed = {path.partition("?")[0] for path, _ in asked}
    untried = [one for one in _buttons() if not any(_fits(one, path) for path in pressed)]
    assert set(untried) == _OWN_BUTTONS  # a new button is tried here, or is one's own business


#: What whoever may read does with what is theirs alone, or with what is asked of them.
_OWN_BUTTONS = {
    "/panel/ask/feedback",
    "/panel/knowledge/{memo_id}",
    "/panel/personal/say",
    "/panel/personal/settings",
    "/panel/personal/forget",
    "/panel/personal/pin",
    "/panel/personal/undo/{code}",
    "/panel/personal/everything",
    "/panel/attention/questions/{question_id}",
    "/panel/attention/suspects/{suspect_id}",
    "/panel/teams/found",
    "/panel/sample",
    "/panel/sample/remove",
}


def _buttons() -> list[str]:
    return [one.path for page in PAGES for one in page.ROUTES if one.method == "POST"]


def _fits(route: str, path: str) -> bool:
    return re.fullmatch(re.sub(r"\{[a-z_:]+\}", "[^/]+", route), path) is not None


def _shared_state(memory: Recollect) -> object:
    """What people of a space hold in common."""
    return (
        [(one.id, one.revision, one.needs_review) for one in memory.list(archived=True).items],
        [(one.user, one.role) for one in memory.members()],
        [one.id for one in memory.tokens.list() if one.opens_at(memory.members()[0].joined_at)],
        [
            (one.name, [(each.user, each.role) for each in one.members])
            for one in memory.people.groups()
        ],
        memory.budgets(),
        memory.agents.trust().chosen_by,
    )


def test_nothing_of_a_private_stream_shows_through(guarded: Guarded) -> None:
    memory, _ = guarded
    memory.open_stream("salaries", access="private")
    event = memory.record("Ada earns a fortune.", stream="salaries")
    kept = memory.remember("Ada earns a fortune, says the stream.", events=[event.id])
    grace, _ = _logged_in(guarded, "grace", "steward")
    pages = ["/", "/panel/memories", "/panel/memories?q=fortune", "/panel/ask?q=what+does+ada+earn"]
    pages += ["/panel/streams", "/panel/attention", "/panel/served", "/panel/map"]
    for path in pages:
        body = grace.get(path).body
        assert "fortune" not in body.replace("q=fortune", "").replace('value="fortune"', ""), path
        assert "salaries" not in body
    for path in (f"/panel/memories/{kept.id}", f"/panel/events/{event.id}"):
        assert grace.get(path).status == 404
    assert grace.get("/panel/streams/salaries").status == 404
    assert "0 memories" in " ".join(grace.get("/").text.split()) or "Nothing is remembered" in (
        grace.get("/").text
    )


def test_spaces_of_others_are_not_told_from_unknown_ones(guarded: Guarded) -> None:
    memory, _ = guarded
    memory.within(space="vault-of-others")
    grace, _ = _logged_in(guarded, "grace", "member")
    first = grace.press("/panel/choose", space="vault-of-others")
    second = grace.press("/panel/choose", space="unknown")
    assert first.status == second.status == 404
    assert "vault-of-others" not in grace.get("/").body


def test_a_notice_from_elsewhere_is_text_and_undoes_nothing_else() -> None:
    assert notice_of("nonsense") == ("", "")
    assert notice_of('["<b>hi</b>", "https://evil.example"]') == ("<b>hi</b>", "")


def test_a_form_that_is_too_long_or_strange_is_refused(memory: Recollect, visitor: Visitor) -> None:
    visitor.get("/")
    assert visitor.press("/panel/teach", content="x" * 1_200_000).status in (403, 413, 422)
    assert visitor.send("/panel/teach", b"&" * 5_000).status in (403, 422)
    assert visitor.send("/panel/teach", b"\xff\xfe\x00").status == 403
    assert memory.list().items == ()
