"""Agent session with memory: injects context at each point, records events, stores lessons.

    with memory.session(root=".", task="mend the login") as session:
        prompt = session.system_prompt()

The observer receives each action at once; events are written to the page in batches. A checkpoint
writes everything to the store, and an interrupted session continues from its last checkpoint.

Secrets are removed here, where text enters: they never reach an event, a work state, a sketch of a
file or a checkpoint.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from types import TracebackType
from typing import Any, Final, Self

from recollect.context import calibration
from recollect.context.injection_points import InjectionPoints
from recollect.context.projects import branch_of, commit_of
from recollect.context.qa_findings import QaFinding, finding_of, findings_of
from recollect.context.recorder import EDITS, SEARCHES, SHELLS, main_argument
from recollect.context.step_injection import Touch
from recollect.context.unit_outcomes import UnitEnd, UnitResult, ended
from recollect.context.work_state import Progress
from recollect.memories.drafts import draft_of
from recollect.observer.failures import has_failed
from recollect.observer.page_replay import pronounce
from recollect.trust.secrets import redacted, redacted_values
from recollect.vocabulary.acts import Act, ActKind
from recollect.vocabulary.agents import AgentRun, Point, TrustLevel
from recollect.vocabulary.arguments import choice
from recollect.vocabulary.errors import InvalidInput
from recollect.vocabulary.experiments import may_serve
from recollect.vocabulary.memory import Memory, WorkUnit
from recollect.vocabulary.memory_types import MemoryType
from recollect.vocabulary.streams import StreamAccess
from recollect.vocabulary.work_verdicts import WorkVerdict

#: Number of events that are written as one batch; the end of a turn writes earlier.
BATCH: Final = 200
#: Characters of the agent's last message from which its methodology may extract a work state.
OUTPUT: Final = 50_000


class AgentSession(InjectionPoints):
    """One session of one agent in one project."""

    def __init__(self, run: AgentRun, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self._run = run
        self.progress = Progress()
        self.learned: list[Memory] = []
        self._held = False
        #: Events of the verdicts that the observer knows.
        self._verdicts: set[str] = set()
        self._unit_ended = False
        self._output = ""
        if self._work.task:
            self.progress.prompt(self._work.task)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.finish("success" if kind is None else "failure")

    def on_prompt(self, words: str, *, task: bool = True, **more: Any) -> Act:
        """Record a prompt of the user: part of the task, or beside it."""
        words = redacted(words)
        with self._state:
            if task:
                self.progress.prompt(words)
            if self._work.root is not None:
                self.recorder.check_out(branch_of(self._work.root))
                commit = commit_of(self._work.root)
                self.recorder.observer.note_commit(commit)
                self._services.outcomes.origins.at_commit(self.id, commit)
            prompt = self._note(ActKind.PROMPT, words, **more)
            self.silent = self._services.outcomes.silent(self._who, self.id, self.recorder.stream)
        return prompt

    def on_message(self, words: str, *, final: bool = False, **more: Any) -> None:
        """Record a message of the agent."""
        words = redacted(words)
        with self._state:
            if final:
                self.progress.last_said(words)
                self._output = words[-OUTPUT:]
            self._uses.said(words)
            self._note(ActKind.ANSWER, words, **more)

    def on_tool_call(
        self, tool: str, arguments: Mapping[str, Any], *, call: str | None = None, **more: Any
    ) -> None:
        """Record a tool call."""
        arguments = redacted_values(arguments)
        with self._state:
            self._note(ActKind.CALL, "", tool=tool, call=call, arguments=arguments, **more)
            paths = self.recorder.paths(tool, arguments)
            self._uses.touched(paths, edited=tool in EDITS)
            if tool in SHELLS:
                self._uses.ran(main_argument(arguments))
            pattern = str(arguments.get("pattern", "")) if tool in SEARCHES else ""
            self._recent.calls.append(Touch(paths, pattern))

    def on_tool_result(
        self,
        tool: str,
        arguments: Mapping[str, Any],
        result: str,
        *,
        call: str | None = None,
        **more: Any,
    ) -> None:
        """Record a tool's result."""
        arguments, result = redacted_values(arguments), redacted(result)
        with self._state:
            if tool in SHELLS:
                self.progress.command(
                    main_argument(arguments), result if has_failed(result) else None
                )
            elif tool in EDITS:
                self.progress.edit(self.recorder.paths(tool, arguments))
            act = self._note(
                ActKind.RESULT, result, tool=tool, call=call, arguments=arguments, **more
            )
            self.progress.outside = self.progress.outside or act.outside
            self._services.outcomes.saw(self._who, self._run.id, tool, result, self.learned)

    def on_tool_failure(
        self,
        tool: str,
        arguments: Mapping[str, Any],
        error: str,
        *,
        call: str | None = None,
        kind: ActKind = ActKind.FAILURE,
        **more: Any,
    ) -> None:
        """Record a tool failure, or a refusal by the user (``kind=ActKind.REFUSAL``)."""
        arguments, error = redacted_values(arguments), redacted(error)
        with self._state:
            if tool in SHELLS and kind is ActKind.FAILURE:
                self.progress.command(main_argument(arguments), error)
                self._run = replace(self._run, failures=self._run.failures + 1)
            act = self._note(kind, error, tool=tool, call=call, arguments=arguments, **more)
            self.progress.outside = self.progress.outside or act.outside

    def remember(self, content: str, **fields: Any) -> Memory:
        """Store a memory now; the agent is reminded of it in a later step."""
        with self._state:  # what it read and what led to it first: its mark and its evidence
            self._flush()
        kept = self._services.outcomes.remember(
            self._who, self._run.id, content, fields, unit=self.place.unit
        )
        with self._state:
            self._recent.notes.append(kept)
            self.learned.append(kept)
            if kept.type is MemoryType.DECISION:
                self.progress.decisions.append(kept.content)
        return kept

    def remember_prompt(self, content: str, prompt: Act, **fields: Any) -> Memory | None:
        """Store what the user asked to remember in a prompt that was just recorded; None if it is
        stored already. The memory cites the prompt, which is written with it; when that fails, the
        prompt waits as before."""
        if self._services.outcomes.has_kept(self._who, str(prompt.event)):
            return None
        with self._state:
            origin = self._services.outcomes.origins.of(self.id)
            draft = draft_of(content, {**origin, **fields, "session": self.id, "events": ()})
            waiting = self.recorder.take_last(prompt)
            cited = (str(prompt.event), waiting)
            try:
                kept = self._services.outcomes.keep_prompt(
                    self._who, self._run, self.recorder.stream, cited, draft
                )
            except BaseException:
                if waiting is not None:
                    self.recorder.wait_again(waiting)
                raise
            self.learned.append(kept)
        self.knows(kept)
        return kept

    def qa_failed(
        self,
        description: str,
        *,
        severity: str | None = None,
        spec: str | None = None,
        files: Iterable[str] = (),
        modules: Iterable[str] = (),
        fix: str | None = None,
        tried: str | None = None,
        **unknown: Any,
    ) -> Memory | None:
        """Record that a reviewer found a fault; it becomes an error pattern automatically.

        ``severity`` is critical, high, medium or low; ``spec`` the spec that it belongs to, where
        it is not the session's own unit of work. An argument that has no meaning is refused.
        """
        named = {"severity": severity, "spec": spec, "fix": fix, "tried": tried}
        given = {"files": files, "modules": modules, **named, **unknown}
        kept = self._keep_findings([finding_of(description, given)])
        return kept[0] if kept else None

    def qa_report(
        self, issues: Iterable[Mapping[str, Any]], *, spec: str | None = None
    ) -> list[Memory]:
        """Record a reviewer's report: each issue has a description and the fields of ``qa_failed``.

        Critical and high issues become error patterns, as do those without a severity. Where there
        is none of them, the reviewer found no fault.
        """
        found = findings_of(issues, spec)
        severe = [one for one in found if one.severity is None or one.severity.is_severe]
        if not severe:
            self.qa_passed()
        return self._keep_findings(severe)

    def _keep_findings(self, found: Sequence[QaFinding]) -> list[Memory]:
        if found:  # what led to the findings is written first: their evidence
            self._pronounce(WorkVerdict.QA_FAILED)
        outcomes = self._services.outcomes
        made = [
            outcomes.qa_failure(self._who, self._run.id, one, self._unit_of(one)) for one in found
        ]
        kept = [one for one in made if one is not None]
        with self._state:
            self.learned += kept
        return kept

    def _unit_of(self, found: QaFinding) -> WorkUnit | None:
        """The unit of work that a finding belongs to: its spec, or what the session works on."""
        own = self._work.unit
        if found.spec is None or str(own.get("spec", "")) == found.spec:
            return self.place.unit
        return self._hooks.unit({"spec": found.spec})

    def qa_passed(self) -> list[Memory]:
        """Record that a reviewer found no fault. Returns what is learned now, if the session is
        over and waited for it."""
        self._pronounce(WorkVerdict.QA_PASSED)
        return self._no_longer_held()

    def accepted(self) -> list[Memory]:
        """Record that the specification which the session wrote was accepted; before that, nothing
        is learned from it. Returns what is learned now, if the session is over."""
        self._pronounce(WorkVerdict.ACCEPTED)
        return self._no_longer_held()

    def review_done(self) -> list[Memory]:
        """Record that the review which the session made is done; before that, nothing is learned
        from it. Returns what is learned now, if the session is over."""
        self._pronounce(WorkVerdict.ACCEPTED)
        return self._no_longer_held()

    def _pronounce(self, verdict: WorkVerdict) -> None:
        """Tell the observer of a verdict, and write it to the page for other processes."""
        pronounce(verdict, self.recorder.observer)
        with self._state:
            self._flush()
        if self.silent:
            return
        kept = self._services.outcomes.verdicts.keep(self._who, self.recorder.stream, verdict)
        if kept is not None:
            self._verdicts.add(kept.id)

    def _hear_verdicts(self) -> None:
        """Tell the observer of the verdicts that others wrote to the page."""
        stream = self.recorder.stream
        for event, verdict in self._services.outcomes.verdicts.since(
            self._who, stream, self._verdicts
        ):
            self._verdicts.add(event)
            pronounce(verdict, self.recorder.observer)

    def _no_longer_held(self) -> list[Memory]:
        with self._state:
            waited = self._run.ended_at is not None and self._held
            self._held = False
        if not waited:
            return []
        learned = self._learn(over=True, patient=False)
        self._services.outcomes.relay(
            self._who, self._method, self._work.stage, learned, self.place
        )
        return learned

    def step_limit(self, base: int) -> int:
        """Number of steps to allow: the base, or up to twice the base where plans fell short in the
        session's modules: those it was given, or else the folders that it works in."""
        modules = self._work.modules or self.recorder.observer.facts().modules
        if not modules or not may_serve(self.group, Point.PLAN):
            return base
        services, who = self._services, self._who

        def work() -> float | None:
            kinds = [MemoryType.TASK_CALIBRATION]
            kept = services.lookup.leading(
                who, TrustLevel.AUTONOMOUS, kinds, limit=5, modules=modules
            )
            return calibration.ratio_of(kept, services.calibrations(who, modules))

        return calibration.step_limit(base, services.deadlines.within(Point.PLAN, work))

    def planned(self, steps: float) -> None:
        """Record how many steps the work is planned to take from here. Without it, the items of a
        plan that the agent writes down count."""
        if steps <= 0:
            raise InvalidInput("A plan has more than 0 steps.")
        self.recorder.observer.plans(steps)

    def subtask_done(self, description: str, *, validated: bool = True) -> list[Memory]:
        """Record a finished piece of work; if it was validated, its lessons are stored now."""
        description = redacted(description)
        with self._state:
            self.progress.completed.append(description)
            self._note(ActKind.SUBTASK, description)
        self.checkpoint()
        return self.learn() if validated else []

    def unit_done(self, outcome: str = "success", note: str = "") -> Memory | None:
        """Record how the session's unit of work ended: success, failure or partial, with a note.

        Without it, the end of the session counts. Returns the memory of the unit's outcome.
        """
        if self.place.unit is None:
            raise InvalidInput(
                "The session names no unit of work.", hint='Begin it with unit={"spec": "007"}.'
            )
        choice(UnitEnd, outcome, "outcome")
        self._unit_ended = True
        return self._end_unit(outcome, redacted(note), asked=True)

    def _end_unit(self, outcome: str, note: str = "", *, asked: bool = False) -> Memory | None:
        unit, verdict = self.place.unit, self.recorder.observer.verdict
        worked = asked or self.progress.worth_keeping or verdict is not None
        if unit is None or not worked or self._hush():
            return None
        said = asked or verdict is True
        result = UnitResult(unit, ended(outcome, verdict), self.recorder.step, said=said)
        stream = self.recorder.stream
        units = self._services.outcomes.units
        kept = units.keep(self._who, self.id, stream, result, progress=self.progress, note=note)
        context = {
            **self._work.unit,
            "session": self.id,
            "stage": self._work.stage,
            "task": self.progress.task,
            "branch": self.place.branch,
        }
        self._hooks.complete(context, result, self)
        return kept

    def checkpoint(self) -> None:
        """Write everything so far to the store: events, session log and work state."""
        output, self._output = self._output, ""
        if output and (own := self._hooks.extracted(output)):
            self.progress.own, self.progress.methodology = own, self._method.id
        with self._state:
            self._flush()
            stream = self.recorder.stream
            self._services.outcomes.keep_state(
                self._who, self._run.id, stream, self.progress, self.place
            )

    def keep_late(self) -> None:
        """Write events that arrived after the session was finished; its end stays where it was."""
        with self._state:
            outcomes = self._services.outcomes
            earlier = outcomes.earlier(self._who, self._run.id)
            if earlier is not None:
                last = max(filter(None, (earlier.last_at, self._run.last_at)), default=None)
                self._run = replace(self._run, ended_at=earlier.ended_at, last_at=last)
                self.progress.task = earlier.task or self.progress.task
            self._flush()
            outcomes.complete_state(
                self._who, self._run.id, self.recorder.stream, self.progress, self.place
            )

    def learn(self, *, patient: bool = True) -> list[Memory]:
        """Store now what is certain already; the session continues, even while a model is asked."""
        return self._learn(over=False, patient=patient)

    def state(self) -> dict[str, Any]:
        """State that a checkpoint keeps in addition to the observer's own."""
        with self._state:
            return {
                "started_at": self._run.started_at.isoformat(),
                "steps": self.recorder.step,
                "failures": self._run.failures,
                "injected_tokens": self._injected,
                "told": sorted(self._recent.told),
                "early": self._early.state(),
                "names": dict(self.recorder.numbers),
                "calls": self.recorder.pending(),
                "progress": self.progress.state(),
            }

    def resume(self, state: Mapping[str, Any]) -> None:
        """Restore the state of a checkpoint."""
        with self._state:
            self._run = replace(
                self._run,
                started_at=datetime.fromisoformat(state["started_at"]),
                failures=int(state["failures"]),
            )
            self._injected = int(state["injected_tokens"])
            self.recorder.resume(int(state["steps"]), state["names"], state["calls"])
            self._recent.told.update(state["told"])
            self._early.resume(state.get("early", {}))
            self.progress = Progress.resumed(state["progress"])

    def finish(self, outcome: str = "success", *, patient: bool = True) -> list[Memory]:
        """End the session and return the memories it learned. A second call does nothing.

        ``patient`` says that a model, where one is configured, may word what was learned.
        """
        with self._state:
            if self._run.ended_at is not None:
                return []
            self.progress.finish(outcome)
            self._note(ActKind.END, outcome)
            self._run = replace(self._run, ended_at=self._services.clock())
            self._uses.close()
        self._hear_verdicts()
        self._held = self.recorder.observer.held is not None
        learned = self._learn(over=True, succeeded=outcome != "failure", patient=patient)
        if not self._output and not self.progress.own and self.progress.worth_keeping:
            self._output = self.progress.content()
        self.checkpoint()
        if not self._unit_ended:
            self._end_unit(outcome)
        self._services.outcomes.relay(
            self._who, self._method, self._work.stage, self.learned, self.place
        )
        if not self.silent:
            self._services.outcomes.end_finished_work(self._who, self._work.root)
        return learned

    def _note(self, kind: ActKind, text: str, **more: Any) -> Act:
        at = more.pop("at", None) or self._services.clock()
        act = self.recorder.note(kind, text, at, **more)
        self._run = replace(self._run, steps=self.recorder.step, last_at=at)
        if self.recorder.waiting >= BATCH:
            self._flush()
        return act

    def _flush(self) -> None:
        if self._hush():
            return
        events, served = self.recorder.take(), self._served
        private = self.recorder.stream.access is StreamAccess.PRIVATE
        task = "" if private else self.progress.task
        self._run = replace(self._run, task=task, injected_tokens=self._injected)
        if self._services.outcomes.write(
            self._who, self._run, self.recorder.stream, events, served
        ):
            self._served = []
        else:
            self.recorder.put_back(events)

    def _hush(self) -> bool:
        """Discard what happened since the last write when nothing of it may be kept."""
        self.silent = self._services.outcomes.silent(self._who, self.id, self.recorder.stream)
        if self.silent:
            self.recorder.forget()
            self.progress = Progress()
            self._served = []
        return self.silent

    def _learn(self, *, over: bool, patient: bool, succeeded: bool = True) -> list[Memory]:
        """Promote the observer's findings; the events they cite are written to the page first."""
        self._hear_verdicts()
        with self._state:
            self._flush()
            report = self.recorder.observer.report(over=over)
        kept = self._services.outcomes.learn(
            self._who,
            self.recorder.stream,
            report,
            succeeded=succeeded,
            over=over,
            patient=patient,
        )
        with self._state:
            self.learned += kept
        return kept
