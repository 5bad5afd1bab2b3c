"""What the write path does with a text that is known already or contradicts something known.

Every caller brings one of these values; nothing else tells the callers of the write path apart.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from recollect.vocabulary.memory_types import OnRepeat


class OnContradiction(StrEnum):
    """What is done when a new memory cannot hold beside one that is known."""

    ASK = "ask"  # a question waits for the person
    NOTE = "note"  # it is listed as an open contradiction
    IGNORE = "ignore"


@dataclass(frozen=True, slots=True)
class WritePolicy:
    """How one caller wants its texts written."""

    repeats: OnRepeat = OnRepeat.MERGE
    contradictions: OnContradiction = OnContradiction.NOTE
    #: Whether words that are not marked as outside text go through the injection gate too.
    gates_own_words: bool = True
    #: Keep it although the person had something like it forgotten a moment ago.
    anyway: bool = False
    #: Only a memory that has all of these tags is repeated or contradicted.
    tags: tuple[str, ...] = ()
    #: Whether a text is valid from when it was said, which makes no other text of it.
    dated: bool = False


#: `remember`, at every surface.
REMEMBER: Final = WritePolicy()
#: What an assistant keeps for a person.
PERSONAL: Final = WritePolicy(contradictions=OnContradiction.ASK)
#: What the observer learned from a session.
LEARNED: Final = WritePolicy(contradictions=OnContradiction.IGNORE, gates_own_words=False)
#: What its caller keeps an account of: rules that were read from files, states of work.
AS_IT_IS: Final = WritePolicy(OnRepeat.KEEP, OnContradiction.IGNORE)
