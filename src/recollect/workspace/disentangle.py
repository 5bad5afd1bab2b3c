"""Telling interleaved conversations of one stream apart, with plain fitted weights.

Each message either goes on with a conversation that is under way or begins a new one. For every
message the candidates are the messages shortly before it; each pair is described by a few numbers
(time between, who speaks, who is named, shared words), and a linear choice model says how likely
the two belong together. A conversation's chance is the sum over its messages, so one that several
people are in the middle of is not lost for one odd word. Explicit replies always decide.

The weights were fitted by ``benchmarks/fit_windows.py`` on public channels. Nothing here looks at
more than ``REACH`` messages back, so a stream without a pause costs the same as any other.
"""

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import NDArray

from recollect.inference.text_tasks import words_of

#: A message is compared with so many before it.
REACH: Final = 40
#: Nothing older than this is gone on with, but for a reply that says so.
LONGEST_PAUSE: Final = 36 * 3_600.0
_READ: Final = 2_000

_MENTION: Final = re.compile(r"<@([^>|\s]{1,80})(?:\|[^>]{0,80})?>|(?<![\w@])@([\w.-]{2,40})")
_ADDRESS: Final = re.compile(r"^\W{0,3}([^\W\d_][\w.'-]{1,30})[:,]\s")
_OPENING: Final = re.compile(
    r"^\W{0,3}(?:hi|hello|hey|good (?:morning|evening|day)|does any(?:one|body)|is there|"
    r"has any(?:one|body)|can (?:any|some)(?:one|body)|any(?:one|body)|quick question|"
    r"how (?:do|can|would|to)|what(?:'s| is) the)\b",
    re.IGNORECASE,
)
_ANSWERING: Final = re.compile(
    r"^\W{0,3}(?:yes|yeah|yep|no|nope|ok(?:ay)?|thanks?|thank you|thx|right|sure|i see|ah+|oh+|"
    r"hmm+|true|exactly|great|nice|cool|lol|haha|well|so|but|and|because|agreed|indeed|maybe|also)"
    r"\b",
    re.IGNORECASE,
)

FEATURES: Final = (
    *("pause", "pause_squared", "distance", "same_author", "names_author", "named_by"),
    *("names_other", "shared_words", "last_of_author", "previous", "asks_before", "answers_asker"),
    *("short_now", "within_two_minutes"),
)
OPENINGS: Final = (
    *("bias", "asks", "greets", "answers", "names_anyone", "quiet", "length", "author_active"),
    *("links",),
)

#: Fitted; see the docstring.
WEIGHTS: Final[dict[str, float]] = {
    "pause": -0.225,
    "pause_squared": -0.089,
    "distance": -2.177,
    "same_author": 2.255,
    "names_author": 1.971,
    "named_by": 2.037,
    "names_other": -1.673,
    "shared_words": 1.562,
    "last_of_author": 0.291,
    "previous": -1.745,
    "asks_before": 0.437,
    "answers_asker": 0.203,
    "short_now": 0.483,
    "within_two_minutes": 0.394,
    "bias": -1.476,
    "asks": 0.760,
    "greets": 0.617,
    "answers": -0.587,
    "names_anyone": -1.203,
    "quiet": 0.103,
    "length": -0.177,
    "author_active": -1.375,
    "links": -0.100,
}


@dataclass(frozen=True, slots=True)
class Utterance:
    """One message, as far as telling conversations apart looks at it."""

    id: str
    author: str
    at: float
    text: str
    reply_to: str | None = None


@dataclass(slots=True)
class _Reading:
    """What a message shows of itself."""

    words: frozenset[str]
    names: frozenset[str]
    asks: bool
    greets: bool
    answers: bool
    length: float
    links: bool
    author: str = ""
    at: float = 0.0
    candidates: list[int] = field(default_factory=list)


def conversations(messages: Sequence[Utterance]) -> list[int]:
    """A number for each message; messages of one conversation have the same."""
    readings = _readings(messages)
    rarity = _rarity(readings)
    places = {message.id: place for place, message in enumerate(messages)}
    pairs, openings = _vector(FEATURES), _vector(OPENINGS)
    label: list[int] = []
    for place, message in enumerate(messages):
        told = places.get(message.reply_to or "")
        if told is not None and told < place:
            label.append(label[told])
            continue
        near = candidates(readings, place)
        if not near:
            label.append(place)
            continue
        scores = pair_features(readings, rarity, place, near) @ pairs
        alone = float(opening_features(readings, place) @ openings)
        label.append(_chosen(place, [label[one] for one in near], scores, alone))
    return label


