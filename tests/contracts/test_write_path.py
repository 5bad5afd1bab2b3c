"""The one write path: a repeat is one memory, whoever tells it, and only what is one is merged."""

import threading

import pytest
from alembic import command
from sqlalchemy import Connection

from recollect.engine import Recollect
from recollect.memories.text_comparison import simhash
from recollect.storage import migrate
from recollect.storage.database import Database
from recollect.storage.memories.rows import bands_of, signed, slot_of, texts_at
from recollect.trust.authorisation import authorise
from recollect.vocabulary.errors import MemoryNotFound, RecollectError
from recollect.vocabulary.memory import Memory
from recollect.vocabulary.memory_types import RelationType
from recollect.vocabulary.personal import Outcome
from tests.stores import StoreMaker

TOLD = "The staging database is reset every night."


def contents(memory: Recollect) -> list[tuple[str, int]]:
    return sorted((one.content, one.times_told) for one in memory.list().items)


def test_told_twice_is_one_memory_that_counts(memory: Recollect) -> None:
    first = memory.remember(TOLD, tags=["staging"], files=["a.py"])
    again = memory.remember(TOLD, tags=["db"], confidence=0.9)

    assert (first.times_told, again.times_told, again.id) == (1, 2, first.id)
    assert contents(memory) == [(TOLD, 2)]
    assert (again.tags, again.files, again.confidence) == (("staging", "db"), ("a.py",), 0.9)
    assert again.importance > first.importance
    assert memory.get(first.id) == again
    _, repeated = memory.history(first.id)
    assert list(repeated.changes["times_told"]) == [1, 2]
    assert [hit.id for hit in memory.recall("staging database")] == [first.id]
    assert [hit.id for hit in memory.recall("staging", tags=["db"])] == [first.id]


def test_a_text_is_compared_only_with_what_its_author_may_read(memory: Recollect) -> None:
    own = memory.remember("Ada's locker has the number 12.", visibility="personal")
    shared = memory.remember(TOLD)
    memory.add_member("bea")
    read: dict[str, list[tuple[str, str]]] = {}
    for one in (memory, memory.within(user="bea")):
        with memory._services.recall._database.reading() as transaction:
            access = authorise(transaction, one.viewer, one.space)
            slots = [slot for each in (own, shared) if (slot := slot_of(transaction, each))]
            read[one.viewer.user] = sorted(texts_at(transaction, access, slots).values())

    assert read["ada"] == sorted([(own.id, own.content), (shared.id, TOLD)])
    assert read["bea"] == [(shared.id, TOLD)]


@pytest.mark.parametrize(
    "other",
    [
        "the staging DATABASE is reset every night",
        "The staging database is reset each night.",
        "Every night the staging database is reset.",
    ],
)
def test_the_same_in_other_words_is_one(memory: Recollect, other: str) -> None:
    memory.remember(TOLD)
    memory.remember(other)
    assert contents(memory) == [(TOLD, 2)]


@pytest.mark.parametrize(
    "other",
    [
        "The staging database is not reset every night.",
        "The production database is reset every night.",
        "The staging database is reset every 2 nights.",
        "Ada resets the staging database every morning.",
    ],
)
def test_what_says_something_else_stays_its_own(memory: Recollect, other: str) -> None:
    memory.remember(TOLD)
    memory.remember(other)
    assert contents(memory) == sorted([(TOLD, 1), (other, 1)])


def test_what_could_not_be_held_by_one_memory_is_kept_apart(memory: Recollect) -> None:
    memory.remember(TOLD, files=["a.py"], type="gotcha")
    memory.remember(TOLD, files=["b.py"], type="gotcha")
    memory.remember(TOLD, visibility="personal", type="gotcha")
    memory.remember(TOLD, type="decision")
    assert contents(memory) == [(TOLD, 1)] * 4
    memory.remember("The port is open.", extras={"key": "port", "value": "8080"})
    memory.remember("The port is open.", extras={"key": "port", "value": "9090"})
    assert len(memory.list().items) == 6


