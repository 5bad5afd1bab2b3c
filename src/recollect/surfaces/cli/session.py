"""Command session: options and settings, the engine to open, and the output of the answer.

An answer is one JSON document if requested; otherwise it is drawn on a screen.
"""

import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from recollect.surfaces.cli.options import Options
from recollect.surfaces.cli.start_up import loading

if TYPE_CHECKING:
    from recollect.engine import Recollect
    from recollect.settings import Value
    from recollect.surfaces.cli.views.screen import Screen

#: Seconds that a command may spend on queued work before it ends.
SPARE_SECONDS: Final = 0.05


class CommandContext:
    """Context that a command function receives."""

    def __init__(self, options: Options) -> None:
        self.options = options
        self._space_told = False
        self._outside = False

    @cached_property
    def screen(self) -> "Screen":
        """Output for answers: a terminal, or a pipe."""
        from recollect.surfaces.cli.views.screen import plain_or_terminal

        return plain_or_terminal(sys.stdout)

    @cached_property
    def settings(self) -> "Mapping[str, Value]":
        """All settings, overridden by options given before and after the command."""
        from recollect.settings import read_settings

        options = self.options
        return read_settings(
            {
                "db": options.db,
                "space": options.space,
                "user": options.user,
                "embedder": options.embedder,
            }
        )

    @cached_property
    def place(self) -> Path:
        """Store file to open."""
        from recollect.settings import default_database

        return Path(self.settings["db"].text or default_database()).expanduser()

    @property
    def db_template(self) -> str:
        """Store address before a tenant's name is filled in."""
        value = self.settings["db"]
        return value.template or value.text

    @property
    def store_exists(self) -> bool:
        """Whether a store exists; for a server, that is known only on opening."""
        return "://" in self.settings["db"].text or self.place.exists()

    def open(
        self,
        *,
        makes: bool = False,
        folder: "Path | None" = None,
        embedder: str | None = None,
        says_who_belongs: bool = False,
    ) -> "Recollect":
        """Open the engine without a worker thread: a command ends before one would begin.

        The space is the one that was named; else that of the project which the folder (the working
        directory) lies in, if the store has it; else the default one. Only a command that stores
        something (``makes``) creates a space, and reports it. Whoever is no member is told, unless
        the answer itself says it (``says_who_belongs``).
        """
        from recollect.vocabulary.errors import SpaceNotFound

        if not self.space_named:
            from recollect.engine.for_surfaces import project_of

            project = project_of(folder or Path.cwd())
            memory = self._opened(embedder, make=makes, space_if_present=project.space)
            return self._welcomed(memory, says_who_belongs)
        name = self.settings["space"].text
        if not makes and not self.store_exists:
            raise SpaceNotFound(
                f"No space {name!r} is visible here: there is no file at {self.place} yet.",
                hint="'recollect remember' makes it.",
            )
        try:
            memory = self._opened(embedder, make=False, space=name)
            return self._welcomed(memory, says_who_belongs)
        except SpaceNotFound as error:
            if not makes:
                raise
            meant = f" {error.hint}" if error.hint and error.hint.startswith("Did") else ""
        memory = self._opened(embedder, make=True, space=name)
        self.note(f"Created the space {name!r}.{meant}")
        self._space_told = True
        return memory

    def open_store(self) -> "Recollect":
        """Open the engine for commands on the whole store, whatever spaces exist."""
        return self._opened(None, make=False, anywhere=True)

    def _welcomed(self, memory: "Recollect", says_who_belongs: bool) -> "Recollect":
        """Beside the answer, show a new member the most important memories once, and tell whoever
        is no member that this is why they see so little.
        """
        if self.options.json:
            return memory
        self._outside = not memory.people.belongs
        if self._outside:
            if not says_who_belongs:
                self.note(
                    f"{memory.viewer.user} does not belong to the space {memory.space.name!r}: "
                    "what only its members may see is not shown."
                )
            return memory
        if not memory.people.is_new:
            return memory
        shown = memory.people.welcome()
        if shown:
            from recollect.surfaces.cli.views.words import one_line

            self.note(f"Welcome to {memory.space.name!r}. What matters most here:")
            for number, one in enumerate(shown, 1):
                self.note(f"  {number}. {one_line(one.content)} ({one.provenance.created_by})")
        return memory

    def report_space(self, memory: "Recollect") -> None:
        """Report the space in which something was stored, when it is not the usual one."""
        if memory.space.name != self.settings["space"].setting.default and not self._space_told:
            self.note(f"Stored in the space {memory.space.name!r}.")
            self._space_told = True

    def open_project(self, space: str, *, make: bool = True) -> "Recollect":
        """Open the engine in a project's own space, or in the one that was named."""
        wanted = self.settings["space"].text if self.space_named else space
        return self._opened(None, make=make, space=wanted)

    @property
    def space_named(self) -> bool:
        """Whether the space was named, by an option or a setting."""
        return self.settings["space"].origin != "default"

    def _opened(self, embedder: str | None, **which: Any) -> "Recollect":
        import logging

        with loading():  # nothing has begun yet, and a half-loaded library is useless
            import recollect
            from recollect import composition  # noqa: F401 - loads what opening a store needs

        announce_waits()
        log = logging.getLogger("recollect")
        if not log.handlers:  # without one, Python would write the log to standard error
            log.addHandler(logging.StreamHandler() if self.options.debug else logging.NullHandler())
        self._report_restored()
        values = self.settings
        return recollect.open(
            values["db"].text or None,
            user=values["user"].text or None,
            embedder=embedder or values["embedder"].text,
            worker=False,
            client="cli",
            **which,
        )

    def _report_restored(self) -> None:
        """Report once which memories a newer version restored to search."""
        import logging

        note = self.note

        class Notes(logging.Handler):
            def emit(self, record: logging.LogRecord) -> None:
                note(record.getMessage())

        logging.getLogger("recollect.memories.misread_origins").handlers = [Notes(logging.WARNING)]

    def answer(self, value: Any, draw: "Callable[[Screen], None]") -> None:
        """Output the answer: the value as JSON, or drawn."""
        if self.options.json:
            self.write(as_json(value))
        else:
            draw(self.screen)

    def write(self, text: str) -> None:
        """Write text to standard output unchanged."""
        sys.stdout.write(f"{text}\n")

    def note(self, text: str) -> None:
        """Show a person a note beside the answer."""
        if not self.options.json:
            sys.stderr.write(f"{text}\n")

    def note_nothing(self, text: str) -> None:
        """Note that there is nothing here, to those who would see it: others were told why not."""
        if not self._outside:
            self.note(text)

    def spare_work(self, memory: "Recollect") -> int:
        """Do a little of the queued work; its failures do not fail this command.

        When vectors are computed later, this is left to a worker: servers and models may be slow.
        """
        from recollect.vocabulary.errors import RecollectError

        if self.embeds_later:
            return 0
        with suppress(RecollectError):
            return memory.work(SPARE_SECONDS)
        return 0

    @property
    def embeds_later(self) -> bool:
        """Whether a server or a large local model computes the vectors, so that only a worker
        does.
        """
        values = self.settings
        provider = values["embedder"].text
        named = any(values[name].text for name in ("embedder_url", "embedder_key", "ollama_url"))
        later = provider in {"openai", "ollama", "onnx", "fastembed"}
        return later or (provider == "auto" and named)


def announce_waits() -> None:
    """Report on standard error when this process waits for another one's lock."""
    import logging

    log = logging.getLogger("recollect.waiting")
    if not log.handlers:
        handler = logging.StreamHandler(_StandardError())
        handler.setFormatter(logging.Formatter("%(message)s"))
        log.addHandler(handler)
        log.propagate = False


class _StandardError:
    """The current standard error at the time of writing, which a test may have replaced."""

    def write(self, text: str) -> int:
        """Write a text."""
        return sys.stderr.write(text)

    def flush(self) -> None:
        """Flush the stream."""
        sys.stderr.flush()


def as_json(value: Any) -> str:
    """The value as JSON in characters that this output can encode."""
    import json

    from recollect.vocabulary.plain import plain

    shown = plain(value)
    text = json.dumps(shown, ensure_ascii=False, indent=2)
    try:
        text.encode(sys.stdout.encoding or "utf-8")
    except UnicodeEncodeError:
        return json.dumps(shown, indent=2)
    return text
