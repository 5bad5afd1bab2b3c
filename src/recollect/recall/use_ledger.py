"""The ledger of uses on its way into the store: served, cited, ignored, edited, and predicted.

It is noted in memory and written with the other notes of what was served. Whatever is served,
cited or edited makes a pending prediction of it true; being put into a context because it was
predicted does not.
"""

import re
import threading
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final, NamedTuple

from recollect.storage.database import Transaction
from recollect.storage.search import use_ledger
from recollect.storage.search.use_ledger import Key
from recollect.vocabulary.lazy_patterns import lazy_pattern
from recollect.vocabulary.uses import Channel, Usage, UseCounts

#: ``[Memory #4k2m9x1z: ...]``, ``[gotcha 4k2m9x1z]`` or ``[gotcha 4k2m9x1z 2026-01-02]``.
_CITED: Final = lazy_pattern(
    r"\[(?:memory\s{0,3}#|[a-z][a-z0-9_]{2,30}\s)\s{0,3}"
    r"((?:mem_)?[0-9a-z]{8,40})(?:[\s:\]]|$)",
    re.IGNORECASE,
)
_TAIL: Final = 8
#: More memories than so many are not held for a store that cannot be written.
_MOST: Final = 50_000


def named_in(words: str) -> list[str]:
    """The ids, whole or their ends, that a text cites, each once."""
    return list(dict.fromkeys(_CITED.findall(words))) if "[" in words else []


def cited_in(words: str, known: Iterable[str]) -> list[str]:
    """The ids, of the known ones, that a text cites: whole, or by their last eight signs."""
    named = {found.lower() for found in named_in(words)}
    if not named:
        return []
    return [one for one in dict.fromkeys(known) if {one.lower(), one[-_TAIL:].lower()} & named]


class LedgerNotes(NamedTuple):
    """What waits to be written."""

    uses: dict[Key, UseCounts]
    verdicts: dict[Key, UseCounts]
    predicted: set[Key]
    at: datetime

    def write(self, transaction: Transaction) -> None:
        """Count the uses; ranking counts of citations found in words go onto the memories."""
        use_ledger.add_predictions(transaction, self.predicted, self.at)
        use_ledger.add_uses(transaction, self.uses, self.at)
        use_ledger.count_verdicts(transaction, self.verdicts)
        confirmed = {
            (space_id, memory_id)
            for (space_id, memory_id, channel), one in self.uses.items()
            if one.cited or one.edited or (one.served and channel != Channel.ASSEMBLE)
        }
        use_ledger.confirm_predictions(transaction, confirmed, self.at)


@dataclass(slots=True)
class UseLedger:
    """Notes of one process; whoever writes notes takes them."""

    _uses: dict[Key, UseCounts] = field(default_factory=dict)
    _verdicts: dict[Key, UseCounts] = field(default_factory=dict)
    _predicted: set[Key] = field(default_factory=set)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __len__(self) -> int:
        return len(self._uses) + len(self._predicted)

    def note(
        self,
        space_id: str,
        memory_ids: Collection[str],
        channel: Channel,
        usage: Usage,
        *,
        counted: bool = False,
    ) -> None:
        """Note what became of memories; ``counted`` when the memories' own counts have it."""
        one = UseCounts(**{usage.value: 1})
        with self._lock:
            for memory_id in memory_ids:
                key = (space_id, memory_id, channel.value)
                if len(self._uses) >= _MOST and key not in self._uses:
                    return
                self._uses[key] = _sum(self._uses.get(key), one)
                if not counted and usage in (Usage.CITED, Usage.IGNORED):
                    self._verdicts[key] = _sum(self._verdicts.get(key), one)

    def predicted(self, space_id: str, made: Iterable[tuple[str, str]]) -> None:
        """Note which memories were predicted, and by which signal."""
        with self._lock:
            if len(self._predicted) < _MOST:
                self._predicted.update((space_id, memory_id, signal) for memory_id, signal in made)

    def take(self, now: datetime) -> LedgerNotes:
        """Everything that was noted, which is then here no longer."""
        with self._lock:
            taken = LedgerNotes(self._uses, self._verdicts, self._predicted, now)
            self._uses, self._verdicts, self._predicted = {}, {}, set()
        return taken

    def take_back(self, notes: LedgerNotes) -> None:
        """What could not be written waits for the next time."""
        with self._lock:
            for mine, theirs in ((self._uses, notes.uses), (self._verdicts, notes.verdicts)):
                for key, one in theirs.items():
                    mine[key] = _sum(mine.get(key), one)
            self._predicted |= notes.predicted


def _sum(old: UseCounts | None, one: UseCounts) -> UseCounts:
    if old is None:
        return one
    return UseCounts(
        old.served + one.served,
        old.cited + one.cited,
        old.ignored + one.ignored,
        old.edited + one.edited,
    )
