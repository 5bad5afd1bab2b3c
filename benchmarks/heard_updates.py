"""Judges updates when they are heard: is the old value replaced, and is nothing else replaced?

``python -m benchmarks.heard_updates FILE ... [--beside CROWD] [--show]`` hears conversations in the
form of ``recollect bench talk``, each in a store of its own among the statements of the crowd, and
looks after every message at what is no longer held.

A conversation may say which messages change what: ``"updates": [{"message": 4, "replaces": [2],
"may": [1]}]``; what ``may`` be replaced is neither asked for nor wrong. Otherwise the questions say
it: the last message that holds what is expected changes the earlier ones that hold what is
forbidden. What else is replaced is wrong where updates are marked or where it is an entry of the
crowd; the rest (``unmarked``) is for a reader to judge.
"""

import argparse
import json
import shutil
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

import recollect
from recollect.engine import Recollect
from recollect.vocabulary.memory import Memory
from recollect.vocabulary.personal import Heard

_BESIDE = -1  # the message number of an entry of the crowd
_CROWD_BEGINS = datetime(2024, 1, 1, tzinfo=UTC)


class Judged(NamedTuple):
    """One verdict: what was said, what it was compared with, and how that was judged."""

    verdict: str
    conversation: str
    said: str
    old: str


def marked_updates(conversation: Mapping[str, Any]) -> dict[int, set[int]]:
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


class Judge:
    """Hears one conversation and judges each replacement, each question and each update."""

    def __init__(self, memory: Recollect, conversation: Mapping[str, Any]) -> None:
        self._memory = memory
        self._name = str(conversation["id"])
        self._messages = conversation["messages"]
        self._updates = marked_updates(conversation)
        self._all_marked = "updates" in conversation
        self._permitted = {
            one["message"]: set(one.get("may", ())) for one in conversation.get("updates", ())
        }
        self._numbers: dict[str, int] = {}  # of the messages, by event

    def judged(self) -> Iterator[Judged]:
        """Every verdict of the conversation."""
        held = self._entries()
        for number, message in enumerate(self._messages):
            at = datetime.fromisoformat(message["at"])
            heard = self._memory.chat.hear(message["text"], at=at, speaker=message["from"])
            if heard.event_id:
                self._numbers[heard.event_id] = number
            now = self._entries()
            gone = [one for one in held.values() if one.id not in now and self._replaced(one)]
            yield from self._ended(number, gone)
            yield from self._asked_wrongly(number, heard, held)
            yield from self._wanted(number, heard, gone, held)
            held = now

    def _ended(self, number: int, gone: Iterable[Memory]) -> Iterator[Judged]:
        """Entries that were replaced although no update of theirs was said."""
        wanted, said = self._updates.get(number, set()), self._messages[number]["text"]
        for old in gone:
            told_in = self._told_in(old)
            if told_in & wanted:
                continue
            verdict = "unmarked"
            if told_in & self._permitted.get(number, set()):
                verdict = "permitted"
            elif self._all_marked or told_in == {_BESIDE}:
                verdict = "wrong"
            yield Judged(verdict, self._name, said, old.content)

    def _asked_wrongly(
        self, number: int, heard: Heard, held: Mapping[str, Memory]
    ) -> Iterator[Judged]:
        allowed = self._updates.get(number, set()) | self._permitted.get(number, set())
        for old in _asked_about(heard, held):
            if not self._told_in(old) & allowed:
                yield Judged(
                    "asked wrongly", self._name, self._messages[number]["text"], old.content
                )

    def _wanted(
        self, number: int, heard: Heard, gone: Iterable[Memory], held: Mapping[str, Memory]
    ) -> Iterator[Judged]:
        """For each earlier message that this one changes, what became of its entries."""
        for old_number in sorted(self._updates.get(number, ())):
            ended = [one.content for one in gone if old_number in self._told_in(one)]
            asked = [
                one.content for one in _asked_about(heard, held) if old_number in self._told_in(one)
            ]
            there = [one.content for one in held.values() if old_number in self._told_in(one)]
            verdict = "replaced" if ended else "asked" if asked else "missed"
            shown = " | ".join(ended or asked or there)
            yield Judged(
                verdict if there else "no entry", self._name, self._messages[number]["text"], shown
            )

    def _told_in(self, memory: Memory) -> set[int]:
        return {self._numbers.get(event, _BESIDE) for event in memory.provenance.events}

    def _replaced(self, memory: Memory) -> bool:
        now = self._memory.get(memory.id)
        return isinstance(now, Memory) and now.superseded_by is not None

    def _entries(self) -> dict[str, Memory]:
        return {one.id: one.memory for one in self._memory.chat.entries(limit=1_000).items}


def _asked_about(heard: Heard, held: Mapping[str, Memory]) -> list[Memory]:
    questions = [one.question for one in heard.statements if one.question is not None]
    return [held[one.old_id] for one in questions if one.old_id in held]


def all_judged(conversations: Sequence[dict[str, Any]], crowd: Sequence[str]) -> Iterator[Judged]:
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
                yield from Judge(memory, conversation).judged()
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
