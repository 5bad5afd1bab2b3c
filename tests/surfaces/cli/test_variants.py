"""Profiles that differ in one thing: what an ablation and a sweep ask with."""

from dataclasses import replace

import pytest

from recollect.recall.profiles import MEASURED, PROFILES
from recollect.surfaces.cli.bench.variants import ablation, sweep
from recollect.vocabulary.errors import InvalidInput

AGENT = PROFILES["agent"]


def test_steps_end_with_the_whole_and_each_line_lacks_what_it_says() -> None:
    found = list(ablation(AGENT))
    steps = [one for one in found if one.part == "steps"]
    assert not steps[0].profile.uses_context
    assert steps[-1].profile == AGENT
    assert all(one.profile.uses_context for one in steps[1:])
    sizes = [len(one.profile.weights) for one in steps[1:]]
    assert sizes == sorted(sizes)
    without = {one.name: one.profile for one in found if one.part == "without"}
    assert "speaker" not in without["speaker"].weights
    assert without["around, coverage"].uses_context, "context is still looked at"
    assert without["around, coverage"].weights["around"] < 1e-6
    assert without["breadth of the question"] == replace(AGENT, broader={})
    assert {name for one in without.values() for name in set(MEASURED) - set(one.weights)} | {
        "around"
    } == set(MEASURED)


def test_sweep_tries_what_was_named() -> None:
    found = [one.profile for one in sweep(AGENT, ["speaker=1,4", "diversity=0.9", "leaders"])]
    assert found[0] == AGENT
    assert [one.weights["speaker"] for one in found[1:3]] == [1.0, 4.0]
    assert found[3] == replace(AGENT, diversity=0.9)
    assert [one.leaders for one in found[4:]] == [32, 128]
    assert all(one.uses_context for one in found)


def test_sweep_of_everything_halves_and_doubles_every_weight() -> None:
    tried = {one.name for one in sweep(AGENT, [])}
    for name, weight in MEASURED.items():
        assert {f"{name} = {weight / 2:g}", f"{name} = {weight * 2:g}"} <= tried


@pytest.mark.parametrize("wanted", ["nothing=1", "speaker=much", "=1"])
def test_what_cannot_be_swept(wanted: str) -> None:
    with pytest.raises(InvalidInput):
        list(sweep(AGENT, [wanted]))
