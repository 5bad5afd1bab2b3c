"""Views of code: index runs, the impact of a change as a tree, the module map."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from recollect.surfaces.cli.views.screen import Line, Screen, StyledText
from recollect.surfaces.cli.views.words import counted, marked, one_line, shortened

if TYPE_CHECKING:
    from recollect.vocabulary.code import (
        Impact,
        IndexReport,
        KnowledgeNode,
        Meaning,
        ModuleRow,
        Neighbourhood,
        Node,
        Staleness,
        Touched,
    )
    from recollect.vocabulary.results import Chunk, Found

_FILES_SHOWN: Final = 25
_IN_FILE: Final = 6
_TESTS_SHOWN: Final = 15
_LINES_SHOWN: Final = 8
_PROBLEMS_SHOWN: Final = 5
#: Ways of finding an edge that are uncertain, and are therefore shown.
_GUESSED: Final = frozenset({"name", "near", "global", "override", "reference", "protocol"})
_VERBS: Final = {
    "calls": "calls",
    "imports": "imports",
    "inherits": "inherits",
    "implements": "implements",
    "exports": "gives on",
    "contains": "holds",
    "tests": "tests",
}
#: The same, told from the side of what is needed.
_PASSIVE: Final = {
    "calls": "called by",
    "imports": "imported by",
    "inherits": "inherited by",
    "implements": "implemented by",
    "exports": "given on by",
    "contains": "held by",
    "tests": "tested by",
}


def indexed(screen: Screen, report: "IndexReport", seconds: float) -> None:
    """Summary of an index run."""
    if not report.read and not report.removed:
        screen.line(
            StyledText("Up to date", "green"),
            StyledText(f": {counted(report.files, 'file')} unchanged."),
        )
    else:
        read = counted(report.read, "file")
        rate = report.read / max(seconds, 0.001)
        gone = f", {counted(report.removed, 'file')} gone" if report.removed else ""
        screen.line(
            StyledText(f"Indexed {read}", "green"),
            StyledText(f" in {seconds:.1f} s ({rate:,.0f}/s){gone}."),
        )
    screen.line(
        StyledText(
            f"The graph has {counted(report.files, 'file')}, {report.nodes:,} nodes and "
            f"{report.edges:,} edges.",
            "dim",
        )
    )
    for reason, many in sorted(report.skipped.items()):
        screen.line(StyledText(f"  {counted(many, 'file')}: {reason}", "dim"))
    for problem in report.problems[:_PROBLEMS_SHOWN]:
        screen.line(StyledText(f"  {one_line(problem)}", "yellow"))
    if len(report.problems) > _PROBLEMS_SHOWN:
        more = len(report.problems) - _PROBLEMS_SHOWN
        screen.line(StyledText(f"  and {more:,} more", "yellow"))


def watched(screen: Screen, report: "IndexReport", root: str) -> None:
    """Folder that is being watched."""
    screen.line(
        StyledText("Watching ", "green"),
        StyledText(f"{root}: {counted(report.files, 'file')}. Ctrl-C ends it."),
    )


def rebuilt(screen: Screen, report: "IndexReport") -> None:
    """Summary of the update after one change."""
    gone = f", {report.removed} gone" if report.removed else ""
    screen.line(
        StyledText(f"{counted(report.read, 'file')} read{gone}; "),
        StyledText(f"{counted(report.resolved, 'file')} resolved again", "dim"),
    )


def impact(screen: Screen, found: "Impact") -> None:
    """Tree of a change's impact: direct, further away, tests, and memories."""
    seeds = found.seeds
    screen.line(StyledText("If this changes: ", "bold"), StyledText(found.target, "bold cyan"))
    for seed in seeds[:5]:
        screen.line(StyledText(f"  {seed.label}:{seed.start_line}", "cyan"))
    if len(seeds) > 5:
        screen.line(StyledText(f"  and {len(seeds) - 5:,} more", "dim"))
    direct = [one for one in found.touched if one.depth == 1]
    further = [one for one in found.touched if one.depth > 1]
    if not (direct or further or found.tests):
        screen.line(StyledText("Nothing is known to depend on it.", "green"))
    _branch(screen, "Direct", direct, "yellow")
    _branch(screen, f"Further, to depth {found.depth}", further, "")
    _tests(screen, found.tests)
    if found.memories:
        screen.line(StyledText("Remembered about these files", "bold magenta"))
        for memory in found.memories[:5]:
            words = shortened(str(memory["content"]), 100)
            screen.line(StyledText(f"  {memory['type']}: ", "magenta"), StyledText(words))
    total = len(found.touched) + len(found.tests) + found.cut
    files = {one.node.path for one in (*found.touched, *found.tests)}
    screen.line(
        StyledText(
            f"{counted(total, 'place')} in {counted(len(files), 'file')}; "
            f"weight {found.score:.2f} of 1.",
            "dim",
        )
    )
    for note in found.notes:
        screen.line(StyledText(note, "yellow"))


