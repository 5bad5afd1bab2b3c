"""Work state of a session, kept up to date so that the next session can continue from it.

It is built from actions (prompts, edits, failures, subtasks) and the agent's last message, without
a model. A session that changed nothing and finished nothing leaves no work state.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime
from typing import Any, Final

from recollect.context.fact_lines import MARK, QUOTED, citation, plain
from recollect.context.work_place import branch_of_state
from recollect.observer.commands import CheckRun, checks, commit_message, settled
from recollect.observer.failures import is_harness, telling_line
from recollect.trust.quoted_text import AFTER_OUTSIDE, attribution
from recollect.vocabulary.memory import Memory

_PROMPT: Final = 300
_LAST_WORDS: Final = 400
_FILES: Final = 12
_DONE: Final = 20
#: Prefix of pytest's error lines.
_PYTEST: Final = re.compile(r"^E\s+")
_ASKED_FOR: Final = "Asked for:"
_TASKS_END: Final = ("success",)


@dataclass(slots=True)
class Progress:
    """Progress of a session so far."""

    task: str = ""
    last_prompt: str = ""
    last_words: str = ""
    edited: dict[str, None] = field(default_factory=dict)
    completed: list[str] = field(default_factory=list)
    decisions: list[str] = field(default_factory=list)
    failing: dict[str, str] = field(default_factory=dict)
    unchecked: dict[str, str] = field(default_factory=dict)
    ended_well: bool = False
    outside: bool = False
    #: What a methodology extracted from the agent's last words, and its id.
    own: dict[str, Any] = field(default_factory=dict)
    methodology: str = ""

    @property
    def worth_keeping(self) -> bool:
        """Whether there is anything to continue from."""
        return bool(self.edited or self.completed)

    def prompt(self, words: str) -> None:
        """Record a prompt of the user."""
        said = plain(words)[:_PROMPT]
        self.task = self.task or said
        self.last_prompt = said

    def edit(self, paths: Iterable[str]) -> None:
        """Record changed files; the newest are kept. From then on it is unknown whether earlier
        failures persist."""
        for path in paths:
            self.edited.pop(path, None)
            self.edited[path] = None
        self.unchecked.update(self.failing)
        self.failing = {}

    def command(self, words: str, error: str | None) -> None:
        """Record a command. A failing check stays open until the same check succeeds, in whatever
        form, or its change is committed. Other commands that fail are not open: the agent does them
        differently."""
        if error is None and commit_message(words)[0]:
            self.failing, self.unchecked = {}, {}
        ran = checks(words)
        if not ran:
            return
        self.failing = _open(self.failing, ran)
        self.unchecked = _open(self.unchecked, ran)
        if error is not None and not is_harness(error):
            told = plain(_PYTEST.sub("", telling_line(error)) or error)[:200]
            self.failing[plain(words)[:200]] = told

    def extras(self) -> dict[str, Any]:
        """Extras of a memory of type ``work_state``."""
        going = self.last_prompt or self.task
        return {
            "completed": self.completed[-_DONE:],
            "key_decisions": self.decisions[-_DONE:],
            **({"own": self.own, "methodology": self.methodology} if self.own else {}),
            **(
                {"in_progress": {"description": going, **self._next()}}
                if going and not self.ended_well
                else {}
            ),
        }

    def content(self) -> str:
        """Text for a person."""
        parts = [self._asked_for()]
        if self.last_prompt and self.last_prompt != self.task:
            parts.append(_sentence(f"Last asked for: {self.last_prompt}"))
        if self.completed:
            parts.append(_sentence(f"Done: {'; '.join(self.completed[-_DONE:])}"))
        if self.edited:
            names = list(self.edited)[-_FILES:]
            parts.append(f"Changed: {', '.join(f'`{name}`' for name in names)}.")
        for command, error in list(self.failing.items())[-2:]:
            parts.append(f"Still failing: `{command}` ({error}).")
        if self.unchecked and not self.failing:
            parts.append(f"Not run again since the last change: `{list(self.unchecked)[-1]}`.")
        if self.last_words:
            parts.append(f"The agent's last words: {self.last_words}")
        return " ".join(part for part in parts if part)

    def with_task(self, content: str) -> str:
        """A text that ``content`` wrote before the task was known, with the task."""
        if not self.task or content.startswith(_ASKED_FOR):
            return content
        return f"{self._asked_for()} {content}"

    def _asked_for(self) -> str:
        return _sentence(f"{_ASKED_FOR} {self.task}") if self.task else ""

    def last_said(self, words: str) -> None:
        """Record the agent's message at the end of a turn."""
        said = plain(words)
        if MARK not in said[:20]:
            self.last_words = said if len(said) <= _LAST_WORDS else f"{said[:_LAST_WORDS]} [...]"

    def finish(self, outcome: str) -> None:
        """Record the end of the session."""
        self.ended_well = outcome in _TASKS_END

    def state(self) -> dict[str, Any]:
        """State as JSON values."""
        return {**asdict(self), "edited": list(self.edited)[-200:]}

    @classmethod
    def resumed(cls, state: Mapping[str, Any]) -> "Progress":
        """Restore the progress that ``state`` saved."""
        return cls(**{**state, "edited": dict.fromkeys(state["edited"])})

    def _next(self) -> dict[str, str]:
        if not self.failing:
            return {}
        command = list(self.failing)[-1]
        return {"next_step": f"make `{command}` succeed"}


def _open(failed: Mapping[str, str], ran: Sequence[CheckRun]) -> dict[str, str]:
    """Failed checks that none of the checks which ran settles."""
    return {key: why for key, why in failed.items() if not settled(ran, key)}


def _sentence(words: str) -> str:
    """The words, with a full stop unless they end in punctuation."""
    return words if words.endswith((".", "!", "?", "…")) else f"{words}."


def resumed(memory: Memory, now: datetime, *, branch: str = "", words: str = "") -> str:
    """Work state of an earlier session, as text for a session that may continue it on ``branch``.

    It names its unit of work, and its branch where that is another one. ``words`` are those of its
    methodology, where it has any.
    """
    days = max(0, (now - memory.updated_at).days)
    when = "today" if days == 0 else "yesterday" if days == 1 else f"{days} days ago"
    after = f"; {AFTER_OUTSIDE}" if is_tainted(memory) else ""
    unit, stood = memory.work_unit, branch_of_state(memory)
    of = f" with {plain(unit.label)}" if unit else ""
    on = f" on branch {plain(stood)}" if stood and branch and stood != branch else ""
    return (
        f"{MARK}: where an earlier session stood{of}{on} ({when}; {QUOTED}) {citation(memory)} "
        f"{attribution(memory)}{after}: {words or plain(memory.content)}"
    )


def is_tainted(memory: Memory) -> bool:
    """Whether the session had read outside text and nobody has reviewed its state since."""
    return (memory.needs_review or bool(memory.provenance.outside)) and not memory.user_verified
