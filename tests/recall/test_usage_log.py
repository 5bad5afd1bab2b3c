"""What was served is counted and logged, in batches, and no recall writes."""

import threading
from collections.abc import Callable
from datetime import timedelta

import pytest

from recollect.engine import Recollect
from recollect.recall import usage_batches, usage_log
from recollect.recall.usage_log import UsageLog
from recollect.recall.usage_reader import UsageReader
from recollect.storage.database import Database, Transaction
from recollect.storage.search.usage_log import Use
from recollect.storage.writer_lock import has_lock_timeout
from recollect.vocabulary.audiences import Viewer, client_name
from recollect.vocabulary.errors import (
    InvalidInput,
    RetrievalNotFound,
    SecretRefused,
    StoreBusy,
)
from recollect.vocabulary.memory import Memory
from recollect.vocabulary.results import Recalled
from recollect.vocabulary.retrievals import Verdict
from recollect.vocabulary.spaces import Space, SpaceKind
from recollect.vocabulary.uses import Channel, Usage, UseCounts
from tests.clocks import TickingClock
from tests.contracts.state import changed, state_of
from tests.stores import StoreMaker


def counts_of(memory: Recollect, memory_id: str) -> tuple[int, int]:
    found = next(one for one in memory.list().items if one.id == memory_id)
    return found.counts.access, found.counts.retrieval


def test_recall_itself_writes_nothing(stores: StoreMaker) -> None:
    address = stores.ready()
    memory = stores.open(address)
    kept = memory.remember("alpha beta")
    database = stores.database(address)
    before = state_of(database)
    for _ in range(5):
        memory.recall("alpha")
        memory.get(kept.id)
    assert changed(before, state_of(database)) == {}
    memory.close()
    assert set(changed(before, state_of(database))) == {
        "daily_counts",
        "memories",
        "retrievals",
        "retrieval_items",
        "use_ledger",
    }


def test_counts_and_log_survive_a_close(stores: StoreMaker) -> None:
    address = stores.ready()
    memory = stores.open(address)
    served = memory.remember("alpha beta", type="gotcha")
    other = memory.remember("gamma delta")
    said = memory.record("alpha once more")
    answer = memory.recall("alpha", phase="implement")
    memory.recall("alpha", explicit=False)
    memory.get(served.id)
    memory.get(served.id, explicit=False)
    memory.close()

    again = stores.open(address)
    assert counts_of(again, served.id) == (3, 2)
    assert counts_of(again, other.id) == (0, 0)
    logged = again.retrievals().items
    assert [(one.id, one.query, one.user) for one in logged] == [(answer.id, "alpha", "ada")]
    assert (logged[0].profile, logged[0].phase) == ("agent", "implement")
    assert {one.id: (one.kind, one.score) for one in logged[0].served} == {
        hit.id: (hit.kind, hit.score) for hit in answer
    }
    assert {one.id for one in logged[0].served} == {served.id, said.id}


def test_the_log_names_the_program_and_is_narrowed_by_it(stores: StoreMaker) -> None:
    memory = stores.open()
    memory.remember("alpha beta")
    agent, other = memory.within(client="mcp/claude-code"), memory.within(client="mcp_x")
    memory.recall("alpha")
    agent.recall("beta")
    agent.within(space=memory.space.name).research("beta?")
    other.recall("gamma")
    assert [(one.query, one.client) for one in memory.retrievals().items] == [
        ("gamma", "mcp_x"),
        ("beta?", "mcp/claude-code"),
        ("beta", "mcp/claude-code"),
        ("alpha", "python"),
    ]
    for client, found in (("mcp", ["beta?", "beta"]), ("mcp_x", ["gamma"]), ("%", [])):
        assert [one.query for one in memory.retrievals(client=client).items] == found
    assert agent.viewer == memory.viewer  # what a program is called decides nothing
    assert client_name("mcp", "Visual  Studio\u202e<b>Code") == "mcp/Visual StudiobCode"
    assert client_name("rest", "\x00") == "rest"


def test_an_answer_of_personal_memory_is_in_the_log(stores: StoreMaker) -> None:
    memory = stores.open()
    kept = memory.chat.hear("My sister Ana lives in Porto.").statements[0].entry
    assert kept is not None
    answer = memory.chat.ask("Where does my sister live?")
    assert answer.id is not None
    memory.chat.ask("Where does my sister live?", explicit=False)
    memory.chat.ask("Who repairs the coffee machine?")  # not known: nothing was given
    (logged,) = memory.retrievals().items
    assert (logged.id, logged.query, logged.profile) == (
        answer.id,
        "Where does my sister live?",
        "answer",
    )
    assert [one.id for one in logged.served] == [kept.id]
    memory.feedback(answer.id, "cited", items=kept.id)
    assert memory.list().items[0].counts.citation == 1


