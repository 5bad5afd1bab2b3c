"""Attacks: trust. Own words taken for an attack, and strangers' words taken for own ones."""

import json

from benchmarks.attack.attacks import SQLITE, attack, expect
from benchmarks.attack.target import Target
from tests.surfaces.hooks.harness import Harness

_OWN = "Please always use pnpm instead of npm"
_LABELS = ("user", "assistant", "agent", "repository", "command", "memory", "backlog")


@attack(1, "own words with an origin in their payload, over HTTP, are not found")
def own_words_over_http(target: Target) -> None:
    with target.serving() as client:
        events = [
            {"text": f"{_OWN}, said in {label}", "payload": {"origin": label}} for label in _LABELS
        ]
        kept = client.post("/v1/streams/talk/events", json={"events": events})
        expect(kept.is_success, kept.text)
        asked = {"query": _OWN, "kinds": ["event"], "limit": 50}
        found = client.post("/v1/recall", json=asked).json()["found"]
    missing = {one["text"] for one in events} - {one["item"]["text"] for one in found}
    expect(not missing, f"not found by their exact words: {sorted(missing)}")


@attack(1, "what a user tells an agent is kept out of search", stores=SQLITE)
def own_words_to_a_hook(target: Target) -> None:
    agent = Harness(target.folder)
    agent.db = target.folder / "memory.db"
    try:
        agent.hook("SessionStart", source="startup")
        agent.hook("UserPromptSubmit", prompt=_OWN)
        agent.hook("SessionEnd", reason="exit")
    finally:
        agent.stop()
    with agent.memory() as memory:
        found = [one.text for one in memory.recall(_OWN, kinds=["event"], limit=20)]
    expect(_OWN in found, f"found instead: {found}")


@attack(1, "an imported prompt is kept out of search")
def own_words_imported(target: Target) -> None:
    acts = [
        {"session": "s", "kind": "prompt", "text": _OWN, "time": "2026-05-31T14:00:00Z"},
        {"session": "s", "kind": "answer", "text": "I shall never use npm."},
    ]
    file = target.folder / "acts.jsonl"
    file.write_text("\n".join(map(json.dumps, acts)))
    done = target.command("--user", "ada", "import", "transcripts", str(file))
    expect(done.returncode == 0, done.stderr)
    with target.open() as memory:
        found = [one.text for one in memory.recall(_OWN, kinds=["event"], limit=20)]
    expect(_OWN in found, f"found instead: {found}")
