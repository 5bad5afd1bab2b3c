"""The only place where rooms are put together."""

from recollect.composition.open_memory import (
    AgentSettings,
    agent_settings,
    damage_of,
    move,
    open,
    open_async,
    rescue,
    survey_damage,
)
from recollect.composition.services import build

__all__ = [
    "AgentSettings",
    "agent_settings",
    "build",
    "damage_of",
    "move",
    "open",
    "open_async",
    "rescue",
    "survey_damage",
]
