"""Imports rule files for agents (CLAUDE.md, AGENTS.md, ...) as typed memories, and exports
memories.

A rule is a bullet, a numbered list or a paragraph. Its digest identifies it, so that reading a file
twice adds nothing; a rule that was removed from its file is archived. Text exported by Recollect is
never imported again.
"""

import hashlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from recollect.context.fact_lines import marked
from recollect.context.memory_lookup import MemoryLookup, is_settled
from recollect.context.personal_memories import IN_REPOSITORIES
from recollect.context.prefetch import read_inside
from recollect.memories.drafts import draft_of
from recollect.memories.operations import MemoryKeeper
from recollect.memories.write_policy import AS_IT_IS
from recollect.recall.contradiction_marks import contradiction_marks
from recollect.storage.memories import reads
from recollect.trust.authorisation import authorise
from recollect.vocabulary.agents import TrustLevel
from recollect.vocabulary.audiences import Viewer
from recollect.vocabulary.clock import to_microseconds
from recollect.vocabulary.errors import NotFound
from recollect.vocabulary.linear_patterns import closed_replaced
from recollect.vocabulary.memory import Memory
from recollect.vocabulary.memory_types import MemoryType, Source
from recollect.vocabulary.own_wishes import is_one_persons_wish
from recollect.vocabulary.results import Filters
from recollect.vocabulary.spaces import Space

FILES: Final = (
    "CLAUDE.md",
    ".claude/CLAUDE.md",
    "CLAUDE.local.md",
    "AGENTS.md",
    ".cursorrules",
    ".windsurfrules",
    ".clinerules",
    ".github/copilot-instructions.md",
)
FOLDERS: Final = (".cursor/rules", ".claude/rules")
BEGIN: Final = "<!-- recollect: begin -->"
END: Final = "<!-- recollect: end -->"
_TAG: Final = "rules"
_HOPS: Final = 4
_LONGEST: Final = 200_000
_SHORTEST: Final = 8

_OURS: Final = re.compile(rf"{re.escape(BEGIN)}.*?{re.escape(END)}", re.DOTALL)
_COMMENT: Final = re.compile(r"<!--.*?-->", re.DOTALL)
_FRONT: Final = re.compile(r"\A---\n(.*?)\n---\n", re.DOTALL)
_GLOBS: Final = re.compile(r"^(?:globs|paths):\s*+(.+)$", re.MULTILINE)
_HEADING: Final = re.compile(r"^#{1,6}\s++(.*)$")
_BULLET: Final = re.compile(r"^(\s*+)[-*+]\s++(.*)$")
_NUMBER: Final = re.compile(r"^\s*+\d++[.)]\s++(.*)$")
_IMPORT: Final = re.compile(r"^@(\S+)$")
_KINDS: Final = (
    (
        MemoryType.GOTCHA,
        r"\b(?:never|do not|don'?t|avoid|must not|careful|beware|gotcha|watch out|pitfall"
        r"|caution)\b",
    ),
    (MemoryType.PREFERENCE, r"\b(?:prefer\w*|always use|instead of|style|naming|convention\w*)\b"),
    (MemoryType.REQUIREMENT, r"\b(?:must|required?|shall|needs? to|ensure|always|make sure)\b"),
    (MemoryType.DECISION, r"\b(?:we use|decided|chosen|chose|we keep|we build)\b"),
)
_RULES: Final = tuple((kind, re.compile(rule, re.IGNORECASE)) for kind, rule in _KINDS)
_EXPORTED: Final = (
    (MemoryType.PREFERENCE, "Preferences"),
    (MemoryType.REQUIREMENT, "Requirements"),
    (MemoryType.DECISION, "Decisions"),
    (MemoryType.GOTCHA, "Gotchas"),
    (MemoryType.ERROR_PATTERN, "Known errors"),
    (MemoryType.PATTERN, "Patterns"),
    (MemoryType.WORKFLOW_RECIPE, "How things are done"),
    (MemoryType.MODULE_INSIGHT, "Modules"),
    (MemoryType.FACT, "Facts"),
)


@dataclass(frozen=True, slots=True)
class FileRule:
    """One rule and its position in a file."""

    text: str
    heading: str
    file: str
    steps: tuple[str, ...] = ()

    @property
    def digest(self) -> str:
        """Hash of the words, independent of spacing and capitals."""
        plain = " ".join((self.heading, self.text, *self.steps)).lower().split()
        return hashlib.blake2b(" ".join(plain).encode(), digest_size=8).hexdigest()

    @property
    def kind(self) -> MemoryType:
        """Memory type, derived from the words of the rule."""
        if self.steps:
            return MemoryType.WORKFLOW_RECIPE
        return next((kind for kind, rule in _RULES if rule.search(self.text)), MemoryType.FACT)

    @property
    def content(self) -> str:
        """The rule, with its heading where that adds information."""
        said = self.text if not self.steps else f"{self.text} {_numbered(self.steps)}".strip()
        known = self.heading.lower() in said.lower()
        return said if known or not self.heading else f"{self.heading}: {said}"


