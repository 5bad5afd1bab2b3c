"""What each signal notices, and what it leaves alone."""

from datetime import timedelta

import pytest

from recollect.observer import commands, failures
from recollect.observer.across import across, lower_bound
from recollect.observer.candidates import Candidate
from recollect.observer.diagnoses import sentences_of, stated
from recollect.observer.facts import FileFact, SessionFacts, facts_of, kept
from recollect.observer.taxonomy import Signal
from recollect.vocabulary.memory_types import MemoryType
from tests.observer.acts import START, Story


def found(story: Story, signal: Signal) -> list[Candidate]:
    return [one for one in story.observed(signals=[signal]).finish() if one.signal is signal]


def test_a_refusal_is_remembered_with_the_words() -> None:
    story = Story().call("Edit", "src/app.py").refuse("please don't add comments")

    (one,) = found(story, Signal.REFUSAL)

    assert one.type is MemoryType.PREFERENCE
    assert one.content == (
        "The user said: “please don't add comments”\nRefused: editing `src/app.py`."
    )
    assert one.files == ("src/app.py",)


def test_a_refusal_without_words_takes_those_that_follow() -> None:
    story = Story().call("Bash", command="git push --force").refuse()
    story.prompt("we never force-push shared branches")

    (one,) = found(story, Signal.REFUSAL)

    assert one.content == (
        "The user said: “we never force-push shared branches”\nStopped: `git push --force`."
    )


def test_a_question_at_a_permission_prompt_is_told_as_a_question() -> None:
    story = Story().call("Edit", "src/app.py").refuse("which callers of the parser use this?")

    (one,) = found(story, Signal.REFUSAL)

    assert one.content == (
        "The user asked: “which callers of the parser use this?”\nRefused: editing `src/app.py`."
    )


def test_what_a_later_turn_takes_back_is_not_told() -> None:
    story = Story().prompt("Add a cart").edit("a.py").answer("Done.")
    story.prompt("the list of sessions should show checkpoints")
    story.answer("The issue is that `listActive` never reads the branch, because it is only local.")
    story.prompt("no, that's not what I meant, archived sessions should be shown").edit("b.py")

    one = max(found(story, Signal.CORRECTION), key=lambda each: each.confidence)

    assert "listActive" not in one.content
    assert "The user had said before: “the list of sessions should show checkpoints”" in one.content


def test_what_stood_at_the_end_is_told() -> None:
    wrong = (
        "The root cause is that `load_rates` drops the currency, because the header row is read "
        "as the first rate and never skipped."
    )
    story = Story().prompt("Import the rates").answer("Done.")
    story.prompt("the import loses the currency, it should not").answer(wrong).answer("Done.")
    story.prompt("what about the quarterly archive, its names never match").answer(
        "Ah, I understand now. The issue is that `read_archive` only looks into the first folder, "
        "because `list_folders` never goes deeper."
    )
    story.edit("src/archive.py")

    told = " ".join(one.content for one in story.observed().candidates() if one.quote)

    assert "`read_archive` only looks" in told
    assert "`load_rates` drops" not in told


def test_code_keeps_its_signs_and_thoughts_are_left_out() -> None:
    statement = stated(
        "<thinking>Is it so?</thinking>- **The issue** is that `if a || *b > <id>` never holds, "
        "because `checkAll` only runs when `isReady` is set.\nWould you like me to change it?"
    )

    assert statement is not None
    assert statement.text == (
        "The issue is that `if a || *b > <id>` never holds, "
        "because `checkAll` only runs when `isReady` is set."
    )


@pytest.mark.parametrize("words", ["ok", "yes, continue", "stop", "wait a second", "..."])
def test_words_that_say_nothing_are_not_remembered(words: str) -> None:
    assert found(Story().call("Edit", "a.py").refuse(words), Signal.REFUSAL) == []


def test_a_question_about_the_moment_is_caught_but_hardly_trusted() -> None:
    (one,) = found(Story().call("Edit", "a.py").refuse("what are you doing?"), Signal.REFUSAL)
    (wish,) = found(
        Story().call("Edit", "a.py").refuse("should we use textutil instead?"), Signal.REFUSAL
    )

    assert one.confidence < 0.45 < wish.confidence


