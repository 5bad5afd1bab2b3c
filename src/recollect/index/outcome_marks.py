"""Detects outcome markers at the beginning of a turn: a decision, fix, cause, deadline or owner.

People who settle something in a conversation mark it so that others find it: "Decision: ...", "Root
cause: ...", "TL;DR ...". Only the beginning of a turn is examined, in English and French.
"""

import re
from typing import Final

from recollect.storage.search.places import HEAD
from recollect.vocabulary.lazy_patterns import lazy_pattern

#: Kinds of outcomes, as bits.
DECISION: Final = 1
FIX: Final = 2
CAUSE: Final = 4
DEADLINE: Final = 8
OWNER: Final = 16
SUMMARY: Final = 32


_LEAD: Final = (
    r"[^\w]{0,6}"
    r"(?:(?:ok|okay|so|right|then|final|the|our|update|bon|donc|la|le)\b[,:]?\s{1,2}){0,2}"
)
#: Ending of a marker: a colon, also the full-width one, or a dash of any kind.
_MARK: Final = "[\\s*_`)\\]]{0,4}(?::|\uff1a|=|\u2014|\u2013|-{1,2}(?=\\s))"
_WORDS: Final = {
    DECISION: "decision|decided|verdict|resolution|agreed|agreement|consensus|choice|chosen"
    "|décision|décidé|choix|retenu|convenu|tranché",
    FIX: "fix|fixed|solution|solved|resolved|workaround|patch"
    "|correctif|corrigé|résolu|contournement",
    CAUSE: "root cause|cause|reason|culprit|explanation|cause racine|raison|explication|origine",
    DEADLINE: "deadline|due|due date|eta|target date|release date|échéance|date limite|livraison",
    OWNER: "owner|assignee|assigned|responsible|in charge|dri|responsable|pilote|assigné",
    SUMMARY: "conclusion|summary|outcome|result|answer|bottom line|recap|takeaway|résumé|en résumé"
    "|bilan|réponse|résultat",
}
_SAID: Final = {
    DECISION: r"we(?:['\u2019]ve| have)? (?:decided|agreed|settled|chosen|chose)\b"
    r"|we(?:['\u2019]ll| will|['\u2019]re| are)? go(?:ing)? with\b|let['\u2019]s go with\b"
    r"|on (?:part sur|a décidé|a choisi|a retenu)\b|nous avons (?:décidé|choisi|retenu)\b",
    SUMMARY: r"tl;?dr\b",
}
_MARKED: Final = lazy_pattern(
    _LEAD
    + "(?:"
    + "|".join(f"(?P<w{kind}>(?:{words}){_MARK})" for kind, words in _WORDS.items())
    + "|"
    + "|".join(f"(?P<s{kind}>{said})" for kind, said in _SAID.items())
    + ")",
    re.IGNORECASE,
)


def marks_of(text: str) -> int:
    """The kind of outcome that a turn begins with; 0 if it has no marker."""
    found = _MARKED.match(text[:HEAD])
    return int((found.lastgroup or "_0")[1:]) if found else 0
