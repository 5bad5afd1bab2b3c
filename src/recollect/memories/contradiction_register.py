"""List of contradictions between memories, and the decisions about them.

Every decision is recorded: the losing memory is superseded by the other and stays readable as of
its time, both keep their history, and the note gives the reason.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Final

from recollect.memories.contradictions.judge import REASONS
from recollect.memories.drafts import Draft, memory_of
from recollect.memories.operations import correctable
from recollect.memories.write_path import refuse_suspect
from recollect.memories.writer import MemoryUpdate, MemoryWriter, ended
from recollect.storage.database import Database, Transaction
from recollect.storage.memories import contradictions, questions, reads, relations
from recollect.storage.memories.contradictions import ContradictionRow
from recollect.trust.authorisation import authorise, require_role
from recollect.trust.secrets import refuse_secrets
from recollect.vocabulary.arguments import checked_text, choice
from recollect.vocabulary.audiences import Access, Viewer, Visibility
from recollect.vocabulary.clock import Clock
from recollect.vocabulary.contradictions import Contradiction, Resolution
from recollect.vocabulary.errors import Conflict, InvalidInput, NotFound
from recollect.vocabulary.ids import CONTRADICTION
from recollect.vocabulary.memory import Action, Memory, Relation
from recollect.vocabulary.memory_types import RelationType, Source
from recollect.vocabulary.pagination import Page, check_page
from recollect.vocabulary.personal import Suspect
from recollect.vocabulary.spaces import Role, Space

_NOTE: Final = 2_000


class ContradictionRegister:
    """Lists contradictions and decides them."""

    def __init__(self, database: Database, writer: MemoryWriter, clock: Clock) -> None:
        self._database = database
        self._writer = writer
        self._clock = clock

    def page(
        self,
        viewer: Viewer,
        space: Space,
        *,
        resolved: bool,
        memory_id: str | None,
        cursor: str | None,
        limit: int,
    ) -> Page[Contradiction]:
        """Page of the contradictions between memories that the viewer may see, newest first."""
        check_page(cursor, limit, CONTRADICTION)
        with self._database.reading() as transaction:
            access = authorise(transaction, viewer, space)
            rows = contradictions.list_contradictions(
                transaction,
                access,
                resolved=resolved,
                memory_id=memory_id,
                before=cursor,
                limit=limit + 1,
            )
            found = _complete(transaction, access, rows)
        return Page(tuple(found[:limit]), rows[limit - 1].id if len(rows) > limit else None)

    @staticmethod
    def newest_open(
        transaction: Transaction,
        access: Access,
        limit: int,
        first: Callable[[], Sequence[str]] = tuple,
    ) -> tuple[list[Contradiction], int]:
        """The newest open contradictions between memories that the access may see, and the total
        number of open ones. Where there are more than the limit, those of the memories that
        ``first`` names come before others."""
        rows = contradictions.list_contradictions(
            transaction, access, resolved=False, memory_id=None, before=None, limit=limit + 1
        )
        if len(rows) <= limit:
            found = _complete(transaction, access, rows)
            return found, len(found)
        named = first()
        about = contradictions.open_about(transaction, access, named, limit) if named else []
        chosen = {row.id: row for row in (*about, *rows)}
        found = _complete(transaction, access, list(chosen.values())[:limit])
        return found, contradictions.count_open(transaction, access)

    def resolve(
        self,
        viewer: Viewer,
        space: Space,
        contradiction_id: str,
        resolution: str,
        *,
        note: str | None,
        text: str | None,
        source: Source = Source.USER_TAUGHT,
        needs_review: bool = False,
    ) -> Contradiction:
        """Decide a contradiction; ``text`` is the content of a merged memory."""
        wanted = choice(Resolution, resolution, "resolution")
        said = None if note is None else checked_text(note, "note", _NOTE)
        refuse_secrets([said], "note")
        if (wanted is Resolution.MERGED) != (text is not None):
            raise InvalidInput(
                "A merged memory needs its text, and nothing else does.",
                hint="Give the text together with merged, and with merged alone.",
            )
        now = self._clock()
        known = self.get(viewer, space, contradiction_id)
        _check_reach(known, wanted)
        draft = None if text is None else _merged(known, text, source, needs_review)
        memory = None if draft is None else memory_of(draft, space, viewer, now)
        indexed = None if memory is None else self._writer.indexed(memory)

        def work(transaction: Transaction) -> str | Suspect | None:
            access = authorise(transaction, viewer, space)
            require_role(access, Role.MEMBER, "decide contradictions")
            row = contradictions.get_contradiction(transaction, access, contradiction_id)
            if row is None or row.resolution is not None:
                raise Conflict("That contradiction was decided already.")
            merged: str | None = None
            if memory is not None and indexed is not None:
                verdict = self._writer.gate(transaction, access, memory)
                if isinstance(verdict, Suspect):
                    return verdict
                merged = self._writer.add_within(transaction, access, verdict, indexed).id
                for one in (known.a, known.b):
                    derived = Relation(RelationType.DERIVED_FROM, merged, target_id=one.id)
                    relations.put_relation(transaction, space.id, derived)
            self._end(transaction, access, known, _losers(wanted, known, memory), now)
            contradictions.settle(
                transaction,
                space.id,
                contradiction_id,
                resolution=wanted,
                note=said,
                by=viewer.user,
                at=now,
                merged_id=merged,
            )
            said_so = "both" if wanted is Resolution.BOTH else "replaced"
            questions.close_pair(transaction, access, (known.a.id, known.b.id), said_so, now)
            return merged

        done = self._database.write(work)
        if isinstance(done, Suspect):
            refuse_suspect(done)
        return self.get(viewer, space, contradiction_id)

    def reopen(self, viewer: Viewer, space: Space, contradiction_id: str) -> Contradiction:
        """Take a decision back: what lost stands again as before, and the question is open."""
        now = self._clock()
        known = self.get(viewer, space, contradiction_id)

        def work(transaction: Transaction) -> None:
            access = authorise(transaction, viewer, space)
            require_role(access, Role.MEMBER, "decide contradictions")
            row = contradictions.get_contradiction(transaction, access, contradiction_id)
            if row is None or row.resolution is None or row.resolved_at is None:
                raise Conflict("That contradiction is open. Nothing was changed.")
            current = reads.get_memories(
                transaction, access, [known.a.id, known.b.id, row.merged_id or known.a.id]
            )
            merged = current.get(row.merged_id or "")
            for loser_id, winner in _losers(row.resolution, known, merged).items():
                self._reinstate(transaction, access, current[loser_id], winner, now)
            if merged is not None and not merged.archived:
                self._archive(transaction, access, merged, now)
            if row.resolution is Resolution.BOTH and not _is_apart(known):
                relations.put_relation(transaction, space.id, _conflict(known))
            pair = known.a.id, known.b.id
            contradictions.reopen_pair(transaction, space.id, pair)
            questions.reopen_pair(transaction, access, pair, row.resolved_at)

        self._database.write(work)
        return self.get(viewer, space, contradiction_id)

    def _reinstate(
        self, transaction: Transaction, access: Access, loser: Memory, winner: Memory, now: datetime
    ) -> None:
        """Let a memory that a decision ended hold again, with the end that it had before."""
        if loser.superseded_by != winner.id:  # something else replaced it, before or since
            return
        correctable(access, loser)
        relation = Relation(RelationType.SUPERSEDES, winner.id, target_id=loser.id)
        relations.drop_relation(transaction, access.space_id, relation)
        ends = [
            entry.changes["valid_to"][0]
            for entry in reads.history_of(transaction, loser)
            if entry.action is Action.SUPERSEDED and "valid_to" in entry.changes
        ]
        end = loser.valid_to if not ends else ends[-1] and datetime.fromisoformat(ends[-1])
        new = replace(
            loser, superseded_by=None, valid_to=end, updated_at=now, revision=loser.revision + 1
        )
        if not self._writer.write(transaction, access, MemoryUpdate(loser, new, Action.RESTORED)):
            raise Conflict("Somebody just changed the memory. Try again.")

    def _archive(
        self, transaction: Transaction, access: Access, merged: Memory, now: datetime
    ) -> None:
        """Archive the memory that took the place of both."""
        correctable(access, merged)
        new = replace(merged, archived_at=now, updated_at=now, revision=merged.revision + 1)
        if not self._writer.write(transaction, access, MemoryUpdate(merged, new, Action.ARCHIVED)):
            raise Conflict("Somebody just changed the memory. Try again.")

    def _end(
        self,
        transaction: Transaction,
        access: Access,
        known: Contradiction,
        losers: dict[str, Memory],
        now: datetime,
    ) -> None:
        """Let the winning memory supersede each losing one."""
        current = reads.get_memories(transaction, access, [known.a.id, known.b.id])
        if not losers:  # both hold: they no longer count as conflicting
            relations.drop_relation(transaction, access.space_id, _conflict(known))
        for loser_id, winner in losers.items():
            loser = correctable(access, current[loser_id])
            if loser.superseded_by is not None:
                continue
            relation = Relation(RelationType.SUPERSEDES, winner.id, target_id=loser.id)
            relations.put_relation(transaction, access.space_id, relation)
            change = MemoryUpdate(loser, ended(loser, winner, now), Action.SUPERSEDED)
            if not self._writer.write(transaction, access, change):
                raise Conflict("Somebody just changed the memory. Try again.")

    def get(self, viewer: Viewer, space: Space, contradiction_id: str) -> Contradiction:
        """One contradiction that the viewer may see, with both memories."""
        with self._database.reading() as transaction:
            access = authorise(transaction, viewer, space)
            row = contradictions.get_contradiction(transaction, access, contradiction_id)
            found = [] if row is None else _complete(transaction, access, [row])
        if not found:
            raise NotFound(f"No contradiction {contradiction_id!r} is visible here.")
        return found[0]


def _losers(
    resolution: Resolution, known: Contradiction, merged: Memory | None
) -> dict[str, Memory]:
    """The memories to supersede, each with its successor."""
    if resolution is Resolution.A_WINS:
        return {known.b.id: known.a}
    if resolution is Resolution.B_WINS:
        return {known.a.id: known.b}
    if merged is not None:
        return {known.a.id: merged, known.b.id: merged}
    return {}


def _conflict(known: Contradiction) -> Relation:
    """The relation that an open contradiction has: the later memory against the earlier."""
    return Relation(
        RelationType.CONFLICTS_WITH,
        known.b.id,
        target_id=known.a.id,
        confidence=known.score,
        automatic=True,
    )


def _is_apart(known: Contradiction) -> bool:
    """Whether one of the two is personal, so that neither lowers the other's confidence."""
    return Visibility.PERSONAL in (known.a.audience.visibility, known.b.audience.visibility)


