"""Signals 4 and 16: reverted edits, and files edited by several agents at once.

Editing a file again is normal work. An edit is reverted when a later one replaces its new text by
the old text, or when the file is restored from the repository.
"""

import re
from collections.abc import Iterable
from typing import Any, Final

from recollect.observer.candidates import Candidate
from recollect.observer.history import EDITING
from recollect.observer.phrases import digest, module_of, quoted, shortened
from recollect.observer.scratchpad import Scratchpad
from recollect.observer.taxonomy import Signal
from recollect.vocabulary.acts import Act, ActKind
from recollect.vocabulary.memory_types import MemoryType

FILES: Final = 500
EDITS: Final = 20
KEPT: Final = 100
_LEAST_SIZE: Final = 20
_CHANGED: Final = "has been modified since read"
_RESTORED: Final = re.compile(r"\bgit (?:checkout(?: HEAD)? --|restore) +(\S+)")


class Edits:
    """Detects reverted and conflicting edits."""

    name = "edits"
    hears = (ActKind.CALL, ActKind.FAILURE, ActKind.PROMPT)

    def __init__(self) -> None:
        self._edits: dict[str, list[list[Any]]] = {}
        self._agents: dict[str, str] = {}
        self._taken_back: list[dict[str, Any]] = []
        self._changed: dict[str, int] = {}
        self._shared: dict[str, int] = {}
        self._said: list[Any] = [0, ""]

    def hear(self, act: Act, pad: Scratchpad) -> None:
        """Process an edit, or its failure to apply."""
        if act.kind is ActKind.PROMPT:
            self._said = [act.step, act.text[:300]]
        elif act.kind is ActKind.FAILURE:
            call = pad.call_of(act)
            if _CHANGED in act.text[:300] and call.paths and len(self._changed) < FILES:
                self._changed[call.paths[0]] = self._changed.get(call.paths[0], 0) + 1
        elif act.tool in EDITING and act.paths:
            self._edited(act)
        elif act.tool == "Bash":
            self._restored(act)

    def gather(self, pad: Scratchpad) -> Iterable[Candidate]:
        """Reverted edits, and files that others change at the same time."""
        for note in self._taken_back:
            if not note["said"]:
                continue
            path = str(note["path"])
            yield Candidate(
                signal=Signal.BACKTRACK,
                key=path,
                type=MemoryType.GOTCHA,
                content=_taken_back(note),
                session=pad.session,
                step=int(note["step"]),
                files=(path,),
                modules=tuple(filter(None, [module_of(path)])),
                confidence=0.65,
            )
        for path in sorted({*self._shared, *(p for p, n in self._changed.items() if n > 1)}):
            yield Candidate(
                signal=Signal.PARALLEL_CONFLICT,
                key=path,
                type=MemoryType.GOTCHA,
                content=(
                    f"`{path}` changes on disk while agents work on it (another agent, a formatter "
                    "or a hook): read it again right before editing."
                ),
                session=pad.session,
                step=pad.step,
                files=(path,),
                confidence=0.7,
            )

    def state(self) -> Any:
        """Edits and their outcomes."""
        return [
            self._edits,
            self._agents,
            self._taken_back,
            self._changed,
            self._shared,
            self._said,
        ]

    def resume(self, state: Any) -> None:
        """Restore saved state."""
        self._edits, self._agents, self._taken_back = state[:3]
        self._changed, self._shared, self._said = state[3:]

    def _edited(self, act: Act) -> None:
        path = act.paths[0]
        before = self._agents.get(path)
        mine = act.agent or ""
        if before is not None and before != mine and len(self._shared) < FILES:
            self._shared[path] = act.step
        if before is not None or len(self._agents) < FILES:
            self._agents[path] = mine
        old, new = act.arguments.get("old_string"), act.arguments.get("new_string")
        if not isinstance(old, str) or not isinstance(new, str) or not new.strip():
            return
        edits = self._edits.get(path)
        if edits is None:
            if len(self._edits) >= FILES:
                return
            edits = self._edits[path] = []
        was, now = digest(old[:4_000]), digest(new[:4_000])
        for earlier in edits:
            if earlier[0] == now and earlier[1] == was and min(len(old), len(new)) >= _LEAST_SIZE:
                self._back(path, act.step, str(earlier[2]), str(earlier[3]))
                break
        tried = _first_new_line(old, new)
        edits.append([was, now, tried, act.step])
        del edits[:-EDITS]

    def _restored(self, act: Act) -> None:
        command = act.arguments.get("command")
        if not isinstance(command, str) or "git " not in command:
            return
        found = _RESTORED.search(command[:1_000])
        if found is None:
            return
        for path, edits in self._edits.items():
            if path.endswith(found.group(1)) and edits:
                self._back(path, act.step, str(edits[-1][2]), str(edits[-1][3]))
                return

    def _back(self, path: str, step: int, tried: str, since: str) -> None:
        if len(self._taken_back) < KEPT:
            said = self._said[1] if self._said[0] >= int(since or 0) else ""
            self._taken_back.append({"path": path, "step": step, "tried": tried, "said": said})


def _first_new_line(old: str, new: str) -> str:
    """First line that an edit adds."""
    before = set(old[:4_000].splitlines())
    for line in new[:4_000].splitlines():
        if line not in before and len(line.strip()) > 5:
            return line.strip()[:160]
    return ""


def _taken_back(note: dict[str, Any]) -> str:
    tried = f": `{shortened(note['tried'], 120)}`" if note["tried"] else ""
    said = quoted(shortened(note["said"], 240))
    return (
        f"A change of `{note['path']}` was tried and taken back{tried}. The user had said: {said}"
    )
