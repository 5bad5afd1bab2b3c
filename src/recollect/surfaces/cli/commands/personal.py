"""Personal memory commands: speak, undo, settings, incognito, audit, quarantine, budgets."""

import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Annotated, Final

from typer import Argument, Exit, Option, Typer, confirm

from recollect.surfaces.cli.command import CliCommand, CliGroup, command
from recollect.surfaces.cli.inputs import standard_input
from recollect.surfaces.cli.session import CommandContext
from recollect.vocabulary.errors import InvalidInput

if TYPE_CHECKING:
    from collections.abc import Sequence

    from recollect.engine import Recollect
    from recollect.surfaces.cli.recent_actions import RecentAction
    from recollect.vocabulary.personal import Said

#: Entries on a page, where no limit was given, and on the pages that are only counted.
_PAGE: Final = 50
_COUNTED: Final = 1_000
InSession = Annotated[
    str | None, Option("--session", metavar="NAME", help="The chat or session this belongs to.")
]


def say(
    session: CommandContext,
    text: Annotated[
        str,
        Argument(metavar="TEXT", help="What you would say to an assistant; - reads it from stdin."),
    ],
    *,
    in_session: InSession = None,
    yes: Annotated[
        bool, Option("--yes", "-y", help="Forget without asking for confirmation.")
    ] = False,
) -> None:
    """Talk to your memory, in your own words.

    Tell it something, ask it something, or command: 'forget that', 'turn memory off'; in English
    or French. The exit code is 1 when what you asked for was not done.
    """
    from dataclasses import replace

    from recollect.engine.for_surfaces import (
        answer,
        language_of,
        language_spoken,
        without_offer,
    )
    from recollect.surfaces.cli.views import personal
    from recollect.vocabulary.personal import Intent

    if text == "-":
        text = standard_input()
    if not text.strip():
        raise InvalidInput("The text is empty. Nothing was changed.")
    with session.open() as memory:
        said = memory.chat.say(text, session=in_session)
        if not said.done and said.subjects and (yes or _agreed(session, said.answer)):
            said = memory.chat.say("yes", session=in_session)
        if said.intent is Intent.UNDO and not said.done and (code := _code_of_last(memory)):
            undo = "annule" if language_of(said.answer) == "fr" else "undo"
            said = memory.chat.say(f"{undo} {code}", session=in_session)
        undo_code = _undo_code(memory, said)
    language = language_of(said.answer)
    said = replace(said, answer=without_offer(said.answer))  # the undo key ends with the process
    session.answer(said, lambda screen: personal.answer_lines(screen, said))
    if not said.done and said.subjects:  # the answer has asked for a yes
        session.note(answer("or_with_yes", language))
    elif said.intent is Intent.NONE and said.answer:
        pass
    elif said.intent is Intent.NONE:
        session.note(answer("not_lasting", language_spoken(text)))
    elif undo_code:
        session.note(answer("undo_with", language, command=undo_code))
    elif not said.done and said.intent not in (Intent.ASK, Intent.SUMMARY, Intent.NO):
        raise Exit(1)


def _agreed(session: CommandContext, question: str) -> bool:
    """Whether the person at the terminal confirms what would be forgotten."""
    if session.options.json or not (sys.stdin.isatty() and session.screen.terminal):
        return False
    return confirm(question)


def _undo_code(memory: "Recollect", said: "Said") -> str | None:
    """Command that undoes a forgetting, if that is what was done."""
    if not said.done or "." not in (said.undo or ""):  # with a dot: an id and a key
        return None
    from recollect.surfaces.cli.recent_actions import note_code

    code = said.undo or ""
    return "recollect undo" if note_code(memory, code) else f"recollect undo {code}"


def _code_of_last(memory: "Recollect") -> str | None:
    """Undo code of the last entry this person forgot, if one of their commands recorded it."""
    from recollect.surfaces.cli.recent_actions import code_of

    done = memory.chat.audit(limit=20).items
    undone = {one.detail.get("undid") for one in done}
    last = next((one for one in done if one.action == "forget"), None)
    return None if last is None or last.id in undone else code_of(memory, last.id)


