"""Every column of the store that can hold text, and what keeps secrets out of it.

A new column fails ``test_text_columns.py`` until somebody says here how it is protected:

- ``GATED``: words that come from outside the product pass the gate before they are written;
- ``DERIVED``: made of columns that are gated, and of nothing else;
- a sentence: no words of anybody ever stand there, and why.
"""

from typing import Final

GATED: Final = "gated"
DERIVED: Final = "derived from gated columns"
ID: Final = "an id that the product makes, or the key into another table"
WORD: Final = "one of a fixed list of words, checked when it is given"
DIGEST: Final = "a digest: what it was made of cannot be read from it"
OURS: Final = "written by the product about itself"

COLUMNS: Final[dict[str, dict[str, str]]] = {
    "access_tokens": {
        "space_id": ID, "token_id": ID, "digest": DIGEST, "user_id": GATED, "name": GATED,
        "role": WORD, "shown": "the first ten characters of our own token, so that it can be told",
        "created_by": GATED, "parent_id": ID,
    },
    "agent_reviews": {"space_id": ID, "memory_id": ID, "decision": WORD, "actor": GATED},
    "agent_served": {"space_id": ID, "session_id": GATED, "memory_id": ID, "point": WORD},
    "agent_sessions": {"space_id": ID, "session_id": GATED, "agent": GATED, "task": GATED},
    "agent_trust": {"space_id": ID, "chosen_by": GATED},
    "audience_sources": {"space_id": ID, "stream_id": ID},
    "audiences": {
        "space_id": ID, "owner": GATED, "visibility": WORD, "team": GATED, "organisation": GATED,
        "stream_id": ID, "sources": DIGEST,
    },
    "audit_log": {
        "space_id": ID, "audit_id": ID, "user_id": GATED, "action": WORD, "subject": ID,
        "session_id": GATED, "detail": DERIVED,
    },
    "author_aliases": {"space_id": ID, "user_id": GATED, "alias": GATED, "confirmed_by": GATED},
    "budgets": {"space_id": ID, "kind": WORD, "month": OURS},
    "co_access": {
        "space_id": ID, "first_path": GATED, "second_path": GATED, "source": WORD,
    },
    "code_chunks": {
        "space_id": ID, "chunk_id": ID, "kind": WORD, "name": GATED, "heading": GATED,
        "text": GATED,
    },
    "code_cochanges": {"space_id": ID, "first": GATED, "second": GATED},
    "code_edges": {"space_id": ID, "kind": WORD, "how": WORD},
    "code_files": {
        "space_id": ID, "path": GATED, "language": WORD, "role": WORD, "digest": DIGEST,
        "interface": DIGEST, "facts": GATED, "problem": OURS,
    },
    "code_indexes": {
        "space_id": ID, "root": GATED, "identity": "a commit's digest, or the root, which is gated",
        "commit_sha": DIGEST, "history_sha": DIGEST, "settings": OURS,
    },
    "code_meanings": {
        "space_id": ID, "module": GATED, "source": GATED, "kind": WORD, "target": GATED,
        "made_by": OURS,
    },
    "code_needs": {"space_id": ID},
    "code_nodes": {"space_id": ID, "kind": WORD, "name": GATED},
    "commit_files": {"space_id": ID, "commit_id": DIGEST, "path": GATED},
    "contradiction_judgements": {
        "space_id": ID, "first_id": ID, "second_id": ID, "digest": "a digest of both texts",
        "judged_by": "a setting: the name of a model",
    },
    "contradictions": {
        "space_id": ID, "contradiction_id": ID, "first_id": ID, "second_id": ID, "kind": WORD,
        "judged_by": "a setting: the name of a model", "resolution": WORD, "note": GATED,
        "resolved_by": GATED, "merged_id": ID,
    },
    "dispute_comments": {
        "space_id": ID, "dispute_id": ID, "comment_id": ID, "author": GATED, "text": GATED,
    },
    "disputes": {
        "space_id": ID, "dispute_id": ID, "memory_id": ID, "opened_by": GATED,
        "escalated_by": GATED, "resolution": WORD, "resolved_by": GATED,
    },
    "daily_counts": {"space_id": ID, "name": WORD},
    "entries": {"space_id": ID, "memory_id": ID, "user_id": GATED, "metadata": DERIVED},
    "memory_simhashes": {"space_id": ID, "memory_id": ID},
    "event_reactions": {"space_id": ID, "event_id": ID, "user_id": GATED, "emoji": GATED},
    "event_revisions": {"space_id": ID, "event_id": ID, "text": GATED, "editor": GATED},
    "event_signals": {"space_id": ID, "event_id": ID, "header": DERIVED},
    "events": {
        "space_id": ID, "event_id": ID, "stream_id": ID, "kind": WORD, "author": GATED,
        "text": GATED, "payload": GATED, "reply_to": ID,
    },
    "evolution_changes": {
        "space_id": ID, "run_id": ID, "change_id": ID, "memory_id": ID, "step": WORD,
        "before": DERIVED,
    },
    "evolution_runs": {
        "space_id": ID, "run_id": ID, "step": WORD, "position": ID, "counts": OURS,
    },
    "experiments": {"space_id": ID, "experiment_id": ID, "started_by": GATED},
    "file_sketches": {"space_id": ID, "path": GATED, "names": GATED},
    "group_members": {"kind": WORD, "name": GATED, "user_id": GATED, "role": WORD},
    "groups": {"kind": WORD, "name": GATED, "created_by": GATED},
    "imports": {"space_id": ID, "import_id": DIGEST, "source": GATED, "position": GATED},
    "incognito_sessions": {"space_id": ID, "user_id": GATED, "session_id": GATED},
    "jobs": {
        "space_id": ID, "job_id": ID, "kind": WORD, "payload": DERIVED, "state": WORD,
        "worker": OURS, "last_error": "the kind of an error and its message without mixed words",
    },
    "memories": {
        "space_id": ID, "memory_id": ID, "type": WORD, "content": GATED, "summary": GATED,
        "compressed": GATED, "index_line": GATED, "scope": WORD, "source": WORD,
        "created_by": GATED, "session_id": GATED, "commit_sha": GATED, "methodology": GATED,
        "work_unit": GATED, "work_unit_label": GATED, "extras": GATED, "citation": GATED,
        "supersedes": ID, "superseded_by": ID, "phase": WORD,
    },
    "memory_events": {"space_id": ID, "memory_id": ID, "event_id": GATED},
    "memory_files": {"space_id": ID, "memory_id": ID, "path": GATED},
    "memory_history": {
        "space_id": ID, "memory_id": ID, "action": WORD, "actor": GATED, "changes": GATED,
    },
    "memory_modules": {"space_id": ID, "memory_id": ID, "module": GATED},
    "memory_outside": {"space_id": ID, "memory_id": ID, "origin": GATED},
    "memory_relations": {
        "space_id": ID, "source_id": ID, "type": WORD, "target_kind": WORD, "target": GATED,
    },
    "memory_sessions": {"space_id": ID, "memory_id": ID, "session_id": GATED},
    "memory_settings": {"space_id": ID, "user_id": GATED},
    "memory_tags": {"space_id": ID, "memory_id": ID, "tag": GATED},
    "memory_staleness": {"space_id": ID, "memory_id": ID},
    "memory_uses": {"space_id": ID, "memory_id": ID},
    "model_calls": {
        "space_id": ID, "call_id": ID, "task": WORD, "model": "a setting: the name of a model",
        "outcome": WORD,
    },
    "observed_modules": {"space_id": ID, "module": GATED},
    "observed_sessions": {"space_id": ID, "session_id": GATED, "facts": GATED},
    "open_questions": {
        "space_id": ID, "question_id": ID, "user_id": GATED, "old_id": ID, "new_id": ID,
        "reason": DERIVED, "answer": WORD,
    },
    "outside_events": {
        "space_id": ID, "event_id": ID, "stream_id": ID, "origin": GATED, "suspect": OURS,
    },
    "place_changes": {"space_id": ID, "collection": WORD, "model_id": OURS},
    "places": {"space_id": ID, "collection": WORD, "item_id": ID},
    "predictions": {"space_id": ID, "memory_id": ID, "signal": WORD},
    "quarantine": {
        "space_id": ID, "quarantine_id": ID, "user_id": GATED, "text": GATED, "origin": GATED,
        "reasons": OURS, "fields": GATED,
    },
    "research_rounds": {"space_id": ID, "retrieval_id": ID, "reflected_by": WORD},
    "researches": {
        "space_id": ID, "retrieval_id": ID, "requester": WORD, "answered_by": WORD, "memo_id": ID,
    },
    "retrieval_feedback": {
        "space_id": ID, "feedback_id": ID, "retrieval_id": ID, "item_id": ID, "verdict": WORD,
        "note": GATED,
    },
    "retrieval_items": {"space_id": ID, "retrieval_id": ID, "item_id": ID, "kind": WORD},
    "retrievals": {
        "space_id": ID, "retrieval_id": ID, "user_id": GATED, "query": GATED, "profile": GATED,
        "phase": WORD, "client": GATED,
    },
    "schedules": {"space_id": ID, "name": OURS, "kind": WORD},
    "shared_tags": {"space_id": ID, "user_id": GATED, "tag": GATED, "target_id": ID},
    "sightings": {"space_id": ID, "signal": WORD, "sign": GATED, "session_id": GATED},
    "space_members": {"space_id": ID, "user_id": GATED, "role": WORD},
    "spaces": {
        "space_id": ID, "name": GATED, "kind": WORD, "organisation": GATED, "team": GATED,
    },
    "store_facts": {"name": OURS, "value": OURS},
    "stream_members": {"space_id": ID, "stream_id": ID, "user_id": GATED},
    "streams": {
        "space_id": ID, "stream_id": ID, "kind": WORD, "name": GATED, "access": WORD,
        "owner": GATED, "parent_id": ID, "purpose": GATED,
    },
    "sync_changes": {"space_id": ID, "kind": WORD, "item_id": ID},
    "sync_items": {
        "space_id": ID, "kind": WORD, "item_id": ID, "origin": ID, "shared_with": ID,
        "state": "stamps and digests of gated columns", "refusal": "a sentence of a server of ours",
    },
    "sync_peers": {
        "space_id": ID, "peer_id": ID, "role": WORD, "user_id": GATED,
        "address": "the address of a server, which a person names for themselves", "pulled": OURS,
        "options": "what may leave: switches, and names that are gated where they are tags",
    },
    "sync_spaces": {"space_id": ID, "device_id": ID},
    "sync_texts": {"space_id": ID, "memory_id": ID, "stamp": OURS, "content": GATED},
    "tombstones": {
        "space_id": ID, "user_id": GATED, "tombstone_id": ID,
        "digest": "a digest, or what a key that is on no disk sealed",
    },
    "use_ledger": {"space_id": ID, "memory_id": ID, "channel": WORD},
    "vectors": {
        "space_id": ID, "model_id": OURS, "collection": WORD, "data": "numbers, made of gated text",
    },
    "weight_proposals": {
        "space_id": ID, "proposal_id": ID, "weights": OURS, "evidence": OURS, "applied_by": GATED,
        "undone_by": GATED,
    },
    # What only one of the two databases has: the words of the full text, and its own bookkeeping.
    "alembic_version": {"version_num": OURS},
    "recollect_walls": {"wall": OURS},
    **{
        f"{collection}_{part}": dict.fromkeys(
            ("tokens", "term", "doc", "col", "lexemes", "space_id", "k", "id", "segid", "block",
             "sz", "c0", "pgno", "words", "v", f"{collection}_keywords", "rank", "offset"),
            DERIVED,
        )
        for collection in ("memories", "events", "chunks")
        for part in (
            "keywords", "terms", "keywords_data", "keywords_idx", "keywords_content",
            "keywords_docsize", "keywords_config",
        )
    },
}  # fmt: skip
