"""Reader of transcripts of agent sessions: Claude Code, Codex, SWE-agent, and a plain format.

Each session becomes a stream and each act an event with its full text, in order of time. A line
that occurs twice is one event, and reading never fails, whatever JSON a file contains.
"""

import hashlib
import zlib
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any, Final

from recollect.pages.formats import (
    Position,
    Problems,
    Record,
    Reference,
    StreamProperties,
)
from recollect.pages.formats.transcripts.claude_code import ClaudeCode
from recollect.pages.formats.transcripts.codex import Codex
from recollect.pages.formats.transcripts.files import (
    TranscriptFile,
    json_line,
    raw_offset,
    transcript_files,
    unpacked,
    working_folders,
)
from recollect.pages.formats.transcripts.parts import BEGINNING, TranscriptAct, gated, time_of
from recollect.pages.formats.transcripts.plain import Plain
from recollect.pages.formats.transcripts.swe_agent import SweAgent, document_of
from recollect.vocabulary.acts import Act, ActKind
from recollect.vocabulary.clock import from_microseconds
from recollect.vocabulary.errors import ImportFailed
from recollect.vocabulary.events import TIME_UNKNOWN, EventKind
from recollect.vocabulary.paths import Roots
from recollect.vocabulary.streams import StreamKind

_LINE: Final = 64 * 1024 * 1024
_KINDS: Final = {
    ActKind.PROMPT: EventKind.MESSAGE,
    ActKind.ANSWER: EventKind.MESSAGE,
    ActKind.CORRECTION: EventKind.MESSAGE,
    ActKind.REASONING: EventKind.REASONING,
    ActKind.CALL: EventKind.TOOL_CALL,
    ActKind.RESULT: EventKind.TOOL_RESULT,
    ActKind.FAILURE: EventKind.TOOL_RESULT,
    ActKind.REFUSAL: EventKind.TOOL_RESULT,
}
_BY_USER: Final = frozenset({ActKind.PROMPT, ActKind.CORRECTION, ActKind.REFUSAL})


