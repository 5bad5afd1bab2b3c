"""Members, teams, other names, disputes and exports tell nobody what is not theirs; and whoever is
deleted is gone, with what others built on them."""

import json
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest

from recollect.engine import Recollect
from recollect.storage import person_rows
from recollect.storage.schema import metadata
from recollect.vocabulary.errors import Conflict, NotAllowed, NotFound, RecollectError
from recollect.vocabulary.memory import Memory
from recollect.vocabulary.rights import DELETED_PERSON
from tests.clocks import TickingClock
from tests.contracts.state import changed, state_of
from tests.stores import StoreMaker

#: Columns that name a person, whatever table they stand in.
NAMING = {"user_id", "owner", "author", "actor", "editor", "created_by", "chosen_by"}
NAMING |= {"confirmed_by", "opened_by", "escalated_by", "resolved_by"}
WORDS = ("zanzibarian", "quartzite", "vermilion", "marzipan")


def people(stores: StoreMaker) -> tuple[Recollect, Recollect, Recollect, Recollect]:
    """An owner, a steward, a member, and somebody who belongs to nothing here."""
    ada = stores.open(stores.ready()).within(space="works")
    ada.add_member("eve", "steward")
    ada.add_member("dan", "member")
    return (
        ada,
        ada.within(space="works", user="eve"),
        ada.within(space="works", user="dan"),
        ada.within(space="works", user="mallory"),
    )


def memory_of(view: Recollect, memory_id: str) -> Memory:
    found = view.get(memory_id)
    assert isinstance(found, Memory)
    return found


def test_every_column_that_names_a_person_is_known_to_their_rights() -> None:
    known = {*person_rows.OWN.items(), *person_rows.NAMED}
    there = {
        (name, column)
        for name, table in metadata.tables.items()
        for column in map(str, table.c.keys())
        if column in NAMING or column.endswith("_by")
    } - {("memories", "superseded_by"), ("contradictions", "judged_by")}
    there -= {("contradiction_judgements", "judged_by"), ("researches", "answered_by")}
    there -= {("research_rounds", "reflected_by"), ("code_meanings", "made_by")}
    assert there == known


def test_a_team_sees_what_is_shared_with_it_and_nobody_founds_one_over_others(
    stores: StoreMaker,
) -> None:
    ada, eve, dan, mallory = people(stores)
    kept = ada.remember("The zanzibarian key hangs left.", visibility="team", team="core")
    shown = [ada, eve, dan, mallory]

    assert [bool(view.recall("zanzibarian").found) for view in shown] == [True, False, False, False]
    for view in (dan, mallory):
        with pytest.raises(Conflict, match="taken"):
            view.people.found_group("team", "core")
    ada.people.found_group("team", "core")
    with pytest.raises(NotFound):
        dan.people.group("team", "core")
    mallory.people.found_group("team", "her own")
    with pytest.raises(NotFound):
        mallory.within(space="works", make=False)
    ada.people.add_to_group("team", "core", "mallory")
    assert [bool(view.recall("zanzibarian").found) for view in shown] == [True, False, False, True]
    assert mallory.within(space="works", make=False).get(kept.id).id == kept.id
    with pytest.raises(NotAllowed):
        mallory.people.add_to_group("team", "core", "dan")
    with pytest.raises(NotAllowed, match="at least one owner"):
        ada.people.remove_from_group("team", "core", "ada")
    mallory.people.remove_from_group("team", "core", "mallory")
    assert mallory.recall("zanzibarian").found == ()
    ada.people.dissolve_group("team", "core")
    assert ada.people.groups() == ()


