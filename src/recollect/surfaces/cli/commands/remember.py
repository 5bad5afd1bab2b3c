"""Commands to store and manage memories: remember, pin, forget, restore."""

import sys
from typing import TYPE_CHECKING, Annotated, Any, Final

from typer import Argument, BadParameter, Option, TyperException, confirm

from recollect.surfaces.cli.inputs import share, standard_input, time_of
from recollect.surfaces.cli.recent_actions import note_action
from recollect.surfaces.cli.session import CommandContext
from recollect.vocabulary.errors import MemoryNotFound
from recollect.vocabulary.ids import may_be_id

if TYPE_CHECKING:
    from recollect.engine import Recollect
    from recollect.vocabulary.contradictions import Contradiction
    from recollect.vocabulary.memory import Memory


def identifier_of(text: str) -> str:
    """What was typed for an id. Whoever types words is told at once how to come by one."""
    if may_be_id(text):
        return text
    words = text if len(text) <= 60 else f"{text[:59]}…"
    raise MemoryNotFound(
        f"No memory has the id {words!r}. Nothing was changed.",
        hint=f"Find it first with recollect recall {words!r}: the result shows its id.",
    )


Identifier = Annotated[
    str,
    Argument(
        metavar="ID", help="The id, or its beginning or end as shown.", callback=identifier_of
    ),
]
HOW: Final = (
    "Say what to remember: recollect remember 'The staging database is reset every night.' "
    "--type gotcha. A dash reads it from standard input: recollect remember - < notes.txt"
)


def remember(
    session: CommandContext,
    text: Annotated[
        list[str] | None,
        Argument(metavar="TEXT", help="The text to remember; - reads standard input."),
    ] = None,
    *,
    type: Annotated[
        str, Option("--type", "-t", metavar="TYPE", help="fact, gotcha, decision, preference, ...")
    ] = "fact",
    tag: Annotated[
        list[str] | None, Option("--tag", metavar="TAG", help="A tag; may be repeated.")
    ] = None,
    file: Annotated[
        list[str] | None,
        Option("--file", metavar="PATH", help="A file it is about, from the repository's root."),
    ] = None,
    module: Annotated[
        list[str] | None, Option("--module", metavar="NAME", help="A module it is about.")
    ] = None,
    event: Annotated[
        list[str] | None, Option("--event", metavar="ID", help="An event it came from.")
    ] = None,
    confidence: Annotated[
        float, Option("--confidence", metavar="0..1", callback=share, help="Its confidence.")
    ] = 0.8,
    importance: Annotated[
        float, Option("--importance", metavar="0..1", callback=share, help="Its importance.")
    ] = 0.5,
    scope: Annotated[
        str,
        Option("--scope", metavar="SCOPE", help="Its scope: global, module, session, ..."),
    ] = "global",
    visibility: Annotated[
        str | None,
        Option("--visibility", metavar="WHO", help="Who may see it: personal, project, team, ..."),
    ] = None,
    extra: Annotated[
        list[str] | None,
        Option("--extra", metavar="NAME=VALUE", help="An extra field of its type; JSON or text."),
    ] = None,
    valid_from: Annotated[
        str | None, Option("--valid-from", metavar="TIME", help="Since when it has been true.")
    ] = None,
    pinned: Annotated[bool, Option("--pin", help="Pin it, so that it does not fade.")] = False,
    supersedes: Annotated[
        str | None,
        Option("--supersedes", metavar="ID", help="The memory that this one replaces."),
    ] = None,
) -> None:
    """Store a memory."""
    fields: dict[str, Any] = {
        "type": type,
        "tags": tag or [],
        "files": file or [],
        "modules": module or [],
        "events": event or [],
        "confidence": confidence,
        "importance": importance,
        "scope": scope,
        "visibility": visibility,
        "extras": _extras(extra or []),
        "valid_from": time_of(valid_from),
        "pinned": pinned,
        "source": "user_taught",
        "manually_saved": True,
    }
    content = _content(text)
    with session.open(makes=True) as memory:
        if supersedes is None:
            kept = memory.remember(content, **fields)
        else:
            kept = memory.supersede(supersedes, content, **fields)
        session.report_space(memory)
        again = kept.times_told > 1
        if not again and supersedes is None:
            note_action(memory, "remember", kept.id)
        against = () if session.options.json else memory.contradictions.list(memory=kept.id).items
    _report(
        session, kept, f"Already known, seen {kept.times_told} times" if again else "Remembered"
    )
    for one in against:
        _report_contradiction(session, kept, one)
    if session.embeds_later:
        session.note("Found by keywords only until 'recollect worker' has made its vector.")