def undo(
    session: CommandContext,
    code: Annotated[
        str | None,
        Argument(metavar="CODE", help="The undo code of an action; else the last action."),
    ] = None,
) -> None:
    """Undo your last change, or one by its code.

    Without a code, undoes your last command here that changed something: remember, forget, restore,
    pin, edit, contradictions resolve, or say. What 'say' forgot can be restored for 15 minutes.
    """
    from recollect.surfaces.cli.views.screen import StyledText

    with session.open() as memory:
        answer = memory.chat.undo(code) if code else _undo_last(memory)
    session.answer({"answer": answer}, lambda screen: screen.line(StyledText(answer)))


def _undo_last(memory: "Recollect") -> str:
    """Undo this person's last action, by a command or in words; return a sentence about it."""
    from recollect.surfaces.cli.recent_actions import last_action
    from recollect.vocabulary.errors import NotAllowed

    last, spoken = last_action(memory), memory.chat.audit(limit=1).items
    if last is not None and (not spoken or last.at > spoken[0].at):
        return _reversed(memory, last)
    ids = [one for one in spoken for one in (one.detail.get("ids") or [one.subject])]
    before = _words(memory, ids)
    code = _code_of_last(memory) if spoken and spoken[0].action == "forget" else None
    said = memory.chat.say(f"undo {code}" if code else "undo")
    if not said.done:
        raise NotAllowed(said.answer)
    return said.answer + (before or _words(memory, ids))


def _reversed(memory: "Recollect", last: "RecentAction") -> str:
    """Reverse the action of a command."""
    from recollect.surfaces.cli.recent_actions import note_action
    from recollect.vocabulary.errors import NotAllowed

    act = _OPPOSITES.get(last.action)
    if act is None:
        done = {"undo": "was undone already", "erase": "erased a memory for good"}[last.action]
        raise NotAllowed(f"There is nothing to undo: what you did last {done}.")
    before = _words(memory, [last.subject])
    sentence = act(memory, last.subject)
    note_action(memory, "undo", last.subject)
    return sentence + (before or _words(memory, [last.subject]))


def _words(memory: "Recollect", ids: "Sequence[str | None]") -> str:
    """Quoted texts of memories, to append to a sentence."""
    from recollect.surfaces.cli.views.words import one_line, shortened
    from recollect.vocabulary.errors import RecollectError

    found = []
    for one in ids[:5]:
        with suppress(RecollectError):
            content = getattr(memory.get(one or ""), "content", "")
            found.append(f"“{shortened(one_line(content), 80)}”")
    return f" {', '.join(found)}" if found else ""


def _archived_again(memory: "Recollect", identifier: str) -> str:
    memory.forget(identifier)
    return f"Archived again ('recollect restore {identifier}' brings it back):"


def _restored(memory: "Recollect", identifier: str) -> str:
    memory.restore(identifier)
    return "Restored:"


def _pinned(memory: "Recollect", identifier: str) -> str:
    memory.pin(identifier, True)
    return "Pinned again:"


def _unpinned(memory: "Recollect", identifier: str) -> str:
    memory.pin(identifier, False)
    return "Not pinned any more:"


def _unedited(memory: "Recollect", identifier: str) -> str:
    """Restore the fields that a memory had before its last change."""
    from recollect.vocabulary.errors import NotAllowed

    changed = memory.history(identifier)[-1]
    before = {name: old for name, (old, _) in changed.changes.items() if name in _EDITED}
    if changed.action != "updated" or changed.actor != memory.viewer.user or not before:
        raise NotAllowed(
            "It was changed in another way since, so nothing was undone.",
            hint=f"'recollect history {identifier}' shows what it was before.",
        )
    memory.update(identifier, revision=changed.revision, **before)
    if "content" in before:
        return "As it was before, instead of:"
    return f"{', '.join(before).capitalize()} as before:"


def _reopened(memory: "Recollect", identifier: str) -> str:
    known = memory.contradictions.reopen(identifier)
    return f"Open again: which of them holds?{_words(memory, [known.a.id, known.b.id])}"


