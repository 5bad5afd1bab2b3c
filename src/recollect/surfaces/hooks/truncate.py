"""Cuts the long texts of a large event, to keep the spool and the daemon small.

The hook process loads this module only for events over a megabyte; it needs only the standard
library.
"""

import json
from typing import Any

HEAD = 12_000
TAIL = 4_000
MALFORMED = 64_000
DEEPEST = 40
LONGEST_LIST = 200


def trim(payload: bytes) -> bytes:
    """Return the event as JSON with long texts cut; malformed input keeps its beginning."""
    try:
        whole = json.loads(payload)
    except (ValueError, RecursionError):
        return payload[:MALFORMED]
    return json.dumps(trimmed(whole), ensure_ascii=False).encode("utf-8", "replace")


def trimmed(value: Any, depth: int = 0) -> Any:
    """Value with every long text cut, and anything nested too deep removed."""
    if isinstance(value, str):
        if len(value) <= HEAD + TAIL:
            return value
        left = len(value) - HEAD - TAIL
        return f"{value[:HEAD]}\n[... {left} characters left out ...]\n{value[-TAIL:]}"
    if depth >= DEEPEST:
        return None
    if isinstance(value, dict):
        return {name: trimmed(item, depth + 1) for name, item in value.items()}
    if isinstance(value, list):
        return [trimmed(item, depth + 1) for item in value[:LONGEST_LIST]]
    return value
