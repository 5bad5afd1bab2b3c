"""What of a question about code counts, and how much."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.recall.query_terms import TERMS, weighed_terms


def test_what_every_report_says_counts_little() -> None:
    weights = weighed_terms("A crash of the paginator")
    assert weights["pagin"] > 3 * weights["crash"] > 0


def test_the_first_line_counts_more_and_pasted_code_less() -> None:
    weights = weighed_terms("Paginator loses rows\n\nThe orphan.\n```python\nwidget = 1\n```\n")
    assert weights["pagin"] > weights["orphan"] > weights["widget"] > 0


@pytest.mark.parametrize(
    "noise",
    [
        "see https://example.org/paginator",
        "<!-- paginator -->",
        "- [x] I searched for paginator",
        "0xdeadbeef commit 0123456789abcdef0123",
        "paginator 1.2.3",
        "- paginator version: 3.9.7",
        "paginator==4.0.1",
        "### Environment\n\nOS: paginator on a machine",
        "**Versions**\n```\npaginator\n```",
        "Installed packages\n------------------\npaginator",
    ],
)
def test_links_boxes_and_numbers_of_commits_are_no_words(noise: str) -> None:
    terms = weighed_terms(f"orphan\n{noise}\n")
    assert "orphan" in terms
    assert not {"pagin", "0xdeadbeef", "0123456789abcdef0123"} & set(terms)


def test_what_follows_a_section_about_the_machine_is_read_again() -> None:
    terms = weighed_terms("orphan\n## Environment\npaginator\n## Actual result\nwidget\n")
    assert "widget" in terms
    assert "pagin" not in terms


def test_a_version_in_a_sentence_takes_nothing_away() -> None:
    assert "pagin" in weighed_terms("orphan\nSince version 3.2 the paginator loses its last row")


def test_a_question_of_noise_alone_is_still_asked() -> None:
    assert "pagin" in weighed_terms("https://example.org/paginator")


@given(st.text(max_size=3_000))
def test_any_text_gives_few_terms_of_some_weight(text: str) -> None:
    weights = weighed_terms(text)
    assert len(weights) <= TERMS
    assert all(weight > 0 for weight in weights.values())
