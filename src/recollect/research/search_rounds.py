"""Search rounds of research: plan the searches, search, gather events, and estimate the confidence.

A simple question is searched for once, a complex one in up to three rounds. A model plans and
reflects where there is one and the budget lasts; otherwise rules and the evidence do.
"""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Final, TypeVar

from recollect.index.indexer import Indexer
from recollect.inference.budgets import Spending
from recollect.inference.tasks import Task, Tasks
from recollect.recall.profiles import profile_of
from recollect.recall.search import Recall
from recollect.research.asking_messages import tells_nothing
from recollect.research.evidence import (
    confidence_of,
    measured,
    most_confidence,
    people_asked_about,
    without_names,
)
from recollect.research.inquiry import MAX_EVENTS, Inquiry
from recollect.research.questions import content_words_of, read
from recollect.research.relevance_feedback import with_feedback
from recollect.research.replies import asked_before, evidence_in, statements_first
from recollect.research.service_messages import is_service_message
from recollect.research.source_reader import SourceReader
from recollect.research.tasks import PLAN, REFLECT, Gathered, passages_of
from recollect.research.topic_speakers import FoundPassage
from recollect.research.word_matcher import WordMatcher
from recollect.vocabulary.events import Event
from recollect.vocabulary.research import ResearchPlan, ResearchRound, ResearchStep, StepKind
from recollect.vocabulary.results import Filters, Recalled

MAX_ROUNDS: Final = 3
SURE: Final = 0.8
#: Weight of a search for a part of the question, and of a further round that rules planned: it
#: looks for what is missing, and what it finds stands behind what the question itself found.
_PART: Final = 0.6
_FURTHER: Final = 0.45
_SEARCHES: Final = 4
#: Number of results of a second search where most of the first only ask: in a busy channel one
#: question, asked again and again, would leave no room for what answers it.
_WIDER: Final = 5 * MAX_EVENTS
_MET: Final = 0.55
_LONGEST_SEARCH: Final = 400
_WITHOUT: Final = "went on without the model"

T = TypeVar("T")


