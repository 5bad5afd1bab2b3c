"""What a memory of an exchange says: the user's own words, then what came of them.

A pasted log gives way to the outcome, a plan is told by its title and its reasons, and a refusal is
called one only where the words refuse; a question at a permission prompt is told as a question.
"""

import re
from collections.abc import Mapping, Sequence, Set
from typing import Any, Final

from recollect.observer.diagnoses import (
    before_choice,
    is_aside,
    is_choice,
    is_claim,
    same,
    sentence_score,
    sentences_of,
)
from recollect.observer.names import words as words_of
from recollect.observer.phrases import quoted, shortened
from recollect.observer.signals.wishes import is_lasting, is_question, is_wishing
from recollect.observer.turn_words import has_yielded, is_plan

OWN: Final = 680
BESIDE: Final = 320
#: So much of a pasted block is enough to know it again.
_PASTE: Final = 160
_LINES: Final = 2
_FENCED: Final = re.compile(r"(?:```|\"\"\")[\w-]{0,20}\n?(.*?)(?:```|\"\"\"|\Z)", re.S)
#: Lines that a program printed, not a person.
_PRINTED: Final = re.compile(
    r"^(?:\s{4,}\S|\s*(?:---|===|\+\+\+|@@|\$ |> |\|[ -]|\[[\w:.-]{1,30}\]|[│├└╭╰]|at \S+\(|"
    r"FAIL\b|ok\s{2,}|PASS\b|panic:|goroutine |\d{4}-\d\d-\d\d[T ]|\d\d:\d\d:\d\d|"
    r"[\w./-]{1,200}:\d{1,6}[:\s]|[0-9a-f]{7,40} |[+-]\s?\S{1,40}\s?[:=({]|[{}\]]))"
)
_REFUSING: Final = re.compile(
    r"^(?:no+|nope|nah|stop|wait|wrong|hm+,? no)\b(?! (?:need|worries|problem))|"
    r"\b(?:don't|do not|never|instead|rather|should(?:n't| not)|wrong|not (?:what|the|a|like|this|"
    r"that|here|now|yet|needed|necessary)|too (?:much|many|long|big|complex)|unnecessary|overkill|"
    r"no need|without|please use|only|must|prefer)\b",
    re.I,
)
#: How an order for now begins.
_TASK: Final = re.compile(
    r"^(?:(?:ok(?:ay)?|great|cool|nice|perfect|good|now|and|then|also|so|yes|alright)[,.! ]+){0,3}"
    r"(?:please |can (?:you|we) |could (?:you|we) |let's |lets |I (?:want|need) (?:you )?(?:to )?|"
    r"we (?:need|want) to |I'd like (?:you )?to |help me )?(?:also |now |just |please )?"
    r"(?:add|make|create|write|check|look|help|review|run|implement|generate|explain|fix|update|"
    r"commit|push|copy|move|rename|continue|start|open|investigate|find|show|tell|give|go|do|try|"
    r"read|see|debug|summari[sz]e|merge|rebase|address|propose|confirm|verify|invoke|discuss)\b",
    re.I,
)
_HEADING: Final = re.compile(r"^#{1,6}\s*(?:Plan:?\s*)?(.*)$", re.I)
#: The parts of a plan that say what for and why.
_WHY: Final = re.compile(
    r"\b(?:goal|summary|context|problem|background|root cause|cause|why|motivation|overview|"
    r"decisions?|approach|design|behaviou?r|solution|constraints?|requirements?|issue|insight)\b",
    re.I,
)
_PLAN_LINE: Final = 260
_COMMON: Final = 4
#: So much of what an agent found out is told, in sentences that tell so much; its last statement
#: is its account and tells more.
FOUND: Final = 1_000
LEAST_TOLD: Final = 0.4
LAST: Final = 0.4
AGREEING: Final = 0.8
PROPOSED: Final = 0.6
LOGGED: Final = 0.8
STATEMENTS: Final = 5
SENTENCES: Final = 10
LEADING: Final = 3
UNCLAIMED: Final = 0.5
UNRELATED: Final = 0.3
#: A sentence that shares so many words with what put an answer right is what was put right.
OBJECTED: Final = 4
_SENTENCE: Final = 25
_FILES: Final = 5
_SYMBOLS: Final = 4
#: The number or mark of an item, which means nothing outside of its list.
_LISTED: Final = re.compile(r"^(?:\(?\d{1,2}[.)]|[-*•]|[a-d]\))\s+")
#: What was done, item by item, and what a check said tell a change and not what is known.
_LOGGED: Final = re.compile(
    r"^(?:\(?\d{1,2}[.)]\s+)?(?:`[^`]{1,80}`[:,]? ?(?:[-\u2013\u2014] )?)?(?:I(?:'ve| have)? )?"
    r"(?:now )?(?:added|updated|changed|removed|renamed|moved|created|modified|replaced|refactored|"
    r"implemented|extracted|committed|pushed|ran|made|deleted|kept|found the|"
    r"tests? (?:added|pass))\b|\b(?:tests?|lint|linter|checks?|build)\b[^.]{0,40}"
    r"\b(?:pass(?:es|ed|ing)?|succeed\w*|clean|green)\b|"
    r"\b(?:works?|working) (?:correctly|properly|as expected|fine|now)\b|\u2192 `",
    re.I,
)
#: The name of a part of a report, or a line's number, which is another one tomorrow.
_LABELLED: Final = re.compile(
    r"^(?:(?:new|where|files?|directory|location|status|results?|changes?|before|after|old|current|"
    r"note)\s?:|`?[\w./-]{0,80}`?\s?\(?lines? \d)",
    re.I,
)
#: How a sentence begins that leans on the one before it.
_LEANING: Final = re.compile(
    r"^(?:this|that|these|those|it|they|then|otherwise|instead|without|with this|both of|"
    r"the latter|same|here)\b",
    re.I,
)
#: How an agent begins an answer before it says something.
_OPENING: Final = re.compile(
    r"^(?:(?:yes|no|right|great|good|perfect|ah|oh|ok(?:ay)?|so|but|also|and|however|now|wait|"
    r"I see|you.re (?:absolutely |completely )?(?:right|correct)|"
    r"good (?:point|catch|question|idea)|"
    r"(?:the )?(?:root cause|key insight|key finding|summary|fix|result|answer|conclusion)(?=:)|"
    r"that's a (?:good|great|fair) (?:point|catch|question))(?:[,.!:]|\s[-\u2013\u2014])\s*){1,3}",
    re.I,
)
#: What is not settled yet.
_UNSURE: Final = re.compile(
    r"\b(?:probably|perhaps|maybe|might|seems?|appears?|likely|not sure|option [a-d1-4]|I think|"
    r"we could|you could|could also|would be (?:better|nice))\b",
    re.I,
)
#: What is only proposed.
_PROPOSED: Final = re.compile(
    r"\b(?:I(?:'d| would)? (?:recommend|suggest|propose)|recommendation|"
    r"the (?:fix|solution) (?:would|could|should)|(?:we|you|I) (?:could|should|can|might)|"
    r"should (?:be|we|I)|would (?:be|need|require|mean)|could be)\b",
    re.I,
)
#: Thinking aloud.
_ALOUD: Final = re.compile(
    r"^(?:wait|hmm|actually|but wait|ok(?:ay)?,|alright|so now|hold on)\b|\b(?:no|oh) wait\b|"
    r"\b(?:let me|I(?:'d)? need to|I could|I should|I'll|I will|I'm going to|let's|I can see)\b",
    re.I,
)


