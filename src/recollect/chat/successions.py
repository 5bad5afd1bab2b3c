"""An end and what took its place, told in one message: "done with the cello. It's drums now".

Each half says little without the other: who asks what somebody plays wants the drums, and that
the cello is over belongs to it. Both become one statement, so that it takes the place of the
former one as a whole.
"""

import re
from dataclasses import dataclass
from typing import Final

from recollect.chat.change_words import ended_words, is_over, says_another, says_begun
from recollect.chat.people import about_another
from recollect.chat.speech_acts import SpeechAct

_LONGEST: Final = 200
#: What "it" was, said behind: "sold her. yes, the boat."
_NAMES_IT: Final = re.compile(
    r"(?:(?:yes|yep|yeah|oui),? )?(?:the|my|our|le|la|mon|ma|notre|l') ?[\wà-ÿ-]{2,20}"
    r"(?: [\wà-ÿ-]{2,20})?[.!]{0,3}$",
    re.IGNORECASE,
)
_TOLD: Final = frozenset({SpeechAct.STATEMENT, SpeechAct.CHATTER})


@dataclass(frozen=True, slots=True)
class Statement:
    """One sentence or clause of a message, and what it does."""

    text: str
    act: SpeechAct

    @property
    def lasts(self) -> bool:
        """Whether it tells something worth an entry."""
        return self.act in (SpeechAct.STATEMENT, SpeechAct.PREFERENCE)


def with_successors(found: list[Statement]) -> list[Statement]:
    """The statements of a message; an end and what follows in its place are one."""
    whole: list[Statement] = []
    for one in found:
        before = whole[-1] if whole else None
        if before is not None and _succeeds(before, one):
            act = SpeechAct.STATEMENT if before.lasts or one.lasts else SpeechAct.CHATTER
            joint = " " if before.text[-1] in ".!" else ", "
            whole[-1] = Statement(f"{before.text.rstrip(' ,;')}{joint}{one.text}", act)
        else:
            whole.append(one)
    return whole


def _succeeds(before: Statement, one: Statement) -> bool:
    """Whether a clause tells what took the place of something that the one before it ended."""
    if before.act not in _TOLD or one.act not in _TOLD:
        return False
    if len(before.text) + len(one.text) > _LONGEST:
        return False
    ended = ended_words(before.text) or is_over(before.text)
    if not ended or about_another(before.text) or about_another(one.text):
        return False
    return bool(says_begun(one.text) or says_another(one.text) or _NAMES_IT.match(one.text))
