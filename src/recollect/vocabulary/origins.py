"""Where words came from, told by the tool that brought them and what it was asked for.

Web pages are not the only door: issues and pull requests read by a command, MCP tools, and what a
download printed were written by strangers too.
"""

import re
from collections.abc import Mapping
from typing import Any, Final

from recollect.vocabulary.acts import Origin

_WEB: Final = frozenset({"WebFetch", "WebSearch", "web_search", "fetch", "browser", "open_url"})
_FILES: Final = frozenset(
    {"Read", "Grep", "Glob", "LS", "LSP", "NotebookRead", "read_file", "view"}
)
_EDITS: Final = frozenset(
    {"Edit", "Write", "MultiEdit", "NotebookEdit", "apply_patch", "str_replace_editor", "create"}
)
_SHELLS: Final = frozenset(
    {"Bash", "BashOutput", "exec_command", "shell", "local_shell", "execute_bash", "terminal"}
)
#: Commands whose output strangers may have written.
_STRANGERS: Final = re.compile(
    r"(?:^|[\s;&|(`])(?:"
    r"gh\s+(?:\S+\s+)?(?:issue|pr|api|search|release|gist|run|discussion|repo\s+view)"
    r"|glab\s+(?:issue|mr|api)|hub\s+(?:issue|pr)|jira\s|linear\s"
    r"|curl\s|wget\s|http\s|https\s|lynx\s|w3m\s"
    r"|npm\s+(?:view|info|search)|pip\s+(?:search|index)|cargo\s+search"
    r")"
)
_LOCAL_URL: Final = re.compile(r"https?://(?:localhost|127\.0\.0\.1|\[::1\]|0\.0\.0\.0)")
_OUR_TOOLS: Final = re.compile(r"^mcp__(?:plugin_)?(?:\w+_)?(?:recollect|memory)(?:_|__)")


def origin_of(tool: str | None, arguments: Mapping[str, Any]) -> Origin:
    """Who may have written what this tool brings."""
    if tool is None:
        return Origin.AGENT
    if tool in _FILES:
        return Origin.REPOSITORY
    if tool in _SHELLS:
        return _of_command(arguments.get("command") or arguments.get("cmd"))
    if tool in _EDITS:
        return Origin.REPOSITORY
    if tool in _WEB:
        return Origin.OUTSIDE
    if tool.startswith("mcp__"):
        if _OUR_TOOLS.match(tool):
            return Origin.MEMORY
        return Origin.COMMAND if tool.startswith("mcp__ide__") else Origin.OUTSIDE
    return Origin.AGENT


def _of_command(command: object) -> Origin:
    if isinstance(command, list):
        command = " ".join(str(part) for part in command)
    if not isinstance(command, str):
        return Origin.COMMAND
    found = _STRANGERS.search(command[:2_000])
    if found is None:
        return Origin.COMMAND
    if "curl" in found.group() or "wget" in found.group():
        return Origin.COMMAND if _LOCAL_URL.search(command) else Origin.OUTSIDE
    return Origin.OUTSIDE
