"""Calls a tool of a server in this process, over the protocol."""

import asyncio
from collections.abc import Mapping
from typing import Any

from mcp.client import Client


def call(server: Any, tool: str, given: Mapping[str, Any]) -> tuple[str, bool]:
    """What a tool says, and whether it is an error."""

    async def talk() -> tuple[str, bool]:
        async with Client(server) as client:
            result = await client.call_tool(tool, dict(given))
            return str(result.content[0].text), bool(result.is_error)  # type: ignore[union-attr]

    return asyncio.run(talk())
