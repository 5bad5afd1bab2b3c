"""Scratchpad of a running session: bounded working state, in memory only.

All tables have a limit; entries beyond it are dropped and counted. A session of any length
therefore stays within its 50 MB.
"""

from collections import OrderedDict, deque
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

from recollect.observer.names import words
from recollect.vocabulary.acts import TEXT_HEAD, Act

PENDING: Final = 256
STATEMENTS: Final = 40
STATEMENT_LENGTH: Final = 1_500
FILES: Final = 5_000
MAX_STEPS_TIMED: Final = 20_000
COMMITS: Final = 500
MADE: Final = 200
#: Maximum number of distinct words of outside text kept, to recognise repetitions.
FOREIGN: Final = 6_000
#: Share of words in common with outside text from which a statement may repeat it.
REPEATED: Final = 0.5
#: Number of user turns after which a statement of the agent counts as its own unless it repeats
#: outside text; longer after a text that was only partly read.
TURNS_AFTER: Final = 1
TURNS_AFTER_LONG: Final = 3
_LEAST_WORD_LENGTH: Final = 4


@dataclass(slots=True)
class FileUse:
    """Use of one file by a session."""

    first_step: int
    last_step: int
    first_at: float
    reads: int = 0
    edits: int = 0
    edited_step: int = -1


