"""Takes in chat messages: stores each message and reports the result for each of its sentences.

The message is stored once, as an event of the person; each lasting statement becomes an entry that
cites it. A statement that changes a known entry replaces it; every other sentence is skipped with a
reason. Nothing is kept while memory is off or the session is incognito.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from hashlib import blake2b
from itertools import chain
from typing import Final

from recollect.chat.answers.answers_from_messages import STREAM
from recollect.chat.answers.later_versions import takes_the_place
from recollect.chat.entries.entry_writer import EntryWriter, NewEntryText
from recollect.chat.incoming_messages import (
    ASSISTANT,
    USER,
    IncomingMessage,
    MessageRecording,
    StreamReplaced,
)
from recollect.chat.language.change_words import says_changed, says_otherwise
from recollect.chat.language.relative_dates import with_dates
from recollect.chat.language.speech_acts import SpeechAct, opening_removed
from recollect.chat.language.value_patterns import PLAIN_NUMBER
from recollect.chat.statements.joined_predicates import unchanged_parts
from recollect.chat.statements.joined_sentences import Statement
from recollect.chat.statements.shopping_lists import (
    LIST_WORDS,
    begun_list,
    changed_list,
    is_list,
    list_change,
)
from recollect.chat.statements.statement_task import heard_statements
from recollect.chat.updates.carried_details import carried_over
from recollect.chat.updates.corrections import (
    corrected,
    exchanged,
    holds_value,
    is_correction,
    restated_parts,
    restates,
    self_corrected,
)
from recollect.chat.updates.moved_values import says_moved, value_update
from recollect.chat.updates.single_attributes import words_for
from recollect.chat.updates.update_verdict import ended_too, may_change, shares_words, verdict
from recollect.chat.updates.value_exchange import exchanged_value, gives_a_value
from recollect.index.analyser import query_terms
from recollect.inference.tasks import Tasks
from recollect.memories.write_path import WritePath
from recollect.pages.events import Events
from recollect.pages.streams import Streams
from recollect.storage.database import Database, Transaction
from recollect.storage.memories import entries, reads
from recollect.trust.authorisation import authorise, closed, require_role
from recollect.vocabulary.audiences import Access, Viewer
from recollect.vocabulary.clock import Clock
from recollect.vocabulary.errors import Quarantined, SecretRefused
from recollect.vocabulary.events import NewEvent
from recollect.vocabulary.memory import Memory
from recollect.vocabulary.memory_types import MemoryType
from recollect.vocabulary.personal import Heard, HeardStatement, Outcome
from recollect.vocabulary.spaces import Role, Space
from recollect.vocabulary.streams import Stream

_CORRECTED_WITHIN: Final = timedelta(hours=1)
_EXCHANGED_WITHIN: Final = timedelta(minutes=15)
_KNOWN: Final = 16  # maximum number of entries examined that contain words of a statement
_LAST: Final = 12  # maximum number of latest entries examined
_NEWEST: Final = 5  # maximum number of entries of the message just before
_TERMS: Final = 24
_HOMES: Final = 1_000
_WHY: Final = {
    SpeechAct.QUESTION: "It is a question.",
    SpeechAct.REQUEST: "It asks for something once.",
    SpeechAct.CHATTER: "It tells nothing lasting.",
    SpeechAct.HYPOTHETICAL: "It is only imagined.",
    SpeechAct.QUOTATION: "These are somebody else's words.",
    SpeechAct.PASTED: "It was pasted in.",
}


class Listener:
    """Processes incoming messages."""

    def __init__(
        self,
        database: Database,
        *,
        keeper: EntryWriter,
        events: Events,
        streams: Streams,
        path: WritePath,
        tasks: Tasks,
        clock: Clock,
    ) -> None:
        self._path = path
        self._tasks = tasks
        self._homes: dict[tuple[str, str], Stream] = {}  # message streams by user and space
        self._database = database
        self._keeper = keeper
        self._events = events
        self._streams = streams
        self._clock = clock

    @property
    def has_model(self) -> bool:
        """Whether a model finds the lasting statements."""
        return self._tasks.has_model

    def hear(
        self,
        viewer: Viewer,
        space: Space,
        text: str,
        *,
        at: datetime | None,
        speaker: str,
        session: str | None,
        whose: tuple[str, ...] = (),
        extras: Mapping[str, str] | None = None,
    ) -> Heard:
        """Process one message; ``whose`` are tags that name its speaker."""
        why = self._closed(viewer, space, session)
        if why is not None:
            return Heard(None, reason=f"Nothing was kept: {why}.")
        if not text.strip():
            return Heard(None, reason="Nothing was said.")
        said_at = self._clock() if at is None else at
        message = IncomingMessage(
            viewer,
            space,
            text,
            said_at,
            session,
            speaker=speaker,
            dated=at is not None,
            whose=whose,
            extras=extras or {},
        )
        try:
            return self._heard(message)
        except StreamReplaced:  # the stream was opened anew in the meantime
            self._homes.pop((viewer.user, space.id), None)
            return self._heard(message)

    def _heard(self, message: IncomingMessage) -> Heard:
        """Store the message, in one transaction with the first entry that results from it."""
        recording = self._recording(message)
        message = replace(message, event_id=recording.event_id, recording=recording)
        statements: tuple[HeardStatement, ...] = ()
        if message.speaker == USER:
            statements = self._statements(message)
        if not recording.done:
            self._database.write(recording.write)
        reason = "" if message.speaker == USER else "The assistant's words are not kept as entries."
        return Heard(recording.event_id, statements, reason)

    def _statements(self, message: IncomingMessage) -> tuple[HeardStatement, ...]:
        listed = self._listed(message)
        if listed is not None:
            return (listed,)
        found = heard_statements(self._tasks, message.space.id, message.text, message.at.date())
        for place, words in self_corrected([one.text for one in found]):
            if found[place].lasts:
                found[place] = Statement(words, found[place].act)
        if is_correction(message.text):
            done = self._correct(message, found)
            if done is not None:
                return done
        elif gives_a_value(message.text):
            done = self._exchange(message, found)
            if done is not None:
                return done
        return tuple(done for one in found for done in self._one(message, one))

    def _listed(self, message: IncomingMessage) -> HeardStatement | None:
        """Keep a list of things to buy, or change the known list; None for other messages."""
        if is_list(message.text) and "\n" not in message.text:
            told = message.text.strip()
            heard = message.dated and message.has(self._pointing(message), told)
            return None if heard else self._keep(message, _statement(told), ())
        change = list_change(message.text)
        if change is None:
            return None
        known = self._just_before(message)
        if not change.bare:
            known = list(self._known(message, LIST_WORDS).values())
        for old in known:
            words = changed_list(old.content, change)
            if words is not None:
                earlier = old.provenance.events
                return self._keep(message, _statement(words), earlier, replaces=old.id)
        if not change.of_the_speaker or change.taken_off:
            return None
        return self._keep(message, _statement(begun_list(change)), ())

    # --- each sentence ----------------------------------------------------------------------------

    def _one(self, message: IncomingMessage, said: Statement) -> list[HeardStatement]:
        if not said.lasts:
            changing = self._changing(message, said)
            if changing is None:
                return [HeardStatement(said.text, said.act.value, Outcome.SKIPPED, _WHY[said.act])]
            said = changing
        if message.dated and message.has(self._pointing(message), said.text):
            reason = "This message was heard before."
            return [HeardStatement(said.text, said.act.value, Outcome.SKIPPED, reason)]
        changes = may_change(said.text) or says_moved(said.text)
        known = self._known(message, said.text) if changes else {}
        told = {one: old.content for one, old in known.items()}
        pointed = value_update(said.text, told)
        if pointed is not None:
            old = known[pointed.old_id]
            said = Statement(pointed.text, said.act)
            return [self._keep(message, said, old.provenance.events, replaces=old.id)]
        changed = verdict(said.text, told)
        if changed is None:
            return [self._keep(message, said, ())]
        if not changed.at_once:
            sure = changed.plainly
            return [self._keep(message, said, (), contradicts=changed.old_id, surely=sure)]
        old = known[changed.old_id]
        whole = carried_over(old.content, said.text)
        if whole is not None:
            said = Statement(whole, said.act)
            return [self._keep(message, said, old.provenance.events, replaces=old.id)]
        others = {one: other.content for one, other in known.items() if one != old.id}
        ended = ended_too(said.text, old.content, others)
        done = self._keep(message, said, (), replaces=old.id, also_replaces=ended)
        return [done, *self._keep_unchanged_parts(message, old, done)]

    def _changing(self, message: IncomingMessage, said: Statement) -> Statement | None:
        """A statement for words that are not lasting by themselves but change a known entry."""
        if said.act is not SpeechAct.CHATTER or not (
            says_changed(said.text) or says_otherwise(said.text) or says_moved(said.text)
        ):
            return None
        known = {one: old.content for one, old in self._known(message, said.text).items()}
        changed = verdict(said.text, known)
        if (changed is None or not changed.at_once) and not (
            value_update(said.text, known)
            or any(takes_the_place(said.text, old) for old in known.values())
        ):
            return None
        text = with_dates(opening_removed(said.text) or said.text, message.at.date())
        return _statement(text)

    def _keep_unchanged_parts(
        self, message: IncomingMessage, old: Memory, done: HeardStatement
    ) -> list[HeardStatement]:
        """Keep the parts of a replaced entry that did not change."""
        if done.outcome is not Outcome.REPLACED:
            return []
        return [
            self._keep(message, _statement(part), old.provenance.events)
            for part in unchanged_parts(old.content, done.text)
        ]

    def _correct(
        self, message: IncomingMessage, found: list[Statement]
    ) -> tuple[HeardStatement, ...] | None:
        """Correct a value in a previous statement; None when nothing fits."""
        whole = [one.text for one in found if one.act is SpeechAct.STATEMENT]
        whole += [one for one in restated_parts(message.text) if one not in whole]
        wrong = [one for one, _ in exchanged(message.text)]
        for old in self._to_correct(message):
            named = any(holds_value(old.content, one) for one in wrong)
            anew = None
            if not named:  # otherwise the value is exchanged, and the rest stays as it was told
                anew = next((one for one in whole if restates(one, old.content)), None)
            words = anew or corrected(old.content, message.text)
            if words is None:
                continue
            words = with_dates(words, message.at.date())  # "no wait, Friday" has a date too
            if message.has(self._pointing(message), words):
                return ()
            kept = self._keep(message, _statement(words), old.provenance.events, replaces=old.id)
            rest = [one for one in found if one.text != anew]
            return (kept, *self._beside(message, rest, old.content))
        return None

    def _exchange(
        self, message: IncomingMessage, found: list[Statement]
    ) -> tuple[HeardStatement, ...] | None:
        """Exchange a value of what was told just before for one that is said without a word of
        correction; None when nothing fits.
        """
        before = self._just_before(message, _NEWEST)
        told = before[0].valid_from if before else message.at
        if min(message.at, self._clock()) - told > _EXCHANGED_WITHIN:
            return None
        for old in (one for one in before if one.valid_from == told):
            words = exchanged_value(old.content, message.text, taken_back=False)
            if words is not None and message.event_id not in old.provenance.events:
                kept = self._keep(
                    message, _statement(words), old.provenance.events, replaces=old.id
                )
                return (kept, *self._beside(message, found, old.content))
        return None

    def _to_correct(self, message: IncomingMessage) -> Iterator[Memory]:
        """Candidates for a correction: recent entries with a value that the message calls wrong,
        then older ones with such a word, then the other recent entries and any with the value.
        """
        before = self._just_before(message)
        wrong = [one for one, _ in exchanged(message.text)]
        known = [
            (old, one)
            for one in wrong
            for old in self._known(message, one).values()
            if holds_value(old.content, one)
        ]
        ordered = chain(
            (old for old in before if any(holds_value(old.content, one) for one in wrong)),
            (old for old, one in known if not PLAIN_NUMBER.search(one)),
            before,
            (old for old, _ in known),
        )
        yield from {old.id: old for old in ordered}.values()

    def _beside(
        self, message: IncomingMessage, found: list[Statement], old: str
    ) -> Iterator[HeardStatement]:
        """Process the other statements of a correction: those that share no word with the corrected
        text and give no value for it.
        """
        for one in found:
            if (
                one.lasts
                and not is_correction(one.text)
                and not shares_words(one.text, old)
                and exchanged_value(old, one.text, taken_back=True) is None
            ):
                yield from self._one(message, one)
            else:
                reason = "It was a correction."
                yield HeardStatement(one.text, one.act.value, Outcome.SKIPPED, reason)

    def _keep(
        self,
        message: IncomingMessage,
        said: Statement,
        earlier: tuple[str, ...],
        *,
        replaces: str | None = None,
        also_replaces: tuple[str, ...] = (),
        contradicts: str | None = None,
        surely: bool = False,
    ) -> HeardStatement:
        telling = NewEntryText(
            said.text,
            session=message.session,
            events=(message.event_id, *(one for one in earlier if one != message.event_id)),
            kind=_kind(message, said),
            since=min(message.at, self._clock()),
            replaces=replaces,
            also_replaces=also_replaces,
            contradicts=contradicts,
            surely=surely,
            whose=message.whose,
            extras=message.extras,
        )
        try:
            kept = self._keeper.add(
                message.viewer, message.space, telling, before=message.unwritten()
            )
        except SecretRefused:
            return HeardStatement(
                "", said.act.value, Outcome.NOT_KEPT, "It holds what looks like a secret."
            )
        except Quarantined as error:
            return HeardStatement(said.text, said.act.value, Outcome.NOT_KEPT, error.message)
        return HeardStatement(
            said.text,
            said.act.value,
            kept.outcome,
            kept.reason,
            kept.entry,
            replaces if kept.outcome is Outcome.REPLACED else None,
            kept.question,
            kept.undo,
            kept.replaced_texts,
        )

    # --- what is there ----------------------------------------------------------------------------

    def _known(self, message: IncomingMessage, text: str) -> dict[str, Memory]:
        """The person's entries that a statement may change, newest first: the latest ones, and
        those that contain its words or words for the same attribute.
        """
        terms = query_terms(f"{text} {words_for(text)}")[:_TERMS]
        with self._database.reading() as transaction:
            access = authorise(transaction, message.viewer, message.space)
            ids = [
                *self._path.by_words(transaction, access, terms, _KNOWN),
                *_last(transaction, access),
            ]
            found = _entries(transaction, access, ids)
        return {one.id: one for one in found if message.may_change(one)}

    def _just_before(self, message: IncomingMessage, limit: int = _LAST) -> list[Memory]:
        """The person's entries of the last hour, newest first."""
        with self._database.reading() as transaction:
            access = authorise(transaction, message.viewer, message.space)
            found = _entries(transaction, access, _last(transaction, access, limit))
        said_at = min(message.at, self._clock())
        return [
            one
            for one in found
            if abs(said_at - one.valid_from) <= _CORRECTED_WITHIN and message.may_change(one)
        ]

    def _pointing(self, message: IncomingMessage) -> list[Memory]:
        with self._database.reading() as transaction:
            access = authorise(transaction, message.viewer, message.space)
            return reads.pointing_at(transaction, access, message.event_id)

    def _closed(self, viewer: Viewer, space: Space, session: str | None) -> str | None:
        with self._database.reading() as transaction:
            access = require_role(
                authorise(transaction, viewer, space), Role.MEMBER, "keep memories"
            )
            return closed(transaction, access, session)

    def _person_stream(self, viewer: Viewer, space: Space) -> Stream:
        """The stream of a person's messages; ``record`` creates it if it does not exist."""
        known = self._homes.get((viewer.user, space.id))
        if known is not None:
            return known
        name = f"{STREAM} {viewer.user}"
        home, _ = self._streams.planned(viewer, space, name, kind="chat", access="private")
        if len(self._homes) >= _HOMES:
            self._homes.clear()
        self._homes[viewer.user, space.id] = home
        return home

    def _recording(self, message: IncomingMessage) -> MessageRecording:
        """The message as an event of the person; a repeated delivery is not stored twice."""
        viewer, space, speaker = message.viewer, message.space, message.speaker
        home = self._person_stream(viewer, space)
        named = f"{speaker}\n{message.at.isoformat()}\n{message.text}"
        new = NewEvent(
            message.text,
            author=None if speaker == USER else ASSISTANT,
            occurred_at=message.at,
            payload={"role": speaker},
            external_id=blake2b(named.encode("utf-8", "replace"), digest_size=16).hexdigest()
            if message.dated
            else None,
        )
        (event_id,), work = self._events.recording(
            viewer, space, home, [new], programs=(ASSISTANT,)
        )
        return MessageRecording(event_id, work)


def _statement(words: str) -> Statement:
    return Statement(words, SpeechAct.STATEMENT)


def _kind(message: IncomingMessage, said: Statement) -> MemoryType | None:
    if message.extras:  # only facts have an additional key and value
        return MemoryType.FACT
    return MemoryType.PREFERENCE if said.act is SpeechAct.PREFERENCE else None


def _last(transaction: Transaction, access: Access, limit: int = _LAST) -> list[str]:
    return entries.list_entries(
        transaction, access, before=None, limit=limit, pinned=None, manually_saved=None
    )


def _entries(transaction: Transaction, access: Access, ids: Iterable[str]) -> list[Memory]:
    """The person's entries among some memories, newest first."""
    wanted = list(dict.fromkeys(ids))
    mine = entries.rows_of(transaction, access, wanted)
    found = reads.get_memories(transaction, access, [one for one in wanted if one in mine])
    standing = (one for one in found.values() if one.superseded_by is None and not one.archived)
    return sorted(standing, key=lambda one: one.valid_from, reverse=True)
