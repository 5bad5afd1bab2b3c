"""Corrections of a previous statement: replace the wrong value in the earlier text.

"Sorry, the 16th" changes a day, "it wasn't Graz, it was Linz" a name, and a whole sentence that
restates the entry replaces it. Introductory words ("that's wrong: ...") are not part of the
correction.
"""

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from recollect.chat.language.value_patterns import PLAIN_NUMBER
from recollect.chat.updates.update_verdict import topic_of
from recollect.chat.updates.value_exchange import exchanged_value

_CORRECTS: Final = re.compile(
    r"(?:\W{0,3}(?:oh|ah|um|uh|euh|argh|ugh|ok|haha|lol|no|non|nope|but|mais|well|bah|ben|hmm"
    r"|damn|merde|zut)\b\W{0,3}){0,3}"
    r"(?:sorry|wait|hang on|hold on|make that|strike that|i tell a lie|what am i saying|i'm talking"
    r" nonsense|je dis n'importe quoi|n'importe quoi|je raconte n'importe quoi|that's (?:wrong"
    r"|not right|incorrect|not true|not what)|oops"
    r"|whoops|correction|my mistake|my bad|scratch (?:that|the)|scrap the|nope|no no|wrong|i meant"
    r"|i mean|typo"
    r"|actually|i misspelled|i mistyped|scrap that|ignore that|forget that last|never ?mind that"
    r"|on second"
    r" thoughts?|no wait|i got (?:that|it) wrong|i was wrong|not .{2,40}, (?:it's"
    r"|but)"
    r"|pardon|désolée?|je me suis trompée?|je me trompe|je voulais dire|erreur|en fait|mince|oups"
    r"|attends"
    r"|rectification|je corrige"
    r"|i (?:was|got|'ve been|have been) (?:just )?corrected|i stand corrected|on me corrige)\b",
    re.IGNORECASE,
)
#: Words that retract something anywhere in a short message: "Kathryn with a y, sorry".
_TAKES_BACK: Final = re.compile(
    r"\b(?:sorry|typo|auto-?correct(?:ed)?|i meant|(?<!and )i mean(?! (?:it|that|nobody|no|every"
    r"|really|seriously|come|who|what|how|not)\b)|misspelled|mistyped|oops|whoops|spelled"
    r"|spelt|with an? [a-z]\b|my mistake|misread|misheard|(?:got|had) (?:it|that) wrong"
    r"|mixed (?:it|that|them) up|not what i (?:said|meant)|misspoke|mis-?counted"
    r"|pardon|désolée?|coquille|faute de frappe|je voulais dire)",
    re.IGNORECASE,
)
#: The chat sign of a correction: "*Thursday".
_STARRED: Final = re.compile(r"\*(?!\*)([\w:'.-]{2,30})(?!\w|\*)")
#: A value that stands alone: "Correction, I read the wrong tag. 811."
_ALONE: Final = re.compile(
    r"(?:^|[.!;:] )(?:it's |its |c'est )?(\d[\w:.,]{0,12})(?=[.!]*(?:\s|$))(?! \w)"
)
_SHORT_MESSAGE: Final = 16
_WHOLE_SENTENCE: Final = 4
_WHOLE: Final = re.compile(
    r"(?i:(?:i|i'm|i've|im|we|we're|we've|my|our|the|he|she|je|on|nous|mon|ma|mes|notre|le|la|il"
    r"|elle)\b|[jl]')|[A-ZÀ-Þ][\w-]{1,20}(?: is|'s| was| has| est| a| c'est)\b",
)
_NAMED_SUBJECT: Final = re.compile(r"([A-ZÀ-Þ][\w-]{1,20})(?: is|'s| est| c'est) ")
_ONE_FACT: Final = 16  # words of an entry that states one fact
#: The beginning of a sentence with a subject of its own, which no pronoun refers back to.
_OWN_SENTENCE: Final = re.compile(
    r"(?i:(?:i|i'm|i've|i'll|im|we|we're|we've|we'll|my|our|je|on|nous|mon|ma|mes|notre)\b|j')"
    r"|[A-ZÀ-Þ][\w-]{1,20}(?: is|'s| was| has| est| a)\b",
)
_NO: Final = re.compile(r"^\W{0,3}(?:no|nope|non)\b[\s,.!]*", re.IGNORECASE)
_IT_IS: Final = re.compile(
    r"(?:[,;.:!]| and| so| et| donc) (?:and |so |et |donc )?(?:it's|its|it is|c'est|ça fait)\b",
    re.I,
)
#: A wrong value and the right one: "it wasn't Graz, it was Linz", "14, not 12".
_WORDS: Final = r"(?:[\w'.-]|(?<=\d):(?=\d)){1,30}(?: (?:[\w'.-]|(?<=\d):(?=\d)){1,30}){0,2}?"
_NO_VALUE: Final = re.compile(
    r"(?:i|i'm|i've|we|we're|you|he|she|they|it|it's|because|so|but|and|je|j'\w{1,12}|on|nous|tu|il"
    r"|elle|really|sure|yet|at|that|this)\b",
    re.IGNORECASE,
)
_NOT_BUT: Final = (
    re.compile(
        rf"\b(?:it |that |he |she |they )?(?:wasn't|isn't|is not|was not|weren't|aren't|not|pas)"
        rf" (?:in |at |on |the |an? |à |le |la )?(?P<wrong>{_WORDS})[,;.:]? (?:but |mais "
        rf"|rather |it's |it was |it is "
        rf"|they're |c'est |c'était )+(?:in |at |on |the |an? |à |le "
        rf"|la )?(?P<right>{_WORDS})(?=[,;.!?]|$)",
        re.IGNORECASE,
    ),
    re.compile(
        rf"^(?:[\w']{{2,8}}[,.]? ){{0,2}}?(?:not"
        rf"|pas) (?P<wrong>{_WORDS})[,;:] (?P<right>{_WORDS})(?=[,;.!?]|$)",
        re.IGNORECASE,
    ),
    re.compile(
        rf"(?:^|[,;:.] |\b(?:it's|c'est|meant|is|on|at|in|le|la"
        rf"|the) )(?P<right>{_WORDS}),? (?:and |et )?"
        rf"(?:not|pas|instead of) (?:in |at |on |the |an? |à |le "
        rf"|la )?(?P<wrong>{_WORDS})(?=[,;.!?]|$)",
        re.IGNORECASE,
    ),
)


