"""Re-exports the transcript readers, for surfaces that serve agents."""

from recollect.pages.formats.transcripts import acts_of
from recollect.pages.formats.transcripts.parts import (
    blocks,
    is_failure,
    is_rejection,
    mapping,
    outcome,
    parsed,
    text_of,
    time_of,
    word,
)

__all__ = [
    "acts_of",
    "blocks",
    "is_failure",
    "is_rejection",
    "mapping",
    "outcome",
    "parsed",
    "text_of",
    "time_of",
    "word",
]
