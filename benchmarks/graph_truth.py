"""How right the code graph is, against what nobody here wrote.

Python imports are compared with grimp's on any package of the index, Python calls with jedi's
answers on a sample, and imports of JavaScript and TypeScript with the TypeScript compiler's own
resolution on npm packages. Packages are fetched with the ordinary clients into a scratch folder.

    python -m benchmarks.graph_truth --package django --json
    python -m benchmarks.graph_truth --package django --calls 200
    python -m benchmarks.graph_truth --npm zod --npm typeorm
"""

import argparse
import json
import random
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from recollect.codegraph.facts import Facts
from recollect.codegraph.languages import language_of
from recollect.codegraph.languages.parser import read
from recollect.codegraph.resolving.layout import Layout
from recollect.codegraph.resolving.project import CodeProject
from recollect.codegraph.resolving.resolver import Resolver
from recollect.vocabulary.code import node_number

SHOWN = 25


def facts_below(root: Path) -> dict[str, Facts]:
    """What is read of every source file below a folder, ignore rules aside."""
    found = {}
    for path in sorted(root.rglob("*")):
        below = path.relative_to(root).as_posix()
        if path.is_file() and not path.is_symlink() and "node_modules" not in below:
            language = language_of(below)
            if language is not None:
                found[below] = read(language, path.read_bytes())
            elif below.endswith(("package.json", "tsconfig.json")):
                found[below] = Facts("")
    return found


def resolver_over(root: Path, facts: dict[str, Facts]) -> Resolver:
    """A resolver over facts that are all in memory."""
    project = CodeProject(Layout({path: one.language for path, one in facts.items()}), facts.get)
    return Resolver(project, lambda path: (root / path).read_text("utf-8", "replace"), lambda _: [])


def file_imports(root: Path, facts: dict[str, Facts]) -> set[tuple[str, str]]:
    """Which file imports which, as the graph has it."""
    resolver = resolver_over(root, facts)
    by_number = {node_number(path, ""): path for path in facts}
    return {
        (path, by_number[edge.target])
        for path, one in facts.items()
        if one.language
        for edge in resolver.resolve(path)[0]
        if edge.kind == "imports" and edge.target in by_number
    }


def compared(ours: set[Any], truth: set[Any]) -> dict[str, Any]:
    """Precision and recall, and where the two differ."""
    both = len(ours & truth)
    return {
        "edges": len(truth),
        "found": len(ours),
        "precision": round(both / len(ours), 4) if ours else 1.0,
        "recall": round(both / len(truth), 4) if truth else 1.0,
        "only_ours": sorted(map(list, ours - truth))[:SHOWN],
        "only_theirs": sorted(map(list, truth - ours))[:SHOWN],
    }


# --- Python ---------------------------------------------------------------------------------------


def fetched(package: str, scratch: Path) -> Path:
    """The folder that a package of the index was put into."""
    target = scratch / package
    if not target.exists():
        wanted = ["install", "--quiet", "--no-deps", "--target", str(target), package]
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        subprocess.run([sys.executable, "-m", "pip", *wanted], check=True, **quiet)  # type: ignore[call-overload]
    return target


def packages_in(folder: Path) -> list[str]:
    """The importable packages that an install put there."""
    return sorted(
        path.name
        for path in folder.iterdir()
        if path.is_dir() and path.name.isidentifier() and any(path.glob("*.py"))
    )


def modules_of(paths: Iterable[str]) -> dict[str, str]:
    """The dotted module of each file."""
    return {
        path: path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
        for path in paths
        if path.endswith(".py")
    }


def python_imports(folder: Path) -> dict[str, Any]:
    """Our imports of a package against grimp's."""
    import grimp

    ours: set[tuple[str, str]] = set()
    truth: set[tuple[str, str]] = set()
    facts = facts_below(folder)
    named = modules_of(facts)
    for package in packages_in(folder):
        sys.path.insert(0, str(folder))
        try:
            graph = grimp.build_graph(package, cache_dir=None)
        finally:
            sys.path.remove(str(folder))
        known = graph.modules
        for module in known:
            truth |= {(module, other) for other in graph.find_modules_directly_imported_by(module)}
        mine = {
            (named[one], named[other])
            for one, other in file_imports(folder, facts)
            if one in named and other in named
        }
        ours |= {pair for pair in mine if pair[0] in known and pair[1] in known}
    return compared(ours, truth)


