"""Parses a text for comparison: its words in order, its clauses, its values and its time.

Words match by stem or by a long common prefix, so that "onboards" matches "onboarded" and
"modifier" matches "modifiable", in English and in French.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from recollect.memories.contradictions import words
from recollect.memories.contradictions.values import Values, values_of
from recollect.memories.text_comparison import IDLE, NEGATIONS, meaning

_READ: Final = 2_000
_MAX_WORDS: Final = 120
_TOKEN: Final = re.compile(
    r"`[^`\n]{1,80}`|[\w~.-]{0,40}/[\w./*~-]{1,80}|[@#][\w-]{1,40}"
    r"|\w{1,40}(?:[._:-]\w{1,40}){0,6}(?:\(\))?",
)
_SENTENCE: Final = re.compile(r"([;:.!?—])[\"'”\u2019»)]{0,3}(?=\s|$)")
_CLAUSE: Final = re.compile(r",\s|\s(?:but|and|et|mais|whereas|while)\s")
_ELIDED: Final = re.compile(r"\b(?:l|d|j|n|s|m|t|qu|c)['\u2019](?=\w)", re.IGNORECASE)
_POSSESSIVE: Final = re.compile(r"['\u2019]s\b")
_CODE: Final = re.compile(r"[`/_()~]|\w\.\w|\d[a-z]|[a-z]\d|[a-z][A-Z]")
_CAPITALISED: Final = re.compile(r"[A-Z]?[a-z]{2,}")
#: Number of capitalised parts that only a name of code has; products are named with two.
_CODE_PARTS: Final = 3
#: Words that begin a sentence with a capital and are not names.
_BEGINNERS: Final = frozenset(
    """
    a an the this that these those every each all any no never always do use avoid prefer keep let
    in on at by for from to with without when if after before since during until as only our my
    your their his her its we i you they he she it there one two open run ask call send le la les
    l un une des du de dans en chaque toute tout tous toutes ne toujours jamais il elle on nous
    """.split()
)
_NO_NAMES: Final = frozenset(
    "monday tuesday wednesday thursday friday saturday sunday january february march april may june"
    " july august september october november december english french eu utc".split()
)
_GENERIC: Final = frozenset(
    """
    use used using uses user run runs running make makes made get gets got go goes going went done
    do does did take takes taken took thing things way need needs new old set sets put puts time
    times day days week month year now still since after before first last next more most less
    must may can could should would will shall is are was were be been has have had file files
    work works working call called name named keep kept let lets live lives say says said
    always never every all any only also too no not none nobody one two three
    tous toute toutes tout chaque faire fait font être avoir a ont est sont doit peut fois
    """.split()
)


@dataclass(frozen=True, slots=True)
class Token:
    """A word of a text."""

    text: str
    stem: str
    clause: int
    sentence: int
    name: bool
    code: bool

    @property
    def weight(self) -> float:
        """Weight of the word for the subject of the text."""
        if self.name or self.code:
            return 2.0
        return 0.4 if self.text in _GENERIC else 1.0


@dataclass(frozen=True, slots=True)
class ComparedStatement:
    """A text parsed for comparison."""

    text: str
    tokens: tuple[Token, ...]
    clauses: tuple[str, ...]
    sentences: tuple[str, ...]
    #: The sentences as written, each followed by its closing mark.
    spoken: tuple[str, ...]
    ends: tuple[str, ...]
    #: Every word in lower case and in order, including stop words.
    words: tuple[str, ...]
    #: The text as written.
    written: str

    @property
    def values(self) -> Values:
        """The dates, amounts and other values in the text."""
        return values_of(self.written)

    @property
    def code_names(self) -> frozenset[str]:
        """Names of code in the text; of a path the file."""
        words = (word.strip("`'\".,;:!?") for word in self.written.split())
        return frozenset(word.lower().rpartition("/")[2] for word in words if _is_code_name(word))

    def says(self, pattern: re.Pattern[str]) -> bool:
        """Whether the text contains a phrase that matches."""
        return _holds(pattern, self.text)

    def clauses_with(self, pattern: re.Pattern[str]) -> list[int]:
        """The clauses that contain a matching phrase."""
        return [place for place, one in enumerate(self.clauses) if _holds(pattern, one)]

    def negations(self, clause: int) -> int:
        """Number of negations in a clause."""
        return len(negation_ends(self.clauses[clause]))


def _is_code_name(word: str) -> bool:
    """Whether only code is named so: snake_case, a call, the path of a file, ThreeOrMoreParts."""
    return (
        "_" in word.strip("_")
        or word.endswith("()")
        or ("/" in word and "." in word.rpartition("/")[2].strip("."))
        or (word.isalpha() and len(_CAPITALISED.findall(word)) >= _CODE_PARTS)
    )


@lru_cache(16_384)
def _holds(pattern: re.Pattern[str], text: str) -> bool:
    return pattern.search(text) is not None


@lru_cache(8_192)
def negation_ends(clause: str) -> tuple[int, ...]:
    """Positions at which the negations of a clause end."""
    return tuple(match.end() for match in words.NEGATED.finditer(clause))


@lru_cache(4_096)
def statement(text: str) -> ComparedStatement:
    """Parse a text."""
    text = text[:_READ]
    tokens: list[Token] = []
    every: list[str] = []
    pieces = [*_SENTENCE.split(text), ""]  # a sentence, its mark, a sentence, its mark ...
    sentence_ends = [(one.strip(), end) for one, end in zip(pieces[::2], pieces[1::2], strict=True)]
    sentence_ends = [(one, end) for one, end in sentence_ends if one] or [(text, "")]
    sentences, ends = [one for one, _ in sentence_ends], [end for _, end in sentence_ends]
    clauses = [
        (number, one.strip())
        for number, sentence in enumerate(sentences)
        for one in _CLAUSE.split(sentence)
        if one.strip()
    ]
    for place, (number, clause) in enumerate(clauses):
        found = _TOKEN.findall(_POSSESSIVE.sub("", _ELIDED.sub("", clause)))[:_MAX_WORDS]
        for index, raw in enumerate(found):
            every.append(raw.lower())
            token = _token(raw, (place, number), found[index + 1 : index + 2], first=index == 0)
            if token is not None:
                tokens.append(token)
    return ComparedStatement(
        _plain(text),
        tuple(tokens),
        tuple(_plain(one) for _, one in clauses) or (_plain(text),),
        tuple(map(_plain, sentences)),
        tuple(sentences),
        tuple(ends),
        tuple(every),
        text,
    )


def _plain(text: str) -> str:
    return text.lower().replace("\u2019", "'")


def _token(raw: str, place: tuple[int, int], after: list[str], *, first: bool) -> Token | None:
    """A meaningful word as a token; None for stop words and plain numbers."""
    bare = raw.strip("`")
    lower = bare.lower()
    if lower in IDLE or lower in NEGATIONS or (bare[0].isdigit() and bare.isdigit()):
        return None
    code = _CODE.search(raw) is not None
    capital = bare[0].isupper() and lower not in _NO_NAMES
    name = capital and (not first or _named_first(lower, after))
    key = lower if code else meaning(lower)
    return Token(lower, key, *place, name, code)


def _named_first(lower: str, after: list[str]) -> bool:
    """Whether a capitalised first word is a name, that is, the subject of a verb."""
    if lower in _BEGINNERS or lower.endswith(("ing", "ed", "ions")):
        return False
    following = after[0].lower() if after else ""
    verb = following in ("is", "has", "was", "does", "a", "est") or (
        following.endswith("s") and not following.endswith("ss")
    )
    return verb and not lower.endswith("s")


@lru_cache(65_536)
def same_word(one: str, other: str) -> bool:
    """Whether two stems are the same word: equal, or alike for most of their length."""
    if one == other:
        return True
    short, long = sorted((one, other), key=len)
    if len(short) < 4 or not short.isalpha() or not long.isalpha():
        return _same_code(one, other)
    shared = next((at for at, letter in enumerate(short) if letter != long[at]), len(short))
    return shared >= max(4, 0.7 * len(long)) or (shared == len(short) >= 5)


def shared_words(one: ComparedStatement, other: ComparedStatement) -> Iterator[int]:
    """Positions of the words of one statement that the other contains too."""
    stems = {token.stem for token in other.tokens}
    for place, token in enumerate(one.tokens):
        if token.stem in stems or any(same_word(token.stem, stem) for stem in stems):
            yield place


def _same_code(one: str, other: str) -> bool:
    """Whether one is part of the other's path or name: ``nvim`` and ``~/.config/nvim``."""
    parts = re.split(r"[/._:()-]", other)
    others = re.split(r"[/._:()-]", one)
    return (len(one) > 3 and one in parts) or (len(other) > 3 and other in others)


#: Number of meaningful words at the beginning among which a statement names its subject.
_SUBJECT_WORDS: Final = 3


def about_other_code(old: ComparedStatement, new: ComparedStatement) -> bool:
    """Whether each statement begins with names of code of its own and never names the other's."""
    one, other = old.code_names, new.code_names
    return bool(
        one
        and other
        and one.isdisjoint(other)
        and _begins_with(old, one)
        and _begins_with(new, other)
    )


def _begins_with(one: ComparedStatement, names: frozenset[str]) -> bool:
    return any(
        name in token.text.strip("`") for token in one.tokens[:_SUBJECT_WORDS] for name in names
    )