def test_disputes_are_seen_with_their_memory_and_settled_by_those_who_may(
    stores: StoreMaker,
) -> None:
    ada, eve, dan, mallory = people(stores)
    shared = ada.remember("The quartzite door opens at nine.", type="gotcha")
    own = ada.remember("Vermilion is mine.", visibility="personal")
    before = dan.recall("quartzite door", kinds=["memory"]).found[0].score

    opened = dan.disputes.open(shared.id, "It opens at ten.")

    assert opened.waits_for == ("eve",)
    assert memory_of(dan, shared.id).disputed
    assert dan.recall("quartzite door", kinds=["memory"]).found[0].score == pytest.approx(
        0.8 * before, rel=0.05
    )
    with pytest.raises(NotFound):
        dan.disputes.open(own.id, "I cannot see it.")
    secret = ada.disputes.open(own.id, "Is vermilion right?")
    assert [one.id for one in eve.disputes.list().items] == [opened.id]
    refused: list[Callable[[], object]] = [
        lambda: dan.disputes.get(secret.id),
        lambda: mallory.disputes.get(opened.id),
        lambda: mallory.disputes.comment(opened.id, "x"),
        lambda: eve.disputes.resolve(secret.id, "confirmed"),
        lambda: dan.disputes.resolve(opened.id, "confirmed"),
        lambda: eve.disputes.resolve(opened.id, "withdrawn"),
        lambda: eve.disputes.resolve(opened.id, "updated"),
    ]
    for attempt in refused:
        with pytest.raises(RecollectError):
            attempt()
    eve.disputes.comment(opened.id, "I shall ask.")
    assert eve.disputes.escalate(opened.id).waits_for == ("ada",)
    with pytest.raises(NotAllowed):
        eve.disputes.resolve(opened.id, "confirmed")
    done = ada.disputes.resolve(opened.id, "updated", content="The quartzite door opens at ten.")
    assert (done.state, len(done.comments)) == ("updated", 2)
    assert not memory_of(dan, shared.id).disputed
    told = [(one.action.value, one.actor) for one in dan.history(shared.id)][1:]
    assert told == [("disputed", "dan"), ("escalated", "eve"), ("settled", "ada")]


def test_newcomers_are_shown_five_once_and_wishes_need_a_second_person(stores: StoreMaker) -> None:
    ada, eve, dan, mallory = people(stores)
    for number in range(7):
        ada.remember(f"Rule {number} of the harbour.", pinned=number == 3, confidence=0.5)
    ada.remember("Marzipan is mine.", visibility="personal", pinned=True, confidence=1.0)

    shown = dan.people.welcome()

    assert len(shown) == 5
    assert shown[0].content == "Rule 3 of the harbour."
    assert [len(view.people.welcome()) for view in (dan, eve, mallory, ada)] == [0, 5, 0, 0]
    wish = dan.remember("I want tabs.", visibility="personal", type="preference")
    proposed = dan.people.propose(wish.id)
    assert (proposed.needs_review, proposed.audience.visibility) == (True, "project")
    with pytest.raises(NotAllowed):
        dan.people.adopt(proposed.id)
    with pytest.raises(NotFound):
        eve.people.adopt(wish.id)
    assert eve.people.adopt(proposed.id).user_verified


def test_other_names_are_suggested_confirmed_and_taken_back(stores: StoreMaker) -> None:
    ada, eve, dan, _ = people(stores)
    ada.record("The vermilion mast is down.", stream="chat", author="Dan Petrov")
    ada.open_stream("private talk", access="private")
    ada.record("Marzipan for dan.", stream="private talk", author="Dan Petrov")
    ada.admit("private talk", "Dan Petrov")

    (found,) = eve.people.suggest_aliases()

    assert (found.user, found.name) == ("dan", "Dan Petrov")
    with pytest.raises(NotAllowed):
        dan.people.suggest_aliases()
    assert dan.recall("vermilion", author="dan").found == ()
    eve.confirm_alias("dan", "Dan Petrov")
    assert eve.people.suggest_aliases() == ()
    assert [one.text for one in dan.recall("vermilion", author="dan").found]
    assert dan.read("private talk").items[0].text == "Marzipan for dan."
    with pytest.raises(Conflict):
        ada.confirm_alias("ada", "Dan Petrov")
    with pytest.raises(NotAllowed):
        eve.confirm_alias("eve", "Eve Petrov")
    eve.withdraw_alias("dan", "Dan Petrov")
    with pytest.raises(NotFound):
        dan.read("private talk")


