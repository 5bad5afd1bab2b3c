"""What is known of a session while it runs: small, bounded, and only in memory.

All tables have a limit; what is over it is not taken up, and counted. So a session of any length
stays within its fifty megabytes.
"""

from collections import OrderedDict, deque
from collections.abc import Mapping
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
#: So many different words of strangers are kept, to know them again.
FOREIGN: Final = 6_000
#: What shares so much of its words with what strangers wrote may repeat it.
REPEATED: Final = 0.5
#: After so many turns of the user, what an agent says is its own unless it repeats; after a text
#: that was heard in part only, later.
TURNS_AFTER: Final = 1
TURNS_AFTER_LONG: Final = 3
_LEAST_WORD_LENGTH: Final = 4


@dataclass(slots=True)
class FileUse:
    """How a session used one file."""

    first_step: int
    last_step: int
    first_at: float
    reads: int = 0
    edits: int = 0


class Scratchpad:
    """The facts that several signals share."""

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
        self._foreign: set[str] = set()
        self._turns = 0
        self._doubtful_until = 0
        self.calls: OrderedDict[str, Act] = OrderedDict()
        self.statements: deque[tuple[int, str]] = deque(maxlen=STATEMENTS)
        self.files: dict[str, FileUse] = {}
        self._times: dict[int, float] = {}

    def note_time(self, act: Act) -> None:
        """Keep when a step began."""
        if act.step not in self._times and len(self._times) < MAX_STEPS_TIMED:
            self._times[act.step] = act.at.timestamp()

    def time_of(self, step: int) -> datetime | None:
        """When a step began, as far as it was heard."""
        seconds = self._times.get(step)
        return None if seconds is None else datetime.fromtimestamp(seconds, UTC)

    def note_commit(self, commit: str) -> None:
        """From this step on this commit is checked out."""
        if not self._commits or self._commits[-1][1] != commit:
            self._commits.append([self.step, commit])
            del self._commits[:-COMMITS]

    def commit_of(self, step: int) -> str | None:
        """The commit that was checked out in a step, as far as it is known."""
        return next((name for at, name in reversed(self._commits) if at <= step), None)

    def call_of(self, act: Act) -> Act:
        """The call that an act answers; itself when it carries what was called."""
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
        """Keep what the agent said, for a while."""
        self.statements.append((act.step, act.text[:STATEMENT_LENGTH]))

    def taint(self, act: Act, tool: str) -> None:
        """From here on the agent has read what strangers wrote."""
        if self.tainted_at is None:
            self.tainted_at, self.tainted_by = act.step, tool
        after = TURNS_AFTER_LONG if len(act.text) > TEXT_HEAD else TURNS_AFTER
        self._doubtful_until = max(self._doubtful_until, self._turns + after)
        for word in words(act.text):
            if len(self._foreign) >= FOREIGN:
                break
            self._foreign.add(word)

    def note_turn(self) -> None:
        """The user spoke."""
        self._turns += 1

    def tainted(self, step: int) -> str | None:
        """The tool that brought strangers' words before or in a step, if one did.

        What an agent says between two calls bears the step of the call before.
        """
        if self.tainted_at is None or step < self.tainted_at:
            return None
        return self.tainted_by

    def repeated_from(self, text: str) -> str | None:
        """The tool whose strangers' words a statement made now may repeat, if one does.

        It may while the turn lasts in which they were read, later when it shares half of its words
        with them, and always when they were too many to know them all again.
        """
        if self.tainted_by is None:
            return None
        said = {word for word in words(text) if len(word) >= _LEAST_WORD_LENGTH}
        alike = len(said & self._foreign) >= REPEATED * max(1, len(said))
        doubtful = self._turns < self._doubtful_until or len(self._foreign) >= FOREIGN
        return self.tainted_by if doubtful or alike else None

    def touch(self, path: str, act: Act, *, edited: bool) -> None:
        """Note that a file was read or edited."""
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
        else:
            use.reads += 1

    def state(self) -> dict[str, Any]:
        """Everything but the calls that wait, as JSON has it."""
        return {
            "session": self.session,
            "step": self.step,
            "acts": self.acts,
            "dropped": self.dropped,
            "prompt": self.prompt,
            "subtask": self.subtask,
            "tainted": [self.tainted_at, self.tainted_by],
            "commits": self._commits,
            "foreign": [sorted(self._foreign), self._turns, self._doubtful_until],
            "times": [[step, seconds] for step, seconds in self._times.items()],
            "statements": [list(pair) for pair in self.statements],
            "files": {
                path: [use.first_step, use.last_step, use.first_at, use.reads, use.edits]
                for path, use in self.files.items()
            },
        }

    @classmethod
    def resumed(cls, state: Mapping[str, Any]) -> "Scratchpad":
        """The pad that was written down."""
        pad = cls(str(state["session"]))
        pad.step, pad.acts = int(state["step"]), int(state["acts"])
        pad.dropped = int(state["dropped"])
        pad.prompt, pad.subtask = str(state["prompt"]), state["subtask"]
        pad.tainted_at, pad.tainted_by = state["tainted"]
        # An older checkpoint kept no words of strangers: nothing said after them is the agent's.
        foreign, pad._turns, pad._doubtful_until = state.get("foreign", ((), 0, MAX_STEPS_TIMED))
        pad._foreign = set(foreign)
        pad._commits = list(state.get("commits", ()))
        pad.statements.extend((int(step), str(text)) for step, text in state["statements"])
        pad._times = {int(step): float(seconds) for step, seconds in state.get("times", ())}
        for path, use in state["files"].items():
            pad.files[path] = FileUse(*use)
        return pad
