"""Selects the sentences of an agent that are reported as findings: informative and readable alone.

A sentence is informative when it gives a reason, or a contrast to an expectation, and concerns the
subject. Log entries, list items without a subject, offers, praise and options that were only
weighed read badly outside their answer. The state before a change is reported separately from the
state after it.
"""

import re
from collections.abc import Sequence, Set
from typing import Final, NamedTuple

from recollect.observer.diagnoses import is_aside, is_claim, same, sentence_score, sentences_of
from recollect.observer.names import LEAST_SHARED, are_related
from recollect.observer.names import words as words_of

#: Maximum characters of findings, minimum score of a sentence, and extra score of the last
#: statement, which is the agent's summary. Further values adjust the score.
FOUND: Final = 750
LEAST_TOLD: Final = 0.4
LAST: Final = 0.4
AGREEING: Final = 0.8
PROPOSED: Final = 0.6
LOGGED: Final = 0.8
COMMITTED: Final = 0.3
LISTED: Final = 0.8
SUBJECTLESS: Final = 0.6
MOMENTARY: Final = 0.4
#: Minimum readability of a reported sentence.
LEAST_READ: Final = 0.3
#: Label of the state before a change.
EARLIER: Final = "Before the change:"
STATEMENTS: Final = 5
SENTENCES: Final = 6
LEADING: Final = 3
UNCLAIMED: Final = 0.5
UNRELATED: Final = 0.4
#: Number of words shared with the user's correction from which a sentence is the corrected one.
OBJECTED: Final = 4
_SENTENCE: Final = 25
#: Number or bullet of a list item, meaningless outside its list.
_LISTED: Final = re.compile(r"^(?:\(?\d{1,2}[.)]|[-*•]|[a-d]\))\s+")
#: Logs of actions and results of checks: they describe a change, not knowledge.
_LOGGED: Final = re.compile(
    r"^(?:\(?\d{1,2}[.)]\s+)?(?:`[^`]{1,80}`[:,]? ?(?:[-\u2013\u2014] )?)?(?:I(?:'ve| have)? )?"
    r"(?:now )?(?:added|updated|changed|removed|renamed|moved|created|modified|replaced|refactored|"
    r"implemented|extracted|committed|pushed|ran|made|deleted|kept|found the|"
    r"tests? (?:added|pass))\b|\b(?:tests?|lint|linter|checks?|build)\b[^.]{0,40}"
    r"\b(?:pass(?:es|ed|ing)?|succeed\w*|clean|green)\b|"
    r"\b(?:works?|working) (?:correctly|properly|as expected|fine|now)\b|\u2192 `",
    re.I,
)
#: Section label of a report, or a line number, which soon changes.
_LABELLED: Final = re.compile(
    r"^(?:(?:new|where|files?|directory|location|status|results?|changes?|before|after|old|current|"
    r"note)\s?:|`?[\w./-]{0,80}`?\s?\(?lines? \d)",
    re.I,
)
#: Beginning of a sentence that depends on the previous one.
_LEANING: Final = re.compile(
    r"^(?:this|that|these|those|it|they|then|otherwise|instead|without|with this|both of|"
    r"the latter|same|here)\b",
    re.I,
)
#: List item with a verb but no subject, unclear outside its list.
_SUBJECTLESS: Final = re.compile(
    r"^(?:(?:only|also|now|still|then|always|never|correctly|properly|both) )?"
    r"(?:accepts?|adds?|allows?|"
    r"applies|builds?|calls?|captures?|catches|checks?|compares?|confirms?|contains?|converts?|"
    r"covers?|creates?|defines?|detects?|ensures?|extracts?|falls|fetches|finds?|gets?|handles?|"
    r"identifies|includes?|keeps?|lists?|loads?|loops?|makes?|merges?|parses|prints?|provides?|"
    r"reads?|removes?|replaces?|returns?|runs?|saves?|sends?|sets?|shows?|simulates?|skips?|"
    r"stores?|strips?|supports?|takes?|tests?|tracks?|tries|updates?|uses|validates?|verif(?:y|ies)|"
    r"change|move|roll|switch|drop|keep|wraps?|writes?|[a-z]{3,12}ing) "
    r"(?!is\b|are\b|was\b|were\b|has\b|have\b|do\b|does\b|only\b)",
    re.I,
)
#: One side of a weighed option, not a finding.
_WEIGHED: Final = re.compile(
    r"^(?:pros?|cons?|trade-?offs?|advantages?|disadvantages?|downsides?|upsides?|alternatives?|"
    r"effort|complexity|confidence|verdict|assessment|severity|recommendation|next steps?)\s?:|"
    r"^(?:another|one|the other|an?|the) (?:\w{2,12} )?(?:option|way|approach|idea|alternative)\b|"
    r"^(?:good|nice|great|clean|solid|strong|well[- ][a-z]{2,20}) [a-z]",
    re.I,
)
#: Momentary observations and the agent's own steps, not lasting facts.
_MOMENTARY: Final = re.compile(
    r"^(?:I (?:notice|noticed|see|found|checked|looked|searched|verified|confirmed|ran|tested)\b|"
    r"looking at|based on|this confirms|as you can see|here(?:'s| is| are)|"
    r"in your (?:case|output))",
    re.I,
)
#: Offers, and next steps for the user.
_NEXT: Final = re.compile(
    r"^I can\b|\bif you(?:'d| would)? (?:like|want|prefer|run|see|still)\b|"
    r"\b(?:ready to|next step|you (?:can|should|may|could) (?:now|see|run|try|test|check)|"
    r"should (?:now )?(?:see|work|pass)|try (?:running|it|again)|shall we|want me to)\b",
    re.I,
)
#: List item that begins with a label.
_ITEM: Final = re.compile(r"^[\w`][\w /`.-]{2,40}:? [-\u2013\u2014] ")
_CODE: Final = re.compile(r"`[^`]{1,200}`(?::\d+(?:-\d+)?)?|[-\u2013\u2014\u2192·|]|[\"“”]")
_SAID: Final = 4
#: Sentence that only says that something was found.
_HOLLOW: Final = re.compile(
    r"^(?:I(?:'ve| have)? (?:found|see|identified|understand)|found|here(?:'s| is))\b"
    r"[^`\d_/]{0,45}$|^the (?:issue|problem|fix|bug|change|root cause) (?:is|was|has been|are) "
    r"(?:now )?(?:clear|fixed|simple|complete|resolved|found|done|straightforward)\b",
    re.I,
)
#: Opening phrases of an answer, before its content.
_OPENING: Final = re.compile(
    r"^(?:(?:yes|no|right|great|good|perfect|ah|oh|ok(?:ay)?|so|but|also|and|however|now|wait|"
    r"I see|you.re (?:absolutely |completely )?(?:right|correct)|"
    r"good (?:point|catch|question|idea)|"
    r"(?:the )?(?:root cause|key insight|key finding|summary|fix|result|answer|conclusion)(?=:)|"
    r"that's a (?:good|great|fair) (?:point|catch|question))(?:[,.!:]|\s[-\u2013\u2014])\s*){1,3}",
    re.I,
)
#: Uncertain statements.
_UNSURE: Final = re.compile(
    r"\b(?:probably|perhaps|maybe|might|seems?|appears?|likely|not sure|option [a-d1-4]|I think|"
    r"we could|you could|could also|would be (?:better|nice))\b",
    re.I,
)
#: Proposals.
_PROPOSED: Final = re.compile(
    r"\b(?:I(?:'d| would)? (?:recommend|suggest|propose)|recommendation|"
    r"the (?:fix|solution) (?:would|could|should)|(?:we|you|I) (?:could|should|can|might)|"
    r"should (?:be|we|I)|would (?:be|need|require|mean)|could be)\b",
    re.I,
)
#: Thinking aloud.
_ALOUD: Final = re.compile(
    r"^(?:wait|hmm|actually|but wait|ok(?:ay)?,|alright|so now|hold on)\b|\b(?:no|oh) wait\b|"
    r"\b(?:let me|I(?:'d)? need to|I could|I should|I'll|I will|I'm going to|let's|I can see|"
    r"I (?:was|forgot|accidentally|mistakenly|had been))\b",
    re.I,
)


