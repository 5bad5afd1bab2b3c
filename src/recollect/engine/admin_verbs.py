"""Administration: members, statistics, health, index, budgets and jobs of a space."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from recollect.engine.services import View
from recollect.engine.verb_wrappers import repeatable
from recollect.vocabulary.arguments import amount, shown
from recollect.vocabulary.errors import InvalidInput
from recollect.vocabulary.plain import plain
from recollect.vocabulary.spaces import Alias, Member, Role, Space

if TYPE_CHECKING:
    from recollect.engine.disputes import Disputes
    from recollect.engine.people import People
    from recollect.engine.rights import Rights
    from recollect.engine.tokens import Tokens
    from recollect.memories.maintenance import Health
    from recollect.storage.dialects.protocol import Erased
    from recollect.vocabulary.budgets import Budget
    from recollect.vocabulary.jobs import Job
    from recollect.vocabulary.overview import Overview

#: Remote providers that can be tested.
_PROVIDERS: Final = ("embedder", "reranker", "model")
LONGEST_WORK: Final = 10_000_000.0  # seconds


class AdminVerbs(View):
    """Administer a space and its store."""

    @property
    def tokens(self) -> "Tokens":
        """Access tokens of this space: who may connect over a server, and with which role."""
        from recollect.engine.tokens import Tokens

        return Tokens(self._services.access, self.viewer, self.space)

    @property
    def people(self) -> "People":
        """Aliases, teams and organisations, onboarding of new members, shared preferences."""
        from recollect.engine.people import People

        return People(self._services, self.viewer, self.space)

    @property
    def disputes(self) -> "Disputes":
        """Disputed memories: open a dispute, answer, escalate, settle."""
        from recollect.engine.disputes import Disputes

        return Disputes(self._services, self.viewer, self.space)

    @property
    def rights(self) -> "Rights":
        """Everything of a person, exported or deleted; a space renamed, archived, deleted."""
        from recollect.engine.rights import Rights

        return Rights(self._services, self.viewer, self.space)

    @repeatable
    def spaces(self) -> tuple[Space, ...]:
        """The spaces the viewer belongs to."""
        return tuple(self._services.spaces.of(self.viewer))

    @repeatable
    def members(self) -> tuple[Member, ...]:
        """The members of this space."""
        return tuple(self._services.spaces.members(self.viewer, self.space))

    def add_member(self, user: str, role: str = "member") -> Member:
        """Add a person, or change their role: reader, member, steward, owner."""
        return self._services.spaces.set_member(self.viewer, self.space, user, role)

    def remove_member(self, user: str) -> bool:
        """Remove a member; whether they were one."""
        return self._services.spaces.remove_member(self.viewer, self.space, user)

    def aliases(self) -> tuple[Alias, ...]:
        """Aliases that members write under, each confirmed by a steward."""
        return tuple(self._services.aliases.list(self.viewer, self.space))

    def confirm_alias(self, user: str, name: str) -> Alias:
        """Let a member record events under an alias. For stewards."""
        return self._services.aliases.confirm(self.viewer, self.space, user, name)

    def withdraw_alias(self, user: str, name: str) -> bool:
        """Remove an alias; whether it was there. For stewards, and for the person who has it."""
        return self._services.aliases.withdraw(self.viewer, self.space, user, name)

    @repeatable
    def stats(self) -> dict[str, Any]:
        """Statistics of the store, the space and the queue."""
        figures = self._services.statistics(self.viewer, self.space)
        uses = self._services.usage.figures(self.viewer, self.space)
        queue = self._services.metrics(self._services.clock())
        return {
            **figures,
            "uses": dict(uses.channels),
            "predictions": {
                name: {**plain(one), "accuracy": one.accuracy}
                for name, one in uses.predictions.items()
            },
            "queue": queue,
        }

    @repeatable
    def overview(self) -> "Overview":
        """Overview of the space: counts by state, coverage by module, growth, last changes."""
        return self._services.overview(self.viewer, self.space)

    @repeatable
    def change_number(self) -> int:
        """Number of changes of this space so far. Every change increases it."""
        return self._services.spaces.change_number(self.viewer, self.space)

    @repeatable
    def budgets(self) -> "tuple[Budget, ...]":
        """Limits and spending of paid calls in this space this month."""
        self._services.spaces.require(self.viewer, self.space, Role.READER, "see its budgets")
        return self._services.spending.budgets(self.space.id)

    def set_budget(self, kind: str, allowed: float | None) -> "tuple[Budget, ...]":
        """Set the monthly limit of a kind; None for no limit. For stewards."""
        self._services.spaces.require(self.viewer, self.space, Role.STEWARD, "set budgets")
        self._services.spending.allow(self.space.id, kind, allowed)
        return self.budgets()

    @repeatable
    def health(self) -> "Health":
        """Check the file and the index against the rows."""
        return self._services.upkeep.health()

    def embedder_state(self) -> tuple[bool, str]:
        """Whether the embedder answers, and its description."""
        return self._services.provider_state("embedder")

    def provider_state(self, provider: str) -> tuple[bool, str]:
        """Whether a provider answers, and its description: embedder, reranker or model.

        For stewards: it is called once, which may cost a few tokens.
        """
        if provider not in _PROVIDERS:
            raise InvalidInput(
                f"There is no provider {shown(provider)}.",
                hint=f"Providers are: {', '.join(_PROVIDERS)}.",
            )
        self._services.spaces.require(
            self.viewer, self.space, Role.STEWARD, "test the providers of"
        )
        return self._services.provider_state(provider)

    def rebuild_index(self, progress: Callable[[int], None] | None = None) -> int:
        """Rebuild the index from the rows; the number of indexed items."""
        return self._services.upkeep.rebuild(progress, now=self._services.clock())

    def erase_traces(self) -> "Erased":
        """Rewrite the store's files without deleted data; where traces may remain.

        On a server each table is locked while it is written, and the login must own it.
        """
        return self._services.upkeep.erase_traces()

    def work(self, seconds: float = 10.0) -> int:
        """Run queued jobs until none is due or the time is up; how many."""
        return self._services.worker.drain(amount(seconds, 0, LONGEST_WORK, "Seconds of work are"))

    def warm(self) -> None:
        """Load now what the first writes would otherwise load, before others wait for them."""
        self._services.keeper.warm()

    def start_worker(self) -> None:
        """Run queued jobs in a thread of this process, if the store can be written."""
        if not self._services.read_only:
            self._services.worker.start()

    @repeatable
    def dead_jobs(self) -> "tuple[Job, ...]":
        """Jobs that failed on all their attempts. For the stewards of the space."""
        self._services.spaces.require(self.viewer, self.space, Role.STEWARD, "see to its jobs")
        return tuple(self._services.dead_jobs([self.space.id]))

    def retry_jobs(self, job_id: str | None = None) -> int:
        """Requeue one dead job, or all; how many. For stewards."""
        self._services.spaces.require(self.viewer, self.space, Role.STEWARD, "see to its jobs")
        return self._services.retry_jobs([self.space.id], job_id, self._services.clock())
