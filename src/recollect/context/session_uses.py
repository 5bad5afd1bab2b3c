"""Tracks how a session uses the memories it was given: cited, edited or ignored.

A memory is cited when the agent's text names its id, edited when a file it is about was changed
after the memory was given, and ignored when a command ran that it warns against, or when the
session worked only elsewhere. Each use is counted once per session.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from recollect.context.command_notes import warns_against
from recollect.observer.phrases import module_of
from recollect.recall.citations import cited_in
from recollect.recall.usage_log import UsageLog
from recollect.vocabulary.memory import Memory
from recollect.vocabulary.spaces import Space
from recollect.vocabulary.uses import Channel, Usage

#: Number of files touched elsewhere from which a session was not about a given memory.
_ELSEWHERE: Final = 3


@dataclass(slots=True)
class SessionUses:
    """Usage of the given memories in one session."""

    usage: UsageLog
    space: Space
    _told: dict[str, Memory] = field(default_factory=dict)
    _noted: set[tuple[str, Usage]] = field(default_factory=set)
    _touched: set[str] = field(default_factory=set)

    def told(self, memories: Iterable[Memory]) -> None:
        """Record memories that were given to the agent."""
        fresh = [one for one in memories if one.id not in self._told]
        self._told.update((one.id, one) for one in fresh)
        self.usage.used(self.space, [one.id for one in fresh], Channel.AGENTS, Usage.SERVED)

    def said(self, words: str) -> None:
        """Record text of the agent: the memories that it cites were useful."""
        self._note(cited_in(words, self._told), Usage.CITED)

    def touched(self, paths: Iterable[str], *, edited: bool) -> None:
        """Record files that the agent read or changed."""
        named = set(paths)
        self._touched |= named
        if edited and named:
            about = [one.id for one in self._told.values() if named.intersection(one.files)]
            self._note(about, Usage.EDITED)

    def ran(self, command: str) -> None:
        """Record a command: memories that warn against it were ignored."""
        against = [one.id for one in self._told.values() if warns_against(one.content, command)]
        self._note(against, Usage.IGNORED)

    def close(self) -> None:
        """End the session: memories about files far from all touched files were ignored."""
        homes = {module_of(path) for path in self._touched}
        if len(self._touched) < _ELSEWHERE:
            return
        used = {memory_id for memory_id, _ in self._noted}
        self._note(
            [
                one.id
                for one in self._told.values()
                if one.id not in used
                and one.files
                and not homes.intersection(map(module_of, one.files))
            ],
            Usage.IGNORED,
        )

    def _note(self, ids: Iterable[str], usage: Usage) -> None:
        fresh = [one for one in ids if (one, usage) not in self._noted]
        self._noted.update((one, usage) for one in fresh)
        self.usage.used(self.space, fresh, Channel.AGENTS, usage)