def test_a_plain_fact_that_turns_out_to_be_a_gotcha_is_one(memory: Recollect) -> None:
    memory.remember(TOLD)
    kept = memory.remember(TOLD, type="gotcha")
    memory.remember(TOLD)
    assert contents(memory) == [(TOLD, 3)]
    assert (kept.type.value, kept.times_told) == ("gotcha", 2)


def test_what_came_from_outside_never_counts_as_what_somebody_said(memory: Recollect) -> None:
    memory.remember(TOLD, outside=["web:https://example.org"])
    own = memory.remember(TOLD)
    assert contents(memory) == [(TOLD, 1)] * 2
    assert own.provenance.outside == ()
    assert not own.needs_review


def test_another_member_counts_what_all_may_see_and_nothing_personal(memory: Recollect) -> None:
    memory.add_member("bob")
    bob = memory.within(user="bob")
    shared = memory.remember(TOLD)
    memory.remember("I prefer dark mode.", visibility="personal")

    assert bob.remember(TOLD).id == shared.id
    mine = bob.remember("I prefer dark mode.", visibility="personal")
    assert mine.times_told == 1
    assert contents(memory) == [("I prefer dark mode.", 1), (TOLD, 2)]
    assert [entry.actor for entry in memory.history(shared.id)] == ["ada", "bob"]


def test_a_repeat_does_not_point_readers_at_what_they_may_not_read(memory: Recollect) -> None:
    memory.add_member("bob")
    memory.open_stream("board", access="private")
    said = memory.record(TOLD, stream="board")
    everyone = memory.remember(TOLD)
    mine = memory.remember(TOLD, events=[said.id])

    bob = memory.within(user="bob")
    assert mine.id != everyone.id
    assert [one.id for one in bob.list().items] == [everyone.id]
    with pytest.raises(MemoryNotFound):
        bob.get(mine.id)


def test_archived_and_replaced_memories_count_nothing(memory: Recollect) -> None:
    gone = memory.remember(TOLD)
    memory.forget(gone.id)
    again = memory.remember(TOLD)
    memory.supersede(again.id, "The staging database is never reset.")
    last = memory.remember(TOLD)
    assert len({gone.id, again.id, last.id}) == 3
    assert last.times_told == 1


def test_new_words_are_compared_and_old_ones_no_longer(memory: Recollect) -> None:
    kept = memory.remember(TOLD)
    memory.update(kept.id, content="Tests need Redis on port 6380.")
    assert memory.remember("Tests need Redis on port 6380.").id == kept.id
    assert memory.remember(TOLD).id != kept.id


def test_a_caller_says_what_becomes_of_a_repeat(memory: Recollect) -> None:
    first = memory.remember(TOLD, tags=["red"])
    assert memory.remember(TOLD, repeats="skip") == first
    assert memory.remember(TOLD, repeats="keep").id != first.id
    assert memory.remember(TOLD, tags=["blue"], same_tags=True).times_told == 1
    assert memory.remember(TOLD, tags=["red"], same_tags=True).id == first.id
    with pytest.raises(RecollectError, match="merge, keep, skip"):
        memory.remember(TOLD, repeats="twice")


def test_personal_memory_and_remember_are_one_store(memory: Recollect) -> None:
    told = memory.remember("I prefer window seats.", visibility="personal")
    kept = memory.chat.add("I prefer window seats.")
    assert kept.outcome is Outcome.MERGED
    assert kept.entry is not None
    assert (kept.entry.id, kept.entry.repeat_count) == (told.id, 1)
    assert [entry.id for entry in memory.chat.entries().items] == [told.id]

    added = memory.chat.add("I play the cello on Thursdays.")
    assert added.entry is not None
    again = memory.remember("I play the cello on Thursdays.", visibility="personal")
    assert (again.id, again.times_told) == (added.entry.id, 2)