class Transcripts:
    """All transcripts at a path, read once."""

    format = "transcripts"

    def __init__(self, path: Path, files: list[TranscriptFile] | None = None) -> None:
        self.name = path.name
        self._files = transcript_files(path) if files is None else files
        self.total = sum(file.path.stat().st_size for file in self._files)
        self.taken = 0
        self._passed = 0  # bytes of the files that were read to their end
        self._reading: Any = None
        self._line = 0
        self._digest = hashlib.blake2b(digest_size=12)
        self._agents: dict[str, str] = {}
        self._odd_times: set[str] = set()
        self._written: datetime | None = None
        first = self._files[0] if self._files else None
        self.fingerprint = _fingerprint(path, first)

    def close(self) -> None:
        """Do nothing: files are open only while they are read."""

    @property
    def done(self) -> int:
        """Bytes read of the files as stored on disk."""
        return self._passed + (raw_offset(self._reading) if self._reading is not None else 0)

    def stream_properties(self, stream: str) -> StreamProperties:
        """A session of an agent."""
        return StreamProperties(stream, StreamKind.SESSION)

    def continues(self, position: Position) -> bool:
        """Whether everything up to the position is unchanged."""
        digest, left = hashlib.blake2b(digest_size=12), int(position["after"])
        try:
            for file in self._files:
                with unpacked(file.path) as opened:
                    for raw in iter(partial(opened.readline, _LINE), b""):
                        if left <= 0:
                            break
                        digest.update(raw)
                        left -= len(raw)
        except (OSError, EOFError, zlib.error):
            return False
        return left == 0 and digest.hexdigest() == position["before"]

    def position(self) -> Position | None:
        """Number of bytes read of all files together, and a digest of them."""
        return {"after": self.taken, "before": self._digest.hexdigest()}

    def records(self, position: Position | None, problems: Problems) -> Iterator[Record]:
        """Records of the acts after the position; earlier acts are read for context only."""
        after = int(position["after"]) if position else 0
        for transcript_act in self.read_acts(problems):
            if self.taken > after:
                yield self._record(transcript_act)

    def read_acts(self, problems: Problems | None = None) -> Iterator[TranscriptAct]:
        """Every act with its full text."""
        problems = problems or Problems()
        roots: dict[Path, Roots] = {}
        readers: dict[Path, ClaudeCode] = {}
        for file in self._files:
            shared = roots.setdefault(_project(file), Roots())
            for working in sorted(_folders(file), key=len):
                shared.add(working)
        for file in self._files:
            folder = _project(file)
            shared = roots[folder]
            if file.format == "claude-code":
                reader: Any = readers.setdefault(folder, ClaudeCode(shared))
            else:
                reader = _reader(file, shared)
            try:
                yield from self._read(file, reader, problems)
            except (OSError, EOFError, zlib.error) as error:
                raise ImportFailed(f"The file {file.path.name} cannot be read: {error}.") from error
            self._passed += file.path.stat().st_size

    def _read(
        self, file: TranscriptFile, reader: Any, problems: Problems
    ) -> Iterator[TranscriptAct]:
        with unpacked(file.path) as opened:
            self._reading = opened
            self._written = from_microseconds(file.path.stat().st_mtime_ns // 1_000)
            if file.format == "swe-agent":
                raw = opened.read()
                self._take(raw)
                document = document_of(raw.decode("utf-8", "replace"))
                if not document:
                    problems.add(file.path.name, "not a trajectory")
                for transcript_act in reader.read_acts(document):
                    self._agents[transcript_act.act.session] = file.format
                    yield transcript_act
                return
            for number, raw in enumerate(iter(partial(opened.readline, _LINE), b""), 1):
                self._take(raw)
                if not raw.strip():
                    continue
                line = json_line(raw)
                if line is None:
                    problems.add(f"{file.path.name} line {number:,}", "not a JSON object")
                    continue
                yield from self._acts_of_line(
                    file, reader, line, f"{file.path.name} line {number:,}", problems
                )

    def _acts_of_line(
        self, file: TranscriptFile, reader: Any, line: Any, place: str, problems: Problems
    ) -> Iterator[TranscriptAct]:
        """Acts of a line; an act of unknown kind is left out, and an unreadable time is counted."""
        if not reader.knows(line):
            problems.add(place, f"not a line of {file.format}")
            return
        time = line.get("timestamp", line.get("time"))
        unreadable = time is not None and time_of(time) is None
        for transcript_act in reader.read_acts(line):
            self._agents.setdefault(transcript_act.act.session, file.format)
            if unreadable:
                problems.add_without_time(place, f"{str(time)[:40]!r} is not a time")
                unreadable = False
                self._odd_times.add(transcript_act.name)
            yield transcript_act

    def _take(self, raw: bytes) -> None:
        self.taken += len(raw)
        self._digest.update(raw)

    def _record(self, transcript_act: TranscriptAct) -> Record:
        act = transcript_act.act
        agent = self._agents.get(act.session, "agent")
        payload, odd = payload_of(act), transcript_act.name in self._odd_times
        if odd:
            self._odd_times.discard(transcript_act.name)
            payload[TIME_UNKNOWN] = True
        return Record(
            text=transcript_act.whole,
            kind=_KINDS.get(act.kind, EventKind.SYSTEM),
            author="user" if act.kind in _BY_USER else agent,
            occurred_at=None if act.at == BEGINNING else act.at,
            payload=payload,
            external_id=transcript_act.name,
            stream=f"{agent} {act.session}"[:200],
            place=transcript_act.name,
            after=self.taken,
            answers=None
            if transcript_act.answers is None
            else Reference(*_known(transcript_act.answers)),
            assumed_at=self._written if odd else None,
        )


def acts_of(path: Path) -> Iterator[Act]:
    """Every act of the transcripts at a path, in order, with the name of its record."""
    for transcript_act in Transcripts(path).read_acts():
        yield replace(gated(transcript_act), event=transcript_act.name)


def payload_of(act: Act) -> dict[str, Any]:
    """Payload of an act's event: the act without its text."""
    origin = act.origin_mark if act.outside and act.origin_mark else act.origin.value
    kept: dict[str, Any] = {"act": act.kind.value, "step": act.step, "origin": origin}
    if act.tool:
        kept["tool"] = act.tool
    if act.call:
        kept["call"] = act.call
    if act.arguments:
        kept["arguments"] = dict(act.arguments)
    if act.paths:
        kept["paths"] = list(act.paths)
    if act.agent:
        kept["agent"] = act.agent
    return kept


def _known(answers: tuple[str, Any]) -> tuple[str, Any]:
    name, at = answers
    return name, None if at == BEGINNING else at


def _folders(file: TranscriptFile) -> set[str]:
    if file.format not in ("claude-code", "acts"):
        return set()
    try:
        return working_folders(file)
    except (OSError, EOFError, zlib.error) as error:
        raise ImportFailed(f"The file {file.path.name} cannot be read: {error}.") from error


def _reader(file: TranscriptFile, roots: Roots) -> Any:
    stem = file.path.name.removesuffix(".gz")
    stem = stem.rsplit(".", 1)[0][:150] or "session"
    if file.format == "codex":
        return Codex(Roots(), stem)
    if file.format == "swe-agent":
        return SweAgent(Roots(), stem)
    return Plain(roots)


def _project(file: TranscriptFile) -> Path:
    """Folder of the sessions of one repository; sub-agents belong to their session's folder."""
    folder = file.path.parent
    return folder.parent.parent if folder.name == "subagents" else folder


def _fingerprint(path: Path, first: TranscriptFile | None) -> str:
    """Identity of a folder or file of transcripts: its first line."""
    if first is None:
        return hashlib.blake2b(path.name.encode("utf-8", "replace"), digest_size=10).hexdigest()
    try:
        with unpacked(first.path) as opened:
            line = opened.readline(_LINE)
    except (OSError, EOFError, zlib.error) as error:
        raise ImportFailed(f"The file {first.path.name} cannot be read: {error}.") from error
    return hashlib.blake2b(line, digest_size=10).hexdigest()
