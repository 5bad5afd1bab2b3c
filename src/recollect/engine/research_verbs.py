"""Research API: an answer with citations, its steps, its plan and its log."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from recollect.engine.services import View
from recollect.engine.verb_wrappers import repeatable
from recollect.recall.profiles import profile_of
from recollect.vocabulary.arguments import checked_name, choice, whole
from recollect.vocabulary.errors import NotAllowed
from recollect.vocabulary.memory import Memory
from recollect.vocabulary.results import Filters
from recollect.vocabulary.uses import Channel, Usage

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from recollect.research.researcher import Researcher
    from recollect.vocabulary.pagination import Page
    from recollect.vocabulary.research import (
        ResearchAnswer,
        ResearchPlan,
        ResearchRecord,
        ResearchStep,
    )
    from recollect.vocabulary.results import Found

_LEAST_SCORE: Final = 0.4


class ResearchVerbs(View):
    """Ask a question of all events."""

    def research(
        self, question: str, *, requester: str = "user", session: str | None = None
    ) -> ResearchAnswer:
        """Answer a question from events, each sentence with its citation, or say it is not known.

        ``requester`` says who asks: user, agent or system. ``feedback`` takes the answer's ``id``.
        """
        for step in self.researching(question, requester=requester, session=session):
            if step.answer is not None:
                return step.answer
        raise AssertionError("research ends with an answer")

    def researching(
        self,
        question: str,
        *,
        requester: str = "user",
        session: str | None = None,
        stop: Callable[[], bool] = lambda: False,
    ) -> Iterator[ResearchStep]:
        """The steps to an answer as they are made; the last one has the answer.

        When ``stop`` returns true, it ends with what it has; when no more steps are consumed, at
        once. Nothing is stored of an interrupted one.
        """
        from recollect.vocabulary.research import Requester

        steps = self._researcher().steps(
            self.viewer,
            self.space,
            question,
            requester=choice(Requester, requester, "requester"),
            session=None if session is None else checked_name(session, "session"),
            stop=stop,
        )
        return self._counted(steps)

    def _counted(self, steps: Iterator[ResearchStep]) -> Iterator[ResearchStep]:
        """Pass the steps on, and count the memos of the answer as served.

        They count as cited if the answer is known.
        """
        for step in steps:
            answer = step.answer
            if answer is not None and answer.id is not None:
                used = partial(self._services.serving.used, self.space, answer.memo_hits)
                used(Channel.RESEARCH, Usage.SERVED)
                if answer.known:
                    used(Channel.RESEARCH, Usage.CITED)
            yield step

    @repeatable
    def remembered(self, question: str, *, limit: int = 3) -> tuple[Found, ...]:
        """Memories that may answer a question too, to be shown beneath its answer.

        Those that are returned count as served, and no others.
        """
        from recollect.vocabulary.question_texts import makes_claim

        wanted = whole(limit, 1, 20, "A list of memories has")
        search = partial(self._services.recall.search, kinds=("memory",), limit=2 * wanted)
        answer = search(
            self.viewer, self.space, question, filters=Filters(), profile=profile_of(None)
        )
        found = tuple(
            one
            for one in answer
            if one.score >= _LEAST_SCORE and isinstance(one.item, Memory) and makes_claim(one.item)
        )[:wanted]
        used = self._services.serving.used
        used(self.space, [one.id for one in found], Channel.RECALL, Usage.SERVED)
        return found

    @repeatable
    def plan_research(self, question: str) -> ResearchPlan:
        """How a question would be researched: at once, or by which searches."""
        return self._researcher().plan(self.viewer, self.space, question)

    @repeatable
    def researches(self, *, cursor: str | None = None, limit: int = 20) -> Page[ResearchRecord]:
        """The viewer's researched questions here, newest first, with rounds and verdicts."""
        return self._researcher().log.page(self.viewer, self.space, cursor=cursor, limit=limit)

    def _researcher(self) -> Researcher:
        """The researcher, if it is not switched off."""
        if "research" in self._services.workspace().switched_off:
            raise NotAllowed(
                "This is disabled here: research.",
                hint="The setting 'switched_off' lists what is disabled.",
            )
        return self._services.research()
