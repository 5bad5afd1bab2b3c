"""Score of how likely a colleague is glad to be told the memory of a user's turn: a linear model.

The features are forms of language (a norm, a wish, a doubt, an order for now), the position of the
turn (a refusal, after "Done"), and its outcome (agreed to, followed, taken up again). The weights
are in ``telling_score.tsv``; ``python -m benchmarks.telling_fit`` fits them to turns that a reader
judged, with whole sessions left out. A score of 0 means even odds.
"""

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from importlib.resources import files
from typing import Any, Final

from recollect.observer.diagnoses import identifiers
from recollect.observer.names import LEAST_SHARED, is_test
from recollect.observer.names import words as words_of
from recollect.observer.signals.context_need import context_needed, is_pointing, is_rewording
from recollect.observer.signals.exchanges import is_refusal
from recollect.observer.signals.outcomes import agreement, agrees, concedes, shared_words
from recollect.observer.signals.turn_text import OWN, is_asking, is_refusing, is_task, own_words
from recollect.observer.signals.wishes import is_lasting, is_policy, is_rule, is_wishing
from recollect.observer.turn_words import is_undoing

#: What somebody lays down rather than orders: what holds wherever it applies, what is meant, what
#: makes no sense, what is a reason, what is no longer so.
NORM: Final = re.compile(
    r"\b(?:remember|memori[sz]e) (?:to|that|also)\b|\bso you remember\b|"
    r"\b(?:have|keep|bear) in mind\b|\bmy (?:point|intention|idea) (?:is|was)\b|\bin my head\b|"
    r"\bthe (?:\w{1,20} )?(?:idea|directive|rule|principle|intent\w*|goal|assumption) (?:is|was)\b|"
    r"\b(?:wherever|whenever) (?:we|you|it|possible)\b|\b(?:where|if) possible\b|"
    r"\b(?:doesn't|does not|don't|not|wouldn't) (?:really )?make sense (?:to|for|in)\b|"
    r"\bmakes? no sense\b|\bthe intention\b|\b(?:that's|that is|which is|this is) why\b|"
    r"\b(?:not|isn't|it's|is|are|aren't) (?:expected|supposed|meant|intended|allowed)\b|"
    r"\bthe risk\b|\bshould(?:n't| not)\b|\b(?:phased out|deprecated|obsolete|no longer)\b|"
    r"\b(?:I|we|users?|people|someone|they) (?:would|will|won't|wouldn't) (?:not )?"
    r"(?:want|care|have|need|expect)\b|\bany ?more\b|\bin favou?r of\b|\bstick to\b|"
    r"\btoo (?:much|many|large|big|long|complex|generic|noisy|intrusive)\b|"
    r"\blet's (?:not|avoid|only|always|never)\b|\bdon't (?:be|leave|want)\b|"
    r"\bwe (?:never|only|always) \w",
    re.I,
)
_REPLIES: Final = r"(?:(?:and|but|so|ok(?:ay)?|also|now|yes|yeah|hm+|q:|question:),? ){0,2}"
#: Forms of a user's own words, each a feature.
FORMS: Final[Mapping[str, re.Pattern[str]]] = {
    name: re.compile(form, re.I)
    for name, form in {
        "want": r"\bI (?:do )?(?:also )?want\b|\bI'd (?:like|rather|prefer)\b|\bprefer\b",
        "should": r"\b(?:we|it|this|that|they|you|there) (?:should|must|needs? to|ha(?:ve|s) to)\b",
        "reasons": r"\b(?:because|since|so that|otherwise|that way|which means|given that|in case|"
        r"the (?:issue|problem|reason|point))\b",
        "universal": r"\b(?:always|never|everywhere|every|each|all|any|both|whole|completely)\b",
        "negates": r"\b(?:not|no|never|without|none)\b|n't\b",
        "compares": r"\b(?:instead|rather|existing|already|same|reuse|shared?|duplicat\w+|"
        r"consisten\w+|consolidate|unify)\b",
        "removes": r"\b(?:obsolete|no need|not needed|removed?|drop|delete|get rid|unused|"
        r"unnecessary|overkill)\b",
        "uses": r"\b(?:use|using)\b",
        "better": r"\b(?:better|cleaner|simpler|nicer|simple|best|easier|safer)\b",
        "hedged": r"\b(?:wonder\w*|maybe|perhaps|I guess|not sure|in theory|I feel|seems?|"
        r"probably|might|I think)\b",
        "before_else": r"\b(?:first|before)\b",
        "please": r"\bplease\b",
        "postponed": r"\b(?:later|for now|future|follow.?up|yet)\b",
        "once": r"\b(?:again|last|this one|just now|latest|now)\b",
        "screen": r"\b(?:print|shown?|display\w*|message|wording|output|text|prompt|line|colou?r|"
        r"column|wide|width)\b",
        "arrow": r"->|=>|\u2192|<[a-z ]{1,30}>",
        "tests": r"\btest(?:s|ing)?\b",
        "work_flow": r"\b(?:commit|push|branch|PR|rebase|merge|stash|amend|squash|comments?|issue|"
        r"ticket|plan|review)\b",
        "look": r"\b(?:can|could) you (?:please )?(?:\w{1,12} )?(?:explain|check|look|tell|show|"
        r"give|summari[sz]e|help|double|see|find|run|do|print|review)\b",
        "begins_what": rf"^{_REPLIES}(?:what|how|where|when|which|who)\b",
        "begins_is": rf"^{_REPLIES}(?:is|are|does|do|did|has|have|was)\b",
        "begins_can": rf"^{_REPLIES}(?:can|could) (?:we|you|it|I)\b",
        "begins_lets": rf"^{_REPLIES}let'?s\b",
        "begins_no": r"^(?:no|nope|but|hm+|wait|ah|oh|actually|sorry)\b",
        "begins_order": r"^(?:please )?(?:add|make|create|write|check|fix|update|remove|do|run|"
        r"move|rename|change|swap|show|give|skip|put|just)\b",
        "mood": r":\||:\(|:P|\blol\b|!!|\.\.\.|\bugh\b|\barg+h|[\U0001f300-\U0001faff]",
        "you_did": r"\byou (?:wrote|said|mention\w*|did|made|were|put|added)\b",
        "reports_fault": r"\b(?:fail(?:s|ing|ed)?|errors?|doesn't work|not working|broken|bug)\b",
        "of_a_list": r"^\s*(?:\d[.)+]|[a-d][.)]|#\d|option \d)|\b(?:option|approach) [\da-d]\b",
        "assent": r"\b(?:right|correct|or|yes|yeah|no)\?",
    }.items()
}
#: Words of somebody who refuses and says what to do or to leave.
_DIRECTING: Final = re.compile(
    r"^(?:no,? |please |ok,? ){0,2}(?:don't|do not|never|use|prefer|let's|lets|respond|reply|put|"
    r"keep|break|fix|read|just|not)\b",
    re.I,
)
#: Beginning of the action of a refused edit.
_EDITING: Final = ("editing", "writing")
_SENTENCE: Final = re.compile(r"(?<=[.?!])\s+|\n+")
_SIZES: Final = (30, 60, 120, 240, 400)
_TELLING: Final = (2, 4, 7, 12)
_NEEDS: Final = (1.0, 2.0, 3.0)
_LATER: Final = (1, 3, 8, 20)
_MANY_SHARED: Final = 3
_FEW_TELLING: Final = 4
_PROSE: Final = (".md", ".txt", ".rst")


