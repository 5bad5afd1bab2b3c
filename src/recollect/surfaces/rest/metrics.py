"""Prometheus metrics: requests as they end; queue and spaces read at each scrape.

The sender gets figures of their space as they may see it, and the tracked figures of each space
that they are a steward of. Figures of the whole server (requests, the queue, the size of the store)
are only for the stewards of the server's own space.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from prometheus_client import CollectorRegistry, Counter, Histogram
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.exposition import CONTENT_TYPE_LATEST, generate_latest
from prometheus_client.multiprocess import MultiProcessCollector

from recollect.vocabulary.jobs import QueueMetrics
from recollect.vocabulary.metrics import METRICS, MetricDefinition, MetricValue, SpaceMetrics
from recollect.vocabulary.pending_counts import DURATION_BUCKETS

CONTENT_TYPE: Final = CONTENT_TYPE_LATEST


class ServerMetrics:
    """Counts what the server does; in a shared folder when there are several processes."""

    def __init__(self, folder: Path | None = None) -> None:
        self._registry = CollectorRegistry()
        #: Combines the counters of all processes, whichever of them answers.
        self._reported = self._registry
        if folder is not None:
            self._reported = CollectorRegistry()
            MultiProcessCollector(self._reported, str(folder))  # type: ignore[no-untyped-call]
        self._requests = Counter(
            "recollect_http_requests",
            "Requests that were answered.",
            ("method", "path", "status"),
            registry=self._registry,
        )
        self._seconds = Histogram(
            "recollect_http_request_seconds",
            "How long an answer took.",
            ("method", "path"),
            buckets=DURATION_BUCKETS,
            registry=self._registry,
        )
        self._children: dict[tuple[str, str, int], tuple[Any, Any]] = {}

    def request(self, method: str, path: str, status: int, seconds: float) -> None:
        """Count a request that has ended."""
        key = method, path, status
        children = self._children.get(key)
        if children is None:
            children = self._children[key] = (
                self._requests.labels(method, path, str(status or 499)),
                self._seconds.labels(method, path),
            )
        children[0].inc()
        children[1].observe(seconds)

    def text(
        self, stats: dict[str, Any], tracked: Sequence[SpaceMetrics], *, server: bool
    ) -> bytes:
        """Metrics of a space and the tracked figures; with ``server``, also of the whole server."""
        reading = CollectorRegistry()
        reading.register(_LiveFigures(stats, tracked, server=server))
        live_figures = generate_latest(reading)
        return generate_latest(self._reported) + live_figures if server else live_figures


class _LiveFigures:
    """Metrics that are read at each scrape."""

    def __init__(
        self, stats: dict[str, Any], tracked: Sequence[SpaceMetrics], *, server: bool
    ) -> None:
        self._stats = stats
        self._tracked = tracked
        self._server = server

    def describe(self) -> list[Metric]:
        """No metrics before the first scrape."""
        return []

    def collect(self) -> Iterator[Metric]:
        """Metrics of the queue, then the space, then the store."""
        if self._server:
            yield from _of_queue(self._stats["queue"])
        yield from _of_space(self._stats)
        for definition in METRICS:
            yield from _of_metric(definition, self._tracked)
        if self._server:
            yield from _of_store(self._stats)


def _of_queue(queue: QueueMetrics) -> Iterator[Metric]:
    yield _gauge("recollect_queue_backlog", "Jobs that wait.", queue.backlog)
    yield _gauge("recollect_queue_oldest_seconds", "Age of the oldest job.", queue.oldest_seconds)
    yield _gauge("recollect_queue_running", "Jobs under way.", queue.running)
    yield _gauge("recollect_queue_dead", "Jobs that were given up.", queue.dead)
    yield _gauge("recollect_queue_done", "Jobs that were done lately.", queue.done)
    yield _gauge("recollect_queue_failures", "Attempts that failed.", queue.failures)
    if queue.p95_seconds is not None:
        yield _gauge(
            "recollect_queue_p95_seconds", "95 of 100 jobs took no longer.", queue.p95_seconds
        )
    kinds = GaugeMetricFamily(
        "recollect_queue_backlog_by_kind", "Jobs that wait, by kind.", labels=["kind"]
    )
    for kind, count in queue.by_kind.items():
        kinds.add_metric([kind], count)
    yield kinds


def _of_space(stats: dict[str, Any]) -> Iterator[Metric]:
    memories = GaugeMetricFamily(
        "recollect_memories", "Memories of the space that the sender may see.", labels=["type"]
    )
    for kind, count in stats["memories"].items():
        memories.add_metric([kind], count)
    yield memories
    actions = GaugeMetricFamily(
        "recollect_memory_actions",
        "What was done to the personal memory of whoever asks: remember, repeat (found to"
        " be known already), trim (over the cap), forget and the rest.",
        labels=["action"],
    )
    for action, count in stats["actions"].items():
        actions.add_metric([action], count)
    yield actions
    yield _gauge("recollect_events", "Events that the sender may see.", stats["events"])
    yield _gauge("recollect_streams", "Streams that the sender may read.", stats["streams"])


def _of_metric(definition: MetricDefinition, tracked: Sequence[SpaceMetrics]) -> Iterator[Metric]:
    """One tracked figure of every space, and its sample size."""
    label = definition.label
    labels = ["space", *([label] if label else [])]
    values = GaugeMetricFamily(definition.exported, definition.help, labels=labels)
    samples = GaugeMetricFamily(
        f"recollect_{definition.name}_samples", "What this figure rests on.", labels=labels
    )
    for space in tracked:
        for one in space.values:
            if one.name == definition.name and one.value is not None:
                values.add_metric(_labelled(space, one), one.value)
                samples.add_metric(_labelled(space, one), one.samples)
    yield values
    yield samples


def _labelled(space: SpaceMetrics, one: MetricValue) -> list[str]:
    return [space.space, *([one.label] if one.label is not None else [])]


def _of_store(stats: dict[str, Any]) -> Iterator[Metric]:
    yield _gauge("recollect_index_bytes", "Memory of the search index.", stats["index_bytes"])
    store = stats["store"]
    if "bytes" in store:
        yield _gauge("recollect_store_bytes", "Size of the store.", store["bytes"])


def _gauge(name: str, help: str, value: float) -> Metric:
    return GaugeMetricFamily(name, help, value=value)
