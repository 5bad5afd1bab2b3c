"""Requests and results of panel pages: the visitor's view of the memory, fields, redirects."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple
from urllib.parse import parse_qsl, urlencode

from recollect.engine import Recollect
from recollect.vocabulary.errors import InvalidInput

GET: Final = "GET"
POST: Final = "POST"
_MAX_FIELDS: Final = 2_000


@dataclass(frozen=True, slots=True)
class Fields:
    """Names and values of a query or a form, in their order."""

    pairs: tuple[tuple[str, str], ...] = ()

    def get(self, name: str, default: str = "") -> str:
        """First value of a name, stripped of spaces."""
        return next((value.strip() for key, value in self.pairs if key == name), default)

    def whole(self, name: str) -> str:
        """First value of a name, unchanged."""
        return next((value for key, value in self.pairs if key == name), "")

    def all(self, name: str) -> tuple[str, ...]:
        """Non-empty values of a name."""
        return tuple(value.strip() for key, value in self.pairs if key == name and value.strip())

    def words(self, name: str) -> tuple[str, ...]:
        """Values of a name, where one field holds several, separated by commas."""
        parts = (part.strip() for value in self.all(name) for part in value.split(","))
        return tuple(part for part in parts if part)

    def has(self, name: str) -> bool:
        """Whether a name has a non-empty value."""
        return bool(self.get(name))


def fields_of(text: str) -> Fields:
    """Parse the fields of a query string or of a form's body."""
    try:
        pairs = parse_qsl(text, keep_blank_values=True, max_num_fields=_MAX_FIELDS)
    except ValueError as error:
        raise InvalidInput("The form has too many fields. Nothing was done.") from error
    return Fields(tuple(pairs))


class ConfiguredSetting(NamedTuple):
    """A setting of the server, with its value as it may be shown and where the value came from."""

    name: str
    value: str
    origin: str
    help: str


@dataclass(frozen=True, slots=True)
class PageRequest:
    """One request for a page, or one form submission on it."""

    memory: Recollect
    path: str
    names: Mapping[str, str] = field(default_factory=dict)
    query: Fields = field(default_factory=Fields)
    form: Fields = field(default_factory=Fields)
    language: str = "en"
    form_token: str = ""
    logged_in: bool = False
    fragment: bool = False
    configured: Sequence[ConfiguredSetting] = ()

    @property
    def address(self) -> str:
        """Address of the page, with its query."""
        told = urlencode([pair for pair in self.query.pairs if pair[1]])
        return f"{self.path}?{told}" if told else self.path


@dataclass(frozen=True, slots=True)
class Rendered:
    """A page: a template and the values for it."""

    template: str
    values: Mapping[str, Any] = field(default_factory=dict)
    status: int = 200


@dataclass(frozen=True, slots=True)
class Redirect:
    """Result of a form: the page to show next, and a notice to show there."""

    path: str
    done: str = ""
    undo: str = ""  # path of a form without fields that undoes the action
    values: Mapping[str, str | int] = field(default_factory=dict)  # values for the notice
    cookies: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Download:
    """A file to download."""

    name: str
    pieces: Any
    media_type: str


Answer = Rendered | Redirect | Download


@dataclass(frozen=True, slots=True)
class PageRoute:
    """Path of a page and the function that renders it, which runs on the thread pool."""

    method: str
    path: str
    make: Callable[[PageRequest], Answer]


def back_to(request: PageRequest, otherwise: str) -> str:
    """Page of the panel that a form was sent from; a default for other addresses."""
    wanted = request.form.get("back")
    safe = wanted == "/" or (wanted.startswith("/panel/") and "\\" not in wanted)
    return wanted if safe and not _has_control(wanted) else otherwise


def _has_control(text: str) -> bool:
    return any(ord(character) < 32 for character in text)


def chosen(wanted: str, known: Sequence[str], otherwise: str = "") -> str:
    """The choice if it is one of the allowed ones; otherwise a default."""
    return wanted if wanted in known else otherwise
