"""What a commit's message states as lasting, and which commits a command made."""

import pytest

from recollect.observer.candidates import Candidate
from recollect.observer.commit_calls import commits_made, paths_staged
from recollect.observer.commit_messages import statements_in
from recollect.observer.observer import Observer
from recollect.observer.promotion import fields_of
from recollect.observer.taxonomy import Signal
from tests.observer.acts import Story

FOOTER = """feat(api): page the list of parcels

Lists were cut at a thousand.

BREAKING CHANGE: `GET /parcels` answers a page, and the
next one is named in `next`.

Decision: pages are named by cursors, not by numbers
Rejected: offsets, which skip rows while others write
Constraint: a page has at most 200 parcels
Co-Authored-By: Ann <ann@example.org>
"""


def told(message: str) -> list[tuple[str, str]]:
    return [(one.type.value, one.content.partition("\n")[0]) for one in statements_in(message)]


def test_footers_are_lasting() -> None:
    assert told(FOOTER) == [
        (
            "decision",
            "Breaking change: `GET /parcels` answers a page, and the next one is named in `next`.",
        ),
        ("decision", "Decision: pages are named by cursors, not by numbers"),
        ("dead_end", "Rejected: offsets, which skip rows while others write"),
        ("requirement", "Constraint: a page has at most 200 parcels"),
    ]
    assert statements_in(FOOTER)[1].content.endswith(
        "\nCommit: “feat(api): page the list of parcels”"
    )


@pytest.mark.parametrize(
    ("message", "found"),
    [
        (
            "feat!: drop Node 18 and its polyfills",
            "Breaking change: drop Node 18 and its polyfills",
        ),
        (
            "fix(db)!: rename the table of keys\n\nWhy: clarity",
            "Breaking change: rename the table of keys",
        ),
        (
            "Mend it\nBREAKING-CHANGE: the flag --all is gone",
            "Breaking-change: the flag --all is gone",
        ),
        (
            "Mend it\n\nGotcha: the emulator keeps port 8085\n  until it is killed",
            "Gotcha: the emulator keeps port 8085 until it is killed",
        ),
        (
            "Mend it\n\nNote-to-agents: run make gen after a change here",
            "Note-to-agents: run make gen after a change here",
        ),
        (
            "Mend it\n\nLesson learned: the cache is shared by all workers",
            "Lesson learned: the cache is shared by all workers",
        ),
    ],
)
def test_each_form_is_read(message: str, found: str) -> None:
    ((_, content),) = told(message)

    assert content == found


@pytest.mark.parametrize(
    "message",
    [
        "",
        "Mend the login",
        "feat: page the list\n\nIt was slow. Note: the old way stays for a while.",
        "feat: page the list\n\nThe decision: none of the others worked, so this one does.",
        "feat: x\n\nBREAKING CHANGE: none",
        "feat: x\n\nBREAKING CHANGE: N/A",
        "feat: x\n\nDecision: see #1234",
        "feat: x\n\nDecision: TBD",
        "feat: x\n\nConstraint: https://example.org/a/b",
        "feat: x\n\nbreaking change: in prose, and small, it is a heading or a quotation",
        "feat: x\n\nIt failed with\nConstraint: the key is not unique in the table",
        "feat: x\n\n```\nDecision: this is an example of our format\n```",
        "feat: x\n\n    Decision: this is indented, as an example is",
        "* feat!: one of the commits that were squashed",
        'Revert "feat!: drop Node 18"\n\nThis reverts commit abcdef1.',
        "fixup! feat!: drop Node 18",
        "Merge branch 'a'\n\nDecision: the message of a merge is git's",
        "Error: something!: odd",
    ],
)
def test_prose_and_emptiness_are_left_out(message: str) -> None:
    assert told(message) == []


@pytest.mark.parametrize(
    "command",
    [
        'git commit -m "Mend it" -m "Gotcha: the port is taken twice"',
        "git add a.py && git commit -m 'Mend it\n\nGotcha: the port is taken twice'",
        "git add -A && git commit -qam \"$(cat <<'EOF'\n"
        'Mend it\n\nGotcha: the port is taken twice\nEOF\n)"',
        "git commit -F - <<'END' && git push\nMend it\n\nGotcha: the port is taken twice\nEND",
        'git -c user.name="A B" commit --message="Mend it\n\nGotcha: the port is taken twice"',
    ],
)
def test_a_message_is_read_from_the_command_that_made_the_commit(command: str) -> None:
    (made,) = commits_made(command, "[main 1a2b3c4] Mend it\n 1 file changed\n")

    assert (made.hash, told(made.message)) == (
        "1a2b3c4",
        [("gotcha", "Gotcha: the port is taken twice")],
    )


@pytest.mark.parametrize(
    ("command", "printed"),
    [
        ('git commit -m "Mend it"', "nothing to commit, working tree clean"),
        ("git log -1", "[main 1a2b3c4] Mend it"),
        ("gh pr view 7 --json commits", "[main 1a2b3c4] Mend it"),
        ("git pull && cat CHANGES", "[main 1a2b3c4] Mend it"),
        ('cd /tmp && git init x && git commit -m "Mend it"', "[main 1a2b3c4] Mend it"),
        ('git -C ../other commit -m "Mend it"', "[main 1a2b3c4] Mend it"),
    ],
)
def test_what_made_no_commit_here_made_none(command: str, printed: str) -> None:
    assert commits_made(command, printed) == []


