"""Refusals out of a transcript: not every refusal comes by a hook, and none should be missed.

Only lines that hold the harness's words for a refusal are read as JSON. A line that is still being
written is left for the next time.
"""

import json
import stat
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Final, NamedTuple

from recollect.engine.transcripts import (
    blocks,
    mapping,
    outcome,
    text_of,
    time_of,
    word,
)
from recollect.vocabulary.acts import ActKind

_SIGN: Final = b"The user doesn't want to"
_MOST: Final = 16_000_000


class Refusal(NamedTuple):
    """A call that the user did not let run, and what they said."""

    call: str
    words: str
    at: datetime | None


def refusals(path: str, start: int) -> tuple[int, list[Refusal]]:
    """The refusals after a place of a transcript, and the place to read on from."""
    place = Path(path)
    try:
        known = place.stat()
        if place.suffix != ".jsonl" or not stat.S_ISREG(known.st_mode) or known.st_size <= start:
            return start, []
        with place.open("rb") as file:
            file.seek(start)
            data = file.read(_MOST)
    except (OSError, ValueError):
        return start, []
    end = data.rfind(b"\n") + 1
    found = [one for line in data[:end].split(b"\n") if _SIGN in line for one in _of(line)]
    return start + end, found


def _of(line: bytes) -> Iterator[Refusal]:
    try:
        told = mapping(json.loads(line))
    except (ValueError, RecursionError):
        return
    if told.get("type") != "user":
        return
    for block in blocks(mapping(told.get("message")).get("content")):
        call = word(block.get("tool_use_id"))
        kind, words = outcome(text_of(block.get("content")), failed=True)
        if block.get("type") == "tool_result" and call and kind is ActKind.REFUSAL:
            yield Refusal(call, words, time_of(told.get("timestamp")))
