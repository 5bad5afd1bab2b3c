"""The last word of a text that is being typed: it may go on, so it is completed before a search.

Nothing is guessed from a dictionary: a word is completed by the words of a memo that the viewer may
see and that the text is compared with.
"""

import re
from collections.abc import Sequence
from typing import Final

#: Letters from which on a word is completed; of a shorter one there are too many.
LEAST_LETTERS: Final = 3
_LAST: Final = re.compile(r"[^\W_][\w'\u2019-]{0,60}$")
_WORD: Final = re.compile(r"[^\W_][\w'\u2019-]{0,60}")


def split_last(text: str) -> tuple[str, str]:
    """A text without its last word, and that word where it may go on; otherwise an empty one."""
    found = _LAST.search(text)
    return (text[: found.start()], found[0].lower()) if found else (text, "")


def completed(text: str, texts: Sequence[str]) -> list[str]:
    """A text that is being typed with each word of other texts that its last word may become; one
    that is too short to say is left out.
    """
    before, last = split_last(text)
    if not before.strip() or not last:
        return []
    if len(last) < LEAST_LETTERS:
        return [before.strip()]
    words = {word.lower() for one in texts for word in _WORD.findall(one)}
    return [before + word for word in sorted(words) if word.startswith(last) and word != last]
