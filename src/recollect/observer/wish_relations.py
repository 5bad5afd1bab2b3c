"""How a user's wish relates to an earlier one: the same again, in its place, or against it.

Only the user's words are compared, without what every wish has ("please", "always", "here"). A
wish takes the place of an earlier one when it turns down by name what the earlier one had chosen,
or when it says that something changes and the contradiction judge is sure. Wrongly replaced is
worse than overlooked: where the two speak of different occasions, nothing is replaced.
"""

import re
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from typing import Final

from recollect.memories.contradictions.judge import judge_pair
from recollect.memories.text_comparison import IDLE, WordVectors, alike, are_distinct, meaning, read


class WishRelation(StrEnum):
    """Relation of a later wish to an earlier one."""

    SAME = "same"
    REPLACES = "replaces"
    AGAINST = "against"  # they contradict each other, and neither certainly holds


@dataclass(frozen=True, slots=True)
class WishText:
    """A user's words, taken apart."""

    text: str
    chosen: frozenset[str]  # what is to be used
    rejected: frozenset[str]  # what is not to be used
    occasion: frozenset[str]  # where or when the wish holds, if not always
    rest: frozenset[str]  # what else it speaks of
    changes: bool  # whether the words say that something is different from now on
    context: frozenset[str]  # what was refused or asked; what words that point are about
    points: bool  # whether the words need that context


#: Score of the contradiction judge from which a wish that speaks of a change replaces another.
SURE: Final = 0.75
#: Tools of which a project uses one.
_ALTERNATIVES: Final = tuple(
    frozenset(names.split())
    for names in (
        "npm pnpm yarn bun",
        "pip uv poetry pipenv conda pdm",
        "jest vitest mocha ava",
        "maven gradle",
        "webpack vite rollup parcel",
        "tabs spaces",
    )
)
#: Share of the words of the earlier wish that the later one must name, for the judge to be asked.
_SHARED: Final = 0.6
_LONGEST: Final = 400
#: Words that say more besides names are not only about which of two things is used.
_PLAIN: Final = 4
#: Words with fewer names and meaningful words say too little without their context.
_FEWEST: Final = 1
_NAME: Final = r"[`'\"“]?([@a-z][\w@/.+-]{1,40})[`'\"”]?"
_THE: Final = r"(?:the |our |a |an )?"
_USING: Final = r"(?:use|using|used|run|running|work with|go with|stick (?:to|with)|prefer) "
_CHOSEN: Final = (
    re.compile(rf"\b(?<!not )(?<!n't )(?<!never )(?<!stop )(?<!longer ){_USING}{_THE}{_NAME}"),
    re.compile(
        rf"\b(?:moved?|switch(?:ed)?|migrat(?:ed?|ing)|chang(?:ed?|ing)) (?:over )?to {_NAME}"
    ),
    re.compile(rf"\b(?:from|replaced?) \S+ (?:to|with|by) {_NAME}"),
    re.compile(rf"{_NAME},? (?:not|instead of|rather than|over|in place of) \S"),
)
_REJECTED: Final = (
    re.compile(rf"(?:,|;|\band\b|—|-) ?(?:not|never|no longer|no more) {_THE}{_NAME}"),
    re.compile(rf"\b(?:instead of|rather than|in place of) (?:using )?{_THE}{_NAME}"),
    re.compile(rf"(?:\bnot|n't|\bnever|\bstop|\bno longer) {_USING}{_THE}{_NAME}"),
    re.compile(rf"\b(?:away )?from {_NAME} to\b"),
    re.compile(rf"\b(?:replaced?|dropped?|dropping|abandoned|got rid of) {_THE}{_NAME}"),
    re.compile(rf"\b{_USING}{_NAME} (?:any ?more|any longer)"),
)
#: Words that take the place of a name and name nothing.
_NO_NAMES: Final = frozenset(
    "it this that them those these the our your their my its one ones any all what which here "
    "there now to for with as only instead always never just and or but not something "
    "anything me us him her every each such so more less".split()
)
_CHANGES: Final = re.compile(
    r"\b(?:from now on|no longer|not any ?more|any ?more|we(?:'ve| have)? (?:just )?"
    r"(?:moved|switched|migrated|changed|dropped|replaced|decided)|moved (?:away )?(?:to|from)"
    r"|switched (?:to|from|back)|migrated (?:to|from)|changed (?:my|our) minds?|as of (?:now|today)"
    r"|starting (?:now|today)|new rule|scratch that|forget what i said|on second thought"
    r"|stop (?:using|doing|asking))\b"
)
#: Where or when a wish holds, up to the end of its clause.
_OCCASION: Final = re.compile(
    r"\b(?:in|for|when|whenever|while|on|inside|under|during|except|unless|if|only|before|after"
    r"|until|with) ([\w@/.+-]++(?: [\w@/.+-]++){0,4})"
)
#: Phrases that say that a wish holds here and always.
_EVERYWHERE: Final = re.compile(
    r"\b(?:in|for|on|across) (?:this|the|our|all|every|each|any)? ?(?:whole |entire |same )?"
    r"(?:project|repo|repository|code ?base|projects|repos|here|general|future|everything|team)\b"
    r"|\bfrom (?:now|here|today) on(?:wards?)?\b|\bfor (?:now on|ever)\b|\bin (?:here|future)\b"
    r"|\bas of (?:now|today)\b|\bgoing forward\b|\bas a rule\b|\bon (?:it|that|this)\b"
)
_SENTENCE_END: Final = re.compile(r"[.!?;:](?:\s|$)")
_REASON: Final = re.compile(r"\b(?:because|since|as|so that|otherwise|due to|thanks)\b.*")
#: What wishes have in common, whatever they are about.
_FILLER: Final = frozenset(
    "please always never here make sure ensure remember want wants wish like would could "
    "should must need needs can you i we me us let lets let's project repo repository "
    "codebase just only also use using used run running prefer go stick work rule thing "
    "things really everywhere everything ok okay no yes hey well now on be the moved switched "
    "migrated changed longer anymore more any not don't do does instead rather than of over "
    "to from and with it that this is are was have has we've i'd we'd i'm you're it's will "
    "keep everyone both all every time times right again forward going future general today "
    "new old".split()
)
_WORD: Final = re.compile(r"[@\w][\w@/.+'-]*")
_POINTS: Final = re.compile(r"\b(?:this|that|it|these|those|them|one|ones|same|so)\b")
#: Lines of a memory that say what the user's words are about.
_ABOUT: Final = re.compile(
    r"^(?:Refused|Stopped|The agent had asked|The agent had said): (.*)", re.MULTILINE
)
_QUOTED: Final = re.compile(r"\A[^\n“]{0,60}: “([^”]*)(?:”|\Z)")


