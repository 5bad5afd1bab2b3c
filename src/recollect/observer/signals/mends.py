"""Signal 26: a check or program that failed, and what mended it.

A failure counts when the same program succeeds later and it is known what was done in between: a
changed file, or another command. It is told with the agent's sentence that says why it failed.
Without one it is told only where the message is about how the program is used or set up, because
what a test says of the change under work is over when it passes.
"""

import re
from collections.abc import Iterable
from typing import Any, Final, NamedTuple

from recollect.observer import commands, failures
from recollect.observer.candidates import Candidate
from recollect.observer.check_output import FailureMessage, message_of
from recollect.observer.claim_score import score_of
from recollect.observer.history import EDITING
from recollect.observer.names import LEAST_SHARED, base
from recollect.observer.names import words as words_of
from recollect.observer.phrases import (
    added_statements,
    as_sentence,
    digest,
    module_of,
    shortened,
)
from recollect.observer.scratchpad import Scratchpad
from recollect.observer.signals.claims import spoken_in, stands
from recollect.observer.taxonomy import Signal
from recollect.vocabulary.acts import Act, ActKind
from recollect.vocabulary.memory_types import MemoryType

#: Maximum number of failures that are open, of solved ones, and characters kept of an answer.
OPEN: Final = 12
SOLVED: Final = 40
SAID: Final = 1_200
#: Number of steps after a failure in which it may be explained, and after it was mended.
SOON: Final = 8
AFTERWARDS: Final = 1
LONG: Final = 30
#: Characters of a message, of a command and of a line that are told.
MESSAGE: Final = 180
COMMAND: Final = 90
LINE: Final = 120
#: Minimum score of a sentence that explains a failure, of a second one, and what a word adds that
#: it shares with the failure or its mend, up to a number of words.
LEAST: Final = -0.6
MORE_LEAST: Final = 0.4
SHARED: Final = 0.25
MOST_SHARED: Final = 4
#: Confidence of what waits for review.
FOR_REVIEW: Final = 0.6
#: Words of a command that start other programs.
_RUNNERS: Final = frozenset(
    "npx npm pnpm yarn bunx uv uvx run exec bundle poetry python python3 node make mise task just "
    "cargo mix go dotnet west sudo time env do docker compose".split()
)
_NAME: Final = re.compile(r"[a-z][\w.-]{2,60}", re.I)
_PARTS: Final = re.compile(r"&&|\|\||[;|]")
_LOOP: Final = re.compile(r"^(?:do|then|time|nohup) |^[A-Z_][A-Z0-9_]{0,40}=\S{0,80} ")
#: A message that says only that there was a failure.
_EXIT: Final = re.compile(
    r"(?:error: )?(?:process )?exit(?:ed)? (?:with )?(?:code|status):? \d+\.?", re.I
)
#: Messages about the way in which a command was written.
_USAGE: Final = re.compile(
    r"unknown|unrecogni[sz]ed|invalid (?:option|flag|argument|usage)|no such (?:option|command)|"
    r"no (?:tests?|test files)|matched no|not found",
    re.I,
)
#: Messages about the use or the setup of a program, which its next user meets too.
_SETUP: Final = re.compile(
    r"\bno (?:tests?|test files|module|such|matching|configuration|valid|default|\w+ files?)\b|"
    r"not (?:found|installed|configured|set|defined|a valid|supported|recogni[sz]ed)|"
    r"could(?:n't| not) (?:find|connect|resolve|load|open)|cannot find|can't find|unable to|"
    r"credential|api[_ ]key|permission denied|connection (?:refused|to|timed)|requires?\b|"
    r"unknown (?:option|flag|command|argument)|unrecogni[sz]ed|unsupported|must be|unstable|"
    r"matched no|missing|unexpected token|environment variable|does not exist|only available",
    re.I,
)
#: Messages of a shell about the line it was given, and lines that a test run prints on its way.
_OF_THE_SHELL: Final = re.compile(
    r"(?:\(eval\)|(?:/\S{1,40}/)?(?:ba|z|da)?sh|cd|stat|pathspec|fatal: pathspec)(?::|\s)|"
    r"=== RUN|\?\s"
)
#: Files that set up programs.
_SETTINGS: Final = re.compile(
    r"\.(?:json|ya?ml|toml|ini|cfg|conf|env|properties|lock|mk|cmake|gradle|kts|tf|hcl)$|"
    r"(?:^|/)(?:Makefile|Dockerfile|Gemfile|Rakefile|CMakeLists\.txt|go\.mod)$|"
    r"\.config\.\w{1,4}$|(?:^|/)\.[\w.-]{3,40}$",
    re.I,
)


class Explained(NamedTuple):
    """Sentences by which an agent explained a failure, with the event of its answer."""

    text: str
    event: str | None
    score: float


