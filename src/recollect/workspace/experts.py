"""Experts on a subject: the people likely to answer, with the evidence for each.

Everything is counted at the time of the query, from the messages that the viewer may read at that
moment, so no count reveals a stream that they may not read. An answered question is worth 1, a
citation 3, a reaction 0.5, a message called helpful 5; the sum fades with the months since the
latest of them. Where the newest messages say nothing about the subject and older ones do, the
people of that earlier time are ranked.
"""

from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from datetime import UTC, datetime, timedelta
from threading import Lock
from typing import Final, NamedTuple

from recollect.index.analyser import query_terms
from recollect.index.indexer import Indexer
from recollect.index.search_index import SearchIndex
from recollect.memories.text_comparison import WordVectors
from recollect.storage.database import Database, Transaction
from recollect.storage.pages import aliases, events
from recollect.storage.space_clock import number_and_clock
from recollect.storage.workspace import memos
from recollect.storage.workspace import people as rows
from recollect.trust.authorisation import authorise
from recollect.vocabulary.arguments import whole
from recollect.vocabulary.audiences import Access, Viewer
from recollect.vocabulary.clock import Clock, to_microseconds
from recollect.vocabulary.errors import InferenceError
from recollect.vocabulary.spaces import Space
from recollect.vocabulary.workspace import Expert, SampleAnswer
from recollect.workspace.disentangle import names_in
from recollect.workspace.likeness import likeness, terms_of
from recollect.workspace.memo_search import QuestionVector, question_text
from recollect.workspace.memo_text import cut
from recollect.workspace.people import DAY, FOLLOWING_SECONDS, Array, PeopleTable

ANSWERED: Final = 1.0
CITED: Final = 3.0
REACTION: Final = 0.5
HELPFUL: Final = 5.0
MONTH: Final = 30 * DAY
#: Maximum number of newest messages examined, and their maximum age in days.
MAX_MESSAGES: Final = 20_000
OLDEST_DAYS: Final = 730
MAX_EXPERTS: Final = 50
_ALIKE: Final = 40
#: Least similarity that counts as evidence, as a share of the most similar message's.
_LEAST_ALIKE: Final = 0.3
#: Least likeness of a message without a word of the subject.
_RELATED: Final = 0.35
_SAMPLES: Final = 3
#: Number of a person's answers that samples are chosen from, the content words that make a full
#: one, and the least that one is worth beside a better one.
_EXAMINED: Final = 12
_FULL_SAMPLE: Final = 15
_LEAST_SAMPLE: Final = 0.4
_TABLES: Final = 16


class Evidence(NamedTuple):
    """Evidence for one person on one subject."""

    answers: tuple[int, ...]
    cited: int
    reactions: int
    helpful: int
    last: float | None

    def worth(self, moment: float) -> float:
        """Score by the formula of the design document."""
        if self.last is None:
            return 0.0
        total = (
            ANSWERED * len(self.answers)
            + CITED * self.cited
            + REACTION * self.reactions
            + HELPFUL * self.helpful
        )
        return total / max(1.0, (moment - self.last) / MONTH)


