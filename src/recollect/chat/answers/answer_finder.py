"""Question answering over a person's memory: the answer with its date and its source."""

import re
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import chain, pairwise
from math import inf
from typing import Final

from recollect.chat.answers.answer_kinds import holds, people_named
from recollect.chat.answers.answer_people import LEANS_ON_SUBJECT, KnownEntry
from recollect.chat.answers.answer_wording import (
    HAPPENED,
    OTHERS,
    joined,
    listed,
    memory_told,
    sentence_told,
    since,
)
from recollect.chat.answers.answerer import CROWD, ENOUGH, Matcher, ScoredEntry
from recollect.chat.answers.answers_from_messages import last_told, told_sentences
from recollect.chat.answers.later_counts import counts_others, newest_count
from recollect.chat.answers.newer_values import VALUE_KINDS, tells_otherwise
from recollect.chat.answers.question_reader import (
    AskedQuestion,
    asked,
    asks_for_address,
    asks_for_the_last,
    asks_for_to_dos,
    tells_address,
    without_asking,
)
from recollect.chat.answers.shared_readings import SharedReadings
from recollect.chat.entries.control import Control
from recollect.chat.entries.entry_writer import entry_of
from recollect.chat.language.command_replies import answer
from recollect.chat.language.concepts import related_words
from recollect.chat.language.sentence_subject import relations_in
from recollect.chat.updates.plans import calls_off
from recollect.index.analyser import query_terms
from recollect.memories.write_path import WritePath
from recollect.storage.database import Database, Transaction
from recollect.storage.memories import entries, questions, reads, relations
from recollect.storage.pages import events
from recollect.trust.authorisation import authorise, closed
from recollect.trust.prompt_injection import signs
from recollect.vocabulary.audiences import Access, Viewer
from recollect.vocabulary.memory import Memory
from recollect.vocabulary.personal import ChatAnswer, Entry, Noticed, Question, Scores
from recollect.vocabulary.spaces import Space

_MAX_ENTRIES: Final = 500
_FOUND: Final = 200
_TERMS: Final = 64
_LONGEST_MESSAGE: Final = 2_000
_POINTS_BACK: Final = re.compile(
    r"\b(?:mine|ours|hers|his|theirs|too|instead|the same|that one|le mien|la mienne|pareil)\b",
    re.IGNORECASE,
)
#: Questions in the past tense.
_WAS: Final = re.compile(r"\b(?:was|were|did|had|étais|était|avais|avait|étaient)\b", re.IGNORECASE)
_OPEN: Final = 1.0  # how far below ENOUGH the newer entry of an open question may score
SURE: Final = 4.5  # an entry with this score answers without looking at messages
BY_MESSAGE: Final = 0.8  # minimum score of a message that answers
_FULLER: Final = 0.2
BETTER: Final = 0.9  # margin by which a message must score above the best entry
#: The same two among many entries, where the score itself weighs that a sentence made no entry.
BY_MESSAGE_AMONG_MANY: Final = 0.0
BETTER_AMONG_MANY: Final = 0.3
_JUST_BEFORE: Final = timedelta(hours=1)
#: How long after a person was named "him" may still mean them, when nothing else was told between.
_OF_THEM: Final = timedelta(days=3)
_HIM_OR_HER: Final = re.compile(
    r"\b(?:he|him|his|he's|she|her|hers|she's|il|elle|lui)\b", re.IGNORECASE
)


@dataclass(slots=True)
class _Inquiry:
    """One question: who asks, where, and as of when; what was read for it is read once."""

    viewer: Viewer
    space: Space
    read: AskedQuestion
    at: datetime | None
    readings: SharedReadings
    told: list[KnownEntry] | None = None  # sentences of the messages, once they were looked for


