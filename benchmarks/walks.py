"""``python -m benchmarks.walks``: the files of the package that one call passes through.

Whoever follows a call by reading opens these files. A file counts when one of its functions runs
during the call, in whatever thread. The call before has warmed everything up, so that what is
made once is not counted. docs/flow.md has the numbers.
"""

import argparse
import asyncio
import json
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Callable, Iterator, MutableMapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any, Final

import recollect
from recollect.engine import Recollect

PACKAGE: Final = Path(recollect.__file__).parent
QUESTION: Final = "when is staging wiped?"
TEXTS: Final = (
    "The staging database is reset every night.",
    "Deployments to production need two approvals.",
    "The cache keeps an answer for ten minutes.",
)


@dataclass
class Walk:
    """The files that were passed through, in the order of the first step, and the steps."""

    files: dict[str, int] = field(default_factory=dict)
    hops: int = 0

    def packages(self) -> str:
        """How many of the files each package has, the most first."""
        counted = Counter(name.split("/")[0] for name in self.files)
        return ", ".join(f"{package} {files}" for package, files in counted.most_common())

    def __str__(self) -> str:
        return "\n".join(f"  {calls:5}  {name}" for name, calls in self.files.items())


class Tracer:
    """Notes which files run while it is on. It has to be made before any other thread is."""

    def __init__(self) -> None:
        self._walk: Walk | None = None
        self._known: dict[str, str | None] = {}
        threading.setprofile(self._note)
        sys.setprofile(self._note)

    @contextmanager
    def walking(self) -> Iterator[Walk]:
        """What runs inside is noted."""
        self._walk = walk = Walk()
        try:
            yield walk
        finally:
            self._walk = None

    def close(self) -> None:
        """Stop looking."""
        threading.setprofile(None)
        sys.setprofile(None)

    def _note(self, frame: FrameType, event: str, _argument: object) -> None:
        walk = self._walk
        if walk is None or event != "call":
            return
        name = self._file(frame)
        if name is None:
            return
        walk.files[name] = walk.files.get(name, 0) + 1
        caller = frame.f_back
        if caller is not None and self._file(caller) not in {None, name}:
            walk.hops += 1

    def _file(self, frame: FrameType) -> str | None:
        path = frame.f_code.co_filename
        if path not in self._known:
            inside = path.startswith(str(PACKAGE))
            self._known[path] = str(Path(path).relative_to(PACKAGE)) if inside else None
        return self._known[path]


def traced() -> dict[str, Walk]:
    """The walks of one ``remember``, one ``recall`` and one ``POST /v1/recall``."""
    tracer = Tracer()
    try:
        with tempfile.TemporaryDirectory(prefix="recollect-walks-") as folder:
            path = Path(folder) / "memory.db"
            with recollect.open(path, user="ada", embedder="static", worker=False) as memory:
                return dict(_walks(memory, tracer))
    finally:
        tracer.close()


def _walks(memory: Recollect, tracer: Tracer) -> Iterator[tuple[str, Walk]]:
    memory.remember(TEXTS[0])
    memory.remember(TEXTS[1])
    with tracer.walking() as walk:
        memory.remember(TEXTS[2])
    yield "remember", walk
    memory.recall(QUESTION)
    with tracer.walking() as walk:
        memory.recall(QUESTION)
    yield "recall", walk
    yield "POST /v1/recall", asyncio.run(_request_walk(memory, tracer))


async def _request_walk(memory: Recollect, tracer: Tracer) -> Walk:
    from recollect.surfaces.rest.application import application

    app = application(memory)
    await _post(app, "/v1/recall", {"query": QUESTION})
    with tracer.walking() as walk:
        await _post(app, "/v1/recall", {"query": QUESTION})
    return walk


async def _post(app: Callable[..., Any], path: str, body: dict[str, Any]) -> None:
    """One request, given to the application as a server gives it."""
    content, statuses = json.dumps(body).encode(), []

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": content, "more_body": False}

    async def send(message: MutableMapping[str, Any]) -> None:
        if message["type"] == "http.response.start":
            statuses.append(message["status"])

    headers = {
        "host": "127.0.0.1",
        "content-type": "application/json",
        "content-length": str(len(content)),
    }
    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": "POST",
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "root_path": "",
        "query_string": b"",
        "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
        "client": ("127.0.0.1", 1),
        "server": ("127.0.0.1", 80),
    }
    await app(scope, receive, send)
    if statuses != [200]:
        raise RuntimeError(f"The server answered {statuses}.")


def main() -> None:
    """Trace the three calls and print what they passed through."""
    parser = argparse.ArgumentParser("python -m benchmarks.walks", description=__doc__)
    parser.add_argument("--short", action="store_true", help="print the numbers only")
    short = parser.parse_args().short
    for name, walk in traced().items():
        print(f"{name}: {len(walk.files)} files, {walk.hops} hops between files")
        print(f"  {walk.packages()}")
        if not short:
            print(f"{walk}\n")


if __name__ == "__main__":
    main()
