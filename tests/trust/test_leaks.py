"""Nobody is ever given what they may not see, by any way of asking.

The rules, in words. They are written once more, in plain Python, in ``worlds.py``, which knows
nothing of the filter that the engine uses:

- personal: its owner sees it, as long as they belong to the space.
- project: everyone who belongs to the space sees it.
- team: people of that team see it, wherever they are; and its owner, if they belong to the space.
- organisation: people of it see it; and its owner, if they belong to the space.
- stream: whoever belongs to the space and may read the stream sees it: the stream is open, or
  theirs, or lists them. A thread follows the stream it began in, whoever opened it.
- An event is seen by whoever may read its stream.
- A memory that points at events is seen only by those of its audience who may read, at that moment,
  the stream of every one of them.
- Nothing for anyone else, and who may not see a thing gets the answer of a thing that is not there.

Worlds are made at random. Every verb that reads is asked, people taking turns, so that whatever is
kept between two questions is kept; then people come and go, streams open and close, and every verb
is asked by everyone about everything. Each answer is compared with the rules, and its whole text is
searched for secrets that the asker must not know.

Each store has worlds of its own. ``RECOLLECT_TEST_WORLDS=200`` asks about that many on each store,
fuller ones, and everyone everything before too.
"""

import os
from collections.abc import Callable, Iterator

import pytest

from recollect.engine import Recollect
from recollect.vocabulary.errors import InvalidInput, NotAllowed, NotFound
from tests.contracts.state import changed, state_of
from tests.stores import BACKENDS, StoreMaker
from tests.trust.asking import READS, Asker, ask_recall, everything
from tests.trust.worlds import World

_FEW = 1
WORLDS = int(os.environ.get("RECOLLECT_TEST_WORLDS", str(_FEW)))
#: How full a world is: everyone asks for everything in it by every verb.
SHARE = 1.0 if WORLDS > _FEW else 0.6


Attempt = Callable[[Recollect, str], object]

#: Each verb that changes a memory, tried on one the writer may not change.
MEMORY_WRITES: dict[str, Attempt] = {
    "update": lambda view, memory: view.update(memory, content="mine", tags=["mine"]),
    "forget": lambda view, memory: view.forget(memory),
    "forget for good": lambda view, memory: view.forget(memory, for_good=True),
    "restore": lambda view, memory: view.restore(memory),
    "supersede": lambda view, memory: view.supersede(memory, "mine"),
    "pin": lambda view, memory: view.pin(memory),
    "verify": lambda view, memory: view.verify(memory),
    "relate": lambda view, memory: view.relate(memory, "validates", file="a.py"),
    "unrelate": lambda view, memory: view.unrelate(memory, "supersedes", file="a.py"),
}
EVENT_WRITES: dict[str, Attempt] = {
    "edit_event": lambda view, event: view.edit_event(event, "mine"),
    "delete_event": lambda view, event: view.delete_event(event),
    "react": lambda view, event: view.react(event, "👍"),
    "unreact": lambda view, event: view.unreact(event, "👍"),
    "record": lambda view, event: view.record("mine", reply_to=event, stream="a new one"),
    "remember": lambda view, event: view.remember("mine", events=[event]),
}
STREAM_WRITES: dict[str, Attempt] = {
    "record": lambda view, stream: view.record("mine", stream=stream),
    "record_many": lambda view, stream: view.record_many([], stream=stream),
    "open_stream": lambda view, stream: view.open_stream("x", kind="thread", parent=stream),
    "set_access": lambda view, stream: view.set_access(stream, "open"),
    "admit": lambda view, stream: view.admit(stream, view.viewer.user),
    "dismiss": lambda view, stream: view.dismiss(stream, "ada"),
    "remember": lambda view, stream: view.remember("mine", stream=stream),
}
SPACE_WRITES: dict[str, Callable[[Recollect], object]] = {
    "remember": lambda view: view.remember("mine"),
    "record": lambda view: view.record("mine", stream="a new one"),
    "record_many": lambda view: view.record_many([], stream="a new one"),
    "open_stream": lambda view: view.open_stream("a new one"),
    "add_member": lambda view: view.add_member(view.viewer.user, "owner"),
    "retry_jobs": lambda view: view.retry_jobs(),
}
#: Verbs that show and change nothing of what is kept, or that other tests ask about.
HOUSE = {
    "within": "gives another view; every verb of it is asked here",
    "bearing": "gives the view of an access token; test_access_tokens asks what it opens",
    "tokens": "test_access_tokens asks who makes, sees and revokes them",
    "close": "lets the store go",
    "health": "counts for the keeper of the store: no text and no id of a memory or an event",
    "embedder_state": "speaks of the embedder",
    "provider_state": "speaks of the providers",
    "erase_traces": "writes the files anew, shows no text; chat/test_erasing asks it",
    "rebuild_index": "makes anew what search is asked about here",
    "work": "does jobs that nobody is shown",
    "start_worker": "does the same in a thread",
    "warm": "loads a vocabulary",
    "at_once": "runs other verbs, and shows what they show",
    "remove_member": "taking others out is asked in contracts/test_spaces",
    "join_stream": "for owners of the space, and noted down; trust/test_rights asks it",
    "aliases": "other names of members, for members; trust/test_rights asks it",
    "confirm_alias": "for stewards; trust/test_rights asks it",
    "withdraw_alias": "for stewards and whoever bears it; trust/test_rights asks it",
    "feedback": "on the asker's own log alone; recall/test_usage_log asks it",
    "session": "an agent's session; contracts/test_agent_visibility asks what it tells",
    "budgets": "figures for members; tests/pages/test_signals asks it",
    "change_number": "how often a space changed, for its members: no text and no id",
    "set_budget": "for stewards; tests/pages/test_signals asks it",
    "research": "the last step of researching, which is asked here",
    "plan_research": "says what would be searched for; asked beside researching",
    "remembered": "memories beneath an answer; asked beside researching",
    "import_": "writes through the same door as record; tests/pages asks it",
}


