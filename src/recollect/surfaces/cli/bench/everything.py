"""Runs every benchmark for which a folder holds data, each with its main figures.

The kind of a file is recognised by its content, not by its name: conversations with questions, talk
with an assistant, pairs of memories, transcripts of sessions with lessons, channels, and questions
about code. Other files are skipped and listed.
"""

import gzip
import json
import statistics
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple

from recollect.engine import Recollect
from recollect.surfaces.cli.bench import (
    assembled_contexts,
    contradictions,
    research,
    sessions,
    talk,
    workspace,
)
from recollect.surfaces.cli.bench.measure import compared, report, sampled
from recollect.surfaces.cli.bench.sets import read_any
from recollect.vocabulary.errors import InvalidInput

Advance = Callable[[int, int | None, str], None]
Opener = Callable[[Path], Recollect]

#: Bytes read first from a file to recognise its kind; up to 64 times as many follow.
_LOOK: Final = 4_096
_LARGEST: Final = 1 << 30
_CUTS: Final = (1, 5, 10)
_FILES: Final = 20
_ENDINGS: Final = (".json", ".json.gz", ".jsonl", ".jsonl.gz", ".xml", ".xml.gz")
#: Texts that each kind of data contains; the first kind with all of its texts present is chosen.
_KINDS: Final = {
    "contradictions": ('"pairs"', '"contradict"'),
    "talk": ('"conversations"', '"messages"'),
    "chat": ('"conversations"', '"turns"'),
    "locomo": ('"session_1"', '"dia_id"'),
    "lessons": ('"lesson"', '"evidence"'),
    "code": ('"tree"', '"gold"'),
    "sessions": ('"sessionId"', '"type"'),
    "acts": ('"session"', '"kind"', '"time"'),
    "commits": ('"sha"', '"files"'),  # read with the sessions beside them
}
#: Kinds that are sessions of agents.
TRANSCRIPTS: Final = ("sessions", "acts")


class CodeQuestion(NamedTuple):
    """Text about a code change, the tree before the change, and the files that it touched."""

    tree: str
    text: str
    gold: frozenset[str]


class Everything:
    """Benchmarks of one folder."""

    def __init__(self, folder: Path, opener: Opener, channel_opener: workspace.Opener) -> None:
        if not folder.is_dir():
            raise InvalidInput(f"There is no folder {str(folder)!r}.")
        self._opener = opener
        self._channel_opener = channel_opener
        self.found: dict[str, list[Path]] = {}
        self.left_alone: list[str] = []
        for path in sorted(folder.rglob("*")):
            if path.is_file() and path.name.endswith(_ENDINGS):
                kind = kind_of(path)
                if kind is None:
                    self.left_alone.append(str(path.relative_to(folder)))
                else:
                    self.found.setdefault(kind, []).append(path)
        if not self.found:
            raise InvalidInput(f"{str(folder)!r} holds nothing that can be measured on.")

    def run(self, every: int, advance: Advance) -> Iterator[dict[str, Any]]:
        """Run the benchmarks one after the other; yield each with its data and figures."""
        for kind in ("locomo", "chat"):
            for path in self.found.get(kind, ()):
                yield self._row("recall", path, self._recall(path, every, advance))
        for path in self.found.get("locomo", ()):
            yield self._row("research", path, self._research(path, every, advance))
        for path in self.found.get("locomo", ()):
            yield self._row("living", path, self._living(path, every, advance))
        for path in self.found.get("talk", ()):
            measured_figures = talk.measured(talk.read_talk(path), self._opener, advance)
            yield self._row("talk", path, _talk_figures(measured_figures))
        for path in self.found.get("contradictions", ()):
            pairs = contradictions.read_pairs(path)
            judged = contradictions.measured(pairs, self._opener, advance)
            named = ("pairs", "recall", "precision", "winner_right")
            yield self._row("contradictions", path, {name: judged[name] for name in named})
        for path in (one for kind in TRANSCRIPTS for one in self.found.get(kind, ())):
            yield self._row("sessions", path, self._sessions(path, advance))
        if channels := self.found.get("workspace"):
            known = workspace.measured(channels, self._channel_opener, advance)
            yield self._row("workspace", channels[0], known)
        for path in self.found.get("code", ()):
            yield self._row("code", path, code_figures(read_questions(path), self._opener, advance))

    def _row(self, measure: str, path: Path, figures: dict[str, Any]) -> dict[str, Any]:
        return {"measure": measure, "data": path.name, "figures": figures}

    def _recall(self, path: Path, every: int, advance: Advance) -> dict[str, Any]:
        done = compared(sampled(read_any(path), every), self._opener, [None], advance=advance)
        measured_figures = report(done.found[0])
        return {
            "questions": measured_figures["questions"],
            **{name: measured_figures["turn"][name] for name in ("r5", "r10", "r20")},
            "turns_lost": done.losses.turns,
        }

    def _research(self, path: Path, every: int, advance: Advance) -> dict[str, Any]:
        measured_figures = research.measured(sampled(read_any(path), every), self._opener, advance)
        named = ("questions", "citations_recall", "answered", "answer_f1", "balanced_accuracy")
        return {name: measured_figures[name] for name in named if name in measured_figures}

    def _living(self, path: Path, every: int, advance: Advance) -> dict[str, Any]:
        return assembled_contexts.questions(sampled(read_any(path), every), self._opener, advance)

    def _sessions(self, path: Path, advance: Advance) -> dict[str, Any]:
        lessons = next(iter(self.found.get("lessons", ())), None)
        measured_figures = sessions.measured(path, None, advance, lessons)
        named = ("sessions", "files_recall_at_10", "refusals", "refusals_captured")
        figures = {name: measured_figures[name] for name in named}
        for name, value in (measured_figures.get("lessons") or {}).items():
            if isinstance(value, int | float):
                figures[f"lessons_{name}"] = value
        return figures


