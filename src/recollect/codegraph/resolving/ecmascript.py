"""Module resolution for JavaScript and TypeScript: extensions, aliases, packages, workspaces."""

import fnmatch
import json
import posixpath
import re
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, Final

from recollect.codegraph.facts import Import
from recollect.codegraph.resolving.project import CodeProject, Entity, module

_SCRIPTS: Final = (".ts", ".tsx", ".d.ts", ".js", ".jsx", ".mts", ".cts", ".mjs", ".cjs")
_ENDINGS: Final = (*_SCRIPTS, ".json", ".d.mts", ".d.cts", ".vue", ".svelte")
_WRITTEN_AS: Final = {
    ".js": (".ts", ".tsx", ".d.ts", ".jsx"),
    ".jsx": (".tsx",),
    ".mjs": (".mts", ".d.mts"),
    ".cjs": (".cts", ".d.cts"),
}
_DECLARED_AS: Final = {".ts": (".d.ts",), ".mts": (".d.mts",), ".cts": (".d.cts", ".d.ts")}
_CONDITIONS: Final = (
    "source",
    "types",
    "import",
    "module",
    "node",
    "default",
    "require",
    "browser",
)
_COMMENT: Final = re.compile(r'("(?:[^"\\]|\\(?:.|\Z))*(?:"|\Z))|//[^\n]*|/\*.*?(?:\*/|\Z)', re.S)
_TRAILING: Final = re.compile(r",(\s*[}\]])")


def read_json(text: str) -> Any:
    """Parse configuration JSON with comments and trailing commas; nothing if unreadable."""
    plain = _COMMENT.sub(lambda found: found[1] or "", text)
    try:
        return json.loads(_TRAILING.sub(r"\1", plain))
    except ValueError:
        return {}


class EcmascriptModules:
    """Resolves an import to a file."""

    def __init__(self, project: CodeProject, config: Callable[[str], str]) -> None:
        self._project = project
        self._config = config
        self._aliases: dict[str, list[tuple[str, list[str]]]] = {}

    def siblings(self, path: str) -> Sequence[str]:
        """No files: no file shares its names with another."""
        return ()

    def below(self, entity: Entity, name: str) -> Entity | None:
        """None: a module has no submodules by name."""
        return None

    def bind(self, path: str, one: Import) -> list[Entity]:
        """The module that an import names, if it belongs to the project."""
        self._project.note(posixpath.basename(one.module), posixpath.dirname(one.module))
        found = self._resolve(path, one.module.partition("?")[0])
        return [module(found)] if found else []

    def _resolve(self, path: str, spec: str) -> str | None:
        if spec.startswith(".") or spec == "":
            return self._file(posixpath.normpath(posixpath.join(posixpath.dirname(path), spec)))
        for pattern, targets in self._aliases_for(path):
            star = _matched(pattern, spec)
            if star is not None:
                for target in targets:
                    found = self._file(posixpath.normpath(target.replace("*", star)))
                    if found:
                        return found
        if spec.startswith("#"):
            return self._own_imports(path, spec)
        return self._package(spec)

    def _file(self, place: str) -> str | None:
        if place.startswith(".."):
            return None
        place = "" if place == "." else place
        stem, suffix = posixpath.splitext(place)
        candidates = [stem + other for other in _WRITTEN_AS.get(suffix, ())]
        candidates += [place, *(place + ending for ending in _ENDINGS)]
        candidates += [stem + other for other in _DECLARED_AS.get(suffix, ())]
        for candidate in candidates if place else ():
            if self._project.has(candidate):
                return candidate
        manifest = posixpath.join(place, "package.json")
        if place and self._project.has(manifest):
            found = self._main(place, read_json(self._config(manifest)))
            if found:
                return found
        for ending in _ENDINGS:
            index = posixpath.join(place, f"index{ending}")
            if self._project.has(index):
                return index
        return None

    def _main(self, folder: str, manifest: Any) -> str | None:
        if not isinstance(manifest, dict):
            return None
        for field in ("source", "types", "typings", "module", "main"):
            config_document = manifest.get(field)
            if isinstance(config_document, str):
                place = posixpath.normpath(posixpath.join(folder, config_document))
                if place != folder and (found := self._built(folder, place)):
                    return found
        return None

    def _built(self, folder: str, place: str) -> str | None:
        """A file, or the source from which a build makes it."""
        found = self._file(place) if place != folder else None
        if found:
            return found
        below = posixpath.relpath(place, folder)
        first, _, rest = below.partition("/")
        if rest and first in {"dist", "lib", "build", "out", "es", "esm", "cjs"}:
            stem = re.sub(r"\.d\.[cm]?ts$|\.[cm]?js$", "", rest)
            for source in ("src", "source", ""):
                found = self._file(posixpath.normpath(posixpath.join(folder, source, stem)))
                if found:
                    return found
        return None

    @cached_property
    def _packages(self) -> dict[str, tuple[str, Any]]:
        """Packages of the project by name: workspaces, and the project itself."""
        found: dict[str, tuple[str, Any]] = {}
        for path in self._project.languages:
            if posixpath.basename(path) == "package.json":
                manifest = read_json(self._config(path))
                name = manifest.get("name") if isinstance(manifest, dict) else None
                if isinstance(name, str):
                    found.setdefault(name, (posixpath.dirname(path), manifest))
        return found

    def _package(self, spec: str) -> str | None:
        parts = spec.split("/")
        name = "/".join(parts[:2] if spec.startswith("@") else parts[:1])
        known = self._packages.get(name)
        if known is None:
            return None
        folder, manifest = known
        below = spec[len(name) :].lstrip("/")
        exports = manifest.get("exports")
        if exports is not None:
            for target in _exported(exports, f"./{below}" if below else "."):
                found = self._built(folder, posixpath.normpath(posixpath.join(folder, target)))
                if found:
                    return found
        if below:
            return self._file(posixpath.join(folder, below))
        return self._main(folder, manifest) or self._file(folder or ".")

    def _own_imports(self, path: str, spec: str) -> str | None:
        folder = posixpath.dirname(path)
        while True:
            manifest = posixpath.join(folder, "package.json")
            if self._project.has(manifest):
                config_document = read_json(self._config(manifest))
                listed = (
                    config_document.get("imports") if isinstance(config_document, dict) else None
                )
                for target in _exported(listed, spec) if isinstance(listed, dict) else ():
                    place = posixpath.normpath(posixpath.join(folder, target))
                    found = self._built(folder, place)
                    if found:
                        return found
                return None
            if not folder:
                return None
            folder = posixpath.dirname(folder)

    def _aliases_for(self, path: str) -> list[tuple[str, list[str]]]:
        folder = posixpath.dirname(path)
        known = self._aliases.get(folder)
        if known is None:
            known = self._aliases[folder] = self._read_aliases(folder)
        return known

    def _read_aliases(self, folder: str) -> list[tuple[str, list[str]]]:
        """The path aliases of the nearest configuration at or above a folder."""
        while True:
            for name in ("tsconfig.json", "jsconfig.json"):
                config = posixpath.join(folder, name)
                if self._project.has(config):
                    return self._paths_in(config, 0)
            if not folder:
                return []
            folder = posixpath.dirname(folder)

    def _paths_in(self, config: str, depth: int) -> list[tuple[str, list[str]]]:
        config_document = read_json(self._config(config))
        if not isinstance(config_document, dict) or depth > 8:
            return []
        options = config_document.get("compilerOptions")
        options = options if isinstance(options, dict) else {}
        folder = posixpath.dirname(config)
        base = options.get("baseUrl")
        start = posixpath.join(folder, base) if isinstance(base, str) else folder
        found = [
            (pattern, [posixpath.join(start, one) for one in targets if isinstance(one, str)])
            for pattern, targets in (options.get("paths") or {}).items()
            if isinstance(targets, list)
        ]
        if isinstance(base, str):
            found.append(("*", [posixpath.join(start, "*")]))
        if found:
            return sorted(found, key=lambda one: -len(one[0].partition("*")[0]))
        for candidate in _further(config_document, folder):
            if self._project.has(candidate) and candidate != config:
                inherited = self._paths_in(candidate, depth + 1)
                if inherited:
                    return inherited
        return []


