"""What a question names outright."""

import pytest

from recollect.recall.named_files import defined_names, named_files

PATHS = (
    "shop/__init__.py",
    "shop/db/__init__.py",
    "shop/db/query.py",
    "shop/cart.py",
    "web/cart.py",
    "src/till/coins.py",
    "setup.py",
)


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("see shop/cart.py", {"shop/cart.py": 1.0}),
        (
            'File "/usr/lib/python3/site-packages/shop/db/query.py", line 3',
            {"shop/db/query.py": 1.0},
        ),
        ("cart.py is wrong", {"shop/cart.py": 0.5, "web/cart.py": 0.5}),
        ("shop.db.query.QuerySet fails", {"shop/db/query.py": 0.8}),
        ("import shop.db.query", {"shop/db/query.py": 0.4}),
        ("from shop.db import models", {}),
        ("nothing is named", {}),
        ("query.py is wrong", {"shop/db/query.py": 0.6}),
        ('File "/site-packages/till/coins.py", line 3', {"src/till/coins.py": 1.0}),
        ('File "/home/me/mine/setup.py", line 3', {}),
        ("from shop.db.query import Rows", {"shop/db/query.py": 0.8}),
        ("from shop.db import Rows", {"shop/db/query.py": 0.6}),
        (
            "shop/__init__.py:1 shop/cart.py:2 web/cart.py:3 shop/db/query.py:4 gone/else.py:5",
            {
                "shop/__init__.py": 0.55,
                "shop/cart.py": 0.7,
                "web/cart.py": 0.85,
                "shop/db/query.py": 1.0,
            },
        ),
    ],
)
def test_a_file_is_named_by_its_path_or_its_module(text: str, named: dict[str, float]) -> None:
    values = named_files(text, PATHS, lambda name: {2} if name == "Rows" else set())
    found = {path: round(float(v), 2) for path, v in zip(PATHS, values, strict=True) if v > 0}
    assert found == named


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("CartError is raised by add_item", [1.0, 1 / 3, 0.0]),
        ("add_item", [1.0, 1.0, 0.0]),
        ("pay() fails", [0.0, 0.0, 0.0]),
        ("refund() fails", [0.0, 0.0, 1.0]),
        ("refund fails", [0.0, 0.0, 0.0]),
        ("many_have_it", [0.0, 0.0, 0.0]),
    ],
)
def test_names_that_few_files_define_speak_for_them(text: str, expected: list[float]) -> None:
    known = {"CartError": {0}, "add_item": {0, 1}, "refund": {2}, "pay": {2}}
    known["many_have_it"] = set(range(5))
    found = defined_names(text, 5, lambda name: known.get(name, ()))
    assert found.tolist() == pytest.approx([*expected, 0.0, 0.0])
