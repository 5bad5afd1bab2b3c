"""A benchmark that loses something of its set says how much and why, and exits accordingly."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

import recollect
from recollect.surfaces.cli.bench.measure import compared
from recollect.surfaces.cli.bench.sets import read_any
from tests.embedders import RemoteEmbedder
from tests.surfaces.cli.runner import InProcess


def set_of(path: Path, turns: list[dict[str, Any]], gold: list[str]) -> str:
    one = {"id": "one", "turns": turns, "questions": [{"text": "Which cake?", "gold": gold}]}
    text = json.dumps({"conversations": [one]}).encode()
    path.write_bytes(gzip.compress(text) if path.suffix == ".gz" else text)
    return str(path)


def turn(name: str, text: str, **more: str) -> dict[str, Any]:
    return {"id": name, "session": "s1", "speaker": "ann", "text": text, **more}


def test_times_that_cannot_be_read_cost_only_the_times(cli: InProcess, tmp_path: Path) -> None:
    turns = [
        turn("1", "The plum cake was the best.", time="March-15-2024"),
        turn("2", "It rains.", time="yesterday"),
    ]
    ran = cli("bench", "chat", "--data", set_of(tmp_path / "set.json", turns, ["1"]), "--json")
    assert (ran.code, ran.document["turn"]["r5"]) == (0, 100.0)
    assert ran.document["lost"][0].startswith("2 turns or sessions were kept without a time")
    assert "'March-15-2024' is not a time that can be read" in ran.document["lost"][1]


def test_turns_that_are_lost_make_the_figures_incomplete(cli: InProcess, tmp_path: Path) -> None:
    turns = [turn("1", "The plum cake was the best."), {**turn("2", "Yes."), "speaker": "x" * 999}]
    data = set_of(tmp_path / "set.json.gz", turns, ["1", "9"])
    ran = cli("bench", "chat", "--data", data)
    assert ran.code == 3
    assert "1 turns could not be imported: the figures are not those of the set." in ran.out
    assert "one: line 2: An author's name has 1 to" in ran.out
    assert "1 names of gold turns are not in the set." in ran.out


def test_a_set_without_a_question_is_not_measured(cli: InProcess, tmp_path: Path) -> None:
    data = set_of(tmp_path / "set.json", [turn("1", "The plum cake was the best.")], ["9"])
    ran = cli("bench", "chat", "--data", data, "--json")
    assert (ran.code, ran.document["questions"]) == (3, 0)
    assert "1 questions were not asked" in ran.document["lost"][0]


def test_several_sets_by_one_command(cli: InProcess, tmp_path: Path) -> None:
    turns = [turn("1", "The plum cake was the best."), turn("2", "It rains.")]
    some = set_of(tmp_path / "some.json", turns, ["1"])
    others = set_of(tmp_path / "others.json.gz", turns, ["2"])
    for files in (("--data", some, "--data", others), ("--data", some, others)):
        ran = cli("bench", "recall", *files)
        assert ran.code == 0
        assert ran.out.splitlines()[-2].startswith(f"{some}\t1\t100.0")
    for more in ((), ("--quick",)):
        ran = cli("bench", "ablation", "--data", some, "--data", others, *more)
        assert ran.code == 0
        assert "others.json.gz: 1 questions" in ran.out
        assert ran.out.count("100.0") > 10


def test_vectors_that_are_made_later_are_there_before_the_questions(tmp_path: Path) -> None:
    data = set_of(tmp_path / "set.json", [turn("1", "The plum cake was the best.")], ["1"])
    embedder = RemoteEmbedder()
    done = compared(
        list(read_any(Path(data))),
        lambda path: recollect.open(path, space="bench", embedder=embedder, worker=False),
        [None],
        advance=lambda *_: None,
    )
    assert embedder.asked == ["The plum cake was the best.", "Which cake?"]
    assert [one.share(5) for one in done.found[0]] == [1.0]


def test_an_import_says_when_its_vectors_come_later(
    cli: InProcess, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = tmp_path / "turns.jsonl"
    data.write_text(json.dumps({"text": "The plum cake was the best."}))
    told = "Found by keywords only until 'recollect worker' has made the vectors."
    assert told not in cli("import", str(data)).err
    monkeypatch.setenv("RECOLLECT_EMBEDDER_KEY", "none")
    data.write_text(json.dumps({"text": "The pear cake was better."}))
    assert told in cli("import", str(data), "--embedder", "openai").err