def telling_score(turn: Mapping[str, Any]) -> float:
    """Log odds that a colleague is glad to be told the memory of a turn."""
    weights = _weights()
    return weights.get("bias", 0.0) + sum(weights.get(name, 0.0) for name in features_of(turn))


def is_directing_refusal(turn: Mapping[str, Any]) -> bool:
    """Whether a user refuses a command, or a tool other than an edit, and says what to do or to
    leave instead of asking."""
    own = own_words(str(turn["words"]), OWN).strip()
    edits = str(turn["action"]).startswith(_EDITING)
    return is_refusal(turn) and not edits and "?" not in own and _is_directing(own)


def features_of(turn: Mapping[str, Any]) -> frozenset[str]:
    """Features of a turn: its words, its position and its outcome."""
    own = own_words(str(turn["words"]), OWN).strip()
    found = frozenset([*_of_words(own, str(turn["words"])), *_of_outcome(turn)])
    return found | frozenset(_together(found, turn, own))


def _of_words(own: str, words: str) -> Iterator[str]:
    yield f"size_{sum(len(own) >= size for size in _SIZES)}"
    yield from (name for name, form in FORMS.items() if form.search(own))
    sentences = [one for one in _SENTENCE.split(own) if one.strip()]
    asked = sum(one.rstrip().endswith("?") for one in sentences)
    yield "tells" if not asked else "asks" if asked == len(sentences) else "tells_and_asks"
    named = min(2, identifiers(own))
    telling = len({word for word in words_of(own) if len(word) >= LEAST_SHARED})
    yield f"names_{named}"
    yield f"telling_{sum(telling >= count for count in _TELLING)}"
    need = context_needed(own)
    yield f"need_{sum(need >= least for least in _NEEDS)}"
    norm = NORM.search(own) is not None
    told = (
        ("thin", not named and telling < _FEW_TELLING),
        ("norm", norm),
        ("norm_told", norm and not asked),
        ("policy", is_policy(words)),
        ("rule", is_rule(words)),
        ("lasting", is_lasting(words)),
        ("refusing", is_refusing(words)),
        ("wishing", is_wishing(words)),
        ("task", is_task(words)),
        ("asking", is_asking(words)),
        ("pointing", is_pointing(own)),
        ("rewording", is_rewording(own)),
        ("undoing", is_undoing(own)),
    )
    yield from (name for name, holds in told if holds)


