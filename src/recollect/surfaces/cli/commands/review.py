"""Command ``review``: confirm, edit or reject what a session learned, with its evidence."""

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

from typer import Argument, BadParameter, Option, prompt

from recollect.surfaces.cli.session import CommandContext

if TYPE_CHECKING:
    from recollect.engine import Recollect
    from recollect.engine.for_surfaces import Learned, Review
    from recollect.surfaces.cli.views.reviews import Decided
    from recollect.surfaces.cli.views.screen import Screen

#: Number of sessions that are looked through for something to review.
_EARLIER = 20


def review(
    session: CommandContext,
    *,
    name: Annotated[
        str | None, Option("--session", metavar="ID", help="The session; the last one by default.")
    ] = None,
    confirm: Annotated[
        list[str] | None,
        Option("--confirm", metavar="ID", help="Confirm this memory; may be repeated."),
    ] = None,
    edit: Annotated[
        list[str] | None,
        Option("--edit", metavar="ID=TEXT", help="Correct this memory to this text."),
    ] = None,
    reject: Annotated[
        list[str] | None,
        Option("--reject", metavar="ID", help="Reject this memory; it is archived."),
    ] = None,
    confirm_all: Annotated[
        bool, Option("--confirm-all", help="Confirm everything that is open.")
    ] = False,
    waiting: Annotated[
        bool,
        Option("--waiting", help="Show everything that waits for review, of all sessions."),
    ] = False,
    wishes: Annotated[
        bool,
        Option(
            "--wishes",
            help="Show wishes that hold for one person; --confirm makes one hold for the project.",
        ),
    ] = False,
    cursor: Annotated[
        str | None,
        Option(metavar="ID", help="With --waiting or --wishes: go on after this memory."),
    ] = None,
) -> None:
    """Review what the last session learned."""
    from recollect.surfaces.cli.views import reviews

    with session.open() as memory:
        if wishes:
            given = _judged(memory, (), confirm=confirm, edit=edit, reject=reject, everything=False)
            _show_wishes(session, memory, cursor, given)
            return
        unknown = name is None and not memory.agents.sessions(1)
        if waiting or (unknown and memory.agents.waiting(limit=1).items):
            given = _judged(memory, (), confirm=confirm, edit=edit, reject=reject, everything=False)
            _show_waiting(session, memory, cursor, given)
            return
        if unknown:
            _report_none(session)
            return
        found = memory.agents.review(name)
        if confirm_all and not found.open:
            session.note(_nothing_open(memory, found.session.id))
        given = _judged(
            memory,
            found.open,
            confirm=confirm,
            edit=edit,
            reject=reject,
            everything=confirm_all and bool(found.open),
        )
        if given:
            own = {one.memory.id for one in found.learned}
            if own.intersection(one.id for _, one in given):
                memory.agents.close_review(found.session.id)
            found = memory.agents.review(found.session.id)
        asking = sys.stdin.isatty() and session.screen.terminal and not session.options.json
        if asking and not given and found.open:
            reviews.heading(session.screen, found)
            if _walk(session, memory, found.open):
                memory.agents.close_review(found.session.id)
            found = memory.agents.review(found.session.id)
            reviews.closing(session.screen, found)
            return
        _show(session, found, given, _waiting_elsewhere(memory, found))


def trust(
    session: CommandContext,
    level: Annotated[
        str | None, Argument(metavar="LEVEL", help="1 to 4, or auto: derived from past reviews.")
    ] = None,
) -> None:
    """Show or set how far agents are trusted here."""
    from recollect.surfaces.cli.views import reviews

    with session.open() as memory:
        if level is not None:
            if level not in {"1", "2", "3", "4", "auto"}:
                raise BadParameter(f"{level!r} is not 1, 2, 3, 4 or auto.", param_hint="LEVEL")
            memory.agents.set_trust(None if level == "auto" else int(level))
        standing = memory.agents.trust()
    session.answer(standing, lambda screen: reviews.standing(screen, standing))


def _nothing_open(memory: "Recollect", session_id: str) -> str:
    """What ``--confirm-all`` says where there is nothing to confirm, and where there is some."""
    said = f"Nothing of session {session_id} is to be reviewed: nothing was confirmed."
    earlier = _earlier_open(memory, but=session_id)
    return f"{said} {earlier}" if earlier else said


def _earlier_open(memory: "Recollect", but: str = "") -> str:
    """The newest session with something to review, as a sentence; empty if there is none."""
    from recollect.surfaces.cli.views.words import counted

    for run in memory.agents.sessions(_EARLIER):
        count = 0 if run.id == but else len(memory.agents.review(run.id).open)
        if count:
            things = counted(count, "thing")
            return f"Session {run.id} has {things} to review: recollect review --session {run.id}."
    return ""


