"""In the panel: what two devices changed is decided there, and teams are kept."""

from pathlib import Path

from recollect.engine import Recollect
from tests.stores import StoreMaker
from tests.surfaces.panel.visitor import Visitor


def test_both_texts_stand_side_by_side_and_one_decision_reaches_all(
    memory: Recollect, visitor: Visitor, stores: StoreMaker, tmp_path: Path
) -> None:
    address = f"http://127.0.0.1:{visitor.port}"
    token = memory.tokens.create(role="owner", name="laptops").secret
    one, two = (stores.open(str(tmp_path / f"{name}.db")) for name in ("one", "two"))
    with one, two:
        facts = [
            one.remember(f"The {what} closes at nine.", visibility="project", repeats="keep")
            for what in ("harbour", "museum", "kiosk")
        ]
        for laptop in (one, two):
            laptop.sync.now(address, token=token)
        for fact in facts:
            one.update(fact.id, content=fact.content.replace("nine", "ten"))
            two.update(fact.id, content=fact.content.replace("nine", "<b>eleven</b>"))
        for laptop in (one, two):
            laptop.sync.now(token=token)

        assert "two devices changed: 3" in visitor.get("/panel/attention").text
        page = visitor.get("/panel/conflicts")
        for text in ("The harbour closes at ten.", "The harbour closes at <b>eleven</b>."):
            assert text in page.text
        assert "<b>eleven" not in page.body
        harbour, museum, kiosk = facts
        (torn,) = [two for two in memory.sync.conflicts() if two.memory_id == harbour.id]
        version = next(each.version for each in torn.versions if "ten" in each.content)
        visitor.press(f"/panel/conflicts/{harbour.id}", act="keep", version=version)
        visitor.press(f"/panel/conflicts/{museum.id}", act="both")
        visitor.press(f"/panel/conflicts/{kiosk.id}", act="write", content="The kiosk is closed.")
        assert visitor.press(f"/panel/conflicts/{kiosk.id}", act="guess").status == 422
        assert "No memory was changed in two places." in visitor.get("/panel/conflicts").text
        for laptop in (one, two, one):
            laptop.sync.now(token=token)
        for store in (one, two, memory):
            assert store.sync.conflicts() == ()
            said = sorted(kept.content for kept in store.list().items)
            assert said == [
                "The harbour closes at ten.",
                "The kiosk is closed.",
                "The museum closes at <b>eleven</b>.",
                "The museum closes at ten.",
            ]


def test_teams_are_founded_and_names_confirmed(memory: Recollect, visitor: Visitor) -> None:
    memory.add_member("dan")
    memory.record("The crane is repaired.", stream="dock", author="Dan Petrov")
    page = visitor.get("/panel/teams")
    assert "You are in no team" in page.text
    assert "Dan Petrov → dan" in page.text
    visitor.press("/panel/teams/aliases", user="dan", alias="Dan Petrov")
    assert [(one.user, one.name) for one in memory.aliases()] == [("dan", "Dan Petrov")]
    visitor.press("/panel/teams/found", kind="team", name="platform")
    visitor.press("/panel/teams/add", kind="team", name="platform", user="dan", role="member")
    assert "dan member" in visitor.get("/panel/teams").text
    visitor.press("/panel/teams/remove", kind="team", name="platform", user="dan")
    assert [one.user for one in memory.people.group("team", "platform").members] == ["ada"]
