"""Totals of a session for the cross-session signals (1, 2, 12, 14, 15, 17).

This detector promotes nothing itself: ``across.py`` compares the facts of many sessions.
"""

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any, Final

from recollect.observer.calibrations import STEPS_PER_ITEM
from recollect.observer.candidates import Candidate
from recollect.observer.commands import SHELLS, checks
from recollect.observer.facts import FileFact, SessionFacts
from recollect.observer.failures import has_failed
from recollect.observer.history import BRANCHES, EDITING
from recollect.observer.names import stem, words
from recollect.observer.phrases import module_of
from recollect.observer.scratchpad import Scratchpad
from recollect.observer.sketches import Sketch
from recollect.trust.secrets import redacted
from recollect.vocabulary.acts import Act, ActKind

MODULES: Final = 500
CHASES: Final = 200
SKETCHED: Final = 200
SKETCH_LENGTH: Final = 6_000
FILES: Final = 400
WORDS: Final = 300
_SOON: Final = 2


class Totals:
    """Counts plans, calls, tokens and reads that follow from a read, and records the first
    check."""

    name = "totals"
    hears = (ActKind.PROMPT, ActKind.CALL, ActKind.RESULT, ActKind.FAILURE)

    def __init__(self) -> None:
        self._started: float | None = None
        self._planned = 0
        self._created = 0
        self._tokens: dict[str, int] = {}
        self._last_read: list[Any] = ["", 0, ""]
        self._chases: list[list[str]] = []
        self._words: dict[str, int] = {}
        self._branches: dict[str, int] = {}
        self._seen: dict[str, str] = {}
        self._calls = 0
        self._first_pass: bool | None = None
        self._validated: bool | None = None
        self._plan = [0.0, 0]  # steps that the plan allows, and calls before it was made

    def hear(self, act: Act, pad: Scratchpad) -> None:
        """Process one act."""
        if self._started is None:
            self._started = act.at.timestamp()
        if act.branch and len(self._branches) < BRANCHES:
            self._branches.setdefault(act.branch, act.step)
        if act.kind is ActKind.PROMPT:
            if len(self._words) < WORDS:
                self._words.update(dict.fromkeys(words(redacted(act.text[:4_000])[:1_500]), 1))
        elif act.kind is ActKind.CALL:
            self._calls += 1
            self._called(act)
        elif self._first_pass is None and (act.tool in SHELLS or act.call is not None):
            self._checked(act, pad)
        if act.kind is ActKind.RESULT and act.tool == "Read" and act.paths:
            module = module_of(act.paths[0]) or "."
            if module in self._tokens or len(self._tokens) < MODULES:
                self._tokens[module] = self._tokens.get(module, 0) + act.tokens
            self._last_read = [act.paths[0], act.step, act.text[:4_000]]
            self._see(act.paths[0], act.text)

    def gather(self, pad: Scratchpad) -> Iterable[Candidate]:
        """Nothing: one session alone is no evidence."""
        return ()

    def facts(self, pad: Scratchpad) -> SessionFacts:
        """Figures of the session."""
        return SessionFacts(
            pad.session,
            datetime.fromtimestamp(self._started or 0.0, UTC),
            files=tuple(
                FileFact(path, use.first_step, use.first_at, use.reads, use.edits)
                for path, use in list(pad.files.items())[:FILES]
            ),
            steps=pad.step,
            planned=max(self._planned, self._created),
            tokens=dict(self._tokens),
            chases=tuple((first, second) for first, second in self._chases),
            words=tuple(self._words)[:WORDS],
            branches=tuple(self._branches),
            calls=self._calls,
            plan=(self._plan[0], self._calls - int(self._plan[1])) if self._plan[0] else None,
            first_pass=self._first_pass if self._validated is None else self._validated,
        )

    def plans(self, steps: float) -> None:
        """Record how many steps the work is to take from here; the first plan counts."""
        if not self._plan[0] and steps > 0:
            self._plan = [steps, self._calls]

    def judged(self, *, passed: bool) -> None:
        """Record a reviewer's verdict; the first counts, and it overrides any check."""
        if self._validated is None:
            self._validated = passed

    def _checked(self, act: Act, pad: Scratchpad) -> None:
        """Record the result of the first check after an edit."""
        call = pad.call_of(act)
        if call.tool not in SHELLS or not any(use.edits for use in pad.files.values()):
            return
        if checks(str(call.arguments.get("command") or call.arguments.get("cmd") or "")):
            self._first_pass = act.kind is ActKind.RESULT and not has_failed(act.text)

    def sketches(self) -> dict[str, Sketch]:
        """Sketches of the files seen: names defined and mentioned."""
        found: dict[str, Sketch] = {}
        for path, text in self._seen.items():
            found[path] = Sketch()
            found[path].see(text)
        return found

    def _see(self, path: str, text: object) -> None:
        """Keep the beginning of the text seen of a file; it is analysed only at the end."""
        before = self._seen.get(path, "")
        left = SKETCH_LENGTH - len(before)
        if isinstance(text, str) and left > 0 and (before or len(self._seen) < SKETCHED):
            self._seen[path] = f"{before}\n{text[:left]}"

    def state(self) -> Any:
        """The figures so far."""
        return [
            self._started,
            self._planned,
            self._created,
            self._tokens,
            self._last_read,
            self._chases,
            self._words,
            self._seen,
            self._branches,
            [self._calls, self._first_pass, self._validated],
            self._plan,
        ]

    def resume(self, state: Any) -> None:
        """Restore saved state."""
        self._started, self._planned, self._created, self._tokens = state[:4]
        self._last_read, self._chases, self._words, self._seen = state[4:8]
        self._branches = state[8] if len(state) > 8 else {}
        if len(state) > 9:
            self._calls, self._first_pass, self._validated = state[9]
        if len(state) > 10:
            self._plan = state[10]

    def _called(self, act: Act) -> None:
        if act.tool in EDITING and act.paths:
            self._see(act.paths[0], act.arguments.get("new_string") or act.arguments.get("content"))
        elif act.tool == "TodoWrite":
            todos = act.arguments.get("todos")
            items = len(todos) if isinstance(todos, list) else 0
            self._planned = max(self._planned, items)
            self.plans(items * STEPS_PER_ITEM)
        elif act.tool == "TaskCreate":
            self._created += 1
            if not self._plan[0] or self._plan[1] == self._calls - 1:  # items of one plan in a row
                self._plan = [self._plan[0] + STEPS_PER_ITEM, self._calls]
        elif act.tool == "Read" and act.paths:
            before, step, text = self._last_read
            path = act.paths[0]
            near = before and before != path and act.step - int(step) <= _SOON
            if near and len(stem(path)) > 4 and stem(path) in text and len(self._chases) < CHASES:
                self._chases.append([before, path])
