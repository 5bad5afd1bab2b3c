"""Error handling of the CLI: every failure becomes a sentence or JSON document, and an exit code.

No trace is ever shown. Exit codes: 0 done, 1 it could not be done, 2 it was not understood, 3 done
except for what could not be read, 70 a bug, 130 interrupted, 141 the reader of a pipe went away.
"""

import os
import sys
from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

from recollect.surfaces.cli.interrupts import INTERRUPTED
from recollect.vocabulary.errors import RecollectError

FAILED: Final = 1
MISUSED: Final = 2
INCOMPLETE: Final = 3
BUG: Final = 70
UNREAD: Final = 141
#: Command names of other programs that people may type.
_ELSEWHERE: Final = {
    **dict.fromkeys(("search", "find", "query", "lookup"), "recall"),
    **dict.fromkeys(("add", "save", "store", "note", "new", "create"), "remember"),
    **dict.fromkeys(("delete", "remove"), "forget"),
    **dict.fromkeys(("update", "change"), "edit"),
    **dict.fromkeys(("start", "server"), "serve"),
    **dict.fromkeys(("view", "open", "get"), "show"),
    **dict.fromkeys(("install", "hooks"), "agent install"),
    **dict.fromkeys(("config", "configure"), "settings"),
    **dict.fromkeys(("backup", "dump"), "export"),
    **dict.fromkeys(("status", "info"), "stats"),
}


class Stopped(Exception):
    """The user pressed Ctrl-C; the message says what was stored."""


class NoReader(Exception):
    """The reader of the output went away."""


class Failure(NamedTuple):
    """Error report for a person or a program."""

    exit_code: int
    code: str
    message: str
    hint: str | None = None

    @property
    def sentence(self) -> str:
        """What happened and what to do, as one text."""
        return f"{self.message} {self.hint}" if self.hint else self.message


def guarded(act: Callable[[], object], arguments: Sequence[str]) -> int:
    """Run a function, report any failure, and return the exit code."""
    try:
        result = act()
        sys.stdout.flush()
    except (BrokenPipeError, NoReader):
        _discard_output()
        return UNREAD
    except Exception as error:  # noqa: BLE001 - the last door: what escapes here would be a trace
        return _failure_of(error, arguments)
    return result if isinstance(result, int) else 0


def _failure_of(error: Exception, arguments: Sequence[str]) -> int:
    options = set(arguments[: arguments.index("--")] if "--" in arguments else arguments)
    fault = fault_of(error)
    if "--debug" in options:
        import traceback

        sys.stderr.write("".join(traceback.format_exception(error)))
    try:
        _print_error(fault, in_json="--json" in options)
        sys.stdout.flush()
    except OSError:
        _discard_output()
    return fault.exit_code


def fault_of(error: Exception) -> Failure:
    """Error report for an exception."""
    import typer

    if isinstance(error, RecollectError):
        return Failure(FAILED, error.code, error.message, error.hint)
    if isinstance(error, Stopped):
        return Failure(INTERRUPTED, "interrupted", str(error))
    if isinstance(error, typer.Abort) and isinstance(error.__cause__, KeyboardInterrupt):
        return Failure(INTERRUPTED, "interrupted", "Stopped. What was acknowledged before is kept.")
    if isinstance(error, typer.Abort) and not isinstance(error.__cause__, EOFError):
        return Failure(FAILED, "aborted", "Nothing was changed.")
    if isinstance(error, typer.TyperException):
        return _misuse(error)
    if isinstance(error, OSError):
        what = f"{error.strerror or error}".rstrip(".")
        where = f" ({error.filename})" if error.filename else ""
        return Failure(FAILED, "system", f"The system refused: {what}{where}.")
    return Failure(
        BUG,
        "bug",
        f"Something unexpected happened ({_sentence(error)}); this is a bug.",
        "Run the command again with --debug to see where, and please report it.",
    )


def _misuse(error: Exception) -> Failure:
    message = str(getattr(error, "format_message", error.__str__)()).strip()
    context = getattr(error, "ctx", None)
    path = context.command_path if context is not None else "recollect"
    near = _nearest_command(message, context)
    hint = f"See '{path} --help'."
    option = _named_by_option(message, context)
    if option:
        hint = f"Name it with {option}: '{path} {option} ...'. {hint}"
    if near:
        message, hint = message.partition(" Did you")[0], f"Did you mean '{path} {near}'? {hint}"
    ended = message if message.endswith((".", "?", ")")) else f"{message}."
    return Failure(MISUSED, "usage", ended, hint)


def _named_by_option(message: str, context: Any) -> str | None:
    """Option by which a command takes a name that was given without it; None if there is none."""
    if not message.startswith("Got unexpected extra argument") or context is None:
        return None
    return next(
        (
            one.opts[0]
            for one in context.command.params
            if one.param_type_name == "option" and one.metavar == "ID"
        ),
        None,
    )


def _nearest_command(message: str, context: Any) -> str | None:
    """Command for a word that other programs use, when no command here has a similar name."""
    if not message.startswith("No such command '") or context is None or context.parent:
        return None
    typed = message.split("'")[1]
    if typed in _ELSEWHERE or "Did you mean" in message:
        return _ELSEWHERE.get(typed)
    from difflib import get_close_matches

    found = get_close_matches(typed, _ELSEWHERE, n=1, cutoff=0.75)
    return _ELSEWHERE[found[0]] if found else None


def _sentence(error: Exception) -> str:
    words = " ".join(str(error).split())[:200]
    return f"{type(error).__name__}: {words}" if words else type(error).__name__


def _print_error(fault: Failure, *, in_json: bool) -> None:
    if in_json:
        import json

        told = {"code": fault.code, "message": fault.message, "hint": fault.hint}
        sys.stdout.write(json.dumps({"error": told}) + "\n")
        return
    if sys.stderr.isatty() and not os.environ.get("NO_COLOR"):
        sys.stderr.write(f"\x1b[31m{fault.sentence}\x1b[0m\n")
    else:
        sys.stderr.write(f"{fault.sentence}\n")


def _discard_output() -> None:
    """Discard the buffered output without an error: its reader went away."""
    try:
        sink = os.open(os.devnull, os.O_WRONLY)
        os.dup2(sink, sys.stdout.fileno())
    except (OSError, ValueError):
        return
