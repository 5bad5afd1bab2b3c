"""Reader of Slack exports: a folder per channel, a file per day, and lists of channels and people.

A message is identified by its time stamp, which is unique in its channel, so a reply can name its
parent before the parent was read. The position counts files: a file is read completely or again. A
channel that is not in the list of public ones is private. Names are looked up in the export's
contents and never made into paths, so nothing outside the export is touched; an archive is never
unpacked to disk.
"""

import hashlib
import json
import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final

from recollect.pages.formats import (
    Position,
    Problems,
    Record,
    Reference,
    StreamProperties,
)
from recollect.pages.formats.slack_files import ExportFiles
from recollect.vocabulary.arguments import NAME_LIMIT
from recollect.vocabulary.clock import from_microseconds
from recollect.vocabulary.errors import ImportFailed, InvalidTime
from recollect.vocabulary.events import HANDLE, TIME_UNKNOWN, EventKind
from recollect.vocabulary.streams import StreamAccess, StreamKind

_LISTS: Final = ("channels.json", "groups.json", "mpims.json", "dms.json")
_PEOPLE: Final = "users.json"
_SAID: Final = frozenset(
    (None, "bot_message", "file_comment", "file_share", "me_message", "thread_broadcast")
)
#: An object with none of these fields is no message, whatever else it contains.
_MESSAGE_PARTS: Final = frozenset(
    ("type", "subtype", "text", "user", "bot_id", "username", "files", "attachments", "blocks")
)
_TAKEN: Final = frozenset(("type", "text", "reactions"))
_STAMP: Final = re.compile(r"(\d{1,12})(?:\.(\d{1,6})\d*)?")
_MARKUP: Final = re.compile(r"<([@#!][^<>|]*|[^<>|\s]+)(?:\|([^<>]*))?>")

Message = Mapping[str, Any]