def _further(config_document: dict[str, Any], folder: str) -> list[str]:
    """The configurations that one extends or references, in their possible spellings."""
    above, references = config_document.get("extends"), config_document.get("references")
    named = [one for one in (above if isinstance(above, list) else [above]) if isinstance(one, str)]
    found = [one for one in named if one.startswith(".")]
    if isinstance(references, list):
        found += [str(one.get("path", "")) for one in references if isinstance(one, dict)]
    places = [posixpath.normpath(posixpath.join(folder, one)) for one in found]
    return [way for at in places for way in (at, f"{at}.json", f"{at}/tsconfig.json")]


def _matched(pattern: str, spec: str) -> str | None:
    """The text that a star matches; None when the pattern does not fit."""
    head, star, tail = pattern.partition("*")
    if not star:
        return "" if spec == pattern else None
    fits = spec.startswith(head) and spec.endswith(tail) and len(spec) >= len(head) + len(tail)
    return spec[len(head) : len(spec) - len(tail)] if fits else None


def _exported(exports: Any, wanted: str) -> list[str]:
    """The exports of a manifest for a path below the package, best first."""
    if isinstance(exports, str):
        return [exports] if wanted == "." else []
    if isinstance(exports, list):
        return [path for one in exports for path in _exported(one, wanted)]
    if not isinstance(exports, dict):
        return []
    if not any(key.startswith((".", "#")) for key in exports):
        return _conditions(exports, "") if wanted == "." else []
    if wanted in exports:
        return _conditions(exports[wanted], "")
    fitting = [key for key in exports if "*" in key and fnmatch.fnmatchcase(wanted, key)]
    for key in sorted(fitting, key=len, reverse=True):
        star = _matched(key, wanted)
        if star is not None:
            return _conditions(exports[key], star)
    return []


def _conditions(value: Any, star: str) -> list[str]:
    if isinstance(value, str):
        return [value.replace("*", star)]
    if isinstance(value, list):
        return [path for one in value for path in _conditions(one, star)]
    if isinstance(value, dict):
        ordered = [name for name in _CONDITIONS if name in value]
        ordered += [name for name in value if name not in _CONDITIONS]
        return [path for name in ordered for path in _conditions(value[name], star)]
    return []
