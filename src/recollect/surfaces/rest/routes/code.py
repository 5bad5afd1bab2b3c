"""Code routes: dependencies, impact and memories of code that was indexed.

Indexing is not offered over HTTP: which folders are read is decided on the server's machine.
"""

from typing import Annotated, Any, Final

from fastapi import APIRouter, Query, Request, Response

from recollect.engine import Recollect
from recollect.surfaces.rest.bodies import SpaceName
from recollect.surfaces.rest.dispatcher import dispatcher_of
from recollect.surfaces.rest.response_models import FAULTS, CodeStatus, operation_id
from recollect.vocabulary.code import (
    Impact,
    KnowledgeNode,
    Meaning,
    ModuleRow,
    Neighbourhood,
    Staleness,
)

router = APIRouter(
    prefix="/v1/code", tags=["code"], responses=FAULTS, generate_unique_id_function=operation_id
)

_DEEPEST: Final = 20
Target = Annotated[
    str,
    Query(
        min_length=1,
        max_length=1_000,
        description="A path, a symbol, path:line, path::symbol, or diff.",
        examples=["src/auth/login.py", "check_password", "src/auth/login.py:40"],
    ),
]
Depth = Annotated[int, Query(ge=1, le=_DEEPEST, description="How many steps to follow.")]
Limit = Annotated[int, Query(ge=1, le=10_000, description="How many at most.")]


@router.get("/status", response_model=CodeStatus)
async def code_status(request: Request, space: SpaceName = None) -> Response:
    """Get the status of the code index: commit, size, and whether it is complete."""

    def verb(memory: Recollect) -> CodeStatus:
        found: dict[str, Any] = memory.code.status()
        found.pop("root", None)  # the path on the server is not disclosed
        return CodeStatus(**found)

    return await dispatcher_of(request).answer(request, verb, space=space)


@router.get("/impact", response_model=Impact)
async def impact(
    request: Request,
    target: Target,
    space: SpaceName = None,
    depth: Depth = 3,
    limit: Limit = 200,
) -> Response:
    """Analyse the impact of a change: what may break, how surely, and which tests to run."""
    return await dispatcher_of(request).answer(
        request, lambda memory: memory.code.impact(target, depth=depth, limit=limit), space=space
    )


@router.get("/dependencies", response_model=Neighbourhood)
async def dependencies(
    request: Request,
    target: Target,
    space: SpaceName = None,
    depth: Depth = 1,
    limit: Limit = 200,
) -> Response:
    """List the dependencies of a file or symbol."""
    return await dispatcher_of(request).answer(
        request,
        lambda memory: memory.code.dependencies(target, depth=depth, limit=limit),
        space=space,
    )


@router.get("/dependants", response_model=Neighbourhood)
async def dependants(
    request: Request,
    target: Target,
    space: SpaceName = None,
    depth: Depth = 1,
    limit: Limit = 200,
) -> Response:
    """List the dependents of a file or symbol."""
    return await dispatcher_of(request).answer(
        request,
        lambda memory: memory.code.dependants(target, depth=depth, limit=limit),
        space=space,
    )


@router.get("/flow", response_model=Neighbourhood)
async def flow(
    request: Request,
    source: Target,
    target: Annotated[
        str | None, Query(max_length=1_000, description="The symbol to reach.")
    ] = None,
    space: SpaceName = None,
    depth: Depth = 8,
) -> Response:
    """Trace the data flow from a symbol, or the path from it to another."""
    return await dispatcher_of(request).answer(
        request, lambda memory: memory.code.flow(source, target, depth=depth), space=space
    )


@router.get("/map", response_model=tuple[ModuleRow, ...])
async def module_map(request: Request, space: SpaceName = None, depth: Depth = 2) -> Response:
    """Show the module map, with what memory knows of each folder."""
    return await dispatcher_of(request).answer(
        request, lambda memory: memory.code.map(depth=depth), space=space
    )


@router.get("/cycles", response_model=tuple[tuple[str, ...], ...])
async def cycles(request: Request, space: SpaceName = None) -> Response:
    """List import cycles."""
    return await dispatcher_of(request).answer(
        request, lambda memory: memory.code.cycles(), space=space
    )


@router.get("/staleness", response_model=tuple[Staleness, ...])
async def staleness(
    request: Request,
    space: SpaceName = None,
    memory: Annotated[
        str | None,
        Query(
            max_length=200, description="Only this memory; by default all that may be out of date."
        ),
    ] = None,
) -> Response:
    """List memories about code that may be out of date, and why."""

    def verb(view: Recollect) -> list[Staleness]:
        found = view.code.staleness(memory)
        return found if memory is not None else [one for one in found if one.stale]

    return await dispatcher_of(request).answer(request, verb, space=space)


@router.get("/meanings", response_model=tuple[Meaning, ...])
async def meanings(
    request: Request,
    space: SpaceName = None,
    module: Annotated[str | None, Query(max_length=1_000, description="Only this folder.")] = None,
) -> Response:
    """List the semantic edges of the code, as far as it was analysed."""
    return await dispatcher_of(request).answer(
        request, lambda memory: memory.code.meanings(module), space=space
    )


@router.get("/knowledge", response_model=tuple[KnowledgeNode, ...])
async def knowledge(request: Request, space: SpaceName = None) -> Response:
    """List patterns, decisions and invariants of the code."""
    return await dispatcher_of(request).answer(
        request, lambda memory: memory.code.knowledge(), space=space
    )
