"""The alert rules for Prometheus and the dashboard for Grafana, written from the table of metrics.

    python -m benchmarks.monitoring deploy

Both come from the table that the server and the doctor use, so they name no figure that does not
exist and no threshold that differs.
"""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from recollect.vocabulary.metrics import (
    BUDGET_USE_BELOW,
    METRICS,
    QUEUE_BACKLOG_ABOVE,
    QUEUE_OLDEST_ABOVE,
    MetricDefinition,
)

RULES = "prometheus/recollect.rules.yml"
DASHBOARD = "grafana/recollect.json"
_UNITS = {"share": "percentunit", "seconds": "s"}
_SERVER = (
    ("Backlog of the queue", "recollect_queue_backlog", "short"),
    ("Age of the oldest job", "recollect_queue_oldest_seconds", "s"),
    ("Jobs given up", "recollect_queue_dead", "short"),
    (
        "95 of 100 requests, by path",
        "histogram_quantile(0.95, sum by (le, path)"
        " (rate(recollect_http_request_seconds_bucket[5m])))",
        "s",
    ),
    (
        "Requests that failed",
        'sum by (path) (rate(recollect_http_requests_total{status=~"5.."}[5m]))',
        "reqps",
    ),
    ("Size of the store", "recollect_store_bytes", "bytes"),
)


def alerts() -> Iterator[tuple[str, str, str, str]]:
    """Name, expression, summary and advice of every alert."""
    for one in METRICS:
        for sign, bound in (("<", one.below), (">", one.above)):
            if bound is not None:
                yield _alert(one, sign, bound)
    day, bound = BUDGET_USE_BELOW
    yield (
        "RecollectBudgetUnused",
        f"recollect_budget_use_ratio < {bound} and on () day_of_month() >= {day}",
        "A budget is larger than it need be",
        "'recollect budget' sets it.",
    )
    yield (
        "RecollectQueueBacklog",
        f"recollect_queue_backlog > {QUEUE_BACKLOG_ABOVE}",
        "Many jobs wait",
        "Start another 'recollect worker'.",
    )
    yield (
        "RecollectQueueOld",
        f"recollect_queue_oldest_seconds > {QUEUE_OLDEST_ABOVE:g}",
        "A job has waited too long",
        "Is a worker running? 'recollect doctor' says.",
    )
    yield (
        "RecollectJobsGivenUp",
        "recollect_queue_dead > 0",
        "Jobs were given up",
        "'recollect jobs' says why and tries them again.",
    )


def _alert(one: MetricDefinition, sign: str, bound: float) -> tuple[str, str, str, str]:
    name = "".join(word.capitalize() for word in one.name.split("_"))
    labels = f"space, {one.label}" if one.label else "space"
    enough = f"and on ({labels}) recollect_{one.name}_samples >= {one.samples}"
    return (
        f"Recollect{name}",
        f"{one.exported} {sign} {bound:g} {enough}",
        f"{one.name.replace('_', ' ')} is past its threshold (wanted: {one.target})",
        one.advice,
    )


def rules() -> str:
    """The file of rules, as YAML."""
    lines = [
        "# Written by 'python -m benchmarks.monitoring deploy'; load it with rule_files.",
        "groups:",
        "  - name: recollect",
        "    rules:",
    ]
    for name, expression, summary, advice in alerts():
        lines += [
            f"      - alert: {name}",
            f"        expr: {json.dumps(expression)}",
            "        for: 15m",
            "        labels:",
            "          severity: warning",
            "        annotations:",
            f"          summary: {json.dumps(summary)}",
            f"          description: {json.dumps(advice)}",
        ]
    return "\n".join(lines) + "\n"


def dashboard() -> str:
    """The dashboard, as JSON."""
    tracked = [
        (one.help, f'{one.exported}{{space=~"$space"}}', _UNITS.get(one.unit, "short"), one)
        for one in METRICS
    ]
    panels = [
        _panel(number, title, query, unit, one)
        for number, (title, query, unit, one) in enumerate(
            [*((*each, None) for each in _SERVER), *tracked]
        )
    ]
    board = {
        "title": "Recollect",
        "uid": "recollect",
        "schemaVersion": 39,
        "version": 1,
        "editable": True,
        "time": {"from": "now-7d", "to": "now"},
        "refresh": "1m",
        "tags": ["recollect"],
        "templating": {
            "list": [
                {"name": "source", "type": "datasource", "query": "prometheus", "label": "Source"},
                {
                    "name": "space",
                    "type": "query",
                    "label": "Space",
                    "datasource": {"type": "prometheus", "uid": "${source}"},
                    "query": "label_values(recollect_contradictions_open, space)",
                    "refresh": 2,
                    "includeAll": True,
                    "multi": True,
                    "current": {"text": "All", "value": "$__all"},
                },
            ]
        },
        "panels": panels,
    }
    return json.dumps(board, indent=1) + "\n"


def _panel(
    number: int, title: str, query: str, unit: str, one: MetricDefinition | None
) -> dict[str, Any]:
    bounds = [bound for bound in (one.below, one.above) if bound is not None] if one else []
    steps: list[dict[str, Any]] = [{"color": "green", "value": None}]
    if one is not None and bounds:
        low = one.below is not None
        steps = [
            {"color": "red" if low else "green", "value": None},
            {"color": "green" if low else "red", "value": bounds[0]},
        ]
    legend = "{{space}}" + (f" {{{{{one.label}}}}}" if one is not None and one.label else "")
    return {
        "id": number + 1,
        "type": "timeseries",
        "title": title.rstrip("."),
        "description": f"Wanted: {one.target}" if one is not None and one.target else "",
        "datasource": {"type": "prometheus", "uid": "${source}"},
        "gridPos": {"h": 7, "w": 8, "x": 8 * (number % 3), "y": 7 * (number // 3)},
        "fieldConfig": {
            "defaults": {
                "unit": unit,
                "custom": {"thresholdsStyle": {"mode": "line" if bounds else "off"}},
                "thresholds": {"mode": "absolute", "steps": steps},
            },
            "overrides": [],
        },
        "targets": [{"refId": "A", "expr": query, "legendFormat": legend if one else "__auto"}],
    }


def main(folder: str = "deploy") -> None:
    """Write both files."""
    for path, text in ((RULES, rules()), (DASHBOARD, dashboard())):
        target = Path(folder) / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
        print(f"Wrote {target}.")


if __name__ == "__main__":
    main(*sys.argv[1:])
