"""Context for planners and reviewers, and matching of notes to messages and failures by words."""

import re
from collections import Counter
from collections.abc import Sequence, Set
from typing import Final

from recollect.context.fact_lines import MARK, QUOTED, facts, joined
from recollect.context.memory_lookup import MemoryLookup
from recollect.observer.same_command import same_program
from recollect.observer.signals.turn_text import own_words
from recollect.observer.turn_words import is_go_ahead
from recollect.vocabulary.agents import TrustLevel
from recollect.vocabulary.audiences import Viewer
from recollect.vocabulary.memory import Memory
from recollect.vocabulary.memory_types import MemoryType
from recollect.vocabulary.phases import Phase
from recollect.vocabulary.spaces import Space

Who = tuple[Viewer, Space]

_PLAN: Final = (
    (MemoryType.TASK_CALIBRATION, 5, "How plans fared here"),
    (MemoryType.DEAD_END, 8, "What was tried here and given up"),
    (MemoryType.CAUSAL_DEPENDENCY, 10, "What has to change together"),
    (MemoryType.WORK_UNIT_OUTCOME, 5, "How earlier work ended"),
)
_QA: Final = (
    (MemoryType.E2E_OBSERVATION, 8, "What was seen of the application"),
    (MemoryType.ERROR_PATTERN, 8, "What broke here before"),
    (MemoryType.REQUIREMENT, 8, "What was asked for"),
)
#: Number of shared distinctive words above which a match is not chance.
_SHARED: Final = 2
#: Distinctive words that a note must share with a message; one more for a long message.
_ENOUGH: Final = 3
#: The same where many notes are known: there, three may be chance.
_ENOUGH_OF_MANY: Final = 4
_READ_ERROR: Final = 1_000  # characters
#: Characters read of a message, without what is pasted into it.
_READ_MESSAGE: Final = 680
_NUMBER: Final = re.compile(r"\d+")
#: Number of words from which an error message is telling as a whole.
_MESSAGE_WORDS: Final = 4
_LONG_MESSAGE: Final = 20
#: With more notes than this, a message with too few distinctive words matches none.
_LITTLE_KNOWN: Final = 20
#: A word found in more notes than this, and in more than this share of them, belongs to the
#: project's general vocabulary.
_FEW_NOTES: Final = 2
_COMMON_SHARE: Final = 0.08
_WORD: Final = re.compile(r"[^\W_][\w./-]{3,}")
_COMMON: Final = frozenset(
    "error failed exit code line file with from that this test should would could please there "
    "when have make need want does which about into change also then them they what like just some "
    "work user agent said their words changed upon stopped corrected agreed here were been being "
    "will your only over more than because since after before where while still used using session "
    "sessions earlier files tests check look sure think know other same different first last "
    "instead rather always never every during through once little each both either neither until "
    "again already really quite very much many most less least such another even ever often maybe "
    "perhaps well good better best great nice right wrong next thing things ways kind sort part "
    "text parts between against without within along around else something anything everything "
    "nothing someone somehow however though although anyway actually basically simply".split()
)
_COMPOUND: Final = re.compile(r"[A-Za-z]{3,30}(?:-[A-Za-z]{3,30}){1,3}")


def for_planner(
    lookup: MemoryLookup,
    who: Who,
    level: TrustLevel,
    task: str,
    modules: Sequence[str],
    *,
    unit_tags: Sequence[str] = (),
) -> tuple[str, list[Memory]]:
    """Calibrations, dead ends, couplings, outcomes and recipes; of the outcomes, first those of the
    unit of work, found by their tags."""
    sections = []
    for kind, limit, heading in _PLAN:
        found = lookup.leading(who, level, [kind], limit=limit, modules=modules)
        if kind is MemoryType.WORK_UNIT_OUTCOME and unit_tags:
            own = lookup.leading(who, level, [kind], limit=limit, tags=unit_tags)
            found = list({one.id: one for one in (*own, *found)}.values())[:limit]
        sections.append((f"{heading}:", found))
    recipes = lookup.asked(
        who, level, task, types=[MemoryType.WORKFLOW_RECIPE], phase=Phase.DEFINE, limit=2
    )
    sections.append(("How such tasks are done here:", recipes))
    return _under(f"{MARK} for planning ({QUOTED}).", sections, lookup, who)


def for_validation(
    lookup: MemoryLookup, who: Who, level: TrustLevel, task: str
) -> tuple[str, list[Memory]]:
    """Observations, errors and requirements; those that match the task come first."""
    sections = []
    for kind, limit, heading in _QA:
        near = lookup.asked(who, level, task, types=[kind], phase=Phase.VALIDATE, limit=limit)
        found = near or lookup.leading(who, level, [kind], limit=limit)
        sections.append((f"{heading}:", found))
    return _under(f"{MARK} for validation ({QUOTED}).", sections, lookup, who)


def bears_on(memory: Memory, command: str, error: str) -> bool:
    """Whether a stored failure is about this command or this error, by shared words."""
    known = memory.extras.get("command")
    if isinstance(known, str) and known and same_program(known, command):
        return True
    said = _words(f"{memory.content} {memory.extras.get('error', '')}")
    return len(said & _words(f"{command} {error[:1_000]}")) >= 3


