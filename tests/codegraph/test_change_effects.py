"""Whether what a file gained or lost can matter to others."""

import pytest

from recollect.codegraph.change_effects import mentioned, names_changed
from recollect.codegraph.languages.parser import read
from recollect.codegraph.languages.python import PYTHON

OLD = """
from .tax import vat

class Cart:
    total: int = 0

    def pay(self) -> "Receipt":
        return Receipt()

def made() -> Cart:
    return Cart()
"""


@pytest.mark.parametrize(
    ("edit", "names"),
    [
        (("def made()", "def fresh(): ...\n\ndef made()"), {"fresh"}),
        (("    def pay(self)", "    def add(self): ...\n\n    def pay(self)"), {"add"}),
        (("return Receipt()", "return other()"), None),  # a body: the interface stays
        (("class Cart:", "class Cart(Base):"), None),
        (("-> Cart", "-> Basket"), None),
        (("import vat", "import vat, duty"), None),
        (("total: int", "total: float"), None),
        (("def made()", "class Receipt: ...\n\ndef made()"), None),  # what pay returns exists now
        (("def made()", "def made(): ...\n\ndef made()"), None),
        (("    def pay(self)", "    def __init__(self): ...\n\n    def pay(self)"), None),
    ],
)
def test_only_names_that_came_or_went_are_told(
    edit: tuple[str, str], names: set[str] | None
) -> None:
    old, new = (read(PYTHON, text.encode()) for text in (OLD, OLD.replace(*edit)))
    assert names_changed(old, new) == names
    assert names_changed(new, old) == names


def test_a_name_is_mentioned_wherever_it_stands() -> None:
    assert mentioned({"pay"}, ["...", '["cart.pay",3]'])
    assert not mentioned({"pay"}, ["...", ""])
