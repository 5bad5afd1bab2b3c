"""The pieces of single words, without the tokenizer: for a process that looks up a few words.

Loading the tokenizer took a tenth of the time of a command that asks one question. A plain word
needs its table of merges only: of all neighbouring pieces the pair that stands first in the table
is joined, until no pair stands in it. Other texts, and whoever looks up many words, use the
tokenizer.
"""

import json
import math
from pathlib import Path
from typing import Any, Final

#: What the tokenizer does to a word before it is split.
_BEGINNING: Final = "\u2581"
_NORMALISED: Final = [
    {"type": "Prepend", "prepend": _BEGINNING},
    {"type": "Replace", "pattern": {"String": " "}, "content": _BEGINNING},
]


class WordPieces:
    """Splits words of ASCII letters and digits as the tokenizer of the same file does."""

    def __init__(self, path: Path) -> None:
        told: dict[str, Any] = json.loads(path.read_bytes())
        model = told["model"]
        if model["type"] != "BPE" or model["ignore_merges"] or model["dropout"]:
            raise ValueError("the words are split in another way")
        if told["normalizer"].get("normalizers") != _NORMALISED or told["pre_tokenizer"]:
            raise ValueError("the words are changed in another way")
        self._numbers: dict[str, int] = model["vocab"]
        self._ranks = dict(zip(model["merges"], range(len(model["merges"])), strict=True))

    def __len__(self) -> int:
        return len(self._numbers)

    def numbers_of(self, word: str) -> list[int] | None:
        """The numbers of a word's pieces; None for a word that is left to the tokenizer."""
        if not (word.isascii() and word.isalnum()):
            return None
        pieces = [_BEGINNING, *word]
        while len(pieces) > 1:
            ranks = [
                self._ranks.get(f"{pieces[place]} {pieces[place + 1]}", math.inf)
                for place in range(len(pieces) - 1)
            ]
            first = min(ranks)
            if first == math.inf:
                break
            place = ranks.index(first)
            pieces[place : place + 2] = [pieces[place] + pieces[place + 1]]
        return [self._numbers[piece] for piece in pieces]
