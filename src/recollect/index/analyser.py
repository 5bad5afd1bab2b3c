r"""One analyser turns text into keyword tokens, so every store finds the same words.

A store keeps the tokens exactly as they come, joined by spaces, and adds no language rules of its
own: FTS5 (tokenizer ``ascii`` with ``TOKEN_CHARACTERS``) and PostgreSQL then hold the same index.

Invariant: what a query emits for a word is among what the index emits for that word; and a token
holds only lower-case ASCII letters, digits, ``TOKEN_CHARACTERS`` and non-ASCII letters and marks.

The rules, in the order they apply to each piece of text between white space:

1. Fold: NFKC; Latin and Greek accents go, and so do Hebrew and Arabic points.
2. Find compounds: words held together by one of ``. / _ - @`` (``::`` reads as ``.``, ``\`` as
   ``/``). A compound gives itself whole, then its pieces, split at the widest separator first.
3. Split camelCase: the whole, its stem, then the parts.
4. Scripts without spaces give characters and pairs of characters; Hangul gives its word as well.
5. Stem each remaining word with the Snowball stemmer of its script; stop words stay as they are,
   so that no other word is taken for one ("does" is not "Doe").
"""

import re
import threading
import unicodedata
from collections.abc import Iterable, Iterator
from functools import cache, lru_cache
from itertools import chain, islice, pairwise
from typing import Final

import Stemmer

from recollect.storage.dialects.protocol import TOKEN_CHARACTERS
from recollect.vocabulary.linear_patterns import SHORTENED_FROM, shortened
from recollect.vocabulary.stopwords import STOP_WORDS

ANALYSER_VERSION: int = 2
"""Raised whenever ``analyse`` gives other tokens; the store then rebuilds its index."""

_LONGEST_TOKEN: Final = 64
_LONGEST_CACHED: Final = 32
_CACHE_CAPACITY: Final = 32_768
_DEFAULT_LIMIT: Final = 20_000
#: Bytes of one text that PostgreSQL indexes, less a margin; the overhead of a token there; and a
#: length in characters that is safe, whatever the tokens are.
_MAX_BYTES: Final = 900_000
_BESIDE: Final = 24
_SURELY_FITS: Final = 20_000


def analyse(text: str, *, limit: int = _DEFAULT_LIMIT) -> list[str]:
    """The tokens to index, in order and with repeats, at most ``limit`` of them.

    A text of tens of thousands of long words gives fewer: databases limit the bytes they index. Of
    thousands of repeated characters the first and the last are read.
    """
    read = text if len(text) < SHORTENED_FROM else shortened(text).text
    tokens = chain.from_iterable(map(_index_words.__getitem__, read.split()))
    found = list(islice(tokens, max(limit, 0)))
    return found if len(text) <= _SURELY_FITS else _fitting(found)


def tokens_of_word(word: str) -> Iterable[str]:
    """The tokens to index of a piece of text between white space that is not long."""
    return _index_words[word]


def _fitting(tokens: list[str]) -> list[str]:
    """As many of the tokens as a database can index for one text."""
    room = _MAX_BYTES
    for place, token in enumerate(tokens):
        room -= len(token.encode()) + _BESIDE
        if room < 0:
            return tokens[:place]
    return tokens


def query_terms(text: str) -> list[str]:
    """The distinct tokens to search for; stop words only if nothing else is left."""
    tokens = chain.from_iterable(map(_query_words.__getitem__, text.split()))
    terms = dict.fromkeys(islice(tokens, _DEFAULT_LIMIT))
    return [term for term in terms if term not in STOP_WORDS] or list(terms)


