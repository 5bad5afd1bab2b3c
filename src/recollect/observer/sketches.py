"""A sketch of a file: the names it defines and those it mentions, from what sessions saw of it.

Nothing is parsed: whatever language it is, a definition is a keyword and a name. Sketches are
small, and only good enough to say which files speak of each other.
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
    """What one file defines and mentions."""

    __slots__ = ("defines", "mentions")

    def __init__(self) -> None:
        self.defines: set[str] = set()
        self.mentions: set[str] = set()

    def see(self, text: str) -> tuple[set[str], set[str]]:
        """Take in a piece of the file; the names that were new to either side. A file of settings
        holds secrets beside its names, and a secret may look like a name."""
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
        """As JSON has it."""
        return [sorted(self.defines), sorted(self.mentions)]

    @classmethod
    def resumed(cls, state: list[Any]) -> "Sketch":
        """The sketch that was written down."""
        sketch = cls()
        sketch.defines, sketch.mentions = set(state[0]), set(state[1])
        return sketch
