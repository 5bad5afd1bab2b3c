"""Command ``edit``: changes a memory, by options or in an editor."""

import os
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from typer import Argument, BadParameter, Option, TyperException

from recollect.surfaces.cli.commands.remember import Identifier, memory_of
from recollect.surfaces.cli.inputs import share, standard_input
from recollect.surfaces.cli.recent_actions import note_action
from recollect.surfaces.cli.session import CommandContext
from recollect.vocabulary.errors import InvalidInput

if TYPE_CHECKING:
    from recollect.vocabulary.memory import Memory


def edit(
    session: CommandContext,
    identifier: Identifier,
    text: Annotated[
        str | None, Argument(metavar="TEXT", help="The new text, as with --content.")
    ] = None,
    *,
    content: Annotated[
        str | None,
        Option("--content", "--text", metavar="TEXT", help="The new text; - reads standard input."),
    ] = None,
    type: Annotated[
        str | None, Option("--type", "-t", metavar="TYPE", help="The new type.")
    ] = None,
    confidence: Annotated[
        float | None,
        Option("--confidence", metavar="0..1", callback=share, help="Its confidence."),
    ] = None,
    importance: Annotated[
        float | None,
        Option("--importance", metavar="0..1", callback=share, help="Its importance."),
    ] = None,
    scope: Annotated[
        str | None,
        Option("--scope", metavar="SCOPE", help="Its scope: global, module, session, ..."),
    ] = None,
    tag: Annotated[
        list[str] | None,
        Option("--tag", metavar="TAG", help="Its new tags; '' for none."),
    ] = None,
    file: Annotated[
        list[str] | None,
        Option("--file", metavar="PATH", help="The new files it is about; '' for none."),
    ] = None,
    verified: Annotated[bool, Option("--verified", help="Mark it as verified.")] = False,
    revision: Annotated[
        int | None,
        Option("--revision", metavar="NUMBER", help="Only if it is still this revision."),
    ] = None,
) -> None:
    """Change a memory. With nothing but its id, your editor opens."""
    from recollect.surfaces.cli.views import memories

    if text is not None:
        if content is not None:
            raise BadParameter("Give the new words once: as TEXT or with --content.")
        content = text
    fields: dict[str, Any] = {
        "content": standard_input() if content == "-" else content,
        "type": type,
        "confidence": confidence,
        "importance": importance,
        "scope": scope,
        "tags": _whole_list(tag),
        "files": _whole_list(file),
        "user_verified": verified or None,
    }
    fields = {name: value for name, value in fields.items() if value is not None}
    with session.open() as memory:
        old = memory_of(memory, identifier)
        if not fields:
            fields, revision = {"content": _edited(session, old)}, revision or old.revision
        new = memory.update(old.id, revision=revision, **fields)
        changed = new.revision != old.revision
        if changed:
            note_action(memory, "edit", new.id)
    session.answer(
        new,
        lambda screen: memories.changed_line(
            screen, new, "Changed" if changed else "Left as it was"
        ),
    )


def _whole_list(given: list[str] | None) -> list[str] | None:
    return None if not given else [item for item in given if item]


def _edited(session: CommandContext, memory: "Memory") -> str:
    """Content after it was edited in the user's editor."""
    if session.options.json or not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise TyperException(
            "Without a terminal no editor opens: say what to change, for example --content TEXT."
        )
    editor = os.environ.get("VISUAL") or os.environ.get("EDITOR") or "vi"
    session.note(f"Opening {editor}; saving changes the memory. Without an editor: --text TEXT")
    with tempfile.TemporaryDirectory(prefix="recollect-") as folder:
        path = Path(folder) / "memory.md"
        path.write_text(memory.content + "\n", "utf-8")
        try:
            ended = subprocess.run([*shlex.split(editor), str(path)], check=False).returncode
        except OSError as error:
            raise InvalidInput(
                f"The editor {editor!r} cannot be started: {error.strerror}. Nothing was changed.",
                hint="Set EDITOR, or use --content.",
            ) from None
        if ended:
            raise InvalidInput(f"The editor ended with {ended}. Nothing was changed.")
        try:
            return path.read_text("utf-8").removesuffix("\n")
        except UnicodeDecodeError:
            raise InvalidInput("The edited text is not UTF-8. Nothing was changed.") from None
