"""One tree of errors: the drawing in the docstring is the tree, and each error can be told."""

import inspect
import re

import pytest

from recollect.vocabulary import errors
from recollect.vocabulary.errors import RecollectError

DEFINED = [
    error
    for error in vars(errors).values()
    if inspect.isclass(error) and issubclass(error, RecollectError)
]


def drawn() -> dict[str, str | None]:
    """Child to parent, as the docstring draws it."""
    assert errors.__doc__ is not None
    above: dict[int, str] = {}
    tree: dict[str, str | None] = {}
    for line in errors.__doc__.splitlines():
        found = re.match(r"^(?P<indent>    [│├└─ ]*)(?P<name>[A-Z]\w+)", line)
        if found:
            depth = len(found["indent"])
            above[depth] = found["name"]
            parents = [above[level] for level in sorted(above) if level < depth]
            tree[found["name"]] = parents[-1] if parents else None
            for level in [level for level in above if level > depth]:
                del above[level]
    return tree


def test_drawing_is_the_tree() -> None:
    real = {
        error.__name__: None if error is RecollectError else error.__mro__[1].__name__
        for error in DEFINED
    }
    assert drawn() == real


def test_every_error_has_a_code_of_its_own_and_a_sentence() -> None:
    codes = [error.code for error in DEFINED]
    assert len(set(codes)) == len(codes)
    for error in DEFINED:
        assert re.fullmatch(r"[a-z_]+", error.code)
        assert (error.__doc__ or "").endswith(".")


@pytest.mark.parametrize("error", DEFINED, ids=lambda error: error.__name__)
def test_message_and_hint_are_told_together(error: type[RecollectError]) -> None:
    assert str(error("It broke.")) == "It broke."
    told = error("It broke.", hint="Mend it.")
    assert (told.message, told.hint, str(told)) == ("It broke.", "Mend it.", "It broke. Mend it.")
