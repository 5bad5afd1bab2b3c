"""What the buttons do, and what they say when they cannot."""

from recollect.engine import Recollect
from tests.surfaces.panel.visitor import Visitor


def test_a_card_is_confirmed_pinned_flagged_and_disputed(
    memory: Recollect, visitor: Visitor
) -> None:
    kept = memory.remember("Deploys are on Tuesdays.")
    assert "confirmed" in visitor.press(f"/panel/memories/{kept.id}/confirm").text
    assert memory.list().items[0].user_verified
    visitor.press(f"/panel/memories/{kept.id}/pin")
    assert memory.list().items[0].pinned
    home = f"/panel/memories/{kept.id}/dispute"
    got = visitor.press(home, act="open", text="They are on Fridays.")
    assert "It waits for ada" in got.text
    assert memory.list().items[0].disputed
    assert "They are on Fridays." in visitor.get("/panel/attention").text
    dispute = memory.disputes.list().items[0].id
    visitor.press(home, act="updated", dispute=dispute, content="Deploys are on Fridays.")
    assert memory.list().items[0].content == "Deploys are on Fridays."
    assert not memory.list().items[0].disputed
    visitor.press(f"/panel/memories/{kept.id}/flag")
    found = memory.list().items[0]
    assert found.needs_review
    assert not found.user_verified


def test_what_is_forgotten_can_be_brought_back_from_the_notice(
    memory: Recollect, visitor: Visitor
) -> None:
    kept = memory.remember("Deploys are on Tuesdays.")
    got = visitor.press(f"/panel/memories/{kept.id}/forget", back="/panel/memories")
    assert memory.list().items == ()
    assert f'action="/panel/memories/{kept.id}/restore"' in got.body
    visitor.press(f"/panel/memories/{kept.id}/restore")
    assert len(memory.list().items) == 1
    assert 'role="status"' not in visitor.get("/panel/memories").body  # a notice is said once


def test_the_four_reasons_of_a_correction(memory: Recollect, visitor: Visitor) -> None:
    wrong = memory.remember("Deploys are on Mondays.")
    visitor.press(
        f"/panel/memories/{wrong.id}/correct", reason="inaccurate", content="On Tuesdays."
    )
    assert memory.list().items[0].content == "On Tuesdays."
    visitor.press(
        f"/panel/memories/{wrong.id}/correct", reason="too_specific", content="On weekdays."
    )
    assert memory.list().items[0].content == "On weekdays."
    double = memory.remember("Something else entirely about the mail queue.")
    visitor.press(f"/panel/memories/{double.id}/correct", reason="duplicate", original=wrong.id)
    assert [one.id for one in memory.list().items] == [wrong.id]
    assert memory.list().items[0].valid_to is None
    visitor.press(f"/panel/memories/{wrong.id}/correct", reason="outdated")
    assert all(one.valid_to is not None for one in memory.list().items)


def test_a_correction_without_a_reason_changes_nothing(memory: Recollect, visitor: Visitor) -> None:
    kept = memory.remember("Deploys are on Tuesdays.")
    got = visitor.press(f"/panel/memories/{kept.id}/correct", content="Never.")
    assert got.status == 422
    assert memory.list().items[0].content == "Deploys are on Tuesdays."
    assert visitor.press(f"/panel/memories/{kept.id}/dance").status == 422


def test_many_at_once(memory: Recollect, visitor: Visitor) -> None:
    ids = [memory.remember(text).id for text in ("Apples are red.", "The moon is far away.")]
    assert visitor.press("/panel/memories", act="confirm").status == 422
    visitor.press("/panel/memories", act="confirm", id=ids)
    assert all(one.user_verified for one in memory.list().items)
    visitor.press("/panel/memories", act="forget", id=ids)
    assert memory.list().items == ()


def test_what_was_done_to_many_is_told_in_french(memory: Recollect, visitor: Visitor) -> None:
    ids = [memory.remember(text).id for text in ("The queue is durable.", "Mail goes by night.")]
    french = Visitor(visitor.port, language="fr")
    assert "épinglé : 2" in french.press("/panel/memories", act="pin", id=ids).text


