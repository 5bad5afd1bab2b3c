"""Processes that read files for this one, so that several cores work and a parser that dies takes
nothing with it.

They are plain children that speak over their pipes: nothing of the program that uses the library is
run again in them. A child that dies is replaced, and the files it held are tried one by one.
"""

import contextlib
import os
import pickle
import queue
import struct
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from typing import IO, Any, Final

_SIZE: Final = struct.Struct("<Q")
_ASIDE: Final = "recollect.codegraph.reader_processes"


class Helper:
    """One child."""

    def __init__(self) -> None:
        self._child = subprocess.Popen(
            [sys.executable, "-c", f"from {_ASIDE} import serve; serve()"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)},
        )

    def ask(self, root: str, batch: Sequence[Any]) -> list[Any] | None:
        """Facts read by the child; None when it died."""
        incoming, outgoing = self._child.stdin, self._child.stdout
        if incoming is None or outgoing is None:
            return None
        try:
            _send(incoming, (root, list(batch)))
            answer: list[Any] = _receive(outgoing)
        except (OSError, EOFError, pickle.UnpicklingError):
            return None
        return answer

    def close(self) -> None:
        """End the child process."""
        for pipe in (self._child.stdin, self._child.stdout):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()
        try:
            self._child.wait(5)
        except subprocess.TimeoutExpired:
            self._child.kill()
            self._child.wait()


def _send(pipe: IO[bytes], value: Any) -> None:
    data = pickle.dumps(value, protocol=pickle.HIGHEST_PROTOCOL)
    pipe.write(_SIZE.pack(len(data)))
    pipe.write(data)
    pipe.flush()


def _receive(pipe: IO[bytes]) -> Any:
    head = pipe.read(_SIZE.size)
    if len(head) < _SIZE.size:
        raise EOFError
    (size,) = _SIZE.unpack(head)
    data = pipe.read(size)
    if len(data) < size:
        raise EOFError
    return pickle.loads(data)  # noqa: S301 - from our own child, over its own pipe


def serve() -> None:
    """Main loop of a child: read the requested files until its pipe is closed."""
    from recollect.codegraph.file_reader import scan

    incoming, outgoing = sys.stdin.buffer, sys.stdout.buffer
    sys.stdout = sys.stderr
    while True:
        try:
            root, batch = _receive(incoming)
        except (EOFError, KeyboardInterrupt):
            return
        try:
            _send(outgoing, [scan(root, seen) for seen in batch])
        except (BrokenPipeError, KeyboardInterrupt):
            return


class _ReaderProcesses:
    """Several helpers working on one list of batches."""

    def __init__(self, helpers: int, root: str, batches: Sequence[Sequence[Any]]) -> None:
        self._root = root
        self._batches = batches
        self._todo: queue.Queue[int] = queue.Queue()
        for number in range(len(batches)):
            self._todo.put(number)
        self._done: dict[int, list[Any]] = {}
        self._ready = threading.Condition()
        self._stopping = threading.Event()
        self._ahead = threading.Semaphore(4 * helpers + 4)
        self._threads = [threading.Thread(target=self._work, daemon=True) for _ in range(helpers)]

    def answers(self) -> Iterator[list[Any]]:
        """Results in the order of the batches."""
        for thread in self._threads:
            thread.start()
        try:
            for number in range(len(self._batches)):
                answer = self._answer(number)
                self._ahead.release()
                yield answer
        finally:
            self._stopping.set()
            for thread in self._threads:
                thread.join(10)

    def _answer(self, number: int) -> list[Any]:
        with self._ready:
            while number not in self._done:
                self._ready.wait(1)
                working = any(thread.is_alive() for thread in self._threads)
                if number not in self._done and not working:
                    raise OSError("The processes that read files could not be started.")
            return self._done.pop(number)

    def _work(self) -> None:
        helper = Helper()
        try:
            while not self._stopping.is_set():
                if not self._ahead.acquire(timeout=0.1):
                    continue
                try:
                    number = self._todo.get_nowait()
                except queue.Empty:
                    return
                answer = helper.ask(self._root, self._batches[number])
                if answer is None:
                    helper.close()
                    answer = [] if self._stopping.is_set() else self._one_by_one(number)
                    helper = Helper()
                with self._ready:
                    self._done[number] = answer
                    self._ready.notify_all()
        finally:
            helper.close()

    def _one_by_one(self, number: int) -> list[Any]:
        """Read a batch over which a helper died: each file in a helper of its own."""
        from recollect.codegraph.file_reader import unreadable_file

        answer: list[Any] = []
        for seen in self._batches[number]:
            helper = Helper()
            single = helper.ask(self._root, [seen])
            answer += single if single is not None else [unreadable_file(seen)]
            helper.close()
        return answer


def scan_with(helpers: int, root: str, batches: Sequence[Sequence[Any]]) -> Iterator[list[Any]]:
    """Read batches in several child processes; results come in the order of the batches."""
    return _ReaderProcesses(helpers, root, batches).answers()
