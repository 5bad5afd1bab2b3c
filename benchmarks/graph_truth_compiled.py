"""How right the graph of Go and Rust is: against ``go list`` and against ``rustc``'s own list.

Sources and the Go tools come as Debian packages, unpacked into a scratch folder and not installed;
``rustc`` must be there. Go: which package imports which, its tests apart. Rust: which files a crate
is made of, from its root by ``mod`` and ``use``.

    python -m benchmarks.graph_truth_compiled --go golang.org/x/tools=golang-golang-x-tools-dev
    python -m benchmarks.graph_truth_compiled --rust regex-syntax=librust-regex-syntax-dev
"""

import argparse
import json
import os
import posixpath
import shutil
import subprocess
import tempfile
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from benchmarks.graph_truth import compared, facts_below, file_imports, resolver_over
from recollect.codegraph.facts import Facts
from recollect.codegraph.resolving.resolver import folder_number

GO: Final = ("golang-1.19-go", "golang-1.19-src")
_GO_ROOT: Final = "usr/lib/go-1.19"
_GO_SOURCES: Final = "usr/share/gocode"
_CRATES: Final = "usr/share/cargo/registry"
_KINDS: Final = {
    "code": (("GoFiles", "CgoFiles"), "Imports"),
    "tests": (("TestGoFiles",), "TestImports"),
    "tests from outside": (("XTestGoFiles",), "XTestImports"),
}


def unpacked(packages: tuple[str, ...], scratch: Path) -> Path:
    """Where Debian packages were put."""
    root = scratch / "root"
    for package in packages:
        done = scratch / f"{package}.done"
        if not done.exists():
            subprocess.run(
                ["apt-get", "download", package], cwd=scratch, check=True, capture_output=True
            )
            archive = next(scratch.glob(f"{package}_*.deb"))
            subprocess.run(["dpkg", "-x", str(archive), str(root)], check=True)
            archive.unlink()
            done.touch()
    return root


def facts_with_manifests(root: Path) -> dict[str, Facts]:
    """What is read of the sources, and the files that name modules and crates."""
    manifests = (*root.rglob("go.mod"), *root.rglob("Cargo.toml"))
    return facts_below(root) | {path.relative_to(root).as_posix(): Facts("") for path in manifests}


def go_imports(module: str, package: str, scratch: Path) -> dict[str, Any]:
    """Our imports between the packages of a module against the Go tool's."""
    base = unpacked((*GO, package), scratch)
    root = base / _GO_SOURCES / "src" / module
    listed = _listed(base, root)
    folders = {posixpath.normpath(os.path.relpath(one["Dir"], root)): one for one in listed}
    facts = facts_with_manifests(root)
    resolver = resolver_over(root, facts)
    by_number = {folder_number("" if one == "." else one): one for one in folders}
    ours: set[tuple[str, str, str]] = set()
    truth: set[tuple[str, str, str]] = set()
    for folder, one in folders.items():
        for kind, (lists, imports) in _KINDS.items():
            files = [name for listing in lists for name in one.get(listing) or ()]
            for name in files:
                path = posixpath.normpath(posixpath.join(folder, name))
                edges = resolver.resolve(path)[0] if path in facts else ()
                ours |= {
                    (folder, kind, by_number[edge.target])
                    for edge in edges
                    if edge.kind == "imports" and edge.target in by_number
                }
            truth |= {
                (folder, kind, other)
                for wanted in one.get(imports) or ()
                if (other := _below(wanted, module)) in folders
            }
    return {"files": len(facts), **compared(ours, truth)}


def _listed(base: Path, root: Path) -> list[Mapping[str, Any]]:
    """What the Go tool says of every package below a folder."""
    given = {
        "GOROOT": str(base / _GO_ROOT),
        "GOPATH": str(base / _GO_SOURCES),
        "GOCACHE": str(base / "cache"),
        "GO111MODULE": "off",
    }
    done = subprocess.run(
        [str(base / _GO_ROOT / "bin" / "go"), "list", "-e", "-json", "./..."],
        cwd=root,
        env={**os.environ, **given},
        check=True,
        capture_output=True,
        text=True,
    )
    return list(_documents(done.stdout))


def _documents(text: str) -> Iterator[Mapping[str, Any]]:
    """Each of the JSON documents that follow one another."""
    decoder, start = json.JSONDecoder(), 0
    while start < len(text):
        found, start = decoder.raw_decode(text, start)
        yield found
        start += 1


def _below(wanted: str, module: str) -> str | None:
    """The folder of an import within a module."""
    if wanted == module:
        return "."
    return wanted.removeprefix(f"{module}/") if wanted.startswith(f"{module}/") else None


def rust_files(crate: str, package: str, scratch: Path) -> dict[str, Any]:
    """The files that our edges reach from a crate's root against those that the compiler read.

    It reads with every feature on, but for one machine and without what a build script would set.
    """
    base = unpacked((package,), scratch).resolve()
    root = next((base / _CRATES).glob(f"{crate}-[0-9]*"))
    facts = facts_with_manifests(root)
    edges: dict[str, set[str]] = {}
    for one, other in file_imports(root, facts):
        edges.setdefault(one, set()).add(other)
    reached, waiting = {"src/lib.rs"}, ["src/lib.rs"]
    while waiting:
        for other in edges.get(waiting.pop(), set()) - reached:
            reached.add(other)
            waiting.append(other)
    manifest = tomllib.loads((root / "Cargo.toml").read_text("utf-8"))
    features = [f'--cfg=feature="{name}"' for name in manifest.get("features", {})]
    read: set[str] = set()
    for extra in ((), ("--test",)):  # with and without the modules of its tests
        told = root / "told.d"
        options = ["--edition=2021", "--crate-type=lib", "--cap-lints=allow", *features, *extra]
        subprocess.run(
            ["rustc", *options, f"--emit=dep-info={told}", "src/lib.rs"],
            cwd=root,
            check=False,
            capture_output=True,
        )
        if told.exists():
            first = told.read_text().splitlines()[0].split(": ", 1)[1]
            read |= {one for one in first.split() if one.endswith(".rs")}
            told.unlink()
    return {"files": len(facts), **compared({(one,) for one in reached}, {(o,) for o in read})}


def main() -> None:
    """Compare, and print a table or JSON."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--go", action="append", default=[], help="module=Debian package")
    parser.add_argument("--rust", action="append", default=[], help="crate=Debian package")
    parser.add_argument("--scratch", type=Path, help="where packages are put; kept when given")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    scratch = given.scratch or Path(tempfile.mkdtemp(prefix="recollect-truth-"))
    scratch.mkdir(parents=True, exist_ok=True)
    compare = ((given.go, go_imports, "go list"), (given.rust, rust_files, "rustc"))
    try:
        for names, comparing, what in compare:
            for name, package in (one.split("=", 1) for one in names):
                told = {"package": name, "what": what, **comparing(name, package, scratch)}
                print(json.dumps(told) if given.json else _line(told))
    finally:
        if given.scratch is None:
            shutil.rmtree(scratch, ignore_errors=True)


def _line(told: Mapping[str, Any]) -> str:
    figures = "  ".join(f"{name} {told[name]}" for name in ("precision", "recall"))
    return f"{told['package']:<28} {told['what']:<10} {figures}  ({told['edges']})"


if __name__ == "__main__":
    main()
