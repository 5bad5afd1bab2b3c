"""Views of benchmark results: tables by category, and the time taken."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from recollect.surfaces.cli.views.screen import Line, Screen, StyledText

_COLUMNS: Final = [
    *("category", "questions", "R@5", "R@10", "R@20", "R@50"),
    *("all@10", "session@1", "@5"),
]


def found(screen: Screen, result: Mapping[str, Any]) -> None:
    """Recall by category and in total, and the speed."""
    rows = [_row(name, figures) for name, figures in result["categories"].items()]
    rows.append(_row("counted", result, "bold"))
    screen.table(_COLUMNS, rows)
    _times(screen, result["query_ms"])
    _lost(screen, result)
    for one in result.get("questions_asked", ()):
        screen.line(StyledText(f"{one['r10']:6.1f}  ", "bold"), StyledText(one["question"]))


def several(screen: Screen, sets: Mapping[str, Any]) -> None:
    """Each data set with its categories, and all data sets side by side."""
    for name, result in sets.items():
        screen.line(StyledText(name, "bold"))
        found(screen, result)
    screen.table(
        ["set", *_COLUMNS[1:]], [_row(name, result, "bold") for name, result in sets.items()]
    )


def variants(screen: Screen, sets: Mapping[str, Any]) -> None:
    """Profile variants, one per line; for several data sets only R@10, one column each."""
    part = ""
    rows: list[list[Line]] = []
    headings = list(sets) if len(sets) > 1 else ["R@5", "R@10", "R@20", "session@5"]
    for ones in zip(*(result["variants"] for result in sets.values()), strict=True):
        one = ones[0]
        shown, part = one["part"] if one["part"] != part else "", one["part"]
        values = [one["r5"], one["r10"], one["r20"], one["session_any5"]]
        if len(sets) > 1:
            values = [each["r10"] for each in ones]
        rows.append(
            [
                [StyledText(shown, "dim")],
                [StyledText(one["name"], "bold")],
                *([StyledText(f"{value:.1f}")] for value in values),
            ]
        )
    screen.table(["", "variant", *headings], rows)
    for name, result in sets.items():
        asked = f"{result['questions']:,} questions"
        screen.line(StyledText(f"{name}: {asked}" if len(sets) > 1 else asked, "dim"))
        _lost(screen, result)


def own_questions(screen: Screen, result: Mapping[str, Any]) -> None:
    """Results of each variant on a person's own questions, one per line."""
    rows: list[list[Line]] = [
        [
            [StyledText(one["name"], "bold")],
            *([StyledText(f"{one[name]:.1f}")] for name in ("first", "r5", "r10")),
            [StyledText(f"{one['mean_reciprocal_rank']:.3f}")],
        ]
        for one in result["variants"]
    ]
    screen.table(["variant", "first", "in 5", "in 10", "reciprocal rank"], rows)
    screen.line(StyledText(f"{result['questions']:,} of your questions were judged.", "dim"))


def latency(screen: Screen, result: Mapping[str, Any]) -> None:
    """Latency of a recall."""
    screen.line(
        StyledText(f"{result['items']:,} events", "bold"),
        StyledText(f", imported at {result['write_per_s']:,} a second."),
    )
    _times(screen, result["query_ms"])


def _lost(screen: Screen, result: Mapping[str, Any]) -> None:
    for sentence in result["lost"]:
        screen.line(StyledText(sentence, "yellow"))


def _times(screen: Screen, times: Mapping[str, float]) -> None:
    screen.line(
        StyledText(f"A question took {times['p50']:.1f} ms, and 95 of 100 {times['p95']:.1f}.")
    )


def _row(name: str, figures: Mapping[str, Any], style: str = "") -> list[Line]:
    turn, session = figures["turn"], figures["session"]
    values = (
        *(turn[f"r{depth}"] for depth in (5, 10, 20, 50)),
        figures["all"]["all10"],
        session["any1"],
        session["any5"],
    )
    return [
        [StyledText(name, style)],
        [StyledText(f"{figures['questions']:,}", style)],
        *([StyledText(f"{value:.1f}", style)] for value in values),
    ]


def talk(screen: Screen, result: dict[str, Any]) -> None:
    """Statements kept and questions answered, by kind of conversation."""
    rows = [("all", result), *result["by_kind"].items()]
    screen.table(
        ["kind", "kept", "wrongly kept", "answered", "others kept a conversation"],
        [
            [
                [StyledText(kind, "bold")],
                [StyledText(f"{one['kept']} of {one['keep_total']}")],
                [StyledText(f"{one['wrongly_kept']} of {one['skip_total']}")],
                [StyledText(f"{one['answered']} of {one['ask_total']}")],
                [StyledText(str(one["precision"]["per_conversation"]))],
            ]
            for kind, one in rows
        ],
    )
    for failure in result.get("failures", ()):
        screen.line(StyledText(failure))


