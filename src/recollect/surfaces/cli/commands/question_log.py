"""Commands ``log`` and ``feedback``: past questions, and feedback on their answers."""

from typing import TYPE_CHECKING, Annotated

from typer import Argument, Option

from recollect.surfaces.cli.session import CommandContext

if TYPE_CHECKING:
    from recollect.engine import Recollect
    from recollect.vocabulary.retrievals import Retrieval


def log(
    session: CommandContext,
    *,
    limit: Annotated[int, Option("--limit", "-n", metavar="COUNT", help="How many per page.")] = 20,
    cursor: Annotated[
        str | None, Option("--cursor", metavar="ID", help="The cursor that the previous page gave.")
    ] = None,
    client: Annotated[
        str | None,
        Option("--client", metavar="NAME", help="Only what a program asked: mcp/claude-code, cli."),
    ] = None,
) -> None:
    """List your questions and what they found."""
    from recollect.surfaces.cli.views import answers

    with session.open() as memory:
        page = memory.retrievals(cursor=cursor, limit=limit, client=client)
    session.answer(page, lambda screen: answers.log(screen, page.items))
    if not page.items:
        session.note("You have asked nothing here that is in the log.")
    if page.next_cursor:
        session.note(f"There are more: add --cursor {page.next_cursor}")


def feedback(
    session: CommandContext,
    retrieval: Annotated[
        str, Argument(metavar="ANSWER", help="The id of an answer, or 'last' for your last one.")
    ],
    verdict: Annotated[
        str, Argument(metavar="VERDICT", help="helpful, unhelpful, wrong, cited or ignored.")
    ],
    items: Annotated[
        list[str] | None,
        Argument(metavar="ITEM", help="Only these results: their ids, or 1 for the first."),
    ] = None,
    *,
    note: Annotated[str | None, Option("--note", metavar="TEXT", help="A comment.")] = None,
) -> None:
    """Give feedback on an answer."""
    from recollect.surfaces.cli.views.screen import StyledText

    with session.open() as memory:
        asked = _found(memory, retrieval)
        named = [_item(asked, item) for item in items or ()]
        said = memory.feedback(asked.id, verdict, items=named, note=note)
    session.answer(
        said,
        lambda screen: screen.line(StyledText("Noted", "green"), StyledText(f": {said.query}")),
    )


def _found(memory: "Recollect", name: str) -> "Retrieval":
    """Find an answer by its id or the beginning of it; or the last one, by the word "last"."""
    from recollect.vocabulary.errors import RetrievalNotFound

    for asked in memory.retrievals(limit=1_000).items:
        if name == "last" or (len(name) > 4 and asked.id.startswith(name)):
            return asked
    raise RetrievalNotFound(
        f"No question {name!r} is in your log.", hint="'recollect log' lists them."
    )


def _item(asked: "Retrieval", name: str) -> str:
    if name.isdecimal() and 1 <= int(name) <= len(asked.served):
        return asked.served[int(name) - 1].id
    return next((one.id for one in asked.served if len(name) > 4 and one.id.startswith(name)), name)