def _check_reach(known: Contradiction, resolution: Resolution) -> None:
    """Refuse that one person's personal memory replaces a memory that others hold."""
    losers = _losers(resolution, known, None)
    for one in (known.a, known.b):
        personal = one.audience.visibility is Visibility.PERSONAL
        if not personal and losers.get(one.id, one).audience.visibility is Visibility.PERSONAL:
            raise InvalidInput(
                "A personal memory cannot replace one that others can see.",
                hint="Keep both, or decide for the other one.",
            )


def _merged(known: Contradiction, text: str, source: Source, needs_review: bool) -> Draft:
    """The memory that replaces both: the given words, with the links of both."""
    a, b = known.a, known.b
    if a.audience != b.audience:
        raise InvalidInput(
            "The two are not for the same people, so they cannot be merged.",
            hint="Decide for one of them, or keep both.",
        )
    return Draft(
        text,
        type=b.type,
        source=source,
        needs_review=needs_review,
        visibility=b.audience.visibility,
        team=b.audience.team,
        organisation=b.audience.organisation,
        stream=b.audience.stream,
        tags=tuple(dict.fromkeys((*a.tags, *b.tags))),
        files=tuple(dict.fromkeys((*a.files, *b.files))),
        modules=tuple(dict.fromkeys((*a.modules, *b.modules))),
        events=tuple(dict.fromkeys((*a.provenance.events, *b.provenance.events))),
        extras=dict(b.extras),
        confidence=max(a.confidence, b.confidence),
    )


def _complete(
    transaction: Transaction, access: Access, rows: list[ContradictionRow]
) -> list[Contradiction]:
    """Complete rows with both memories."""
    known = reads.get_memories(transaction, access, contradictions.ids_of(rows))
    return [
        _with_memories(row, known[row.first_id], known[row.second_id])
        for row in rows
        if row.first_id in known and row.second_id in known
    ]


def _with_memories(row: ContradictionRow, a: Memory, b: Memory) -> Contradiction:
    """A row together with its two memories."""
    return Contradiction(
        row.id,
        a,
        b,
        row.kind,
        REASONS[row.kind],
        row.score,
        row.detected_at,
        row.judged_by,
        row.resolution,
        row.note,
        row.resolved_at,
        row.resolved_by,
        row.merged_id,
    )