@dataclass(frozen=True, slots=True)
class RulesReport:
    """Result of reading rule files."""

    files: tuple[str, ...]
    added: int
    already_there: int
    put_away: int
    memories: tuple[Memory, ...] = field(default=())


class RuleFiles:
    """Imports rules from files and exports memories as rules."""

    def __init__(self, keeper: MemoryKeeper, lookup: MemoryLookup) -> None:
        self._keeper = keeper
        self._lookup = lookup

    def read(
        self, viewer: Viewer, space: Space, root: Path, files: Sequence[str] = ()
    ) -> RulesReport:
        """Import every new rule, and archive rules that were removed from their file."""
        texts = found_files(root, files)
        if files and not texts:
            raise NotFound(f"None of {', '.join(files)} is a readable file in {root}.")
        rules: dict[str, FileRule] = {}
        for path, text in texts:
            for rule in parsed(text, path):
                rules.setdefault(rule.digest, rule)
        known = {_digest(memory): memory for memory in self._kept(viewer, space)}
        added = [
            self._keeper.path.create(viewer, space, draft_of(rule.content, _fields(rule)), AS_IT_IS)
            for digest, rule in rules.items()
            if digest not in known
        ]
        read = {path for path, _ in texts}
        gone = [
            memory
            for digest, memory in known.items()
            if digest not in rules and not memory.archived and _file(memory) in read
        ]
        for memory in gone:
            self._keeper.archive(viewer, space, memory.id)
        there = len(rules) - len(added)
        return RulesReport(
            tuple(path for path, _ in texts), len(added), there, len(gone), tuple(added)
        )

    def text(self, viewer: Viewer, space: Space, leave_out: str | None = None) -> str:
        """What people taught, confirmed or pinned, as Markdown between two markers. What was only
        learned from sessions is a guess until somebody has seen it; what is personal or on a
        private stream is no business of a repository's readers."""
        lines = [BEGIN, "## What is known of this project", ""]
        exported: list[tuple[str, list[Memory]]] = []
        for kind, title in _EXPORTED:
            found = self._lookup.leading((viewer, space), TrustLevel.CAUTIOUS, [kind], limit=60)
            kept = [
                one
                for one in found
                if is_settled(one)
                and _is_for_repositories(one)
                and (leave_out is None or _file(one) != leave_out)
            ]
            if kept:
                exported.append((title, kept))
        every = [one for _, kept in exported for one in kept]
        with self._lookup.database.reading() as transaction:
            access = authorise(transaction, viewer, space)
            marks = contradiction_marks(transaction, access, every, _is_for_repositories)
        for title, kept in exported:
            bullets = [marked(_bullet(one), marks.get(one.id, "")) for one in kept]
            lines += [f"### {title}", *bullets, ""]
        return "\n".join([*lines, END, ""])

    def _kept(self, viewer: Viewer, space: Space) -> list[Memory]:
        """Every rule ever imported, so that one that a person rejected is not imported again."""
        found: list[Memory] = []
        now = to_microseconds(self._lookup.clock())
        with self._lookup.database.reading() as transaction:
            access = authorise(transaction, viewer, space)
            for archived in (False, True):
                filters = Filters(tags=frozenset([_TAG]), archived=archived, superseded=True)
                found += reads.list_memories(
                    transaction, access, filters, now=now, before=None, limit=10_000
                )
        return found


def found_files(root: Path, files: Sequence[str] = ()) -> list[tuple[str, str]]:
    """Rule files of a project with their text; links that lead outside it are not followed."""
    named = list(files) or [
        *FILES,
        *(
            path.relative_to(root).as_posix()
            for folder in FOLDERS
            for path in sorted((root / folder).rglob("*.md*"))
        ),
    ]
    found: list[tuple[str, str]] = []
    for name in named:
        text = read_inside(root, name, _LONGEST)
        if text is not None:
            found.append((name, imported(root, text, (name,))))
    return found