_EDITED: Final = ("content", "type", "confidence", "importance", "scope", "tags", "files")
_OPPOSITES: Final = {
    "remember": _archived_again,
    "restore": _archived_again,
    "forget": _restored,
    "pin": _unpinned,
    "unpin": _pinned,
    "edit": _unedited,
    "resolve": _reopened,
}


def memory_summary(
    session: CommandContext,
    *,
    limit: Annotated[
        int | None,
        Option("--limit", "-n", metavar="COUNT", help="List entries, that many per page."),
    ] = None,
    cursor: Annotated[
        str | None, Option("--cursor", metavar="ID", help="The cursor that the previous page gave.")
    ] = None,
) -> None:
    """Show what is remembered about you, and open questions.

    By topic; with --limit or --cursor every entry, newest first, a page at a time.
    """
    from recollect.surfaces.cli.views import personal

    if limit is not None or cursor is not None:
        _list_entries(session, _PAGE if limit is None else limit, cursor)
        return
    with session.open() as memory:
        own_summary, settings = memory.chat.summary(), memory.chat.settings()
        questions = memory.chat.questions()
    document = {"summary": own_summary, "settings": settings, "questions": questions}
    session.answer(
        document, lambda screen: personal.summary(screen, own_summary, settings, questions)
    )
    if personal.is_shortened(own_summary):
        session.note("Every entry, a page at a time: recollect memory --limit 50")


def _list_entries(session: CommandContext, limit: int, cursor: str | None) -> None:
    from recollect.surfaces.cli.views import personal
    from recollect.surfaces.cli.views.words import counted

    with session.open() as memory:
        page = memory.chat.entries(cursor=cursor, limit=limit)
        questions = memory.chat.questions()
        more, following = 0, page.next_cursor
        while following is not None:
            rest = memory.chat.entries(cursor=following, limit=_COUNTED)
            more, following = more + len(rest.items), rest.next_cursor
    document = {
        "entries": page.items,
        "next_cursor": page.next_cursor,
        "more": more,
        "questions": questions,
    }
    session.answer(document, lambda screen: personal.entries(screen, page.items, questions))
    if not page.items:
        session.note("There are no entries" + (" past this one." if cursor else " here yet."))
    if page.next_cursor:
        more_of_them = counted(more, "more entry", "more entries")
        session.note(f"{more_of_them}: add --cursor {page.next_cursor}")


def memory_on(session: CommandContext) -> None:
    """Turn memory on in this space."""
    _switch(session, memory_enabled=True)


def memory_off(session: CommandContext) -> None:
    """Turn memory off in this space: nothing is kept and nothing recalled."""
    _switch(session, memory_enabled=False)


def memory_cap(
    session: CommandContext,
    count: Annotated[int, Argument(metavar="COUNT", help="How many entries are kept.")],
) -> None:
    """Set how many entries are kept; the lowest-scoring are removed first."""
    _switch(session, soft_cap=count)


def memory_retain(
    session: CommandContext,
    days: Annotated[int, Argument(metavar="DAYS", help="Number of days; 0 for no limit.")],
) -> None:
    """Set after how many days unpinned entries are permanently erased.

    Off by default; 180 days is a good choice. Pinned and manually saved entries stay.
    """
    _switch(session, retention_days=days or None)


def _switch(session: CommandContext, **changes: object) -> None:
    from recollect.surfaces.cli.views import personal

    with session.open() as memory:
        settings = memory.chat.set(**changes)
    session.answer(settings, lambda screen: personal.settings(screen, settings))


def incognito(
    session: CommandContext,
    name: Annotated[str, Argument(metavar="SESSION", help="The session's name.")],
    *,
    end: Annotated[bool, Option("--end", help="End incognito instead.")] = False,
) -> None:
    """Keep and recall nothing in a session."""
    from recollect.surfaces.cli.views.screen import StyledText

    with session.open() as memory:
        on = memory.chat.incognito(name, not end)
    state = "incognito: nothing of it is kept or recalled" if on else "not incognito any more"
    session.answer(
        {"session": name, "incognito": on},
        lambda screen: screen.line(StyledText(name, "bold"), StyledText(f" is {state}.")),
    )