def _of_outcome(turn: Mapping[str, Any]) -> Iterator[str]:
    edited = list(turn["edited"])
    code = any(not is_test(path) and not path.endswith(_PROSE) for path in edited)
    again = agreement(turn)
    situation = turn.get("situation", frozenset())
    later = int(turn.get("later", 0))
    yield f"later_{sum(later >= count for count in _LATER)}"
    told = (
        ("changed", bool(edited)),
        ("changed_code", code),
        ("changed_prose", bool(edited) and all(path.endswith(_PROSE) for path in edited)),
        ("changed_tests", bool(edited) and all(map(is_test, edited))),
        ("passed", bool(turn.get("passed"))),
        ("committed", bool(turn.get("commit"))),
        ("conceded", concedes(turn)),
        ("agreed", agrees(turn)),
        ("said_again", bool(again)),
        ("said_again_much", bool(again) and shared_words(again, turn) >= _MANY_SHARED),
        ("after_done", bool(turn["done"])),
        ("interrupted", bool(turn.get("interrupted"))),
        ("overturns", bool(turn["overturns"])),
        ("accepted", bool(turn.get("accepted"))),
        ("edited_again", "edited_again" in situation),
        ("next_corrects", "next_corrects" in situation),
        ("next_conceded", "next_corrects" in situation and "next_yields" in situation),
        ("refused", is_refusal(turn)),
    )
    yield from (name for name, holds in told if holds)


def _together(found: frozenset[str], turn: Mapping[str, Any], own: str) -> Iterator[str]:
    """Features that count otherwise together than alone."""
    yield from (f"{one}_and_{other}" for one, other in _PAIRS if one in found and other in found)
    if "refused" in found:
        action = str(turn["action"])
        kind = "command" if action.startswith("running") else "other"
        yield f"refused_{'edit' if action.startswith(_EDITING) else kind}"
        if _is_directing(own):
            yield "refused_and_directs"


def _is_directing(own: str) -> bool:
    return _DIRECTING.search(own) is not None


_PAIRS: Final = (
    ("tells", "changed"),
    ("tells", "conceded"),
    ("tells", "said_again"),
    ("tells", "negates"),
    ("said_again", "changed"),
    ("refused", "tells"),
    ("refused", "asks"),
    ("refused", "wishing"),
    ("refused", "agreed"),
    ("refused", "negates"),
)


@lru_cache(maxsize=1)
def _weights() -> dict[str, float]:
    text = files("recollect.observer.signals").joinpath("telling_score.tsv").read_text("utf-8")
    rows = (line.split("\t") for line in text.splitlines() if line and not line.startswith("#"))
    return {name: float(weight) for name, weight in rows}
