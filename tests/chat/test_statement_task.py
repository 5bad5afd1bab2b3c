"""A model finds what lasts in a message; only words that were said are kept, else the rules do."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

from recollect.engine import Recollect
from tests.inference.model_server import ModelServer, hang_up, patience, raw, running, status
from tests.stores import StoreMaker

SAID = (
    "So the move is done, Tuesday we painted the hall. My sister Ana is thrilled, she paints now."
    " Thx!"
)
AT = datetime(2026, 3, 5, 12, tzinfo=UTC)


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with running() as made:
        yield made


@pytest.fixture
def memory(stores: StoreMaker, server: ModelServer) -> Recollect:
    return stores.open(
        settings={
            "model": "openai",
            "model_name": "small",
            "model_url": server.url,
            "model_key": "sk-not-a-real-key-0123456789",
            "model_timeout": str(patience()),
        }
    )


def _kept(memory: Recollect) -> set[str]:
    return {entry.memory.content for entry in memory.chat.entries().items}


def test_the_quotes_of_a_model_are_kept_with_names_and_dates(
    memory: Recollect, server: ModelServer
) -> None:
    server.says = json.dumps(
        {
            "statements": [
                {"quote": "Tuesday we painted the hall", "kind": "statement", "about": ""},
                {"quote": "she paints now", "kind": "statement", "about": "Ana"},
                {"quote": "she won a prize in Rome", "kind": "statement", "about": "Ana"},
            ]
        }
    )
    heard = memory.chat.hear(SAID, at=AT)

    kept = _kept(memory)
    assert any("we painted the hall" in text for text in kept)
    assert "Ana: she paints now" in kept
    assert not any("prize" in text for text in kept)  # nobody said that
    assert {one.event_id for one in [heard]} == {
        entry.memory.provenance.events[0] for entry in memory.chat.entries().items
    }


def test_an_empty_list_keeps_nothing_and_a_wish_is_a_preference(
    memory: Recollect, server: ModelServer
) -> None:
    server.says = '{"statements": []}'
    assert memory.chat.hear("I live in Porto.", at=AT).event_id
    assert _kept(memory) == set()

    server.says = '{"statements": [{"quote": "no lists for me", "kind": "preference"}]}'
    (done,) = memory.chat.hear("By the way, no lists for me, thanks", at=AT).statements
    assert done.entry is not None
    assert done.entry.memory.type.value == "preference"


@pytest.mark.parametrize(
    "behaves",
    [
        hang_up,
        status(500),
        raw(b"not json"),
        raw(
            json.dumps(
                {
                    "choices": [
                        {
                            "message": {
                                "content": json.dumps(
                                    {"statements": [{"quote": "You live in Mars City"}]}
                                )
                            }
                        }
                    ]
                }
            ).encode()
        ),
    ],
    ids=["hangs up", "fails", "nonsense", "invented words"],
)
def test_whatever_the_model_does_the_rules_answer(
    memory: Recollect, server: ModelServer, behaves: object
) -> None:
    server.script = [behaves] * 5  # type: ignore[list-item]
    memory.chat.hear("I live in Porto with my cat Figo. Thanks!", at=AT)
    assert any("Porto" in text for text in _kept(memory))


def test_secrets_pasted_text_and_private_sessions_are_shown_to_no_model(
    memory: Recollect, server: ModelServer
) -> None:
    memory.chat.hear("My key is sk-live-0123456789abcdefABCDEF0123, I live in Porto.", at=AT)
    memory.chat.hear("```\nI live in Rome\n```", at=AT)
    memory.chat.incognito("quiet", True)
    memory.chat.hear("I live in Berlin.", session="quiet", at=AT)
    assert server.requests == []
