"""Ours beside others that work without a key: the same turns, the same questions, in one run.

``python -m benchmarks.peers --data FILE`` takes a LoCoMo file or one in the form of ``recollect
bench chat``. The others are installed into an environment of their own, in a folder that is kept
for the next run; one that cannot be installed or does not run is named with the reason. Every
system runs in a process of its own, one after the other, writes each conversation durably where it
can, and is asked every question for ten results. ``--json`` prints a list of {system, write_per_s,
search_ms, r10} and more.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import venv
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from benchmarks.texts import sentences
from recollect.surfaces.cli.bench.sets import Conversation, read_any

HERE: Final = Path(__file__).resolve().parent.parent
SECONDS: Final = 3_600

#: What each needs beside numpy and the files of our own embedder.
PEERS: Final[dict[str, tuple[str, ...]]] = {
    "recollect": (),
    "mem0": ("mem0ai",),
    "chromadb": ("chromadb",),
    "lancedb": ("lancedb", "pyarrow"),
    "sqlite-vec": ("sqlite-vec",),
    "bm25s": ("bm25s", "PyStemmer"),
    "rank_bm25": ("rank_bm25",),
}
_SESSION: Final = 40
_COMMON: Final = ("numpy", "tokenizers", "wordllama")


def main(arguments: Sequence[str] | None = None) -> int:
    """Install what is missing, run everyone, print one table."""
    options = _options(arguments)
    conversations = read_any(Path(options.data))[: options.conversations]
    chosen = options.only.split(",") if options.only else list(PEERS)
    with tempfile.TemporaryDirectory(prefix="recollect-peers-") as name:
        work = Path(name) / "work.json"
        plain = [_plain(one, options.fill) for one in conversations]
        work.write_text(json.dumps(plain), "utf-8")
        results = [_measured(peer, work, Path(name), Path(options.folder)) for peer in chosen]
    if options.json:
        print(json.dumps(results, indent=2))
    else:
        print(_table(results))
    return 0


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", required=True, help="the file with the conversations")
    parser.add_argument("--conversations", type=int, default=None, help="only the first so many")
    parser.add_argument(
        "--fill", type=int, default=0, help="so many made-up turns beside each conversation"
    )
    parser.add_argument("--only", default="", help=f"some of: {', '.join(PEERS)}")
    kept = Path(tempfile.gettempdir()) / "recollect-peers-environment"
    parser.add_argument("--folder", default=str(kept), help="where the others are installed")
    parser.add_argument("--json", action="store_true", help="print a JSON list")
    return parser.parse_args(arguments)


def _plain(one: Conversation, fill: int) -> dict[str, Any]:
    """A conversation as every system gets it; the others read speaker and date in the text."""
    return {
        "id": one.id,
        "turns": [
            {
                "id": turn.id,
                "session": turn.session,
                "speaker": turn.speaker,
                "time": turn.time,
                "text": turn.text,
            }
            for turn in one.turns
        ]
        + [
            {
                "id": f"fill-{number}",
                "session": f"fill {number // _SESSION}",
                "speaker": ("Iris", "Juno")[number % 2],
                "time": None,
                "text": text,
            }
            for number, text in enumerate(sentences(fill))
        ],
        "questions": [
            {"text": asked.text, "gold": list(asked.gold)}
            for asked in one.questions
            if asked.counted
        ],
    }


def _measured(peer: str, work: Path, folder: Path, environment: Path) -> dict[str, Any]:
    """One system's figures, or why there are none."""
    python = Path(sys.executable)
    if PEERS[peer]:
        python = environment / ("Scripts" if os.name == "nt" else "bin") / "python"
        trouble = _installed(environment, python, PEERS[peer])
        if trouble:
            return {"system": peer, "error": f"cannot be installed: {trouble}"}
    home = folder / peer
    home.mkdir()
    try:
        ended = subprocess.run(
            [str(python), "-m", "benchmarks.peer_child", peer, str(work), str(home)],
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=False,
            cwd=HERE,
            env={
                **os.environ,
                "PYTHONPATH": os.pathsep.join([str(HERE / "src"), str(HERE)]),
                "HOME": str(home),
                "MEM0_DIR": str(home / "mem0"),
                "MEM0_TELEMETRY": "False",
                "ANONYMIZED_TELEMETRY": "False",
            },
        )
    except subprocess.TimeoutExpired:
        return {"system": peer, "error": f"took longer than {SECONDS} seconds"}
    if ended.returncode:
        return {"system": peer, "error": f"does not run: {_last_line(ended.stderr)}"}
    found: dict[str, Any] = json.loads(ended.stdout.splitlines()[-1])
    return {"system": peer, **found}


def _installed(environment: Path, python: Path, wanted: Sequence[str]) -> str | None:
    """Put packages into the environment with pip as it is configured; what went wrong."""
    if not python.exists():
        venv.create(environment, with_pip=True)
    command = [str(python), "-m", "pip", "install", "-q", "--disable-pip-version-check"]
    ended = subprocess.run(
        [*command, *_COMMON, *wanted], capture_output=True, text=True, check=False
    )
    return _last_line(ended.stderr) if ended.returncode else None


def _last_line(text: str) -> str:
    return (text.strip().splitlines() or ["no word"])[-1][:200]


def _table(results: Sequence[dict[str, Any]]) -> str:
    ours = next((one for one in results if one["system"] == "recollect"), None)
    lines = [
        f"{'system':12} {'written/s':>10} {'search ms':>10} {'its cpu':>8} {'R@10':>6}  note",
        "-" * 70,
    ]
    for one in results:
        if "error" in one:
            lines.append(f"{one['system']:12} {one['error']}")
            continue
        times = ""
        if ours is not None and "error" not in ours and one is not ours:
            times = f"search x{one['search_ms'] / ours['search_ms']:.1f}"
            times += f", write x{one['write_per_s'] / ours['write_per_s']:.2f} of ours"
        lines.append(
            f"{one['system']:12} {one['write_per_s']:>10,} {one['search_ms']:>10.2f}"
            f" {one['search_cpu_ms']:>8.2f} {one['r10']:>6.1f}  {times}"
        )
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
