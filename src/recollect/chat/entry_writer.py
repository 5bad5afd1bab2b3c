"""The write path of personal memory: look twice for what is known already, then keep or merge.

Everything that decides about a text is done before the transaction or read inside it; a repeat
found by SimHash is found under the same lock that would add the row, so two clients that say the
same thing at once make one entry.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from recollect.chat.audit import note
from recollect.chat.cap import Headroom, trim
from recollect.chat.contradictions import contradiction
from recollect.chat.model_metadata import UNDERSTAND
from recollect.chat.scores import scores
from recollect.index.analyser import query_terms
from recollect.index.indexer import Indexed, Indexer
from recollect.index.search_index import SearchIndex
from recollect.index.vector_index import unpack_one
from recollect.inference.embedder import Lexicon
from recollect.jobs.queue import promise
from recollect.memories.drafts import Draft
from recollect.memories.importance import importance, kind_of, repeated
from recollect.memories.index_entries import COLLECTION
from recollect.memories.keeper import MemoryKeeper, passed
from recollect.memories.metadata import merged, notice
from recollect.memories.near_duplicates import alike, read, told_apart
from recollect.memories.simhash import NEAR, simhash
from recollect.memories.tombstones import near_tombstones
from recollect.memories.writer import MemoryUpdate, check_pointers
from recollect.storage.combined_inserts import together
from recollect.storage.database import Database, Transaction
from recollect.storage.memories import entries, questions, reads
from recollect.storage.memories.tombstones import drop_tombstones
from recollect.trust.switches import closed
from recollect.trust.visibility import authorise, require_role
from recollect.vocabulary.audiences import Access, Viewer, Visibility
from recollect.vocabulary.clock import Clock, to_microseconds
from recollect.vocabulary.errors import Conflict
from recollect.vocabulary.ids import QUESTION, new_id
from recollect.vocabulary.memory import Action, Memory
from recollect.vocabulary.personal import Entry, Kept, Noticed, Outcome, Question, Suspect
from recollect.vocabulary.spaces import Role, Space

_CANDIDATES: Final = 6
_COMMON: Final = 2  # neighbours that have a tag before it is proposed
_PROPOSED: Final = 3
_TERMS: Final = 12


@dataclass(frozen=True, slots=True)
class NewEntryText:
    """What somebody said that may be worth keeping, and how they said it."""

    text: str
    tags: tuple[str, ...] = ()
    manually_saved: bool = False
    pinned: bool = False
    speaker: str = "user"
    source: str = "user_taught"
    session: str | None = None
    events: tuple[str, ...] = ()
    anyway: bool = False  # keep it even if it was forgotten a moment ago


@dataclass(frozen=True, slots=True)
class _PreparedEntry:
    """A telling with all that is worked out before the transaction."""

    telling: NewEntryText
    memory: Memory
    indexed: Indexed
    simhash: int
    noticed: Noticed
    alike: tuple[str, ...]
    against: tuple[str, str] | None


class EntryWriter:
    """Keeps what people tell."""

    def __init__(
        self,
        database: Database,
        *,
        keeper: MemoryKeeper,
        indexer: Indexer,
        index: SearchIndex,
        lexicon: Lexicon | None,
        clock: Clock,
        understands: bool = False,
    ) -> None:
        self._understands = understands  # whether a model reads what was told, later
        self._database = database
        self._keeper = keeper
        self._indexer = indexer
        self._index = index
        self._lexicon = lexicon
        self._clock = clock
        self._headroom = Headroom()

    def add(self, viewer: Viewer, space: Space, telling: NewEntryText) -> Kept:
        """Keep a text, merge it with the entry it repeats, or say why neither."""
        drafted = self._drafted(viewer, space, telling)
        with self._database.reading() as transaction:
            sight = require_role(
                authorise(transaction, viewer, space), Role.MEMBER, "keep memories"
            )
            why = closed(transaction, sight, telling.session)
            if why is not None:
                return Kept(Outcome.NOT_KEPT, None, f"Nothing was kept: {why}.")
            known = self._near_in_meaning(transaction, sight, drafted)
        ready = self._compared(drafted, {one: near.content for one, near in known.items()})
        ready = replace(ready, noticed=with_neighbours(ready.noticed, telling.text, known.values()))

        def work(transaction: Transaction) -> Kept | Suspect:
            sight = require_role(
                authorise(transaction, viewer, space), Role.MEMBER, "keep memories"
            )
            return self._keep(transaction, sight, ready)

        outcome = self._database.write(work)
        if isinstance(outcome, Suspect):
            passed(outcome)
            raise AssertionError("unreachable")
        return outcome

    def _drafted(self, viewer: Viewer, space: Space, telling: NewEntryText) -> _PreparedEntry:
        """All that can be worked out from the text alone."""
        noticed = notice(telling.text, telling.tags)
        saved = telling.manually_saved or telling.pinned
        draft = Draft(
            telling.text,
            type=kind_of(telling.text),
            importance=importance(telling.text, saved=saved, certainty=noticed.confidence),
            source=telling.source,
            visibility=Visibility.PERSONAL,
            tags=noticed.tags,
            events=telling.events,
            session=telling.session,
            pinned=telling.pinned,
            manually_saved=telling.manually_saved,
        )
        memory = self._keeper.drafted(draft, space, viewer, self._clock())
        indexed = self._keeper.indexed(memory)
        return _PreparedEntry(telling, memory, indexed, simhash(telling.text), noticed, (), None)

    def _compared(self, drafted: _PreparedEntry, known: Mapping[str, str]) -> _PreparedEntry:
        """The same, with which of the known texts it repeats, or contradicts."""
        said = drafted.memory.content
        vectors = self._lexicon.word_vectors if self._lexicon else None
        same = tuple(one for one, content in known.items() if alike(content, said, vectors))
        against = None
        if not same:
            found = ((one, contradiction(content, said)) for one, content in known.items())
            against = next(((who, why) for who, why in found if why), None)
        return replace(drafted, alike=same, against=against)

    def _near_in_meaning(
        self, transaction: Transaction, sight: Access, drafted: _PreparedEntry
    ) -> dict[str, Any]:
        """The viewer's own entries nearest to a text, by its vector or else by its words."""
        now = to_microseconds(self._clock())
        slots: dict[int, None] = {}
        vector = unpack_one(drafted.indexed.vector)
        if vector is not None and vector.any():
            near = self._index.near(
                transaction,
                sight,
                COLLECTION,
                self._indexer.model,
                vector,
                moment=now,
                limit=_CANDIDATES,
            )
            slots.update(dict.fromkeys(near))
        terms = [] if slots else query_terms(drafted.memory.content)[:_TERMS]
        if terms:
            met = self._index.keywords(
                transaction, sight, COLLECTION, terms, moment=now, limit=_CANDIDATES
            )
            slots.update((slot, None) for slot, _ in met)
        own = entries.own_texts(transaction, sight, list(slots))
        return {own[slot].memory_id: own[slot] for slot in slots if slot in own}

    def _keep(
        self, transaction: Transaction, sight: Access, ready: _PreparedEntry
    ) -> Kept | Suspect:
        telling, memory = ready.telling, ready.memory
        why = closed(transaction, sight, telling.session)
        if why is not None:
            return Kept(Outcome.NOT_KEPT, None, f"Nothing was kept: {why}.")
        vector = unpack_one(ready.indexed.vector)
        stones = near_tombstones(transaction, sight, telling.text, vector, memory.created_at)
        if stones and not telling.anyway:
            until = max(stone.expires_at for stone in stones)
            return Kept(
                Outcome.NOT_KEPT,
                None,
                "Nothing was kept: you had this forgotten, and it is not learned again before "
                f"{until:%Y-%m-%d %H:%M} UTC.",
            )
        if stones:
            drop_tombstones(transaction, sight, [stone.id for stone in stones])
        known = self._known(transaction, sight, ready)
        if known is not None:
            return self._merge(transaction, sight, known, ready)
        verdict = self._keeper.gate(transaction, sight, memory)
        if isinstance(verdict, Suspect):
            return verdict
        return self._add(transaction, sight, replace(ready, memory=verdict))

    def _known(
        self, transaction: Transaction, sight: Access, ready: _PreparedEntry
    ) -> Memory | None:
        """The entry that says this already: by SimHash first, then by meaning."""
        ids = entries.near(transaction, sight, ready.simhash, NEAR) if ready.simhash else []
        if not ids and not ready.alike:
            return None
        found = reads.get_memories(transaction, sight, [*ids, *ready.alike])
        mine = read(ready.telling.text)
        for memory_id in ids:
            memory = found.get(memory_id)
            if memory and _stands(memory) and not told_apart(read(memory.content), mine):
                return memory
        standing = (found[i] for i in ready.alike if i in found)
        return next((memory for memory in standing if _stands(memory)), None)

    def _merge(
        self, transaction: Transaction, sight: Access, memory: Memory, ready: _PreparedEntry
    ) -> Kept:
        """Let a repeat raise the entry it repeats, and bring what it brings."""
        row = entries.rows_of(transaction, sight, [memory.id])[memory.id]
        telling = ready.telling
        if telling.speaker != "user" and not telling.manually_saved:
            return Kept(
                Outcome.ECHO,
                entry_of(memory, row),
                "Nothing was counted: the assistant only repeated what it had recalled.",
            )
        check_pointers(transaction, sight, ready.memory)
        count = row.repeat_count + 1
        noticed = merged(entries.noticed_of(row), ready.noticed)
        new = replace(
            memory,
            importance=max(memory.importance, repeated(row.base_importance, count)),
            tags=tuple(dict.fromkeys((*memory.tags, *ready.memory.tags))),
            pinned=memory.pinned or telling.pinned,
            manually_saved=memory.manually_saved or telling.manually_saved,
            provenance=replace(
                memory.provenance,
                events=_joined(memory.provenance.events, telling.events),
                sessions=_joined(
                    memory.provenance.sessions, (telling.session,) if telling.session else ()
                ),
            ),
            updated_at=ready.memory.created_at,
            revision=memory.revision + 1,
        )
        if (
            self._keeper.change_within(
                transaction, sight, MemoryUpdate(memory, new, Action.UPDATED, ready.indexed)
            )
            is None
        ):
            raise Conflict(
                "Others kept changing the entry. Nothing was changed.", hint="Try again."
            )
        entries.repeated(
            transaction,
            row,
            count=count,
            importance=new.importance,
            noticed=noticed,
            kept=new.pinned or new.manually_saved,
        )
        undo = note(
            transaction,
            sight,
            "repeat",
            memory.id,
            session=telling.session,
            detail={
                "importance": memory.importance,
                "pinned": memory.pinned,
                "manually_saved": memory.manually_saved,
            },
            now=ready.memory.created_at,
        )
        fresh = entries.rows_of(transaction, sight, [memory.id])[memory.id]
        reason = f"You had told me this already; I count it {count + 1} times now."
        return Kept(Outcome.MERGED, entry_of(new, fresh), reason, undo=undo.id)

    def _add(self, transaction: Transaction, sight: Access, ready: _PreparedEntry) -> Kept:
        telling = ready.telling
        memory = ready.memory
        memory = self._keeper.add_within(transaction, sight, memory, ready.indexed)
        now = memory.created_at
        scored = scores(memory.importance, now, now)
        with together(transaction):
            entries.add_entry(
                transaction,
                (sight.space_id, memory.id, sight.viewer.user),
                ready.simhash,
                noticed=ready.noticed,
                scores=scored,
                kept=memory.pinned or memory.manually_saved,
            )
            undo = note(
                transaction,
                sight,
                "remember",
                memory.id,
                session=telling.session,
                detail={"restored": True} if telling.anyway else None,
                now=now,
            )
            if self._understands:
                asked = {"memory": memory.id, "user": sight.viewer.user}
                promise(transaction, sight.space_id, UNDERSTAND, asked, now=now)
        question = self._ask(transaction, sight, memory, ready.against)
        trimmed = trim(transaction, sight, self._keeper, self._headroom, now)
        entry = None if memory.id in trimmed else Entry(memory, 0, ready.noticed, scored)
        outcome = Outcome.KEPT if question is None else Outcome.ASKED
        reason = "I will remember that." if question is None else question.reason
        return Kept(outcome, entry, reason, question, trimmed, undo.id)

    @staticmethod
    def _ask(
        transaction: Transaction, sight: Access, memory: Memory, against: tuple[str, str] | None
    ) -> Question | None:
        if against is None:
            return None
        old, reason = against
        if not reads.stands(transaction, sight, old):
            return None
        question = Question(
            new_id(QUESTION, memory.created_at), old, memory.id, reason, memory.created_at
        )
        questions.put_question(transaction, sight, question)
        return question


def entry_of(memory: Memory, row: entries.EntryRow) -> Entry:
    """An entry from its memory and its row."""
    return Entry(memory, row.repeat_count, entries.noticed_of(row), entries.scores_of(row))


def with_neighbours(noticed: Noticed, text: str, near: Iterable[Any]) -> Noticed:
    """What was noticed, with tags proposed that several entries about the same have in common."""
    about = read(text).stems
    counts: Counter[str] = Counter()
    for one in near:
        if read(one.content).stems & about:
            counts.update(set(one.metadata.get("tags", ())))
    proposed = [tag for tag, count in counts.most_common() if count >= _COMMON]
    new = tuple(tag for tag in sorted(proposed) if tag not in noticed.tags)[:_PROPOSED]
    return replace(noticed, proposed=new) if new else noticed


def _stands(memory: Memory) -> bool:
    return not memory.archived and memory.superseded_by is None


def _joined(one: Sequence[str], other: Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*one, *other)))
