"""Replays sessions in chronological order, to measure what would have been known when.

Acts of all sessions and commits are merged by time. The question about a session is asked at its
first act: nothing later, in this session or in another, has been processed by then.
"""

import gzip
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from recollect.observer.file_figures import Beginning, figures
from recollect.observer.history import TOUCHING, History
from recollect.observer.walks import Figures
from recollect.vocabulary.acts import Act, ActKind
from recollect.vocabulary.clock import aware

SEEDS = 2


@dataclass(slots=True)
class Played:
    """One complete session, known only to the measurement."""

    name: str
    begins: datetime
    acts: list[Act] = field(default_factory=list)
    prompt: str = ""
    branch: str = ""
    files: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class ReplayQuestion:
    """Facts known at the start of a session, and the files that it then touched."""

    session: Played
    seeds: tuple[str, ...]
    rest: frozenset[str]
    history: History


def sessions_of(acts: Iterable[Act]) -> list[Played]:
    """Sessions in the order of their start."""
    found: dict[str, Played] = {}
    for act in acts:
        played = found.get(act.session)
        if played is None:
            played = found[act.session] = Played(act.session, act.at, branch=act.branch)
        played.acts.append(act)
        played.begins = min(played.begins, act.at)
        if act.kind is ActKind.PROMPT and not played.prompt:
            played.prompt = act.text
        if act.kind is ActKind.CALL and act.tool in TOUCHING:
            played.files += [path for path in act.paths if path not in played.files]
    return sorted(found.values(), key=lambda played: played.begins)


def commits_of(folder: Path) -> list[tuple[datetime, tuple[str, ...]]]:
    """Commits stored beside the transcripts, oldest first; empty if there are none."""
    for name in ("commits.jsonl.gz", "commits.jsonl"):
        path = (folder if folder.is_dir() else folder.parent) / name
        if path.is_file():
            raw = gzip.decompress(path.read_bytes()) if name.endswith(".gz") else path.read_bytes()
            return sorted(_commits(raw.decode("utf-8", "replace").splitlines()))
    return []


def questions(
    sessions: Sequence[Played],
    commits: Sequence[tuple[datetime, tuple[str, ...]]],
    after: datetime | None = None,
) -> Iterator[ReplayQuestion]:
    """One question per session that has more files than the given ones, asked at its start."""
    history = History()
    happened: list[tuple[datetime, int, Act | tuple[str, ...]]] = [
        (act.at, 0, act) for played in sessions for act in played.acts
    ]
    happened += [(at, 1, files) for at, files in commits]
    happened.sort(key=lambda one: (one[0], one[1]))
    place = 0
    for played in sessions:
        while place < len(happened) and happened[place][0] < played.begins:
            at, _, what = happened[place]
            if isinstance(what, Act):
                history.hear(what)
            else:
                history.commit(at, what)
            place += 1
        if len(played.files) > SEEDS and (after is None or played.begins > after):
            rest = frozenset(played.files[SEEDS:])
            yield ReplayQuestion(played, tuple(played.files[:SEEDS]), rest, history)


def table_of(question: ReplayQuestion, *, seeded: bool, prompted: bool) -> dict[str, Figures]:
    """Features of every candidate file of a question."""
    session = question.session
    beginning = Beginning(
        session.begins,
        question.seeds if seeded else (),
        session.prompt if prompted else "",
        session.branch,
    )
    return figures(question.history, beginning)


def _commits(lines: Iterable[str]) -> Iterator[tuple[datetime, tuple[str, ...]]]:
    for line in lines:
        try:
            commit = json.loads(line)
            at = aware(datetime.fromisoformat(commit["committed_at"]))
            files = tuple(path for path in commit["files"] if isinstance(path, str))
        except (ValueError, KeyError, TypeError):
            continue
        if files:
            yield at, files
