"""Signals 3 and 8: commands that fail until done differently, and slow commands.

A failure counts when the same command works later and the change in between is known: another
command, or an edit. Output of a test or compiler about the change in progress is normal, and
messages of the harness about itself are never learned.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from recollect.observer import commands, failures
from recollect.observer.candidates import Candidate
from recollect.observer.history import EDITING
from recollect.observer.material import MaterialLine
from recollect.observer.names import are_related
from recollect.observer.phrases import added_statements, shortened
from recollect.observer.scratchpad import Scratchpad
from recollect.observer.taxonomy import Signal
from recollect.vocabulary.acts import Act, ActKind
from recollect.vocabulary.memory_types import MemoryType

KEPT: Final = 300
RULES: Final = 8
CITED: Final = 8
TOLD: Final = 60
#: Longest line that is told as the one by which a rule was mended.
MENDED: Final = 120
_NEAR_STEPS: Final = 6
_SLOW_SECONDS: Final = 60.0
_LONG: Final = 110
#: Errors about the use of a program, which apply to its next user too.
_USAGE: Final = re.compile(
    r"unknown|unrecognized|not found|no such|invalid|usage|ignored by|denied|require|must |"
    r"not a |no configuration|cannot find|can't find|unsupported|ambiguous|not set|disabled|"
    r"does not exist|no go files|not defined|illegal option|no tasks",
    re.I,
)
_NAMED: Final = re.compile(r"\b[A-Z_][A-Z0-9_]{2,60}\b")
_WORD: Final = re.compile(r"[A-Za-z][\w.:-]{2,}")
#: Message of a rule that says what to write instead, which a reader can follow from the start.
_PRESCRIBING: Final = re.compile(
    r"(?:^|[,;:.(-] ?|[\"\u201c]|\b(?:please|to|and|or|should|must|can) )(?:use|using)\b|"
    r"\buse of\b|\b(?:prefer|replace|rewrite|instead|rather than|forbidden|not allowed|"
    r"disallowed|deprecated|must|should|do not|don't)\b",
    re.I,
)
#: Rules whose messages a project writes itself: what it forbids or restricts by configuration. What
#: every other message of a linter says is known to who uses the linter, or found out by running it.
_OF_THE_PROJECT: Final = re.compile(
    r"forbidigo|depguard|gomodguard|importas|TID25\d|banned-api|"
    r"(?:[\w@-]{1,40}/)?no-restricted-[a-z-]{3,30}|no-internal-modules|boundaries/[a-z-]{3,30}|"
    r"(?:local|local-rules|custom|internal|project)/[\w-]{2,60}|"
    r"(?!(?:Style|Layout|Lint|Metrics|Naming|Security|Gemspec|Bundler|Rails|RSpec|RSpecRails|"
    r"Performance|Capybara|FactoryBot|Minitest|Rake|Sorbet|Migration|ThreadSafety|InternalAffairs)/)"
    r"[A-Z]\w{2,40}/[A-Z]\w{2,60}"
)
#: A message that names what to write and in the place of what, so that it can be followed whoever
#: wrote it: both are names of the code.
_CODE: Final = (
    r"[`'\"\u201c]?(?=[\w./:@-]{0,60}(?:[a-z0-9][A-Z]|\w[./_:]\w|\(\)))"
    r"[\w./:@-]{3,60}(?:\(\))?[`'\"\u201d]?"
)
_CURING: Final = re.compile(
    rf"{_CODE} (?:could|can|should|must) be (?:replaced (?:by|with)|simplified to|written as) "
    rf"(?:faster )?(?P<by>{_CODE})|"
    rf"\b(?:use|prefer) (?P<use>{_CODE}) (?:instead of|rather than|over) {_CODE}|"
    rf"{_CODE} (?:must not be (?:called|used)|should not be (?:called|used)|is deprecated)[.,;:]? "
    rf"(?:please )?use (?P<now>{_CODE})",
    re.I,
)
#: End of a message that names the function in which a rule was broken.
_PLACE: Final = re.compile(r" in [\w.]{2,120}$")
#: Confidence of a rule that says so, and of one that waits for review.
PRESCRIBED: Final = 0.9
FOR_REVIEW: Final = 0.53
#: Confidence of a rule that is counted and not remembered: nobody knows yet what to do about it.
COUNTED_ONLY: Final = 0.1
#: A comment that excuses a place from a rule.
_EXCUSED: Final = re.compile(
    r"\b(?:nolint|noqa|nosec|eslint-disable|type: ignore|ts-(?:ignore|expect-error)|"
    r"biome-ignore|pylint: disable)\b"
)
#: Fewest characters of a message that says something.
_LEAST_MESSAGE: Final = 12


class Errors:
    """Detects failing commands and their fixes."""

    name = "errors"
    hears = (ActKind.RESULT, ActKind.FAILURE)

    def __init__(self) -> None:
        self._open: dict[str, dict[str, Any]] = {}
        self._solved: dict[str, dict[str, Any]] = {}
        self._checks: dict[str, dict[str, Any]] = {}
        self._told: list[list[Any]] = []
        self._times: dict[str, list[float]] = {}

    def hear(self, act: Act, pad: Scratchpad) -> None:
        """Process a command that worked or failed."""
        call = pad.call_of(act)
        if (call.tool or act.tool) in EDITING and act.kind is ActKind.RESULT and self._open:
            self._edited(call)
        if (call.tool or act.tool) not in commands.SHELLS:
            return
        command = call.arguments.get("command")
        if not isinstance(command, str) or not command.strip():
            return
        bare = commands.plain(command)
        start = commands.head(command)
        hidden = commands.is_check(bare) and failures.has_failed(act.text)
        if act.kind is ActKind.FAILURE or hidden:
            self._failed(act, bare, start)
            return
        if self._open:
            self._worked(act, pad, bare, start, commands.assigned(command))
        seconds = (act.at - call.at).total_seconds()
        if call is not act and seconds >= _SLOW_SECONDS / 4:
            self._took(bare, seconds)

    def gather(self, pad: Scratchpad) -> Iterable[Candidate]:
        """Errors with their fixes, and commands that always take long."""
        yield from self._enforced(pad)
        yield from self._broken_again(pad)
        for key, note in self._solved.items():
            yield Candidate(
                signal=Signal.ERROR_RETRY,
                key=key,
                type=MemoryType.ERROR_PATTERN,
                content=str(note["content"]),
                session=pad.session,
                step=int(note["step"]),
                files=tuple(note["files"]),
                confidence=float(note["confidence"]),
                events=tuple(note["events"]),
                extras=note["extras"],
            )
        for command, seconds in self._times.items():
            if (
                len(seconds) > 1
                and min(seconds) >= _SLOW_SECONDS
                and not commands.is_elsewhere(command)
            ):
                yield Candidate(
                    signal=Signal.TIME_ANOMALY,
                    key=command,
                    type=MemoryType.GOTCHA,
                    content=f"`{command}` takes long here: {round(min(seconds))} seconds or more.",
                    session=pad.session,
                    step=pad.step,
                    confidence=0.6,
                )

    def lines(self, pad: Scratchpad) -> Iterable[MaterialLine]:
        """Failures and later successes, as lines for a model."""
        for step, event, text in self._told:
            if pad.tainted(int(step)) is None:
                yield MaterialLine(int(step), str(event), "check", str(text), worth=6.0)

    def state(self) -> Any:
        """Failures, fixes, slow commands and broken rules."""
        return [self._open, self._solved, self._times, self._checks, self._told]

    def resume(self, state: Any) -> None:
        """Restore saved state."""
        self._open, self._solved, self._times, *more = state
        self._checks, self._told = more if more else ({}, [])

    def _edited(self, call: Act) -> None:
        """Record a line by which a rule was mended: of the first edit of a file in which only that
        rule was broken, the line that names the rule, or the first."""
        path = call.paths[0] if call.paths else ""
        lines = [line for line in added_statements(call.arguments) if len(line) <= MENDED]
        for note in self._open.values() if path and lines else ():
            broken = (rule for place, rule in note.get("places", {}).items() if _same(place, path))
            rule = next(broken, "")
            if rule:
                line = _mending(lines, rule, dict(zip(note["rules"], note["lines"], strict=True)))
                note.setdefault("mended", {}).setdefault(rule, line)
                note.setdefault("mended_in", {}).setdefault(rule, path)

    def _took(self, bare: str, seconds: float) -> None:
        if commands.is_step(bare) and len(bare) <= 60 and len(self._times) < KEPT:
            self._times.setdefault(bare, []).append(round(seconds, 1))
            del self._times[bare][:-20]

    def _failed(self, act: Act, bare: str, start: str) -> None:
        if failures.is_harness(act.text) or commands.is_elsewhere(bare) or not start:
            return
        line = failures.telling_line(act.text)
        if not line or len(self._open) >= KEPT:
            return
        rules = failures.rules(act.text)[:RULES]
        self._tell(act, f"`{bare[:160]}` failed: {failures.excerpt(act.text)}")
        self._open[start] = {
            "command": bare[:300],
            "line": failures.rule_line(act.text, rules[0]) if rules else line,
            "lines": [failures.rule_line(act.text, rule) for rule in rules],
            "rules": rules,
            "places": failures.places(act.text) if rules else {},
            "own": failures.is_own_work(act.text),
            "step": act.step,
            "event": act.event,
        }

    def _worked(
        self, act: Act, pad: Scratchpad, bare: str, start: str, assigned: Sequence[str]
    ) -> None:
        ran = commands.checks(bare)
        for earlier, note in list(self._open.items()):
            if earlier != start and note["rules"] and commands.settled(ran, str(note["command"])):
                del self._open[earlier]
                self._lint(note, act, pad)
        failed = self._open.pop(start, None)
        if failed is not None:
            self._tell(act, f"`{bare[:160]}` passed.")
            if failed["rules"]:
                self._lint(failed, act, pad)
            elif bare != failed["command"]:
                self._other_command(failed, act, bare)
            else:
                self._other_environment(failed, act, assigned)
            return
        for earlier, note in list(self._open.items()):
            if act.step - int(note["step"]) > _NEAR_STEPS:
                if len(self._open) > 20:
                    del self._open[earlier]
            elif _alike(str(note["command"]), bare):
                del self._open[earlier]
                self._other_command(note, act, bare)
                return

    def _lint(self, failed: dict[str, Any], act: Act, pad: Scratchpad) -> None:
        """Record linter rules that were broken and then satisfied, and the files edited for
        them."""
        since = int(failed["step"])
        edited = [path for path, use in pad.files.items() if use.edits and use.last_step >= since]
        check = self._checks.setdefault(
            commands.head(failed["command"]),
            {"command": failed["command"], "rules": {}, "files": [], "events": [], "error": ""},
        )
        lines = zip(failed["rules"], failed["lines"], strict=True)
        for rule, line in list(lines)[: RULES - len(check["rules"])]:
            check["rules"].setdefault(rule, line)
        for name in ("mended", "mended_in"):
            check[name] = {**failed.get(name, {}), **check.get(name, {})}
        check["step"], check["error"] = act.step, check["error"] or failed["line"]
        check["files"] = list(dict.fromkeys([*check["files"], *edited[-3:]]))[:4]
        cited = [failed["event"], act.event]
        check["events"] = list(dict.fromkeys([*check["events"], *filter(None, cited)]))[:CITED]

    def _enforced(self, pad: Scratchpad) -> Iterable[Candidate]:
        """One candidate per check, with all rules that the session broke and then satisfied.

        They are told unreviewed if every message says what to write instead and is the project's
        own; that a linter finds an unhandled error somewhere is known to everybody.
        """
        for check in self._checks.values():
            cured = {rule: cure for rule, line in check["rules"].items() if (cure := cure_in(line))}
            if not _tells_how(check):
                yield from (self._cured(check, rule, cured[rule], pad) for rule in cured)
            rules = [one for one in check["rules"] if one not in cured or _tells_how(check)]
            if not rules:
                continue
            lines = {rule: check["rules"][rule].removesuffix(f"({rule})").strip() for rule in rules}
            told = [f"`{rule}` (“{shortened(lines[rule], 140)}”)" for rule in rules]
            named = "the rule" if len(rules) == 1 else "the rules"
            told_how = _tells_how(check)
            yield Candidate(
                signal=Signal.CHECK_RULE,
                key=f"rule:{' '.join(sorted(rules))}",
                type=MemoryType.ERROR_PATTERN,
                content=(
                    f"The check `{shortened(check['command'], 60)}` enforces {named} "
                    f"{', '.join(told)}. Write to it from the start."
                    f"{_mend_of(check) if told_how else ''}"
                ),
                session=pad.session,
                step=int(check["step"]),
                files=tuple(check["files"]),
                confidence=PRESCRIBED if told_how else FOR_REVIEW,
                unsure=not told_how,
                events=tuple(check["events"]),
                extras={"error": check["error"], "command": check["command"]},
            )

    def _cured(self, check: Mapping[str, Any], rule: str, cure: str, pad: Scratchpad) -> Candidate:
        """A rule whose message itself says what to write in the place of what."""
        line = str(check["rules"][rule])
        mended = check.get("mended", {}).get(rule, "")
        shows = _last_name(cure) in mended
        only = {**check, "rules": {rule: line} if shows else {}}
        return Candidate(
            signal=Signal.CHECK_RULE,
            key=f"rule:{rule} {cure}",
            type=MemoryType.ERROR_PATTERN,
            content=(
                f"The check `{shortened(check['command'], 60)}` enforces the rule `{rule}` "
                f"(“{shortened(_without_place(line, rule), 140)}”). Write to it from the start."
                f"{_mend_of(only)}"
            ),
            session=pad.session,
            step=int(check["step"]),
            files=tuple(check["files"]),
            confidence=PRESCRIBED,
            events=tuple(check["events"]),
            extras={"error": line, "command": check["command"]},
        )

    def _broken_again(self, pad: Scratchpad) -> Iterable[Candidate]:
        """One candidate per message of a rule, remembered once more than one session has broken
        it, as soon as there is something to do: the message says what to write instead, or a line
        mended it. Checks that are told at once are left out."""
        for check in self._checks.values():
            for rule, line in () if _tells_how(check) else check["rules"].items():
                if cure_in(line):
                    continue
                message = failures.rule_message(line, rule)
                mended = check.get("mended", {}).get(rule)
                mended = mended if mended and _explains(mended, message) else ""
                excused = _EXCUSED.search(mended) is not None
                how = f", mended for example by `{mended}`" if mended else ""
                wish = (
                    "give a reason where it is not met" if excused else "write to it from the start"
                )
                shown = bool(mended) or _PRESCRIBING.search(line) is not None
                if len(message) >= _LEAST_MESSAGE:
                    yield Candidate(
                        signal=Signal.RULE_BROKEN_AGAIN,
                        key=f"{rule}|{message.lower()[:120]}",
                        type=MemoryType.ERROR_PATTERN,
                        content=(
                            f"The check `{shortened(check['command'], 60)}` enforces the rule "
                            f"`{rule}`: “{shortened(message, 160)}”{how}. More than one session "
                            f"broke it; {wish}."
                        ),
                        session=pad.session,
                        step=int(check["step"]),
                        files=tuple(check["files"]),
                        confidence=PRESCRIBED if shown else COUNTED_ONLY,
                        unsure=excused,
                        events=tuple(check["events"]),
                        extras={"error": line, "command": check["command"]},
                    )

    def _other_command(self, failed: dict[str, Any], act: Act, bare: str) -> None:
        said = f"{failed['command']} {bare}"
        if failed["own"] or len(bare) > _LONG or len(failed["command"]) > _LONG:
            return
        if commands.is_elsewhere(f"{failed['line']} {bare}") or "<<" in said or "$(" in said:
            return
        if not _USAGE.search(failed["line"]):
            return
        content = (
            f"`{shortened(failed['command'], 120)}` fails here with "
            f"“{shortened(failed['line'], 140)}”; `{shortened(bare, 120)}` works."
        )
        key = f"{failures.fingerprint(str(failed['line']))}|{commands.head(failed['command'])}"
        self._keep(key, content, failed, act, files=[], confidence=0.7, fix=bare)

    def _other_environment(self, failed: dict[str, Any], act: Act, assigned: Sequence[str]) -> None:
        """The same command works with a variable that its error had named; its value is not kept,
        it may be a secret."""
        named = [one for one in assigned if one in _NAMED.findall(str(failed["line"]))]
        if not named or len(failed["command"]) > _LONG:
            return
        variables = ", ".join(f"`{one}`" for one in named)
        content = (
            f"`{shortened(failed['command'], 120)}` fails here with "
            f"“{shortened(failed['line'], 140)}”; it works with {variables} set."
        )
        key = f"{failures.fingerprint(str(failed['line']))}|{commands.head(failed['command'])}"
        self._keep(key, content, failed, act, files=[], confidence=0.7, fix=f"set {variables}")

    def _tell(self, act: Act, text: str) -> None:
        if act.event and len(self._told) < TOLD:
            self._told.append([act.step, act.event, text])

    def _keep(
        self,
        key: str,
        content: str,
        failed: dict[str, Any],
        act: Act,
        *,
        files: list[str],
        confidence: float,
        fix: str | None = None,
    ) -> None:
        if len(self._solved) < KEPT:
            extras = {"error": failed["line"], "command": failed["command"]}
            self._solved[key] = {
                "content": content,
                "step": act.step,
                "files": files,
                "confidence": confidence,
                "events": [event for event in (failed["event"], act.event) if event],
                "extras": {**extras, "fix": fix} if fix else extras,
            }


def _same(place: str, path: str) -> bool:
    """Whether a file that a linter names is one of the repository."""
    return place == path or path.endswith(f"/{place}") or place.endswith(f"/{path}")


def _mend_of(check: Mapping[str, Any]) -> str:
    """A line on what mended a rule, if one did that speaks of its message."""
    for rule, line in check.get("mended", {}).items():
        if rule in check["rules"] and _explains(line, check["rules"][rule]):
            path = check.get("mended_in", {}).get(rule)
            return f"\nMended{f' in `{path}`' if path else ''} by `{line}`."
    return ""


def _tells_how(check: Mapping[str, Any]) -> bool:
    """Whether every message of a check is one that the project wrote, and says what to write
    instead."""
    return all(
        _OF_THE_PROJECT.fullmatch(rule) and _PRESCRIBING.search(line)
        for rule, line in check["rules"].items()
    )


def _mending(lines: Sequence[str], rule: str, messages: Mapping[str, str]) -> str:
    """The line of an edit by which a rule was mended: one that has what the message says to write,
    or that names the rule, else the first."""
    cure = _last_name(cure_in(messages.get(rule, "")))
    named = [line for line in lines if (cure and cure in line) or rule in line]
    return named[0] if named else lines[0]


def _last_name(name: str) -> str:
    """The last part of a name of the code: what stands in a line that imports the rest."""
    return re.split(r"[./:]", name.rstrip("()"))[-1]


def _without_place(line: str, rule: str) -> str:
    """The message of a rule that names its cure, without its own name and without the name of the
    function in which it was broken."""
    return _PLACE.sub("", line.removesuffix(f"({rule})").removeprefix(f"{rule} ").strip())


def cure_in(message: str) -> str:
    """What a message says to write in the place of something else, by its name; empty if it does
    not name both."""
    found = _CURING.search(message)
    named = next((one for one in found.groupdict().values() if one), "") if found else ""
    return named.strip("`'\"\u201c\u201d")


def _explains(mended: str, message: str) -> bool:
    """Whether a line shows how a rule is met: it speaks of what the message names, or it excuses
    the place from the rule with a reason."""
    return _EXCUSED.search(mended) is not None or are_related(mended, message)


def _alike(failed: str, worked: str) -> bool:
    """Whether two commands have the same aim: they share most of their words."""
    mine, theirs = set(_WORD.findall(failed)), set(_WORD.findall(worked))
    if not mine or not theirs or failed == worked:
        return False
    return len(mine & theirs) / min(len(mine), len(theirs)) >= 0.6 and len(mine & theirs) >= 2
