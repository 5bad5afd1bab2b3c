"""Whether the notes that a session begins with are of use in it, against simple orders.

    python -m benchmarks.starting_notes TRANSCRIPTS

Sessions are replayed in the order of time, and each leaves its memories in one store. At its start
a session may be told the notes that earlier ones left; the first few are. A note was of use if the
session then touched one of its files, or if its prompts share three telling words with it. The
order of the engine is compared with the newest first, with the store's own order (importance and
confidence) and with a random one, over the same notes of the same sessions. Sessions are split into
two halves by a hash of their ids, so that what was fitted on one half can be seen on the other.
"""

import argparse
import hashlib
import json
import random
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import mean
from typing import Any, Final

import recollect
from benchmarks.served_notes import _heard, _telling
from recollect.context.memory_lookup import GROUND
from recollect.context.session import AgentSession
from recollect.engine import Recollect
from recollect.engine.for_surfaces import sessions_of
from recollect.engine.transcripts import acts_of
from recollect.observer.replay import Played
from recollect.surfaces.cli.bench.workspace import StandingClock
from recollect.vocabulary.acts import Act, ActKind
from recollect.vocabulary.memory import Memory

#: Number of notes that are counted as told: about as many as there is room for.
FIRST: Final = 6
#: Number of notes that may be told at a start.
POOL: Final = 400
#: Telling words that a note shares with the prompts of a session that it was about.
SHARED: Final = 3
DRAWS: Final = 50
SEED: Final = 17


@dataclass(slots=True)
class OrderFigures:
    """Shares of the first notes that were of use, of each session, by the name of the order."""

    by_order: dict[str, list[float]] = field(default_factory=dict)
    files: dict[str, list[float]] = field(default_factory=dict)
    pool: list[int] = field(default_factory=list)

    def add(self, name: str, notes: Sequence[Memory], session: "SeenLater") -> None:
        """Count one session under one order."""
        self.by_order.setdefault(name, []).append(mean(map(session.used, notes)))
        self.files.setdefault(name, []).append(mean(map(session.touched, notes)))

    def as_json(self) -> dict[str, Any]:
        """The mean over the sessions."""
        return {
            "sessions": len(self.pool),
            "notes_to_choose_from": round(mean(self.pool), 1) if self.pool else 0,
            "of_use": {name: round(mean(those), 3) for name, those in self.by_order.items()},
            "file_touched": {name: round(mean(those), 3) for name, those in self.files.items()},
        }


class SeenLater:
    """What a session touched and was asked after its start."""

    def __init__(self, played: Played) -> None:
        self._files = {path for act in played.acts for path in act.paths}
        asked = " ".join(act.text for act in played.acts if act.kind is ActKind.PROMPT)
        self._words = _telling(asked)

    def touched(self, note: Memory) -> bool:
        """Whether a file of the note was touched."""
        return bool(self._files & set(note.files))

    def used(self, note: Memory) -> bool:
        """Whether a file was touched, or the prompts speak of what the note is about."""
        return self.touched(note) or len(_telling(note.content) & self._words) >= SHARED


class StartReplay:
    """Replays sessions into one store and looks at the start of each."""

    def __init__(self, memory: Recollect, clock: StandingClock) -> None:
        self._memory = memory
        self._clock = clock
        self._chance = random.Random(SEED)
        self.halves = (OrderFigures(), OrderFigures())

    def play(self, played: Played) -> None:
        """One session, from its beginning to its end."""
        self._clock.now = played.begins
        session = self._memory.session(id=played.name, agent="claude-code")
        session.recorder.check_out(played.branch)
        self._look(session, played)
        calls: dict[str, Act] = {}
        for place, act in enumerate(played.acts):
            self._clock.now = max(self._clock.now, act.at)
            if act.kind is ActKind.CALL and act.call:
                calls[act.call] = act
            following = played.acts[place + 1].kind if place + 1 < len(played.acts) else None
            _heard(session, act, calls, final=following in (ActKind.PROMPT, ActKind.END, None))
        session.finish("success")

    def _look(self, session: AgentSession, played: Played) -> None:
        pool = session._services.lookup.leading(session._who, session._level, GROUND, limit=POOL)
        if len(pool) <= FIRST:
            return
        half = self.halves[hashlib.sha256(played.name.encode()).digest()[0] % 2]
        half.pool.append(len(pool))
        later = SeenLater(played)
        orders: dict[str, Callable[[], Sequence[Memory]]] = {
            "engine": lambda: session.called_for(pool),
            "newest": lambda: sorted(pool, key=lambda one: one.created_at, reverse=True),
            "most_important": lambda: pool,
        }
        for name, ordered in orders.items():
            half.add(name, ordered()[:FIRST] or pool[:FIRST], later)
        drawn = [self._chance.sample(pool, FIRST) for _ in range(DRAWS)]
        half.add("random", [one for some in drawn for one in some], later)


def main(arguments: Sequence[str] | None = None) -> None:
    """Replay, and print the figures of both halves."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("transcripts", type=Path)
    given = parser.parse_args(arguments)
    clock = StandingClock()
    with (
        tempfile.TemporaryDirectory(prefix="recollect-starts-") as folder,
        recollect.open(
            Path(folder) / "memory.db",
            worker=False,
            clock=clock,
            settings={"agent_patience": "1000"},
        ) as memory,
    ):
        replay = StartReplay(memory, clock)
        for played in sessions_of(acts_of(given.transcripts)):
            replay.play(played)
    first, second = replay.halves
    print(json.dumps({"first_half": first.as_json(), "second_half": second.as_json()}, indent=2))


if __name__ == "__main__":
    main()
