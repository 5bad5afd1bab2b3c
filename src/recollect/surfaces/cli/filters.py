"""Filter options that searches and lists share."""

from typing import Annotated, Any

from typer import Option

from recollect.surfaces.cli.inputs import time_of
from recollect.vocabulary.errors import InvalidInput

Types = Annotated[
    list[str] | None,
    Option("--type", "-t", metavar="TYPE", help="Only memories of this type; may be repeated."),
]
Tags = Annotated[
    list[str] | None, Option("--tag", metavar="TAG", help="Only memories with this tag.")
]
Files = Annotated[
    list[str] | None, Option("--file", metavar="PATH", help="Only memories about this file.")
]
Sources = Annotated[
    list[str] | None,
    Option("--source", metavar="SOURCE", help="Only memories from this source: user_taught, ..."),
]
Scopes = Annotated[
    list[str] | None, Option("--scope", metavar="SCOPE", help="Only memories of this scope.")
]
Modules = Annotated[
    list[str] | None, Option("--module", metavar="NAME", help="Only memories about this module.")
]
Authors = Annotated[
    list[str] | None, Option("--author", metavar="NAME", help="Only what this person said or made.")
]
StreamNames = Annotated[
    list[str] | None, Option("--stream", metavar="NAME", help="Only what was said on this stream.")
]
Since = Annotated[
    str | None, Option("--since", metavar="TIME", help="Only what was made after this.")
]
Until = Annotated[
    str | None, Option("--until", metavar="TIME", help="Only what was made before this.")
]
AsOf = Annotated[
    str | None, Option("--as-of", metavar="TIME", help="The state of the memory at this time.")
]
Sure = Annotated[
    float | None,
    Option("--min-confidence", metavar="0..1", help="Only memories with at least this confidence."),
]
Pinned = Annotated[bool, Option("--pinned", help="Only what is pinned.")]
Review = Annotated[bool, Option("--review", help="Only what needs review.")]
Archived = Annotated[bool, Option("--archived", help="Only archived memories.")]
Superseded = Annotated[bool, Option("--superseded", help="Also superseded memories.")]
HasCode = Annotated[
    bool | None, Option("--code/--no-code", help="Only results with code, or only those without.")
]


def narrowing(
    *,
    since: str | None,
    until: str | None,
    as_of: str | None,
    sure: float | None,
    code: bool | None = None,
    **given: Any,
) -> dict[str, Any]:
    """Filters that were given."""
    if sure is not None and not 0 <= sure <= 1:
        raise InvalidInput(f"The least confidence is a number from 0 to 1, not {sure:g}.")
    filters = {
        **given,
        "created_after": time_of(since),
        "created_before": time_of(until),
        "as_of": time_of(as_of),
        "minimum_confidence": sure,
    }
    narrow = {name: value for name, value in filters.items() if value not in (None, [], False)}
    return narrow if code is None else {**narrow, "has_code": code}
