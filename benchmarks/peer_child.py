"""One system in a process of its own: ``python -m benchmarks.peer_child NAME WORK FOLDER``.

It prints one line of JSON. Only the standard library and what the system itself needs is imported,
for it runs in the environment of the others; our embedder is loaded by all that take vectors. Each
opens one store, writes a little to be warm, and gives every conversation a part of its own.
"""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from statistics import median
from time import perf_counter, process_time
from typing import Any, Final

LIMIT: Final = 10
_BOTH: Final = 50
_RANKS: Final = 60

Search = Callable[[str], list[str]]
Turns = list[dict[str, Any]]
#: Writes a conversation into a part of its own of one store, and gives back how to search it.
Write = Callable[[str, Turns], Search]


def said(turn: dict[str, Any]) -> str:
    """A turn as a text that stands by itself: when, who, what."""
    day = (turn["time"] or "")[:10]
    return f"{day} {turn['speaker']}: {turn['text']}".strip()


class Embedding:
    """Our static embedder, as the others take it."""

    def __init__(self) -> None:
        from recollect.inference.static_embedder import StaticEmbedder

        self._embedder = StaticEmbedder()
        self.dims = self._embedder.dims

    def many(self, texts: list[str]) -> Any:
        """One row a text."""
        return self._embedder.embed(texts)

    def one(self, text: str) -> Any:
        """One vector."""
        return self._embedder.embed([text])[0]


def recollect_(folder: Path) -> Write:
    import recollect

    store = recollect.open(folder / "memory.db", embedder="static", worker=False)

    def write(name: str, turns: Turns) -> Search:
        memory = store.within(space=name)
        lines = [
            {
                "id": turn["id"],
                "turn": turn["id"],
                "text": turn["text"] or " ",
                "author": turn["speaker"],
                "session": turn["session"] or "conversation",
                **({"time": turn["time"]} if turn["time"] else {}),
            }
            for turn in turns
        ]
        path = folder / f"{name}.jsonl"
        path.write_text("\n".join(json.dumps(line) for line in lines), "utf-8")
        memory.import_(path, format="jsonl")

        def search(query: str) -> list[str]:
            found = memory.recall(query, limit=LIMIT, kinds="event")
            return [str(getattr(hit.item, "payload", {})["turn"]) for hit in found]

        return search

    return write


def mem0(folder: Path) -> Write:
    embedding = Embedding()

    class Ours:
        """Takes the place of a provider's embedder."""

        config: Any = None

        def embed(self, text: str, memory_action: str | None = None) -> list[float]:
            return [float(number) for number in embedding.one(text)]

        def embed_batch(self, texts: list[str], memory_action: str | None = None) -> Any:
            return [self.embed(text) for text in texts]

    from mem0 import Memory

    config: dict[str, Any] = {
        "vector_store": {
            "provider": "qdrant",
            "config": {
                "path": str(folder / "qdrant"),
                "embedding_model_dims": embedding.dims,
                "on_disk": True,
            },
        },
        "llm": {"provider": "openai", "config": {"api_key": "none"}},
        "embedder": {"provider": "openai", "config": {"api_key": "none"}},
        "history_db_path": str(folder / "history.db"),
    }
    memory = Memory.from_config(config)
    memory.embedding_model = Ours()

    def write(name: str, turns: Turns) -> Search:
        for turn in turns:
            memory.add(said(turn), user_id=name, metadata={"turn": turn["id"]}, infer=False)

        def search(query: str) -> list[str]:
            try:
                found = memory.search(query, filters={"user_id": name}, top_k=LIMIT, threshold=0.0)
            except TypeError:
                found = memory.search(query, user_id=name, limit=LIMIT)
            rows = found["results"] if isinstance(found, dict) else found
            return [row["metadata"]["turn"] for row in rows]

        return search

    return write


def chromadb_(folder: Path) -> Write:
    import chromadb

    embedding = Embedding()
    client = chromadb.PersistentClient(path=str(folder / "chroma"))

    def write(name: str, turns: Turns) -> Search:
        kept = client.create_collection(name, metadata={"hnsw:space": "cosine"})
        texts = [said(turn) for turn in turns]
        for start in range(0, len(turns), 5_000):
            part = texts[start : start + 5_000]
            kept.add(
                ids=[turn["id"] for turn in turns[start : start + 5_000]],
                documents=part,
                embeddings=embedding.many(part),
            )

        def search(query: str) -> list[str]:
            found = kept.query(query_embeddings=[embedding.one(query)], n_results=LIMIT)
            return list(found["ids"][0])

        return search

    return write


def lancedb_(folder: Path) -> Write:
    import lancedb
    from lancedb.rerankers import RRFReranker

    embedding = Embedding()
    store = lancedb.connect(str(folder / "lance"))

    def write(name: str, turns: Turns) -> Search:
        texts = [said(turn) for turn in turns]
        rows = [
            {"id": turn["id"], "text": text, "vector": vector}
            for turn, text, vector in zip(turns, texts, embedding.many(texts), strict=True)
        ]
        table = store.create_table(name, rows)
        try:
            from lancedb.index import FTS

            table.create_index("text", config=FTS(stem=True, remove_stop_words=True))
        except (ImportError, TypeError, ValueError):
            table.create_fts_index("text", use_tantivy=False)
        fuse = RRFReranker()

        def search(query: str) -> list[str]:
            asked = (
                table.search(query_type="hybrid").vector(embedding.one(query)).text(_bare(query))
            )
            return [row["id"] for row in asked.rerank(reranker=fuse).limit(LIMIT).to_list()]

        return search

    return write