class Experts:
    """Finds people by their messages."""

    def __init__(
        self,
        database: Database,
        *,
        index: SearchIndex,
        indexer: Indexer,
        clock: Clock,
        vectors: Callable[[], WordVectors | None],
    ) -> None:
        self._database = database
        self._index = index
        self._indexer = indexer
        self._clock = clock
        self._vectors = vectors
        self._lock = Lock()
        self._tables: OrderedDict[Access, tuple[int, PeopleTable]] = OrderedDict()

    def about(
        self,
        viewer: Viewer,
        space: Space,
        subject: str,
        *,
        limit: int = 5,
        asker: str | None = None,
    ) -> tuple[Expert, ...]:
        """People likely to answer a question or to know about a topic, likeliest first.

        Nobody, where nobody said anything about it and the question names nobody.
        """
        whole(limit, 1, MAX_EXPERTS, "A list of experts has")
        asked = question_text(subject)
        vector = self._vector_of(asked)
        with self._database.reading() as transaction:
            access = authorise(transaction, viewer, space)
            people = self.people(transaction, access)
            if not people.users:
                return ()
            slots = self._alike_slots(transaction, access, asked, vector)
            moment = min(self._clock().timestamp(), people.newest + DAY)
            alike = _places(people, slots)
            told = self._on_topic(transaction, access, people, asked, alike)
            earlier = None
            # who knows about it; or who would answer this person
            heard = _tellers if asker is None else _near
            if not heard(people, told) and not self._named(people, asked):
                earlier = self._earlier(transaction, access, people, asked, slots)
                if earlier is None:
                    return ()
                people, alike = earlier, _places(earlier, slots)
                told = self._on_topic(transaction, access, people, asked, alike)
            table = people.figures(alike, self._named(people, asked), moment, asker or viewer.user)
            scores = people.scores(table)
            order = sorted(range(len(scores)), key=lambda one: (-scores[one], people.users[one]))
            proofs = self._evidence(transaction, access, people, told, order)
            if earlier is not None:  # who is active says nothing about what was told long ago
                order = [one for one in order if proofs[one].answers]
                order.sort(key=lambda one: -proofs[one].worth(moment))
            else:
                named = {people.number[name] for name in self._named(people, asked)}
                silent = set(order) - heard(people, told) - named
                order = _silent_later(order, silent)
                if asker is None:
                    order = order[: len(order) - len(silent)]
            chosen = [one for one in order if people.users[one] != asker][:limit]
            proofs = {one: proofs[one] for one in chosen}
            samples = self._samples(transaction, access, people, asked, proofs)
        return tuple(
            Expert(
                user=people.users[one],
                score=round(float(scores[one]), 4),
                expertise=round(proofs[one].worth(moment), 4),
                answered=len(proofs[one].answers),
                cited=proofs[one].cited,
                reactions=proofs[one].reactions,
                helpful=proofs[one].helpful,
                last_signal_at=_time(proofs[one].last),
                samples=samples[one],
            )
            for one in chosen
        )

    def figures(
        self, viewer: Viewer, space: Space, subject: str, asker: str
    ) -> tuple[tuple[str, ...], Array]:
        """The figures of all people for a question, used for fitting the weights."""
        asked = question_text(subject)
        vector = self._vector_of(asked)
        with self._database.reading() as transaction:
            access = authorise(transaction, viewer, space)
            people = self.people(transaction, access)
            alike = self.alike(transaction, access, people, asked, vector)
            moment = min(self._clock().timestamp(), people.newest + DAY)
            named = self._named(people, asked)
        return people.users, people.figures(alike, named, moment, asker)

    def people(self, transaction: Transaction, access: Access) -> PeopleTable:
        """The table of all people whose messages the access may read; rebuilt when the space has
        changed.
        """
        _, clock = number_and_clock(transaction, access.space_id)
        with self._lock:
            known = self._tables.get(access)
        if known is not None and known[0] == clock:
            return known[1]
        since = self._clock() - timedelta(days=OLDEST_DAYS)
        spoken = rows.spoken_events(transaction, access, since=since, limit=MAX_MESSAGES)
        if not spoken:  # an old history: use its end as today
            spoken = rows.spoken_events(transaction, access, since=None, limit=MAX_MESSAGES)
        table = PeopleTable(spoken, _names(transaction, access))
        with self._lock:
            self._tables[access] = clock, table
            self._tables.move_to_end(access)
            if len(self._tables) > _TABLES:
                self._tables.popitem(last=False)
        return table

    def alike(
        self,
        transaction: Transaction,
        access: Access,
        people: PeopleTable,
        asked: str,
        vector: QuestionVector | None,
    ) -> Sequence[tuple[int, float]]:
        """Places of the messages most similar to a question, each with its weight."""
        return _places(people, self._alike_slots(transaction, access, asked, vector))

    def _alike_slots(
        self, transaction: Transaction, access: Access, asked: str, vector: QuestionVector | None
    ) -> dict[int, float]:
        """Slots of the messages most similar to a question, each with its weight."""
        terms = query_terms(asked)[:24]
        met = self._index.keywords(transaction, access, "events", terms, moment=None, limit=_ALIKE)
        best = max((score for _, score in met), default=1.0)
        found = {slot: score / best for slot, score in met}
        if vector is not None:
            model, asked_vector = vector
            now = to_microseconds(self._clock())
            near = self._index.near(
                transaction, access, "events", model, asked_vector, moment=now, limit=_ALIKE
            )
            for rank, slot in enumerate(near):
                found[slot] = found.get(slot, 0.0) + 0.5 / (1.0 + 0.1 * rank)
        return found

    def _earlier(
        self,
        transaction: Transaction,
        access: Access,
        people: PeopleTable,
        asked: str,
        slots: Mapping[int, float],
    ) -> PeopleTable | None:
        """The people of an earlier time, where the newest messages say nothing about a subject and
        older ones do; None where those say nothing either.
        """
        older = [slot for slot in slots if slot not in people.by_slot]
        ids = memos.events_at_slots(transaction, access, older)
        said = events.get_events(transaction, access, list(ids.values())).values()
        vectors, terms = self._vectors(), set(terms_of(asked))
        told = [one for one in said if _is_about(asked, terms, one.text, vectors)]
        if not told:
            return None
        until = max(one.occurred_at for one in told) + timedelta(seconds=FOLLOWING_SECONDS)
        spoken = rows.spoken_events(
            transaction, access, since=None, until=until, limit=MAX_MESSAGES
        )
        return PeopleTable(spoken, _names(transaction, access)) if spoken else None

    def _on_topic(
        self,
        transaction: Transaction,
        access: Access,
        people: PeopleTable,
        asked: str,
        alike: Sequence[tuple[int, float]],
    ) -> list[tuple[int, float]]:
        """Those of the most similar messages that are about the subject: they hold a word of it,
        or words of nearly the same meaning. Something is always most similar.
        """
        ids = {place: people.event_at(place).event_id for place, _ in alike}
        said = events.get_events(transaction, access, list(ids.values()))
        vectors, terms = self._vectors(), set(terms_of(asked))
        texts = {place: said[one].text for place, one in ids.items() if one in said}
        return [
            (place, worth)
            for place, worth in alike
            if place in texts and _is_about(asked, terms, texts[place], vectors)
        ]

    def _vector_of(self, asked: str) -> QuestionVector | None:
        try:
            return self._indexer.question(asked)
        except InferenceError:
            return None

    @staticmethod
    def _named(people: PeopleTable, asked: str) -> Iterable[str]:
        named = names_in(asked)
        return [user for user in people.users if user.lower() in named] if named else ()

    @staticmethod
    def _evidence(
        transaction: Transaction,
        access: Access,
        people: PeopleTable,
        alike: Sequence[tuple[int, float]],
        chosen: Sequence[int],
    ) -> dict[int, Evidence]:
        """The answers of each person about the subject, and the reactions of others to them.

        The next message after a question about the subject answers it; further ones do where their
        author said something about the subject too. What follows a statement counts nothing, and
        citations count of messages about the subject alone: somebody may have cited in error.
        """
        answers: dict[int, dict[int, None]] = {one: {} for one in chosen}
        ordered, tellers = _most_alike(alike), _tellers(people, alike)
        about = {place for place in ordered if people.says_something(place)}
        for place in ordered:
            for one in (place, *(people.following(place) if people.asks(place) else ())):
                if people.says_something(one) and int(people.who[one]) in tellers:
                    answers.get(int(people.who[one]), {})[one] = None
        ids = {one: people.event_at(one).event_id for some in answers.values() for one in some}
        signs = rows.reactions_on(transaction, access, list(ids.values()))
        verdicts = rows.verdicts_on(transaction, access, list(ids.values()))
        return {
            user: Evidence(
                tuple(some),
                sum(verdicts.get(ids[one], (0, 0))[0] for one in some if one in about),
                sum(signs.get(ids[one], 0) for one in some),
                sum(verdicts.get(ids[one], (0, 0))[1] for one in some),
                max((float(people.at[one]) for one in some), default=None),
            )
            for user, some in answers.items()
        }

    @staticmethod
    def _samples(
        transaction: Transaction,
        access: Access,
        people: PeopleTable,
        asked: str,
        proofs: dict[int, Evidence],
    ) -> dict[int, tuple[SampleAnswer, ...]]:
        """The answers of each person that show most, with their current text."""
        examined = {
            user: [people.event_at(one).event_id for one in proof.answers[:_EXAMINED]]
            for user, proof in proofs.items()
        }
        ids = [one for some in examined.values() for one in some]
        said = events.get_events(transaction, access, ids)
        verdicts = rows.verdicts_on(transaction, access, ids)
        terms = set(terms_of(asked))
        return {
            user: tuple(
                SampleAnswer(
                    one,
                    cut(said[one].text),
                    said[one].occurred_at,
                    verdicts.get(one, (0, 0))[1] > 0,
                )
                for one in _showing_most(
                    {
                        one: said[one].text
                        for one in some
                        if one in said and not said[one].deleted_at
                    },
                    terms,
                )
            )
            for user, some in examined.items()
        }


