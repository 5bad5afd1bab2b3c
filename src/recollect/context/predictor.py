"""Predicts the memories needed next from file, branch, error, time of day and collaborator.

Each signal contributes memories with a score; per memory, the strongest signal is kept. Predictions
are recorded in the usage log. The measured share of predictions that came true is the confidence of
the next ones. Predicted ids are cached for a few minutes, as long as nothing changes in the space,
and read again through the viewer's access at every use.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Final, NamedTuple

from recollect.context.memory_lookup import WARNINGS, MemoryLookup, may_be_given
from recollect.context.planner import shares_words, telling_of_failure
from recollect.observer.phrases import module_of
from recollect.recall.usage_log import UsageLog
from recollect.recall.usage_reader import UsageReader
from recollect.storage.database import Transaction
from recollect.trust.authorisation import authorise
from recollect.vocabulary.agents import TrustLevel
from recollect.vocabulary.assembly import (
    ContextPrediction,
    ContextSignals,
    PredictedMemory,
    PredictionSignal,
)
from recollect.vocabulary.audiences import Access, Viewer
from recollect.vocabulary.bounded_wishes import holds_at
from recollect.vocabulary.clock import Clock
from recollect.vocabulary.memory import Memory
from recollect.vocabulary.memory_types import MemoryType
from recollect.vocabulary.own_wishes import is_others_wish
from recollect.vocabulary.phases import Phase
from recollect.vocabulary.results import Filters
from recollect.vocabulary.spaces import Space

Who = tuple[Viewer, Space]
#: The files that a session will probably touch next, after some files, a prompt and a branch.
Foretell = Callable[[Transaction, Access, Sequence[str], str, str], Sequence[str]]

#: Trust level of the query: fetches everything, since the actual level is applied on reading.
ANY: Final = TrustLevel.AUTONOMOUS
#: Most memories that are predicted, and most that may be needed: the rest of them is less likely.
MAX_PREDICTIONS: Final = 80
_MAX_GUESSES: Final = 160
#: Scores of a memory about the same file, about its module, and about the same failure.
OF_THE_FILE: Final = 0.9
OF_THE_MODULE: Final = 0.5
MET_BEFORE: Final = 1.5
#: Number of files that will probably follow, and the scores of a memory about the first of them
#: and about the last: all of them before a memory that is only of the same module.
FILES_AHEAD: Final = 40
_AHEAD: Final = (0.7, 0.51)
#: Places among those files at which their memories are read anew, while there are too few.
_STAGES: Final = (0, 6, 16, FILES_AHEAD)
#: A file that only the branch and the task tell of counts so much less than with an open file.
_BY_BRANCH: Final = 0.2
_RECALLED: Final = 24
#: Number of notes examined to find the project's general vocabulary.
_LANGUAGE: Final = 160
_OF_FILES: Final = 60
_KEPT: Final = timedelta(minutes=5)
_CACHED: Final = 64
#: Prior of a signal without figures: predictions that came true, of predictions made.
_PRIOR: Final = (6, 10)
#: A routine was served at this hour on at least this many other days of the last weeks.
_ROUTINE_DAYS: Final = 2
_ROUTINE_SPAN: Final = timedelta(weeks=6)
_ROUTINE_ROWS: Final = 2_000
_NEVER: Final = frozenset(
    {
        MemoryType.WORK_STATE,
        MemoryType.PREFETCH_PATTERN,
        MemoryType.TASK_CALIBRATION,
        MemoryType.CONTEXT_COST,
    }
)


class Noted(NamedTuple):
    """Memories about the files at hand, their modules and the files that usually follow."""

    memories: Sequence[Memory]
    ahead: Sequence[str]


NOTHING_NOTED: Final = Noted((), ())


@dataclass(slots=True)
class Predictor:
    """Predicts memories for one store."""

    lookup: MemoryLookup
    log: UsageLog
    usage: UsageReader
    foretell: Foretell
    clock: Clock
    _routines: dict[tuple[str, str, int], tuple[datetime, list[str]]] = field(default_factory=dict)
    _made: dict[tuple[str, Viewer, ContextSignals], tuple[int, datetime, list["_Guess"]]] = field(
        default_factory=dict
    )

    def predict(self, who: Who, signals: ContextSignals, level: TrustLevel) -> ContextPrediction:
        """Memories that will probably be needed, and the confidence."""
        with self.lookup.database.reading() as transaction:
            access = authorise(transaction, *who)
            moved = self.lookup.space_clock_within(transaction, access)
            noted = self.noted_within(transaction, access, who, signals, moved)
        found = self.predicted(who, signals, level, moved, noted)[:MAX_PREDICTIONS]
        return ContextPrediction(tuple(found), self._confidence(who, found))

    def noted_within(
        self,
        transaction: Transaction,
        access: Access,
        who: Who,
        signals: ContextSignals,
        moved: int,
    ) -> "Noted":
        """Memories about the files at hand, their modules and the files that usually follow, read
        in the caller's transaction; nothing where the prediction is known already."""
        if self._known(who, signals, moved) is not None:
            return NOTHING_NOTED
        files = frozenset(signals.all_files)
        if not (files or signals.branch):
            return NOTHING_NOTED
        modules = frozenset(filter(None, map(module_of, files)))
        modules |= frozenset(signals.modules) if files else frozenset()
        found = self.lookup.about_within(transaction, access, files, modules, _OF_FILES)
        ahead: list[str] = []
        if access.role is not None:  # who may see what was learned here
            likely = self.foretell(
                transaction, access, signals.all_files, signals.task, signals.branch
            )
            ahead = [one for one in likely if one not in files]
        return Noted([*found, *self._ahead_within(transaction, access, ahead)], ahead)

    def _ahead_within(
        self, transaction: Transaction, access: Access, ahead: Sequence[str]
    ) -> Iterable[Memory]:
        """Memories about files that will probably follow: all about the likeliest before those
        about less likely ones, however important those are."""
        left = _MAX_GUESSES
        for start, end in pairwise(_STAGES):
            files = frozenset(ahead[start:end])
            if left <= 0 or not files:
                return
            found = self.lookup.about_within(transaction, access, files, frozenset(), left)
            yield from found
            left -= len(found)

    def predicted(
        self,
        who: Who,
        signals: ContextSignals,
        level: TrustLevel,
        moved: int,
        noted: "Noted",
    ) -> list[PredictedMemory]:
        """Memories that may be needed, highest score first; the first ``MAX_PREDICTIONS`` are the
        prediction, recorded for measurement. ``moved`` is the current value of the space's clock,
        ``noted`` is from ``noted_within``."""
        guesses, known = self._guessed(who, signals, moved, noted)
        unread = [one.memory_id for one in guesses if one.memory_id not in known]
        known |= self.lookup.by_id(who, unread)
        now = self.clock()
        found = [
            PredictedMemory(known[one.memory_id], one.signal, one.score)
            for one in guesses
            if one.memory_id in known
            and may_be_given(known[one.memory_id], level, now)
            and not is_others_wish(known[one.memory_id], who[0].user)
            and holds_at(known[one.memory_id], None, signals.branch)
        ]
        said = found[:MAX_PREDICTIONS]
        self.log.ledger.predicted(who[1].id, ((one.memory.id, one.signal.value) for one in said))
        return found

    def _known(self, who: Who, signals: ContextSignals, moved: int) -> "list[_Guess] | None":
        """Guesses that were made a moment ago, if nothing has changed since."""
        kept = self._made.get((who[1].id, who[0], signals))
        if kept is None or kept[0] != moved:
            return None
        return kept[2] if timedelta(0) <= self.clock() - kept[1] <= _KEPT else None

    def _guessed(
        self, who: Who, signals: ContextSignals, moved: int, noted: "Noted"
    ) -> tuple[list["_Guess"], dict[str, Memory]]:
        """Guesses, and those memories that were just read to make them."""
        key, now = (who[1].id, who[0], signals), self.clock()
        kept = self._known(who, signals, moved)
        if kept is not None:
            return kept, {}
        best: dict[str, _Guess] = {}
        for one in self._all(who, signals, noted):
            if one.memory_id not in best or one.score > best[one.memory_id].score:
                best[one.memory_id] = one
        guesses = sorted(best.values(), key=lambda one: -one.score)[:_MAX_GUESSES]
        while len(self._made) >= _CACHED:
            self._made.pop(next(iter(self._made)))
        self._made[key] = moved, now, [replace(one, memory=None) for one in guesses]
        return guesses, {one.memory_id: one.memory for one in guesses if one.memory is not None}

    def _all(self, who: Who, signals: ContextSignals, noted: "Noted") -> Iterable["_Guess"]:
        files = signals.all_files
        if files:
            yield from self._of_files(files, noted)
        if signals.branch:
            yield from self._of_branch(who, signals, noted)
        for error in signals.recent_errors[:3]:
            yield from self._of_error(who, error)
        if signals.collaborators:
            yield from self._of_collaborators(who, signals.collaborators)
        if signals.time_of_day:
            yield from self._of_time(who)

    @staticmethod
    def _of_files(files: Sequence[str], noted: "Noted") -> Iterable["_Guess"]:
        """Guess notes on the files, on the files that usually follow, and on their modules."""
        near, far = set(files), {path: rank for rank, path in enumerate(noted.ahead)}
        for one in noted.memories:
            if one.type in _NEVER:
                continue
            if near.intersection(one.files):
                yield _Guess(one.id, PredictionSignal.FILE, OF_THE_FILE, one)
                continue
            rank = min((far[path] for path in one.files if path in far), default=None)
            score = OF_THE_MODULE if rank is None else _score_ahead(rank)
            yield _Guess(one.id, PredictionSignal.FILE, score, one)

    def _of_branch(self, who: Who, signals: ContextSignals, noted: "Noted") -> Iterable["_Guess"]:
        """Guess decisions and patterns about the subject of the branch name and its files."""
        words = " ".join(
            part for part in signals.branch.replace("/", " ").replace("-", " ").split("_") if part
        )
        for place, one in enumerate(self._asked(who, words, 8)):
            if one.type not in _NEVER and shares_words(one, words):
                yield _Guess(one.id, PredictionSignal.BRANCH, 0.6 - 0.03 * place, one)
        ahead = {path: rank for rank, path in enumerate(noted.ahead)}
        for one in noted.memories:
            rank = min((ahead[path] for path in one.files if path in ahead), default=None)
            if one.type not in _NEVER and rank is not None:
                score = _score_ahead(rank) - _BY_BRANCH
                yield _Guess(one.id, PredictionSignal.BRANCH, score, one)

    def _of_error(self, who: Who, error: str) -> Iterable["_Guess"]:
        """Guess notes on how the same failure was handled before."""
        found = self._asked(who, error[:600], _RECALLED, Phase.REFINE)
        warnings = [one for one in found if one.type in WARNINGS][:8]
        known = self.lookup.kept_list(who, Filters(), _LANGUAGE) if warnings else ()
        certain = telling_of_failure(warnings, error, known)
        for place, one in enumerate(warnings):
            score = (MET_BEFORE if one.id in certain else 0.4) - 0.03 * place
            yield _Guess(one.id, PredictionSignal.ERROR, score, one)

    def _asked(self, who: Who, words: str, limit: int, phase: Phase | None = None) -> list[Memory]:
        return self.lookup.asked(
            who, ANY, words, phase=phase, limit=limit, may=may_be_given, personal=True
        )

    def _of_collaborators(self, who: Who, people: Sequence[str]) -> Iterable["_Guess"]:
        wanted = Filters(types=frozenset({MemoryType.PREFERENCE}), authors=frozenset(people))
        for one in self.lookup.listed(who, wanted, 20):
            yield _Guess(one.id, PredictionSignal.COLLABORATOR, 0.65, one)

    def _of_time(self, who: Who) -> Iterable["_Guess"]:
        """Guess memories that were served at this hour on other days."""
        now = self.clock()
        key = (who[1].id, who[0].user, now.hour)
        kept = self._routines.get(key)
        if kept is None or not timedelta(0) <= now - kept[0] <= _KEPT:
            times = self.usage.served_times(*who, now - _ROUTINE_SPAN, _ROUTINE_ROWS)
            days = {
                (memory_id, at.date())
                for memory_id, at in times
                if at.date() != now.date() and _hours_apart(at, now) <= 1
            }
            often = Counter(memory_id for memory_id, _ in days)
            routine = [one for one, count in often.most_common(15) if count >= _ROUTINE_DAYS]
            if len(self._routines) >= _CACHED:
                self._routines.clear()
            kept = self._routines[key] = (now, routine)
        for place, memory_id in enumerate(kept[1]):
            yield _Guess(memory_id, PredictionSignal.TIME, 0.4 - 0.01 * place)

    def _confidence(self, who: Who, found: Sequence[PredictedMemory]) -> float:
        """Share of predictions by the same signals that came true here; the prior at first."""
        if not found:
            return 0.0
        known = self.usage.prediction_figures(*who)
        right, made = _PRIOR
        shares = []
        for one in found:
            figures = known.get(one.signal.value)
            settled = max(0, figures.predicted - figures.pending) if figures else 0
            used = figures.used if figures else 0
            shares.append((used + right) / (max(settled, used) + made))
        return round(sum(shares) / len(shares), 4)


@dataclass(frozen=True, slots=True)
class _Guess:
    memory_id: str
    signal: PredictionSignal
    score: float
    memory: Memory | None = None


def _score_ahead(rank: int) -> float:
    first, last = _AHEAD
    return first - (first - last) * min(rank, FILES_AHEAD) / FILES_AHEAD


def _hours_apart(one: datetime, other: datetime) -> int:
    apart = abs(one.hour - other.hour)
    return min(apart, 24 - apart)
