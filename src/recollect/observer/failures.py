"""Normalises error output, so that the same error is recognised across runs.

Errors in which the harness reports its own rules are recognised by their wording and never learned.
"""

import re
from collections.abc import Iterator
from typing import Final

_HARNESS: Final = re.compile(
    r"<tool_use_error>|File has not been read yet|has been modified since read|"
    r"String to replace not found|Found \d+ matches of the string|File does not exist|"
    r"Sibling tool call errored|No changes to make|Path does not exist|"
    r"Permission to use \w+|requested permissions|posix_spawn|InputValidationError|"
    r"exceeds maximum allowed|Operation stopped by hook|\[Request interrupted|"
    r"Cancelled: parallel tool call|was blocked\. For security|Command timed out",
    re.I,
)
_EXIT: Final = re.compile(r"^Exit code \d+\s*$")
_ECHO: Final = re.compile(r"^(?:\[[\w:.-]+\]\s*)?\$ |^\+ |^==> |^\[[\w:.-]+\] (?:ERROR|\$)|^> ")
_PREFIX: Final = r"(?:\[[\w:.-]{1,40}\] ?)?"
#: Where a linter found something: a file with its line, or, below the name of a file, the line and
#: how bad it is.
_PLACE: Final = re.compile(rf"^{_PREFIX}[^\s:]{{1,300}}:\d{{1,7}}(?::\d{{1,7}})?:? ")
_BELOW: Final = re.compile(
    rf"^{_PREFIX}[ \t]{{1,12}}\d{{1,7}}:\d{{1,7}}[ \t]{{1,8}}(?:error|warning|[^\s\w])[ \t]"
)
#: A line of sqlfluff: line, column and code, then the message with the rule's name.
_SQL: Final = re.compile(r"^L:\s{1,8}\d{1,7} \| P:\s{1,8}\d{1,7} \| +([A-Z]{2}\d{2}) \| (.+)$")
#: The lines of a compiler that name the rule of its linter behind the message and its place.
_BY_LINT: Final = re.compile(r"(?:`-[DWF] |\[(?:deny|warn|forbid)\()(clippy::[a-z_-]{3,60})")
_HEADLINE: Final = re.compile(r"^(?:error|warning): (.{8,300})$")
#: The name of the rule: behind the message in brackets, as the last word of the line, or before the
#: message as a code.
_BRACKETS: Final = re.compile(r"\(([a-z][a-z0-9_-]{2,40}|[a-z]{2,20}:[a-z0-9-]{3,40})\)$")
_LAST_WORD: Final = re.compile(r"@?[a-z][a-z0-9-]{1,40}(?:/[a-z0-9-]{2,60}){0,2}")
_CODE: Final = re.compile(
    r"([A-Z]{1,5}\d{2,5}(?:/[a-z-]{3,40})?)(?: \[\*\])? |"
    r"[CWERF]: (?:\[Correctable\] )?([A-Z]\w{2,40}/[A-Z]\w{2,60}): "
)
_HOW_BAD: Final = re.compile(r"^(?:error|warning|note|notice): ", re.I)
_LONGEST_LINE: Final = 1_000
#: Output of a failing check, for pipes that hide its exit code.
_FAILED: Final = re.compile(
    r"^(?:\[[\w:.-]{1,40}\] )?(?:FAIL\b|--- FAIL|panic:|ERROR task failed|error(?:\[\w+\])?:|"
    r"E {3}|=+ FAILURES|npm ERR!|ELIFECYCLE|make: \*\*\*)|: undefined: |"
    r"^[^\s:]{1,200}:\d{1,7}:\d{1,7}: (?:error|undefined|cannot)|"
    r"\b[1-9]\d{0,5} (?:failed|failing)\b|"
    r"\bBUILD FAILED\b|\[build failed\]|^Tests?: +\d{1,6} failed",
    re.M,
)
#: Words of an output of any program that may tell of a failure.
_MAY_HAVE_FAILED: Final = re.compile(
    r"\b(?:[Ee]rror|ERROR|[Ff]atal|FATAL|FAIL(?:ED|URE)?|[Ff]ail(?:ed|ures?)|panic|undefined|"
    r"Exception|overflowed|No test)\b|[a-z](?:Error|Exception)\b"
)
#: Rule names that are errors of the current change rather than style rules.
_COMPILING: Final = frozenset({"typecheck", "compile", "syntax", "build"})
_TELLING: Final = re.compile(
    r"error|fatal|not found|no such|undefined|cannot|can't|panic|denied|unknown|invalid|refused|"
    r"unable|failed|missing|unexpected|mismatch|not defined|ignored by|conflict|exception",
    re.I,
)
_OWN: Final = re.compile(r"--- FAIL|^FAIL\b|^ok\s|^=== |^PASS|_test\.\w+:\d+|AssertionError")
_VARYING: Final = re.compile(
    r"\"[^\"]*\"|'[^']*'|`[^`]*`|0x[0-9a-f]+|\b[0-9a-f]{7,40}\b|(?:[\w.@~-]*/)+[\w.@-]+|\d+"
)
#: A name of the place where a rule was broken, and what a message adds about it.
_NAMED: Final = re.compile(
    r"`[^`\s]{1,120}(?: [^`\s]{1,120}){0,2}`|\"[^\"\s]{1,120}(?: [^\"\s]{1,120}){0,2}\"|"
    r"'[^'\s]{1,120}(?: [^'\s]{1,120}){0,2}'"
)
_SIGNATURE: Final = re.compile(r": sig(?:nature)?: .{0,600}$| \(line \d{1,7}\)")