def audit(
    session: CommandContext,
    *,
    limit: Annotated[int, Option("--limit", "-n", metavar="COUNT", help="How many per page.")] = 50,
    cursor: Annotated[
        str | None, Option("--cursor", metavar="ID", help="The cursor that the previous page gave.")
    ] = None,
) -> None:
    """List what you did to your memory.

    Newest first; --json exports it.
    """
    from recollect.surfaces.cli.views import personal

    with session.open() as memory:
        page = memory.chat.audit(cursor=cursor, limit=limit)
    session.answer(page, lambda screen: personal.audit(screen, page.items))
    if not page.items:
        session.note("Nothing was done to your personal memory here yet.")
    if not cursor:
        session.note("What was done to any other memory: recollect history ID")
    if page.next_cursor:
        session.note(f"There are more: add --cursor {page.next_cursor}")


def quarantine_list(session: CommandContext) -> None:
    """List quarantined texts; keep or delete them.

    They look like prompt injection: instructions hidden in content.
    """
    from recollect.surfaces.cli.views import personal

    with session.open() as memory:
        page = memory.chat.suspects(limit=100)
    session.answer(page, lambda screen: personal.suspects(screen, page.items))
    if not page.items:
        session.note("Nothing is in quarantine.")


def quarantine_events(session: CommandContext) -> None:
    """List outside events that search leaves out.

    They look like instructions to an agent; their streams still show them.
    """
    from recollect.surfaces.cli.views import personal

    with session.open() as memory:
        page = memory.chat.suspect_events(limit=100)
    session.answer(page, lambda screen: personal.suspects(screen, page.items))
    if not page.items:
        session.note("No event is left out of search here.")


SuspectId = Annotated[str, Argument(metavar="ID", help="The id of the quarantined text.")]


def quarantine_keep(session: CommandContext, identifier: SuspectId) -> None:
    """Store a quarantined text; it stays marked as outside text."""
    from recollect.surfaces.cli.views import memories

    with session.open() as memory:
        kept = memory.chat.release(identifier)
    session.answer(kept, lambda screen: memories.changed_line(screen, kept, "Kept"))


def quarantine_drop(session: CommandContext, identifier: SuspectId) -> None:
    """Delete a quarantined text."""
    from recollect.surfaces.cli.views.screen import StyledText

    with session.open() as memory:
        memory.chat.reject(identifier)
    session.answer({"dropped": identifier}, lambda screen: screen.line(StyledText("Deleted.")))


def budget_list(session: CommandContext) -> None:
    """Show budgets and what was spent.

    For paid calls, this month.
    """
    from recollect.surfaces.cli.views import personal

    with session.open() as memory:
        budgets = memory.budgets()
    session.answer({"budgets": budgets}, lambda screen: personal.budgets(screen, budgets))


def budget_set(
    session: CommandContext,
    kind: Annotated[str, Argument(metavar="KIND", help="embeddings, enrichments, cents, ...")],
    amount: Annotated[float, Argument(metavar="AMOUNT", help="The limit per month.")],
) -> None:
    """Set the monthly limit of a kind of paid call."""
    from recollect.surfaces.cli.views import personal

    with session.open() as memory:
        budgets = memory.set_budget(kind, amount)
    session.answer({"budgets": budgets}, lambda screen: personal.budgets(screen, budgets))


def _group() -> Typer:
    return Typer(
        cls=CliGroup, add_completion=False, rich_markup_mode=None, invoke_without_command=True
    )


memory = _group()
memory.callback()(command(memory_summary))
memory.command("on", cls=CliCommand)(command(memory_on))
memory.command("off", cls=CliCommand)(command(memory_off))
memory.command("cap", cls=CliCommand)(command(memory_cap))
memory.command("retain", cls=CliCommand)(command(memory_retain))

quarantine = _group()
quarantine.callback()(command(quarantine_list))
quarantine.command("events", cls=CliCommand)(command(quarantine_events))
quarantine.command("keep", cls=CliCommand)(command(quarantine_keep))
quarantine.command("drop", cls=CliCommand)(command(quarantine_drop))

budget = _group()
budget.callback()(command(budget_list))
budget.command("set", cls=CliCommand)(command(budget_set))
