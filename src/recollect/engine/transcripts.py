"""Re-exports the transcript readers, for surfaces that serve agents."""

from recollect.pages.formats.transcripts import acts_of
from recollect.pages.formats.transcripts.parts import (
    blocks,
    mapping,
    outcome,
    parsed,
    text_of,
    time_of,
    word,
)

__all__ = ["acts_of", "blocks", "mapping", "outcome", "parsed", "text_of", "time_of", "word"]
