"""What is shipped for Prometheus and Grafana: made from the table, naming only what is exported."""

import json
import re
from pathlib import Path

from benchmarks.monitoring import DASHBOARD, RULES, alerts, dashboard, rules
from recollect.surfaces.rest.metrics import ServerMetrics
from recollect.vocabulary.jobs import QueueMetrics
from recollect.vocabulary.metrics import METRICS, MetricValue, SpaceMetrics

DEPLOY = Path(__file__).parents[2] / "deploy"
NAME = re.compile(r"\brecollect_[a-z0-9_]+")


def exported() -> set[str]:
    """The names of everything that a scrape brings."""
    values = tuple(MetricValue(one.name, 1.0, 1, one.label) for one in METRICS)
    measures = ServerMetrics()
    measures.request("GET", "/", 200, 0.1)
    queue = QueueMetrics(0, 0.0, 0, 0, 0, 0, 0.1, {})
    stats = {"queue": queue, "memories": {}, "actions": {}, "events": 0, "streams": 0}
    stats |= {"index_bytes": 0, "store": {"bytes": 1}}
    text = measures.text(stats, [SpaceMetrics("garden", 30, values)], server=True).decode()
    return set(re.findall(r"^(recollect_[a-z0-9_]+)", text, re.MULTILINE))


def test_the_files_are_those_that_the_table_makes() -> None:
    again = "run 'python -m benchmarks.monitoring deploy'"
    assert (DEPLOY / RULES).read_text("utf-8") == rules(), again
    assert (DEPLOY / DASHBOARD).read_text("utf-8") == dashboard(), again


def test_queries_name_only_what_is_exported() -> None:
    known = exported()
    for _, expression, summary, advice in alerts():
        assert set(NAME.findall(expression)) <= known, expression
        assert summary
        assert advice
    board = json.loads(dashboard())
    queries = [target["expr"] for panel in board["panels"] for target in panel["targets"]]
    assert all(set(NAME.findall(query)) <= known for query in queries)
    assert {one.exported for one in METRICS} <= {
        name for query in queries for name in NAME.findall(query)
    }
    places = [(panel["gridPos"]["x"], panel["gridPos"]["y"]) for panel in board["panels"]]
    assert len(set(places)) == len(places) == len({panel["id"] for panel in board["panels"]})
