"""Rows of the code graph: the index of a space, its files, nodes, edges and needs.

Reads require an access; only members of the space see code. Values are passed in their stored form,
because there are many.
"""

from collections.abc import Collection, Iterable, Sequence
from datetime import datetime
from typing import Any, Final, NamedTuple

from sqlalchemy import (
    BigInteger,
    Connection,
    Select,
    Text,
    bindparam,
    delete,
    func,
    insert,
    select,
    update,
)

from recollect.storage.prepared import Prepared, insert_rows
from recollect.storage.schema import (
    code_edges,
    code_files,
    code_indexes,
    code_needs,
    code_nodes,
)
from recollect.vocabulary.audiences import Access

_SPACE: Final = bindparam("space", type_=Text)
_NUMBERS: Final = bindparam("numbers", type_=BigInteger, expanding=True)
_MANY: Final = 5_000
_JOURNAL: Final = "journal"
_WEIGHED: Final = "weighed"
#: How many changed files and versions an index records.
_REMEMBERED: Final = 1_000
_STEPS: Final = 50


class FileRow(NamedTuple):
    """A file of the index, without its facts."""

    file_id: int
    path: str
    language: str
    role: str
    digest: str
    interface: str
    size: int
    changed_ns: int
    lines: int
    stale: bool
    problem: str | None


class GraphCounts(NamedTuple):
    """How many files, nodes and edges there are."""

    files: int
    nodes: int
    edges: int

    def changed(self, less: "Sequence[GraphCounts]", more: "GraphCounts") -> "GraphCounts":
        """The counts after ``less`` is subtracted and ``more`` is added."""
        return GraphCounts(
            *(
                own - sum(gone) + came
                for own, gone, came in zip(self, zip(*less, strict=True), more, strict=True)
            )
        )


_FILES = Prepared(
    lambda: (
        select(
            code_files.c.file_id,
            code_files.c.path,
            code_files.c.language,
            code_files.c.role,
            code_files.c.digest,
            code_files.c.interface,
            code_files.c.size,
            code_files.c.changed_ns,
            code_files.c.lines,
            code_files.c.stale,
            code_files.c.problem,
        )
        .where(code_files.c.space_id == _SPACE)
        .order_by(code_files.c.path)
    )
)
_INDEX = Prepared(lambda: select(code_indexes).where(code_indexes.c.space_id == _SPACE))
_FACTS = Prepared(
    lambda: select(code_files.c.path, code_files.c.facts).where(
        code_files.c.space_id == _SPACE, code_files.c.file_id.in_(_NUMBERS)
    )
)
_nodes = select(
    code_nodes.c.file_id,
    code_nodes.c.node_id,
    code_nodes.c.kind,
    code_nodes.c.name,
    code_nodes.c.start_line,
    code_nodes.c.end_line,
).where(code_nodes.c.space_id == _SPACE)
_NODES = Prepared(lambda: _nodes)
_edges = select(
    code_edges.c.file_id,
    code_edges.c.source,
    code_edges.c.target,
    code_edges.c.kind,
    code_edges.c.how,
    code_edges.c.confidence,
    code_edges.c.line,
).where(code_edges.c.space_id == _SPACE)
_EDGES = Prepared(lambda: _edges)
_FILES_OF = Prepared(
    lambda: select(*(code_files.c[name] for name in FileRow._fields)).where(
        code_files.c.space_id == _SPACE, code_files.c.file_id.in_(_NUMBERS)
    )
)
_NODES_OF = Prepared(lambda: _nodes.where(code_nodes.c.file_id.in_(_NUMBERS)))
_EDGES_OF = Prepared(lambda: _edges.where(code_edges.c.file_id.in_(_NUMBERS)))
_OTHER: Final = code_files.alias("other")
_IMPORTING: Final = (
    select(code_files.c.path, _OTHER.c.path)
    .select_from(code_edges)
    .join(
        code_files,
        (code_files.c.space_id == code_edges.c.space_id)
        & (code_files.c.file_id == code_edges.c.file_id),
    )
    .join(
        _OTHER,
        (_OTHER.c.space_id == code_edges.c.space_id) & (_OTHER.c.file_id == code_edges.c.target),
    )
    .where(code_edges.c.space_id == _SPACE, code_edges.c.kind == "imports")
)
_IMPORTS = Prepared(lambda: _IMPORTING)
_IMPORTS_OF = Prepared(lambda: _IMPORTING.where(code_edges.c.file_id.in_(_NUMBERS)))
_CALLED: Final = code_nodes.alias("called")
_CALLING: Final = (
    select(code_edges.c.file_id.label("source"), _CALLED.c.file_id.label("target"))
    .select_from(code_edges)
    .join(
        _CALLED,
        (_CALLED.c.space_id == code_edges.c.space_id) & (_CALLED.c.node_id == code_edges.c.target),
    )
    .where(
        code_edges.c.space_id == _SPACE,
        code_edges.c.kind == "calls",
        _CALLED.c.file_id != code_edges.c.file_id,
    )
    .distinct()
)


