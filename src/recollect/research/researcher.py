"""Research: a quick look at memos, then plan, search, integrate and reflect, then the answer.

A simple question is searched for once; a complex one in up to three rounds, until it is sure
enough. Whatever a model does or does not do, an answer comes: its sentences cite events that were
retrieved, or it says that nothing was found. Nothing is written before the answer is there.
"""

from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Final, TypeVar

from recollect.index.indexer import Indexer
from recollect.inference.budgets import Spending
from recollect.inference.tasks import Task, Tasks
from recollect.pages.events import Events
from recollect.pages.streams import Streams
from recollect.recall.profiles import profile_of
from recollect.recall.search import Recall
from recollect.research.checked_answer import checked, renumbered
from recollect.research.evidence import (
    FoundPassage,
    WordMatcher,
    confidence_of,
    measured,
    people_asked_about,
    without_names,
)
from recollect.research.extraction import Quoted, line_of, quoted, short_answer
from recollect.research.log import ResearchLog
from recollect.research.memo_lookup import MemoLookup, MemoMatch
from recollect.research.questions import ReadQuestion, is_same, named_in, read, telling
from recollect.research.replies import with_replies
from recollect.research.tasks import (
    PLAN,
    REFLECT,
    SYNTHESISE,
    Gathered,
    passages_of,
)
from recollect.vocabulary.audiences import Viewer
from recollect.vocabulary.clock import Clock
from recollect.vocabulary.errors import NotFound, RecollectError
from recollect.vocabulary.events import Event
from recollect.vocabulary.research import (
    LONGEST_QUESTION,
    Citation,
    Requester,
    ResearchAnswer,
    ResearchPlan,
    ResearchRound,
    ResearchStep,
    StepKind,
)
from recollect.vocabulary.results import Filters, Recalled
from recollect.vocabulary.retrievals import Retrieval, Verdict
from recollect.vocabulary.spaces import Space
from recollect.vocabulary.text import checked_text
from recollect.workspace.conversation_reader import ConversationReader

MOST_ROUNDS: Final = 3
SURE: Final = 0.8
#: A memo that is more alike than this answers at once.
SAME_QUESTION: Final = 0.9
MOST_MEMOS: Final = 5
MOST_EVENTS: Final = 10
MOST_CITED: Final = 5
#: An answer that is surer than this becomes a memo.
WORTH_A_MEMO: Final = 0.7
MEMO_CONFIDENCE: Final = 0.6
_KNOWN: Final = 0.5
_RELATED_MEMO: Final = 0.7
_MEMO_EVENT: Final = 0.4
_PART: Final = 0.6  # what a search for a part of the question is worth beside the whole
_WORTH_CITING: Final = 0.35  # beside the best
_SEARCHES: Final = 4
_MET: Final = 0.55
_LONGEST_SEARCH: Final = 400
NOT_FOUND: Final = "I could not find this."
_WITHOUT: Final = "went on without the model"

Stop = Callable[[], bool]
T = TypeVar("T")


@dataclass(slots=True)
class _Inquiry:
    """One question on its way to an answer."""

    viewer: Viewer
    space: Space
    question: ReadQuestion
    session: str | None
    uses_model: bool
    stop: Stop
    searched: list[str] = field(default_factory=list)
    gathered: dict[str, FoundPassage] = field(default_factory=dict)
    found: list[FoundPassage] = field(default_factory=list)  # by the question as it was asked
    nameless: list[FoundPassage] = field(default_factory=list)
    people: frozenset[str] = frozenset()
    memos: tuple[str, ...] = ()
    rounds: list[ResearchRound] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    confidence: float = 0.0
    closed: str | None = None

    @property
    def best(self) -> list[FoundPassage]:
        """What was gathered, the best first, no more than an answer may draw on."""
        ordered = sorted(self.gathered.values(), key=lambda one: -one.score)[:MOST_EVENTS]
        return [one for one in ordered if one.score >= _WORTH_CITING * ordered[0].score]


