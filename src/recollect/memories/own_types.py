"""Types of memory that plug-ins bring: each is kept as one of ours, marked with its own name.

A plug-in may check what is kept as its type. What it refuses is refused in its words; where its
check itself fails or is late, the memory is kept and waits for review.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from recollect.memories.plug_in_guard import PlugInGuard
from recollect.vocabulary.errors import InvalidInput

if TYPE_CHECKING:
    from recollect.vocabulary.methodologies import OwnType


def with_own_type(content: str, name: str, fields: Mapping[str, Any]) -> Mapping[str, Any]:
    """Fields of a memory whose type may be one of a plug-in, in the terms of ours."""
    from recollect.vocabulary.methodologies import own_types  # looks at installed packages

    own = own_types().get(name)
    if own is None:
        return fields  # refused with the types that there are
    extras = fields.get("extras") or {}
    changed = {**fields, "type": own.base.value, "tags": (*fields.get("tags", ()), own.tag)}
    if isinstance(extras, Mapping) and extras:
        changed["extras"] = {"own": dict(extras)}
    if not _is_checked(own, content, extras):
        changed["needs_review"] = True
    return changed


def _is_checked(own: "OwnType", content: str, extras: Mapping[str, Any]) -> bool:
    """Whether the plug-in's check could be asked; an error where it refuses the memory."""
    check = own.check
    if check is None:
        return True
    refused: list[str] = []

    def work() -> bool:
        try:
            check(content, dict(extras))
        except ValueError as error:
            refused.append(str(error))
        return True

    asked = PlugInGuard().call(own.methodology, f"the check of {own.name}", work, bool)
    if refused:
        raise InvalidInput(f"{own.methodology} refuses this {own.name}: {refused[0]}")
    return asked is True