def _branch(screen: Screen, title: str, touched: Sequence["Touched"], colour: str) -> None:
    if not touched:
        return
    screen.line(StyledText(f"{title} ({len(touched)})", "bold"))
    by_file: dict[str, list[Touched]] = {}
    for one in touched:
        by_file.setdefault(one.node.path, []).append(one)
    shown = list(by_file.items())[:_FILES_SHOWN]
    for place, (path, listed) in enumerate(shown):
        last = place == len(shown) - 1 and len(by_file) <= _FILES_SHOWN
        screen.line(
            StyledText("└─ " if last else "├─ ", "dim"), StyledText(path, colour or "default")
        )
        stem = "   " if last else "│  "
        for one in listed[:_IN_FILE]:
            screen.line(StyledText(f"{stem}   ", "dim"), *_one(one))
        if len(listed) > _IN_FILE:
            screen.line(StyledText(f"{stem}   and {len(listed) - _IN_FILE} more here", "dim"))
    if len(by_file) > _FILES_SHOWN:
        screen.line(StyledText(f"└─ and {len(by_file) - _FILES_SHOWN} more files", "dim"))


def _one(one: "Touched") -> Line:
    step = one.path[-1]
    before = one.path[-2].node if len(one.path) > 1 else None
    verb = _VERBS.get(step.kind, step.kind)
    step_words = f"{verb} {before.name or before.path}" if before is not None else f"{verb} it"
    how = f", {step.how}" if step.how in _GUESSED else ""
    name = one.node.name or "(the file)"
    return [
        StyledText(name),
        StyledText(f":{one.node.start_line}" if one.node.name else "", "dim"),
        StyledText(f"  {step_words}{how}  {one.score:.2f}", "dim"),
    ]


def _tests(screen: Screen, tests: Sequence["Touched"]) -> None:
    if not tests:
        return
    by_file: dict[str, list[Touched]] = {}
    for one in tests:
        by_file.setdefault(one.node.path, []).append(one)
    screen.line(StyledText(f"Tests to run ({counted(len(by_file), 'file')})", "bold green"))
    for path, listed in list(by_file.items())[:_TESTS_SHOWN]:
        names = [one.node.name.rpartition(".")[2] for one in listed if one.node.name][:4]
        more = f" and {len(listed) - len(names)} more" if len(listed) > len(names) else ""
        screen.line(
            StyledText("   "),
            StyledText(path, "green"),
            StyledText(f"  {', '.join(names)}{more}", "dim"),
        )
    if len(by_file) > _TESTS_SHOWN:
        screen.line(StyledText(f"   and {len(by_file) - _TESTS_SHOWN} more files", "dim"))


def neighbourhood(
    screen: Screen, found: "Neighbourhood", nothing: str, *, reverse: bool = False
) -> None:
    """Reached nodes, with the path to each; with ``reverse`` they are what needs the target."""
    verbs, through = (_PASSIVE, "through") if reverse else (_VERBS, "by")
    screen.line(StyledText(found.target, "bold cyan"))
    if not found.reached:
        screen.line(StyledText(nothing, "dim"))
    for one in found.reached:
        way = " > ".join(step.node.name or step.node.path for step in one.path[:-1])
        step = one.path[-1]
        screen.line(
            StyledText("  " * one.depth),
            StyledText(f"{verbs.get(step.kind, step.kind)} ", "dim"),
            StyledText(one.node.label),
            StyledText(f"  {through} {way}" if way else "", "dim"),
            StyledText(f"  {one.score:.2f}", "dim"),
        )
    for note in found.notes:
        screen.line(StyledText(note, "yellow"))