def conversation_of(messages: Sequence[Utterance], anchor: int) -> list[int]:
    """The places of the messages that belong to the anchor's conversation, in order."""
    label = conversations(messages)
    return [place for place, one in enumerate(label) if one == label[anchor]]


def candidates(readings: Sequence[_Reading], place: int) -> list[int]:
    """The places of the messages that a message may go on with."""
    first = max(0, place - REACH)
    at = readings[place].at
    return [one for one in range(first, place) if at - readings[one].at <= LONGEST_PAUSE]


def pair_features(
    readings: Sequence[_Reading], rarity: dict[str, float], place: int, near: Sequence[int]
) -> NDArray[np.float64]:
    """One row for each earlier message: how it and the message at a place fit together."""
    mine = readings[place]
    table = np.zeros((len(near), len(FEATURES)))
    spoke: set[str] = set()
    weight = sum(rarity.get(word, 0.0) for word in mine.words) or 1.0
    for row in range(len(near) - 1, -1, -1):
        other = readings[near[row]]
        pause = math.log1p(max(0.0, mine.at - other.at) / 10.0)
        names = other.author.lower() in mine.names
        shared = sum(rarity.get(word, 0.0) for word in mine.words & other.words)
        size = sum(rarity.get(word, 0.0) for word in other.words) or 1.0
        same = mine.author == other.author
        table[row] = (
            pause,
            pause * pause / 10.0,
            math.log(place - near[row]),
            same,
            names,
            mine.author.lower() in other.names,
            bool(mine.names) and not names and not same,
            shared / math.sqrt(weight * size),
            other.author not in spoke,
            place - near[row] == 1,
            other.asks and not same,
            other.asks and not mine.asks and not same and pause < 4.6,
            mine.length < 3.5,
            mine.at - other.at < 120.0,
        )
        spoke.add(other.author)
    return table


def opening_features(readings: Sequence[_Reading], place: int) -> NDArray[np.float64]:
    """What speaks for a message beginning a conversation of its own."""
    mine = readings[place]
    near = candidates(readings, place)
    quiet = math.log1p(max(0.0, mine.at - readings[place - 1].at) / 10.0) if place else 8.0
    active = any(
        readings[one].author == mine.author and mine.at - readings[one].at < 1_800.0 for one in near
    )
    return np.array(
        (
            1.0,
            mine.asks,
            mine.greets,
            mine.answers,
            bool(mine.names),
            quiet,
            mine.length,
            active,
            mine.links,
        ),
        dtype=np.float64,
    )


def _readings(messages: Sequence[Utterance]) -> list[_Reading]:
    people = {message.author.lower() for message in messages}
    found = []
    for message in messages:
        text = message.text[:_READ]
        names = {one.lower() for pair in _MENTION.findall(text) for one in pair if one}
        address = _ADDRESS.match(text)
        if address and address.group(1).lower() in people:
            names.add(address.group(1).lower())
        plain = _MENTION.sub(" ", text)
        found.append(
            _Reading(
                words=frozenset(words_of(plain)),
                names=frozenset(names - {message.author.lower()}),
                asks="?" in plain,
                greets=_OPENING.match(plain) is not None,
                answers=_ANSWERING.match(plain) is not None,
                length=math.log1p(len(plain)),
                links="http" in plain,
                author=message.author,
                at=message.at,
            )
        )
    return found


def _rarity(readings: Sequence[_Reading]) -> dict[str, float]:
    """How much a word says: those that many messages hold say little."""
    counts = Counter(word for reading in readings for word in reading.words)
    total = len(readings) + 1.0
    return {word: math.log(total / count) ** 2 for word, count in counts.items()}


def _chosen(place: int, labels: Sequence[int], scores: NDArray[np.float64], alone: float) -> int:
    """The conversation with the greatest chance, or the message's own place for a new one."""
    top = max(float(scores.max()), alone)
    chances: dict[int, float] = {place: math.exp(alone - top)}
    for one, score in zip(labels, scores.tolist(), strict=True):
        chances[one] = chances.get(one, 0.0) + math.exp(score - top)
    return max(chances, key=lambda one: (chances[one], one))


def _vector(names: Sequence[str]) -> NDArray[np.float64]:
    return np.array([WEIGHTS[name] for name in names])


#: For those who fit the weights.
read_messages = _readings
word_rarity = _rarity
