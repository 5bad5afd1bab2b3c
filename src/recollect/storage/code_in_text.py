"""Whether a text holds code, asked of the database: by the marks that people and programs put
around code, and by how lines of code end. Plain patterns, so both dialects give one answer.
"""

from typing import Any, Final

from sqlalchemy import ColumnElement, not_, or_

#: A fence, a span between back-quotes, the tags of wikis and pages, and ends of lines of code.
MARKS: Final = (
    *("%```%", "%~~~%", "%`_%`%", "%{{{%"),
    *("%;\n%", "%{\n%", "%):\n%"),
)
TAGS: Final = ("%<code%", "%<pre%")


def holds_code(text: ColumnElement[Any], wanted: bool) -> ColumnElement[bool]:
    """Whether a column's text holds code, or holds none."""
    held = or_(*(text.like(mark) for mark in MARKS), *(text.ilike(tag) for tag in TAGS))
    return held if wanted else not_(held)
