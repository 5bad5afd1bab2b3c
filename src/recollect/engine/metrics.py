"""What the memory is worth, as verbs: tracked figures, experiments, weights that learn."""

from typing import Final

from recollect.engine.services import View
from recollect.engine.verb_wrappers import repeatable
from recollect.vocabulary.errors import NotAllowed
from recollect.vocabulary.experiments import ExperimentReport, WeightProposal
from recollect.vocabulary.metrics import SpaceMetrics
from recollect.vocabulary.numbers import whole

MOST_DAYS: Final = 365


class Metrics(View):
    """Figures of a space, for those who look after it."""

    @repeatable
    def figures(self, *, days: int = 30) -> SpaceMetrics:
        """Every tracked figure of this space over the last days. Stewards may."""
        whole(days, 1, MOST_DAYS, "Figures go over")
        self._services.serving.write_counts()
        return self._services.measured().figures.of(self.viewer, self.space, days)

    @repeatable
    def of_every_space(self, *, days: int = 30) -> tuple[SpaceMetrics, ...]:
        """The figures of every space that the viewer looks after; of no other."""
        whole(days, 1, MOST_DAYS, "Figures go over")
        self._services.serving.write_counts()
        found = []
        for space in self._services.spaces.of(self.viewer):
            try:
                found.append(self._services.measured().figures.of(self.viewer, space, days))
            except NotAllowed:
                continue
        return tuple(found)

    # --- experiments ------------------------------------------------------------------------------

    @repeatable
    def experiment(self) -> ExperimentReport:
        """The experiment that runs, or the last one: each metric by group. Stewards may."""
        return self._services.measured().experiments.report(self.viewer, self.space)

    def start_experiment(self) -> ExperimentReport:
        """Assign sessions that begin from now on to groups: 5 of 100 are told nothing, 10 at their
        beginning only. Stewards may."""
        return self._services.measured().experiments.start(self.viewer, self.space)

    def stop_experiment(self) -> ExperimentReport:
        """Tell every session everything again. Stewards may."""
        return self._services.measured().experiments.stop(self.viewer, self.space)

    # --- weights that learn -----------------------------------------------------------------------

    def propose_weights(self) -> WeightProposal:
        """Weights of phases that sessions so far speak for, with the evidence. Stewards may."""
        return self._services.measured().weights.propose(self.viewer, self.space)

    @repeatable
    def weight_proposals(self) -> tuple[WeightProposal, ...]:
        """What was proposed, newest first, and what was decided. Stewards may."""
        return self._services.measured().weights.proposals(self.viewer, self.space)

    def apply_weights(self, proposal: str) -> WeightProposal:
        """Let recall go by a proposal. Stewards may."""
        return self._services.measured().weights.decide(
            self.viewer, self.space, proposal, applied=True
        )

    def undo_weights(self, proposal: str) -> WeightProposal:
        """Take a proposal back: what held before holds again. Stewards may."""
        return self._services.measured().weights.decide(
            self.viewer, self.space, proposal, applied=False
        )