def kind_of(path: Path) -> str | None:
    """Kind of a file by its beginning; None when it is not known."""
    if path.stat().st_size > _LARGEST:
        return None
    try:
        with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as file:
            head = file.read(_LOOK).decode("utf-8", "replace")
            more = file.read(64 * _LOOK).decode("utf-8", "replace")
    except (OSError, EOFError):
        return None
    if ".xml" in path.suffixes[-2:]:
        return "workspace" if "conversation_id=" in head else None
    whole = head + more
    return next(
        (kind for kind, words in _KINDS.items() if all(word in whole for word in words)), None
    )


def read_questions(path: Path) -> list[CodeQuestion]:
    """Read questions about code, one JSON object per line: tree, text, gold."""
    found = []
    for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
        try:
            measured_figures = json.loads(line)
            found.append(
                CodeQuestion(
                    measured_figures["tree"],
                    measured_figures["text"],
                    frozenset(measured_figures["gold"]),
                )
            )
        except (ValueError, KeyError, TypeError) as error:
            raise InvalidInput(f"{path.name}, line {number}: no question about code.") from error
    return found


def code_figures(questions: list[CodeQuestion], opener: Opener, advance: Advance) -> dict[str, Any]:
    """Share of questions whose files are all among the first files that recall names."""
    places: list[int] = []  # number of files returned when the last wanted one came
    with tempfile.TemporaryDirectory(prefix="recollect-bench-") as folder:
        for number, tree in enumerate(dict.fromkeys(one.tree for one in questions)):
            if not Path(tree).is_dir():
                raise InvalidInput(f"There is no folder {tree!r}, about which questions are asked.")
            with opener(Path(folder) / f"{number}.db") as memory:
                memory.code.index(tree)
                for one in (each for each in questions if each.tree == tree):
                    hits = memory.recall(one.text, limit=_FILES)
                    files = list(dict.fromkeys(hit.path for hit in hits if hit.path))
                    came = [files.index(wanted) for wanted in one.gold if wanted in files]
                    places.append(1 + max(came) if len(came) == len(one.gold) else _FILES + 1)
                    advance(len(places), len(questions), Path(tree).name)
    shares = {
        f"all_files_in_first_{cut}": round(statistics.fmean(place <= cut for place in places), 3)
        for cut in _CUTS
    }
    return {"questions": len(places), **(shares if places else {})}


def _talk_figures(measured_figures: dict[str, Any]) -> dict[str, Any]:
    named = ("keep", "skip", "ask")
    done = ("kept", "wrongly_kept", "answered")
    return {
        "conversations": measured_figures["conversations"],
        **{
            name: round(measured_figures[name] / max(1, measured_figures[f"{total}_total"]), 3)
            for name, total in zip(done, named, strict=True)
        },
    }
