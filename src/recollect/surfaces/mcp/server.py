"""MCP server: serves the tools over standard input and output, or over HTTP.

Both eras of the protocol are supported: the one that begins with ``initialize``, and the stateless
one. No answer depends on earlier requests, so the era makes no difference.
"""

import contextlib
import functools
import hmac
import logging
import socket
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import recollect
from recollect.engine import Recollect
from recollect.surfaces.mcp.source import (
    NOTHING_YET,
    ClientMemory,
    MemorySource,
    NothingYet,
    OpenMemory,
)
from recollect.surfaces.mcp.tools import Tools
from recollect.surfaces.mcp.workspace import WorkspaceTools
from recollect.vocabulary.errors import InvalidSetting, RecollectError

if TYPE_CHECKING:
    from mcp.server import MCPServer

NAME: Final = "recollect"
INSTRUCTIONS: Final = Path(__file__).with_name("instructions.md")
_LOOPBACK: Final = frozenset({"127.0.0.1", "::1", "localhost"})
#: Harnesses that hide tools behind a search are asked to keep these two visible.
_IN_SIGHT: Final = frozenset({"search_memory", "record_memory"})
#: Title, and whether the tool is read-only, destructive, idempotent.
_TOOLS: Final[dict[str, tuple[str, bool, bool, bool]]] = {
    "search_memory": ("Search memory", True, False, True),
    "record_memory": ("Store a note", False, False, False),
    "report_qa": ("Report a review", False, False, False),
    "update_memory": ("Correct a note", False, False, True),
    "supersede_memory": ("Replace a note", False, False, False),
    "hear_message": ("Process a message", False, False, True),
    "ask_memory": ("Ask personal memory", True, False, True),
    "research": ("Answer with citations", False, False, True),
    "plan_research": ("Plan research", True, False, True),
    "read_events": ("Read events", True, False, True),
    "assemble_context": ("Context within a budget", True, False, True),
    "expand_memory": ("Open indexed notes", True, False, True),
    "get_session_context": ("Context for a task", True, False, True),
    "analyze_impact": ("Impact of a change", True, False, True),
    "get_dependencies": ("Dependencies", True, False, True),
    "trace_data_flow": ("Data flow", True, False, True),
    "forget_memory": ("Archive a note", False, True, True),
    "explain_memory": ("Explain a note", True, False, True),
    "search_messages": ("Search messages", True, False, True),
    "search_memos": ("Search memos", True, False, True),
    "get_conversation_context": ("Conversation around a message", True, False, True),
    "find_expert": ("Find an expert", True, False, True),
    "list_contradictions": ("List contradictions", True, False, True),
    "resolve_contradiction": ("Resolve a contradiction", False, False, False),
    "list_disputes": ("List disputes", True, False, True),
    "dispute_memory": ("Dispute a note", False, False, False),
    "settle_dispute": ("Settle a dispute", False, False, False),
}


def build(memory: Recollect | MemorySource, root: Path | None = None) -> "MCPServer[Any]":
    """Build the server on an open memory."""
    from mcp_types import ToolAnnotations

    from recollect.surfaces.mcp.refusals import RefusingServer

    server = RefusingServer(
        NAME,
        title="Recollect",
        instructions=INSTRUCTIONS.read_text("utf-8"),
        version=recollect.__version__,
        log_level="WARNING",
    )
    source = ClientMemory(OpenMemory(memory) if isinstance(memory, Recollect) else memory)
    tools = Tools(source, root)
    people = WorkspaceTools(source)
    for name, (title, reads, destroys, repeats) in _TOOLS.items():
        meta: dict[str, Any] = {}
        if name in _IN_SIGHT:
            meta["anthropic/alwaysLoad"] = True
        if destroys:
            meta["anthropic/requiresUserInteraction"] = True
        server.add_tool(
            _speaking(getattr(tools if hasattr(tools, name) else people, name)),
            name=name,
            title=title,
            annotations=ToolAnnotations(
                title=title,
                read_only_hint=reads,
                destructive_hint=destroys,
                idempotent_hint=repeats,
                open_world_hint=False,
            ),
            meta=meta or None,
            structured_output=False,
        )
    return server


def serve_pipes(memory: Recollect | MemorySource, root: Path | None = None) -> None:
    """Serve over standard input and output until the client closes them."""
    build(memory, root).run("stdio")


def serve_http(
    memory: Recollect | MemorySource,
    root: Path | None,
    *,
    host: str,
    port: int,
    token: str | None,
    announce: Callable[[str], None],
) -> None:
    """Serve over HTTP until a signal; beyond this machine only with a token."""
    import uvicorn

    if host not in _LOOPBACK and not token:
        raise InvalidSetting(
            f"Others could reach {host}, and no token guards the memory. Nothing was started.",
            hint="Set mcp_token (RECOLLECT_MCP_TOKEN), or listen on 127.0.0.1.",
        )
    app = build(memory, root).streamable_http_app(host=host)
    config = uvicorn.Config(Guarded(app, token) if token else app, log_level="warning")
    with contextlib.closing(_listening(host, port)) as listener:
        announce(f"http://{host}:{listener.getsockname()[1]}/mcp")
        uvicorn.Server(config).run(sockets=[listener])


class Guarded:
    """ASGI middleware that passes only requests with the access token."""

    def __init__(self, app: Any, token: str) -> None:
        self._app = app
        self._wanted = f"Bearer {token}".encode()

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Handle one request."""
        if scope["type"] == "http":
            given = dict(scope["headers"]).get(b"authorization", b"")
            if not hmac.compare_digest(given, self._wanted):
                headers = [(b"www-authenticate", b"Bearer"), (b"content-length", b"0")]
                await send({"type": "http.response.start", "status": 401, "headers": headers})
                await send({"type": "http.response.body", "body": b""})
                return
        await self._app(scope, receive, send)


def _listening(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family)
    except OSError as error:
        raise InvalidSetting(f"Cannot listen on {host}:{port}: {error.strerror}.") from error


def _speaking(tool: Callable[..., str]) -> Callable[..., str]:
    """Wrap a tool so that our errors reach the agent as sentences."""
    from mcp.server.mcpserver.exceptions import ToolError

    @functools.wraps(tool)
    def call(**given: Any) -> str:
        try:
            return tool(**given)
        except NothingYet:
            return NOTHING_YET
        except RecollectError as error:
            raise ToolError(str(error)) from error

    return call


def quiet_log() -> None:
    """Log to standard error: standard output belongs to the protocol."""
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING)
