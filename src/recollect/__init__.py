"""Recollect: a memory for AI agents and the people who work with them.

    import recollect

    with recollect.open("memory.db") as memory:
        memory.remember("The staging database is reset every night.", type="gotcha")
        print(memory.recall("when is staging wiped?").found[0].text)

Names are loaded when they are first used, so importing the package costs next to nothing.
"""

from typing import TYPE_CHECKING, Final

from recollect.vocabulary.lazy_imports import lazy_names

if TYPE_CHECKING:
    from recollect.composition import open, open_async
    from recollect.engine import AsyncRecollect, Recollect
    from recollect.vocabulary.audiences import Viewer
    from recollect.vocabulary.errors import RecollectError
    from recollect.vocabulary.events import Event, NewEvent
    from recollect.vocabulary.memory import Memory
    from recollect.vocabulary.pagination import Page
    from recollect.vocabulary.results import Filters, Found, Recalled

__version__: Final = "0.2.0"

_HOMES: Final = {
    "AsyncRecollect": "recollect.engine",
    "Event": "recollect.vocabulary.events",
    "Filters": "recollect.vocabulary.results",
    "Found": "recollect.vocabulary.results",
    "Memory": "recollect.vocabulary.memory",
    "NewEvent": "recollect.vocabulary.events",
    "Page": "recollect.vocabulary.pagination",
    "Recalled": "recollect.vocabulary.results",
    "Recollect": "recollect.engine",
    "RecollectError": "recollect.vocabulary.errors",
    "Viewer": "recollect.vocabulary.audiences",
    "open": "recollect.composition",
    "open_async": "recollect.composition",
}

__all__ = [
    "AsyncRecollect",
    "Event",
    "Filters",
    "Found",
    "Memory",
    "NewEvent",
    "Page",
    "Recalled",
    "Recollect",
    "RecollectError",
    "Viewer",
    "__version__",
    "open",
    "open_async",
]


__getattr__ = lazy_names(__name__, _HOMES)
