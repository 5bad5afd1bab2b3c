"""``python -m benchmarks.conversations``: twenty scripted conversations that need a memory.

People tell things over days, change their mind, ask to forget; then they ask. The table shows what
came back with memory on, and with memory off, where nothing can.
"""

import argparse
import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NamedTuple

import recollect
from recollect.engine import Recollect


class Talk(NamedTuple):
    """What is said (dashes let days pass), what is asked, what must come back and what must not."""

    name: str
    said: tuple[str, ...]
    asked: str
    wanted: str
    unwanted: str = "\x00"


TALKS: tuple[Talk, ...] = (
    Talk("preference", ("I prefer tea over coffee in the morning.",), "tea or coffee", "tea over"),
    Talk("allergy", ("I'm allergic to peanuts.", "I love Thai food."), "allergic", "peanuts"),
    Talk("name", ("Please call me Sam instead of Samuel.",), "what to call me", "Sam instead"),
    Talk(
        "recurring meeting",
        ("Our weekly team meeting is every Tuesday at 10 am.", "---3", "I like jazz."),
        "weekly team meeting",
        "Tuesday at 10",
    ),
    Talk(
        "meeting moved",
        (
            "The dentist appointment is on Monday at 9 am.",
            "---1",
            "The dentist appointment moved to Wednesday at 4 pm.",
            "yes",
        ),
        "dentist appointment",
        "Wednesday at 4",
        "Monday at 9",
    ),
    Talk(
        "goal over days",
        (
            "My goal is to run a marathon in October.",
            "---4",
            "Today I ran 18 kilometres.",
            "---3",
            "My knee hurts after running.",
        ),
        "marathon goal",
        "October",
    ),
    Talk(
        "saving goal",
        ("I'm saving money for a trip to Japan.", "---9", "I saved 1,200 euros so far."),
        "saving for a trip",
        "Japan",
    ),
    Talk(
        "correction of a place",
        ("I live in Lyon.", "---30", "I moved to Oslo, I live in Oslo now.", "yes"),
        "where I live",
        "Oslo",
        "in Lyon",
    ),
    Talk(
        "correction of a number",
        (
            "The project budget is 2,000 euros.",
            "---2",
            "The project budget changed to 3,500 euros.",
            "yes",
        ),
        "project budget",
        "3,500",
        "2,000",
    ),
    Talk(
        "forget that",
        ("I have a crush on Robin from accounting.", "forget that"),
        "Robin accounting",
        "",
        "Robin",
    ),
    Talk(
        "forget about",
        (
            "My ex is called Dana.",
            "Dana owes me 50 euros.",
            "I have two cats.",
            "forget about Dana",
        ),
        "Dana",
        "",
        "Dana",
    ),
    Talk(
        "forgotten stays forgotten",
        ("My salary is 81,000 euros.", "forget that", "I earn a salary of 81,000 euros."),
        "salary",
        "",
        "81,000",
    ),
    Talk(
        "undo of a forget",
        ("The wifi is called Blue Heron.", "forget that", "undo"),
        "wifi",
        "Blue Heron",
    ),
    Talk("explicit save", ("remember that the spare key is under the fern",), "spare key", "fern"),
    Talk(
        "pinned among many",
        (
            "remember that my blood type is A negative",
            "pin this",
            *tuple(f"Parcel {n} from shop {n} came on day {n}." for n in range(30)),
        ),
        "blood type",
        "A negative",
    ),
    Talk(
        "said three times",
        ("I don't eat meat.", "---5", "I do not eat any meat.", "---5", "I don't eat meat!"),
        "do I eat meat",
        "eat meat",
    ),
    Talk(
        "family",
        ("My daughter's name is Emma.", "My brother Paul lives in Berlin."),
        "name of my daughter",
        "Emma",
    ),
    Talk(
        "French",
        ("Je suis végétarien.", "Ma réunion est à 14 h le mardi."),
        "végétarien",
        "végétarien",
    ),
    Talk(
        "incognito",
        (
            "start incognito for this chat",
            "I am looking for a new job.",
            "end incognito",
            "I like my garden.",
        ),
        "new job",
        "",
        "job",
    ),
    Talk(
        "memory off and on",
        ("turn memory off", "I voted for the blue party.", "turn memory on", "I like rain."),
        "blue party",
        "",
        "party",
    ),
)


def heard(memory: Recollect, talk: Talk, clock: "Days") -> None:
    """Say the lines of a talk: commands are carried out, the rest is told."""
    for line in talk.said:
        if line.startswith("---"):
            clock.move(timedelta(days=int(line[3:])))
            continue
        said = memory.chat.say(line, session=talk.name)
        if said.intent.value == "none":
            memory.chat.add(line, session=talk.name)


def answered(memory: Recollect, talk: Talk) -> str:
    """What comes back to the question, as one text."""
    found = memory.recall(talk.asked, kinds=["memory"], profile="chat", limit=3)
    return " / ".join(one.text for one in found)


class Days:
    """A clock that moves when it is told to."""

    def __init__(self) -> None:
        self.now = datetime(2026, 3, 1, 9, tzinfo=UTC)

    def __call__(self) -> datetime:
        self.now += timedelta(milliseconds=1)
        return self.now

    def move(self, by: timedelta) -> None:
        self.now += by


class Outcome(NamedTuple):
    """One talk, with and without memory."""

    talk: Talk
    with_memory: str
    without: str

    @property
    def good(self) -> bool:
        return self.talk.wanted in self.with_memory and self.talk.unwanted not in self.with_memory

    @property
    def good_without(self) -> bool:
        return self.talk.wanted in self.without and self.talk.unwanted not in self.without


def outcomes() -> Iterator[Outcome]:
    """Every talk in a store of its own."""
    for talk in TALKS:
        told = []
        for on in (True, False):
            clock = Days()
            with tempfile.TemporaryDirectory(prefix="recollect-talk-") as folder:
                place = Path(folder) / "memory.db"
                with recollect.open(
                    place, user="ada", embedder="static", worker=False, clock=clock
                ) as memory:
                    if on:
                        heard(memory, talk, clock)
                    told.append(answered(memory, talk))
        yield Outcome(talk, *told)


def main() -> None:
    """Print the table."""
    argparse.ArgumentParser("python -m benchmarks.conversations", description=__doc__).parse_args()
    done = list(outcomes())
    print(f"{'conversation':<26}{'asked for':<22}{'with memory':<9}  what came back")
    for one in done:
        mark = "yes" if one.good else "NO"
        print(f"{one.talk.name:<26}{one.talk.asked:<22}{mark:<9}  {one.with_memory[:90] or '-'}")
    need = [one for one in done if one.talk.wanted]
    print(
        f"\nright with memory: {sum(one.good for one in done)} of {len(done)}; of the {len(need)}"
        f" that need something remembered: {sum(one.good for one in need)} with memory,"
        f" {sum(one.good_without for one in need)} without"
    )


if __name__ == "__main__":
    main()