class Researcher:
    """Answers questions from events, with citations."""

    def __init__(
        self,
        *,
        recall: Recall,
        events: Events,
        streams: Streams,
        indexer: Indexer,
        tasks: Tasks,
        spending: Spending,
        memos: MemoLookup | None,
        log: ResearchLog,
        conversations: ConversationReader,
        clock: Clock,
    ) -> None:
        self._recall = recall
        self._events = events
        self._streams = streams
        self._indexer = indexer
        self._tasks = tasks
        self._spending = spending
        self._memos = memos
        self._conversations = conversations
        self._clock = clock
        self.log = log

    def plan(self, viewer: Viewer, space: Space, question: str) -> ResearchPlan:
        """How a question would be looked into; nothing is searched for."""
        text = checked_text(question, "question", LONGEST_QUESTION)
        asked = read(text)
        inquiry = _Inquiry(viewer, space, asked, None, self._tasks.has_model, lambda: False)
        if not asked.complex:
            return ResearchPlan(asked.text, False, (asked.text,))
        if not inquiry.uses_model:
            return ResearchPlan(asked.text, True, asked.parts)
        planned = self._ask_model(inquiry, PLAN, Gathered(asked.text))
        proposed = asked.parts if planned is None else planned.searches
        searches = _fresh(proposed, [asked.text])
        by = "local" if planned is None else "model"
        note = "; ".join(inquiry.notes)
        return ResearchPlan(asked.text, True, (asked.text, *searches), by, note)

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
        """The steps to an answer as they are made; the last one holds it.

        Whoever stops taking them, or has ``stop`` say so, ends the research: what was begun is
        not kept.
        """
        text = checked_text(question, "question", LONGEST_QUESTION)
        inquiry = _Inquiry(viewer, space, read(text), session, False, stop)
        answer = yield from self._quick_look(inquiry)
        if answer is None:
            yield from self._rounds(inquiry)
            answer = yield from self._answered(inquiry)
        if inquiry.closed is None and not answer.stopped:
            answer = self._kept(inquiry, answer, requester)
        yield ResearchStep(StepKind.ANSWER, len(answer.rounds), answer.text, answer)

    def praised(self, viewer: Viewer, space: Space, retrieval: Retrieval) -> None:
        """An answer was called helpful: what it cites becomes a memo, or its memo is lifted."""
        said = [one for one in retrieval.feedback if one.verdict is Verdict.HELPFUL]
        cited = [one.id for one in retrieval.served if one.kind == "event"]
        if len(said) != 1 or not cited or not self.log.holds(viewer, space, retrieval.id):
            return
        memo = self._memo(viewer, space, retrieval.query, "", self._readable(viewer, space, cited))
        if memo is not None:
            self.log.set_memo(space, retrieval.id, memo)

    # --- the quick look ---------------------------------------------------------------------------

    def _quick_look(
        self, inquiry: _Inquiry
    ) -> Generator[ResearchStep, None, ResearchAnswer | None]:
        """Whether a memo answers at once; others lend the events they point at."""
        viewer, space = inquiry.viewer, inquiry.space
        matches: Sequence[MemoMatch] = ()
        try:
            if self._memos is not None:
                matches = self._memos.search(viewer, space, inquiry.question.text, MOST_MEMOS)
        except RecollectError as error:
            inquiry.notes.append(f"looked without memos: {error.message}")
        near = [one for one in matches if one.score > _RELATED_MEMO]
        yield ResearchStep(StepKind.LOOK, 0, f"{len(near)} memos are near to the question")
        for one in near:
            for event in self._readable(viewer, space, one.memo.anchors):
                kept = inquiry.gathered.get(event.id)
                score = one.score * _MEMO_EVENT if kept is None else kept.score
                inquiry.gathered[event.id] = FoundPassage(event, score)
        inquiry.memos = tuple(one.memo.id for one in near)
        if not near or near[0].score <= SAME_QUESTION:
            return None
        if not is_same(inquiry.question.text, near[0].memo.summary):
            return None
        events = self._readable(viewer, space, near[0].memo.anchors)[:MOST_CITED]
        if not events or self._is_closed(inquiry):
            return None
        inquiry.confidence = min(1.0, near[0].score)
        inquiry.memos = (near[0].memo.id,)
        inquiry.notes.append("answered by a memo of the same question")
        answer = self._extracted(inquiry, events, known=True)
        yield from _sentences(answer, 0)
        return answer

    def _is_closed(self, inquiry: _Inquiry) -> bool:
        """Whether memory is off or the session incognito: then nothing is recalled."""
        self._search(inquiry, inquiry.question.text)
        return inquiry.closed is not None

    # --- rounds -----------------------------------------------------------------------------------

    def _rounds(self, inquiry: _Inquiry) -> Iterator[ResearchStep]:
        """Plan, search, integrate, reflect, until it is sure enough or nothing is left to try."""
        question = inquiry.question
        inquiry.uses_model = self._may_ask_model(inquiry)
        most = MOST_ROUNDS if question.complex else 1
        for number in range(1, most + 1):
            if inquiry.stop() or inquiry.closed is not None:
                return
            searches = self._planned(inquiry, number)
            if not searches:
                return
            yield ResearchStep(StepKind.PLAN, number, "; ".join(searches))
            for search in searches:
                if inquiry.stop():
                    return
                count = self._integrate(inquiry, search)
                yield ResearchStep(StepKind.SEARCH, number, f"{count} events for: {search}")
            by = self._reflected(inquiry)
            inquiry.rounds.append(
                ResearchRound(
                    number, len(searches), len(inquiry.best), round(inquiry.confidence, 3), by
                )
            )
            yield ResearchStep(
                StepKind.REFLECT, number, f"confidence {inquiry.confidence:.2f}, by {by}"
            )
            if inquiry.confidence >= SURE:
                return

    def _planned(self, inquiry: _Inquiry, number: int) -> list[str]:
        """The searches of a round that were not made yet; none when enough is known."""
        question = inquiry.question
        first = [question.text] if number == 1 else []
        if not question.complex:
            return first
        if inquiry.uses_model:
            planned = self._ask_model(inquiry, PLAN, self._told(inquiry))
            if planned is not None:
                enough = planned.sufficient and number > 1
                found = [] if enough else _fresh(planned.searches, [*inquiry.searched, *first])
                return first + found
        if number == 1:
            return _fresh(question.parts, inquiry.searched)
        return _fresh(_refined(inquiry, number, self._indexer), inquiry.searched)

    def _reflected(self, inquiry: _Inquiry) -> str:
        """Say how sure it is; who said so."""
        lexicon = self._indexer.lexicon
        found = inquiry.found or inquiry.best
        features = measured(inquiry.question, inquiry.people, found, inquiry.nameless, lexicon)
        inquiry.confidence = confidence_of(features) if found else 0.0
        if inquiry.uses_model and inquiry.question.complex and inquiry.gathered:
            told = self._ask_model(inquiry, REFLECT, self._told(inquiry))
            if told is not None:
                inquiry.confidence = min(1.0, max(0.0, told.confidence))
                return "model"
        return "local"

    def _integrate(self, inquiry: _Inquiry, search: str) -> int:
        """Search, and add what was found to what was gathered; how many events were found."""
        whole = search == inquiry.question.text
        found = self._search(inquiry, search)
        inquiry.searched.append(search)
        for one in found:
            score = one.score * (1.0 if whole else _PART)
            kept = inquiry.gathered.get(one.event.id)
            if kept is None or kept.score < score:
                inquiry.gathered[one.event.id] = FoundPassage(one.event, score)
        if whole:
            inquiry.found = found
            inquiry.people = people_asked_about(search, {one.event.author for one in found})
            if len(inquiry.people) == 1:
                inquiry.nameless = self._search(inquiry, without_names(search, inquiry.people))
        return len(found)

    def _search(self, inquiry: _Inquiry, query: str) -> list[FoundPassage]:
        answer: Recalled = self._recall.search(
            inquiry.viewer,
            inquiry.space,
            query,
            kinds=("event",),
            filters=Filters(),
            limit=MOST_EVENTS,
            profile=profile_of("workspace"),
            session=inquiry.session,
        )
        if answer.closed:
            inquiry.closed = answer.missing[0]
        inquiry.notes += [one for one in answer.missing if one not in inquiry.notes]
        return [FoundPassage(hit.item, hit.score) for hit in answer if isinstance(hit.item, Event)]

    # --- the model --------------------------------------------------------------------------------

    def _may_ask_model(self, inquiry: _Inquiry) -> bool:
        """Whether there is a model, and the month's budget has a question left for it."""
        if not self._tasks.has_model:
            return False
        if not self._spending.spend(inquiry.space.id, "queries"):
            inquiry.notes.append(f"the month's budget (queries) is used up: {_WITHOUT}")
            return False
        return True

    def _ask_model(self, inquiry: _Inquiry, task: Task[Gathered, T], given: Gathered) -> T | None:
        """What the model says; None where it says nothing of use, and it is not asked again."""
        done = self._tasks.run(inquiry.space.id, task, given)
        if not done.why:
            return done.value
        inquiry.uses_model = False
        inquiry.notes.append(f"{done.why}: {_WITHOUT}")
        return None

    def _told(self, inquiry: _Inquiry) -> Gathered:
        events = [one.event for one in inquiry.best]
        names = self._stream_names(inquiry, events)
        return Gathered(
            inquiry.question.text,
            passages_of(events, names, inquiry.viewer.user),
            tuple(inquiry.searched),
        )

    # --- the answer -------------------------------------------------------------------------------

    def _answered(self, inquiry: _Inquiry) -> Generator[ResearchStep, None, ResearchAnswer]:
        """The answer: by the model where its sentences stand, by the passages otherwise."""
        if inquiry.closed is not None:
            return ResearchAnswer(
                inquiry.question.text, inquiry.closed, False, 0.0, notes=tuple(inquiry.notes)
            )
        ids = [one.event.id for one in inquiry.best]
        events = self._readable(inquiry.viewer, inquiry.space, ids)  # as they stand now
        around = partial(self._conversation, inquiry)
        events = with_replies(inquiry.question, events, around, self._indexer.lexicon)
        if inquiry.stop():
            answer = replace(self._extracted(inquiry, events, known=False), stopped=True)
            return replace(answer, text="Stopped before there was an answer.")
        worded = self._worded(inquiry, events) if inquiry.uses_model and events else None
        if worded is None:
            known = bool(events) and inquiry.confidence >= _KNOWN
            worded = self._extracted(inquiry, events[:MOST_CITED], known=known)
        yield from _sentences(worded, len(inquiry.rounds))
        return worded

    def _worded(self, inquiry: _Inquiry, events: Sequence[Event]) -> ResearchAnswer | None:
        """The model's answer, as far as it rests on the events."""
        names = self._stream_names(inquiry, events)
        given = Gathered(inquiry.question.text, passages_of(events, names, inquiry.viewer.user))
        said = self._ask_model(inquiry, SYNTHESISE, given)
        if said is None:
            return None
        if not said.known:
            inquiry.confidence = min(inquiry.confidence, _KNOWN / 2)
            answer = self._extracted(inquiry, events[:MOST_CITED], known=False)
            return replace(answer, by="model")
        result = checked(said.answer, [f"{one.author} {one.text}" for one in events])
        if result.struck:
            inquiry.notes.append(f"struck out of the model's answer: {result.struck}")
        if not result.sentences:
            inquiry.notes.append("nothing of the model's answer rests on what was retrieved")
            return None
        cited = [events[number - 1] for number in result.cited]
        return self._composed(
            inquiry,
            " ".join(renumbered(result.sentences, result.cited)),
            self._quotes(inquiry, cited),
            names,
            by="model",
        )

    def _extracted(
        self, inquiry: _Inquiry, events: Sequence[Event], *, known: bool
    ) -> ResearchAnswer:
        """The answer in the words of the events themselves, arranged."""
        names = self._stream_names(inquiry, events)
        quotes = self._quotes(inquiry, events)
        lines = [line_of(one) for one in _citations(quotes, names)]
        if not known:
            nearest = ["Nearest to it:", *lines] if lines else []
            text = "\n".join([NOT_FOUND, *nearest])
            return self._composed(inquiry, text, quotes, names, known=False)
        short, place = short_answer(inquiry.question, quotes)
        bare = inquiry.question.wants in ("time", "number", "person", "place")
        lead = [f"{short} [{place + 1}]"] if short and bare else []
        return self._composed(inquiry, "\n".join([*lead, *lines]), quotes, names, short=short)

    def _composed(
        self,
        inquiry: _Inquiry,
        text: str,
        quotes: Sequence[Quoted],
        names: dict[str, str],
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
            _citations(quotes, names),
            tuple(inquiry.rounds),
            inquiry.memos,
            short,
            by,
            tuple(inquiry.notes),
        )

    def _quotes(self, inquiry: _Inquiry, events: Sequence[Event]) -> list[Quoted]:
        return [quoted(inquiry.question, one, self._indexer.lexicon) for one in events]

    def _readable(self, viewer: Viewer, space: Space, ids: Sequence[str]) -> list[Event]:
        """The events that are there and may be read now, with their words of now."""
        found = []
        for event_id in dict.fromkeys(ids):
            with suppress(NotFound):
                event = self._events.get(viewer, space, event_id)
                if event.deleted_at is None and event.text.strip():
                    found.append(event)
        return found

    def _conversation(self, inquiry: _Inquiry, event: Event) -> Sequence[Event]:
        """The conversation that an event is part of; nothing where it has gone."""
        with suppress(NotFound):
            return self._conversations.around(inquiry.viewer, inquiry.space, event.id).events
        return ()

    def _stream_names(self, inquiry: _Inquiry, events: Sequence[Event]) -> dict[str, str]:
        names: dict[str, str] = {}
        for stream_id in dict.fromkeys(one.stream_id for one in events):
            with suppress(NotFound):
                names[stream_id] = self._streams.get(inquiry.viewer, inquiry.space, stream_id).name
        return names

    # --- what is kept of it -----------------------------------------------------------------------

    def _kept(
        self, inquiry: _Inquiry, answer: ResearchAnswer, requester: Requester
    ) -> ResearchAnswer:
        """Put it in the log, count what it cites, and make a good answer a memo.

        Each is a write of its own, in this order: a process that dies between them leaves less,
        and never the same thing twice.
        """
        viewer, space = inquiry.viewer, inquiry.space
        logged = self.log.add(viewer, space, answer, requester)
        answer = replace(answer, id=logged)
        cited = [one.event_id for one in answer.citations]
        if not (answer.known and cited):
            return answer
        with suppress(RecollectError):  # what was of use is counted where it can be
            self._events.retrieved(viewer, space, cited, verdict="cited")
        if not answer.rounds or answer.confidence <= WORTH_A_MEMO:
            return answer
        memo = self._memo(
            viewer, space, answer.question, answer.text, self._readable(viewer, space, cited)
        )
        if memo is not None and logged is not None:
            self.log.set_memo(space, logged, memo)
        return replace(answer, memo_id=memo)

    def _memo(
        self, viewer: Viewer, space: Space, question: str, answer: str, events: Sequence[Event]
    ) -> str | None:
        """The memo of an answer; None where none can be kept, which fails no answer."""
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
    """Whether a question may become a memo, which others read: it names nothing that does not
    stand in what it cites, so that nobody learns from it what they could not read there."""
    said = " ".join(f"{one.author} {one.text}" for one in events).lower()
    return all(name in said for name in named_in(question))


