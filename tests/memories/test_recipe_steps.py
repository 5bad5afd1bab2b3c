"""A recipe has its steps, in its extras or in its words, or it is refused."""

import pytest

from recollect.engine import Recollect
from recollect.memories.recipe_steps import recipe_of
from recollect.vocabulary.errors import InvalidInput


@pytest.mark.parametrize(
    ("text", "title", "steps"),
    [
        ("deploy: test -> build -> stage", "deploy", ["test", "build", "stage"]),
        ("Release: (1) Run `make check`. (2) Tag it.", "Release", ["Run `make check`", "Tag it"]),
        ("Release\n1. Run the checks\n2. Tag the commit", "Release", None),
        ("How to add a page:\n- write it\n- link it", "How to add a page", ["write it", "link it"]),
        ("To ship: run the tests, then tag the commit, then push.", "To ship", None),
        ("Release: test, tag, and deploy.", "Release", ["test", "tag", "deploy"]),
        ("Freeze, tag, upload, announce.", "Freeze, tag, upload, announce", None),
        ("Pour livrer : tester puis publier", "Pour livrer", ["tester", "publier"]),
    ],
)
def test_steps_are_read_from_words(text: str, title: str, steps: list[str] | None) -> None:
    found = recipe_of(text)
    assert found["task_pattern"] == title
    told = [one["description"] for one in found["steps"]]
    assert len(told) > 1
    assert steps is None or told == steps


def test_a_recipe_without_steps_is_refused(memory: Recollect) -> None:
    with pytest.raises(InvalidInput, match="needs its steps"):
        memory.remember("Deploy somehow.", type="workflow_recipe")
    fact = memory.remember("Deploy somehow.")
    with pytest.raises(InvalidInput, match="needs its steps"):
        memory.update(fact.id, type="workflow_recipe")
    told = memory.remember("deploy: test -> build -> stage", type="workflow_recipe")
    assert [one["description"] for one in told.extras["steps"]] == ["test", "build", "stage"]
