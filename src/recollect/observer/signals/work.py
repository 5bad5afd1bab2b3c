"""Signals 7, 10, 13 and 24: order of commands and tests, pages looked up, the project's checks."""

import re
from collections.abc import Iterable
from typing import Any, Final

from recollect.observer import commands, failures
from recollect.observer.candidates import Candidate
from recollect.observer.history import EDITING
from recollect.observer.phrases import module_of
from recollect.observer.scratchpad import Scratchpad
from recollect.observer.taxonomy import Signal
from recollect.vocabulary.acts import Act, ActKind
from recollect.vocabulary.memory_types import MemoryType

KEPT: Final = 200
_LENGTH: Final = 4
_NOT_CHECKS: Final = frozenset({"git", "gh", "glab", "curl"})
#: Programs that run what a project has defined by a name of its own.
_RUNNERS: Final = frozenset(
    "mise make just task npm yarn pnpm bun deno nx turbo tox nox rake gradle gradlew composer "
    "bazel".split()
)
_CHECKED: Final = {
    "test": "This project runs its tests with `{}`.",
    "lint": "This project checks its style with `{}`.",
    "build": "This project is built with `{}`.",
    "format": "This project formats its code with `{}`.",
}
#: A line by which a runner of tasks says what it runs: with the name of the task, or without.
_NAMED_RUN: Final = re.compile(
    r"^(?:\[([\w:.-]{1,40})\] \$|task: \[([\w:.-]{1,40})\]|Task ([\w:.-]{1,40})) +(\S.{1,160})$",
    re.M,
)
_PLAIN_RUN: Final = re.compile(r"^(?:\$|>) (?!\S+@\d)(\S.{1,160})$", re.M)
#: Characters of a result in which that is looked for.
_LOOKED: Final = 600
_FORMATTING: Final = re.compile(r"\b(?:fmt|format|prettier)\b")
_URL: Final = re.compile(r"https?://([\w.-]+)(/[^\s\"'?#)>]*)?")


