"""Summary of a person's memory in readable text: by topic, pinned entries first."""

from collections import Counter
from collections.abc import Sequence
from typing import Final

from recollect.vocabulary.personal import Entry, Summary

_OTHER: Final = "other"
_SHOWN: Final = 5
_LONGEST: Final = 160


_FRENCH: Final = {
    "food": "alimentation",
    "health": "santé",
    "work": "travail",
    "family": "famille",
    "travel": "voyages",
    "home": "logement",
    "hobby": "loisirs",
    "pets": "animaux",
    "money": "argent",
    "code": "code",
    "study": "études",
    _OTHER: "divers",
}


def summarise(kept: Sequence[Entry], language: str = "en") -> Summary:
    """A readable summary of entries, with its figures."""
    topics: dict[str, list[Entry]] = {}
    for entry in kept:
        topics.setdefault(_topic(entry), []).append(entry)
    ordered = sorted(topics.items(), key=lambda item: (item[0] == _OTHER, -len(item[1]), item[0]))
    text = "\n".join(_told(topic, entries, language) for topic, entries in ordered)
    return Summary(
        text,
        len(kept),
        sum(entry.memory.pinned for entry in kept),
        dict(Counter(_topic(entry) for entry in kept)),
    )


def _told(topic: str, entries: Sequence[Entry], language: str) -> str:
    french = language == "fr"
    first = sorted(entries, key=lambda one: (not one.memory.pinned, -one.memory.importance))
    pinned = " (épinglé)" if french else " (pinned)"
    lines = [f"- {_line(entry, pinned)}" for entry in first[:_SHOWN]]
    more = len(entries) - len(lines)
    if more > 0:
        lines.append(f"- et {more} de plus" if french else f"- and {more} more")
    heading = f"{_FRENCH.get(topic, topic)} :" if french else f"{topic}:"
    return "\n".join([heading, *lines])


def _line(entry: Entry, pinned: str) -> str:
    text = " ".join((entry.memory.levels.summary or entry.memory.content).split())
    shown = text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
    return f"{shown}{pinned}" if entry.memory.pinned else shown


def _topic(entry: Entry) -> str:
    return entry.noticed.tags[0] if entry.noticed.tags else _OTHER
