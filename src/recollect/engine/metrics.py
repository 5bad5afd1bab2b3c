"""Metrics API: tracked figures, experiments, learned ranking weights."""

from typing import Final

from recollect.engine.services import View
from recollect.engine.verb_wrappers import repeatable
from recollect.vocabulary.arguments import whole
from recollect.vocabulary.errors import NotAllowed
from recollect.vocabulary.experiments import ExperimentReport, WeightProposal
from recollect.vocabulary.metrics import SpaceMetrics

MAX_DAYS: Final = 365


class Metrics(View):
    """Metrics of a space, for its stewards."""

    @repeatable
    def figures(self, *, days: int = 30) -> SpaceMetrics:
        """Every tracked metric of this space over the last days. For stewards."""
        whole(days, 1, MAX_DAYS, "Figures go over")
        self._services.serving.write_counts()
        return self._services.measured().figures.of(self.viewer, self.space, days)

    @repeatable
    def of_every_space(self, *, days: int = 30) -> tuple[SpaceMetrics, ...]:
        """The metrics of every space of which the viewer is a steward."""
        whole(days, 1, MAX_DAYS, "Figures go over")
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
        """The running experiment, or the last one: each metric by group. For stewards."""
        return self._services.measured().experiments.report(self.viewer, self.space)

    def start_experiment(self) -> ExperimentReport:
        """Assign sessions that begin from now on to groups. For stewards.

        Of 100 sessions, 5 are served nothing, and 10 at their beginning only.
        """
        return self._services.measured().experiments.start(self.viewer, self.space)

    def stop_experiment(self) -> ExperimentReport:
        """End the experiment: every session is served everything again. For stewards."""
        return self._services.measured().experiments.stop(self.viewer, self.space)

    # --- learned weights --------------------------------------------------------------------------

    def propose_weights(self) -> WeightProposal:
        """Phase weights that the sessions so far support, with the evidence. For stewards."""
        return self._services.measured().weights.propose(self.viewer, self.space)

    @repeatable
    def weight_proposals(self) -> tuple[WeightProposal, ...]:
        """Proposals, newest first, with the decisions on them. For stewards."""
        return self._services.measured().weights.proposals(self.viewer, self.space)

    def apply_weights(self, proposal: str) -> WeightProposal:
        """Apply a proposal to recall. For stewards."""
        return self._services.measured().weights.decide(
            self.viewer, self.space, proposal, applied=True
        )

    def undo_weights(self, proposal: str) -> WeightProposal:
        """Undo a proposal: the earlier weights apply again. For stewards."""
        return self._services.measured().weights.decide(
            self.viewer, self.space, proposal, applied=False
        )
