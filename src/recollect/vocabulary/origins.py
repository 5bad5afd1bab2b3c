"""Origins of text: which tools bring outside text that strangers may have written.

Web pages are not the only source: issues and pull requests read by a command, MCP tools, documents,
mail and the output of a download were written by strangers too. Only these sources are outside. The
words of a person or an agent, a file of the project or the output of a local program are not, and
neither is an unknown label: a mark can exclude a text from search, so it is never guessed.
"""

import re
from collections.abc import Mapping
from typing import Any, Final

from recollect.vocabulary.acts import Origin
from recollect.vocabulary.arguments import NAME_LIMIT

#: Kinds of outside sources. A mark is a kind, or a kind and a place.
OUTSIDE_KINDS: Final = ("web", "github", "mcp", "document", "mail", "import", "outside")
#: Other names of the same kinds.
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
#: Where a command's name can be: at the beginning, after an operator, or after a launcher.
_STARTS: Final = (
    r"(?:^|[;&|(`\n]|\b(?:do|then|else)\s|\s-l?c\s++['\"]?)\s*+"
    r"(?:(?:sudo|time|nohup|command|env|xargs)\s++|[A-Z_]++=\S*+\s++)*+"
)
#: Commands whose output strangers may have written.
_COMMANDS: Final[tuple[tuple[re.Pattern[str], str], ...]] = tuple(
    (re.compile(rf"{_STARTS}(?:{names})"), kind)
    for names, kind in (
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
    """Who may have written the output of this tool."""
    if tool is None:
        return Origin.AGENT
    if origin_mark_of(tool, arguments) is not None:
        return Origin.OUTSIDE
    if tool in _FILES or tool in _EDITS:
        return Origin.REPOSITORY
    if tool in _SHELLS or tool.startswith(_EDITOR_TOOLS):
        return Origin.COMMAND
    return Origin.MEMORY if _OUR_TOOLS.match(tool) else Origin.AGENT


def origin_mark_of(tool: str, arguments: Mapping[str, Any]) -> str | None:
    """The origin mark of a tool's output: its kind and place; None if nobody outside wrote it."""
    if tool in _FILES or tool in _EDITS or _OUR_TOOLS.match(tool):
        return None
    if tool.startswith(_EDITOR_TOOLS):
        return None
    if tool and tool not in _SHELLS:
        for pattern, kind in _TOOLS:
            if pattern.search(tool):
                return origin_mark(kind, _place(arguments) or tool)
    return _mark_of_command(arguments.get("command") or arguments.get("cmd"))


def outside_label(label: object) -> str | None:
    """A given label as an origin mark, if it names an outside source; None otherwise.

    ``web:https://...``, a bare address and ``email`` name one. ``user``, ``assistant``, ``agent``,
    ``repository``, ``command`` and ``memory`` do not, and neither does an unknown word.
    """
    if not isinstance(label, str):
        return None
    text = label.strip()
    head, colon, rest = text.partition(":")
    head = head.strip().lower()
    if head in ("http", "https") and rest.startswith("//"):
        return origin_mark("web", text)
    kind = head if head in OUTSIDE_KINDS else _CALLED.get(head)
    return None if kind is None else origin_mark(kind, rest.strip() if colon else None)


def origin_mark(kind: str, place: str | None) -> str:
    """The mark: the kind, and the printable part of the place, cut to fit."""
    whole = f"{kind}:{place}" if place else kind
    return "".join(sign if sign.isprintable() else " " for sign in whole)[:NAME_LIMIT].strip()


def _mark_of_command(command: object) -> str | None:
    if isinstance(command, list):
        command = " ".join(str(part) for part in command)
    if not isinstance(command, str):
        return None
    looked_at = command[:_COMMAND_LOOKED_AT]
    for pattern, kind in _COMMANDS:
        if pattern.search(looked_at):
            if kind == "web" and _LOCAL_LINK.search(command):
                continue
            found = _LINK.search(command)
            return origin_mark(kind, found.group() if found else command.strip().split("\n")[0])
    return None


def _place(arguments: Mapping[str, Any]) -> str | None:
    found = (arguments.get(key) for key in _PLACES)
    return next((place for place in found if isinstance(place, str)), None)
