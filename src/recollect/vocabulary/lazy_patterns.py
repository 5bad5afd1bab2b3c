"""Lazily compiled regular expressions, for modules that every command loads.

A rule file has dozens of patterns, and a short command uses a few of them. Compiling them all at
import cost a tenth of the time of such a command.
"""

import re
from typing import Any, cast


class LazyPattern:
    """Proxy of a compiled pattern; after its first use its methods are the pattern's own."""

    def __init__(self, written: str, flags: int) -> None:
        self.__dict__.update(written=written, wanted_flags=flags)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        value = getattr(re.compile(self.written, self.wanted_flags), name)
        self.__dict__[name] = value
        return value


def lazy_pattern(written: str, flags: int = 0) -> re.Pattern[str]:
    """What ``re.compile`` returns, compiled when one of its methods is first used."""
    return cast("re.Pattern[str]", LazyPattern(written, flags))
