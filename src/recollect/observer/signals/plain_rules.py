"""Turns a wish that is put as a question, or at a refused command, into its rule in plain form.

"Can you use a switch instead of linked ifs?" settles something and reads like a question: a memory
of it is led by "Use a switch instead of linked ifs.", with the quoted question behind it. Only
sentences are turned whose grammar leaves one meaning; the words of the rule are the user's own, but
for its first one. A question for what is possible, for a cause or for an opinion is never turned.
"""

import re
from collections.abc import Mapping
from typing import Any, Final

from recollect.observer.diagnoses import identifiers
from recollect.observer.phrases import capitalised
from recollect.observer.signals.exchanges import is_refusal
from recollect.observer.signals.outcomes import agrees
from recollect.observer.signals.turn_text import OWN, own_words
from recollect.observer.turn_words import has_yielded

#: Most characters of a rule, and fewest of its words.
_LONGEST: Final = 180
_FEWEST: Final = 3
_SENTENCE: Final = re.compile(r"(?<=[.?!\u2026])\s*(?<![a-z]\.[a-z]\.)\s+|(?<=\.\.\.)|\n+")
_OPENING: Final = re.compile(
    r"^(?:(?:ok(?:ay)?|no(?:pe)?|yes|yeah|hm+|also|and|but|so|wait|ah|oh|really|then|"
    r"I think|sorry)\b[,.!? ]{1,3}){1,4}",
    re.I,
)
#: Words in front of a verb that carry nothing.
_FILLING: Final = r"(?:please |just |also |maybe |rather |instead |then ){0,2}"
#: Verbs by which somebody has a thing done to code or to a project.
_VERB: Final = (
    r"(?:use|add|make|put|keep|call|pass|return|read|write|move|rename|replace|store|log|reuse|"
    r"extract|split|handle|check|throw|raise|import|inject|prefer|avoid|drop|remove|name|run|"
    r"build|set|wrap|load|fetch|parse|validate|generate|create|define|derive|take|get|let|do)"
)
_GERUND: Final = re.compile(
    r"(?P<verb>using|adding|making|putting|keeping|calling|passing|returning|reading|writing|moving|"
    r"renaming|replacing|storing|logging|reusing|extracting|splitting|handling|checking|throwing|"
    r"raising|importing|injecting|dropping|removing|naming|running|setting|wrapping|loading|"
    r"fetching|parsing|validating|generating|creating|defining|deriving|taking|getting)\b",
    re.I,
)
#: Objects that stand for something that was said or seen before.
_POINTING: Final = (
    r"(?!(?:it|this|that|these|those|them|one|both|him|her|there|here|so|"
    r"the (?:same|other|first|second|last|one))\b)"
)
_INSTEAD: Final = re.compile(
    r"\b(?:instead of|rather than) (?!(?:it|this|that|these|those)\b)[\w`./]", re.I
)
_OURS: Final = re.compile(r"^use (?:our|the existing|the (?:built-?in|standard))\b", re.I)
#: Questions by their frame. The last two name what should be, whoever does it.
_CAN: Final = re.compile(
    rf"^(?:can|could|would|will) (?:we|you) {_FILLING}(?P<rule>{_VERB} {_POINTING}.+)$", re.I
)
_SHOULD: Final = re.compile(
    rf"^(?:shouldn't|should not|should) (?:we|you) (?P<not>not )?{_FILLING}"
    rf"(?P<rule>{_VERB} {_POINTING}.+)$",
    re.I,
)
_WHY_NOT: Final = re.compile(
    rf"^why (?:don't|do not) (?:we|you) {_FILLING}(?P<rule>{_VERB} {_POINTING}.+)$|"
    rf"^why not {_FILLING}(?P<bare>{_VERB} {_POINTING}.+)$",
    re.I,
)
_WHY_NOT_DOING: Final = re.compile(
    r"^why (?:not|aren't (?:we|you)|are (?:we|you) not) "
    rf"(?P<rule>{_GERUND.pattern} {_POINTING}.+)$",
    re.I,
)
_SHOULD_BE: Final = re.compile(
    r"^shouldn't (?P<thing>(?:the |our |an? )?[`\w./-]{2,40}(?: [`\w./-]{2,30}){0,3}?) "
    r"(?P<be>(?:(?:always|only|never|also) )?be [^,;]{3,100})$",
    re.I,
)
_TAIL: Final = re.compile(
    r"(?:,? (?:please|or|right|no|then|though|maybe|too|as well))?[?.!\s]{0,20}$", re.I
)
#: Words behind which a question is none of what should be.
_UNSURE: Final = re.compile(
    r"\b(?:maybe|perhaps|somehow|possible|possibly|something|somewhere|what|"
    r"or (?:is|do|should|would)|whether|if (?:not|that|it)|you think|for now|first|this time)\b",
    re.I,
)
#: Words for something that was seen or said before, and is not named.
_SEEN: Final = re.compile(
    r"\b(?:this|these|those|that (?!is\b|are\b|has\b|have\b|can\b)(?=\w+))\b|"
    r"\b(?:here|there|above|below)$",
    re.I,
)
#: A question that leaves the choice open: one thing or another.
_EITHER: Final = re.compile(r", or\b|\beither\b", re.I)
#: An answer that does not do what was asked for.
_DECLINED: Final = re.compile(
    r"(?:(?:hm+|ah|well)[,. ]+)?(?:no\b(?! problem)|unfortunately|I (?:can't|cannot|couldn't)|"
    r"that(?:'s| is) not|it(?:'s| is) not possible|we can't|not (?:really|quite|possible))",
    re.I,
)
#: What is done with a refused command, and words that refuse it without naming anything.
_RUNNING: Final = re.compile(r"^running `([^`]{3,400})`$")
_CHECKING_IN: Final = re.compile(
    r"^(?:please )?(?:don't|do not|dont|never|let's not|lets not) (?:check|put) "
    r"(?:this|that|it|these|those|them) in\b|"
    r"^(?:please )?(?:don't|do not|dont|never|let's not|lets not) (?:commit|add|push) "
    r"(?:this|that|it|these|those|them)(?: files?| one)?[.!]{0,8}$",
    re.I,
)
_ADDED: Final = re.compile(r"^git add ((?:(?!-)[\w./@+-]{2,120} ?){1,2})&& git commit\b")
#: Words that forbid to do something that they do not name, for good.
_NAMELESS: Final = re.compile(
    r"^(?:please )?(?:let's not|lets not|don't|do not|dont|never) (?:ever )?"
    r"(?:do|run|use|try|go for) (?:it|this|that|such (?:a )?thing|"
    r"(?:this|that|the) [\w-]{1,30} (?:thing|one|option|way|stuff|flag))"
    r"(?: please)?[.! ]{0,8}$",
    re.I,
)
#: The beginning of a command that can be quoted: up to what is given to it in quotation marks, to
#: another command, or to where it was cut.
_FIRST_PART: Final = re.compile(r"[^\"'|&;<>$\u2026`\\]{3,80}")
_UNASKED: Final = re.compile(
    r"\bI (?:didn't|did not|never) (?:say|ask|tell|told|asked|said)(?: you)?(?: to)? "
    r"(?P<verb>commit|push|run|deploy|merge|delete|install|publish|rebase|release)\b",
    re.I,
)


