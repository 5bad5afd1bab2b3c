"""Details without which an entry is no answer: an amount of money, a figure, a job, a name.

"What does Dmitri do for a living?" is not answered by what Dmitri eats, nor "what did the boat
cost?" by its length, however near the words lie. Each kind of detail is read from the question; an
entry that does not hold it cannot answer, whatever its score.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from recollect.chat.answers.answer_kinds import FULL_DATE, IS_NUMBER
from recollect.chat.answers.answer_kinds import holds as holds_kind
from recollect.chat.answers.question_reader import AskedQuestion
from recollect.chat.language.attributes import ATTRIBUTES
from recollect.chat.language.concepts import (
    TELLS_JOB,
    concept_of,
    concepts_asked,
    concepts_told,
    is_common_word,
)
from recollect.chat.language.sentence_subject import RELATIONS
from recollect.memories.text_comparison import normalised, stem, words_of

_JOB: Final = next(one for one in ATTRIBUTES if one.name == "job")
_PAY: Final = (
    r"(?:pay|pays|paid|paying|cost|costs|charged?|charges|earns?|earned|earning|owes?|owed|spend"
    r"|spent|worth|price|rent|salary|wages?|fee|fees|deposit|mortgage|payé|paie|paye|payons|payer"
    r"|coûte|coûtent|coûté|coûtait|loyer|salaire|prix|tarif|caution|gagne|gagné|dépensé)"
)
_ASKS_MONEY: Final = re.compile(
    rf"\b(?:how much|combien)\b[^?]{{0,120}}\b{_PAY}\b|\b{_PAY}\b[^?]{{0,120}}\bcombien\b"
    rf"|\bin money\b"
    rf"|\b(?:what|whats|what's)\b(?: (?:did|do|does|will|is|was|are|were|it)){{1,3}}"
    rf" (?:[\w'-]{{1,20}} ){{0,4}}?(?:pay|cost|charge|earn|owe|spend)\b(?! (?:with|attention))"
    r"|\b(?:what|whats|what's|quel)(?: is| was| are| est)? (?:my|our|his|her|the|mon|le|son)"
    r" (?:[\w-]{2,20} ){0,2}(?:rent|salary|wages?|pay|hourly rate|day rate|price|fee|deposit"
    r"|premium|mortgage|budget|loyer|salaire|tarif)\b(?! (?:day|date|slip))",
    re.IGNORECASE,
)
_CURRENCY: Final = re.compile(
    r"[€£$]|\b(?:euros?|pounds?|quid|dollars?|bucks?|pence|francs?|chf|eur|usd|gbp|yen|rupees?"
    r"|balles|free|gratuite?|grand)\b|\b\d{1,4}k\b",
    re.IGNORECASE,
)
#: A number that may be an amount: nothing that it counts stands behind it.
_AMOUNT: Final = re.compile(
    r"(?<![\d:./-])\d{2,7}(?:[.,]\d{1,3})?(?![\d:/]| ?(?:am|pm|km|kg|cm|mm|mg|ml|%|h|st|nd|rd|th)\b"
    r"| [a-zà-ÿ-]{3,20}(?<!\bmonths)s\b| (?:people|guests|ans|mois|foot|feet|metres|hives))",
    re.IGNORECASE,
)
_IN_WORDS: Final = re.compile(
    r"\b(?:(?:one|two|three|four|five|six|seven|eight|nine|ten|twelve|fifteen|twenty|thirty|forty"
    r"|fifty|sixty|seventy|eighty|ninety|a|deux|trois|quatre|cinq|six|sept|huit|neuf|dix|vingt"
    r"|trente|quarante|cinquante|soixante)[ -])?(?:hundred|thousand|cents?|mille)\b"
    r"|\b(?:five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|forty|fifty|sixty"
    r"|seventy|eighty|ninety)\b(?= (?:a|an|per|each|for)\b)",
    re.IGNORECASE,
)
_ASKS_FIGURE: Final = re.compile(
    r"\b(?:what|whats|what's|which|quel|quelle|c'est quoi|remind me)\b[^?]{0,120}?"
    r"\b(?:number|numéro|digicode|dose|dosage|pointure|inseam|waist|height|weight|poids|mileage"
    r"|hba1c|postcode|zip code|extension)\b(?! (?:plate|one)\b)|\bhow (?:tall|wide|heavy"
    r"|many (?:km|kilos|miles|kilometres|pounds))\b",
    re.IGNORECASE,
)
_FIGURE: Final = re.compile(
    r"\d|\b(?:first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|eleventh|twelfth"
    r"|ground floor|top floor|premi(?:er|ère)|deuxième|troisième|quatrième|cinquième|sixième"
    r"|septième|huitième|neuvième|dixième|rez-de-chaussée)\b",
    re.IGNORECASE,
)
_ASKS_PHONE: Final = re.compile(
    r"\b(?:(?:phone|mobile|cell|telephone|contact) (?:number|no)|number (?:to call|for calling)"
    r"|numéro de (?:téléphone|portable|tél))\b",
    re.IGNORECASE,
)
_PHONE: Final = re.compile(
    r"\b(?:phone|mobile|cell|call|ring|tel|téléphone|portable|numéro|number|landline|extension)\b"
    r"|\d(?:[ ().-]{0,2}\d){4}",
    re.IGNORECASE,
)
_ASKS_FEELING: Final = re.compile(
    r"\bhow (?:does|did|do|is|are|was) [\w' -]{2,40}? (?:feel(?:ing)?|felt) about\b"
    r"|\bwhat (?:does|did|do) [\w' -]{2,40}? (?:think|feel) (?:about|of)\b"
    r"|\bque pense[^?]{0,40} d[eu']",
    re.IGNORECASE,
)
#: Words for what somebody feels or holds of something.
_FEELING: Final = re.compile(
    r"\b(?:feel\w*|felt|thinks?|thought|lov\w+|lik(?:es?|ed|ing)|dislik\w+|hat(?:es?|ed|ing)"
    r"|enjoy\w*|prefer\w*|worr\w+|afraid|scared|nervous|anxious|excited|happy|unhappy|glad|sad"
    r"|upset|angry|annoyed|keen|proud|jealous|tired|sick|fed up|fond|dread\w*|miss(?:es|ed|ing)?"
    r"|want\w*|hop(?:es?|ing)|refus\w+|against|sceptical|skeptical|unsure|torn|regret\w*|can't"
    r"|cannot|doesn't|don't|won't|great|good|bad|awful|terrible|hard|boring|brilliant|too"
    r"|pense\w*|trouve\w*|aime\w*|adore\w*|déteste\w*|peur|content\w*|triste|inqui\w+|ravie?"
    r"|marre|espère\w*)\b",
    re.IGNORECASE,
)
_ASKS_PASSWORD: Final = re.compile(r"\b(?:password|passcode|mot de passe|passphrase)\b", re.I)
_PASSWORD: Final = re.compile(r"\b(?:pass\w{0,6}|mot de passe|code|pin|key|clé)\b|\d", re.I)
_ASKS_SURNAME: Final = re.compile(
    r"\b(?:surname|last name|family name|maiden name|nom de famille)\b", re.IGNORECASE
)
_TWO_NAMES: Final = re.compile(
    r"\b[A-ZÀ-Þ][\w'-]{1,30} (?:[Dd]e |[Vv]an |O')?[A-ZÀ-Þ][\w'-]{1,30}\b"
)
#: Questions about what somebody other than the speaker does.
_ASKS_JOB: Final = re.compile(
    r"\bwhat (?:does|did) (?!i\b|we\b|it\b|that\b|this\b)[\w'.-]{2,30}(?: [\w'.-]{2,30}){0,3} do"
    r"(?: for (?:work|a living)| now)?\W*$"
    r"|\b(?:what is|what's|whats) (?!my (?:new |old |current |last )?(?:job|profession|occupation))"
    r"(?:[\w'.-]{2,30} ){0,3}[\w.-]{2,30}'s (?:job|profession|occupation|line of work)\b"
    r"|\bquel est le (?:métier|travail|boulot) d[eu']|\bque fait (?!-on)[\w' -]{2,40} dans la vie"
    r"|\b(?:fait|travaille dans) quoi\b[^?]{0,40}\?",
    re.IGNORECASE,
)
#: Questions about where somebody works, and the way there, which does not tell it.
_ASKS_WORKPLACE: Final = re.compile(
    r"\b(?:where|for (?:whom|who)|who) (?:do|does|did|am|is) [\w' -]{1,40}? work(?:ing)?"
    r"(?: for| now)?\W*$"
    r"|\boù (?:est-ce que )?[\w' -]{0,30}?travaill\w{1,3}\b",
    re.IGNORECASE,
)
_WAY_TO_WORK: Final = re.compile(
    r"\b(?:to|from|before|after|into|off) work\b(?! (?:at|in|for|as|on|with)\b)"
    r"|\b(?:au|du) (?:travail|boulot|bureau)\b",
    re.IGNORECASE,
)
_ACTIVITY: Final = re.compile(
    r"\b(?:works?|working|worked|job|runs?|teach(?:es)?|stud(?:y|ies|ying|ent)|training|retired"
    r"|unemployed|drives|manages|sells|owns|business|company|shift|travaille|bosse|études?|étudi\w+"
    r"|tient|retraitée?|apprenti\w*|stage|qualified|qualifying)\b|\bdoes (?!the\b)[a-z]{3,}",
    re.IGNORECASE,
)
#: A job without a word for it: "was a signalman", "est ambulancier".
_WAS_ONE: Final = re.compile(
    r"\b(?:was|were|'s|is) (?:an? )(?:[\w-]{2,20} )?[\w-]{1,20}(?:er|or|ist|ian|ant|man|woman"
    r"|smith)\b"
    r"|\b(?:est|était) (?:une? )?[\w-]{2,20}(?:i[eè]re?|eur|euse|iste|ien|ienne|trice|logue)\b",
    re.IGNORECASE,
)
#: What somebody does as a rule: "mends bicycles". What people say, like or eat is no work.
_DOES: Final = re.compile(
    r"\b(?:[A-ZÀ-Þ][\w-]{1,30}|he|she|who|still|[a-z]{3,12}) ([a-z]{2,12}s) \w"
)
_NO_WORK: Final = frozenset(
    """
    says thinks loves likes eats hates wants knows lives is has was swears prefers drinks takes
    comes goes visits sleeps needs gets turns arrives lands does this his its as us was always
    feels looks seems hopes wears plays supports brings means calls reckons leaves moves stays
    wakes smells reads keeps bites shares speaks celebrates
    """.split()
)
#: Things that have a name: "which hospital" is answered with one.
_NAMED: Final = re.compile(
    r"\b(?:which|what|quel|quelle|de quelle|dans quel|à quel|pour quelle) (?:[a-zà-ÿ-]{3,20} )??"
    r"(hospital|clinic|airline|school|university|uni|college|prison|city|town|village|publisher"
    r"|station|hôpital|clinique|université|école|ville|compagnie|maison d'édition)\b",
    re.IGNORECASE,
)
_DATES: Final = re.compile(
    r"\b(?:January|February|March|April|May|June|July|August|September|October|November|December"
    r"|Janvier|Février|Mars|Avril|Mai|Juin|Juillet|Août|Septembre|Octobre|Novembre|Décembre"
    r"|(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)days?|Christmas|Easter|Noël)\b"
)
_CAPITAL: Final = re.compile(r"(?<=[\w,;:'\"-] )[A-ZÀ-Þ][\w'-]{1,30}|\b[A-Z]{2,6}\b")
_NO_NAME: Final = frozenset("I I'm I've I'd I'll OK TV UK EU CET AM PM DR MR MRS".split())


#: Questions about the name of a relative.
_ASKS_KIN_NAME: Final = re.compile(
    rf"\b(?:what(?:'s| is)|whats|name of|comment s'appelle) (?:my|our|mon|ma"
    rf"|notre) ({RELATIONS})(?:'s name| called"
    rf"|'s called|\W*$)|\bwhat (?:is|are) (?:my|our) ({RELATIONS})s? called\b",
    re.IGNORECASE,
)
#: Kinds of answer that are always recognised in a text.
_STRICT: Final = frozenset({"number", "age", "colour"})
#: Questions about the past, which are answered with the day on which something was told.
_HAPPENED: Final = re.compile(
    r"\b(?:did|was|were|has|have|had|since|been|ai|as|a|était|avons|ont|sommes|c'était|depuis"
    r"|(?<!c')est(?!-ce| (?:mon|ma|mes|notre|nos|le|la|les|prévue?|quand)\b| l'))\b",
    re.I,
)
_HOW_LONG: Final = re.compile(r"\b(?:how (?:long|often)|combien de temps)\b", re.IGNORECASE)
_FAVOURITE: Final = re.compile(
    r"\b(?:favou?rite|fav|préférée?|favorie?) ([a-zà-ÿ]{3,20})\b", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class RequiredDetail:
    """What an entry must hold to answer a question; an entry without it does not answer."""

    kinds: tuple[Callable[[str], bool], ...]

    def held_by(self, text: str) -> bool:
        """Whether a text holds every detail."""
        return all(holds(text) for holds in self.kinds)


def required_detail(question: AskedQuestion) -> RequiredDetail:
    """The details that a question asks for."""
    text = question.text
    figures = set(re.findall(r"\d+", text))
    kinds: list[Callable[[str], bool]] = []
    if _ASKS_MONEY.search(text):
        kinds.append(lambda told: _holds_money(told, figures))
    elif _ASKS_FIGURE.search(text):
        kinds.append(lambda told: _holds_figure(told, figures))
    if _ASKS_PASSWORD.search(text):
        kinds.append(lambda told: _PASSWORD.search(told) is not None)
    if _ASKS_SURNAME.search(text):
        kinds.append(lambda told: _TWO_NAMES.search(told) is not None)
    if _ASKS_PHONE.search(text):
        kinds.append(lambda told: _PHONE.search(told) is not None)
    kinds += _personal_details(question)
    if question.wants in _STRICT or (question.wants == "when" and not _HAPPENED.search(text)):
        kinds.append(lambda told: _holds_kind(question.wants, told, text))
    kin = _ASKS_KIN_NAME.search(text)
    if kin is not None:
        kinds.append(lambda told: not _only_owns(told, kin[1] or kin[2]))
    liked = _FAVOURITE.search(text)
    if liked is not None and concepts_asked(stem(liked[1].lower())):
        kinds.append(lambda told: _tells_of(told, liked[1].lower()))
    named = _NAMED.search(text)
    if named is not None:
        kinds.append(lambda told: _holds_name(told, named[1].lower(), question))
    return RequiredDetail(tuple(kinds))


def _personal_details(question: AskedQuestion) -> list[Callable[[str], bool]]:
    """What a question about somebody's work or feelings asks for."""
    kinds: list[Callable[[str], bool]] = []
    if _ASKS_FEELING.search(question.text):
        kinds.append(lambda told: _FEELING.search(told) is not None)
    if _ASKS_JOB.search(question.text) and not question.past:
        kinds.append(_holds_job)
    if _ASKS_WORKPLACE.search(question.text):
        kinds.append(_is_more_than_the_way)
    return kinds