class AnswerFinder:
    """Answers questions from the entries, and from messages where no entry is sure."""

    def __init__(self, database: Database, *, control: Control, path: WritePath) -> None:
        self._database = database
        self._control = control
        self._path = path

    def ask(
        self,
        viewer: Viewer,
        space: Space,
        question: str,
        *,
        at: datetime | None,
        session: str | None,
    ) -> ChatAnswer:
        """Answer a question as of a time."""
        read = asked(without_asking(question))
        with self._database.reading() as transaction:
            why = closed(transaction, authorise(transaction, viewer, space), session)
        if why is not None:
            return ChatAnswer(answer("closed_ask", read.language), False, read.language)
        one = _Inquiry(viewer, space, read, at, SharedReadings(self._path.lexicon.word_vectors))
        found = self._entries(one)
        kept = {entry.id: entry for entry in self._held(one, found)}
        if asks_for_the_last(question):
            return self._last(one, kept)
        if asks_for_to_dos(question) and (noted := [e for e in kept.values() if _is_to_do(e)]):
            return listed(noted, read)
        if asks_for_address(read.text) and (how := [e for e in kept.values() if _addresses(e)]):
            return memory_told(max(how, key=since).memory, read)
        known, older = self._known(one, list(kept.values()), past=read.past)
        matcher = self._matcher(one)
        ranked = matcher.ranked(known)
        if not ranked or ranked[0].score < SURE:
            said = self._from_messages(one, known, ranked, kept)
            if said is not None:
                return said
        if not ranked:
            unknown = ChatAnswer(answer("unknown", read.language), False, read.language)
            return self._by_replaced(one, kept) or unknown
        if ranked[0].id in older:
            return memory_told(older[ranked[0].id], read)
        standing = [other for other in ranked if other.id in kept]
        newer = self._newer_value(one, kept, matcher, standing[0].id)
        if isinstance(newer, ChatAnswer):
            return newer
        carried = self._untouched(one, kept, matcher.told[newer])
        return carried or self._worded(
            one, kept, _with_first(newer, standing, kept), matcher.scores
        )

    def _matcher(self, one: _Inquiry) -> Matcher:
        return Matcher(one.read, self._path.lexicon.word_vectors, one.readings)

    def _told(
        self, transaction: Transaction, access: Access, one: _Inquiry, kept: dict[str, Entry]
    ) -> list[KnownEntry]:
        """The sentences of the messages that made no entry."""
        if one.told is None:
            made: dict[str, list[str]] = {}
            for entry in kept.values():
                for event in entry.memory.provenance.events:
                    made.setdefault(event, []).append(entry.memory.content)
            one.told = told_sentences(transaction, access, one.at, made)
        return one.told

    def _held(self, one: _Inquiry, found: tuple[Entry, ...]) -> list[Entry]:
        """Entries that held at a time, also those that were replaced after it."""
        told = [entry for entry in found if _told_by(entry, one.at)]
        later = [entry.id for entry in found if not _told_by(entry, one.at)]
        if one.at is None or not later:
            return told
        with self._database.reading() as transaction:
            access = authorise(transaction, one.viewer, one.space)
            return [*told, *held_at(transaction, access, later, one.at)]

    def _newer_value(
        self, one: _Inquiry, kept: dict[str, Entry], matcher: Matcher, best_id: str
    ) -> str | ChatAnswer:
        """Id of the entry that tells the newest value of what the best entry answers, which may be
        that entry; an answer if the newest value was told in a message that made no entry.
        """
        best = matcher.rated[best_id].entry
        entries = matcher.rated.values()
        held = {known.text for known in matcher.told.values()}
        with self._database.reading() as transaction:
            access = authorise(transaction, one.viewer, one.space)
            told = [
                said
                for said in self._told(transaction, access, one, kept)
                if said.at > best.at and said.text not in held
            ]
            beside = self._matcher(one)
            if told:
                beside.ranked([*told, *(matcher.told[known] for known in matcher.rated)])
            others = [
                *entries,
                *(beside.rated[said.id] for said in told if said.id in beside.rated),
            ]
            newer = matcher.newer_value(best_id, others)
            if newer is not None and newer.entry.id in matcher.rated:
                newer = matcher.newer_value(newer.entry.id, others) or newer
            first = best if newer is None else newer.entry
            newest = newest_count(one.read, first, [*matcher.told.values(), *told])
            if newest.id in kept:
                return newest.id
            sentence = next(said for said in told if said.id == newest.id)
            return sentence_told(transaction, access, one.read, sentence) or best_id

    def _by_replaced(self, one: _Inquiry, kept: dict[str, Entry]) -> ChatAnswer | None:
        """Answer a question, which nothing that holds answers, by an entry that was replaced: with
        that entry in the past tense ("what was our boat called?" after the boat was sold), else
        with what took its place ("it's Mubi for us now" names no streaming service).
        """
        read = one.read
        if read.past:
            return None
        was = _WAS.search(read.text) is not None
        meant = replace(read, past=True) if was else read
        known, older = self._known(one, list(kept.values()), past=True)
        if not older:
            return None
        # Ranked among everything that holds: what is little evidence there is little evidence here.
        among_all = Matcher(meant, self._path.lexicon.word_vectors, one.readings).ranked(known)
        ranked = [entry for entry in among_all if entry.id in older]
        if not ranked or (len(known) > CROWD and ranked[0] is not among_all[0]):
            return None
        old = older[ranked[0].id]
        new = kept.get(old.superseded_by or "")
        if was or new is None:
            return memory_told(old, meant) if was else None
        return memory_told(
            new.memory if tells_otherwise(old.content, new.memory.content) else old, read
        )

    def _untouched(
        self, one: _Inquiry, kept: dict[str, Entry], best: KnownEntry
    ) -> ChatAnswer | None:
        """Answer with the version before the best entry, if only that holds the kind of answer that
        is asked for: a meeting that was moved to another room still begins at four.
        """
        read = one.read
        if read.past or read.wants not in VALUE_KINDS or not best.before:
            return None
        if holds(read.wants, best.text, read.text) or not holds(read.wants, best.before, read.text):
            return None
        if calls_off(best.before, best.text):
            return None
        _, older = self._known(one, [kept[best.id]], past=True)
        held = [old for old in older.values() if holds(read.wants, old.content, read.text)]
        return memory_told(held[0], read) if held and not HAPPENED.search(read.text) else None

    def _last(self, one: _Inquiry, kept: dict[str, Entry]) -> ChatAnswer:
        """The latest statement: the entries of the last message, or its text if it made none."""
        read = one.read
        with self._database.reading() as transaction:
            access = authorise(transaction, one.viewer, one.space)
            told = self._told(transaction, access, one, kept)
            messages = last_told(transaction, access, one.at)
        for event_id in messages:
            made = [entry for entry in kept.values() if event_id in entry.memory.provenance.events]
            if made:
                return listed(made[::-1], read)
            said = [sentence for sentence in told if sentence.id.partition("#")[0] == event_id]
            text = " ".join(sentence.text for sentence in said)
            if said and not any(sign.strong for sign in signs(text)):
                return ChatAnswer(text, True, read.language, said[0].at, None, (event_id,))
        return ChatAnswer(answer("unknown", read.language), False, read.language)

    def _from_messages(
        self,
        one: _Inquiry,
        known: list[KnownEntry],
        ranked: list[ScoredEntry],
        kept: dict[str, Entry],
    ) -> ChatAnswer | None:
        """Answer from the person's own messages, if that is better than the answer from the
        entries.
        """
        matcher = self._matcher(one)
        held = {entry.text for entry in known}
        with self._database.reading() as transaction:
            access = authorise(transaction, one.viewer, one.space)
            told = {
                said.id: said
                for said in self._told(transaction, access, one, kept)
                if said.text not in held
            }
            if not told:
                return None
            scored = matcher.ranked([*told.values(), *known])
            best = next((said for said in scored if said.id in told), None)
            if best is None:
                return None
            words = {entry.id: entry.text for entry in known}
            for first in ranked[:1]:  # a sentence that contains the entry's text needs less
                better = BETTER_AMONG_MANY if matcher.crowded else BETTER
                better = _FULLER if words[first.id] in told[best.id].text else better
                if best.score < first.score + better and best.id != matcher.in_its_place:
                    return None
            if best.score < (BY_MESSAGE_AMONG_MANY if matcher.crowded else BY_MESSAGE):
                return None
            newest = newest_count(one.read, told[best.id], [*told.values(), *known])
            if newest.id in kept:
                return memory_told(kept[newest.id].memory, one.read)
            return sentence_told(transaction, access, one.read, newest)

    def _known(
        self, inquiry: _Inquiry, kept: list[Entry], *, past: bool
    ) -> tuple[list[KnownEntry], dict[str, Memory]]:
        """Entries with their messages and the entries that they replaced; for a question about the
        past, the replaced entries too.
        """
        ids = [entry.id for entry in kept]
        told = {event for entry in kept for event in entry.memory.provenance.events}
        with self._database.reading() as transaction:
            access = authorise(transaction, inquiry.viewer, inquiry.space)
            messages = events.texts_of(transaction, access, sorted(told))
            replaced = relations.replaced_by(transaction, inquiry.space.id, ids)
            older = reads.get_memories(transaction, access, list(chain(*replaced.values())))
        known = [
            replace(
                one,
                before=" ".join(
                    (
                        one.before,
                        *(older[old].content for old in replaced.get(one.id, ()) if old in older),
                    )
                ),
                message=" ".join(
                    messages[event][:_LONGEST_MESSAGE]
                    for event in entry.memory.provenance.events
                    if event in messages
                ),
            )
            for one, entry in zip(_known(kept), kept, strict=True)
        ]
        if not past:
            return known, {}
        was = [KnownEntry(one.id, one.content, one.valid_from, over=True) for one in older.values()]
        return [*known, *was], older

    def _worded(
        self,
        inquiry: _Inquiry,
        kept: dict[str, Entry],
        ranked: list[ScoredEntry],
        scores: dict[str, float],
    ) -> ChatAnswer:
        told = {one: scores.get(one, ENOUGH - _OPEN) for one in kept}
        best = self._newest(inquiry, kept, ranked[0].id, told)
        entry = kept[best[0]]
        others = tuple(kept[one.id] for one in ranked if one.id != entry.id)[:OTHERS]
        found = replace(memory_told(entry.memory, inquiry.read), others=others, question=best[1])
        beside = self._other_of_kept_both(inquiry, kept, entry, told)
        if beside is not None and not inquiry.read.past:
            first, second = sorted((entry, beside), key=since)
            text = f"{first.memory.content.rstrip('.')}; {second.memory.content}"
            return replace(found, text=text)
        if not inquiry.read.several:
            return found
        return replace(found, text=joined(entry, others, scores))

    def _other_of_kept_both(
        self, inquiry: _Inquiry, kept: dict[str, Entry], best: Entry, scores: dict[str, float]
    ) -> Entry | None:
        """If the person said that two entries both hold, the other one of the two, where it answers
        too.
        """
        with self._database.reading() as transaction:
            access = authorise(transaction, inquiry.viewer, inquiry.space)
            pairs = questions.kept_both(transaction, access)
        for pair in pairs:
            if best.id in (pair.old_id, pair.new_id):
                other = kept.get(pair.old_id if best.id == pair.new_id else pair.new_id)
                if other is not None and scores[other.id] >= ENOUGH - _OPEN:
                    return other
        return None

    def _newest(
        self, inquiry: _Inquiry, kept: dict[str, Entry], first: str, scores: dict[str, float]
    ) -> tuple[str, Question | None]:
        """Id of the best entry; while a question about it is open, the newer of the two entries, if
        that was told by then and has to do with the question asked.
        """
        for question in self._control.questions(inquiry.viewer, inquiry.space):
            if first not in (question.old_id, question.new_id):
                continue
            old, new = (kept.get(one) for one in (question.old_id, question.new_id))
            if old and new and counts_others(inquiry.read, old.memory.content, new.memory.content):
                continue
            if scores.get(question.new_id, -inf) >= ENOUGH - _OPEN:
                return question.new_id, question
        return first, None

    def _entries(self, inquiry: _Inquiry) -> tuple[Entry, ...]:
        """The latest entries and, if there are more, those that contain words of the question."""
        viewer, space, read = inquiry.viewer, inquiry.space, inquiry.read
        page = self._control.page(
            viewer, space, cursor=None, limit=_MAX_ENTRIES, pinned=None, manually_saved=None
        )
        if page.next_cursor is None:
            return page.items
        terms = query_terms(" ".join([*read.terms, *related_words(read.stems)]))[:_TERMS]
        with self._database.reading() as transaction:
            access = authorise(transaction, viewer, space)
            ids = self._path.by_words(transaction, access, terms, _FOUND)
            known = {entry.id for entry in page.items}
            older = entries.rows_of(transaction, access, [one for one in ids if one not in known])
            found = reads.get_memories(transaction, access, list(older))
        standing = [
            entry_of(memory, older[one])
            for one, memory in found.items()
            if memory.superseded_by is None and not memory.archived
        ]
        return (*page.items, *standing)


