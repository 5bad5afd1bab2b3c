"""An agent's session with memory: what it is given at each point, and what it leaves behind.

    with memory.session(root=".", task="mend the login") as session:
        prompt = session.system_prompt()

What happens is heard by the observer at once and written to the page in batches. A checkpoint
brings all of it onto the disk; a session that broke off goes on from its last one.

Secrets are taken out here, where words come in: no event, no work state, no sketch of a file and no
checkpoint ever sees them.
"""

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from types import TracebackType
from typing import Any, Final, Self

from recollect.context.injection import InjectionPoints
from recollect.context.projects import branch_of, commit_of
from recollect.context.recorder import EDITS, SEARCHES, SHELLS, main_argument
from recollect.context.step_injection import Touch
from recollect.context.work_state import Progress
from recollect.observer.failures import has_failed
from recollect.trust.secrets import redacted, redacted_values
from recollect.vocabulary.acts import Act, ActKind
from recollect.vocabulary.agents import AgentRun
from recollect.vocabulary.memory import Memory
from recollect.vocabulary.memory_types import MemoryType
from recollect.vocabulary.streams import StreamAccess

#: Events wait for company until there are so many, or a turn ends.
BATCH: Final = 200


class AgentSession(InjectionPoints):
    """One session of one agent in one project."""

    def __init__(self, run: AgentRun, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self._run = run
        self.progress = Progress()
        self.learned: list[Memory] = []
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

    def on_prompt(self, words: str, *, task: bool = True, **more: Any) -> None:
        """The user said something: a piece of the task, or beside it."""
        words = redacted(words)
        with self._state:
            if task:
                self.progress.prompt(words)
            if self._work.root is not None:
                self.recorder.check_out(branch_of(self._work.root))
                self.recorder.observer.note_commit(commit_of(self._work.root))
            self._note(ActKind.PROMPT, words, **more)
            self.silent = self._services.outcomes.silent(self._who, self.id, self.recorder.stream)

    def on_message(self, words: str, *, final: bool = False, **more: Any) -> None:
        """The agent said something aloud."""
        words = redacted(words)
        with self._state:
            if final:
                self.progress.last_said(words)
            self._uses.said(words)
            self._note(ActKind.ANSWER, words, **more)

    def on_tool_call(
        self, tool: str, arguments: Mapping[str, Any], *, call: str | None = None, **more: Any
    ) -> None:
        """A tool is called."""
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
        """A tool answered."""
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
        """A tool failed, or the user did not let it run (``kind=ActKind.REFUSAL``)."""
        arguments, error = redacted_values(arguments), redacted(error)
        with self._state:
            if tool in SHELLS and kind is ActKind.FAILURE:
                self.progress.command(main_argument(arguments), error)
                self._run = replace(self._run, failures=self._run.failures + 1)
            act = self._note(kind, error, tool=tool, call=call, arguments=arguments, **more)
            self.progress.outside = self.progress.outside or act.outside

    def remember(self, content: str, **fields: Any) -> Memory:
        """Write something down now; the agent is reminded of it in a later step."""
        if self.progress.outside:  # what it read is on the page first, so that its mark is known
            with self._state:
                self._flush()
        kept = self._services.outcomes.remember(
            self._who, self._run.id, content, fields, unit=self._unit()
        )
        with self._state:
            self._recent.notes.append(kept)
            self.learned.append(kept)
            if kept.type is MemoryType.DECISION:
                self.progress.decisions.append(kept.content)
        return kept

    def qa_failed(self, description: str, **found: Any) -> Memory | None:
        """A reviewer found something wrong: it becomes an error pattern by itself."""
        self.recorder.observer.validated(passed=False)
        kept = self._services.outcomes.qa_failure(self._who, self._run.id, description, found)
        if kept is not None:
            self.learned.append(kept)
        return kept

    def qa_passed(self) -> None:
        """A reviewer found nothing wrong."""
        self.recorder.observer.validated(passed=True)

    def subtask_done(self, description: str, *, validated: bool = True) -> list[Memory]:
        """A piece of work is done; what it taught is kept now when it was validated."""
        description = redacted(description)
        with self._state:
            self.progress.completed.append(description)
            self._note(ActKind.SUBTASK, description)
        self.checkpoint()
        return self.learn() if validated else []

    def checkpoint(self) -> None:
        """Bring everything so far onto the disk: events, the book, the work state."""
        with self._state:
            self._flush()
            stream = self.recorder.stream
            self._services.outcomes.keep_state(self._who, self._run.id, stream, self.progress)

    def learn(self, *, patient: bool = True) -> list[Memory]:
        """Keep now what is certain already; the session goes on, also while a model is asked."""
        return self._learn(over=False, patient=patient)

    def state(self) -> dict[str, Any]:
        """What a checkpoint keeps beside the observer's own."""
        with self._state:
            return {
                "started_at": self._run.started_at.isoformat(),
                "steps": self.recorder.step,
                "failures": self._run.failures,
                "injected_tokens": self._injected,
                "told": sorted(self._recent.told),
                "names": dict(self.recorder.numbers),
                "calls": self.recorder.pending(),
                "progress": self.progress.state(),
            }

    def resume(self, state: Mapping[str, Any]) -> None:
        """Go on from a checkpoint."""
        with self._state:
            self._run = replace(
                self._run,
                started_at=datetime.fromisoformat(state["started_at"]),
                failures=int(state["failures"]),
            )
            self._injected = int(state["injected_tokens"])
            self.recorder.resume(int(state["steps"]), state["names"], state["calls"])
            self._recent.told.update(state["told"])
            self.progress = Progress.resumed(state["progress"])

    def finish(self, outcome: str = "success", *, patient: bool = True) -> list[Memory]:
        """The session is over: what it learned. Called twice, the second time does nothing.

        ``patient`` says that a model, where one is configured, may word what was learned.
        """
        with self._state:
            if self._run.ended_at is not None:
                return []
            self.progress.finish(outcome)
            self._note(ActKind.END, outcome)
            self._run = replace(self._run, ended_at=self._services.clock())
            self._uses.close()
        learned = self._learn(over=True, succeeded=outcome != "failure", patient=patient)
        self.checkpoint()
        self._services.outcomes.relay(self._who, self._method, self._work.stage, self.learned)
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
        """Forget what happened since the last time, when nothing of it may be kept."""
        self.silent = self._services.outcomes.silent(self._who, self.id, self.recorder.stream)
        if self.silent:
            self.recorder.forget()
            self.progress = Progress()
            self._served = []
        return self.silent

    def _learn(self, *, over: bool, patient: bool, succeeded: bool = True) -> list[Memory]:
        """Promote what the observer noticed; the events it points at are on the page first."""
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

    def _unit(self) -> Any:
        return self._method.work_unit(self._work.unit)
