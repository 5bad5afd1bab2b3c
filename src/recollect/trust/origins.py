"""Where the content of an event came from, by what its payload says.

Only a known door is outside (``vocabulary/origins.py`` names them). A person's words, an agent's,
the project's files and the output of a local program are not, whatever their payload calls them;
text that came through any tool still carries where it came from to the place where it is shown.
"""

from collections.abc import Mapping
from typing import Any, Final

from recollect.vocabulary.errors import InvalidInput
from recollect.vocabulary.origins import dispatcher_of, labelled, outside_label
from recollect.vocabulary.text import checked_name

#: Labels of what no tool wrote, whichever tool stands beside them: a refusal is the user's words.
_NEVER_OUTSIDE: Final = frozenset({"user", "human", "harness", "memory"})
#: What nobody takes for outside text, so that nobody declares it as such.
OURS: Final = _NEVER_OUTSIDE | {"assistant", "agent", "repository", "command"}
_BARE: Final = "outside"
_TOOLS: Final = ("tool", "tool_name")
_INPUTS: Final = ("input", "tool_input", "arguments", "args")


def origin_of(payload: Mapping[str, Any]) -> str | None:
    """The mark of an event that came from outside; None when nobody outside wrote it."""
    if not payload:
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
    """The mark of a source that somebody says is not their own: a door, or a place of an import."""
    text = checked_name(given, "origin")
    if text.lower() in OURS:
        raise InvalidInput(
            f"{text!r} is no origin of outside text.",
            hint="Leave the origin out: the words are then their authors' own.",
        )
    return outside_label(text) or labelled("import", text)


def shown_origin(payload: Mapping[str, Any]) -> str:
    """Where words came from, in a few words: a mark, what a label says, or the tool; else empty."""
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
    """The tool that brought an event, by what its payload says; empty when none did."""
    named = next((payload[key] for key in _TOOLS if isinstance(payload.get(key), str)), "")
    if not named and _input_of(payload) and isinstance(payload.get("name"), str):
        return str(payload["name"])  # a name alone is a person's, or anything's
    return named


def _brought_by_tool(payload: Mapping[str, Any]) -> str | None:
    return dispatcher_of(tool_of(payload), {**payload, **_input_of(payload)})


def _input_of(payload: Mapping[str, Any]) -> Mapping[str, Any]:
    return next((payload[key] for key in _INPUTS if isinstance(payload.get(key), Mapping)), {})


def _flat(payload: Mapping[str, Any]) -> Mapping[str, Any]:
    inner = payload.get("payload")
    return {**payload, **inner} if isinstance(inner, Mapping) else payload  # as some nest it


def _named(label: object) -> str:
    return label.strip().lower() if isinstance(label, str) else ""
