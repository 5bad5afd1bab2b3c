"""The public API: ``Recollect`` and its asyncio version, and nothing else."""

from typing import TYPE_CHECKING, Final

from recollect.vocabulary.lazy_imports import lazy_names

if TYPE_CHECKING:
    from recollect.engine.async_face import AsyncRecollect
    from recollect.engine.services import Services
    from recollect.engine.verbs import Recollect

_HOMES: Final = {
    "AsyncRecollect": "recollect.engine.async_face",
    "Recollect": "recollect.engine.verbs",
    "Services": "recollect.engine.services",
}

__all__ = ["AsyncRecollect", "Recollect", "Services"]

__getattr__ = lazy_names(__name__, _HOMES)
