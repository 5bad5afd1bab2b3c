"""What a memory of an exchange says: the user's own words, then what came of them.

A pasted log gives way to the outcome, a plan is told by its title and its reasons, and a refusal is
called one only where the words refuse; a question at a permission prompt is told as a question.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from recollect.observer.diagnoses import sentences_of
from recollect.observer.names import words as words_of
from recollect.observer.phrases import quoted, shortened
from recollect.observer.signals.wishes import is_lasting, is_question, is_wishing
from recollect.observer.turn_words import is_plan, is_review

OWN: Final = 480
BESIDE: Final = 200
#: So much of words that only led to a finding.
ASKED: Final = 260
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
_LITTLE: Final = 20
_SYMBOLS: Final = 2


def content_of(
    turn: Mapping[str, Any], context: Mapping[str, Any] | None, lead: str, details: str
) -> str:
    """What was said, of what, what was found out about it, and where it was changed.

    Where the words say nothing by themselves, what was found out stands first. What else was told
    of it stands last.
    """
    more = [f"Details: {details}"] if details else []
    done = _done(turn, lead)
    if lead and not says_itself(turn):
        return " ".join([lead, _said(turn, context, ASKED), *done, *more])
    said = _said(turn, context, OWN)
    return " ".join([said, *([f"Found: {lead}"] if lead else []), *done, *more])


def says_itself(turn: Mapping[str, Any]) -> bool:
    """Whether the words tell a lesson without an answer: how it is to be, or what is wrong."""
    words = str(turn["words"])
    if is_plan(words) or is_review(words):
        return True
    return not is_task(words) and (is_lasting(words) or is_refusing(words))


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


def _said(turn: Mapping[str, Any], context: Mapping[str, Any] | None, longest: int) -> str:
    words = str(turn["words"])
    own = quoted(own_words(words, longest))
    earlier = str(turn["overturns"])
    after = ""
    if context is not None and int(context["step"]) <= int(turn["step"]):
        earlier = earlier or str(context["words"])
    elif context is not None:
        after = f" Then: {quoted(own_words(str(context['words']), BESIDE))}"
    before = f"After “{own_words(earlier, BESIDE)}”, " if earlier else ""
    if is_plan(words):
        return f"The user had this planned: {own}{after}"
    held = _held_back(turn)
    if held:
        return f"{held}: {own}{after}"
    who = "the user" if before else "The user"
    return f"{before}{who} {'asked' if is_asking(words) else 'said'}: {own}{after}"


def asked_of(turn: Mapping[str, Any]) -> str:
    """Upon which words something was found out, behind the finding."""
    words = str(turn["words"])
    if len(words) < _LITTLE:
        return ""
    return f"Found upon the user's words: {quoted(own_words(words, BESIDE))}"


def _held_back(turn: Mapping[str, Any]) -> str:
    """How a refusal is told: as one only where its words refuse; empty where there was none."""
    action, words = str(turn["action"]), str(turn["words"])
    if action and turn.get("late"):
        if is_refusing(words) or are_related(action, words):
            return f"The user stopped the agent from {action}, then said"
    elif action and turn.get("refused"):
        if is_refusing(words) and not is_asking(words):
            return f"The user did not want the agent {action}. In their words"
        verb = "asked" if is_asking(words) else "said"
        return f"The user held the agent back from {action} and {verb}"
    return ""


def _done(turn: Mapping[str, Any], found: str) -> list[str]:
    """What was changed upon it; the commit where nothing else tells what came of it."""
    told = [_changed(path, turn.get("symbols", {})) for path in turn["edited"][:2]]
    parts = [f"Changed for it: {'; '.join(told)}."] if told else []
    if turn.get("commit") and not found:
        parts.append(f"Committed as {quoted(turn['commit'])}.")
    return parts


def _changed(path: str, symbols: Mapping[str, Sequence[str]]) -> str:
    names = ", ".join(f"`{name}`" for name in symbols.get(path, ())[:_SYMBOLS])
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
