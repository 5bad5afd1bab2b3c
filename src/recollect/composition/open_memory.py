"""Opens a memory: explicit arguments first, then the settings, then defaults."""

import getpass
import os
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from recollect.composition import services
from recollect.composition.providers import (
    capabilities,
    chat_weights,
    choice_of,
    for_questions,
    model_of,
    number,
    reranker_of,
    switch,
)
from recollect.engine import Recollect
from recollect.inference.embedder import ON_THIS_MACHINE, Embedder
from recollect.inference.embedder_choice import choose_embedder
from recollect.inference.reranker import Reranker
from recollect.inference.reranker_choice import choose_reranker
from recollect.pages.spaces import Spaces
from recollect.settings import Value, default_database, read_settings
from recollect.storage import tenants
from recollect.vocabulary.audiences import Viewer
from recollect.vocabulary.clock import Clock, system_clock
from recollect.vocabulary.errors import RecollectError, StoreUnavailable
from recollect.vocabulary.spaces import Space, SpaceKind

if TYPE_CHECKING:
    from recollect.engine import AsyncRecollect
    from recollect.storage.move.move import Progress
    from recollect.vocabulary.reports import MoveReport, RescueReport

UNSET: Any = object()


def open(
    db: str | PathLike[str] | None = None,
    *,
    space: str | None = None,
    space_if_present: str | None = None,
    make: bool = True,
    anywhere: bool = False,
    user: str | None = None,
    client: str = "python",
    embedder: Embedder | str | None = UNSET,
    reranker: Reranker | None = UNSET,
    imagine: Callable[[str], str | None] | None = None,
    worker: bool | None = None,
    clock: Clock = system_clock,
    settings: Mapping[str, str | None] | None = None,
) -> Recollect:
    """Open a memory. With nothing given: the file in your data folder, the space ``default``.

    A new space is created; with ``make=False`` it must exist, so that a typing error of a reader
    creates nothing. A new store gets its default space in either case. ``space_if_present`` is
    preferred to the default one if the store has it and no ``space`` was named.

    ``anywhere`` is for queries about the store as a whole: it opens the named space, or any other
    space of the user, or none at all.

    ``reranker`` and ``imagine`` (a question to the text that would answer it) may be your own.

    A file may be new, but its folder must be there, so that a misspelled path makes nothing; only
    your data folder is made when it is needed.
    """
    named = embedder if isinstance(embedder, str) else None
    given = {
        "db": None if db is None else os.fspath(db),
        "space": space,
        "user": user,
        "embedder": named,
        "worker": None if worker is None else ("on" if worker else "off"),
    }
    spoken = {name: text for name, text in given.items() if text is not None}
    values = read_settings({**(settings or {}), **spoken})
    if embedder is UNSET or named:
        wanted = choice_of(values)
        chosen = choose_embedder(wanted)
        waits = wanted.provider not in ON_THIS_MACHINE
        asker = choose_embedder(for_questions(wanted)) if waits else None
    else:
        chosen, asker = cast("Embedder | None", embedder), None
    if values["db"].template:
        tenants.require_file(values["db"].text, values["tenant"].text)
    check_place(values["db"].text)
    viewer = Viewer(values["user"].text or login(), client=client)
    work_alone = switch(values["worker"])
    built = services.build(
        values["db"].text or default_database(),
        chosen,
        clock,
        asker,
        logged=switch(values["question_log"]),
        reranker=choose_reranker(reranker_of(values)) if reranker is UNSET else reranker,
        imagine=imagine,
        model=model_of(values),
        patience=number(values["agent_patience"]),
        busy_seconds=number(values["busy_seconds"]),
        switched_off=capabilities(values["switched_off"]),
        chat_weights=chat_weights(values["chat_weights"]),
    )
    try:
        if anywhere:
            chosen_space = _any_space(built.spaces, viewer, values["space"])
        else:
            chosen_space = _space(
                built.spaces, viewer, values["space"], space_if_present, make=make
            )
        memory = Recollect(built, viewer, chosen_space)
    except RecollectError:
        built.close()
        raise
    if work_alone and not built.read_only:
        built.worker.start()
    return memory


