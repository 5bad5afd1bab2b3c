"""Claims of a session: the sentences of an agent that state something lasting, scored in context.

Each sentence of a statement is scored by ``claim_score``: its form, and the situation in which it
was said. A statement before a change, or with many turns to come, is overtaken more often than the
last word of a session.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from recollect.observer.claim_score import AgentSentence, score_of
from recollect.observer.diagnoses import before_choice, is_choice, names_in, same, sentences_of
from recollect.observer.names import LEAST_SHARED, are_related
from recollect.observer.names import words as words_of
from recollect.observer.phrases import as_sentence
from recollect.observer.signals.rejections import is_rejected
from recollect.observer.signals.wishes import is_correcting
from recollect.observer.turn_words import has_yielded, is_undoing

#: Maximum number of claims told together and of their characters, and the minimum scores of the
#: first and of the others.
CLAIMS: Final = 3
ROOM: Final = 420
LEAST: Final = -1.0
MORE_LEAST: Final = -0.7
#: The same for a person who reviews a memory.
LONG_CLAIMS: Final = 8
LONG_ROOM: Final = 1_100
LONG_LEAST: Final = -2.3
#: Number of words that a claim shares with what it is about, and the minimum score of one that
#: shares fewer.
RELATED: Final = 1
UNRELATED_LEAST: Final = -0.5
#: Number of words shared with the user's correction from which a sentence is the corrected one.
OBJECTED: Final = 4
_SHORTEST: Final = 25
#: Number or bullet of a list item, meaningless outside its list.
_LISTED: Final = re.compile(r"^(?:\(?\d{1,2}[.)]|[-*•]|[a-d]\))\s+")
#: Opening phrases of an answer, before its content.
_OPENING: Final = re.compile(
    r"^(?:(?:yes|no|right|great|good|perfect|ah|oh|ok(?:ay)?|so|but|also|and|however|now|wait|"
    r"I see|you.re (?:absolutely |completely )?(?:right|correct)|"
    r"good (?:point|catch|question|idea)|"
    r"(?:the )?(?:root cause|key insight|key finding|summary|fix|result|answer|conclusion)(?=:)|"
    r"that's a (?:good|great|fair) (?:point|catch|question))(?:[,.!:]|\s[-\u2013\u2014])\s*){1,3}",
    re.I,
)
_QUOTED: Final = re.compile(r"`[^`\n]{0,100}`|\"[^\"\n]{0,100}\"|“[^”\n]{0,100}”")
#: An agent that tells of itself: what it did, does or understands.
_ALOUD: Final = re.compile(
    r"^(?:I|I've|I'm|I'll|let me|let's)\b|"
    r"\b(?:let me|I(?:'ll| will| need| should| can| could|'m going| now|'d)|I've|"
    r"my (?:fix|change))\b",
    re.I,
)


#: Beginning of a sentence that cannot be understood without the one before it.
_LEANING: Final = re.compile(
    r"(?:this|that|these|those|it|its|they|them|both|such|the same|same|instead|otherwise|"
    r"then|so|or|and|but|here|there|which|also)\b(?! (?:when|if)\b)",
    re.I,
)
#: Advice to the user for the moment, and what only this user's machine or work is like.
_MOMENT: Final = re.compile(
    r"^(?:try|please|restart|reload|run|note that I|give|check|see|go|ready|looks?)\b|"
    r"\b(?:your|you(?:'ve|'re| just| ran| had| made| asked| want(?:ed)?| saw| see| can| should| "
    r"may| need| mentioned| noticed| pointed| used| were| did| got| said))\b|"
    r"\b(?:this|the current) (?:session|conversation|PR|pull request|branch|commit)\b|"
    r"\((?:at )?lines? \d|"
    r"\b(?:pre-existing|unrelated|all tests|tests? (?:now )?pass|lint(?:er)? (?:is|passes)|"
    r"(?:was|were) (?:kept|left|not (?:changed|touched)))\b",
    re.I,
)


#: A sentence that only logs what was done to which thing.
_LOGGED: Final = re.compile(
    r"(?:[\w./`-]{3,80}(?::\d[\d-]*)?`?\s?[-\u2013\u2014:]\s)?(?:now |also |all )?"
    r"(?:added|updated|changed|removed|renamed|moved|created|modified|replaced|refactored|split|"
    r"implemented|extracted|simplified|deleted|fixed|converted|introduced|wired|cleaned|dropped|"
    r"deduplicated|documented|populated|switched|exported|tests?|uses?)\b",
    re.I,
)
#: A sentence without a subject: the item of a list whose heading is not told.
_SUBJECTLESS: Final = re.compile(
    r"(?:(?:never|always|only|still|not|no longer|now|correctly|automatically|already|actually|"
    r"simply|properly|just|also) )?"
    r"(?:[a-z]{3,12}ing\b(?! `)|(?:adds|allows|builds|calls|captures|checks|contains|creates|"
    r"covers|detects|does|ensures|extracts|falls|finds|gets|handles|has|includes|is|keeps|links|"
    r"loads|looks|makes|matches|merges|needs|omits|parses|prevents|prints|provides|reads|removes|"
    r"reports|requires|resets|returns|runs|saves|sends|sets|shows|skips|stores|takes|tracks|"
    r"updates|uses|validates|verifies|works|wraps|writes)\b|"
    r"[a-z]{3,14}s (?:the|an?|any|all|only|new|between|from|to|in|on|with|for|each|both|its|`))",
    re.I,
)
#: An item of a list or a row of a table about a name, and a verb that makes a sentence of it.
_ITEM: Final = re.compile(
    r"`?[\w./()*-]{3,80}`?(?: \([^()\n]{1,60}\))? (?:[-\u2013\u2014\u2192]|->) "
)
_VERB: Final = re.compile(
    r"\b(?:is|are|was|were|has|have|had|does|do|did|can|could|must|should|will|would|may|cannot|"
    r"never|always|returns?|means?|needs?|fails?|uses?|reads?|writes?|takes?|gets?|sets?|calls?)\b|"
    r"n't\b",
    re.I,
)
_ROW: Final = " · "
#: A line of a file by its number, which the next change moves.
_LINE_NUMBER: Final = re.compile(r"\.\w{1,5}:\d")
#: The heading of what was wrong before a change, in the report of it.
_FORMER: Final = re.compile(r"(?:before|problem|issue|bug|old|previously):\s+", re.I)
#: What an agent is about to do.
_ANNOUNCED: Final = re.compile(
    r"(?:(?:now|so|ok(?:ay)?|good|great)[,.]? )?(?:let me|I(?:'|\u2019)ll|I will|I(?:'|"
    r"\u2019)m (?:now )?"
    r"\w+ing)\b",
    re.I,
)
BEFORE_CHANGE: Final = "Before the change:"
#: The heading of an item, and an item that is only numbered by a letter or is a heading.
_LABEL: Final = re.compile(r"^[A-Z][\w `'()/-]{2,60}(?::| [-\u2013\u2014]) (?=\S)")
_LETTERED: Final = re.compile(
    r"^(?:(?:[A-Z]\d?|Step \d+|(?:Problem )?Description): |`?Test[A-Z_]|`?test_)", re.I
)
#: A sentence about the work of the moment: its tests, plan, comments and names.
_OF_THE_WORK: Final = re.compile(
    r"(?:so |but |now |and )?(?:the|this|that|these|those|my|our|both|all|each|two|three|some)"
    r"(?: (?:new|existing|old|other|failing|integration|unit|simplest|cleanest|best|current|"
    r"original|previous|remaining|only|last|first|code|second))*"
    r" (?:fix|tests?|comments?|linter|lint|plan|logic|refactoring|changes?|diff|build|output|"
    r"approach|solution|implementation|diagnostics?|errors?|feedback|suggestions?|script|scripts|"
    r"review(?:er)?|PR|naming|names?|code)(?: (?:in|of|for|on|from|to) (?:\S+ )?(?:\S+ )?\S+)? "
    r"(?:is|are|was|were|looks?|has|have|works?|needs?|"
    r"should|would|will|can|now|ensures?|provides?|adds?|removes?|complains?|fails?|failed|"
    r"passes|expects?|explains?|updated?|check|shows?|found)\b",
    re.I,
)
#: What might be, and what nobody is sure of.
_GUESSED: Final = re.compile(
    r"\b(?:probably|perhaps|maybe|might|likely|presumably|ideally|I think|I bet|seems?|appears?|"
    r"could (?:be|have|also)|would be|consider|recommended|alternatively|option [a-d1-4])\b",
    re.I,
)
#: What every compiler says.
_TRIVIAL: Final = re.compile(
    r"\b(?:(?:missing|unused)\s+(?:\S+\s+)?(?:imports?|variables?|parameters?)|undefined:|"
    r"declared and not used|compiles?|typo|(?:this|the|these|those) (?:new |existing )?tests?)\b",
    re.I,
)
#: Words of a proposal, which tells no cause.
_PROPOSED: Final = re.compile(r"\b(?:should|we can|needs?|update|would|right now)\b", re.I)
#: Words by which a sentence tells what was wrong.
_CAUSE: Final = re.compile(
    r"\b(?:because|issue|bug|problem|cause[sd]?|reason|missing|wrong|fails?|failing|silently|lost|"
    r"dropped|ignored|never|only|(?:does|is|was|do|did|has)n't|does not|is not)\b",
    re.I,
)
#: When a sentence was said: before or after the change of its turn, in a turn that changed nothing,
#: or in one of which a later turn changed what it names.
BEFORE: Final = "before"
AFTER: Final = "after"
TALK: Final = "talk"
CHANGED: Final = "changed later"
#: Share of a sentence's names that a later change speaks of, from which it is taken for overtaken.
OVERTAKEN: Final = 0.5


class Claim(NamedTuple):
    """A sentence of an agent, its score, the event and step in which it was said, its place in the
    statement, whether it was said after the changes of its turn, and how many words it shares with
    what it is about; the sentence before it, if it leans on that; and when it was said."""

    text: str
    score: float
    event: str
    step: int
    place: int
    after_change: bool = False
    shared: int = 0
    before: str = ""
    phase: str = TALK


def with_prospects(turns: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Turns, each with what followed it: names that later turns speak of, and features of its
    situation."""
    found: list[dict[str, Any]] = []
    later_names: set[str] = set()
    later_files: set[str] = set()
    later_changed: set[str] = set()
    for place in range(len(turns) - 1, -1, -1):
        turn = turns[place]
        follows = turns[place + 1] if place + 1 < len(turns) else None
        situation = {f"turns_after_{_bucket(len(turns) - 1 - place)}"}
        if follows is not None:
            words = str(follows["words"])[:400]
            situation |= {"next_corrects"} if is_correcting(words) else set()
            situation |= {"next_yields"} if has_yielded(str(follows["answer"])) else set()
            situation |= {"next_undoes"} if is_undoing(words) else set()
        if turn["edited"]:
            situation.add("edited")
            situation |= {"edited_again"} if later_files & set(turn["edited"]) else set()
        situation |= {"accepted"} if turn.get("let_go_on") else set()
        situation |= {"committed"} if turn.get("commit") else set()
        later = {
            "later": len(turns) - 1 - place,
            "later_names": frozenset(later_names),
            "later_changed": frozenset(later_changed),
        }
        found.append({**turn, "situation": frozenset(situation), **later})
        named: set[str] = set()
        for text in (str(turn["words"]), *(str(one["text"]) for one in turn["stated"])):
            named |= {name.lower() for name in names_in(text)}
        later_names |= named
        later_files |= set(turn["edited"])
        later_changed |= named if turn["edited"] else set()
    return found[::-1]


