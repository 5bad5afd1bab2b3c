"""Facts inside a question or a request: "as a night nurse, ...", "... since I'm coeliac".

People who ask for something often say why, for whom, or who they are: after a reason, after a
comma, next to somebody's name, or in what they want passed on to others.
"""

import re
from typing import Final

from recollect.chat.language.attributes import HEALTH
from recollect.chat.language.sentence_subject import RELATIONS
from recollect.chat.language.speech_acts import SpeechAct, opening_removed, speech_act
from recollect.chat.statements.lasting_score import lasting_score
from recollect.chat.statements.lasting_worth import facts_inside, worth_keeping
from recollect.chat.statements.plain_facts import tells_plainly

_LONGEST: Final = 160
_TOLD_BEHIND: Final = 0.3  # minimum score of a statement after the comma of a request
_REASON: Final = re.compile(
    r",? (?:because|since|as|cause|given that|considering that|considering|now that|seeing as"
    r"|parce que|parce qu'|car|vu que|comme|sachant que|puisque) (?=(?:i|i'm|i've|my|we|our|je|j'"
    r"|mon"
    r"|ma|mes|on|nous)\b|j')",
    re.IGNORECASE,
)
#: Start of a statement about oneself after a request: "..., I'm left-handed".
_GOES_ON_TO_TELL: Final = re.compile(
    r"(?:, | [-\u2013\u2014] |; |: )(?:but |and |cos |cause |bc |mais |et )?(?=(?:i|i'm|im|i've|ive"
    r"|i'd|we|we're|we've|my|our|mine|he's|she's|that's where|je|mon|ma|mes|notre|nos|on|nous"
    r"|il est"
    r"|elle est)\b|j'|the (?:dog|cat|kids|twins|baby)\b)",
    re.IGNORECASE,
)
_ROLE: Final = re.compile(
    r"as an? (?!result|rule|side|bonus|joke|kid\b|test)[\w' -]{3,80}(?=,)", re.I
)
_KNOWN_PERSON: Final = re.compile(
    rf"\b(?:[Mm]y|[Oo]ur|[Mm]on|[Mm]a|[Nn]otre) (?:[\w-]{{2,20}} ){{0,2}}?(?:{RELATIONS})"
    r"(?:,? (?:(?:Mrs?|Ms|Miss|Dr|Mme|M)\.? )?[A-ZÀ-Þ][\w-]{1,30}"
    r"|,? (?:who|qui) [^,.?!]{3,120})(?:,? (?:who|qui) [^,.?!]{3,120})?",
    re.UNICODE,
)
_PASS_ON: Final = re.compile(
    r"(?:please |and |also |just |maybe )?(?:mention|say|add|include|note|explain|write|put|tell"
    r" (?:him|her|them|the [a-z]{3,20})|let (?:him|her|them) know|précise|dis|dis-leur|dis-lui"
    r"|mentionne|ajoute|explique) (?:to (?:him|her|them) )?(?:that |qu[e'] ?)(?=\S)",
    re.IGNORECASE,
)
#: An illness that is mentioned in passing.
_HEALTH: Final = re.compile(
    r"\b(?:with|because of|given|due to|avec|à cause de) (?:my|our|mon|ma|mes) [\w' -]{3,40}", re.I
)
_TELLS_FIRST: Final = re.compile(
    r"(?:i|i'm|i've|im|my|we|we're|we've|our|je|mon|ma|mes|on|nous|notre)\b|j'", re.IGNORECASE
)


def held_facts(clause: str) -> list[str]:
    """The facts inside a question or a request."""
    held: list[str] = []
    role = _ROLE.match(opening_removed(clause))
    if role:
        held.append(role[0])
    pieces = _REASON.split(clause)
    held += [one for one in pieces[1:] if speech_act(one.rstrip(" ?")) is SpeechAct.STATEMENT]
    held += _told_behind(clause, held)
    held += facts_inside(clause)
    held += _passed_on(clause)
    held += [found[0] for found in _HEALTH.finditer(clause) if HEALTH.told.search(found[0])]
    if not held and clause.rstrip().endswith("?"):
        before = clause.rpartition(", ")[0]
        if _TELLS_FIRST.match(opening_removed(before)) and (
            speech_act(before) is SpeechAct.STATEMENT
        ):
            held.append(before)
    if not held:
        held += [found[0] for found in _KNOWN_PERSON.finditer(clause)][:3]
    return [one.rstrip(" ?!.,") for one in held]


def _told_behind(clause: str, held: list[str]) -> list[str]:
    """Statements of the speaker about themselves after the comma of a request."""
    told = [one.rstrip(" ?!.") for one in _GOES_ON_TO_TELL.split(clause)[1:]]
    return [
        one
        for one in told
        if not any(one in other for other in held)
        and len(one) <= _LONGEST
        and speech_act(one) in (SpeechAct.STATEMENT, SpeechAct.CHATTER)
        and (lasting_score(one, speech_act(one).value) > _TOLD_BEHIND or tells_plainly(one))
    ]


def _passed_on(clause: str) -> list[str]:
    """Facts that the speaker wants passed on to others: "mention that we have a newborn"."""
    found = _PASS_ON.match(opening_removed(clause))
    if found is None:
        return []
    told = opening_removed(clause)[found.end() :]
    return [told] if speech_act(told) is SpeechAct.STATEMENT and worth_keeping(told) else []