class Mends:
    """Detects failures that were mended."""

    name = "mends"
    hears = (ActKind.PROMPT, ActKind.CALL, ActKind.RESULT, ActKind.FAILURE, ActKind.ANSWER)

    def __init__(self) -> None:
        self._open: list[dict[str, Any]] = []
        self._solved: list[dict[str, Any]] = []

    def hear(self, act: Act, pad: Scratchpad) -> None:
        """Process an edit, the end of a command, or an answer."""
        if act.agent is not None:
            return
        if act.kind is ActKind.PROMPT:
            self._open = [one for one in self._open if one["edits"] or one["said"]]
        elif act.kind is ActKind.ANSWER:
            self._answered(act, pad)
        elif act.kind is ActKind.CALL:
            if self._open and act.tool in EDITING and act.paths:
                self._edited(act)
        else:
            self._ended(act, pad)

    def gather(self, pad: Scratchpad) -> Iterable[Candidate]:
        """The failures that were mended and explained, or that are about setup."""
        told: dict[str, Candidate] = {}
        for note in self._solved:
            explained = explanation(note)
            if kind_of(note, explained):
                one = _candidate(note, explained, pad)
                # What explains several failures of a check is told once, of the first.
                told.setdefault(explained.text if explained else one.key, one)
        yield from told.values()

    def state(self) -> Any:
        """Open and solved failures."""
        return [self._open, self._solved]

    def resume(self, state: Any) -> None:
        """Restore saved state."""
        self._open, self._solved = state

    def _ended(self, act: Act, pad: Scratchpad) -> None:
        call = pad.call_of(act)
        command = call.arguments.get("command")
        if (call.tool or act.tool) not in commands.SHELLS or not isinstance(command, str):
            return
        bare = commands.plain(command)
        failed = act.kind is ActKind.FAILURE
        if not self._open and not failed and not failures.may_have_failed(act.text):
            return
        found = message_of(act.text) if failed or failures.may_have_failed(act.text) else None
        if found is None and (failed or failures.has_failed(act.text)):
            found = FailureMessage("", "", "")
        if found is not None and not failures.is_harness(act.text):
            self._failed(act, command, bare, found, pad)
        elif not failed and self._open:
            self._worked(act, command, bare)

    def _failed(
        self, act: Act, command: str, bare: str, found: FailureMessage, pad: Scratchpad
    ) -> None:
        program = program_of(bare)
        message, rule, path = found
        message = "" if _EXIT.fullmatch(message) else message
        if not program or _OF_THE_SHELL.match(message):
            return
        use = pad.files.get(path)
        again = [one for one in self._open if one["program"] == program]
        if any(one["message"] == message for one in again):
            return
        assigned = list(commands.assigned(command))
        for one in again:  # the program gets further with what its environment is given
            if assigned and not one["own"] and _SETUP.search(one["message"]):
                self._open.remove(one)
                how = {"works": bare[:300], "with": assigned, "mended": act.step}
                self._solved.append({**one, **how, "edits": [], "passed": act.event})
        note = {
            "program": program,
            "command": bare[:300],
            "message": message[:400],
            "rule": rule,
            "path": path,
            "own": failures.is_own_work(act.text),
            "begun": use is not None and use.edits > 0,
            "style": rule in failures.rules(act.text),
            "step": act.step,
            "event": act.event,
            "said": [],
            "edits": [],
        }
        self._open = [*self._open, note][-OPEN:]

    def _edited(self, act: Act) -> None:
        lines = [line for line in added_statements(act.arguments) if len(line) <= LINE]
        for note in self._open:
            if len(note["edits"]) < 3:
                wanted = f"{note['message']} {note['path']}"
                line = max(lines, key=lambda one: _shared(one, wanted), default="")
                note["edits"].append([act.paths[0], line, act.event, act.step])

    def _answered(self, act: Act, pad: Scratchpad) -> None:
        late = [one for one in self._solved[-3:] if act.step - one["mended"] <= AFTERWARDS]
        open_ = [one for one in self._open if act.step - int(one["step"]) <= SOON]
        for note in [*open_[-2:], *(one for one in late if not one["said"])]:
            if len(note["said"]) < 3 and pad.repeated_from(act.text[:SAID]) is None:
                note["said"].append([act.text[:SAID], act.event, act.step])

    def _worked(self, act: Act, command: str, bare: str) -> None:
        ran = commands.checks(bare)
        programs = {program_of(_LOOP.sub("", part.strip())) for part in _PARTS.split(bare)}
        left: list[dict[str, Any]] = []
        done: list[dict[str, Any]] = []
        for note in self._open:
            same = note["program"] in programs
            settled = same or commands.settled(ran, str(note["command"]))
            if not settled:
                left.append(note)
            elif note["edits"] or bare != note["command"] or commands.assigned(command):
                assigned = [name for name in commands.assigned(command)]
                how = {"works": bare[:300], "with": assigned, "mended": act.step}
                done.append({**note, **how, "passed": act.event})
        self._open = left
        self._solved += done
        del self._solved[:-SOLVED]


