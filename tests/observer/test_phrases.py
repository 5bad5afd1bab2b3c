"""The wording of what a session showed: a model's where it is good, the signals' own otherwise."""

import json
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

import recollect
from recollect.engine import Recollect
from recollect.inference.chat_model import ModelChoice, OpenAIChat
from recollect.inference.tasks import Tasks
from recollect.observer.candidates import Candidate
from recollect.observer.taxonomy import Signal
from recollect.observer.wording_task import model_wording
from recollect.vocabulary.memory_types import MemoryType
from tests.inference.model_server import (
    Behaviour,
    ModelServer,
    hang,
    hang_up,
    raw,
    running,
    status,
)
from tests.observer.acts import START, Story

RULE = Candidate(
    signal=Signal.ERROR_RETRY,
    key="rule:errcheck",
    type=MemoryType.ERROR_PATTERN,
    content="`make lint` enforces errcheck.",
    session="s",
)
WISH = Candidate(
    signal=Signal.REFUSAL,
    key="w",
    type=MemoryType.PREFERENCE,
    content="The user said: “no comments”",
    session="s",
    quote="no comments",
)


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with running() as made:
        yield made


def worded(server: ModelServer, *candidates: Candidate, attempts: int = 1) -> list[str]:
    choice = ModelChoice("openai", "small", server.url, "key", 0.5, attempts)
    model = OpenAIChat(choice, sleep=lambda _: None)
    try:
        return list(model_wording(Tasks(model))("spc", candidates))
    finally:
        model.close()


def test_a_model_is_asked_once_and_never_for_a_user_s_words(server: ModelServer) -> None:
    better = "`make lint` fails where an error is not looked at (errcheck)."
    server.says = json.dumps({"texts": [f"1: {better}", "0: They want comments.", "7: nobody"]})

    assert worded(server, WISH, RULE) == [WISH.content, better]
    (request,) = server.requests
    asked = str(request["messages"])
    assert "1: (error_pattern) `make lint` enforces errcheck." in asked
    assert "no comments" not in asked
    assert worded(server, WISH) == [WISH.content]
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    "text",
    [
        "0: The linter wants errors checked.",  # the command is lost
        f"0: `make lint` enforces errcheck. {'x' * 600}",
        "`make lint` enforces it.",  # nobody knows what it belongs to
        "0:",
    ],
)
def test_a_text_that_lost_something_is_not_taken(server: ModelServer, text: str) -> None:
    server.says = json.dumps({"texts": [text]})

    assert worded(server, RULE) == [RULE.content]


@pytest.mark.parametrize(
    "behaviour",
    [
        status(500),
        hang,
        hang_up,
        raw(b"no json"),
        raw(b'{"choices": [{"message": {"content": "{\\"texts\\": [[]]}"}}]}'),
    ],
)
def test_a_model_that_fails_costs_nothing(server: ModelServer, behaviour: Behaviour) -> None:
    server.script = [behaviour]

    assert worded(server, RULE) == [RULE.content]


def rule_broken(number: int) -> Story:
    failed = "Exit code 1\nshop/cart.py:3:1: Line too long (lint-e501)"
    story = Story(f"s{number}", START + timedelta(days=number)).prompt("tidy up")
    return story.call("Bash", command="make lint").fail(failed).bash("make lint")


def taught(memory: Recollect) -> list[str]:
    return [one.content for one in memory.learning.learn(rule_broken(1).observed()).memories]


def test_a_configured_model_words_what_a_session_taught(
    server: ModelServer, tmp_path: Path
) -> None:
    with recollect.open(tmp_path / "plain.db", worker=False) as memory:
        (own,) = taught(memory)
    server.says = json.dumps({"texts": [f"0: {own} Break long lines."]})
    settings = {
        "model": "openai",
        "model_url": server.url,
        "model_name": "small",
        "model_key": "key",
        "model_prices": "100/1000",
    }

    with recollect.open(tmp_path / "helped.db", worker=False, settings=settings) as memory:
        assert taught(memory) == [f"{own} Break long lines."]
        assert len(server.requests) == 1
        used = {one.kind: one.used for one in memory.budgets()}
        assert used["enrichments"] == 1
        assert used["cents"] == pytest.approx(0.03)