def test_a_correction_is_surer_when_the_agent_gives_way() -> None:
    def told(answer: str) -> Candidate:
        story = Story().edit("a.py").prompt("no, settings.json should be committed").answer(answer)
        (one,) = found(story, Signal.CORRECTION)
        return one

    agreed, plain = told("You're right - only the logs are ignored."), told("Done.")

    assert "“no, settings.json should be committed”" in agreed.content
    assert agreed.confidence > plain.confidence


@pytest.mark.parametrize(
    "words", ["yes, commit this", "ok go ahead", "push it please", "never mind"]
)
def test_a_go_ahead_is_no_lesson(words: str) -> None:
    story = Story().prompt("Add a cart").edit("a.py").answer("Done.").prompt(words)

    assert all(one.confidence < 0.45 for one in found(story, Signal.CORRECTION))


def test_turns_that_say_little_alone_are_one_lesson() -> None:
    story = Story().prompt("Add a cart").edit("a.py").answer("Done.")
    story.prompt("is the old price helper still used anywhere now?").answer("No, nowhere.")
    story.prompt("then we should remove it").edit("b.py")

    one = max(found(story, Signal.CORRECTION), key=lambda each: each.confidence)

    assert "still used anywhere now?" in one.content
    assert "then we should remove it" in one.content


def test_what_the_agent_found_out_is_quoted_with_its_names() -> None:
    story = Story().prompt("The totals are off, have a look").read("cart.py")
    story.answer(
        "Found the bug: `total_price` in `cart.py` adds the discount twice, because both "
        "`applyDiscount` and `checkout` subtract it; the fix is to subtract only in `checkout`. "
        "It never showed in the tests since they have **no discounts**, so they are not wrong."
    ).prompt("ok")

    (one,) = found(story, Signal.DIAGNOSIS)

    assert one.content.startswith(
        "Found the bug: `total_price` in `cart.py` adds the discount twice, because"
    )


def test_what_is_written_into_the_rules_is_kept_word_for_word() -> None:
    story = (
        Story()
        .prompt("Note that")
        .edit("CLAUDE.md", "# Rules", "# Rules\n- Use pnpm in this repository, not npm.")
    )

    (one,) = found(story, Signal.WRITTEN_RULE)

    assert one.content == "“Use pnpm in this repository, not npm.”\nWritten into `CLAUDE.md`."


def test_a_self_correction_needs_the_claim_it_corrects() -> None:
    text = "I initially thought the cache was keyed by path, but it is keyed by the commit hash"
    said = Story().answer("The cache is keyed by path, so a rename misses.").edit("a.py")

    (one,) = found(said.answer(text), Signal.SELF_CORRECTION)

    assert "keyed by the commit hash" in one.content
    assert found(Story().answer(text), Signal.SELF_CORRECTION) == []
    announced = (
        "I was wrong about the cache being keyed by path. Let me fix this by its commit hash."
    )
    assert found(said.answer(announced), Signal.SELF_CORRECTION) == [one]
    aloud = Story().answer("The cache is here.").think("Wait, actually, not that. Let me look.")
    assert found(aloud, Signal.SELF_CORRECTION) == []


def test_a_dead_end_names_what_does_not_work_and_why() -> None:
    story = Story().answer(
        "Mocking the clock won't work because the worker runs in another process."
    )

    (one,) = found(story, Signal.SELF_CORRECTION)

    assert one.type is MemoryType.DEAD_END
    assert one.extras["approach_tried"] == "Mocking the clock"
    assert "another process" in one.content


def test_all_rules_of_a_failed_check_are_read_even_behind_a_pipe() -> None:
    printed = (
        "[lint:go] a.go:9:2: Error return value is not checked (errcheck)\n"
        "[lint:go] a.go:12:2: error returned from external package is unwrapped (wrapcheck)"
    )
    story = Story().bash("cd /x && mise run lint 2>&1 | tail -5", printed)
    story.edit("a.go", "x()", "_ = x()").bash("mise run lint")

    (one,) = found(story, Signal.CHECK_RULE)

    assert one.key == "rule:errcheck wrapcheck"
    assert one.content.startswith("The check `mise run lint` enforces the rules `errcheck` (“Error")
    assert one.files == ("a.go",)
    assert {key for key, _ in story.observed().report().facts.fixes} == {
        "rule:errcheck",
        "rule:wrapcheck",
    }


