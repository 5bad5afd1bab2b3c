"""Recall profiles: weights of the signals and other settings of a recall, as data.

``agent``, ``chat`` and ``workspace`` share weights that were chosen by measurement (docs/recall.md;
``benchmarks/ranker.py`` fits them anew); they depend on the length of a store's turns and on the
breadth of a question. For comparison there are the recipes of the design documents, named for
what they do, and ``plain``, which is the sum of the two legs (keywords, vectors) and nothing else.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final, Literal

from recollect.recall.breadth import USUAL_BREADTH
from recollect.recall.phases import GRADED_PHASE_WEIGHTS, PHASE_WEIGHTS
from recollect.vocabulary.arguments import shown
from recollect.vocabulary.errors import InvalidInput
from recollect.vocabulary.phases import Phase

Fusion = Literal["scores", "ranks"]
Scorer = Literal["relevance", "agent", "chat"]
Weights = Mapping[str, float]

#: Description of each signal for people, in the order in which an explanation lists them.
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
    "asks": "ends with a question, so it tells less",
    "reacts": "opens with thanks, praise or agreement, so it tells less",
    "past": "tells of the past, which is asked about",
    "first_person": "tells of whoever says it: I, my, we",
    "neighbours": "its files hang on those of better results, or on those touched lately",
    "rerank": "what the reranker made of it, reading both",
}

#: Weights fitted on conversations of short turns, each judged by weights fitted without it, then
#: rounded.
MEASURED: Final[Weights] = {
    "words": 0.3,
    "around": 1.7,
    "coverage": 1.5,
    "meaning": 1.2,
    "meaning_before": 0.2,
    "meaning_after": 0.5,
    "answers": 1.3,
    "alignment": 2.0,
    "session_words": 0.6,
    "session_coverage": 0.8,
    "session_meaning": 1.2,
    "speaker": 2.5,
    "time": 3.4,
    "answer": 1.4,
    "outcome": 7.0,
    "wish": 4.0,
    "length": 0.1,
    "novelty": 1.4,
    "asks": -0.4,
    "reacts": -0.4,
    "past": 0.6,
    "first_person": 0.4,
}
#: How much of its weight a signal wins or loses as a question goes from narrow to broad: what
#: stands around a turn counts less, the turn itself more.
BROADER: Final[Weights] = {
    "around": -0.7,
    "coverage": -0.45,
    "meaning": 0.75,
    "session_words": -1.4,
    "session_coverage": -0.9,
    "session_meaning": -0.4,
}
#: Weights for long turns, which state their own topic: there, context only blurs.
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
    "asks": 0.0,
    "reacts": 0.0,
    "past": 0.0,
    "first_person": 0.0,
}
#: Average length of a turn, in words, up to which the weights for short turns apply, and from which
#: those for long turns do.
SHORT_TURNS: Final = 50.0
LONG_TURNS: Final = 150.0

#: Weight of the graph for each type of question, from the design documents.
GRAPH_SHARES: Final[Weights] = {"identifier": 0.3, "semantic": 0.25, "structural": 0.6}


@dataclass(frozen=True, slots=True)
class Profile:
    """One set of recall settings."""

    name: str
    weights: Weights
    #: Weights used instead of ``weights``, to the degree that the turns of a collection are long.
    long_weights: Weights = field(default_factory=dict)
    #: Share of its weight that a signal wins where a question is broad and turns are short.
    broader: Weights = field(default_factory=dict)
    fusion: Fusion = "scores"
    #: For rank fusion: the constant added to each rank, and the weights of each type of query.
    rank_constant: int = 60
    weights_by_query: Mapping[str, Weights] = field(default_factory=dict)
    #: Number of leaders that are examined closely, and the depth to which each leg is read.
    leaders: int = 32
    depth: int = 30
    scorer: Scorer = "relevance"
    #: Weights of relevance, recency, and frequency (agent) or importance (chat).
    parts: tuple[float, float, float] = (1.0, 0.0, 0.0)
    recency_days: float = 30.0
    #: At 1 the order is by score; below 1, results that repeat earlier ones count less.
    diversity: float = 1.0
    budget: int = 2_000
    #: Share of a file's score that is given to memories of files one hop away, by type of question.
    graph_shares: Mapping[str, float] = field(default_factory=lambda: GRAPH_SHARES)
    #: Weight of each memory type in each phase of work.
    phase_weights: Mapping[Phase, Weights] = field(default_factory=lambda: PHASE_WEIGHTS)

    def weights_at(self, average_length: float, breadth: float = USUAL_BREADTH) -> Weights:
        """The weights for a collection whose rows have this average length, in words, and for a
        question of this breadth.

        Between short and long turns the weights are interpolated on a logarithmic scale.
        """
        weights = self._for_breadth(breadth)
        if not self.long_weights or average_length <= SHORT_TURNS:
            return weights
        far = math.log(average_length / SHORT_TURNS) / math.log(LONG_TURNS / SHORT_TURNS)
        share = min(far, 1.0)
        return {
            name: (1 - share) * weight + share * self.long_weights.get(name, weight)
            for name, weight in weights.items()
        }

    def _for_breadth(self, breadth: float) -> Weights:
        if not self.broader or breadth == USUAL_BREADTH:
            return self.weights
        more = breadth - USUAL_BREADTH
        return {
            name: weight * (1 + more * self.broader.get(name, 0.0))
            for name, weight in self.weights.items()
        }

    @property
    def exact(self) -> bool:
        """Whether exact cosines are read: where only the two legs, or similarity between results,
        decide.
        """
        return not self.uses_context or self.diversity < 1

    @property
    def uses_context(self) -> bool:
        """Whether a turn may be found by its neighbours."""
        return self.weights.get("around", 0.0) > 0


_BOTH_LEGS: Final[Weights] = {"words": 1.0, "meaning": 1.0}

PROFILES: Final[Mapping[str, Profile]] = {
    profile.name: profile
    for profile in (
        Profile("agent", MEASURED, MEASURED_LONG, BROADER, scorer="agent"),
        Profile(
            "chat",
            MEASURED,
            MEASURED_LONG,
            BROADER,
            scorer="chat",
            parts=(0.9, 0.05, 0.05),
            recency_days=7.0,
        ),
        Profile("workspace", MEASURED, MEASURED_LONG, BROADER),
        Profile("plain", {"words": 0.6, "meaning": 0.4}, graph_shares={}),
        Profile(
            "ranks_with_recency",
            _BOTH_LEGS,
            fusion="ranks",
            scorer="chat",
            parts=(1.0, 1.0, 1.0),
            recency_days=7.0,
            diversity=0.7,
        ),
        Profile(
            "ranks_by_query_type",
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
            "vectors_by_phase",
            {"meaning": 1.0},
            scorer="agent",
            parts=(0.6, 0.25, 0.15),
            phase_weights=GRADED_PHASE_WEIGHTS,
        ),
        Profile("weighted_scores", {"words": 0.4, "meaning": 0.6}),
    )
}

DEFAULT: Final = "agent"


def profile_of(name: Any) -> Profile:
    """The profile with this name; a profile object of the caller's own is returned unchanged."""
    if isinstance(name, Profile):
        return name
    wanted = DEFAULT if name is None else name
    found = PROFILES.get(wanted) if isinstance(wanted, str) else None
    if found is None:
        raise InvalidInput(
            f"There is no profile {shown(name)}.", hint=f"Profiles are: {', '.join(PROFILES)}."
        )
    return found


def with_chat_weights(profile: Profile, weights: tuple[float, float, float] | None) -> Profile:
    """The preset ``chat`` with a person's own weights of relevance, recency and importance; every
    other profile unchanged.
    """
    if weights is None or profile is not PROFILES["chat"]:
        return profile
    return replace(profile, parts=weights)


def with_learned_weights(profile: Profile, learned: Mapping[str, Mapping[str, float]]) -> Profile:
    """The profile with the phase weights that a person approved; preset profiles stay unchanged."""
    if profile.phase_weights is not PHASE_WEIGHTS or not learned:
        return profile
    merged = {
        phase: {**PHASE_WEIGHTS.get(phase, {}), **learned.get(phase.value, {})} for phase in Phase
    }
    return replace(profile, phase_weights=merged)
