"""Composition root: the only place where packages are wired together."""

from recollect.composition.open_memory import (
    AgentSettings,
    agent_settings,
    check_place,
    create_tenant,
    damage_of,
    drop_tenant,
    list_tenants,
    move,
    open,
    open_async,
    rescue,
    survey_damage,
    tenant_address,
)
from recollect.composition.services import build

__all__ = [
    "AgentSettings",
    "agent_settings",
    "build",
    "check_place",
    "create_tenant",
    "damage_of",
    "drop_tenant",
    "list_tenants",
    "move",
    "open",
    "open_async",
    "rescue",
    "survey_damage",
    "tenant_address",
]