def test_one_question_put_to_several_rooms_is_no_gap_when_one_answers(stores: StoreMaker) -> None:
    memory = stores.open()
    memory.chat.hear("My sister Ana lives in Porto.")
    for question in ("Where does my sister live?", "Who repairs the coffee machine?"):
        memory.research(question)
        memory.chat.ask(question)
        memory.recall(question, kinds=("event",), streams=["nowhere"])
    assert memory.workspace.gaps() == ()  # asked once, however many looked
    memory.research("Who repairs the coffee machine?")
    assert [(one.query, one.asked) for one in memory.workspace.gaps()] == [
        ("Who repairs the coffee machine?", 2)
    ]


def test_a_change_of_a_memory_keeps_its_counts(stores: StoreMaker) -> None:
    memory = stores.open()
    kept = memory.remember("alpha beta")
    stale = memory.get(kept.id)
    memory.recall("alpha")
    memory.retrievals()  # writes what was noted
    assert isinstance(stale, Memory)
    memory.update(kept.id, content="alpha gamma", revision=stale.revision)
    assert counts_of(memory, kept.id) == (2, 1)


def test_feedback_is_kept_with_its_question_and_counted(memory: Recollect) -> None:
    first, second = memory.remember("alpha one"), memory.remember("alpha two")
    answer = memory.recall("alpha")
    assert answer.id is not None
    memory.feedback(answer.id, "cited", items=first.id)
    memory.feedback(answer.id, "ignored", items=[second.id])
    said = memory.feedback(answer.id, "helpful", note="just what I wanted")
    kept = memory.retrievals().items[0]
    assert kept == said
    assert [(one.verdict, one.item, one.note) for one in kept.feedback] == [
        (Verdict.CITED, first.id, None),
        (Verdict.IGNORED, second.id, None),
        (Verdict.HELPFUL, None, "just what I wanted"),
    ]
    found = {one.id: one.counts for one in memory.list().items}
    assert (found[first.id].citation, found[first.id].ignore) == (1, 0)
    assert (found[second.id].citation, found[second.id].ignore) == (0, 1)


def test_feedback_that_cannot_be_taken_changes_nothing(memory: Recollect) -> None:
    other = memory.remember("gamma")
    memory.remember("alpha")
    answer = memory.recall("alpha")
    assert answer.id is not None
    before = memory.retrievals().items
    for verdict, items in (("fine", ()), ("cited", ()), ("wrong", (other.id,))):
        with pytest.raises(InvalidInput):
            memory.feedback(answer.id, verdict, items=items)
    with pytest.raises(RetrievalNotFound):
        memory.feedback("ret_nobody", "helpful")
    assert memory.retrievals().items == before


def test_log_is_the_asker_s_own(memory: Recollect) -> None:
    memory.remember("alpha", visibility="project")
    memory.add_member("bob", "owner")
    bob = memory.within(user="bob")
    mine, theirs = memory.recall("alpha"), bob.recall("alpha beta")
    assert mine.id is not None
    assert [one.query for one in memory.retrievals().items] == ["alpha"]
    assert [one.query for one in bob.retrievals().items] == ["alpha beta"]
    with pytest.raises(RetrievalNotFound):
        bob.feedback(mine.id, "wrong")
    stranger = memory.within(user="mallory")
    assert stranger.retrievals().items == ()
    assert theirs.id not in {one.id for one in memory.retrievals().items}


@pytest.mark.parametrize("backend", ["postgresql"], indirect=True)
def test_wall_shows_no_row_of_another(stores: StoreMaker) -> None:
    """Even where a statement forgets the filter; a file has no wall."""
    from sqlalchemy import select

    from recollect.storage.access.visibility_filter import enter
    from recollect.storage.schema import retrieval_feedback, retrieval_items, retrievals

    memory = stores.open()
    memory.add_member("bob")
    memory.remember("alpha")
    answer = memory.recall("alpha")
    assert answer.id is not None
    memory.feedback(answer.id, "helpful")
    database = Database(memory._services.recall._database.address)
    for user, shown in (("ada", 1), ("bob", 0)):
        with database.reading() as transaction:
            enter(transaction, memory.space.id, Viewer(user))
            for table in (retrievals, retrieval_items, retrieval_feedback):
                assert len(transaction.execute(select(table)).all()) == shown, (user, table.name)
    database.close()