def imported(root: Path, text: str, above: tuple[str, ...] = ()) -> str:
    """The text with each ``@path`` line replaced by the file it names; import cycles are broken."""
    lines: list[str] = []
    for line in text.split("\n"):
        match = _IMPORT.match(line.strip())
        if match is None:
            lines.append(line)
            continue
        path = match.group(1)
        if len(above) < _HOPS and path not in above:
            named = read_inside(root, path, _LONGEST)
            lines.append("" if named is None else imported(root, named, (*above, path)))
    return "\n".join(lines)


def parsed(text: str, file: str) -> Iterator[FileRule]:
    """The rules of a file, in order."""
    front = _FRONT.match(text)
    globs = _GLOBS.search(front.group(1)) if front else None
    scope = f" (for {globs.group(1).strip()})" if globs and globs.group(1).strip(" []\"'") else ""
    ours = closed_replaced(_OURS, "", text[front.end() :] if front else text, END)
    body = closed_replaced(_COMMENT, "", ours, "-->")
    for heading, words, steps in _blocks(body):
        plain = " ".join(words.split())
        if steps and len(steps) > 1:
            yield FileRule(plain.rstrip(":") or heading, heading, file, steps)
        elif len(plain) >= _SHORTEST:
            yield FileRule(f"{plain}{scope}", heading, file)


Block = tuple[str, str, tuple[str, ...]]


class _RuleParser:
    """Groups lines into blocks: text under its heading, and the steps of a list."""

    def __init__(self) -> None:
        self.heading = ""
        self._words: list[str] = []
        self._steps: list[str] = []

    def take(self, line: str, *, code: bool) -> Iterator[Block]:
        """Process one line; yields the block that the line ends."""
        plain = line.strip()
        if code:
            if plain:
                self._words.append(f"`{plain}`")
            return
        title, bullet, number = _HEADING.match(line), _BULLET.match(line), _NUMBER.match(line)
        if number:
            self._steps.append(number.group(1))
            return
        if title or not plain or (bullet and not bullet.group(1)):
            yield from self.end(whole=bool(title))
        if title:
            self.heading = title.group(1).rstrip().rstrip("#").rstrip()
        elif plain:
            self._words.append(bullet.group(2) if bullet else plain)

    def end(self, *, whole: bool) -> Iterator[Block]:
        """Yield the last block; a line that announces a list is kept with the list."""
        announces = self._words and not self._steps and self._words[-1].endswith(":")
        if (self._words or self._steps) and (whole or not announces):
            yield self.heading, " ".join(self._words), tuple(self._steps)
            self._words, self._steps = [], []


def _blocks(body: str) -> Iterator[Block]:
    """Headings with the bullets, numbered lists and paragraphs below them; code joins the block
    above it."""
    reading, fenced = _RuleParser(), False
    for line in body.split("\n"):
        if line.lstrip().startswith("```"):
            fenced = not fenced
        else:
            yield from reading.take(line, code=fenced)
    yield from reading.end(whole=True)


def merged(existing: str, block: str) -> str:
    """The file with the part between our markers replaced, and every other byte unchanged."""
    if END in existing and _OURS.search(existing, 0, existing.rindex(END) + len(END)):
        return _OURS.sub(lambda _: block.rstrip("\n"), existing, count=1)
    if not existing:
        return block
    return f"{existing}{'' if existing.endswith(chr(10)) else chr(10)}\n{block}"


def _fields(rule: FileRule) -> dict[str, Any]:
    extras: dict[str, Any] = {}
    if rule.steps:
        extras = {
            "task_pattern": rule.text[:500] or rule.heading or "as written",
            "steps": [
                {"order": order, "description": step} for order, step in enumerate(rule.steps, 1)
            ],
        }
    return {
        "type": rule.kind,
        "source": Source.USER_TAUGHT,
        "confidence": 0.9,
        "importance": 0.6,
        "tags": (_TAG, f"{_TAG}:{rule.file}"[:200], f"rule:{rule.digest}"),
        "extras": extras,
    }


def _digest(memory: Memory) -> str:
    return next((tag[5:] for tag in memory.tags if tag.startswith("rule:")), memory.id)


def _file(memory: Memory) -> str | None:
    return next((tag[6:] for tag in memory.tags if tag.startswith(f"{_TAG}:")), None)


def _numbered(steps: Sequence[str]) -> str:
    return " ".join(f"({order}) {step.strip()}" for order, step in enumerate(steps, 1))


def _is_for_repositories(memory: Memory) -> bool:
    return memory.audience.visibility in IN_REPOSITORIES and not is_one_persons_wish(memory)


def _bullet(memory: Memory) -> str:
    return f"- {' '.join(memory.content.split())}"
