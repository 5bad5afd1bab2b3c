"""Usage reader: the log of questions, the use of memories, and the feedback of the askers.

What this process noted and has not written yet is written first, except for predictions.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Final

from recollect.recall.usage_log import UsageLog
from recollect.storage.database import Database, Transaction
from recollect.storage.search import usage_log, use_ledger
from recollect.trust.authorisation import authorise
from recollect.vocabulary.arguments import checked_name, checked_text, choice, shown
from recollect.vocabulary.audiences import Access, Viewer
from recollect.vocabulary.clock import Clock
from recollect.vocabulary.errors import InvalidInput, RetrievalNotFound
from recollect.vocabulary.ids import FEEDBACK, RETRIEVAL, is_id, new_id
from recollect.vocabulary.pagination import Page, check_page, page_of
from recollect.vocabulary.retrievals import (
    ANSWER,
    RESEARCH,
    Feedback,
    Retrieval,
    Verdict,
)
from recollect.vocabulary.spaces import Space
from recollect.vocabulary.uses import Channel, PredictionFigures, Usage, UseCounts, UseFigures

_NOTE: Final = 2_000
_CHANNELS: Final = {RESEARCH: Channel.RESEARCH, ANSWER: Channel.CHAT}

#: Callback that receives the messages of an answer that were useful, and the verdict.
Useful = Callable[[Viewer, Space, Sequence[str], str], object]


class UsageReader:
    """Answers queries about what was served, and takes feedback on it."""

    def __init__(
        self, database: Database, log: UsageLog, clock: Clock, *, useful: Useful | None = None
    ) -> None:
        self._database = database
        self._log = log
        self._clock = clock
        self._useful = useful

    def uses(self, viewer: Viewer, space: Space, memory_id: str) -> dict[str, UseCounts]:
        """Use counts of one memory, by channel."""
        self._log.flush()
        with self._database.reading() as transaction:
            return use_ledger.uses_of(transaction, authorise(transaction, viewer, space), memory_id)

    def figures(self, viewer: Viewer, space: Space) -> UseFigures:
        """Figures of the use ledger."""
        self._log.flush()
        with self._database.reading() as transaction:
            access = authorise(transaction, viewer, space)
            return use_ledger.use_figures(transaction, access, self._clock())

    def prediction_figures(self, viewer: Viewer, space: Space) -> dict[str, PredictionFigures]:
        """Success of predictions, by signal, as far as it is written to the store."""
        with self._database.reading() as transaction:
            access = authorise(transaction, viewer, space)
            return use_ledger.prediction_figures(transaction, access, self._clock())

    def served_times(
        self, viewer: Viewer, space: Space, since: datetime, limit: int
    ) -> Sequence[tuple[str, datetime]]:
        """Ids and times of served memories, newest first."""
        with self._database.reading() as transaction:
            access = authorise(transaction, viewer, space)
            return use_ledger.served_times(transaction, access, since, limit)

    def retrievals(
        self,
        viewer: Viewer,
        space: Space,
        *,
        cursor: str | None,
        limit: int,
        client: str | None = None,
    ) -> Page[Retrieval]:
        """The viewer's own questions, newest first; optionally only those from one client."""
        check_page(cursor, limit, RETRIEVAL)
        wanted = None if client is None else checked_name(client, "client")
        self._log.flush()
        with self._database.reading() as transaction:
            access = authorise(transaction, viewer, space)
            found = usage_log.list_retrievals(
                transaction, access, before=cursor, limit=limit + 1, client=wanted
            )
        return page_of(found, limit)

    def feedback(
        self,
        viewer: Viewer,
        space: Space,
        retrieval_id: str,
        verdict: str,
        *,
        items: str | Sequence[str],
        note: str | None,
    ) -> Retrieval:
        """Record the asker's feedback on an answer, or on single items of it."""
        wanted = choice(Verdict, verdict, "verdict")
        named = _named(items)
        if wanted in {Verdict.CITED, Verdict.IGNORED} and not named:
            raise InvalidInput(f"Say what was {wanted}: give the ids of the items.")
        said = None if note is None else checked_text(note, "note", _NOTE)
        from recollect.trust.secrets import refuse_secrets

        refuse_secrets([said], "note")
        self._log.flush()
        now = self._clock()

        def work(transaction: Transaction) -> Retrieval:
            access = authorise(transaction, viewer, space, exclusive=False)
            found = _own(transaction, access, retrieval_id)
            _check_items(found, named)
            of: Sequence[str | None] = named or (None,)
            rows = [Feedback(new_id(FEEDBACK, now), wanted, now, item, said) for item in of]
            usage_log.add_feedback(transaction, access, found, rows)
            usage_log.count_verdict(transaction, access, named, wanted)
            return replace(found, feedback=(*found.feedback, *rows))

        told = self._database.write(work)
        if wanted in {Verdict.CITED, Verdict.IGNORED}:
            kept = {one.id for one in told.served if one.kind == "memory"}
            channel = _CHANNELS.get(told.profile, Channel.RECALL)
            of_memories = [one for one in named if one in kept]
            self._log.ledger.note(space.id, of_memories, channel, Usage(wanted.value), counted=True)
        self._tell(viewer, space, told, named, wanted)
        return told

    def _tell(
        self,
        viewer: Viewer,
        space: Space,
        told: Retrieval,
        named: Sequence[str],
        verdict: Verdict,
    ) -> None:
        """Report the messages that were cited or found helpful to the callback."""
        if self._useful is None or verdict not in {Verdict.CITED, Verdict.HELPFUL}:
            return
        served = {one.id for one in told.served if one.kind == "event"}
        wanted = [one for one in named if one in served]
        if not named and verdict is Verdict.HELPFUL:
            wanted = [one.id for one in told.served[:1] if one.kind == "event"]
        if wanted:
            self._useful(viewer, space, wanted, verdict.value)


def _own(transaction: Transaction, access: Access, retrieval_id: str) -> Retrieval:
    found = (
        usage_log.get_retrieval(transaction, access, retrieval_id)
        if is_id(retrieval_id, RETRIEVAL)
        else None
    )
    if found is None:
        raise RetrievalNotFound(
            f"No question {shown(retrieval_id)} is in your log.",
            hint="'recollect log' lists them; they are kept for 90 days.",
        )
    return found


def _named(items: object) -> tuple[str, ...]:
    """Ids, given as one string or as a list."""
    if isinstance(items, str):
        return (items,)
    given = tuple(items) if isinstance(items, list | tuple | set | frozenset) else (None,)
    if not all(isinstance(item, str) for item in given):
        raise InvalidInput(f"Give the ids of items, or a list of them, not {shown(items)}.")
    return tuple(dict.fromkeys(given))


def _check_items(found: Retrieval, items: Sequence[str]) -> None:
    served = {one.id for one in found.served}
    strange = [item for item in items if item not in served]
    if strange:
        raise InvalidInput(
            f"{shown(strange[0])} was not among the results of {found.id}. Nothing was changed."
        )