def claims_of(turns: Sequence[Mapping[str, Any]], about: str) -> list[Claim]:
    """Sentences of the agent's own statements in some turns, with their scores, best first.

    Statements that were taken back are left out, and of one that presents options the part behind
    its beginning.
    """
    wanted = frozenset(word for word in words_of(about) if len(word) >= LEAST_SHARED)
    found: list[Claim] = []
    for turn in turns:
        for one in turn["stated"]:
            if one.get("repeats") is not None or one.get("taken_back"):
                continue
            for place, spoken in spoken_in(turn, one, wanted):
                objected = _is_objected(spoken.text, str(one.get("against", "")))
                if not objected and not is_rejected(spoken.text, turn):
                    event, step = str(one["event"] or ""), int(one["step"])
                    after = "after_change" in spoken.situation
                    shared = len(wanted & set(words_of(spoken.text)))
                    score = score_of(spoken) + float(one.get("more", 0.0))
                    leans = _LEANING.match(spoken.text) is not None
                    before = spoken.previous if leans else ""
                    if not leans or _supports(before):
                        phase = _phase(spoken, turn)
                        facts = (event, step, place, after, shared, before, phase)
                        found.append(Claim(spoken.text, score, *facts))
    return sorted(found, key=lambda claim: -claim.score)


