"""``Recollect`` and its asynchronous face: the public verbs, and nothing else."""

from recollect.engine.async_face import AsyncRecollect
from recollect.engine.services import Services
from recollect.engine.verbs import Recollect

__all__ = ["AsyncRecollect", "Recollect", "Services"]
