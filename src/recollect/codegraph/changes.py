"""Changes of a folder since it was indexed, and their effect on the names that other files use."""

import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from recollect.codegraph import file_finder
from recollect.codegraph.facts import Facts
from recollect.codegraph.file_reader import Scanned
from recollect.codegraph.resolving.layout import folders_of, roots_of
from recollect.codegraph.resolving.project import needs_changed
from recollect.storage.code.graph import FileRow
from recollect.trust.secrets import redacted, refuse_secrets
from recollect.vocabulary.code import node_number
from recollect.vocabulary.errors import InvalidInput, InvalidSetting

_CONFIGURATION: Final = frozenset(
    {"tsconfig.json", "jsconfig.json", "package.json", "go.mod", "Cargo.toml", "composer.json"}
)


class FolderChange(NamedTuple):
    """Result of a scan of the folder."""

    fresh: list[file_finder.FileStat]
    gone: list[FileRow]
    unchanged: int
    skipped: dict[str, int]


def need_parsers() -> None:
    """Raise a clear error when the parsers are missing, before anything is changed."""
    try:
        import tree_sitter
        import tree_sitter_python  # noqa: F401
    except ImportError as error:
        from recollect.vocabulary.optional_parts import how_to_install

        raise InvalidSetting(
            "Reading code needs its parsers, which are not installed.",
            hint=how_to_install("code"),
        ) from error
    del tree_sitter


def folder_of(root: str | os.PathLike[str]) -> Path:
    """The folder with links resolved; an error if it is not a folder."""
    folder = Path(root).expanduser()
    if not folder.is_dir():
        raise InvalidInput(f"{os.fspath(root)} is not a folder.", hint="Name a folder with code.")
    found = folder.resolve()
    refuse_secrets([str(found)], "name of the folder")
    return found


def changes_in(
    root: Path,
    known: dict[str, FileRow],
    only: Iterable[str] | None,
    shown: set[str] | None = None,
) -> FolderChange:
    """New, changed and deleted files, by size and time; the content decides later."""
    skipped: dict[str, int] = {}
    fresh: list[file_finder.FileStat] = []
    unchanged = 0
    if only is None:
        listed = list(file_finder.files_of(root))
        gone_paths = set(known) - {seen.path for seen in listed}
    else:
        paths = sorted(set(only))
        looked = {
            path: file_finder.stat_file(root, path) if shown is None or path in shown else None
            for path in paths
        }
        listed = [seen for seen in looked.values() if seen is not None]
        gone_paths = {path for path, seen in looked.items() if seen is None and path in known}
        unchanged = len(known) - sum(path in known for path in paths)
    for seen in listed:
        row = known.get(seen.path)
        why = _unread(seen.path)
        if why is not None:
            skipped[why] = skipped.get(why, 0) + 1
        elif row is not None and (row.size, row.changed_ns) == (seen.size, seen.changed_ns):
            unchanged += 1
        else:
            fresh.append(seen)
    return FolderChange(fresh, [known[path] for path in sorted(gone_paths)], unchanged, skipped)


def _unread(path: str) -> str | None:
    """Reason to skip a file because of its name; None when the file is read."""
    if not file_finder.readable(path):
        return "not code or text"
    return None if redacted(path) is path else "named like a secret"


def is_same(row: FileRow | None, one: Scanned) -> bool:
    """Whether a touched file has the same content as before."""
    return row is not None and bool(one.digest) and row.digest == one.digest


def vectors_of(
    scanned: Sequence[Scanned], vectors: Sequence[bytes | None], fresh: Sequence[Scanned]
) -> list[bytes | None]:
    """Vectors of the chunks of the fresh files."""
    kept: list[bytes | None] = []
    chosen = {id(one) for one in fresh}
    place = 0
    for one in scanned:
        if id(one) in chosen:
            kept += vectors[place : place + len(one.pieces)]
        place += len(one.pieces)
    return kept


def file_row(one: Scanned) -> FileRow:
    """Index row of a file."""
    facts = one.facts
    language = facts[2 : facts.index('"', 2)] if facts.startswith('["') else ""
    return FileRow(
        node_number(one.seen.path, ""),
        one.seen.path,
        language,
        one.role,
        one.digest,
        one.interface,
        one.seen.size,
        one.seen.changed_ns,
        one.lines,
        bool(language),
        one.problem or None,
    )


def node_rows(one: Scanned) -> Iterable[tuple[Any, ...]]:
    """Rows of the file and its definitions."""
    file_id, path = node_number(one.seen.path, ""), one.seen.path
    yield (file_id, file_id, "file", "", 1, max(one.lines, 1))
    if not one.facts:
        return
    seen = {file_id}
    for definition in Facts.loaded(one.facts).definitions:
        number = node_number(path, definition.name)
        if number not in seen:
            seen.add(number)
            yield (
                file_id,
                number,
                definition.kind,
                definition.name,
                definition.start,
                definition.end,
            )


def changed_needs(
    fresh: Sequence[Scanned], gone: Sequence[FileRow], known: dict[str, FileRow]
) -> set[str]:
    """Names whose meaning has changed."""
    changed: set[str] = set()
    paths = set(known)
    for one in fresh:
        row = known.get(one.seen.path)
        if row is None:
            changed |= needs_changed(one.seen.path)
            paths.add(one.seen.path)
        elif row.interface != one.interface:
            changed.add(f"path:{one.seen.path}")
            package = Facts.loaded(one.facts).package if one.facts else ""
            changed.add(f"package:{package}")
        if row is None and one.facts:
            changed.add(f"package:{Facts.loaded(one.facts).package}")
    for row in gone:
        changed |= needs_changed(row.path)
        paths.discard(row.path)
    if paths == known.keys():
        return changed
    old, new = folders_of(known), folders_of(paths)
    for folder in old.keys() ^ new.keys():
        changed.add(f"folder:{folder}")
        changed.add(f"stem:{folder.rpartition('/')[2].lower()}")
    return changed


def reshapes(change: FolderChange, known: dict[str, FileRow]) -> bool:
    """Whether files are added or removed, or configure name resolution: else the layout stays."""
    return bool(change.gone) or any(
        seen.path not in known or seen.path.rpartition("/")[2] in _CONFIGURATION
        for seen in change.fresh
    )


def stale_paths(known: dict[str, FileRow], before: object) -> list[str]:
    """Files to resolve again: all, where something has changed on which every name depends."""
    anew = before is not None and before != shape_of(known)
    return [path for path, row in known.items() if row.language and (anew or row.stale)]


def shape_of(known: dict[str, FileRow]) -> tuple[object, ...]:
    """Values on which all names of a language depend: Python's roots, configuration files."""
    python = [path for path, row in known.items() if row.language == "python"]
    roots = roots_of(folders_of(known), python)
    configuration = [
        (path, row.digest)
        for path, row in sorted(known.items())
        if path.rpartition("/")[2] in _CONFIGURATION
    ]
    return roots, configuration


def text_of(root: Path, path: str) -> str:
    """Text of a file; empty when the file is gone."""
    try:
        return (root / path).read_text("utf-8", "replace")
    except OSError:
        return ""
