"""Learned phase weights: proposed from the outcomes of sessions, applied only by a person.

From thirty judged sessions of a phase on, sessions that were served a type of memory are compared
with those that were not, by whether their first check passed. A type whose difference is unlikely
to be chance is proposed to weigh more or less, by a third at most. Nothing changes until a steward
applies the proposal, and undoing it restores the earlier weights.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from typing import Any, Final

from recollect.metrics.confidence_intervals import share_difference
from recollect.metrics.experiments import Experiments
from recollect.metrics.figures import SESSIONS, SpaceFigures
from recollect.observer.facts import facts_of
from recollect.recall.phases import PHASE_WEIGHTS
from recollect.recall.profiles import PROFILES, Profile, with_learned_weights
from recollect.storage.database import Database, Transaction
from recollect.storage.metrics import experiments as rows
from recollect.storage.metrics.figures import served_types
from recollect.storage.metrics.figures import sessions as session_rows
from recollect.trust.authorisation import authorise, require_role
from recollect.vocabulary.audiences import Viewer
from recollect.vocabulary.clock import Clock
from recollect.vocabulary.errors import InvalidInput, NotFound
from recollect.vocabulary.experiments import WeightEffect, WeightEvidence, WeightProposal
from recollect.vocabulary.ids import PROPOSAL, new_id
from recollect.vocabulary.phases import Phase
from recollect.vocabulary.retrievals import Retrieval, Verdict
from recollect.vocabulary.spaces import Role, Space

#: Judged sessions that a phase needs before anything is proposed for it.
ENOUGH: Final = 30
#: A type needs this many sessions that were served it, and as many that were not.
_FEWEST: Final = 8
_FURTHEST: Final = 1 / 3
_STEP: Final = 0.05
_LISTED: Final = 20
_FRONT: Final = 5
_DEEP: Final = 20
_QUESTIONS: Final = 200

#: Repeats a logged query with a profile; the ids of the results.
AskAgain = Callable[[Viewer, Space, Retrieval, Profile], Sequence[str]]
Asked = Callable[[Viewer, Space, int], Sequence[Retrieval]]


class LearnedWeights:
    """Proposes, applies and undoes phase weights."""

    def __init__(
        self, database: Database, clock: Clock, *, asked: Asked, ask_again: AskAgain
    ) -> None:
        self._database = database
        self._clock = clock
        self._asked = asked
        self._ask_again = ask_again

    def propose(self, viewer: Viewer, space: Space) -> WeightProposal:
        """The weights that the sessions so far support, stored for a decision if they change
        anything.
        """
        self._steward(viewer, space, "propose weights")
        now = self._clock()
        with self._database.reading(all_spaces=True) as transaction:
            judged, evidence = _evidence(transaction, space.id)
            held = rows.in_force(transaction, space.id)
        current = {} if held is None else held.weights
        changes = proposed(evidence, current)
        draft = WeightProposal(None, now, judged, changes, tuple(evidence))
        if not changes:
            return draft
        weights = {
            phase: {**current.get(phase, {}), **{kind: new for kind, (_, new) in kinds.items()}}
            for phase, kinds in changes.items()
        }
        whole = {**current, **weights}
        told = replace(draft, id=new_id(PROPOSAL, now), effect=self._effect(viewer, space, whole))

        def work(transaction: Transaction) -> None:
            access = authorise(transaction, viewer, space)
            require_role(access, Role.STEWARD, "propose weights")
            kept = {
                "sessions": judged,
                "changes": {
                    phase: {kind: list(pair) for kind, pair in kinds.items()}
                    for phase, kinds in changes.items()
                },
                "evidence": [asdict(one) for one in evidence],
                "effect": None if told.effect is None else asdict(told.effect),
            }
            rows.add_proposal(
                transaction, space.id, str(told.id), now, weights=whole, evidence=kept
            )

        self._database.write(work)
        return told

    def proposals(self, viewer: Viewer, space: Space) -> tuple[WeightProposal, ...]:
        """Proposals, newest first, with the decisions on them."""
        self._steward(viewer, space, "see proposals")
        with self._database.reading() as transaction:
            authorise(transaction, viewer, space)
            return tuple(_told(row) for row in rows.list_proposals(transaction, space.id, _LISTED))

    def decide(
        self, viewer: Viewer, space: Space, proposal: str, *, applied: bool
    ) -> WeightProposal:
        """Apply a proposal, or undo it. For stewards."""
        now = self._clock()

        def work(transaction: Transaction) -> WeightProposal:
            access = authorise(transaction, viewer, space)
            require_role(access, Role.STEWARD, "decide about weights")
            row = rows.get_proposal(transaction, space.id, proposal)
            if row is None:
                raise NotFound(f"No proposal {proposal!r} is known here.")
            if not applied and not _told(row).in_force:
                raise InvalidInput("That proposal is not in force.")
            rows.decide(transaction, space.id, proposal, applied=applied, by=viewer.user, at=now)
            return _told(rows.get_proposal(transaction, space.id, proposal))

        return self._database.write(work)

    def _effect(
        self, viewer: Viewer, space: Space, weights: Mapping[str, Mapping[str, float]]
    ) -> WeightEffect:
        """How the weights would have changed the viewer's own queries; no others are read."""
        changed = total = 0
        ranks: list[tuple[int, int]] = []
        for question in self._asked(viewer, space, _QUESTIONS):
            base = PROFILES.get(question.profile)
            if base is None or question.phase not in weights:
                continue
            total += 1
            before = self._ask_again(viewer, space, question, base)
            after = self._ask_again(viewer, space, question, with_learned_weights(base, weights))
            changed += before[:_FRONT] != after[:_FRONT]
            ranks += [(_rank(before, item), _rank(after, item)) for item in _cited(question)]
        means = [sum(each) / len(ranks) for each in zip(*ranks, strict=True)] if ranks else []
        return WeightEffect(total, changed, len(ranks), *(means or (None, None)))

    def _steward(self, viewer: Viewer, space: Space, what: str) -> None:
        with self._database.reading() as transaction:
            require_role(authorise(transaction, viewer, space), Role.STEWARD, what)


