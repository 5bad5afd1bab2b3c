"""A sealed text says nothing without its key, and everything with it."""

from hypothesis import given
from hypothesis import strategies as st

from recollect.trust.sealed_text import new_key, seal, unseal

FOR = "a test"
ANY_TEXT = st.text(st.characters(exclude_categories=()))


@given(ANY_TEXT)
def test_what_was_sealed_comes_back_whole(text: str) -> None:
    key = new_key()
    assert unseal(seal(text, key, FOR), key, FOR) == text


@given(ANY_TEXT, ANY_TEXT)
def test_no_other_key_fits(text: str, other: str) -> None:
    key = new_key()
    sealed = seal(text, key, FOR)
    assert unseal(sealed, other, FOR) is None
    assert unseal(sealed, new_key(), FOR) is None
    assert unseal(sealed, key[:-1], FOR) is None


@given(st.text(min_size=1), st.integers(0, 10_000))
def test_a_changed_seal_is_noticed(text: str, place: int) -> None:
    key = new_key()
    sealed = seal(text, key, FOR)
    at = place % len(sealed.rstrip("="))
    changed = sealed[:at] + ("A" if sealed[at] != "A" else "B") + sealed[at + 1 :]
    opened = unseal(changed, key, FOR)
    assert opened is None or opened == text  # the last sign holds bits that count for nothing


@given(ANY_TEXT)
def test_what_is_no_seal_opens_with_no_key(text: str) -> None:
    assert unseal(text, new_key(), FOR) is None


def test_the_same_text_is_never_sealed_alike() -> None:
    key = new_key()
    assert seal("I collect stamps.", key, FOR) != seal("I collect stamps.", key, FOR)
    assert "stamps" not in seal("I collect stamps.", key, FOR)


def test_a_seal_opens_for_what_it_was_made_for_alone() -> None:
    key = new_key()
    sealed = seal("I collect stamps.", key, "ada")
    assert unseal(sealed, key, "bob") is None
    assert unseal(sealed, key, "ada") == "I collect stamps."
