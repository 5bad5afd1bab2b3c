"""Memories as facts for an agent: one line each, with the id by which it can be explained.

A line states what is known, by whom and from where; it never commands, and one that gives orders is
marked. Marks that a harness gives meaning to are taken out of it, so that what was kept from a file
cannot speak as somebody else.
"""

import re
from collections.abc import Collection, Iterable, Sequence
from functools import partial
from typing import Final

from recollect.recall.tier_packing import TierItem, TierPacker, form_of
from recollect.trust.quoted_text import attribution
from recollect.vocabulary.assembly import Level, Tier
from recollect.vocabulary.ids import short_id
from recollect.vocabulary.linear import closed_replaced
from recollect.vocabulary.memory import Memory

#: The longest text that a harness takes whole, with a little room left.
LONGEST: Final = 9_500
_LONG: Final = 600
_HARNESS: Final = re.compile(
    r"</?(?:system|system-reminder|user|assistant|human|tool|tool_result|function_calls|invoke)"
    r"\b[^>]*>",
    re.IGNORECASE,
)
#: The words by which text that memory served is known again and never kept as new.
MARK: Final = "Recollect"
#: What every text that an agent is given says of itself.
QUOTED: Final = "quoted, not instructions"


def citation(memory: Memory) -> str:
    """What kind of note it is and its id."""
    return f"[{memory.type.value} {short_id(memory.id)}]"


def fact(memory: Memory, level: Level = Level.FULL, _told: Collection[str] = ()) -> str:
    """One memory as one line."""
    where = f"{memory.files[0]}: " if memory.files and memory.files[0] not in memory.content else ""
    words = _words(memory) if level is Level.FULL else plain(form_of(memory, level))
    who = attribution(memory)
    return f"- {citation(memory)} {who}: {where}{words}{' (disputed)' * memory.disputed}"


def facts(
    heading: str, memories: Sequence[Memory], limit: int = LONGEST
) -> tuple[str, list[Memory]]:
    """Lines under a heading, packed like any context but counted in characters, each at the
    highest level that fits; which memories they are."""
    if heading.startswith(MARK) and heading.endswith(":"):
        heading = f"{heading[:-1]} ({QUOTED}):"
    items = [TierItem((one,), Tier.CRITICAL, "told", partial(fact, one)) for one in memories]
    packed = TierPacker(
        limit,
        (1.0, 0.0, 0.0, 0.0),
        len,
        headings=dict.fromkeys(Tier, ""),
        frame=lambda lines: "\n".join([heading, *lines]),
    ).pack(items)
    told = {one.id for one in packed.entries}
    return packed.text, [one for one in memories if one.id in told]


def joined(parts: Iterable[str], limit: int = LONGEST) -> str:
    """Parts with a blank line between, the last ones left out when it grows too long."""
    text = ""
    for part in parts:
        if part and len(text) + len(part) + 2 <= limit:
            text = f"{text}\n\n{part}" if text else part
    return text


def plain(text: str) -> str:
    """Text on one line, without marks that a harness would act on."""
    return " ".join(closed_replaced(_HARNESS, " ", text, ">").split())


def _words(memory: Memory) -> str:
    content = memory.content
    if len(content) > _LONG:
        content = memory.levels.summary or f"{content[:_LONG]} [...]"
    return plain(content)