#: Families of verbs: who may use them is asked about in suites of their own.
FAMILIES = {
    "agents": "contracts/test_agent_visibility",
    "chat": "tests/chat/test_isolation",
    "code": "tests/contracts/test_code, tests/codegraph/test_questions",
    "contradictions": "tests/memories/test_contradiction_leaks",
    "disputes": "tests/trust/test_people_leaks",
    "evolution": "tests/evolution/test_night",
    "metrics": "tests/metrics/test_figures",
    "learning": "tests/contracts/test_learning",
    "people": "tests/trust/test_people_leaks",
    "rights": "tests/trust/test_people_leaks",
    "sync": "tests/sync/test_exchange",
    "workspace": "tests/workspace/test_leaks",
}


def test_every_verb_of_the_engine_is_asked_about() -> None:
    """A new verb fails here until somebody has thought about who may use it."""
    verbs = {name for name in dir(Recollect) if not name.startswith("_")}
    covered = {
        *READS.values(),
        *(name.split()[0] for name in (*MEMORY_WRITES, *EVENT_WRITES, *STREAM_WRITES)),
        *SPACE_WRITES,
        *HOUSE,
        *FAMILIES,
    }
    assert covered == verbs


@pytest.fixture(params=range(WORLDS))
def seed(request: pytest.FixtureRequest, stores: StoreMaker) -> int:
    """The number of a world; no world is asked about on two stores."""
    kinds = sorted(BACKENDS, reverse=True)
    return int(request.param) * len(kinds) + kinds.index(stores.backend.name)


def askers(world: World, engines: list[tuple[Recollect, bool]]) -> Iterator[Asker]:
    """Everyone, in every space, through every engine."""
    for memory, words_only in engines:
        for space in world.spaces.values():
            for person in world.people.values():
                yield Asker(world.view(memory, person, space), person, space, world, words_only)


def test_nobody_is_told_what_they_may_not_see(stores: StoreMaker, seed: int) -> None:
    address = stores.ready()
    memory = stores.open(address)
    world = World(memory, seed, share=SHARE)
    words_only = stores.open(address, embedder=None)
    for number, asker in enumerate(askers(world, [(memory, False)])):
        for ask in [*READS] if WORLDS > _FEW else [*READS][number % 3 :: 3]:
            ask(asker)

    world.shuffle()

    for asker in askers(world, [(memory, False), (words_only, True)]):
        for ask in READS if not asker.words_only else (ask_recall,):
            ask(asker)
    assert memory.health().sound


def forbidden_writes(asker: Asker, memory: str) -> list[Attempt]:
    """What the asker may not do to a memory; everyone who writes may say that it is right."""
    allowed = asker.space.corrects(asker.person, memory)
    confirms = asker.space.writes(asker.person) and memory in asker.memories
    return [
        attempt
        for name, attempt in MEMORY_WRITES.items()
        if not (confirms if name == "verify" else allowed)
    ]


