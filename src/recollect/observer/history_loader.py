"""The history that predictions need, read back from the store."""

from datetime import UTC, datetime
from typing import Final

from recollect.observer import failures
from recollect.observer.history import COMMITS, SESSIONS, History
from recollect.observer.sketches import Sketch
from recollect.storage.agents import observations
from recollect.storage.database import Transaction

SKETCHES: Final = 3_000
_FILES_A_COMMIT: Final = 8


def history_from(transaction: Transaction, space_id: str) -> History:
    """Sessions, commits and sketches of a space, oldest first."""
    history = History()
    for session, started_at, facts in observations.recent_sessions(transaction, space_id, SESSIONS):
        past = history.session(session, started_at)
        past.words.update(facts.get("words", ()))
        past.branches.update(facts.get("branches", ()))
        history.landings.update(facts.get("searches", ()))
        for key, words in facts.get("fixes", ()):
            history.fixes[failures.sign_of(key)] = words
        for path, _, first_at, _, edits in facts.get("files", ()):
            at = datetime.fromtimestamp(first_at, UTC)
            history.touch(past, path, at, edited=bool(edits))
    for at, files in observations.recent_commits(transaction, space_id, COMMITS * _FILES_A_COMMIT):
        history.commit(at, files)
    for path, document in observations.recent_sketches(transaction, space_id, SKETCHES):
        sketch = Sketch.resumed(document["names"])
        history.sketches[path] = sketch
        history.definers.update(sketch.defines)
    return history
