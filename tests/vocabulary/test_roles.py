"""Roles and choices: small words with a fixed order."""

import pytest

from recollect.vocabulary.arguments import choice
from recollect.vocabulary.audiences import Access, Audience, Viewer, Visibility, viewer_of
from recollect.vocabulary.errors import InvalidInput, InvalidText
from recollect.vocabulary.spaces import AT_LEAST, Role


def test_each_role_includes_those_before_it() -> None:
    order = [Role.READER, Role.MEMBER, Role.STEWARD, Role.OWNER]
    assert [[one in AT_LEAST[other] for other in order] for one in order] == [
        [True, False, False, False],
        [True, True, False, False],
        [True, True, True, False],
        [True, True, True, True],
    ]


@pytest.mark.parametrize("value", ["nonsense", "", "Reader", None, 5, [], {}])
def test_unknown_word_is_told_the_known_ones(value: object) -> None:
    with pytest.raises(InvalidInput, match="reader, member, steward, owner") as refused:
        choice(Role, value, "role")  # type: ignore[arg-type]
    assert len(str(refused.value)) < 200


def test_known_word_is_the_member() -> None:
    assert choice(Role, "reader", "role") is choice(Role, Role.READER, "role") is Role.READER


@pytest.mark.parametrize(
    "visibility", [Visibility.TEAM, Visibility.ORGANISATION, Visibility.STREAM]
)
def test_audience_needs_what_its_visibility_speaks_of(visibility: Visibility) -> None:
    with pytest.raises(InvalidInput, match=f"needs a {visibility.value}"):
        Audience("ada", visibility)
    named = {visibility.value: "x"}
    assert getattr(Audience("ada", visibility, **named), visibility.value) == "x"


@pytest.mark.parametrize("user", ["", " ", "a\nb", "\x00", "x" * 201, None, 5])
def test_viewer_has_a_name(user: object) -> None:
    with pytest.raises(InvalidText):
        Viewer(user)  # type: ignore[arg-type]


def test_viewer_of_names() -> None:
    viewer = viewer_of("ada", ["red", "red"], ())
    assert (viewer.teams, viewer.organisations) == (frozenset({"red"}), frozenset())
    for wrong in ("red", None, 5, [""], [5]):
        with pytest.raises(InvalidInput):
            viewer_of("ada", wrong, ())  # type: ignore[arg-type]
        with pytest.raises(InvalidInput):
            viewer_of("ada", (), wrong)  # type: ignore[arg-type]


def test_sight_belongs_with_any_role() -> None:
    assert not Access("spc", Viewer("ada"), None).member
    assert all(Access("spc", Viewer("ada"), role).member for role in Role)
