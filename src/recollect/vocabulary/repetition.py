"""Shortens long repetitions in a text, so that rules do not slow down on them.

On a megabyte of the same few words, every rule that begins with one of them restarts at each place.
Such a stretch is shortened before rules are tried, by whole periods, so that around every remaining
place the text is as it was. A match near the end of what remains occurs again at each removed
place, and is reported there too: nothing is missed.
"""

from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

#: The longest period that is detected, the length of a stretch that is always detected (twice
#: this), and how much of it remains at either end.
_LONGEST_PERIOD: Final = 512
_BLOCK: Final = 4_096
_LEFT: Final = 1_024
#: A shorter text (in characters) is left as it is.
SHORTENED_FROM: Final = 2 * _BLOCK


class Cut(NamedTuple):
    """A removed part: its place in the shortened text, its length, and its period in characters."""

    at: int
    removed: int
    period: int


class Shortened(NamedTuple):
    """A text without the middle of its long repetitions, and where those were."""

    text: str
    cuts: tuple[Cut, ...] = ()

    def restored(self, spans: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int, int]]:
        """Map spans of the shortened text to the whole one: the index of each span, its start and
        its end. A span inside a repetition occurs there many times.
        """
        for place, (start, end) in enumerate(spans):
            before = within = 0
            for cut in self.cuts:
                if start >= cut.at:
                    before += cut.removed
                elif end - start >= cut.period and end > cut.at - cut.period:
                    within += cut.removed  # it extends through the whole repetition
                elif end > cut.at - cut.period:
                    for shift in range(cut.period, cut.removed + 1, cut.period):
                        yield place, start + before + shift, end + before + shift
            yield place, start + before, end + before + within


def shortened(text: str) -> Shortened:
    """A text without the middle of its long repetitions."""
    if len(text) < SHORTENED_FROM:
        return Shortened(text)
    kept: list[str] = []
    cuts: list[Cut] = []
    at = begins = length = 0
    while at + _BLOCK <= len(text):
        period = _period(text, at)
        if not period:
            at += _BLOCK
            continue
        end = _end(text, at, period)
        removed = (end - at - 2 * _LEFT - period) // period * period
        if removed > 0:
            cut = at + _LEFT + period
            kept.append(text[begins:cut])
            length += cut - begins
            cuts.append(Cut(length, removed, period))
            begins = cut + removed
        at = max(end, at + _BLOCK)
    if not cuts:
        return Shortened(text)
    return Shortened("".join((*kept, text[begins:])), tuple(cuts))


def _period(text: str, at: int) -> int:
    """The period of the block at a place, in characters; 0 if it does not repeat."""
    again = text.find(text[at : at + _LONGEST_PERIOD], at + 1, at + 2 * _LONGEST_PERIOD)
    if again < 0:
        return 0
    period = again - at
    return period if text.startswith(text[at : at + _BLOCK - period], again) else 0


def _end(text: str, at: int, period: int) -> int:
    """The end of the repetition that begins with a block: the first character that differs from the
    one a period before it.
    """
    end, step = at + _BLOCK, _BLOCK
    while step:
        again = text[end - period : end - period + step]
        if end + step <= len(text) and text.startswith(again, end):
            end += step
            step *= 2
        else:
            step //= 2
    return end
