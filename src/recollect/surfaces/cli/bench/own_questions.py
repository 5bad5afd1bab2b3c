"""Benchmark on a person's own questions: what they cited or found helpful should be found.

Questions come from the person's log with their feedback, and are asked again on the current store,
once with each variant. The benchmark writes nothing to the log.
"""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

from recollect.surfaces.cli.bench.variants import Variant
from recollect.vocabulary.retrievals import Retrieval, Verdict

if TYPE_CHECKING:
    from recollect.engine import Recollect

_DEPTH: Final = 20
_MAX_QUESTIONS: Final = 1_000
_GOOD: Final = frozenset({Verdict.CITED, Verdict.HELPFUL})


def gold_of(question: Retrieval) -> frozenset[str]:
    """Expected results of a question: what was cited, or the first result if the answer helped."""
    good = [one for one in question.feedback if one.verdict in _GOOD]
    named = {one.item for one in good if one.item is not None}
    if not named and good and question.served:
        named = {question.served[0].id}
    return frozenset(named)


def measured(memory: "Recollect", tried: Sequence[Variant]) -> dict[str, Any]:
    """Figures of each variant on the questions with feedback."""
    judged = [(one, gold) for one in _asked(memory) if (gold := gold_of(one))]
    variants = [_figures(memory, judged, one) for one in tried]
    return {"questions": len(judged), "variants": variants}


def _asked(memory: "Recollect") -> Iterator[Retrieval]:
    cursor: str | None = None
    seen = 0
    while seen < _MAX_QUESTIONS:
        page = memory.retrievals(cursor=cursor, limit=200)
        yield from page.items
        seen, cursor = seen + len(page.items), page.next_cursor
        if cursor is None:
            return


def _figures(
    memory: "Recollect", judged: Sequence[tuple[Retrieval, frozenset[str]]], variant: Variant
) -> dict[str, Any]:
    ranks: list[int | None] = []
    for question, gold in judged:
        found = memory.recall(
            question.query,
            limit=variant.results or _DEPTH,
            profile=variant.profile,
            phase=question.phase,
            explicit=False,
            shown=False,
        )
        ids = [one.id for one in found]
        ranks.append(next((place for place, each in enumerate(ids, 1) if each in gold), None))
    count = max(1, len(ranks))
    return {
        "name": variant.name,
        "first": round(100 * sum(rank == 1 for rank in ranks) / count, 1),
        "r5": round(100 * sum(rank is not None and rank <= 5 for rank in ranks) / count, 1),
        "r10": round(100 * sum(rank is not None and rank <= 10 for rank in ranks) / count, 1),
        "mean_reciprocal_rank": round(sum(1 / rank for rank in ranks if rank) / count, 3),
    }
