"""Takes the words of a forgotten entry out of a message that still holds something else.

A message of which nothing else is kept is erased as a whole. Otherwise every sentence goes that
holds a word which only the forgotten entry tells: what is still kept has its own words in its own
entry, so a sentence too many costs nothing, and one too few would tell what was to be forgotten.
"""

import re
from collections.abc import Iterable
from typing import Final

from recollect.chat.language.sentences import sentence_spans
from recollect.memories.text_comparison import read
from recollect.storage.masked_notes import FORGOTTEN

#: The absolute date that was added after a relative one is not in the message.
_DATE_BESIDE: Final = re.compile(r" \([^()]{0,30}\d{4}\)")


def without_forgotten(message: str, forgotten: Iterable[str], kept: Iterable[str]) -> str:
    """A message without the sentences that tell the forgotten entries; ``kept`` are the other
    entries that came from it.
    """
    still_told = _content_terms(kept)
    gone = _content_terms(forgotten)
    only_there = gone - still_told or gone
    masked, end = "", 0
    for begin, stop in sentence_spans(message):
        if _content_terms([message[begin:stop]]) & only_there:
            masked += message[end:begin]
            masked += "" if masked.rstrip().endswith(FORGOTTEN) else FORGOTTEN
        else:
            masked += message[end:stop]
        end = stop
    return masked + message[end:]


def _content_terms(texts: Iterable[str]) -> set[str]:
    """The words of texts that tell something: stems, numbers and names."""
    found: set[str] = set()
    for text in texts:
        words = read(_DATE_BESIDE.sub("", text))
        found |= words.stems | words.numbers
    return found