def _show(session: CommandContext, found: "Review", given: "list[Decided]", elsewhere: str) -> None:
    """What was decided, or the whole review where nothing was; then what else is to be reviewed."""
    from recollect.surfaces.cli.views import reviews
    from recollect.surfaces.cli.views.screen import StyledText

    def draw(screen: "Screen") -> None:
        if given:
            reviews.decided(screen, given)
            reviews.remaining(screen, found)
        else:
            reviews.full_review(screen, found)
        if elsewhere:
            screen.line(StyledText(elsewhere))

    session.answer(found, draw)


def _waiting_elsewhere(memory: "Recollect", found: "Review") -> str:
    """What waits for review and is of another session than this, as a sentence; empty if nothing
    does."""
    from recollect.surfaces.cli.views.words import counted

    page = memory.agents.waiting()
    own = {one.memory.id for one in found.learned}
    others = sum(one.memory.id not in own for one in page.items)
    if not others:
        return _earlier_open(memory, but=found.session.id)
    least = "at least " * (page.next_cursor is not None)
    things = counted(others, "thing")
    return f"Of other sessions {least}{things} to review: recollect review --waiting."


def _report_none(session: CommandContext) -> None:
    from recollect.surfaces.cli.views.screen import StyledText

    words = "No session of an agent is known here yet; 'recollect agent install' sets one up."
    session.answer({"session": None, "learned": []}, lambda screen: screen.line(StyledText(words)))


def _judged(
    memory: "Recollect",
    open_ones: Sequence["Learned"],
    *,
    confirm: list[str] | None,
    edit: list[str] | None,
    reject: list[str] | None,
    everything: bool,
) -> "list[Decided]":
    """Apply the decisions given by options; return each with its memory."""
    confirm, edit, reject = confirm or [], edit or [], reject or []
    decided = [
        ("Confirmed", memory.agents.confirm(memory.get(identifier).id)) for identifier in confirm
    ]
    for given in edit:
        identifier, sign, text = given.partition("=")
        if not sign or not text.strip():
            raise BadParameter(f"{given!r} is not ID=TEXT.", param_hint="--edit")
        corrected = memory.agents.correct(memory.get(identifier.strip()).id, text.strip())
        decided.append(("Corrected", corrected))
    decided += [
        ("Rejected", memory.agents.reject(memory.get(identifier).id)) for identifier in reject
    ]
    if everything:
        done = {one.id for _, one in decided}
        decided += [
            ("Confirmed", memory.agents.confirm(learned.memory.id))
            for learned in open_ones
            if learned.memory.id not in done
        ]
    return decided


def _show_waiting(
    session: CommandContext, memory: "Recollect", cursor: str | None, given: "list[Decided]"
) -> None:
    """A page of what waits for review: walked through at a keyboard, listed elsewhere."""
    from recollect.surfaces.cli.views import reviews

    page = memory.agents.waiting(cursor=cursor)
    if (
        not given
        and page.items
        and session.screen.terminal
        and sys.stdin.isatty()
        and not session.options.json
    ):
        while page.items and _walk(session, memory, page.items) and page.next_cursor:
            page = memory.agents.waiting(cursor=page.next_cursor)
        return
    elsewhere = "" if page.items else _earlier_open(memory)

    def draw(screen: "Screen") -> None:
        reviews.decided(screen, given)
        reviews.waiting(screen, page, elsewhere)

    session.answer(page, draw)


def _show_wishes(
    session: CommandContext, memory: "Recollect", cursor: str | None, given: "list[Decided]"
) -> None:
    """A page of the wishes that are one person's each."""
    from recollect.surfaces.cli.views import reviews

    page = memory.agents.wishes(cursor=cursor)

    def draw(screen: "Screen") -> None:
        reviews.decided(screen, given)
        reviews.wishes(screen, page)

    session.answer(page, draw)


def _walk(session: CommandContext, memory: "Recollect", open_ones: Sequence["Learned"]) -> bool:
    """Review items one by one, with a person at the keyboard; return whether all were seen."""
    from recollect.surfaces.cli.views import reviews

    for number, learned in enumerate(open_ones, 1):
        reviews.learned_item(session.screen, learned, number, len(open_ones))
        if not _answered(session, memory, learned, open_ones[number - 1 :]):
            return False
    return True


def _answered(session: CommandContext, memory: "Recollect", learned: "Learned", rest: Any) -> bool:
    """Process one answer; return whether to continue."""
    while True:
        said = prompt("[c]onfirm  [e]dit  [r]eject  [s]kip  [a]ll are right  [q]uit", default="c")
        match said.strip().lower()[:1]:
            case "c":
                memory.agents.confirm(learned.memory.id)
                return True
            case "e":
                text = prompt("It should say", default=learned.memory.content)
                memory.agents.correct(learned.memory.id, text)
                return True
            case "r":
                memory.agents.reject(learned.memory.id)
                return True
            case "s":
                return True
            case "a":
                for one in rest:
                    memory.agents.confirm(one.memory.id)
                return False
            case "q":
                return False
        session.note("Type one of c, e, r, s, a, q.")