def content_of(turn: Mapping[str, Any], others: Sequence[str], found: str) -> str:
    """What was said, of what, what was found out about it, and where it was changed.

    Where the words only ask or only give a task, what was found out stands first.
    """
    said = [_said(turn), *(f"Also: {quoted(own_words(other, BESIDE))}" for other in others)]
    done = _done(turn, found)
    if found and is_task(str(turn["words"])):
        return " ".join([found, *said, *done])
    return " ".join([*said, *([f"Found: {found}"] if found else []), *done])


def found_out(
    turn: Mapping[str, Any],
    others: Sequence[str],
    agreed: Sequence[Mapping[str, Any]],
    told: Sequence[Mapping[str, Any]],
) -> tuple[str, float]:
    """What the agent found out about what was said, and how much the best of it tells.

    Ways that it laid out to choose from, and what was taken back later, are no findings.
    """
    about = " ".join([str(turn["words"]), str(turn["overturns"]), *others])
    last = str(turn.get("last") or "")
    statements = [(str(one["text"]), AGREEING, "") for one in agreed]
    for one in told:
        if one.get("taken_back"):
            continue
        more = AGREEING if has_yielded(str(one["text"])) else 0.0
        if last and one["event"] == last and _settles(one):
            more = max(more, LAST)
        text = before_choice(str(one["text"]))
        statements.append((text, more, str(one.get("against", ""))))
    return findings(statements, about, done=bool(turn["edited"] or turn.get("accepted")))


