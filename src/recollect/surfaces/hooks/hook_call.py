"""Hook process: hands an agent's event to the daemon and prints the daemon's answer.

It imports only parts of the standard library, because the agent waits for it at every step. So it
can neither recognise secrets nor tell whether the session is incognito, and writes nothing itself:
the daemon checks and writes the event, and acknowledges it before anything else. Without a timely
acknowledgement, another process is started that makes the same checks and writes the event. The
agent never waits longer than the event's time limit, and never sees an error of ours as its own:
the exit code is 0, or 1 with one sentence when nothing could be written.
"""

import _socket
import fcntl
import posix
import sys
from time import monotonic, sleep, time_ns

#: First byte of every frame in the spool; no JSON contains it.
FRAME_START = b"\x1e"
LARGE = 1_000_000
LARGEST = 256_000_000
#: Replies of the daemon: it has stored the event, or could not.
TAKEN = b"\x06"
REFUSED = b"\x15"
#: Seconds in which the daemon must acknowledge an event, also when no answer is awaited.
HANDING_OVER = 0.5
#: Events that wait for an answer, with the limit in seconds; the others wait for none.
WAITS = {
    "SessionStart": 2.5,
    "UserPromptSubmit": 2.5,
    "PreToolUse": 0.3,
    "PostToolUse": 0.3,
    "PostToolUseFailure": 0.3,
    "PostToolBatch": 0.3,
    "SubagentStart": 0.6,
}
#: File that a process which writes an event itself holds a shared lock on until it has written.
WRITERS = "writers.lock"
#: Events that wait even for a daemon that has to be started first.
PATIENT = ("SessionStart", "UserPromptSubmit")
PAUSE = 0.02


def main(home: str, harness: str, event: str) -> int:
    """Handle one event; return the exit code."""
    started = monotonic()
    payload = read_input().replace(FRAME_START, b" ")
    if len(payload) > LARGE:
        payload = trimmed(payload)
    name = b"%d-%d" % (time_ns(), posix.getpid())
    frame = b"\x1e%s %d %s %s\n" % (name, len(payload), harness.encode(), event.encode())
    frame += payload + b"\n"
    try:
        enter(home)
        answer = ask(frame, event, started)
        if answer is None:
            answer = have_written(frame, event)
    except OSError as error:
        answer = REFUSED + str(error).encode()
    if answer[:1] == REFUSED:
        posix.write(2, b"Recollect could not keep this event: %s.\n" % answer[1:])
        return 1
    try:
        while answer:
            answer = answer[posix.write(1, answer) :]
    except OSError:
        pass
    return 0


def read_input() -> bytes:
    """Read standard input, up to the size limit."""
    parts: list[bytes] = []
    size = 0
    while True:
        part = posix.read(0, 1_048_576)
        if not part:
            return b"".join(parts)
        size += len(part)
        if size <= LARGEST:
            parts.append(part)


def trimmed(payload: bytes) -> bytes:
    """Event with its long texts cut if it is large; the JSON code is loaded only then."""
    sys.path.insert(0, __file__.rpartition("/")[0])
    import truncate  # type: ignore[import-not-found]  # it lies beside this script

    cut: bytes = truncate.trim(payload)
    return cut


def enter(home: str) -> None:
    """Change to the daemon's folder, private to its owner; file names relative to it are short."""
    try:
        posix.chdir(home)
    except FileNotFoundError:
        folder = ""
        for part in home.split("/"):
            folder += part + "/"
            try:  # noqa: SIM105 loading contextlib would cost more than all the rest
                posix.mkdir(folder, 0o700)
            except FileExistsError:
                pass
        posix.chdir(home)


def write_down(frame: bytes) -> None:
    """Append an event to the spool, whole or not at all; only for callers that have checked it."""
    while True:
        spool = posix.open("spool", posix.O_WRONLY | posix.O_APPEND | posix.O_CREAT, 0o600)
        try:
            fcntl.flock(spool, fcntl.LOCK_EX)
            before = posix.fstat(spool)
            try:
                same = posix.stat("spool").st_ino == before.st_ino
            except FileNotFoundError:
                same = False
            if not same:
                continue
            try:
                left = frame
                while left:
                    left = left[posix.write(spool, left) :]
            except OSError:
                posix.ftruncate(spool, before.st_size)
                raise
            return
        finally:
            posix.close(spool)