class SlackExport:
    """One export, as a folder or as an archive."""

    format = "slack"

    def __init__(
        self, name: str, files: ExportFiles, private: Collection[str] | None = None
    ) -> None:
        self.name = name
        self._files = files
        self._chosen = None if private is None else frozenset(private)
        people = _objects(files, _PEOPLE)
        self._people = _names(people)
        self._handles = _handles(people)
        self._channels: dict[str, str] = {}
        self._wishes: dict[str, StreamProperties] = {}
        self._learn_channels()
        self._days = self._ordered_days()
        self._read = 0
        self._inside = False
        self._last: datetime | None = None
        self.taken = 0
        self.total = len(self._days)

    @property
    def fingerprint(self) -> str:
        """Digest of the lists; an export made later is another source."""
        digest = hashlib.blake2b(digest_size=10)
        for name in (*_LISTS, _PEOPLE):
            digest.update(self._files.read(name) if name in self._files else b"")
        if self._chosen is not None:  # another choice reads other files
            digest.update("\x1f".join(sorted(self._chosen)).encode("utf-8", "replace"))
        return digest.hexdigest()

    def private(self) -> list[StreamProperties]:
        """Private channels and direct messages with content in the export."""
        folders = dict.fromkeys(folder for folder, _ in self._files.days())
        wishes = [self.stream_properties(folder) for folder in folders]
        return [properties for properties in wishes if properties.access is StreamAccess.PRIVATE]

    @property
    def done(self) -> int:
        """Number of files read completely."""
        return self._read

    def close(self) -> None:
        """Close the archive."""
        self._files.close()

    def stream_properties(self, stream: str) -> StreamProperties:
        """Properties from the export's lists; private when the lists do not name the channel."""
        return self._wishes.get(stream) or StreamProperties(
            stream, StreamKind.CHANNEL, StreamAccess.PRIVATE
        )

    def continues(self, position: Position) -> bool:
        """Whether the files before the position have the same names and sizes."""
        count = int(position["after"])
        return count <= self.total and self._listing(count) == position["listing"]

    def position(self) -> Position | None:
        """Number of files read completely."""
        if self._inside:
            return None
        return {"after": self._read, "listing": self._listing(self._read)}

    def records(self, position: Position | None, problems: Problems) -> Iterator[Record]:
        """Messages of the files after the position."""
        self._read = int(position["after"]) if position else 0
        for channel, day in self._days[self._read :]:
            messages = self._messages(day, problems)
            self._inside, self._last = True, _begin(day)
            for number, message in enumerate(messages, 1):
                if number == len(messages):
                    self._inside = False
                    self._read += 1
                record = self._record(message, channel, f"{day}, message {number:,}", problems)
                if record is not None:
                    yield record
            if not messages:
                self._inside = False
                self._read += 1

    def _messages(self, day: str, problems: Problems) -> Sequence[Any]:
        try:
            content = self._files.read(day)
            self.taken += len(content)
            found = json.loads(content.decode("utf-8-sig", "replace"))
        except (ValueError, RecursionError, ImportFailed) as error:
            problems.add(day, f"not read: {error}")
            return ()
        if not isinstance(found, list):
            problems.add(day, "not a list of messages")
            return ()
        return found

    def _record(self, message: Any, channel: str, place: str, problems: Problems) -> Record | None:
        if not isinstance(message, dict) or _MESSAGE_PARTS.isdisjoint(message):
            problems.add(place, "not a message")
            return None
        stamp = message.get("ts")
        payload = {key: value for key, value in message.items() if key not in _TAKEN}
        try:
            occurred = self._last = stamped(stamp)
        except InvalidTime as error:
            problems.add_without_time(place, error.message)
            occurred, payload = None, {**payload, TIME_UNKNOWN: True}
        author, handle = self._author(message), self._handles.get(str(message.get("user")))
        if handle not in (None, author):
            payload[HANDLE] = handle
        return Record(
            text=self._text(message.get("text")),
            kind=EventKind.MESSAGE if _subtype(message) in _SAID else EventKind.SYSTEM,
            author=author,
            occurred_at=occurred,
            payload=payload,
            external_id=place if occurred is None else str(stamp),
            stream=channel,
            place=place,
            after=self._read,
            answers=_parent(message),
            edited_at=_edited(message),
            reactions=tuple(self._reactions(message)),
            assumed_at=self._last,
        )

    def _author(self, message: Message) -> str:
        """Author of a message: from the list of people, from the message itself, or its id."""
        user = message.get("user")
        profile = message.get("user_profile") or message.get("bot_profile")
        profile_names = profile if isinstance(profile, dict) else {}
        names = (
            self._people.get(user) if isinstance(user, str) else None,
            profile_names.get("display_name"),
            profile_names.get("real_name"),
            message.get("username"),
            profile_names.get("name"),
            user,
            message.get("bot_id"),
        )
        return next((_short(name) for name in names if isinstance(name, str) and name), "slack")

    def _reactions(self, message: Message) -> Iterator[tuple[str, str]]:
        """Reactions with their authors, each once."""
        seen = set()
        for reaction in _dicts(message.get("reactions")):
            emoji, users = reaction.get("name"), reaction.get("users")
            for user in users if isinstance(users, list) else ():
                if not (isinstance(emoji, str) and emoji and isinstance(user, str) and user):
                    continue
                sign = _short(self._people.get(user, user)), _short(emoji)
                if sign not in seen:
                    seen.add(sign)
                    yield sign

    def _text(self, text: object) -> str:
        """The text as readers saw it: people and channels by name, links beside their labels."""
        if not isinstance(text, str):
            return ""
        shown = _MARKUP.sub(self._shown, text)
        return shown.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")

    def _shown(self, found: re.Match[str]) -> str:
        target, label = found[1], found[2]
        if target[0] == "@":
            return f"@{self._people.get(target[1:]) or label or target[1:]}"
        if target[0] == "#":
            return f"#{label or self._channels.get(target[1:]) or target[1:]}"
        if target[0] == "!":
            return label or f"@{target[1:]}"
        address = target.removeprefix("mailto:")
        return f"{label} ({address})" if label and label not in (target, address) else address

    def _learn_channels(self) -> None:
        for name in _LISTS:
            for channel in _dicts(_objects(self._files, name)):
                folder = channel.get("name") or channel.get("id")
                if not isinstance(folder, str):
                    continue
                self._channels[str(channel.get("id"))] = folder
                self._wishes[folder] = self._properties_of(name, folder, channel.get("members"))

    def _properties_of(self, listed_in: str, folder: str, members: object) -> StreamProperties:
        talk = listed_in in ("mpims.json", "dms.json")
        kind = StreamKind.CHAT if talk else StreamKind.CHANNEL
        if listed_in == "channels.json":
            return StreamProperties(folder, kind)
        users = members if isinstance(members, list) else []
        names = (
            self._people.get(user) or _short(user)
            for user in users
            if isinstance(user, str) and user.strip()
        )
        return StreamProperties(folder, kind, StreamAccess.PRIVATE, tuple(dict.fromkeys(names)))

    def _ordered_days(self) -> list[tuple[str, str]]:
        """Channel and file, in the order of the channel lists and then of the days."""
        order = {folder: number for number, folder in enumerate(self._wishes)}
        return sorted(
            (day for day in self._files.days() if self._belongs(day[0])),
            key=lambda day: (order.get(day[0], len(order)), day[0], day[1]),
        )

    def _belongs(self, folder: str) -> bool:
        """Whether a channel is read: public ones always, private ones if selected."""
        return (
            self._chosen is None
            or folder in self._chosen
            or self.stream_properties(folder).access is not StreamAccess.PRIVATE
        )

    def _listing(self, count: int) -> str:
        digest = hashlib.blake2b(digest_size=10)
        for _, day in self._days[:count]:
            digest.update(f"{day}\x1f{self._files.size(day)}\x1e".encode("utf-8", "replace"))
        return digest.hexdigest()


