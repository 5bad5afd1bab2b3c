"""Command ``tour``: a short demonstration with real commands on a temporary store.

Its events are dated in the past, three weeks in a few seconds, so that there is a history to ask
about.
"""

import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from recollect.surfaces.cli.session import CommandContext

if TYPE_CHECKING:
    from recollect.engine import Recollect
    from recollect.surfaces.cli.views.screen import Screen

QUESTION: Final = "how long can a buyer ask for a refund?"
RULE: Final = "Customers may cancel an order within two days and get their money back."
NEW_RULE: Final = "Customers may cancel an order within fourteen days and get their money back."
_MEMORIES: Final = (
    ("gotcha", "The staging database is wiped every night at two.", "staging"),
    ("decision", RULE, "orders"),
    ("preference", "Ada likes short pull requests: one change, one review.", "review"),
)
_CHAT: Final = (
    ("grace", "The checkout test failed again last night."),
    ("ada", "It was not our code: the bank's sandbox timed out."),
    ("grace", "Then let us try three times before we call it broken."),
)
_PAUSE: Final = 0.4


def tour(session: CommandContext) -> None:
    """See what it does, in ten seconds, on a temporary file."""
    clock = _Clock()
    with _memory(session, clock) as memory:
        story = _Story(session, memory, clock)
        story.tell()
    if session.options.json:
        session.answer({"steps": story.steps}, lambda _: None)
    else:
        _what_next(session)


class _Clock:
    """Clock that the demonstration sets forward."""

    def __init__(self) -> None:
        from recollect.vocabulary.clock import system_clock

        self.now: datetime = system_clock() - timedelta(days=21)

    def __call__(self) -> datetime:
        self.now += timedelta(milliseconds=5)
        return self.now

    def later(self, *, days: float) -> None:
        self.now += timedelta(days=days)


@contextmanager
def _memory(session: CommandContext, clock: _Clock) -> "Iterator[Recollect]":
    import recollect

    embedder = session.options.embedder or "static"
    with tempfile.TemporaryDirectory(prefix="recollect-tour-") as folder:
        path = Path(folder) / "memory.db"
        with recollect.open(
            path, space="tour", user="you", embedder=embedder, worker=False, clock=clock
        ) as memory:
            yield memory