def _with_paths(calling: Select[tuple[int, int]]) -> Select[tuple[str, str]]:
    """Pairs of files by their paths. The pairs are found first: in a single join, SQLite scans
    every call of the space for every name that is defined in it.
    """
    pairs = calling.subquery("pairs")
    return (
        select(code_files.c.path, _OTHER.c.path)
        .select_from(pairs)
        .join(
            code_files,
            (code_files.c.space_id == _SPACE) & (code_files.c.file_id == pairs.c.source),
        )
        .join(_OTHER, (_OTHER.c.space_id == _SPACE) & (_OTHER.c.file_id == pairs.c.target))
    )


_CALLS = Prepared(lambda: _with_paths(_CALLING))
_CALLS_OF = Prepared(lambda: _with_paths(_CALLING.where(code_edges.c.file_id.in_(_NUMBERS))))
_NEEDED_BY = Prepared(
    lambda: (
        select(code_needs.c.file_id)
        .where(code_needs.c.space_id == _SPACE, code_needs.c.need.in_(_NUMBERS))
        .distinct()
    )
)


def get_index(connection: Connection, access: Access) -> Any | None:
    """The index of a space; None if there is none, or for a non-member."""
    return _INDEX.first(connection, space=access.space_id) if access.member else None


def put_index(
    connection: Connection,
    space_id: str,
    *,
    root: str,
    identity: str,
    audience: int,
    version: int,
    at: datetime,
) -> None:
    """Create the index of a space; version numbers continue those of an earlier index."""
    connection.execute(
        insert(code_indexes).values(
            space_id=space_id,
            root=root,
            identity=identity,
            audience_id=audience,
            version=version,
            complete=False,
            settings={},
            updated_at=at,
        )
    )


def touch_index(
    connection: Connection,
    space_id: str,
    at: datetime,
    *,
    touched: Sequence[int] | None = None,
    weighed: int | None = None,
    **values: Any,
) -> int | None:
    """Record a change of the index and return the new version. Holders of the graph reload the
    ``touched`` files, or everything if none are given. ``weighed`` is the number of commits whose
    history was read.
    """
    mine = code_indexes.c.space_id == space_id
    known = connection.execute(
        select(code_indexes.c.version, code_indexes.c.settings).where(mine)
    ).first()
    if known is None:
        return None
    settings = dict(known.settings or {})
    journal = settings.get(_JOURNAL, []) if touched is not None else []
    if touched is not None:
        journal = [*journal, [known.version + 1, sorted(set(touched))]]
        while sum(len(files) for _, files in journal) > _REMEMBERED:
            journal = journal[1:]
    settings[_JOURNAL] = journal[-_STEPS:]
    if weighed is not None:
        settings[_WEIGHED] = weighed
    connection.execute(
        update(code_indexes)
        .where(mine)
        .values(version=known.version + 1, updated_at=at, settings=settings, **values)
    )
    return int(known.version) + 1