@pytest.mark.parametrize(
    ("printed", "rule", "message"),
    [
        (
            "/shop/cart.ts\n  12:5  error  'rate' is assigned but never used  "
            "@typescript-eslint/no-unused-vars\n",
            "@typescript-eslint/no-unused-vars",
            "… is assigned but never used",
        ),
        ("src/a.py:1:8: F401 [*] `os` imported but unused", "F401", "… imported but unused"),
        (
            "a.go:3:1: string `x` has 3 occurrences (goconst)",
            "goconst",
            "string … has 3 occurrences",
        ),
        ("a.go:3:1: err is set (line 21) but nil is returned (nilerr)", "nilerr", None),
    ],
)
def test_rules_of_several_linters_are_read(printed: str, rule: str, message: str | None) -> None:
    assert failures.rules(printed) == [rule]
    said = failures.rule_message(failures.rule_line(printed, rule), rule)
    assert said == (message or "err is set but nil is returned")


@pytest.mark.parametrize(
    "printed",
    [
        "src/app.ts(3,5): error TS2345: Argument of type 'x'",
        "a.py:3: error: Incompatible return value type  [return-value]",
        "main.go:12:2: undefined: foo (typecheck)",
        "12:30 error in the log  somewhere",
    ],
)
def test_what_a_compiler_or_a_log_says_is_no_rule(printed: str) -> None:
    assert failures.rules(printed) == []


def test_a_rule_counts_as_mended_by_any_command_that_runs_its_check() -> None:
    story = (
        Story()
        .call("Bash", command="make format && make lint")
        .fail(
            "Exit code 1\na.go:1:1: use of `exec.Command` forbidden, use CommandContext (forbidigo)"
        )
    )
    story.edit("a.go", "x", "y").bash("make lint")

    (one,) = found(story, Signal.CHECK_RULE)

    assert not one.needs_review
    assert "`forbidigo`" in one.content


def test_a_rule_is_told_with_the_line_that_mended_it() -> None:
    story = Story().call("Bash", command="make lint")
    story.fail("Exit code 1\nshop/a.go:1:1: error is set but nil is returned (nilerr)")
    mended = (
        "// skipped\nif err != nil {\n  return nil //nolint:nilerr // not there\n}\nx := load(1)"
    )
    story.edit("shop/a.go", "if err != nil {", mended).bash("make lint")

    (one,) = found(story, Signal.RULE_BROKEN_AGAIN)

    assert "mended for example by `return nil //nolint:nilerr // not there`" in one.content


def test_a_short_note_that_is_written_whole_is_kept_and_a_long_file_is_not() -> None:
    note = "# Amending\n\nAn amended commit loses its link to the session."
    story = Story().prompt("Note that")
    story.call("Write", "docs/KNOWN_LIMITATIONS.md", content=note).result()
    story.call("Write", "CLAUDE.md", content="# The project\n" + "It has parts.\n" * 200).result()

    (one,) = found(story, Signal.WRITTEN_RULE)

    assert "“Amending: An amended commit loses its link to the session.”" in one.content


def test_a_written_rule_is_told_with_what_it_stands_under() -> None:
    old = "**Releases from the main branch**\n- Tag them."
    story = (
        Story().prompt("Note that").edit("AGENTS.md", old, f"{old}\n- Never on a Friday, please.")
    )

    (one,) = found(story, Signal.WRITTEN_RULE)

    assert "“Releases from the main branch: Never on a Friday, please.”" in one.content


def asked(story: Story, *pairs: tuple[str, str]) -> Story:
    told = ", ".join(f'"{question}"="{answer}"' for question, answer in pairs)
    story.call("AskUserQuestion", questions=[])
    return story.result(f"User has answered your questions: {told}. You can now continue.")


