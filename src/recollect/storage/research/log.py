"""Rows of research: figures for a query of the log, readable only for its asker.

They are written with system access together with the query, like the log itself.
"""

from collections.abc import Sequence

from sqlalchemy import Connection, Row, insert, select, update

from recollect.storage.schema import research_rounds, researches, retrievals
from recollect.storage.search import usage_log
from recollect.vocabulary.audiences import Access
from recollect.vocabulary.research import Requester, ResearchRecord, ResearchRound
from recollect.vocabulary.retrievals import Retrieval


def add_research(
    connection: Connection, space_id: str, question: Retrieval, record: ResearchRecord
) -> None:
    """Store a query with its citations and its outcome."""
    usage_log.add_retrievals(connection, [(space_id, question)])
    key = {"space_id": space_id, "retrieval_id": question.id}
    there = select(retrievals.c.retrieval_id).where(
        retrievals.c.space_id == space_id, retrievals.c.retrieval_id == question.id
    )
    if connection.execute(there).first() is None:  # its space was deleted
        return
    connection.execute(
        insert(researches),
        {
            **key,
            "requester": record.requester.value,
            "known": record.known,
            "confidence": record.confidence,
            "answered_by": record.by,
            "memo_id": record.memo_id,
        },
    )
    if record.rounds:
        connection.execute(
            insert(research_rounds),
            [
                {
                    **key,
                    "number": one.number,
                    "queries": one.queries,
                    "gathered": one.gathered,
                    "confidence": one.confidence,
                    "reflected_by": one.by,
                }
                for one in record.rounds
            ],
        )


def set_memo(connection: Connection, space_id: str, retrieval_id: str, memo_id: str) -> None:
    """Store which memo resulted from a query."""
    connection.execute(
        update(researches)
        .where(researches.c.space_id == space_id, researches.c.retrieval_id == retrieval_id)
        .values(memo_id=memo_id)
    )


def list_researches(
    connection: Connection, access: Access, *, before: str | None, limit: int
) -> list[ResearchRecord]:
    """The viewer's own researched questions, newest first, past a cursor."""
    query = (
        select(researches)
        .join(
            retrievals,
            (retrievals.c.space_id == researches.c.space_id)
            & (retrievals.c.retrieval_id == researches.c.retrieval_id),
        )
        .where(researches.c.space_id == access.space_id, retrievals.c.user_id == access.viewer.user)
        .order_by(researches.c.retrieval_id.desc())
        .limit(limit)
    )
    if before:
        query = query.where(researches.c.retrieval_id < before)
    rows = connection.execute(query).all()
    rounds = _rounds(connection, access.space_id, [row.retrieval_id for row in rows])
    found = []
    for row in rows:
        asked = usage_log.get_retrieval(connection, access, row.retrieval_id)
        if asked is not None:
            found.append(_record(row, asked, rounds.get(row.retrieval_id, [])))
    return found


def is_research(connection: Connection, access: Access, retrieval_id: str) -> bool:
    """Whether one of the viewer's queries was researched."""
    query = select(researches.c.retrieval_id).where(
        researches.c.space_id == access.space_id, researches.c.retrieval_id == retrieval_id
    )
    return (
        connection.execute(query).first() is not None
        and usage_log.get_retrieval(connection, access, retrieval_id) is not None
    )


def _rounds(
    connection: Connection, space_id: str, ids: Sequence[str]
) -> dict[str, list[ResearchRound]]:
    found: dict[str, list[ResearchRound]] = {}
    query = (
        select(research_rounds)
        .where(research_rounds.c.space_id == space_id, research_rounds.c.retrieval_id.in_(ids))
        .order_by(research_rounds.c.number)
    )
    for row in connection.execute(query):
        found.setdefault(row.retrieval_id, []).append(
            ResearchRound(row.number, row.queries, row.gathered, row.confidence, row.reflected_by)
        )
    return found


def _record(row: Row[tuple[str]], asked: Retrieval, rounds: list[ResearchRound]) -> ResearchRecord:
    return ResearchRecord(
        id=asked.id,
        question=asked.query,
        at=asked.at,
        requester=Requester(row.requester),
        known=row.known,
        confidence=row.confidence,
        by=row.answered_by,
        rounds=tuple(rounds),
        cited=tuple(one.id for one in asked.served if one.kind == "event"),
        memo_hits=tuple(one.id for one in asked.served if one.kind == "memory"),
        memo_id=row.memo_id,
        verdicts=tuple(one.verdict.value for one in asked.feedback),
    )