def touched_since(index: Any, version: int) -> set[int] | None:
    """The files that changed since a version of the index; None if not known."""
    journal = dict((index.settings or {}).get(_JOURNAL, []))
    steps = range(version + 1, index.version + 1)
    if version > index.version or any(step not in journal for step in steps):
        return None
    return {file for step in steps for file in journal[step]}


def commits_summed(index: Any) -> int:
    """How many commits of the history an index has summed up."""
    return int((index.settings or {}).get(_WEIGHED, 0))


def drop_index(connection: Connection, space_id: str) -> None:
    """Delete the index with all its files, nodes and edges."""
    connection.execute(delete(code_indexes).where(code_indexes.c.space_id == space_id))


def files(connection: Connection, access: Access) -> list[FileRow]:
    """Every file of the index, ordered by path."""
    if not access.member:
        return []
    return [FileRow(*row) for row in _FILES.raw(connection, space=access.space_id)]


def files_of(connection: Connection, access: Access, numbers: Sequence[int]) -> list[FileRow]:
    """Some files of the index."""
    if not access.member or not numbers:
        return []
    rows = _FILES_OF.raw(connection, space=access.space_id, numbers=list(numbers))
    return [FileRow(*row) for row in rows]


def facts_of(connection: Connection, access: Access, numbers: Sequence[int]) -> dict[str, str]:
    """The extracted facts of files, by path."""
    found: dict[str, str] = {}
    if not access.member:
        return found
    for start in range(0, len(numbers), _MANY):
        part = numbers[start : start + _MANY]
        found.update(_FACTS.raw(connection, space=access.space_id, numbers=part))
    return found


def put_files(connection: Connection, space_id: str, rows: Iterable[tuple[Any, ...]]) -> None:
    """Insert files: their rows and their facts."""
    columns = (*FileRow._fields, "facts")
    insert_rows(connection, code_files, ("space_id", *columns), [(space_id, *row) for row in rows])


def drop_files(connection: Connection, space_id: str, numbers: Sequence[int]) -> None:
    """Delete files with their nodes, edges, needs and chunks."""
    for start in range(0, len(numbers), _MANY):
        part = numbers[start : start + _MANY]
        connection.execute(
            delete(code_files).where(
                code_files.c.space_id == space_id, code_files.c.file_id.in_(part)
            )
        )


def put_nodes(connection: Connection, space_id: str, rows: Iterable[tuple[Any, ...]]) -> None:
    """Insert nodes: file, node, kind, name, first and last line."""
    columns = ("file_id", "node_id", "kind", "name", "start_line", "end_line")
    insert_rows(connection, code_nodes, ("space_id", *columns), [(space_id, *row) for row in rows])


def replace_edges(
    connection: Connection,
    space_id: str,
    numbers: Sequence[int],
    edges: Iterable[tuple[Any, ...]],
    needs: Iterable[tuple[int, int]],
) -> None:
    """Replace the edges (file, source, target, kind, how, confidence, line) and needs of files."""
    for start in range(0, len(numbers), _MANY):
        part = numbers[start : start + _MANY]
        for table in (code_edges, code_needs):
            connection.execute(
                delete(table).where(table.c.space_id == space_id, table.c.file_id.in_(part))
            )
        connection.execute(
            update(code_files)
            .where(code_files.c.space_id == space_id, code_files.c.file_id.in_(part))
            .values(stale=False)
        )
    columns = ("file_id", "source", "target", "kind", "how", "confidence", "line")
    insert_rows(connection, code_edges, ("space_id", *columns), [(space_id, *row) for row in edges])
    insert_rows(
        connection,
        code_needs,
        ("space_id", "need", "file_id"),
        [(space_id, need, file) for need, file in needs],
    )


