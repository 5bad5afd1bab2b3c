"""Files that a question names: by path, by dotted module name, by identifiers that few define."""

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Final

import numpy as np

from recollect.recall.signals import Array
from recollect.vocabulary.lazy_patterns import lazy_pattern

_RUN: Final = lazy_pattern(r"[\w\-./\\]+")
_ENDING: Final = lazy_pattern(
    r"[\w\-]\.(?:pyi?|[cm]?jsx?|[cm]?tsx?|go|rs|java|cc?|cpp|hh?|hpp|cs|rb|php|md|rst"
    r"|html?|css|json|ya?ml|toml|sql|txt)\Z"
)
_DOTTED: Final = lazy_pattern(r"\b[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+\b")
_FROM: Final = lazy_pattern(r"\bfrom\s+([A-Za-z_][\w.]*)\s+import\s+\(?([\w ,\t]+)")
#: Words that can only be names: joined by underscores, in camel case, or followed by a call.
_IDENTIFIER: Final = lazy_pattern(
    r"\b(?:[A-Za-z]+_\w+|_?[A-Z][a-z0-9]+[A-Z][A-Za-z0-9]*|[a-z]+(?:[A-Z][a-z0-9]+)+|\w+(?=\())"
    r"\b"
)
_SHORTEST: Final = 4
_MAX_DEFINERS: Final = 4
_ROOTS: Final = ("src/", "lib/", "python/", "Lib/")
_LONGEST_ENDING: Final = 12
_MAX_PARTS: Final = 20
_FEW_FILES: Final = 3
_FIRST_OF_MANY: Final = 0.4
_ALONE: Final = 0.6
_ONE_OF_MANY: Final = 0.5
_BARE: Final = 0.4
_WITH_SYMBOL: Final = 0.8
_BELOW: Final = 0.6
_MAX_BELOW: Final = 5

#: Function that finds the files that define a name.
Definers = Callable[[str], Collection[int]]


def named_files(text: str, paths: Sequence[str], definers: Definers | None = None) -> Array:
    """How clearly a question names each file, from 0 to 1."""
    value = np.zeros(len(paths), np.float32)
    runs = (found.rstrip(".").replace("\\", "/").lstrip("./") for found in _RUN.findall(text))
    listed = [run for run in runs if _ENDING.search(run[-_LONGEST_ENDING:])]
    if listed:
        _by_path(list(dict.fromkeys(reversed(listed)))[::-1], paths, value)
    dotted = set(_DOTTED.findall(text))
    for module, names in _FROM.findall(text):
        dotted.update(f"{module}.{name}" for name in re.findall(r"\w+", names))
    if dotted:
        _by_module({one.replace(".", "/") for one in dotted}, paths, value)
        if definers is not None:
            _by_definition(dotted, paths, definers, value)
    return value


def defined_names(text: str, count: int, definers: Definers) -> Array:
    """Share of the names in a question that each file defines, from 0 to 1."""
    value = np.zeros(count, np.float32)
    for name in dict.fromkeys(_IDENTIFIER.findall(text)):
        defining = definers(name) if len(name) >= _SHORTEST else ()
        if 0 < len(defining) <= _MAX_DEFINERS:
            value[list(defining)] += np.float32(1 / len(defining))
    most = float(value.max(initial=0))
    return value / np.float32(most) if most > 0 else value


def _by_path(given: Sequence[str], paths: Sequence[str], value: Array) -> None:
    """Score files by their paths. Of the many paths in a traceback, the last one of this space is
    where it failed.
    """
    by_name: dict[str, list[int]] = {}
    for place, path in enumerate(paths):
        by_name.setdefault(path.rpartition("/")[2], []).append(place)
    met = []
    for one in given:
        listed = by_name.get(one.rpartition("/")[2], ())
        fitting = [place for place in listed if _same_end(paths[place], one)]
        if fitting:
            met.append((one, fitting))
    for order, (one, fitting) in enumerate(met, 1):
        later = _FIRST_OF_MANY + (1 - _FIRST_OF_MANY) * order / len(met)
        plain = 1.0 if len(met) <= _FEW_FILES else later
        if "/" not in one:
            plain = min(plain, _ALONE if len(fitting) == 1 else _ONE_OF_MANY)
        for place in fitting:
            value[place] = max(value[place], plain)


def _by_module(dotted: Iterable[str], paths: Sequence[str], value: Array) -> None:
    stems: dict[str, list[tuple[int, str]]] = {}
    for place, path in enumerate(paths):
        stem = path.rpartition(".")[0]
        stems.setdefault(stem.rpartition("/")[2], []).append((place, stem))
    for one in dotted:
        parts = one.split("/")[:_MAX_PARTS]
        for end in range(len(parts), 1, -1):
            ending = "/".join(parts[:end])
            for place, stem in stems.get(parts[end - 1], ()):
                if stem == ending or stem.endswith(f"/{ending}"):
                    whole = end == len(parts)  # a bare module is often only an import
                    value[place] = max(value[place], _BARE if whole else _WITH_SYMBOL)


def _by_definition(
    dotted: Iterable[str], paths: Sequence[str], definers: Definers, value: Array
) -> None:
    """Score the files below a package that define a name which the package exports."""
    for one in dotted:
        package, _, name = one.rpartition(".")
        if "." not in package or len(name) < _FEW_FILES:
            continue
        folder = f"/{package.replace('.', '/')}/"
        below = [place for place in definers(name) if folder in f"/{paths[place]}"]
        if len(below) <= _MAX_BELOW:
            for place in below:
                value[place] = max(value[place], _BELOW)


def _same_end(path: str, given: str) -> bool:
    """Whether one of two paths is the end of the other: paths in a traceback are longer than stored
    ones.
    """
    if path == given or path.endswith(f"/{given}"):
        return True
    installed = next((path[len(root) :] for root in _ROOTS if path.startswith(root)), path)
    return "/" in installed and given.endswith((f"/{path}", f"/{installed}"))
