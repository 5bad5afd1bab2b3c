"""The only place where rooms are put together."""

from recollect.wiring.house import build
from recollect.wiring.opening import (
    AgentSettings,
    agent_settings,
    damage_of,
    move,
    open,
    open_async,
    rescue,
    survey_damage,
)

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