def _showing_most(texts: Mapping[str, str], terms: Set[str]) -> list[str]:
    """The ids of the messages that show most that their author knows a subject: they hold words of
    it, and say more than "oh well". Something is shown where there is anything.
    """
    worth = {one: _worth_showing(text, terms) for one, text in texts.items()}
    ordered = sorted(worth, key=lambda one: -worth[one])[:_SAMPLES]
    return [one for one in ordered if worth[one] >= _LEAST_SAMPLE] or ordered[:1]


def _worth_showing(text: str, terms: Set[str]) -> float:
    words = terms_of(text)
    held = len(terms & set(words)) / max(1, len(terms))
    return held + min(1.0, len(words) / _FULL_SAMPLE)


def _places(people: PeopleTable, slots: Mapping[int, float]) -> list[tuple[int, float]]:
    """The slots that the table knows, as places in it, each with its weight."""
    return [
        (people.by_slot[slot], worth) for slot, worth in slots.items() if slot in people.by_slot
    ]


def _silent_later(order: Sequence[int], silent: Set[int]) -> list[int]:
    """The people in their order, but last those who said nothing about the subject."""
    return sorted(order, key=lambda one: one in silent)


def _most_alike(told: Sequence[tuple[int, float]]) -> list[int]:
    """The places of those messages that are alike enough to count, most alike first."""
    least = _LEAST_ALIKE * max((worth for _, worth in told), default=0.0)
    return [place for place, worth in sorted(told, key=lambda one: -one[1]) if worth >= least]


def _tellers(people: PeopleTable, told: Sequence[tuple[int, float]]) -> set[int]:
    """Everybody who said something in one of these messages, or wrote the next after a question."""
    return {
        int(people.who[one])
        for place in _most_alike(told)
        for one in (place, *(people.following(place)[:1] if people.asks(place) else ()))
        if people.says_something(one)
    }


def _near(people: PeopleTable, told: Sequence[tuple[int, float]]) -> set[int]:
    """Everybody who said something in one of these messages or soon after one."""
    return {
        int(people.who[one])
        for place in _most_alike(told)
        for one in (place, *people.following(place))
        if people.says_something(one)
    }


def _is_about(asked: str, terms: Set[str], text: str, vectors: WordVectors | None) -> bool:
    """Whether a text holds a word of the subject, or words of nearly the same meaning."""
    return bool(terms & set(terms_of(text))) or likeness(asked, text, vectors) >= _RELATED


def _names(transaction: Transaction, access: Access) -> dict[str, str]:
    """The user behind each confirmed name."""
    return {one.name: one.user for one in aliases.list_aliases(transaction, access.space_id)}


def _time(at: float | None) -> datetime | None:
    return None if at is None else datetime.fromtimestamp(at, UTC)
