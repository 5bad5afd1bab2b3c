"""Lists what a folder of transcripts leaves: the memories that agents are told without a review.

python -m benchmarks.told_memories TRANSCRIPTS [--waiting] [--json]

With ``--waiting`` also what waits for review. Sessions are replayed in the order of time, as
``recollect learn`` hears them.
"""

import json
import sys
from pathlib import Path

from benchmarks.judged_memories import promoted_of
from recollect.engine.for_surfaces import sessions_of
from recollect.engine.transcripts import acts_of
from recollect.observer.promotion import sign_of


def main() -> None:
    """Print one memory a line, or a paragraph each."""
    options = {one for one in sys.argv[1:] if one.startswith("--")}
    folder = next(one for one in sys.argv[1:] if not one.startswith("--"))
    for played, one in promoted_of(sessions_of(acts_of(Path(folder)))):
        if one.needs_review and "--waiting" not in options:
            continue
        told = {
            "id": sign_of(one).removeprefix("sign:"),
            "session": played.name,
            "step": one.step,
            "signal": one.signal.value,
            "type": one.type.value,
            "told": not one.needs_review,
            "text": one.content,
            "events": list(one.events),
        }
        if "--json" in options:
            print(json.dumps(told, ensure_ascii=False))
        else:
            waits = "" if told["told"] else " (waits)"
            print(
                f"## {told['id']} {one.signal.value}{waits}, session {played.name}\n{one.content}\n"
            )


if __name__ == "__main__":
    main()