@lru_cache(_CACHE_CAPACITY // 4)
def terms_of_word(word: str) -> tuple[str, ...]:
    """The same of a single word of a question, which several steps of a recall ask for."""
    return tuple(query_terms(word))


# --- Cache: from a raw word to its tokens ---------------------------------------------------------

_EDGES: Final = ".,;:!?\"'()[]{}<>*`"


class _WordTokens(dict[str, Iterable[str]]):
    """Cache of tokens by raw word. Bounded; thread-safe, since a lost entry is made again."""

    def __init__(self, *, query: bool) -> None:
        self._query = query

    def __missing__(self, raw: str) -> Iterable[str]:
        if len(raw) > _LONGEST_CACHED:
            return _tokens(raw, query=self._query)
        word = raw.strip(_EDGES)
        if _is_plain(word):  # most are, and come to this without the rules that cannot apply
            tokens: tuple[str, ...] = (_stem(word),)
        else:
            tokens = tuple(_tokens(raw, query=self._query) if word == raw else self[word])
        if len(self) >= _CACHE_CAPACITY:
            self.clear()
        self[raw] = tokens
        return tokens


def _is_plain(word: str) -> bool:
    """Whether a word has only ASCII letters, none of them large but the first."""
    return word.isascii() and word.isalpha() and word[1:] == word[1:].lower()


_index_words: Final = _WordTokens(query=False)
_query_words: Final = _WordTokens(query=True)


# --- Fold: one spelling for each character --------------------------------------------------------

_SPELLINGS: Final = {
    **dict(zip("øØłŁđĐıðÐ", "oOlLdDidD", strict=True)),
    **dict(zip("æÆœŒþÞ", ("ae", "AE", "oe", "OE", "th", "TH"), strict=True)),
    **dict(zip("\u0451\u0401", "\u0435\u0415", strict=True)),  # Russian io is often written ie
    **dict(zip("\u2018\u2019\u02bc\u2010", "'''-", strict=True)),
    "\u200b": " ",  # zero-width space: the word boundary of Thai and Khmer
    "\u0640": "",  # Arabic tatweel, a stretched line
}
_DROPPED_MARKS: Final = (
    "[\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06ed"
    "\u20d0-\u20ff\ufe00-\ufe0f\U000e0100-\U000e01ef]"
)
_MARK_RUN: Final = re.compile(r"[^\w\x00-\x7f]{17,}")
_FIRST_UNSTRIPPED: Final = "\u0400"  # Latin and Greek lie below: there accents are dropped


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    """A compiled pattern for many scripts. Compiling each takes longer than a whole command, and
    ASCII texts need none of them.
    """
    return re.compile(pattern)


class _Fold(dict[int, str]):
    """Replacement of each character, computed when it is first met."""

    def __missing__(self, code: int) -> str:
        if len(self) >= _CACHE_CAPACITY:
            self.clear()
        folded = self[code] = _fold_character(chr(code))
        return folded


_FOLD: Final = _Fold()


def _fold_character(character: str) -> str:
    if character in _SPELLINGS:
        return _SPELLINGS[character]
    if character.isascii():
        return character
    category = unicodedata.category(character)
    if category == "Cf" or (category[0] == "M" and _compiled(_DROPPED_MARKS).match(character)):
        return ""
    if category == "Nd":
        return str(unicodedata.decimal(character))
    if category[0] not in "LMN":
        return " "
    base = unicodedata.normalize("NFD", character)[0]
    return base if base < _FIRST_UNSTRIPPED else character


def _fold(text: str) -> str:
    """Fold ``text`` to ASCII and to letters and marks, so that any non-ASCII is part of a word."""
    text = _MARK_RUN.sub(" ", text)  # no word has such a run, and NFKC is quadratic in its length
    return unicodedata.normalize("NFKC", text).translate(_FOLD)


# --- Compounds: paths, names, addresses -----------------------------------------------------------

#: Digits, ASCII letters and any non-ASCII; as a negated class it compiles fast.
_LETTER: Final = r"[^\x00-/:-@\[-`{-\x7f]"
_COMPOUND: Final = re.compile(
    rf"(?<!{_LETTER})(?:[A-Za-z]#|[Cc]\+\+)(?![\w#+])"
    rf"|\#\d+(?!{_LETTER})"
    rf"|{_LETTER}+(?:(?:_*(?:/\.?|[.@-])_*|_+){_LETTER}+)*"
)
_SCHEME: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]{0,15}://")
_NEGATION: Final = re.compile(r"(?<=n)'(?=t\b)", re.IGNORECASE)
_CLITIC: Final = re.compile(r"(?<=\w)'(?:s|m|d|ll|re|ve)\b", re.IGNORECASE)
_THOUSANDS: Final = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_SEPARATORS: Final = tuple(map(re.compile, ("/", "@", r"(?<!\d)\.|\.(?!\d)", "-", "_+")))
_ABBREVIATION: Final = re.compile(r"(?:[^\W\d_]\.)+[^\W\d_]")


def _tokens(text: str, *, query: bool) -> Iterator[str]:
    """Yield the tokens of a text without white space."""
    if not text.isascii():
        text = _fold(text)
    if "'" in text:
        text = _CLITIC.sub("", _NEGATION.sub("", text))
    if "," in text:
        text = _THOUSANDS.sub("", text)
    if "://" in text:
        text = _SCHEME.sub("", text)
    for match in _COMPOUND.finditer(text.replace("::", ".").replace("\\", "/")):
        yield from _compound(match[0], query=query)


def _compound(text: str, *, query: bool) -> Iterator[str]:
    """Yield a compound whole, then its pieces; a plain word yields only itself."""
    if text.isalpha() and text.isascii():
        yield from _name(text)
    elif text.isalnum():
        yield from _word(text, query=query)
    elif text[-1] in "#+":
        yield text.casefold().replace("++", "pp")
    elif text[0] == "#":
        yield from _whole(text)
        yield text[1 : _LONGEST_TOKEN + 1]
    elif _ABBREVIATION.fullmatch(text):
        yield from _word(text.replace(".", "").casefold(), query=query)
    else:
        for separator in _SEPARATORS:
            pieces = [piece for piece in separator.split(text) if piece.strip(TOKEN_CHARACTERS)]
            if len(pieces) > 1:
                yield from _whole(text)
                for piece in pieces:
                    yield from _compound(piece.strip(TOKEN_CHARACTERS), query=query)
                return
        yield from _word(text, query=query)


