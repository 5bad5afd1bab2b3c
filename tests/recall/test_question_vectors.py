"""A question's vector for a model that reads whole texts leaves out the names of who spoke."""

import pytest

from recollect.engine import Recollect
from recollect.recall.profiles import MEASURED, PROFILES, SHORT_TURNS, WITH_READING_MODEL
from recollect.recall.question_vectors import without_names
from tests.embedders import RemoteEmbedder
from tests.stores import StoreMaker

QUESTION = "What did Caroline paint with Bert's brushes?"


@pytest.fixture
def embedder() -> RemoteEmbedder:
    return RemoteEmbedder()


@pytest.fixture
def memory(stores: StoreMaker, embedder: RemoteEmbedder) -> Recollect:
    view = stores.open(embedder=embedder)
    view.record("I painted a lake with the brushes.", stream="talk", author="Caroline")
    view.record("Caroline, what a lake!", stream="talk", author="Bert")
    view.work()
    embedder.asked.clear()
    return view


def test_names_are_left_out_of_a_question() -> None:
    names = {"caroline", "bert"}
    assert without_names(QUESTION, names) == "What did paint with brushes?"
    assert without_names("Bertram?", names) == "Bertram?"


def test_the_model_is_asked_without_the_names(memory: Recollect, embedder: RemoteEmbedder) -> None:
    found = memory.recall(QUESTION, kinds="event")
    assert embedder.asked == [QUESTION, "What did paint with brushes?"]
    assert found.found[0].text == "I painted a lake with the brushes."
    memory.recall(QUESTION, kinds="event")
    assert len(embedder.asked) == 2, "the same question is not embedded twice"


def test_a_question_of_names_alone_keeps_them(memory: Recollect, embedder: RemoteEmbedder) -> None:
    memory.recall("Caroline and Bert", kinds="event")
    memory.recall("What did the painter say?", kinds="event")
    assert embedder.asked == ["Caroline and Bert", "What did the painter say?"]


def test_an_outage_between_the_two_leaves_the_first_vector(
    memory: Recollect, embedder: RemoteEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    embed = embedder.embed

    def once(texts: list[str]) -> object:
        embedder.down = bool(embedder.asked)
        return embed(texts)

    monkeypatch.setattr(embedder, "embed", once)
    found = memory.recall(QUESTION, kinds="event")
    assert found.found[0].vector_score is not None
    assert [told for told in found.missing if "with the names" in told]


def test_words_are_aligned_whatever_model_compares_the_texts(memory: Recollect) -> None:
    [first, *_] = memory.recall(QUESTION, kinds="event", explain=True).found
    assert first.why is not None
    assert "alignment" in {part.signal for part in first.why.parts}


def test_weights_follow_the_kind_of_model() -> None:
    agent = PROFILES["agent"]
    other = agent.weights_at(SHORT_TURNS, reading_model=True)
    assert {name for name in MEASURED if other[name] != MEASURED[name]} == set(WITH_READING_MODEL)
    assert other["meaning"] == MEASURED["meaning"] * WITH_READING_MODEL["meaning"]
    assert PROFILES["plain"].weights_at(SHORT_TURNS, reading_model=True) == (
        PROFILES["plain"].weights
    )
