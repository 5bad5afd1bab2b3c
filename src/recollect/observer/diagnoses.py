"""Extracts a diagnosis from an agent's text: the sentence that states what was wrong.

A diagnosis states a cause or a contrast, and names identifiers. Announcements of next steps do not
count. The surrounding text is kept with the sentence, so that it can be read alone.
"""

import re
from functools import lru_cache
from typing import Final, NamedTuple

from recollect.observer.names import words
from recollect.observer.phrases import NOT_ABBREVIATED

LONGEST: Final = 680
#: Additional characters kept of other statements in the text.
MORE: Final = 1_000
_LOOKED: Final = 3_000
_CODE: Final = re.compile(r"```.*?(?:```|\Z)", re.S)
#: Thinking aloud, in the tags that some programs leave in answers.
_THOUGHT: Final = re.compile(r"<thinking>.*?(?:</thinking>|\Z)", re.S)
_LEFT_OVER: Final = re.compile(r"</?thinking>")
#: End of a sentence; the full stop of a list number does not count.
_SENTENCE: Final = re.compile(rf"(?<=[.!?])(?<!\b\d\.)(?<!\b\d\d\.){NOT_ABBREVIATED}\s+|\n+")
_FOUND: Final = re.compile(
    r"\b(?:root cause|found (?:it|the|an?)\b|the (?:real |actual |key |main |core |underlying )?"
    r"(?:issue|problem|bug|cause|reason|difference|culprit|catch|gap|fix|risk)\b"
    r"|turns? out|I was wrong|expected behaviou?r|by design|known (?:issue|limitation|gap)|"
    r"misdiagnos\w+|not actually|in fact|importantly|critical|key (?:insight|point|difference))",
    re.I,
)
_CAUSE: Final = re.compile(
    r"\b(?:because|since|so that|this (?:means|explains|is why|happens|causes)|that(?:'s| is) why|"
    r"which (?:means|causes|is why)|due to|causes?|caused by|leads? to|therefore|as a result|"
    r"when|if|unless|until)\b",
    re.I,
)
_CONTRAST: Final = re.compile(
    r"\b(?:but|not|never|only|instead|rather|however|although|whereas|while|without|missing|"
    r"different\w*|still|no longer|silently|separate\w*|both|always|must|needs? to)\b|n't\b",
    re.I,
)
_ANNOUNCED: Final = re.compile(
    r"^(?:now )?(?:let me|let's|I'll|I will|I'm going to|I need to|I should|next,?|now,? I|"
    r"first,? )\b",
    re.I,
)
_DONE: Final = re.compile(
    r"^(?:done|all (?:tests|checks|\d+)|"
    r"the (?:tests?|linter|build|changes?) (?:all )?(?:pass|is|are)|"
    r"perfect|great|excellent|good)\b",
    re.I,
)
_NAME: Final = re.compile(
    r"`[^`\n]{2,80}`|\b[a-z]+[A-Z]\w{1,60}|\b[A-Z][a-z0-9]+[A-Z]\w{0,60}|\b\w{1,60}_\w{1,60}"
    r"|\b[\w-]{1,60}(?:/[\w.-]{1,60}){1,12}|(?<!\S)--[a-z][a-z-]{1,40}"
    r"|\b\w{1,60}\.(?:go|py|ts|js|md|json|sh|yml|yaml|toml|rs|java)\b"
)
_SEEN: Final = re.compile(
    r"(?:ah|oh|I (?:see|found|understand|think I)|now I (?:see|understand|have)|interesting|hmm|"
    r"found|looking at|so|this is|that's|the (?:issue|problem|bug|test|reason)|no,|yes,|you.re)\b",
    re.I,
)
_FIX: Final = re.compile(r"\b(?:fix\w*|bug|broke\w*|wrong|root cause)\b", re.I)
_NOT_SO: Final = re.compile(r"n't\b|\b(?:does not|is not|never|only|instead)\b", re.I)
_SHORT: Final = 60
#: Offers and questions at the end of an answer, which carry no information on the subject.
_OFFER: Final = re.compile(
    r"^(?:would you|do you want|want me|shall I|should I|should we|let me know|which (?:approach|"
    r"option|one|of)|does (?:this|that) (?:match|look|sound|make)|ready to|sound good|"
    r"please|is (?:this|that) what|what do you|what would you|could you|can you|"
    r"if you(?:'d| would)? (?:like|want|prefer))\b",
    re.I,
)
#: Line prefixes and marks around words; text within code is never changed.
_LEADING: Final = re.compile(r"^(?:\s|[>#]|[*+•-](?=\s))+")
_SIGNS: Final = re.compile(r"\*\*|__|[✅❌✓✗]")
#: List item after the first, and one of several options.
_LATER_ITEM: Final = re.compile(r"^(?:[2-9]|1\d)[.)] ")
_CHOICE: Final = re.compile(
    r"\boption (?:[a-d1-4]\b|one|two)|\b(?:two|three|several|few|\d) (?:fix |possible )?"
    r"(?:options|approaches|ways|alternatives|possibilities)\b"
    r"|\bwhich (?:approach|option|one|would)|\bwhat do you (?:think|prefer)\b",
    re.I,
)
_RULE_LINE: Final = re.compile(r"^[\s|:=+-]+$")
_SPACE: Final = re.compile(r"\s+")
_HEADING: Final = 45
#: Characters of a text up to which its names are kept for the next question about it.
_KEPT_TEXT: Final = 1_500


