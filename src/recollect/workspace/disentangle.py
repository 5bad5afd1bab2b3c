"""Separates interleaved conversations of one stream by a linear model with fitted weights.

Each message either continues an open conversation or begins a new one. Each pair of the message and
an open conversation is described by a few numbers (how long it has been silent, who is in it, who
is named, which words are shared), and a linear choice model takes the conversation that fits best,
or none. Explicit replies always decide.

The weights were fitted by ``benchmarks/fit_windows.py`` on a public channel. At most ``MAX_OPEN``
conversations are considered, so a stream without a pause costs the same as any other.
"""

import math
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import NDArray

from recollect.inference.text_tasks import words_of

#: Maximum number of open conversations: those with the latest messages.
MAX_OPEN: Final = 12
#: Pause in seconds after which a conversation is continued only by an explicit reply.
LONGEST_PAUSE: Final = 36 * 3_600.0
#: Bonus for beginning a conversation when the anchor is a question: it is mostly meant as the
#: start.
POINTED_AT_QUESTION: Final = 2.0
_READ: Final = 2_000
_MAX_WORDS: Final = 400

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
    *("pause", "pause_squared", "between", "size", "takes_part", "spoke_lately", "names_member"),
    *("names_last", "was_named", "names_stranger", "spoke_last", "named_last", "words_of_last"),
    *("words_of_all", "words_of_two", "newest", "question_waits", "began_it", "two_minutes"),
    *("half_hour", "answers", "one_of_two", "people", "own_last"),
)
OPENINGS: Final = (
    *("bias", "asks", "greets", "answering", "names_anyone", "quiet", "quiet_squared", "length"),
    *("active", "links", "open"),
)

#: Fitted; see the module docstring.
WEIGHTS: Final[dict[str, float]] = {
    "pause": -0.158,
    "pause_squared": -0.097,
    "between": -1.321,
    "size": 0.189,
    "takes_part": 0.931,
    "spoke_lately": 0.250,
    "names_member": 0.871,
    "names_last": 1.196,
    "was_named": 0.585,
    "names_stranger": -0.774,
    "spoke_last": 0.353,
    "named_last": 0.272,
    "words_of_last": 0.001,
    "words_of_all": 1.805,
    "words_of_two": 0.289,
    "newest": -0.557,
    "question_waits": 0.271,
    "began_it": 0.251,
    "two_minutes": 0.310,
    "half_hour": 0.412,
    "answers": 0.305,
    "one_of_two": 0.313,
    "people": -0.471,
    "own_last": 0.461,
    "bias": -1.077,
    "asks": 0.750,
    "greets": 0.593,
    "answering": -0.409,
    "names_anyone": -0.764,
    "quiet": 0.418,
    "quiet_squared": -0.383,
    "length": 0.015,
    "active": -1.018,
    "links": -0.124,
    "open": -0.458,
}


@dataclass(frozen=True, slots=True)
class Utterance:
    """The fields of a message that separating conversations uses."""

    id: str
    author: str
    at: float
    text: str
    reply_to: str | None = None


@dataclass(slots=True)
class MessageReading:
    """Properties of a message by itself."""

    author: str
    at: float
    words: frozenset[str]
    names: frozenset[str]
    asks: bool
    greets: bool
    answers: bool
    links: bool
    length: float


@dataclass(slots=True)
class OpenConversation:
    """An open conversation with its messages so far."""

    number: int
    begun_by: str
    last: int = 0
    last_at: float = 0.0
    size: int = 0
    question_waits: bool = False
    #: People who spoke in it, and the place of their last message.
    spoke: dict[str, int] = field(default_factory=dict)
    #: People who were named and have not spoken since.
    named: set[str] = field(default_factory=set)
    words: frozenset[str] = frozenset()
    words_of_two: frozenset[str] = frozenset()


