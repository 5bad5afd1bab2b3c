"""Views of experiments and weight proposals."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from recollect.surfaces.cli.views.screen import Line, Screen, StyledText
from recollect.surfaces.cli.views.words import counted, stamp
from recollect.vocabulary.experiments import ENOUGH_SESSIONS
from recollect.vocabulary.metrics import BY_NAME

if TYPE_CHECKING:
    from recollect.vocabulary.experiments import ExperimentReport, GroupFigure, WeightProposal

_SHADES = {"better": "green", "worse": "red"}


def report(screen: Screen, experiment: "ExperimentReport") -> None:
    """Start of the experiment, each metric by group, then the conclusions."""
    if experiment.started_at is None:
        screen.line(
            StyledText("No experiment was ever started here: every session gets all memories.")
        )
        return
    until = f" until {stamp(experiment.ended_at)}" if experiment.ended_at else ", and runs"
    screen.line(
        StyledText(
            f"Since {stamp(experiment.started_at)}{until}: "
            f"{counted(experiment.sessions, 'session')}."
        )
    )
    verdicts = {(one.metric, one.group): one for one in experiment.comparisons}
    rows: list[list[Line]] = []
    for one in experiment.figures:
        said = verdicts.get((one.metric, one.group))
        verdict = "" if said is None else said.verdict
        rows.append(
            [
                [StyledText(one.metric.replace("_", " "), "bold")],
                [StyledText(one.group.value)],
                [StyledText(f"{one.sessions:,}", "dim")],
                [StyledText(_interval(one))],
                [StyledText(verdict, _SHADES.get(verdict, "dim"))],
            ]
        )
    screen.table(["metric", "group", "sessions", "mean (95 %)", "against control"], rows)


def _interval(one: "GroupFigure") -> str:
    if one.mean is None:
        return "nothing yet"
    share = BY_NAME[one.metric].unit == "share"
    mean = f"{one.mean:.0%}" if share else f"{one.mean:,.1f}"
    if one.low is None or one.high is None:
        return f"{mean} (fewer than {ENOUGH_SESSIONS} sessions)"
    low, high = (f"{each:.0%}" if share else f"{each:,.1f}" for each in (one.low, one.high))
    return f"{mean} ({low} to {high})"


def proposals(screen: Screen, found: Sequence["WeightProposal"]) -> None:
    """Each proposal: its changes, its evidence, and its effect on past sessions."""
    for one in found:
        if one.id is None:
            words = f"{counted(one.sessions, 'judged session')} speak for no other weights."
            screen.line(StyledText(words))
            continue
        state = "in force" if one.in_force else "undone" if one.undone_at else "proposed"
        screen.line(
            StyledText(one.id, "bold"),
            StyledText(f"  {state}, from {counted(one.sessions, 'judged session')}", "dim"),
        )
        for phase, kinds in one.changes.items():
            for kind, (before, after) in kinds.items():
                screen.line(StyledText(f"  {phase}: {kind} {before:g} → {after:g}"))
        for seen in one.evidence:
            words = (
                f"  {seen.phase}, {seen.kind}: {seen.passed_served} of {seen.served} passed with"
                f" it, {seen.passed_others} of {seen.others} without"
                f" ({seen.difference:+.0%}, {seen.low:+.0%} to {seen.high:+.0%})"
            )
            screen.line(StyledText(words, "dim"))
        if one.effect is not None:
            words = f"  Of {counted(one.effect.questions, 'recorded question')} of yours"
            words += f" {one.effect.changed} would have had other results in front"
            if one.effect.rank_before is not None:
                words += f"; what was cited stood at {one.effect.rank_before:.1f}"
                words += f" and would stand at {one.effect.rank_after:.1f}"
            screen.line(StyledText(f"{words}."))
