"""Files ranked under questions about code."""

from pathlib import Path

import pytest

import recollect
from recollect.engine import Recollect
from tests.codegraph.projects import write

PROJECT = {
    "shop/orders.py": "class Orders:\n    def refund(self, order):\n        return order.money\n",
    "shop/mail.py": "def send(letter):\n    return letter\n",
    "shop/ledger.py": "from . import mail\n\n\ndef book(entry):\n    return mail.send(entry)\n",
    "shop/test/cases.py": "class ShopCase:\n    def assert_booked(self):\n        return 1\n",
    "tests/test_ledger.py": (
        "from shop.ledger import book\n\n\n"
        "def test_carry_over_of_yearly_balances():\n    assert book(1)\n"
    ),
    "examples/refund.py": "def refund(order):\n    '''Refund an order.'''\n    return order\n",
    "docs/refunds.md": "# Refunds\n\nHow to refund an order: refund the order.\n",
}
REPORT = """Orders.refund loses money

### Describe the bug

It fails.

```python
Traceback (most recent call last):
  File "/usr/lib/python3/site-packages/shop/ledger.py", line 5, in book
  File "/usr/lib/python3/site-packages/shop/mail.py", line 2, in send
TypeError
```

### Environment

letter 1.2.3
"""


@pytest.fixture
def shop(tmp_path: Path) -> Recollect:
    root = write(tmp_path / "shop", PROJECT)
    memory = recollect.open(tmp_path / "m.db", embedder="none", worker=False)
    memory.code.index(root)
    return memory


def _files(memory: Recollect, question: str) -> list[str]:
    return [hit.path for hit in memory.recall(question) if hit.path]


def test_code_comes_before_what_shows_or_describes_it(shop: Recollect) -> None:
    with shop:
        found = _files(shop, "refund of an order")
        assert found[0] == "shop/orders.py"
        assert {"examples/refund.py", "docs/refunds.md"} <= set(found)
        assert _files(shop, "refund in examples/refund.py")[0] == "examples/refund.py"


def test_a_test_that_fits_speaks_for_what_it_imports(shop: Recollect) -> None:
    with shop:
        assert "shop/ledger.py" in _files(shop, "balances are not carried over by book")[:2]


def test_tools_for_testing_are_code(shop: Recollect) -> None:
    with shop:
        assert _files(shop, "assert_booked gives one")[0] == "shop/test/cases.py"


def test_a_report_finds_what_it_names_and_where_it_broke(shop: Recollect) -> None:
    with shop:
        found = _files(shop, REPORT)
        assert set(found[:3]) == {"shop/orders.py", "shop/ledger.py", "shop/mail.py"}
        assert len(found) == len(set(found))


BANK = {
    "bank/teller.py": (
        "def pay_out(money):\n"
        "    raise ValueError(f'Account {money.name} is frozen by an overdue court order')\n"
    ),
    "bank/frozen.py": (
        "def frozen_account(one):\n    return one\n\n\n"
        "def overdue_account(one):\n    return one\n\n\n"
        "def court_order(one):\n    return one\n"
    ),
    "bank/moving.py": "def carry_over(one):\n    return one\n",
    "bank/year.py": "from bank.moving import carry_over\n\n\ndef end(one):\n    carry_over(one)\n",
}


@pytest.mark.parametrize(
    ("question", "signal", "files"),
    [
        (
            "It fails\n\nValueError: Account 17 is frozen by an overdue court order\n",
            "message",
            {"bank/teller.py"},
        ),
        ("An account was frozen by an overdue court order", "message", set()),
        ("What carry_over() does is lost", "defines", {"bank/moving.py"}),
        ("What we carry over is lost", "defines", set()),
    ],
)
def test_what_an_error_said_and_what_is_called_by_its_name_speak_for_a_file(
    tmp_path: Path, question: str, signal: str, files: set[str]
) -> None:
    root = write(tmp_path / "bank", BANK)
    with recollect.open(tmp_path / "m.db", embedder="none", worker=False) as memory:
        memory.code.index(root)
        found = memory.recall(question, explain=True)
        said = {
            hit.path
            for hit in found
            if hit.why and any(part.signal == signal for part in hit.why.parts)
        }
        assert said == files


def test_code_that_fits_badly_is_not_shown_as_if_it_fitted(shop: Recollect) -> None:
    """It is scored beside the best code; a word of three is a third of it at most."""
    told = shop.recall("which letter would the notary frame?", kinds=["chunk"])
    assert told.weak
    assert told.found
    assert max(one.score for one in told.found) == pytest.approx(1 / 3)


def test_code_whose_name_holds_half_of_the_words_fits(shop: Recollect) -> None:
    told = shop.recall("where is the refund added?", kinds=["chunk"])
    assert not told.weak
    assert told.found[0].score > 0.5
    assert shop.recall("the entry frame", kinds=["chunk"]).weak  # a word that merely stands there