def is_correction(text: str) -> bool:
    """Whether a message retracts the previous statement: at its start or, if short, anywhere."""
    plain = text[:200].replace("\u2019", "'")
    if _CORRECTS.match(plain) or exchanged(plain) or _STARRED.match(plain):
        return True
    return len(text.split()) <= _SHORT_MESSAGE and bool(_TAKES_BACK.search(plain))


def exchanged(text: str) -> list[tuple[str, str]]:
    """Pairs of the values that a message calls wrong and the right ones."""
    plain = text[:600].replace("\u2019", "'")
    return [
        (found["wrong"].rstrip(".:"), found["right"].rstrip(".:"))
        for pattern in _NOT_BUT
        for found in pattern.finditer(plain)
        if found["wrong"].lower() != found["right"].lower()
        and not _NO_VALUE.match(found["right"])
        and bool(PLAIN_NUMBER.match(found["wrong"])) is bool(PLAIN_NUMBER.match(found["right"]))
    ]


def corrected(old: str, words: str) -> str | None:
    """The old statement with the corrected value; None when no value fits."""
    words = words[:600]
    for wrong, right in exchanged(words):
        was = _value_in(old, wrong)
        if was is not None:
            begin = _not_twice(old[: was.start()], right)
            return f"{begin}{right}{_behind(right, old[was.end() :])}"
    given, starred = _value_given(words)
    if not starred and _is_about_something_else(given, old):
        return None
    return exchanged_value(old, given, taken_back=True)


