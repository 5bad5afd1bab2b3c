"""Reader of JSON Lines from any program: one object a line, with the usual field names.

A record's position is the byte after its line, in the uncompressed text. A line without an id gets
one from the file's first line, its own offset and its own words, so the same line of the same file
is always the same event, and two equal lines are two. A last line without a line end is read, but
the position stays before it, so that the next run reads it again. A line without a readable time
has the time of the line before it.
"""

import gzip
import hashlib
import io
import json
import re
import zlib
from collections.abc import Iterator, Mapping
from contextlib import closing
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO, Final, NamedTuple

from recollect.pages.formats import (
    Position,
    Problems,
    Record,
    Reference,
    StreamProperties,
)
from recollect.vocabulary.arguments import NAME_LIMIT
from recollect.vocabulary.clock import from_microseconds, to_microseconds
from recollect.vocabulary.errors import ImportFailed, InvalidInput, InvalidTime
from recollect.vocabulary.events import TIME_UNKNOWN, EventKind

LONGEST_LINE: Final = 64 * 1024 * 1024
_BLOCK: Final = 1024 * 1024
_WINDOW: Final = 64 * 1024
_SHAPES_KEPT: Final = 1_000
_GZIP: Final = b"\x1f\x8b"
_BOM: Final = b"\xef\xbb\xbf"

#: Possible names of each part of a record, the first that fits being used, and the types that fit.
_ALIASES: Final[Mapping[str, tuple[tuple[str, ...], tuple[type, ...]]]] = {
    "text": (("text", "content", "message"), (str,)),
    "author": (("author", "speaker", "user", "role", "name"), (str, int)),
    "time": (
        ("time", "timestamp", "ts", "at", "created_at", "occurred_at", "sent_at", "date"),
        (str, int, float),
    ),
    "stream": (("stream", "channel", "session", "conversation", "thread"), (str, int)),
    "id": (("id", "event_id", "uuid"), (str, int)),
    "kind": (("kind", "type"), (str,)),
    "reply_to": (("reply_to", "parent_id"), (str, int)),
}
_TIME: Final = list(_ALIASES).index("time")
_NO_EVENT: Final = "it has no text, and neither a kind nor an author and a time"
_KNOWN: Final = frozenset(name for names, _ in _ALIASES.values() for name in names)
_KINDS: Final = {kind.value: kind for kind in EventKind}
_NUMBER: Final = re.compile(r"-?\d{9,}(\.\d*)?")
#: A number of at least the first value counts fractions of a second; the second says how many make
#: one second.
_UNITS: Final = ((10**17, 10**9), (10**14, 10**6), (10**11, 10**3), (0, 1))
_SHOWN: Final = 40
_MESSAGE: Final = EventKind.MESSAGE
_NOTHING: Final[Mapping[str, Any]] = {}

_decode: Final = json.JSONDecoder().raw_decode


class _Shape(NamedTuple):
    """Names of a record that hold each part, and the names left for the payload.

    ``odd_time`` is the name of a time field that is neither text nor number.
    """

    rest: tuple[str, ...]
    text: str | None
    author: str | None
    time: str | None
    stream: str | None
    id: str | None
    kind: str | None
    reply_to: str | None
    odd_time: str | None


