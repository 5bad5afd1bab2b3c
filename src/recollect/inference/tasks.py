"""A task for a model: a typed input, a typed output, a prompt file, and a local implementation.

Whatever the model does (nothing, nonsense, too late, too expensive), the local answer is used and
the caller continues. The result says which of the two answered, and every call is recorded with its
cost.
"""

from collections.abc import Callable
from dataclasses import dataclass, fields, is_dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final, Generic, TypeVar

from recollect.inference.budgets import Spending
from recollect.inference.chat_model import ChatModel, ModelAnswer
from recollect.inference.json_answers import fitted, json_in
from recollect.vocabulary.errors import InferenceError

I = TypeVar("I")  # noqa: E741
O = TypeVar("O")  # noqa: E741

_PROMPTS: Final = Path(__file__).parent / "prompts"
_LONGEST_FIELD: Final = 12_000


@dataclass(frozen=True, slots=True)
class Task(Generic[I, O]):
    """One task that a model can do."""

    name: str
    output: type[O]
    local: Callable[[I], O]
    #: The budget that each call counts in; None if the caller counts, and only cents are checked.
    budget: str | None = "enrichments"
    tokens: int = 400
    longest: int = _LONGEST_FIELD


@dataclass(frozen=True, slots=True)
class TaskResult(Generic[O]):
    """Result of a task: the value, its source, and why it is not the model's, if it is not."""

    value: O
    by: str
    why: str = ""


class Tasks:
    """Runs tasks, with a model or without."""

    def __init__(self, model: ChatModel | None = None, spending: Spending | None = None) -> None:
        self._model = model
        self._spending = spending

    @property
    def has_model(self) -> bool:
        """Whether there is a model to ask."""
        return self._model is not None

    def run(self, space_id: str, task: Task[I, O], given: I) -> TaskResult[O]:
        """The model's answer if available, the local one otherwise."""
        if self._model is None:
            return TaskResult(task.local(given), "local", "no model is configured")
        if not self._affordable(space_id, task):
            return TaskResult(
                task.local(given),
                "local",
                f"the month's budget ({task.budget or 'cents'}) is used up",
            )
        try:
            return TaskResult(self._ask(space_id, self._model, task, given), self._model.name)
        except (InferenceError, ValueError) as error:
            return TaskResult(task.local(given), "local", str(error))

    def _affordable(self, space_id: str, task: Task[I, O]) -> bool:
        if self._spending is None:
            return True
        return self._spending.within(space_id, "cents") and (
            task.budget is None or self._spending.spend(space_id, task.budget)
        )

    def _ask(self, space_id: str, model: ChatModel, task: Task[I, O], given: I) -> O:
        system, _, prompt = prompt_of(task.name).partition("\n---\n")
        outcome = "failed"
        answer = ModelAnswer("")
        try:
            answer = model.answer(
                system.strip(), filled(prompt, given, task.longest), tokens=task.tokens
            )
            outcome = "unusable"
            value = fitted(task.output, json_in(answer.text))
            outcome = "good"
        finally:
            self._record(space_id, model, task.name, answer, outcome)
        return value

    def _record(
        self, space_id: str, model: ChatModel, task: str, answer: ModelAnswer, outcome: str
    ) -> None:
        if self._spending is not None:
            self._spending.record(
                space_id,
                task=task,
                model=model.name,
                tokens=(answer.input_tokens, answer.output_tokens),
                cents=model.cents(answer),
                outcome=outcome,
            )


@cache
def prompt_of(name: str) -> str:
    """The prompt file of a task: the system prompt, a line of dashes, the question."""
    return (_PROMPTS / f"{name}.md").read_text("utf-8")


def filled(prompt: str, given: Any, longest: int = _LONGEST_FIELD) -> str:
    """The prompt with the input in its placeholders, each cut if long. Input cannot contain
    placeholders of its own.
    """
    if not is_dataclass(given):
        raise TypeError("the input of a task is a dataclass")
    parts = prompt.split("{{")
    values = {one.name: _prompt_text(getattr(given, one.name))[:longest] for one in fields(given)}
    text = parts[0]
    for part in parts[1:]:
        name, _, rest = part.partition("}}")
        text += values[name.strip()] + rest
    return text


def _prompt_text(value: Any) -> str:
    if isinstance(value, tuple | list):
        return "\n".join(_prompt_text(item) for item in value)
    return "" if value is None else str(value)
