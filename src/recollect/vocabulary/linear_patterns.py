"""Linear-time regular expressions for untrusted text, by RE2.

A rule is written as for ``re``. Its RE2 version is derived: the same pattern without look-around,
over a copy of the text in which every character is one ASCII character. RE2 finds every place where
the rule could match; unless that is already exact, the rule itself is then tried there and nowhere
else. Work on false candidates is limited to a multiple of the text's length. ``Presence`` says
first which of many words and patterns occur at all, so that most rules need not be tried.

On a megabyte of the same few words, every rule that begins with one of them would restart at each
place. So ``shortened`` takes the middle of such a stretch out before rules are tried, by whole
periods: around every remaining place the text is as it was. A match near the end of what remains
occurs again at each removed place, and is reported there too: nothing is missed.
"""

import codecs
import re
import sys
import unicodedata
from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, NamedTuple

if TYPE_CHECKING:
    from recollect.vocabulary.pattern_trees import Translation

#: Length up to which a text is searched for words without loading RE2, and memory of a set.
_SHORT_TEXT: Final = 600
_SET_MEMORY: Final = 16 << 20
#: Limit of work on false candidates, as a multiple of the text's length.
_TRIES: Final = 2
_FEW_TRIES: Final = 50_000
_A_TRY: Final = 64
#: A rule is first tried no further than this many characters past the place that RE2 found.
_FIRST_WINDOW: Final = 256
_MEMORY: Final = 4 << 20
_KEPT_CHARACTERS: Final = 70_000
_FEW_OTHERS: Final = 24
_OTHER_LETTER: Final = "q"
_OTHER_CHARACTER: Final = "\x01"
_QUOTES: Final = {"\u2018": "'", "\u2019": "'", "\u201c": '"', "\u201d": '"'}
#: Of repetitions: the longest period that is detected, the length of a stretch that is always
#: detected (twice this), and how much of it remains at either end.
_LONGEST_PERIOD: Final = 512
_BLOCK: Final = 4_096
_LEFT: Final = 1_024
#: A shorter text (in characters) is left as it is.
SHORTENED_FROM: Final = 2 * _BLOCK


def closed_replaced(pattern: re.Pattern[str], by: str, text: str, closing: str) -> str:
    """A text with every match replaced, for a pattern that needs a closing mark: ``<!--.*?-->``.

    After the last closing mark there is no match, and searching there repeatedly would be slow: so
    it is skipped.
    """
    end = text.rfind(closing)
    if end < 0:
        return text
    end += len(closing)
    return pattern.sub(by, text[:end]) + text[end:]


class _AsciiReplacements(dict[int, str]):
    """Maps each Unicode character to one ASCII character."""

    def __missing__(self, point: int) -> str:
        found = stand_in(chr(point))
        if len(self) < _KEPT_CHARACTERS:
            self[point] = found
        return found


_STANDS: Final = _AsciiReplacements()


def stand_in(character: str) -> str:
    """An ASCII character of the same kind: a letter for a letter, a space for a space."""
    if character.isascii():
        return character
    if character in _QUOTES:
        return _QUOTES[character]
    if character.isspace():
        return " "
    plain = unicodedata.normalize("NFKD", character)[0]
    if character.isalnum():
        return plain if plain.isascii() and plain.isalnum() else _OTHER_LETTER
    return _OTHER_CHARACTER


def _stood_for(error: Any) -> tuple[str, int]:
    """The replacement of a run of non-ASCII characters."""
    return error.object[error.start : error.end].translate(_STANDS), error.end


codecs.register_error("recollect.linear", _stood_for)


def _folded(text: str) -> bytes:
    """The text in ASCII characters. If few are not ASCII, only those are processed."""
    if text.isascii():
        return text.encode("ascii")
    others = len(text.encode("utf-8", "surrogatepass")) - len(text)
    if others * _FEW_OTHERS > len(text):
        return text.translate(_STANDS).encode("ascii")
    return text.encode("ascii", "recollect.linear")


class FoldedText:
    """A text with its ASCII copy, made once for all the rules that are tried on it."""

    __slots__ = ("folded", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self.folded: bytes = _folded(text)


class LinearPattern:
    """A compiled rule with linear-time search; its matches are those of ``re``."""

    def __init__(self, written: str, flags: int = 0, group: str = "") -> None:
        self.written = written
        self.flags = flags
        self._name = group

    @cached_property
    def exact(self) -> re.Pattern[str]:
        """The rule as written, compiled when a text first seems to match it."""
        return re.compile(self.written, self.flags)

    def search(self, text: str | FoldedText) -> bool:
        """Whether there is a match."""
        return next(self.spans(text), None) is not None

    def spans(self, text: str | FoldedText) -> Iterator[tuple[int, int]]:
        """Positions of the matches, from left to right, without overlaps; of the requested group,
        if the match has it.
        """
        reading = FoldedText(text) if isinstance(text, str) else text
        if self._exact_in_re2 and reading.text.isascii():
            group = 0 if self._group is None else 1
            return (found.span(group) for found in self._wide.finditer(reading.folded))
        return self._tried(reading)

    def _tried(self, reading: FoldedText) -> Iterator[tuple[int, int]]:
        """Positions of the matches, by trying the rule wherever RE2 says that it could match."""
        whole, folded = reading.text, reading.folded
        group = 0 if self._group is None else self._group
        left = _TRIES * len(whole) + _FEW_TRIES
        at = 0
        candidates = self._wide.finditer(folded)
        while (candidate := next(candidates, None)) is not None:
            start, end = candidate.span()
            found = self._match(whole, start, end)
            if found is not None:
                yield found.span(group)
                at = max(found.end(), start + 1)
            else:
                left -= end - start + _A_TRY
                at = start + 1 if left > 0 else max(end, start + 1)
            if at > len(whole):
                return
            if at != end:
                candidates = self._wide.finditer(folded, at)

    def _match(self, whole: str, start: int, end: int) -> re.Match[str] | None:
        limit = end + _FIRST_WINDOW
        if limit >= len(whole):
            return self.exact.match(whole, start)
        found = self.exact.match(whole, start, limit)
        return found if found is None or found.end() < limit else self.exact.match(whole, start)

    @cached_property
    def _group(self) -> int | None:
        groups: dict[str, int] = self._tree.state.groupdict
        return groups.get(self._name)

    @cached_property
    def _exact_in_re2(self) -> bool:
        return self._translation.exact

    @cached_property
    def _tree(self) -> Any:
        from recollect.vocabulary.pattern_trees import tree_of

        return tree_of(self.written, self.flags)

    @cached_property
    def _translation(self) -> "Translation":
        from recollect.vocabulary.pattern_trees import Translation

        return Translation(self._tree, stand_in, self._group)

    @cached_property
    def _wide(self) -> Any:
        import re2

        options = re2.Options()
        options.encoding = re2.Options.Encoding.LATIN1
        options.log_errors = False
        options.max_mem = _MEMORY
        return re2.compile(self._translation.written.encode("ascii"), options)


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
        plainly = len(folded) <= _SHORT_TEXT and "re2" not in sys.modules
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
        options.max_mem = _SET_MEMORY
        made = re2.Set.SearchSet(options)
        for word in self._words:
            made.Add(f"(?i:{re.escape(word)})".encode("ascii"))
        for shape in self._shapes:
            made.Add(shape.encode("ascii"))
        made.Add(b"")
        made.Compile()
        return made


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
