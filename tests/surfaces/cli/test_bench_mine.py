"""A person's own questions as a test set, and every parameter of the design swept by its name."""

import pytest

from recollect.recall.profiles import profile_of
from recollect.surfaces.cli.bench import variants
from recollect.vocabulary.errors import InvalidInput
from tests.surfaces.cli.runner import InProcess


def test_what_was_cited_is_what_a_question_should_find(cli: InProcess) -> None:
    kept = cli.remember("The staging database is reset every night.")
    cli.remember("Deploys happen on Tuesdays.")
    cli("recall", "when is staging reset?")
    cli("feedback", "last", "cited", kept)
    cli("recall", "who brings the cake?")
    served = cli.json("show", kept)["counts"]["retrieval"]
    found = cli.json("bench", "mine", "--parameter", "N=1,5")
    assert found["questions"] == 1
    assert [one["name"] for one in found["variants"]] == ["agent as it is", "N = 1", "N = 5"]
    assert found["variants"][0]["first"] == 100.0
    log = cli.json("log")
    assert len(log["items"]) == 2, "asking again is not put in the log"
    assert cli.json("show", kept)["counts"]["retrieval"] == served, "and shows nobody anything"


def test_every_parameter_of_the_design_can_be_swept() -> None:
    chat = profile_of("chat")
    wanted = ["alpha=0.5", "beta=0.2", "gamma=0.1", "tau=14", "lambda=0.7", "k=10", "N=8"]
    as_it_is, *tried = variants.sweep(chat, wanted)
    assert as_it_is.profile == chat
    alpha, beta, gamma, tau, alike, constant, results = tried
    assert [one.profile.parts for one in (alpha, beta, gamma)] == [
        (0.5, *chat.parts[1:]),
        (chat.parts[0], 0.2, chat.parts[2]),
        (*chat.parts[:2], 0.1),
    ]
    assert (tau.profile.recency_days, alike.profile.diversity) == (14.0, 0.7)
    assert (constant.profile.rank_constant, results.results) == (10, 8)
    with pytest.raises(InvalidInput, match="no parameter"):
        list(variants.sweep(chat, ["delta=1"]))
