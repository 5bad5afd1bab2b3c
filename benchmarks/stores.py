"""``python -m benchmarks.stores``: the file and the server, same data, same run.

Single and bulk writes, and searches by words, by vectors and by both, at two sizes, with one client
and with eight. The server is a real PostgreSQL whose every commit reaches the disk. Times of the
server stand under "postgresql", those of the file under "sqlite".
"""

import argparse
import json
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from time import perf_counter

import psycopg

import recollect
from benchmarks.bare_postgres import BarePostgres
from benchmarks.measures import Measure, Target, at_least, at_most, medians, time_text
from benchmarks.report import table, verdict
from benchmarks.store_clients import throughput
from benchmarks.texts import questions, sentences
from benchmarks.writes import write_history
from recollect.engine import Recollect
from recollect.inference.static_embedder import StaticEmbedder
from recollect.recall.profiles import Profile
from recollect.storage.database import Database
from recollect.storage.move.move import move_store
from tests.postgres_server import PostgresServer

CLIENTS = 8
OWNER = "owner"
_BY_VECTORS = Profile("vectors", {"meaning": 1.0})


@dataclass
class Scene:
    """Where this run's stores are, and how much it does."""

    folder: Path
    server: PostgresServer
    quick: bool
    _made: list[str] = field(default_factory=list)

    def file(self, name: str) -> str:
        """The address of a new file."""
        return str(self.folder / f"{name}.db")

    def database(self, name: str) -> str:
        """The address of a new database of the server."""
        with psycopg.connect(self.server.address(), autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name}")
        return self.server.address(name)

    def scaled(self, full: int) -> int:
        """A tenth of it when there is no time."""
        return full // 10 if self.quick else full


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser("python -m benchmarks.stores", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a tenth of everything")
    parser.add_argument("--json", action="store_true", help="for machines")
    options = parser.parse_args()
    measures: list[Measure] = []
    with _scene(options.quick) as scene:
        for step in (_single, _crowd, _bulk, _searches):
            if not options.json:
                print(f"Measuring {step.__name__.strip('_')} ...", flush=True)
            measures += step(scene)
    if options.json:
        print(json.dumps([measure.as_json() for measure in measures], indent=2))
    else:
        headings = ("measure", "postgresql", "beside", "ratio", "target", "met")
        print(f"\n{table(measures, headings)}\n\n{verdict(measures)}")


@contextmanager
def _scene(quick: bool) -> Iterator[Scene]:
    with ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="recollect-stores-"))
        server = PostgresServer(safe=True, settings={"maintenance_work_mem": "512MB"})
        stack.callback(server.stop)
        yield Scene(Path(folder), server, quick)


def _open(address: str, embedder: str = "static") -> Recollect:
    return recollect.open(address, user=OWNER, embedder=embedder, worker=False)


def _single(scene: Scene) -> list[Measure]:
    """One memory at a time, beside the same rows by hand and beside the file."""
    count, warm = scene.scaled(1_000), 100
    texts = sentences(count + warm)
    ours = scene.database("single")
    seconds: dict[str, list[float]] = {"server": [], "bare": [], "file": []}
    with _open(ours) as memory, _open(scene.file("single")) as file:
        memory.remember("the first makes the audience")
        bare = BarePostgres.made(ours, scene.database("bare"))
        for text in texts:
            started = perf_counter()
            kept = memory.remember(text)
            seconds["server"].append(perf_counter() - started)
            rows = bare.rows_of(kept.id)
            started = perf_counter()
            bare.insert(rows)
            seconds["bare"].append(perf_counter() - started)
            started = perf_counter()
            file.remember(text)
            seconds["file"].append(perf_counter() - started)
        bare.close()
    server, plain, file_seconds = (median(kept[warm:]) for kept in seconds.values())
    return [
        _times("one durable write, to the same rows by hand", server, plain, at_most(2)),
        _times("one durable write, to the file", server, file_seconds),
    ]


def _crowd(scene: Scene) -> list[Measure]:
    """Eight processes that write at once, into one space or each into its own, and by hand."""
    each = scene.scaled(500)
    texts = sentences(each)
    ours, bare = scene.database("crowd"), scene.database("crowd_by_hand")
    server, file = (
        throughput(address, "write", [texts] * CLIENTS) for address in (ours, scene.file("crowd"))
    )
    made = BarePostgres.made(ours, bare)
    ids = made.memories()
    made.close()
    plain = throughput(f"{ours} {bare}", "by hand", [ids[n::CLIENTS] for n in range(CLIENTS)])
    apart = [
        throughput(address, "write", [texts] * CLIENTS, apart=True)
        for address in (scene.database("apart"), scene.file("apart"))
    ]
    what = f"writes of {CLIENTS} clients"
    return [
        _rates(f"{what}, a space each, to the file", apart, at_least(1)),
        _rates(f"{what}, one space, to the file", [server, file], at_least(1)),
        _rates(f"{what}, to the same rows by hand", [server, plain]),
        _rates(f"{what} by hand, to the file", [plain, file]),
    ]


