"""The only place where rooms are put together."""

from recollect.wiring.house import build
from recollect.wiring.opening import AgentSettings, agent_settings, move, open, open_async

__all__ = ["AgentSettings", "agent_settings", "build", "move", "open", "open_async"]
