"""Sketch of a file: names it defines and names it mentions, from the text that sessions saw.

Nothing is parsed: in any language, a definition is a keyword followed by a name. Sketches are
small, and only good enough to tell which files refer to each other.
"""

import re
from typing import Any, Final

from recollect.trust.secrets import redacted

DEFINED: Final = 200
MENTIONED: Final = 600
_DEFINITION: Final = re.compile(
    r"\b(?:func|type|class|def|function|interface|struct|enum|trait|fn|module|const|var|let)\s+"
    r"(?:\([^)\n]{0,60}\)\s*)?([A-Za-z_]\w{3,60})"
)
_NAME: Final = re.compile(r"[A-Za-z_]\w{3,60}")


class Sketch:
    """Names that one file defines and mentions."""

    __slots__ = ("defines", "mentions")

    def __init__(self) -> None:
        self.defines: set[str] = set()
        self.mentions: set[str] = set()

    def see(self, text: str) -> tuple[set[str], set[str]]:
        """Add a piece of the file; returns the new names on either side. Secrets are removed first:
        a settings file holds them beside its names, and a secret may look like a name."""
        text = redacted(text)
        defines = set(_DEFINITION.findall(text)) - self.defines
        mentions = set(_NAME.findall(text)) - self.mentions
        if len(self.defines) + len(defines) > DEFINED:
            defines = set()
        if len(self.mentions) + len(mentions) > MENTIONED:
            mentions = set()
        self.defines |= defines
        self.mentions |= mentions
        return defines, mentions

    def state(self) -> list[Any]:
        """State as JSON values."""
        return [sorted(self.defines), sorted(self.mentions)]

    @classmethod
    def resumed(cls, state: list[Any]) -> "Sketch":
        """Restore a saved sketch."""
        sketch = cls()
        sketch.defines, sketch.mentions = set(state[0]), set(state[1])
        return sketch