def test_what_the_user_chose_when_asked_is_a_decision() -> None:
    story = asked(
        Story().prompt("add an export"),
        ("Which format should the export of the invoices have?", "JSON lines (Recommended)"),
        ("The plan is written. What would you like to do next?", "Start /work"),
    )
    asked(story, ("Where should the rates of the day be kept?", "In the settings"))

    first, second = found(story, Signal.CHOICE)

    assert first.content == (
        "The user decided: “JSON lines”\n"
        "The agent had asked: “Which format should the export of the invoices have?”"
    )
    assert "In the settings" in second.content
    assert not first.needs_review
    again = asked(story, ("So which format should the export of invoices have?", "Only CSV"))
    chosen = [one.content.partition("\n")[0] for one in found(again, Signal.CHOICE)]
    assert chosen == ["The user decided: “In the settings”", "The user decided: “Only CSV”"]


def test_a_rule_in_an_own_answer_to_any_question_is_a_decision() -> None:
    words = "the only way to silence the warning is a flag, no prompt"
    story = asked(Story(), ("The plan is ready. What would you like to do next?", words))

    (one,) = found(story, Signal.CHOICE)

    assert words in one.content


def test_a_command_that_works_otherwise_is_an_error_pattern() -> None:
    story = Story().call("Bash", command="gh pr diff 104 --stat").fail("unknown flag: --stat")

    (one,) = found(story.bash("gh pr diff 104 --name-only"), Signal.ERROR_RETRY)

    assert one.content == (
        "`gh pr diff 104 --stat` fails here with “unknown flag: --stat”; "
        "`gh pr diff 104 --name-only` works."
    )


@pytest.mark.parametrize(
    "talk",
    [
        "<tool_use_error>File has not been read yet. Read it first.</tool_use_error>",
        "<tool_use_error>String to replace not found in file.</tool_use_error>",
        "<tool_use_error>Sibling tool call errored</tool_use_error>",
        "File does not exist.",
        "Permission to use Bash with command rm has been denied.",
    ],
)
def test_the_harness_s_talk_is_never_learned(talk: str) -> None:
    assert failures.is_harness(talk)
    story = Story().call("Bash", command="mise run check").fail(talk).bash("mise run check --all")
    assert found(story, Signal.ERROR_RETRY) == []


def test_a_failing_test_of_the_change_under_work_is_normal() -> None:
    story = Story().call("Bash", command="go test ./a").fail("--- FAIL: TestA (0.0s)\n invalid x")

    assert found(story.bash("go test ./a -run TestA"), Signal.ERROR_RETRY) == []


def test_editing_again_is_normal_and_taking_back_is_not() -> None:
    old, new = "the old words of this file", "the new words of this file"
    again = Story().edit("a.py", old, new).prompt("go on").edit("a.py", new, "other words here")
    back = Story().edit("a.py", old, new).prompt("no, leave it").edit("a.py", new, old)

    assert found(again, Signal.BACKTRACK) == []
    (one,) = found(back, Signal.BACKTRACK)
    assert "“no, leave it”" in one.content


def test_two_agents_in_one_file_are_a_conflict() -> None:
    story = Story().call("Edit", "a.py", agent="one").call("Edit", "a.py", agent="two")

    (one,) = found(story, Signal.PARALLEL_CONFLICT)

    assert one.content.startswith("`a.py` changes on disk while agents work on it")


def test_a_search_counts_with_the_file_it_led_to() -> None:
    story = Story().call("Grep", pattern="func SaveState").result("", paths=("b.go", "a/state.go"))
    story.read("a/state.go")

    (one,) = found(story, Signal.REPEATED_GREP)

    assert one.content == "Searching for `func SaveState` leads to `a/state.go`."


def test_a_vain_pattern_counts_with_what_was_meant() -> None:
    story = Story().call("Glob", pattern="**/commands/clean*.go").result("No files found")

    (one,) = found(story.read("cmd/cli/clean.go"), Signal.GLOB_IGNORE)

    assert "what was looked for is `cmd/cli/clean.go`" in one.content


def test_checks_before_a_commit_are_a_recipe() -> None:
    story = Story().edit("a.go").bash("mise run fmt && mise run lint").bash("ls -la")
    story.bash("mise run test").bash('git commit -m "x"')

    (one,) = found(story, Signal.TOOL_SEQUENCE)

    assert one.content == (
        "Before a commit, a change here is checked with "
        "`mise run fmt`, then `mise run lint`, then `mise run test`."
    )
    assert [step["order"] for step in one.extras["steps"]] == [1, 2, 3]