def _citations(quotes: Sequence[Quoted], names: dict[str, str]) -> tuple[Citation, ...]:
    return tuple(
        Citation(
            number,
            one.event.id,
            names.get(one.event.stream_id, one.event.stream_id),
            one.event.author,
            one.event.occurred_at,
            one.quote,
        )
        for number, one in enumerate(quotes, 1)
    )


def _sentences(answer: ResearchAnswer, number: int) -> Iterator[ResearchStep]:
    for line in answer.text.splitlines():
        yield ResearchStep(StepKind.SENTENCE, number, line)


def _fresh(searches: Sequence[str], made: Sequence[str]) -> list[str]:
    """Searches that were not made yet, however they are spelled."""
    known = {" ".join(telling(one)) for one in made}
    fresh: list[str] = []
    for one in searches:
        plain = " ".join(one.split())[:_LONGEST_SEARCH]
        key = " ".join(telling(plain))
        if key and key not in known:
            known.add(key)
            fresh.append(plain)
    return fresh[:_SEARCHES]


def _refined(inquiry: _Inquiry, number: int, indexer: Indexer) -> list[str]:
    """What a further round searches for without a model: the words that nothing gathered holds,
    and then what the best passage is about."""
    best = inquiry.best
    names = sorted(name for one in inquiry.people for name in one.split())
    if not best:
        return [" ".join(inquiry.question.words)]
    matcher = WordMatcher(inquiry.question.words, indexer.lexicon)
    held = [
        max(float(one) for one in row)
        for row in zip(*(matcher.matches(passage.event.text) for passage in best), strict=True)
    ]
    missing = [word for word, most in zip(inquiry.question.words, held, strict=True) if most < _MET]
    if number == 2 and missing:
        return [" ".join([*missing, *names])]
    about = [word for word in telling(best[0].event.text) if word not in inquiry.question.words]
    longest = sorted(about, key=lambda word: -len(word))[:4]
    return [" ".join([*missing, *longest, *names])]