def ask(frame: bytes, event: str, started: float) -> bytes | None:
    """Hand the event to the daemon, started if there is none; return its answer.

    The answer begins with ``REFUSED`` when the event could not be written, is empty when the event
    waits for none, and is None when the daemon did not acknowledge the event."""
    wait = WAITS.get(event, 0.0) * patience()
    until = started + wait
    connection = connected()
    if connection is None:
        child = start_daemon()
        while connection is None and event in PATIENT and monotonic() < until:
            if child and posix.waitpid(child, posix.WNOHANG)[0]:
                break  # the daemon could not start
            sleep(PAUSE)
            connection = connected()
        if connection is None:
            return None
    try:
        connection.settimeout(max(HANDING_OVER * patience(), until - monotonic()))
        connection.sendall(frame)
        first = connection.recv(1)
        if first == REFUSED:
            return first + connection.recv(1_000)
        if first != TAKEN:
            return None
    except OSError:
        connection.close()
        return None
    try:
        return read_answer(connection, until) if wait else b""
    except OSError:
        return b""  # the event is stored; only the answer is late
    finally:
        connection.close()


def read_answer(connection: _socket.socket, until: float) -> bytes:
    """Read the daemon's answer until it closes the connection."""
    parts: list[bytes] = []
    while True:
        connection.settimeout(max(0.01, until - monotonic()))
        part = connection.recv(65_536)
        if not part:
            return b"".join(parts)
        parts.append(part)


def have_written(frame: bytes, event: str) -> bytes:
    """Start a separate process that checks and writes the event; return its refusal, if any.

    Waits no longer than for an answer of the daemon; the process continues by itself. It holds a
    lock until it has written, so that the daemon does not finish a session before that.
    """
    ours, theirs = posix.pipe(), posix.pipe()
    writers = posix.open(WRITERS, posix.O_RDWR | posix.O_CREAT, 0o600)
    fcntl.flock(writers, fcntl.LOCK_SH)
    child = posix.fork()
    if not child:
        try:
            posix.setsid()
            nothing = posix.open("/dev/null", posix.O_RDWR)
            log = posix.open("daemon.log", posix.O_WRONLY | posix.O_CREAT | posix.O_APPEND, 0o600)
            for number, target in ((0, ours[0]), (1, theirs[1]), (2, log)):
                posix.dup2(target, number)
            for descriptor in (nothing, *ours, *theirs):
                posix.close(descriptor)
            posix.set_inheritable(writers, True)
            command = [sys.executable, "-m", "recollect.surfaces.hooks", ".", "--write"]
            posix.execv(sys.executable, command)
        finally:
            posix._exit(127)
    posix.close(writers)  # the child process keeps the lock
    posix.close(ours[0])
    posix.close(theirs[1])
    try:
        left = frame
        while left:
            left = left[posix.write(ours[1], left) :]
    finally:
        posix.close(ours[1])
    until = monotonic() + max(HANDING_OVER, WAITS.get(event, 0.0)) * patience()
    while monotonic() < until:
        ended, status = posix.waitpid(child, posix.WNOHANG)
        if ended:
            said = posix.read(theirs[0], 1_000)
            return said if said[:1] == REFUSED else (b"" if status == 0 else REFUSED + b"a fault")
        sleep(PAUSE)
    return b""


def patience() -> float:
    """Factor on the time limits of answers; tests on slow machines raise it."""
    try:
        return float(posix.environ.get(b"RECOLLECT_AGENT_PATIENCE", b"1"))
    except ValueError:
        return 1.0


def connected() -> _socket.socket | None:
    """Connect to the daemon; None when no process listens."""
    connection = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    try:
        connection.settimeout(0.25)
        connection.connect("daemon.sock")
    except OSError:
        connection.close()
        return None
    return connection


def start_daemon() -> int:
    """Start the daemon unless one runs or is starting: the holder of the lock is the daemon."""
    lock = posix.open("daemon.lock", posix.O_RDWR | posix.O_CREAT, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        posix.close(lock)
        return 0
    child = posix.fork()
    if child:
        posix.close(lock)  # the child process keeps the lock
        return child
    try:
        posix.setsid()
        nothing = posix.open("/dev/null", posix.O_RDWR)
        log = posix.open("daemon.log", posix.O_WRONLY | posix.O_CREAT | posix.O_APPEND, 0o600)
        for number, target in ((0, nothing), (1, nothing), (2, log)):
            posix.dup2(target, number)
        posix.set_inheritable(lock, True)
        command = [sys.executable, "-m", "recollect.surfaces.hooks", ".", str(lock)]
        posix.execv(sys.executable, command)
    finally:
        posix._exit(127)


def run(arguments: list[str]) -> None:
    """Run what the script's arguments ask for, and end the process."""
    if arguments[4:] == ["--only"]:  # the installer checks that the script can be loaded
        sys.exit(0)
    posix._exit(main(*arguments[1:4]))
