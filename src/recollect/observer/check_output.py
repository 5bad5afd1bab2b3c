"""Reads what checks and programs print when they fail: the message, the rule and the file.

Compilers, linters, type checkers and test runners write alike: a place and a message on one line,
or the message first and the place on the next. What is not recognised is read as its first line
that tells of an error.
"""

import re
from typing import Final, NamedTuple

LOOKED: Final = 6_000
LONGEST: Final = 400


class FailureMessage(NamedTuple):
    """What a failing check says: the message, the name of the rule or code, and the file."""

    message: str
    rule: str
    path: str


_PATH: Final = r"(?:[A-Za-z]:)?[\w@.+~/\\-]{1,200}\.\w{1,8}"
#: A place with a message: "src/a.ts(3,10): error TS2305: ...", "a.rb:19:7: C: Cop/Name: ...",
#: "a.py:3: error: ... [code]".
_PLACED: Final = re.compile(
    rf"^(?:\[[\w:.-]{{1,40}}\] ?|e: (?:file://)?)?({_PATH})"
    r"(?::\d{1,7}(?::\d{1,7})?|\(\d{1,7}(?:,\d{1,7})?\)|:\[\d{1,7},\d{1,7}\])"
    r"(?: -|:)? ((?:fatal )?(?:error|warning|Error|Warning)[: ] ?)?(\S.{3,380})$"
)
_NEXT_PLACE: Final = re.compile(rf"^\s{{0,12}}(?:-->|at|on|in|┃)?\s{{0,8}}({_PATH})(?::\d|\s|$)")
#: Messages that stand without their place.
_STATED: Final = (
    re.compile(r"^E {3}(?!\s)((?:[\w.]+(?:Error|Exception|Warning)\b|assert\b).{3,380})$"),
    re.compile(r"^\s{0,8}(?:[│┃|]\s?)?(?:error(?:\[(\w{2,12})\])?|Error|ERROR): (.{4,380})$"),
    re.compile(r"^\s{0,8}\*\* \(([\w.]{3,60})\) (.{4,380})$"),
    re.compile(
        r"^\s{0,8}(?:[^\s\w]\s)?"
        r"((?:[A-Za-z_][\w.:]{0,80})?(?:Error|Exception|Failure)\b: .{4,380})$"
    ),
    re.compile(r"^(?:fatal|Fatal error|panic|FATAL): (.{4,380})$"),
    re.compile(r"^\S{0,120}\b(?:undefined reference to|region `\w+' overflowed).{0,300}$"),
    re.compile(r"^\s{0,8}Failure/Error: (.{4,300})$"),
    re.compile(r"^\s{0,6}(?:[│|]\s{0,3})?(?:> )?(.{0,120}\bNo (?:test files|tests) .{0,200})$"),
)
_RULE_BEHIND: Final = re.compile(r"\s[\[(]([\w./:@-]{2,60})[\])]$")
_RULE_BEFORE: Final = re.compile(r"^(?:[CWEFR]: )?([A-Z]\w*/[\w/]{2,60}|[A-Z]{1,5}\d{2,5}): ?")


def message_of(text: str) -> FailureMessage | None:
    """The first failure in an output; None if it tells of none. A place that says neither how bad
    it is nor by which rule may be a step of a trace, so that any other message goes before it."""
    lines = text[:LOOKED].splitlines()
    traced: FailureMessage | None = None
    for place, line in enumerate(lines):
        bare = line.rstrip()
        if not 6 <= len(bare) <= LONGEST:
            continue
        placed = _PLACED.match(bare)
        if placed is not None:
            rule, message = _ruled(placed[3])
            found = FailureMessage(message, rule, _plain(placed[1]))
            if placed[2] or rule:
                return found
            traced = traced or (None if message.startswith("in ") else found)
            continue
        for form in _STATED:
            stated = form.match(bare)
            if stated is not None:
                told = [one for one in stated.groups() if one] or [bare.strip()]
                code = told[0] if len(told) > 1 else ""
                return FailureMessage(told[-1].strip(), code, _next_place(lines[place + 1 :][:2]))
    return traced


def _ruled(message: str) -> tuple[str, str]:
    before = _RULE_BEFORE.match(message)
    if before is not None:
        return before[1], message[before.end() :].strip()
    behind = _RULE_BEHIND.search(message[-70:])
    if behind is not None:
        return behind[1], message[: len(message) - len(behind[0])].strip()
    return "", message.strip()


def _next_place(lines: list[str]) -> str:
    for line in lines:
        found = _NEXT_PLACE.match(line[:300])
        if found is not None:
            return _plain(found[1])
    return ""


def _plain(path: str) -> str:
    return path.replace("\\", "/").removeprefix("./")
