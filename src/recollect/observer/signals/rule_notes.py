"""Detects additions to a project's own notes for agents: lessons kept word for word.

Rule files for agents, memory files and lists of known limits are where people and agents write what
should be known next time. Additions to them are kept as written.
"""

import re
from collections.abc import Iterable, Sequence
from typing import Any, Final

from recollect.observer.candidates import Candidate
from recollect.observer.history import EDITING
from recollect.observer.material import MaterialLine
from recollect.observer.names import base
from recollect.observer.phrases import digest, module_of, quoted
from recollect.observer.scratchpad import Scratchpad
from recollect.observer.taxonomy import Signal
from recollect.vocabulary.acts import Act, ActKind
from recollect.vocabulary.memory_types import MemoryType

KEPT: Final = 40
#: Confidence of what people write into their rules, the best of all that sessions teach.
SURE: Final = 0.9
LINES: Final = 12
_NOTES: Final = re.compile(
    r"^(?:CLAUDE(?:\.local)?|AGENTS?|GEMINI|MEMORY|LEARNINGS?|LESSONS?|CONVENTIONS|CONTRIBUTING|"
    r"copilot-instructions|(?:CODE[_-]?)?STYLE(?:[_-]?GUIDE)?|GUIDELINES|"
    r"KNOWN[_-](?:LIMITATIONS|ISSUES))\.md$|^\.(?:learnings|cursorrules|windsurfrules)",
    re.I,
)
_FOLDER: Final = re.compile(r"(?:^|/)\.(?:learnings|cursor/rules|claude/rules)/")
_MARKS: Final = re.compile(r"^[\s#>*-]+|[*_]{2}")
#: Line of a drawn tree, a table or data, which shows structure and is no rule.
_DRAWN: Final = re.compile(r"\s*(?:[│├└┌┐┘|+]|[{}\[\]]\s*,?$|\"[\w-]{1,40}\"\s*:)")
#: A line of code, or of its comments, which is no rule in words.
_CODE: Final = re.compile(r"^//|[{}]\s*$|\S\s+//\s|:=|^[})\]];?$")
#: Beginning of an item of a list, and of a text that is whole although it begins small.
_ITEM: Final = re.compile(r"\s*(?:[-*+>]|\d{1,2}[.)])\s")
_BEGINS: Final = re.compile(r"[a-z]\w*(?:[._/:(-]\w|[A-Z])|(?:use|run|never|always|do|don't|no)\b")
#: Number of a list item that was cut off.
_NUMBER: Final = re.compile(r"\s\d{1,2}\.$")
_LEAST_CHARACTERS: Final = 25
_LONGEST: Final = 700
_LONGEST_ABOVE: Final = 120
_SHORT_FILE: Final = 1_500


class RuleNotes:
    """Detects edits of files that tell agents how to work."""

    name = "rule_notes"
    hears = (ActKind.PROMPT, ActKind.CALL, ActKind.REFUSAL, ActKind.FAILURE)

    def __init__(self) -> None:
        self._found: list[dict[str, Any]] = []
        self._asked: str | None = None

    def hear(self, act: Act, pad: Scratchpad) -> None:
        """Record an addition to such a file; an edit that was refused or failed is removed
        again."""
        if act.kind is ActKind.PROMPT:
            self._asked = act.event if act.agent is None else self._asked
            return
        if act.kind is not ActKind.CALL:
            self._found = [one for one in self._found if one["call"] != act.call or not act.call]
            return
        path = act.paths[0] if act.paths else ""
        if act.tool not in EDITING or not is_rule_note(path) or len(self._found) >= KEPT:
            return
        text = added(act.arguments)
        if len(text) >= _LEAST_CHARACTERS:
            note = {"call": act.call, "path": path, "text": text}
            events = [event for event in (self._asked, act.event) if event]
            self._found.append({**note, "step": act.step, "events": events})

    def gather(self, pad: Scratchpad) -> Iterable[Candidate]:
        """Each addition, quoted; it cites the turn that led to it, then the edit."""
        for (path, _), notes in self._together().items():
            text = _whole_sentences(" ".join(str(one["text"]) for one in notes))
            yield Candidate(
                signal=Signal.WRITTEN_RULE,
                key=digest(str(notes[0]["text"])),
                type=MemoryType.REQUIREMENT,
                content=f"{quoted(text)}\nWritten into `{path}`.",
                session=pad.session,
                step=int(notes[0]["step"]),
                files=(path,),
                modules=tuple(filter(None, [module_of(path)])),
                confidence=SURE,
                events=tuple(dict.fromkeys(event for one in notes for event in one["events"])),
            )

    def _together(self) -> dict[tuple[str, str], list[dict[str, Any]]]:
        """Group additions to a file in the same turn into one note."""
        found: dict[tuple[str, str], list[dict[str, Any]]] = {}
        for one in self._found:
            asked = str(one["events"][0]) if one["events"] else str(one["step"])
            found.setdefault((str(one["path"]), asked), []).append(one)
        return found

    def lines(self, pad: Scratchpad) -> Iterable[MaterialLine]:
        """Additions, as lines for a model."""
        for one in self._found:
            if one["events"] and pad.tainted(int(one["step"])) is None:
                who = f"written into {one['path']}"
                yield MaterialLine(int(one["step"]), one["events"][-1], who, str(one["text"]))

    def state(self) -> Any:
        """The additions."""
        return [self._found, self._asked]

    def resume(self, state: Any) -> None:
        """Restore saved state, also of an older checkpoint without the turn that led to a note."""
        newer = len(state) == 2 and isinstance(state[0], list)
        found, self._asked = state if newer else (state, None)
        self._found = [_with_events(one) for one in found]