def _with_first(first: str, ranked: list[ScoredEntry], kept: dict[str, Entry]) -> list[ScoredEntry]:
    """Ranked entries with one of them, or one that was not ranked, in first place."""
    if ranked[0].id == first:
        return ranked
    newest = ScoredEntry(first, ranked[0].score, kept[first].memory.valid_from)
    return [newest, *(one for one in ranked if one.id != first)]


def _is_to_do(entry: Entry) -> bool:
    heads = [answer("to_do", language, text="").strip() for language in ("en", "fr")]
    return entry.memory.content.startswith(tuple(heads))


def _addresses(entry: Entry) -> bool:
    return tells_address(entry.memory.content)


def _told_by(entry: Entry, at: datetime | None) -> bool:
    return at is None or since(entry) <= at


def _known(kept: list[Entry]) -> list[KnownEntry]:
    """Entries with the other statements of their message and the text they refer back to."""
    told: dict[str, list[str]] = {}
    for entry in kept:
        for event in entry.memory.provenance.events:
            told.setdefault(event, []).append(entry.memory.content)
    before = _told_before(kept)
    return [
        KnownEntry(
            entry.id,
            entry.memory.content,
            since(entry),
            " ".join(text for event in entry.memory.provenance.events for text in told[event]),
            before.get(entry.id, ""),
        )
        for entry in kept
    ]