def check_place(address: str) -> None:
    """A file that somebody names must be able to be there; nothing is said of a server."""
    named = address.removeprefix("sqlite:///")
    if not named or "://" in named:
        return
    place = Path(named).expanduser()
    if place.is_dir():
        raise StoreUnavailable(
            f"{place} is a folder, not a file. Nothing was changed.",
            hint=f"Name a file in it, like {place / 'memory.db'}.",
        )
    if not place.parent.is_dir():
        raise StoreUnavailable(
            f"The folder {place.parent} does not exist. Nothing was changed.",
            hint="Make it first, or name another file.",
        )


def _space(
    spaces: Spaces, viewer: Viewer, wanted: Value, preferred: str | None, *, make: bool
) -> Space:
    """The space to work in."""
    by_default = wanted.origin == "default"
    if by_default and preferred is not None:
        present = spaces.find(preferred)
        if present is not None:
            return present
    if make or (by_default and not spaces.has_spaces):
        return spaces.ensure(viewer, wanted.text)
    return spaces.named(viewer, wanted.text)


def _any_space(spaces: Spaces, viewer: Viewer, wanted: Value) -> Space:
    """A space from which to query the whole store; a placeholder if the viewer has none."""
    own = spaces.of(viewer)
    named = [space for space in own if space.name == wanted.text]
    nowhere = Space("", wanted.text, SpaceKind.PROJECT, None, None, datetime.now(UTC))
    return (named or own or [nowhere])[0]


def open_async(*args: Any, threads: int = 8, **options: Any) -> "AsyncRecollect":
    """Open a store for asyncio: every verb is awaited and runs on a bounded pool of threads."""
    from recollect.engine import AsyncRecollect

    return AsyncRecollect(open(*args, **options), threads=threads)


class AgentSettings(NamedTuple):
    """Settings of the hooks' daemon."""

    idle_seconds: float
    space: str | None


def agent_settings(named: Mapping[str, str] | None = None) -> AgentSettings:
    """When the daemon exits, and the space it uses if one was named."""
    values = read_settings(named)
    space = values["space"]
    return AgentSettings(
        number(values["agent_idle"]), None if space.origin == "default" else space.text
    )


def move(source: str, target: str, progress: "Progress | None" = None) -> "MoveReport":
    """Move a whole store to another address, or continue a move; then compare the two."""
    from recollect.storage.move.move import move_store

    for address in (source, target):
        check_place(address)
    return move_store(source, target, progress)


def list_tenants(template: str) -> list[str]:
    """The tenants that have a store of their own."""
    return tenants.list_tenants(template)


def create_tenant(template: str, tenant: str) -> str:
    """Create a tenant's store; its address."""
    return tenants.create_tenant(template, tenant)


def drop_tenant(template: str, tenant: str) -> None:
    """Drop a tenant's store with all its data."""
    tenants.drop_tenant(template, tenant)


def tenant_address(template: str, tenant: str) -> str:
    """The address of a tenant's store, which must exist."""
    tenants.require_tenant(template, tenant)
    return tenants.address_of(template, tenant)


def rescue(
    source: str,
    target: str,
    *,
    user: str | None = None,
    progress: Callable[[int, str], None] | None = None,
) -> "RescueReport":
    """Write everything readable of a damaged file into a new store."""
    from recollect.storage.rescue.rescue import rescue_store

    return rescue_store(
        source, target, user=user or login(), finish=services.index_anew, progress=progress
    )


def damage_of(source: str) -> tuple[str, ...]:
    """Errors that SQLite reports for a file. Writes nothing."""
    from recollect.storage.rescue.rescue import damage_of as look

    return look(source)


def survey_damage(source: str) -> "RescueReport":
    """Report what of a damaged file can be read. Writes nothing."""
    from recollect.storage.rescue.rescue import survey_damage as survey

    return survey(source)


def login() -> str:
    """The name of the operating system's user."""
    try:
        return getpass.getuser()
    except (OSError, KeyError):
        return "local"