def modules(screen: Screen, rows: Sequence["ModuleRow"]) -> None:
    """Module map as a table."""
    if not rows:
        screen.line(StyledText("No code is indexed here.", "dim"))
    screen.table(
        ["module", "files", "lines", "symbols", "needs", "needed by", "memories", "about"],
        [
            [
                [StyledText(row.path, "cyan")],
                [StyledText(f"{row.files:,}")],
                [StyledText(f"{row.lines:,}")],
                [StyledText(f"{row.symbols:,}")],
                [StyledText(f"{row.imports:,}")],
                [StyledText(f"{row.imported_by:,}")],
                [StyledText(f"{row.memories:,}", "green" if row.memories else "dim")],
                [StyledText(row.about, "dim")],
            ]
            for row in rows
        ],
    )


def cycles(screen: Screen, rings: Sequence[Sequence[str]]) -> None:
    """Import cycles."""
    if not rings:
        screen.line(StyledText("No file imports itself through others.", "green"))
    for ring in rings:
        screen.line(
            StyledText(f"{counted(len(ring), 'file')}: ", "yellow"), StyledText(", ".join(ring))
        )


def nodes(screen: Screen, listed: Sequence["Node"]) -> None:
    """Nodes, one per line."""
    for node in listed:
        screen.line(
            StyledText(f"{node.label}:{node.start_line}"), StyledText(f"  {node.kind}", "dim")
        )
    if not listed:
        screen.line(StyledText("None.", "dim"))


def status(screen: Screen, step_words: Mapping[str, Any]) -> None:
    """Status of the index."""
    if not step_words["indexed"]:
        screen.line(StyledText("No code is indexed here.", "dim"))
        screen.line(StyledText("Run 'recollect index' in the project's folder.", "dim"))
        return
    screen.pairs(
        [
            (name, [StyledText(str(value))])
            for name, value in step_words.items()
            if name != "indexed" and value is not None
        ]
    )


def stale(screen: Screen, found: "Sequence[Staleness]") -> None:
    """Memories about code that may be out of date, and why."""
    if not found:
        screen.line(StyledText("No memory about code looks out of date.", "dim"))
    for one in found:
        screen.line(StyledText(one.memory_id, "bold"))
        for reason in one.reasons:
            screen.line(StyledText(f"  {reason}"))


def meanings(screen: Screen, found: "Sequence[Meaning]") -> None:
    """Semantic relations between parts of the code."""
    if not found:
        screen.line(StyledText("Nothing is known beyond what the parser sees.", "dim"))
        screen.line(StyledText("Run 'recollect graph analyse' to read the folders.", "dim"))
    for one in found:
        kind = one.kind.replace("_", " ")
        screen.line(
            StyledText(one.source, "bold"),
            StyledText(f" {kind} "),
            StyledText(one.target, "bold"),
            StyledText(f"  {one.confidence:.2f}, {one.made_by}", "dim"),
        )


def knowledge(screen: Screen, found: "Sequence[KnowledgeNode]") -> None:
    """Patterns, decisions and invariants."""
    if not found:
        screen.line(StyledText("No pattern, decision or invariant of this code is known.", "dim"))
    for one in found:
        about = ", ".join(one.about)
        screen.line(StyledText(f"{one.kind}: ", "dim"), StyledText(one_line(one.label)))
        screen.line(StyledText(f"  {about}", "dim"))


def piece(screen: Screen, found: "Found", chunk: "Chunk", query: str) -> list[Line]:
    """A piece of code that recall found."""
    head = [
        screen.share(min(1.0, found.score)),
        StyledText("  "),
        StyledText(f"{chunk.path}:{chunk.start_line}", "bold cyan"),
        StyledText(f"  {chunk.kind} {chunk.name}".rstrip(), "dim"),
    ]
    lines: list[Line] = [head]
    shown = chunk.text.splitlines()
    lines += [
        [StyledText(part, "bold yellow" if hit else "") for part, hit in marked(line, query)]
        for line in (shown[:_LINES_SHOWN] if screen.terminal else shown)
    ]
    if screen.terminal and len(shown) > _LINES_SHOWN:
        lines.append([StyledText(f"... {len(shown) - _LINES_SHOWN} more lines", "dim")])
    if found.reason:
        lines.append([StyledText(f"moved up: {found.reason}", "dim")])
    return lines
