"""Settings commands: list settings and their sources, set or unset one permanently."""

import re
from pathlib import Path
from typing import Annotated, Any, Final

from typer import Argument, Typer

from recollect.surfaces.cli.command import CliCommand, CliGroup, command
from recollect.surfaces.cli.session import CommandContext

_NUMBERS: Final = {
    "agent_idle": re.compile(r"[0-9]*[1-9][0-9]*(\.[0-9]+)?|0?\.[0-9]*[1-9][0-9]*"),
    "agent_patience": re.compile(r"[0-9]*[1-9][0-9]*(\.[0-9]+)?|0?\.[0-9]*[1-9][0-9]*"),
    "busy_seconds": re.compile(r"[0-9]*[1-9][0-9]*(\.[0-9]+)?|0?\.[0-9]*[1-9][0-9]*"),
    "chat_weights": re.compile(r"(?=.*[1-9])(?:[0-9]{1,6}(?:\.[0-9]{1,9})?(?:/(?!$)|$)){3}"),
    "embedder_dims": re.compile(r"[1-9][0-9]{0,4}"),
    "embedder_timeout": re.compile(r"[0-9]*[1-9][0-9]*(\.[0-9]+)?|0?\.[0-9]*[1-9][0-9]*"),
}

Name = Annotated[str, Argument(metavar="NAME", help="The name of the setting.")]


def list_settings(session: CommandContext) -> None:
    """List the settings, or change one."""
    from recollect.settings import settings_file
    from recollect.surfaces.cli.views import reports

    values, file = list(session.settings.values()), str(settings_file())
    document = {"file": file, "settings": [_document(value) for value in values]}
    session.answer(document, lambda screen: reports.settings(screen, values, file))


def set_setting(
    session: CommandContext,
    name: Name,
    value: Annotated[str, Argument(metavar="VALUE", help="The new value.")],
) -> None:
    """Save a setting in the settings file."""
    from recollect.settings import Value, read_file, setting_named, settings_file, write_file
    from recollect.vocabulary.arguments import storable

    known, file = setting_named(name), settings_file()
    _check(name, value)
    if name == "db" and value and "://" not in value:
        value = str(Path(value).expanduser().absolute())  # independent of the working folder
    write_file(file, {**read_file(file), known.name: storable(value, "value")})
    shown = "set" if known.secret else repr(Value(known, value, "").shown)
    _report(session, name, f"{name} is now {shown}.")


def unset_setting(session: CommandContext, name: Name) -> None:
    """Reset a setting to its default."""
    from recollect.settings import read_file, setting_named, settings_file, write_file

    known, file = setting_named(name), settings_file()
    kept = read_file(file)
    if kept.pop(known.name, None) is not None:
        write_file(file, kept)
    _report(session, name, f"{name} is back to its default, {known.default!r}.")


def _check(name: str, value: str) -> None:
    """Refuse a value that would make every later command fail."""
    from recollect.engine.for_surfaces import PROVIDERS
    from recollect.vocabulary.errors import InvalidSetting

    choices = {"worker": ("on", "off"), "embedder": PROVIDERS}.get(name)
    if choices is not None and value not in choices:
        raise InvalidSetting(
            f"{name} cannot be {value!r}. Nothing was changed.",
            hint=f"Choose one of: {', '.join(choices)}.",
        )
    if name in _NUMBERS and value and not _NUMBERS[name].fullmatch(value):
        wanted = "three numbers like 0.9/0.05/0.05" if name == "chat_weights" else "a number"
        raise InvalidSetting(f"{name} is {wanted}, not {value!r}. Nothing was changed.")


def _report(session: CommandContext, name: str, words: str) -> None:
    from recollect.settings import read_settings
    from recollect.surfaces.cli.views.screen import StyledText

    value = read_settings()[name]
    session.answer(_document(value), lambda screen: screen.line(StyledText(words)))
    if value.origin == "environment":
        session.note(f"{value.setting.variable} is set in the environment and wins over it.")


def _document(value: Any) -> dict[str, Any]:
    setting = value.setting
    return {
        "name": setting.name,
        "value": value.shown,
        "origin": value.origin,
        "default": setting.default,
        "variable": setting.variable,
        "help": setting.help,
    }


settings = Typer(
    cls=CliGroup, add_completion=False, rich_markup_mode=None, invoke_without_command=True
)
settings.callback()(command(list_settings))
settings.command("set", cls=CliCommand)(command(set_setting))
settings.command("unset", cls=CliCommand)(command(unset_setting))
