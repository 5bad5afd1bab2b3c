"""A warm index answers as one that was read from the rows a moment ago, whatever happened before.

Memories come, change, are put away, brought back, superseded and erased; events come and go.
"""

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from recollect.engine import Recollect
from recollect.recall.profiles import PROFILES
from recollect.vocabulary.results import Recalled
from tests.stores import StoreMaker

WORDS = st.lists(st.sampled_from(("alpha", "beta", "gamma", "delta")), min_size=1, max_size=3)
TEXTS = WORDS.map(" ".join)
TYPES = st.sampled_from(["fact", "gotcha", "decision"])
ACTIONS = ("remember", "remember", "change", "retype", "forget", "restore", "supersede", "erase")


def exact(answer: Recalled) -> list[Any]:
    return [(hit.id, hit.score, hit.keyword_score, hit.vector_score) for hit in answer]


def act(view: Recollect, action: str, kept: list[str], data: st.DataObject) -> None:
    """One thing that may happen to a store."""
    text = data.draw(TEXTS)
    if action == "remember" or not kept:
        kept.append(view.remember(text, type=data.draw(TYPES), files=["a.py"]).id)
        return
    chosen = data.draw(st.sampled_from(kept))
    if action == "change":
        view.update(chosen, content=text)
    elif action == "retype":
        view.update(chosen, type=data.draw(TYPES))
    elif action == "forget":
        view.forget(chosen)
    elif action == "restore":
        view.restore(chosen)
    elif action == "erase":
        view.forget(chosen, for_good=True)
        kept.remove(chosen)
    elif view.get(chosen).superseded_by is None:  # type: ignore[union-attr]
        kept.append(view.supersede(chosen, text).id)


@settings(max_examples=12)
@given(data=st.data())
def test_warm_index_equals_a_full_read(stores: StoreMaker, data: st.DataObject) -> None:
    known: tuple[str, Recollect] | None = getattr(stores, "warm", None)
    if known is None:
        address = stores.ready()
        known = address, stores.open(address)
        stores.warm = known  # type: ignore[attr-defined]
    address, warm = known
    view = warm.within(space=f"case {len(warm.spaces())}")
    kept: list[str] = []
    for _ in range(data.draw(st.integers(1, 8))):
        act(view, data.draw(st.sampled_from(ACTIONS)), kept, data)
        if data.draw(st.booleans()):
            view.recall(data.draw(TEXTS), explicit=False)
    view.retrievals()  # what was served is counted, for both to see
    fresh = stores.open(address)
    again = fresh.within(space=view.space.name)
    query, profile = data.draw(TEXTS), data.draw(st.sampled_from(sorted(PROFILES)))
    now = stores.clock.now
    ours = exact(view.recall(query, limit=50, profile=profile, explicit=False))
    stores.clock.now = now
    assert ours == exact(again.recall(query, limit=50, profile=profile, explicit=False))
    fresh.close()
