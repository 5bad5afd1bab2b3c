"""What a question names outright: files by their paths, modules by their dotted names."""

import re
from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np

from recollect.recall.field import Array

_PATH: Final = re.compile(
    r"[\w\-./\\]*[\w\-]+\.(?:pyi?|[cm]?jsx?|[cm]?tsx?|go|rs|java|cc?|cpp|hh?|hpp|cs|rb|php|md|rst"
    r"|html?|css|json|ya?ml|toml|sql|txt)\b"
)
_DOTTED: Final = re.compile(r"\b[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+\b")
_FEW: Final = 3
_ONE_OF_MANY: Final = 0.6
_BARE: Final = 0.4
_WITH_SYMBOL: Final = 0.8


def named_files(text: str, paths: Sequence[str]) -> Array:
    """How plainly a question names each file, from 0 to 1."""
    value = np.zeros(len(paths), np.float32)
    listed = [found.replace("\\", "/").lstrip("./") for found in _PATH.findall(text)]
    given = dict.fromkeys(listed, 1.0 if len(set(listed)) <= _FEW else _ONE_OF_MANY)
    if listed:
        given[listed[-1]] = 1.0  # of a traceback's many files the last is where it broke
    dotted = {found.replace(".", "/") for found in _DOTTED.findall(text)}
    if given:
        _by_path(given, paths, value)
    if dotted:
        _by_module(dotted, paths, value)
    return value


def _by_path(given: Mapping[str, float], paths: Sequence[str], value: Array) -> None:
    by_name: dict[str, list[int]] = {}
    for place, path in enumerate(paths):
        by_name.setdefault(path.rpartition("/")[2], []).append(place)
    for one, plain in given.items():
        listed = by_name.get(one.rpartition("/")[2], ())
        fitting = [place for place in listed if _same_end(paths[place], one)]
        plainly = "/" in one or len(fitting) == 1
        for place in fitting:
            value[place] = max(value[place], plain if plainly else 0.5)


def _by_module(dotted: set[str], paths: Sequence[str], value: Array) -> None:
    stems: dict[str, list[tuple[int, str]]] = {}
    for place, path in enumerate(paths):
        stem = path.rpartition(".")[0]
        stems.setdefault(stem.rpartition("/")[2], []).append((place, stem))
    for one in dotted:
        parts = one.split("/")
        for end in range(len(parts), 1, -1):
            ending = "/".join(parts[:end])
            for place, stem in stems.get(parts[end - 1], ()):
                if stem == ending or stem.endswith(f"/{ending}"):
                    whole = end == len(parts)  # a bare module is often only an import
                    value[place] = max(value[place], _BARE if whole else _WITH_SYMBOL)


def _same_end(path: str, given: str) -> bool:
    """Whether one of two paths is the end of the other: a traceback's are longer than ours."""
    return path == given or path.endswith(f"/{given}") or given.endswith(f"/{path}")
