"""Command ``doctor``: checks the store, reports problems with advice, and repairs on request."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, NamedTuple

from typer import BadParameter, Exit, Option

from recollect.surfaces.cli.commands import rescue as rescuing
from recollect.surfaces.cli.faults import INCOMPLETE
from recollect.surfaces.cli.session import CommandContext
from recollect.vocabulary.errors import (
    InferenceError,
    InvalidSetting,
    StoreBusy,
    StoreDamaged,
    StoreError,
    StoreReadOnly,
    StoreTooNew,
    StoreUnavailable,
)
from recollect.vocabulary.metrics import BY_NAME, QUEUE_BACKLOG_ABOVE, QUEUE_OLDEST_ABOVE

if TYPE_CHECKING:
    from recollect.engine import Recollect
    from recollect.engine.for_surfaces import Erased, Health
    from recollect.vocabulary.reports import RescueReport

OK: Final = "ok"
NOTE: Final = "note"
PROBLEM: Final = "problem"
REPAIR: Final = "Run 'recollect doctor --repair'."
_PROPER: Final = {"sqlite": "SQLite", "postgresql": "PostgreSQL"}
_REPAIR_SECONDS: Final = 10.0


class Check(NamedTuple):
    """Result of one check."""

    name: str
    state: str
    message: str
    advice: str | None = None


@dataclass(slots=True)
class _Examination:
    """Results of an examination: the checks, and what can be saved of a damaged file."""

    checks: list[Check] = field(default_factory=list)
    damage: "RescueReport | None" = None

    @property
    def sound(self) -> bool:
        """Whether no check found a problem."""
        return all(check.state != PROBLEM for check in self.checks)


def doctor(
    session: CommandContext,
    repair: Annotated[
        bool, Option("--repair", help="Repair the index, failed jobs and missing vectors.")
    ] = False,
    rescue: Annotated[
        str | None,
        Option("--rescue", metavar="NEW", help="Write what can be read into a new file."),
    ] = None,
    erase_traces: Annotated[
        bool,
        Option(
            "--erase-traces",
            help="Rewrite the store's files without deleted text. Other processes wait meanwhile.",
        ),
    ] = False,
) -> None:
    """Check the store and say what to do."""
    from recollect.surfaces.cli.views import checkup

    if rescue is not None:
        if repair:
            raise BadParameter("--repair and --rescue cannot be given together.")
        _rescue(session, rescue)
        return
    repairs: list[str] = []
    found = _examined(session)
    if repair and session.store_exists and any(check.state != OK for check in found.checks):
        repairs = _repaired(session)
        found = _examined(session)
    erased = _erased(session) if erase_traces and session.store_exists else None
    answer: dict[str, Any] = {"sound": found.sound, "checks": found.checks, "repairs": repairs}
    if found.damage is not None:
        answer["damage"] = found.damage
    if erased is not None:
        answer["traces"] = {"done": erased.done, "left": erased.left}
    session.answer(
        answer,
        lambda screen: checkup.report(screen, found.checks, repairs, found.damage, erased),
    )
    if not found.sound:
        raise Exit(1)


def _rescue(session: CommandContext, target: str) -> None:
    from recollect.surfaces.cli.views import rescues

    report = rescuing.rescue(session, target)
    session.answer(report, lambda screen: rescues.rescued(screen, report))
    if not report.whole:
        raise Exit(INCOMPLETE)


def rebuild(session: CommandContext) -> None:
    """Rebuild the search index."""
    from recollect.surfaces.cli.progress import measuring
    from recollect.surfaces.cli.views.screen import StyledText
    from recollect.surfaces.cli.views.words import counted

    with session.open() as memory, measuring(session, "Indexing") as advance:
        total = memory.rebuild_index(lambda done: advance(done, None, f"{done:,} texts"))
    words = f"The index was made anew from {counted(total, 'text')}."
    session.answer({"indexed": total}, lambda screen: screen.line(StyledText(words)))


def _examined(session: CommandContext) -> _Examination:
    """Run all checks. A file with unreadable parts is surveyed page by page."""
    found = _Examination()
    damaged = False
    try:
        for check in _looked_into(session):
            found.checks.append(check)
            damaged = damaged or (check.name == "integrity" and check.state == PROBLEM)
    except (StoreBusy, StoreReadOnly, StoreTooNew, StoreUnavailable) as error:
        found.checks.append(Check("store", PROBLEM, error.message, error.hint))
    except StoreDamaged as error:
        damaged = True
        found.checks.append(Check("store", PROBLEM, error.message))
    except StoreError as error:
        damaged = True
        found.checks.append(Check("store", PROBLEM, error.message, error.hint))
    except (ValueError, LookupError, TypeError, RecursionError) as error:
        damaged = True
        words = f"Something in it cannot be understood ({type(error).__name__}: {error})."
        found.checks.append(Check("store", PROBLEM, words))
    if damaged and _is_file(session):
        found.damage, words, advice = rescuing.survey(session)
        found.checks.append(Check("damage", PROBLEM, words, advice))
    return found


def _is_file(session: CommandContext) -> bool:
    return "://" not in session.settings["db"].text.removeprefix("sqlite:///")


def _looked_into(session: CommandContext) -> Iterator[Check]:
    where = session.place
    if not session.store_exists:
        yield Check(
            "store", NOTE, f"There is no file at {where} yet.", "'recollect remember' makes it."
        )
        return
    if _is_file(session) and _is_empty(where):
        yield Check(
            "store",
            NOTE,
            f"The file {where} is empty.",
            "'recollect remember' makes a store of it; if there was one, restore it from a backup.",
        )
        return
    if _is_file(session) and (problems := rescuing.problems(session)):
        raise StoreDamaged(" ".join(problems))  # before opening anything that might write
    memory, complaint = _opened(session)
    with memory:
        yield from _looked_at(memory, complaint)


def _is_empty(where: Path) -> bool:
    return not where.stat().st_size and not Path(f"{where}-wal").exists()


def _opened(session: CommandContext) -> "tuple[Recollect, Check | None]":
    """Open the store; without its embedder when that cannot be set up."""
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
    if store.get("disk") == "full":
        words = "The disk is full: the store can be read, and nothing is written."
        yield Check("disk", PROBLEM, words, "Free some room and try again.")
    elif store.get("rights") == "read-only":
        words = "It is read-only here: it can be read, and nothing is written."
        yield Check("rights", NOTE, words, "Check the rights of the file and of its folder.")
    if store["store"] == "postgresql":
        yield _server(store)
    yield _integrity(health)
    yield _index(health, {space.id: space.name for space in memory.spaces()})
    if health.restored.unmarked:
        yield Check("trust", OK, health.restored.sentence)
    yield complaint or _embedder(memory)
    yield _vectors(health)
    yield _queue(figures["queue"])
    yield from _alerts(memory)


def _server(store: Mapping[str, Any]) -> Check:
    """Checks for a shared store only: connections, row security, a replica's delay."""
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
    return Check("integrity", PROBLEM, " ".join(health.store_problems))


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
    if queue.oldest_seconds > QUEUE_OLDEST_ABOVE or queue.backlog > QUEUE_BACKLOG_ABOVE:
        return Check("queue", NOTE, words, "'recollect worker --once' does it.")
    return Check("queue", OK, words)


def _alerts(memory: "Recollect") -> Iterator[Check]:
    """Tracked figures past their thresholds, in every space the user is a steward of."""
    from recollect.surfaces.cli.views.reports import metric_text
    from recollect.surfaces.cli.views.words import counted

    spaces = memory.metrics.of_every_space()
    alarming = [(space, one) for space in spaces for one in space.alarming]
    for space, one in alarming:
        definition = BY_NAME[one.name]
        of = f" ({one.label})" if one.label else ""
        words = f"{definition.name.replace('_', ' ')}{of} is {metric_text(one)} in {space.space}"
        wanted = f", wanted {definition.target}" if definition.target else ""
        yield Check("figures", NOTE, f"{words}{wanted}.", definition.advice or None)
    if spaces and not alarming:
        where = counted(len(spaces), "space")
        yield Check("figures", OK, f"None is past its threshold in {where}.")


def _erased(session: CommandContext) -> "Erased":
    with session.open(embedder="none") as memory:
        return memory.erase_traces()


def _repaired(session: CommandContext) -> list[str]:
    """Repair what can be repaired; return what was done."""
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
