"""Plans that are called off or carried out, and an end that concerns one of several.

"We're not going to Tokyo" takes back the flight there, "we bought the house" what was only thought
of. When one of three cats has died, how many there were stays told.
"""

import re
from typing import Final

from recollect.chat.updates.single_attributes import attributes_of
from recollect.memories.text_comparison import read, stem

_GOING: Final = r"(?:going|flying|travell?ing|driving|heading|moving|coming|sailing|cycling)"
#: A journey that will not take place, and where it was to lead.
_NOT_GOING: Final = re.compile(
    r"\b(?i:(?:i'm|im|i am|we're|we are|i|we)(?: (?:am|are|will))?"
    rf"(?: not| won't be|'m not|'re not| aren't| not be) {_GOING} (?:back |away )?(?:to|for)) "
    r"(?P<en>[A-ZÀ-Þ][\w'-]{1,30})"
    r"|\b(?i:(?:on ne|je ne|nous n'|on n') ?(?:va|vais|part|pars|allons|partons) (?:pas|plus)"
    r" (?:à|au|aux|en|pour)) (?P<fr>[A-ZÀ-Þ][\w'-]{1,30})",
)
#: A journey that somebody plans.
_JOURNEY: Final = re.compile(
    rf"\b(?:fly|flight|trip|travel|holiday|visit|weekend|journey|booked|tickets?|{_GOING}|go to"
    r"|leave for|leaving for|train to|vol|voyage|vacances|week-end|pars|part|partons|vais"
    r"|allons)\b",
    re.IGNORECASE,
)
_THINKS_OF: Final = re.compile(
    r"\b(?:(?:thinking|dreaming) (?:of|about)|considering|hoping to|hope to|want(?:s|ing)? to"
    r"|would (?:like|love) to|(?:i|we)'d (?:like|love) to|might|looking (?:to|into)|planning to"
    r"|plan(?:s)? to|(?:on|je) (?:pense|songe|voudrais|envisage)\w{0,3}|on voudrait)\b",
    re.IGNORECASE,
)
_DONE: Final = re.compile(
    r"\b(?:i|we|i've|we've|i have|we have|j'ai|on a|nous avons) (?:just |finally |now |enfin )?"
    r"(?:bought|booked|adopted|joined|started|sold|rented|signed|ordered|built|enrolled"
    r"|achet\u00e9|r\u00e9serv\u00e9|adopt\u00e9|lou\u00e9|sign\u00e9|command\u00e9|vendu)(?!\w)",
    re.IGNORECASE,
)
_SEVERAL: Final = (
    r"(?:\d{1,3}|two|three|four|five|six|seven|eight|nine|ten|several|some|deux|trois|quatre|cinq"
    r"|six|sept|huit|neuf|dix|plusieurs)"
)
_ONE_OF: Final = re.compile(
    r"\b(?:one|two|three|une?|deux|the (?:oldest|youngest|eldest|first)) (?:of (?:my|our|the)"
    r"|de (?:mes|nos)) (?:\w{2,15} )?(?P<kind>[^\W\d_]{3,20})",
    re.IGNORECASE,
)


def calls_off(old: str, new: str) -> bool:
    """Whether a statement says that a planned journey to a place does not take place."""
    off = _NOT_GOING.search(new.replace("\u2019", "'"))
    if off is None or not _JOURNEY.search(old) or attributes_of(old) & {"home"}:
        return False
    place = off["en"] or off["fr"]
    return re.search(rf"\b{re.escape(place)}\b", old) is not None and not _NOT_GOING.search(old)


def may_call_off(text: str) -> bool:
    """Whether a statement says that a journey does not take place, or that something was done."""
    return bool(_NOT_GOING.search(text.replace("\u2019", "'")) or _DONE.search(text))


def carries_out(old: str, new: str) -> bool:
    """Whether a statement says that what was only thought of is done: its words are nearly all in
    the older one.
    """
    if not _THINKS_OF.search(old) or _THINKS_OF.search(new) or not _DONE.search(new):
        return False
    wanted, done = read(_THINKS_OF.sub(" ", old)).stems, read(new).stems
    return len(done & wanted) >= max(_ALIKE, len(wanted) - 1)


def ends_one_of_several(old: str, new: str) -> bool:
    """Whether a statement is about one of the things that an older one counts."""
    one = _ONE_OF.search(new)
    if one is None:
        return False
    kind = stem(one["kind"].lower())
    counted = re.finditer(rf"\b{_SEVERAL} (?:\w{{2,15}} )?([^\W\d_]{{3,20}})", old, re.IGNORECASE)
    return any(stem(found[1].lower()) == kind for found in counted)


_ALIKE: Final = 2  # words in common by which a plan is known again
