"""Research: looks for a memo, then searches in rounds, composes the answer, and keeps it.

A memo of the same question answers at once, with quotes of the events it points at; a question
for somebody who knows a subject is answered by people. Nothing is written before the answer is
complete.
"""

from collections.abc import Generator, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Final

from recollect.research.answer_composer import KNOWN, AnswerComposer, sentences_of
from recollect.research.expert_answers import (
    MAX_PEOPLE,
    ExpertLookup,
    expertise_asked_for,
    samples_of,
    with_evidence,
)
from recollect.research.inquiry import MAX_CITED, Inquiry, Stop
from recollect.research.log import ResearchLog
from recollect.research.memo_lookup import MemoLookup, MemoMatch
from recollect.research.questions import is_same, named_in, read
from recollect.research.search_rounds import SearchRounds
from recollect.research.source_reader import SourceReader
from recollect.research.tasks import SYNTHESISE
from recollect.research.topic_speakers import FoundPassage
from recollect.vocabulary.arguments import checked_text
from recollect.vocabulary.audiences import Viewer
from recollect.vocabulary.errors import RecollectError
from recollect.vocabulary.events import Event
from recollect.vocabulary.research import (
    LONGEST_QUESTION,
    Requester,
    ResearchAnswer,
    ResearchPlan,
    ResearchStep,
    StepKind,
)
from recollect.vocabulary.retrievals import Retrieval, Verdict
from recollect.vocabulary.spaces import Space

#: Similarity above which a memo answers at once.
SAME_QUESTION: Final = 0.9
MAX_MEMOS: Final = 5
#: Confidence above which an answer becomes a memo.
WORTH_A_MEMO: Final = 0.7
MEMO_CONFIDENCE: Final = 0.6
_RELATED_MEMO: Final = 0.7
_MEMO_EVENT: Final = 0.25  # events of a memo rank behind the search's own results