class Scratchpad:
    """Facts shared by several signals."""

    def __init__(self, session: str) -> None:
        self.session = session
        self.step = 0
        self.acts = 0
        self.dropped = 0
        self.prompt = ""
        self.subtask: str | None = None
        self.tainted_at: int | None = None
        self.tainted_by: str | None = None
        self._commits: list[list[Any]] = []
        self._made: list[list[Any]] = []
        self._branches: list[list[Any]] = []
        self._foreign: set[str] = set()
        self._turns = 0
        self._doubtful_until = 0
        self.calls: OrderedDict[str, Act] = OrderedDict()
        self.statements: deque[tuple[int, str]] = deque(maxlen=STATEMENTS)
        self.files: dict[str, FileUse] = {}
        self._times: dict[int, float] = {}

    def note_time(self, act: Act) -> None:
        """Record when a step began."""
        if act.step not in self._times and len(self._times) < MAX_STEPS_TIMED:
            self._times[act.step] = act.at.timestamp()

    def time_of(self, step: int) -> datetime | None:
        """Time at which a step began, if it is known."""
        seconds = self._times.get(step)
        return None if seconds is None else datetime.fromtimestamp(seconds, UTC)

    def note_commit(self, commit: str) -> None:
        """Record the commit that is checked out from this step on."""
        if not self._commits or self._commits[-1][1] != commit:
            self._commits.append([self.step, commit])
            del self._commits[:-COMMITS]

    def note_made(self, commit: str, files: Iterable[str]) -> None:
        """Record a commit that the session made, with the files that it touched."""
        self.note_commit(commit)
        self._made.append([self.step, commit, list(files)])
        del self._made[:-MADE]

    def take_made(self) -> tuple[str, tuple[str, ...]]:
        """Forget the session's last commit, which another replaces; returns it with its files."""
        _, commit, files = self._made.pop() if self._made else (0, "", ())
        return str(commit), tuple(files)

    def made_with(self, step: int, files: Collection[str]) -> str | None:
        """The session's first commit from a step on that touched one of the files, if any."""
        wanted = set(files)
        return next(
            (str(name) for at, name, held in self._made if at >= step and wanted & set(held)), None
        )

    def uncommitted(self) -> tuple[str, ...]:
        """Files that the session changed since its last commit."""
        last = self._made[-1][0] if self._made else -1
        return tuple(path for path, use in self.files.items() if use.edited_step > last)

    def note_branch(self, branch: str) -> None:
        """Record the branch on which the session works from this step on."""
        if branch and (not self._branches or self._branches[-1][1] != branch):
            self._branches.append([self.step, branch])
            del self._branches[:-COMMITS]

    def branch_of(self, step: int) -> str:
        """Branch on which the session worked in a step; empty if it is unknown."""
        return next((str(name) for at, name in reversed(self._branches) if at <= step), "")

    def commit_of(self, step: int) -> str | None:
        """Commit checked out in a step, if it is known."""
        return next((name for at, name in reversed(self._commits) if at <= step), None)

    def call_of(self, act: Act) -> Act:
        """The call that an act answers; the act itself if it carries the call's data."""
        if act.call is not None:
            return self.calls.get(act.call, act)
        return act

    def note_call(self, act: Act) -> None:
        """Keep a call until it is answered."""
        if act.call is not None:
            self.calls[act.call] = act
            if len(self.calls) > PENDING:
                self.calls.popitem(last=False)

    def note_statement(self, act: Act) -> None:
        """Keep a statement of the agent for a limited time."""
        self.statements.append((act.step, act.text[:STATEMENT_LENGTH]))

    def taint(self, act: Act, tool: str) -> None:
        """Record that the agent has read outside text from this act on."""
        if self.tainted_at is None:
            self.tainted_at, self.tainted_by = act.step, tool
        after = TURNS_AFTER_LONG if len(act.text) > TEXT_HEAD else TURNS_AFTER
        self._doubtful_until = max(self._doubtful_until, self._turns + after)
        for word in words(act.text):
            if len(self._foreign) >= FOREIGN:
                break
            self._foreign.add(word)

    def note_turn(self) -> None:
        """Count a turn of the user."""
        self._turns += 1

    def tainted(self, step: int) -> str | None:
        """Tool that brought outside text in or before a step, if any.

        A statement between two calls belongs to the step of the earlier call.
        """
        if self.tainted_at is None or step < self.tainted_at:
            return None
        return self.tainted_by

    def repeated_from(self, text: str) -> str | None:
        """Tool whose outside text a statement made now may repeat, if any.

        A statement may repeat it during the turn in which the text was read; later if it shares
        half of its words with the text; and always if the text had too many words to keep.
        """
        if self.tainted_by is None:
            return None
        said = {word for word in words(text) if len(word) >= _LEAST_WORD_LENGTH}
        alike = len(said & self._foreign) >= REPEATED * max(1, len(said))
        doubtful = self._turns < self._doubtful_until or len(self._foreign) >= FOREIGN
        return self.tainted_by if doubtful or alike else None

    def touch(self, path: str, act: Act, *, edited: bool) -> None:
        """Record that a file was read or edited."""
        step = act.step
        use = self.files.get(path)
        if use is None:
            if len(self.files) >= FILES:
                self.dropped += 1
                return
            use = self.files[path] = FileUse(step, step, act.at.timestamp())
        use.last_step = step
        if edited:
            use.edits += 1
            use.edited_step = step
        else:
            use.reads += 1

    def state(self) -> dict[str, Any]:
        """State as JSON values, without the pending calls."""
        return {
            "session": self.session,
            "step": self.step,
            "acts": self.acts,
            "dropped": self.dropped,
            "prompt": self.prompt,
            "subtask": self.subtask,
            "tainted": [self.tainted_at, self.tainted_by],
            "commits": self._commits,
            "made": self._made,
            "branches": self._branches,
            "foreign": [sorted(self._foreign), self._turns, self._doubtful_until],
            "times": [[step, seconds] for step, seconds in self._times.items()],
            "statements": [list(pair) for pair in self.statements],
            "files": {
                path: [
                    use.first_step,
                    use.last_step,
                    use.first_at,
                    use.reads,
                    use.edits,
                    use.edited_step,
                ]
                for path, use in self.files.items()
            },
        }

    @classmethod
    def resumed(cls, state: Mapping[str, Any]) -> "Scratchpad":
        """Restore a saved scratchpad."""
        pad = cls(str(state["session"]))
        pad.step, pad.acts = int(state["step"]), int(state["acts"])
        pad.dropped = int(state["dropped"])
        pad.prompt, pad.subtask = str(state["prompt"]), state["subtask"]
        pad.tainted_at, pad.tainted_by = state["tainted"]
        # An older checkpoint kept no outside words: later statements may all repeat outside text.
        foreign, pad._turns, pad._doubtful_until = state.get("foreign", ((), 0, MAX_STEPS_TIMED))
        pad._foreign = set(foreign)
        pad._commits = list(state.get("commits", ()))
        pad._made = list(state.get("made", ()))
        pad._branches = list(state.get("branches", ()))
        pad.statements.extend((int(step), str(text)) for step, text in state["statements"])
        pad._times = {int(step): float(seconds) for step, seconds in state.get("times", ())}
        for path, use in state["files"].items():
            pad.files[path] = FileUse(*use)
        return pad
