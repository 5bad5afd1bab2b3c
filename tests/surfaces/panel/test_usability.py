"""What people stumbled over on the pages, and does not happen again."""

import json
from urllib.parse import quote_plus

from recollect.engine import Recollect
from recollect.surfaces.panel.pages.sample_texts import TEXTS
from tests.surfaces.panel.visitor import Visitor

_QUESTION = "which queue do we use for mails?"


def test_health_is_not_perfect_beside_open_contradictions(
    memory: Recollect, visitor: Visitor
) -> None:
    for number in range(60):  # so many that a share of them would be rounded away
        memory.remember(f"Note {number} of the diary of room {number * 7}.", repeats="keep")
    assert memory.overview().score == 100
    memory.remember("The stand-up of the web team is at 9:15.")
    memory.remember("The stand-up of the web team moved to 10:00.")
    assert memory.overview().score == 99
    page = visitor.get("/").text
    assert "99 of 100" in page
    assert "open contradictions: 1, a point less for each" in page
    assert "open contradictions 1" in page


def test_a_contradiction_about_oneself_is_one_card_and_ends_with_one_button(
    memory: Recollect, visitor: Visitor
) -> None:
    memory.chat.hear("I love cilantro.")
    memory.chat.hear("I hate cilantro.")
    found = memory.contradictions.list().items
    assert len(found) == len(memory.chat.questions()) == 1
    page = visitor.get("/panel/attention")
    assert page.text.count("The older stands") == 1
    assert page.text.count("I hate cilantro.") == 1
    visitor.press(f"/panel/attention/contradictions/{found[0].id}", resolution="a_wins")
    assert memory.chat.questions() == ()
    assert "Nothing waits for you." in visitor.get("/panel/attention").text


def test_a_memo_of_a_question_says_its_answer(memory: Recollect, visitor: Visitor) -> None:
    memory.record("Which queue do we use for mails?", stream="general", author="ada")
    memory.record("We use the PostgreSQL queue for mails.", stream="general", author="bob")
    visitor.get(f"/panel/ask?q={_QUESTION.replace(' ', '+')}")
    kept = memory.list(type="memo").items[0]
    assert kept.content == _QUESTION
    told = f"{_QUESTION} \N{EM DASH} We use the PostgreSQL queue for mails."
    for path in ("/", "/panel/memories", f"/panel/memories/{kept.id}"):
        assert told in visitor.get(path).text, path
    for path in ("/panel/knowledge", f"/panel/knowledge/{kept.id}"):
        assert "We use the PostgreSQL queue for mails." in visitor.get(path).text
    memory.add_member("grace", "member")
    grace = memory.within(user="grace")
    assert grace.people.onboarding()[0].content == told
    assert told in grace.session(id="first", agent="claude-code", task="Look").system_prompt()


def test_several_that_were_forgotten_come_back_with_one_button(
    memory: Recollect, visitor: Visitor
) -> None:
    ids = [memory.remember(f"Note {number}.", repeats="keep").id for number in range(3)]
    got = visitor.press("/panel/memories", act="forget", id=ids)
    assert memory.list().items == ()
    undo = f"/panel/memories/restore?id={ids[0]}&amp;id={ids[1]}&amp;id={ids[2]}"
    assert f'action="{undo}"' in got.body
    visitor.press(undo.replace("&amp;", "&"))
    assert {one.id for one in memory.list().items} == set(ids)


def test_pinning_several_unpins_none(memory: Recollect, visitor: Visitor) -> None:
    first = memory.remember("Deploys are on Tuesdays.", pinned=True)
    second = memory.remember("The mail job uses the PostgreSQL queue.")
    visitor.press("/panel/memories", act="pin", id=[first.id, second.id])
    assert all(one.pinned for one in memory.list().items)


def test_the_original_of_a_duplicate_is_offered(memory: Recollect, visitor: Visitor) -> None:
    first = memory.remember("The mail job uses the PostgreSQL queue.")
    double = memory.remember("Mails go through the PostgreSQL queue.", repeats="keep")
    offered = visitor.get(f"/panel/memories/{double.id}/alike").body
    assert f'value="{first.id}"' in offered
    assert f'value="{double.id}"' not in offered
    home = f"/panel/memories/{double.id}/correct"
    visitor.press(home, reason="duplicate", chosen=first.id, original="")
    assert [one.id for one in memory.list().items] == [first.id]


def test_the_sample_is_in_the_language_of_the_panel(memory: Recollect, visitor: Visitor) -> None:
    french = Visitor(visitor.port, language="fr")
    french.press("/panel/sample")
    inside = memory.within(space="sample", make=False)
    assert {one.content for one in inside.list().items} == {
        one.content for one in TEXTS["fr"].memories
    }
    asked = quote_plus("Quelle file utilisons-nous pour l'envoi des mails ?")
    page = french.get(f"/panel/ask?q={asked}").text
    assert "dans backend, " in page
    assert "la file PostgreSQL" in page
    assert "Je ne l'ai pas trouvé." in french.get("/panel/ask?q=qui+dort+sur+Mars+%3F").text
    assert len(TEXTS["fr"].talk) == len(TEXTS["en"].talk)


def test_errors_are_told_in_the_language_of_the_panel(memory: Recollect, visitor: Visitor) -> None:
    memory.remember("Deploys are on Tuesdays.")
    french = Visitor(visitor.port, language="fr")
    gone = french.get("/panel/memories/mem_00000000000000000000000000").text
    assert "Aucun souvenir 'mem_00000000000000000000000000' n'est visible ici." in gone
    assert "Rien n'était coché" in french.press("/panel/memories", act="pin").text
    assert "Cette page n'existe pas." in french.get("/panel/nowhere").text


def test_an_import_that_fails_names_the_file_as_its_owner_does(
    memory: Recollect, visitor: Visitor
) -> None:
    visitor.get("/")
    headers = {"X-Form-Token": visitor.cookies["recollect_form"], "X-File-Name": "export.zip"}
    got = visitor.send(
        "/panel/import", b"PK\x03\x04 cut off", kind="application/octet-stream", headers=headers
    )
    last = json.loads(got.body.splitlines()[-1])
    assert "export.zip" in last["error"]
    assert "recollect-import" not in got.body
