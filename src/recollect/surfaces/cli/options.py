"""Options that every command shares: store, space, user, and output format.

They may be given before or after the command; the ones nearer to the command win.
"""

from dataclasses import dataclass, fields
from inspect import Parameter
from typing import Annotated, Any, Final

from typer import Context, Option


@dataclass(frozen=True, slots=True)
class Options:
    """The options that every command shares."""

    db: str | None = None
    space: str | None = None
    user: str | None = None
    embedder: str | None = None
    json: bool = False
    debug: bool = False

    def over(self, outer: "Options") -> "Options":
        """These options, completed by the outer ones."""
        return Options(
            **{
                field.name: getattr(self, field.name) or getattr(outer, field.name)
                for field in fields(self)
            }
        )


def shared(
    *,
    db: Annotated[
        str | None, Option("--db", metavar="PLACE", help="A file, or postgresql://...")
    ] = None,
    space: Annotated[
        str | None, Option("--space", metavar="NAME", help="The space to work in.")
    ] = None,
    user: Annotated[
        str | None, Option("--user", metavar="NAME", help="The user; your login name by default.")
    ] = None,
    embedder: Annotated[
        str | None,
        Option("--embedder", metavar="NAME", help="The embedder; 'none' for keywords only."),
    ] = None,
    json: Annotated[bool, Option("--json", help="Answer with one JSON document.")] = False,
    debug: Annotated[bool, Option("--debug", help="Show where an error came from.")] = False,
) -> Options:
    """Shared options as a value. Its signature is added to that of every command."""
    return Options(db, space, user, embedder, json, debug)


NAMES: Final = tuple(field.name for field in fields(Options))


def shared_parameters() -> list[Parameter]:
    """Parameters that are added to every command."""
    from inspect import signature

    return list(signature(shared).parameters.values())


def options_of(context: Context, given: dict[str, Any]) -> Options:
    """Extract the shared options from the arguments, over those given before the command."""
    own = shared(**{name: given.pop(name) for name in NAMES})
    outer = context.obj if isinstance(context.obj, Options) else Options()
    context.obj = own.over(outer)
    return own.over(outer)
