"""Servers of tests share what a tool's function says of its arguments."""

from collections.abc import Iterator
from typing import Any

import pytest
from mcp.server.mcpserver.tools import Tool

_described: dict[str, Tool] = {}


@pytest.fixture(scope="package", autouse=True)
def tools_described_once() -> Iterator[None]:
    """To read a tool's arguments from its function and describe them in JSON takes most of the time
    in which a server is built, and says the same in every server of a process."""
    describe = Tool.from_function

    def described(function: Any, name: str, **more: Any) -> Tool:
        if name not in _described:
            _described[name] = describe(function, name, **more)
        return _described[name].model_copy(update={"fn": function})

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(Tool, "from_function", described)
        yield
