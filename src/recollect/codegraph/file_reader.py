"""Reads many files, in this process or in several; returns facts or the reason for skipping.

A file is read once and closed; a file that is too large, binary, or gone is reported and skipped.
Secrets are removed before anything else is read, so neither chunks nor names contain any.
"""

import hashlib
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from recollect.codegraph.chunks import Piece, pieces_of
from recollect.codegraph.facts import Facts
from recollect.codegraph.file_finder import FileStat, role_of
from recollect.codegraph.languages import language_of
from recollect.codegraph.languages.parser import read
from recollect.index.code_words import analysed
from recollect.storage.code.chunks import searched_words
from recollect.trust.secrets import redacted_lines
from recollect.vocabulary.code import FileRole

LARGEST: Final = 2_000_000
_LONGEST_LINE: Final = 5_000
_MANY: Final = 200
_BATCH: Final = 25


class Scanned(NamedTuple):
    """Result of reading one file. With a problem and no digest, the file was not read at all."""

    seen: FileStat
    digest: str
    role: str
    interface: str
    facts: str
    lines: int
    pieces: tuple[Piece, ...]
    tokens: tuple[tuple[str, int], ...]
    problem: str


def scan(root: str, seen: FileStat) -> Scanned:
    """Read one file."""
    try:
        if seen.size > LARGEST:
            return _refused(seen, "too large", str(seen.size))
        with open(os.path.join(root, seen.path), "rb") as file:
            source = file.read(LARGEST + 1)
    except OSError as error:
        return _refused(seen, "unreadable", type(error).__name__)
    digest = hashlib.blake2b(source, digest_size=16).hexdigest()
    if b"\0" in source[:8_000]:
        return _refused(seen, "binary", digest)
    role = role_of(seen.path, source)
    language = language_of(seen.path)
    if language is not None and _minified(source):
        language, role = None, FileRole.GENERATED
    text = source.decode("utf-8", "replace")
    broken = text.count("\ufffd") > source.count("\ufffd".encode())
    clean = redacted_lines(text)
    if clean is not text:
        text, source = clean, clean.encode("utf-8", "replace")
    facts = Facts("", lines=source.count(b"\n") + 1)
    problem = ""
    if language is not None and role is not FileRole.VENDORED:
        try:
            facts = read(language, source)
        except (ValueError, RecursionError, MemoryError) as error:
            problem = f"not parsed: {type(error).__name__}"
    if broken and not problem:
        problem = "broken encoding"
    text = text.replace("\x00", "")
    pieces = tuple(pieces_of(seen.path, facts, text, role))
    return Scanned(
        seen,
        digest,
        role.value,
        facts.interface(),
        facts.dumped().replace("\\u0000", ""),
        facts.lines,
        pieces,
        tuple(analysed(searched_words(piece.name, piece.text)) for piece in pieces),
        problem or facts.problem,
    )


def _refused(seen: FileStat, problem: str, digest: str) -> Scanned:
    return Scanned(seen, digest, FileRole.DATA.value, "", "", 0, (), (), problem)


def _minified(source: bytes) -> bool:
    """Whether most of a file consists of a few very long lines."""
    if len(source) < 2 * _LONGEST_LINE:
        return False
    longest = max(len(line) for line in source.split(b"\n"))
    return longest > _LONGEST_LINE and longest * 4 > len(source)


def scan_all(root: Path, files: Sequence[FileStat], processes: int = 0) -> Iterator[Scanned]:
    """Read files in order; many of them in several processes."""
    place = str(root)
    wanted = processes or min(max(1, (os.cpu_count() or 1) - 1), 4)
    if len(files) < _MANY or (os.cpu_count() or 1) < 2:
        for seen in files:
            yield scan(place, seen)
        return
    from recollect.codegraph.reader_processes import scan_with

    batches = [files[start : start + _BATCH] for start in range(0, len(files), _BATCH)]
    for answer in scan_with(wanted, place, batches):
        yield from answer


def unreadable_file(seen: FileStat) -> Scanned:
    """A file on which every reader process died."""
    return _refused(seen, "the parser died over it", str(seen.size))
