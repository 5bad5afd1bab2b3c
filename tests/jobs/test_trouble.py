"""What is kept of an error is short, on one line, and shows no secret."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.jobs.trouble import LONGEST_MESSAGE, exception_of, hide_secrets, safe_message
from recollect.vocabulary.errors import EmbedderFailed
from recollect.vocabulary.ids import MEMORY, derived_id
from tests.jobs.helpers import START

KEY = "sk-proj-9aB3xYz0qWe7rTy5"


@pytest.mark.parametrize(
    "said",
    [
        f"Incorrect API key provided: {KEY}.",
        f"Authorization: Bearer {KEY}",
        f"GET https://example.org/v1?api_key={KEY}&n=1 failed",
        f"cannot reach https://ada:{KEY}@example.org/v1",
        f"{{'password': '{KEY}', 'user': 'ada'}}",
        f'OPENAI_API_KEY="{KEY}"',
        "refused 4f9c2d17e0b84a6d9c31f05a7be2c8d1 as a session",
        "token=hunter2",
    ],
)
def test_secret_is_hidden(said: str) -> None:
    kept = hide_secrets(said)
    assert KEY not in kept
    assert "4f9c2d17e0b84a6d9c31f05a7be2c8d1" not in kept
    assert "hunter2" not in kept
    assert "[hidden]" in kept


@pytest.mark.parametrize(
    "said",
    [
        "Connection refused by http://localhost:11434/v1/embeddings",
        "The model nomic-embed-text has 768 dimensions.",
        "src/recollect/index/search_index.py is not there",
        f"No memory {derived_id(MEMORY, START, 'one')}.",
        "an_identifier_of_many_words_without_digits",
    ],
)
def test_what_helps_stays(said: str) -> None:
    assert hide_secrets(said) == said


def test_sentence_names_the_type_and_what_was_said() -> None:
    error = EmbedderFailed("It did not answer.", hint="Is it\nrunning?")
    assert safe_message(error, hide_secrets) == "EmbedderFailed: It did not answer. Is it running?"


def test_sentence_of_an_error_that_says_nothing() -> None:
    assert safe_message(KeyError(), hide_secrets) == "KeyError."


def test_secret_at_the_cut_is_hidden_whole() -> None:
    said = "x " * (LONGEST_MESSAGE // 2 - 6) + KEY
    assert "sk-proj" not in safe_message(ValueError(said), hide_secrets)


@given(st.text(st.characters(), max_size=2_000))
def test_sentence_is_short_storable_and_on_one_line(said: str) -> None:
    sentence = safe_message(ValueError(said), hide_secrets)
    assert len(sentence) <= LONGEST_MESSAGE + len("ValueError: ")
    assert len(sentence.splitlines()) == 1
    assert "\0" not in sentence
    assert sentence.encode().decode() == sentence


def test_trouble_is_a_value() -> None:
    error = ValueError("no")

    def fail() -> None:
        raise error

    assert exception_of(fail) is error
    assert exception_of(lambda: 1) is None


def test_being_told_to_end_is_no_trouble() -> None:
    def end() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        exception_of(end)
