"""A conversation over HTTP: what lasts is kept, what changed is replaced, questions answered."""

from recollect.engine import Recollect
from tests.surfaces.rest.running import Running


def said(ask: Running, text: str, **more: str) -> list[str]:
    answer = ask("POST", "/v1/memory/messages", {"text": text, **more})
    assert answer.status == 200, answer
    return [one["outcome"] for one in answer.json["statements"] if one["entry"] is not None]


def test_a_person_just_talks(memory: Recollect, ask: Running) -> None:
    assert said(ask, "I live in Toulouse.", at="2026-03-01T10:00:00Z") == ["kept"]
    assert said(ask, "ok thanks", at="2026-03-01T10:01:00Z") == []
    assert said(ask, "We moved to Bordeaux last week.", at="2026-03-08T10:00:00Z") == ["replaced"]

    answer = ask("POST", "/v1/memory/ask", {"question": "Where do I live?"}).json
    assert "Bordeaux" in answer["text"]
    assert "Toulouse" not in answer["text"]
    unknown = ask("POST", "/v1/memory/ask", {"question": "What is my dog called?"}).json
    assert "know" in unknown["text"]
    assert len(memory.chat.entries().items) == 1


def test_the_same_message_sent_twice_is_kept_once(memory: Recollect, ask: Running) -> None:
    for _ in range(2):
        said(ask, "I am allergic to peanuts.", at="2026-03-01T10:00:00Z", session="monday")
    (entry,) = memory.chat.entries().items
    assert entry.memory.times_told == 1


def test_what_an_update_replaced_is_named(ask: Running) -> None:
    ask("POST", "/v1/memory/messages", {"text": "I drive a 2014 Fiesta"})
    heard = ask("POST", "/v1/memory/messages", {"text": "I've sold the Fiesta"}).json
    assert [one["replaced_texts"] for one in heard["statements"]] == [["I drive a 2014 Fiesta"]]
    ask("POST", "/v1/memory/say", {"text": "I live in Toulouse"})
    said = ask("POST", "/v1/memory/say", {"text": "We moved to Bordeaux"}).json
    assert said["replaced_texts"] == ["I live in Toulouse"]
