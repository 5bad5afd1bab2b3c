"""How long a step injection takes with ten thousand memories, and how long a system prompt.

python -m benchmarks.step_injection [MEMORIES]
"""

import json
import random
import statistics
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from time import perf_counter

import recollect

TYPES = ("gotcha", "error_pattern", "decision", "fact", "module_insight")
WORDS = "login token cache queue index parse retry branch commit worker schema budget".split()


def main() -> None:
    """Fill a store, then measure each point many times."""
    many = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    chance = random.Random(7)
    with (
        tempfile.TemporaryDirectory() as folder,
        recollect.open(
            Path(folder) / "memory.db", worker=False, settings={"agent_patience": "100"}
        ) as memory,
    ):
        for number in range(many):
            said = " ".join(chance.choices(WORDS, k=8))
            memory.remember(
                f"Note {number}: {said} in Handler{number}.",
                type=chance.choice(TYPES),
                files=[f"src/module{chance.randrange(500)}.py"],
                confidence=0.9,
            )
        root = Path(folder)
        session = memory.session(root=root, task="make the login retry")
        session.warm()
        figures = {
            "memories": many,
            "system_prompt": measured(session.system_prompt, 20),
        }

        def step() -> None:
            file = {"file_path": str(root / f"src/module{chance.randrange(500)}.py")}
            session.on_tool_call("Read", file)
            session.on_tool_call("Grep", {"pattern": f"Handler{chance.randrange(many)}"})
            session.prepare_step(9)

        figures["step"] = measured(step, 200)
        print(json.dumps(figures, indent=2))


def measured(work: Callable[[], object], times: int) -> dict[str, float]:
    """Milliseconds: the median and the 95th percentile of the time that passed."""
    taken = []
    for _ in range(times):
        start = perf_counter()
        work()
        taken.append((perf_counter() - start) * 1_000)
    return {
        "median_ms": round(statistics.median(taken), 2),
        "p95_ms": round(statistics.quantiles(taken, n=20)[-1], 2),
    }


if __name__ == "__main__":
    main()
