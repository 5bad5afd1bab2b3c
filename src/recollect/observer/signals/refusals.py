"""Signal 18: what the user did not let happen, or put right, in the user's own words.

A refusal becomes a preference, a gotcha or a decision at once, with the words quoted. A refusal
without words waits for the next prompt, where people usually say why.
"""

import re
from collections.abc import Iterable, Mapping
from typing import Any, Final

from recollect.observer.candidates import Candidate
from recollect.observer.phrases import action_of, digest, module_of, quoted
from recollect.observer.scratchpad import Scratchpad
from recollect.observer.signals.wishes import (
    is_correcting,
    is_empty,
    is_lasting,
    is_momentary,
    is_question,
    is_wishing,
    type_of,
)
from recollect.observer.taxonomy import Signal
from recollect.vocabulary.acts import Act, ActKind
from recollect.vocabulary.memory_types import MemoryType

KEPT: Final = 200
_SOON: Final = 3
_MOMENTARY: Final = 0.4
_LONG: Final = 300
_NOT_THEIRS: Final = re.compile(
    r"^(?:Implement the following|got this feedback|I got this|The user wants to clarify these)",
    re.I,
)
#: How an agent answers when its user was right; being right to ask is not that.
_YIELDED: Final = re.compile(
    r"(?:Ah,? |Oh,? |Yes,? |Hmm,? )?(?:you.re (?:absolutely |completely )?(?:right|correct)"
    r"|you are (?:absolutely )?(?:right|correct)|good (?:catch|point|call)|great (?:catch|point)"
    r"|my (?:mistake|bad)|I apologi[sz]e|sorry about that)"
    r"(?! to (?:ask|question|wonder|challenge))",
    re.I,
)
#: It agrees to look, and may find otherwise.
_LOOKS_FIRST: Final = re.compile(
    r"[^.!,]{0,60}[.!,]+ (?:let me|I'll) (?:\w+ )?"
    r"(?:check|look|investigate|verify|re-?\w+|analy[sz]e|trace|search|see|find out|dig)\b",
    re.I,
)
#: A task that is asked for.
_REQUEST: Final = re.compile(
    r"(?:ok(?:ay)?,? |great,? )?(?:(?:can|could|would) you\b|please (?:review|check|look)\b)", re.I
)


class Refusals:
    """Hears refusals and corrections."""

    name = "refusals"
    hears = (ActKind.REFUSAL, ActKind.CORRECTION, ActKind.PROMPT, ActKind.ANSWER)

    def __init__(self) -> None:
        self.heard = 0
        self.with_words = 0
        self._found: list[dict[str, Any]] = []
        self._waiting: dict[str, Any] | None = None
        self._prompt: list[Any] | None = None

    def hear(self, act: Act, pad: Scratchpad) -> None:
        """A refusal with its words, the words that follow one, or an agent that yields."""
        if act.kind is ActKind.PROMPT:
            self._prompted(act)
        elif act.kind is ActKind.ANSWER:
            self._answered(act, pad)
        else:
            self._refused(act, pad)

    def _prompted(self, act: Act) -> None:
        waiting, self._waiting = self._waiting, None
        self._prompt = [act.step, act.text[:1_000], act.event] if act.step else None
        if waiting is not None and act.step - int(waiting["step"]) <= _SOON:
            if not _NOT_THEIRS.match(act.text):
                self._keep({**waiting, "words": act.text[:1_000], "late": True})
            self._prompt = None

    def _answered(self, act: Act, pad: Scratchpad) -> None:
        """When the agent says that its user was right, what the user said was a correction."""
        prompt = self._prompt
        if prompt is None or act.agent is not None:
            return
        if act.step - int(prompt[0]) > _SOON:
            self._prompt = None
        elif _YIELDED.match(act.text):
            self._prompt = None
            said = str(prompt[1])
            if len(said) > _LONG or not is_correcting(said) or _NOT_THEIRS.match(said):
                return
            near = [path for path, use in pad.files.items() if int(prompt[0]) - use.last_step <= 3]
            self._keep(
                {
                    "step": prompt[0],
                    "event": prompt[2],
                    "tool": None,
                    "action": "",
                    "paths": near[-2:],
                    "words": said,
                    "agreed": act.text[:240],
                    "correction": True,
                }
            )

    def _refused(self, act: Act, pad: Scratchpad) -> None:
        call = pad.call_of(act)
        note = {
            "step": act.step,
            "event": act.event,
            "tool": call.tool or act.tool,
            "action": action_of(call.tool or act.tool, call.arguments, call.paths or act.paths),
            "paths": list((call.paths or act.paths)[:5]),
            "words": "" if _NOT_THEIRS.match(act.text) else act.text.strip()[:1_000],
            "correction": act.kind is ActKind.CORRECTION,
        }
        self.heard += act.kind is ActKind.REFUSAL
        if note["words"]:
            self.with_words += act.kind is ActKind.REFUSAL
            self._keep(note)
        else:
            self._waiting = note

    def gather(self, pad: Scratchpad) -> Iterable[Candidate]:
        """Each refusal that says something, as a memory with the words quoted."""
        for note in self._found:
            words = str(note["words"])
            if is_empty(words):
                continue
            kind = type_of(words)
            paths = tuple(note["paths"])
            yield Candidate(
                signal=Signal.REFUSAL,
                key=digest(words),
                type=kind,
                content=_content(note, words, trusting=pad.tainted(int(note["step"])) is None),
                session=pad.session,
                step=int(note["step"]),
                files=paths,
                modules=tuple(dict.fromkeys(filter(None, map(module_of, paths)))),
                confidence=_sureness(kind, words, note),
                quote=words,
                events=(note["event"],) if note["event"] else (),
            )

    def state(self) -> Any:
        """Counts and notes."""
        return [self.heard, self.with_words, self._found, self._waiting, self._prompt]

    def resume(self, state: Any) -> None:
        """Go on."""
        self.heard, self.with_words, self._found, self._waiting, self._prompt = state

    def _keep(self, note: dict[str, Any]) -> None:
        if len(self._found) < KEPT:
            self._found.append(note)


def _sureness(kind: MemoryType, words: str, note: Mapping[str, Any]) -> float:
    """How much the words say for another day: a wish much, what is about the moment little.

    Words that follow a refusal may be the next task and no reason; an agent that goes to look has
    not agreed yet.
    """
    wishing = is_wishing(words)
    correcting = is_correcting(words)
    agreed = note.get("agreed")
    momentary = (
        is_momentary(words)
        or (is_question(words) and not wishing)
        or (note.get("late") and (_REQUEST.match(words) or not (wishing or correcting)))
        or (agreed and not is_lasting(words))
        or (agreed and (_LOOKS_FIRST.match(str(agreed)) or _REQUEST.match(words)))
    )
    if momentary:
        return _MOMENTARY
    if kind is not MemoryType.GOTCHA:
        return 0.9
    return 0.75 if wishing or correcting else _MOMENTARY


def _content(note: dict[str, Any], words: str, *, trusting: bool) -> str:
    """The refusal in a sentence; what the agent said to it only where no stranger had spoken."""
    action = note["action"]
    if note["correction"] or not action:
        agreed = (
            f" The agent agreed: {quoted(note['agreed'])}"
            if note.get("agreed") and trusting
            else ""
        )
        return f"The user corrected the agent: {quoted(words)}{agreed}"
    if note.get("late"):
        return f"The user stopped the agent from {action}, then said: {quoted(words)}"
    return f"The user did not want the agent {action}. In their words: {quoted(words)}"