def test_erasing_leaves_nothing(memory: Recollect, visitor: Visitor) -> None:
    kept = memory.remember("Deploys are on Tuesdays.")
    got = visitor.press(f"/panel/memories/{kept.id}/erase", back="/panel/memories")
    assert got.status == 200
    assert memory.list(archived=True).items == ()


def test_teaching(memory: Recollect, visitor: Visitor) -> None:
    got = visitor.press(
        "/panel/teach", content="Use pnpm here.", type="preference", tags="tools, web", pinned="yes"
    )
    assert "Use pnpm here." in got.text
    kept = memory.list().items[0]
    assert (kept.type.value, kept.tags, kept.pinned) == ("preference", ("tools", "web"), True)
    assert "known already" in visitor.press("/panel/teach", content="Use pnpm here.").text
    assert visitor.press("/panel/teach", content="   ").status == 422


def test_rules_are_previewed_before_they_are_kept(memory: Recollect, visitor: Visitor) -> None:
    rules = "# Rules\n\n- Always run the linter before a commit.\n- Never push on a Friday.\n"
    shown = visitor.press("/panel/teach/rules", name="CLAUDE.md", rules=rules, preview="yes")
    assert "Never push on a Friday." in shown.text
    assert memory.list().items == ()
    visitor.press("/panel/teach/rules", name="CLAUDE.md", rules=rules, keep="yes")
    assert any("Friday" in one.content for one in memory.list().items)


def test_personal_memory_is_told_pinned_forgotten_and_brought_back(
    memory: Recollect, visitor: Visitor
) -> None:
    visitor.press("/panel/personal/say", text="I am allergic to peanuts.")
    entry = memory.chat.entries().items[0]
    visitor.press("/panel/personal/pin", id=entry.id)
    assert memory.chat.entry(entry.id).memory.pinned
    got = visitor.press("/panel/personal/forget", id=entry.id)
    assert memory.chat.entries().items == ()
    undo = got.body.split('action="/panel/personal/undo/')[1].split('"')[0]
    visitor.press(f"/panel/personal/undo/{undo}")
    assert len(memory.chat.entries().items) == 1


def test_personal_switches_and_the_end_of_everything(memory: Recollect, visitor: Visitor) -> None:
    visitor.press("/panel/personal/say", text="I am allergic to peanuts.")
    visitor.press("/panel/personal/settings", memory_enabled="yes", retention_days="90")
    assert memory.chat.settings().retention_days == 90
    assert visitor.press("/panel/personal/settings", retention_days="soon").status == 422
    assert visitor.press("/panel/personal/everything", phrase="yes").status == 422
    assert len(memory.chat.entries().items) == 1
    visitor.press("/panel/personal/everything", phrase="delete everything")
    assert memory.chat.entries().items == ()
    assert "peanuts" not in visitor.get("/panel/personal/entries").body


def test_people_and_tokens(memory: Recollect, visitor: Visitor) -> None:
    visitor.press("/panel/people/members", user="grace", role="steward")
    assert {one.user: one.role.value for one in memory.members()}["grace"] == "steward"
    got = visitor.press("/panel/people/tokens", user="grace", role="member", name="laptop")
    assert "rcl_" in got.text
    token = memory.tokens.list()[0]
    visitor.press("/panel/people/revoke", token=token.id)
    assert memory.tokens.list()[0].revoked_at is not None
    visitor.press("/panel/people/aliases", user="grace", alias="Grace H.")
    assert memory.aliases()[0].name == "Grace H."
    visitor.press("/panel/people/withdraw", user="grace", alias="Grace H.")
    assert memory.aliases() == ()
    visitor.press("/panel/people/remove", user="grace")
    assert [one.user for one in memory.members()] == ["ada"]


