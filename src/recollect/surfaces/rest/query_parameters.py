"""Refuses requests with query parameters that their route does not know.

The framework ignores them, and a filter that is misspelled would then answer with everything.
"""

from collections.abc import Callable
from typing import Any, Final

from fastapi import Request
from fastapi.routing import APIRoute

from recollect.vocabulary.errors import InvalidInput

_NAMED: Final = 5
_SHOWN: Final = 80
#: What every route takes: the space, where neither the path nor the body names it.
_EVERYWHERE: Final = frozenset({"space"})
#: The names that each route has, by its function.
_KNOWN: Final[dict[Callable[..., Any], frozenset[str]]] = {}


def refuse_unknown_parameters(request: Request) -> None:
    """Raise an error that names the unknown parameters of a request, and the known ones."""
    route = request.scope.get("route")
    if not isinstance(route, APIRoute):
        return
    endpoint = request.scope["endpoint"]
    known = _KNOWN.get(endpoint)
    if known is None:
        known = _KNOWN[endpoint] = _parameters_of(route)
    unknown = [name for name in request.query_params if name not in known]
    if unknown:
        named = ", ".join(repr(name[:_SHOWN]) for name in unknown[:_NAMED])
        raise InvalidInput(
            f"{route.path} has no query parameter {named}. Nothing was done.",
            hint=f"It has: {', '.join(sorted(known))}.",
        )


def _parameters_of(route: APIRoute) -> frozenset[str]:
    """The names of a route's query parameters; a model's fields are parameters of their own."""
    names = set(_EVERYWHERE)
    for parameter in route.dependant.query_params:
        fields = getattr(parameter.field_info.annotation, "model_fields", None)
        if fields is None:
            names.add(parameter.alias)
        else:
            names.update(field.alias or name for name, field in fields.items())
    return frozenset(names)
