"""Profiles: how a recall weighs what it finds, as data.

``agent``, ``chat`` and ``workspace`` share weights that were chosen by measurement (docs/recall.md;
``benchmarks/ranker.py`` fits them anew); they follow how long the turns of a store are.
``theoria``, ``v2``, ``v5`` and ``threa`` hold the figures of the design documents, for comparison,
and ``plain`` is the sum of the two legs and nothing else.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final, Literal

from recollect.recall.phases import PHASE_WEIGHTS, V2_PHASE_WEIGHTS
from recollect.vocabulary.errors import InvalidInput
from recollect.vocabulary.numbers import shown
from recollect.vocabulary.phases import Phase

Fusion = Literal["scores", "ranks"]
Scorer = Literal["relevance", "agent", "chat"]
Weights = Mapping[str, float]

#: What each signal means, for people; the order is the one in which an explanation lists them.
SIGNALS: Final[Mapping[str, str]] = {
    "words": "the question's words, by BM25",
    "around": "the same in this turn and the two before it",
    "coverage": "how much of the question stands here or just beside",
    "meaning": "nearness of vectors",
    "meaning_before": "nearness of the turn before",
    "meaning_after": "nearness of the turn after",
    "answers": "follows a question that is near",
    "alignment": "each word of the question beside its nearest word here",
    "session_words": "the question's words in the whole session",
    "session_coverage": "how much of the question the session holds",
    "session_meaning": "the nearest turns of the session",
    "speaker": "said by the person the question is about",
    "time": "happened when the question says",
    "answer": "holds the kind of thing that is asked for",
    "outcome": "says that it is what is asked for: a decision, a fix, a cause",
    "wish": "a standing wish of the asker, who now asks for help",
    "length": "longer or shorter than its author's usual turn",
    "novelty": "says what the turns before it did not, or repeats them",
    "neighbours": "its files hang on those of better results, or on those touched lately",
    "rerank": "what the reranker made of it, reading both",
}

#: Fitted on conversations of short turns, each judged by weights that never saw it, then rounded.
MEASURED: Final[Weights] = {
    "words": 0.5,
    "around": 1.3,
    "coverage": 1.2,
    "meaning": 1.2,
    "meaning_before": 0.2,
    "meaning_after": 0.6,
    "answers": 1.0,
    "alignment": 1.5,
    "session_words": 0.5,
    "session_coverage": 0.7,
    "session_meaning": 1.0,
    "speaker": 2.2,
    "time": 2.5,
    "answer": 1.1,
    "outcome": 7.0,
    "wish": 4.0,
    "length": 0.5,
    "novelty": 1.6,
}
#: The same where turns are long and say themselves what they are about: context only blurs there.
MEASURED_LONG: Final[Weights] = {
    "words": 2.3,
    "around": 0.0,
    "coverage": 0.6,
    "meaning": 1.8,
    "meaning_before": 0.0,
    "meaning_after": 0.8,
    "answers": 0.0,
    "alignment": 1.5,
    "session_words": 0.0,
    "session_coverage": 0.0,
    "session_meaning": 1.5,
    "speaker": 2.6,
    "time": 2.2,
    "answer": 0.8,
    "outcome": 7.0,
    "wish": 3.2,
    "length": -0.4,
    "novelty": 0.0,
}
#: The average length of a turn, in words, up to which the first hold, and from which the second.
SHORT_TURNS: Final = 50.0
LONG_TURNS: Final = 150.0

#: The weight of the graph for each type of question, of the design documents.
GRAPH_SHARES: Final[Weights] = {"identifier": 0.3, "semantic": 0.25, "structural": 0.6}


@dataclass(frozen=True, slots=True)
class Profile:
    """One way of recalling."""

    name: str
    weights: Weights
    #: What takes the place of the weights, as far as the turns of a collection are long.
    long_weights: Weights = field(default_factory=dict)
    fusion: Fusion = "scores"
    #: With rank fusion: the constant under each rank, and the weights of each type of query.
    rank_constant: int = 60
    weights_by_query: Mapping[str, Weights] = field(default_factory=dict)
    #: How many lead into the closer look, and how far each leg is asked.
    leaders: int = 32
    depth: int = 30
    scorer: Scorer = "relevance"
    #: Relevance, recency, and frequency (agent) or importance (chat).
    parts: tuple[float, float, float] = (1.0, 0.0, 0.0)
    recency_days: float = 30.0
    #: One keeps the order of the scores; less makes what was said already count less.
    diversity: float = 1.0
    budget: int = 2_000
    #: What files lend to memories about files one hop away, by the type of the question.
    graph_shares: Mapping[str, float] = field(default_factory=lambda: GRAPH_SHARES)
    #: What each phase of work makes of each kind of memory.
    phase_weights: Mapping[Phase, Weights] = field(default_factory=lambda: PHASE_WEIGHTS)

    def weights_at(self, average_length: float) -> Weights:
        """The weights for a collection whose rows have so many words on average.

        Between short and long they go over into one another, by the logarithm.
        """
        if not self.long_weights or average_length <= SHORT_TURNS:
            return self.weights
        far = math.log(average_length / SHORT_TURNS) / math.log(LONG_TURNS / SHORT_TURNS)
        share = min(far, 1.0)
        return {
            name: (1 - share) * weight + share * self.long_weights.get(name, weight)
            for name, weight in self.weights.items()
        }

    @property
    def exact(self) -> bool:
        """Whether the exact cosines are read: where the two legs alone, or likeness, decide."""
        return not self.uses_context or self.diversity < 1

    @property
    def uses_context(self) -> bool:
        """Whether a turn may be found by what stands beside it."""
        return self.weights.get("around", 0.0) > 0


_BOTH_LEGS: Final[Weights] = {"words": 1.0, "meaning": 1.0}

PROFILES: Final[Mapping[str, Profile]] = {
    profile.name: profile
    for profile in (
        Profile("agent", MEASURED, MEASURED_LONG, scorer="agent"),
        Profile(
            "chat",
            MEASURED,
            MEASURED_LONG,
            scorer="chat",
            parts=(0.9, 0.05, 0.05),
            recency_days=7.0,
        ),
        Profile("workspace", MEASURED, MEASURED_LONG),
        Profile("plain", {"words": 0.6, "meaning": 0.4}, graph_shares={}),
        Profile(
            "theoria",
            _BOTH_LEGS,
            fusion="ranks",
            scorer="chat",
            parts=(1.0, 1.0, 1.0),
            recency_days=7.0,
            diversity=0.7,
        ),
        Profile(
            "v5",
            _BOTH_LEGS,
            fusion="ranks",
            weights_by_query={
                "identifier": {"words": 0.5, "meaning": 0.2},
                "semantic": {"words": 0.25, "meaning": 0.5},
                "structural": {"words": 0.25, "meaning": 0.15},
            },
            scorer="agent",
            parts=(0.6, 0.25, 0.15),
        ),
        Profile(
            "v2",
            {"meaning": 1.0},
            scorer="agent",
            parts=(0.6, 0.25, 0.15),
            phase_weights=V2_PHASE_WEIGHTS,
        ),
        Profile("threa", {"words": 0.4, "meaning": 0.6}),
    )
}

DEFAULT: Final = "agent"


def profile_of(name: Any) -> Profile:
    """The profile of that name; a profile of the caller's own is taken as it is."""
    if isinstance(name, Profile):
        return name
    wanted = DEFAULT if name is None else name
    found = PROFILES.get(wanted) if isinstance(wanted, str) else None
    if found is None:
        raise InvalidInput(
            f"There is no profile {shown(name)}.", hint=f"Profiles are: {', '.join(PROFILES)}."
        )
    return found


def with_learned_weights(profile: Profile, learned: Mapping[str, Mapping[str, float]]) -> Profile:
    """The profile with the weights of phases that a person agreed to; presets stay as they are."""
    if profile.phase_weights is not PHASE_WEIGHTS or not learned:
        return profile
    merged = {
        phase: {**PHASE_WEIGHTS.get(phase, {}), **learned.get(phase.value, {})} for phase in Phase
    }
    return replace(profile, phase_weights=merged)
