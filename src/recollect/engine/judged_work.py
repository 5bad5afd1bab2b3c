"""API for what is said of agents' work from outside its sessions: QA, acceptance, its end."""

from collections.abc import Iterable, Mapping, Sequence

from recollect.context.judged_work import (
    JudgedWork,
    WorkJudgements,
    WorkSession,
    WorkTarget,
    unit_named,
)
from recollect.context.outcomes import Outcomes
from recollect.context.qa_findings import QaFinding, findings_of
from recollect.context.unit_outcomes import UnitEnd
from recollect.engine.verb_wrappers import repeatable
from recollect.trust.secrets import redacted
from recollect.vocabulary.arguments import NAME_LIMIT, checked_name, choice, flag
from recollect.vocabulary.audiences import Viewer
from recollect.vocabulary.memory import Memory
from recollect.vocabulary.memory_types import Source
from recollect.vocabulary.spaces import Space
from recollect.vocabulary.work_verdicts import WorkVerdict


class Work:
    """The work of agents in one space, as one viewer judges it.

    Every verb takes ``unit`` (``{"spec": "007"}``, in the words of ``methodology``), ``branch`` and
    ``session``; a session has to fit all that are named. Without any, the last session is meant.
    """

    def __init__(
        self, judgements: WorkJudgements, outcomes: Outcomes, viewer: Viewer, space: Space
    ) -> None:
        self._judgements = judgements
        self._outcomes = outcomes
        self._who = (viewer, space)

    @repeatable
    def sessions(
        self,
        *,
        unit: Mapping[str, str] | None = None,
        branch: str = "",
        session: str | None = None,
        methodology: str = "native",
    ) -> Sequence[WorkSession]:
        """Sessions that are running or wait for a verdict, and the newest, with their work."""
        return self._judgements.waiting(self._who, _target(unit, branch, session, methodology))

    def qa_report(
        self,
        issues: Iterable[Mapping[str, object]],
        *,
        spec: str | None = None,
        unit: Mapping[str, str] | None = None,
        branch: str = "",
        session: str | None = None,
        methodology: str = "native",
        note: str = "",
        by_agent: bool = False,
    ) -> JudgedWork:
        """A reviewer's report: each issue has a description, and may have a severity, files,
        modules, fix, tried and spec. Without a severe issue (critical, high, or without a severity)
        the review passed, and what sessions were waiting to teach is learned now.

        ``spec`` is that of every issue that names none, and the unit that is meant where nothing
        else names the work. What a person reports, agents are told at any trust level;
        ``by_agent`` says that the reviewer is none.
        """
        found = findings_of(issues, spec)
        if spec is not None and not (unit or branch or session):
            unit = {"spec": spec}
        target = _target(unit, branch, session, methodology)
        severe = [one for one in found if one.severity is None or one.severity.is_severe]
        verdict = WorkVerdict.QA_FAILED if severe else WorkVerdict.QA_PASSED
        judged = self._judgements.pronounce(self._who, target, verdict, redacted(note))
        source = Source.QA_AUTO if flag(by_agent, "by_agent") else Source.USER_TAUGHT
        kept = [self._kept(one, target, judged, source) for one in severe]
        outcome = self._judgements.judged_unit(self._who, target, passed=not severe)
        findings = tuple(one for one in kept if one is not None)
        return JudgedWork(target.label, tuple(judged), findings, outcome)

    def accepted(
        self,
        *,
        unit: Mapping[str, str] | None = None,
        branch: str = "",
        session: str | None = None,
        methodology: str = "native",
        note: str = "",
    ) -> JudgedWork:
        """A specification was accepted, or a review is done: what its sessions were waiting to
        teach is learned now."""
        target = _target(unit, branch, session, methodology)
        judged = self._judgements.pronounce(self._who, target, WorkVerdict.ACCEPTED, redacted(note))
        return JudgedWork(target.label, tuple(judged))

    def done(
        self,
        outcome: str = "success",
        *,
        unit: Mapping[str, str] | None = None,
        branch: str = "",
        methodology: str = "native",
        note: str = "",
    ) -> JudgedWork:
        """A unit of work or a branch ended: success, failure or partial. Planners are told how the
        unit ended, and a success ends the wishes that held for this work alone."""
        end = choice(UnitEnd, outcome, "outcome")
        target = _target(unit, branch, None, methodology)
        return self._judgements.done(self._who, target, end, redacted(note))

    def _kept(
        self, found: QaFinding, target: WorkTarget, judged: Sequence[WorkSession], source: Source
    ) -> Memory | None:
        unit = target.unit
        if found.spec is not None and (unit is None or unit.hierarchy[:1] != (found.spec,)):
            unit = unit_named({"spec": found.spec})
        session = judged[0].run.id if judged else target.session
        return self._outcomes.qa_failure(self._who, session, found, unit, source=source)


def _target(
    unit: Mapping[str, str] | None, branch: str, session: str | None, methodology: str
) -> WorkTarget:
    return WorkTarget(
        None if session is None else checked_name(session, "session"),
        unit_named(dict(unit or {}), methodology),
        branch[:NAME_LIMIT],
    )
