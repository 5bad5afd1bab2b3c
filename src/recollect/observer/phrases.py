"""Words for a reader: what an agent did, in a phrase; quotations; names of modules and errors."""

import hashlib
import re
from collections.abc import Mapping
from typing import Any, Final

from recollect.observer.commands import plain
from recollect.vocabulary.text import repaired_text

QUOTE_LENGTH: Final = 720
COMMAND_LENGTH: Final = 120
_SPACE: Final = re.compile(r"\s+")


def quoted(words: str) -> str:
    """The words on one line in quotation marks, cut where they are long."""
    return f"“{shortened(words, QUOTE_LENGTH)}”"


def shortened(words: str, length: int) -> str:
    """The words on one line, cut at a word where they are long."""
    plain = _SPACE.sub(" ", repaired_text(words)).strip()
    if len(plain) <= length:
        return plain
    cut = plain[:length].rsplit(" ", 1)[0]
    return f"{cut or plain[:length]} …"


def action_of(tool: str | None, arguments: Mapping[str, Any], paths: tuple[str, ...]) -> str:
    """What a call was about to do, as a phrase that follows "from" or "the agent"."""
    if not tool:
        return ""
    where = f"`{paths[0]}`" if paths else "a file"
    command = arguments.get("command")
    if isinstance(command, str) and command.strip():
        return f"running `{shortened(plain(command) or command, COMMAND_LENGTH)}`"
    if tool in {"Edit", "MultiEdit", "NotebookEdit", "apply_patch"}:
        return f"editing {where}"
    if tool == "Write":
        return f"writing {where}"
    if tool == "Read":
        return f"reading {where}"
    if tool == "ExitPlanMode":
        return "going ahead with its plan"
    if tool == "AskUserQuestion":
        return "asking a list of questions"
    return f"using {tool}"


def module_of(path: str) -> str | None:
    """The folder a file lies in; None at the root."""
    folder, _, _ = path.rpartition("/")
    return folder or None


def digest(text: str) -> str:
    """A short name for a text, the same wherever it is made."""
    plain = _SPACE.sub(" ", text).strip().lower()
    return hashlib.blake2b(plain.encode("utf-8", "replace"), digest_size=8).hexdigest()
