"""A reranker with a timeout: callers stop waiting, while the work continues.

The first question of a local model loads it, which may take minutes; it is not cut off, and later
questions find it ready. The number of calls in progress is limited.
"""

import logging
from collections.abc import Sequence
from threading import BoundedSemaphore, Event, Thread
from typing import Final

from recollect.inference.reranker import Reranker
from recollect.vocabulary.errors import InferenceError, RerankerFailed

AT_ONCE: Final = 8

log = logging.getLogger(__name__)


class TimeoutReranker:
    """Any reranker, with a limit to how long callers wait."""

    def __init__(self, reranker: Reranker, seconds: float, *, at_once: int = AT_ONCE) -> None:
        self._reranker = reranker
        self._seconds = seconds
        self._places = BoundedSemaphore(at_once)

    @property
    def model_id(self) -> str:
        """The name of the model behind it."""
        return self._reranker.model_id

    def rerank(self, query: str, texts: Sequence[str]) -> list[float]:
        """The scores, if they arrive in time."""
        if not self._places.acquire(blocking=False):
            raise RerankerFailed(f"{self.model_id} is busy with other questions.")
        attempt = _Attempt(self._reranker, query, texts)
        thread = Thread(target=self._run, args=(attempt,), name="recollect-rerank", daemon=True)
        thread.start()
        if not attempt.done.wait(self._seconds):
            raise RerankerFailed(f"{self.model_id} did not answer within {self._seconds:g} s.")
        if attempt.error is not None:
            raise attempt.error
        return attempt.scores

    def _run(self, attempt: "_Attempt") -> None:
        try:
            attempt.run()
        finally:
            self._places.release()
            attempt.done.set()


class _Attempt:
    """One call in progress."""

    def __init__(self, reranker: Reranker, query: str, texts: Sequence[str]) -> None:
        self._reranker, self._query, self._texts = reranker, query, texts
        self.scores: list[float] = []
        self.error: InferenceError | None = None
        self.done = Event()

    def run(self) -> None:
        try:
            self.scores = self._reranker.rerank(self._query, self._texts)
        except InferenceError as error:
            self.error = error
        except Exception as error:  # libraries of models raise anything
            log.debug("A reranker failed.", exc_info=True)
            self.error = RerankerFailed(f"{self._reranker.model_id} failed: {error}.")
