"""Nobody is told, by any verb of the workspace or of research, what they may not read; counts too.

A private stream holds words that occur nowhere else. Every verb is asked by every kind of reader:
the owner who may read it, a member who is listed, one who is not, one who was, a reader, a steward,
a stranger, and somebody of the same organisation. Who may not read the stream must be told exactly
what they are told in a twin space that never had it.
"""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest

from recollect.engine import Recollect
from recollect.vocabulary.errors import NotAllowed, NotFound
from recollect.vocabulary.workspace import MemoChanges
from tests.stores import StoreMaker
from tests.workspace.private_stream import MAY, QUESTION, READERS, SECRET, Place

Verb = Callable[[Recollect, list[str], list[str]], Any]
FROM_THE_BEGINNING = MemoChanges(-1, datetime(2000, 1, 1, tzinfo=UTC))

VERBS: dict[str, Verb] = {
    "memos": lambda view, _memos, _events: view.workspace.memos(),
    "archived": lambda view, _memos, _events: view.workspace.memos(archived=True),
    "by topic": lambda view, _memos, _events: view.workspace.memos(topic=SECRET),
    "search_memos": lambda view, _memos, _events: view.workspace.search_memos(QUESTION),
    "search common": lambda view, _memos, _events: view.workspace.search_memos("deploy billing"),
    "topics": lambda view, _memos, _events: view.workspace.topics(),
    "overview": lambda view, _memos, _events: view.workspace.overview(),
    "suggest": lambda view, _memos, _events: view.workspace.suggest(QUESTION),
    "experts": lambda view, _memos, _events: view.workspace.experts("trust holdings"),
    "experts_by_topic": lambda view, _memos, _events: view.workspace.experts_by_topic(),
    "gaps": lambda view, _memos, _events: view.workspace.gaps(),
    "related": lambda view, _memos, events: view.workspace.related(events[0]),
    "changes": lambda view, _memos, _events: view.workspace.changes(FROM_THE_BEGINNING),
    "plan_research": lambda view, _memos, _events: view.plan_research(QUESTION),
    "researches": lambda view, _memos, _events: view.researches(),
}
OF_ONE: dict[str, Verb] = {
    "memo": lambda view, memos, _events: view.workspace.memo(memos[-1]),
    "update_memo": lambda view, memos, _events: view.workspace.update_memo(memos[-1], summary="x"),
    "rate_memo": lambda view, memos, _events: view.workspace.rate_memo(memos[-1], helpful=True),
    "archive_memo": lambda view, memos, _events: view.workspace.archive_memo(memos[-1]),
    "restore_memo": lambda view, memos, _events: view.workspace.restore_memo(memos[-1]),
    "save": lambda view, _memos, events: view.workspace.save(events[-1]),
    "save_answer": lambda view, _memos, events: view.workspace.save_answer(
        "what?", "that", [events[-1]]
    ),
    "conversation": lambda view, _memos, events: view.workspace.conversation(events[-1]),
    "related": lambda view, _memos, events: view.workspace.related(events[-1]),
    "stream": lambda view, _memos, _events: view.workspace.stream("board"),
    "set_purpose": lambda view, _memos, _events: view.workspace.set_purpose("board", "x"),
}


def told(verb: Verb, view: Recollect, place: Place) -> str:
    """What a verb tells, with ids that no two spaces share taken out."""
    try:
        answer = verb(view, place.memos, place.events)
    except (NotFound, NotAllowed) as error:
        return type(error).__name__
    return without_ids(repr(answer), place)


def without_ids(text: str, place: Place) -> str:
    for number, known in enumerate((*place.memos, *place.events)):
        text = text.replace(known, f"<{number}>")
    return text


Places = tuple[Place, Place]


@pytest.fixture(scope="module")
def places(lasting_stores: StoreMaker) -> Places:
    memory = lasting_stores.open(lasting_stores.ready())
    return Place(memory, "with", private=True), Place(memory, "without", private=False)


HIDDEN_FROM = [one for one in READERS if one not in MAY]


def test_no_verb_tells_of_a_stream_that_may_not_be_read(places: Places) -> None:
    place, _ = places
    for user in HIDDEN_FROM:
        for name, verb in VERBS.items():
            text = told(verb, place.view(user), place)
            assert SECRET not in text.replace(f"topic={SECRET!r}", ""), (user, name)
            assert "June" not in text, (user, name)


def counts(view: Any) -> Any:
    overview = view.overview()
    return {
        "memos": len(view.memos().items),
        "found": [round(hit.score, 4) for hit in view.search_memos("deploy billing")],
        "topics": [(one.name, one.memos) for one in view.topics()],
        "experts": [
            (one.user, one.answered, one.reactions, one.cited)
            for one in view.experts("deploy billing")
        ],
        "overview": (len(overview.recent), list(overview.by_topic), len(overview.gaps)),
        "by topic": {
            topic: [one.user for one in some] for topic, some in view.experts_by_topic().items()
        },
    }


def test_what_is_hidden_is_as_if_it_were_not_there(places: Places) -> None:
    with_it, without = places
    for user in HIDDEN_FROM:
        assert counts(with_it.view(user).workspace) == counts(without.view(user).workspace), user


def test_a_hidden_thing_is_answered_like_one_that_is_not_there(places: Places) -> None:
    place, _ = places
    for user in HIDDEN_FROM:
        for verb in OF_ONE.values():
            with pytest.raises((NotFound, NotAllowed)) as refusal:
                verb(place.view(user), place.memos, place.events)
            assert SECRET not in str(refusal.value)


def test_who_may_read_it_finds_it(places: Places) -> None:
    place, _ = places
    for user in sorted(MAY):
        view = place.view(user).workspace
        assert len(view.memos().items) == 3
        assert view.search_memos(f"When is {SECRET} bought?")[0].score > 0.9
        assert SECRET in repr(view.experts(f"{SECRET} holdings"))
        assert SECRET in {one.name for one in view.topics()}


def test_research_rests_on_nothing_that_its_asker_may_not_read(stores: StoreMaker) -> None:
    """Not on events, not on memos that point at them, and not on what others had answered."""
    memory = stores.open(stores.ready(), embedder="static")
    with_it = Place(memory, "with", private=True)
    without = Place(memory, "without", private=False)
    kept = with_it.view("lis").research(QUESTION)
    assert SECRET in kept.text
    assert kept.memo_hits == (with_it.memos[1],)  # the memo of that conversation answers
    assert kept.id is not None
    assert SECRET in with_it.view("ada").research("When do the trust's holdings close?").text

    for user in HIDDEN_FROM:
        view, twin = with_it.view(user), without.view(user)
        answers = []
        for place, asked in ((with_it, view), (without, twin)):
            steps = list(asked.researching(QUESTION))
            assert SECRET not in repr(steps)
            answer = steps[-1].answer
            assert answer is not None
            assert {one.event_id for one in answer.citations} <= set(place.events[:2])
            answers.append((without_ids(answer.text, place), answer.known, answer.memo_hits))
        assert answers[0] == answers[1], user
        assert {one.question for one in view.researches().items} <= {QUESTION}
        assert kept.id not in repr(view.researches())
        with pytest.raises((NotFound, NotAllowed)):
            view.feedback(kept.id, "helpful")