def research(screen: Screen, result: dict[str, Any]) -> None:
    """Share of evidence cited, and of right responses, by category."""
    rows = [*result["categories"].items(), ("counted", result)]
    screen.table(
        ["category", "questions", "evidence cited", "answered", "answer F1"],
        [
            [
                [StyledText(name, "bold")],
                [StyledText(f"{one['questions']:,}")],
                [StyledText(f"{one['citations_recall']:.1f}")],
                [StyledText(f"{one['answered']:.1f}")],
                [StyledText(f"{one['answer_f1']:.1f}")],
            ]
            for name, one in rows
        ],
    )
    screen.line(
        StyledText(f"Answers or says that it does not know: {result['balanced_accuracy']:.3f}"),
        StyledText(f" balanced accuracy; {result['verbatim_quotes']:.1f} % of quotes verbatim."),
    )
    _times(screen, result["query_ms"])
    for one in result.get("questions_asked", ()):
        screen.line(StyledText(f"{one['cited']:6.1f}  ", "bold"), StyledText(one["question"]))


def workspace(screen: Screen, result: Mapping[str, Any]) -> None:
    """Experts found, and ends of conversations."""
    screen.table(
        ["measure", "value", "questions"],
        [
            [
                [StyledText("true answerers among the first 5", "bold")],
                [StyledText(f"{result['experts_recall_at_5']:.3f}")],
                [StyledText(f"{result['expert_questions']:,}")],
            ],
            [
                [StyledText("window against the conversation, F1", "bold")],
                [StyledText(f"{result['window_f1']:.3f}")],
                [StyledText(f"{result['window_questions']:,}")],
            ],
        ],
    )
    screen.line(StyledText(f"{result['messages']:,} messages, {result['people']} people", "dim"))


def contradictions(screen: Screen, result: Mapping[str, Any]) -> None:
    """Contradictions found, in total and by kind."""
    screen.line(
        StyledText(f"recall {result['recall']:.2f}, precision {result['precision']:.2f}", "bold"),
        StyledText(f", the right one stands first in {result['winner_right']:.0%}."),
    )
    screen.table(
        ["kind", "pairs", "found"],
        [
            [
                [StyledText(kind)],
                [StyledText(str(one["pairs"]))],
                [StyledText(str(one["found"]))],
            ]
            for kind, one in result["by_kind"].items()
        ],
    )
    for mistake in result["mistakes"]:
        screen.line(StyledText(mistake, "dim"))


def everything(
    screen: Screen, rows: Sequence[Mapping[str, Any]], left_alone: Sequence[str] = ()
) -> None:
    """Each benchmark with its data and figures."""
    lines: list[list[Line]] = []
    for row in rows:
        first = [[StyledText(row["measure"], "bold")], [StyledText(row["data"])]]
        for name, value in _flat(row["figures"]):
            number = f"{value:,.3f}" if isinstance(value, float) and value < 1 else f"{value:,}"
            lines.append([*first, [StyledText(name.replace("_", " "))], [StyledText(number)]])
            first = [[StyledText("")], [StyledText("")]]
    screen.table(["measure", "data", "figure", "value"], lines)
    for name in left_alone:
        screen.line(StyledText(f"Nothing is measured on {name}.", "dim"))


def _flat(figures: Mapping[str, Any], under: str = "") -> Iterator[tuple[str, Any]]:
    """Figures by their full names."""
    for name, value in figures.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{under}{name} ")
        else:
            yield under + name, value


def outages(screen: Screen, rows: Sequence[Mapping[str, Any]]) -> None:
    """Results during each component's failure, and the warnings in the answers."""
    screen.table(
        ["part", "fault", "answered", "R@10", "slowest", "what was said"],
        [
            [
                [StyledText(one["part"], "bold")],
                [StyledText(one["fault"])],
                [StyledText(f"{one['answered']} of {one['asked']}")],
                [StyledText(f"{one['r10']:.1f}")],
                [StyledText(f"{one['slowest_seconds']:.2f} s")],
                [StyledText("; ".join(filter(None, (one["said"], one["afterwards"]))))],
            ]
            for one in rows
        ],
    )