def facts(number: int, edited: dict[str, int], **more: object) -> SessionFacts:
    files = tuple(
        FileFact(path, step, START.timestamp() + step, 1, edits)
        for step, (path, edits) in enumerate(edited.items(), 1)
    )
    return SessionFacts(f"s{number}", START + timedelta(days=number), files, **more)  # type: ignore[arg-type]


def test_files_that_change_together_are_told_once_enough_sessions_show_it() -> None:
    other = [facts(number, {f"z{number}.go": 1}) for number in range(10)]
    pair = [facts(20 + number, {"api/a.go": 1, "db/b.go": 1}) for number in range(4)]

    assert across([*other, *pair[:3]]) == []
    contents = [one.content for one in across([*other, *pair]) if one.signal is Signal.CO_ACCESS]
    assert contents == [
        "When `api/a.go` changes, `db/b.go` often changes too (4 of 4 sessions so far).",
        "When `db/b.go` changes, `api/a.go` often changes too (4 of 4 sessions so far).",
    ]


def test_a_file_and_its_test_are_not_worth_telling() -> None:
    other = [facts(number, {f"z{number}.go": 1}) for number in range(10)]
    pair = [facts(20 + number, {"a/x.go": 1, "a/x_test.go": 1}) for number in range(6)]

    assert [one for one in across([*other, *pair]) if one.signal is Signal.CO_ACCESS] == []


def test_costs_and_plans_of_a_module() -> None:
    sessions = [
        facts(number, {"api/a.go": 1}, tokens={"api": 20_000}, plan=(20.0, 60))
        for number in range(3)
    ]

    by_signal = {one.signal: one for one in across(sessions)}

    assert by_signal[Signal.TOKEN_SPIKE].extras["average_tokens"] == 20_000
    assert by_signal[Signal.STEP_OVERRUN].extras["ratio"] == 3.0
    assert by_signal[Signal.STEP_OVERRUN].content == (
        "Plans for `api` take 3.0 times the steps that they allow (60 for 20, 3 sessions)."
    )


def test_facts_are_read_back_as_they_were_kept() -> None:
    one = facts(1, {"a.go": 2, "b.go": 0}, tokens={"x": 3}, chases=(("a", "b"),), words=("w",))

    assert facts_of(one.session, one.started_at, kept(one)) == one


def test_a_careful_share_is_below_the_plain_one() -> None:
    assert lower_bound(3, 3) < lower_bound(30, 30) < 1.0
    assert lower_bound(1, 4) < 0.25


@pytest.mark.parametrize(
    ("command", "bare", "start"),
    [
        ("cd /a/b && mise run lint 2>&1 | tail -20", "mise run lint", "mise run lint"),
        ("GOOS=linux go test ./... -v", "go test ./... -v", "go test"),
        ("git commit -m 'x'", "git commit -m 'x'", "git commit"),
        ("", "", ""),
    ],
)
def test_commands_without_plumbing(command: str, bare: str, start: str) -> None:
    assert commands.plain(command) == bare
    assert commands.head(command) == start


@pytest.mark.parametrize(
    "text",
    ["sec " * 250 + "x", "hm" * 500 + "?", "pause " * 160 + "!", "no" * 490 + "z", " " * 3_000],
)
def test_words_made_to_confuse_a_pattern_do_not(text: str) -> None:
    story = Story().call("Bash", command=f"cd {text}").fail(f"error {text}").refuse(text)
    story.prompt(text).answer(f"You're right {text}").think(f"I was wrong about {text}. {text}")
    story.bash(f"{text} 2>&1 | tail").call("Grep", pattern=text[:200]).result(text)

    assert story.observed(signals=list(Signal)).faults == 0


def test_a_sentence_does_not_end_at_an_abbreviation() -> None:
    text = (
        "It fails on how the real flow works vs. the unit test, e.g. with no files. Then it passes."
    )
    assert sentences_of(text) == [
        "It fails on how the real flow works vs. the unit test, e.g. with no files.",
        "Then it passes.",
    ]
