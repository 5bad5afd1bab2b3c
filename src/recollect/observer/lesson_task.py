"""Two model tasks after a session: extract its lessons, and judge which findings last.

``lessons`` reads the session once and names what is worth knowing next time, each with the lines
that show it and a quotation. A lesson counts only when its quotation occurs word for word in a line
it cites, when the identifiers it names were named in the session, and when most of its words were.
``lasting`` decides whether findings of the rules will still hold on another day, and may add a
sentence. Without a model, or after a bad answer, the findings of the rules are kept unchanged.
"""

import re
from collections.abc import Callable, Sequence, Set
from dataclasses import dataclass, replace
from typing import Any, Final

from recollect.inference.json_answers import fitted
from recollect.inference.tasks import Task, Tasks
from recollect.observer.candidates import Candidate
from recollect.observer.diagnoses import names_in
from recollect.observer.material import ROOM, MaterialLine, numbered
from recollect.observer.names import words
from recollect.observer.observer import Report
from recollect.observer.phrases import digest, module_of, quoted
from recollect.observer.promotion import LEAST_CONFIDENCE
from recollect.observer.signals.wishes import type_of
from recollect.observer.taxonomy import Signal
from recollect.vocabulary.memory_types import MemoryType

MAX_LESSONS: Final = 12
CITED: Final = 8
SHORTEST, LONGEST = 20, 500
CONTEXT: Final = 200
QUOTE: Final = 8
SURE: Final = 0.9
#: Minimum share of a lesson's words that occur in the session, and in the lines it cites.
SAID: Final = 0.5
SHOWN: Final = 0.2
_SPACE: Final = re.compile(r"\s+")
_SPOKEN: Final = frozenset({Signal.REFUSAL, Signal.CORRECTION, Signal.DIAGNOSIS})
_TYPES: Final = frozenset(
    {
        MemoryType.PREFERENCE,
        MemoryType.DECISION,
        MemoryType.GOTCHA,
        MemoryType.REQUIREMENT,
        MemoryType.ERROR_PATTERN,
        MemoryType.DEAD_END,
        MemoryType.MODULE_INSIGHT,
    }
)

#: Function from a space id and a report to the lessons of the session.
Lessons = Callable[[str, Report], Sequence[Candidate]]


@dataclass(frozen=True, slots=True)
class SessionLines:
    """Session for a model to read, one numbered line per event."""

    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ReadLessons:
    """Lessons that a model found in a session; each item is checked separately."""

    lessons: tuple[Any, ...] = ()


@dataclass(frozen=True, slots=True)
class ReadLesson:
    """One lesson, the numbers of the lines that show it, and a quotation from one of them."""

    lesson: str
    records: tuple[int, ...]
    quote: str
    type: str = ""


@dataclass(frozen=True, slots=True)
class LastingQuestion:
    """Findings of the rules, one numbered line each."""

    findings: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class LastingAnswer:
    """A verdict on each finding."""

    verdicts: tuple[Any, ...] = ()


@dataclass(frozen=True, slots=True)
class LastingVerdict:
    """Whether one finding will hold on another day, and a sentence that names its subject."""

    number: int
    keep: bool
    context: str = ""


def _nothing(_: SessionLines) -> ReadLessons:
    return ReadLessons()


def _all_stay(_: LastingQuestion) -> LastingAnswer:
    return LastingAnswer()


LESSONS: Final = Task("lessons", ReadLessons, _nothing, tokens=3_000, longest=ROOM + 8_000)
LASTING: Final = Task("lasting", LastingAnswer, _all_stay, tokens=1_500, longest=ROOM)


def local_lessons(_: str, report: Report) -> list[Candidate]:
    """Findings of the rules."""
    return list(report.candidates)


def model_lessons(tasks: Tasks) -> Lessons:
    """Lessons by a model if it answers well, together with the findings of the rules."""

    def lessons(space_id: str, report: Report) -> list[Candidate]:
        if not report.material:
            return list(report.candidates)
        asked = SessionLines(numbered(report.material))
        answer = tasks.run(space_id, LESSONS, asked).value
        told = [one for one in map(_fitting, answer.lessons[: 3 * MAX_LESSONS]) if one is not None]
        merged = with_lessons(report, told)
        return _lasting(tasks, space_id, report, merged)

    return lessons


def with_lessons(report: Report, told: Sequence[ReadLesson]) -> list[Candidate]:
    """Checked lessons, then the remaining candidates of the rules. A lesson replaces the candidate
    that it is about and takes over its signal, key and files."""
    rules = list(report.candidates)
    read: list[Candidate] = []
    for one in told:
        if len(read) >= MAX_LESSONS:
            break
        found = _checked(one, report)
        if found is None:
            continue
        spoken = next((rule for rule in rules if _speaks_of(rule, found)), None)
        if spoken is not None:
            rules.remove(spoken)
            found = replace(found, signal=spoken.signal, key=spoken.key, files=spoken.files)
        read.append(found)
    shown = {event for one in read for event in one.events}
    return [*read, *(one for one in rules if one.signal not in _SPOKEN or not _all_in(one, shown))]


