"""The current database schema. The numbered migrations must produce exactly this.

Every key begins with the space, so that the schema can be sharded by that one column. Values that
are searched or joined have a table of their own, never a list inside a column. Columns that name
the owner of a row are written once; triggers refuse to change them.

A table is declared at its first use: a short command uses a few of them, and declaring all took a
tenth of its time. Foreign keys lead into ``core`` or into the module's own tables. ``metadata``
knows every table.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from recollect.vocabulary.lazy_imports import lazy_names, load

if TYPE_CHECKING:
    from recollect.storage.schema.access import access_tokens
    from recollect.storage.schema.agents import (
        agent_reviews,
        agent_served,
        agent_sessions,
        agent_trust,
    )
    from recollect.storage.schema.base import metadata
    from recollect.storage.schema.code import (
        code_chunks,
        code_cochanges,
        code_edges,
        code_files,
        code_indexes,
        code_meanings,
        code_needs,
        code_nodes,
        memory_staleness,
    )
    from recollect.storage.schema.core import (
        audience_sources,
        audiences,
        author_aliases,
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
        memory_simhashes,
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
    from recollect.storage.schema.evolution import (
        contradiction_judgements,
        contradictions,
        evolution_changes,
        evolution_runs,
        memory_uses,
    )
    from recollect.storage.schema.measured import daily_counts, experiments, weight_proposals
    from recollect.storage.schema.observed import (
        co_access,
        commit_files,
        file_sketches,
        observed_modules,
        observed_sessions,
        sightings,
    )
    from recollect.storage.schema.people import dispute_comments, disputes, group_members, groups
    from recollect.storage.schema.personal import (
        audit_log,
        budgets,
        entries,
        event_signals,
        incognito_sessions,
        memory_outside,
        memory_settings,
        model_calls,
        open_questions,
        outside_events,
        quarantine,
        shared_tags,
        tombstones,
    )
    from recollect.storage.schema.researched import research_rounds, researches
    from recollect.storage.schema.served import (
        predictions,
        retrieval_feedback,
        retrieval_items,
        retrievals,
        use_ledger,
    )
    from recollect.storage.schema.synced import (
        TRACKED_TABLES,
        sync_changes,
        sync_items,
        sync_peers,
        sync_spaces,
        sync_texts,
    )

__all__ = [
    "COLLECTIONS",
    "SCOPE_COLUMNS",
    "TRACKED_TABLES",
    "access_tokens",
    "agent_reviews",
    "agent_served",
    "agent_sessions",
    "agent_trust",
    "audience_sources",
    "audiences",
    "audit_log",
    "author_aliases",
    "budgets",
    "co_access",
    "code_chunks",
    "code_cochanges",
    "code_edges",
    "code_files",
    "code_indexes",
    "code_meanings",
    "code_needs",
    "code_nodes",
    "commit_files",
    "contradiction_judgements",
    "contradictions",
    "daily_counts",
    "dispute_comments",
    "disputes",
    "entries",
    "event_reactions",
    "event_revisions",
    "event_signals",
    "events",
    "evolution_changes",
    "evolution_runs",
    "experiments",
    "file_sketches",
    "group_members",
    "groups",
    "imports",
    "incognito_sessions",
    "jobs",
    "memories",
    "memory_events",
    "memory_files",
    "memory_history",
    "memory_modules",
    "memory_outside",
    "memory_relations",
    "memory_sessions",
    "memory_settings",
    "memory_simhashes",
    "memory_staleness",
    "memory_tags",
    "memory_uses",
    "metadata",
    "model_calls",
    "observed_modules",
    "observed_sessions",
    "open_questions",
    "outside_events",
    "place_changes",
    "places",
    "predictions",
    "quarantine",
    "research_rounds",
    "researches",
    "retrieval_feedback",
    "retrieval_items",
    "retrievals",
    "schedules",
    "shared_tags",
    "sightings",
    "space_members",
    "spaces",
    "store_facts",
    "stream_members",
    "streams",
    "sync_changes",
    "sync_items",
    "sync_peers",
    "sync_spaces",
    "sync_texts",
    "tombstones",
    "use_ledger",
    "vectors",
    "weight_proposals",
]

#: Columns that name the owner of a row. No update may change them.
SCOPE_COLUMNS: dict[str, tuple[str, ...]] = {
    "audiences": (
        "space_id",
        "audience_id",
        "owner",
        "visibility",
        "team",
        "organisation",
        "stream_id",
        "sources",
        "source_count",
    ),
    "audience_sources": ("space_id", "audience_id", "stream_id"),
    "streams": ("space_id", "stream_id", "owner", "parent_id", "audience_id"),
    "events": ("space_id", "event_id", "stream_id", "audience_id", "arrival"),
    "memories": ("space_id", "memory_id", "audience_id"),
    "code_indexes": ("space_id", "audience_id"),
    "code_chunks": ("space_id", "chunk_id", "audience_id"),
    "places": ("space_id", "slot", "item_id", "audience_id"),
    "vectors": ("space_id", "slot", "model_id"),
    "retrievals": ("space_id", "retrieval_id", "user_id"),
    "audit_log": (
        "space_id",
        "audit_id",
        "user_id",
        "action",
        "subject",
        "session_id",
        "detail",
        "at",
    ),
}

COLLECTIONS = ("memories", "events", "chunks")

#: The module that declares each table.
_TABLES: Final[Mapping[str, tuple[str, ...]]] = {
    "access": ("access_tokens",),
    "agents": (
        "agent_reviews",
        "agent_served",
        "agent_sessions",
        "agent_trust",
    ),
    "code": (
        "code_chunks",
        "code_cochanges",
        "code_edges",
        "code_files",
        "code_indexes",
        "code_meanings",
        "code_needs",
        "code_nodes",
        "memory_staleness",
    ),
    "evolution": (
        "contradiction_judgements",
        "contradictions",
        "evolution_changes",
        "evolution_runs",
        "memory_uses",
    ),
    "core": (
        "audience_sources",
        "audiences",
        "author_aliases",
        "event_reactions",
        "event_revisions",
        "events",
        "imports",
        "jobs",
        "memories",
        "memory_events",
        "memory_files",
        "memory_history",
        "memory_modules",
        "memory_relations",
        "memory_sessions",
        "memory_simhashes",
        "memory_tags",
        "place_changes",
        "places",
        "schedules",
        "space_members",
        "spaces",
        "store_facts",
        "stream_members",
        "streams",
        "vectors",
    ),
    "measured": (
        "daily_counts",
        "experiments",
        "weight_proposals",
    ),
    "observed": (
        "co_access",
        "commit_files",
        "file_sketches",
        "observed_modules",
        "observed_sessions",
        "sightings",
    ),
    "people": (
        "dispute_comments",
        "disputes",
        "group_members",
        "groups",
    ),
    "personal": (
        "audit_log",
        "budgets",
        "entries",
        "event_signals",
        "incognito_sessions",
        "memory_outside",
        "memory_settings",
        "model_calls",
        "open_questions",
        "outside_events",
        "quarantine",
        "shared_tags",
        "tombstones",
    ),
    "researched": (
        "research_rounds",
        "researches",
    ),
    "served": (
        "predictions",
        "retrieval_feedback",
        "retrieval_items",
        "retrievals",
        "use_ledger",
    ),
    "synced": (
        "TRACKED_TABLES",
        "sync_changes",
        "sync_items",
        "sync_peers",
        "sync_spaces",
        "sync_texts",
    ),
}

_declared = lazy_names(
    __name__,
    {name: f"{__name__}.{module}" for module, names in _TABLES.items() for name in names},
)


def __getattr__(name: str) -> Any:
    """A table, declared at its first use; ``metadata`` with all of them."""
    if name != "metadata":
        load(f"{__name__}.core")
        return _declared(name)
    for module in _TABLES:
        load(f"{__name__}.{module}")
    found = globals()["metadata"] = load(f"{__name__}.base").metadata
    return found