class Researcher:
    """Answers questions from events, with citations."""

    def __init__(
        self,
        *,
        rounds: SearchRounds,
        composer: AnswerComposer,
        sources: SourceReader,
        memos: MemoLookup | None,
        experts: ExpertLookup | None,
        log: ResearchLog,
    ) -> None:
        self._rounds = rounds
        self._composer = composer
        self._sources = sources
        self._memos = memos
        self._experts = experts
        self.log = log

    def plan(self, viewer: Viewer, space: Space, question: str) -> ResearchPlan:
        """The plan for a question; nothing is searched for."""
        text = checked_text(question, "question", LONGEST_QUESTION)
        has_model = self._rounds.has_model
        return self._rounds.plan(Inquiry(viewer, space, read(text), None, has_model, lambda: False))

    def steps(
        self,
        viewer: Viewer,
        space: Space,
        question: str,
        *,
        requester: Requester = Requester.USER,
        session: str | None = None,
        stop: Stop = lambda: False,
    ) -> Iterator[ResearchStep]:
        """The steps to an answer as they are made; the last one holds the answer.

        The research ends when the caller stops iterating, or when ``stop`` says so: unfinished work
        is not kept.
        """
        text = checked_text(question, "question", LONGEST_QUESTION)
        inquiry = Inquiry(viewer, space, read(text), session, False, stop)
        answer = yield from self._by_people(inquiry)
        if answer is None:
            answer = yield from self._answer_from_memo(inquiry)
        if answer is None:
            yield from self._rounds.run(inquiry)
            if inquiry.confidence < KNOWN and not inquiry.uses_model:
                yield from self._rounds.run_parts(inquiry)
            answer = yield from self._composer.answered(
                inquiry, lambda asked, given: self._rounds.ask_model(asked, SYNTHESISE, given)
            )
        if inquiry.closed is None and not answer.stopped:
            answer = self._kept(inquiry, answer, requester)
        yield ResearchStep(StepKind.ANSWER, len(answer.rounds), answer.text, answer)

    def praised(self, viewer: Viewer, space: Space, retrieval: Retrieval) -> None:
        """Handle helpful feedback: the events that the answer cites become a memo, or its memo is
        raised.
        """
        said = [one for one in retrieval.feedback if one.verdict is Verdict.HELPFUL]
        cited = [one.id for one in retrieval.served if one.kind == "event"]
        if len(said) != 1 or not cited or not self.log.holds(viewer, space, retrieval.id):
            return
        events = self._sources.readable(viewer, space, cited)
        memo = self._memo(viewer, space, retrieval.query, "", events)
        if memo is not None:
            self.log.set_memo(space, retrieval.id, memo)

    # --- memo lookup ------------------------------------------------------------------------------

    def _answer_from_memo(
        self, inquiry: Inquiry
    ) -> Generator[ResearchStep, None, ResearchAnswer | None]:
        """Answer at once from a memo of the same question; other memos contribute their events."""
        matches: Sequence[MemoMatch] = ()
        try:
            if self._memos is not None:
                matches = self._memos.search(
                    inquiry.viewer, inquiry.space, inquiry.question.text, MAX_MEMOS
                )
        except RecollectError as error:
            inquiry.notes.append(f"looked without memos: {error.message}")
        near = [one for one in matches if one.score > _RELATED_MEMO]
        yield ResearchStep(StepKind.LOOK, 0, f"{len(near)} memos are near to the question")
        for one in near:
            pointed_at = self._pointed_at(inquiry, one)
            inquiry.gather([FoundPassage(event, one.score * _MEMO_EVENT) for event in pointed_at])
        inquiry.memos = tuple(one.memo.id for one in near)
        if not near or near[0].score <= SAME_QUESTION:
            return None
        if not is_same(inquiry.question.text, near[0].memo.summary):
            return None
        events = self._pointed_at(inquiry, near[0])[:MAX_CITED]
        if not events or self._rounds.is_closed(inquiry):
            return None
        inquiry.confidence = min(1.0, near[0].score)
        inquiry.memos = (near[0].memo.id,)
        inquiry.notes.append("answered by a memo of the same question")
        answer = self._composer.extracted(inquiry, events, known=True, of_memo=True)
        yield from sentences_of(answer, 0)
        return answer

    def _pointed_at(self, inquiry: Inquiry, match: MemoMatch) -> list[Event]:
        return self._sources.readable(inquiry.viewer, inquiry.space, match.memo.anchors)

    def _by_people(self, inquiry: Inquiry) -> Generator[ResearchStep, None, ResearchAnswer | None]:
        """Answer a question for somebody who knows a subject by the people who told about it."""
        subject = expertise_asked_for(inquiry.question.text)
        if not subject or self._experts is None or self._rounds.is_closed(inquiry):
            return None
        viewer, space = inquiry.viewer, inquiry.space
        try:
            experts = with_evidence(
                self._experts.about(viewer, space, subject, limit=2 * MAX_PEOPLE)
            )
        except RecollectError as error:
            inquiry.notes.append(f"looked without experts: {error.message}")
            return None
        yield ResearchStep(StepKind.SEARCH, 0, f"{len(experts)} people told about: {subject}")
        events = self._sources.readable(viewer, space, samples_of(experts))
        if not events or inquiry.stop():
            return None
        answer = self._composer.of_people(inquiry, experts, events)
        yield from sentences_of(answer, 0)
        return answer

    # --- keeping the answer -----------------------------------------------------------------------

    def _kept(
        self, inquiry: Inquiry, answer: ResearchAnswer, requester: Requester
    ) -> ResearchAnswer:
        """Log the answer, count its citations, and make a good answer a memo.

        Each is a separate write, in this order: a process that dies between them leaves less, and
        never the same thing twice.
        """
        viewer, space = inquiry.viewer, inquiry.space
        logged = self.log.add(viewer, space, answer, requester)
        answer = replace(answer, id=logged)
        cited = [one.event_id for one in answer.citations]
        if not (answer.known and cited):
            return answer
        with suppress(RecollectError):  # counting is best effort
            self._sources.count_cited(viewer, space, cited)
        if not answer.rounds or answer.confidence <= WORTH_A_MEMO:
            return answer
        events = self._sources.readable(viewer, space, cited)
        memo = self._memo(viewer, space, answer.question, answer.text, events)
        if memo is not None and logged is not None:
            self.log.set_memo(space, logged, memo)
        return replace(answer, memo_id=memo)

    def _memo(
        self, viewer: Viewer, space: Space, question: str, answer: str, events: Sequence[Event]
    ) -> str | None:
        """The id of the memo made from an answer; None where none can be kept, which fails no
        answer.
        """
        if not events or self._memos is None or not _may_be_shown(question, events):
            return None
        try:
            memo = self._memos.from_answer(
                viewer,
                space,
                question,
                answer,
                [one.id for one in events],
                confidence=MEMO_CONFIDENCE,
            )
        except RecollectError:
            return None
        return None if memo is None else memo.id


def _may_be_shown(question: str, events: Sequence[Event]) -> bool:
    """Whether a question may become a memo, which others read: it must name nothing that its cited
    events do not hold, so that nobody learns from it what they could not read there.
    """
    said = " ".join(f"{one.author} {one.text}" for one in events).lower()
    return all(name in said for name in named_in(question))
