"""Score of how likely a sentence states something that lasts: a linear model over its form.

A rule, a constraint, a cause, how a thing works, where it is and a decision with its reason last;
the log of a change, a plan, an option, a question, an offer and praise do not. The features are
forms, not topics: the subject, tense and mood, words of cause and contrast, identifiers, length,
and where and when the sentence was said. The weights are in ``claim_score.tsv``; ``python -m
benchmarks.claim_fit`` fits them to labelled sentences. A score of 0 means even odds.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from importlib.resources import files
from typing import Final, NamedTuple

from recollect.observer.diagnoses import identifiers
from recollect.observer.names import LEAST_SHARED
from recollect.observer.names import words as words_of

_BIAS: Final = "bias"
_CHANGED: Final = (
    r"(?:added|updated|changed|removed|renamed|moved|created|modified|replaced|refactored|split|"
    r"implemented|extracted|committed|pushed|ran|made|deleted|kept|fixed|simplified|converted|"
    r"introduced|wired|cleaned|dropped|inlined|deduplicated|documented|reduced|populated|rewrote|"
    r"redesigned|increased|switched|verified|confirmed|exported|resolved|set|wrote|tested)"
)
_VERB: Final = (
    r"(?:accepts?|adds?|allows?|applies|builds?|calls?|captures?|catches|checks?|compares?|"
    r"contains?|converts?|covers?|creates?|defines?|deletes?|detects?|diffs?|ensures?|excludes?|"
    r"extracts?|falls|fetches|filters?|finds?|fires?|gets?|goes|handles?|happens?|holds?|ignores?|"
    r"includes?|installs?|keeps?|lives?|loads?|looks?|makes?|matches|merges?|needs?|opens?|parses|"
    r"points?|prints?|produces?|provides?|reads?|receives?|records?|references?|refers|removes?|"
    r"requires?|resets?|restores?|returns?|reuses?|runs?|saves?|scans?|sends?|sets?|shows?|skips?|"
    r"stays?|stores?|strips?|supports?|takes?|tracks?|triggers?|tries|updates?|uses|validates?|"
    r"verifies|works?|wraps?|writes?)"
)
_NAME: Final = r"(?:`[^`]{1,80}`|\b[\w./-]{0,40}[a-z0-9][A-Z_./]\w[\w./-]{0,60})(?:\(\))?"
#: Features of how a sentence begins.
_BEGINS: Final[tuple[tuple[str, str], ...]] = (
    ("begins_name", _NAME),
    (
        "begins_name_verb",
        rf"(?:the )?{_NAME}(?: \w{{1,30}}){{0,2}} (?:{_VERB}|is|are|was|has|does|can)\b",
    ),
    ("begins_name_mark", rf"{_NAME}(?: \([^)]{{1,60}}\))?\s?(?:[:·]|[-\u2013\u2014\u2192])"),
    ("begins_the", r"(?:the|an?|each|every|all|both|no)\b"),
    (
        "begins_the_noun_is",
        r"(?:the|an?|each|every)(?: [\w`.()-]{1,40}){1,4} (?:is|are|was|were|has|"
        r"does|only|never|must|should|can|cannot|already)\b",
    ),
    ("begins_noun_verb", rf"[A-Z][\w-]{{1,40}}(?: [\w-]{{1,40}}){{0,3}} {_VERB} "),
    (
        "begins_problem",
        r"(?:the )?(?:(?:real|actual|key|main|core|underlying|root) )?(?:issue|"
        r"problem|bug|cause|reason|culprit|root cause)\b",
    ),
    (
        "begins_fix",
        r"(?:the )?(?:(?:simplest|cleanest|correct|right|quick|real|best) )?"
        r"(?:fix|solution|approach|change|refactoring)\b",
    ),
    ("begins_insight", r"(?:the )?(?:key|main|critical|important)\b"),
    ("begins_this", r"(?:this|that|these|those)\b"),
    ("begins_it", r"(?:it|they|he|she|both|same|such)\b"),
    ("begins_i", r"I(?:'ve|'m|'ll|'d)?\b"),
    ("begins_we", r"we(?:'re|'ve|'d|'ll)?\b"),
    ("begins_you", r"you(?:r|'re|'ll|'d)?\b"),
    ("begins_now", r"now\b"),
    ("begins_so", r"(?:so|then|otherwise|instead|therefore|thus|or|and|but|however|also)\b"),
    (
        "begins_when",
        r"(?:when|if|since|because|after|before|during|once|unless|until|while|for|"
        r"without|with|in|on|at)\b",
    ),
    ("begins_changed", rf"(?:I(?:'ve| have)? )?(?:now |also |successfully )?{_CHANGED}\b"),
    ("begins_bare_verb", rf"(?:only|also|now|still|always|never|not|does not)?\s?{_VERB} "),
    (
        "begins_imperative",
        r"(?:use|add|remove|keep|move|change|make|create|update|let|drop|put|"
        r"extract|store|track|show|find|look|call|check|calculate|compare|detect|bake|set|write|run|"
        r"replace|rename|merge|split|return|list|do|don't|modify|leave|clean|warn|accept)\b",
    ),
    ("begins_ing", r"[A-Z]?[a-z]{2,12}ing\b"),
    (
        "begins_option",
        r"(?:option|approach|alternative|pros?|cons?|downside|trade-?off|phase|step|"
        r"task|issue|finding|recommendation|my)\b",
    ),
    ("begins_number", r"\W{0,2}\d"),
    ("begins_test", r"`?Test[A-Z_]|(?:unit |integration )?tests?\b"),
    ("begins_lower", r"[a-z]"),
    ("begins_label", r"[A-Z][\w /-]{2,35}(?: \([^)]{1,60}\))?\s?(?::|[-\u2013\u2014]) "),
    ("begins_seen", r"(?:I )?(?:see|found|notice|noticed|can see|think|bet)\b|(?:looking|found)\b"),
)
#: Features found anywhere in a sentence.
_HOLDS: Final[tuple[tuple[str, str], ...]] = (
    (
        "because",
        r"\b(?:because|since|due to|so that|which (?:means|is why|causes)|that's why|"
        r"as a result|otherwise|therefore)\b",
    ),
    ("means", r"\b(?:means?|ensures?|prevents?|causes?|caused|leads? to|allows?)\b"),
    ("so", r", so\b|\bso (?:the|it|that|we|they|you|each|a|`)"),
    ("condition", r"\b(?:when|if|whenever|until|unless|once)\b"),
    ("contrast", r"\b(?:but|however|although|whereas|while|even (?:if|though|when)|despite)\b"),
    ("instead", r"\b(?:instead|rather than|not just|no longer)\b"),
    ("negated", r"\b(?:not|never|no|cannot|nothing|none|without)\b|n't\b"),
    ("only", r"\b(?:only|always|never|every|any|each|exactly|both|all)\b"),
    ("must", r"\b(?:must|needs? to|has to|have to|required?|requires)\b"),
    ("should", r"\bshould(?:n't)?\b"),
    ("would", r"\b(?:would|could|might|may|can be|i'd|we'd|you'd)\b"),
    (
        "unsure",
        r"\b(?:probably|perhaps|maybe|seems?|appears?|likely|possibly|potential\w*|suspect|"
        r"suggests?|not sure|I think|I bet)\b",
    ),
    (
        "silently",
        r"\b(?:silently|by default|by design|intentional\w*|missing|lost|dropped|ignores?|"
        r"orphaned|stale|wrong|incorrect\w*|unconditionally|hardcoded|race|conflict\w*)\b",
    ),
    ("was", r"\b(?:was|were|had|wasn't|weren't|hadn't|didn't)\b"),
    ("is", r"\b(?:is|are|isn't|aren't)\b"),
    ("do_present", r"\b(?:does|do|doesn't|don't|has|have|can|can't|cannot)\b"),
    ("verb_present", rf"\b{_VERB}\b"),
    ("now", r"\bnow\b"),
    ("changed", rf"\b{_CHANGED}\b"),
    ("will", r"\b(?:will|going to|'ll)\b"),
    ("i", r"\bI\b(?!/)"),
    ("my", r"\b(?:my|me|mine)\b"),
    ("we", r"\b(?:we|our|us)\b"),
    ("you", r"\b(?:you|your)\b"),
    (
        "moment",
        r"\b(?:today|here|currently|right now|at the moment|this (?:session|PR|branch|commit|"
        r"test|change|fix|task|conversation)|your (?:case|output|session|test|repo))\b",
    ),
    ("where", r"\b(?:in|at|under|on) (?:the )?`"),
    ("test", r"\btests?\b|\bTest[A-Z]"),
    (
        "passing",
        r"\b(?:pass(?:es|ed|ing)?|works? (?:correctly|now|properly)|green|clean|complete)\b",
    ),
    ("line_number", r"\b(?:lines? \d|L\d)|\.\w{1,4}:\d"),
    ("sha", r"\b(?=[0-9a-f]{0,40}\d)(?=[0-9a-f]{0,40}[a-f])[0-9a-f]{7,40}\b"),
    ("ticket", r"#\d+|\b[A-Z]{2,6}-\d+\b|https?://"),
    ("arrow", r"\u2192|->|=>"),
    ("table", r" · "),
    ("quote", r"[\"“]"),
    ("parenthesis", r"\([^()]{8,60}\)"),
    ("dash", r" [-\u2013\u2014] |\u2014"),
    ("truncated", r"\[cut\]|…"),
    ("example", r"\b(?:e\.g\.|for example|such as|like when)\b"),
    (
        "praise",
        r"\b(?:good|great|nice|excellent|perfect|simple|cleaner|cleanest|clear|proper|"
        r"properly|correctly|successfully|straightforward)\b",
    ),
    (
        "lasting",
        r"\b(?:rule|convention|pattern|limitation|invariant|guarantee\w*|source of truth|"
        r"design|semantics?|constraint|shared by|used by|defined in|stored (?:in|on|at)|lives? in|"
        r"specific to|independent of|regardless)\b",
    ),
)
_CASED: Final = frozenset(
    "begins_lower begins_test begins_name_verb begins_name begins_name_mark begins_noun_verb "
    "begins_label begins_i i ticket sha test".split()
)
_BEGINNING: Final = [
    (name, re.compile(form, 0 if name in _CASED else re.I)) for name, form in _BEGINS
]
_HOLDING: Final = [(name, re.compile(form, 0 if name in _CASED else re.I)) for name, form in _HOLDS]


class AgentSentence(NamedTuple):
    """A sentence, the words that it was said about, its place in the statement, features of the
    situation in which it was said, and the sentence before it."""

    text: str
    about: frozenset[str] = frozenset()
    place: int = 0
    situation: frozenset[str] = frozenset()
    previous: str = ""


def features_of(one: AgentSentence) -> frozenset[str]:
    """Features of a sentence."""
    shared = sum(word in one.about for word in set(words_of(one.text)) if len(word) >= LEAST_SHARED)
    placed = {f"shared_{min(shared, 4)}", f"place_{min(one.place, 4)}"}
    return one.situation | _of_form(one.text) | placed


@lru_cache(maxsize=1_024)
def _of_form(text: str) -> frozenset[str]:
    """Features of the form alone; a sentence is scored for every turn that may quote it."""
    return frozenset(_features(text))


def _features(text: str) -> Iterator[str]:
    for name, form in _BEGINNING:
        if form.match(text):
            yield name
    for name, form in _HOLDING:
        if form.search(text):
            yield name
    yield f"length_{min(len(text.split()) // 6, 7)}"
    yield f"names_{min(identifiers(text), 4)}"
    if text.rstrip(") ").endswith(("?", ":")):
        yield "ends_open"
    if not text.rstrip("*_ ").endswith((".", "!", "”", ")")):
        yield "ends_unended"


def score_of(one: AgentSentence) -> float:
    """Log odds that a sentence states something lasting."""
    weights = _weights()
    return weights.get(_BIAS, 0.0) + sum(weights.get(name, 0.0) for name in features_of(one))


@lru_cache(maxsize=1)
def _weights() -> dict[str, float]:
    text = files("recollect.observer").joinpath("claim_score.tsv").read_text("utf-8")
    rows = (line.split("\t") for line in text.splitlines() if line and not line.startswith("#"))
    return {name: float(weight) for name, weight in rows}
