"""Signal 9 and dead ends: the agent's statements about its own mistakes.

"Wait" and "actually" are thinking aloud. A self-correction counts only if it names what it corrects
and that claim occurs in an earlier statement of the agent; a dead end only if it names what will
not work.
"""

import re
from collections.abc import Iterable
from typing import Any, Final

from recollect.observer.candidates import Candidate
from recollect.observer.names import words
from recollect.observer.phrases import digest, shortened
from recollect.observer.scratchpad import Scratchpad
from recollect.observer.taxonomy import Signal
from recollect.vocabulary.acts import Act, ActKind
from recollect.vocabulary.memory_types import MemoryType

KEPT: Final = 60
_CORRECTED: Final = (
    re.compile(r"I was wrong about (?P<claim>[^.\n]{8,160})\. (?P<truth>[^\n]{8,240})"),
    re.compile(
        r"I (?:initially|originally|first|had) (?:thought|assumed|believed)"
        r" (?:that )?(?P<claim>[^.\n]{8,160}?),? but (?P<truth>[^.\n]{8,240})"
    ),
    re.compile(
        r"My (?:initial |earlier )?(?:assumption|theory|guess|understanding) (?:that )?"
        r"(?P<claim>[^.\n]{8,160}?) (?:was|is) (?:wrong|incorrect|mistaken)[.,;:]? ?"
        r"(?P<truth>[^\n]{8,240})"
    ),
    re.compile(
        r"I (?:mis(?:read|understood)) (?P<claim>[^.\n]{8,160})[.;,] (?P<truth>[^\n]{8,240})"
    ),
)
_DEAD: Final = re.compile(
    r" (?:won't|will not|cannot|can't|doesn't|does not) work"
    r"(?P<why>(?: because| since)[^.\n]{10,200})"
)
#: Beginning of what the agent is about to do, which is no truth.
_ANNOUNCED: Final = re.compile(
    r"(?:so |now |then )?,? ?"
    r"(?:let me|let's|I'll|I will|I(?:'m| am) going to|I should|I need to)\b",
    re.I,
)
_HINTS: Final = ("wrong", "hought", "assum", "misread", "misunder", " work because", " work since")
_BEFORE: Final = 160
_OPENING: Final = re.compile(r"^(?:wait|hmm|so|and|but|also|ok(?:ay)?|oh|well|no)[,.! ]+", re.I)


class Words:
    """Detects self-corrections and dead ends in the agent's text."""

    name = "words"
    hears = (ActKind.ANSWER, ActKind.REASONING)

    def __init__(self) -> None:
        self._corrections: list[dict[str, Any]] = []
        self._dead: list[dict[str, Any]] = []

    def hear(self, act: Act, pad: Scratchpad) -> None:
        """Look for a correction of an earlier claim, and for approaches that do not work."""
        text = act.text
        if not any(hint in text for hint in _HINTS):
            return
        for pattern in _CORRECTED:
            found = pattern.search(text)
            if found is None:
                continue
            claim, truth = found.group("claim"), found.group("truth")
            if _ANNOUNCED.match(truth.strip()):
                return
            if _was_said(claim, truth, text[: found.start()], pad):
                self._note(self._corrections, act, pad, claim=claim, truth=truth)
                return
        found = _DEAD.search(text) if act.kind is ActKind.ANSWER else None
        if found is not None:
            before = text[max(0, found.start() - _BEFORE) : found.start()]
            what = _OPENING.sub("", re.split(r"[.\n:]", before)[-1].strip(" -*"))
            if len(what) >= 10:
                self._note(self._dead, act, pad, claim=what, truth=found.group("why").strip())

    def gather(self, pad: Scratchpad) -> Iterable[Candidate]:
        """Corrections as gotchas, failed approaches as dead ends."""
        for note in self._corrections:
            claim, truth = shortened(note["claim"], 160), shortened(note["truth"], 240)
            yield self._candidate(
                note, pad, MemoryType.GOTCHA, f"Not as it first seemed ({claim}): {truth}", {}
            )
        for note in self._dead:
            what, why = shortened(note["claim"], 160), shortened(note["truth"], 200)
            extras = {"approach_tried": what, "why_it_failed": why}
            content = f"{what[:1].upper()}{what[1:]} does not work here, {why}."
            yield self._candidate(note, pad, MemoryType.DEAD_END, content, extras)

    def dead_ends(self) -> tuple[str, ...]:
        """Words of each approach that did not work, in no particular order."""
        return tuple(dict.fromkeys(" ".join(sorted(words(one["claim"]))) for one in self._dead))

    def state(self) -> Any:
        """Corrections and dead ends."""
        return [self._corrections, self._dead]

    def resume(self, state: Any) -> None:
        """Restore saved state."""
        self._corrections, self._dead = state

    def _note(
        self, notes: list[dict[str, Any]], act: Act, pad: Scratchpad, *, claim: str, truth: str
    ) -> None:
        if len(notes) < KEPT:
            near = sorted(pad.files.items(), key=lambda item: -item[1].last_step)[:1]
            notes.append(
                {
                    "claim": claim,
                    "truth": truth,
                    "step": act.step,
                    "event": act.event,
                    "files": [path for path, use in near if act.step - use.last_step <= 3],
                }
            )

    def _candidate(
        self,
        note: dict[str, Any],
        pad: Scratchpad,
        type: MemoryType,
        content: str,
        extras: dict[str, Any],
    ) -> Candidate:
        return Candidate(
            signal=Signal.SELF_CORRECTION,
            key=digest(f"{note['claim']} {note['truth']}"),
            type=type,
            content=content,
            session=pad.session,
            step=int(note["step"]),
            files=tuple(note["files"]),
            confidence=0.6,
            events=(note["event"],) if note["event"] else (),
            extras=extras,
        )


def _was_said(claim: str, truth: str, before: str, pad: Scratchpad) -> bool:
    """Whether most words of the claim occurred before, and the correction differs from it."""
    wanted = set(words(claim))
    if len(wanted) < 2 or wanted >= set(words(truth)):
        return False
    said = [before, *(text for _, text in pad.statements)]
    return any(len(wanted & set(words(text))) / len(wanted) >= 0.75 for text in reversed(said))