class Diagnosis(NamedTuple):
    """Statement of an agent, and its score as a finding."""

    score: float
    text: str


def names_in(text: str) -> set[str]:
    """Identifiers of the code named in a text, without surrounding marks."""
    return set(_short_names(text) if len(text) <= _KEPT_TEXT else _names(text))


def _names(text: str) -> frozenset[str]:
    return frozenset(name.strip("`").rstrip(".-") for name in _NAME.findall(text))


#: The same sentences are asked for their names again and again when a session is judged.
_short_names = lru_cache(maxsize=1_024)(_names)


def identifiers(text: str) -> int:
    """Number of distinct identifiers of the code named in a text."""
    return len({name.lower() for name in names_in(text)})


def stated(text: str) -> Diagnosis | None:
    """Best statement of a text with the sentences that follow; None if nothing is stated."""
    if len(text) < _SHORT:
        return None
    sentences = sentences_of(text)
    best: tuple[float, int] | None = None
    for place, sentence in enumerate(sentences[:60]):
        score = sentence_score(sentence)
        if best is None or score > best[0]:
            best = score, place
    if best is None or best[0] < 1.0:
        return None
    return Diagnosis(_text_score(text) + 0.2 * best[0], _around(sentences, best[1]))


def sentences_of(text: str) -> list[str]:
    """Sentences of a text without code blocks, headings and thinking, with plain apostrophes."""
    own = _LEFT_OVER.sub(" ", _THOUGHT.sub("\n", text[:_LOOKED].replace("\u2019", "'")))
    plain = _CODE.sub("\n", own)
    sentences = [_bare(one) for one in _SENTENCE.split(plain) if not _is_heading(one)]
    return [one for one in sentences if one]


def is_offer(sentence: str) -> bool:
    """Whether an agent asks its user what to do."""
    return _OFFER.match(sentence) is not None


def _text_score(text: str) -> float:
    """Score of a whole text as a report of a finding."""
    start = text.lstrip(" *#\n")
    score = 0.6 * (len(text) > 120) + 0.3 * (len(text) > 250) + 0.3 * (len(text) > 500)
    score += 0.8 * bool(_SEEN.match(start)) + 0.6 * bool(_FIX.search(text)) + 0.5 * ("**" in text)
    score += 0.3 * bool(_CAUSE.search(text)) + 0.3 * bool(_NOT_SO.search(text))
    score -= 0.5 * is_choice(text)
    return score - 1.1 * bool(_ANNOUNCED.match(start)) - 0.8 * bool(_DONE.match(start))


