"""Answers a question for a person who knows something: "who knows about Typed Racket?".

Such a question wants people, not a passage that holds its words: whoever told most about the
subject answers it, each with the messages that show it. Experts live in another package; any
implementation of the protocol will do.
"""

import re
from collections.abc import Sequence
from typing import Final, Protocol

from recollect.chat.language.relative_dates import written
from recollect.research.inquiry import MAX_CITED
from recollect.research.questions import content_words_of
from recollect.vocabulary.audiences import Viewer
from recollect.vocabulary.research import Citation
from recollect.vocabulary.spaces import Space
from recollect.vocabulary.workspace import Expert

MAX_PEOPLE: Final = 3
_READ: Final = 500
#: Confidence of a single answer about the subject, of each further one, and at most.
_LEAST: Final = 0.5
_EACH: Final = 0.05
_MOST: Final = 0.9
_POLITE: Final = (
    r"^\W{0,9}(?:(?:please|hey|hi),? )?(?:(?:do you|does anyone|anyone) know |tell me )?"
)
_ADVERB: Final = r"(?:(?:here|else|best|most|really|actually) )?"
_ASKS_FOR_EXPERT: Final = re.compile(
    _POLITE + r"(?:who|whom) " + _ADVERB + r"(?:"
    r"knows? (?:(?:a lot|a bit|most|more|best|anything|something|much) )?(?:about|how) "
    r"|(?:can|could|might) (?:best )?help (?:(?:me|us|out) )?(?:with|on|about) "
    r"|(?:has|have) (?:(?:some|any|much|most|the most) )?(?:experience|expertise) (?:with|in|on) "
    r"|(?:should|can|could|do|would) (?:i|we|one) (?:ask|talk to|speak to|contact|turn to)"
    r" (?:(?:for|with|help) ){0,3}(?:about|on|for|with|regarding) "
    r"|(?:is|are) (?:(?:the|an|our|your|a) )?(?:(?:right|best) )?"
    r"(?:experts?|go-to|go-to person|person|people|person to ask|people to ask)"
    r" (?:for|on|in|about|with) )(.+)",
    re.IGNORECASE,
)


class ExpertLookup(Protocol):
    """Finds the people who told something about a subject."""

    def about(
        self, viewer: Viewer, space: Space, subject: str, *, limit: int = 5
    ) -> Sequence[Expert]:
        """The people who know about a subject, with samples that the viewer may read."""
        ...


def expertise_asked_for(question: str) -> str:
    """The subject of a question that asks who knows about it; empty for every other question."""
    found = _ASKS_FOR_EXPERT.match(question[:_READ])
    subject = found[1].strip(" ?!.") if found else ""
    return subject if content_words_of(subject) else ""


def with_evidence(experts: Sequence[Expert]) -> list[Expert]:
    """The experts whom messages prove, those who told most about the subject first."""
    shown = [one for one in experts if one.answered and one.samples]
    return sorted(shown, key=lambda one: -one.expertise)[:MAX_PEOPLE]


def samples_of(experts: Sequence[Expert]) -> list[str]:
    """The messages to cite: the best of each person, then further ones in turns."""
    turns = max((len(one.samples) for one in experts), default=0)
    ids = [
        one.samples[turn].event_id
        for turn in range(turns)
        for one in experts
        if turn < len(one.samples)
    ]
    return list(dict.fromkeys(ids))[:MAX_CITED]


def lines_about(experts: Sequence[Expert], citations: Sequence[Citation]) -> list[str]:
    """A line for each person: how much they told, when last, and the messages that show it."""
    numbers = {one.event_id: one.number for one in citations}
    lines = []
    for expert in experts:
        shown = [numbers[one.event_id] for one in expert.samples if one.event_id in numbers]
        if not shown:
            continue
        count = f"{expert.answered} answer{'s' if expert.answered > 1 else ''} about it"
        last = expert.last_signal_at
        latest = f", the latest on {written(last.date(), 'en')}" if last else ""
        lines.append(f"{expert.user}: {count}{latest} {' '.join(f'[{one}]' for one in shown)}")
    return lines


def confidence_in(experts: Sequence[Expert]) -> float:
    """How sure the answer is: by how much was told by the one who told most."""
    most = max((one.answered for one in experts), default=0)
    return min(_MOST, _LEAST + _EACH * most) if most else 0.0