def _value_given(words: str) -> tuple[str, bool]:
    """The value that stands alone in a correction, or the whole of it; and whether it is starred,
    as a name would be: "*Markéta".
    """
    starred = _STARRED.match(words)
    if starred is not None:
        return f" {starred[1]}", True
    alone = _ALONE.search(words)
    return (words if alone is None else alone[1].rstrip(".,")), False


def _is_about_something_else(words: str, old: str) -> bool:
    """Whether a whole sentence follows the introductory words and shares no topic with an entry.

    "Actually we're moving to Braga in January" gives no value for "bouldering is on Wednesdays".
    """
    rest = _NO.sub("", words.replace("\u2019", "'"))
    while (opening := _CORRECTS.match(rest)) and opening.end():
        rest = rest[opening.end() :].lstrip(" ,;:.!-—")
    if len(rest.split()) < _WHOLE_SENTENCE or not _OWN_SENTENCE.match(rest):
        return False
    if _IT_IS.search(rest):  # "I've just found the card and it's O negative"
        return False
    return not topic_of(rest) & topic_of(old)


def holds_value(old: str, value: str) -> bool:
    """Whether an entry contains a value, as whole words."""
    return _value_in(old, value) is not None


def _value_in(old: str, value: str) -> re.Match[str] | None:
    return re.search(rf"(?<!\w){re.escape(value)}(?!\w)", old, re.IGNORECASE)


def _not_twice(begin: str, right: str) -> str:
    """The text before the replaced value, without words that the right value begins with: "allergic
    to" in "Sami is allergic to peanuts, not eggs".
    """
    words = right.split()
    for many in range(len(words) - 1, 0, -1):
        lead = f"{' '.join(words[:many])} "
        if begin.lower().endswith(lead.lower()) and not begin[: -len(lead)][-1:].isalnum():
            return begin[: -len(lead)]
    return begin


def _behind(right: str, rest: str) -> str:
    """The text after the replaced value, without a word that the right value already ends with."""
    last = f" {right.rsplit(maxsplit=1)[-1].lower()}"
    twice = rest.lower().startswith(last) and not rest[len(last) :][:1].isalnum()
    return rest[len(last) :] if twice else rest


def self_corrected(told: Sequence[str]) -> list[tuple[int, str]]:
    """Corrections inside one message: the place of a corrected sentence, and its text as it should
    be: "I was born in Gdańsk. Sorry, typo, Gdynia".
    """
    found: list[tuple[int, str]] = []
    for place, (before, after) in enumerate(pairwise(told)):
        plain = after.replace("\u2019", "'")
        if len(plain.split()) <= _SHORT_MESSAGE and _CORRECTS.match(plain):
            words = corrected(before, after)
            if words is not None:
                found.append((place, words))
    return found


def restated_parts(text: str) -> list[str]:
    """The parts of a correction that may state the whole fact anew, each without its opening:
    "oops no, I have the card here, Ana is O negative".
    """
    found = []
    for part in re.split(r"[.!;] |, ", text[:600].replace("\u2019", "'")):
        words = part.strip()
        while (opening := _CORRECTS.match(words)) and opening.end():
            words = words[opening.end() :].lstrip(" ,;:.!-\u2014")
        if words:
            found.append(words)
    return found


def restates(told: str, old: str) -> bool:
    """Whether a whole sentence restates an entry: "that's wrong: I meet Paula at 8"."""
    if len(told.split()) < _WHOLE_SENTENCE or not _WHOLE.match(told):
        return False
    topic, other = topic_of(told), topic_of(old)
    subject = _NAMED_SUBJECT.match(told)
    if subject and len(old.split()) <= _ONE_FACT and re.search(rf"\b{subject[1]}\b", old):
        return True
    return bool(topic & other) and len(topic & other) * 2 >= min(len(topic), len(other))
