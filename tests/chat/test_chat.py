"""Personal memory: repeats merge, contradictions ask, switches hold, and everything is audited."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest

from recollect.engine import Recollect
from recollect.vocabulary.errors import (
    InvalidInput,
    MemoryOff,
    NotAllowed,
    NotFound,
    RecentlyForgotten,
)
from recollect.vocabulary.personal import Intent, Outcome
from tests.clocks import TickingClock
from tests.stores import StoreMaker


def texts(memory: Recollect) -> list[str]:
    return [entry.memory.content for entry in memory.chat.entries().items]


# --- Repeats --------------------------------------------------------------------------------------


def test_repeat_raises_importance_and_merges_what_it_brings(memory: Recollect) -> None:
    first = memory.chat.add("I prefer tea over coffee.", tags=["drinks"])
    again = memory.chat.add(
        "i PREFER tea   over coffee!", tags=["morning"], manually_saved=True, session="monday"
    )

    assert (first.outcome, again.outcome) == (Outcome.KEPT, Outcome.MERGED)
    assert first.entry is not None
    assert again.entry is not None
    assert again.entry.id == first.entry.id
    assert again.entry.repeat_count == 1
    assert again.entry.memory.importance > first.entry.memory.importance
    assert {"drinks", "morning"} <= set(again.entry.memory.tags)
    assert again.entry.memory.manually_saved
    kept = memory.get(first.entry.id)
    assert kept.provenance.sessions == ("monday",)  # type: ignore[union-attr]
    assert len(texts(memory)) == 1


def test_paraphrase_is_one_entry(memory: Recollect) -> None:
    memory.chat.add("My daughter's name is Emma.")
    again = memory.chat.add("Emma is what my daughter is called.")

    assert again.outcome is Outcome.MERGED
    assert memory.chat.add("My daughter's name is Emily.").outcome is not Outcome.MERGED


def test_assistant_that_repeats_what_it_recalled_teaches_nothing(memory: Recollect) -> None:
    first = memory.chat.add("My flight leaves at 9 am on Friday.")
    echo = memory.chat.add("Your flight leaves at 9 am on Friday.", speaker="assistant")

    assert echo.outcome is Outcome.ECHO
    assert first.entry is not None
    assert memory.chat.entry(first.entry.id).repeat_count == 0


def test_two_clients_that_say_the_same_at_once_make_one_entry(memory: Recollect) -> None:
    with ThreadPoolExecutor(4) as pool:
        kept = list(pool.map(lambda _: memory.chat.add("I live in Lyon."), range(8)))

    assert len({one.entry.id for one in kept if one.entry}) == 1
    assert texts(memory) == ["I live in Lyon."]


def test_entries_of_others_are_no_repeats_and_are_not_seen(memory: Recollect) -> None:
    memory.add_member("bob")
    memory.chat.add("I live in Lyon.")
    bob = memory.within(user="bob")

    assert bob.chat.add("I live in Lyon.").outcome is Outcome.KEPT
    assert len(texts(bob)) == len(texts(memory)) == 1
    mine = memory.chat.entries().items[0].id
    with pytest.raises(NotFound):
        bob.chat.entry(mine)
    with pytest.raises(NotFound):
        bob.chat.forget(mine)
    shared = memory.remember("The harbour closes at nine.")
    with pytest.raises(NotAllowed, match="Only the owner of an entry"):
        bob.chat.forget(shared.id)
    assert memory.get(shared.id) == shared


# --- The cap --------------------------------------------------------------------------------------


def test_cap_trims_the_lowest_scores_and_never_what_is_pinned_or_saved(
    memory: Recollect, clock: TickingClock
) -> None:
    memory.chat.set(soft_cap=5)
    pinned = memory.chat.add("hello there my old friend", pinned=True).entry
    saved = memory.chat.add("ok thanks for the blue one", manually_saved=True).entry
    for number in range(12):
        clock.move(timedelta(days=2))
        memory.chat.add(f"The parcel number {number} arrived from city {number}.")

    kept = {entry.id for entry in memory.chat.entries().items}
    assert len(kept) == 5
    assert pinned is not None
    assert saved is not None
    assert {pinned.id, saved.id} <= kept
    trims = [one for one in memory.chat.audit(limit=100).items if one.action == "trim"]
    assert len(trims) == 9
    brought_back = memory.restore(trims[0].subject or "")
    assert not brought_back.archived


def test_cap_holds_whoever_writes_and_however_it_is_changed(stores: StoreMaker) -> None:
    address = stores.ready()
    one, other = stores.open(address), stores.open(address)
    one.chat.set(soft_cap=6)
    for number in range(5):
        (one if number % 2 else other).chat.add(f"Locker {number} belongs to team {number}.")
    assert len(texts(one)) == 5
    other.chat.set(soft_cap=3)
    one.chat.add("Locker 9 belongs to team 9.")
    assert len(texts(one)) == 3
    other.chat.set(soft_cap=4)
    for number in range(20, 26):
        (one if number % 2 else other).chat.add(f"Locker {number} belongs to team {number}.")
        assert len(texts(one)) <= 4


def test_scores_of_yesterday_are_worked_out_anew_before_a_trim(
    memory: Recollect, clock: TickingClock
) -> None:
    memory.chat.set(soft_cap=2)
    memory.chat.add("I prefer tea over coffee.")
    memory.chat.add("The bicycle stands in the cellar.")
    memory.chat.add("My locker has the number 12.")  # a trim while all scores are fresh
    assert "I prefer tea over coffee." in texts(memory)
    clock.move(timedelta(days=14))
    memory.chat.add("The plumber comes on Friday.")
    memory.chat.add("The gate is painted green.")

    left = texts(memory)
    assert "I prefer tea over coffee." not in left  # it would stay by the scores of then
    assert len(left) == 2


def test_cap_of_pinned_entries_alone_is_told_and_takes_nothing(memory: Recollect) -> None:
    memory.chat.set(soft_cap=1)
    for name in ("Anna", "Bruno", "Clara"):
        memory.chat.add(f"{name} is a colleague of mine.", pinned=True)

    assert len(texts(memory)) == 3
    assert memory.chat.audit().items[0].action == "cap_exceeded"


# --- Forgetting -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "again",
    [
        "My salary is 81,000 euros a year.",
        "my SALARY is 81,000 euros a year",
        "I earn a salary of 81,000 euros a year.",
        "81,000 euros a year is my salary.",
    ],
)
def test_nothing_near_what_was_forgotten_is_learned_for_a_day(
    memory: Recollect, clock: TickingClock, again: str
) -> None:
    entry = memory.chat.add("My salary is 81,000 euros a year.").entry
    assert entry is not None

    gone = memory.chat.forget(entry.id)

    assert gone.ids == (entry.id,)
    assert memory.chat.add(again).outcome is Outcome.NOT_KEPT
    with pytest.raises(RecentlyForgotten):
        memory.remember(again, visibility="personal")
    assert memory.chat.add("My sister plays the cello.").outcome is Outcome.KEPT
    clock.move(timedelta(hours=25))
    assert memory.chat.add(again).outcome is Outcome.KEPT


def test_forgetting_takes_the_persons_own_words_along(memory: Recollect) -> None:
    said = memory.record("I have a secret hobby: origami.", stream="talk")
    other = memory.record("Tell me more.", stream="talk", author="assistant")
    entry = memory.chat.add("I have a secret hobby: origami.", events=[said.id, other.id]).entry
    assert entry is not None

    gone = memory.chat.forget(entry.id)

    assert gone.events == 1
    assert memory.get(said.id).text == ""  # type: ignore[union-attr]
    assert memory.get(other.id).text == "Tell me more."  # type: ignore[union-attr]


def test_forgetting_can_be_undone_for_a_quarter_of_an_hour(
    memory: Recollect, clock: TickingClock
) -> None:
    first = memory.chat.add("I collect stamps.", pinned=True).entry
    second = memory.chat.add("I collect old maps of Norway.").entry
    assert first is not None
    assert second is not None
    early, late = memory.chat.forget(first.id), memory.chat.forget(second.id)

    assert "again" in memory.chat.undo(early.undo or "")
    clock.move(timedelta(minutes=16))
    with pytest.raises(NotAllowed, match="is erased"):
        memory.chat.undo(late.undo or "")
    assert texts(memory) == ["I collect stamps."]
    assert memory.chat.entries().items[0].memory.pinned


def test_forgetting_is_undone_elsewhere_by_its_code_alone(stores: StoreMaker) -> None:
    address = stores.ready()
    here, elsewhere = stores.open(address), stores.open(address)
    entries = [
        here.chat.add("I collect stamps.", tags=["hobby"], manually_saved=True).entry,
        here.chat.add("Emma plays the cello.").entry,
    ]
    gone = here.chat.forget(*(entry.id for entry in entries if entry is not None))
    code = gone.undo or ""
    audit_id, _, key = code.partition(".")
    assert key
    assert key not in repr(elsewhere.chat.audit().items)

    with pytest.raises(NotAllowed, match="does not hold its key"):
        elsewhere.chat.undo(audit_id)
    with pytest.raises(NotAllowed, match="does not fit"):
        elsewhere.chat.undo(f"{audit_id}.{'A' * len(key)}")
    with pytest.raises(NotFound):
        elsewhere.within(user="bob").chat.undo(code)
    assert elsewhere.chat.undo(code) == "I remember all 2 again."
    with pytest.raises(NotAllowed, match="undone already"):
        elsewhere.chat.undo(code)
    with pytest.raises(NotAllowed, match="undone already"):
        here.chat.undo(audit_id)

    back = {entry.memory.content: entry.memory for entry in here.chat.entries().items}
    assert set(back) == {"I collect stamps.", "Emma plays the cello."}
    assert back["I collect stamps."].manually_saved
    assert "hobby" in back["I collect stamps."].tags


def test_undo_by_word_takes_back_what_another_process_did(stores: StoreMaker) -> None:
    address = stores.ready()
    here, elsewhere = stores.open(address), stores.open(address)
    here.chat.say("remember that my dog is called Rex", session="s")
    here.chat.say("pin this", session="s")

    assert elsewhere.within(user="bob").chat.say("undo").answer == "There is nothing to undo."
    assert elsewhere.chat.say("undo", session="other").answer == "There is nothing to undo."
    assert "not pinned" in elsewhere.chat.say("undo", session="s").answer
    assert here.chat.entries(pinned=True).items == ()
    here.chat.say("turn memory off", session="s")
    assert "on again" in elsewhere.chat.say("undo", session="s").answer
    assert here.chat.settings().memory_enabled
    here.chat.say("remember that I play the flute", session="s")
    gone = elsewhere.chat.say("undo", session="s")
    assert "forgotten" in gone.answer
    assert texts(here) == ["my dog is called Rex"]
    assert here.chat.say(f"undo {gone.undo}").done
    assert set(texts(here)) == {"my dog is called Rex", "I play the flute"}


def test_what_another_process_forgot_comes_back_by_its_code_and_says_so(
    stores: StoreMaker,
) -> None:
    """The key to what was forgotten is in no store, so a word alone cannot bring it back there."""
    address = stores.ready()
    here, elsewhere = stores.open(address), stores.open(address)
    here.chat.say("remember that my dog is called Rex", session="s")
    gone = here.chat.say("forget that", session="s")

    by_word = elsewhere.chat.say("undo", session="s")
    assert not by_word.done
    assert "undo” with the code" in by_word.answer
    assert "clé n'est pas ici" in elsewhere.chat.say("annule", session="s").answer
    assert texts(here) == []
    assert not elsewhere.within(user="bob").chat.say(f"undo {gone.undo}").done
    assert elsewhere.chat.say(f"undo {gone.undo}", session="s").done
    assert texts(here) == ["my dog is called Rex"]


def test_what_was_taken_back_is_not_undone_by_saying_it_twice(
    memory: Recollect, clock: TickingClock
) -> None:
    chat = memory.chat
    for text in ("I live in Lyon.", "I have two cats."):
        chat.add(text)
    chat.say("forget everything", session="s")
    chat.say("yes", session="s")

    assert chat.say("undo", session="s").done
    assert chat.say("undo", session="s").answer == "There is nothing to undo."
    assert len(texts(memory)) == 2
    chat.say("forget about the cats", session="s")
    chat.say("yes", session="s")
    clock.move(timedelta(minutes=16))
    late = chat.say("undo", session="s")
    assert not late.done
    assert "is erased" in late.answer
    assert texts(memory) == ["I live in Lyon."]


def test_two_clients_may_forget_and_pin_the_same_entry_at_once(memory: Recollect) -> None:
    for text in ("I live in Lyon.", "My car is a blue Renault.", "Emma plays the cello."):
        entry = memory.chat.add(text).entry
        assert entry is not None

        def attempt(what: str, entry_id: str = entry.id) -> str:
            try:
                if what == "pin":
                    memory.chat.pin(entry_id)
                else:
                    memory.chat.forget(entry_id)
            except (NotFound, NotAllowed) as error:
                return error.code
            return "done"

        with ThreadPoolExecutor(2) as pool:
            done = list(pool.map(attempt, ["pin", "forget"]))
        assert done[1] == "done"
        with pytest.raises(NotFound):
            memory.chat.entry(entry.id)


# --- Switches -------------------------------------------------------------------------------------


def test_memory_off_neither_keeps_nor_recalls_and_is_each_persons_own(memory: Recollect) -> None:
    memory.add_member("bob")
    memory.chat.add("I live in Lyon.")

    memory.chat.set(memory_enabled=False)

    assert memory.chat.add("I moved to Oslo.").outcome is Outcome.NOT_KEPT
    with pytest.raises(MemoryOff):
        memory.remember("I moved to Oslo.")
    with pytest.raises(MemoryOff):
        memory.record("I moved to Oslo.")
    assert memory.recall("Lyon").found == ()
    assert "off" in memory.recall("Lyon").missing[0]
    assert len(texts(memory)) == 1  # what is kept can still be looked at
    assert memory.within(user="bob").remember("for all").content == "for all"
    memory.chat.set(memory_enabled=True)
    assert len(memory.recall("Lyon")) > 0


def test_incognito_session_neither_keeps_nor_recalls(memory: Recollect) -> None:
    memory.chat.add("I live in Lyon.")
    memory.chat.incognito("quiet", True)

    assert memory.chat.add("I am ill.", session="quiet").outcome is Outcome.NOT_KEPT
    with pytest.raises(MemoryOff):
        memory.record("I am ill.", stream="quiet")
    with pytest.raises(MemoryOff):
        memory.remember("I am ill.", session="quiet")
    assert memory.recall("Lyon", session="quiet").found == ()
    assert memory.chat.add("I like rain.", session="loud").outcome is Outcome.KEPT
    memory.chat.incognito("quiet", False)
    assert memory.chat.add("I am well.", session="quiet").outcome is Outcome.KEPT


def test_incognito_by_default_is_for_sessions_that_nobody_ended(memory: Recollect) -> None:
    memory.chat.set(incognito_default=True)

    assert memory.chat.incognito("new")
    assert memory.chat.add("I am ill.", session="new").outcome is Outcome.NOT_KEPT
    memory.chat.incognito("new", False)
    assert memory.chat.add("I am well.", session="new").outcome is Outcome.KEPT


@pytest.mark.parametrize(
    "wrong", [{}, {"soft_cap": 0}, {"memory_enabled": "yes"}, {"colour": 1}, {"retention_days": 0}]
)
def test_settings_are_checked(memory: Recollect, wrong: dict[str, object]) -> None:
    with pytest.raises(InvalidInput):
        memory.chat.set(**wrong)


# --- Contradictions -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The meeting with Anna is at 3 pm.", "The meeting with Anna moved to 4 pm."),
        ("I live in Lyon.", "I live in Oslo now."),
        ("The deadline of the report is 15 March.", "The deadline of the report is 20 March."),
        ("I drink coffee every morning.", "I do not drink coffee any more."),
        ("La réunion est à 14 h.", "La réunion est déplacée à 15 h."),
    ],
)
def test_contradiction_asks_and_supersedes_on_a_yes(memory: Recollect, old: str, new: str) -> None:
    memory.chat.add(old)

    kept = memory.chat.add(new)

    assert kept.outcome is Outcome.ASKED
    assert len(texts(memory)) == 2  # nothing is replaced without a word
    said = memory.chat.say("yes")
    assert said.done
    assert texts(memory) == [new]
    memory.chat.undo(said.undo or "")
    assert set(texts(memory)) <= {old, new}
    assert memory.chat.questions()


def test_no_keeps_both(memory: Recollect) -> None:
    memory.chat.add("The meeting with Anna is at 3 pm.")
    memory.chat.add("The meeting with Anna moved to 4 pm.")

    assert memory.chat.say("non").answer == "Je garde les deux."
    assert len(texts(memory)) == 2
    assert memory.chat.questions() == ()


@pytest.mark.parametrize(
    "new", ["Anna's office is in Berlin.", "The report has 20 pages.", "I like rain."]
)
def test_what_can_stand_beside_the_rest_asks_nothing(memory: Recollect, new: str) -> None:
    memory.chat.add("The meeting with Anna is at 3 pm.")
    memory.chat.add("The deadline of the report is 15 March.")

    assert memory.chat.add(new).outcome is Outcome.KEPT


# --- Speaking -------------------------------------------------------------------------------------


def test_spoken_commands_do_what_they_say_and_can_be_undone(memory: Recollect) -> None:
    chat = memory.chat

    assert chat.say("remember that my dog is called Rex", session="s").intent is Intent.REMEMBER
    assert "Rex" in chat.say("what do you remember about my dog?").answer
    pinned = chat.say("pin this", session="s")
    assert pinned.done
    assert chat.entries(pinned=True).items[0].memory.content == "my dog is called Rex"
    assert "not pinned" in chat.say("undo", session="s").answer
    gone = chat.say("forget that", session="s")
    assert "my dog is called Rex" in gone.answer
    assert texts(memory) == []
    chat.say("undo", session="s")
    assert texts(memory) == ["my dog is called Rex"]
    assert "off" in chat.say("turn memory off").answer
    assert not chat.settings().memory_enabled
    chat.say("turn memory back on")
    assert chat.say("start incognito for this chat", session="s").done
    assert chat.incognito("s")
    assert not chat.say("start incognito").done


def test_that_is_what_was_shown_and_is_asked_about_first(memory: Recollect) -> None:
    chat = memory.chat
    chat.say("We have a cat called Pixel.", session="s")
    chat.say("My sister An is getting married in Lisbon.", session="s")
    assert "Pixel" in chat.say("what is my cat called?", session="s").answer

    asked = chat.say("forget that", session="s")
    assert not asked.done
    assert "Pixel" in asked.answer
    chat.say("no", session="s")
    assert len(texts(memory)) == 2
    chat.say("forget that", session="s")
    assert chat.say("yes", session="s").done
    assert texts(memory) == ["My sister An is getting married in Lisbon."]
    assert "erase" in memory.chat.say("forget that").answer  # who knows what was shown elsewhere
    assert chat.say("forget that", session="s").answer.count("Lisbon") == 1


def test_what_is_to_do_is_listed_and_a_secret_is_named_as_one(memory: Recollect) -> None:
    chat = memory.chat
    chat.say("remember to call the plumber")
    chat.say("remind me to book the vet")
    for question in ("what are my todos?", "what's on my to-do list?", "what do I have to do?"):
        told = chat.say(question).answer
        assert "plumber" in told
        assert "vet" in told
    assert "secret" in chat.say("The wifi password is hunter2horse").answer


def test_french_is_answered_in_french(memory: Recollect) -> None:
    chat = memory.chat

    assert chat.say("souviens-toi que j'habite à Lyon").answer == "Je m'en souviendrai."
    assert "Lyon" in chat.say("que sais-tu sur Lyon ?").answer
    assert "oublié" in chat.say("oublie ça").answer
    assert "annulé" in chat.say("annule").answer
    assert "désactivée" in chat.say("désactive la mémoire").answer


def test_forgetting_everything_wants_a_yes(memory: Recollect) -> None:
    for text in ("I live in Lyon.", "I have two cats.", "My car is blue."):
        memory.chat.add(text)

    asked = memory.chat.say("forget everything about me", session="s")
    assert not asked.done
    assert "3" in asked.answer
    assert memory.chat.say("no", session="s").answer == "Nothing was changed."
    memory.chat.say("forget everything", session="s")
    assert memory.chat.say("yes", session="s").done
    assert texts(memory) == []


def test_forgetting_about_something_names_it_first(memory: Recollect) -> None:
    chat = memory.chat
    for text in ("I live in Lyon.", "My sister works in Lyon.", "I have two cats."):
        chat.add(text)

    asked = chat.say("forget about Lyon", session="s")

    assert (asked.done, len(asked.subjects)) == (False, 2)
    assert "“I live in Lyon.”" in asked.answer
    assert "“My sister works in Lyon.”" in asked.answer
    assert len(texts(memory)) == 3
    chat.add("We met in Lyon.")  # not named, so not taken
    assert chat.say("yes", session="s").done
    assert sorted(texts(memory)) == ["I have two cats.", "We met in Lyon."]


def test_whoever_says_the_whole_entry_is_not_asked(memory: Recollect) -> None:
    memory.chat.add("I collect stamps.")
    assert not memory.chat.say("forget about stamps").done
    said = memory.chat.say("forget that I collect stamps")
    assert (said.done, said.answer[:43]) == (True, "I have forgotten this: “I collect stamps.”.")
    assert texts(memory) == []


def test_a_yes_answers_the_question_before_it_and_no_earlier_one(memory: Recollect) -> None:
    chat = memory.chat
    chat.add("I live in Lyon.")
    for between in ("what do you remember about Lyon?", "Nice weather!", "no"):
        chat.say("forget about Lyon", session="s")
        chat.say(between, session="s")
        assert not chat.say("yes", session="s").done
    chat.say("forget about Lyon", session="s")
    assert not chat.say("yes", session="other").done
    assert texts(memory) == ["I live in Lyon."]


def test_ordinary_talk_is_no_command(memory: Recollect) -> None:
    for text in ("I forgot my keys.", "The memory of this laptop is small.", "Nice weather!"):
        said = memory.chat.say(text)
        assert (said.intent, said.done) == (Intent.NONE, False)
    assert memory.chat.audit().items == ()


# --- The log --------------------------------------------------------------------------------------


def test_every_action_is_in_the_log_and_none_of_the_words(memory: Recollect) -> None:
    entry = memory.chat.add("My allergy is zirconium.").entry
    assert entry is not None
    memory.chat.pin(entry.id)
    memory.chat.pin(entry.id, False)
    memory.chat.set(soft_cap=50)
    memory.chat.incognito("s", True)
    memory.chat.incognito("s", False)
    memory.chat.forget(entry.id)

    log = memory.chat.audit(limit=100).items
    assert [one.action for one in reversed(log)] == [
        *("remember", "pin", "unpin", "settings", "incognito_start", "incognito_end", "forget")
    ]
    exported = "".join(memory.chat.export_audit())
    assert exported.count("\n") == 7
    assert "zirconium" not in exported
    assert memory.chat.audit(limit=2).next_cursor is not None
    assert memory.chat.audit(limit=3, cursor=log[2].id).items == log[3:6]


def test_shared_tag_is_found_in_another_space_only_when_the_person_says_so(
    memory: Recollect, stores: StoreMaker
) -> None:
    home = memory.within(space="home", kind="personal")
    home.chat.add("I am allergic to peanuts.", tags=["health"])
    home.chat.add("My diary is under the bed.", tags=["private"])
    work = memory.within(space="work")

    assert not work.chat.say("what do you know about peanuts?").found
    home.chat.share("health", work.space)
    told = work.chat.say("what do you know about my allergic peanuts?")
    assert [one.text for one in told.found] == ["I am allergic to peanuts."]
    assert not work.chat.say("what do you know about my diary?").found
    assert home.chat.unshare("health", work.space)
    assert not work.chat.say("what do you know about peanuts?").found
