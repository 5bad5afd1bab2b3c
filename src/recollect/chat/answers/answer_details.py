"""Features of whether an entry holds the detail that a question asks for, not only its topic.

"What are our dogs called?" is not answered by "we got the Subaru because of the dogs": the entry
holds a name, but not next to the dogs. The same applies to a number and the thing it counts. A
favourite needs words of liking, a decision must not come with words of doubt, and a question about
how to answer needs a wish.

Whether an entry answers at all depends on its own content. Which of several entries answers also
depends on the others: an entry without the requested name may do, but not when another entry has
that name.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import product
from typing import Final

from recollect.chat.answers.answer_kinds import IS_NUMBER, people_named
from recollect.chat.answers.question_reader import AskedQuestion
from recollect.chat.language.concepts import concepts_asked, concepts_told
from recollect.chat.language.standing_wishes import is_standing_wish
from recollect.memories.text_comparison import stem

_TOKEN: Final = re.compile(r"\w[\w'-]{0,40}")
_BESIDE: Final = 4  # maximum number of words between a value and the thing it belongs to
_ASKS_NAME: Final = re.compile(
    r"\b(?:names?|called|(?:s'|m')appell\w{1,3}|appelle|nom|prénoms?)\b", re.IGNORECASE
)
_NAME_WORDS: Final = frozenset(
    "name names called call calls nom prénom prénoms noms appelle appellent appelles".split()
)
_COUNTS: Final = re.compile(r"\b(?:how (?:many|much)|combien d[e'u])\b", re.IGNORECASE)
_FAVOURITE: Final = re.compile(
    r"\b(?:favou?rites?|fave?|like (?:the )?(?:best|most)|préférée?s?|favorie?s?)\b", re.IGNORECASE
)
_LIKING: Final = re.compile(
    r"\b(?:favou?rites?|fave?|loves?|loved|adores?|likes?|best|prefers?|fan|obsessed|enjoys?"
    r"|into|mad"
    r" about|crazy about|can't get enough|nothing beats|hooked|rather|swear by|préférée?s?"
    r"|favorie?s?"
    r"|aime|raffole|fou de|folle de|dingue|préfère|passionnée?|kiffe|rien ne vaut)\b",
    re.IGNORECASE,
)
_UNDECIDED: Final = re.compile(
    r"\b(?:torn between|think(?:ing)? (?:of|about)|considering|might|maybe|perhaps|not sure|unsure"
    r"|can't decide|cannot decide|undecided|shortlist|toying with|tempted|wondering|either"
    r"|or should"
    r"|peut-être|hésite|envisage|je me demande|pas sûre?|on verra)\b",
    re.IGNORECASE,
)
_ASKS_DOUBT: Final = re.compile(
    r"\b(?:think(?:ing)?|consider(?:ing)?|might|maybe|options?|between|torn|undecided|plan(?:s"
    r"|ning)?"
    r"|hésit\w{1,4}|envisag\w{1,4}|pens\w{1,4}|sure|decided yet)\b",
    re.IGNORECASE,
)
#: Questions about how the assistant is to answer.
_ASKS_WISH: Final = re.compile(
    r"\b(?:should|must|shall|do i (?:want|like|need|prefer)|are|have|am i having) (?:you|your)\b"
    r"(?! (?:know|remember|think|sure|told))|\byou (?:supposed|meant|allowed|to (?:use|write|answer"
    r"|reply|call|do|avoid|give))\b"
    r"|\byour (?:answers?|replies|reply|responses?|messages?|explanations?|tone|style)\b"
    r"|\b(?:want|like|prefer|asked|told) (?:you|my answers?|answers?|replies|things explained)\b"
    r"|\b(?:which|what) (?:units?|currency|spelling|format|layout|temperature scale|clock|degrees"
    r"|temperature unit|punctuation) (?:do i|should|did i|must|have i)\b"
    r"|\b(?:call|address) me\b|\btu (?:dois|devrais|peux)\b|\bdois-tu\b|\b(?:tes|vos) (?:réponses?"
    r"|messages?|explications?)\b|\bquand tu (?:me |m')\w|\b(?:tutoyer|vouvoyer)\b",
    re.IGNORECASE,
)
#: Wishes without a word for permanence ("always"): "explain stuff like I'm ten".
_WISHES: Final = re.compile(
    r"(?:please |pls |and |oh,? |also,? )*(?:always|never|keep|be|don't|no|stop|use|answer|reply"
    r"|write"
    r"|speak|talk|give|skip|avoid|explain|spell|call|show|put|include|cite|évite|réponds|écris"
    r"|parle"
    r"|mets|mets-moi|fais|utilise|explique|explique-moi|appelle-moi|tutoie-moi|vouvoie-moi|sois"
    r"|donne|donne-moi|pas de|pas d(?=')|ne)\b"
    r"|[^.!?]{3,60} (?:please|pls|stp|svp), (?:every time|always|each time"
    r"|à chaque fois|toujours)\b"
    r"|\b(?:i'd (?:rather|prefer|be grateful|like|love it)|i would (?:rather|prefer|like)"
    r"|i prefer)\b"
    r"|\b(?:your|my) (?:answers|replies)\b|\b(?:tutoyer|vouvoyer|tutoie|vouvoie)\b",
    re.IGNORECASE,
)

#: Features for which the distance of an entry from the best entry is a feature too.
_BEHIND: Final = (
    "core_same",
    "core_met",
    "core_near",
    "category_met",
    "category_near",
)
#: Features for which "another entry has it and this one does not" is a feature too.
_ELSEWHERE: Final = ("named", "role", "number_beside")


class DetailFeatures:
    """Compares entries with the detail that one question asks for."""

    def __init__(self, question: AskedQuestion) -> None:
        text = question.text
        self._asks_wish = _ASKS_WISH.search(text) is not None
        self._asks_favourite = _FAVOURITE.search(text) is not None
        self._asks_doubt = _ASKS_DOUBT.search(text) is not None
        names = {name.lower() for name in question.names}
        things = {
            stem(word) for word in question.terms if word not in _NAME_WORDS and word not in names
        }
        self._names = question.names
        self._of_name = things if _ASKS_NAME.search(text) else set()
        self._counted = things if _COUNTS.search(text) and question.wants == "number" else set()

    def of(self, text: str) -> dict[str, float]:
        """Features of an entry; a missing feature counts as 0."""
        found: dict[str, float] = {}
        if self._asks_wish:
            plain = text[:300]
            told = is_standing_wish(plain, asks=False) or _WISHES.match(plain)
            found["wish_told" if told else "wish_untold"] = 1.0
        if self._asks_favourite and not _LIKING.search(text):
            found["liking_untold"] = 1.0
        if not self._asks_doubt and _UNDECIDED.search(text):
            found["undecided"] = 1.0
        if self._of_name:
            named = people_named(text) - self._names
            values = {name.lower() for name in named}
            found.update(self._beside("name", self._of_name, values, text))
        if self._counted:
            words = {token.lower() for token in _TOKEN.findall(text) if IS_NUMBER.match(token)}
            found.update(self._beside("number", self._counted, words, text))
        return found

    @staticmethod
    def _beside(kind: str, things: set[str], values: Iterable[str], text: str) -> dict[str, float]:
        wanted = set(values)
        tokens = [token.lower().removesuffix("'s") for token in _TOKEN.findall(text[:1_000])]
        places = [number for number, token in enumerate(tokens) if token in wanted]
        if not places:
            return {}
        met = [number for number, token in enumerate(tokens) if _meets(things, token)]
        if any(abs(one - other) <= _BESIDE for one, other in product(places, met)):
            return {f"{kind}_beside": 1.0}
        return {f"{kind}_apart" if met else f"{kind}_alone": 1.0}


def _meets(things: Iterable[str], token: str) -> bool:
    mine = stem(token)
    told = concepts_told([mine])
    return any(mine == thing or concepts_asked(thing) & told for thing in things)


def with_rivals(found: Sequence[dict[str, float]]) -> None:
    """Add to the features of each entry how it compares with the other entries."""
    best = {name: max((one.get(name, 0.0) for one in found), default=0.0) for name in _BEHIND}
    known = [name for name in _ELSEWHERE if any(one.get(name) for one in found)]
    kind = any(_holds(one) for one in found)
    for one in found:
        for name in _BEHIND:
            gap = best[name] - one.get(name, 0.0)
            if gap > 0.0:
                one[f"behind_{name}"] = gap
        for name in known:
            if not one.get(name):
                one[f"elsewhere_{name}"] = 1.0
        if kind and not _holds(one):
            one["elsewhere_kind"] = 1.0


def _holds(features: Mapping[str, float]) -> bool:
    """Whether an entry holds the requested kind of answer and shares a word with the question."""
    return any(name.startswith("holds_") for name in features) and bool(features.get("core_any"))
