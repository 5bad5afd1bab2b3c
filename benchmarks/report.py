"""The table that ``python -m benchmarks`` prints."""

from collections.abc import Sequence

from benchmarks.measures import Measure

_HEADINGS = ("measure", "ours", "baseline", "ratio", "target", "met")


def table(measures: Sequence[Measure], headings: Sequence[str] = _HEADINGS) -> str:
    """All measures, one a line, in columns."""
    rows = [headings, *(_row(measure) for measure in measures)]
    widths = [max(len(row[place]) for row in rows) for place in range(len(headings))]
    lines = [_line(row, widths) for row in rows]
    return "\n".join([lines[0], "  ".join("-" * width for width in widths), *lines[1:]])


def verdict(measures: Sequence[Measure]) -> str:
    """Plainly: which targets were missed."""
    missed = [measure.what for measure in measures if measure.met is False]
    held = sum(measure.met is True for measure in measures)
    if not missed:
        return f"All {held} targets are met."
    return f"{len(missed)} of {held + len(missed)} targets MISSED: {'; '.join(missed)}."


def _row(measure: Measure) -> tuple[str, ...]:
    met = {None: "", True: "yes", False: "NO"}[measure.met]
    target = "" if measure.target is None else str(measure.target)
    return measure.what, measure.ours, measure.baseline, f"{measure.ratio:.2f}", target, met


def _line(row: Sequence[str], widths: Sequence[int]) -> str:
    first, *rest = zip(row, widths, strict=True)
    cells = [first[0].ljust(first[1]), *(cell.rjust(width) for cell, width in rest)]
    return "  ".join(cells).rstrip()