def _holds_kind(kind: str, told: str, question: str) -> bool:
    """Whether a text holds a kind of answer; how long something lasts may be told by its end."""
    if kind == "number" and _HOW_LONG.search(question) and holds_kind("when", told, question):
        return True
    return holds_kind(kind, told, question) is not False


def _only_owns(text: str, relation: str) -> bool:
    """Whether a text speaks of a relative only as the owner of something else that has a name:
    "my daughter's school is called Holm Oak".
    """
    of_them = re.findall(rf"\b{re.escape(relation)}('s (?!name\b|called\b)[a-z]\w*)?", text, re.I)
    return bool(of_them) and all(of_them)


def _tells_of(text: str, kind: str) -> bool:
    words = {stem(word) for word in words_of(normalised(text))}
    return stem(kind) in words or bool(concepts_asked(stem(kind)) & concepts_told(words))


def _without(text: str, figures: set[str]) -> str:
    """A text without the figures that the question itself names, and without dates."""
    plain = FULL_DATE.sub(" ", text)
    return re.sub(r"\d+", lambda found: " " if found[0] in figures else found[0], plain)


def _holds_money(text: str, figures: set[str]) -> bool:
    plain = _without(text, figures)
    return any(one.search(plain) for one in (_CURRENCY, _AMOUNT, _IN_WORDS))


def _holds_figure(text: str, figures: set[str]) -> bool:
    plain = _without(text, figures)
    if _FIGURE.search(plain):
        return True
    return any(IS_NUMBER.match(word) for word in plain.lower().split() if word not in ("no", "one"))


def _holds_job(text: str) -> bool:
    if any(one.search(text) for one in (TELLS_JOB, _JOB.told, _ACTIVITY, _WAS_ONE)):
        return True
    if any(found[1] not in _NO_WORK for found in _DOES.finditer(text)):
        return True
    return concept_of("job") in concepts_told(map(stem, words_of(normalised(text))))


def _is_more_than_the_way(text: str) -> bool:
    """Whether a text tells of somebody's work, not only how they get there."""
    rest = _WAY_TO_WORK.sub(" ", text)
    return rest == text or _holds_job(rest)


def _holds_name(text: str, kind: str, question: AskedQuestion) -> bool:
    """Whether a text names something that the question does not, or says a thing of that kind."""
    plain = _DATES.sub(" ", text)
    named = {one.removesuffix("'s") for one in _CAPITAL.findall(plain)} - _NO_NAME
    if any(one not in question.names and not is_common_word(one) for one in named):
        return True
    return _tells_of(text, kind)