def mark_stale(connection: Connection, space_id: str, numbers: Sequence[int] | None) -> None:
    """Mark files to be resolved again; all files if none are given."""
    condition = code_files.c.space_id == space_id
    if numbers is None:
        connection.execute(update(code_files).where(condition).values(stale=True))
        return
    for start in range(0, len(numbers), _MANY):
        part = numbers[start : start + _MANY]
        connection.execute(
            update(code_files).where(condition, code_files.c.file_id.in_(part)).values(stale=True)
        )


def touch_files(
    connection: Connection, space_id: str, rows: Iterable[tuple[int, int, int]]
) -> None:
    """Store new sizes and times of files with unchanged content: file, size, time."""
    for file_id, size, changed_ns in rows:
        connection.execute(
            update(code_files)
            .where(code_files.c.space_id == space_id, code_files.c.file_id == file_id)
            .values(size=size, changed_ns=changed_ns)
        )


def needed_by(connection: Connection, space_id: str, needs: Sequence[int]) -> set[int]:
    """The files that depend on any of these needs."""
    found: set[int] = set()
    for start in range(0, len(needs), _MANY):
        part = needs[start : start + _MANY]
        found.update(_NEEDED_BY.column(connection, space=space_id, numbers=part))
    return found


def nodes(connection: Connection, access: Access) -> list[tuple[Any, ...]]:
    """Every node: file, node, kind, name, first and last line."""
    return _NODES.raw(connection, space=access.space_id) if access.member else []


def edges(connection: Connection, access: Access) -> list[tuple[Any, ...]]:
    """Every edge: file, source, target, kind, how, confidence, line."""
    return _EDGES.raw(connection, space=access.space_id) if access.member else []


def parts(
    connection: Connection, access: Access, numbers: Sequence[int]
) -> tuple[list[FileRow], list[tuple[Any, ...]], list[tuple[Any, ...]]]:
    """Some files, with their nodes and edges."""
    if not access.member or not numbers:
        return [], [], []
    return (
        files_of(connection, access, numbers),
        _NODES_OF.raw(connection, space=access.space_id, numbers=list(numbers)),
        _EDGES_OF.raw(connection, space=access.space_id, numbers=list(numbers)),
    )


def file_imports(
    connection: Connection, access: Access, numbers: Sequence[int] | None = None
) -> list[tuple[str, str]]:
    """Which file imports which, by path; for some files if given."""
    if not access.member:
        return []
    if numbers is None:
        return [(row[0], row[1]) for row in _IMPORTS.raw(connection, space=access.space_id)]
    rows = _IMPORTS_OF.raw(connection, space=access.space_id, numbers=list(numbers))
    return [(row[0], row[1]) for row in rows]


def file_calls(
    connection: Connection, access: Access, numbers: Sequence[int] | None = None
) -> list[tuple[str, str]]:
    """Which file calls code of which, by path; for some files if given."""
    if not access.member:
        return []
    if numbers is None:
        return [(row[0], row[1]) for row in _CALLS.raw(connection, space=access.space_id)]
    rows = _CALLS_OF.raw(connection, space=access.space_id, numbers=list(numbers))
    return [(row[0], row[1]) for row in rows]


def counts(
    connection: Connection, space_id: str, numbers: Collection[int] | None = None
) -> GraphCounts:
    """Number of files, nodes and edges, in all or of some files."""
    found = []
    for table in (code_files, code_nodes, code_edges):
        wanted = select(func.count()).select_from(table).where(table.c.space_id == space_id)
        listed = sorted(numbers) if numbers is not None else []
        parts = [listed[start : start + _MANY] for start in range(0, len(listed), _MANY)]
        asked = (
            [wanted] if numbers is None else [wanted.where(table.c.file_id.in_(p)) for p in parts]
        )
        found.append(sum(int(connection.execute(one).scalar_one()) for one in asked))
    return GraphCounts(*found)