def _phase(spoken: AgentSentence, turn: Mapping[str, Any]) -> str:
    named = {name.lower() for name in names_in(spoken.text)}
    again = len(named & turn.get("later_changed", frozenset()))
    changed = bool(again) and again >= OVERTAKEN * len(named)
    if "after_change" in spoken.situation:
        return CHANGED if changed and "next_corrects" in spoken.situation else AFTER
    if "before_change" in spoken.situation:
        return BEFORE
    return CHANGED if changed else TALK


def chosen(
    claims: Sequence[Claim], room: int = ROOM, least: float = LEAST, shared: int = 0
) -> list[Claim]:
    """The best claims that still held at the end, in the order in which they were said, of those
    that share a number of words with what they are about.

    What was said before a change is told only as its cause, and only if nothing said after it is.
    """
    related = [claim for claim in claims if claim.shared >= shared]
    held = [claim for claim in related if claim.phase in {AFTER, TALK}]
    causes = [claim for claim in related if claim.phase == BEFORE and is_cause(claim.text)]
    return _best(held, room, least) or _best(causes, room, least)


def is_cause(text: str) -> bool:
    """Whether a sentence tells what was wrong, rather than what should be done."""
    return _CAUSE.search(text) is not None and _PROPOSED.search(text) is None


def at_length(claims: Sequence[Claim]) -> list[Claim]:
    """Claims for a person who reviews a memory: more of them, also what was said before a change,
    in the order in which they were said."""
    kept: list[Claim] = []
    room = LONG_ROOM
    for claim in claims:
        if claim.score < LONG_LEAST or len(kept) == LONG_CLAIMS:
            break
        if _ANNOUNCED.match(claim.text):
            continue
        if len(claim.text) <= room and not any(same(claim.text, one.text) for one in kept):
            kept.append(claim._replace(before="", phase=TALK))
            room -= len(claim.text) + 1
    return sorted(kept, key=lambda claim: (claim.step, claim.place))