class JsonLines:
    """One file of JSON lines, gzip-compressed or not."""

    format = "jsonl"

    def __init__(self, path: Path, stream: str | None = None) -> None:
        self.name = path.name
        self._path = path
        self._stream = stream
        self._fallback = stream or _stem(path)
        self._shapes: dict[tuple[Any, ...], _Shape] = {}
        self._line = 0
        self.taken = 0  # bytes of the unpacked text
        self._last_line = b"\n"
        self._last_time: datetime | None = None
        self._blocks: _Blocks | None = None
        state = path.stat()
        self.total = state.st_size
        self._written = from_microseconds(state.st_mtime_ns // 1_000)
        self.fingerprint = _digest(self._first_line())

    @property
    def done(self) -> int:
        """Bytes read of the file as stored on disk."""
        return self._blocks.raw_offset if self._blocks else 0

    def close(self) -> None:
        """Do nothing: the file is open only while it is read."""

    def stream_properties(self, stream: str) -> StreamProperties:
        """An open chat stream."""
        return StreamProperties(stream)

    def continues(self, position: Position) -> bool:
        """Whether the text just before the position is unchanged."""
        offset = int(position["after"])
        try:
            with closing(_Blocks(self._path)) as blocks:
                blocks.seek(offset)
                return (
                    blocks.tell() == offset and _digest(blocks.before(offset)) == position["before"]
                )
        except (OSError, EOFError, zlib.error):
            return False

    def position(self) -> Position | None:
        """The byte after the last complete line, and a digest of the text before it."""
        if self._blocks is None or not self._last_line.endswith(b"\n"):
            return None
        return {
            "after": self.taken,
            "line": self._line,
            "before": _digest(self._blocks.before(self.taken)),
            "stream": self._fallback,
            "time": None if self._last_time is None else to_microseconds(self._last_time),
        }

    def records(self, position: Position | None, problems: Problems) -> Iterator[Record]:
        """Records of the lines after the position."""
        if position:
            self.taken, self._line = int(position["after"]), int(position["line"])
            self._fallback = self._stream or str(position["stream"])
            if position.get("time") is not None:
                self._last_time = from_microseconds(int(position["time"]))
        try:
            with closing(_Blocks(self._path)) as self._blocks:
                for line in self._lines(io.BufferedReader(self._blocks, _BLOCK), problems):
                    record = self._read(line, problems)
                    if record is not None:
                        yield record
        except (OSError, EOFError, zlib.error) as error:
            raise ImportFailed(
                f"The file {self.name} cannot be read beyond byte {self.taken:,}: {error}."
            ) from error

    def _lines(self, file: BinaryIO, problems: Problems) -> Iterator[bytes]:
        """The lines; one that is longer than any real line is skipped."""
        file.seek(self.taken)
        for line in iter(partial(file.readline, LONGEST_LINE), b""):
            self._line += 1
            self.taken += len(line)
            self._last_line = line
            if len(line) < LONGEST_LINE or line.endswith(b"\n"):
                yield line
            else:
                problems.add(self._line, f"longer than {LONGEST_LINE:,} bytes")
                self._pass_line(file)

    def _pass_line(self, file: BinaryIO) -> None:
        for piece in iter(partial(file.readline, _BLOCK), b""):
            self.taken += len(piece)
            self._last_line = piece
            if piece.endswith(b"\n"):
                return

    def _read(self, line: bytes, problems: Problems) -> Record | None:
        start = self.taken - len(line)
        raw = (line if start else line.removeprefix(_BOM)).strip()
        text, is_whole = _decoded(raw)
        if not text:
            return None
        try:
            found, end = _decode(text)
            if end != len(text):
                problems.add(self._line, f"not JSON: more follows at character {end + 1:,}")
            elif type(found) is not dict:
                problems.add(self._line, f"not an object but {_type_name(found)}")
            else:
                record = self._record(found, text, start, problems)
                if not is_whole:
                    problems.add_repaired(self._line)
                return record
        except json.JSONDecodeError as error:
            problems.add(self._line, f"not JSON: {error.msg} at character {error.pos + 1:,}")
        except RecursionError:
            problems.add(self._line, "it is nested too deep to be read")
        except (InvalidInput, ValueError) as error:
            problems.add(self._line, str(error)[: _SHOWN * 2])
        return None

    def _record(self, found: dict[str, Any], line: str, start: int, problems: Problems) -> Record:
        kinds = (*found, *map(type, found.values()))
        shape = self._shapes.get(kinds) or self._learn(kinds, found)
        rest, text, author, time, stream, name, kind, reply_to, odd_time = shape
        payload = {key: found[key] for key in rest} if rest else _NOTHING
        known_kind = None if kind is None else _KINDS.get(found[kind])
        if kind is not None and known_kind is None:
            payload = {**payload, kind: found[kind]}
        words = found[text] if text else ""
        if not words and not known_kind and not (author and time):
            raise InvalidInput(_no_text(found))
        time_field = time or odd_time
        occurred, why = _moment(found[time_field]) if time_field else (None, None)
        if time_field and why:
            payload = {**payload, time_field: _kept(found[time_field]), TIME_UNKNOWN: True}
            problems.add_without_time(self._line, why)
        self._last_time = occurred or self._last_time
        return Record(
            words,
            known_kind or _MESSAGE,
            str(found[author]) if author else None,
            occurred,
            payload,
            (str(found[name]) if name else "") or self._name(line, start),
            self._stream or (str(found[stream]) if stream else "") or self._fallback,
            self._line,
            self.taken,
            Reference(str(found[reply_to])) if reply_to and found[reply_to] != "" else None,
            assumed_at=self._last_time or (self._written if why else None),
            has_id=bool(name and str(found[name])),
        )

    def _learn(self, kinds: tuple[Any, ...], found: Mapping[str, Any]) -> _Shape:
        """Locate the parts of records with these names and types; all such records are alike."""
        chosen = [
            next((name for name in names if type(found.get(name)) in types), None)
            for names, types in _ALIASES.values()
        ]
        rest = tuple(
            name
            for name in found
            if name not in chosen and not (name in _KNOWN and found[name] is None)
        )
        odd = next((one for one in _ALIASES["time"][0] if found.get(one) is not None), None)
        if len(self._shapes) >= _SHAPES_KEPT:
            self._shapes.clear()
        shape = self._shapes[kinds] = _Shape._make((rest, *chosen, None if chosen[_TIME] else odd))
        return shape

    def _name(self, line: str, start: int) -> str:
        return f"{self.fingerprint}:{start}:{_digest(line.encode())}"

    def _first_line(self) -> bytes:
        """The first line that is not blank, or enough of it to identify the file."""
        try:
            with closing(_Blocks(self._path)) as blocks:
                for line in iter(partial(io.BufferedReader(blocks).readline, _BLOCK), b""):
                    if words := line.removeprefix(_BOM).strip():
                        return words
        except (OSError, EOFError, zlib.error) as error:
            raise ImportFailed(f"The file {self.name} cannot be read: {error}.") from error
        return b""


class _Blocks(io.RawIOBase):
    """Uncompressed bytes of a file, block by block; the latest bytes can be read again."""

    def __init__(self, path: Path) -> None:
        self._raw = path.open("rb")
        packed = self._raw.read(len(_GZIP)) == _GZIP
        self._raw.seek(0)
        self._file = gzip.GzipFile(fileobj=self._raw) if packed else self._raw
        self._before = self._block = b""
        self._end = 0
        self.raw_offset = 0

    def before(self, offset: int) -> bytes:
        """Up to a window's length of bytes before an offset in the latest block."""
        known = self._before + self._block
        return known[: len(known) - (self._end - offset)][-_WINDOW:]

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._end

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Move to a byte, reading the window before it on the way."""
        if whence != io.SEEK_SET:
            raise io.UnsupportedOperation("This goes to a byte counted from the start only.")
        start = max(0, offset - _WINDOW)
        self._file.seek(start)
        self._before, self._block = b"", self._file.read(offset - start)
        self._end = start + len(self._block)
        return self._end

    def readinto(self, buffer: Any) -> int:
        """Read the next piece; a damaged file gives everything before the damage."""
        block = self._file.read1(len(buffer))
        buffer[: len(block)] = block
        if block:
            self._before, self._block = (self._before + self._block)[-_WINDOW:], block
            self._end += len(block)
        self.raw_offset = self._raw.tell()
        return len(block)

    def close(self) -> None:
        self._raw.close()
        super().close()


def _decoded(raw: bytes) -> tuple[str, bool]:
    """The text of a line, and whether all of its bytes were valid."""
    try:
        return raw.decode("utf-8"), True
    except UnicodeDecodeError:
        return raw.decode("utf-8", "replace"), False


def _no_text(found: Mapping[str, Any]) -> str:
    """Reason why a record is no event: its text is missing or is not text."""
    for name in _ALIASES["text"][0]:
        if found.get(name) is not None and not isinstance(found[name], str):
            return f"its {name!r} is {_type_name(found[name])}, not a text"
    return _NO_EVENT


def moment_of(value: str | int | float) -> datetime | None:
    """Parse a time: ISO 8601, in UTC where no zone is given, or a number since 1970."""
    if isinstance(value, str):
        value = value.strip()
        if value[4:5] == "-" or (value and not _NUMBER.fullmatch(value)):
            return _iso(value)
        if not value:
            return None
        value = float(value)
    if value < 0:
        raise InvalidTime(f"the time {value!r} is before 1970")
    unit = next((unit for least, unit in _UNITS if abs(value) >= least), 1)
    try:
        return from_microseconds(round(value * 1_000_000 / unit))
    except (OverflowError, ValueError):
        raise InvalidTime(f"the time {value!r} is out of range") from None


def _moment(value: Any) -> tuple[datetime | None, str | None]:
    """A time, or the reason why it cannot be read."""
    if type(value) not in _ALIASES["time"][1]:
        return None, f"{str(value)[:_SHOWN]!r} is not a time that can be read"
    try:
        return moment_of(value), None
    except (InvalidTime, ValueError, OverflowError) as error:
        return None, str(error)[: _SHOWN * 2]


def _kept(value: Any) -> Any:
    """The value found in place of a time, in a form that JSON can store."""
    return str(value) if isinstance(value, int | float) else value


def _iso(text: str) -> datetime:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise InvalidTime(f"{text[:_SHOWN]!r} is not a time that can be read") from None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _stem(path: Path) -> str:
    """The file's name without its extensions, as a name for a stream."""
    stem = path.name.removesuffix(".gz")
    stem = Path(stem).stem or stem
    printable = "".join(sign if sign.isprintable() else "_" for sign in stem)
    return printable[:NAME_LIMIT].strip() or "import"


def _digest(content: bytes) -> str:
    return hashlib.blake2b(content, digest_size=10).hexdigest()


def _type_name(found: object) -> str:
    names = {list: "a list", dict: "an object", str: "a text", type(None): "null", bool: "a flag"}
    return names.get(type(found), "a number")
