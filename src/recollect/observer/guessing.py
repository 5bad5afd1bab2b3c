"""Guessing the rest of a session's files when it begins, and how good simpler guesses are."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
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
    """The rest of a session's files from its first two, and simpler ways to guess them."""
    hits: Counter[str] = Counter()
    wanted = asked = 0
    for question in questions(sessions, commits, after):
        asked += 1
        wanted += len(question.rest)
        history, seeds, now = question.history, question.seeds, question.session.begins
        prompt = question.session.prompt
        guesses = {
            "files": [one.path for one in predict(history, seeds, now, limit=AT)],
            "prompt": [one.path for one in predict(history, seeds, now, prompt, limit=AT)],
            **_simple(history, seeds),
        }
        for name, paths in guesses.items():
            hits[name] += len(question.rest.intersection(paths))
        advance(len(sessions) + asked, len(sessions) * 2, f"{asked} sessions predicted")
    share = {name: round(count / wanted, 4) for name, count in hits.items() if wanted}
    return {
        "files_recall_at_10": share.get("files", 0.0),
        "files_recall_at_10_with_prompt": share.get("prompt", 0.0),
        "files_recall_at_10_by_popularity": share.get("popularity", 0.0),
        "files_recall_at_10_by_git": share.get("git", 0.0),
        "files_recall_at_10_by_co_access": share.get("co_access", 0.0),
        "files_sessions": asked,
        "files_to_find": wanted,
    }


def _simple(history: History, seeds: Sequence[str]) -> dict[str, list[str]]:
    """The files met most often: at all, with the seeds in sessions, with the seeds in commits."""
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
