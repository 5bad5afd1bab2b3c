"""Rows of open questions: two entries that cannot both be true, until the person decides."""

from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row, insert, select, update

from recollect.storage.prepared import Prepared
from recollect.storage.schema import open_questions
from recollect.vocabulary.audiences import Access
from recollect.vocabulary.personal import Question

_ASK = Prepared(lambda: insert(open_questions))


def put_question(connection: Connection, access: Access, question: Question) -> None:
    """Insert a question."""
    _ASK.run(
        connection,
        space_id=access.space_id,
        question_id=question.id,
        user_id=access.viewer.user,
        old_id=question.old_id,
        new_id=question.new_id,
        reason=question.reason,
        asked_at=question.asked_at,
        answer=None,
        answered_at=None,
    )


def unanswered_questions(connection: Connection, access: Access) -> list[Question]:
    """The viewer's unanswered questions, newest first."""
    rows = connection.execute(
        select(open_questions)
        .where(
            open_questions.c.space_id == access.space_id,
            open_questions.c.user_id == access.viewer.user,
            open_questions.c.answer.is_(None),
        )
        .order_by(open_questions.c.question_id.desc())
    )
    return [_question(row) for row in rows]


def kept_both(connection: Connection, access: Access) -> list[Question]:
    """The viewer's questions about pairs of which both were to stand, newest first."""
    rows = connection.execute(
        select(open_questions)
        .where(
            open_questions.c.space_id == access.space_id,
            open_questions.c.user_id == access.viewer.user,
            open_questions.c.answer == "both",
        )
        .order_by(open_questions.c.question_id.desc())
    )
    return [_question(row) for row in rows]


def get_question(connection: Connection, access: Access, question_id: str) -> Question | None:
    """One of the viewer's questions."""
    row = connection.execute(
        select(open_questions).where(
            open_questions.c.space_id == access.space_id,
            open_questions.c.user_id == access.viewer.user,
            open_questions.c.question_id == question_id,
        )
    ).first()
    return None if row is None else _question(row)


def answer_question(
    connection: Connection, access: Access, question_id: str, answer: str | None, now: datetime
) -> bool:
    """Store an answer, or take one back; whether the question was there."""
    done = connection.execute(
        update(open_questions)
        .where(
            open_questions.c.space_id == access.space_id,
            open_questions.c.user_id == access.viewer.user,
            open_questions.c.question_id == question_id,
        )
        .values(answer=answer, answered_at=None if answer is None else now)
    )
    return done.rowcount > 0


def close_pair(
    connection: Connection, access: Access, pair: tuple[str, str], answer: str, now: datetime
) -> None:
    """Store the answer to the viewer's question about a pair that was decided elsewhere."""
    connection.execute(
        update(open_questions)
        .where(
            open_questions.c.space_id == access.space_id,
            open_questions.c.user_id == access.viewer.user,
            open_questions.c.old_id == pair[0],
            open_questions.c.new_id == pair[1],
            open_questions.c.answer.is_(None),
        )
        .values(answer=answer, answered_at=now)
    )


def reopen_pair(
    connection: Connection, access: Access, pair: tuple[str, str], answered_at: datetime
) -> None:
    """Take back the answer that a decision about a pair gave to the viewer's question."""
    connection.execute(
        update(open_questions)
        .where(
            open_questions.c.space_id == access.space_id,
            open_questions.c.user_id == access.viewer.user,
            open_questions.c.old_id == pair[0],
            open_questions.c.new_id == pair[1],
            open_questions.c.answered_at == answered_at,
        )
        .values(answer=None, answered_at=None)
    )


def _question(row: Row[Any]) -> Question:
    return Question(row.question_id, row.old_id, row.new_id, row.reason, row.asked_at, row.answer)
