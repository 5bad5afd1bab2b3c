"""Words memories as lines of a context and counts their tokens, each cached per state of a memory.

A line states the type, the id, whose words it holds and the text at a level. A memory that gives
orders or came from outside always says so.
"""

from collections.abc import Collection
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, Final

from recollect.context.fact_lines import plain
from recollect.inference.tokens import (
    Family,
    count_tokens,
    countable_lines,
    estimated_tokens,
    is_estimated,
)
from recollect.recall.tier_packing import form_of
from recollect.trust.quoted_text import ORDERS, OUTSIDE, UNCONFIRMED, attribution
from recollect.vocabulary.assembly import Level
from recollect.vocabulary.contradictions import Contradiction, reach
from recollect.vocabulary.ids import short_id
from recollect.vocabulary.memory import Memory

_LINE: Final = 2_000  # characters
_CACHED: Final = 20_000  # lines with their token counts


@dataclass(slots=True)
class MemoryLines:
    """The lines of one store."""

    _attributions: dict[tuple[str, int], str] = field(default_factory=dict)
    _lines: dict[tuple[Any, ...], str] = field(default_factory=dict)
    _counts: dict[tuple[Family, str], int] = field(default_factory=dict)
    _pairs: dict[tuple[Any, ...], str] = field(default_factory=dict)

    def worded(self, one: Memory, named: bool, level: Level, _told: Collection[str] = ()) -> str:
        """Line of a memory, cached per state of the memory."""
        key = (one.id, one.revision, one.disputed, named, level)
        known = self._lines.get(key)
        if known is None:
            _make_room(self._lines)
            known = self._index_entry(one) if named else self._line(one, level)
            if one.levels.index:  # before that, a job may still change the levels
                self._lines[key] = known
        return known

    def count(self, family: Family, text: str) -> int:
        """Number of tokens of a text; counts of memory lines are cached."""
        if len(text) > _LINE:
            if is_estimated(family):
                return estimated_tokens(text, family, lambda one, exact: self.count(exact, one))
            lines = countable_lines(text, family)
            if len(lines) == 1:
                return count_tokens(text, family)
            return sum(self.count(family, line) for line in lines)
        key = (family, text)
        known = self._counts.get(key)
        if known is None:
            _make_room(self._counts)
            known = self._counts[key] = count_tokens(text, family)
        return known

    def _line(self, one: Memory, level: Level) -> str:
        """One memory on one line: its type, id, attribution and text."""
        where = f"{one.files[0]}: " if one.files and one.files[0] not in one.content else ""
        words = plain(form_of(one, level))
        if level in (Level.COMPRESSED, Level.INDEX) and not self._is_marked(one):
            return f"- [{one.type_name} {short_id(one.id)}{_doubt(one)}] {words}"
        fix = str(one.extras.get("fix") or "")
        helped = f" What helped: {plain(fix)}" if fix and fix not in one.content else ""
        mark = " (disputed)" * one.disputed
        who = self._attribution(one)
        return f"- [{one.type_name} {short_id(one.id)}] {who}: {where}{words}{helped}{mark}"

    def _index_entry(self, one: Memory) -> str:
        """Index entry: a short name and the id that opens the memory. A memory that gives orders
        shows only its type."""
        name = one.type_name if self._is_marked(one) else plain(form_of(one, Level.INDEX))
        return f"- {name} [{short_id(one.id)}{_doubt(one)}]"

    def _is_marked(self, one: Memory) -> bool:
        """Whether the text needs a caution. Such a memory always shows its attribution and the
        caution."""
        said = self._attribution(one)
        return ORDERS in said or OUTSIDE in said

    def _attribution(self, one: Memory) -> str:
        """Attribution: whose words the memory holds. Cached per state of the memory."""
        key = (one.id, one.revision)
        known = self._attributions.get(key)
        if known is None:
            _make_room(self._attributions)
            known = self._attributions[key] = attribution(one)
        return known

    def both(
        self,
        found: Contradiction,
        sides: tuple[Memory, Memory],
        level: Level,
        told: Collection[str],
    ) -> str:
        """Both sides of a contradiction on one line, each with its owner, its reach and its start
        date. Cached per state of the memories."""
        states = [(one.id, one.revision, one.audience, one.id in told) for one in sides]
        key = (found.id, found.reason, level, *states)
        known = self._pairs.get(key)
        if known is None:
            _make_room(self._pairs)
            known = self._both_worded(found, sides, level, told)
            if all(one.levels.index for one in sides):  # a job may still change the levels
                self._pairs[key] = known
        return known

    def _both_worded(
        self,
        found: Contradiction,
        sides: tuple[Memory, Memory],
        level: Level,
        told: Collection[str],
    ) -> str:
        words = [
            f"[{one.type_name} {short_id(one.id)}]"
            if one.id in told
            else f"[{one.type_name} {short_id(one.id)}] {reach(one)}, {one.valid_from:%Y-%m-%d}, "
            f"{self._attribution(one)}: {plain(form_of(one, level))}"
            for one in sides
        ]
        return f"- contradiction {found.id} ({found.reason}): {' | against: '.join(words)}"


def _doubt(one: Memory) -> str:
    """The mark of a memory that waits for review, where no attribution says so."""
    return f", {UNCONFIRMED}" if one.needs_review and not one.user_verified else ""


def _make_room(cached: dict[Any, Any]) -> None:
    """Drop the older half of a cache that is full."""
    if len(cached) >= _CACHED:
        for key in list(islice(cached, _CACHED // 2)):
            cached.pop(key, None)