def test_a_contradiction_is_noted_and_moves_no_confidence(memory: Recollect) -> None:
    old = memory.remember("The API listens on port 8080.")
    new = memory.remember("The API listens on port 9090 now.")
    (arrow,) = memory.relations(new.id)
    assert (arrow.type, arrow.target_id, arrow.automatic) == (
        RelationType.CONFLICTS_WITH,
        old.id,
        True,
    )
    memory.update(new.id, confidence=0.2)
    found = memory.get(old.id)
    assert isinstance(found, Memory)
    assert found.confidence == old.confidence


def test_many_at_once_make_one(stores: StoreMaker) -> None:
    address = stores.ready()
    views = [stores.open(address) for _ in range(4)]
    start = threading.Barrier(len(views))
    failed: list[BaseException] = []

    def tell(view: Recollect) -> None:
        start.wait()
        try:
            for number in range(5):
                view.remember(f"Fact {number}: the harbour closes early.")
        except RecollectError as error:
            failed.append(error)

    threads = [threading.Thread(target=tell, args=(view,)) for view in views]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []
    counted = {one.content: one.times_told for one in views[0].list().items}
    assert counted == {f"Fact {number}: the harbour closes early.": 4 for number in range(5)}


def test_a_store_of_the_version_before_keeps_its_counts(
    stores: StoreMaker, monkeypatch: pytest.MonkeyPatch
) -> None:
    address = stores.empty()
    with monkeypatch.context() as patched:
        upgrade = command.upgrade
        patched.setattr(migrate, "HEAD", "0010")
        patched.setattr(command, "upgrade", lambda config, _: upgrade(config, "0010"))
        old = Database(address)
        old.write(_fill_old_store, all_spaces=True)
        old.close()

    memory = stores.open(address, user="ada", space="old")
    (entry,) = memory.chat.entries().items
    assert (entry.memory.content, entry.repeat_count) == ("I prefer window seats.", 2)
    kept = memory.chat.add("I prefer window seats.")
    assert kept.entry is not None
    assert (kept.entry.id, kept.entry.memory.times_told) == (entry.id, 4)
    assert memory.health().store_problems == []


def _fill_old_store(connection: Connection) -> None:
    """An entry that was told three times, as the schema before had it."""
    hashed = simhash("I prefer window seats.")
    for statement in (
        "INSERT INTO spaces VALUES ('spc_x', 1, 'old', 'personal', NULL, NULL, 1, 100)",
        "INSERT INTO space_members VALUES ('spc_x', 'ada', 'owner', 1)",
        "INSERT INTO audiences (space_id, audience_id, owner, visibility) VALUES"
        " ('spc_x', 1, 'ada', 'personal')",
        "INSERT INTO memories (space_id, memory_id, audience_id, slot, type, content, confidence,"
        " importance, scope, source, created_by, valid_from, pinned, manually_saved, needs_review,"
        " user_verified, disputed, created_at, updated_at, access_count, retrieval_count,"
        " citation_count, ignore_count, revision) VALUES ('spc_x', 'mem_x', 1, 10, 'preference',"
        " 'I prefer window seats.', 0.8, 0.5, 'global', 'user_taught', 'ada', 1, false, false,"
        " false, false, false, 1, 1, 0, 0, 0, 0, 1)",
        "INSERT INTO entries (space_id, memory_id, user_id, simhash, repeat_count,"
        " base_importance, metadata, metadata_confidence, relevance, recency, importance, total,"
        f" scored_at, kept) VALUES ('spc_x', 'mem_x', 'ada', {signed(hashed)}, 2, 0.5, '{{}}', 0.5,"
        " 0, 1, 0.5, 1.5, 1, false)",
        *(
            f"INSERT INTO entry_bands VALUES ('spc_x', 'ada', {band}, {bits}, 'mem_x')"
            for band, bits in enumerate(bands_of(hashed))
        ),
    ):
        connection.exec_driver_sql(statement)