def _report_contradiction(session: CommandContext, kept: "Memory", found: "Contradiction") -> None:
    """Report which memory the new one contradicts, and how to decide between them."""
    from recollect.surfaces.cli.views.words import one_line, shortened

    new, old = ("b", found.a) if found.b.id == kept.id else ("a", found.b)
    words = shortened(one_line(old.content), 100)
    session.note(f"It contradicts “{words}”: {found.reason}.")
    session.note(f"  If the new one holds: recollect contradictions resolve {found.id} {new}_wins")
    session.note(f"  If both do: recollect contradictions resolve {found.id} both")


def pin(
    session: CommandContext,
    identifier: Identifier,
    off: Annotated[bool, Option("--off", help="Unpin it.")] = False,
) -> None:
    """Pin a memory, so that it does not fade."""
    with session.open() as memory:
        kept = memory.pin(identifier, not off)
        note_action(memory, "unpin" if off else "pin", kept.id)
    _report(session, kept, "Unpinned" if off else "Pinned")


def forget(
    session: CommandContext,
    identifier: Identifier,
    for_good: Annotated[
        bool, Option("--for-good", help="Delete it with its history; it cannot be restored.")
    ] = False,
    yes: Annotated[bool, Option("--yes", "-y", help="Do not ask.")] = False,
) -> None:
    """Archive a memory, or delete it permanently."""
    with session.open() as memory:
        if for_good:
            _erase(session, memory, identifier, yes=yes)
            return
        archived = memory.forget(identifier)
        if archived is not None:
            note_action(memory, "forget", archived.id)
    _report(session, archived, "Archived")
    if not session.options.json and session.screen.terminal:
        session.note(f"'recollect undo' or 'recollect restore {identifier}' restores it.")


def restore(session: CommandContext, identifier: Identifier) -> None:
    """Restore an archived memory."""
    with session.open() as memory:
        kept = memory.restore(identifier)
        note_action(memory, "restore", kept.id)
    _report(session, kept, "Restored")


def _report(session: CommandContext, memory: Any, verb: str) -> None:
    from recollect.surfaces.cli.views import memories

    session.answer(memory, lambda screen: memories.changed_line(screen, memory, verb))


def _erase(session: CommandContext, memory: "Recollect", identifier: str, *, yes: bool) -> None:
    from recollect.surfaces.cli.views.screen import StyledText

    found = memory_of(memory, identifier)
    if not yes:
        _ask(session, found)
    memory.forget(found.id, for_good=True)
    note_action(memory, "erase", found.id)
    words = StyledText(f"Erased {found.id} for good.")
    session.answer({"erased": found.id}, lambda screen: screen.line(words))


def memory_of(memory: "Recollect", identifier: str) -> "Memory":
    """The memory of that id, and never an event."""
    from recollect.vocabulary.errors import MemoryNotFound
    from recollect.vocabulary.memory import Memory

    found = memory.get(identifier)
    if not isinstance(found, Memory):
        raise MemoryNotFound(f"{identifier} is an event, and this command needs a memory.")
    return found


def _ask(session: CommandContext, found: "Memory") -> None:
    from recollect.surfaces.cli.views.words import shortened
    from recollect.vocabulary.errors import NotAllowed

    if session.options.json or not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise NotAllowed(
            "Permanent deletion asks for confirmation, and there is no terminal to ask on. "
            "Nothing was changed.",
            hint="Add --yes to delete without asking.",
        )
    words = shortened(found.content, 200)
    confirm(f"Erase {words!r} and its history for good?", abort=True)


def _content(text: list[str] | None) -> str:
    if not text:
        raise TyperException(HOW)
    return standard_input() if text == ["-"] else " ".join(text)


def _extras(given: list[str]) -> dict[str, Any]:
    import json

    found: dict[str, Any] = {}
    for item in given:
        name, sign, value = item.partition("=")
        if not sign:
            raise BadParameter(f"{item!r} is not NAME=VALUE.", param_hint="--extra")
        try:
            found[name] = json.loads(value)
        except (ValueError, RecursionError):
            found[name] = value
    return found