def test_pages_of_the_log(memory: Recollect) -> None:
    asked = [memory.recall(f"alpha {number}").id for number in range(5)]
    found: list[str] = []
    cursor: str | None = None
    while True:
        page = memory.retrievals(cursor=cursor, limit=2)
        found += [one.id for one in page.items]
        cursor = page.next_cursor
        if cursor is None:
            break
    assert found == asked[::-1]


def test_log_is_forgotten_after_ninety_days(stores: StoreMaker, clock: TickingClock) -> None:
    memory = stores.open()
    memory.remember("alpha")
    old = memory.recall("alpha")
    assert old.id is not None
    memory.feedback(old.id, "helpful")
    clock.move(timedelta(days=60))
    young = memory.recall("alpha")
    memory.retrievals()
    clock.move(timedelta(days=31))
    memory.work(5)
    assert [one.id for one in memory.retrievals().items] == [young.id]


def test_log_can_be_switched_off(stores: StoreMaker) -> None:
    memory = stores.open(settings={"question_log": "off"})
    kept = memory.remember("alpha")
    assert memory.recall("alpha").id is None
    assert memory.retrievals().items == ()
    assert counts_of(memory, kept.id) == (1, 1)


def test_no_secret_is_kept_in_the_log(memory: Recollect) -> None:
    secret = "ghp_" + "a1B2c3D4e5F6" * 3
    memory.remember("alpha")
    answer = memory.recall(f"where is {secret} used?")
    assert answer.id is not None
    asked = memory.retrievals().items[0].query
    assert secret not in asked
    assert asked.startswith("where is ")
    with pytest.raises(SecretRefused):
        memory.feedback(answer.id, "helpful", note=f"it is {secret}")
    assert memory.retrievals().items[0].feedback == ()


# --- When notes are written -----------------------------------------------------------------------


class Recorder:
    """A database that only counts writes, and can refuse them."""

    read_only = False

    def __init__(self) -> None:
        self.written = threading.Event()
        self.refuse = False
        self.writes = 0
        self.hurries: list[bool] = []

    def write(self, work: object, *, all_spaces: bool = False) -> None:
        self.hurries.append(has_lock_timeout())
        if self.refuse:
            raise StoreBusy("others hold it")
        self.writes += 1
        self.written.set()


def noting(recorder: Recorder, **options: float) -> UsageLog:
    made: UsageLog = UsageLog(recorder, TickingClock(), **options)  # type: ignore[arg-type]
    return made


def test_closing_does_not_wait_for_whoever_holds_the_store() -> None:
    recorder = Recorder()
    noted = noting(recorder)
    ask(noted)
    noted.close()
    assert recorder.hurries == [True]


SPACE = Space("spc_1", "one", SpaceKind.PROJECT, None, None, TickingClock()())


def ask(noted: UsageLog) -> None:
    noted.answered(Viewer("ada"), SPACE, Recalled("alpha", ()), explicit=True, phase=None)


def test_enough_notes_are_written_at_once() -> None:
    recorder = Recorder()
    noted = noting(recorder, enough=3, patience=3_600.0)
    ask(noted)
    ask(noted)
    assert recorder.writes == 0
    ask(noted)
    assert recorder.written.wait(120)
    noted.close()
    assert recorder.writes == 1


def test_old_notes_are_written_though_few() -> None:
    recorder = Recorder()
    noted = noting(recorder, enough=1_000, patience=0.01)
    ask(noted)
    assert recorder.written.wait(120)
    noted.close()


def test_counts_wait_longer_than_the_log() -> None:
    recorder = Recorder()
    noted = noting(recorder, enough=2, patience=3_600.0)
    noted.opened(SPACE, "mem_1")
    ask(noted)
    assert recorder.written.wait(120)  # the log
    assert noted._uses[("spc_1", "mem_1")].opened == 1
    noted.opened(SPACE, "mem_1")
    assert noted.flush() == 1  # asked for, everything is written
    assert noted._uses == {}
    noted.close()
    assert recorder.writes == 2


def test_old_counts_are_written_though_nobody_asks_any_more() -> None:
    recorder = Recorder()
    noted = noting(recorder, patience=3_600.0, patience_for_counts=0.01)
    noted.opened(SPACE, "mem_1")
    assert recorder.written.wait(120)
    noted.close()
    assert noted._uses == {}


