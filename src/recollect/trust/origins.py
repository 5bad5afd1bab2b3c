"""Where content came from: the marks on text that nobody of the space wrote.

The web is one door of many. Issues and pull requests read with ``gh``, MCP tools, documents and
mail bring third-party text too; what came through any of them is marked with the door and, where
it is known, the place.
"""

import re
from collections.abc import Mapping
from typing import Any, Final

from recollect.vocabulary.text import NAME_LIMIT

#: The doors through which outside text comes.
DOORS: Final = ("web", "github", "mcp", "document", "mail", "import", "agent")

_TOOLS: Final[tuple[tuple[re.Pattern[str], str], ...]] = (
    (re.compile(r"^(?:web_?(?:fetch|search)|fetch|browser?\w*|http_get|open_url)$", re.I), "web"),
    (re.compile(r"^mcp__(?:github|gitlab)", re.I), "github"),
    (re.compile(r"^mcp__|^mcp[:_.]", re.I), "mcp"),
    (re.compile(r"(?:pdf|document|docx|attachment|slides|spreadsheet)", re.I), "document"),
    (re.compile(r"(?:^|_)(?:e?mail|gmail|inbox|outlook)", re.I), "mail"),
)
_COMMANDS: Final[tuple[tuple[re.Pattern[str], str], ...]] = (
    (re.compile(r"(?:^|[;&|(]\s*)(?:gh|glab|hub)\s+\w", re.M), "github"),
    (
        re.compile(r"(?:^|[;&|(`]\s*)(?:curl|wget|lynx|w3m|httpie|http|https|xh)\s", re.M),
        "web",
    ),
    (re.compile(r"(?:^|[;&|(]\s*)(?:pdftotext|pandoc|antiword|docx2txt)\s", re.M), "document"),
)
_LINK: Final = re.compile(r"https?://[^\s\"'<>]+")
_NAMES: Final = ("tool", "tool_name", "name")
_INPUTS: Final = ("input", "tool_input", "arguments", "args")


def origin_of(payload: Mapping[str, Any]) -> str | None:
    """Where the content of an event came from, by what its payload says; None when it is ours."""
    if not payload:
        return None
    inner = payload.get("payload")
    if isinstance(inner, Mapping):  # as some transcripts nest it
        payload = {**payload, **inner}
    given = payload.get("origin")
    if isinstance(given, str) and given.strip():
        return _label(given.strip(), None)
    name = next((payload[key] for key in _NAMES if isinstance(payload.get(key), str)), "")
    told = next((payload[key] for key in _INPUTS if isinstance(payload.get(key), Mapping)), payload)
    place = _place(told) or _place(payload)
    for pattern, door in _TOOLS:
        if name and pattern.search(name):
            return _label(door, place or name)
    command = told.get("command", payload.get("command"))
    if isinstance(command, str):
        for pattern, door in _COMMANDS:
            if pattern.search(command):
                found = _LINK.search(command)
                return _label(door, found.group() if found else command.strip().split("\n")[0])
    return None


def is_door(origin: str) -> bool:
    """Whether a mark begins with a known door."""
    return origin.split(":", 1)[0] in DOORS


def _place(told: Mapping[str, Any]) -> str | None:
    for key in ("url", "uri", "link", "source_url"):
        if isinstance(told.get(key), str):
            return str(told[key])
    return None


def _label(door: str, place: str | None) -> str:
    """The mark: the door, and the place as far as it fits and prints."""
    whole = door if place is None else f"{door}:{place}"
    return "".join(sign if sign.isprintable() else " " for sign in whole)[:NAME_LIMIT].strip()
