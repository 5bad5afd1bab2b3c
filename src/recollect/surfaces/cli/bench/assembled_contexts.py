"""Benchmark of assembled contexts: at session starts, for questions, and by compression level.

``sessions``: transcripts are replayed in the order of time. At the start of each session a context
is assembled from its first prompt, its branch and its first file. What the session needed later are
the memories, known by then, about files that it touched after that. Measured are the share of these
in the context, and the share given there in words.

``questions``: every turn of a conversation is a memory. Of the gold turns that an unlimited recall
finds, the share that an assembled context of 8,000 tokens gives; and the share of questions whose
answer's words, where the gold turns hold them, the context holds. For comparison the same without
memory: what the last 8,000 tokens of the conversation hold, which is all an assistant would see.

``levels``: of the questions whose answer's words are in one gold turn, how many can be answered
from its summary, and how many from its compressed level.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Final

from recollect.engine.for_surfaces import (
    count_tokens,
    filled_levels,
    query_terms,
    sessions_of,
)
from recollect.engine.transcripts import acts_of
from recollect.surfaces.cli.bench.sets import BenchQuestion, Conversation
from recollect.vocabulary.assembly import Tier
from recollect.vocabulary.errors import InvalidInput, Quarantined
from recollect.vocabulary.memory import Levels, Memory
from recollect.vocabulary.memory_types import MemoryType

if TYPE_CHECKING:
    from recollect.engine import Recollect
    from recollect.engine.for_surfaces import Played

Advance = Callable[[int, int | None, str], None]
Opener = Callable[[Path], "Recollect"]
#: Selects the sessions or questions to measure by name.
Wanted = Callable[[str], bool]

BUDGET: Final = 8_000
_PAGE: Final = 1_000
_LONGEST_TASK: Final = 2_000
_LONGEST_BRANCH: Final = 200


def everything_wanted(_: str) -> bool:
    """Select everything of a set."""
    return True


@contextmanager
def _store(opener: Opener) -> "Iterator[Recollect]":
    with (
        TemporaryDirectory(prefix="recollect-bench-") as folder,
        opener(Path(folder) / "living.db") as memory,
    ):
        yield memory


def sessions(
    path: Path, opener: Opener, advance: Advance, wanted: Wanted = everything_wanted
) -> dict[str, Any]:
    """Share of what sessions needed that was in the context at their start."""
    played = sessions_of(acts_of(path))
    if not played:
        raise InvalidInput(f"{str(path)!r} holds no sessions.")
    with _store(opener) as memory:
        memory.agents.set_trust(4)
        starts = _SessionStarts(memory)

        def learned(count: int, name: str) -> None:
            """Called when a number of sessions is learned and the next begins."""
            advance(count, len(played), name)
            for following in played[count : count + 1]:
                if wanted(following.name):
                    starts.begin(following)

        memory.learning.replay(path, progress=learned)
        total = len(_memories(memory))
    return {
        "sessions": starts.counted,
        "memories": total,
        "needed": starts.needed,
        "assembled": _share(starts.given, starts.needed),
        "told_in_words": _share(starts.told, starts.needed),
    }


class _SessionStarts:
    """Counts of what sessions needed later, and how much of it their first context gave."""

    def __init__(self, memory: "Recollect") -> None:
        self._memory = memory
        self.counted = self.needed = self.given = self.told = 0

    def begin(self, session: "Played") -> None:
        """Assemble a context for a session that begins, and count which known memories it will
        need.
        """
        later = set(session.files[1:])
        about = {one.id for one in _memories(self._memory) if later.intersection(one.files)}
        if not about:
            return
        signals = {
            "task": session.prompt[:_LONGEST_TASK],
            "branch": session.branch[:_LONGEST_BRANCH],
            "current_file": next(iter(session.files), None),
        }
        tiers = {one.id: one.tier for one in self._memory.assemble(BUDGET, signals).entries}
        self.counted += 1
        self.needed += len(about)
        self.given += len(about & tiers.keys())
        self.told += sum(tiers.get(one, Tier.INDEX) is not Tier.INDEX for one in about)


def _memories(memory: "Recollect") -> list[Memory]:
    """All known memories but work states, which describe a session and are no lessons."""
    found: list[Memory] = []
    cursor: str | None = None
    while True:
        page = memory.list(limit=_PAGE, cursor=cursor)
        found += [one for one in page.items if one.type is not MemoryType.WORK_STATE]
        cursor = page.next_cursor
        if cursor is None:
            return found


def questions(
    conversations: Sequence[Conversation],
    opener: Opener,
    advance: Advance,
    wanted: Wanted = everything_wanted,
) -> dict[str, Any]:
    """Share of the answering turns that an assembled context gives, against unlimited recall."""
    counts = {"found": 0, "told": 0, "asked": 0, "answerable": 0, "with": 0, "without": 0}
    for number, talk in enumerate(conversations):
        with _store(opener) as memory:
            turns = _kept(memory, talk)
            texts = {one.id: one.text for one in talk.turns}
            seen = _words(_end_of(talk))
            for question in _counted(talk, wanted):
                gold = {turns[one] for one in question.gold if one in turns}
                hits = memory.recall(question.text, kinds="memory", limit=_PAGE, explicit=False)
                recalled = gold & {one.id for one in hits}
                context = memory.assemble(BUDGET, {"task": question.text})
                told = {one.id for one in context.entries if one.tier is not Tier.INDEX}
                counts["found"] += len(recalled)
                counts["told"] += len(recalled & told)
                counts["asked"] += 1
                answer = _words(question.answer)
                if answer and answer <= _words(" ".join(texts[one] for one in question.gold)):
                    counts["answerable"] += 1
                    counts["with"] += answer <= _words(context.context)
                    counts["without"] += answer <= seen
        advance(number + 1, len(conversations), talk.id)
    return {
        "questions": counts["asked"],
        "gold_told": _share(counts["told"], counts["found"]),
        "answerable_by_words": counts["answerable"],
        "answered_by_words": _share(counts["with"], counts["answerable"]),
        "answered_without_memory": _share(counts["without"], counts["answerable"]),
    }


def _kept(memory: "Recollect", talk: Conversation) -> dict[str, str]:
    """Store every turn as a memory; turns that read like orders are quarantined, as in use."""
    kept: dict[str, str] = {}
    for one in talk.turns:
        with suppress(Quarantined):
            said = f"{one.speaker}: {one.text}"
            kept[one.id] = memory.remember(said, repeats="keep", type="episode").id
    return kept


def _end_of(talk: Conversation) -> str:
    """Last turns that fit the budget: what an assistant without memory sees."""
    said: list[str] = []
    left = BUDGET
    for one in reversed(talk.turns):
        line = f"{one.speaker}: {one.text}"
        left -= count_tokens(line)
        if left < 0:
            break
        said.append(line)
    return "\n".join(said)


def levels(
    conversations: Iterable[Conversation], wanted: Wanted = everything_wanted
) -> dict[str, Any]:
    """Of questions that one gold turn answers literally, how many a shorter level answers."""
    counts = {"full": 0, "summary": 0, "compressed": 0}
    tokens = dict(counts)
    for talk in conversations:
        texts = {one.id: one.text for one in talk.turns}
        for question in _counted(talk, wanted):
            answer = _words(question.answer)
            said = [texts[one] for one in question.gold if answer <= _words(texts[one])]
            if not answer or not said:
                continue
            made = filled_levels(said[0], Levels(), MemoryType.FACT)
            for name, form, count in (
                ("full", said[0], made.full_tokens),
                ("summary", made.summary or "", made.summary_tokens),
                ("compressed", made.compressed or "", made.compressed_tokens),
            ):
                counts[name] += answer <= _words(form)
                tokens[name] += count or 0
    full = counts["full"]
    return {
        "questions": full,
        **{name: _share(counts[name], full) for name in ("summary", "compressed")},
        "tokens": {name: round(tokens[name] / max(1, full), 1) for name in tokens},
    }


def _counted(talk: Conversation, wanted: Wanted) -> list[BenchQuestion]:
    return [one for one in talk.questions if one.counted and wanted(one.text)]


def _words(text: str) -> set[str]:
    return set(query_terms(text))


def _share(part: int, whole: int) -> float:
    return round(part / max(1, whole), 4)
