"""The doctor: look at everything, say what is wrong and what to do, and mend it when asked."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Annotated, Any, Final, NamedTuple

from typer import Exit, Option

from recollect.surfaces.cli.session import Session
from recollect.vocabulary.errors import InferenceError, InvalidSetting, StoreError

if TYPE_CHECKING:
    from recollect.engine import Recollect
    from recollect.memories.upkeep import Health
    from recollect.storage.dialects.protocol import Erased

OK: Final = "ok"
NOTE: Final = "note"
PROBLEM: Final = "problem"
REPAIR: Final = "Run 'recollect doctor --repair'."
_PROPER: Final = {"sqlite": "SQLite", "postgresql": "PostgreSQL"}
_LONG_WAIT: Final = 3_600
_REPAIR_SECONDS: Final = 10.0


class Check(NamedTuple):
    """One thing that was looked at."""

    name: str
    state: str
    message: str
    advice: str | None = None


def doctor(
    session: Session,
    repair: Annotated[
        bool, Option("--repair", help="Mend what can be: index, failed jobs, missing vectors.")
    ] = False,
    erase_traces: Annotated[
        bool,
        Option(
            "--erase-traces",
            help="Write the store's files anew without what was forgotten. Others wait meanwhile.",
        ),
    ] = False,
) -> None:
    """Check the store and say what to do."""
    from recollect.surfaces.cli.views import checkup

    repairs: list[str] = []
    checks = list(_examined(session))
    if repair and any(check.state != OK for check in checks) and session.there:
        repairs = _repaired(session)
        checks = list(_examined(session))
    erased = _erased(session) if erase_traces and session.there else None
    sound = all(check.state != PROBLEM for check in checks)
    session.answer(
        {
            "sound": sound,
            "checks": checks,
            "repairs": repairs,
            **({} if erased is None else {"traces": {"done": erased.done, "left": erased.left}}),
        },
        lambda screen: checkup.report(screen, checks, repairs, erased),
    )
    if not sound:
        raise Exit(1)


def rebuild(session: Session) -> None:
    """Make the search index anew."""
    from recollect.surfaces.cli.progress import measuring
    from recollect.surfaces.cli.views.screen import Span
    from recollect.surfaces.cli.views.words import counted

    with session.open() as memory, measuring(session, "Indexing") as advance:
        total = memory.rebuild_index(lambda done: advance(done, None, f"{done:,} texts"))
    words = f"The index was made anew from {counted(total, 'text')}."
    session.answer({"indexed": total}, lambda screen: screen.line(Span(words)))


def _examined(session: Session) -> Iterator[Check]:
    if not session.there:
        where = session.place
        yield Check(
            "store", NOTE, f"There is no file at {where} yet.", "'recollect remember' makes it."
        )
        return
    try:
        memory, complaint = _opened(session)
    except StoreError as error:
        yield Check("store", PROBLEM, error.message, error.hint)
        return
    with memory:
        yield from _looked_at(memory, complaint)


def _opened(session: Session) -> "tuple[Recollect, Check | None]":
    """The store; without its embedder when that cannot even be set up."""
    try:
        return session.open(), None
    except (InferenceError, InvalidSetting) as error:
        advice = error.hint or "See 'recollect settings'."
        return session.open(embedder="none"), Check("embedder", PROBLEM, error.message, advice)


def _looked_at(memory: "Recollect", complaint: Check | None) -> Iterator[Check]:
    from recollect.surfaces.cli.views.words import size

    figures, health = memory.stats(), memory.health()
    store = figures["store"]
    taken = size(store["bytes"] + store["journal_bytes"])
    software = f"{_PROPER.get(store['store'], store['store'])} {store['version']}"
    yield Check("store", OK, f"{store['file']}, {taken}, {software}; its schema is current.")
    if store["store"] == "postgresql":
        yield _server(store)
    yield _integrity(health)
    yield _index(health, {space.id: space.name for space in memory.spaces()})
    yield complaint or _embedder(memory)
    yield _vectors(health)
    yield _queue(figures["queue"])


def _server(store: Mapping[str, Any]) -> Check:
    """What only a shared store has: connections, a wall, a replica's delay."""
    words = f"{store['connections']} connections; the second wall is {store['wall']}."
    if store["replica"] == "yes":
        return Check("server", NOTE, f"A replica, {store['lag_seconds']} s behind; {words}")
    if store["wall"] == "missing":
        return Check("server", PROBLEM, words, "Connect as another login than a superuser's.")
    if store["open"]:
        return Check("server", PROBLEM, store["open"], "Open the store once as its owner.")
    return Check("server", OK, words)


def _integrity(health: "Health") -> Check:
    if not health.store_problems:
        return Check("integrity", OK, "The store is sound.")
    advice = "Make a copy now, then 'recollect export' what can still be read into a new file."
    return Check("integrity", PROBLEM, " ".join(health.store_problems), advice)


def _index(health: "Health", names: dict[str, str]) -> Check:
    if health.keyword_problems:
        return Check("index", PROBLEM, " ".join(health.keyword_problems), REPAIR)
    unsound = [check for check in health.index if not check.sound]
    if unsound:
        where = ", ".join(
            f"{check.collection} of {names.get(check.space_id, check.space_id)}"
            for check in unsound
        )
        return Check("index", PROBLEM, f"The index disagrees with the rows: {where}.", REPAIR)
    total = sum(check.items for check in health.index)
    return Check("index", OK, f"The index agrees with the rows, {total:,} of them.")


def _embedder(memory: "Recollect") -> Check:
    answers, words = memory.embedder_state()
    if answers:
        return Check("embedder", OK, f"It answers: {words}.")
    advice = "Search goes by words meanwhile. See 'recollect settings'."
    return Check("embedder", PROBLEM, words, advice)


def _vectors(health: "Health") -> Check:
    from recollect.surfaces.cli.views.words import counted

    if not health.without_vector:
        return Check("vectors", OK, "None is missing.")
    missing = counted(health.without_vector, "text has no vector", "texts have no vector")
    return Check("vectors", NOTE, f"{missing} yet.", "'recollect worker --once' makes them.")


def _queue(queue: Any) -> Check:
    from recollect.surfaces.cli.views.reports import queue_sentence

    words = queue_sentence(queue)
    if queue.dead:
        advice = f"'recollect jobs' says why; '{REPAIR[5:-2]}' tries them again."
        return Check("queue", PROBLEM, words, advice)
    if queue.backlog and queue.oldest_seconds > _LONG_WAIT:
        return Check("queue", NOTE, words, "'recollect worker --once' does it.")
    return Check("queue", OK, words)


def _erased(session: Session) -> "Erased":
    with session.open(embedder="none") as memory:
        return memory.erase_traces()


def _repaired(session: Session) -> list[str]:
    """Do what can be done; what was done."""
    from recollect.surfaces.cli.views.words import counted

    done = []
    try:
        memory, _ = _opened(session)
    except StoreError:
        return []
    with memory:
        if not memory.health().sound:
            total = memory.rebuild_index()
            done.append(f"Made the index anew from {counted(total, 'text')}.")
        if retried := memory.retry_jobs():
            done.append(f"Put {counted(retried, 'failed job')} back in the queue.")
        if settled := memory.work(_REPAIR_SECONDS):
            done.append(f"Did {counted(settled, 'waiting job')}.")
    return done
