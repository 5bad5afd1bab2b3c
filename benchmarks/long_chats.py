"""Hears long chats between a person and an assistant, and shows what was kept of them.

``python -m benchmarks.long_chats CHATS --draw FILE`` draws entries at random, each with the turn
that it came from, for somebody to judge who did not write the rules. It also asks the questions on
updated knowledge and says how often the newest turn came first, and compares the cost of ``hear``
with ``chat.add`` in one run.
"""

import argparse
import gzip
import json
import random
import tempfile
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from statistics import median
from time import thread_time
from typing import Any, NamedTuple

import recollect
from recollect.engine import Recollect

_UPDATES = "knowledge_update"
_PAGE = 1_000


class DrawnEntry(NamedTuple):
    """An entry, the turn that it came from, and its chat."""

    chat: str
    turn: str
    said: str
    kept: str


def conversations_of(path: Path) -> list[dict[str, Any]]:
    """The chats of a file, packed or not."""
    packed = path.read_bytes()
    text = gzip.decompress(packed) if path.suffix == ".gz" else packed
    return list(json.loads(text)["conversations"])


def hear_all(memory: Recollect, chat: dict[str, Any]) -> dict[str, str]:
    """Hear every turn; the turn of each event."""
    turns: dict[str, str] = {}
    start = datetime(2024, 1, 1, tzinfo=UTC)
    for number, turn in enumerate(chat["turns"]):
        told = turn.get("time")
        at = datetime.fromisoformat(told) if told else start
        speaker = "user" if turn["speaker"] == "user" else "assistant"
        heard = memory.chat.hear(turn["text"], at=at + timedelta(seconds=number), speaker=speaker)
        if heard.event_id:
            turns[heard.event_id] = str(turn["id"])
    return turns


def entries_of(memory: Recollect) -> Iterator[Any]:
    """Every entry."""
    cursor: str | None = None
    while True:
        page = memory.chat.entries(cursor=cursor, limit=_PAGE)
        yield from page.items
        cursor = page.next_cursor
        if cursor is None:
            return


def drawn(found: list[DrawnEntry], count: int, seed: int) -> list[DrawnEntry]:
    """So many of them at random; the same seed draws the same."""
    return random.Random(seed).sample(found, min(count, len(found)))


def report(found: list[DrawnEntry]) -> str:
    """The drawn entries for somebody to judge."""
    lines = [
        "# Entries drawn at random",
        "",
        "Worth keeping? Each entry with the turn it is from.",
        "",
    ]
    for number, one in enumerate(found, 1):
        said = " ".join(one.said.split())[:1_500]
        lines += [
            f"## {number} (chat {one.chat}, turn {one.turn})",
            f"**kept:** {one.kept}",
            "",
            f"> {said}",
            "",
        ]
    return "\n".join(lines)


def updates_right(
    memory: Recollect, chat: dict[str, Any], turns: dict[str, str]
) -> tuple[int, int]:
    """Of the questions on updates: how many are answered from the newest turn of their gold."""
    right = asked = 0
    for question in chat["questions"]:
        if question["category"] != _UPDATES or not question["gold"]:
            continue
        asked += 1
        newest = max(question["gold"], key=int)
        found = memory.chat.ask(question["text"])
        right += newest in {turns.get(event) for event in found.events}
    return right, asked


def cost(folder: Path, texts: list[str]) -> tuple[float, float]:
    """The median milliseconds of this thread's processor time of ``hear`` and of ``chat.add``.

    Both take every sentence, in turns. What the first of them made of it is cached for the second,
    so each sentence counts for the one that took it first.
    """
    times: dict[str, list[float]] = {"hear": [], "add": []}
    with recollect.open(db=str(folder / "cost.db"), worker=False) as memory:
        verbs: dict[str, Callable[[str], object]] = {
            "hear": memory.within(space="hear").chat.hear,
            "add": memory.within(space="add").chat.add,
        }
        for number, text in enumerate(texts):
            first, second = ("hear", "add") if number % 2 else ("add", "hear")
            begin = thread_time()
            verbs[first](text)
            if number >= 20:
                times[first].append((thread_time() - begin) * 1_000)
            verbs[second](text)
    return median(times["hear"]), median(times["add"])


def main() -> None:
    """Hear the chats of a file and print what came of it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("chats", type=Path)
    parser.add_argument("--draw", type=Path, help="Where to write the drawn entries.")
    parser.add_argument("--count", type=int, default=50)
    parser.add_argument("--cost", type=int, default=120, help="Sentences to compare the cost on.")
    parser.add_argument("--seed", type=int, default=18)
    options = parser.parse_args()
    found: list[DrawnEntry] = []
    right = asked = users = 0
    with tempfile.TemporaryDirectory() as folder:
        with recollect.open(db=str(Path(folder) / "chats.db")) as memory:
            for number, chat in enumerate(conversations_of(options.chats)):
                view = memory.within(space=f"chat-{number}")
                view.chat.set(soft_cap=10_000)
                turns = hear_all(view, chat)
                said = {str(turn["id"]): str(turn["text"]) for turn in chat["turns"]}
                users += sum(1 for turn in chat["turns"] if turn["speaker"] == "user")
                for entry in entries_of(view):
                    turn = turns[entry.memory.provenance.events[0]]
                    text = entry.memory.content
                    found.append(DrawnEntry(str(chat["id"]), turn, said[turn], text))
                done = updates_right(view, chat, turns)
                right, asked = right + done[0], asked + done[1]
        chosen = drawn(found, options.count, options.seed)
        heard, added = cost(Path(folder), [one.kept for one in found[: options.cost]])
    print(f"entries kept: {len(found)} of {users} turns of users")
    print(f"updates answered from the newest turn: {right} of {asked}")
    print(f"hear {heard:.2f} ms, add {added:.2f} ms, {heard / added:.2f} times")
    if options.draw:
        options.draw.write_text(report(chosen), encoding="utf-8")


if __name__ == "__main__":
    main()
