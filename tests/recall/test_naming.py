"""What a question names outright."""

import pytest

from recollect.recall.naming import named_files

PATHS = (
    "shop/__init__.py",
    "shop/db/__init__.py",
    "shop/db/query.py",
    "shop/cart.py",
    "web/cart.py",
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
    ],
)
def test_a_file_is_named_by_its_path_or_its_module(text: str, named: dict[str, float]) -> None:
    values = named_files(text, PATHS)
    found = {path: round(float(v), 2) for path, v in zip(PATHS, values, strict=True) if v > 0}
    assert found == named
