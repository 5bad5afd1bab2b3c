"""Listening socket of the server; 'recollect serve' also tries it before loading the server."""

import socket

from recollect.vocabulary.errors import InvalidSetting


def listening_on(host: str, port: int) -> socket.socket:
    """Open a socket on the address; raise a readable error when that is not possible."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((host, port))
    except (OSError, OverflowError) as error:
        listening.close()
        raise InvalidSetting(
            f"Nothing can listen on {host} port {port}: "
            f"{getattr(error, 'strerror', None) or error}.",
            hint="Choose another with --port, or 0 for any free port.",
        ) from error
    return listening