@dataclass(frozen=True, slots=True)
class MetricsServices:
    """Services behind the metrics API."""

    figures: SpaceFigures
    experiments: Experiments
    weights: LearnedWeights


def proposed(
    evidence: Sequence[WeightEvidence], current: Mapping[str, Mapping[str, float]]
) -> dict[str, dict[str, tuple[float, float]]]:
    """The weights that the evidence supports, where unlikely to be chance: before and after."""
    changes: dict[str, dict[str, tuple[float, float]]] = {}
    for one in evidence:
        if one.kind.startswith("signal:") or one.low <= 0 <= one.high:
            continue
        usual = PHASE_WEIGHTS.get(Phase(one.phase), {}).get(one.kind, 1.0)
        now = current.get(one.phase, {}).get(one.kind, usual)
        factor = 1 + max(-_FURTHEST, min(_FURTHEST, one.difference))
        new = round(round(usual * factor / _STEP) * _STEP, 2)
        if new != now:
            changes.setdefault(one.phase, {})[one.kind] = now, new
    return changes


def _evidence(transaction: Transaction, space_id: str) -> tuple[int, list[WeightEvidence]]:
    """How many sessions were judged, and their outcomes by what they were served."""
    facts = [facts_of(*row) for row in session_rows(transaction, space_id, SESSIONS)]
    judged = [one for one in facts if one.first_pass is not None]
    served: dict[str, set[str]] = {}
    for session, kind in served_types(transaction, space_id, datetime(1970, 1, 1, tzinfo=UTC)):
        served.setdefault(session, set()).add(kind)
    found: list[WeightEvidence] = []
    for phase in Phase:
        here = [
            (served.get(one.session, set()), bool(one.first_pass))
            for one in judged
            if one.phase == phase
        ]
        if len(here) >= ENOUGH:
            found += _of_phase(phase, here)
    return len(judged), found


def _of_phase(phase: Phase, sessions: Sequence[tuple[set[str], bool]]) -> Iterator[WeightEvidence]:
    for kind in sorted({kind for kinds, _ in sessions for kind in kinds}):
        with_it = [passed for kinds, passed in sessions if kind in kinds]
        without = [passed for kinds, passed in sessions if kind not in kinds]
        if min(len(with_it), len(without)) < _FEWEST:
            continue
        pairs = (sum(with_it), len(with_it)), (sum(without), len(without))
        difference, (low, high) = share_difference(*pairs)
        yield WeightEvidence(
            phase.value,
            kind,
            served=len(with_it),
            passed_served=sum(with_it),
            others=len(without),
            passed_others=sum(without),
            difference=difference,
            low=low,
            high=high,
        )


def _cited(question: Retrieval) -> list[str]:
    good = {Verdict.CITED, Verdict.HELPFUL}
    return [one.item for one in question.feedback if one.item and one.verdict in good]


def _rank(found: Sequence[str], item: str) -> int:
    return found.index(item) + 1 if item in found else _DEEP + 1


def _told(row: Any) -> WeightProposal:
    kept = row.evidence
    effect = kept.get("effect")
    return WeightProposal(
        row.proposal_id,
        row.made_at,
        kept["sessions"],
        {
            phase: {kind: (pair[0], pair[1]) for kind, pair in kinds.items()}
            for phase, kinds in kept["changes"].items()
        },
        tuple(WeightEvidence(**one) for one in kept["evidence"]),
        None if effect is None else WeightEffect(**effect),
        row.applied_at,
        row.applied_by,
        row.undone_at,
    )
