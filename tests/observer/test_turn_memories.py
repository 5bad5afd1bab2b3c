"""What a memory of a user's turn tells: what stood at the end, in sentences that read alone."""

from recollect.observer.signals.exchanges import folded
from recollect.observer.taxonomy import Signal
from tests.observer.acts import Story
from tests.observer.test_signals import found

_CAUSE = "The issue is that `parse_rows` drops the currency, because the header is taken for a row."
_CURE = (
    "`parse_rows` keeps the currency when the file has no header, because names are optional now."
)


def begun() -> Story:
    return Story().prompt("Add a cart").edit("a.py").answer("Done.")


def best(story: Story) -> str:
    return max(found(story, Signal.CORRECTION), key=lambda one: one.confidence).content


def remembered(story: Story) -> str:
    return " ".join(one.content for one in story.observed().candidates() if one.confidence >= 0.45)


def test_what_is_so_since_a_change_is_told_and_not_what_was_so_before() -> None:
    story = begun().prompt("the import loses the currency, that should not happen in `parse_rows`")
    story.answer(_CAUSE).edit("rows.py").answer(_CURE)

    told = best(story)

    assert _CURE in told
    assert _CAUSE not in told


def test_what_came_of_a_go_ahead_belongs_to_the_turn_before_it() -> None:
    story = begun().prompt("the import loses the currency, that should not happen in `parse_rows`")
    story.answer(_CAUSE).prompt("yes, go ahead").edit("rows.py").answer(_CURE)

    told = best(story)

    assert _CURE in told
    assert told.endswith("Changed: `rows.py`.")


def test_what_the_user_had_undone_later_is_no_lesson() -> None:
    story = begun().prompt("we should always show the commit's hash in the list of sessions")
    story.edit("list.py").answer("The list shows `commit_hash` now, because it is read from git.")
    kept = found(story, Signal.CORRECTION)
    story.prompt("thinking about it, please revert the hash in the list of sessions")

    undone = found(story.edit("list.py"), Signal.CORRECTION)

    assert any("always show" in one.content and one.confidence >= 0.45 for one in kept)
    assert not any("always show" in one.content and one.confidence >= 0.45 for one in undone)


def test_what_the_user_contradicts_is_no_finding() -> None:
    story = begun().prompt("does the hook get the prompt?")
    story.answer(
        "The root cause is that `ParseHook` never gets the prompt, because `SessionInfo` has "
        "**no field** for it; the bug is not in `read_prompt`, which only reads what it is given."
    )
    assert "`ParseHook` never gets the prompt" in remembered(story)

    story.prompt("you are not correct, the documentation says that it is sent").edit("hook.py")

    assert "`ParseHook` never gets the prompt" not in remembered(story)


def test_ways_to_choose_from_offers_and_log_entries_are_not_told() -> None:
    story = begun().prompt("the price should not be rounded twice in `total_price` any more")
    story.edit("price.py").answer(
        "`total_price` rounds only once now, because `round_price` is called in `checkout` alone.\n"
        "- Updated `price.py`\n"
        "- Verifies that the `total_price` stays the same when nothing is rounded\n"
        "- Cons: `round_price` must be imported, which is not needed in `checkout`\n"
        "If you'd like, I can also change `total_price` in the reports, because they round too."
    )

    told = best(story)

    assert "rounds only once now" in told
    assert all(one not in told for one in ("Updated", "Cons:", "If you'd like"))


def test_a_memory_leads_with_the_wish_and_names_the_refused_proposal_behind_it() -> None:
    story = begun().call(
        "Edit", "rows.py", old_string="", new_string="value = os.environ.get('RATES')\n"
    )
    story.refuse("no, we always read the settings through `Settings`, never the environment")

    (told,) = found(story, Signal.REFUSAL)
    lines = told.content.splitlines()

    assert lines[0].startswith("The user said: “no, we always read the settings")
    assert lines[1] == "Refused: `value = os.environ.get('RATES')` in `rows.py`."


def test_a_question_that_the_agent_agreed_to_is_told_as_the_statement() -> None:
    story = begun().prompt("shouldn't `parse_rows` keep the currency of the header instead?")
    agreed = "You're right. `parse_rows` should keep the currency of the header."
    story.answer(agreed).edit("rows.py").answer("Done.")

    lines = best(story).splitlines()

    assert lines[0] == "`parse_rows` should keep the currency of the header."
    assert lines[1].startswith("The user ")


def test_of_several_changed_files_those_are_named_that_the_words_speak_of() -> None:
    story = begun().prompt("the currency of a row should never be lost in `parse_rows`")
    story.edit("README.md").edit("other.py").edit("parse_currency.py").answer(_CURE)

    assert "Changed: `parse_currency.py`." in best(story).splitlines()


def test_words_that_were_typed_again_before_the_agent_began_are_one_turn() -> None:
    draft = "the import loses the currency, that should not happen in `parse_rows`"
    again = f"{draft}, also not in `read_rows`"
    story = begun().prompt(draft).prompt(again).edit("rows.py").answer(_CURE)

    kept = [one for one in found(story, Signal.CORRECTION) if "loses the currency" in one.content]

    assert [one.content.count("loses the currency") for one in kept] == [1]
    assert folded(story.observed().turns())[-1]["drafts"] == [None], "the draft's event is kept"
    answered = begun().prompt(draft).answer(_CAUSE).prompt(again)
    assert len(folded(answered.observed().turns())) == 3, "what was answered is no draft"
    other = begun().prompt("where is the header of a row read, and by whom?").prompt(draft)
    assert len(folded(other.observed().turns())) == 3, "other words are no draft"