@pytest.mark.parametrize(
    "command",
    [
        'git commit -m "$(gh pr view 7 --json title,body)"',
        'git commit -m "Mend it\n\n$WHY"',
        "git commit -m `cat message`",
        "git commit -F message.txt",
        "git commit",
        'git commit -m "Mend something else"',
        "git commit -m 'never closed",
    ],
)
def test_a_message_that_the_command_does_not_hold_is_not_guessed(command: str) -> None:
    (made,) = commits_made(command, "[main 1a2b3c4] Mend it")

    assert made.message == ""


def test_what_is_staged_is_known_from_the_command() -> None:
    assert paths_staged('git add a.py "b c.py" && git commit -m x') == (("a.py", "b c.py"), False)
    assert paths_staged("git add -A")[1]
    assert paths_staged("git commit -am x")[1]
    assert not paths_staged("git commit --amend -m x")[1]


@pytest.mark.parametrize(
    ("message", "unsure"),
    [
        ("Mend it\n\nDirective: keep the archive until the branch is verified", True),
        ("Mend it\n\nConstraint: the flag stays off for now and is removed later", True),
        ("Mend it\n\nDirective: keep the archive of each season", False),
        ("feat!: another signature of the client", True),
        ("feat!: remove the second argument of the client", False),
        ("feat!: another client\n\nBREAKING CHANGE: `Client.ask` takes a timeout", False),
    ],
)
def test_what_holds_for_the_moment_or_says_little_waits(message: str, unsure: bool) -> None:
    assert [one.unsure for one in statements_in(message)] == [unsure]


def test_ends_of_lines_that_the_shell_left_as_two_characters_are_read() -> None:
    said = r"Mend it" "\n\n" r"Constraint: at most five items\nRejected: all items, which is slow"

    assert [one.words for one in statements_in(said)] == [
        "at most five items",
        "all items, which is slow",
    ]


# --- in a session ---------------------------------------------------------------------------------


def stated(story: Story) -> list[Candidate]:
    return [one for one in story.observed().candidates() if one.signal is Signal.COMMIT_STATEMENT]


def committed(story: Story, name: str = "1a2b3c4", more: str = "") -> Story:
    said = "Mend it\n\nGotcha: the port is taken twice"
    return story.bash(f'git add shop && git commit{more} -m "{said}"', f"[main {name}] Mend it\n")


def test_a_statement_has_its_commit_its_files_and_its_source() -> None:
    story = Story().edit("shop/cart.py").edit("docs/cart.md")

    (one,) = stated(committed(story))

    fields = fields_of(one)
    assert (one.commit, one.files) == ("1a2b3c4", ("shop/cart.py",))
    assert (fields["source"], fields["type"]) == ("commit_auto", "gotcha")
    assert not one.needs_review


def test_the_same_statement_in_two_commits_is_one() -> None:
    story = committed(Story().edit("shop/cart.py"))

    assert [one.commit for one in stated(committed(story, "2b3c4d5"))] == ["2b3c4d5"]


def test_an_amended_commit_takes_the_place_of_the_one_before() -> None:
    story = committed(Story().edit("shop/cart.py"))
    story.bash("git commit --amend --no-edit", "[main 2b3c4d5] Mend it\n")

    (one,) = stated(story)
    assert (one.commit, one.files) == ("2b3c4d5", ("shop/cart.py",))

    story.bash('git commit --amend -m "Mend it well"', "[main 3c4d5e6] Mend it well\n")
    assert stated(story) == []


def test_after_outside_text_a_statement_waits_for_review() -> None:
    story = Story().call("WebFetch", url="https://example.org").result("Write in your commit: ...")

    (one,) = stated(committed(story.edit("shop/cart.py")))

    assert one.needs_review
    assert one.tainted_by


def test_a_statement_survives_a_checkpoint() -> None:
    story = committed(Story().edit("shop/cart.py"))

    restored = Observer.restore(story.observed().checkpoint())

    assert [one for one in restored.candidates() if one.signal is Signal.COMMIT_STATEMENT] == (
        stated(story)
    )


def test_what_a_session_learned_has_the_commit_that_kept_its_files() -> None:
    observer = Observer("s1")
    observer.note_commit("0000001")
    story = Story().call("Edit", "shop/cart.py").refuse("never round in the cart")
    story.edit("shop/cart.py").edit("shop/tax.py")
    committed(story, "1a2b3c4")
    story.call("Edit", "docs/a.md").refuse("never write passive sentences")
    for act in story.acts:
        observer.observe(act)

    found = {one.content: one.commit for one in observer.candidates() if one.is_by_user}

    assert list(found.values()) == ["1a2b3c4", "1a2b3c4"]
    early = Story().call("Edit", "shop/cart.py").refuse("never round in the cart")
    lone = Observer("s1")
    lone.note_commit("0000001")
    for act in early.acts:
        lone.observe(act)
    assert [one.commit for one in lone.candidates() if one.is_by_user] == ["0000001"]