def _best(claims: Sequence[Claim], room: int, least: float) -> list[Claim]:
    """The first claim, and others only if they are good by themselves and say something else."""
    kept: list[Claim] = []
    for claim in claims:
        if claim.score < (MORE_LEAST if kept else least) or len(kept) == CLAIMS:
            break
        if not stands(claim.text):
            continue
        if claim.shared < RELATED and claim.score < UNRELATED_LEAST:
            continue
        if any(same(claim.text, other.text) for other in kept):
            continue
        length = len(_with_support(claim, kept))
        if length > room:
            continue
        kept.append(claim)
        room -= length + 1
    return sorted(kept, key=lambda claim: (claim.step, claim.place))


def stands(text: str) -> bool:
    """Whether a sentence tells how something is, rather than of its teller, of a moment, of what
    might be, or as a log."""
    rest = _LABEL.sub("", text)
    if _LETTERED.match(text) or _LOGGED.match(text) or _LINE_NUMBER.search(text) or _ROW in text:
        return False
    item = _ITEM.match(text)
    if item is not None and _VERB.search(text, item.end()) is None:
        return False
    if any(form.match(part) for form in (_SUBJECTLESS, _OF_THE_WORK) for part in (text, rest)):
        return False
    return not any(form.search(_unquoted(text)) for form in (_ALOUD, _MOMENT, _GUESSED, _TRIVIAL))