def test_a_person_exports_their_own_and_is_deleted_with_what_was_built_on_them(
    stores: StoreMaker, tmp_path: Path
) -> None:
    ada, eve, dan, _ = people(stores)
    dan.remember("The zanzibarian pump needs quartzite on Tuesdays.", type="gotcha")
    dan.remember("I prefer marzipan.", visibility="personal", type="preference")
    said = dan.record("Vermilion sails are stored under the quay.", stream="chat")
    eve.record("Thank you.", stream="chat", reply_to=said.id)
    built = eve.remember(
        "Ask the harbour master. Vermilion sails are stored under the quay.", events=[said.id]
    )
    eve.recall("where are vermilion sails?")
    dan.recall("marzipan")
    dan.within(space="dans own").remember("Marzipan again.")
    token = ada.bearing(ada.tokens.create(user="dan", role="member").secret)

    told = "".join(token.rights.export_person())

    assert all(word in told.lower() for word in WORDS)
    assert "dans own" not in told  # which the token does not open
    assert [one["space"]["name"] for one in json.loads(told)["spaces"]] == ["works"]
    copy = tmp_path / "dan.md"
    copy.write_text("".join(dan.rights.export_person("markdown")), "utf-8")
    elsewhere = stores.open(stores.ready(), user="dan")
    assert [elsewhere.import_(copy).added for _ in range(2)] == [4, 0]
    assert elsewhere.recall("quay").found
    with pytest.raises(NotAllowed):
        token.rights.summary("eve")
    with pytest.raises(NotAllowed):
        token.rights.delete_person("eve", confirm="eve")
    with pytest.raises(NotAllowed, match="only owner"):
        ada.rights.delete_person("ada", confirm="ada")

    done = ada.rights.delete_person("dan", confirm="dan")

    assert (done.memories, done.events, done.spaces) == (2, 1, ("dans own",))
    assert memory_of(eve, built.id).content == "Ask the harbour master."
    assert [one.author for one in eve.read("chat").items] == [DELETED_PERSON, "eve"]
    database = stores.database(ada._services.spaces._database.address)
    kept = repr(state_of(database)).lower()
    assert [word for word in (*WORDS, "'dan'") if word in kept] == []
    assert ada.health().sound
    with pytest.raises(RecollectError):
        ada.within(user=DELETED_PERSON)


def test_spaces_are_renamed_archived_kept_for_days_and_deleted_by_owners(
    stores: StoreMaker,
) -> None:
    ada, eve, dan, _ = people(stores)
    other = ada.within(space="other")
    other.remember("Quartzite stays.")
    ada.remember("The zanzibarian pump leaks.")
    database = stores.database(ada._services.spaces._database.address)
    before = state_of(database)
    attempts: list[Callable[[Recollect], object]] = [
        lambda view: view.rights.rename_space("mine"),
        lambda view: view.rights.archive_space(),
        lambda view: view.rights.set_retention(5),
        lambda view: view.rights.delete_space(confirm="works"),
    ]
    for view in (eve, dan):
        for attempt in attempts:
            with pytest.raises(NotAllowed):
                attempt(view)
    with pytest.raises(Conflict):
        ada.rights.rename_space("other")
    assert changed(before, state_of(database)) == {}

    assert ada.rights.rename_space("yard").name == "yard"
    assert ada.rights.set_retention(30).retention_days == 30
    ada.rights.archive_space()
    assert [space.name for space in ada.spaces()] == ["default", "other"]
    with pytest.raises(NotFound, match="archived"):
        ada.within(space="yard", make=False)
    with pytest.raises(NotFound):
        dan.rights.restore_space("other")
    yard = ada.within(space=ada.rights.restore_space("yard").name)
    yard.rights.delete_space(confirm="yard")
    kept = repr(state_of(database)).lower()
    assert [word in kept for word in WORDS[:2]] == [False, True]
    assert other.recall("quartzite").found
    assert ada.health().sound


def test_a_night_deletes_what_a_space_keeps_no_longer(stores: StoreMaker) -> None:
    clock = TickingClock()
    memory = stores.open(stores.ready(), clock=clock).within(space="works")
    memory.remember("The zanzibarian pump leaks.")
    memory.record("Vermilion sails are torn.", stream="chat")
    memory.remember("Quartzite stays.", pinned=True)
    clock.move(timedelta(days=20))
    memory.remember("Marzipan is new.")
    assert memory.evolution.run().counts.get("retention") is None
    clock.move(timedelta(days=1))
    memory.rights.set_retention(14)

    report = memory.evolution.run()

    assert report.counts["retention"] == 2
    assert "older than this space keeps them" in report.text
    kept = repr(state_of(stores.database(memory._services.spaces._database.address))).lower()
    assert [word in kept for word in WORDS] == [False, True, False, True]
