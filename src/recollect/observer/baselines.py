"""Evaluates predictions of a session's remaining files against simpler baselines."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from functools import partial
from typing import Any, Final

from recollect.observer.history import History
from recollect.observer.prediction import predict
from recollect.observer.replay import Played, questions

AT: Final = 10

Commits = Sequence[tuple[datetime, tuple[str, ...]]]
Advance = Callable[[int, int | None, str], None]


def recalls(
    sessions: Sequence[Played], commits: Commits, after: datetime | None, advance: Advance
) -> dict[str, Any]:
    """Recall of a session's remaining files from its first two, for the model and the baselines.

    The overall recall weights all files alike; the mean over sessions weights each session alike.
    Before the first file is touched, only the prompt and the branch are known.
    """
    hits: Counter[str] = Counter()
    shares: dict[str, float] = defaultdict(float)
    wanted = asked = touched = 0
    for question in questions(sessions, commits, after):
        asked += 1
        wanted += len(question.rest)
        history, seeds, now = question.history, question.seeds, question.session.begins
        prompt, branch = question.session.prompt, question.session.branch
        guess = partial(_guess, history, now=now, branch=branch)
        guesses = {
            "files": guess(seeds),
            "prompt": guess(seeds, prompt=prompt),
            **_simple(history, seeds),
        }
        for name, paths in guesses.items():
            found = len(question.rest.intersection(paths))
            hits[name] += found
            shares[name] += found / len(question.rest)
        every = question.rest.union(seeds)
        hits["beginning"] += len(every.intersection(guess((), prompt=prompt)))
        touched += len(every)
        advance(len(sessions) + asked, len(sessions) * 2, f"{asked} sessions predicted")
    share = {name: round(count / wanted, 4) for name, count in hits.items() if wanted}
    mean = {name: round(total / asked, 4) for name, total in shares.items() if asked}
    return {
        "files_recall_at_10": share.get("files", 0.0),
        "files_recall_at_10_with_prompt": share.get("prompt", 0.0),
        "files_recall_at_10_by_popularity": share.get("popularity", 0.0),
        "files_recall_at_10_by_git": share.get("git", 0.0),
        "files_recall_at_10_by_co_access": share.get("co_access", 0.0),
        "files_recall_at_10_before_the_first": round(hits["beginning"] / max(1, touched), 4),
        "files_recall_at_10_mean_of_sessions": mean.get("files", 0.0),
        "files_recall_at_10_mean_of_sessions_with_prompt": mean.get("prompt", 0.0),
        "files_sessions": asked,
        "files_to_find": wanted,
    }


def _guess(
    history: History, seeds: Sequence[str], *, now: datetime, branch: str, prompt: str = ""
) -> list[str]:
    found = predict(history, seeds, now, prompt, branch=branch, limit=AT)
    return [one.path for one in found]


def _simple(history: History, seeds: Sequence[str]) -> dict[str, list[str]]:
    """Baselines: the files seen most often, overall, with the seeds in sessions, and with the seeds
    in commits."""
    sessions = [past.files for past in history.sessions.values()]
    commits = [changed for _, changed in history.commits]
    return {
        "popularity": _top((path for files in sessions for path in files), seeds),
        "co_access": _top(_beside(sessions, seeds), seeds),
        "git": _top(_beside(commits, seeds), seeds),
    }


def _beside(groups: Iterable[Iterable[str]], seeds: Sequence[str]) -> Iterable[str]:
    for group in groups:
        members = list(group)
        for seed in seeds:
            if seed in members:
                yield from members


def _top(paths: Iterable[str], seeds: Sequence[str]) -> list[str]:
    counted = Counter(paths)
    return [path for path, _ in counted.most_common(AT + len(seeds)) if path not in seeds][:AT]
