"""Learns what the commits of a repository state as lasting, from their messages.

Each becomes one memory with source ``commit_auto``: its commit, the files that it touched, and the
time of the commit. The message is written as an event of the stream ``git commits`` in the same
transaction, and cited.

Anyone may have written a history: whoever reads it vouches only for commits of their own, by the
address that git has for them. Statements of others count as outside text: they wait for review, and
those that read as orders are quarantined. A statement that a session's commit taught already, in
whatever commit, is not kept twice; nor is one of a commit that was reverted.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from recollect.memories.drafts import Draft, draft_of, memory_of
from recollect.memories.write_path import WritePath
from recollect.observer.candidates import Candidate
from recollect.observer.commit_messages import CommitStatement, reverted_in, statements_in
from recollect.observer.git_history import CommitMessage
from recollect.observer.learner import Change
from recollect.observer.phrases import module_of
from recollect.observer.promotion import fields_of, scored, sign_of, tainted
from recollect.observer.taxonomy import Signal
from recollect.pages.events import Events
from recollect.pages.streams import Streams
from recollect.storage.database import Database, Transaction
from recollect.storage.memories import reads
from recollect.trust.authorisation import authorise, require_role
from recollect.trust.secrets import redacted, safe_names
from recollect.vocabulary.audiences import Viewer
from recollect.vocabulary.clock import Clock, to_microseconds
from recollect.vocabulary.errors import InvalidInput
from recollect.vocabulary.events import EventKind, NewEvent
from recollect.vocabulary.memory import Memory
from recollect.vocabulary.memory_types import Source
from recollect.vocabulary.origins import origin_mark
from recollect.vocabulary.results import Filters
from recollect.vocabulary.spaces import Role, Space
from recollect.vocabulary.streams import StreamKind

#: Stream of the commits whose messages are cited, and the author of those of other people.
STREAM: Final = "git commits"
GIT: Final = "git"
#: Newest statements that one reading takes: a long history states much that is over.
STATEMENTS: Final = 200
FILES: Final = 50
_SURE: Final = 0.88
#: Memories that may hold the statements: one each, but for those that were archived before.
_KNOWN: Final = 1_000


@dataclass(frozen=True, slots=True)
class _Found:
    """A statement with its commit and what is to be kept of it."""

    commit: CommitMessage
    candidate: Candidate


class CommitLessons:
    """Keeps what commits state."""

    def __init__(
        self,
        database: Database,
        path: WritePath,
        events: Events,
        streams: Streams,
        clock: Clock,
        *,
        change: Change,
    ) -> None:
        self._database = database
        self._path = path
        self._events = events
        self._streams = streams
        self._clock = clock
        self._change = change

    def learn(self, viewer: Viewer, space: Space, commits: Sequence[CommitMessage]) -> list[Memory]:
        """Keep the statements of these commits, oldest first, that no memory holds yet."""
        with self._database.reading() as transaction:
            require_role(authorise(transaction, viewer, space), Role.MEMBER, "learn from commits")
        found = self._unknown(viewer, space, _standing(commits))
        fitting: list[tuple[_Found, Draft]] = []
        stream, _ = self._streams.planned(viewer, space, STREAM, kind=StreamKind.CHANNEL)
        for one in found:
            fields = fields_of(one.candidate) | {"session": None}
            try:
                draft = draft_of(one.candidate.content, fields)
                memory_of(draft, space, viewer, self._clock())
            except InvalidInput:
                continue
            fitting.append((one, draft))
        if not fitting:
            return []
        written = list({one.commit.sha: one.commit for one, _ in fitting}.values())
        ids, record = self._events.recording(
            viewer, space, stream, [_event_of(one, viewer) for one in written], programs=(GIT,)
        )
        event_of = {commit.sha: event for commit, event in zip(written, ids, strict=True)}
        drafts = [replace(draft, events=(event_of[one.commit.sha],)) for one, draft in fitting]

        def recorded(transaction: Transaction) -> None:
            record(transaction)

        return self._path.create_all(viewer, space, drafts, recorded)

    def _unknown(self, viewer: Viewer, space: Space, found: Sequence[_Found]) -> list[_Found]:
        """Findings that no memory holds, not even one that was archived since. A memory that a
        session made of the same commit gets the files that only git knows of."""
        known = self._known(viewer, space, [sign_of(one.candidate) for one in found])
        for one in found:
            kept = known.get(sign_of(one.candidate))
            if kept is None or kept.archived or not _is_of(kept, one.commit, viewer):
                continue
            files = tuple(dict.fromkeys((*kept.files, *one.candidate.files)))
            if files != kept.files:
                self._change(viewer, space, kept.id, {"files": files})
        return [one for one in found if sign_of(one.candidate) not in known]

    def _known(self, viewer: Viewer, space: Space, signs: Sequence[str]) -> dict[str, Memory]:
        """The memories of these findings, by sign."""
        now, wanted = to_microseconds(self._clock()), frozenset(signs)
        if not wanted:
            return {}
        listed: list[Memory] = []
        with self._database.reading() as transaction:
            access = authorise(transaction, viewer, space)
            for archived in (True, False):
                filters = Filters(tags=wanted, archived=archived, superseded=True)
                listed += reads.list_memories(
                    transaction, access, filters, now=now, before=None, limit=_KNOWN
                )
        return {tag: one for one in listed for tag in one.tags if tag in wanted}


def _is_of(memory: Memory, commit: CommitMessage, viewer: Viewer) -> bool:
    """Whether a memory was made of this commit, for this viewer."""
    origin = memory.provenance
    mine = origin.created_by == viewer.user and origin.source is Source.COMMIT_AUTO
    return mine and origin.commit is not None and commit.sha.startswith(origin.commit)


def _standing(commits: Sequence[CommitMessage]) -> list[_Found]:
    """The newest statements of commits that were not reverted; of the same one the first."""
    reverted = tuple(name for one in commits for name in reverted_in(one.message))
    found: dict[str, _Found] = {}
    for commit in commits:
        if reverted and commit.sha.startswith(reverted):
            continue
        for said in statements_in(commit.message):
            found.setdefault(said.key, _Found(commit, _candidate_of(said, commit)))
    return list(found.values())[-STATEMENTS:]


def _candidate_of(said: CommitStatement, commit: CommitMessage) -> Candidate:
    files = tuple(safe_names(path for path in commit.files if 0 < len(path) <= 200))[:FILES]
    one = Candidate(
        signal=Signal.COMMIT_STATEMENT,
        key=said.key,
        type=said.type,
        content=said.content,
        session="",
        files=files,
        modules=tuple(dict.fromkeys(filter(None, map(module_of, files))))[:10],
        confidence=_SURE,
        unsure=said.unsure,
        at=commit.at,
        commit=commit.sha,
    )
    return scored(one if commit.is_own else tainted(one, _origin_of(commit)))


def _origin_of(commit: CommitMessage) -> str:
    return origin_mark("outside", f"commit {commit.sha[:10]}")


def _event_of(commit: CommitMessage, viewer: Viewer) -> NewEvent:
    """The event of a commit: its message without secrets."""
    payload = {"commit": commit.sha, "files": list(safe_names(commit.files))[:FILES]}
    if not commit.is_own:
        payload["origin"] = _origin_of(commit)
    return NewEvent(
        redacted(commit.message.strip()),
        kind=EventKind.SYSTEM,
        author=viewer.user if commit.is_own else GIT,
        occurred_at=commit.at,
        payload=payload,
        external_id=commit.sha,
    )
