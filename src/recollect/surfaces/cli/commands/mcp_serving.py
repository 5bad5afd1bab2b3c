"""Serving the memory to agents: the MCP server."""

import os
from pathlib import Path
from typing import Annotated

from typer import Option

from recollect.surfaces.cli.session import Session


def mcp(
    session: Session,
    http: Annotated[bool, Option("--http", help="Speak HTTP instead of pipes.")] = False,
    host: Annotated[str, Option("--host", metavar="HOST", help="Where to listen.")] = "127.0.0.1",
    port: Annotated[int, Option("--port", metavar="PORT", help="0 takes a free one.")] = 8765,
    root: Annotated[
        str | None, Option("--root", metavar="FOLDER", help="The project; this folder otherwise.")
    ] = None,
) -> None:
    """Serve the memory to agents, by MCP."""
    from recollect.surfaces.cli.projects import open_project, project_here
    from recollect.vocabulary.errors import InvalidSetting

    try:
        from recollect.surfaces.mcp import server
    except ImportError as error:
        raise InvalidSetting(
            "MCP needs its library, which is not installed.", hint="pip install 'recollect[mcp]'"
        ) from error
    server.quiet_log()
    project = project_here(root or os.environ.get("CLAUDE_PROJECT_DIR"))
    with open_project(session, project) as memory:
        memory.start_worker()
        if not http:
            server.serve_pipes(memory, project.root)
            return
        server.serve_http(
            memory,
            Path(project.root),
            host=host,
            port=port,
            token=session.settings["mcp_token"].text or None,
            announce=lambda address: session.note(f"Listening on {address}"),
        )