def python_calls(folder: Path, count: int, seed: int = 7) -> dict[str, Any]:
    """Our calls on a sample of call sites against where jedi goes."""
    import jedi  # type: ignore[import-untyped]

    facts = {path: one for path, one in facts_below(folder).items() if one.language == "python"}
    resolver = resolver_over(folder, facts)
    names = {
        node_number(path, definition.name): (path, definition.name)
        for path, one in facts.items()
        for definition in one.definitions
    }
    by_site: dict[tuple[str, str, int], set[tuple[str, str]]] = {}
    for path in facts:
        for edge in resolver.resolve(path)[0]:
            if edge.kind == "calls" and edge.how in {"import", "local", "self"}:
                source = names.get(edge.source, (path, ""))[1]
                if edge.target in names:
                    site = path, source, edge.line
                    by_site.setdefault(site, set()).add(names[edge.target])
    sites = [
        (path, facts[path].definitions[call.scope].name if call.scope >= 0 else "", call)
        for path in facts
        for call in facts[path].calls
        if not call.reference
    ]
    calls_at = Counter((path, scope, call.line) for path, scope, call in sites)
    random.Random(seed).shuffle(sites)
    project = jedi.Project(str(folder), added_sys_path=[str(folder)])
    right = wrong = missed = asked = unknown = 0
    differences = []
    for path, scope, call in sites:
        if asked >= count:
            break
        truth = _jedi_target(jedi, project, folder, path, call)
        if truth is None:
            unknown += 1
            continue
        asked += 1
        site = path, scope, call.line
        here = by_site.get(site, set())
        alone = here if calls_at[site] == 1 else set()  # under an alias a target has another name
        mine = {one for one in here if _named(one[1], call.name)} or alone
        if not mine:
            missed += 1
        elif any(_same(one, truth) for one in mine):
            right += 1
        else:
            wrong += 1
            differences.append([path, call.line, call.name, sorted(mine)[0], truth])
    return {
        "sites": asked,
        "outside_the_package": unknown,
        "precision": round(right / max(1, right + wrong), 4),
        "recall": round(right / max(1, asked), 4),
        "differences": differences[:SHOWN],
    }


def _named(name: str, called: str) -> bool:
    """Whether a target bears the name that is called; under another name nothing does."""
    return called.rpartition(".")[2].removesuffix("()") in name.split(".")


def _same(mine: tuple[str, str], truth: tuple[str, int, int, str]) -> bool:
    path, _, _, name = truth
    last = mine[1].rpartition(".")[2]
    return mine[0] == path and last == name


def _jedi_target(
    jedi: Any, project: Any, folder: Path, path: str, call: Any
) -> tuple[str, int, int, str] | None:
    """Where jedi goes from a call site; None where it goes nowhere in the package."""
    text = (folder / path).read_text("utf-8", "replace")
    lines = text.splitlines()
    last = call.name.rpartition(".")[2].removesuffix("()")
    for number in range(call.line, min(call.line + 3, len(lines) + 1)):
        column = lines[number - 1].find(f"{last}(")
        if column >= 0:
            break
    else:
        return None
    try:
        script = jedi.Script(text, path=str(folder / path), project=project)
        found = script.goto(number, column + 1, follow_imports=True)
    except Exception:  # noqa: BLE001 - jedi fails in many ways, and then it is no witness
        return None
    for one in found:
        where = one.module_path
        if where is None or one.type not in {"function", "class"}:
            return None
        try:
            below = Path(where).relative_to(folder.resolve()).as_posix()
        except ValueError:
            return None
        return below, one.line, one.column, one.name
    return None


# --- JavaScript and TypeScript --------------------------------------------------------------------

