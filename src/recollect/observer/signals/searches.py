"""Signals 5, 6 and 11: repeated searches, searches without result, and files opened in vain.

A search counts with its answer: the file opened right after it. A pattern without matches counts if
a file was then found under another name.
"""

import re
from collections.abc import Iterable
from typing import Any, Final

from recollect.observer.candidates import Candidate
from recollect.observer.history import TOUCHING
from recollect.observer.names import is_test, name_words, words
from recollect.observer.phrases import module_of, shortened
from recollect.observer.scratchpad import Scratchpad
from recollect.observer.taxonomy import Signal
from recollect.vocabulary.acts import Act, ActKind
from recollect.vocabulary.memory_types import MemoryType

KEPT: Final = 500
#: Maximum number of searches kept in a session's facts.
LANDINGS: Final = 100
_SOON: Final = 3
_EMPTY: Final = re.compile(r"^\s*(?:No (?:files|matches) found|Found 0\b|$)")


class Searches:
    """Detects searches and the files opened after them."""

    name = "searches"
    hears = (ActKind.CALL, ActKind.RESULT)

    def __init__(self) -> None:
        self._last: list[dict[str, Any]] = []
        self._landed: dict[str, dict[str, Any]] = {}
        self._vain: dict[str, dict[str, Any]] = {}
        self._opened: dict[str, int] = {}
        self._given_up: dict[str, int] = {}
        self._times: dict[str, int] = {}

    def hear(self, act: Act, pad: Scratchpad) -> None:
        """Process a search, its result, or the file opened after it."""
        if act.kind is ActKind.CALL:
            if act.tool in TOUCHING and act.paths:
                self._open_file(act)
            elif act.tool in ("Grep", "Glob"):
                self._given_up_by(act)
            return
        call = pad.call_of(act)
        if call.tool not in ("Grep", "Glob"):
            return
        pattern = call.arguments.get("pattern")
        if isinstance(pattern, str) and 4 <= len(pattern) <= 200:
            if pattern in self._times or len(self._times) < KEPT:
                self._times[pattern] = self._times.get(pattern, 0) + 1
            self._last.append(
                {
                    "pattern": pattern,
                    "tool": call.tool,
                    "step": act.step,
                    "found": list(act.paths),
                    "empty": not act.paths and _EMPTY.match(act.text) is not None,
                }
            )
            del self._last[:-4]
            if call.tool == "Grep":
                self._found_few(pattern, act)

    def landings(self) -> tuple[tuple[str, str], ...]:
        """Search patterns and the files that answered them, latest last."""
        return tuple((key, str(note["path"])) for key, note in self._landed.items())[-LANDINGS:]

    def repeated(self, least: int) -> list[tuple[str, int, str]]:
        """Patterns that were searched for so often, how often, and the file that answered; empty
        where none did."""
        return [
            (pattern, times, str(self._landed.get(normal_pattern(pattern), {}).get("path", "")))
            for pattern, times in self._times.items()
            if times >= least
        ]

    def gather(self, pad: Scratchpad) -> Iterable[Candidate]:
        """Searches with their answers."""
        for key, note in self._landed.items():
            path = str(note["path"])
            yield Candidate(
                signal=Signal.REPEATED_GREP,
                key=key,
                type=MemoryType.MODULE_INSIGHT,
                content=(f"Searching for `{shortened(note['pattern'], 80)}` leads to `{path}`."),
                session=pad.session,
                step=int(note["step"]),
                files=(path,),
                modules=tuple(filter(None, [module_of(path)])),
                confidence=0.7,
            )
        for key, note in self._vain.items():
            yield Candidate(
                signal=Signal.GLOB_IGNORE,
                key=key,
                type=MemoryType.GOTCHA,
                content=(
                    f"Nothing here matches `{shortened(note['pattern'], 80)}`; "
                    f"what was looked for is `{note['path']}`."
                ),
                session=pad.session,
                step=int(note["step"]),
                files=(str(note["path"]),),
                confidence=0.65,
            )
        for path, step in self._given_up.items():
            if self._opened.get(path, 0) == 1:
                yield Candidate(
                    signal=Signal.READ_ABANDON,
                    key=path,
                    type=MemoryType.GOTCHA,
                    content=f"`{path}` is opened and left again: what is looked for is elsewhere.",
                    session=pad.session,
                    step=step,
                    files=(path,),
                    confidence=0.5,
                )

    def state(self) -> Any:
        """Searches and their answers."""
        searches = [self._last, self._landed, self._vain, self._opened, self._given_up]
        return [*searches, self._times]

    def resume(self, state: Any) -> None:
        """Restore saved state."""
        self._last, self._landed, self._vain, self._opened, self._given_up = state[:5]
        self._times = state[5] if len(state) > 5 else {}

    def _found_few(self, pattern: str, act: Act) -> None:
        """Record the answer of a search that finds a single file, not counting tests."""
        sources = [path for path in act.paths if not is_test(path)] or list(act.paths)
        if len(sources) == 1 and len(self._landed) < KEPT:
            note = {"pattern": pattern, "path": sources[0], "step": act.step}
            self._landed.setdefault(normal_pattern(pattern), note)

    def _open_file(self, act: Act) -> None:
        path = act.paths[0]
        if len(self._opened) < KEPT or path in self._opened:
            self._opened[path] = self._opened.get(path, 0) + 1
        for search in self._last:
            if act.step - int(search["step"]) > _SOON:
                continue
            pattern = str(search["pattern"])
            note = {"pattern": pattern, "path": path, "step": act.step}
            if search["empty"]:
                if _speaks_of(pattern, path) and len(self._vain) < KEPT:
                    self._vain.setdefault(f"{search['tool']}:{pattern}", note)
            elif path in search["found"] and search["tool"] == "Grep" and len(self._landed) < KEPT:
                if is_test(path) and not all(map(is_test, search["found"])):
                    continue
                self._landed[normal_pattern(pattern)] = note
                search["found"] = []

    def _given_up_by(self, act: Act) -> None:
        """Record that the file opened one step before a search was not the wanted one."""
        last = next(reversed(self._opened), None) if self._opened else None
        if last is not None and self._opened[last] == 1 and len(self._given_up) < KEPT:
            self._given_up.setdefault(last, act.step)


def normal_pattern(pattern: str) -> str:
    """The pattern without marks that change nothing about what it finds: a word's borders, and
    spaces around it. Case and brackets are kept: `Price`, `price(` and `price` find different
    things, and another search is never said to be the same."""
    return re.sub(r"\\b", "", pattern).strip()


def _speaks_of(pattern: str, path: str) -> bool:
    return bool(set(words(pattern)) & name_words(path) - {"test", "go", "py", "js", "ts", "md"})