def plain_rule(turn: Mapping[str, Any]) -> str:
    """The rule of a user's words in plain form; empty if they state it themselves, if their grammar
    leaves more than one meaning, or if the agent did not follow."""
    words = own_words(str(turn["words"]), OWN)
    at_command = _at_command(words, turn)
    if at_command:
        return at_command
    if not _is_followed(turn):
        return ""
    refused = is_refusal(turn)
    rules = [_of_question(one.strip(), refused=refused) for one in _SENTENCE.split(words)]
    found = [one for one in rules if one]
    return found[0] if len(found) == 1 else ""


def _of_question(sentence: str, *, refused: bool) -> str:
    """The rule of one sentence that asks."""
    asked = _OPENING.sub("", sentence, count=1)
    said = _TAIL.sub("", asked)
    if _SEEN.search(said) or _UNSURE.search(said) or _EITHER.search(said) or len(said) > _LONGEST:
        return ""
    for form in (_CAN, _SHOULD, _WHY_NOT):
        match = form.match(said)
        if match is None:
            continue
        named = match.groupdict()
        rule = named.get("rule") or named.get("bare") or ""
        open_still = form is not _WHY_NOT and not _INSTEAD.search(rule)
        negated = "n't" in said[:10].lower() or bool(named.get("not"))
        if form is _SHOULD and negated:
            open_still = False
        if open_still and not (refused and form is _CAN and _OURS.match(rule)):
            return ""
        return _as_rule(rule)
    doing = _WHY_NOT_DOING.match(said)
    if doing is not None:
        gerund = doing["verb"]
        return _as_rule(f"{_bare_verb(gerund)}{doing['rule'][len(gerund) :]}")
    being = _SHOULD_BE.match(said)
    return _as_rule(f"{being['thing']} should {being['be']}") if being is not None else ""


def _as_rule(rule: str) -> str:
    """A sentence of a rule; empty if it says too little."""
    told = rule.strip().rstrip("?.!,; ")
    if len(told.split(" ")) < _FEWEST and not identifiers(told):
        return ""
    return f"{capitalised(told)}."


def _bare_verb(gerund: str) -> str:
    """The verb of a form in "-ing"; only forms of the list above occur."""
    stem = gerund.lower().removesuffix("ing")
    if stem in _DOUBLED:
        return stem[:-1]
    return stem if stem in _ENDING_BARE else f"{stem}e"


_DOUBLED: Final = frozenset({"putt", "splitt", "logg", "dropp", "runn", "sett", "wrapp", "gett"})
_ENDING_BARE: Final = frozenset(
    "add keep call pass return read throw import inject extract check load fetch".split()
)


def _is_followed(turn: Mapping[str, Any]) -> bool:
    """Whether an agent did what a user had asked for, and nobody took it back."""
    answer = str(turn["answer"]).strip()
    if _DECLINED.match(answer) or turn.get("refuted") or turn.get("reversed"):
        return False
    if "next_undoes" in turn.get("situation", ()):
        return False
    return bool(turn["edited"]) or agrees(turn) or has_yielded(answer)


def _at_command(words: str, turn: Mapping[str, Any]) -> str:
    """The rule of words at a refused command: what must not be committed, or done unasked."""
    running = _RUNNING.match(str(turn["action"]))
    if running is None or not is_refusal(turn):
        return ""
    said = _OPENING.sub("", words.strip(), count=1)
    unasked = _UNASKED.search(words)
    if unasked is not None and re.search(rf"\b{unasked['verb'].lower()}\b", running[1]):
        return f"Do not {unasked['verb'].lower()} unasked."
    first = _FIRST_PART.match(running[1])
    if _NAMELESS.match(said) and first is not None:
        return f"Do not run `{first[0].strip()}`."
    added = _ADDED.match(running[1])
    if added is None or not _CHECKING_IN.match(said):
        return ""
    return f"Do not commit {' and '.join(f'`{path}`' for path in added[1].split())}."
