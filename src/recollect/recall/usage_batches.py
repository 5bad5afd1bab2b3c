"""Usage notes in batches: what one transaction writes of what was served.

Questions come last and are redacted before they are written.
"""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Final, NamedTuple

from recollect.memories.entry_scores import scores
from recollect.storage.database import Transaction
from recollect.storage.memories import entries
from recollect.storage.search import usage_log, use_ledger
from recollect.storage.search.usage_log import Use
from recollect.storage.search.use_ledger import Key
from recollect.vocabulary.retrievals import Retrieval
from recollect.vocabulary.uses import UseCounts

#: Maximum number of memories or questions per transaction, so that other writers do not wait
#: longer. A few more than a log that is due holds: each commit empties the page caches of readers.
PORTION: Final = 320

MemoryKey = tuple[str, str]  # of a space and a memory


class Match(NamedTuple):
    """How well a recall matched a memory, and when."""

    score: float
    at: datetime


class LedgerNotes(NamedTuple):
    """Ledger notes waiting to be written."""

    uses: dict[Key, UseCounts]
    verdicts: dict[Key, UseCounts]
    predicted: set[Key]
    used: set[MemoryKey]
    at: datetime

    def write(self, transaction: Transaction) -> None:
        """Write uses and predictions; verdicts not counted yet go to the memories' own counts."""
        use_ledger.add_predictions(transaction, self.predicted, self.at)
        use_ledger.add_uses(transaction, self.uses, self.at)
        use_ledger.count_verdicts(transaction, self.verdicts)
        use_ledger.confirm_predictions(transaction, self.used, self.at)

    def parts(self) -> list["LedgerNotes"]:
        """The notes for one transaction each; all but the uses are in the first."""
        uses = sorted(self.uses.items())
        parts = [
            LedgerNotes(dict(uses[start : start + PORTION]), {}, set(), set(), self.at)
            for start in range(0, len(uses), PORTION)
        ]
        parts[0] = self._replace(uses=parts[0].uses)
        return parts


class NotesPortion(NamedTuple):
    """Notes written in one transaction."""

    uses: dict[MemoryKey, Use]
    relevance: dict[MemoryKey, Match]
    questions: list[tuple[str, Retrieval]]
    ledger: LedgerNotes | None = None

    def write(self, transaction: Transaction) -> None:
        """Write the uses, the relevance of entries, and the questions."""
        usage_log.count_uses(transaction, self.uses)
        self._write_scores(transaction)
        if self.questions:
            usage_log.add_retrievals(transaction, self.questions)
        if self.ledger is not None:
            self.ledger.write(transaction)

    def _write_scores(self, transaction: Transaction) -> None:
        """Compute the scores of personal entries that were served, as of that moment."""
        fresh = []
        for row in entries.served_rows(transaction, self.relevance.keys()):
            match = self.relevance[row.space_id, row.memory_id]
            at = max(match.at, row.scored_at)
            fresh.append((row, scores(row.importance, row.created_at, at, match.score)))
        entries.note_scores(transaction, fresh)


def portions_of(
    uses: dict[MemoryKey, Use],
    relevance: dict[MemoryKey, Match],
    questions: list[tuple[str, Retrieval]],
) -> list[NotesPortion]:
    """The notes in portions: the questions come last, so that they wait with the uses they refer
    to.
    """
    if max(len(uses), len(questions)) <= PORTION:
        return [NotesPortion(uses, relevance, questions)]
    counted, noted = sorted(uses.items()), sorted(relevance.items())
    of_memories = [
        NotesPortion(
            dict(counted[start : start + PORTION]), dict(noted[start : start + PORTION]), []
        )
        for start in range(0, max(len(counted), len(noted)), PORTION)
    ]
    of_log = [
        NotesPortion({}, {}, questions[start : start + PORTION])
        for start in range(0, len(questions), PORTION)
    ]
    return of_memories + of_log


def without_secrets(questions: Sequence[tuple[str, Retrieval]]) -> list[tuple[str, Retrieval]]:
    """The questions with secrets redacted; the rules are imported only where needed."""
    if not questions:
        return []
    from recollect.trust.secrets import redacted

    return [
        (
            home,
            replace(
                one,
                query=redacted(one.query),
                profile=redacted(one.profile),
                client=one.client and redacted(one.client),
            ),
        )
        for home, one in questions
    ]