def _whole(text: str) -> Iterator[str]:
    whole = text.casefold()
    if len(whole) <= _LONGEST_TOKEN:
        yield whole


# --- Words: names, scripts and stems --------------------------------------------------------------

_HUMP: Final = re.compile(
    r"(?<=[a-z])(?=[A-Z])|(?<=[0-9])(?=[A-Z][a-z])"
    r"|(?<=[A-Z])(?=[A-Z][a-z])(?![A-Z]s(?![a-z]))"  # HTTP|Server, but not the plural in userIDs
)
_UNSPACED: Final = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\ua9e0-\ua9ff\uaa60-\uaa7f"  # Thai to Myanmar, Khmer
    "\u2e80-\u2fdf\u3005-\u3007\u3021-\u302f\u3041-\u312f\u31a0-\u31ff"  # radicals, kana, bopomofo
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U0001b000-\U0001b16f\U00020000-\U000323af"  # Han
)
_PAIR: Final = 2  # a Hangul word of two syllables is its own pair
_HANGUL: Final = "\u1100-\u11ff\ua960-\ua97f\uac00-\ud7ff"
_RUN: Final = rf"([{_UNSPACED}]+)|([{_HANGUL}]+)|[^{_UNSPACED}{_HANGUL}]+"
_CHARACTER: Final = (  # as a reader sees it: a letter with the marks above and below it
    ".[\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u0eb1\u0eb4-\u0ebc\u0ec8-\u0ece\u102b-\u103e\u1056-\u1059"
    "\u105e-\u1060\u1062-\u1064\u1067-\u106d\u1071-\u1074\u1082-\u108d\u109a-\u109d\u17b4-\u17d3"
    "\u17dd\u302a-\u302f\u3099\u309a]*"
)
_VERSION: Final = re.compile(r"([A-Za-z]*)(\d+(?:\.\d+)+)")
_STEMMERS: Final = (
    ("\u0000", "\u007f", "english"),
    ("\u0370", "\u03ff", "greek"),
    ("\u0400", "\u04ff", "russian"),
    ("\u0600", "\u06ff", "arabic"),
    ("\u0900", "\u097f", "hindi"),
)


def _word(text: str, *, query: bool) -> Iterator[str]:
    """Yield the tokens of letters and digits (a dot only between digits), script by script."""
    if text.isascii():
        yield from _number(text) if "." in text else _name(text)
        return
    for run in _compiled(_RUN).finditer(text):
        if run[1]:
            yield from _characters(run[1], query=query)
        elif run[2]:
            if len(run[2]) > _PAIR:
                yield from _whole(run[2])
            yield from _characters(run[2], query=query)
        else:
            yield from _number(run[0]) if "." in run[0] else _name(run[0])


def _characters(text: str, *, query: bool) -> Iterator[str]:
    """Yield pairs of characters; single ones for the index, and for a text of one character."""
    characters = [character[:_LONGEST_TOKEN] for character in _compiled(_CHARACTER).findall(text)]
    for left, right in pairwise(characters):
        if not query:
            yield left
        yield (left + right)[:_LONGEST_TOKEN]
    if not query or len(characters) == 1:
        yield characters[-1]


def _name(text: str) -> Iterator[str]:
    """Yield the stem of a word; for a camelCase name also the whole name and its parts."""
    parts = _HUMP.split(text)
    if len(parts) > 1:
        yield from _whole(text)
    stem = _stem(text)
    if len(parts) == 1 or (stem != text.casefold() and len(text) <= _LONGEST_TOKEN):
        yield stem  # of a camelCase name too: so "youtube" finds "YouTube"
    if len(parts) > 1:
        yield from map(_stem, parts)


def _number(text: str) -> Iterator[str]:
    """Yield a dotted number whole, and apart from a name before it: ``v2.1.0``, ``python3.11``."""
    yield from _whole(text)
    match = _VERSION.fullmatch(text)
    if match is None or len(text) > _LONGEST_TOKEN:
        yield from map(_stem, text.split("."))
    elif match[1]:
        yield match[2]
        if len(match[1]) > 1:
            yield from _name(match[1])


_of_thread: Final = threading.local()  # a Snowball stemmer must not be shared between threads


def _stem(text: str) -> str:
    word = text[:_LONGEST_TOKEN].casefold()[:_LONGEST_TOKEN]
    if word in STOP_WORDS or (word.isascii() and not word.isalpha()):
        return word
    for first, last, language in _STEMMERS:
        if first <= word[0] <= last:
            stemmer = getattr(_of_thread, language, None)
            if stemmer is None:
                stemmer = Stemmer.Stemmer(language, 0)
                setattr(_of_thread, language, stemmer)
            return str(stemmer.stemWord(word)) or word
    return word
