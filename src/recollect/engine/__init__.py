"""``Recollect`` and its asynchronous face: the public verbs, and nothing else."""

from recollect.engine.asynchronous import AsyncRecollect
from recollect.engine.rooms import Rooms
from recollect.engine.verbs import Recollect

__all__ = ["AsyncRecollect", "Recollect", "Rooms"]
