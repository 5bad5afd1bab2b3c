"""Parses JSON from a model's answer that may be wrapped, cut off or malformed.

A value that can be understood is taken, one that cannot is a ``ValueError``; nothing is invented: a
field that is missing and has no default makes the whole answer unusable. Invalid JSON is repaired
by ``json-repair``, and the values are validated by ``pydantic``; both are loaded only when a model
has answered.
"""

import json
import re
from dataclasses import MISSING, fields, is_dataclass
from enum import Enum
from functools import cache
from types import UnionType
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    Final,
    TypeVar,
    Union,
    get_args,
    get_origin,
    get_type_hints,
)

if TYPE_CHECKING:
    from pydantic import TypeAdapter

T = TypeVar("T")

_FENCE: Final = re.compile(r"```(?:json|JSON)?\s*+(.*?)(?:```|\Z)", re.DOTALL)
_LONGEST: Final = 200_000
#: Longest text that is repaired, in characters: the time grows with the square of a hostile text,
#: and no task asks for more.
_REPAIRED: Final = 8_000
#: How many objects and lists an answer may leave open: one that was cut off leaves a few, and a
#: text of nothing but openings takes seconds to repair.
_LEFT_OPEN: Final = 50
_FLAGS: Final = {"oui": "yes", "non": "no", "": "no"}


def json_in(text: str) -> dict[str, Any]:
    """The object in an answer. ValueError if there is none."""
    plain = text[:_LONGEST].strip().lstrip("\ufeff")
    for read in (_read, _read_fenced, _read_first_object, _repaired):
        try:
            found = read(plain)
        except (ValueError, RecursionError):
            continue
        if isinstance(found, list) and found and isinstance(found[0], dict):
            found = found[0]
        if isinstance(found, dict):
            return found
    raise ValueError("no object of JSON is in it")


def fitted(kind: type[T], answer_fields: dict[str, Any]) -> T:
    """A value of the kind from parsed JSON. ValueError if something does not fit."""
    if not is_dataclass(kind):
        raise TypeError(f"{kind} is no dataclass")
    names = {_bare(name): value for name, value in answer_fields.items()}
    checks = _checks(kind)
    values: dict[str, Any] = {}
    for one in fields(kind):
        if _bare(one.name) in names:
            values[one.name] = _checked(checks[one.name], one.name, names[_bare(one.name)])
        elif one.default is MISSING and one.default_factory is MISSING:
            raise ValueError(f"{one.name} is missing")
    return kind(**values)


def _checked(check: "TypeAdapter[Any]", name: str, value: Any) -> Any:
    from pydantic import ValidationError

    try:
        return check.validate_python(value)
    except (ValidationError, TypeError, OverflowError) as error:
        raise ValueError(f"{name} does not fit") from error


def _read(plain: str) -> Any:
    return json.loads(plain, strict=False)


def _read_fenced(plain: str) -> Any:
    fenced = _FENCE.search(plain)
    return _read(fenced.group(1).strip()) if fenced else None


def _read_first_object(plain: str) -> Any:
    """The first object, whatever is around it."""
    return json.JSONDecoder(strict=False).raw_decode(plain, max(plain.find("{"), 0))[0]


def _repaired(plain: str) -> Any:
    """The first object, repaired; a value cut off before it began is left out."""
    import json_repair

    start = plain.find("{")
    if start < 0:
        return None
    cut = plain[start : start + _REPAIRED]
    if sum(map(cut.count, "{[")) - sum(map(cut.count, "}]")) > _LEFT_OPEN:
        return None
    found = json_repair.loads(cut, skip_json_loads=True)
    if isinstance(found, dict) and '""' not in cut and "''" not in cut:
        return {name: value for name, value in found.items() if value != ""}
    return found


@cache
def _checks(kind: type) -> "dict[str, TypeAdapter[Any]]":
    """The validator of each field."""
    from pydantic import ConfigDict, TypeAdapter

    config = ConfigDict(coerce_numbers_to_str=True, str_strip_whitespace=True, allow_inf_nan=False)
    return {
        name: TypeAdapter(_lenient(hint), config=config)
        for name, hint in get_type_hints(kind).items()
    }


def _lenient(kind: Any) -> Any:
    """A type that also accepts what models write for it: 80 % for a number, one item for a list."""
    from pydantic import BeforeValidator

    origin, inner = get_origin(kind), get_args(kind)
    if origin in (Union, UnionType):
        return _lenient(next(one for one in inner if one is not type(None))) | None
    if origin is tuple:
        items: Any = tuple
        return Annotated[items[_lenient(inner[0]), ...], BeforeValidator(_as_list)]
    if isinstance(kind, type) and issubclass(kind, Enum):
        return Annotated[kind, BeforeValidator(lambda value: str(value).strip().lower())]
    before = _BEFORE.get(kind)
    return kind if before is None else Annotated[kind, BeforeValidator(before)]


def _as_list(value: Any) -> Any:
    return value if isinstance(value, list) else [value] if value not in (None, "") else []


def _as_number(value: Any) -> Any:
    if isinstance(value, bool):
        raise ValueError("a truth value is no number")
    return value.strip().rstrip("%") if isinstance(value, str) else value


def _as_flag(value: Any) -> Any:
    said = str(value).strip().lower()
    return _FLAGS.get(said, said)


_BEFORE: Final[dict[type, Any]] = {
    float: _as_number,
    int: lambda value: int(float(_as_number(value))),
    bool: _as_flag,
}


def _bare(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())
