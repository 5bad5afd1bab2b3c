"""Composes an answer: a model's sentences as far as events support them, or quotes of the events.

Whatever a model does, there is an answer: its sentences cite events that were retrieved, or it says
that nothing was found.
"""

from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import replace
from typing import Final

from recollect.index.indexer import Indexer
from recollect.research.checked_answer import checked, renumbered
from recollect.research.expert_answers import confidence_in, lines_about
from recollect.research.extraction import Quoted, informative_quotes, line_of, quoted, short_answer
from recollect.research.inquiry import MAX_CITED, Inquiry
from recollect.research.replies import with_replies
from recollect.research.source_reader import SourceReader
from recollect.research.tasks import Gathered, WordedAnswer, passages_of
from recollect.vocabulary.events import Event
from recollect.vocabulary.research import Citation, ResearchAnswer, ResearchStep, StepKind
from recollect.vocabulary.workspace import Expert

NOT_FOUND: Final = "I could not find this."
KNOWN: Final = 0.5
#: Highest confidence of an answer to some parts of a question: it is not kept as a memo.
_IN_PART: Final = 0.6

AskModel = Callable[[Inquiry, Gathered], WordedAnswer | None]


class AnswerComposer:
    """Composes an answer from the gathered events."""

    def __init__(self, sources: SourceReader, indexer: Indexer) -> None:
        self._sources = sources
        self._indexer = indexer

    def answered(
        self, inquiry: Inquiry, synthesise: AskModel
    ) -> Generator[ResearchStep, None, ResearchAnswer]:
        """The answer: by the model where its sentences are supported, else from the passages."""
        if inquiry.closed is not None:
            return ResearchAnswer(
                inquiry.question.text, inquiry.closed, False, 0.0, notes=tuple(inquiry.notes)
            )
        events = self._sources_of(inquiry)
        if inquiry.stop():
            answer = replace(self.extracted(inquiry, events, known=False), stopped=True)
            return replace(answer, text="Stopped before there was an answer.")
        worded = None
        if inquiry.uses_model and events:
            worded = self._worded(inquiry, events, synthesise)
        if worded is None and any(one.confidence >= KNOWN for one in inquiry.parts):
            worded = self._of_parts(inquiry)
        if worded is None:
            known = bool(events) and inquiry.confidence >= KNOWN
            worded = self.extracted(inquiry, inquiry.citable(events), known=known)
        yield from sentences_of(worded, len(inquiry.rounds))
        return worded

    def extracted(
        self, inquiry: Inquiry, events: Sequence[Event], *, known: bool, of_memo: bool = False
    ) -> ResearchAnswer:
        """The answer as an arrangement of quotes from the events; those of a memo of the question
        were found to answer it before, whatever words they have.
        """
        names = self._names(inquiry, events)
        quotes = self._quotes(inquiry, events)
        if known:
            answers = events if of_memo else inquiry.asked_before.values()
            replies = {one.id for one in answers if one is not None}
            quotes = informative_quotes(inquiry.question, quotes, replies)
        lines = [line_of(one) for one in _citations(quotes, names)]
        if not known:
            nearest = ["Nearest to it:", *lines] if lines else []
            text = "\n".join([NOT_FOUND, *nearest])
            return _composed(inquiry, text, _citations(quotes, names), known=False)
        short, place, is_value = short_answer(inquiry.question, quotes)
        lead = [f"{short} [{place + 1}]"] if is_value else []
        text = "\n".join([*lead, *lines])
        return _composed(inquiry, text, _citations(quotes, names), short=short)

    def of_people(
        self, inquiry: Inquiry, experts: Sequence[Expert], events: Sequence[Event]
    ) -> ResearchAnswer:
        """The answer to who knows about something: the people, each with the messages that show
        it.
        """
        citations = _citations(self._quotes(inquiry, events), self._names(inquiry, events))
        inquiry.confidence = confidence_in(experts)
        lines = [*lines_about(experts, citations), *(line_of(one) for one in citations)]
        return _composed(inquiry, "\n".join(lines), citations, short=experts[0].user)

    def _of_parts(self, inquiry: Inquiry) -> ResearchAnswer:
        """The answer to a question that joins several: the answer to each, and the name of each
        that was not found. It is as sure as its least sure part.
        """
        room = max(1, MAX_CITED // len(inquiry.parts))
        answers = []
        for part in inquiry.parts:
            known = part.confidence >= KNOWN
            events = part.citable(self._sources_of(part))[:room] if known else []
            answers.append(self.extracted(part, events, known=bool(events)))
        cited = {one.event_id: one for answer in answers for one in answer.citations}
        numbers = {event_id: number for number, event_id in enumerate(cited, 1)}
        citations = tuple(replace(one, number=numbers[event_id]) for event_id, one in cited.items())
        lines: list[str] = []
        for answer in answers:
            if not answer.known:
                lines.append(f"I could not find this part: {answer.question}")
                continue
            own = [replace(one, number=numbers[one.event_id]) for one in answer.citations]
            lead = answer.text.split("\n", maxsplit=1)[0]
            if lead.startswith(f"{answer.short} ["):
                place = int(lead[len(answer.short) + 2 : -1]) - 1
                lines.append(f"{answer.short} [{own[place].number}]")
            lines += [line_of(one) for one in own]
        inquiry.confidence = min(one.confidence for one in inquiry.parts if one.confidence >= KNOWN)
        if not all(answer.known for answer in answers):
            inquiry.confidence = min(inquiry.confidence, _IN_PART)
        short = "; ".join(one.short for one in answers if one.short)
        text = "\n".join(dict.fromkeys(lines))
        return _composed(inquiry, text, citations, short=short)

    def _sources_of(self, inquiry: Inquiry) -> list[Event]:
        """The current text of the best gathered events, replies before the events they reply to."""
        viewer, space = inquiry.viewer, inquiry.space
        replies = {one.id: one for one in inquiry.asked_before.values() if one is not None}
        ids = [one.event.id for one in inquiry.best]
        read = {one.id: one for one in self._sources.readable(viewer, space, [*ids, *replies])}
        standing = {
            asked: read.get(reply.id) if reply is not None else None
            for asked, reply in inquiry.asked_before.items()
        }
        events = [read[one] for one in ids if one in read]
        return with_replies(events, standing, viewer.user)

    def _worded(
        self, inquiry: Inquiry, events: Sequence[Event], synthesise: AskModel
    ) -> ResearchAnswer | None:
        """The model's answer, as far as the events support it."""
        names = self._names(inquiry, events)
        given = Gathered(inquiry.question.text, passages_of(events, names, inquiry.viewer.user))
        said = synthesise(inquiry, given)
        if said is None:
            return None
        if not said.known:
            inquiry.confidence = min(inquiry.confidence, KNOWN / 2)
            answer = self.extracted(inquiry, inquiry.citable(events), known=False)
            return replace(answer, by="model")
        result = checked(said.answer, [f"{one.author} {one.text}" for one in events])
        if result.struck:
            inquiry.notes.append(f"struck out of the model's answer: {result.struck}")
        if not result.sentences:
            inquiry.notes.append("nothing of the model's answer rests on what was retrieved")
            return None
        quotes = self._quotes(inquiry, [events[number - 1] for number in result.cited])
        text = " ".join(renumbered(result.sentences, result.cited))
        return _composed(inquiry, text, _citations(quotes, names), by="model")

    def _quotes(self, inquiry: Inquiry, events: Sequence[Event]) -> list[Quoted]:
        return [quoted(inquiry.question, one, self._indexer.lexicon) for one in events]

    def _names(self, inquiry: Inquiry, events: Sequence[Event]) -> dict[str, str]:
        return self._sources.stream_names(inquiry.viewer, inquiry.space, events)


def sentences_of(answer: ResearchAnswer, number: int) -> Iterator[ResearchStep]:
    """An answer as steps, one per line."""
    for line in answer.text.splitlines():
        yield ResearchStep(StepKind.SENTENCE, number, line)


def _composed(
    inquiry: Inquiry,
    text: str,
    citations: tuple[Citation, ...],
    *,
    known: bool = True,
    short: str = "",
    by: str = "local",
) -> ResearchAnswer:
    return ResearchAnswer(
        inquiry.question.text,
        text,
        known,
        round(inquiry.confidence, 3),
        citations,
        tuple(inquiry.rounds),
        inquiry.memos,
        short,
        by,
        tuple(inquiry.notes),
    )


def _citations(quotes: Sequence[Quoted], names: dict[str, str]) -> tuple[Citation, ...]:
    return tuple(
        Citation(
            number,
            one.event.id,
            names.get(one.event.stream_id, one.event.stream_id),
            one.event.author,
            one.event.occurred_at,
            one.quote,
            one.event.time_unknown,
        )
        for number, one in enumerate(quotes, 1)
    )
