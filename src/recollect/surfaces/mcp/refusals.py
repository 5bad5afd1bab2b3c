"""Error messages for MCP calls of unknown tools or with invalid arguments.

The library would answer with the messages of its validator. Here the argument is named with the
values it accepts, and a misspelled tool name is answered with the nearest ones. This is a separate
module because it alone needs the library at import time.
"""

from collections.abc import Iterator, Mapping, Sequence
from difflib import get_close_matches
from typing import Any, Final

from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from pydantic import ValidationError

from recollect.surfaces.mcp.source import CALLER
from recollect.vocabulary.audiences import client_name

_SHOWN: Final = 80
_TAKES: Final = {
    "string": "a text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "object": "an object",
}


class RefusingServer(MCPServer[Any]):
    """MCP server that reports invalid calls as sentences for the agent."""

    async def call_tool(self, name: str, arguments: dict[str, Any], context: Any = None) -> Any:
        """Call a tool by name."""
        tools = {tool.name: tool.input_schema for tool in await self.list_tools()}
        if name not in tools:
            raise ToolError(_no_such_tool(name, tools))
        CALLER.set(_caller(context))
        if unknown := _unknown(arguments, tools[name]):  # the library would leave them out
            raise ToolError(_refusal(name, [*_missing(arguments, tools[name]), unknown]))
        try:
            return await super().call_tool(name, arguments, context)
        except ToolError as error:
            if not isinstance(error.__cause__, ValidationError):
                raise
            problems = list(_problems(error.__cause__, tools[name]))
            raise ToolError(_refusal(name, problems)) from error.__cause__


def _refusal(name: str, problems: Sequence[str]) -> str:
    return f"Error executing tool {name}: {' '.join(problems)} Nothing was done."


def _caller(context: Any) -> str:
    """Name of the calling program, if it gives one: both eras of the protocol allow it."""
    try:
        client_parameters = context.session.client_params
    except (AttributeError, LookupError, ValueError):  # called outside a request
        client_parameters = None
    return client_name(
        "mcp", "" if client_parameters is None else str(client_parameters.client_info.name)
    )


def _no_such_tool(name: str, tools: Mapping[str, Any]) -> str:
    """Nearest tool names, whatever the order of their words; all tools when none is near."""
    ordered = {"_".join(sorted(one.split("_"))): one for one in tools}
    asked = name.lower().replace("-", "_")
    near = get_close_matches("_".join(sorted(asked.split("_"))), ordered, n=2, cutoff=0.6)
    found = dict.fromkeys(
        [*get_close_matches(asked, tools, n=1, cutoff=0.6), *(ordered[one] for one in near)]
    )
    hint = f"Did you mean {' or '.join(found)}?" if found else f"There are: {', '.join(tools)}."
    return f"There is no tool {name[:80]!r}. {hint}"


def _unknown(given: Mapping[str, Any], parameters: Mapping[str, Any]) -> str:
    """A sentence that names the unknown arguments and the known ones; empty without any."""
    known = parameters.get("properties", {})
    strange = [name for name in given if name not in known]
    if not strange:
        return ""
    named = ", ".join(repr(name[:_SHOWN]) for name in strange[:5])
    return f"{named} is not known; there are {', '.join(known)}."


def _missing(given: Mapping[str, Any], parameters: Mapping[str, Any]) -> Iterator[str]:
    """One sentence per required argument that was not given."""
    for name in parameters.get("required", ()):
        if name not in given:
            yield f"{name!r} is missing: it takes {_takes(parameters['properties'][name])}."


def _problems(error: ValidationError, parameters: Mapping[str, Any]) -> Iterator[str]:
    """One sentence per missing or invalid argument."""
    known: Mapping[str, Any] = parameters.get("properties", {})
    seen = set()
    for problem in error.errors(include_url=False, include_input=False):
        argument = str(problem["loc"][0]) if problem["loc"] else ""
        if argument in seen:
            continue
        seen.add(argument)
        what = "is missing" if problem["type"] == "missing" else "does not fit"
        yield f"{argument!r} {what}: it takes {_takes(known.get(argument, {}))}."


def _takes(schema: Mapping[str, Any]) -> str:
    """Description of the values that an argument accepts."""
    if "enum" in schema:
        return f"one of {', '.join(map(str, schema['enum']))}"
    if "anyOf" in schema:
        kinds = [_takes(one) for one in schema["anyOf"] if one.get("type") != "null"]
        return " or ".join(dict.fromkeys(kinds))
    if schema.get("type") == "array":
        return "a list of texts" if schema.get("items", {}).get("type") == "string" else "a list"
    return _TAKES.get(str(schema.get("type")), "another value")
