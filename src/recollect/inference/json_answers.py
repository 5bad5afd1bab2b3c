"""Reads what a model meant: JSON from an answer that may be wrapped, cut off or sloppy.

A value that can be understood is taken, one that cannot is a ``ValueError``; nothing is invented:
a field that is missing and has no default makes the whole answer unusable.
"""

import json
import math
import re
from dataclasses import MISSING, fields, is_dataclass
from enum import Enum
from types import UnionType
from typing import Any, Final, TypeVar, Union, get_args, get_origin, get_type_hints

T = TypeVar("T")

_FENCE: Final = re.compile(r"```(?:json|JSON)?\s*+(.*?)(?:```|\Z)", re.DOTALL)
_TRAILING: Final = re.compile(r",(\s*[}\]])")
_LONGEST: Final = 200_000
_TRUE: Final = frozenset({"true", "yes", "1", "oui"})
_FALSE: Final = frozenset({"false", "no", "0", "non", ""})


def json_in(text: str) -> dict[str, Any]:
    """The object in an answer. ValueError when there is none."""
    plain = text[:_LONGEST].strip().lstrip("\ufeff")
    for candidate in _candidates(plain):
        try:
            found = json.loads(candidate, strict=False)
        except (ValueError, RecursionError):
            continue
        if isinstance(found, list) and found and isinstance(found[0], dict):
            found = found[0]
        if isinstance(found, dict):
            return found
    raise ValueError("no object of JSON is in it")


def fitted(kind: type[T], told: dict[str, Any]) -> T:
    """A value of the kind from what was told. ValueError when something does not fit."""
    if not is_dataclass(kind):
        raise TypeError(f"{kind} is no dataclass")
    names = {_bare(name): value for name, value in told.items()}
    hints = get_type_hints(kind)
    values: dict[str, Any] = {}
    for one in fields(kind):
        if _bare(one.name) in names:
            values[one.name] = _as(hints[one.name], names[_bare(one.name)], one.name)
        elif one.default is MISSING and one.default_factory is MISSING:
            raise ValueError(f"{one.name} is missing")
    return kind(**values)


def _candidates(plain: str) -> list[str]:
    """Ways to read the text as JSON, the most faithful first."""
    found = [plain]
    fenced = _FENCE.search(plain)
    if fenced:
        found.append(fenced.group(1).strip())
    start = plain.find("{")
    if start >= 0:
        whole, closers = _balanced(plain[start:])
        found.append(whole)
        found.append(_TRAILING.sub(r"\1", whole))
        if closers:
            cut = whole.rstrip().rstrip(",:")
            found.append(_TRAILING.sub(r"\1", cut + closers))
            last = max(cut.rfind(","), cut.rfind("{"))
            shorter = cut[: last + 1].rstrip(",")
            found.append(shorter + _balanced(shorter)[1])
    return found


def _balanced(text: str) -> tuple[str, str]:
    """The first whole object of a text, and what would close it where it was cut off."""
    stack: list[str] = []
    inside = escaped = False
    for place, sign in enumerate(text):
        if inside:
            if escaped:
                escaped = False
            elif sign == "\\":
                escaped = True
            elif sign == '"':
                inside = False
        elif sign == '"':
            inside = True
        elif sign in "{[":
            stack.append("}" if sign == "{" else "]")
        elif sign in "}]" and stack:
            stack.pop()
            if not stack:
                return text[: place + 1], ""
    return text, ('"' if inside else "") + "".join(reversed(stack))


def _as(kind: Any, value: Any, name: str) -> Any:
    origin = get_origin(kind)
    if origin in (Union, UnionType):
        inner = [one for one in get_args(kind) if one is not type(None)]
        return None if value is None else _as(inner[0], value, name)
    if origin is tuple:
        items = value if isinstance(value, list) else [value] if value not in (None, "") else []
        return tuple(_as(get_args(kind)[0], item, name) for item in items)
    if isinstance(kind, type) and issubclass(kind, Enum):
        return kind(str(value).strip().lower())
    for plain, convert in _CONVERTS.items():
        if kind is plain:
            return convert(value, name)
    raise ValueError(f"{name} is of a kind that is not known")


def _text(value: Any, name: str) -> str:
    if isinstance(value, str):
        return value.strip()
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    raise ValueError(f"{name} is no text")


def _number(value: Any, name: str) -> float:
    if isinstance(value, bool):
        raise ValueError(f"{name} is no number")
    if isinstance(value, str):
        value = value.strip().rstrip("%")
    number = float(value)
    if not math.isfinite(number):
        raise ValueError(f"{name} is no number")
    return number


def _flag(value: Any, name: str) -> bool:
    if isinstance(value, bool):
        return value
    said = str(value).strip().lower()
    if said in _TRUE or said in _FALSE:
        return said in _TRUE
    raise ValueError(f"{name} is neither yes nor no")


_CONVERTS: Final[dict[type, Any]] = {
    str: _text,
    float: _number,
    int: lambda value, name: int(_number(value, name)),
    bool: _flag,
}


def _bare(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())