class _Story:
    """Steps of the demonstration, each with a title, the command, and its result."""

    def __init__(self, session: CommandContext, memory: "Recollect", clock: _Clock) -> None:
        self.steps: list[dict[str, Any]] = []
        self._memory = memory
        self._clock = clock
        self._screen: Screen | None = None if session.options.json else session.screen

    def tell(self) -> None:
        """Run all steps, from the first memory to the last figure."""
        self._remember()
        self._record()
        self._recall()
        self._correct()
        self._change_mind()
        self._forget()
        self._take_stock()

    def _remember(self) -> None:
        from recollect.surfaces.cli.views.memories import headline

        self._begin("Remember", "typed memories; the type decides how long one stays fresh")
        for kind, text, tag in _MEMORIES:
            self._typed(f"remember {text!r} --type {kind} --tag {tag}")
            kept = self._memory.remember(text, type=kind, tags=[tag], source="user_taught")
            self._result(kept)
            if self._screen:
                self._screen.line(*headline(self._screen, kept))

    def _record(self) -> None:
        from recollect.surfaces.cli.views import events

        self._begin("Record", "what happened is kept whole and in order, beside the memories")
        self._typed(f"record --stream standup --author grace {_CHAT[0][1]!r}   (and so on)")
        for author, text in _CHAT:
            self._memory.record(text, stream="standup", author=author)
        self._typed("read standup")
        page = self._memory.read("standup")
        self._result(page, lambda screen: events.transcript(screen, page.items))

    def _recall(self) -> None:
        self._clock.later(days=1)
        self._begin("Recall", "by words and by meaning: question and answer share no word")
        self._ask()

    def _correct(self) -> None:
        from recollect.surfaces.cli.views import changes

        self._clock.later(days=5)
        self._begin("Correct", "every change is kept: who, when, and what it said before")
        wrong = self._memory.list(type="gotcha").items[0]
        text = wrong.content.replace("two", "three")
        self._typed(f"edit {wrong.id[:18]} --content {text!r} --confidence 0.95")
        self._memory.update(wrong.id, content=text, confidence=0.95)
        self._typed(f"history {wrong.id[:18]}")
        entries = self._memory.history(wrong.id)
        self._result(entries, lambda screen: changes.history(screen, entries))

    def _change_mind(self) -> None:
        self._clock.later(days=7)
        self._begin("Change your mind", "the old decision steps back, and stays true of its time")
        old = self._memory.list(type="decision").items[0]
        before = self._clock.now - timedelta(days=1)
        self._typed(f"remember {NEW_RULE!r} --type decision --supersedes {old.id[:18]}")
        self._memory.supersede(
            old.id, NEW_RULE, type="decision", tags=["orders"], source="user_taught"
        )
        self._clock.later(days=7)
        self._ask()
        self._ask(as_of=before)

    def _forget(self) -> None:
        from recollect.surfaces.cli.views import memories

        self._begin("Forget, and think better of it", "nothing is lost until you say 'for good'")
        taste = self._memory.list(type="preference").items[0]
        self._typed(f"forget {taste.id[:18]}")
        self._memory.forget(taste.id)
        self._typed(f"restore {taste.id[:18]}")
        back = self._memory.restore(taste.id)
        self._result(back, lambda screen: memories.changed_line(screen, back, "Restored"))

    def _take_stock(self) -> None:
        from recollect.surfaces.cli.views import reports

        self._begin("Take stock", "one file holds all of it, and nothing left this machine")
        self._memory.work(5.0)
        self._typed("stats")
        figures = self._memory.stats()
        self._result(figures, lambda screen: reports.stats(screen, figures))

    def _ask(self, **narrow: Any) -> None:
        from recollect.surfaces.cli.views import memories

        moment = narrow.get("as_of")
        self._typed(f"recall {QUESTION!r}" + (f" --as-of {moment:%Y-%m-%d}" if moment else ""))
        result = self._memory.recall(QUESTION, limit=1, **narrow)
        self._result(result, lambda screen: memories.recalled(screen, result, str))

    def _begin(self, title: str, explanation: str) -> None:
        from recollect.surfaces.cli.views.screen import StyledText

        self.steps.append({"title": title, "explanation": explanation, "results": []})
        if self._screen is None:
            return
        if self._screen.terminal and len(self.steps) > 1:
            time.sleep(_PAUSE)
        head = StyledText(f"{len(self.steps)}. {title}", "bold magenta")
        self._screen.lines([[], [head, StyledText(f"  {explanation}", "dim")]])

    def _typed(self, command: str) -> None:
        """Show the command that a person would type."""
        from recollect.surfaces.cli.views.screen import StyledText

        if self._screen:
            self._screen.line(StyledText("$ ", "green"), StyledText(f"recollect {command}", "bold"))

    def _result(self, value: Any, draw: "Callable[[Screen], None] | None" = None) -> None:
        self.steps[-1]["results"].append(value)
        if self._screen and draw:
            draw(self._screen)


def _what_next(session: CommandContext) -> None:
    from recollect.surfaces.cli.views.screen import StyledText

    screen = session.screen
    screen.line()
    screen.line(
        StyledText("That was the tour; its file is gone again. ", "bold"), StyledText("Your turn:")
    )
    for words in ("remember 'Something worth finding again.'", "recall 'a question'", "--help"):
        screen.lines(
            [[StyledText("$ ", "green"), StyledText(f"recollect {words}", "bold")]], indent=2
        )
    screen.line(
        StyledText("Your memory will live in "),
        StyledText(str(session.place), "cyan"),
        StyledText("."),
    )