def stamped(stamp: object) -> datetime:
    """Time of a time stamp such as 1512085950.000216, to its last digit."""
    found = _STAMP.fullmatch(stamp) if isinstance(stamp, str) else None
    if found is None:
        raise InvalidTime("has no time stamp that can be read")
    try:
        return from_microseconds(int(found[1]) * 1_000_000 + int((found[2] or "0").ljust(6, "0")))
    except OverflowError:
        raise InvalidTime("has a time stamp that is out of range") from None


def _begin(day: str) -> datetime | None:
    """Beginning of a file's day, from the file's name."""
    try:
        return datetime.fromisoformat(day.rpartition("/")[2].removesuffix(".json")).replace(
            tzinfo=UTC
        )
    except ValueError:
        return None


def _parent(message: Message) -> Reference | None:
    """The message that a message answers; an unreadable stamp stays in the payload only."""
    parent = message.get("thread_ts")
    if parent in (None, message.get("ts")):
        return None
    try:
        return Reference(str(parent), stamped(parent))
    except InvalidTime:
        return None


def _edited(message: Message) -> datetime | None:
    edited = message.get("edited")
    try:
        return stamped(edited.get("ts")) if isinstance(edited, dict) else None
    except InvalidTime:
        return None


def _subtype(message: Message) -> str | None:
    subtype = message.get("subtype")
    return subtype if isinstance(subtype, str) else None


def _objects(files: ExportFiles, name: str) -> object:
    """Objects of one of the lists, if it exists."""
    if name not in files:
        return []
    try:
        return json.loads(files.read(name).decode("utf-8-sig", "replace"))
    except (ValueError, RecursionError) as error:
        raise ImportFailed(f"The export's {name} cannot be read: {error}.") from error


def _dicts(found: object) -> list[dict[str, Any]]:
    return [item for item in found if isinstance(item, dict)] if isinstance(found, list) else []


def _names(people: object) -> dict[str, str]:
    """Names of people; where two have the same name, with their handle."""
    profile_names = {
        person["id"]: (_called(person), str(person.get("name") or person["id"]))
        for person in _dicts(people)
        if isinstance(person.get("id"), str)
    }
    often = Counter(called for called, _ in profile_names.values())
    return {
        user: _short(called if often[called] == 1 else f"{called} ({handle})")
        for user, (called, handle) in profile_names.items()
    }


def _handles(people: object) -> dict[str, str]:
    """Login names of people, which differ from their display names."""
    return {
        person["id"]: _short(person["name"])
        for person in _dicts(people)
        if isinstance(person.get("id"), str)
        and isinstance(person.get("name"), str)
        and person["name"].strip()
    }


def _called(person: Mapping[str, Any]) -> str:
    profile = person.get("profile")
    profile_names = profile if isinstance(profile, dict) else {}
    names = (
        profile_names.get("display_name"),
        profile_names.get("real_name"),
        person.get("real_name"),
        person.get("name"),
    )
    return next((name for name in names if isinstance(name, str) and name.strip()), person["id"])


def _short(name: str) -> str:
    """The name on one line, cut to the longest permitted length."""
    printable = "".join(sign if sign.isprintable() else " " for sign in name)
    return printable[:NAME_LIMIT].strip() or "slack"