def _lasting(
    tasks: Tasks, space_id: str, report: Report, found: Sequence[Candidate]
) -> list[Candidate]:
    """Drop candidates that a model says will not last; those it does not mention are kept."""
    asked = [number for number, one in enumerate(found) if _is_asked(one)]
    if not asked:
        return list(found)
    lines = tuple(f"[{number}] {' '.join(found[number].content.split())[:700]}" for number in asked)
    answer = tasks.run(space_id, LASTING, LastingQuestion(lines)).value
    verdicts: dict[int, LastingVerdict] = {}
    for item in answer.verdicts:
        verdict = _verdict(item)
        if verdict is not None:
            verdicts.setdefault(verdict.number, verdict)
    kept: list[Candidate] = []
    for number, one in enumerate(found):
        verdict = verdicts.get(number) if number in asked else None
        if verdict is None:
            kept.append(one)
        elif verdict.keep:
            kept.append(_with_context(one, verdict.context, report))
    return kept


def _is_asked(one: Candidate) -> bool:
    """Whether a model is asked about the candidate: spoken or written statements of which the rules
    were not sure."""
    said = one.signal in _SPOKEN or one.signal is Signal.WRITTEN_RULE
    return said and LEAST_CONFIDENCE <= one.confidence < SURE


def _with_context(one: Candidate, context: str, report: Report) -> Candidate:
    plain = _plain(context)
    if not plain or len(plain) > CONTEXT or not _is_grounded(plain, report):
        return one
    return replace(one, content=f"{one.content} Context: {plain}")


def _fitting(item: Any) -> ReadLesson | None:
    try:
        return fitted(ReadLesson, item) if isinstance(item, dict) else None
    except ValueError:
        return None


def _verdict(item: Any) -> LastingVerdict | None:
    try:
        return fitted(LastingVerdict, item) if isinstance(item, dict) else None
    except ValueError:
        return None


def _checked(one: ReadLesson, report: Report) -> Candidate | None:
    """The lesson as a candidate; None if it states something that was not said."""
    lines = [report.material[at] for at in one.records if 0 <= at < len(report.material)]
    lesson, quote = _plain(one.lesson), _plain(one.quote).strip("“”\"'")
    source = next((line for line in lines if len(quote) >= QUOTE and quote in _plain(line.text)), 0)
    if not isinstance(source, MaterialLine) or not SHORTEST <= len(lesson) <= LONGEST:
        return None
    cited = list(dict.fromkeys([source, *lines]))[:CITED]
    if not _is_grounded(lesson, report) or _share(lesson, _words_of(cited)) < SHOWN:
        return None
    paths = tuple(path for path in _paths(report) if path in lesson)[:4]
    said = f"The {'user' if source.is_user else 'agent'}: " if source.who != "check" else ""
    return Candidate(
        signal=Signal.CORRECTION if source.is_user else Signal.DIAGNOSIS,
        key=digest(f"{source.event} {lesson}"),
        type=_type_of(one.type, lesson),
        content=lesson if quote in lesson else f"{lesson} {said}{quoted(quote)}",
        session=report.facts.session,
        step=source.step,
        files=paths,
        modules=tuple(dict.fromkeys(filter(None, map(module_of, paths)))),
        confidence=SURE,
        quote=quote,
        events=tuple(line.event for line in cited),
    )


def _is_grounded(text: str, report: Report) -> bool:
    """Whether the identifiers in a text were named in the session, and most of its words occur
    there."""
    said = "\n".join([*(_plain(line.text).lower() for line in report.material), *_paths(report)])
    named = all(name.lower() in said for name in names_in(text))
    return named and _share(text, _words_of(report.material)) >= SAID


def _share(text: str, said: Set[str]) -> float:
    wanted = {word for word in words(text) if len(word) > 3}
    return len(wanted & said) / max(1, len(wanted))


def _words_of(lines: Sequence[MaterialLine]) -> set[str]:
    return {word for line in lines for word in words(f"{line.who} {line.text}")}


def _paths(report: Report) -> list[str]:
    return [file.path for file in report.facts.files]


def _speaks_of(rule: Candidate, lesson: Candidate) -> bool:
    return rule.signal in _SPOKEN and rule.events[:1] == lesson.events[:1] != ()


def _all_in(rule: Candidate, shown: Set[str]) -> bool:
    return bool(rule.events) and rule.events[0] in shown


def _type_of(named: str, lesson: str) -> MemoryType:
    plain = named.strip().lower()
    return next((one for one in _TYPES if one.value == plain), type_of(lesson))


def _plain(text: str) -> str:
    return _SPACE.sub(" ", text).strip()
