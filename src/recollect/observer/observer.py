"""``Observer``: hears what an agent does, and says at the end what was worth remembering.

Hearing an act costs a bounded amount of work, never throws and never touches a database or a disk.
A detector that fails is left out for the rest of the session, and counted; the others go on.
"""

import json
import logging
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, Self

from recollect.observer.candidates import CAPS, TAINT_FACTOR, Candidate, SessionType
from recollect.observer.commands import SHELLS, commit_made
from recollect.observer.facts import SessionFacts
from recollect.observer.history import EDITING, TOUCHING
from recollect.observer.material import MaterialLine, readable
from recollect.observer.scratchpad import Scratchpad
from recollect.observer.signals import Detector
from recollect.observer.signals.edits import Edits
from recollect.observer.signals.errors import Errors
from recollect.observer.signals.rule_notes import RuleNotes
from recollect.observer.signals.searches import Searches
from recollect.observer.signals.totals import Totals
from recollect.observer.signals.turns import Turns
from recollect.observer.signals.words import Words
from recollect.observer.signals.work import WorkDetector
from recollect.observer.sketches import Sketch
from recollect.observer.taxonomy import LEAST_SCORE, TRAITS, Signal
from recollect.vocabulary.acts import LONGEST_TEXT, Act, ActKind, Origin, clipped
from recollect.vocabulary.origins import origin_of
from recollect.vocabulary.phases import Phase
from recollect.vocabulary.text import is_commit

_log: Final = logging.getLogger(__name__)

VERSION: Final = 1
#: So many failures with what helped are kept with a session's facts.
FIXES: Final = 50
_ANSWERS: Final = frozenset({ActKind.RESULT, ActKind.FAILURE, ActKind.REFUSAL})
_SAID: Final = frozenset({ActKind.ANSWER, ActKind.REASONING})


def default_signals() -> frozenset[Signal]:
    """Those that proved themselves on real sessions."""
    return frozenset(signal for signal, traits in TRAITS.items() if traits.on)


@dataclass(frozen=True, slots=True)
class Report:
    """What a session did and showed up to a moment."""

    facts: SessionFacts
    candidates: Sequence[Candidate]
    session_type: SessionType = SessionType.BUILD
    sketches: Mapping[str, Sketch] = field(default_factory=dict)
    material: Sequence[MaterialLine] = ()