def sqlite_vec_(folder: Path) -> Write:
    from benchmarks.sqlite_vec_baseline import connected

    embedding = Embedding()
    connection = connected(str(folder / "vectors.db"))
    if connection is None:
        raise SystemExit("sqlite-vec cannot be loaded into this Python's SQLite")
    connection.execute("PRAGMA journal_mode=WAL")

    def write(name: str, turns: Turns) -> Search:
        near, words = f"near_{name}", f"words_{name}"
        connection.execute(
            f"CREATE VIRTUAL TABLE {near} USING vec0(vector float[{embedding.dims}])"
        )
        connection.execute(
            f"CREATE VIRTUAL TABLE {words} USING fts5(text, tokenize='porter unicode61')"
        )
        texts = [said(turn) for turn in turns]
        connection.executemany(
            f"INSERT INTO {near}(rowid, vector) VALUES (?, ?)",
            ((place, vector.tobytes()) for place, vector in enumerate(embedding.many(texts))),
        )
        connection.executemany(f"INSERT INTO {words}(rowid, text) VALUES (?, ?)", enumerate(texts))
        connection.commit()

        def search(query: str) -> list[str]:
            """Rank fusion of both legs, as everybody writes it."""
            wanted = " OR ".join(f'"{word}"' for word in _bare(query).split()) or '""'
            legs = (
                connection.execute(
                    f"SELECT rowid FROM {words} WHERE {words} MATCH ? ORDER BY rank LIMIT ?",
                    (wanted, _BOTH),
                ),
                connection.execute(
                    f"SELECT rowid FROM {near} WHERE vector MATCH ? AND k = ?",
                    (embedding.one(query).tobytes(), _BOTH),
                ),
            )
            scores: dict[int, float] = {}
            for leg in legs:
                for rank, (row,) in enumerate(leg, 1):
                    scores[row] = scores.get(row, 0.0) + 1 / (_RANKS + rank)
            best = sorted(scores, key=lambda row: -scores[row])[:LIMIT]
            return [turns[row]["id"] for row in best]

        return search

    return write


def bm25s_(folder: Path) -> Write:
    import bm25s
    import Stemmer

    stemmer = Stemmer.Stemmer("english")

    def tokens(texts: Any) -> Any:
        return bm25s.tokenize(texts, stopwords="en", stemmer=stemmer, show_progress=False)

    def write(name: str, turns: Turns) -> Search:
        index = bm25s.BM25()
        index.index(tokens([said(turn) for turn in turns]), show_progress=False)
        index.save(str(folder / name))

        def search(query: str) -> list[str]:
            found, _ = index.retrieve(tokens([query]), k=LIMIT, show_progress=False)
            return [turns[place]["id"] for place in found[0]]

        return search

    return write


def rank_bm25_(_: Path) -> Write:
    from rank_bm25 import BM25Okapi

    def write(_: str, turns: Turns) -> Search:
        index = BM25Okapi([_bare(said(turn)).lower().split() for turn in turns])

        def search(query: str) -> list[str]:
            scores = index.get_scores(_bare(query).lower().split())
            return [turns[place]["id"] for place in scores.argsort()[::-1][:LIMIT]]

        return search

    return write


SYSTEMS: Final[dict[str, Callable[[Path], Write]]] = {
    "recollect": recollect_,
    "mem0": mem0,
    "chromadb": chromadb_,
    "lancedb": lancedb_,
    "sqlite-vec": sqlite_vec_,
    "bm25s": bm25s_,
    "rank_bm25": rank_bm25_,
}


def _bare(text: str) -> str:
    """Words without the signs that a query language would read."""
    return "".join(sign if sign.isalnum() else " " for sign in text)


def measured(name: str, work: list[dict[str, Any]], folder: Path) -> dict[str, Any]:
    """Write every conversation, ask every question."""
    write = SYSTEMS[name](folder)
    write("warm", work[0]["turns"][:20])("warm up")
    written, turns = 0.0, 0
    spent: list[float] = []
    worked: list[float] = []
    shares: list[float] = []
    for number, one in enumerate(work):
        start = perf_counter()
        search = write(f"talk{number}", one["turns"])
        written += perf_counter() - start
        turns += len(one["turns"])
        search("warm up")
        for asked in one["questions"]:
            start, cpu = perf_counter(), process_time()
            found = search(asked["text"])
            spent.append(perf_counter() - start)
            worked.append(process_time() - cpu)
            gold = set(asked["gold"])
            shares.append(len(gold & set(found[:LIMIT])) / len(gold))
    return {
        "write_per_s": round(turns / written),
        "search_ms": round(median(spent) * 1_000, 3),
        "r10": round(100 * sum(shares) / max(len(shares), 1), 1),
        "search_cpu_ms": round(median(worked) * 1_000, 3),
        "questions": len(shares),
        "turns": turns,
    }


def main() -> None:
    """Measure the system that is named."""
    name, path, folder = sys.argv[1:]
    work = json.loads(Path(path).read_text("utf-8"))
    sys.stdout.write(json.dumps(measured(name, work, Path(folder))) + "\n")


if __name__ == "__main__":
    main()