def is_harness(text: str) -> bool:
    """Whether the text is a message of the agent's harness about its own rules."""
    return _HARNESS.search(text[:600]) is not None


def has_failed(text: str) -> bool:
    """Whether the output of a check shows a failure; a pipe hides the exit code."""
    return _FAILED.search(text) is not None or bool(rules(text))


def may_have_failed(text: str) -> bool:
    """Whether an output may tell of a failure, of a check or of any other program."""
    return _MAY_HAVE_FAILED.search(text[:6_000]) is not None


def is_own_work(text: str) -> bool:
    """Whether a test or compiler reports on the change in progress: normal work."""
    return _OWN.search(text[:3_000]) is not None


def rules(text: str) -> list[str]:
    """Linter rules named in an output, most frequent first."""
    counts: dict[str, int] = {}
    for rule, _ in _all_broken(text):
        if rule not in _COMPILING:
            counts[rule] = counts.get(rule, 0) + 1
    return sorted(counts, key=lambda rule: (-counts[rule], rule))


def _all_broken(text: str) -> Iterator[tuple[str, str]]:
    """Every rule that an output names, with its message."""
    headline = ""
    for line in text.splitlines():
        rule, message = _broken(line)
        if rule:
            yield rule, message
            continue
        begins = _HEADLINE.match(line[:_LONGEST_LINE])
        headline = begins[1] if begins else headline
        lint = _BY_LINT.search(line[:_LONGEST_LINE]) if headline else None
        if lint is not None:
            yield lint[1].replace("_", "-"), headline
            headline = ""


def _broken(line: str) -> tuple[str, str]:
    """Rule that a line of a linter's output names, and the message without the place; empty if it
    names none."""
    bare = line.rstrip()
    if ":" not in bare or len(bare) > _LONGEST_LINE:
        return "", ""
    below = _BELOW.match(bare)
    if below is not None:
        message, _, rule = bare[below.end() :].strip().rpartition("  ")
        rule = rule.strip("()")
        return (rule, message.strip()) if _LAST_WORD.fullmatch(rule) and message else ("", "")
    sql = _SQL.match(bare)
    if sql is not None:
        return sql[1], sql[2].strip()
    place = _PLACE.match(bare)
    if place is None:
        return "", ""
    message = _HOW_BAD.sub("", bare[place.end() :].strip())
    named = _BRACKETS.search(message[-50:]) or _CODE.match(message)
    if named is None or len(message) <= len(named[0]):
        return "", ""
    if named[1] is None:
        return named[2], message[named.end() :]
    return named[1], message


def signs(text: str) -> list[str]:
    """Signs that identify a failure: the rules it names, and its error line."""
    line = fingerprint(telling_line(text))
    return [*(f"rule:{rule}" for rule in rules(text)), *([line] if line else [])]


def sign_of(key: str) -> str:
    """Sign in the key of a solved failure, independent of the command that failed."""
    return key if key.startswith("rule:") else key.partition("|")[0]


def rule_line(text: str, rule: str) -> str:
    """First line printed by a linter for a rule, without the location."""
    return next((message[:200] for named, message in _all_broken(text) if named == rule), "")


def places(text: str) -> dict[str, str]:
    """Files in which a linter found one thing only, each with the rule that it broke."""
    found: dict[str, list[str]] = {}
    for line in text.splitlines():
        rule, _ = _broken(line)
        place = _PLACE.match(line)
        if rule and place is not None:
            path = place[0].rpartition("] ")[2].partition(":")[0]
            found.setdefault(path.removeprefix("./"), []).append(rule)
    return {path: rules[0] for path, rules in found.items() if len(rules) == 1}


def rule_message(line: str, rule: str) -> str:
    """What a rule says, without its own name and without the names of the place where it was
    broken: the same for everybody who breaks it."""
    said = line.removesuffix(f"({rule})").removeprefix(f"{rule} ")
    said = _SIGNATURE.sub("", _NAMED.sub("…", said.removeprefix("[*] ")))
    return re.sub(r"\s+", " ", said).strip(" :.,;")


def telling_line(text: str) -> str:
    """The line that says what went wrong."""
    lines = [line.strip() for line in text[:4_000].splitlines()]
    lines = [line for line in lines if line and not _EXIT.match(line) and not _ECHO.match(line)]
    for line in lines:
        if _TELLING.search(line):
            return line[:200]
    return lines[0][:200] if lines else ""


def excerpt(text: str) -> str:
    """The lines of an output that say what went wrong, joined into one line."""
    lines = [line.strip() for line in text[:4_000].splitlines()]
    told = [line[:200] for line in lines if _TELLING.search(line) or _broken(line)[0]]
    return " / ".join(dict.fromkeys(told[:5])) or telling_line(text)


def fingerprint(line: str) -> str:
    """The line without names, numbers and paths: the same for the same error elsewhere."""
    return re.sub(r"\s+", " ", _VARYING.sub("_", line)).strip().lower()[:120]
