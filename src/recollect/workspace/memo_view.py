"""Shows a memo with the current text of its events, and nothing that they said before."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Final

from recollect.storage.database import Database, Transaction
from recollect.storage.pages import events
from recollect.storage.workspace import memos as rows
from recollect.trust.authorisation import authorise
from recollect.vocabulary.audiences import Access, Viewer
from recollect.vocabulary.events import Event
from recollect.vocabulary.memory import Memory
from recollect.vocabulary.memory_types import MemoryType, Source
from recollect.vocabulary.question_texts import makes_claim, only_asks
from recollect.vocabulary.spaces import Space
from recollect.vocabulary.workspace import Memo, MemoSource, SourceQuote
from recollect.workspace.conversation_reader import is_question
from recollect.workspace.memo_text import SUMMARY_LIMIT, cut, headline

_QUOTED: Final = 10
_SOURCES: Final = {
    Source.USER_TAUGHT: MemoSource.USER,
    Source.RESEARCHER: MemoSource.RESEARCHER,
}


def is_memo(memory: Memory) -> bool:
    """Whether a memory is a memo that was not superseded."""
    return memory.type is MemoryType.MEMO and memory.superseded_by is None


def is_gone(memo: Memo) -> bool:
    """Whether every event that a memo points at was deleted."""
    return bool(memo.quotes) and all(quote.deleted for quote in memo.quotes)


def preview_of(memo: Memo) -> str:
    """One line of the current source text of a memo: the answer where there is one."""
    said = [quote for quote in memo.quotes if quote.text]
    answers = [quote for quote in said if quote.author == memo.primary_answerer]
    return (answers or said)[0].text if said else memo.summary


def shown_memos(
    transaction: Transaction, access: Access, memories: Iterable[Memory]
) -> Sequence[Memo]:
    """Memories as memos, with the current text of their events."""
    listed = list(memories)
    wanted = [one for memory in listed for one in memory.provenance.events[:_QUOTED]]
    said = events.get_events(transaction, access, list(dict.fromkeys(wanted)))
    names = rows.stream_names(transaction, access, [one.stream_id for one in said.values()])
    return [_shown(memory, said, names) for memory in listed]


def with_answers(
    database: Database, viewer: Viewer, space: Space, memories: Iterable[Memory]
) -> tuple[Memory, ...]:
    """Memories as people read them: a memo that keeps only a question, or only its topics, says
    in place of that what its source says now, after the question.
    """
    found = tuple(memories)
    pointing = [one for one in found if one.type is MemoryType.MEMO and not makes_claim(one)]
    if not pointing:
        return found
    with database.reading() as transaction:
        access = authorise(transaction, viewer, space)
        shown = {one.id: one for one in shown_memos(transaction, access, pointing)}
    return tuple(_answered(one, shown[one.id]) if one.id in shown else one for one in found)


def _answered(memory: Memory, memo: Memo) -> Memory:
    said = [quote.text for quote in memo.quotes if quote.text and not only_asks(quote.text)]
    if not said:
        return memory
    told = cut(said[0], SUMMARY_LIMIT)
    asks = memo.summary if only_asks(memo.summary) else ""
    return replace(memory, content=f"{asks} \N{EM DASH} {told}" if asks else told)


def _shown(memory: Memory, said: Mapping[str, Event], names: Mapping[str, str]) -> Memo:
    sources = [said[one] for one in memory.provenance.events[:_QUOTED] if one in said]
    extras = memory.extras
    return Memo(
        id=memory.id,
        space_id=memory.space_id,
        summary=_summary_now(memory, sources),
        topics=memory.tags,
        anchors=memory.provenance.events,
        stream_id=extras.get("stream"),
        window=tuple(extras.get("window", ())),
        participants=tuple(extras.get("participants", ())),
        primary_answerer=extras.get("primary_answerer"),
        confidence=memory.confidence,
        source=_SOURCES.get(memory.provenance.source, MemoSource.SYSTEM),
        created_by=memory.provenance.created_by,
        created_at=memory.created_at,
        updated_at=memory.updated_at,
        revision=memory.revision,
        archived_at=memory.archived_at,
        retrievals=memory.counts.retrieval,
        last_retrieved_at=memory.last_accessed_at,
        helpfulness=float(extras.get("helpfulness", 0.0)),
        quotes=tuple(_quote(one, names) for one in sources),
        imported_from=extras.get("imported_from"),
    )


def _summary_now(memory: Memory, sources: Sequence[Event]) -> str:
    """The summary of a memo; read from its source where it stores none, or an outdated one."""
    by = memory.extras.get("summary_by")
    changed = any(_changed_at(one) > memory.updated_at for one in sources)
    if by == "source" or (by == "model" and changed):
        asked = [one for one in sources if is_question(one.text)]
        return next((line for one in asked or sources if (line := headline(one.text))), "")
    return memory.content


def _changed_at(event: Event) -> datetime:
    return event.deleted_at or event.edited_at or event.recorded_at


def _quote(event: Event, names: Mapping[str, str]) -> SourceQuote:
    return SourceQuote(
        event.id,
        event.stream_id,
        names.get(event.stream_id, ""),
        event.author,
        event.occurred_at,
        "" if event.deleted_at else cut(event.text),
        event.deleted_at is not None,
        event.time_unknown,
    )


def compared_texts(memo: Memo) -> Sequence[str]:
    """The texts of a memo that may each be the same question: its summary, its events."""
    return [memo.summary, *(headline(quote.text) for quote in memo.quotes if quote.text)]
