"""The steps that a model takes part in: reranking, and imagining an answer. Both can be missing."""

from collections.abc import Sequence

import pytest

from recollect.engine import Recollect
from recollect.recall.hyde import ensemble
from recollect.vocabulary.errors import EmbedderFailed, RerankerFailed
from tests.embedders import RemoteEmbedder, WordEmbedder
from tests.stores import StoreMaker


class Judge:
    """Finds good what its script says, and nothing else."""

    model_id = "judge"

    def __init__(self, *good: str) -> None:
        self.good = good
        self.down = False
        self.asked: list[tuple[str, list[str]]] = []

    def rerank(self, query: str, texts: Sequence[str]) -> list[float]:
        self.asked.append((query, list(texts)))
        if self.down:
            raise RerankerFailed("judge did not answer within 2 s.")
        return [0.9 if text in self.good else 0.1 for text in texts]


def keep(memory: Recollect) -> None:
    for text in ("alpha beta gamma", "alpha beta", "alpha delta", "alpha"):
        memory.remember(text)
    memory.record("alpha is what we said", author="bob")


def test_reranker_decides_among_the_leaders(stores: StoreMaker) -> None:
    judge = Judge("alpha delta")
    memory = stores.open(reranker=judge)
    keep(memory)
    answer = memory.recall("alpha beta gamma", explain=True, limit=3)
    assert answer.found[0].text == "alpha delta"
    assert "reranked by judge" in answer.notes
    why = answer.found[0].why
    assert why is not None
    assert "rerank" in {part.signal for part in why.parts}
    for hit in answer:
        assert hit.why is not None
        assert sum(part.share for part in hit.why.parts) == pytest.approx(hit.why.relevance)
    query, texts = judge.asked[0]
    assert query == "alpha beta gamma"
    assert set(texts) >= {"alpha", "alpha is what we said"}


def test_failing_reranker_changes_nothing_and_is_named(stores: StoreMaker) -> None:
    address = stores.ready()
    judge = Judge("alpha delta")
    judge.down = True
    memory = stores.open(address, reranker=judge)
    keep(memory)
    plain = stores.open(address, reranker=None)
    without = plain.recall("alpha beta", explicit=False)
    with_it = memory.recall("alpha beta", explicit=False)
    assert [hit.id for hit in with_it] == [hit.id for hit in without]
    assert any("judge did not answer" in words for words in with_it.missing)
    assert without.missing == ()


def test_reranker_sees_only_what_the_asker_sees(stores: StoreMaker) -> None:
    judge = Judge()
    memory = stores.open(reranker=judge)
    memory.remember("alpha of ada alone", visibility="personal")
    memory.remember("alpha of all", visibility="project")
    memory.add_member("bob")
    memory.within(user="bob").recall("alpha")
    assert judge.asked[-1][1] == ["alpha of all"]


# --- Imagined answers -----------------------------------------------------------------------------


class Dream:
    """Imagines one text, or breaks."""

    def __init__(self, text: str | None) -> None:
        self.text = text
        self.asked: list[str] = []
        self.broken = False

    def __call__(self, question: str) -> str | None:
        self.asked.append(question)
        if self.broken:
            raise EmbedderFailed("the model is away.")
        return self.text


def test_imagined_answer_finds_what_the_question_does_not(stores: StoreMaker) -> None:
    dream = Dream("the nightly job wipes staging tables")
    memory = stores.open(imagine=dream)
    wanted = memory.remember("nightly job wipes staging tables")
    memory.remember("bob bakes bread")
    question = "why does data vanish"
    assert wanted.id not in {hit.id for hit in memory.recall(question, explicit=False)}
    assert dream.asked == [], "nobody asked in words of their own"
    answer = memory.recall(question, explain=True)
    assert answer.found[0].id == wanted.id
    assert any("imagined" in note for note in answer.notes)
    assert dream.asked == [question]


def test_nothing_is_imagined_where_enough_is_found(stores: StoreMaker) -> None:
    dream = Dream("anything")
    memory = stores.open(imagine=dream)
    for _ in range(3):
        memory.remember("alpha beta", source="user_taught", repeats="keep")
    assert len(memory.recall("alpha beta")) == 3
    assert dream.asked == []


@pytest.mark.parametrize("text", [None, "", "  "])
def test_model_that_imagines_nothing_changes_nothing(stores: StoreMaker, text: str | None) -> None:
    memory = stores.open(imagine=Dream(text))
    kept = memory.remember("alpha")
    answer = memory.recall("alpha", explain=True)
    assert [hit.id for hit in answer] == [kept.id]
    assert not any("imagined" in note for note in answer.notes)


def test_model_that_is_away_is_named(stores: StoreMaker) -> None:
    dream = Dream("x")
    dream.broken = True
    memory = stores.open(imagine=dream)
    kept = memory.remember("alpha")
    answer = memory.recall("alpha")
    assert [hit.id for hit in answer] == [kept.id]
    assert any("the model is away" in words for words in answer.missing)
    remote = RemoteEmbedder()
    lone = stores.open(imagine=Dream("beta"), embedder=remote)
    lone.remember("alpha")
    remote.down = True
    assert len(lone.recall("alpha")) == 1


def test_ensemble_is_a_vector_of_length_one() -> None:
    one, other = WordEmbedder().embed(["alpha", "beta gamma"])
    both = ensemble(one, other)
    assert float(both @ both) == pytest.approx(1)
    assert float(both @ other) > float(both @ one)
    assert (ensemble(one, -one * 0.4 / 0.6) == one).all()


def test_explanation_names_what_is_not_there_yet(stores: StoreMaker) -> None:
    memory = stores.open(embedder=None)
    memory.remember("alpha")
    notes = memory.recall("alpha", explain=True).notes
    for words in ("no embedder", "served before", "no graph"):
        assert any(words in note for note in notes), words
    memory.retrievals()
    assert not any("served before" in note for note in memory.recall("alpha", explain=True).notes)
