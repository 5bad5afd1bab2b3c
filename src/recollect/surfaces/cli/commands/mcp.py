"""Command ``mcp``: runs the MCP server for agents."""

import os
from contextlib import closing
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

from typer import Option

from recollect.surfaces.cli.session import CommandContext


def mcp(
    session: CommandContext,
    http: Annotated[
        bool, Option("--http", help="Serve over HTTP instead of standard input and output.")
    ] = False,
    host: Annotated[
        str, Option("--host", metavar="HOST", help="The address to listen on.")
    ] = "127.0.0.1",
    port: Annotated[
        int, Option("--port", metavar="PORT", help="The port; 0 for any free one.")
    ] = 8765,
    root: Annotated[
        str | None,
        Option("--root", metavar="FOLDER", help="The project's folder; this folder by default."),
    ] = None,
) -> None:
    """Serve the memory to agents, by MCP."""
    from recollect.engine.for_surfaces import project_of
    from recollect.vocabulary.errors import InvalidSetting

    if find_spec("mcp") is None:
        from recollect.vocabulary.optional_parts import how_to_install

        raise InvalidSetting(
            "MCP needs its library, which is not installed.", hint=how_to_install("mcp")
        )
    from recollect.surfaces.mcp import server
    from recollect.surfaces.mcp.source import MemoryOnDemand

    server.quiet_log()
    project = project_of(Path(root or os.environ.get("CLAUDE_PROJECT_DIR") or Path.cwd()))
    source = MemoryOnDemand(
        lambda make: session.open_project(project.space, make=make),
        space_named=session.space_named,
    )
    with closing(source):
        source.prepare()
        if not http:
            server.serve_pipes(source, project.root)
            return
        server.serve_http(
            source,
            Path(project.root),
            host=host,
            port=port,
            token=session.settings["mcp_token"].text or None,
            announce=lambda address: session.note(f"Listening on {address}"),
        )
