"""``Recollect`` and its asynchronous face: the public verbs, and nothing else."""

from recollect.engine.asynchronous import AsyncRecollect
from recollect.engine.verbs import Recollect, Rooms

__all__ = ["AsyncRecollect", "Recollect", "Rooms"]
