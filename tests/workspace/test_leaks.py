"""Nobody is told, by any verb of the workspace, what they may not read; counts included.

A private stream holds words that occur nowhere else. Every verb is asked by every kind of reader:
the owner who may read it, a member who is listed, one who is not, one who was, a reader, a steward,
a stranger, and somebody of the same organisation. Who may not read the stream must be told exactly
what they are told in a twin space that never had it.
"""

from collections.abc import Callable
from typing import Any

import pytest

from recollect.engine import Recollect
from recollect.vocabulary.errors import NotAllowed, NotFound
from tests.stores import StoreMaker
from tests.workspace.talking import DEPLOY, talk

SECRET = "zanzibar"
PRIVATE = (
    ("ada", f"When do we buy {SECRET} holdings from the trust?"),
    ("lis", f"ada: {SECRET} holdings close in June, the trust signs"),
    ("ada", f"lis: then {SECRET} it is"),
)
READERS = ("ada", "lis", "bob", "was", "rea", "ste", "str", "org")
MAY = {"ada", "lis"}

Verb = Callable[[Recollect, list[str], list[str]], Any]

VERBS: dict[str, Verb] = {
    "memos": lambda view, _memos, _events: view.workspace.memos(),
    "archived": lambda view, _memos, _events: view.workspace.memos(archived=True),
    "by topic": lambda view, _memos, _events: view.workspace.memos(topic=SECRET),
    "search_memos": lambda view, _memos, _events: view.workspace.search_memos(
        f"When do we buy {SECRET} holdings?"
    ),
    "search common": lambda view, _memos, _events: view.workspace.search_memos("deploy billing"),
    "topics": lambda view, _memos, _events: view.workspace.topics(),
    "overview": lambda view, _memos, _events: view.workspace.overview(),
    "suggest": lambda view, _memos, _events: view.workspace.suggest(
        f"when do we buy {SECRET} holdings"
    ),
    "experts": lambda view, _memos, _events: view.workspace.experts(f"{SECRET} holdings"),
    "experts_by_topic": lambda view, _memos, _events: view.workspace.experts_by_topic(),
    "gaps": lambda view, _memos, _events: view.workspace.gaps(),
    "related": lambda view, _memos, events: view.workspace.related(events[0]),
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


class Place:
    """A space with a private stream, or its twin without."""

    def __init__(self, memory: Recollect, name: str, *, private: bool) -> None:
        owner = memory.within(space=name, user="ada", organisation="acme")
        for user, role in (("lis", "member"), ("bob", "member"), ("was", "member")):
            owner.add_member(user, role)
        owner.add_member("rea", "reader")
        owner.add_member("ste", "steward")
        self.events = [
            one.id for one in talk(owner, [("bob", DEPLOY[0][1]), ("lis", DEPLOY[1][1])])
        ]
        self.memos = [owner.workspace.save(self.events[0], topics=["release"]).id]
        if private:
            owner.open_stream("board", access="private")
            owner.admit("board", "lis")
            owner.admit("board", "was")
            said = talk(owner, PRIVATE, stream="board")
            self.events += [one.id for one in said]
            lis = owner.within(user="lis")
            self.memos.append(lis.workspace.save(said[1].id).id)
            made = owner.workspace.save_answer(
                f"When is {SECRET} bought?", "June", [self.events[0], said[1].id]
            )
            assert made is not None
            self.memos.append(made.id)
            owner.dismiss("board", "was")
        self._owner = owner

    def view(self, user: str) -> Recollect:
        """The space as one of the readers sees it."""
        organisations = ("acme",) if user == "org" else ()
        return self._owner.within(user=user, organisations=organisations)


def told(verb: Verb, view: Recollect, place: Place) -> str:
    """What a verb tells, with ids and times that no two spaces share taken out."""
    try:
        answer = verb(view, place.memos, place.events)
    except (NotFound, NotAllowed) as error:
        return type(error).__name__
    text = repr(answer)
    for number, known in enumerate((*place.memos, *place.events)):
        text = text.replace(known, f"<{number}>")
    return text


@pytest.fixture
def places(stores: StoreMaker) -> tuple[Place, Place]:
    memory = stores.open(stores.ready())
    return Place(memory, "with", private=True), Place(memory, "without", private=False)


@pytest.mark.parametrize("user", READERS)
def test_no_verb_tells_of_a_stream_that_may_not_be_read(
    places: tuple[Place, Place], user: str
) -> None:
    place, _ = places
    for name, verb in VERBS.items():
        text = told(verb, place.view(user), place)
        if user not in MAY:
            said = text.replace(f"When do we buy {SECRET} holdings", "").replace(
                f"when do we buy {SECRET} holdings", ""
            )
            assert SECRET not in said, f"{user} is told of it by {name}"
            assert "June" not in text, name


@pytest.mark.parametrize("user", [one for one in READERS if one not in MAY])
def test_what_is_hidden_is_as_if_it_were_not_there(places: tuple[Place, Place], user: str) -> None:
    with_it, without = places
    hidden, absent = with_it.view(user).workspace, without.view(user).workspace

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

    assert counts(hidden) == counts(absent)


@pytest.mark.parametrize("user", [one for one in READERS if one not in MAY])
@pytest.mark.parametrize("name", sorted(OF_ONE))
def test_a_hidden_thing_is_answered_like_one_that_is_not_there(
    places: tuple[Place, Place], user: str, name: str
) -> None:
    place, _ = places
    with pytest.raises((NotFound, NotAllowed)) as refusal:
        OF_ONE[name](place.view(user), place.memos, place.events)
    assert SECRET not in str(refusal.value)


@pytest.mark.parametrize("user", sorted(MAY))
def test_who_may_read_it_finds_it(places: tuple[Place, Place], user: str) -> None:
    place, _ = places
    view = place.view(user).workspace
    assert len(view.memos().items) == 3
    assert view.search_memos(f"When is {SECRET} bought?")[0].score > 0.9
    assert SECRET in repr(view.experts(f"{SECRET} holdings"))
    assert SECRET in {one.name for one in view.topics()}
