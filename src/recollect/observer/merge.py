"""Merges the candidates of parallel agents; independent agreement raises confidence.

Agents do not share a scratchpad. A finding that two agents made independently is more certain, and
needs no further session. The task that all were given is no finding: it was said once.
"""

from collections.abc import Sequence
from dataclasses import replace

from recollect.observer.candidates import Candidate
from recollect.observer.names import words

ALIKE = 0.85
BOOST = 0.1


def merge(pads: Sequence[Sequence[Candidate]]) -> list[Candidate]:
    """Candidates of all agents without duplicates, with the number of agents that saw each."""
    groups: list[tuple[Candidate, set[int], frozenset[str]]] = []
    for agent, candidates in enumerate(pads):
        for one in candidates:
            spoken = frozenset(words(one.content))
            for place, (first, agents, known) in enumerate(groups):
                if _same(first, one, known, spoken):
                    better = max(first, one, key=lambda each: each.confidence)
                    groups[place] = (better, agents | {agent}, known)
                    break
            else:
                groups.append((one, {agent}, spoken))
    return [_boosted(one, len(agents)) for one, agents, _ in groups]


def _same(one: Candidate, other: Candidate, known: frozenset[str], spoken: frozenset[str]) -> bool:
    if one.type is not other.type:
        return False
    if one.signal is other.signal and one.key == other.key:
        return True
    return len(known & spoken) / max(1, len(known | spoken)) > ALIKE


def _boosted(one: Candidate, agents: int) -> Candidate:
    given_to_all = one.quote is not None and one.step == 0
    if agents == 1 or given_to_all:
        return one
    confidence = min(0.95, one.confidence + BOOST * (agents - 1))
    return replace(one, agents=agents, confidence=confidence)
