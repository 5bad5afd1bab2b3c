"""Origin of an event's content, from its payload: whether it is outside text.

Only known outside sources count (``vocabulary/origins.py`` names them). The words of a person or an
agent, the project's files and the output of a local program are not outside text, whatever their
payload calls them; text from any tool still carries its origin to where it is shown.
"""

from collections.abc import Mapping
from typing import Any, Final

from recollect.vocabulary.arguments import checked_name
from recollect.vocabulary.errors import InvalidInput
from recollect.vocabulary.origins import origin_mark, origin_mark_of, outside_label

#: Labels of text that no tool wrote, whichever tool is named beside them: a refusal is the user's
#: words.
_NEVER_OUTSIDE: Final = frozenset({"user", "human", "harness", "memory"})
#: Labels that are never outside text, so that nobody declares them as such.
OURS: Final = _NEVER_OUTSIDE | {"assistant", "agent", "repository", "command"}
_BARE: Final = "outside"
_TOOLS: Final = ("tool", "tool_name")
_INPUTS: Final = ("input", "tool_input", "arguments", "args")
#: The only names in a payload that can tell of somebody outside.
_TELLING: Final = frozenset({"origin", "payload", "command", "cmd", *_TOOLS, *_INPUTS})


def origin_of(payload: Mapping[str, Any]) -> str | None:
    """The origin mark of outside text; None if nobody outside wrote it."""
    if _TELLING.isdisjoint(payload):
        return None
    payload = _flat(payload)
    given = payload.get("origin")
    label = outside_label(given)
    if label is not None and label != _BARE:
        return label
    if label is None and (_named(given) in _NEVER_OUTSIDE or payload.get("act") == "call"):
        return None
    return _brought_by_tool(payload) or label


def declared_origin(given: str) -> str:
    """The origin mark of a source that the caller declares as foreign: a kind, or a place of an
    import.
    """
    text = checked_name(given, "origin")
    if text.lower() in OURS:
        raise InvalidInput(
            f"{text!r} is not an origin of outside text.",
            hint="Leave the origin out: the words are then their authors' own.",
        )
    return outside_label(text) or origin_mark("import", text)


def shown_origin(payload: Mapping[str, Any]) -> str:
    """The origin of a text for display: a mark, a label, or the tool; empty if unknown."""
    mark = origin_of(payload)
    if mark is not None or not payload:
        return mark or ""
    payload = _flat(payload)
    tool = tool_of(payload)
    paths = payload.get("paths")
    place = str(paths[0]) if tool and isinstance(paths, list) and paths else ""
    parts = [_named(payload.get("origin")), tool, place]
    return " ".join(part for part in parts if part)


def tool_of(payload: Mapping[str, Any]) -> str:
    """The tool that produced an event, from its payload; empty if none."""
    named = next((payload[key] for key in _TOOLS if isinstance(payload.get(key), str)), "")
    if not named and _input_of(payload) and isinstance(payload.get("name"), str):
        return str(payload["name"])  # a name alone may be a person's, or anything's
    return named


def _brought_by_tool(payload: Mapping[str, Any]) -> str | None:
    return origin_mark_of(tool_of(payload), {**payload, **_input_of(payload)})


def _input_of(payload: Mapping[str, Any]) -> Mapping[str, Any]:
    return next((payload[key] for key in _INPUTS if isinstance(payload.get(key), Mapping)), {})


def _flat(payload: Mapping[str, Any]) -> Mapping[str, Any]:
    inner = payload.get("payload")
    return {**payload, **inner} if isinstance(inner, Mapping) else payload  # some nest it


def _named(label: object) -> str:
    return label.strip().lower() if isinstance(label, str) else ""