def users_words(content: str) -> str:
    """The words of a user that a memory quotes; a text that quotes nobody is words itself."""
    found = _QUOTED.match(content)
    return found.group(1) if found else content


@lru_cache(4_096)
def wish_of(content: str) -> WishText | None:
    """The wish that a memory states; None for what is too long to be one."""
    said = users_words(content).strip()
    if not said or len(said) > _LONGEST:
        return None
    lower = " ".join(said.lower().replace("\u2019", "'").replace("don't", "do not").split())
    plain = _EVERYWHERE.sub(" ", lower)
    claims = " ; ".join(_REASON.sub("", one) for one in _SENTENCE_END.split(plain))
    rejected = _names(_REJECTED, claims)
    chosen = _names(_CHOSEN, claims) - rejected
    named = chosen | rejected
    occasion = {
        meaning(word)
        for phrase in _OCCASION.findall(claims)
        for word in _words(phrase)
        if word not in named
    }
    rest = {meaning(word) for word in _words(claims) if word not in named}
    return WishText(
        said,
        frozenset(chosen),
        frozenset(rejected),
        frozenset(occasion),
        frozenset(rest),
        _CHANGES.search(lower) is not None,
        frozenset(word for line in _ABOUT.findall(content) for word in _words(line.lower())),
        _POINTS.search(plain) is not None or len(named | rest) < _FEWEST,
    )


def related(old: str, new: str, vectors: WordVectors | None) -> WishRelation | None:
    """Relation of a later memory of a user's wish to an earlier one; None where both may hold or it
    is not certain."""
    first, second = wish_of(old), wish_of(new)
    if first is None or second is None:
        return None
    if is_same(first, second, vectors):
        return WishRelation.SAME
    if second.text.endswith("?"):
        return None  # who asks has decided nothing
    plain = len(first.rest) <= _PLAIN and len(second.rest) <= _PLAIN
    if second.rejected & first.chosen:
        return _displaced(first, second) if plain else None
    if first.rejected & second.chosen and second.changes and not (first.rest or second.rest):
        return WishRelation.REPLACES
    if any(first.chosen & one and second.chosen & one for one in _ALTERNATIVES):
        if first.occasion != second.occasion or first.rest or second.rest:
            return None
        return WishRelation.REPLACES if second.changes else WishRelation.AGAINST
    return _judged(first, second, vectors)


def is_same(first: WishText, second: WishText, vectors: WordVectors | None) -> bool:
    """Whether two wishes ask for the same."""
    if first.rejected & second.chosen or second.rejected & first.chosen:
        return False
    if first.occasion != second.occasion:
        return False
    if (first.points or second.points) and first.context != second.context:
        return False
    if first.chosen and first.chosen == second.chosen:
        return first.rest == second.rest or not (first.rest and second.rest)
    if first.chosen != second.chosen or first.rejected != second.rejected:
        return False
    one, other = read(first.text), read(second.text)
    if one.negated != other.negated or are_distinct(one, other):
        return False
    if first.rest and first.rest == second.rest:
        return True
    return alike(first.text, second.text, vectors)


def _displaced(first: WishText, second: WishText) -> WishRelation | None:
    """Relation of wishes of which the later one turns down by name what the earlier one chose."""
    if first.occasion == second.occasion:
        return WishRelation.REPLACES if second.chosen or second.changes else WishRelation.AGAINST
    return None if second.occasion else WishRelation.AGAINST


def _judged(first: WishText, second: WishText, vectors: WordVectors | None) -> WishRelation | None:
    """Relation as the contradiction judge sees it, for words that speak of a change and name what
    the earlier wish was about."""
    if not second.changes or not first.rest:
        return None
    if len(first.rest & second.rest) < max(2, _SHARED * len(first.rest)):
        return None
    judged = judge_pair(first.text, second.text, vectors)
    if not judged.contradicts:
        return None
    same = first.occasion <= second.occasion and judged.score >= SURE
    return WishRelation.REPLACES if same else WishRelation.AGAINST


def _names(patterns: tuple[re.Pattern[str], ...], text: str) -> set[str]:
    found = {name.strip(".'`\"") for pattern in patterns for name in pattern.findall(text)}
    return {name for name in found if name not in _NO_NAMES and name not in IDLE}


def _words(text: str) -> list[str]:
    return [
        word
        for word in (found.strip(".'") for found in _WORD.findall(text))
        if word and word not in _FILLER and word not in IDLE
    ]
