"""Experiment commands: session experiments, and learned weights."""

from typing import Annotated

from typer import Argument, Typer

from recollect.surfaces.cli.command import CliCommand, CliGroup, command
from recollect.surfaces.cli.session import CommandContext

ProposalId = Annotated[str, Argument(metavar="ID", help="A proposal, from 'recollect weights'.")]


def experiment_show(session: CommandContext) -> None:
    """Compare sessions with and without memory.

    Each metric by group, with its 95 % confidence interval.
    """
    from recollect.surfaces.cli.views import experiments

    with session.open() as store:
        report = store.metrics.experiment()
    session.answer(report, lambda screen: experiments.report(screen, report))


def experiment_start(session: CommandContext) -> None:
    """Assign new sessions to groups: 5 % get no memories, 10 % only at the start."""
    from recollect.surfaces.cli.views import experiments

    with session.open() as store:
        report = store.metrics.start_experiment()
    session.answer(report, lambda screen: experiments.report(screen, report))


def experiment_stop(session: CommandContext) -> None:
    """End the experiment, and show the results."""
    from recollect.surfaces.cli.views import experiments

    with session.open() as store:
        report = store.metrics.stop_experiment()
    session.answer(report, lambda screen: experiments.report(screen, report))


def weights_list(session: CommandContext) -> None:
    """List proposed ranking weights; apply them.

    How much each type of memory should count in each phase of work, judged by how
    sessions went.
    """
    from recollect.surfaces.cli.views import experiments

    with session.open() as store:
        found = store.metrics.weight_proposals()
    session.answer({"proposals": found}, lambda screen: experiments.proposals(screen, found))
    if not found:
        session.note("Nothing was proposed yet: 'recollect weights propose'.")


def weights_propose(session: CommandContext) -> None:
    """Propose weights from the sessions so far, with the evidence. Nothing changes yet."""
    from recollect.surfaces.cli.views import experiments

    with session.open() as store:
        found = store.metrics.propose_weights()
    session.answer(found, lambda screen: experiments.proposals(screen, [found]))


def weights_apply(session: CommandContext, proposal: ProposalId) -> None:
    """Apply a proposal to recall."""
    from recollect.surfaces.cli.views import experiments

    with session.open() as store:
        found = store.metrics.apply_weights(proposal)
    session.answer(found, lambda screen: experiments.proposals(screen, [found]))


def weights_undo(session: CommandContext, proposal: ProposalId) -> None:
    """Undo a proposal; the earlier weights apply again."""
    from recollect.surfaces.cli.views import experiments

    with session.open() as store:
        found = store.metrics.undo_weights(proposal)
    session.answer(found, lambda screen: experiments.proposals(screen, [found]))


def _group() -> Typer:
    return Typer(
        cls=CliGroup, add_completion=False, rich_markup_mode=None, invoke_without_command=True
    )


experiment = _group()
experiment.callback()(command(experiment_show))
experiment.command("start", cls=CliCommand)(command(experiment_start))
experiment.command("stop", cls=CliCommand)(command(experiment_stop))

weights = _group()
weights.callback()(command(weights_list))
weights.command("propose", cls=CliCommand)(command(weights_propose))
weights.command("apply", cls=CliCommand)(command(weights_apply))
weights.command("undo", cls=CliCommand)(command(weights_undo))