def _told_before(kept: list[Entry]) -> dict[str, str]:
    """Text of the entry just before, for each that refers back: "I take mine with milk"."""
    by_time = sorted(kept, key=since)
    found: dict[str, str] = {}
    for earlier, entry in pairwise(by_time):
        text, last = entry.memory.content, earlier.memory.content
        gap = since(entry) - since(earlier)
        of_them = gap <= _OF_THEM and _leaves_unnamed(text) and _says_who(last)
        if not of_them and not _POINTS_BACK.search(text) and not LEANS_ON_SUBJECT.match(text):
            continue
        if gap <= _JUST_BEFORE or of_them:
            found[entry.id] = f"{found.get(earlier.id, '')} {earlier.memory.content}".strip()
    return found


def _leaves_unnamed(text: str) -> bool:
    """Whether a text speaks of somebody without saying who: "I bought him a telescope"."""
    return not _says_who(text) and _HIM_OR_HER.search(text) is not None


def _says_who(text: str) -> bool:
    return bool(relations_in(text) or people_named(text))


_VERSIONS: Final = 20  # how many versions back a fact is followed


def held_at(
    transaction: Transaction, access: Access, later: list[str], at: datetime
) -> list[Entry]:
    """Entries told by a time whose replacement was told after it; ``later`` are the ids of entries
    that were told after it.
    """
    found: dict[str, Entry] = {}
    for _ in range(_VERSIONS):
        replaced = relations.replaced_by(transaction, access.space_id, later)
        older = reads.get_memories(transaction, access, list(chain(*replaced.values())))
        found.update(
            (one, _entry_of(memory))
            for one, memory in older.items()
            if memory.valid_from <= at and not memory.archived
        )
        later = [one for one, memory in older.items() if memory.valid_from > at]
        if not later:
            break
    return list(found.values())


def _entry_of(memory: Memory) -> Entry:
    """A replaced memory as the entry that it was; its scores are no longer kept."""
    return Entry(memory, Noticed(), Scores(0.0, 0.0, memory.importance, 0.0, memory.valid_from))
