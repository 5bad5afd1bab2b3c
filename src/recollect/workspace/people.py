"""Statistics on people from the messages that a viewer may read, and a ranking of likely answerers.

One table is built from the newest messages: how active everybody is, who was here a moment ago, who
answered whom, at which hours. With the messages similar to a question, it ranks who is likely to
answer. The weights are the mean of two fits by ``benchmarks/fit_experts.py`` on a public channel:
each year's fit was judged by the other year, and the mean held on both.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from recollect.storage.workspace.people import SpokenEvent

DAY: Final = 86_400.0
#: Seconds after another person's question within which a message counts as an answer to it.
ANSWER_SECONDS: Final = 1_800.0
_WAITING: Final = 5
_PRESENT: Final = 30
#: Number of messages after one similar to the question that are examined for answers.
FOLLOWING: Final = 8
FOLLOWING_SECONDS: Final = 3_600.0

FIGURES: Final = (
    *("active_week", "answers_year", "spoke_just_now", "present", "named", "hour"),
    *("said_alike", "answered_alike", "answered_asker"),
)
#: Fitted; see the module docstring.
WEIGHTS: Final[dict[str, float]] = {
    "active_week": 0.496,
    "answers_year": 0.194,
    "spoke_just_now": 0.610,
    "present": 0.538,
    "named": 3.190,
    "hour": 0.180,
    "said_alike": 0.124,
    "answered_alike": 0.152,
    "answered_asker": 0.368,
}

_COUNTED: Final = (
    *("active_week", "answers_year", "said_alike", "answered_alike", "answered_asker"),
)
_LATELY: Final = 300  # messages of the asker

Array = NDArray[np.float64]


class PeopleTable:
    """People and their messages, as one viewer sees them."""

    def __init__(self, spoken: Sequence[SpokenEvent], names: Mapping[str, str]) -> None:
        self._spoken = spoken
        numbers: dict[str, int] = {}
        users = [names.get(one.author, one.author) for one in spoken]
        self.who = np.array([numbers.setdefault(one, len(numbers)) for one in users], np.int64)
        self.at = np.array([one.at.timestamp() for one in spoken], np.float64)
        self.users = tuple(numbers)
        self.number = numbers
        self.place = {one.event_id: place for place, one in enumerate(spoken)}
        self.by_slot = {one.slot: place for place, one in enumerate(spoken) if one.slot}
        self._following = _places_by_stream(spoken)
        self.answers = self._answers()
        self._hours = np.zeros((len(numbers), 24))
        np.add.at(self._hours, (self.who, (self.at // 3_600).astype(np.int64) % 24), 1.0)

    @property
    def newest(self) -> float:
        """Time of the newest message."""
        return float(self.at[-1]) if len(self.at) else 0.0

    def asks(self, place: int) -> bool:
        """Whether the message at a place asks something."""
        return self._spoken[place].asks

    def says_something(self, place: int) -> bool:
        """Whether the message at a place may answer: it is not a question and has words."""
        return not self.asks(place) and self._spoken[place].slot is not None

    def event_at(self, place: int) -> SpokenEvent:
        """The message at a place."""
        return self._spoken[place]

    def _answers(self) -> list[int]:
        """Places of messages that answer another person's question."""
        answers: list[int] = []
        waiting: dict[str, list[int]] = {}
        for place, one in enumerate(self._spoken):
            near = [
                question
                for question in waiting.get(one.stream_id, ())
                if self.at[place] - self.at[question] < ANSWER_SECONDS
            ][-_WAITING:]
            if any(self.who[question] != self.who[place] for question in near):
                answers.append(place)
            if one.asks:
                near.append(place)
            waiting[one.stream_id] = near
        return answers

    def following(self, place: int) -> list[int]:
        """The places of the messages of others in the same stream soon after a message."""
        places, index = self._following
        mine = places[self._spoken[place].stream_id]
        here = index[place]
        return [
            one
            for one in mine[here + 1 : here + 1 + FOLLOWING]
            if self.at[one] - self.at[place] < FOLLOWING_SECONDS
            and self.who[one] != self.who[place]
        ]

    def figures(
        self,
        alike: Sequence[tuple[int, float]],
        named: Iterable[str],
        moment: float,
        asker: str | None = None,
    ) -> Array:
        """One row per person. ``alike``: places of messages like the question, and their
        similarity.
        """
        columns = {name: np.zeros(len(self.users)) for name in FIGURES}
        age = np.maximum(0.0, moment - self.at)
        np.add.at(columns["active_week"], self.who, np.exp(-age / (7 * DAY)))
        places = np.array(self.answers, np.int64)
        np.add.at(columns["answers_year"], self.who[places], np.exp(-age[places] / (365 * DAY)))
        for back, place in enumerate(reversed(range(len(self.at))[-_PRESENT:])):
            user = self.who[place]
            if age[place] < 6 * 3_600.0 and back < _PRESENT // 3:
                near = max(columns["spoke_just_now"][user], 1.0 / (1.0 + 0.3 * back))
                columns["spoke_just_now"][user] = near
            if age[place] < DAY:
                columns["present"][user] = 1.0
        for name in named:
            columns["named"][self.number[name]] = 1.0
        columns["hour"] = self._usual_hour(moment)
        self._credit(columns, alike, moment)
        self._credit_company(columns["answered_asker"], asker, moment)
        for name in _COUNTED:
            columns[name] = np.log1p(columns[name])
        return np.stack([columns[name] for name in FIGURES], axis=1)

    def _usual_hour(self, moment: float) -> Array:
        """How usual it is for each person to be here at this hour of the day."""
        hour = int(moment // 3_600) % 24
        near = self._hours[:, [(hour - 1) % 24, hour, (hour + 1) % 24]] @ (1.0, 2.0, 1.0)
        return np.asarray(np.log1p(near) - 0.5 * np.log1p(self._hours.sum(axis=1)))

    def _credit(
        self, columns: Mapping[str, Array], alike: Sequence[tuple[int, float]], moment: float
    ) -> None:
        """Credit those who said something similar, and those who answered when it was asked."""
        for place, likeness in alike:
            worth = 10.0 * likeness * math.exp(-max(0.0, moment - self.at[place]) / (365 * DAY))
            if not self.asks(place):
                columns["said_alike"][self.who[place]] += worth
            for step, one in enumerate(self.following(place), 1):
                columns["answered_alike"][self.who[one]] += worth / (1.0 + 0.3 * step)

    def _credit_company(self, column: Array, asker: str | None, moment: float) -> None:
        """Credit those who spoke soon after earlier messages of this asker."""
        if asker is None or asker not in self.number:
            return
        places = np.flatnonzero(self.who == self.number[asker])[-_LATELY:]
        for place in places.tolist():
            worth = math.exp(-max(0.0, moment - self.at[place]) / (180 * DAY))
            for step, one in enumerate(self.following(place), 1):
                column[self.who[one]] += worth / (1.0 + 0.3 * step)

    def scores(self, table: Array) -> Array:
        """Probability of each person to answer, from 0 to 1; they add up to 1."""
        raised = table @ np.array([WEIGHTS[name] for name in FIGURES])
        raised = np.exp(raised - raised.max(initial=0.0))
        return np.asarray(raised / max(float(raised.sum()), 1e-12))


def _places_by_stream(
    spoken: Sequence[SpokenEvent],
) -> tuple[dict[str, list[int]], list[int]]:
    places: dict[str, list[int]] = {}
    index: list[int] = []
    for place, one in enumerate(spoken):
        mine = places.setdefault(one.stream_id, [])
        index.append(len(mine))
        mine.append(place)
    return places, index