def findings(
    statements: Sequence[tuple[str, float, str]],
    about: str,
    room: int = FOUND,
    *,
    done: bool = True,
) -> tuple[str, float]:
    """The sentences that tell most about a matter, and how much the best tells.

    They come from few statements, so that they belong together; the statement that tells most is
    told first, each in its own order. What the user's next words put right is left out.
    """
    wanted = {word for word in words_of(about) if len(word) >= _COMMON}
    rated = [_rated(text, more, wanted, done, against) for text, more, against in statements]
    rated = sorted(filter(None, rated), key=_most_told, reverse=True)[:STATEMENTS]
    every = [(one, which) for which, some in enumerate(rated) for one in some]
    kept: list[tuple[int, int, str]] = []
    worth = {one: one[0][0] - _reads_badly(one[0][2]) for one in every}
    for (_, place, sentence), which in sorted(every, key=lambda one: -worth[one]):
        if len(kept) == SENTENCES:
            break
        if len(sentence) + 1 <= room and not any(same(sentence, other) for *_, other in kept):
            kept.append((which, place, sentence))
            room -= len(sentence) + 1
    best = max((score for (score, _, _), _ in every), default=0.0)
    return " ".join(_ended(sentence) for _, _, sentence in sorted(kept)), best


def _rated(
    text: str, more: float, wanted: Set[str], done: bool, against: str
) -> list[tuple[float, int, str]]:
    """The sentences of a statement that tell something: how much, where, and the words."""
    found: list[tuple[float, int, str]] = []
    for place, line in enumerate(sentences_of(text)):
        sentence = _OPENING.sub("", _LISTED.sub("", line)).lstrip(".,;:!- ")
        if not _is_telling(sentence) or (against and are_related(sentence, against, OBJECTED)):
            continue
        score = _told_score(sentence, wanted) + more
        score -= PROPOSED * (not done and bool(_PROPOSED.search(sentence)))
        if score >= LEAST_TOLD or more >= AGREEING:
            found.append((score, place, sentence))
    return found


def _most_told(rated: Sequence[tuple[float, int, str]]) -> float:
    return sum(sorted((score for score, _, _ in rated), reverse=True)[:LEADING])


def _is_telling(sentence: str) -> bool:
    """Whether a sentence says something: it is whole, no announcement, no thinking aloud and no
    entry of a log."""
    if len(sentence) < _SENTENCE or is_aside(sentence) or sentence.endswith(("?", ":")):
        return False
    if _LOGGED.search(sentence) and not is_claim(sentence):
        return False
    return _ALOUD.search(sentence) is None


def _told_score(sentence: str, wanted: Set[str]) -> float:
    """How much one sentence of an agent tells about what was said."""
    shared = sum(word in wanted for word in set(words_of(sentence)))
    score = sentence_score(sentence) + 0.25 * min(4, shared)
    score -= UNRELATED * (bool(wanted) and not shared) + UNCLAIMED * (not is_claim(sentence))
    score -= 0.6 * bool(_LOGGED.search(sentence)) + 0.7 * bool(_UNSURE.search(sentence))
    return score - 0.3 * sentence.count(" · ")


def _reads_badly(sentence: str) -> float:
    """How much a sentence loses when it is read outside of its report."""
    loss = LOGGED * bool(_LOGGED.search(sentence)) + 0.3 * bool(_LABELLED.match(sentence))
    return loss + 0.2 * bool(_LEANING.match(sentence)) + 0.2 * sentence.count(" · ")


def _ended(sentence: str) -> str:
    sentence = sentence[:1].upper() + sentence[1:]
    return sentence if sentence.endswith((".", "!", "”", "…")) else f"{sentence.rstrip(',;:-')}."