def test_settings_test_the_providers_and_set_budgets(memory: Recollect, visitor: Visitor) -> None:
    for provider in ("embedder", "reranker", "model"):
        assert "it answers" in visitor.press("/panel/settings/provider", provider=provider).text
    assert visitor.press("/panel/settings/provider", provider="oracle").status == 422
    budgets = memory.budgets()
    if budgets:
        visitor.press("/panel/settings/budget", kind=budgets[0].kind, allowed="5")
        assert memory.budgets()[0].allowed == 5
    assert "waiting again: 0" in visitor.press("/panel/settings/retry").text
    assert 'name="days" inputmode="numeric" value="90"' in (
        visitor.press("/panel/settings/retention", days="90").body
    )
    assert visitor.press("/panel/settings/retention", days="soon").status == 422
    visitor.press("/panel/settings/retention", days="")
    assert next(one for one in memory.spaces()).retention_days is None


def test_trust_is_chosen(memory: Recollect, visitor: Visitor) -> None:
    visitor.press("/panel/sessions/trust", level="3")
    assert memory.agents.trust().level == 3
    visitor.press("/panel/sessions/trust", level="")
    assert memory.agents.trust().chosen_by is None
    assert visitor.press("/panel/sessions/trust", level="9").status == 422


def test_a_memory_is_flagged_where_it_is_cited(memory: Recollect, visitor: Visitor) -> None:
    kept = memory.remember("The mail job uses the PostgreSQL queue.")
    body = visitor.get("/panel/ask?q=what+does+the+mail+job+use").body
    assert f'action="/panel/memories/{kept.id}/flag"' in body
    visitor.press(f"/panel/memories/{kept.id}/flag", back="/panel/ask?q=mail")
    assert memory.list().items[0].needs_review


def test_an_answer_is_judged(memory: Recollect, visitor: Visitor) -> None:
    memory.record("The mail job uses the PostgreSQL queue.", stream="general")
    body = visitor.get("/panel/ask?q=what+does+the+mail+job+use").body
    log = body.split('name="log" value="')[1].split('"')[0]
    visitor.press("/panel/ask/feedback", log=log, verdict="helpful")
    judged = next(one for one in memory.retrievals().items if one.id == log)
    assert judged.feedback[0].verdict.value == "helpful"


def test_the_sample_comes_and_goes(memory: Recollect, visitor: Visitor) -> None:
    assert "Load the sample" in visitor.get("/").text
    loaded = visitor.press("/panel/sample")
    assert "This is the sample." in loaded.text
    assert "PostgreSQL queue" in visitor.get("/panel/memories").text
    visitor.press("/panel/sample/remove")
    inside = memory.within(space="sample", make=False)
    assert inside.list().items == ()
    assert all(
        event.deleted_at is not None
        for stream in inside.streams().items
        for event in inside.read(stream.name).items
    )


def test_a_form_goes_back_to_pages_of_the_panel_only(memory: Recollect, visitor: Visitor) -> None:
    kept = memory.remember("Deploys are on Tuesdays.")
    for back in ("https://evil.example/", "//evil.example", "/panel/\\evil", "/v1/export"):
        got = visitor.press(f"/panel/memories/{kept.id}/pin", follow=False, back=back)
        assert got.header("location") == f"/panel/memories/{kept.id}"


def test_a_conversation_is_kept_as_knowledge_and_rated(memory: Recollect, visitor: Visitor) -> None:
    memory.record("Which queue do we use for mails?", stream="general", author="ada")
    event = memory.record("We use the PostgreSQL queue for mails.", stream="general", author="ada")
    got = visitor.press("/panel/knowledge", event=event.id)
    assert "We use the PostgreSQL queue for mails." in got.text
    memo = memory.workspace.memos().items[0]
    visitor.press(f"/panel/knowledge/{memo.id}", verdict="helpful")
    assert memory.workspace.memo(memo.id).helpfulness > 0
    assert memo.summary[:20] in visitor.get("/panel/knowledge").text


def test_contradicting_memories_are_settled(memory: Recollect, visitor: Visitor) -> None:
    memory.remember("The stand-up of the web team is at 9:15.")
    memory.remember("The stand-up of the web team moved to 10:00.")
    one = memory.contradictions.list().items[0]
    assert "The older stands" in visitor.get("/panel/attention").text
    visitor.press(f"/panel/attention/contradictions/{one.id}", resolution="b_wins")
    assert memory.contradictions.list().items == ()
    assert [kept.content for kept in memory.list().items] == [
        "The stand-up of the web team moved to 10:00."
    ]
