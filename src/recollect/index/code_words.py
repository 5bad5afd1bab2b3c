"""Analyses code into tokens, identifier by identifier; long numbers and words are left out."""

import re
from typing import Final

from recollect.index.analyser import analyse

_WORD: Final = re.compile(r"\w+")
_WORDS_KEPT: Final = 65_536
_LONGEST_WORD: Final = 120
_DIGITS: Final = 4


class _IdentifierTokens(dict[str, str]):
    """Cache of the tokens of recent identifiers, each with a space after it."""

    def __missing__(self, word: str) -> str:
        if len(self) >= _WORDS_KEPT:
            self.clear()
        is_indexed = not (word.isdigit() and len(word) > _DIGITS) and len(word) <= _LONGEST_WORD
        tokens = self[word] = "".join(f"{token} " for token in analyse(word)) if is_indexed else ""
        return tokens


_known: Final = _IdentifierTokens()


def analysed(words: str) -> tuple[str, int]:
    """The tokens of code, identifier by identifier, and their number."""
    tokens = "".join(map(_known.__getitem__, _WORD.findall(words)))
    return tokens[:-1], tokens.count(" ")
