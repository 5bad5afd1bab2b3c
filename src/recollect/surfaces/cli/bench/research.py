"""Benchmark of research: is evidence cited, is the unknown admitted, are quotes real.

Every question is one ``research`` on a real store, and each conversation has a separate space.
Questions that do not count have no answer in their conversation: the right response is that nothing
was found. ``citations_recall`` is the share of the gold turns among at most five citations; the
nearest messages shown beside "I could not find this" count as cited, and
``citations_recall_answered`` leaves them out. Figures are in percent except the balanced accuracy.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import TYPE_CHECKING, Any, Final

from recollect.surfaces.cli.bench.measure import Advance, import_turns
from recollect.surfaces.cli.bench.sets import BenchQuestion, Conversation

if TYPE_CHECKING:
    from recollect.engine import Recollect
    from recollect.vocabulary.research import ResearchAnswer

MAX_CITED: Final = 5
_WORD: Final = re.compile(r"[^\W_]+")
_ARTICLES: Final = frozenset({"a", "an", "the", "and"})


@dataclass(frozen=True, slots=True)
class ResearchedQuestion:
    """Result of research on one question."""

    asked: BenchQuestion
    answer: "ResearchAnswer"
    cited: tuple[str, ...]
    verbatim: int
    milliseconds: float

    @property
    def recall(self) -> float:
        """Share of the gold that is cited."""
        return len(set(self.asked.gold) & set(self.cited)) / len(self.asked.gold)

    @property
    def f1(self) -> float:
        """Word overlap (F1) of the bare answer and the expected one."""
        return token_f1(self.answer.short if self.answer.known else "", self.asked.answer)


def measured(
    conversations: Sequence[Conversation],
    open_store: Callable[[Path], "Recollect"],
    advance: Advance,
) -> dict[str, Any]:
    """Figures: counted questions together, and each category."""
    found: list[ResearchedQuestion] = []
    with ExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory(prefix="recollect-bench-")))
        memory = stack.enter_context(open_store(folder / "bench.db"))
        for number, one in enumerate(conversations):
            advance(number, len(conversations), one.id)
            view = memory.within(space=f"research {number}")
            turns, _ = import_turns(view, one, folder / f"{number}.jsonl")
            found += [_asked(view, asked, turns) for asked in one.questions]
        advance(len(conversations), len(conversations), "done")
    return report(found)


def report(found: Sequence[ResearchedQuestion]) -> dict[str, Any]:
    """Figures of the questions that were asked."""
    counted = [one for one in found if one.asked.counted]
    unanswerable = [one for one in found if not one.asked.counted]
    by_category: dict[str, list[ResearchedQuestion]] = defaultdict(list)
    for one in found:
        by_category[one.asked.category].append(one)
    quotes = sum(len(one.answer.citations) for one in found)
    return {
        "questions": len(counted),
        **_figures(counted),
        "balanced_accuracy": _balanced(counted, unanswerable),
        "verbatim_quotes": _percent(sum(one.verbatim for one in found) / quotes if quotes else 1.0),
        "query_ms": _times([one.milliseconds for one in found]),
        "categories": {
            name: {"questions": len(some), **_figures(some)}
            for name, some in sorted(by_category.items())
        },
        "questions_asked": [
            {
                "question": one.asked.text,
                "category": one.asked.category,
                "known": one.answer.known,
                "confidence": one.answer.confidence,
                "short": one.answer.short,
                "expected": one.asked.answer,
                "gold": list(one.asked.gold),
                "citations": list(one.cited),
                "cited": _percent(one.recall),
            }
            for one in found
        ],
    }


def token_f1(said: str, expected: str) -> float:
    """Harmonic mean of the shares of words that two texts have in common."""
    mine, theirs = _words(said), _words(expected)
    common = sum((Counter(mine) & Counter(theirs)).values())
    if not common:
        return 0.0
    precision, recall = common / len(mine), common / len(theirs)
    return 2 * precision * recall / (precision + recall)


def _asked(view: "Recollect", asked: BenchQuestion, turns: dict[str, str]) -> ResearchedQuestion:
    start = perf_counter()
    answer = view.research(asked.text)
    spent = (perf_counter() - start) * 1_000
    cited = answer.citations[:MAX_CITED]
    verbatim = sum(one.quote in getattr(view.get(one.event_id), "text", "") for one in cited)
    return ResearchedQuestion(
        asked, answer, tuple(turns[one.event_id] for one in cited), verbatim, spent
    )


def _figures(some: Sequence[ResearchedQuestion]) -> dict[str, float]:
    if not some:
        return dict.fromkeys(
            ("citations_recall", "citations_recall_answered", "answered", "answer_f1"), 0.0
        )
    return {
        "citations_recall": _percent(fmean(one.recall for one in some)),
        "citations_recall_answered": _percent(
            fmean(one.recall if one.answer.known else 0.0 for one in some)
        ),
        "answered": _percent(fmean(one.answer.known for one in some)),
        "answer_f1": _percent(fmean(one.f1 for one in some)),
    }


def _balanced(
    counted: Sequence[ResearchedQuestion], unanswerable: Sequence[ResearchedQuestion]
) -> float:
    rates = [
        fmean(one.answer.known == wanted for one in some)
        for some, wanted in ((counted, True), (unanswerable, False))
        if some
    ]
    return round(fmean(rates), 3) if rates else 0.0


def _times(spent: Sequence[float]) -> dict[str, float]:
    ordered = sorted(spent) or [0.0]
    return {
        "p50": round(ordered[len(ordered) // 2], 2),
        "p95": round(ordered[int(len(ordered) * 0.95)], 2),
    }


def _words(text: str) -> list[str]:
    return [word for word in _WORD.findall(text.lower()) if word not in _ARTICLES]


def _percent(share: float) -> float:
    return round(100 * share, 1)
