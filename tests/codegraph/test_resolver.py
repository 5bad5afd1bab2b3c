"""Which file an import means, and which definition a call."""

from collections.abc import Mapping

import pytest

from recollect.codegraph.facts import Facts
from recollect.codegraph.languages import language_of
from recollect.codegraph.languages.parser import read
from recollect.codegraph.resolving.layout import Layout
from recollect.codegraph.resolving.project import CodeProject
from recollect.codegraph.resolving.resolver import Resolver, folder_number, unresolved_method_number
from recollect.vocabulary.code import node_number


def edges_of(files: Mapping[str, str]) -> set[tuple[str, str, str]]:
    """Every edge as names: source, kind, target."""
    facts: dict[str, Facts] = {}
    for path, text in files.items():
        language = language_of(path)
        facts[path] = read(language, text.encode()) if language else Facts("")
    names = {node_number(path, ""): path for path in files}
    names |= {
        folder_number(path.rpartition("/")[0]): path.rpartition("/")[0] + "/" for path in files
    }
    for path, one in facts.items():
        for definition in one.definitions:
            names[node_number(path, definition.name)] = f"{path}::{definition.name}"
        names |= {
            unresolved_method_number(call.name.rpartition(".")[2]): f"?.{call.name}"
            for call in one.calls
        }
    packages: dict[str, list[str]] = {}
    for path, one in facts.items():
        packages.setdefault(one.package, []).append(path)
    project = CodeProject(Layout({path: one.language for path, one in facts.items()}), facts.get)
    resolver = Resolver(project, files.__getitem__, lambda name: packages.get(name, []))
    return {
        (names[edge.source], edge.kind, names[edge.target])
        for path, one in facts.items()
        if one.language
        for edge in resolver.resolve(path)[0]
    }


@pytest.mark.parametrize(
    ("files", "source", "target"),
    [
        ({"p/__init__.py": "", "p/a.py": "from . import b", "p/b.py": ""}, "p/a.py", "p/b.py"),
        ({"p/__init__.py": "", "p/a.py": "import p.b", "p/b.py": ""}, "p/a.py", "p/b.py"),
        (
            {"src/p/__init__.py": "", "src/p/b.py": "", "tests/t.py": "from p.b import x"},
            "tests/t.py",
            "src/p/b.py",
        ),
        ({"space/sub/m.py": "", "main.py": "import space.sub.m"}, "main.py", "space/sub/m.py"),
        ({"tools/a.py": "import b", "tools/b.py": ""}, "tools/a.py", "tools/b.py"),
        (
            {"p/__init__.py": "", "p/q/__init__.py": "from ..b import x", "p/b.py": ""},
            "p/q/__init__.py",
            "p/b.py",
        ),
        ({"a.ts": "import './b.js'", "b.ts": ""}, "a.ts", "b.ts"),
        ({"a.ts": "import './lib'", "lib/index.ts": ""}, "a.ts", "lib/index.ts"),
        (
            {
                "tsconfig.json": '{"compilerOptions": {"paths": {"@/*": ["./src/*",]}} // x\n}',
                "src/a.ts": "import '@/b'",
                "src/b.ts": "",
            },
            "src/a.ts",
            "src/b.ts",
        ),
        (
            {
                "packages/one/package.json": '{"name": "@w/one", "exports": {"./x": "./src/x.ts"}}',
                "packages/one/src/x.ts": "",
                "packages/two/a.ts": "import '@w/one/x'",
            },
            "packages/two/a.ts",
            "packages/one/src/x.ts",
        ),
        (
            {
                "go.mod": "module ex.org/m\n",
                "cmd/a.go": 'package a\nimport "ex.org/m/lib"',
                "lib/b.go": "package lib",
            },
            "cmd/a.go",
            "lib/",
        ),
        (
            {
                "Cargo.toml": '[package]\nname = "k"\n',
                "src/lib.rs": "mod a; mod b;",
                "src/a.rs": "use crate::b::f;",
                "src/b.rs": "pub fn f() {}",
            },
            "src/a.rs",
            "src/b.rs",
        ),
        (
            {
                "c/d/E.java": "package c.d; class E {}",
                "x/A.java": "package x; import c.d.E; class A {}",
            },
            "x/A.java",
            "c/d/E.java",
        ),
        ({"src/a.c": '#include "x/y.h"', "include/x/y.h": ""}, "src/a.c", "include/x/y.h"),
        ({"lib/a.rb": "require 'm/b'", "lib/m/b.rb": ""}, "lib/a.rb", "lib/m/b.rb"),
    ],
)
def test_an_import_means_the_file_that_the_language_means(
    files: Mapping[str, str], source: str, target: str
) -> None:
    assert (source, "imports", target) in edges_of(files)


