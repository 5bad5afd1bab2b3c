"""Phrases for readers: an agent's action, quotations, and names of modules and errors."""

import hashlib
import re
from collections.abc import Mapping
from typing import Any, Final

from recollect.observer.commands import plain
from recollect.vocabulary.arguments import repaired_text

QUOTE_LENGTH: Final = 720
COMMAND_LENGTH: Final = 120
PROPOSED: Final = 140
_LOOKED: Final = 2_000
_DECLARED: Final = re.compile(
    r"^[ \t]{0,12}(?:(?:export|default|async|public|private|static|pub)[ \t]+){0,3}"
    r"(?:func|def|class|function|type|interface|struct|enum|fn|const)[ \t]+"
    r"(?:\([^)\n]{0,60}\)[ \t]*)?([A-Za-z_]\w{2,60})",
    re.M,
)
_SUBSTANCE: Final = re.compile(r"\w\W{0,3}[ (.=]\W{0,3}\w.{8}")
_SPACE: Final = re.compile(r"\s+")
#: For patterns that end a sentence at a full stop: not at one of these.
NOT_ABBREVIATED: Final = r"(?<!\bvs\.)(?<!\be\.g\.)(?<!\bi\.e\.)(?<!\bcf\.)"


def quoted(words: str) -> str:
    """The words on one line in quotation marks, cut if long."""
    return f"“{shortened(words, QUOTE_LENGTH)}”"


def shortened(words: str, length: int) -> str:
    """The words on one line, cut at a word boundary if long."""
    plain = _SPACE.sub(" ", repaired_text(words)).strip()
    if len(plain) <= length:
        return plain
    cut = plain[:length].rsplit(" ", 1)[0]
    return f"{cut or plain[:length]} …"


def action_of(tool: str | None, arguments: Mapping[str, Any], paths: tuple[str, ...]) -> str:
    """Intended action of a call, as a phrase that follows "from" or "the agent"."""
    if not tool:
        return ""
    where = f"`{paths[0]}`" if paths else "a file"
    proposed = proposal_of(tool, arguments)
    command = arguments.get("command")
    if isinstance(command, str) and command.strip():
        return f"running `{shortened(plain(command) or command, COMMAND_LENGTH)}`"
    if tool in {"Edit", "MultiEdit", "NotebookEdit", "apply_patch"}:
        return f"editing {where}{proposed}"
    if tool == "Write":
        return f"writing {where}{proposed}"
    if tool == "Read":
        return f"reading {where}"
    if tool == "ExitPlanMode":
        return f"going ahead with its plan{proposed}"
    if tool == "AskUserQuestion":
        return f"asking a list of questions{proposed}"
    return f"using {tool}"


def proposal_of(tool: str, arguments: Mapping[str, Any]) -> str:
    """Proposal of a call, in brackets: an added line, or a removed one if nothing is added, the
    title of a plan, or a question."""
    if tool == "AskUserQuestion":
        asked = arguments.get("questions")
        first = asked[0] if isinstance(asked, list) and asked else {}
        text = first.get("question") if isinstance(first, Mapping) else ""
        return f" (“{shortened(text, PROPOSED)}”)" if isinstance(text, str) and text else ""
    if tool == "ExitPlanMode":
        plan = arguments.get("plan")
        lines = plan.splitlines() if isinstance(plan, str) else []
        title = next((line.strip("# \t") for line in lines if line.strip("# \t")), "")
        title = title.removeprefix("Plan:").strip()
        return f" “{shortened(title, PROPOSED)}”" if title and title != "Plan" else ""
    added = _added_line(arguments)
    if added:
        return f" (proposed: `{shortened(added, PROPOSED)}`)"
    new, old = arguments.get("new_string"), arguments.get("old_string")
    removed = _added_line({"new_string": old, "old_string": new})
    return f" (removing: `{shortened(removed, PROPOSED)}`)" if removed else ""


def symbols_in(arguments: Mapping[str, Any]) -> list[str]:
    """Functions, types and similar symbols declared in an edit's text, in order."""
    parts = (arguments.get(name) for name in ("old_string", "new_string", "content"))
    text = "\n".join(part[:_LOOKED] for part in parts if isinstance(part, str))
    return list(dict.fromkeys(_DECLARED.findall(text)))


def _added_line(arguments: Mapping[str, Any]) -> str:
    """First substantial line that an edit would add."""
    new, old = arguments.get("new_string"), arguments.get("old_string")
    if not isinstance(new, str):
        return ""
    before = {line.strip() for line in old.splitlines()} if isinstance(old, str) else set()
    lines = (line.strip() for line in new[:_LOOKED].splitlines())
    fresh = [line for line in lines if _SUBSTANCE.search(line) and line not in before]
    fresh = [line for line in fresh if "`" not in line]
    code = (line for line in fresh if not line.startswith(("//", "#", "/*", "*", "import ")))
    return next(code, fresh[0] if fresh else "")


def added_statements(arguments: Mapping[str, Any]) -> list[str]:
    """Lines of code that an edit adds, without comments and openings of blocks."""
    new, old = arguments.get("new_string"), arguments.get("old_string")
    before = {line.strip() for line in old.splitlines()} if isinstance(old, str) else set()
    lines = (line.strip() for line in new[:_LOOKED].splitlines()) if isinstance(new, str) else ()
    return [
        line
        for line in lines
        if _SUBSTANCE.search(line)
        and line not in before
        and "`" not in line
        and not line.startswith(("//", "#", "/*", "*", "import "))
        and not line.endswith(("{", "(", ":", ","))
    ]


def module_of(path: str) -> str | None:
    """Folder of a file; None at the root."""
    folder, _, _ = path.rpartition("/")
    return folder or None


def digest(text: str) -> str:
    """Short stable hash of a text, independent of case and spacing."""
    plain = _SPACE.sub(" ", text).strip().lower()
    return hashlib.blake2b(plain.encode("utf-8", "replace"), digest_size=8).hexdigest()
