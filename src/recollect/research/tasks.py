"""The three model tasks of research: plan what to search, reflect on what was found, synthesise.

What was found is given to a model as numbered passages, each with its author, its place and a mark
where it comes from outside or gives orders. The local forms plan by rules, reflect by the evidence
and leave the wording to the passages themselves.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from recollect.inference.tasks import Task
from recollect.research.questions import sub_questions
from recollect.trust.quoted_text import attribution, indented
from recollect.vocabulary.events import Event

_LONGEST_PASSAGE: Final = 1_000


@dataclass(frozen=True, slots=True)
class Gathered:
    """A question, and the passages that were gathered for it so far."""

    question: str
    passages: tuple[str, ...] = ()
    searched: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SearchPlan:
    """Whether what is there suffices, and what to search for where it does not."""

    sufficient: bool = False
    searches: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Reflection:
    """How sure it is that the passages answer, from 0 to 1, and what to search for next."""

    confidence: float
    searches: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class WordedAnswer:
    """An answer whose sentences cite [n]; ``known`` is False when the passages do not answer."""

    known: bool
    answer: str = ""


def local_plan(given: Gathered) -> SearchPlan:
    """The question and its parts, those that were not searched for yet."""
    fresh = tuple(one for one in sub_questions(given.question) if one not in given.searched)
    return SearchPlan(not fresh, fresh)


def local_reflection(_: Gathered) -> Reflection:
    """Nothing of its own: the evidence is weighed where the events themselves are at hand."""
    return Reflection(0.0)


def no_words(_: Gathered) -> WordedAnswer:
    """No words of its own: without a model the passages speak."""
    return WordedAnswer(False)


#: A round is counted when it is planned; what else it asks is checked for its cents alone.
PLAN: Final = Task("research_plan", SearchPlan, local_plan, budget="iterations", tokens=400)
REFLECT: Final = Task("research_reflect", Reflection, local_reflection, budget=None, tokens=300)
SYNTHESISE: Final = Task("research_synthesise", WordedAnswer, no_words, budget=None, tokens=900)


def passages_of(events: Sequence[Event], streams: dict[str, str], viewer: str) -> tuple[str, ...]:
    """Events as numbered passages for a prompt; no line of one can pass for another."""
    return tuple(
        f"[{number}] {attribution(one, viewer)}, in {_safe(streams.get(one.stream_id, ''))}, "
        f"{one.occurred_at:%Y-%m-%d}: {indented(one.text[:_LONGEST_PASSAGE])}"
        for number, one in enumerate(events, 1)
    )


def _safe(name: str) -> str:
    return " ".join("".join(sign for sign in name if sign not in "[]()<>`;:\n").split())[:60]
