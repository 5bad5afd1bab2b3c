"""Notes that hold words of something erased: questions, feedback on answers, tasks of sessions.

A word counts when the store holds it nowhere else: then whatever note still has it tells of what
was erased. A question whose first answer was the thing itself is masked whatever its words were.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final, NamedTuple

from sqlalchemy import (
    ColumnElement,
    Connection,
    Table,
    Text,
    and_,
    cast,
    delete,
    or_,
    select,
    update,
)

from recollect.storage.analyser import analyse
from recollect.storage.schema import (
    agent_sessions,
    observed_sessions,
    retrieval_feedback,
    retrieval_items,
    retrievals,
    sightings,
)

#: What stands where a question was.
FORGOTTEN: Final = "[forgotten]"
_LEAST: Final = 3
_AT_ONCE: Final = 50
_WORD: Final = re.compile(r"\w+")


class Note(NamedTuple):
    """One row that has to be masked: its table, its key and the columns with their new values."""

    table: Table
    key: tuple[Any, ...]
    values: dict[str, Any]


_TEXTS: Final[tuple[tuple[Table, str, str | None], ...]] = (
    (retrievals, "query", FORGOTTEN),
    (retrieval_feedback, "note", None),
    (agent_sessions, "task", ""),
)


def lost_words(texts: Iterable[str], absent: set[str]) -> set[str]:
    """The words of texts, in small letters, of which the store holds no form any more.

    Where a word begins with its stem, the stem stands for it: it is met in other forms too.
    """
    lost: set[str] = set()
    for word in {found.group().lower() for text in texts for found in _WORD.finditer(text)}:
        terms = analyse(word)
        if terms and absent.issuperset(terms):
            lost.update(terms)
            if not any(word.startswith(term) for term in terms):
                lost.add(word)
    return {word for word in lost if len(word) >= _LEAST}


def holding(
    connection: Connection, space_id: str, words: Iterable[str], ids: Sequence[str]
) -> list[Note]:
    """The notes of a space that hold a word, and the questions whose first answer an id is."""
    needles = sorted(words)
    found = {one[:2]: one for one in _answered(connection, space_id, ids)}
    for table, column, value in _TEXTS:
        for row in _matching(connection, table, space_id, table.c[column], needles):
            note = Note(table, _key(table, row), {column: value})
            found.setdefault(note[:2], note)
    for row in _matching(connection, sightings, space_id, sightings.c.sign, needles):
        note = Note(sightings, _key(sightings, row), {})
        found[note[:2]] = note
    facts = cast(observed_sessions.c.facts, Text)
    for row in _matching(connection, observed_sessions, space_id, facts, needles):
        without = _without(row.facts, needles)
        note = Note(observed_sessions, _key(observed_sessions, row), {"facts": without})
        found[note[:2]] = note
    return list(found.values())


def mask(connection: Connection, notes: Iterable[Note]) -> None:
    """Write over what was found; a row that is nothing but the words goes."""
    for table, key, values in notes:
        where = and_(
            *(column == value for column, value in zip(table.primary_key, key, strict=True))
        )
        if values:
            connection.execute(update(table).where(where).values(**values))
        else:
            connection.execute(delete(table).where(where))


def _answered(connection: Connection, space_id: str, ids: Sequence[str]) -> Iterator[Note]:
    for start in range(0, len(ids), _AT_ONCE):
        rows = connection.execute(
            select(retrieval_items.c.retrieval_id)
            .where(
                retrieval_items.c.space_id == space_id,
                retrieval_items.c.item_id.in_(ids[start : start + _AT_ONCE]),
                retrieval_items.c.position == 1,
            )
            .distinct()
        )
        for (retrieval_id,) in rows.all():
            yield Note(retrievals, (space_id, retrieval_id), {"query": FORGOTTEN})


def _matching(
    connection: Connection,
    table: Table,
    space_id: str,
    column: ColumnElement[Any],
    needles: Sequence[str],
) -> Iterator[Any]:
    for start in range(0, len(needles), _AT_ONCE):
        forms = {
            form
            for needle in needles[start : start + _AT_ONCE]
            for form in (needle, needle.capitalize(), needle.upper())
        }
        wanted = or_(*(column.contains(form, autoescape=True) for form in sorted(forms)))
        yield from connection.execute(
            select(table).where(table.c.space_id == space_id, wanted)
        ).all()


def _key(table: Table, row: Any) -> tuple[Any, ...]:
    return tuple(getattr(row, column.name) for column in table.primary_key)


def _holds(text: str, needles: Iterable[str]) -> bool:
    low = text.lower()
    return any(needle in low for needle in needles)


def _tells(value: Any, needles: Sequence[str]) -> bool:
    """Whether an item of a list holds a word, as a text or as a part of a row of texts."""
    if isinstance(value, list):
        return any(isinstance(one, str) and _holds(one, needles) for one in value)
    return isinstance(value, str) and _holds(value, needles)


def _without(value: Any, needles: Sequence[str]) -> Any:
    """A JSON value without the texts that hold a word; a list loses the items that do."""
    if isinstance(value, str):
        return "" if _holds(value, needles) else value
    if isinstance(value, list):
        return [_without(one, needles) for one in value if not _tells(one, needles)]
    if isinstance(value, dict):
        return {
            name: _without(one, needles) for name, one in value.items() if not _holds(name, needles)
        }
    return value