@pytest.mark.parametrize(
    ("files", "source", "target"),
    [
        (
            {
                "p/__init__.py": "from p.m import f",
                "p/m.py": "def f(): pass",
                "t.py": "import p\ndef g(): p.f()",
            },
            "t.py::g",
            "p/m.py::f",
        ),
        (
            {"a.py": "class A:\n def m(self): pass\nclass B(A):\n def k(self): self.m()\n"},
            "a.py::B.k",
            "a.py::A.m",
        ),
        (
            {"a.py": "class A:\n def m(self): pass\ndef f():\n x = A()\n x.m()\n"},
            "a.py::f",
            "a.py::A.m",
        ),
        (
            {"a.py": "class A:\n def m(self): pass\ndef f(x: 'A | None'):\n x.m()\n"},
            "a.py::f",
            "a.py::A.m",
        ),
        (
            {"a.py": "class A:\n def m(self): pass\ndef make() -> A: ...\ndef f():\n make().m()\n"},
            "a.py::f",
            "a.py::A.m",
        ),
        (
            {"a.py": "class A:\n def m(self): pass\nclass B(A):\n def m(self): super().m()\n"},
            "a.py::B.m",
            "a.py::A.m",
        ),
        (
            {"b.py": "from a import *\ndef g(): f()", "a.py": "def f(): pass"},
            "b.py::g",
            "a.py::f",
        ),
        (
            {
                "a.ts": "export default function f() {}",
                "b.ts": "import g from './a'; function h() { g(); }",
            },
            "b.ts::h",
            "a.ts::f",
        ),
        (
            {
                "a.ts": "export {f} from './c'",
                "c.ts": "export function f() {}",
                "b.ts": "import {f} from './a'; f();",
            },
            "b.ts",
            "c.ts::f",
        ),
        (
            {
                "go.mod": "module m\n",
                "p/a.go": "package p\nfunc F() {}",
                "p/b.go": "package p\nfunc G() { F() }",
            },
            "p/b.go::G",
            "p/a.go::F",
        ),
        (
            {
                "Cargo.toml": '[package]\nname = "k"\n',
                "src/lib.rs": "mod b; use b::S; fn f() { S::new(); }",
                "src/b.rs": "pub struct S; impl S { pub fn new() {} }",
            },
            "src/lib.rs::f",
            "src/b.rs::S.new",
        ),
        (
            {
                "A.java": "package x; class A { void m() { B.go(); } }",
                "B.java": "package x; class B { static void go() {} }",
            },
            "A.java::A.m",
            "B.java::B.go",
        ),
    ],
)
def test_a_call_means_the_definition_that_runs(
    files: Mapping[str, str], source: str, target: str
) -> None:
    assert (source, "calls", target) in edges_of(files)


def test_a_trait_is_implemented_and_an_interface_too() -> None:
    rust = {"a.rs": "trait T { fn go(&self); } struct S; impl T for S { fn go(&self) {} }"}
    assert ("a.rs::S", "implements", "a.rs::T") in edges_of(rust)
    script = {"a.ts": "interface I {} class A implements I {}"}
    assert ("a.ts::A", "implements", "a.ts::I") in edges_of(script)


def test_what_is_imported_from_elsewhere_is_not_mistaken_for_ours() -> None:
    files = {
        "a.py": "import os\ndef f(): os.render()\n",
        "b.py": "class B:\n def render(self): pass\n",
    }
    assert not any(source.startswith("a.py") for source, _, _ in edges_of(files))


def test_modules_that_import_one_another_end() -> None:
    files = {"a.py": "from b import *\nfrom b import x", "b.py": "from a import *\nfrom a import x"}
    assert ("a.py", "imports", "b.py") in edges_of(files)
