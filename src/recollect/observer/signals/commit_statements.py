"""Signal 28: what the message of a commit of this session states as lasting.

Only a commit that git said it made counts, with a message that stands in the command: the agent
wrote it. Messages that ``git log``, ``git pull`` or a web site print are outside text or somebody
else's, and teach nothing here.
"""

import re
from collections.abc import Iterable
from typing import Any, Final

from recollect.observer.candidates import Candidate, moment_of
from recollect.observer.commands import SHELLS
from recollect.observer.commit_calls import MadeCommit, commits_made, paths_staged
from recollect.observer.commit_messages import statements_in
from recollect.observer.phrases import module_of
from recollect.observer.scratchpad import Scratchpad
from recollect.observer.taxonomy import Signal
from recollect.vocabulary.acts import Act, ActKind
from recollect.vocabulary.memory_types import MemoryType

KEPT: Final = 60
FILES: Final = 50
STAGED: Final = 500
_SURE: Final = 0.88
_AMENDS: Final = re.compile(r"\s--amend\b")


class CommitStatements:
    """Detects the commits of a session, the files that each touched, and what they state."""

    name = "commit_statements"
    hears = (ActKind.RESULT, ActKind.FAILURE)  # a chain may fail behind its commit

    def __init__(self) -> None:
        self._found: list[dict[str, Any]] = []
        self._staged: list[str] = []
        self._everything = False

    def hear(self, act: Act, pad: Scratchpad) -> None:
        """Record the commits that a command made."""
        call = pad.call_of(act)
        command = call.arguments.get("command") or call.arguments.get("cmd")
        if (call.tool or act.tool) not in SHELLS or not isinstance(command, str):
            return
        if "git" not in command:
            return
        if act.kind is ActKind.RESULT or "commit" in command:
            paths, everything = paths_staged(command)
            self._staged = [*self._staged, *paths][-STAGED:]
            self._everything |= everything
        made = commits_made(command, act.text)
        if not made:
            return
        files, amended = self._files(pad), _AMENDS.search(command) is not None
        for one in made:
            if amended:
                files = self._amended(pad, one, files)
            pad.note_made(one.hash, files)
            for said in statements_in(one.message):
                told = {
                    "key": said.key,
                    "type": said.type.value,
                    "content": said.content,
                    "step": act.step,
                    "at": act.at.timestamp(),
                    "unsure": said.unsure,
                    "commit": one.hash,
                    "files": list(files)[:FILES],
                    "events": [event for event in (call.event, act.event) if event],
                }
                kept = [other for other in self._found if other["key"] != said.key]
                self._found = [*kept, told][-KEPT:]
        self._staged, self._everything = [], False

    def gather(self, pad: Scratchpad) -> Iterable[Candidate]:
        """The statements of the session's commits."""
        for one in self._found:
            files = tuple(one["files"])
            yield Candidate(
                signal=Signal.COMMIT_STATEMENT,
                key=str(one["key"]),
                type=MemoryType(one["type"]),
                content=str(one["content"]),
                session=pad.session,
                step=int(one["step"]),
                at=moment_of(one),
                files=files,
                modules=tuple(dict.fromkeys(filter(None, map(module_of, files))))[:10],
                confidence=_SURE,
                unsure=bool(one["unsure"]),
                events=tuple(dict.fromkeys(one["events"])),
                commit=str(one["commit"]),
            )

    def state(self) -> Any:
        """The statements, and what was staged for the next commit."""
        return [self._found, self._staged, self._everything]

    def resume(self, state: Any) -> None:
        """Restore saved state."""
        self._found, self._staged, self._everything = state

    def _amended(self, pad: Scratchpad, one: MadeCommit, files: tuple[str, ...]) -> tuple[str, ...]:
        """Put a commit in the place of the session's last, which it amended; returns its files."""
        replaced, held = pad.take_made()
        files = tuple(dict.fromkeys((*held, *files)))
        mine = [said for said in self._found if said["commit"] == replaced]
        if one.message:  # whatever it still states is found in it again
            self._found = [said for said in self._found if said["commit"] != replaced]
        for said in mine:
            said |= {"commit": one.hash, "files": list(files)[:FILES]}
        return files

    def _files(self, pad: Scratchpad) -> tuple[str, ...]:
        """Files that the session changed since its last commit, as far as they were staged."""
        changed = pad.uncommitted()
        if self._everything or not self._staged:
            return changed
        staged = [path.removeprefix("./").rstrip("/") for path in self._staged]
        return tuple(path for path in changed if any(_is_within(path, one) for one in staged))


def _is_within(path: str, staged: str) -> bool:
    """Whether a path of the repository may be the one staged, which is relative to some folder."""
    return (
        f"/{path}".endswith(f"/{staged}")
        or f"/{staged}".endswith(f"/{path}")
        or (f"/{path}/".find(f"/{staged}/") >= 0)
    )
