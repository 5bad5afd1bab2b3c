"""A lease is renewed for as long as its work takes, by a thread that ends with the work.

Renewing is a courtesy that saves double work. Nothing relies on it: a lease that is lost all the
same is noticed when the work is to be written.
"""

import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta

from recollect.jobs.trouble import hide_secrets, sentence_of, trouble_of

_log = logging.getLogger(__name__)


@contextmanager
def holding(renew: Callable[[], object], every: timedelta) -> Iterator[None]:
    """Renew again and again while the block runs."""
    ended = threading.Event()

    def keep() -> None:
        while not ended.wait(every.total_seconds()):
            trouble = trouble_of(renew)
            if trouble is not None:
                _log.warning("A lease was not renewed. %s", sentence_of(trouble, hide_secrets))

    keeper = threading.Thread(target=keep, name="recollect-lease", daemon=True)
    keeper.start()
    try:
        yield
    finally:
        ended.set()
        keeper.join()
