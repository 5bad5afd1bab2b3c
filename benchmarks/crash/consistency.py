"""Questions to the tables whose answer must be zero: nothing is there by half."""

from collections.abc import Mapping

from benchmarks.crash.stores import Store

#: Each of these counts something that must not be. Names in braces are words of the store.
WHOLE = {
    "memories in use without a place": """
        SELECT count(*) FROM memories AS m WHERE archived_at IS NULL AND NOT EXISTS (
            SELECT 1 FROM places AS p
            WHERE p.space_id = m.space_id AND p.slot = m.slot AND p.item_id = m.memory_id)""",
    "events in use without a place": """
        SELECT count(*) FROM events AS e WHERE deleted_at IS NULL AND NOT EXISTS (
            SELECT 1 FROM places AS p
            WHERE p.space_id = e.space_id AND p.slot = e.slot AND p.item_id = e.event_id)""",
    "archived memories that have a slot": """
        SELECT count(*) FROM memories WHERE archived_at IS NOT NULL AND slot IS NOT NULL""",
    "deleted events that have a slot, or words": """
        SELECT count(*) FROM events
        WHERE deleted_at IS NOT NULL AND (slot IS NOT NULL OR text <> '')""",
    "places of nothing": """
        SELECT count(*) FROM places AS p WHERE NOT EXISTS (
            SELECT 1 FROM memories AS m
            WHERE m.space_id = p.space_id AND m.memory_id = p.item_id AND m.slot = p.slot)
        AND NOT EXISTS (
            SELECT 1 FROM events AS e
            WHERE e.space_id = p.space_id AND e.event_id = p.item_id AND e.slot = p.slot)""",
    "places without a vector": """
        SELECT count(*) FROM places AS p WHERE NOT EXISTS (
            SELECT 1 FROM vectors AS v WHERE v.space_id = p.space_id AND v.slot = p.slot)""",
    "vectors more than places": "SELECT (SELECT count(*) FROM vectors) - count(*) FROM places",
    "places of memories without words": """
        SELECT count(*) FROM places AS p JOIN spaces AS s USING (space_id)
        WHERE collection = 'memories' AND NOT EXISTS (
            SELECT 1 FROM memories_keywords AS k WHERE {words_of_place})""",
    "places of events without words": """
        SELECT count(*) FROM places AS p JOIN spaces AS s USING (space_id)
        WHERE collection = 'events' AND NOT EXISTS (
            SELECT 1 FROM events_keywords AS k WHERE {words_of_place})""",
    "words more than places": """
        SELECT (SELECT count(*) FROM memories_keywords) + (SELECT count(*) FROM events_keywords)
            - count(*) FROM places""",
    "memories whose history has gaps": """
        SELECT count(*) FROM memories AS m WHERE revision <> (
            SELECT count(*) FROM memory_history AS h
            WHERE h.space_id = m.space_id AND h.memory_id = m.memory_id)""",
    "memories without shorter forms or a promise of them": """
        SELECT count(*) FROM memories WHERE full_tokens IS NULL AND memory_id NOT IN (
            SELECT {promised} FROM jobs WHERE kind = 'memory.levels')""",
    "memories superseded by half": """
        SELECT count(*) FROM memories AS old
        LEFT JOIN memories AS new
            ON new.space_id = old.space_id AND new.memory_id = old.superseded_by
        WHERE new.memory_id IS NOT NULL AND (new.supersedes <> old.memory_id OR NOT EXISTS (
            SELECT 1 FROM memory_relations AS r
            WHERE r.space_id = old.space_id AND r.type = 'supersedes'
            AND r.source_id = new.memory_id AND r.target = old.memory_id))""",
}

#: And these after the promised work was done.
SETTLED = {
    "jobs that still run although their worker is dead": """
        SELECT count(*) FROM jobs WHERE state = 'running'""",
    "dead jobs": "SELECT count(*) FROM jobs WHERE state = 'dead'",
    "memories whose short forms are missing": """
        SELECT count(*) FROM memories WHERE full_tokens IS NULL OR index_line IS NULL""",
}


def problems(store: Store, address: str, questions: Mapping[str, str]) -> list[str]:
    """Those that are not answered by zero, as sentences."""
    found = {
        what: store.rows(address, query.format(**store.words))[0][0]
        for what, query in questions.items()
    }
    return [f"{number} {what}" for what, number in found.items() if number]
