"""Benchmark of the observer on a folder of transcripts: files foreseen, refusals caught, speed."""

from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

from recollect.engine.for_surfaces import (
    commits_of,
    lesson_figures,
    lessons_of,
    scored,
    sessions_of,
)
from recollect.engine.transcripts import acts_of, time_of
from recollect.vocabulary.clock import parse_time
from recollect.vocabulary.errors import InvalidInput

Advance = Callable[[int, int | None, str], None]


def measured(
    data: Path, after: str | None, advance: Advance, lessons: Path | None = None
) -> dict[str, Any]:
    """Figures of the sessions that begin after a time; earlier sessions are the past.

    With lessons that readers wrote for some of the sessions, also how many of these are learned.
    """
    if not data.exists():
        raise InvalidInput(f"There is no folder {str(data)!r}.")
    moment: datetime | None = None
    if after is not None:  # without a time zone it is UTC, as in transcripts
        moment = time_of(after) or parse_time(after, "time")
    gold = None if lessons is None else lessons_of(lessons)
    sessions = sessions_of(acts_of(data))
    if not sessions:
        raise InvalidInput(
            f"{str(data)!r} holds no sessions.", hint="Transcripts are files ending in .jsonl."
        )
    figures = scored(sessions, commits_of(data), moment, advance)
    if gold is not None:
        figures["lessons"] = lesson_figures(sessions, gold)
    return figures
