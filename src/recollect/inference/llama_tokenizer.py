"""The Llama 2 tokenizer (byte-pair encoding), read from its file.

A text becomes characters, with a mark for each space and one before the text; a character that the
vocabulary lacks becomes its bytes. Then the two neighbours whose merge has the lowest rank become
one piece, the leftmost first, until no two neighbours can merge.

Invariant: the result equals that of the `tokenizers` library, id for id (checked by a test); this
module replaces the library because it brings 30 MB of others. No merge of this vocabulary crosses
the start of a word, so a text is cut there first and each stretch is merged by itself: the work
grows with the length of the text, times the logarithm of its longest stretch.
"""

import json
import sys
from collections.abc import Iterator
from heapq import heapify, heappop, heappush
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

SPACE: Final = "\u2581"
_NONE: Final = -1
#: Up to so many pieces are merged by scanning their ranks; the rank of what does not merge.
_SHORT: Final = 48
_NEVER: Final = sys.maxsize


class LlamaTokenizer:
    """Token ids of a text. Markers such as `</s>` in a text are ordinary characters."""

    def __init__(self, path: Path) -> None:
        """Read the file; ValueError or OSError if it is not such a tokenizer."""
        try:
            model = json.loads(path.read_bytes())["model"]
            self._ids: dict[str, int] = dict(model["vocab"])
            merges = _merges(model["merges"])
            self._bytes = [f"<0x{value:02X}>" for value in range(256)]
            whole = all(piece in self._ids for piece in self._bytes)
        except (KeyError, TypeError) as error:
            raise ValueError("the file is not a tokenizer") from error
        if model["type"] != "BPE" or not model["byte_fallback"] or not whole:
            raise ValueError("the file is a tokenizer of another kind")
        if _cross_words(merges):
            raise ValueError("the merges of the file cross the starts of words")
        self._ranks = dict(zip(merges, range(len(merges)), strict=True))

    @property
    def vocabulary_size(self) -> int:
        """How many pieces there are."""
        return len(self._ids)

    def ids(self, text: str) -> list[int]:
        """The token ids, in order."""
        if not text:
            return []
        marked = SPACE + text.replace(" ", SPACE)
        if SPACE not in text and " " not in text:  # one word, as in most calls
            return [self._ids[piece] for piece in self._merged(marked)]
        words = list(_words(marked))
        known = {word: [self._ids[piece] for piece in self._merged(word)] for word in set(words)}
        return [each for word in words for each in known[word]]

    def _merged(self, word: str) -> list[str]:
        """The pieces of one stretch: neighbours merge by rank, then from the left."""
        pieces = list(word) if self._ids.keys() >= set(word) else list(self._characters(word))
        if len(pieces) <= _SHORT:
            return self._merged_by_scan(pieces)
        after = [*range(1, len(pieces)), _NONE]
        before = list(range(-1, len(pieces) - 1))
        waiting = [
            (rank, place)
            for place, (left, right) in enumerate(pairwise(pieces))
            if (rank := self._ranks.get(f"{left} {right}")) is not None
        ]
        heapify(waiting)
        while waiting:
            rank, place = heappop(waiting)
            right = after[place]
            if right == _NONE or self._rank(pieces, place, right) != rank:
                continue  # one of the two has merged with another since
            pieces[place] += pieces[right]
            pieces[right] = ""
            after[place] = following = after[right]
            if following != _NONE:
                before[following] = place
                self._offer(waiting, pieces, place, following)
            if before[place] != _NONE:
                self._offer(waiting, pieces, before[place], place)
        return [piece for piece in pieces if piece]

    def _merged_by_scan(self, pieces: list[str]) -> list[str]:
        """The same for few pieces: looking through all ranks takes less time than a heap."""
        get = self._ranks.get
        ranks = [get(f"{left} {right}", _NEVER) for left, right in pairwise(pieces)]
        while ranks and (lowest := min(ranks)) < _NEVER:
            place = ranks.index(lowest)
            del ranks[place]
            pieces[place] = merged = pieces[place] + pieces.pop(place + 1)
            if place < len(ranks):
                ranks[place] = get(f"{merged} {pieces[place + 1]}", _NEVER)
            if place:
                ranks[place - 1] = get(f"{pieces[place - 1]} {merged}", _NEVER)
        return pieces

    def _characters(self, word: str) -> Iterator[str]:
        for character in word:
            if character in self._ids:
                yield character
            else:
                yield from (self._bytes[value] for value in character.encode())

    def _rank(self, pieces: list[str], left: int, right: int) -> int | None:
        return self._ranks.get(f"{pieces[left]} {pieces[right]}")

    def _offer(
        self, waiting: list[tuple[int, int]], pieces: list[str], left: int, right: int
    ) -> None:
        rank = self._rank(pieces, left, right)
        if rank is not None:
            heappush(waiting, (rank, left))


def _merges(written: list[Any]) -> list[str]:
    """The merges from the file, in either of the two formats in use."""
    if {*map(type, written)} == {str}:
        return written
    return [one if isinstance(one, str) else " ".join(one) for one in written]


def _cross_words(merges: list[str]) -> bool:
    """Whether a merge produces a piece with a space mark after another character."""
    return any(
        SPACE in merge.replace(" ", "").lstrip(SPACE)
        for merge in merges
        if SPACE in merge[1:]  # few have one: the rest need no second look
    )


def _words(marked: str) -> Iterator[str]:
    """The text cut before each run of spaces: no merge crosses such a place."""
    start = 0
    while True:
        end = start
        while end < len(marked) and marked[end] == SPACE:
            end += 1
        found = marked.find(SPACE, end)
        if found == _NONE:
            yield marked[start:]
            return
        yield marked[start:found]
        start = found
