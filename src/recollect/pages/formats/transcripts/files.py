"""Finds the transcript files under a path, with their formats, in order of time."""

import gzip
import json
import os
import re
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO, Final, NamedTuple, cast

from recollect.pages.formats.transcripts import claude_code, codex, plain
from recollect.pages.formats.transcripts.parts import time_of

_ENDINGS: Final = (".jsonl", ".jsonl.gz", ".ndjson", ".traj", ".traj.gz")
_GZIP: Final = b"\x1f\x8b"
_LOOKED_AT: Final = 40
_BLOCK: Final = 4 * 1024 * 1024
_FOLDER: Final = re.compile(rb'"cwd": ?"((?:[^"\\]|\\.)+)"')
_FOLDERS: Final = 10_000
_LINE: Final = 64 * 1024 * 1024


class TranscriptFile(NamedTuple):
    """One file, its format, and its start time."""

    path: Path
    format: str
    begins: str


def transcript_files(path: Path) -> list[TranscriptFile]:
    """The transcripts at a path, earliest first."""
    found = [recognised(file) for file in _candidates(path)]
    return sorted(
        (file for file in found if file is not None),
        key=lambda file: (file.begins, "subagents" in file.path.parts, str(file.path)),
    )


def recognised(path: Path) -> TranscriptFile | None:
    """Format of a file, from its first lines; None when it is no transcript."""
    if path.name.removesuffix(".gz").endswith(".traj"):
        return TranscriptFile(path, "swe-agent", "")
    begins, format = "", None
    try:
        with unpacked(path) as file:
            for _ in range(_LOOKED_AT):
                line = json_line(file.readline(_LINE))
                if line is None:
                    continue
                format = format or format_of(line)
                begins = begins or _beginning(line)
                if format and begins:
                    break
    except (OSError, EOFError, zlib.error):
        return None
    return TranscriptFile(path, format, begins) if format else None


def working_folders(file: TranscriptFile) -> set[str]:
    """Every working directory that a file names, so that roots are known before paths are read."""
    found: set[bytes] = set()
    with unpacked(file.path) as opened:
        while block := opened.read(_BLOCK):
            found.update(_FOLDER.findall(block + opened.readline(_LINE)))
    folders = (json_text(raw) for raw in sorted(found)[:_FOLDERS])
    return {folder for folder in folders if folder}


def json_text(raw: bytes) -> str:
    """Value of a text that contains JSON; nothing when it cannot be read."""
    try:
        return str(json.loads(b'"' + raw + b'"'))
    except (ValueError, RecursionError):
        return ""


def format_of(line: Mapping[str, Any]) -> str | None:
    """Format of a line."""
    kind = line.get("type")
    if isinstance(kind, str) and kind in codex.TYPES and "payload" in line:
        return "codex"
    if isinstance(kind, str) and kind in claude_code.TYPES and _is_claude(line):
        return "claude-code"
    if str(line.get("kind")) in plain.KINDS and "session" in line:
        return "acts"
    return None


def unpacked(path: Path) -> BinaryIO:
    """The bytes of a file, decompressed if it is gzipped."""
    with path.open("rb") as file:
        packed = file.read(2) == _GZIP
    return cast("BinaryIO", gzip.open(path, "rb")) if packed else path.open("rb")


def raw_offset(file: BinaryIO) -> int:
    """Number of bytes read of an open file as stored on disk; nothing once it is closed."""
    raw = getattr(file, "fileobj", file)
    return 0 if raw is None or raw.closed else int(raw.tell())


def json_line(raw: bytes) -> dict[str, Any] | None:
    """The object on a line; None when there is none."""
    try:
        found = json.loads(raw)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _is_claude(line: Mapping[str, Any]) -> bool:
    return any(name in line for name in ("sessionId", "leafUuid", "parentUuid", "messageId"))


def _beginning(line: Mapping[str, Any]) -> str:
    moment = time_of(line.get("timestamp") or line.get("time"))
    return moment.isoformat() if moment else ""


def _candidates(path: Path) -> Iterator[Path]:
    if path.is_file():
        yield path
        return
    for folder, folders, names in os.walk(path):
        folders[:] = sorted(name for name in folders if name not in {".git", "node_modules"})
        for name in sorted(names):
            if name.endswith(_ENDINGS):
                yield Path(folder) / name
