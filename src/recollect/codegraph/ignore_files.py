"""``.gitignore`` without git: nested files, negation, anchored and directory patterns."""

import re
from collections.abc import Iterable
from typing import NamedTuple


class IgnoreRule(NamedTuple):
    """One line of an ignore file, as an expression over the path below the file's folder."""

    expression: re.Pattern[str]
    keeps: bool
    folders_only: bool


def rules_of(text: str) -> list[IgnoreRule]:
    """The rules of one ignore file, in their order."""
    rules = []
    for line in text.splitlines():
        pattern = line.rstrip()
        if line.endswith("\\ "):
            pattern += " "
        if not pattern or pattern.startswith("#"):
            continue
        keeps = pattern.startswith("!")
        pattern = pattern[1:] if keeps else pattern
        pattern = pattern[1:] if pattern.startswith(("\\#", "\\!")) else pattern
        folders_only = pattern.endswith("/")
        pattern = pattern.rstrip("/")
        if pattern:
            rules.append(IgnoreRule(_expression(pattern), keeps, folders_only))
    return rules


def ignores(rules: Iterable[IgnoreRule], path: str, *, folder: bool) -> bool | None:
    """Whether rules put a path aside, keep it, or say nothing of it; the last that fits decides."""
    verdict: bool | None = None
    for rule in rules:
        if (folder or not rule.folders_only) and rule.expression.fullmatch(path):
            verdict = not rule.keeps
    return verdict


def _expression(pattern: str) -> re.Pattern[str]:
    anchored = "/" in pattern
    pattern = pattern.lstrip("/")
    made, place = ["" if anchored else "(?:.*/)?"], 0
    while place < len(pattern):
        character = pattern[place]
        if pattern.startswith("**/", place):
            made.append("(?:.*/)?")
            place += 3
            continue
        if pattern.startswith("/**", place) and place + 3 == len(pattern):
            made.append("/.*")
            break
        if character == "*":
            made.append("[^/]*")
        elif character == "?":
            made.append("[^/]")
        elif character == "[":
            end = pattern.find("]", place + 2)
            if end < 0:
                made.append(re.escape(character))
            else:
                inside = pattern[place + 1 : end].replace("\\", "\\\\")
                made.append("[" + ("^" + inside[1:] if inside.startswith("!") else inside) + "]")
                place = end
        elif character == "\\" and place + 1 < len(pattern):
            place += 1
            made.append(re.escape(pattern[place]))
        else:
            made.append(re.escape(character))
        place += 1
    try:
        return re.compile("".join(made))
    except re.error:
        return re.compile(re.escape(pattern))
