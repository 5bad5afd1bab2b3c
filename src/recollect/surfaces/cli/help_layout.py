"""Layout of help texts: shared options last, colours only in a terminal."""

import os
import re
import sys
from collections.abc import Sequence
from typing import Any, Final

from recollect.surfaces.cli.options import NAMES
from recollect.vocabulary.lazy_patterns import lazy_pattern

_HEADING: Final = lazy_pattern(r"^(\S[^\n]*:)$", re.MULTILINE)
_TERM: Final = lazy_pattern(r"^(  )(-[^\n]*?|[a-z][a-z-]*)(?=  |$)", re.MULTILINE)


def write_options(parameters: Sequence[Any], ctx: Any, formatter: Any) -> None:
    """Write arguments, options and shared options, each under its heading."""
    sections: dict[str, list[tuple[str, str]]] = {
        "Arguments": [],
        "Options": [],
        "Global options": [],
    }
    for parameter in parameters:
        record = parameter.get_help_record(ctx)
        if record is None:
            continue
        if parameter.param_type_name == "argument":
            sections["Arguments"].append((parameter.metavar or parameter.name, record[1]))
        elif parameter.name in NAMES or parameter.name == "help":
            sections["Global options"].append(record)
        else:
            sections["Options"].append(record)
    for heading, records in sections.items():
        if records:
            with formatter.section(heading):
                formatter.write_dl(records, col_max=24)


def coloured(text: str) -> str:
    """The help with bold headings and coloured names, when shown in a terminal."""
    if not sys.stdout.isatty() or os.environ.get("NO_COLOR"):
        return text
    text = _HEADING.sub("\x1b[1m\\1\x1b[0m", text)
    return _TERM.sub("\\1\x1b[36m\\2\x1b[0m", text)
