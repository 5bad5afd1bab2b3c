"""Vectors of two models never meet; a change of model is made good behind the searches."""

from collections.abc import Sequence
from datetime import timedelta

import pytest

from recollect.engine import Recollect
from recollect.memories.inserter import embedded_text
from recollect.vocabulary.events import NewEvent
from tests.contracts.oracle import Library, Text, check, exact
from tests.embedders import RemoteEmbedder, Vectors, WordEmbedder
from tests.stores import StoreMaker

TEXTS = (
    "alpha beta alpha beta",
    "beta gamma beta gamma",
    "gamma delta gamma delta",
    "delta alpha delta alpha",
    "alpha alpha beta gamma",
)
OLD, NEW = WordEmbedder("old"), WordEmbedder("new")


def fill(view: Recollect, embedder: WordEmbedder) -> Library:
    library = Library(embedder)
    for text in TEXTS:
        kept = view.remember(text, repeats="keep")
        library.texts[kept.id] = Text("memory", text, embedded_text(kept))
        library.texts[view.record(text).id] = Text("event", text, text)
    return library


def test_each_model_is_asked_with_its_own_vectors(stores: StoreMaker) -> None:
    address = stores.ready()
    old = stores.open(address, embedder=OLD)
    library = fill(old, OLD)
    check(
        old.recall("alpha gamma", limit=50, profile="plain"),
        library.scores("alpha gamma", library.texts),
    )

    new = stores.open(address, embedder=NEW)
    for text in library.texts.values():
        text.embedded = False
    theirs = Library(NEW)
    theirs.texts = library.texts
    check(
        new.recall("alpha gamma", limit=50, profile="plain"),
        theirs.scores("alpha gamma", theirs.texts),
    )
    assert all(hit.vector_score is None for hit in new.recall("alpha gamma"))


def test_switch_re_embeds_in_the_background_while_search_goes_on(stores: StoreMaker) -> None:
    address = stores.ready()
    old = stores.open(address, embedder=OLD)
    library = fill(old, OLD)
    answer = old.recall("alpha gamma", limit=50)

    new = stores.open(address, embedder=NEW)
    assert new.health().without_vector == 10
    assert {hit.id for hit in new.recall("alpha", limit=50, profile="plain")} == {
        hit.id for hit in old.recall("alpha", limit=50) if hit.keyword_score
    }
    new.work()

    theirs = Library(NEW)
    theirs.texts = library.texts
    assert new.health().without_vector == 0
    check(
        new.recall("alpha gamma", limit=50, profile="plain"),
        theirs.scores("alpha gamma", theirs.texts),
    )
    assert exact(old.recall("alpha gamma", limit=50)) == exact(answer), "the old one answers too"
    assert new.stats()["vectors"] == {"old": 10, "new": 10}


@pytest.mark.parametrize("dims", [16, 96])
def test_models_of_other_lengths_live_side_by_side(stores: StoreMaker, dims: int) -> None:
    address = stores.ready()
    library = fill(stores.open(address, embedder=OLD), OLD)
    other = WordEmbedder("other", dims)
    view = stores.open(address, embedder=other)
    view.work()
    theirs = Library(other)
    theirs.texts = library.texts
    check(
        view.recall("beta delta", limit=50, profile="plain"),
        theirs.scores("beta delta", theirs.texts),
    )


def test_codes_of_another_model_lead_nobody_astray(stores: StoreMaker) -> None:
    """To the old model everything is what the question means; only the new one must be heard."""

    class Deluded(WordEmbedder):
        def embed(self, texts: Sequence[str]) -> Vectors:
            return NEW.embed(["alpha"] * len(texts))

    address = stores.ready()
    old = stores.open(address, embedder=Deluded("old"))
    old.record_many([NewEvent(f"filler of the number {number}") for number in range(300)])
    meant = old.record("alpha alpha alpha alpha")
    new = stores.open(address, embedder=NEW)
    new.work()
    (hit,) = new.recall("alpha", limit=1)
    assert (hit.id, hit.vector_rank) == (meant.id, 1)


def test_from_words_alone_to_vectors_and_back(stores: StoreMaker) -> None:
    address = stores.ready()
    plain = stores.open(address, embedder=None)
    library = fill(plain, NEW)
    view = stores.open(address, embedder=NEW)
    view.work()
    check(
        view.recall("alpha beta", limit=50, profile="plain"),
        library.scores("alpha beta", library.texts),
    )
    again = stores.open(address, embedder=None)
    words = Library(None)
    words.texts = library.texts
    check(
        again.recall("alpha beta", limit=50, profile="plain"),
        words.scores("alpha beta", words.texts),
    )


def test_every_space_is_re_embedded(stores: StoreMaker) -> None:
    address = stores.ready()
    old = stores.open(address, embedder=OLD)
    for name in ("one", "two"):
        old.within(space=name).remember("alpha")
    new = stores.open(address, embedder=NEW)
    new.work()
    for name in ("one", "two"):
        (hit,) = new.within(space=name).recall("alpha")
        assert hit.vector_rank == 1


def test_switch_to_a_remote_model_survives_its_outage(stores: StoreMaker) -> None:
    address = stores.ready()
    fill(stores.open(address, embedder=OLD), OLD)
    remote = RemoteEmbedder("new", down=True)
    view = stores.open(address, embedder=remote)
    for _ in range(5):
        view.work()
        stores.clock.move(timedelta(hours=1))
    assert view.health().without_vector == 10
    assert len(view.recall("alpha", limit=50, profile="plain")) == 6
    remote.down = False
    for _ in range(5):
        view.work()
        stores.clock.move(timedelta(hours=2))
    assert view.health().without_vector == 0
    assert all(hit.vector_score is not None for hit in view.recall("alpha", limit=50))


def test_what_is_written_under_the_old_model_meanwhile_is_embedded_too(
    stores: StoreMaker,
) -> None:
    address = stores.ready()
    old = stores.open(address, embedder=OLD)
    old.remember("alpha one")
    new = stores.open(address, embedder=NEW)
    old.remember("alpha two")
    new.work()
    assert [hit.vector_score is not None for hit in new.recall("alpha")] == [True, True]


def test_vectors_that_are_made_are_kept_when_the_rest_of_them_fails(
    stores: StoreMaker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("recollect.memories.embedding_jobs._BATCH", 2)
    embedder = RemoteEmbedder()
    view = stores.open(embedder=embedder)
    view.record_many([NewEvent(text) for text in TEXTS])
    embed = embedder.embed

    def cut_in_the_middle(texts: Sequence[str]) -> Vectors:
        embedder.down = len(embedder.asked) >= 2
        return embed(texts)

    monkeypatch.setattr(embedder, "embed", cut_in_the_middle)
    view.work()
    assert view.stats()["vectors"] == {"remote": 2}