ASK_COMPILER = r"""
const ts = require("typescript"), fs = require("fs"), path = require("path");
const root = process.argv[2], files = JSON.parse(fs.readFileSync(0, "utf8"));
const configs = new Map();
function optionsFor(file) {
  const dir = path.dirname(file);
  if (configs.has(dir)) return configs.get(dir);
  const found = ts.findConfigFile(dir, ts.sys.fileExists, "tsconfig.json");
  let options = {};
  if (found && found.startsWith(root)) {
    const read = ts.readConfigFile(found, ts.sys.readFile);
    options = ts.parseJsonConfigFileContent(read.config || {}, ts.sys, path.dirname(found)).options;
  }
  options = {...options, allowJs: true, resolveJsonModule: true};
  const kind = ts.ModuleResolutionKind.Bundler;
  if (options.moduleResolution === undefined) options.moduleResolution = kind;
  if (options.module === undefined) options.module = ts.ModuleKind.ESNext;
  configs.set(dir, options);
  return options;
}
const out = [];
for (const file of files) {
  const full = path.join(root, file);
  const info = ts.preProcessFile(fs.readFileSync(full, "utf8"), true, true);
  for (const one of info.importedFiles) {
    const got = ts.resolveModuleName(one.fileName, full, optionsFor(full), ts.sys).resolvedModule;
    if (got) out.push([file, path.relative(root, fs.realpathSync(got.resolvedFileName))]);
  }
}
console.log(JSON.stringify(out));
"""


def npm_sources(package: str, scratch: Path) -> Path:
    """A package as npm gives it, unpacked."""
    target = scratch / "npm" / package.replace("/", "_").replace("@", "")
    if not target.exists():
        target.mkdir(parents=True)
        done = subprocess.run(
            ["npm", "pack", package, "--silent"],
            cwd=target,
            check=True,
            capture_output=True,
            text=True,
        )
        archive = target / done.stdout.strip().splitlines()[-1]
        shutil.unpack_archive(archive, target)
        archive.unlink()
    return next(path for path in target.iterdir() if path.is_dir())


def compiler_in(scratch: Path) -> Path:
    """The TypeScript compiler, in an environment of its own."""
    home = scratch / "compiler"
    if not (home / "node_modules" / "typescript").exists():
        home.mkdir(parents=True, exist_ok=True)
        subprocess.run(
            ["npm", "install", "--silent", "--no-save", "typescript@5"], cwd=home, check=True
        )
    (home / "ask.cjs").write_text(ASK_COMPILER)
    return home


def script_imports(package: str, scratch: Path) -> dict[str, Any]:
    """Our imports of an npm package against the compiler's own resolution."""
    root = npm_sources(package, scratch).resolve()
    facts = facts_below(root)
    scripts = [path for path, one in facts.items() if one.language]
    done = subprocess.run(
        ["node", str(compiler_in(scratch) / "ask.cjs"), str(root)],
        input=json.dumps(scripts),
        check=True,
        capture_output=True,
        text=True,
    )
    truth = {
        (one, other)
        for one, other in json.loads(done.stdout)
        if other in facts and facts[other].language and one != other
    }
    ours = {
        pair for pair in file_imports(root, facts) if facts[pair[1]].language and pair[0] in scripts
    }
    return {"files": len(scripts), **compared(ours, truth)}


def main() -> None:
    """Compare, and print a table or JSON."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--package", action="append", default=[], help="a package of PyPI")
    parser.add_argument("--npm", action="append", default=[], help="a package of npm")
    parser.add_argument("--calls", type=int, default=0, help="call sites to ask jedi about")
    parser.add_argument("--scratch", type=Path, help="where packages are put; kept when given")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    scratch = given.scratch or Path(tempfile.mkdtemp(prefix="recollect-truth-"))
    scratch.mkdir(parents=True, exist_ok=True)
    try:
        for told in _results(given, scratch):
            if given.json:
                print(json.dumps(told))
            else:
                figures = [f"{told['package']:<14}", f"{told['what']:<18}"]
                figures += [f"{name} {told[name]}" for name in ("precision", "recall")]
                print("  ".join(figures), f"({told.get('edges', told.get('sites'))})")
    finally:
        if given.scratch is None:
            shutil.rmtree(scratch, ignore_errors=True)


def _results(given: Any, scratch: Path) -> Iterator[dict[str, Any]]:
    for package in given.package:
        folder = fetched(package, scratch).resolve()
        yield {"package": package, "what": "imports, grimp", **python_imports(folder)}
        if given.calls:
            told = python_calls(folder, given.calls)
            yield {"package": package, "what": "calls, jedi", **told}
    for package in given.npm:
        yield {"package": package, "what": "imports, compiler", **script_imports(package, scratch)}


if __name__ == "__main__":
    main()
