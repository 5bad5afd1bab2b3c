"""Benchmark of recall: asks every question of a data set and measures how much gold is found.

Everything goes through the public verbs on a separate real store: a conversation is written as JSON
lines and imported into a space, a session is a stream, and each question is one recall. Whatever
could not be imported or asked is counted and reported with the figures.
"""

import json
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from statistics import fmean
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from recollect.surfaces.cli.bench.sets import BenchQuestion, Conversation

if TYPE_CHECKING:
    from recollect.engine import Recollect
    from recollect.engine.for_surfaces import Profile
    from recollect.vocabulary.reports import ImportReport

TURNS: Final = (5, 10, 20, 50)
SESSIONS: Final = (1, 3, 5, 10)
DEPTH: Final = 100
PROBLEMS: Final = 10
_WORK_SECONDS: Final = 60.0
#: Weight that has almost no effect and only keeps a profile computing the context signals.
_NOTHING: Final = 1e-6

Advance = Callable[[int, int, str], None]


@dataclass(frozen=True, slots=True)
class QuestionResult:
    """Result of one question."""

    conversation: str
    asked: BenchQuestion
    found: tuple[str, ...]
    sessions: tuple[str, ...]
    gold_sessions: frozenset[str]
    milliseconds: float

    def share(self, depth: int) -> float:
        """Share of the gold among the first results."""
        return len(set(self.asked.gold) & set(self.found[:depth])) / len(self.asked.gold)

    def session_hit(self, depth: int) -> bool:
        """Whether a session with gold is among the first sessions."""
        return bool(self.gold_sessions & set(self.sessions[:depth]))


@dataclass(slots=True)
class Losses:
    """Parts of a data set that are missing in its figures, and why."""

    asked: int = 0
    turns: int = 0
    without_time: int = 0
    unasked: int = 0
    unknown_gold: int = 0
    problems: list[str] = field(default_factory=list)

    def count(self, one: Conversation, report: "ImportReport", known: Collection[str]) -> None:
        """Add what one conversation lost on import."""
        self.asked += len(one.questions)
        lost = [turn.id for turn in one.turns if turn.id not in known]
        self.turns += len(lost)
        self.without_time += report.without_time + one.unread_times
        self.unasked += one.unasked
        self.unknown_gold += one.unknown_gold
        told = report.problems or tuple(f"turn {name} was not imported" for name in lost)
        self.problems += [f"{one.id}: {why}" for why in told][: PROBLEMS - len(self.problems)]

    def sentences(self) -> list[str]:
        """Losses as sentences; none when nothing was lost."""
        counts = (
            (self.turns, "turns could not be imported: the figures are not those of the set"),
            (self.without_time, "turns or sessions were kept without a time that can be read"),
            (self.unasked, "questions were not asked, because none of their gold is in the set"),
            (self.unknown_gold, "names of gold turns are not in the set"),
        )
        return [f"{count:,} {what}." for count, what in counts if count] + self.problems


class Measurement(NamedTuple):
    """Results of every question by profile, and the losses before."""

    found: list[list[QuestionResult]]
    losses: Losses


def compared(
    conversations: Sequence[Conversation],
    open_store: Callable[[Path], "Recollect"],
    profiles: "Sequence[str | Profile | None]",
    *,
    advance: Advance,
    weigh: "tuple[Profile, Sequence[Profile]] | None" = None,
) -> Measurement:
    """Import each conversation into a separate space and ask its questions with each profile.

    With ``weigh`` each question is asked with that profile, and the signals of the first hundred
    results are combined with the weights of each other one; it is asked again only for those that
    differ in more than their weights.
    """
    found: list[list[QuestionResult]] = [[] for _ in profiles]
    losses = Losses()
    with ExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory(prefix="recollect-bench-")))
        memory = stack.enter_context(open_store(folder / "bench.db"))
        total = len(conversations) * len(profiles)
        for number, one in enumerate(conversations):
            view = memory.within(space=f"bench {number}")
            ids, imported = import_turns(view, one, folder / f"{number}.jsonl")
            make_vectors(view)
            losses.count(one, imported, set(ids.values()))
            if weigh is not None:
                advance(number * len(profiles), total, one.id)
                for results in _weighed(view, one, ids, *weigh):
                    for place, result in enumerate(results):
                        found[place].append(result)
                continue
            for place, profile in enumerate(profiles):
                advance(number * len(profiles) + place, total, one.id)
                found[place].extend(_ask_all(view, one, ids, profile))
        advance(total, total, "done")
    return Measurement(found, losses)


def first(found: Sequence[QuestionResult], count: int | None) -> list[QuestionResult]:
    """The same answers cut to a number of results."""
    if count is None:
        return list(found)
    return [replace(one, found=one.found[:count], sessions=one.sessions[:count]) for one in found]


def sampled(conversations: Sequence[Conversation], share: int) -> list[Conversation]:
    """The same conversations with every ``share``-th question."""
    return [replace(one, questions=one.questions[::share]) for one in conversations]


def import_turns(
    view: "Recollect", one: Conversation, path: Path
) -> "tuple[dict[str, str], ImportReport]":
    """Import the turns; return the data set's id of every event, and the import report."""
    with path.open("w", encoding="utf-8") as file:
        for turn in one.turns:
            line = {
                "text": turn.text or " ",
                "author": turn.speaker,
                "session": turn.session or "conversation",
                "id": turn.id,
                "turn": turn.id,
                **({} if turn.time is None else {"time": turn.time}),
            }
            file.write(json.dumps(line, ensure_ascii=False) + "\n")
    report = view.import_(path, format="jsonl")
    return dict(_imported(view)), report


