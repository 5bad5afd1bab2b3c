"""An evaluation set of our own in two styles that LoCoMo has not: ``python -m benchmarks.own_set``.

``chat``: three friends, messages of a few words, typing errors, topics that wander, evidence that
falls apart into several messages. ``assistant``: one person and an assistant that answers each
short turn with long advice, asked about in the first person. Both are made from the same facts, by
a fixed seed, in the form of ``recollect bench chat``; no weight was fitted on them.
"""

import argparse
import json
import sys
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any, Final

from benchmarks.own_facts import ADVICE, CHATTER, ERRANDS, FACTS, SEVERAL

BEGAN: Final = datetime(2024, 1, 8, 18, tzinfo=UTC)
PEOPLE: Final = ("mara", "jonas", "tariq")
ERRORS: Final = 0.25
_SHORTEST: Final = 4


def chat(seed: int) -> dict[str, Any]:
    """Friends: a session every two days, a fact in most, and much small talk."""
    chance = Random(seed)
    turns: list[dict[str, Any]] = []
    places: dict[int, list[str]] = {}
    order = list(range(len(FACTS)))
    chance.shuffle(order)
    for session in range(len(order) // 2):
        moment = BEGAN + timedelta(days=2 * session)
        told = order[2 * session : 2 * session + 2]
        for number in [-1, told[0], -1, *told[1:], -1]:
            said = _small_talk(chance) if number < 0 else _telling(chance, number)
            for who, text, evidence in said:
                moment += timedelta(seconds=chance.randrange(5, 90))
                turns.append(_turn(len(turns), f"s{session}", who, moment, _mistyped(chance, text)))
                if evidence:
                    places.setdefault(number, []).append(turns[-1]["id"])
    return {"id": f"friends{seed}", "turns": turns, "questions": _questions(places, own=False)}


def assistant(seed: int) -> dict[str, Any]:
    """One person and an assistant: a session a day, three errands each, and a fact in between."""
    chance = Random(seed)
    turns: list[dict[str, Any]] = []
    places: dict[int, list[str]] = {}
    order = list(range(len(FACTS)))
    chance.shuffle(order)
    for session, number in enumerate(order):
        moment = BEGAN + timedelta(days=session)
        asked = [*chance.sample(ERRANDS, 3)]
        for text in [asked[0], f"{FACTS[number].told} {asked[1]}", asked[2]]:
            moment += timedelta(minutes=chance.randrange(1, 20))
            turns.append(_turn(len(turns), f"s{session}", "user", moment, text))
            if FACTS[number].told in text:
                places[number] = [turns[-1]["id"]]
            reply = " ".join(chance.sample(ADVICE, 3))
            turns.append(_turn(len(turns), f"s{session}", "assistant", moment, reply))
    return {"id": f"assistant{seed}", "turns": turns, "questions": _questions(places, own=True)}


def _turn(number: int, session: str, who: str, moment: datetime, text: str) -> dict[str, Any]:
    return {
        "id": f"t{number}",
        "session": session,
        "speaker": who,
        "time": moment.isoformat(),
        "text": text,
    }


def _small_talk(chance: Random) -> list[tuple[str, str, bool]]:
    count = chance.randrange(8, 16)
    return [(chance.choice(PEOPLE), text, False) for text in chance.choices(CHATTER, k=count)]


def _telling(chance: Random, number: int) -> list[tuple[str, str, bool]]:
    """The lines of a fact, with somebody talking in between."""
    fact = FACTS[number]
    others = [person for person in PEOPLE if person != fact.who]
    said: list[tuple[str, str, bool]] = []
    for line in fact.lines:
        said.append((fact.who, line, True))
        if chance.random() < 0.6:
            said.append((chance.choice(others), chance.choice(CHATTER), False))
    return said


def _mistyped(chance: Random, text: str) -> str:
    """Words as thumbs type them: letters swapped, lost or doubled."""
    return " ".join(
        _slipped(chance, word)
        if len(word) >= _SHORTEST and word.isalpha() and chance.random() < ERRORS
        else word
        for word in text.split(" ")
    )


def _slipped(chance: Random, word: str) -> str:
    place = chance.randrange(1, len(word) - 1)
    before, after = word[:place], word[place:]
    return chance.choice(
        (before + after[:2][::-1] + after[2:], before + after[1:], before + after[0] + after)
    )


def _questions(places: dict[int, list[str]], *, own: bool) -> list[dict[str, Any]]:
    single = [
        {
            "text": fact.asked_self if own else fact.asked,
            "category": fact.category,
            "gold": places[number],
        }
        for number, fact in enumerate(FACTS)
    ]
    several = [
        {
            "text": self_asked if own else asked,
            "category": "several",
            "gold": [place for number in numbers for place in places[number]],
        }
        for asked, self_asked, numbers in SEVERAL
    ]
    return single + several


def made(style: str, conversations: int) -> dict[str, Any]:
    """The whole set of one style."""
    make = {"chat": chat, "assistant": assistant}[style]
    return {"conversations": [make(seed) for seed in range(conversations)]}


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the set."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("style", choices=("chat", "assistant"))
    parser.add_argument("target", help="the file to write")
    parser.add_argument("--conversations", type=int, default=5)
    options = parser.parse_args(arguments)
    document = made(options.style, options.conversations)
    Path(options.target).write_text(json.dumps(document, indent=1, ensure_ascii=False), "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