def program_of(bare: str) -> str:
    """The program that a command runs, or the target of the one that runs it; empty for commands
    that only look."""
    first = bare.split(" ", maxsplit=1)[0].rstrip(";")
    if not _runs(bare) and (
        first in commands.LOOKING or not (commands.is_step(bare) or commands.is_check(bare))
    ):
        return ""
    words = [word for word in bare.split(" ")[:6] if not word.startswith("-") and "=" not in word]
    named = [base(word) for word in words if _NAME.fullmatch(base(word))]
    return next((word for word in named if word not in _RUNNERS), named[0] if named else "")


def _runs(bare: str) -> bool:
    """Whether a command runs a program of the project, rather than a line written on the spot."""
    return bare.startswith(("python -m ", "python3 -m ", "./", "node ./"))


def _candidate(note: dict[str, Any], explained: Explained | None, pad: Scratchpad) -> Candidate:
    edits = note["edits"]
    failed = f"`{shortened(note['command'], COMMAND)}`"
    message = f" with “{shortened(note['message'], MESSAGE)}”" if note["message"] else ""
    rule = f" (`{note['rule']}`)" if note["rule"] and note["rule"] not in message else ""
    place = f" in `{note['path']}`" if note["path"] else ""
    mend = _told_mend(note, explained.text if explained else "")
    if explained is not None:
        content = f"{explained.text}\nFailed: {failed}{message}{rule}{place}.\n{mend}"
    else:
        content = f"{failed} fails here{message}{rule}{place}.\n{mend}"
    events = [explained.event if explained else None, note["event"]]
    events += [edit[2] for edit in edits[:2]] + [note["passed"]]
    paths = tuple(dict.fromkeys(edit[0] for edit in edits))[:3]
    return Candidate(
        signal=Signal.MENDED_CHECK,
        key=digest(f"{note['program']} {failures.fingerprint(note['message'])}"),
        type=MemoryType.ERROR_PATTERN,
        content=content,
        session=pad.session,
        step=int(note["step"]),
        files=paths,
        modules=tuple(dict.fromkeys(filter(None, map(module_of, paths)))),
        confidence=FOR_REVIEW,
        unsure=True,
        events=tuple(dict.fromkeys(event for event in events if event)),
        extras={"error": note["message"][:200], "command": note["command"]},
    )


def kind_of(note: dict[str, Any], explained: Explained | None) -> str:
    """Why a mended failure is worth remembering; empty if it is not."""
    setup = _SETUP.search(note["message"]) is not None
    took = int(note["mended"]) - int(note["step"])
    if note["style"] or took > LONG:  # the rule of a linter is told instead
        return ""
    if (note["begun"] or (note["own"] and not note["message"])) and not setup:
        return ""  # a compiler or a test on the change itself
    if explained is not None:
        return "explained"
    if not note["message"]:
        return ""
    if not note["edits"]:
        return "command" if setup and not note["own"] else ""
    settings = any(_SETTINGS.search(edit[0]) for edit in note["edits"])
    soon = took <= SOON and len({edit[0] for edit in note["edits"]}) == 1
    return "settings" if soon and (setup or (settings and not note["own"])) else ""


def explanation(note: dict[str, Any]) -> Explained | None:
    """The sentences that say best why a check failed; None if none does."""
    failed = " ".join([note["message"], note["path"], *(f"{e[0]} {e[1]}" for e in note["edits"])])
    wanted = frozenset(word for word in words_of(failed) if len(word) >= LEAST_SHARED)
    found: list[tuple[float, int, str, str | None]] = []
    for text, event, step in note["said"]:
        turn: dict[str, Any] = {"edited": [], "situation": frozenset()}
        said = {"text": text, "event": event, "step": step}
        for place, one in spoken_in(turn, said, wanted):
            if stands(one.text):
                shared = min(MOST_SHARED, len(wanted & set(words_of(one.text))))
                found.append((score_of(one) + SHARED * shared, place, one.text, event))
    best = max(found, default=None)
    if best is None or best[0] < LEAST:
        return None
    others = [one for one in found if one[3] == best[3] and one is not best]
    second = max(others, default=None)
    told = [best] if second is None or second[0] < MORE_LEAST else [best, second]
    told.sort(key=lambda one: one[1])
    return Explained(" ".join(as_sentence(one[2]) for one in told), best[3], best[0])


def _told_mend(note: dict[str, Any], explained: str) -> str:
    """What mended a failure: the edit that speaks most of it, or the command that worked."""
    wanted = f"{note['message']} {note['path']} {explained}"
    other = note["works"] != note["command"] and _USAGE.search(note["message"]) is not None
    edits = [] if other else note["edits"]
    if edits:
        path, line, *_ = max(edits, key=lambda one: _shared(f"{one[0]} {one[1]}", wanted))
        spoken = _shared(line, wanted) > 0 or len(edits) == 1
        return f"Mended in `{path}` by `{line}`." if line and spoken else f"Mended in `{path}`."
    if note["works"] == note["command"] and note["with"]:
        return f"Works with {', '.join(f'`{name}`' for name in note['with'])} set."
    return f"Works: `{shortened(note['works'], COMMAND)}`."


def _shared(line: str, wanted: str) -> int:
    return len(set(words_of(line)) & set(words_of(wanted)))
