"""Loaded by an interpreter as it starts: a program of the engine becomes a copy of the process that
has loaded the libraries (``tests/fork_server.py``), with the same arguments, environment, folder
and descriptors. The interpreter waits for it and ends as it ended. It loads nothing that a bare
interpreter does not have, and where nobody takes the program over, runs it itself.
"""

import os
import sys

#: How it ends where nobody can tell how the copy ended.
_NOBODY = 70


def _hand_over(address: bytes, command: list[str]) -> None:
    import _socket
    import marshal

    connection = _socket.socket(_socket.AF_UNIX, _socket.SOCK_SEQPACKET)
    try:
        connection.connect(address)
    except OSError:
        connection.close()
        return
    held = [int(name) for name in os.listdir("/proc/self/fd")]
    inherited = sorted(number for number in held if number < 3 or _is_inherited(number))
    status, told = os.pipe()
    leads_session = os.getsid(0) == os.getpid()
    message = marshal.dumps((command, dict(os.environ), os.getcwd(), inherited, leads_session))
    numbers = b"".join(number.to_bytes(4, sys.byteorder) for number in (*inherited, told))
    connection.sendmsg([message], [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, numbers)])
    connection.close()
    os.close(told)
    try:
        _be(status, inherited)
    finally:
        os._exit(_NOBODY)  # whatever happens, the program does not run a second time


def _is_inherited(number: int) -> bool:
    try:
        return os.get_inheritable(number)
    except OSError:
        return False  # the listing's own


def _be(status: int, inherited: list[int]) -> None:
    """Stand for the copy: holds nothing that it holds, passes signals on, ends as it ends."""
    import signal

    nothing = os.open(os.devnull, os.O_RDWR)
    for number in inherited:
        os.dup2(nothing, number)
    pid = _number(status)
    for one in (signal.SIGINT, signal.SIGTERM):
        signal.signal(one, lambda sent, _: os.kill(pid, sent))
    code = os.waitstatus_to_exitcode(_number(status))
    if code < 0:
        if -code in (signal.SIGINT, signal.SIGTERM):
            signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    os._exit(code)


def _number(status: int) -> int:
    told = os.read(status, 4)
    if not told:  # the process that waits was ended
        os._exit(_NOBODY)
    return int.from_bytes(told, sys.byteorder, signed=True)


if sys.orig_argv[1:2] == ["-m"] and sys.orig_argv[2].partition(".")[0] == "recollect":
    _hand_over(bytes.fromhex(os.environ["TESTS_FORK_SERVER"]), sys.orig_argv[2:])
