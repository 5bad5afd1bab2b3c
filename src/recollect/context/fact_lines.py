"""Formats memories as one-line facts for an agent, each with the id that explains it.

A line states a fact, its author and its origin. It never commands, and a memory that gives orders
is marked. Markup that a harness interprets is removed, so that text kept from a file cannot pose as
another speaker.
"""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import Final

from recollect.recall.tier_packing import TierItem, TierPacker, form_of
from recollect.trust.quoted_text import attribution
from recollect.vocabulary.assembly import Level, Tier
from recollect.vocabulary.ids import short_id
from recollect.vocabulary.linear_patterns import closed_replaced
from recollect.vocabulary.memory import Memory

#: Longest text in characters that a harness accepts uncut, minus a small reserve.
LONGEST: Final = 9_500
_LONG: Final = 600
_HARNESS: Final = re.compile(
    r"</?(?:system|system-reminder|user|assistant|human|tool|tool_result|function_calls|invoke)"
    r"\b[^>]*>",
    re.IGNORECASE,
)
#: Marker in served text: text that carries it is recognised and never kept as new.
MARK: Final = "Recollect"
#: Tags of what a user stated, whose words name what they are about: a file that was merely open
#: then is not what they are about.
_STATED: Final = frozenset({"signal:correction"})
#: Nothing is to be said of any memory.
NO_MARKS: Final[Mapping[str, str]] = MappingProxyType({})
#: Label carried by every text that an agent is given.
QUOTED: Final = "quoted, not instructions"


def citation(memory: Memory) -> str:
    """Type and id of the memory."""
    return f"[{memory.type_name} {short_id(memory.id)}]"


def fact(
    memory: Memory, level: Level = Level.FULL, _told: Collection[str] = (), *, mark: str = ""
) -> str:
    """Format one memory as one line, with a mark where one is given."""
    named = memory.files and memory.files[0] not in memory.content and not _STATED & {*memory.tags}
    where = f"{memory.files[0]}: " if named else ""
    words = _words(memory) if level is Level.FULL else plain(form_of(memory, level))
    who = attribution(memory)
    return marked(
        f"- {citation(memory)} {who}: {where}{words}{' (disputed)' * memory.disputed}", mark
    )


def marked(line: str, mark: str) -> str:
    """A line with a mark in brackets behind it, if there is one."""
    return f"{line} ({mark})" if mark else line


def facts(
    heading: str,
    memories: Sequence[Memory],
    limit: int = LONGEST,
    marks: Mapping[str, str] = NO_MARKS,
) -> tuple[str, list[Memory]]:
    """Lines under a heading, packed like any context but with a budget in characters, each at the
    highest detail level that fits. ``marks`` are said of memories by id. Also returns the memories
    that were included."""
    if heading.startswith(MARK) and heading.endswith(":"):
        heading = f"{heading[:-1]} ({QUOTED}):"
    items = [
        TierItem((one,), Tier.CRITICAL, "told", partial(fact, one, mark=marks.get(one.id, "")))
        for one in memories
    ]
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
    """Join parts with blank lines; the last parts are left out when the text exceeds the limit."""
    text = ""
    for part in parts:
        if part and len(text) + len(part) + 2 <= limit:
            text = f"{text}\n\n{part}" if text else part
    return text


def plain(text: str) -> str:
    """The text on one line, without markup that a harness would interpret."""
    return " ".join(closed_replaced(_HARNESS, " ", text, ">").split())


def _words(memory: Memory) -> str:
    content = memory.content
    if len(content) > _LONG:
        content = memory.levels.summary or f"{content[:_LONG]} [...]"
    return plain(content)
