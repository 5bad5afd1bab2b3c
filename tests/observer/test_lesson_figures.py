"""What is counted of memories beside the lessons that readers wrote for the same session."""

import json
from dataclasses import replace
from pathlib import Path

from recollect.observer.lesson_figures import lesson_figures, lessons_of
from recollect.observer.replay import sessions_of
from tests.observer.acts import Story


def told() -> Story:
    story = Story().prompt("Add a cart").edit("a.py").answer("Done.")
    story.call("Edit", "src/pay.py").refuse("no, never round prices of an invoice by hand")
    return story.prompt("what is next?").answer("Nothing.")


def test_lessons_that_the_user_said_in_words_are_counted_apart(tmp_path: Path) -> None:
    acts = [replace(act, event=f"e{place}") for place, act in enumerate(told().acts)]
    refusal = next(act.event for act in acts if act.text.startswith("no, never round"))
    lines: list[dict[str, object]] = [
        {"lesson": "Prices of an invoice are never rounded by hand", "evidence": [refusal]},
        {"lesson": "The cart needs a test", "evidence": ["elsewhere"]},
    ]
    said = {"session": "s1", "who": "user", "how_told": "stated"}
    shown = {"session": "s1", "who": "agent", "how_told": "shown"}
    file = tmp_path / "lessons.jsonl"
    file.write_text(
        "\n".join(json.dumps({**one, **who}) for who in (said, shown) for one in lines), "utf-8"
    )

    figures = lesson_figures(sessions_of(acts), lessons_of(file))

    assert (figures["gold"], figures["recall"]) == (4, 0.5)
    assert (figures["said_by_user"], figures["said_by_user_recall"]) == (2, 0.5)
    assert (figures["told"], figures["told_recall"]) == (1, 0.5)
    assert figures["words_half"] == 0.5