def in_turn(attempts: list[Attempt], number: int) -> list[Attempt]:
    """Two of the attempts, other ones for each number: what is in another space is refused for
    that reason alone, so everyone tries every verb there, though not on everything."""
    first = 2 * number % len(attempts)
    return (attempts * 2)[first : first + 2]


def refused_writes(asker: Asker) -> Iterator[tuple[Attempt, str]]:
    """Each attempt that the asker must not succeed with, and what it is tried on."""
    space, writes = asker.space, asker.space.writes(asker.person)
    memories, events, streams = everything(asker.world)
    tries = [(item, forbidden_writes(asker, item), item in space.memories) for item in memories]
    for verbs, ids, here, seen in (
        (EVENT_WRITES, events, space.events, asker.events),
        (STREAM_WRITES, streams, space.streams, asker.streams),
    ):
        refused = [item for item in ids if not (writes and item in seen)]
        tries += [(item, list(verbs.values()), item in here) for item in refused]
    for number, (item, attempts, at_home) in enumerate(tries):
        for attempt in attempts if at_home else in_turn(attempts, number):
            yield attempt, item


def test_nobody_changes_what_they_may_not(stores: StoreMaker, seed: int) -> None:
    address = stores.ready()
    world = World(stores.open(address), 1_000 + seed, share=SHARE)
    world.shuffle()
    database = stores.database(address)
    before = state_of(database)
    for asker in askers(world, [(world.memory, False)]):
        for attempt, item in refused_writes(asker):
            with pytest.raises((NotFound, NotAllowed)):
                attempt(asker.view, item)
        if not asker.space.writes(asker.person):
            for enter in SPACE_WRITES.values():
                with pytest.raises(NotAllowed):
                    enter(asker.view)
    assert changed(before, state_of(database)) == {}


def test_arrow_to_what_is_hidden_can_be_neither_drawn_nor_taken(stores: StoreMaker) -> None:
    address = stores.ready()
    memory = stores.open(address)
    memory.add_member("bob")
    bob = memory.within(user="bob")
    shared, hidden = memory.remember("shared"), memory.remember("hidden", visibility="personal")
    memory.relate(shared.id, "validates", memory=hidden.id)
    before = state_of(database := stores.database(address))
    for attempt in (bob.relate, bob.unrelate):
        for kind in ("validates", "supersedes"):
            with pytest.raises(NotFound):
                attempt(shared.id, kind, memory=hidden.id)
            with pytest.raises(NotFound):
                attempt(hidden.id, kind, memory=shared.id)
    assert changed(before, state_of(database)) == {}


def test_member_who_leaves_knows_nothing_more(stores: StoreMaker) -> None:
    """By warm index, by cursor, by id: at once, and again when they come back."""
    memory = stores.open()
    memory.add_member("bob")
    bob = memory.within(user="bob")
    kept = [memory.remember(f"common {number}") for number in range(5)]
    said = memory.record("common talk", stream="talk")
    page = bob.list(limit=2)
    talk = bob.read("talk")
    assert len(bob.recall("common", limit=50)) == 6
    exporting = iter(bob.export("json"))
    next(exporting)

    memory.remove_member("bob")

    assert bob.list(limit=2, cursor=page.next_cursor).items == ()
    assert bob.recall("common", limit=50).found == ()
    assert bob.stats()["memories"] == {}
    assert "common" not in "".join(exporting)
    for item in kept:
        with pytest.raises(NotFound):
            bob.get(item.id)
    with pytest.raises(NotFound):
        bob.read("talk", cursor=talk.next_cursor)
    with pytest.raises(NotFound):
        bob.window(said.id)
    memory.add_member("bob", "reader")
    assert len(bob.recall("common", limit=50)) == 6


def test_team_named_nothing_is_not_everybodys_team(stores: StoreMaker) -> None:
    """A viewer without teams must not match a memory whose team is empty."""
    memory = stores.open()
    with pytest.raises(InvalidInput):
        memory.within(space="odd", team="")
    with pytest.raises(InvalidInput):
        memory.remember("common", visibility="team", team="")
    stranger = memory.within(user="eve")
    kept = memory.remember("common", visibility="team", team="red")
    assert stranger.list().items == ()
    with pytest.raises(NotFound):
        stranger.get(kept.id)
    teammate = memory.within(user="eve", teams=["red"])
    assert teammate.get(kept.id) == kept
