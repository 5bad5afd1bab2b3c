"""``.gitignore`` without git: nested files, negation, anchored and directory patterns.

The patterns are read by ``pathspec`` and matched by RE2, so that a hostile ignore file costs time
in proportion to its length. A line that one of them cannot read is left out.
"""

import re
import warnings
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec
    from pathspec.patterns.gitignore.spec import GitIgnoreSpecPattern

_LONGEST_FILE: Final = 1 << 20


class IgnoreFile:
    """The rules of one ignore file, for paths below its folder."""

    def __init__(self, text: str) -> None:
        lines = (line for line in text[:_LONGEST_FILE].splitlines() if line.strip())
        patterns = [one for one in map(_pattern, lines) if one is not None]
        self._rules: GitIgnoreSpec | None = _spec(patterns) if patterns else None

    def verdict(self, path: str, *, folder: bool) -> bool | None:
        """Whether the rules exclude a path, include it, or do not mention it."""
        if self._rules is None:
            return None
        return self._rules.check_file(f"{path}/" if folder else path).include


def _spec(patterns: "list[GitIgnoreSpecPattern]") -> "GitIgnoreSpec":
    from pathspec import GitIgnoreSpec

    return GitIgnoreSpec(patterns, backend="re2")


def _pattern(line: str) -> "GitIgnoreSpecPattern | None":
    """Pattern of one line; None where the line is empty or unreadable."""
    import re2
    from pathspec.patterns.gitignore.spec import GitIgnoreSpecPattern

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FutureWarning)  # of sets that look nested
            pattern = GitIgnoreSpecPattern(line)
        if pattern.include is None:
            return None
        _spec([pattern])
    except (ValueError, re.error, re2.error):
        return None
    return pattern
