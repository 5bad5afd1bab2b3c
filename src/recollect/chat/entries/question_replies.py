"""Which open question a yes or a no answers: the one asked last in this session, within the hour.

A yes in another session, or long after, may be meant for something else. Then the open questions
are listed with numbers, and "yes 2" answers the second. What was asked, and what was listed, are
rows of the audit log, so any process of the person can go on.
"""

from datetime import timedelta
from typing import Final, NamedTuple

from recollect.chat.entries.audit import note
from recollect.chat.entries.control import Control
from recollect.chat.entries.member_transaction import deciding
from recollect.storage.database import Database, Transaction
from recollect.storage.memories import reads
from recollect.trust.authorisation import authorise, closed
from recollect.vocabulary.audiences import Access, Viewer
from recollect.vocabulary.clock import Clock
from recollect.vocabulary.personal import AuditEntry, Question
from recollect.vocabulary.spaces import Space

_LISTED: Final = "questions_listed"
_WAITS: Final = timedelta(hours=1)
_LOOKED_AT: Final = 50
_LISTED_AT_MOST: Final = 8


class OpenPair(NamedTuple):
    """An open question with the texts of its two entries."""

    question: Question
    old: str
    new: str


class QuestionReplies:
    """Finds the open question that a person replies to."""

    def __init__(self, database: Database, control: Control, clock: Clock) -> None:
        self._database = database
        self._control = control
        self._clock = clock

    def open_pairs(self, viewer: Viewer, space: Space) -> list[OpenPair]:
        """The open questions whose entries both still hold, newest first."""
        standing = self._control.questions(viewer, space)
        ids = [one for question in standing for one in (question.old_id, question.new_id)]
        with self._database.reading() as transaction:
            access = authorise(transaction, viewer, space)
            known = reads.get_memories(transaction, access, ids) if ids else {}
        holding = {one: memory.content for one, memory in known.items() if not memory.superseded_by}
        return [
            OpenPair(one, holding[one.old_id], holding[one.new_id])
            for one in standing
            if one.old_id in holding and one.new_id in holding
        ]

    def meant(
        self, viewer: Viewer, space: Space, session: str | None, pairs: list[OpenPair], number: str
    ) -> OpenPair | None:
        """The question that a reply in this session answers; None when that is not certain."""
        still_open = {pair.question.id: pair for pair in pairs}
        for row in self._lately(viewer, space, session):
            listed = [str(one) for one in row.detail.get("questions", ())]
            if number:
                place = int(number) - 1
                if row.action == _LISTED:
                    return still_open.get(listed[place]) if 0 <= place < len(listed) else None
                continue
            if row.action == _LISTED:
                left = [one for one in listed if one in still_open]
                return still_open[left[0]] if len(left) == 1 else None
            asked = str(row.detail.get("question", ""))
            if row.action == "remember" and asked in still_open:
                return still_open[asked]
        return None

    def list_them(
        self, viewer: Viewer, space: Space, session: str | None, pairs: list[OpenPair]
    ) -> list[OpenPair]:
        """The questions to list; a later reply in this session may name one by its number."""
        listed = pairs[:_LISTED_AT_MOST]

        def work(transaction: Transaction, access: Access) -> None:
            if closed(transaction, access, session) is None:
                ids = [pair.question.id for pair in listed]
                detail = {"questions": ids}
                note(
                    transaction, access, _LISTED, session=session, detail=detail, now=self._clock()
                )

        deciding(self._database, viewer, space, "answer", work)
        return listed

    def _lately(self, viewer: Viewer, space: Space, session: str | None) -> list[AuditEntry]:
        page = self._control.audit(viewer, space, cursor=None, limit=_LOOKED_AT)
        since = self._clock() - _WAITS
        return [row for row in page.items if row.session == session and row.at >= since]