class AgentStatement(NamedTuple):
    """Statement of an agent: its text, extra weight, the user's correction of it, and whether
    something was changed after it."""

    text: str
    more: float = 0.0
    against: str = ""
    before: bool = False


def findings(
    statements: Sequence[AgentStatement], about: str, room: int = FOUND, *, done: bool = True
) -> tuple[str, float]:
    """Most informative sentences on a subject, and the score of the best one.

    They come from few statements, so that they belong together, in the order in which they were
    made: the state before a change, then the state after it. Sentences that the user's next words
    corrected are left out.
    """
    wanted = {word for word in words_of(about) if len(word) >= LEAST_SHARED}
    rated = [(_rated(one, wanted, done), which) for which, one in enumerate(statements)]
    rated = sorted((one for one in rated if one[0]), key=_most_told, reverse=True)[:STATEMENTS]
    every = [(one, which) for some, which in rated for one in some]
    kept: list[tuple[int, int, str]] = []
    worth = {one: one[0][0] - _reads_badly(one[0][2]) for one in every}
    for (_, place, sentence), which in sorted(every, key=lambda one: -worth[one]):
        if len(kept) == SENTENCES:
            break
        if worth[((_, place, sentence), which)] < LEAST_READ:
            continue
        alike = (other for one, _, other in kept if _is_same_time(statements, one, which))
        if len(sentence) + 1 <= room and not any(same(sentence, other) for other in alike):
            kept.append((which, place, sentence))
            room -= len(sentence) + 1
    best = max((score for (score, _, _), _ in every), default=0.0)
    earlier = [_ended(text) for which, _, text in sorted(kept) if statements[which].before]
    since = [_ended(text) for which, _, text in sorted(kept) if not statements[which].before]
    if earlier:
        earlier.insert(0, EARLIER)
        since = ["Since then:", *since] if since else []
    return " ".join([*earlier, *since]), best


