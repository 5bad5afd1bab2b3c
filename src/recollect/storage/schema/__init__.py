"""The tables, as they stand today. The numbered migrations must build exactly this.

Every key begins with the space, so that the same schema can be spread over machines by that one
column. What is searched or joined has a table of its own, never a list inside a column. Columns
that say whose a row is are written once; triggers refuse to change them.
"""

from recollect.storage.schema.agents import (
    agent_reviews,
    agent_served,
    agent_sessions,
    agent_trust,
)
from recollect.storage.schema.base import metadata
from recollect.storage.schema.ground import (
    audiences,
    event_reactions,
    event_revisions,
    events,
    imports,
    jobs,
    memories,
    memory_events,
    memory_files,
    memory_history,
    memory_modules,
    memory_relations,
    memory_sessions,
    memory_tags,
    place_changes,
    places,
    schedules,
    space_members,
    spaces,
    store_facts,
    stream_members,
    streams,
    vectors,
)
from recollect.storage.schema.observed import (
    co_access,
    commit_files,
    file_sketches,
    observed_modules,
    observed_sessions,
    sightings,
)

__all__ = [
    "COLLECTIONS",
    "SCOPE_COLUMNS",
    "agent_reviews",
    "agent_served",
    "agent_sessions",
    "agent_trust",
    "audiences",
    "co_access",
    "commit_files",
    "event_reactions",
    "event_revisions",
    "events",
    "file_sketches",
    "imports",
    "jobs",
    "memories",
    "memory_events",
    "memory_files",
    "memory_history",
    "memory_modules",
    "memory_relations",
    "memory_sessions",
    "memory_tags",
    "metadata",
    "observed_modules",
    "observed_sessions",
    "place_changes",
    "places",
    "schedules",
    "sightings",
    "space_members",
    "spaces",
    "store_facts",
    "stream_members",
    "streams",
    "vectors",
]

#: Columns that say whose a row is. No update may change them.
SCOPE_COLUMNS: dict[str, tuple[str, ...]] = {
    "audiences": (
        "space_id",
        "audience_id",
        "owner",
        "visibility",
        "team",
        "organisation",
        "stream_id",
    ),
    "streams": ("space_id", "stream_id", "owner", "parent_id", "audience_id"),
    "events": ("space_id", "event_id", "stream_id", "audience_id", "arrival"),
    "memories": ("space_id", "memory_id", "audience_id"),
    "places": ("space_id", "slot", "item_id", "audience_id"),
    "vectors": ("space_id", "slot", "model_id"),
}

COLLECTIONS = ("memories", "events")
