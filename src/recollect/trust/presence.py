"""Searches a text for many words and patterns at once, so that most rules need not be tried."""

import re
import sys
from collections.abc import Iterable
from functools import cached_property
from typing import Any, Final

_SHORT: Final = 600
_MEMORY: Final = 16 << 20


class Presence:
    """Which of many words and patterns occur in a text, found in one pass of RE2.

    Words are matched case-insensitively; patterns are short and must be valid for RE2. The time
    does not grow with their number. A short text is searched without RE2 if that is not loaded yet:
    a command that starts for one sentence does not wait for it.
    """

    def __init__(self, words: Iterable[str], shapes: Iterable[str]) -> None:
        self._words = tuple(dict.fromkeys(word for word in words if word.isascii()))
        self._foreign = tuple(dict.fromkeys(word for word in words if not word.isascii()))
        self._shapes = tuple(dict.fromkeys(shapes))
        self._names = (*self._words, *self._shapes)

    def found(self, text: str, folded: bytes) -> frozenset[str]:
        """The words and patterns in a text; ``folded`` is the text in ASCII, character for
        character, as in ``FoldedText``.
        """
        plainly = len(folded) <= _SHORT and "re2" not in sys.modules
        found = self._plainly(folded) if plainly else None
        if found is None:
            found = self._searched(folded)
        if not text.isascii():
            low = text.lower()
            found += [word for word in self._foreign if word in low]
        return frozenset(found)

    def load(self) -> None:
        """Load RE2, which is used from then on."""
        self._searched(b"")

    def _searched(self, folded: bytes) -> list[str]:
        """What RE2 finds. The last pattern always matches: if it is missing, RE2 gave up, and then
        anything may be in the text.
        """
        places = self._set.Match(folded)
        if not places:
            return [*self._names]
        return [self._names[place] for place in places if place < len(self._names)]

    def _plainly(self, folded: bytes) -> list[str] | None:
        """The words of a short text; None if a pattern may match: then RE2 is needed."""
        text = folded.decode("ascii")
        if self._any_shape.search(text) is not None:
            return None
        low = text.lower()
        return [word for word in self._words if word in low]

    @cached_property
    def _any_shape(self) -> re.Pattern[str]:
        return re.compile("|".join(self._shapes) or "(?!)")

    @cached_property
    def _set(self) -> Any:
        import re2

        options = re2.Options()
        options.encoding = re2.Options.Encoding.LATIN1
        options.log_errors = False
        options.max_mem = _MEMORY
        made = re2.Set.SearchSet(options)
        for word in self._words:
            made.Add(f"(?i:{re.escape(word)})".encode("ascii"))
        for shape in self._shapes:
            made.Add(shape.encode("ascii"))
        made.Add(b"")
        made.Compile()
        return made
