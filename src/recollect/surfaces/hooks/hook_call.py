"""The hook process: hands its event to the daemon, prints what the daemon says.

It loads nothing but parts of the interpreter, because an agent waits for it at every step. So it
cannot tell secrets from other words, nor whether the session is incognito, and writes nothing down
itself: the daemon does, which can, and says so before anything else. Where no daemon says so in
time, another process is started that can tell the same and writes the event down. The agent is
never kept waiting past the event's time, and never sees an error of ours as its own: the exit code
is 0, or 1 with one sentence when nothing could be written.
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
#: What the daemon says when an event is its own now, or could not be written down.
TAKEN = b"\x06"
REFUSED = b"\x15"
#: How many seconds an event has to be taken, also where nobody waits for an answer.
HANDING_OVER = 0.5
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
    cut: bytes = __import__("truncate").trim(payload)
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


def write_down(frame: bytes) -> None:
    """Append an event to the spool, whole or not at all; for those who know that it may be."""
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
    """Hand the event to the daemon, starting it if there is none; its answer where the event waits
    for one, and None when it did not say that it has the event."""
    wait = WAITS.get(event, 0.0) * patience()
    until = started + wait
    door = connected()
    if door is None:
        child = start_daemon()
        while door is None and event in PATIENT and monotonic() < until:
            if child and posix.waitpid(child, posix.WNOHANG)[0]:
                break  # it could not start
            sleep(PAUSE)
            door = connected()
        if door is None:
            return None
    try:
        door.settimeout(max(HANDING_OVER * patience(), until - monotonic()))
        door.sendall(frame)
        first = door.recv(1)
        if first == REFUSED:
            return first + door.recv(1_000)
        if first != TAKEN:
            return None
    except OSError:
        door.close()
        return None
    try:
        return told(door, until) if wait else b""
    except OSError:
        return b""  # the event is kept; what was to be told is late
    finally:
        door.close()


def told(door: _socket.socket, until: float) -> bytes:
    """What the daemon tells until it hangs up."""
    parts: list[bytes] = []
    while True:
        door.settimeout(max(0.01, until - monotonic()))
        part = door.recv(65_536)
        if not part:
            return b"".join(parts)
        parts.append(part)


def have_written(frame: bytes, event: str) -> bytes:
    """Have another process look at the event and write it down; wait for it no longer than for an
    answer. It goes on by itself."""
    ours, theirs = posix.pipe(), posix.pipe()
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
            command = [sys.executable, "-m", "recollect.surfaces.hooks", ".", "--write"]
            posix.execv(sys.executable, command)
        finally:
            posix._exit(127)
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