def is_guess(text: str) -> bool:
    """Whether a sentence tells what might be, or what nobody is sure of."""
    return _GUESSED.search(_unquoted(text)) is not None


def told_claims(claims: Sequence[Claim]) -> str:
    """Claims as sentences, each with the one that it leans on, unless that is told already; how
    things were before a change comes last, on a line of its own."""
    told: list[str] = []
    former: list[str] = []
    for place, claim in enumerate(claims):
        if claim.before and not _is_told(claim, claims[:place]):
            told.append(as_sentence(claim.before))
        was = _FORMER.match(claim.text) if claim.phase == AFTER else None
        text = claim.text[was.end() :] if was else claim.text
        (former if was or claim.phase == BEFORE else told).append(as_sentence(text))
    before = [f"{BEFORE_CHANGE} {' '.join(former)}"] if former else []
    return "\n".join([*([" ".join(told)] if told else []), *before])


def _is_told(claim: Claim, others: Sequence[Claim]) -> bool:
    return any((one.event, one.text) == (claim.event, claim.before) for one in others)


def _with_support(claim: Claim, others: Sequence[Claim]) -> str:
    leans = claim.before and not _is_told(claim, others)
    return f"{claim.before} {claim.text}" if leans else claim.text


def _supports(before: str) -> bool:
    """Whether a sentence can stand before one that leans on it."""
    if len(before) < _SHORTEST or before.rstrip(").").endswith(("?", ":")):
        return False
    return stands(before) and _LEANING.match(before) is None


def _unquoted(text: str) -> str:
    """A text without what stands in quotation marks or backticks."""
    return _QUOTED.sub("", text)


def _is_objected(sentence: str, against: str) -> bool:
    """Whether the user's next words corrected the sentence."""
    return bool(against) and are_related(sentence, against, OBJECTED)


def spoken_in(
    turn: Mapping[str, Any], statement: Mapping[str, Any], wanted: frozenset[str]
) -> list[tuple[int, AgentSentence]]:
    """Sentences of a statement with their situation."""
    base = set(turn.get("situation", ()))
    if turn["edited"] and int(statement["step"]) < int(turn.get("changed", 0)):
        base.add("before_change")
    elif turn["edited"]:
        base.add("after_change")
    base |= {"last_said"} if statement["event"] == turn.get("last") else set()
    base |= {"among_options"} if statement.get("choice") else set()
    later = turn.get("later_names", frozenset())
    text = str(statement["text"])
    if statement.get("choice"):
        text = before_choice(text) if is_choice(text) else ""
    found: list[tuple[int, AgentSentence]] = []
    previous = ""
    for place, line in enumerate(sentences_of(text)):
        said, before = bare(line), previous
        previous = said
        if len(said) >= _SHORTEST and not said.rstrip(").").endswith(("?", ":")):
            named = {name.lower() for name in names_in(said)}
            share = len(named & later) / len(named) if named else 0.0
            again = f"named_again_{0 if not share else 1 if share < 0.7 else 2}"
            spoken = AgentSentence(said, wanted, place, frozenset(base | {again}), before)
            found.append((place, spoken))
    return found


def bare(line: str) -> str:
    """A sentence without its list mark and opening phrases."""
    return _OPENING.sub("", _LISTED.sub("", line)).lstrip(".,;:!- ")


def _bucket(count: int) -> int:
    return 0 if not count else 1 if count < 3 else 2 if count < 8 else 3
