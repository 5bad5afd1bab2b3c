"""The hook process: writes its event down, pokes the daemon, prints what the daemon says.

It loads nothing but parts of the interpreter, because an agent waits for it at every step. The
event is on the disk before anything else happens, so it is never lost to a daemon that is not there
or dies. The agent is never kept waiting past the event's time, and never sees an error of ours as
its own: the exit code is 0, or 1 with one sentence when nothing could be written.
"""

import _socket
import fcntl
import posix
import sys
from time import monotonic, sleep, time_ns

#: What frames of the spool begin with; no JSON holds it.
SIGN = b"\x1e"
LARGE = 1_000_000
LARGEST = 256_000_000
#: Who waits for an answer, and for how many seconds; the others only tell.
WAITS = {
    "SessionStart": 2.5,
    "UserPromptSubmit": 2.5,
    "PreToolUse": 0.3,
    "PostToolUse": 0.3,
    "PostToolUseFailure": 0.3,
    "PostToolBatch": 0.3,
    "SubagentStart": 0.6,
}
#: Who waits for a daemon that has to be started first.
PATIENT = ("SessionStart", "UserPromptSubmit")
PAUSE = 0.02


def main(home: str, harness: str, event: str) -> int:
    """One event; the exit code."""
    started = monotonic()
    payload = read_input().replace(SIGN, b" ")
    if len(payload) > LARGE:
        payload = trimmed(payload)
    name = b"%d-%d" % (time_ns(), posix.getpid())
    try:
        enter(home)
        write_down(name, harness.encode(), event.encode(), payload)
    except OSError as error:
        posix.write(2, b"Recollect could not keep this event: %s.\n" % str(error).encode())
        return 1
    try:
        answer = ask(name, event, started)
        while answer:
            answer = answer[posix.write(1, answer) :]
    except OSError:
        pass
    return 0


def read_input() -> bytes:
    """All of standard input, as far as anybody could want it."""
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
    """A large event with its long texts cut; what reads JSON is loaded only now."""
    sys.path.insert(0, __file__.rpartition("/")[0])
    cut: bytes = __import__("trimming").trim(payload)
    return cut


def enter(home: str) -> None:
    """Go to the folder of the daemon, for its owner alone; the names in it are short then."""
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


def write_down(name: bytes, harness: bytes, event: bytes, payload: bytes) -> None:
    """Append the event to the spool, whole or not at all."""
    head = b"\x1e%s %d %s %s\n" % (name, len(payload), harness, event)
    frame = head + payload + b"\n"
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


def ask(name: bytes, event: str, started: float) -> bytes:
    """Tell the daemon, starting it if there is none; its answer where the event waits for one."""
    wait = WAITS.get(event, 0.0) * patience()
    until = started + wait
    door = connected()
    if door is None:
        child = start_daemon()
        while door is None and event in PATIENT and monotonic() < until:
            if child and posix.waitpid(child, posix.WNOHANG)[0]:
                break  # it could not start; the spool keeps the event
            sleep(PAUSE)
            door = connected()
        if door is None:
            return b""
    try:
        door.settimeout(max(0.05, until - monotonic()) if wait else 0.05)
        door.send(name + b"\n")
        if not wait:
            return b""
        parts: list[bytes] = []
        while True:
            part = door.recv(65_536)
            if not part:
                return b"".join(parts)
            parts.append(part)
            door.settimeout(max(0.01, until - monotonic()))
    finally:
        door.close()


def patience() -> float:
    """How many times their usual time answers may take; tests on slow machines have more."""
    try:
        return float(posix.environ.get(b"RECOLLECT_AGENT_PATIENCE", b"1"))
    except ValueError:
        return 1.0


def connected() -> _socket.socket | None:
    """A connection to the daemon; None when nobody listens."""
    door = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    try:
        door.settimeout(0.25)
        door.connect("daemon.sock")
    except OSError:
        door.close()
        return None
    return door


def start_daemon() -> int:
    """Start the daemon unless one is there or starting: whoever holds the lock is the one."""
    lock = posix.open("daemon.lock", posix.O_RDWR | posix.O_CREAT, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        posix.close(lock)
        return 0
    child = posix.fork()
    if child:
        posix.close(lock)  # the child holds it on
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
    """What the script's arguments ask for; the process ends here."""
    if arguments[4:] == ["--only"]:  # what installs it checks that it can be loaded
        sys.exit(0)
    posix._exit(main(*arguments[1:4]))