def test_refused_notes_wait_and_are_not_lost() -> None:
    recorder = Recorder()
    noted = noting(recorder, patience=3_600.0)
    recorder.refuse = True
    ask(noted)
    noted.opened(SPACE, "mem_1")
    assert noted.flush() == 0
    noted.opened(SPACE, "mem_1")
    assert noted._uses[("spc_1", "mem_1")] == Use(2, 0, noted._uses[("spc_1", "mem_1")].last)
    recorder.refuse = False
    assert noted.flush() == 3
    noted.close()
    assert recorder.writes == 1


def test_many_notes_are_written_in_portions_and_each_is_counted_once(
    stores: StoreMaker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(usage_batches, "PORTION", 2)
    address = stores.ready()
    memory = stores.open(address)
    kept = [memory.remember(f"alpha {name}") for name in ("one", "two", "three", "four", "five")]
    database = stores.database(address)
    noted = UsageLog(database, TickingClock(), patience=3_600.0)
    write, left = database.write, 2

    def refuse_the_third(
        work: Callable[[Transaction], object], *, all_spaces: bool = False
    ) -> object:
        nonlocal left
        left -= 1
        if left < 0:
            raise StoreBusy("others hold it")
        return write(work, all_spaces=all_spaces)

    monkeypatch.setattr(database, "write", refuse_the_third)
    for one in kept:
        noted.opened(memory.space, one.id)
    noted.answered(memory.viewer, memory.space, Recalled("alpha", ()), explicit=True, phase=None)
    assert noted.flush() == 0
    assert len(noted._uses) == 1, "what was written before is not written again"
    left = 100
    assert noted.flush() == 6
    noted.close()
    assert [counts_of(memory, one.id) for one in kept] == [(1, 0)] * 5
    assert [one.query for one in memory.retrievals().items] == ["alpha"]


def test_what_is_held_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(usage_log, "MAX_HELD", 5)
    recorder = Recorder()
    recorder.refuse = True
    noted = noting(recorder, enough=10_000, patience=3_600.0)
    for _ in range(9):
        ask(noted)
        noted.flush()
    assert len(noted._log) == 5
    noted.close()


def served(noted: UsageLog, *memory_ids: str) -> None:
    noted.used(SPACE, memory_ids, Channel.RECALL, Usage.SERVED)


def test_what_was_served_waits_with_the_counts_and_the_rest_goes_with_the_log() -> None:
    noted = noting(Recorder(), patience=3_600.0)
    served(noted, "mem_1", "mem_2")
    now = TickingClock()()
    first = noted.ledger.take(now, counts=False)
    assert first is not None
    assert first.uses == {}
    assert first.used == {("spc_1", "mem_1"), ("spc_1", "mem_2")}
    assert noted.ledger.take(now, counts=False) is None
    noted.used(SPACE, ["mem_1"], Channel.RECALL, Usage.CITED)
    urgent = noted.ledger.take(now, counts=False)
    assert urgent is not None
    assert urgent.uses["spc_1", "mem_1", "recall"] == UseCounts(served=1, cited=1)
    assert urgent.uses["spc_1", "mem_2", "recall"] == UseCounts(served=1)
    served(noted, "mem_2")
    counted = noted.ledger.take(now, counts=True)
    assert counted is not None
    assert counted.uses == {("spc_1", "mem_2", "recall"): UseCounts(served=1)}
    noted.ledger.take_back(urgent)
    again = noted.ledger.take(now, counts=False)
    assert again == urgent
    noted.close()


def test_a_ledger_is_written_in_portions_and_each_use_is_counted_once(
    stores: StoreMaker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(usage_batches, "PORTION", 2)
    address = stores.ready()
    memory = stores.open(address)
    kept = [memory.remember(f"alpha {name}") for name in ("one", "two", "three", "four", "five")]
    database = stores.database(address)
    noted = UsageLog(database, TickingClock(), patience=3_600.0)
    write, left = database.write, 5

    def refuse_the_last(
        work: Callable[[Transaction], object], *, all_spaces: bool = False
    ) -> object:
        nonlocal left
        left -= 1
        if left < 0:
            raise StoreBusy("others hold it")
        return write(work, all_spaces=all_spaces)

    monkeypatch.setattr(database, "write", refuse_the_last)
    noted.used(memory.space, [one.id for one in kept], Channel.RECALL, Usage.SERVED)
    assert noted.flush() == 0
    assert len(noted.ledger) == 1, "what was written before is not written again"
    left = 100
    noted.flush()
    noted.close()
    reader = UsageReader(database, noted, TickingClock())
    uses = [reader.uses(memory.viewer, memory.space, one.id) for one in kept]
    assert uses == [{"recall": UseCounts(served=1)}] * 5
