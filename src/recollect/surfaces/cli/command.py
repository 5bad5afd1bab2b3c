"""Turns functions into commands: passes the session, and adds the shared options.

Parameters are of plain types only and are converted here: Typer would load pydantic for it, which
takes longer than most commands do.
"""

from collections.abc import Callable
from functools import wraps
from inspect import Parameter, Signature, signature
from typing import Any, Final

from typer import BadParameter, Context, Typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command

from recollect.surfaces.cli.faults import NoReader, Stopped
from recollect.surfaces.cli.help_layout import coloured, write_options
from recollect.surfaces.cli.options import Options, options_of, shared_parameters
from recollect.surfaces.cli.session import CommandContext

_SENTENCE: Final = 1_000  # characters: no first sentence is cut
_KINDS: Final[dict[Any, tuple[Callable[[str], Any], str]]] = {
    str: (str, "a text"),
    int: (int, "a whole number"),
    float: (float, "a number"),
    bool: (bool, "yes or no"),
}


def command(function: Callable[..., None]) -> Callable[..., None]:
    """Adapt a function for Typer: without the session, with the shared options."""
    parts = {
        name: part.replace(kind=Parameter.KEYWORD_ONLY)
        for name, part in signature(function).parameters.items()
        if name != "session"
    }
    wants_context = "context" in parts
    parts["context"] = Parameter("context", Parameter.KEYWORD_ONLY, annotation=Context)

    @wraps(function)
    def run(context: Context, **given: Any) -> None:
        options = options_of(context, given)
        if wants_context:
            given["context"] = context
        if context.invoked_subcommand is None:
            _run(function, options, given)

    run.__signature__ = Signature([*parts.values(), *shared_parameters()])  # type: ignore[attr-defined]
    run.__annotations__ = {name: part.annotation for name, part in parts.items()}
    return run


def _run(function: Callable[..., None], options: Options, given: dict[str, Any]) -> None:
    try:
        function(CommandContext(options), **given)
    except KeyboardInterrupt:
        raise Stopped("Stopped. What was acknowledged before is kept.") from None
    except BrokenPipeError:
        raise NoReader from None


class CliCommand(TyperCommand):
    """Command with fast option parsing and grouped help."""

    def get_params(self, ctx: Any) -> list[Any]:
        """Parameters, with fast conversion."""
        return read_simply(super().get_params(ctx))

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write its arguments, its own options, then the shared options."""
        write_options(self.get_params(ctx), ctx, formatter)

    def get_help(self, ctx: Any) -> str:
        """Help text, coloured when shown in a terminal."""
        return coloured(super().get_help(ctx))


class CliGroup(TyperGroup):
    """Command with subcommands; without one it runs its own function."""

    def get_params(self, ctx: Any) -> list[Any]:
        """Parameters, with fast conversion."""
        return read_simply(super().get_params(ctx))

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write its subcommands, then its options."""
        self.format_commands(ctx, formatter)
        write_options(self.get_params(ctx), ctx, formatter)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write each subcommand with its whole first sentence, over two lines where it is long."""
        found = [(name, self.get_command(ctx, name)) for name in self.list_commands(ctx)]
        rows = [
            (name, one.get_short_help_str(_SENTENCE))
            for name, one in found
            if one is not None and not one.hidden
        ]
        if rows:
            with formatter.section("Commands"):
                formatter.write_dl(rows)

    def get_help(self, ctx: Any) -> str:
        """Help text, coloured when shown in a terminal."""
        return coloured(super().get_help(ctx))


def built(name: str, function: Callable[..., None]) -> Any:
    """Build a command of that name."""
    app = Typer(add_completion=False, rich_markup_mode=None)
    app.command(name, cls=CliCommand)(command(function))
    return get_command(app)


class _Plain:
    """Converts the text of a parameter into its value."""

    def __init__(self, kind: Any, *, many: bool) -> None:
        self._turn, self._what = _KINDS[kind]
        self._many = many

    def coerce(self, value: Any, param: Any, ctx: Any) -> Any:
        """Return the value, or raise an error that names the parameter."""
        if value is None:
            return () if self._many else None
        try:
            if self._many:
                return [self._turn(item) for item in value]
            return self._turn(value)
        except ValueError:
            raise BadParameter(f"{value!r} is not {self._what}.", ctx=ctx, param=param) from None


def read_simply(parameters: list[Any]) -> list[Any]:
    """Convert parameters of plain types without pydantic, which Typer would use."""
    for parameter in parameters:
        descriptor = getattr(parameter, "type_descriptor", None)
        if descriptor is None or not hasattr(parameter, "_runtime_param"):
            continue
        kind = descriptor.annotation
        many = getattr(kind, "__origin__", None) is list
        kind = kind.__args__[0] if many else kind
        if kind in _KINDS:
            parameter._runtime_param = _Plain(kind, many=many)
    return parameters
