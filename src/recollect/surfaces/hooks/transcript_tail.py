"""Reads new lines of an agent's transcript for what hooks do not report.

That is: refusals, what the agent said on its way, and what its user typed meanwhile. Only lines
that may hold one of these are parsed as JSON. An unfinished line is left for the next read. A file
that became shorter was rewritten: it is read from its beginning, and the caller compares the times.
"""

import json
import stat
from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any, Final, NamedTuple

from recollect.engine.transcripts import (
    blocks,
    is_failure,
    is_rejection,
    mapping,
    outcome,
    text_of,
    time_of,
    word,
)
from recollect.vocabulary.acts import ActKind

_WANTED_TEXTS: Final = (b"The user doesn't want to", b'"assistant"', b"queue-operation")
MAX_BYTES: Final = 16_000_000
#: Maximum number of bytes read while a hook process waits.
MAX_BYTES_WHILE_WAITING: Final = 1_000_000


class TranscriptWords(NamedTuple):
    """Text from a transcript: a refusal with its call, an answer of the agent, or a prompt."""

    kind: ActKind
    words: str
    at: datetime | None
    call: str = ""
    #: Whether the program says that the user refused; otherwise only the text does.
    certain: bool = False


def tail(path: str, start: int, most: int = MAX_BYTES) -> tuple[int, list[TranscriptWords]]:
    """Text after a position of a transcript, and the position to continue from."""
    place = Path(path)
    try:
        known = place.stat()
        if place.suffix != ".jsonl" or not stat.S_ISREG(known.st_mode):
            return start, []
        if known.st_size < start:
            start = 0
        if known.st_size == start:
            return start, []
        with place.open("rb") as file:
            file.seek(start)
            data = file.read(most)
    except (OSError, ValueError):
        return start, []
    end = data.rfind(b"\n") + 1
    if not end and len(data) == most:  # a single line is longer than one read
        return start + len(data), []
    lines = (
        line for line in data[:end].split(b"\n") if any(wanted in line for wanted in _WANTED_TEXTS)
    )
    return start + end, [one for line in lines for one in _of(line)]


def _of(line: bytes) -> Iterator[TranscriptWords]:
    try:
        record = mapping(json.loads(line))
    except (ValueError, RecursionError):
        return
    at = time_of(record.get("timestamp"))
    kind = record.get("type")
    if kind == "queue-operation" and record.get("operation") == "enqueue":
        words = text_of(record.get("content")).strip()
        if words and not words.startswith("<"):
            yield TranscriptWords(ActKind.PROMPT, words, at)
    elif kind == "user":
        yield from _refused(record, at)
    elif (
        kind == "assistant"
        and not record.get("isSidechain")
        and not record.get("isApiErrorMessage")
    ):
        for block in blocks(mapping(record.get("message")).get("content")):
            text = text_of(block.get("text") or "") if block.get("type") == "text" else ""
            if text.strip():
                yield TranscriptWords(ActKind.ANSWER, text, at)


def _refused(record: Mapping[str, Any], at: datetime | None) -> Iterator[TranscriptWords]:
    for block in blocks(mapping(record.get("message")).get("content")):
        call, structured = word(block.get("tool_use_id")), record.get("toolUseResult")
        if block.get("type") != "tool_result" or not call or not is_failure(block, structured):
            continue
        kind, words = outcome(text_of(block.get("content")), failed=True)
        if kind is ActKind.REFUSAL:
            yield TranscriptWords(kind, words, at, call, is_rejection(structured))