class WorkDetector:
    """Detects sequences of commands, and pages that are looked up."""

    name = "work"
    hears = (ActKind.CALL, ActKind.RESULT)

    def __init__(self) -> None:
        self._steps: list[list[Any]] = []
        self._chains: dict[str, int] = {}
        self._tests: dict[str, list[str]] = {}
        self._pages: dict[str, int] = {}
        self._module: str | None = None
        self._checks: dict[str, list[Any]] = {}

    def hear(self, act: Act, pad: Scratchpad) -> None:
        """Process a successful command, an edit, or a page."""
        if act.kind is ActKind.CALL:
            if act.tool in EDITING and act.paths:
                self._module = module_of(act.paths[0])
                self._steps = []
            elif act.tool == "WebFetch":
                self._look_up(act)
            return
        call = pad.call_of(act)
        command = call.arguments.get("command")
        if call.tool not in commands.SHELLS or not isinstance(command, str):
            return
        self._passed(command, act)
        for part in re.split(r"\s*(?:&&|;|\n)\s*", commands.plain(command))[:6]:
            self._ran(part, act.step)

    def gather(self, pad: Scratchpad) -> Iterable[Candidate]:
        """Chains of commands, orders of tests, and pages."""
        for chain, step in self._chains.items():
            steps = chain.split(" → ")
            listed = ", then ".join(f"`{one}`" for one in steps)
            last = f"commit after {steps[-1]}"
            yield Candidate(
                signal=Signal.TOOL_SEQUENCE,
                key=" ".join(sorted(steps)),
                type=MemoryType.WORKFLOW_RECIPE,
                content=f"Before a commit, a change here is checked with {listed}.",
                session=pad.session,
                step=step,
                confidence=0.7,
                extras={
                    "task_pattern": last,
                    "steps": [
                        {"order": place, "description": f"run {one}"}
                        for place, one in enumerate(steps, 1)
                    ],
                },
            )
        for module, ran in self._tests.items():
            if len(ran) > 1:
                yield Candidate(
                    signal=Signal.TEST_ORDER,
                    key=f"{module}|{ran[0]}|{ran[1]}",
                    type=MemoryType.TASK_CALIBRATION,
                    content=(
                        f"After changes in `{module}`, `{ran[0]}` is run first, then `{ran[1]}`."
                    ),
                    session=pad.session,
                    step=pad.step,
                    modules=(module,),
                    confidence=0.6,
                )
        for page, step in self._pages.items():
            yield Candidate(
                signal=Signal.EXTERNAL_REFERENCE,
                key=page,
                type=MemoryType.MODULE_INSIGHT,
                content=f"https://{page} is looked up again and again for work here.",
                session=pad.session,
                step=step,
                confidence=0.8,  # outside text: lowered later, and reviewed
                tainted_by="WebFetch",
            )

        yield from self._project_checks(pad)

    def _project_checks(self, pad: Scratchpad) -> Iterable[Candidate]:
        """Checks that the project has a name for, and that passed: what many sessions run is how
        work is checked here."""
        for name, (kind, step, event, *runs) in self._checks.items():
            told = _CHECKED[kind].format(name)
            run = next((f" It runs `{run}`." for run in runs if run and run not in name), "")
            yield Candidate(
                signal=Signal.PROJECT_CHECK,
                key=f"{kind}:{name}",
                type=MemoryType.WORKFLOW_RECIPE,
                content=f"{told}{run}",
                session=pad.session,
                step=int(step),
                confidence=0.9,
                events=(event,) if event else (),
                extras={
                    "task_pattern": kind,
                    "steps": [{"order": 1, "description": f"run {name}"}],
                },
            )

    def state(self) -> Any:
        """Commands run and pages looked up."""
        kept = [self._steps, self._chains, self._tests, self._pages, self._module]
        return [*kept, self._checks]

    def resume(self, state: Any) -> None:
        """Restore saved state, also of an older checkpoint without the checks."""
        self._steps, self._chains, self._tests, self._pages, self._module = state[:5]
        self._checks = state[5] if len(state) > 5 else {}

    def _passed(self, command: str, act: Act) -> None:
        """Record the checks of a command that the project has a name for, if it succeeded, with
        what they run: the shortest, without the arguments of one time."""
        found = commands.checks(command) if len(self._checks) < KEPT else []
        for check in found:
            words = check.name.split(" ")
            kind = check.kind or ("format" if _FORMATTING.search(check.name) else "")
            if not kind or len(words) < 2 or words[0] not in _RUNNERS:
                continue
            known = self._checks.get(check.name)
            if known is None and not failures.has_failed(act.text):
                known = self._checks[check.name] = [kind, act.step, act.event, ""]
            run = _run_by(words[-1], act.text, alone=len(found) == 1) if known else ""
            if known and run and (not known[3:] or not known[3] or len(run) < len(known[3])):
                known[3:] = [run]

    def _ran(self, part: str, step: int) -> None:
        if not commands.is_step(part) or commands.is_elsewhere(part):
            return
        start = commands.head(part)
        if commands.is_test(part) and self._module is not None:
            tests = self._tests.setdefault(self._module, []) if len(self._tests) < KEPT else []
            named = f"{start} (some)" if commands.is_targeted(part) else start
            if named not in tests and len(tests) < 3:
                tests.append(named)
        if start == "git commit":
            chain = list(dict.fromkeys(str(one[0]) for one in self._steps))
            if 1 < len(chain) <= _LENGTH and len(self._chains) < KEPT:
                self._chains.setdefault(" → ".join(chain), step)
            self._steps = []
        elif start.split(" ")[0] not in _NOT_CHECKS and not commands.is_targeted(part):
            self._steps.append([start, step])
            del self._steps[: -2 * _LENGTH]

    def _look_up(self, act: Act) -> None:
        url = act.arguments.get("url")
        found = _URL.match(url) if isinstance(url, str) else None
        if found and len(self._pages) < KEPT:
            page = f"{found.group(1)}{(found.group(2) or '').rstrip('/')}"
            self._pages.setdefault(page[:200], act.step)


def _run_by(task: str, text: str, *, alone: bool) -> str:
    """The command that a runner says it runs for a task; empty if it does not say so, or if the
    line is cut."""
    for found in _NAMED_RUN.finditer(text[:_LOOKED]):
        label = found.group(1) or found.group(2) or found.group(3)
        if label == task or label.startswith(f"{task}:"):
            return _uncut(found.group(4))
    plain = _PLAIN_RUN.search(text[:_LOOKED]) if alone else None
    return _uncut(plain.group(1)) if plain else ""


def _uncut(run: str) -> str:
    told = run.strip()
    return f"{told.rpartition(' ')[0]} …" if told.endswith("…") else told.replace("`", "'")
