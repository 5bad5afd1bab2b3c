"""Words that name no topic: two statements that share nothing else are not about the same."""

import re
from typing import Final

#: By their stems.
WEAK: Final = frozenset(
    """
    new now again still year month week day time last first good thing get got make start stop end
    quit sell sold leav left switch move chang cancel updat one two three use lot much home work
    im ive id ill shes hes theyr theyv were weve dont cant wont its that what since becom put keep
    just also too yet finish back until till only everi most some other after befor euro pound quid
    dollar franc kilo morn afternoon even night tonight weekend matin soir jai
    jsui cest depuis jour mois semain an ans
    """.split()
)
#: Words that say that something changed, but not what.
LEADS_IN: Final = re.compile(
    r"\b(?:turns out|it turns out|as it turns out|rescheduled?|postponed|after all|from now on"
    r"|these days|by the way|btw|fyi|any ?more|no longer|scratch that|strike that|instead"
    r"|(?:up|down|back) (?:to|from)|pushed(?: back)?|brought forward|bumped|switched|moved|changed"
    r"|dropped|ditched|swapped|sold|stopped|gave up|given up|binned|axed|scrapped|cancell?ed"
    r"|update|news|finally|officially"
    r"|ended up|used to|now|same (?:time|day|date|place)|finalement|désormais|maintenant|dorénavant"
    r"|passée?s? (?:en|à|au)|décalée?s?|reportée?s?|avancée?s?|repoussée?s?|déplacée?s?|du coup"
    r"|au final|vendue?s?|arrêtée?|changé|au lieu)(?!\w)|(?<=\d)(?:st|nd|rd|th|er)\b",
    re.IGNORECASE,
)
