"""Joins sentences of one message that say little without each other.

"Done with the cello. It's drums now": a question about what somebody plays wants the drums, and the
end of the cello belongs to that answer. "Second week at the museum! I'm the guide here": the one
says where, the other what. Both become one statement, so that it replaces the former entry as a
whole.
"""

import re
from dataclasses import dataclass
from typing import Final

from recollect.chat.language.change_words import ended_words, is_over, says_another, says_begun
from recollect.chat.language.sentence_subject import about_another, names_in
from recollect.chat.language.speech_acts import SpeechAct

_LONGEST: Final = 200
#: A later name for "it": "sold her. yes, the boat."
_NAMES_IT: Final = re.compile(
    r"(?:(?:yes|yep|yeah|oui),? )?(?:the|my|our|le|la|mon|ma|notre|l') ?[\wà-ÿ-]{2,20}"
    r"(?: [\wà-ÿ-]{2,20})?[.!]{0,3}$",
    re.IGNORECASE,
)
_FOUND_BY: Final = 12  # characters before a quotation that locate it in the message
_SHORT_QUOTATION: Final = re.compile(
    r"\"[^\"\n]{1,120}\"|\u201c[^\u201c\u201d\n]{1,120}\u201d|«[^«»\n]{1,120}»"
)
_SHORT_REASON: Final = 10  # words
_GIVES_REASON: Final = re.compile(
    r"\b(?:couldn't|can't|too|because|wasn't|weren't|didn't|never|hurts?|pouvai[st]|trop"
    r"|n'\w+ (?:pas|plus))\b",
    re.IGNORECASE,
)
_HEADLINE: Final = 7  # words of a call that the next sentence goes on with
#: Words that point at the sentence before.
_POINTS_BACK: Final = re.compile(
    r"(?<!up )(?<!out )(?<!over )\b(?:here|there|ici|là-bas)\b(?!'s| is| are| was| were)",
    re.IGNORECASE,
)
_OF_THEM: Final = re.compile(r"\bleurs?\b", re.IGNORECASE)
_TOLD: Final = frozenset({SpeechAct.STATEMENT, SpeechAct.CHATTER})


@dataclass(frozen=True, slots=True)
class Statement:
    """One sentence or clause of a message with its speech act."""

    text: str
    act: SpeechAct

    @property
    def lasts(self) -> bool:
        """Whether the statement is worth an entry."""
        return self.act in (SpeechAct.STATEMENT, SpeechAct.PREFERENCE)


def with_successors(found: list[Statement]) -> list[Statement]:
    """The statements of a message, each joined with the next where that goes on with it."""
    whole: list[Statement] = []
    for one in found:
        before = whole[-1] if whole else None
        if before is not None and (_succeeds(before, one) or _goes_on(before, one)):
            act = SpeechAct.STATEMENT if before.lasts or one.lasts else SpeechAct.CHATTER
            joint = " " if before.text[-1] in ".!" else ", "
            whole[-1] = Statement(f"{before.text.rstrip(' ,;')}{joint}{one.text}", act)
        else:
            whole.append(one)
    return whole


def with_reasons(told: list[Statement]) -> list[Statement]:
    """The clauses of one sentence; what follows an end, and would be lost, stays with it as its
    reason: "I've stopped volunteering, my knee couldn't take it".
    """
    whole: list[Statement] = []
    for one in told:
        before = whole[-1] if whole else None
        if (
            before is not None
            and before.act is SpeechAct.STATEMENT
            and one.act is SpeechAct.CHATTER
            and _GIVES_REASON.search(one.text)
            and len(one.text.split()) <= _SHORT_REASON
            and (is_over(before.text) or ended_words(before.text))
        ):
            whole[-1] = Statement(f"{before.text.rstrip(' ,;')}, {one.text}", before.act)
        else:
            whole.append(one)
    return whole


def _succeeds(before: Statement, one: Statement) -> bool:
    """Whether a clause says what replaced the thing that the clause before it ended."""
    if before.act not in _TOLD or one.act not in _TOLD:
        return False
    if len(before.text) + len(one.text) > _LONGEST:
        return False
    ended = ended_words(before.text) or is_over(before.text)
    if not ended or about_another(before.text) or about_another(one.text):
        return False
    if before.lasts and one.lasts and names_in(one.text) - names_in(before.text):
        return True
    return bool(says_begun(one.text) or says_another(one.text) or _NAMES_IT.match(one.text))


def _goes_on(before: Statement, one: Statement) -> bool:
    """Whether a statement says more about a short call before it, or points back at it."""
    if before.act is not SpeechAct.STATEMENT or one.act is not SpeechAct.STATEMENT:
        return False
    if len(before.text) + len(one.text) > _LONGEST:
        return False
    if before.text.endswith("!") and len(before.text.split()) <= _HEADLINE:
        return not about_another(one.text)
    if before.text[-1] in ".!" and _POINTS_BACK.search(one.text):
        return True
    return _OF_THEM.search(one.text) is not None


def with_quotation(one: Statement, text: str) -> Statement:
    """A statement with its short quotation (a title or a few words) put back in."""
    before, hole, after = one.text.partition('""')
    if not hole or not one.lasts:
        return one
    place = text.find(before[-_FOUND_BY:]) if len(before) >= _FOUND_BY else -1
    quoted = _SHORT_QUOTATION.match(text, place + _FOUND_BY) if place >= 0 else None
    if quoted is None:
        return Statement(one.text, SpeechAct.QUOTATION)
    return Statement(f"{before}{quoted[0]}{after}", one.act)
