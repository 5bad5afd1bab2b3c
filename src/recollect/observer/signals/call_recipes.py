"""Signal 27: a command that fails as it is called here, and passes when it is called otherwise.

The failure must blame the call or the machine in its own words, and nothing may have happened
between the two calls that could have mended it instead: no edit, and no other command that changes
something. What is told are the two command lines and the message.
"""

import re
from collections.abc import Iterable
from typing import Any, Final

from recollect.observer import commands, failures
from recollect.observer.call_changes import CallChange, call_change, failed_call, failing_run
from recollect.observer.candidates import Candidate
from recollect.observer.history import EDITING
from recollect.observer.phrases import shortened
from recollect.observer.same_command import telling_runs
from recollect.observer.scratchpad import Scratchpad
from recollect.observer.taxonomy import Signal
from recollect.vocabulary.acts import Act, ActKind
from recollect.vocabulary.memory_types import MemoryType

OPEN: Final = 8
FOUND: Final = 20
#: Number of steps after a failure in which the other call must come.
SOON: Final = 8
#: Characters of a command that is told.
COMMAND: Final = 140
MESSAGE: Final = 140
CONFIDENCE: Final = 0.92
_VALUE: Final = re.compile(r"\b([A-Z_][A-Z0-9_]{1,60})=(\"[^\"]*\"|'[^']*'|\S*)")
#: Values that tell nothing secret.
_PLAIN: Final = re.compile(r"[\w./:@-]{0,40}")
_SECRET: Final = re.compile(r"KEY|TOKEN|SECRET|PASS|AUTH|CRED|PWD|DSN|URL|URI")
#: A folder or a file of one person's machine.
_OF_ONE: Final = re.compile(r"(?:^|[\s\"'=(])(?:/(?:Users|home|root)/|~/|[A-Z]:\\)")


class CallRecipes:
    """Detects commands that pass when they are called otherwise."""

    name = "call_recipes"
    hears = (ActKind.CALL, ActKind.RESULT, ActKind.FAILURE)

    def __init__(self) -> None:
        self._open: list[dict[str, Any]] = []
        self._found: list[dict[str, Any]] = []

    def hear(self, act: Act, pad: Scratchpad) -> None:
        """Process an edit, or the end of a command."""
        if act.kind is ActKind.CALL:
            if self._open and act.tool in EDITING:
                self._open = []
            return
        call = pad.call_of(act)
        command = call.arguments.get("command")
        if (call.tool or act.tool) not in commands.SHELLS or not isinstance(command, str):
            return
        failed = act.kind is ActKind.FAILURE or failures.may_have_failed(act.text)
        if failed and not failures.is_harness(act.text):
            self._failed(command, act)
        elif not failed and self._open:
            self._passed(command, act)

    def gather(self, pad: Scratchpad) -> Iterable[Candidate]:
        """The recipes, one for each failure."""
        for note in self._found:
            failed, worked = note["failed"], note["worked"]
            passes = "passes" if commands.is_check(worked) else "works"
            message = shortened(note["message"], MESSAGE)
            yield Candidate(
                signal=Signal.CALL_RECIPE,
                key=f"{failures.fingerprint(note['message'])}|{failed}|{note['change']}",
                type=MemoryType.ERROR_PATTERN,
                content=f"Here `{failed}` fails (“{message}”); `{worked}` {passes}.",
                session=pad.session,
                step=int(note["step"]),
                confidence=CONFIDENCE,
                events=tuple(note["events"]),
                extras={"error": note["message"][:200], "command": failed, "fix": worked},
            )

    def state(self) -> Any:
        """Open failures and found recipes."""
        return [self._open, self._found]

    def resume(self, state: Any) -> None:
        """Restore saved state."""
        self._open, self._found = state

    def _failed(self, command: str, act: Act) -> None:
        found = failed_call(act.text)
        shown = commands.without_plumbing(command)
        if found is None or failures.is_own_work(act.text) or failing_run(shown) is None:
            return
        if not _is_tellable(shown):
            return
        note = {
            "failed": shown,
            "message": found.message,
            "mends": sorted(found.mends),
            "step": act.step,
            "event": act.event,
        }
        others = [one for one in self._open if one["failed"] != shown]
        self._open = [*others, note][-OPEN:]

    def _passed(self, command: str, act: Act) -> None:
        shown = commands.without_plumbing(command)
        self._open = [one for one in self._open if act.step - int(one["step"]) <= SOON]
        for note in self._open:
            change = call_change(str(note["failed"]), shown)
            if change is not None and change in note["mends"] and _is_tellable(shown):
                self._open.remove(note)
                self._keep(note, shown, change, act)
                break
        else:
            if any(commands.is_step(one.written) for one in telling_runs(shown)):
                self._open = []  # this may have mended what failed

    def _keep(self, note: dict[str, Any], worked: str, change: CallChange, act: Act) -> None:
        events = [event for event in (note["event"], act.event) if event]
        self._found.append(
            {
                "failed": _without_values(str(note["failed"])),
                "worked": _without_values(worked),
                "message": str(note["message"]),
                "change": change.value,
                "step": act.step,
                "events": events,
            }
        )
        del self._found[:-FOUND]


def _is_tellable(command: str) -> bool:
    """Whether a command is short, on one line, and means the same on another machine."""
    return (
        0 < len(command) <= COMMAND
        and "<<" not in command
        and "`" not in command
        and "$(" not in command
        and _OF_ONE.search(command) is None
    )


def _without_values(command: str) -> str:
    """A command without the values of variables that may be secret."""

    def shown(found: re.Match[str]) -> str:
        name, value = found[1], found[2]
        plain = _PLAIN.fullmatch(value.strip("\"'")) and not _SECRET.search(name)
        return found[0] if plain else f"{name}=…"

    return _VALUE.sub(shown, command)