class Observer:
    """Watches one session."""

    def __init__(
        self,
        session: str,
        *,
        session_type: SessionType = SessionType.BUILD,
        signals: Collection[Signal] | None = None,
    ) -> None:
        self.session = session
        self.session_type = session_type
        #: What the session is at: a phase of work.
        self.phase = Phase.IMPLEMENT.value
        self.faults = 0
        self._on = frozenset(default_signals() if signals is None else signals)
        self._pad = Scratchpad(session)
        self._totals = Totals()
        self._searches, self._words = Searches(), Words()
        self._turns, self._errors, self._notes = Turns(), Errors(), RuleNotes()
        self._detectors: list[Detector] = [
            self._turns,
            self._words,
            self._errors,
            self._notes,
            Edits(),
            WorkDetector(),
            self._searches,
            self._totals,
        ]
        self._listening = _listening(self._detectors)

    @property
    def acts(self) -> int:
        """How many acts were heard."""
        return self._pad.acts

    def observe(self, act: Act) -> None:
        """Take in one act. Constant work; whatever it is, this never throws."""
        try:
            self._take(act)
        except Exception as error:  # noqa: BLE001 the agent must never feel that it is watched
            self._fault("an act", error)

    def _fault(self, what: str, error: Exception) -> None:
        """Count and tell what could not be heard; not its words, which may hold anything."""
        self.faults += 1
        _log.warning("The observer could not follow %s: %s", what, type(error).__name__)

    def note_commit(self, commit: str) -> None:
        """Which commit is checked out now; what is noticed from here on is recorded with it."""
        if is_commit(commit):
            self._pad.note_commit(commit.lower())

    def facts(self) -> SessionFacts:
        """What the session did with files, for comparing it with others."""
        return replace(
            self._totals.facts(self._pad),
            searches=self._searches.landings(),
            dead_ends=self._words.dead_ends(),
            phase=self.phase,
        )

    def validated(self, *, passed: bool) -> None:
        """Whoever validates the session's work has said something; its first word counts."""
        self._totals.judged(passed=passed)

    def sketches(self) -> dict[str, Sketch]:
        """What the files that the session saw define and mention."""
        return self._totals.sketches()

    def report(self, *, over: bool = True) -> Report:
        """Everything that learning needs, as it is now; hearing may go on.

        Of a session that is not over, nothing is compared with others yet.
        """
        noticed = self._noticed()
        found = [one for one in noticed if one.signal in self._on]
        facts = replace(self.facts(), fixes=fixes_of(noticed))
        if not over:
            return Report(facts, found, self.session_type)
        return Report(facts, found, self.session_type, self.sketches(), self.material())

    def material(self) -> tuple[MaterialLine, ...]:
        """What a model may read of the session."""
        parts = (self._turns, self._errors, self._notes)
        return readable(line for part in parts for line in part.lines(self._pad))

    def early(self) -> list[Candidate]:
        """What may be used within this very session: what one session suffices for, and errors
        once there are two of them."""
        found = capped(self._noticed(), self.session_type)
        errors = sum(one.signal is Signal.ERROR_RETRY for one in found)
        return [
            one
            for one in found
            if one.needed_sessions == 1 or (one.signal is Signal.ERROR_RETRY and errors > 1)
        ]

    def finish(self) -> list[Candidate]:
        """What the session would remember, the most important first, within its type's cap.

        What must be seen in several sessions is among it; the promotion counts the sessions.
        """
        return capped(self.candidates(), self.session_type)

    def candidates(self) -> list[Candidate]:
        """All that may be remembered, marked where strangers' words had been read before."""
        return [one for one in self._noticed() if one.signal in self._on]

    def _noticed(self) -> list[Candidate]:
        """What may be remembered, and what helped against failures: a fact for who fails again."""
        found: list[Candidate] = []
        for detector in self._detectors:
            try:
                found.extend(detector.gather(self._pad))
            except Exception as error:  # noqa: BLE001 one signal's fault is not another's
                self._fault(type(detector).__name__, error)
        return self._gated(found)

    def subtask_done(self) -> list[Candidate]:
        """What a validated subtask leaves behind; hearing goes on."""
        return self.finish()

    def checkpoint(self) -> dict[str, Any]:
        """All that is known, as JSON has it; ``restore`` goes on from there."""
        return {
            "version": VERSION,
            "session": self.session,
            "session_type": self.session_type.value,
            "signals": sorted(signal.value for signal in self._on),
            "pad": self._pad.state(),
            "detectors": {detector.name: detector.state() for detector in self._detectors},
        }

    @classmethod
    def restore(cls, checkpoint: Mapping[str, Any]) -> Self:
        """An observer that goes on where a checkpoint was taken."""
        whole = json.loads(json.dumps(checkpoint))
        observer = cls(
            str(whole["session"]),
            session_type=SessionType(whole["session_type"]),
            signals=[Signal(name) for name in whole["signals"]],
        )
        observer._pad = Scratchpad.resumed(whole["pad"])
        for detector in observer._detectors:
            if detector.name in whole["detectors"]:
                detector.resume(whole["detectors"][detector.name])
        return observer

    def _take(self, act: Act) -> None:
        pad = self._pad
        pad.acts += 1
        if len(act.text) > LONGEST_TEXT:
            act = replace(act, text=clipped(act.text))
        pad.step = max(pad.step, act.step)
        pad.note_time(act)
        if act.kind is ActKind.CALL:
            pad.note_call(act)
            if act.paths and act.tool in TOUCHING:
                pad.touch(act.paths[0], act, edited=act.tool in EDITING)
        elif act.kind is ActKind.PROMPT:
            pad.prompt = pad.prompt or act.text[:1_000]
            if act.agent is None:
                pad.note_turn()
        for detector in self._listening.get(act.kind, ()):
            detector.hear(act, pad)
        if act.kind in _ANSWERS:
            self._answered(act)
        elif act.kind in _SAID:
            pad.note_statement(act)

    def _answered(self, act: Act) -> None:
        """The call is over; what it brought may have been written by strangers."""
        pad = self._pad
        call = pad.call_of(act)
        if act.call is not None:
            pad.calls.pop(act.call, None)
        if act.kind is ActKind.REFUSAL:
            return
        tool = call.tool or act.tool
        if tool in SHELLS and act.kind is ActKind.RESULT:
            made = commit_made(call.arguments.get("command"), act.text)
            if made:
                pad.note_commit(made)
        if act.outside or origin_of(tool, call.arguments) is Origin.OUTSIDE:
            pad.taint(act, tool or "outside")

    def _gated(self, found: Iterable[Candidate]) -> list[Candidate]:
        """Marked where strangers' words had been read before; the user's own words are not."""
        kept: list[Candidate] = []
        for one in found:
            on = one.signal in self._on or one.signal is Signal.ERROR_RETRY
            if not on or TRAITS[one.signal].score < LEAST_SCORE:
                continue
            at, commit = self._pad.time_of(one.step), self._pad.commit_of(one.step)
            one = replace(one, at=one.at or at, commit=commit)  # noqa: PLW2901
            source = None if one.quote else one.tainted_by or self._pad.tainted(one.step)
            if source is None:
                kept.append(one)
            else:
                kept.append(
                    replace(one, tainted_by=source, confidence=one.confidence * TAINT_FACTOR)
                )
        return kept


def fixes_of(found: Iterable[Candidate]) -> tuple[tuple[str, str], ...]:
    """What helped against failures, as far as no stranger had a say; each rule by itself."""
    helped = [(key, one.content) for one in found if one.tainted_by is None for key in _helped(one)]
    return tuple(dict(reversed(helped)).items())[:FIXES]


def _helped(one: Candidate) -> list[str]:
    """The failures that a finding helps against."""
    if one.signal is Signal.CHECK_RULE:
        return [f"rule:{rule}" for rule in one.key.removeprefix("rule:").split()]
    return [one.key] if one.signal is Signal.ERROR_RETRY else []


def capped(found: Iterable[Candidate], session_type: SessionType) -> list[Candidate]:
    """The most important, each key once, as many as the session's type may leave behind."""
    best: dict[tuple[Signal, str], Candidate] = {}
    for one in sorted(found, key=lambda one: (-one.priority, one.step, one.key)):
        best.setdefault((one.signal, one.key), one)
    return list(best.values())[: CAPS[session_type]]


def _listening(detectors: Iterable[Detector]) -> dict[ActKind, list[Detector]]:
    table: dict[ActKind, list[Detector]] = {}
    for detector in detectors:
        for kind in detector.hears:
            table.setdefault(kind, []).append(detector)
    return table
