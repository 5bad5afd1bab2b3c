"""The three model tasks of research: plan searches, reflect on the results, synthesise an answer.

A model gets the results as numbered passages, each with its author, its place and a mark where it
comes from outside or gives orders. Without a model, rules plan, the evidence is used to reflect,
and the passages themselves are quoted.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from recollect.inference.tasks import Task
from recollect.research.questions import sub_questions
from recollect.trust.quoted_text import attribution, indented
from recollect.vocabulary.events import Event, day_of

_LONGEST_PASSAGE: Final = 1_000


@dataclass(frozen=True, slots=True)
class Gathered:
    """A question, and the passages gathered for it so far."""

    question: str
    passages: tuple[str, ...] = ()
    searched: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SearchPlan:
    """Whether the passages suffice, and what to search for where they do not."""

    sufficient: bool = False
    searches: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Reflection:
    """Confidence that the passages answer, from 0 to 1, and what to search for next."""

    confidence: float
    searches: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class WordedAnswer:
    """An answer whose sentences cite [n]; ``known`` is False when the passages do not answer."""

    known: bool
    answer: str = ""


def local_plan(given: Gathered) -> SearchPlan:
    """The question and those of its parts that were not searched for yet."""
    fresh = tuple(one for one in sub_questions(given.question) if one not in given.searched)
    return SearchPlan(not fresh, fresh)


def local_reflection(_: Gathered) -> Reflection:
    """An empty reflection: without a model, the evidence is measured where the events are
    available.
    """
    return Reflection(0.0)


def no_words(_: Gathered) -> WordedAnswer:
    """An empty answer: without a model, the passages are quoted."""
    return WordedAnswer(False)


#: A round is counted when it is planned; its other model calls are checked for cost alone.
PLAN: Final = Task("research_plan", SearchPlan, local_plan, budget="iterations", tokens=400)
REFLECT: Final = Task("research_reflect", Reflection, local_reflection, budget=None, tokens=300)
SYNTHESISE: Final = Task("research_synthesise", WordedAnswer, no_words, budget=None, tokens=900)


def passages_of(events: Sequence[Event], streams: dict[str, str], viewer: str) -> tuple[str, ...]:
    """Events as numbered passages for a prompt; no line of one can pass for another."""
    return tuple(
        f"[{number}] {attribution(one, viewer)}, in {_safe(streams.get(one.stream_id, ''))}, "
        f"{day_of(one)}: {indented(one.text[:_LONGEST_PASSAGE])}"
        for number, one in enumerate(events, 1)
    )


def _safe(name: str) -> str:
    return " ".join("".join(sign for sign in name if sign not in "[]()<>`;:\n").split())[:60]
