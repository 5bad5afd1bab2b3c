"""SQL condition for texts that contain source code.

It looks for the marks that people and programs put around code, and for typical line endings of
code. Plain patterns, so both dialects give the same answer.
"""

from typing import Any, Final

from sqlalchemy import ColumnElement, not_, or_

#: A fence, a span in backquotes, code tags of wikis and HTML, and typical line endings of code.
MARKS: Final = (
    *("%```%", "%~~~%", "%`_%`%", "%{{{%"),
    *("%;\n%", "%{\n%", "%):\n%"),
)
TAGS: Final = ("%<code%", "%<pre%")


def holds_code(text: ColumnElement[Any], wanted: bool) -> ColumnElement[bool]:
    """Whether a column's text contains code; with ``wanted`` false, whether it contains none."""
    held = or_(*(text.like(mark) for mark in MARKS), *(text.ilike(tag) for tag in TAGS))
    return held if wanted else not_(held)
