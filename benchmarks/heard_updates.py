"""Judges updates when they are heard: is the old value replaced, and is nothing else replaced?

``python -m benchmarks.heard_updates FILE ... [--beside CROWD] [--show]`` hears conversations in the
form of ``recollect bench talk``, each in a store of its own among the statements of the crowd, and
looks after every message at what is no longer held.

A conversation may say which messages change what: ``"updates": [{"message": 4, "replaces": [2],
"may": [1]}]``; what ``may`` be replaced is neither asked for nor wrong. Otherwise the questions say it: the last message that holds what is expected changes the earlier ones
that hold what is forbidden. What else is replaced is wrong where updates are marked or where it is
an entry of the crowd, and is shown to be judged by a reader otherwise.
"""

import argparse
import json
import shutil
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

import recollect
from recollect.engine import Recollect
from recollect.vocabulary.memory import Memory

_BESIDE = -1  # the message number of an entry of the crowd
_CROWD_BEGINS = datetime(2024, 1, 1, tzinfo=UTC)


class Judged(NamedTuple):
    """One verdict: what was said, what it was compared with, and how that was judged."""

    verdict: str
    conversation: str
    said: str
    old: str


def marked_updates(conversation: dict[str, Any]) -> dict[int, set[int]]:
    """The messages that change something, each with the earlier messages that told it."""
    if "updates" in conversation:
        return {one["message"]: set(one["replaces"]) for one in conversation["updates"]}
    told = [
        (number, message["text"].lower(), message["at"])
        for number, message in enumerate(conversation["messages"])
        if message["from"] == "user"
    ]
    found: dict[int, set[int]] = {}
    for question in conversation["ask"]:
        expected = [str(word).lower() for word in question.get("expect", ())]
        forbidden = [str(word).lower() for word in question.get("forbid", ())]
        new = [
            number
            for number, text, at in told
            if expected and at <= question["at"] and all(word in text for word in expected)
        ]
        if not new or question.get("unknown"):
            continue
        old = {
            number
            for number, text, _ in told
            if number < new[-1] and any(word in text for word in forbidden)
        }
        if old:
            found.setdefault(new[-1], set()).update(old)
    return found


def entries_of(memory: Recollect) -> dict[str, Memory]:
    """The entries that hold now."""
    return {one.id: one.memory for one in memory.chat.entries(limit=1_000).items}


def judged(memory: Recollect, conversation: dict[str, Any]) -> Iterator[Judged]:
    """Hear a conversation and judge each replacement and each update."""
    name, updates = str(conversation["id"]), marked_updates(conversation)
    all_marked = "updates" in conversation
    permitted = {one["message"]: set(one.get("may", ())) for one in conversation.get("updates", ())}
    numbers: dict[str, int] = {}
    held = entries_of(memory)
    for number, message in enumerate(conversation["messages"]):
        heard = memory.chat.hear(
            message["text"], at=datetime.fromisoformat(message["at"]), speaker=message["from"]
        )
        if heard.event_id:
            numbers[heard.event_id] = number
        now = entries_of(memory)
        wanted, said = updates.get(number, set()), message["text"]
        allowed = wanted | permitted.get(number, set())
        met: set[int] = set()
        ended: dict[int, list[str]] = {}
        for old_id in held.keys() - now.keys():
            old = memory.get(old_id)
            if old.superseded_by is None:
                continue
            told_in = {numbers.get(event, _BESIDE) for event in old.provenance.events}
            if told_in & wanted:
                met |= told_in & wanted
                ended.setdefault(min(told_in & wanted), []).append(old.content)
            elif told_in & allowed:
                yield Judged("permitted", name, said, old.content)
            elif all_marked or told_in == {_BESIDE}:
                yield Judged("wrong", name, said, old.content)
            else:
                yield Judged("unmarked", name, said, old.content)
        asked = set()
        for one in heard.statements:
            if one.question is not None and one.question.old_id in held:
                about = held[one.question.old_id]
                told_in = {numbers.get(event, _BESIDE) for event in about.provenance.events}
                asked |= told_in & wanted
                if not told_in & allowed:
                    yield Judged("asked wrongly", name, said, about.content)
        known = {
            event: one for one in held.values() for event in one.provenance.events
        }
        for old_number in sorted(wanted):
            there = [one for event, one in known.items() if numbers.get(event) == old_number]
            old_text = there[0].content if there else conversation["messages"][old_number]["text"]
            verdict = "no entry" if not there else "missed"
            if old_number in met:
                verdict = "replaced"
                old_text = " | ".join(ended.get(old_number, [old_text]))
            elif old_number in asked:
                verdict = "asked"
            yield Judged(verdict, name, said, old_text)
        held = now


def all_judged(
    conversations: Sequence[dict[str, Any]], crowd: Sequence[str]
) -> Iterator[Judged]:
    """Judge every conversation, each among the same crowd."""
    with tempfile.TemporaryDirectory() as folder:
        base = Path(folder) / "crowd.db"
        with recollect.open(db=str(base), worker=False) as memory:
            for number, text in enumerate(crowd):
                memory.chat.hear(text, at=_CROWD_BEGINS + timedelta(days=number))
        for conversation in conversations:
            own = Path(folder) / "one.db"
            shutil.copy(base, own)
            with recollect.open(db=str(own), worker=False) as memory:
                memory.chat.set(soft_cap=10_000)
                yield from judged(memory, conversation)
            for left in Path(folder).glob("one.db*"):
                left.unlink()


def main() -> None:
    """Judge the updates of files and print the counts of each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", type=Path, nargs="+")
    parser.add_argument("--beside", type=Path, help="Statements made before, one a line.")
    parser.add_argument("--show", action="store_true", help="Every verdict.")
    options = parser.parse_args()
    crowd: list[str] = []
    if options.beside:
        lines = options.beside.read_text(encoding="utf-8").splitlines()
        crowd = [line for line in lines if line.strip() and not line.startswith("#")]
    for path in options.files:
        conversations = json.loads(path.read_text(encoding="utf-8"))["conversations"]
        counts: Counter[str] = Counter()
        for one in all_judged(conversations, crowd):
            counts[one.verdict] += 1
            if options.show:
                print(f"{one.verdict}\t{one.conversation}\t{one.said}\n\t\t<- {one.old}")
        print(json.dumps({"file": path.stem, **dict(sorted(counts.items()))}))


if __name__ == "__main__":
    main()
