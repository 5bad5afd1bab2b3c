"""What a session found out so far and is told before it ends, each once.

Three searches for the same are told where they led. A changed configuration file beside another
change is told what earlier sessions changed with it. What the user refused, the agent corrected and
a check taught is told to helpers, and again after the context was compacted.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from recollect.context.fact_lines import MARK, QUOTED, plain
from recollect.observer.coaccess import LINKED, SESSION, CoAccess
from recollect.observer.observer import Observer
from recollect.observer.phrases import shortened

_COUPLED: Final = 3
_FOUND: Final = 4
_LINE: Final = 160


@dataclass(slots=True)
class EarlyNotes:
    """The notes of one session, and which of them were given."""

    landing: Callable[[str], str | None]
    together: Callable[[Sequence[str]], Iterable[CoAccess]]
    _searched: set[str] = field(default_factory=set)
    _touched: set[str] = field(default_factory=set)

    def of_searches(self, observer: Observer) -> str:
        """Where repeated searches led, as far as it is known and was not said."""
        said = []
        for pattern, times, path in observer.repeated_searches():
            if pattern in self._searched:
                continue
            led = path or self.landing(pattern)
            if led:
                self._searched.add(pattern)
                words = shortened(plain(pattern), 80)
                said.append(f"{MARK}: `{words}` was searched for {times} times; it led to `{led}`.")
        return "\n".join(said)

    def of_configuration(self, observer: Observer) -> str:
        """What earlier sessions used together with a configuration file that was changed, and this
        session has not changed yet."""
        touched, edited = observer.touched_configuration()
        fresh = [path for path in touched if path not in self._touched]
        if not fresh:
            return ""
        self._touched.update(fresh)
        coupled: dict[str, CoAccess] = {}
        for one in self.together(fresh):
            other = one.second if one.first in fresh else one.first
            if one.source == SESSION and one.weight >= LINKED and other not in edited:
                coupled.setdefault(other, one)
        if not coupled:
            return ""
        names = ", ".join(
            f"`{path}` ({one.times} sessions)" for path, one in list(coupled.items())[:_COUPLED]
        )
        changed = ", ".join(f"`{path}`" for path in fresh)
        return f"{MARK}: {changed} was changed; earlier sessions touched with it: {names}."

    def of_session(self, observer: Observer, given: str) -> str:
        """What one session is enough to know, unless the text that is given already says it."""
        found = [one for one in observer.early() if not one.needs_review and not one.failed]
        lines = [f"- {shortened(plain(one.content), _LINE)}" for one in found]
        fresh = [line for line in dict.fromkeys(lines) if line[2:] not in given][:_FOUND]
        return "\n".join(
            [f"{MARK}: found out in this session ({QUOTED}):", *fresh] if fresh else []
        )

    def state(self) -> dict[str, Any]:
        """What was given, as JSON values."""
        return {"searched": sorted(self._searched), "touched": sorted(self._touched)}

    def resume(self, state: dict[str, Any]) -> None:
        """Restore what was given."""
        self._searched.update(state.get("searched", ()))
        self._touched.update(state.get("touched", ()))
