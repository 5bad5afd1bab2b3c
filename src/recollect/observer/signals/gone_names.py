"""Tracks which names of the code were declared and removed, to know which are gone at the end.

What an agent said of a function that the session removed or renamed afterwards helps nobody. A name
is gone if a file lost its declaration and no file has it any more.
"""

import re
from collections.abc import Mapping
from typing import Any, Final

from recollect.observer.diagnoses import names_in

#: Maximum number of names kept, and characters looked at of an edit.
KEPT: Final = 2_000
LOOKED: Final = 20_000
_DECLARED: Final = re.compile(
    r"^[ \t]{0,12}(?:(?:export|default|async|public|private|protected|static|pub|abstract|final|"
    r"open|internal|override)[ \t]+){0,3}"
    r"(?:func|fun|fn|def|class|function|type|interface|struct|enum|trait|module|const|var|let)"
    r"[ \t]+(?:\([^)\n]{0,60}\)[ \t]*)?([A-Za-z_]\w{3,80})",
    re.M,
)
#: Words of a sentence that itself tells what was removed or renamed.
_SAYS_SO: Final = re.compile(
    r"\b(?:remov\w+|delet\w+|drop\w*|gone|renam\w+|replac\w+|obsolete|unused|dead code|no longer|"
    r"any ?more|instead of|rather than|used to|formerly|extract\w*|inlin\w+|folded)\b",
    re.I,
)


class GoneNames:
    """Declarations that edits added to files and removed from them."""

    def __init__(self) -> None:
        self._there: dict[str, dict[str, int]] = {}

    def edited(self, path: str, arguments: Mapping[str, Any]) -> None:
        """Count what one edit adds and removes; a file that is written holds what was written."""
        content = arguments.get("content")
        if isinstance(content, str):
            written = _declared_in(content)
            for name, files in self._there.items():
                if path in files and name not in written:
                    files[path] = -1
            for name in written:
                self._note(name, path, 1)
            return
        edits = arguments.get("edits")
        for one in edits if isinstance(edits, list) else [arguments]:
            if isinstance(one, Mapping):
                before, after = (_declared_in(one.get(key)) for key in ("old_string", "new_string"))
                for name in before - after:
                    self._note(name, path, -1)
                for name in after - before:
                    self._note(name, path, 1)

    def gone(self) -> frozenset[str]:
        """Names, in lower case, of which a file lost the declaration and that no file declares."""
        return frozenset(
            name.lower() for name, files in self._there.items() if max(files.values()) < 0
        )

    def state(self) -> dict[str, dict[str, int]]:
        """State as JSON values."""
        return self._there

    def resume(self, state: Mapping[str, Mapping[str, int]]) -> None:
        """Restore saved state."""
        self._there = {name: dict(files) for name, files in state.items()}

    def _note(self, name: str, path: str, change: int) -> None:
        if name in self._there or len(self._there) < KEPT:
            self._there.setdefault(name, {})[path] = change


def speaks_of_gone(sentence: str, gone: frozenset[str]) -> bool:
    """Whether a sentence names something that is gone, and does not tell that it was removed."""
    if not gone or _SAYS_SO.search(sentence):
        return False
    return any(_last(name) in gone for name in names_in(sentence))


def _last(name: str) -> str:
    """The declared name in a reference to it: ``session.State`` and ``Run()``."""
    return name.lower().rstrip("()").rsplit(".", 1)[-1]


def _declared_in(text: Any) -> set[str]:
    return set(_DECLARED.findall(text[:LOOKED])) if isinstance(text, str) else set()
