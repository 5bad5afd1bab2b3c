"""Policies of the write path for known and contradicting texts.

Every caller passes one of these values; nothing else distinguishes the callers of the write path.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from recollect.vocabulary.memory_types import OnRepeat


class OnContradiction(StrEnum):
    """Action when a new memory contradicts a known one."""

    ASK = "ask"  # a question waits for the person
    NOTE = "note"  # it is listed as an open contradiction
    IGNORE = "ignore"


@dataclass(frozen=True, slots=True)
class WritePolicy:
    """Policy of one caller for writing its texts."""

    repeats: OnRepeat = OnRepeat.MERGE
    contradictions: OnContradiction = OnContradiction.NOTE
    #: Whether the injection check also covers words that are not marked as outside text.
    gates_own_words: bool = True
    #: Store the text even if the person had something similar forgotten a moment ago.
    anyway: bool = False
    #: Only a memory that has all of these tags can be repeated or contradicted.
    tags: tuple[str, ...] = ()
    #: Whether a text is valid from when it was said, which alone does not make it a different text.
    dated: bool = False
    #: Whether a text that was said on two pages of sessions, which all members may read, is one.
    any_open_page: bool = False


#: `remember`, on every surface.
REMEMBER: Final = WritePolicy(any_open_page=True)
#: Entries that an assistant keeps for a person.
PERSONAL: Final = WritePolicy(contradictions=OnContradiction.ASK)
#: Knowledge that the observer learned from a session.
LEARNED: Final = WritePolicy(contradictions=OnContradiction.IGNORE, gates_own_words=False)
#: Texts whose caller tracks them itself: rules read from files, states of work.
AS_IT_IS: Final = WritePolicy(OnRepeat.KEEP, OnContradiction.IGNORE)
