"""``python -m benchmarks.parity --data FILE``: do both stores give the same answers?

The conversations of a LoCoMo file are imported into a SQLite file and into PostgreSQL, one space
each, and the same questions are asked of both, by words alone and by words and vectors together.
Each answer is the first ten results in their order. Where two differ, it is said how: another
order of results with the same score, or other results.
"""

import argparse
import json
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import psycopg

import recollect
from recollect.engine import Recollect
from tests.postgres_server import PostgresServer

TOP = 10
_NEAR = 1e-4

Answer = list[tuple[str, float]]


def main() -> None:
    """Ask and compare."""
    parser = argparse.ArgumentParser("python -m benchmarks.parity", description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="a LoCoMo file")
    parser.add_argument("--questions", type=int, default=500, help="how many to ask")
    parser.add_argument("--json", action="store_true", help="for machines")
    options = parser.parse_args()
    conversations = json.loads(options.data.read_text("utf-8"))
    server = PostgresServer()
    try:
        with (
            tempfile.TemporaryDirectory(prefix="recollect-parity-") as folder,
            psycopg.connect(server.address(), autocommit=True) as connection,
        ):
            connection.execute("CREATE DATABASE parity")
            addresses = [str(Path(folder) / "parity.db"), server.address("parity")]
            for address in addresses:
                _import(address, conversations, Path(folder))
            found = {
                name: _compare(addresses, embedder, conversations, options.questions)
                for name, embedder in (("words", "none"), ("words and vectors", "static"))
            }
    finally:
        server.stop()
    _print(found, as_json=options.json)


def _import(address: str, conversations: list[Mapping[str, Any]], folder: Path) -> None:
    with recollect.open(address, user="owner", embedder="static", worker=False) as memory:
        for number, conversation in enumerate(conversations):
            path = folder / "turns.jsonl"
            path.write_text("\n".join(map(json.dumps, _turns(conversation))), "utf-8")
            memory.within(space=f"conversation {number}").import_(path)


def _turns(conversation: Mapping[str, Any]) -> Iterator[dict[str, str]]:
    for name, turns in conversation["conversation"].items():
        if name.startswith("session_") and isinstance(turns, list):
            for turn in turns:
                yield {
                    "id": turn["dia_id"],
                    "author": turn["speaker"],
                    "stream": name,
                    "text": f"{turn['text']} {turn.get('blip_caption', '')}".strip(),
                }


def _compare(
    addresses: list[str], embedder: str, conversations: list[Mapping[str, Any]], limit: int
) -> Counter[str]:
    """How many answers were alike, and in what way the others were not."""
    kinds: Counter[str] = Counter()
    stores = [
        recollect.open(address, user="owner", embedder=embedder, worker=False)
        for address in addresses
    ]
    try:
        for number, question in _questions(conversations, limit):
            answers = [
                _ask(store.within(space=f"conversation {number}"), question) for store in stores
            ]
            kinds[_kind(*answers)] += 1
    finally:
        for store in stores:
            store.close()
    return kinds


def _questions(conversations: list[Mapping[str, Any]], limit: int) -> Iterator[tuple[int, str]]:
    """As many of each conversation, so that all have a say."""
    each = -(-limit // len(conversations))
    asked = 0
    for number, conversation in enumerate(conversations):
        for question in conversation["qa"][:each]:
            if asked == limit:
                return
            asked += 1
            yield number, question["question"]


def _ask(memory: Recollect, question: str) -> Answer:
    return [(hit.text, hit.score) for hit in memory.recall(question, limit=TOP)]


def _kind(one: Answer, other: Answer) -> str:
    if [text for text, _ in one] == [text for text, _ in other]:
        return "identical"
    ours, theirs = dict(one), dict(other)
    if all(abs(a - b) < _NEAR for (_, a), (_, b) in zip(one, other, strict=False)):
        return "equal scores in another order, or cut off among equals"
    if ours.keys() == theirs.keys():
        return "same results, other scores"
    return "other results"


def _print(found: Mapping[str, Counter[str]], *, as_json: bool) -> None:
    if as_json:
        print(json.dumps(found, indent=2))
        return
    for name, kinds in found.items():
        total = sum(kinds.values())
        print(f"by {name}, {total:,} questions, first {TOP}:")
        for kind, count in kinds.most_common():
            print(f"  {count / total:7.1%}  {kind}")


if __name__ == "__main__":
    main()
