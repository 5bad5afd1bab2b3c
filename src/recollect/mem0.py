"""A drop-in for mem0: ``from recollect.mem0 import Memory`` instead of ``from mem0 import ...``."""

from recollect.surfaces.mem0.memory import AsyncMemory
from recollect.surfaces.mem0.memory import Mem0Memory as Memory

__all__ = ["AsyncMemory", "Memory"]
