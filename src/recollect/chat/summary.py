"""Tells a person what is remembered of them: by topic, what is pinned first."""

from collections import Counter
from collections.abc import Sequence
from typing import Final

from recollect.vocabulary.personal import Entry, Summary

_OTHER: Final = "other"
_SHOWN: Final = 5
_LONGEST: Final = 160


def summarise(kept: Sequence[Entry]) -> Summary:
    """A readable summary, and its figures."""
    topics: dict[str, list[Entry]] = {}
    for entry in kept:
        topics.setdefault(_topic(entry), []).append(entry)
    ordered = sorted(topics.items(), key=lambda item: (item[0] == _OTHER, -len(item[1]), item[0]))
    text = "\n".join(_told(topic, entries) for topic, entries in ordered)
    return Summary(
        text,
        len(kept),
        sum(entry.memory.pinned for entry in kept),
        dict(Counter(_topic(entry) for entry in kept)),
    )


def _told(topic: str, entries: Sequence[Entry]) -> str:
    first = sorted(entries, key=lambda one: (not one.memory.pinned, -one.memory.importance))
    lines = [f"- {_line(entry)}" for entry in first[:_SHOWN]]
    more = len(entries) - len(lines)
    if more > 0:
        lines.append(f"- and {more} more")
    return "\n".join([f"{topic}:", *lines])


def _line(entry: Entry) -> str:
    text = " ".join((entry.memory.levels.summary or entry.memory.content).split())
    shown = text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
    return f"{shown} (pinned)" if entry.memory.pinned else shown


def _topic(entry: Entry) -> str:
    return entry.noticed.tags[0] if entry.noticed.tags else _OTHER