def make_vectors(view: "Recollect") -> None:
    """Run the jobs that make vectors, where the import did not make them itself: a neural model
    does that later, and without them its words alone would be measured."""
    told = view.stats()
    if told["embedder"] is not None and not told["vectors"].get(told["embedder"]):
        while view.work(_WORK_SECONDS):
            pass


def _imported(view: "Recollect") -> Iterator[tuple[str, str]]:
    for stream in _pages(view.streams):
        for event in _pages(lambda cursor, name=stream.name: view.read(name, cursor=cursor)):
            yield event.id, str(event.payload["turn"])


def _pages(read: Callable[..., Any]) -> Iterator[Any]:
    cursor: str | None = None
    while True:
        page = read(cursor=cursor)
        yield from page.items
        cursor = page.next_cursor
        if cursor is None:
            return


def _ask_all(
    view: "Recollect",
    one: Conversation,
    ids: dict[str, str],
    profile: "str | Profile | None",
) -> Iterator[QuestionResult]:
    home = {turn.id: turn.session for turn in one.turns}
    for asked in one.questions:
        start = perf_counter()
        result = view.recall(
            asked.text, limit=DEPTH, kinds="event", profile=profile, explicit=False
        )
        spent = (perf_counter() - start) * 1_000
        turns = tuple(ids[hit.id] for hit in result)
        yield QuestionResult(
            one.id,
            asked,
            turns,
            tuple(dict.fromkeys(home[turn] for turn in turns)),
            frozenset(home[turn] for turn in asked.gold),
            spent,
        )


def _weighed(
    view: "Recollect",
    one: Conversation,
    ids: dict[str, str],
    profile: "Profile",
    tried: "Sequence[Profile]",
) -> Iterator[list[QuestionResult]]:
    """Every question with its results in the order of each set of weights: a signal that the set
    has counts as it did."""
    home = {turn.id: turn.session for turn in one.turns}
    whole = [replace(each, weights=profile.weights) for each in tried]
    asked_with = [each for place, each in enumerate(whole) if each not in whole[:place]]
    for asked in one.questions:
        start = perf_counter()
        answers = [
            view.recall(
                asked.text, limit=DEPTH, kinds="event", profile=each, explicit=False, explain=True
            )
            for each in asked_with
        ]
        spent = (perf_counter() - start) * 1_000 / len(asked_with)
        results = []
        for each, same in zip(tried, whole, strict=True):
            found = answers[asked_with.index(same)]
            scores = [
                sum(
                    part.share
                    for part in (hit.why.parts if hit.why else ())
                    if abs(each.weights.get(part.signal, 0.0)) > _NOTHING
                )
                for hit in found
            ]
            order = sorted(range(len(scores)), key=scores.__getitem__, reverse=True)
            turns = tuple(ids[found.found[place].id] for place in order)
            results.append(
                QuestionResult(
                    one.id,
                    asked,
                    turns,
                    tuple(dict.fromkeys(home[turn] for turn in turns)),
                    frozenset(home[turn] for turn in asked.gold),
                    spent,
                )
            )
        yield results


def report(found: Sequence[QuestionResult]) -> dict[str, Any]:
    """Figures in percent: counted questions together, and each category."""
    counted = [one for one in found if one.asked.counted]
    by_category: dict[str, list[QuestionResult]] = defaultdict(list)
    for one in found:
        by_category[one.asked.category].append(one)
    return {
        "questions": len(counted),
        **_figures(counted),
        "query_ms": _times([one.milliseconds for one in found]),
        "categories": {
            name: {"questions": len(some), **_figures(some)}
            for name, some in sorted(by_category.items())
        },
    }


def details(found: Iterable[QuestionResult]) -> list[dict[str, Any]]:
    """Details of each question, one object per question."""
    return [
        {
            "conversation": one.conversation,
            "question": one.asked.text,
            "category": one.asked.category,
            "gold": list(one.asked.gold),
            "found": list(one.found[: max(TURNS)]),
            "r10": _percent(one.share(10)),
        }
        for one in found
    ]


def _figures(some: Sequence[QuestionResult]) -> dict[str, Any]:
    def mean(value: Callable[[QuestionResult, int], float], depth: int) -> float:
        return _percent(fmean(value(one, depth) for one in some)) if some else 0.0

    return {
        "turn": {f"r{depth}": mean(QuestionResult.share, depth) for depth in TURNS},
        "any": {f"any{depth}": mean(_any, depth) for depth in TURNS},
        "all": {f"all{depth}": mean(_all, depth) for depth in TURNS},
        "session": {f"any{depth}": mean(QuestionResult.session_hit, depth) for depth in SESSIONS},
    }


def _any(one: QuestionResult, depth: int) -> bool:
    return one.share(depth) > 0


def _all(one: QuestionResult, depth: int) -> bool:
    return one.share(depth) == 1


def _times(spent: Sequence[float]) -> dict[str, float]:
    if not spent:
        return {"p50": 0.0, "p95": 0.0}
    ordered = sorted(spent)
    return {
        "p50": round(ordered[len(ordered) // 2], 2),
        "p95": round(ordered[int(len(ordered) * 0.95)], 2),
    }


def _percent(share: float) -> float:
    return round(100 * share, 1)
