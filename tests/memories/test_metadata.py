"""Dates are noticed whoever writes them, and a text without the sign of one is passed over."""

from hypothesis import given
from hypothesis import strategies as st

from recollect.memories.metadata import _DATE, dates_of

_PARTS = (
    "Monday on tuesdays next week NEXT month Tomorrow tonight yesterday hier Demain aujourd'hui "
    "lundi Mardi dimanche May may 5 12th 5th 2024 2024-01-02 3/4/25 4pm 16h30 9:15 of day tea"
).split()


@given(st.lists(st.sampled_from(_PARTS), max_size=8).map(" ".join))
def test_a_text_that_is_passed_over_holds_no_date(text: str) -> None:
    found = [match.group().lower() for match in _DATE.finditer(text)]
    assert dates_of(text) == tuple(dict.fromkeys(found))[:8]


def test_dates_of_a_sentence() -> None:
    said = "The review moved from Monday to 5 May at 4 pm, and dimanche is free."
    assert dates_of(said) == ("monday", "5 may", "4 pm", "dimanche")
