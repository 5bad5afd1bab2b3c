"""What a commit's message itself states as lasting: its breaking changes and its labelled lines.

Only explicit forms count: ``BREAKING CHANGE:``, the ``!`` of Conventional Commits, and labels such
as ``Decision:``, ``Constraint:``, ``Rejected:`` or ``Gotcha:`` at the start of a paragraph or among
the trailers. Prose beyond that tells of one change, and is left out.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from recollect.observer.phrases import digest, shortened
from recollect.vocabulary.memory_types import MemoryType

LONGEST: Final = 1_000
_SUBJECT: Final = 200
_LEAST_WORDS: Final = 3
_MESSAGE: Final = 20_000
_T: Final = MemoryType
#: Types of the labels, which are compared without case, and with hyphens for spaces.
_LABELS: Final = {
    "breaking-change": _T.DECISION,
    "decision": _T.DECISION,
    "constraint": _T.REQUIREMENT,
    "invariant": _T.REQUIREMENT,
    "directive": _T.REQUIREMENT,
    "rejected": _T.DEAD_END,
    "rejected-alternative": _T.DEAD_END,
    "dead-end": _T.DEAD_END,
    "lesson": _T.GOTCHA,
    "lesson-learned": _T.GOTCHA,
    "gotcha": _T.GOTCHA,
    "pitfall": _T.GOTCHA,
    "caveat": _T.GOTCHA,
    "remember": _T.GOTCHA,
    "note-to-agents": _T.GOTCHA,
    "note-to-self": _T.GOTCHA,
}
_BREAKING: Final = "BREAKING CHANGE"
#: A line that begins with a label or with the name of a trailer.
_LABELLED: Final = re.compile(
    r"(BREAKING[ -]CHANGE|[A-Z][\w-]{1,30}(?: [a-z]\w{1,15}){0,2}): +(\S.*)"
)
_CONVENTIONAL: Final = re.compile(r"[a-z]\w{0,20}(?:\([^()\n]{1,60}\))?(!?): +(\S.*)")
#: Subjects of commits that state nothing themselves.
_OF_OTHERS: Final = re.compile(r"(?:Revert\b|revert:|Merge\b|fixup!|squash!|amend!)")
_NOTHING: Final = re.compile(
    r"(?:none|no|nothing|n/?a|not applicable|tbd|todo|-+)\b[^a-z]{0,3}$|no breaking change", re.I
)
_REFERENCE: Final = re.compile(
    r"(?:see|cf\.?|fixes|closes|refs?)?:?\s*(?:#\d+|https?://\S+)\.?", re.I
)
#: Words of what holds until something that is about to happen.
_OF_THE_MOMENT: Final = re.compile(
    r"\b(?:until|for now|not yet|next (?:commit|change|step|task)|next(?=[;,.])|temporar(?:y|ily)|"
    r"this (?:commit|change|PR|patch|branch|task)|follow-?up|later commit)\b",
    re.I,
)
#: Words of a subject that says what is gone or new for those who use it.
_TAKES_AWAY: Final = re.compile(
    r"\b(?:drop|remove|delete|rename|require|replace|disable|forbid|refuse|no longer|instead of|"
    r"end of|discontinue|switch (?:to|from))",
    re.I,
)
#: A line's end that somebody wrote as two characters in front of the next label.
_ESCAPED_LINE: Final = re.compile(r"(?:\\n){1,4}(?=BREAKING[ -]CHANGE: |[A-Z][\w-]{1,30}: )")
_FENCE: Final = re.compile(r"(?:```|~~~)")
_WORD: Final = re.compile(r"[^\W\d_]{2,}")
_REVERTED: Final = re.compile(r"^This reverts commit ([0-9a-f]{7,40})\b", re.M)


@dataclass(frozen=True, slots=True)
class CommitStatement:
    """One lasting statement of a commit's message, in its own words."""

    label: str
    type: MemoryType
    words: str
    subject: str
    #: Whether it may hold for the moment only, or say too little: a person decides.
    unsure: bool = False

    @property
    def content(self) -> str:
        """Text of its memory."""
        told = f"{self.label}: {self.words}"
        return told if self.words in self.subject else f"{told}\nCommit: “{self.subject}”"

    @property
    def key(self) -> str:
        """The same for the same statement in any commit: a message survives a rebase."""
        return digest(f"{self.type.value} {self.words.lower()}")


def subject_of(message: str) -> str:
    """First line of a message."""
    return message.strip().partition("\n")[0].strip()


def statements_in(message: str) -> list[CommitStatement]:
    """The lasting statements of a message, each once."""
    message = _ESCAPED_LINE.sub("\n", message[:_MESSAGE]).strip()
    subject = subject_of(message)
    if not subject or _OF_OTHERS.match(subject):
        return []
    short = shortened(subject, _SUBJECT)
    found = [
        CommitStatement(label, kind, words, short, _OF_THE_MOMENT.search(words) is not None)
        for label, kind, words in _labelled(message.partition("\n")[2])
        if _says_something(words)
    ]
    header = _CONVENTIONAL.match(subject)
    broken = any(one.label == _BREAKING.capitalize() for one in found)
    if header is not None and header[1] and not broken and _says_something(header[2]):
        words = header[2].strip()
        unsure = _TAKES_AWAY.search(words) is None
        found.append(CommitStatement(_BREAKING.capitalize(), _T.DECISION, words, short, unsure))
    return list({one.key: one for one in found}.values())


def reverted_in(message: str) -> tuple[str, ...]:
    """Hashes of the commits that a message says it reverts."""
    return tuple(_REVERTED.findall(message[:_MESSAGE]))


def _labelled(body: str) -> Iterator[tuple[str, MemoryType, str]]:
    """Labelled lines of a body, each with the lines that continue it."""
    lines, place, fenced, before = body.splitlines(), 0, False, ""
    while place < len(lines):
        line = lines[place].rstrip()
        place += 1
        fenced ^= _FENCE.match(line) is not None
        match = None if fenced else _LABELLED.match(line)
        starts = not before or _LABELLED.match(before) is not None
        before = line
        if match is None:
            continue
        name = match[1].lower().replace(" ", "-")
        kind = _LABELS.get(name)
        breaking = match[1].upper() == match[1] and name == "breaking-change"
        if kind is None or not (breaking or (starts and name != "breaking-change")):
            continue
        more = []
        while place < len(lines) and _continues(lines[place]):
            more.append(lines[place].strip())
            place += 1
        before = line
        words = " ".join([match[2].strip(), *more])
        yield match[1].capitalize(), kind, shortened(words, LONGEST)


def _continues(line: str) -> bool:
    """Whether a line goes on with the one before: wrapped, or indented as in a trailer."""
    return bool(line.strip()) and _LABELLED.match(line) is None and _FENCE.match(line) is None


def _says_something(words: str) -> bool:
    """Whether words state anything by themselves."""
    if _NOTHING.match(words) or _REFERENCE.fullmatch(words.strip()):
        return False
    return len(_WORD.findall(words)) >= _LEAST_WORDS
