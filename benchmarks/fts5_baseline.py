"""A plain FTS5 table over the same tokens, asked with a plain OR, to be compared with."""

import sqlite3
from collections.abc import Mapping, Sequence
from pathlib import Path

from recollect.index.analyser import analyse
from recollect.storage.dialects.protocol import TOKEN_CHARACTERS

_NEARLY = 1e-5


class PlainOr:
    """Texts by BM25 as FTS5 has it."""

    def __init__(self, path: Path, texts: Mapping[int, str]) -> None:
        self._connection = sqlite3.connect(path)
        self._connection.execute(
            "CREATE VIRTUAL TABLE kept USING "
            f"fts5(tokens, tokenize=\"ascii tokenchars '{TOKEN_CHARACTERS}'\")"
        )
        self._connection.executemany(
            "INSERT INTO kept(rowid, tokens) VALUES (?, ?)",
            ((slot, " ".join(analyse(text))) for slot, text in texts.items()),
        )
        self._connection.commit()

    def best(self, terms: Sequence[str], limit: int) -> list[tuple[int, float]]:
        """The best rows and their scores."""
        found = self._connection.execute(
            "SELECT rowid, -rank FROM kept WHERE kept MATCH ? ORDER BY rank LIMIT ?",
            (_any_of(terms), limit),
        )
        return found.fetchall()

    def as_good(self, terms: Sequence[str], slots: Sequence[int], limit: int) -> bool:
        """Whether these are the best rows; one that scores as the last of them may stand for it."""
        best = self.best(terms, limit)
        if len(slots) != len(best):
            return False
        others = sorted(set(slots) - {slot for slot, _ in best})
        if not others:
            return True
        marks = ", ".join("?" * len(others))
        scores = self._connection.execute(
            f"SELECT -rank FROM kept WHERE kept MATCH ? AND rowid IN ({marks})",
            (_any_of(terms), *others),
        ).fetchall()
        last = best[-1][1]
        return len(scores) == len(others) and all(
            score >= last - _NEARLY * abs(last) for (score,) in scores
        )


def _any_of(terms: Sequence[str]) -> str:
    return " OR ".join(f'"{term}"' for term in terms)