class SearchRounds:
    """Searches until enough is known, or nothing is left to try."""

    def __init__(
        self,
        *,
        recall: Recall,
        indexer: Indexer,
        tasks: Tasks,
        spending: Spending,
        sources: SourceReader,
    ) -> None:
        self._recall = recall
        self._indexer = indexer
        self._tasks = tasks
        self._spending = spending
        self._sources = sources

    @property
    def has_model(self) -> bool:
        """Whether there is a model to ask."""
        return self._tasks.has_model

    def plan(self, inquiry: Inquiry) -> ResearchPlan:
        """The plan for a question; nothing is searched for."""
        asked = inquiry.question
        if not asked.complex:
            return ResearchPlan(asked.text, False, (asked.text,))
        if not inquiry.uses_model:
            return ResearchPlan(asked.text, True, asked.parts)
        planned = self.ask_model(inquiry, PLAN, Gathered(asked.text))
        proposed = asked.parts if planned is None else planned.searches
        searches = _fresh(proposed, [asked.text])
        by = "local" if planned is None else "model"
        note = "; ".join(inquiry.notes)
        return ResearchPlan(asked.text, True, (asked.text, *searches), by, note)

    def run(self, inquiry: Inquiry) -> Iterator[ResearchStep]:
        """Plan, search, gather and reflect, until the confidence suffices or nothing is left to
        try.
        """
        question = inquiry.question
        inquiry.uses_model = self._may_ask_model(inquiry)
        most = MAX_ROUNDS if question.complex else 1
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

    def run_parts(self, inquiry: Inquiry) -> Iterator[ResearchStep]:
        """Search for each of the questions that one joins, where nothing found answers them all
        at once: every part has words that no answer of another part holds.
        """
        for text in inquiry.question.joined:
            if inquiry.stop() or inquiry.closed is not None:
                return
            part = Inquiry(
                inquiry.viewer, inquiry.space, read(text), inquiry.session, False, inquiry.stop
            )
            self._integrate(part, text)
            self._reflected(part)
            inquiry.parts.append(part)
            yield ResearchStep(
                StepKind.SEARCH,
                len(inquiry.rounds),
                f"confidence {part.confidence:.2f} for: {text}",
            )

    def is_closed(self, inquiry: Inquiry) -> bool:
        """Whether memory is off or the session incognito: then nothing is recalled."""
        self._search(inquiry, inquiry.question.text)
        return inquiry.closed is not None

    def ask_model(self, inquiry: Inquiry, task: Task[Gathered, T], given: Gathered) -> T | None:
        """The model's output; None where it is of no use, and then the model is not asked again."""
        done = self._tasks.run(inquiry.space.id, task, given)
        if not done.why:
            return done.value
        inquiry.uses_model = False
        inquiry.notes.append(f"{done.why}: {_WITHOUT}")
        return None

    def _may_ask_model(self, inquiry: Inquiry) -> bool:
        """Whether there is a model, and the month's budget allows another question to it."""
        if not self._tasks.has_model:
            return False
        if not self._spending.spend(inquiry.space.id, "queries"):
            inquiry.notes.append(f"the month's budget (queries) is used up: {_WITHOUT}")
            return False
        return True

    def _planned(self, inquiry: Inquiry, number: int) -> list[str]:
        """The searches of a round that were not made yet; none when enough is known."""
        question = inquiry.question
        first = [question.text] if number == 1 else []
        if not question.complex:
            return first
        if inquiry.uses_model:
            planned = self.ask_model(inquiry, PLAN, self._told(inquiry))
            if planned is not None:
                enough = planned.sufficient and number > 1
                found = [] if enough else _fresh(planned.searches, [*inquiry.searched, *first])
                return first + found
        if number == 1:
            return _fresh(question.parts, inquiry.searched)
        return _fresh(_refined(inquiry, number, self._indexer), inquiry.searched)

    def _reflected(self, inquiry: Inquiry) -> str:
        """Update the confidence; return who estimated it."""
        lexicon = self._indexer.lexicon
        found = evidence_in(inquiry.question, inquiry.found or inquiry.best, inquiry.asked_before)
        features = measured(inquiry.question, inquiry.people, found, inquiry.nameless, lexicon)
        most = most_confidence(inquiry.question.text, found) if found else 0.0
        inquiry.confidence = min(confidence_of(features), most)
        if inquiry.uses_model and inquiry.question.complex and inquiry.gathered:
            told = self.ask_model(inquiry, REFLECT, self._told(inquiry))
            if told is not None:
                inquiry.confidence = min(1.0, max(0.0, told.confidence))
                return "model"
        return "local"

    def _integrate(self, inquiry: Inquiry, search: str) -> int:
        """Search, and add the results to the gathered events; return the number of events found."""
        whole = search == inquiry.question.text
        found = self._search(inquiry, search)
        asking = [one for one in found if tells_nothing(inquiry.question, one.event.text)]
        if 2 * len(asking) > len(found):
            wider = self._search(inquiry, search, limit=_WIDER)[len(found) :]
            telling_ones = [
                one for one in wider if not tells_nothing(inquiry.question, one.event.text)
            ]
            found += telling_ones[:MAX_EVENTS]
        inquiry.searched.append(search)
        found = with_feedback(found, self._indexer.lexicon)
        if whole:
            inquiry.found = found
            inquiry.people = people_asked_about(search, {one.event.author for one in found})
            if len(inquiry.people) == 1:
                inquiry.nameless = self._search(inquiry, without_names(search, inquiry.people))
            inquiry.asked_before = asked_before(
                inquiry.question,
                [one.event for one in found],
                partial(self._sources.conversation, inquiry.viewer, inquiry.space),
                self._indexer.lexicon,
            )
        inquiry.found_by(found)
        inquiry.gather(
            statements_first(inquiry.question, found, inquiry.asked_before),
            _worth(inquiry, whole=whole),
        )
        return len(found)

    def _search(
        self, inquiry: Inquiry, query: str, *, limit: int = MAX_EVENTS
    ) -> list[FoundPassage]:
        answer: Recalled = self._recall.search(
            inquiry.viewer,
            inquiry.space,
            query,
            kinds=("event",),
            filters=Filters(),
            limit=limit,
            profile=profile_of("workspace"),
            session=inquiry.session,
        )
        if answer.closed:
            inquiry.closed = answer.missing[0]
        inquiry.notes += [one for one in answer.missing if one not in inquiry.notes]
        return [
            FoundPassage(hit.item, hit.score)
            for hit in answer
            if isinstance(hit.item, Event) and not is_service_message(hit.item.text)
        ]

    def _told(self, inquiry: Inquiry) -> Gathered:
        events = [one.event for one in inquiry.best]
        names = self._sources.stream_names(inquiry.viewer, inquiry.space, events)
        return Gathered(
            inquiry.question.text,
            passages_of(events, names, inquiry.viewer.user),
            tuple(inquiry.searched),
        )


def _worth(inquiry: Inquiry, *, whole: bool) -> float:
    """How much a search of this round counts."""
    if whole:
        return 1.0
    return _FURTHER if inquiry.rounds and not inquiry.uses_model else _PART


def _fresh(searches: Sequence[str], made: Sequence[str]) -> list[str]:
    """Searches that were not made yet, compared regardless of spelling."""
    known = {" ".join(content_words_of(one)) for one in made}
    fresh: list[str] = []
    for one in searches:
        plain = " ".join(one.split())[:_LONGEST_SEARCH]
        key = " ".join(content_words_of(plain))
        if key and key not in known:
            known.add(key)
            fresh.append(plain)
    return fresh[:_SEARCHES]


def _refined(inquiry: Inquiry, number: int, indexer: Indexer) -> list[str]:
    """Searches of a further round without a model: the words that no gathered event holds, and then
    the topic of the best passage.
    """
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
    about = [
        word for word in content_words_of(best[0].event.text) if word not in inquiry.question.words
    ]
    longest = sorted(about, key=lambda word: -len(word))[:4]
    return [" ".join([*missing, *longest, *names])]
