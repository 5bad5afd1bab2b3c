"""Generates the reference pages of the manual: commands and settings.

    python -m recollect.surfaces.cli.reference docs

The part between the two markers of a page is regenerated; text around it stays. A test fails while
a page differs from the generated text.
"""

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from typer.main import get_command

from recollect.settings import SETTINGS
from recollect.surfaces.cli.app import app

BEGIN: Final = "<!-- generated: python -m recollect.surfaces.cli.reference docs -->"
END: Final = "<!-- end of the generated part -->"
WIDTH: Final = 80
_COLOURS: Final = re.compile(r"\x1b\[[0-9;]*m")


def commands() -> Iterator[tuple[str, Any, Any]]:
    """Every command with its path and a context for its help, groups before their members."""
    root = get_command(app)
    context = root.context_class(root, info_name="recollect", terminal_width=WIDTH)
    yield from _below("recollect", root, context)


def _below(path: str, command: Any, context: Any) -> Iterator[tuple[str, Any, Any]]:
    yield path, command, context
    for name in command.list_commands(context) if hasattr(command, "list_commands") else ():
        member = command.get_command(context, name)
        inner = member.context_class(member, info_name=name, parent=context)
        yield from _below(f"{path} {name}", member, inner)


def commands_page() -> str:
    """Help of every command."""
    return "\n".join(
        f"### {path}\n\n```text\n{_COLOURS.sub('', command.get_help(context))}\n```\n"
        for path, command, context in commands()
    )


def settings_page() -> str:
    """The table of settings."""
    rows = [
        f"| `{setting.name}` | `{setting.variable}` | {_code(setting.default)} | {setting.help} |"
        for setting in SETTINGS
    ]
    head = ["| setting | environment | default | what it is for |", "|---|---|---|---|"]
    return "\n".join([*head, *rows, ""])


PAGES: Final = {"cli.md": commands_page, "settings.md": settings_page}


def renewed(page: str, generated: str) -> str:
    """The page with the part between its markers regenerated."""
    before, begin, rest = page.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not (begin and end):
        raise ValueError(f"The page has no part between {BEGIN!r} and {END!r}.")
    return f"{before}{BEGIN}\n\n{generated}\n{END}{after}"


def main(folder: Path) -> None:
    """Regenerate every page."""
    for name, generate in PAGES.items():
        path = folder / name
        path.write_text(renewed(path.read_text("utf-8"), generate()), "utf-8")


def _code(text: str) -> str:
    return f"`{text}`" if text else "(empty)"


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "docs"))