class Disentangler:
    """Assigns each message of a stream, in order, to a conversation.

    ``chosen`` decides: it gets the place of a message, the open conversations and the two tables of
    figures, and returns one of the conversations or None. The code that fits the weights passes a
    function of its own.
    """

    def __init__(self, messages: Sequence[Utterance]) -> None:
        self._messages = messages
        self._readings = _readings(messages)
        self._rarity = _rarity(self._readings)

    def labels(self, chosen: "Chooser") -> list[int]:
        """A number for each message; messages of one conversation have the same number."""
        places = {message.id: place for place, message in enumerate(self._messages)}
        under_way: dict[int, OpenConversation] = {}
        labels: list[int] = []
        for place, message in enumerate(self._messages):
            answered = places.get(message.reply_to or "", place)
            if answered < place:
                number: int | None = labels[answered]
            else:
                near = self._near(under_way, place)
                figures = (
                    self._continuation_features(place, near),
                    self._opening_features(place, near),
                )
                number = chosen(place, [one.number for one in near], *figures) if near else None
            self._take_in(under_way, place, place if number is None else number)
            labels.append(place if number is None else number)
        return labels

    def _near(self, under_way: dict[int, OpenConversation], place: int) -> list[OpenConversation]:
        """The conversations that a message may continue, the newest first."""
        at = self._readings[place].at
        for number in [n for n, one in under_way.items() if at - one.last_at > LONGEST_PAUSE]:
            del under_way[number]
        return sorted(under_way.values(), key=lambda one: -one.last)[:MAX_OPEN]

    def _continuation_features(
        self, place: int, near: Sequence[OpenConversation]
    ) -> NDArray[np.float64]:
        """One row per conversation: how well the message fits into it."""
        mine = self._readings[place]
        me = mine.author
        weight = self._weight(mine.words)
        own = max(near, key=lambda one: one.spoke.get(me, -1), default=None)
        table = np.zeros((len(near), len(FEATURES)))
        for row, one in enumerate(near):
            last = self._readings[one.last]
            silent = max(0.0, mine.at - one.last_at)
            pause = math.log1p(silent / 10.0)
            inside = me in one.spoke
            members = any(name in one.spoke for name in mine.names)
            table[row] = (
                pause,
                pause * pause / 10.0,
                math.log(place - one.last),
                math.log1p(one.size),
                inside,
                inside and mine.at - self._readings[one.spoke[me]].at < 900.0,
                members,
                last.author in mine.names,
                me in one.named,
                bool(mine.names) and not members,
                last.author == me,
                me in last.names,
                self._shared(mine.words, weight, last.words),
                self._shared(mine.words, weight, one.words),
                self._shared(mine.words, weight, one.words_of_two),
                row == 0,
                one.question_waits and one.begun_by != me,
                one.begun_by == me,
                silent < 120.0,
                silent < 1_800.0,
                mine.answers and row == 0,
                inside and len(one.spoke) == 2,
                math.log(len(one.spoke)),
                one is own,
            )
        return table

    def _opening_features(
        self, place: int, near: Sequence[OpenConversation]
    ) -> NDArray[np.float64]:
        """Features for a message that begins a conversation of its own."""
        mine = self._readings[place]
        silent = mine.at - self._readings[place - 1].at if place else LONGEST_PAUSE
        quiet = math.log1p(max(0.0, silent) / 10.0)
        active = any(
            mine.author in one.spoke
            and mine.at - self._readings[one.spoke[mine.author]].at < 1_800.0
            for one in near
        )
        return np.array(
            (
                1.0,
                mine.asks,
                mine.greets,
                mine.answers,
                bool(mine.names),
                quiet,
                quiet * quiet / 10.0,
                mine.length,
                active,
                mine.links,
                math.log1p(len(near)),
            ),
            dtype=np.float64,
        )

    def _take_in(self, under_way: dict[int, OpenConversation], place: int, number: int) -> None:
        """Add a message to a conversation, or open one with it."""
        mine = self._readings[place]
        one = under_way.get(number)
        if one is None:
            one = OpenConversation(number, mine.author, question_waits=mine.asks)
            under_way[number] = one
        before = self._readings[one.last].words if one.size else frozenset()
        one.words_of_two = mine.words | before
        if len(one.words) < _MAX_WORDS:
            one.words |= mine.words
        one.last, one.last_at = place, mine.at
        one.spoke[mine.author] = place
        one.size += 1
        one.question_waits = one.question_waits and mine.author == one.begun_by
        one.named = (one.named - {mine.author}) | mine.names

    def _weight(self, words: frozenset[str]) -> float:
        return sum(self._rarity[word] for word in words) or 1.0

    def _shared(self, words: frozenset[str], weight: float, others: frozenset[str]) -> float:
        """Share of content words that two texts have in common, from 0 to 1."""
        shared = sum(self._rarity[word] for word in words & others)
        return shared / math.sqrt(weight * self._weight(others)) if shared else 0.0


Chooser = Callable[[int, Sequence[int], NDArray[np.float64], NDArray[np.float64]], int | None]


def conversation_of(messages: Sequence[Utterance], anchor: int) -> list[int]:
    """The places of the messages of the anchor's conversation, in order."""
    fits = np.array([WEIGHTS[name] for name in FEATURES])
    begins = np.array([WEIGHTS[name] for name in OPENINGS])
    pointed = POINTED_AT_QUESTION if "?" in messages[anchor].text else 0.0

    def chosen(
        place: int,
        numbers: Sequence[int],
        continuing: NDArray[np.float64],
        opening: NDArray[np.float64],
    ) -> int | None:
        scores = continuing @ fits
        best = int(scores.argmax())
        alone = float(opening @ begins) + (pointed if place == anchor else 0.0)
        return numbers[best] if float(scores[best]) > alone else None

    labels = Disentangler(messages).labels(chosen)
    return [place for place, number in enumerate(labels) if number == labels[anchor]]


def names_in(text: str) -> frozenset[str]:
    """Names that a text marks as @ mentions, in lower case."""
    found = _MENTION.findall(text[:_READ])
    return frozenset(one.lower() for pair in found for one in pair if one)


def _readings(messages: Sequence[Utterance]) -> list[MessageReading]:
    people = {message.author.lower() for message in messages}
    found = []
    for message in messages:
        text = message.text[:_READ]
        names = set(names_in(text))
        address = _ADDRESS.match(text)
        if address and address.group(1).lower() in people:
            names.add(address.group(1).lower())
        plain = _MENTION.sub(" ", text)
        found.append(
            MessageReading(
                author=message.author.lower(),
                at=message.at,
                words=frozenset(words_of(plain)),
                names=frozenset(names - {message.author.lower()}),
                asks="?" in plain,
                greets=_OPENING.match(plain) is not None,
                answers=_ANSWERING.match(plain) is not None,
                links="http" in plain,
                length=math.log1p(len(plain)),
            )
        )
    return found


def _rarity(readings: Sequence[MessageReading]) -> dict[str, float]:
    """Weight of each word: words in many messages count little."""
    counts = Counter(word for reading in readings for word in reading.words)
    total = len(readings) + 1.0
    return {word: math.log(total / count) ** 2 for word, count in counts.items()}