def _with_events(note: dict[str, Any]) -> dict[str, Any]:
    """A note with the events it cites; an older checkpoint names one event."""
    if "events" in note:
        return note
    return {**note, "events": [note["event"]] if note.get("event") else []}


def is_rule_note(path: str) -> bool:
    """Whether a file tells agents, or later readers, how to work here."""
    return _NOTES.match(base(path)) is not None or _FOLDER.search(path) is not None


def added(arguments: Any) -> str:
    """Lines that an edit adds, joined into one; of a file written from scratch only if it is a
    short note, since a long one describes the project."""
    new, old = arguments.get("new_string"), arguments.get("old_string")
    whole = arguments.get("content")
    if isinstance(whole, str) and len(whole) <= _SHORT_FILE:
        new = whole
    if not isinstance(new, str):
        return ""
    before = set(old.splitlines()) if isinstance(old, str) else set()
    every = [line for line in new[:4_000].splitlines() if not _DRAWN.match(line)]
    lines = [line for line in every if line.strip() and line not in before][:LINES]
    text = _joined([line for line in every if line in lines or not line.strip() or "```" in line])
    above = _above([line for line in every if line.strip()], lines[0]) if lines else ""
    whole = f"{above}: {text}" if above and text else _from_a_sentence(text)
    return _whole_sentences(whole)


def _joined(lines: Sequence[str]) -> str:
    """Lines as one text: headings and items apart from each other, wrapped lines together; of
    examples in code only commands, as code."""
    told, apart, itemised, fenced, code = "", True, False, False, False
    for line in lines:
        plain = _MARKS.sub("", line).strip()
        if "```" in line or not plain:
            fenced = fenced != ("```" in line)
            apart = True
            continue
        if _CODE.search(plain):
            continue
        plain = f"`{plain}`" if fenced and "`" not in plain else plain
        item = _ITEM.match(line) is not None
        mark = ";" if told and itemised and (item or apart) and told[-1] not in ".:;!?," else ""
        mark = mark or ("." if code and not fenced else "")
        told = f"{told}{mark} {plain}" if told else plain
        heading = line.lstrip().startswith("#") and not fenced
        told += ":" if heading and plain[-1] not in ".:;!?," else ""
        apart, itemised, code = False, item or (itemised and not apart), fenced
    return told


def _from_a_sentence(text: str) -> str:
    """A text from its first whole sentence: what begins within one is left out."""
    if not text[:1].islower() or _BEGINS.match(text):
        return text
    begun = re.search(r"(?<=[.!?]) +(?=[A-Z`\"])", text)
    return text[begun.end() :] if begun else text


def _whole_sentences(text: str) -> str:
    """A text that is not too long: up to its last sentence or item that fits whole, or its last
    word."""
    if len(text) <= _LONGEST:
        return text
    fits = text[: _LONGEST + 1]
    end = max(fits.rfind(mark) + 1 for mark in (". ", "; ", "! ", "? "))
    whole = _NUMBER.sub("", fits[:end].strip()).rstrip(";")
    return whole if end > _LONGEST // 4 else fits.rpartition(" ")[0] + " \u2026"


def _above(every: Sequence[str], first: str) -> str:
    """Heading or opening line that the first added line stands under; empty if that says nothing,
    or if the line is a heading itself."""
    if first.lstrip().startswith("#"):
        return ""
    for line in reversed(every[: every.index(first)]):
        depth = len(line) - len(line.lstrip())
        opens = line.startswith(("#", "**")) or line.rstrip().endswith((":", ":**"))
        if opens or depth < len(first) - len(first.lstrip()):
            told = _MARKS.sub("", line).strip(" :*")
            return told if len(told.split()) > 1 and len(told) <= _LONGEST_ABOVE else ""
    return ""
