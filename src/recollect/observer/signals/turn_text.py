"""What a memory of an exchange says: the user's own words, then what came of them.

A pasted log gives way to the outcome, a plan is told by its title and its reasons, and a refusal is
called one only where the words refuse; a question at a permission prompt is told as a question.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from recollect.observer.diagnoses import is_aside, is_choice, sentences_of
from recollect.observer.names import words as words_of
from recollect.observer.phrases import quoted, shortened
from recollect.observer.signals.wishes import is_question, is_wishing
from recollect.observer.turn_words import is_plan

OWN: Final = 680
BESIDE: Final = 320
AGREED: Final = 320
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
_HEADING: Final = re.compile(r"^#{1,6}\s*(?:Plan:?\s*)?(.*)$", re.I)
#: The parts of a plan that say what for and why.
_WHY: Final = re.compile(
    r"\b(?:goal|summary|context|problem|background|root cause|cause|why|motivation|overview|"
    r"decisions?|approach|design|behaviou?r|solution|constraints?|requirements?|issue|insight)\b",
    re.I,
)
_PLAN_LINE: Final = 260
_COMMON: Final = 4


def content_of(
    turn: Mapping[str, Any],
    others: Sequence[str],
    agreed: Sequence[Mapping[str, Any]],
    told: Sequence[Mapping[str, Any]],
) -> str:
    """What was said, of what, what came of it, and what was found on the way."""
    parts = [_said(turn)]
    parts += [f"Also: {quoted(own_words(other, BESIDE))}" for other in others]
    parts += [f"The agent agreed: {quoted(text)}" for one in agreed if (text := _given(one))]
    last = str(turn.get("last") or "")
    outcome = [one for one in told if last and one["event"] == last and _settles(one)]
    parts += [f"Outcome: {quoted(one['text'])}" for one in outcome]
    parts += [f"The agent: {quoted(one['text'])}" for one in told if one not in outcome]
    return " ".join([*parts, *_done(turn)])


def is_refusing(words: str) -> bool:
    """Whether the words say that something is not to be done, or otherwise."""
    return _REFUSING.search(own_words(words, OWN)) is not None


def is_asking(words: str) -> bool:
    """Whether the words only want to know something."""
    return is_question(words) and not is_wishing(words)


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
    before = f"After “{own_words(str(turn['overturns']), AGREED)}”, " if turn["overturns"] else ""
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


def _given(one: Mapping[str, Any]) -> str:
    """What an agent says as it gives way, as far as it says something."""
    kept = [
        sentence
        for sentence in sentences_of(str(one["text"]))
        if not is_aside(sentence) and not sentence.endswith((":", "?"))
    ]
    text = shortened(" ".join(kept), AGREED)
    return text if len(words_of(text)) >= _COMMON else ""


def _done(turn: Mapping[str, Any]) -> list[str]:
    """The files that were changed upon it, the check that passed then, and the commit."""
    words = str(turn["words"])
    names = [f"`{path}`" for path in turn["edited"][:3] if path not in words]
    found = [f"Changed upon it: {', '.join(names)}."] if names else []
    if turn["edited"] and turn.get("passed"):
        found.append(f"Then `{turn['passed']}` passed.")
    if turn.get("commit"):
        found.append(f"Committed as {quoted(turn['commit'])}.")
    return found


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
