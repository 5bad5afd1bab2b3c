"""What is read of one file, in every language."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.codegraph.facts import Facts
from recollect.codegraph.languages import LANGUAGES, language_of
from recollect.codegraph.languages.language import Language
from recollect.codegraph.languages.parser import chain, read
from recollect.codegraph.languages.rust import use_tree


def facts_of(path: str, source: str) -> Facts:
    language = language_of(path)
    assert language is not None
    return read(language, source.encode())


@pytest.mark.parametrize(
    ("path", "source", "definitions", "imports", "calls"),
    [
        (
            "a.py",
            "import os.path as p\nfrom .m import f as g\nclass A(B):\n  def m(self): self.k(g())\n",
            {"A", "A.m"},
            {("os.path", "", "p"), (".m", "f", "g")},
            {"self.k", "g"},
        ),
        (
            "a.ts",
            "import D, {x as y} from './m'; export * from './k';\n"
            "export class A extends B { run(p: Foo) { this.go(p.bar()); } }",
            {"A", "A.run"},
            {("./m", "default", "D"), ("./m", "x", "y"), ("./k", "*", "*")},
            {"self.go", "p.bar"},
        ),
        (
            "a.tsx",
            "import {C} from './c'; const V = () => <C/>;",
            {"V"},
            {("./c", "C", "C")},
            {"C"},
        ),
        (
            "a.js",
            "const {u} = require('./v');\nfunction z() { new K(u()); }",
            {"z"},
            {("./v", "u", "u")},
            {"K", "u"},
        ),
        (
            "a.go",
            'package p\nimport x "a/b"\ntype T struct{}\nfunc (t *T) M() { x.Do() }',
            {"T", "T.M"},
            {("a/b", "", "x")},
            {"x.Do"},
        ),
        (
            "a.rs",
            "use crate::a::{b as c, d};\nmod m;\nstruct S;\nimpl S { fn go(&self) { c::new(); } }",
            {"S", "S.go"},
            {("crate::a", "b", "c"), ("crate::a", "d", "d"), ("mod m", "", "m")},
            {"c.new"},
        ),
        (
            "A.java",
            "package p; import c.d.E; class A extends B { void m(E e) { e.run(); } }",
            {"A", "A.m"},
            {("c.d", "E", "E")},
            {"e.run"},
        ),
        (
            "a.cs",
            "using System; namespace N; class A : B { void M() { Run(); } }",
            {"A", "A.M"},
            {("System", "*", "*")},
            {"Run"},
        ),
        (
            "a.php",
            "<?php use C\\D as F; class K extends F { function m() { $this->a(); } }",
            {"K", "K.m"},
            {("C", "D", "F")},
            {"self.a"},
        ),
        (
            "a.rb",
            "require_relative 'c'\nclass A\n  def m\n    foo(1)\n  end\nend\n",
            {"A", "A.m"},
            {("./c", "*", "*")},
            {"foo"},
        ),
        (
            "a.c",
            '#include "x/y.h"\nint f(int a) { return g(a); }',
            {"f"},
            {("x/y.h", "*", "*")},
            {"g"},
        ),
        (
            "a.cpp",
            '#include "y.hpp"\nnamespace n { class A : public B { void m() { k(); } }; }',
            {"n", "n.A", "n.A.m"},
            {("y.hpp", "*", "*")},
            {"k"},
        ),
    ],
)
def test_every_language_tells_what_it_defines_brings_in_and_calls(
    path: str,
    source: str,
    definitions: set[str],
    imports: set[tuple[str, str, str]],
    calls: set[str],
) -> None:
    facts = facts_of(path, source)
    assert {one.name for one in facts.definitions} == definitions
    assert imports <= {one[:3] for one in facts.imports}
    assert calls <= {one.name for one in facts.calls}
    assert not facts.problem


@pytest.mark.parametrize("language", LANGUAGES, ids=lambda language: language.name)
@given(source=st.binary(max_size=300))
def test_no_bytes_stop_a_reader_and_facts_come_back_as_they_were(
    language: Language, source: bytes
) -> None:
    facts = read(language, source)
    again = Facts.loaded(facts.dumped())
    assert again.dumped() == facts.dumped()
    assert again.interface() == facts.interface()


def test_a_changed_body_leaves_the_interface_as_it_was() -> None:
    before = facts_of("a.py", "def f(a):\n    return g(a)\n")
    body = facts_of("a.py", "def f(a):\n    x = 1\n    return h(a, x)\n")
    name = facts_of("a.py", "def k(a):\n    return g(a)\n")
    assert body.interface() == before.interface()
    assert name.interface() != before.interface()


@pytest.mark.parametrize(
    ("callee", "told"),
    [
        ("a.b.c", "a.b.c"),
        ("this.go", "self.go"),
        ("Foo::new", "Foo.new"),
        ("x?.y", "x.y"),
        ("f().g", "f().g"),
        ("a[0].go", "?.go"),
        ("(lambda: 1)", ""),
    ],
)
def test_a_callee_is_told_as_names(callee: str, told: str) -> None:
    assert chain(callee) == told


def test_a_use_tree_gives_every_path() -> None:
    found = dict(use_tree("a::{b, c::{self, d as e}, f::*}"))
    assert found == {"a::b": "", "a::c::self": "", "a::c::d": "e", "a::f::*": ""}