def _bulk(scene: Scene) -> list[Measure]:
    """A history imported at once."""
    count = scene.scaled(100_000)
    history = scene.folder / "history.jsonl"
    write_history(history, sentences(count))
    rates = []
    for address in (scene.database("bulk"), scene.file("bulk")):
        with _open(address) as memory:
            started = perf_counter()
            memory.import_(history)
            rates.append(count / (perf_counter() - started))
    return [_rates(f"import of {count:,} events, to the file", rates)]


def _searches(scene: Scene) -> list[Measure]:
    """The same questions to both, at two sizes."""
    measures: list[Measure] = []
    for size in (scene.scaled(10_000), scene.scaled(100_000)):
        file, server = scene.file(f"memories{size}"), scene.database(f"memories{size}")
        _fill(file, size)
        started = perf_counter()
        move_store(file, server)
        moved = perf_counter() - started
        measures.append(Measure(f"move of {size:,} memories", time_text(moved), "-", 1.0))
        measures += _asked(size, server, file, scene)
        measures += _many_asked(size, server, file, scene)
    measures += _hnsw(size, server)
    return measures


def _fill(path: str, size: int) -> None:
    with _open(path) as memory:
        for text in sentences(size):
            memory.remember(text)


def _asked(size: int, server: str, file: str, scene: Scene) -> list[Measure]:
    """One client."""
    asked = questions(scene.scaled(500))
    measures = []
    for name, open_one in (("words", "none"), ("both", "static")):
        with _open(server, open_one) as there, _open(file, open_one) as here:
            for question in asked:  # what is asked for the first time is read from the store
                there.recall(question)
                here.recall(question)
            times = medians(len(asked) - 1, *(_asking(memory, asked) for memory in (there, here)))
        measures.append(
            _times(f"search by {name}, {size:,} memories", times[0], times[1], at_most(3))
        )
    with _open(server, "static") as there, _open(file, "static") as here:
        both = [_asking(memory, asked, _BY_VECTORS) for memory in (there, here)]
        times = medians(len(asked) - 1, *both)
    measures.append(_times(f"search by vectors, {size:,} memories", times[0], times[1], at_most(3)))
    return measures


def _asking(
    memory: Recollect, asked: list[str], profile: Profile | None = None
) -> Callable[[int], object]:
    return lambda number: memory.recall(asked[number], limit=10, profile=profile)


def _many_asked(size: int, server: str, file: str, scene: Scene) -> list[Measure]:
    """Eight clients at once."""
    asked = questions(scene.scaled(500))
    rates = [throughput(address, "search", [asked] * CLIENTS) for address in (server, file)]
    what = f"searches of {CLIENTS} clients, {size:,} memories, to the file"
    return [_rates(what, rates, at_least(1))]


def _hnsw(size: int, server: str) -> list[Measure]:
    """The server's own index: how long it takes to build, and its size beside the vectors'."""
    database = Database(server)
    embedder = StaticEmbedder()
    started = perf_counter()
    database.build_vector_index(embedder.model_id, embedder.dims)
    seconds = perf_counter() - started
    database.close()
    with psycopg.connect(server) as connection:
        row = connection.execute(
            "SELECT sum(pg_relation_size(indexrelid)), pg_total_relation_size('vectors')"
            " FROM pg_stat_user_indexes WHERE indexrelname LIKE 'vectors_%near_%'"
        ).fetchone()
    assert row is not None
    index, rows = int(row[0]), int(row[1])
    what = f"HNSW over {size:,} vectors in {seconds:,.0f} s, to the rows"
    return [
        Measure(
            what,
            f"{index / 1e6:,.0f} MB",
            f"{(rows - index) / 1e6:,.0f} MB",
            index / (rows - index),
        )
    ]


def _times(what: str, server: float, beside: float, target: Target | None = None) -> Measure:
    return Measure(what, time_text(server), time_text(beside), server / beside, target)


def _rates(what: str, rates: list[float], target: Target | None = None) -> Measure:
    server, beside = rates
    return Measure(what, f"{server:,.0f} /s", f"{beside:,.0f} /s", server / beside, target)


if __name__ == "__main__":
    main()
