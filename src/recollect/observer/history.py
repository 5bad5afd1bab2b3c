"""In-memory history of files in earlier sessions and commits, for predicting the next files.

It is fed in chronological order and contains nothing later than its input. The newest sessions and
commits are kept; a file counts from the first time it was seen.
"""

from collections import Counter, OrderedDict, deque
from collections.abc import Iterable
from datetime import datetime
from typing import Final

from recollect.observer.names import words
from recollect.observer.sketches import Sketch
from recollect.vocabulary.acts import Act, ActKind

SESSIONS: Final = 600
COMMITS: Final = 2_000
LARGEST_COMMIT: Final = 40
PROMPT_WORDS: Final = 300
BRANCHES: Final = 8
TOUCHING: Final = frozenset({"Read", "Edit", "Write", "MultiEdit", "NotebookEdit", "apply_patch"})
EDITING: Final = TOUCHING - {"Read"}
_PROMPT_LENGTH: Final = 1_500


class PastSession:
    """One session: its files in the order of first use, its branches, its users' words."""

    __slots__ = (
        "branches",
        "edited",
        "files",
        "last_at",
        "plan",
        "started_at",
        "task_type",
        "words",
    )

    def __init__(self, started_at: datetime) -> None:
        self.started_at = started_at
        self.last_at = started_at
        self.files: dict[str, int] = {}
        self.edited: set[str] = set()
        self.branches: set[str] = set()
        self.words: set[str] = set()
        self.task_type = ""
        self.plan: tuple[float, int] | None = None

    @property
    def folders(self) -> set[str]:
        """Folders of the files it edited, or of those it read if it edited none."""
        return {path.rpartition("/")[0] for path in self.edited or self.files} - {""}

    def touch(self, path: str, at: datetime, *, edited: bool) -> None:
        """Record that a file was read or edited."""
        self.files.setdefault(path, len(self.files))
        self.last_at = max(self.last_at, at)
        if edited:
            self.edited.add(path)


class History:
    """Sessions, commits and sketches so far."""

    def __init__(self) -> None:
        self.sessions: OrderedDict[str, PastSession] = OrderedDict()
        self.commits: deque[tuple[datetime, tuple[str, ...]]] = deque(maxlen=COMMITS)
        self.touched_at: dict[str, datetime] = {}
        self.committed_at: dict[str, datetime] = {}
        self.sketches: dict[str, Sketch] = {}
        self.definers: Counter[str] = Counter()
        self.landings: dict[str, str] = {}
        self.fixes: dict[str, str] = {}

    def hear(self, act: Act) -> None:
        """Learn from one act."""
        session = self.session(act.session, act.at)
        if act.branch and len(session.branches) < BRANCHES:
            session.branches.add(act.branch)
        if act.kind is ActKind.PROMPT:
            if len(session.words) < PROMPT_WORDS:
                session.words.update(words(act.text[:_PROMPT_LENGTH]))
        elif act.kind is ActKind.CALL and act.paths and act.tool in TOUCHING:
            for path in act.paths:
                self.touch(session, path, act.at, edited=act.tool in EDITING)
            self.see(act.paths[0], _edited_text(act))
        elif act.kind is ActKind.RESULT and act.tool == "Read" and act.paths:
            self.see(act.paths[0], act.text)

    def session(self, name: str, at: datetime) -> PastSession:
        """The session with this name, created if it is new."""
        found = self.sessions.get(name)
        if found is None:
            found = self.sessions[name] = PastSession(at)
            if len(self.sessions) > SESSIONS:
                self.sessions.popitem(last=False)
        return found

    def touch(self, session: PastSession, path: str, at: datetime, *, edited: bool) -> None:
        """Record that a session read or edited a file."""
        session.touch(path, at, edited=edited)
        self.touched_at[path] = max(at, self.touched_at.get(path, at))

    def see(self, path: str, text: str) -> None:
        """Record a piece of a file's text in its sketch."""
        if text:
            sketch = self.sketches.get(path)
            if sketch is None:
                sketch = self.sketches[path] = Sketch()
            defines, _ = sketch.see(text)
            self.definers.update(defines)

    def commit(self, at: datetime, files: Iterable[str]) -> None:
        """Learn from a commit."""
        changed = tuple(dict.fromkeys(files))
        self.commits.append((at, changed))
        for path in changed:
            if len(changed) <= LARGEST_COMMIT:
                self.committed_at[path] = max(at, self.committed_at.get(path, at))
            else:
                self.committed_at.setdefault(path, at)

    def files(self) -> set[str]:
        """All known files."""
        return self.touched_at.keys() | self.committed_at.keys()


def _edited_text(act: Act) -> str:
    found = (act.arguments.get(name) for name in ("old_string", "new_string", "content"))
    return "\n".join(text[:4_000] for text in found if isinstance(text, str))