def telling_of_failure(
    found: Sequence[Memory], error: str, known: Sequence[Memory]
) -> frozenset[str]:
    """Ids of the notes about this failure. They were made of the same message, or share distinctive
    words with it that are neither paths nor the project's general vocabulary (words that many known
    notes contain)."""
    counts = Counter(word for one in known for word in _words(one.content))
    most = max(_FEW_NOTES, _COMMON_SHARE * len(known))
    failed = {
        word
        for word in _words(error[:_READ_ERROR])
        if counts[word] <= most and not any(mark in word for mark in "./")
    }
    said = _without_numbers(error[:_READ_ERROR])
    return frozenset(
        one.id
        for one in found
        if _is_same_error(str(one.extras.get("error") or ""), said)
        or len(failed & _words(f"{one.content} {one.extras.get('error', '')}")) >= _ENOUGH
    )


def _is_same_error(noted: str, said: str) -> bool:
    """Whether a failure holds the message that a note was made of, whatever the numbers in it."""
    message = _without_numbers(noted)
    return len(message.split()) >= _MESSAGE_WORDS and message in said


def _without_numbers(text: str) -> str:
    return " ".join(_NUMBER.sub("#", text).lower().split())


def shares_words(memory: Memory, message: str) -> bool:
    """Whether a note and a message have the same subject: they share a file, a name of the code, or
    several distinctive words. One ordinary shared word may be chance."""
    noted = " ".join((memory.content, *memory.files, *memory.tags))
    if _names(noted) & _names(message):
        return True
    asked = _words(message)
    shared = asked & _words(noted)
    return len(shared) >= min(_SHARED, len(asked)) > 0


def bearing(found: Sequence[Memory], message: str, known: Sequence[Memory]) -> list[Memory]:
    """Notes on the subject of a message: they share a file, a name of the code, or several
    distinctive words. Words that many known notes contain are the project's general vocabulary and
    do not count; a message that only tells the agent to continue matches nothing."""
    if is_go_ahead(message):
        return []
    own = own_words(message, _READ_MESSAGE)
    counts = Counter(word for one in known for word in _noted(one))
    most = max(_FEW_NOTES, _COMMON_SHARE * len(known))
    named = {word for word in _telling_names(own) if counts[word] <= most}
    asked = {word for word in _words(own) if counts[word] <= most and not _is_document(word)}
    asked -= named
    enough = _ENOUGH if len(known) <= _LITTLE_KNOWN else _ENOUGH_OF_MANY
    wanted = min(2 * len(named) + len(asked), enough + (len(asked) > _LONG_MESSAGE))
    if not wanted or (wanted < enough and len(known) > _LITTLE_KNOWN):
        return []
    return [one for one in found if _shared(one, named, asked) >= wanted]


def _shared(memory: Memory, named: Set[str], asked: Set[str]) -> int:
    """Overlap of a note and a message; a shared name of the code counts as two words."""
    noted = _noted(memory)
    return 2 * len(named & noted) + len(asked & noted)


def _noted(memory: Memory) -> set[str]:
    text = " ".join((memory.content, *memory.files, *memory.tags))
    return _words(text) | _names(text)


def names_of(text: str) -> set[str]:
    """Names of files, without their folders, and of code in a text; not those of documents."""
    return {word.rpartition("/")[2] for word in _names(text) if not _is_document(word)}


def telling_words(text: str) -> set[str]:
    """Words of a text that are neither short nor common."""
    return {word.strip("./-") for word in _words(text)}


def _telling_names(text: str) -> set[str]:
    """Names of files and of code in a text, and compounds, which are a project's own words. The
    name of a document tells nothing: every project has one of that name."""
    compounds = {word.lower() for word in _WORD.findall(text) if _COMPOUND.fullmatch(word)}
    return {word for word in _names(text) | compounds if not _is_document(word)}


def _is_document(word: str) -> bool:
    return word.endswith((".md", ".txt"))


def _names(text: str) -> set[str]:
    """Names of files and of code in a text."""
    found = (word.strip("./-") for word in _WORD.findall(text))
    return {word.lower() for word in found if _is_name(word)}


def _is_name(word: str) -> bool:
    mixed = not word[1:].islower() and any(letter.islower() for letter in word)
    return any(mark in word for mark in "./_") or (mixed and word.isalpha() and len(word) > 1)


def _words(text: str) -> set[str]:
    return {word.lower() for word in _WORD.findall(text)} - _COMMON


def _under(
    title: str, sections: Sequence[tuple[str, list[Memory]]], lookup: MemoryLookup, who: Who
) -> tuple[str, list[Memory]]:
    """Sections of memories under a title, each with a heading; also returns those told."""
    marks = lookup.contradiction_marks(who, [one for _, found in sections for one in found])
    parts: list[str] = []
    told: list[Memory] = []
    for heading, found in sections:
        text, kept = facts(heading, found, limit=2_500, marks=marks)
        if kept:
            parts.append(text)
            told.extend(kept)
    return (joined([title, *parts]) if parts else ""), told
