"""Queries over all earlier sessions of a space: next files, search answers and fixes.

The history is loaded from the store and cached until something is learned here; what other
processes learned shows after a few minutes.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Final

from recollect.observer import failures
from recollect.observer.calibrations import Calibration, calibration_of
from recollect.observer.coaccess import SESSION, CoAccess, weighed
from recollect.observer.facts import plan_of
from recollect.observer.history import COMMITS, SESSIONS, History, PastSession
from recollect.observer.prediction import Predicted, predict
from recollect.observer.signals.searches import normal_pattern
from recollect.observer.sketches import Sketch
from recollect.storage.agents import observations
from recollect.storage.database import Database, Transaction
from recollect.trust.authorisation import authorise, require_role
from recollect.vocabulary.audiences import Access, Viewer
from recollect.vocabulary.clock import Clock
from recollect.vocabulary.spaces import Role, Space

_KEPT: Final = timedelta(minutes=5)
_SKETCHES: Final = 3_000
_FILES_A_COMMIT: Final = 8
#: Pairs of a file that are weighed; the strongest of them are given.
_PAIRS: Final = 500


class Experience:
    """Answers queries about earlier sessions."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock
        self._histories: dict[str, tuple[datetime, History]] = {}

    def outdate(self, space_id: str) -> None:
        """Invalidate the cache after something was learned, so that the next query reads it."""
        self._histories.pop(space_id, None)

    def predict(
        self,
        viewer: Viewer,
        space: Space,
        files: Sequence[str],
        prompt: str = "",
        *,
        branch: str = "",
        limit: int = 10,
    ) -> list[Predicted]:
        """Files that a session which touched these will probably touch next."""
        with self._database.reading() as transaction:
            access = authorise(transaction, viewer, space)
            return self.predict_within(
                transaction, access, files, prompt, branch=branch, limit=limit
            )

    def predict_within(
        self,
        transaction: Transaction,
        access: Access,
        files: Sequence[str],
        prompt: str = "",
        *,
        branch: str = "",
        limit: int = 10,
    ) -> list[Predicted]:
        """The same, in the caller's transaction."""
        history = self._history_within(transaction, access)
        return predict(history, files, self._clock(), prompt, branch=branch, limit=limit)

    def landing(self, viewer: Viewer, space: Space, pattern: str) -> str | None:
        """File that answered the same search in an earlier session."""
        return self.history(viewer, space).landings.get(normal_pattern(pattern))

    def fix(self, viewer: Viewer, space: Space, error: str) -> str | None:
        """Fix for the same failure in an earlier session."""
        if failures.is_harness(error):
            return None
        known = self.history(viewer, space).fixes
        return next((known[sign] for sign in failures.signs(error) if sign in known), None)

    def together(
        self, viewer: Viewer, space: Space, files: Sequence[str], limit: int = 20
    ) -> list[CoAccess]:
        """Pairs that contain these files, strongest first, with the types of their sessions."""
        with self._database.reading() as transaction:
            access = authorise(transaction, viewer, space)
            require_role(access, Role.READER, "see what goes together")
            pairs = observations.pairs_of(transaction, space.id, list(files), limit=_PAIRS)
            found = weighed(transaction, space.id, pairs)[:limit]
            if not found:
                return []
            sessions = self._history_within(transaction, access).sessions.values()
        return [
            replace(one, task_type_breakdown=_task_types(sessions, one.first, one.second))
            if one.source == SESSION
            else one
            for one in found
        ]

    def calibrations(
        self, viewer: Viewer, space: Space, modules: Iterable[str]
    ) -> list[Calibration]:
        """How the plans of modules fared, as far as enough sessions planned there."""
        sessions = self.history(viewer, space).sessions.values()
        plans = [(one.folders, one.plan) for one in sessions if one.plan is not None]
        found = (calibration_of(plans, module) for module in dict.fromkeys(modules))
        return [one for one in found if one is not None]

    def history(self, viewer: Viewer, space: Space) -> History:
        """History of the space's files; read again after learning, and every five minutes for what
        others learned."""
        with self._database.reading() as transaction:
            return self._history_within(transaction, authorise(transaction, viewer, space))

    def _history_within(self, transaction: Transaction, access: Access) -> History:
        require_role(access, Role.READER, "see what is learned")
        now, space_id = self._clock(), access.space_id
        found = self._histories.get(space_id)
        if found is None or now - found[0] > _KEPT:
            found = self._histories[space_id] = (now, _history_from(transaction, space_id))
        return found[1]


def _task_types(sessions: Iterable[PastSession], first: str, second: str) -> dict[str, int]:
    """In how many sessions of each type two files were used together."""
    both = (one.task_type for one in sessions if first in one.files and second in one.files)
    return dict(Counter(both).most_common())


def _history_from(transaction: Transaction, space_id: str) -> History:
    """History of a space from its sessions, commits and sketches, oldest first."""
    history = History()
    for session, started_at, facts in observations.recent_sessions(transaction, space_id, SESSIONS):
        past = history.session(session, started_at)
        past.words.update(facts.get("words", ()))
        past.branches.update(facts.get("branches", ()))
        past.plan = plan_of(facts)
        past.task_type = str(facts.get("session_type", "build"))
        history.landings.update(facts.get("searches", ()))
        for key, words in facts.get("fixes", ()):
            history.fixes[failures.sign_of(key)] = words
        for path, _, first_at, _, edits in facts.get("files", ()):
            at = datetime.fromtimestamp(first_at, UTC)
            history.touch(past, path, at, edited=bool(edits))
    for at, files in observations.recent_commits(transaction, space_id, COMMITS * _FILES_A_COMMIT):
        history.commit(at, files)
    for path, document in observations.recent_sketches(transaction, space_id, _SKETCHES):
        sketch = Sketch.resumed(document["names"])
        history.sketches[path] = sketch
        history.definers.update(sketch.defines)
    return history
