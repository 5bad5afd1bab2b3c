"""Where words came from, told by the tool that brought them and what it was asked for.

Web pages are not the only door: issues and pull requests read by a command, MCP tools, documents,
mail and what a download printed were written by strangers too. Only these doors are outside. What a
person, an agent, a file of the project or a program of this machine said is not, and neither is a
label that nobody knows: a mark takes a text's place in search, so it is never guessed.
"""

import re
from collections.abc import Mapping
from typing import Any, Final

from recollect.vocabulary.acts import Origin
from recollect.vocabulary.text import NAME_LIMIT

#: The doors through which outside text comes. A mark is a door, or a door and a place.
DOORS: Final = ("web", "github", "mcp", "document", "mail", "import", "outside")
#: Other words for the same doors.
_CALLED: Final[Mapping[str, str]] = {
    **dict.fromkeys(("website", "webpage", "url", "browser", "internet"), "web"),
    **dict.fromkeys(("gitlab", "issue", "issues", "pull_request", "pull-request"), "github"),
    **dict.fromkeys(("email", "e-mail", "gmail", "outlook", "inbox"), "mail"),
    **dict.fromkeys(("pdf", "docx", "attachment"), "document"),
    **dict.fromkeys(("external", "third-party", "third_party", "untrusted", "stranger"), "outside"),
}
_FILES: Final = frozenset(
    {"Read", "Grep", "Glob", "LS", "LSP", "NotebookRead", "read_file", "view"}
)
_EDITS: Final = frozenset(
    {"Edit", "Write", "MultiEdit", "NotebookEdit", "apply_patch", "str_replace_editor", "create"}
)
_SHELLS: Final = frozenset(
    {"Bash", "BashOutput", "exec_command", "shell", "local_shell", "execute_bash", "terminal"}
)
_OUR_TOOLS: Final = re.compile(r"^mcp__(?:plugin_)?(?:\w+_)?(?:recollect|memory)(?:_|__)")
_EDITOR_TOOLS: Final = "mcp__ide__"
_TOOLS: Final[tuple[tuple[re.Pattern[str], str], ...]] = (
    (re.compile(r"^(?:web_?(?:fetch|search)|fetch|browser?\w*|http_get|open_url)$", re.I), "web"),
    (re.compile(r"^mcp__(?:github|gitlab)", re.I), "github"),
    (re.compile(r"^mcp__|^mcp[:_.]", re.I), "mcp"),
    (re.compile(r"(?:pdf|document|docx|attachment|slides|spreadsheet)", re.I), "document"),
    (re.compile(r"(?:^|_)(?:e?mail|gmail|inbox|outlook)", re.I), "mail"),
)
#: Where a command's name stands: at its beginning, after an operator, or after what starts it.
_STARTS: Final = (
    r"(?:^|[;&|(`\n]|\b(?:do|then|else)\s|\s-l?c\s++['\"]?)\s*+"
    r"(?:(?:sudo|time|nohup|command|env|xargs)\s++|[A-Z_]++=\S*+\s++)*+"
)
#: Commands whose output strangers may have written.
_COMMANDS: Final[tuple[tuple[re.Pattern[str], str], ...]] = tuple(
    (re.compile(rf"{_STARTS}(?:{names})"), door)
    for names, door in (
        (
            r"gh\s++(?:\S++\s++)?(?:(?:issue|pr)\s++(?!(?:create|edit|merge|close|ready|checkout|"
            r"reopen)\b)|(?:issue|pr)\s*+$|(?:api|search|release|gist|run|discussion|repo\s+view)\b)"
            r"|glab\s+(?:issue|mr|api)\b|hub\s+(?:issue|pr)\b",
            "github",
        ),
        (r"(?:jira|linear)\s", "outside"),
        (
            r"(?:curl|wget|lynx|w3m|httpie|https?|xh)\s|npm\s+(?:view|info|search)\b"
            r"|pip\s+(?:search|index)\b|cargo\s+search\b",
            "web",
        ),
        (r"(?:pdftotext|pandoc|antiword|docx2txt)\s", "document"),
    )
)
_LINK: Final = re.compile(r"https?://[^\s\"'<>]+")
_LOCAL_LINK: Final = re.compile(r"https?://(?:localhost|127\.0\.0\.1|\[::1\]|0\.0\.0\.0)")
_PLACES: Final = ("url", "uri", "link", "source_url")
_COMMAND_LOOKED_AT: Final = 2_000


def origin_of(tool: str | None, arguments: Mapping[str, Any]) -> Origin:
    """Who may have written what this tool brings."""
    if tool is None:
        return Origin.AGENT
    if dispatcher_of(tool, arguments) is not None:
        return Origin.OUTSIDE
    if tool in _FILES or tool in _EDITS:
        return Origin.REPOSITORY
    if tool in _SHELLS or tool.startswith(_EDITOR_TOOLS):
        return Origin.COMMAND
    return Origin.MEMORY if _OUR_TOOLS.match(tool) else Origin.AGENT


def dispatcher_of(tool: str, arguments: Mapping[str, Any]) -> str | None:
    """The mark of what a tool brings: its door and place; None when nobody outside wrote it."""
    if tool in _FILES or tool in _EDITS or _OUR_TOOLS.match(tool):
        return None
    if tool.startswith(_EDITOR_TOOLS):
        return None
    if tool and tool not in _SHELLS:
        for pattern, door in _TOOLS:
            if pattern.search(tool):
                return labelled(door, _place(arguments) or tool)
    return _door_of_command(arguments.get("command") or arguments.get("cmd"))


def outside_label(label: object) -> str | None:
    """A label that somebody gave, as a mark, when it names a door; None for any other.

    ``web:https://...``, a bare address and ``email`` name one. ``user``, ``assistant``, ``agent``,
    ``repository``, ``command`` and ``memory`` do not, and neither does a word that nobody knows.
    """
    if not isinstance(label, str):
        return None
    text = label.strip()
    head, colon, rest = text.partition(":")
    head = head.strip().lower()
    if head in ("http", "https") and rest.startswith("//"):
        return labelled("web", text)
    door = head if head in DOORS else _CALLED.get(head)
    return None if door is None else labelled(door, rest.strip() if colon else None)


def labelled(door: str, place: str | None) -> str:
    """The mark: the door, and the place as far as it fits and prints."""
    whole = f"{door}:{place}" if place else door
    return "".join(sign if sign.isprintable() else " " for sign in whole)[:NAME_LIMIT].strip()


def _door_of_command(command: object) -> str | None:
    if isinstance(command, list):
        command = " ".join(str(part) for part in command)
    if not isinstance(command, str):
        return None
    looked_at = command[:_COMMAND_LOOKED_AT]
    for pattern, door in _COMMANDS:
        if pattern.search(looked_at):
            if door == "web" and _LOCAL_LINK.search(command):
                continue
            found = _LINK.search(command)
            return labelled(door, found.group() if found else command.strip().split("\n")[0])
    return None


def _place(arguments: Mapping[str, Any]) -> str | None:
    found = (arguments.get(key) for key in _PLACES)
    return next((place for place in found if isinstance(place, str)), None)
