"""A store in which every table has rows, of the kinds that a long life leaves behind."""

import json
from pathlib import Path
from typing import Any

from sqlalchemy import update

import recollect
from recollect.engine import Recollect
from recollect.storage.schema import jobs
from tests.clocks import TickingClock
from tests.contracts.state import State, state_of
from tests.embedders import WordEmbedder
from tests.observer.acts import START, Story
from tests.stores import Keeper
from tests.trust.worlds import USERS, World

QUESTIONS = ("common apple", "secret00007x", "harbour pear", "over and over", "ночь 東京")


def opened(address: str, **options: Any) -> Recollect:
    """An engine that finds by words and vectors and works on nothing by itself."""
    given: dict[str, Any] = {"user": "ada", "embedder": WordEmbedder(), "worker": False}
    return recollect.open(address, clock=TickingClock(), **(given | options))


def fill(address: str, folder: Path) -> None:
    """Two spaces of a random world, and in the space ``default`` what that world lacks."""
    with opened(address) as memory:
        World(memory, seed=5)
        _keep(memory)
        history = folder / "history.jsonl"
        lines = [{"id": str(n), "text": f"imported {n}", "stream": "old"} for n in range(20)]
        history.write_text("\n".join(json.dumps(line) for line in lines))
        memory.import_(str(history))
        _learn(memory)
        memory.work(5)
        memory.remember("Its levels are still promised.")
    with opened(address, embedder=WordEmbedder("other model", 16)) as memory:
        memory.remember("A second model has vectors too.")
    _trouble(address)


def _keep(memory: Recollect) -> None:
    memory.add_member("bob", "member")
    said = memory.record("Die Nacht in 東京, ночь и день.", stream="talk", payload={"n": [1, None]})
    memory.react(said.id, "👍")
    memory.edit_event(said.id, "The harbour closes at nine.\n\tAlways.")
    first = memory.remember(
        "The harbour closes at nine. " + "over " * 300,
        type="gotcha",
        confidence=0.1 + 0.2,
        half_life_days=1 / 3,
        files=["src/harbour.py", "docs/ночь.md"],
        modules=["harbour"],
        sessions=["monday", "tuesday"],
        events=[said.id],
        pinned=True,
    )
    memory.update(first.id, content="The harbour closes at ten. " + "over " * 300)
    second = memory.supersede(first.id, "The harbour never closes. pear")
    memory.relate(second.id, "derived_from", file="src/harbour.py")
    memory.forget(memory.remember("put away").id)
    memory.forget(memory.remember("erased").id, for_good=True)


def _learn(memory: Recollect) -> None:
    """A session that broke a rule in a file and changed another, and two commits."""
    story = (
        Story("monday").read("src/harbour.py", "class Harbour: ...").edit("docs/ночь.md", "a", "b")
    )
    story.call("Bash", command="make lint").fail("src/harbour.py:3: Line too long (e501)")
    memory.learning().learn(story.bash("make lint").observed())
    commits = [(f"{n:040x}", START, ("src/harbour.py", "docs/ночь.md")) for n in range(2)]
    memory._rooms.learner.bootstrap(memory.viewer, memory.space, commits)


def _trouble(address: str) -> None:
    """A job that was given up, and one that somebody works on."""
    database = Keeper(address)

    def work(transaction: Any) -> None:
        waiting = transaction.execute(
            jobs.select().where(jobs.c.state == "waiting").order_by(jobs.c.job_id).limit(2)
        ).all()
        for job, values in zip(waiting, _TROUBLES, strict=True):
            transaction.execute(update(jobs).where(jobs.c.job_id == job.job_id).values(**values))

    database.write(work)
    database.close()


_TROUBLES: tuple[dict[str, Any], ...] = (
    {"state": "dead", "attempts": 5, "last_error": "Oh: dear."},
    {"state": "running", "attempts": 1, "worker": "somebody", "leased_until": TickingClock()()},
)


def whole_state(address: str) -> State:
    """Every row of a store; tokens without their order, which no database has to keep."""
    database = Keeper(address)
    try:
        return {
            name: [(slot, _counted(tokens)) for slot, tokens in rows] if " of " in name else rows
            for name, rows in state_of(database).items()
        }
    finally:
        database.close()


def _counted(tokens: str) -> list[tuple[str, int]]:
    """PostgreSQL counts a word of a text up to 255 times."""
    words = tokens.split()
    return sorted((word, min(words.count(word), 255)) for word in set(words))


def answers(address: str) -> list[Any]:
    """What people are answered in every space: the things found, and how near they are."""
    with opened(address) as memory:
        return [
            _asked(memory, space, user, question)
            for space in ("default", "space 0", "space 1")
            for user in USERS
            for question in QUESTIONS
        ]


def _asked(memory: Recollect, space: str, user: str, question: str) -> list[tuple[str, float]]:
    from recollect.vocabulary.errors import RecollectError

    try:
        view = memory.within(space=space, user=user, teams=["red"], organisations=["acme"])
        return [(found.id, round(found.score, 4)) for found in view.recall(question, limit=50)]
    except RecollectError:
        return []