def is_refusing(words: str) -> bool:
    """Whether the words say that something is not to be done, or otherwise."""
    return _REFUSING.search(own_words(words, OWN)) is not None


def is_asking(words: str) -> bool:
    """Whether the words only want to know something."""
    return is_question(words) and not is_wishing(words)


def is_task(words: str) -> bool:
    """Whether the words only ask or order something for now: nothing is to be otherwise."""
    own = own_words(words, OWN)
    if is_plan(words) or is_refusing(own) or is_lasting(own):
        return False
    return is_asking(words) or _TASK.match(own.strip("“ ")) is not None


def are_related(one: str, other: str, least: int = 1) -> bool:
    """Whether two texts speak of the same: they share words that carry meaning."""
    mine = {word for word in words_of(one) if len(word) >= _COMMON}
    return len(mine & {word for word in words_of(other) if len(word) >= _COMMON}) >= least


def own_words(words: str, longest: int) -> str:
    """What the user said, with the beginnings only of what was pasted."""
    if is_plan(words):
        return _plan(words, longest)
    text = _FENCED.sub(lambda found: f" {shortened(found.group(1), _PASTE)} ", words)
    kept: list[str] = []
    printed = 0
    for line in text.splitlines():
        printed = printed + 1 if _PRINTED.match(line) else 0
        if printed <= _LINES:
            kept.append(line if not printed else line[:_PASTE])
        elif kept and kept[-1] != "…":
            kept.append("…")
    return shortened(" ".join(kept), longest)


def _said(turn: Mapping[str, Any]) -> str:
    action, words = str(turn["action"]), str(turn["words"])
    own = quoted(own_words(words, OWN))
    asked = is_asking(words)
    before = f"After “{own_words(str(turn['overturns']), BESIDE)}”, " if turn["overturns"] else ""
    if is_plan(words):
        return f"The user had this planned: {own}"
    if action and turn.get("late"):
        if is_refusing(words) or are_related(action, words):
            return f"The user stopped the agent from {action}, then said: {own}"
    elif action and turn.get("refused"):
        if is_refusing(words) and not asked:
            return f"The user did not want the agent {action}. In their words: {own}"
        verb = "asked" if asked else "said"
        return f"The user held the agent back from {action} and {verb}: {own}"
    who = "the user" if before else "The user"
    return f"{before}{who} {'asked' if asked else 'said'}: {own}"


def _settles(one: Mapping[str, Any]) -> bool:
    """Whether a last statement tells an end: it lays out no ways to choose from."""
    text = str(one["text"])
    return not one.get("choice") and not is_choice(text) and "?" not in text[-3:]


def _done(turn: Mapping[str, Any], found: str) -> list[str]:
    """What was changed upon it, and the commit; its whole message where nothing else tells what
    came of it."""
    told = [_changed(path, turn.get("symbols", {})) for path in turn["edited"][:_FILES]]
    parts = [f"Changed for it: {'; '.join(told)}."] if told else []
    subject, rest = turn.get("commit") or ("", "")
    if subject:
        parts.append(
            f"Committed as {quoted(f'{subject}. {rest}' if rest and not found else subject)}."
        )
    return parts


def _changed(path: str, symbols: Mapping[str, Sequence[str]]) -> str:
    every = symbols.get(path, ())
    named = [name for name in every if not name.startswith(("Test", "test"))] or every
    names = ", ".join(f"`{name}`" for name in named[:_SYMBOLS])
    return f"{names} in `{path}`" if names else f"`{path}`"


def _plan(words: str, longest: int) -> str:
    """A plan's title and the parts of it that say what for and why."""
    title, kept, wanted = "", list[str](), True
    for line in words.splitlines()[1:] if not words.startswith("#") else words.splitlines():
        heading = _HEADING.match(line)
        if heading is not None and not title:
            title = heading.group(1).strip()
        elif heading is not None:
            wanted = _WHY.search(heading.group(1)) is not None
        elif wanted:
            kept += [one[:_PLAN_LINE] for one in sentences_of(line)]
    told = " ".join(kept)
    return shortened(f"{title}. {told}" if title else told or words, longest)