def _is_same_time(statements: Sequence[AgentStatement], one: int, other: int) -> bool:
    """Whether both statements were made before a change, or both after it."""
    return statements[one].before == statements[other].before


def _rated(statement: AgentStatement, wanted: Set[str], done: bool) -> list[tuple[float, int, str]]:
    """Informative sentences of a statement: score, position and text."""
    text, more, against, _ = statement
    found: list[tuple[float, int, str]] = []
    for place, line in enumerate(sentences_of(text)):
        sentence = _OPENING.sub("", _LISTED.sub("", line)).lstrip(".,;:!- ")
        if not _is_telling(sentence) or (against and are_related(sentence, against, OBJECTED)):
            continue
        score = _told_score(sentence, wanted) + more
        score -= PROPOSED * (not done and bool(_PROPOSED.search(sentence)))
        score -= LISTED * (not done and bool(_ITEM.match(sentence)))
        if score >= LEAST_TOLD or more >= AGREEING:
            found.append((score, place, sentence))
    return found


def _most_told(rated: tuple[Sequence[tuple[float, int, str]], int]) -> float:
    return sum(sorted((score for score, _, _ in rated[0]), reverse=True)[:LEADING])


def _is_telling(sentence: str) -> bool:
    """Whether a sentence is informative: complete, and no announcement, thinking aloud or log
    entry."""
    if (
        len(sentence) < _SENTENCE
        or is_aside(sentence)
        or sentence.rstrip(").").endswith(("?", ":"))
    ):
        return False
    if _LOGGED.search(sentence) and not is_claim(sentence):
        return False
    if len(_CODE.sub(" ", sentence).split()) < _SAID:
        return False
    return not any(one.search(sentence) for one in (_ALOUD, _WEIGHED, _NEXT, _HOLLOW))


def _told_score(sentence: str, wanted: Set[str]) -> float:
    """Score of one sentence on the subject."""
    shared = sum(word in wanted for word in set(words_of(sentence)))
    score = sentence_score(sentence) + 0.25 * min(4, shared)
    score -= UNRELATED * (bool(wanted) and not shared) + UNCLAIMED * (not is_claim(sentence))
    score -= 0.6 * bool(_LOGGED.search(sentence)) + 0.7 * bool(_UNSURE.search(sentence))
    return score - 0.3 * sentence.count(" · ")


def _reads_badly(sentence: str) -> float:
    """Deduction for a sentence that is hard to read outside its report."""
    loss = LOGGED * bool(_LOGGED.search(sentence)) + 0.3 * bool(_LABELLED.match(sentence))
    loss += SUBJECTLESS * bool(_SUBJECTLESS.match(sentence))
    loss += MOMENTARY * bool(_MOMENTARY.match(sentence))
    return loss + 0.2 * bool(_LEANING.match(sentence)) + 0.2 * sentence.count(" · ")


def _ended(sentence: str) -> str:
    sentence = sentence[:1].upper() + sentence[1:]
    return sentence if sentence.endswith((".", "!", "”", "…")) else f"{sentence.rstrip(',;:-')}."
