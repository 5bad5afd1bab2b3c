"""Masks notes that contain words of an erased item: queries, feedback on answers, session tasks.

A word counts if the store contains it nowhere else: then any note with it reveals what was erased.
A query whose top answer was the erased item is masked whatever its words were.
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Final, NamedTuple

from sqlalchemy import Connection, Table, Text, and_, bindparam, delete, select, update

from recollect.storage.prepared import Prepared
from recollect.storage.schema import (
    agent_sessions,
    observed_sessions,
    retrieval_feedback,
    retrieval_items,
    retrievals,
    sightings,
)

#: Turns a text into its search terms.
Analyse = Callable[[str], Sequence[str]]

#: Replacement text of a masked query.
FORGOTTEN: Final = "[forgotten]"
_LEAST_WORD_LENGTH: Final = 3
_AT_ONCE: Final = 50
_WORD: Final = re.compile(r"\w+")


class Note(NamedTuple):
    """One row to mask: its table, its key and the columns with their new values."""

    table: Table
    key: tuple[Any, ...]
    values: dict[str, Any]


def _reading(table: Table, column: str) -> Prepared:
    """Query for the keys of a space's rows, and the text that may contain a word."""
    query = select(*table.primary_key, table.c[column])
    return Prepared(lambda: query.where(table.c.space_id == bindparam("space", type_=Text)))


#: Text columns, and the replacement for texts that contain a word.
_TEXTS: Final = tuple(
    (table, column, value, _reading(table, column))
    for table, column, value in (
        (retrievals, "query", FORGOTTEN),
        (retrieval_feedback, "note", None),
        (agent_sessions, "task", ""),
    )
)
_SIGHTINGS: Final = _reading(sightings, "sign")
_FACTS: Final = _reading(observed_sessions, "facts")


def lost_words(texts: Iterable[str], absent: set[str], analyse: Analyse) -> set[str]:
    """The lower-case words of texts of which the store no longer contains any form.

    Where a word begins with its stem, the stem is returned, because it matches other forms too.
    """
    lost: set[str] = set()
    for word in {found.group().lower() for text in texts for found in _WORD.finditer(text)}:
        terms = analyse(word)
        if terms and absent.issuperset(terms):
            lost.update(terms)
            if not any(word.startswith(term) for term in terms):
                lost.add(word)
    return {word for word in lost if len(word) >= _LEAST_WORD_LENGTH}


def notes_containing(
    connection: Connection, space_id: str, words: Iterable[str], ids: Sequence[str]
) -> list[Note]:
    """The notes of a space that contain a word, and the queries whose top answer has one of the
    ids.
    """
    needles = sorted(words)
    found = {one[:2]: one for one in _answered(connection, space_id, ids)}
    if not needles:
        return list(found.values())
    for table, column, value, reading in _TEXTS:
        for key, _ in _matching(connection, reading, space_id, needles):
            found.setdefault((table, key), Note(table, key, {column: value}))
    for key, _ in _matching(connection, _SIGHTINGS, space_id, needles):
        found[sightings, key] = Note(sightings, key, {})
    for key, facts in _matching(connection, _FACTS, space_id, needles):
        values = {"facts": _without(json.loads(facts), needles)}
        found[observed_sessions, key] = Note(observed_sessions, key, values)
    return list(found.values())


def mask(connection: Connection, notes: Iterable[Note]) -> None:
    """Overwrite the notes that were found; a row that is nothing but the words is deleted."""
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
    connection: Connection, reading: Prepared, space_id: str, needles: Sequence[str]
) -> Iterator[tuple[tuple[Any, ...], str]]:
    """Keys and texts of the rows that contain a word."""
    for *key, text in reading.raw(connection, space=space_id):
        if text is not None and _contains(text, needles):
            yield tuple(key), text


def _contains(text: str, needles: Iterable[str]) -> bool:
    low = text.lower()
    return any(needle in low for needle in needles)


def _item_contains(value: Any, needles: Sequence[str]) -> bool:
    """Whether a list item contains a word, as a text or as part of a list of texts."""
    if isinstance(value, list):
        return any(isinstance(one, str) and _contains(one, needles) for one in value)
    return isinstance(value, str) and _contains(value, needles)


def _without(value: Any, needles: Sequence[str]) -> Any:
    """A JSON value without the texts that contain a word; a list loses such items."""
    if isinstance(value, str):
        return "" if _contains(value, needles) else value
    if isinstance(value, list):
        return [_without(one, needles) for one in value if not _item_contains(one, needles)]
    if isinstance(value, dict):
        return {
            name: _without(one, needles)
            for name, one in value.items()
            if not _contains(name, needles)
        }
    return value
