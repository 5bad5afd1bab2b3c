"""What one process of the crowd does: write and note what was acknowledged, or search for it."""

import json
from pathlib import Path
from typing import IO, Any

import recollect
from benchmarks.crash.losses import Losses
from benchmarks.texts import questions, sentences
from recollect.engine import Recollect
from recollect.vocabulary.errors import RecollectError

FINISHED = "finished"
_EVERY = 50

Entry = dict[str, Any]


def opened(address: str) -> Recollect:
    """The store of the crowd, as anybody opens it: with a worker in a thread."""
    return recollect.open(address, user="crowd", embedder="static")


def acknowledged(folder: Path) -> set[str]:
    """The ids of all that ``remember`` returned."""
    lines = [
        line for path in _ledgers(folder) for line in path.read_text(encoding="utf-8").splitlines()
    ]
    return {json.loads(line)["id"] for line in lines}


def write(folder: Path, address: str, number: int, memories: int) -> Losses:
    """Remember so many, note each that was acknowledged, and look for some at once."""
    losses = Losses()
    ledger = _ledger(folder, number).open("w", encoding="utf-8")
    with ledger, opened(address) as memory:
        for count, text in enumerate(sentences(memories)):
            word = f"beacon{number}x{count}" if count % _EVERY == 0 else ""
            try:
                # every writer says the same sentences, and each of them counts
                kept = memory.remember(f"{text} {word}", tags=[f"writer-{number}"], repeats="keep")
                ledger.write(json.dumps({"id": kept.id, "word": word}) + "\n")
                ledger.flush()
                _look(memory, {"id": kept.id, "word": word}, losses)
            except RecollectError as error:
                losses.note(error, f"writer {number} at {count}")
    return losses


def search(folder: Path, address: str, number: int, _memories: int) -> Losses:
    """Look for every new word as soon as it was acknowledged, and ask other things between."""
    losses = Losses()
    asked = questions(1_000)
    files: dict[Path, IO[str]] = {}
    rounds = 0
    with opened(address) as memory:
        finished = False
        while not finished:
            finished = (folder / FINISHED).exists()
            try:
                for entry in _new_entries(folder, files):
                    _look(memory, entry, losses)
                memory.recall(asked[rounds % len(asked)])
            except RecollectError as error:
                losses.note(error, f"searcher {number}")
            rounds += 1
    return losses


def _look(memory: Recollect, entry: Entry, losses: Losses) -> None:
    """A memory that carries a word of its own must be found by it."""
    if not entry["word"]:
        return
    found = memory.recall(entry["word"], kinds="memory", limit=3).found
    if entry["id"] not in [one.id for one in found]:
        losses.lost.append(f"{entry['id']} was acknowledged and {entry['word']} does not find it")


def _new_entries(folder: Path, files: dict[Path, IO[str]]) -> list[Entry]:
    """What the writers noted since the last look; half a line is left for the next."""
    entries = []
    for path in _ledgers(folder):
        if path not in files:
            files[path] = path.open(encoding="utf-8")
        file = files[path]
        place = file.tell()
        while (line := file.readline()).endswith("\n"):
            entries.append(json.loads(line))
            place = file.tell()
        file.seek(place)
    return entries


def _ledger(folder: Path, number: int) -> Path:
    return folder / f"writer-{number}.jsonl"


def _ledgers(folder: Path) -> list[Path]:
    return sorted(folder.glob("writer-*.jsonl"))
