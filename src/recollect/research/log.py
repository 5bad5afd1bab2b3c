"""Research log: the asker, the question, the number of rounds, the citations and the outcome.

Entries are kept beside the log of questions, so feedback, erasure and the 90 days apply to them
too. The text of an answer is not stored: it consists of the words of the events that it cites. An
answer that found nothing has no citations in the log, and so counts as an unanswered question.
"""

import logging

from recollect.storage.database import Database
from recollect.storage.research import log as rows
from recollect.trust.authorisation import authorise
from recollect.trust.secrets import redacted
from recollect.vocabulary.audiences import Viewer
from recollect.vocabulary.clock import Clock
from recollect.vocabulary.errors import RecollectError
from recollect.vocabulary.ids import RETRIEVAL, new_id
from recollect.vocabulary.pagination import Page, check_page, page_of
from recollect.vocabulary.research import Requester, ResearchAnswer, ResearchRecord
from recollect.vocabulary.retrievals import RESEARCH, Retrieval, ServedItem
from recollect.vocabulary.spaces import Space

log = logging.getLogger(__name__)


class ResearchLog:
    """Researched questions, each readable by its asker only."""

    def __init__(self, database: Database, clock: Clock, *, logged: bool = True) -> None:
        self._database = database
        self._clock = clock
        self._logged = logged and not database.read_only

    def add(
        self, viewer: Viewer, space: Space, answer: ResearchAnswer, requester: Requester
    ) -> str | None:
        """Log an answer; return its id, or None where nothing is logged."""
        if not self._logged:
            return None
        now = self._clock()
        cited = answer.citations if answer.known else ()
        score = answer.confidence
        question = Retrieval(
            id=new_id(RETRIEVAL, now),
            user=viewer.user,
            query=redacted(answer.question),
            profile=RESEARCH,
            at=now,
            client=viewer.client and redacted(viewer.client),
            served=(
                *(ServedItem(one.event_id, "event", score) for one in cited),
                *(ServedItem(one, "memory", score) for one in answer.memo_hits),
            ),
        )
        record = ResearchRecord(
            question.id,
            question.query,
            now,
            requester,
            answer.known,
            answer.confidence,
            answer.by,
            answer.rounds,
        )
        try:
            self._database.write(
                lambda transaction: rows.add_research(transaction, space.id, question, record),
                all_spaces=True,
            )
        except RecollectError as error:  # an answer does not fail because logging failed
            log.warning("An answer was not put in the log: %s", error)
            return None
        return question.id

    def set_memo(self, space: Space, research_id: str, memo_id: str) -> None:
        """Record the memo that was made from an answer."""
        self._database.write(
            lambda transaction: rows.set_memo(transaction, space.id, research_id, memo_id),
            all_spaces=True,
        )

    def holds(self, viewer: Viewer, space: Space, research_id: str) -> bool:
        """Whether the id is of a researched question of the viewer."""
        with self._database.reading() as transaction:
            access = authorise(transaction, viewer, space)
            return rows.is_research(transaction, access, research_id)

    def page(
        self, viewer: Viewer, space: Space, *, cursor: str | None, limit: int
    ) -> Page[ResearchRecord]:
        """The viewer's own researched questions, newest first."""
        check_page(cursor, limit, RETRIEVAL)
        with self._database.reading() as transaction:
            access = authorise(transaction, viewer, space)
            found = rows.list_researches(transaction, access, before=cursor, limit=limit + 1)
        return page_of(found, limit)