def is_choice(text: str) -> bool:
    """Whether a text presents several options, so that it settles nothing."""
    return _CHOICE.search(text[:_LOOKED]) is not None


def before_choice(text: str) -> str:
    """Part of a text before it presents several options."""
    found = _CHOICE.search(text[:_LOOKED])
    return text if found is None else text[: text.rfind("\n", 0, found.start()) + 1]


def sentence_score(sentence: str) -> float:
    """Score of one sentence as a finding."""
    if len(sentence) < 25 or _ANNOUNCED.match(sentence):
        return 0.0
    score = 1.4 * bool(_FOUND.search(sentence))
    score += 0.8 * bool(_CAUSE.search(sentence))
    score += 0.7 * bool(_CONTRAST.search(sentence))
    score += 0.5 * min(3, identifiers(sentence))
    score += 0.3 * (len(sentence) > 80) - 0.5 * bool(_LATER_ITEM.match(sentence))
    return score - 0.8 * bool(_DONE.match(sentence)) - 0.6 * sentence.endswith(("?", ":"))


def same(one: str, other: str) -> bool:
    """Whether two statements are about the same thing: they share most of their words."""
    mine, theirs = set(words(one)), set(words(other))
    return len(mine & theirs) >= 0.5 * max(1, min(len(mine), len(theirs)))


def _around(sentences: list[str], place: int) -> str:
    """The statement, with the sentence before it if the statement is short, following sentences up
    to the limit, and other informative sentences of the text."""
    kept = [sentences[place][:LONGEST]]
    if place and len(kept[0]) < 120 and not is_aside(sentences[place - 1]):
        kept.insert(0, sentences[place - 1][:200])
    room = LONGEST - sum(map(len, kept))
    for sentence in sentences[place + 1 : place + 8]:
        if is_aside(sentence):
            continue
        if len(sentence) + 1 > room:
            break
        kept.append(sentence)
        room -= len(sentence) + 1
    while len(kept) > 1 and kept[-1].endswith((":", "?")):
        kept.pop()
    kept = [*_best_others(sentences, kept), *kept]
    if len(kept) == 1:
        kept[0] = _LATER_ITEM.sub("", kept[0])
    return "\n".join(kept)


def _best_others(sentences: list[str], kept: list[str]) -> list[str]:
    """Other informative sentences of a text, up to the limit, in their order."""
    room, known = MORE, set[str]()
    rated = [(sentence_score(one), one) for one in sentences[:60] if one not in kept]
    for score, sentence in sorted(rated, key=lambda pair: -pair[0]):
        if score < 1.2:
            break
        if is_aside(sentence) or len(sentence) > room:
            continue
        known.add(sentence)
        room -= len(sentence)
    return [sentence for sentence in sentences[:60] if sentence in known]


def is_aside(sentence: str) -> bool:
    """Whether an agent announces what it does next, or asks what to do."""
    return _ANNOUNCED.match(sentence) is not None or is_offer(sentence)


def _is_heading(line: str) -> bool:
    """Whether a line is only a heading of the text below it."""
    start = line.strip()
    return start.startswith("#") and len(start) < _HEADING and not _FOUND.search(start)


def _bare(sentence: str) -> str:
    """A sentence without layout marks; text between backticks is unchanged."""
    if _RULE_LINE.match(sentence):
        return ""
    text = _LEADING.sub("", sentence)
    parts = text.split("`")
    parts[::2] = [_SIGNS.sub("", part) for part in parts[::2]]
    if text.startswith("|"):
        parts[::2] = [part.replace("|", " · ") for part in parts[::2]]
    return _SPACE.sub(" ", "`".join(parts)).strip(" ·•\t")
