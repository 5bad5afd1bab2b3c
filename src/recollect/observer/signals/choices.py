"""Signal 25: what a user chose when the agent asked with a list of answers.

The question names its subject and the answer is the user's, so both together are a decision that
stands alone. Questions about the next step of the work are no decisions, and of two alike questions
the later answer holds.
"""

import re
from collections.abc import Iterable
from typing import Any, Final

from recollect.observer.candidates import Candidate, moment_of
from recollect.observer.names import are_related
from recollect.observer.phrases import digest, quoted, shortened
from recollect.observer.scratchpad import Scratchpad
from recollect.observer.signals.turn_text import ASKED
from recollect.observer.taxonomy import Signal
from recollect.vocabulary.acts import Act, ActKind
from recollect.vocabulary.memory_types import MemoryType

KEPT: Final = 60
_TOOLS: Final = frozenset({"AskUserQuestion", "ask_user_question", "request_user_input"})
#: A question with its answer, as the tool reports them.
_ANSWERED: Final = re.compile(
    r"\"([^\"\n]{12,500})\"=\"([^\"\n]{2,500}(?:\"[^\",=\n]{1,80}\"[^\"\n]{0,200}){0,3})\""
)
#: Questions and answers about the course of the work.
_COURSE: Final = re.compile(
    r"\b(?:next|proceed|continue|go ahead|ready|start|begin|commit|push|merge|pull request|PR|"
    r"branch|worktree|sub-?agents?|this session|execution|look right|look good|correct\?|"
    r"plan|tasks?|todos?|first\?)\b",
    re.I,
)
_RUN: Final = re.compile(
    r"(?:run|start|continue|proceed|yes|no|ok(?:ay)?|skip|other|done|none)\b|/", re.I
)
#: Words of an own answer that says how something should be.
_OWN_RULE: Final = re.compile(
    r"\b(?:only|never|always|not|should|must|instead|don't|via|by)\b", re.I
)
_LONG_ANSWER: Final = 40
#: Words that point at what was on the screen when the question was asked.
_POINTING: Final = re.compile(r"\b(?:this|that|these|those|it)\b", re.I)
_RECOMMENDED: Final = re.compile(r"\s?\((?:recommended|default)\)", re.I)
#: Number of words that two questions about the same share.
_ALIKE: Final = 3
_QUESTION: Final = 200
_ANSWER: Final = 300


class Choices:
    """Detects answers to questions that the agent asked by a tool."""

    name = "choices"
    hears = (ActKind.RESULT,)

    def __init__(self) -> None:
        self._found: list[dict[str, Any]] = []

    def hear(self, act: Act, pad: Scratchpad) -> None:
        """Record the decisions among the answers; a later one replaces an earlier about the
        same."""
        call = pad.call_of(act)
        if (call.tool or act.tool) not in _TOOLS:
            return
        for question, answer in _ANSWERED.findall(act.text[:8_000]):
            chosen = _RECOMMENDED.sub("", answer).strip()
            if is_decision(question, chosen):
                self._found = [
                    one for one in self._found if not are_related(one["asked"], question, _ALIKE)
                ]
                told = {
                    "asked": question,
                    "chosen": chosen,
                    "step": act.step,
                    "event": act.event,
                    "at": act.at.timestamp(),
                }
                self._found = [*self._found, told][-KEPT:]

    def gather(self, pad: Scratchpad) -> Iterable[Candidate]:
        """The decisions that held at the end."""
        for one in self._found:
            asked, chosen = str(one["asked"]), str(one["chosen"])
            yield Candidate(
                signal=Signal.CHOICE,
                key=digest(f"{asked} {chosen}"),
                type=MemoryType.DECISION,
                content=(
                    f"The user decided: {quoted(shortened(chosen, _ANSWER))}\n"
                    f"{ASKED}“{shortened(asked, _QUESTION)}”"
                ),
                session=pad.session,
                step=int(one["step"]),
                at=moment_of(one),
                confidence=0.88,
                events=(one["event"],) if one["event"] else (),
            )

    def state(self) -> Any:
        """The decisions."""
        return self._found

    def resume(self, state: Any) -> None:
        """Restore saved state."""
        self._found = state


def is_decision(question: str, answer: str) -> bool:
    """Whether an answer decides about the project rather than about the next step. Somebody who
    writes an answer of their own to such a question may still lay down a rule, if it names what it
    is about: the question does not."""
    own = len(answer) >= _LONG_ANSWER and not _RUN.match(answer)
    if own and _OWN_RULE.search(answer) and not _POINTING.search(answer):
        return True
    return _COURSE.search(question) is None and _RUN.match(answer) is None
