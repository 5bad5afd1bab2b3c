"""What a page is given: the memory as its visitor sees it, and what was asked of the page."""

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
        """The first value of a name, without spaces around it."""
        return next((value.strip() for key, value in self.pairs if key == name), default)

    def whole(self, name: str) -> str:
        """The first value of a name as it was typed."""
        return next((value for key, value in self.pairs if key == name), "")

    def all(self, name: str) -> tuple[str, ...]:
        """Every value of a name that is not empty."""
        return tuple(value.strip() for key, value in self.pairs if key == name and value.strip())

    def words(self, name: str) -> tuple[str, ...]:
        """The values of a name, where one field holds several with commas between."""
        parts = (part.strip() for value in self.all(name) for part in value.split(","))
        return tuple(part for part in parts if part)

    def has(self, name: str) -> bool:
        """Whether a name is there and not empty."""
        return bool(self.get(name))


def fields_of(text: str) -> Fields:
    """The fields of a query string or of a form's body."""
    try:
        pairs = parse_qsl(text, keep_blank_values=True, max_num_fields=_MAX_FIELDS)
    except ValueError as error:
        raise InvalidInput("The form has too many fields. Nothing was done.") from error
    return Fields(tuple(pairs))


class ConfiguredSetting(NamedTuple):
    """A setting of the server, with its value as it may be shown and where that came from."""

    name: str
    value: str
    origin: str
    help: str


@dataclass(frozen=True, slots=True)
class PageRequest:
    """One request for a page, or one press of a button on it."""

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
        """The page's own address, with its query."""
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
    """What a button answers: the page to look at next, and a sentence to show there."""

    path: str
    done: str = ""
    undo: str = ""  # what takes it back: the path of a form without fields
    values: Mapping[str, str | int] = field(default_factory=dict)  # what its sentence speaks of
    cookies: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Download:
    """A file to keep."""

    name: str
    pieces: Any
    media_type: str


Answer = Rendered | Redirect | Download


@dataclass(frozen=True, slots=True)
class PageRoute:
    """Where a page is, and the function that makes it. It runs on a thread of the pool."""

    method: str
    path: str
    make: Callable[[PageRequest], Answer]


def back_to(request: PageRequest, otherwise: str) -> str:
    """Where a form says that it was pressed, when that is a page of the panel."""
    wanted = request.form.get("back")
    safe = wanted == "/" or (wanted.startswith("/panel/") and "\\" not in wanted)
    return wanted if safe and not _has_control(wanted) else otherwise


def _has_control(text: str) -> bool:
    return any(ord(character) < 32 for character in text)


def chosen(wanted: str, known: Sequence[str], otherwise: str = "") -> str:
    """A choice that is one of those there are."""
    return wanted if wanted in known else otherwise
