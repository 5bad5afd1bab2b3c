"""Small projects for tests, in folders of their own, with a history where one is wanted."""

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

SHOP: Mapping[str, str] = {
    "shop/__init__.py": "from shop.cart import Cart\n",
    "shop/cart.py": (
        "from shop.prices import total\n\n\n"
        "class Cart:\n"
        '    """What somebody wants to buy."""\n\n'
        "    def __init__(self):\n        self.items = []\n\n"
        "    def add(self, item):\n        self.items.append(item)\n\n"
        "    def pay(self):\n        return total(self.items)\n"
    ),
    "shop/prices.py": (
        "from .tax import vat\n\n\n"
        "def total(items):\n"
        '    """The sum of the prices, with value added tax."""\n'
        "    return vat(sum(items))\n\n\n"
        "def discount(amount):\n    return amount * 0.9\n"
    ),
    "shop/tax.py": "RATE = 0.2\n\n\ndef vat(amount):\n    return amount * (1 + RATE)\n",
    "tests/test_cart.py": (
        "from shop import Cart\n\n\n"
        "def test_pay():\n    cart = Cart()\n    cart.add(10)\n    assert cart.pay() == 12\n"
    ),
    "README.md": "# Shop\n\nA cart, prices and tax.\n\n## Paying\n\nThe cart adds tax.\n",
}


def write(root: Path, files: Mapping[str, str]) -> Path:
    """Files in a folder."""
    for path, text in files.items():
        target = root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
    return root


def git(root: Path, *words: str) -> str:
    """Ask git, as somebody whose settings are nobody's."""
    identity = {
        f"GIT_{who}_{what}": value
        for who in ("AUTHOR", "COMMITTER")
        for what, value in (("NAME", "Ada"), ("EMAIL", "ada@example.org"))
    }
    done = subprocess.run(
        ["git", "-C", str(root), "-c", "init.defaultBranch=main", *words],
        check=True,
        capture_output=True,
        text=True,
        env={**os.environ, **identity, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"},
    )
    return done.stdout


def commit(root: Path, message: str) -> str:
    """Commit all that is there; the new commit."""
    if not (root / ".git").exists():
        git(root, "init", "--quiet")
    git(root, "add", "--all")
    git(root, "commit", "--quiet", "--allow-empty", "-m", message)
    return git(root, "rev-parse", "HEAD").strip()


def with_history(root: Path) -> Path:
    """The shop, whose cart and prices were changed together more than once."""
    write(root, SHOP)
    commit(root, "A shop")
    for number in range(3):
        for path in ("shop/cart.py", "shop/prices.py"):
            with (root / path).open("a", encoding="utf-8") as file:
                file.write(f"# change {number}\n")
        commit(root, f"Cart and prices, again: {number}")
    return root
