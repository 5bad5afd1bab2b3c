"""Tasks: the model's answer where it is good, the local one whatever else the model does."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import json_repair
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.chat.command_task import COMMAND, SpokenSentence
from recollect.inference.budgets import Spending
from recollect.inference.chat_model import AnthropicChat, ChatModel, ModelChoice, OpenAIChat
from recollect.inference.json_answers import fitted, json_in
from recollect.inference.tasks import Tasks, filled, prompt_of
from recollect.inference.text_tasks import (
    HEADER,
    HYDE,
    SUMMARY,
    TOPICS,
    MessageInContext,
    SearchedQuestion,
    Shorter,
    Text,
)
from recollect.memories.contradictions.tasks import CONTRADICTION, Claims
from recollect.memories.metadata_task import METADATA, TextToAnnotate
from recollect.storage.inference.budgets import calls_since
from recollect.vocabulary.errors import InferenceError, InvalidSetting
from recollect.vocabulary.personal import Intent, Noticed
from tests.inference.model_server import (
    Behaviour,
    ModelServer,
    half,
    hang,
    hang_up,
    patience,
    raw,
    running,
    status,
)
from tests.stores import StoreMaker

LONG = Text("The harbour closes at nine. Ships wait outside the harbour. Nobody minds the rain.", 8)
KEY = "sk-ant-not-a-real-key-0123456789"


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with running() as made:
        yield made


@pytest.fixture(params=["openai", "anthropic"])
def model(request: pytest.FixtureRequest, server: ModelServer) -> Iterator[ChatModel]:
    behaviour = request.node.callspec.params.get("behaviour")
    choice = ModelChoice(
        provider=request.param,
        model="small",
        base_url=server.url,
        api_key=KEY,
        timeout_seconds=patience(behaviour),
        attempts=2,
        prices=(100.0, 1_000.0),
    )
    waits: list[float] = []
    kind = AnthropicChat if request.param == "anthropic" else OpenAIChat
    made = kind(choice, sleep=waits.append)
    yield made
    made.close()


def test_good_answer_is_the_models(model: ChatModel, server: ModelServer) -> None:
    done = Tasks(model).run("spc", SUMMARY, LONG)

    assert done.value == Shorter("from the model")
    assert done.by == "small"
    headers = server.headers[0]
    assert KEY in (headers.get("x-api-key", ""), headers.get("authorization", "")[7:])
    assert "harbour" in str(server.requests[0]["messages"])


@pytest.mark.parametrize(
    "behaviour",
    [
        status(500),
        status(429, "slow down", retry_after="1"),
        status(429, "slow down", retry_after="9999"),
        status(401, "bad key"),
        hang,
        hang_up,
        half,
        raw(b"not json at all"),
        raw(b'{"choices": [], "content": []}'),
        raw(b'{"choices": [{"message": {"content": null}}], "content": [{"type": "text"}]}'),
        raw(b"[1, 2"),
    ],
)
def test_whatever_the_model_does_the_local_answer_stands_in(
    model: ChatModel, server: ModelServer, behaviour: Behaviour
) -> None:
    server.script = [behaviour, behaviour]

    done = Tasks(model).run("spc", SUMMARY, LONG)

    assert done.by == "local"
    assert done.why
    assert KEY not in done.why
    assert done.value.summary


@pytest.mark.parametrize(
    "says",
    [
        "I cannot help with that.",
        '{"other": 1}',
        '{"summary": {"deep": 1}}',
        "{",
        "[]",
        "null",
        '{"summary": ',
        '{"summary": null}',
        "{'" * 20_000,
    ],
)
def test_answer_that_is_not_the_output_is_not_used(
    model: ChatModel, server: ModelServer, says: str
) -> None:
    server.says = says

    assert Tasks(model).run("spc", SUMMARY, LONG).by == "local"


def test_nothing_but_openings_is_not_repaired(monkeypatch: pytest.MonkeyPatch) -> None:
    """To repair them takes time that grows with their square."""
    tried: list[str] = []
    monkeypatch.setattr(json_repair, "loads", lambda text, **_: tried.append(text))
    for opening in ("{'", "[{", '{"a" ', "{a:'"):
        with pytest.raises(ValueError, match="no object"):
            json_in("{" + opening * 20_000)
    assert tried == []


@pytest.mark.parametrize(
    "says",
    [
        '{"summary": "short"}',
        'Sure! Here it is:\n```json\n{"summary": "short"}\n```\nAnything else?',
        '{"Summary": "short",}',
        '[{"summary": "short"}]',
        '{"summary": "short", "extra": [1, 2',
        '\ufeff {"summary": " short "} trailing',
        "{'summary': 'short'}",
        '{summary: "short"}',
        '{"summary": "short", /* as asked */ "extra": None}',
        '{"summary": "short", "extra": ',
        '{"summary": "short", "extra": ' + '[{"deep": ' * 20,
    ],
)
def test_sloppy_answer_is_understood(model: ChatModel, server: ModelServer, says: str) -> None:
    server.says = says

    assert Tasks(model).run("spc", SUMMARY, LONG).value == Shorter("short")


def test_server_that_knows_no_json_mode_is_asked_without(server: ModelServer) -> None:
    choice = ModelChoice("openai", "m", server.url)
    model = OpenAIChat(choice)
    server.script = [status(400, "response_format is not supported")]

    assert model.answer("s", "p", tokens=5).text == server.says
    assert "response_format" not in server.requests[1]
    model.close()


def test_model_without_a_name_is_refused() -> None:
    with pytest.raises(InvalidSetting):
        OpenAIChat(ModelChoice("openai"))


def test_call_is_written_down_with_its_cost_and_a_used_up_budget_degrades(
    stores: StoreMaker, server: ModelServer
) -> None:
    memory = stores.open()
    database, clock = stores.database(), stores.clock
    database = stores.database(_address(stores, memory))
    spending = Spending(database, clock)
    model = OpenAIChat(ModelChoice("openai", "m", server.url, prices=(100.0, 1_000.0)))
    tasks = Tasks(model, spending)
    space = memory.space.id
    spending.allow(space, "enrichments", 2)

    assert [tasks.run(space, SUMMARY, LONG).by for _ in range(3)] == ["m", "m", "local"]
    assert len(server.requests) == 2
    with database.reading(all_spaces=True) as transaction:
        calls = calls_since(transaction, space, clock() - timedelta(days=1))
    assert [(call.task, call.outcome, call.input_tokens) for call in calls] == [
        ("summary", "good", 100)
    ] * 2
    spent = {one.kind: one.used for one in memory.budgets()}
    assert spent["cents"] == pytest.approx(2 * 0.03)
    assert spent["enrichments"] == 2

    clock.move(timedelta(days=31))
    assert tasks.run(space, SUMMARY, LONG).by == "m"
    assert {one.kind: one.used for one in memory.budgets()}["enrichments"] == 1
    model.close()


def test_used_up_cents_stop_every_task(stores: StoreMaker, server: ModelServer) -> None:
    memory = stores.open()
    spending = Spending(stores.database(_address(stores, memory)), stores.clock)
    model = OpenAIChat(ModelChoice("openai", "m", server.url, prices=(1e6, 1e6)))
    spending.allow(memory.space.id, "cents", 50)

    assert [Tasks(model, spending).run(memory.space.id, SUMMARY, LONG).by for _ in range(2)] == [
        "m",
        "local",
    ]
    model.close()


def _address(stores: StoreMaker, memory: object) -> str:
    return str(memory._services.keeper._database.address)  # type: ignore[attr-defined]


def test_every_task_has_a_prompt_and_a_local_answer() -> None:
    given: tuple[tuple[Any, Any], ...] = (
        (HEADER, MessageInContext("general", "ada", "2026-03-01", "It moved.", ("When is it?",))),
        (SUMMARY, LONG),
        (TOPICS, LONG),
        (HYDE, SearchedQuestion("When does the harbour close?")),
        (METADATA, TextToAnnotate("Anna meets Paul in Berlin on 4 May.")),
        (COMMAND, SpokenSentence("forget that")),
        (CONTRADICTION, Claims("The meeting is at 3 pm.", "The meeting moved to 4 pm.")),
    )
    for task, value in given:
        system, _, prompt = prompt_of(task.name).partition("\n---\n")
        assert "JSON" in system
        assert "{{" not in filled(prompt, value)
        assert isinstance(task.local(value), task.output)
    assert COMMAND.local(SpokenSentence("oublie ça")).intent is Intent.FORGET
    assert CONTRADICTION.local(given[-1][1]).contradicts


def test_input_cannot_open_a_place_of_its_own() -> None:
    assert filled("a {{text}} b", Text("{{words}}")) == "a {{words}} b"


@pytest.mark.parametrize("told", [None, [], {}, True, "nan", "a lot", [0.5]])
def test_a_number_that_is_none_makes_the_answer_unusable(told: Any) -> None:
    with pytest.raises(ValueError, match="confidence"):
        fitted(Noticed, {"confidence": told})


def test_values_are_taken_as_models_write_them() -> None:
    told = {"Entities": "Anna", "tags": ["a", " b "], "Confidence": " 80% ", "dates": None}
    assert fitted(Noticed, told) == Noticed(("Anna",), (), (), ("a", "b"), 80.0)


@given(st.text(max_size=400))
def test_any_answer_is_read_or_refused(text: str) -> None:
    try:
        found = json_in(text)
        fitted(Noticed, found)
    except ValueError:
        pass


@given(st.text(max_size=200), st.integers(1, 60))
def test_local_summary_never_has_more_words_than_asked_for(text: str, words: int) -> None:
    assert (
        len(SUMMARY.local(Text(text, words)).summary.split()) <= max(words, 1) or not text.split()
    )


def test_errors_of_a_model_are_of_the_tree() -> None:
    model = OpenAIChat(ModelChoice("openai", "m", "http://127.0.0.1:9/v1", attempts=1))

    with pytest.raises(InferenceError):
        model.answer("s", "p", tokens=1)
    model.close()
