"""Supported programming languages, by file extension."""

from pathlib import PurePosixPath
from typing import Final

from recollect.codegraph.languages.ecmascript import JAVASCRIPT, TSX, TYPESCRIPT
from recollect.codegraph.languages.families import C_SHARP, CPP, JAVA, PHP, RUBY, C
from recollect.codegraph.languages.go import GO
from recollect.codegraph.languages.language import Language
from recollect.codegraph.languages.python import PYTHON
from recollect.codegraph.languages.rust import RUST

LANGUAGES: Final[tuple[Language, ...]] = (
    PYTHON,
    TYPESCRIPT,
    TSX,
    JAVASCRIPT,
    GO,
    RUST,
    JAVA,
    C,
    CPP,
    C_SHARP,
    RUBY,
    PHP,
)

_BY_SUFFIX: Final = {suffix: one for one in LANGUAGES for suffix in one.suffixes}


def language_of(path: str) -> Language | None:
    """Language of a file, by its extension; None for prose, data, and unsupported languages."""
    return _BY_SUFFIX.get(PurePosixPath(path).suffix.lower())
