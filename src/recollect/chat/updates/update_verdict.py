"""Whether a new statement changes a known entry: the same person and the same attribute.

Words of change ("I live in Whitby now", "sold the car", "no longer") replace the entry at once. A
second value without them raises a question to the person. Two people's tastes do not contradict
each other.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from recollect.chat.language.change_words import (
    ended_words,
    is_over,
    says_another,
    says_begun,
    says_now,
)
from recollect.chat.language.concepts import concepts_told
from recollect.chat.language.sentence_subject import (
    ANIMALS,
    RELATIONS,
    about_another,
    names_in,
    relations_in,
)
from recollect.chat.language.value_patterns import (
    COUNTED,
    DATE_WORD,
    PLAIN_NUMBER,
    SHORT_DAY,
    VALUES,
)
from recollect.chat.language.weak_words import LEADS_IN, WEAK
from recollect.chat.updates.debts import may_settle, settles
from recollect.chat.updates.known_people import (
    People,
    known_people,
    names_the_other,
    of_one_person,
    subject_of,
)
from recollect.chat.updates.plans import (
    calls_off,
    carries_out,
    ends_one_of_several,
    may_call_off,
)
from recollect.chat.updates.preferences import contrary_preferences, states_preference
from recollect.chat.updates.single_attributes import attributes_in_common, attributes_of
from recollect.memories.text_comparison import normalised, read, stem, words_of

_NEGATED: Final = re.compile(r"\b(?:not|no|never|ne|pas|jamais)\b|n't\b|\bn'", re.IGNORECASE)
#: Claims about all the time before, which a single case contradicts.
_NEVER: Final = re.compile(
    r"\b(?:(?:i|we)(?:'ve| have)? never (?:actually |really |once |ever )?[a-z]{3,15}|for the first"
    r" time|(?:je n'ai|on n'a) jamais)\b",
    re.IGNORECASE,
)
#: Statements in addition to a known one, not in its place: "I also work at a bar".
_BESIDE: Final = re.compile(
    r"\b(?:also|too|as well|second|another|part-time|on the side|for work|as a spare|aussi|en plus"
    r"|deuxième|seconde?|à côté)\b",
    re.IGNORECASE,
)
_CHOOSES: Final = re.compile(
    r"\b(?:picked|chose|chosen|decided|went|going|gone|settled|it's|it'll be|opted|choisi|opté"
    r"|décidé|ce sera|pris)\b",
    re.IGNORECASE,
)
#: What it is after all, with what it was to be: "in the end it'll be law, medicine takes too long".
_SETTLED: Final = re.compile(
    r"\b(?:finalement|au final|in the end|after all|on second thoughts?"
    r"|changed my mind)\b.{0,25}?\b(?:ce sera|c'est"
    r"|je prends|je vais|it'll be|it will be|it's|going (?:with|for)|i'm doing|we're doing"
    r"|i'll (?:do|take|go))\b",
    re.IGNORECASE,
)
_BETWEEN: Final = re.compile(
    r"\b(?:torn|between|or|either|undecided|options?|hésit\w{1,4}|entre|ou)\b", re.IGNORECASE
)
#: When or for what a statement holds; one for other times does not affect it.
_SCOPES: Final = (
    re.compile(r"\b(?:week-?days?|on a work day|en semaine)\b|\b(?:during|in) the week\b", re.I),
    re.compile(r"\b(?:week-?ends?|le week-?end)\b", re.IGNORECASE),
    re.compile(r"\b(?:for|at) work\b|\bau (?:travail|boulot)\b", re.IGNORECASE),
    re.compile(r"\bat home\b|\bmy own\b|\bprivate(?:ly)?\b|\bà la maison\b", re.IGNORECASE),
    re.compile(r"\bin (?:the )?(?:winter|autumn)\b|\ben (?:hiver|automne)\b", re.IGNORECASE),
    re.compile(r"\bin (?:the )?(?:summer|spring)\b|\ben été\b|\bau printemps\b", re.IGNORECASE),
    re.compile(r"\b(?:mornings?|le matin)\b", re.IGNORECASE),
    re.compile(r"\b(?:evenings?|at night|le soir|la nuit)\b", re.IGNORECASE),
)
#: The subject of a sentence: "my mate Dave", "Dave".
_SUBJECT: Final = re.compile(
    r"(?i:my|our|mon|ma|mes|notre|nos|the|les|her|his|their|sa|leur) (?:[\w-]{2,20} ){0,2}?"
    rf"(?i:{RELATIONS})s?(?![\w-])(?:,? ([A-ZÀ-Þ][\w-]{{1,30}}))?|([A-ZÀ-Þ][\w-]{{1,30}})"
)
_RESCHEDULED: Final = re.compile(
    r"\b(?:moved|moving|rescheduled|postponed|changed|pushed|brought forward|new (?:\w{3,20} ){0,2}"
    r"(?:date|deadline|day|time|slot|appointment)|instead|reporté|avancé|décalé|repoussée?)\b",
    re.IGNORECASE,
)
_COUNTS: Final = re.compile(r"\b(\d{1,6}) ([a-zà-ÿ-]{4,20}s)\b", re.IGNORECASE)
_DENIED: Final = 2  # minimum number of words in common
#: A former state, which a later one does not change.
_FORMERLY: Final = re.compile(
    r"\b(?:used to|formerly|back then|when i was|as a (?:child|kid|boy|girl)|first job|autrefois"
    r"|quand j'étais|à l'époque)\b",
    re.IGNORECASE,
)
_FEW_HOLD_IT: Final = 3  # entries that hold a word which still says which of them is meant
_PLAIN_WORDS: Final = 7  # of a statement that says little more than its value
_PLAIN: Final = frozenset({"diet", "home"})
_PARTNERS: Final = frozenset("boyfriend girlfriend partner".split())
#: Those of whom one can tell that it is over with them.
_ENDING: Final = ANIMALS | frozenset(
    "boyfriend girlfriend partner wife husband fiancé boss flatmate landlord".split()
)
#: Roles in which one person replaces another.
_CHANGING: Final = frozenset(
    "doctor dentist therapist landlord boss teacher agent boyfriend girlfriend partner".split()
)
#: A dose, a weight or a pay that went up or down needs no name: "doctor put me up to 75 mg".
_STEPPED: Final = re.compile(
    r"\b(?:(?:went|gone|put|moved|bumped|am|i'm|back) (?:me |it )?)?(?:up|down) to \d"
    r"|\b(?:passée?|montée?"
    r"|descendue?) à \d",
    re.IGNORECASE,
)
_AMOUNT: Final = re.compile(
    r"\b\d{1,6}(?:[.,]\d{1,2})? ?(mg|ml|kg|kilos?|lbs|stone|euros?|pounds|quid|%)(?!\w)", re.I
)
_NEW_ROLE: Final = re.compile(r"\b(?:new|nouveau|nouvel|nouvelle) [a-zà-ÿ]{3,15}\b", re.IGNORECASE)
#: The absolute date that was added after a relative one.
_DATE_BESIDE: Final = re.compile(r" \([^()]{0,30}\d{4}\)")
_ELISION: Final = re.compile(r"\b(?:l|d|j|qu|n|s|m|t|c)['\u2019]", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class UpdateVerdict:
    """Effect of a new statement on an entry: replace it at once, or raise a question."""

    old_id: str
    at_once: bool
    plainly: bool = False  # both say little more than a value of what one has one of


def may_change(text: str) -> bool:
    """Whether a statement could change anything, so that the entries are worth reading."""
    return bool(
        says_now(text)
        or is_over(text)
        or ended_words(text)
        or states_preference(text)
        or _NEVER.search(text)
        or _COUNTS.search(text)
        or _STEPPED.search(text)
        or attributes_of(text)
        or may_call_off(text)
        or may_settle(text)
    )


def verdict(new: str, known: Mapping[str, str]) -> UpdateVerdict | None:
    """The entry that a statement changes; ``known`` maps ids to texts, newest first."""
    if not known:
        return None
    never = _NEVER.search(new)  # a denial raises a question and replaces nothing
    people = known_people((*known.values(), new))
    common = _common_words(known.values())
    stepped = _STEPPED.search(new) is not None
    asked: UpdateVerdict | None = None
    for old_id, old in known.items():
        if settles(old, new):
            return UpdateVerdict(old_id, True)
        pair = _Pair(old, new, people, common)
        if not (stepped or pair.has_common_ground()):
            continue
        if not never and pair.replaces():
            return UpdateVerdict(old_id, True)
        if asked is None and pair.contradicts():
            asked = UpdateVerdict(old_id, False, pair.states_plainly())
    return asked


class _Pair:
    """A known entry and a new statement, with the checks of whether the statement replaces the
    entry.
    """

    def __init__(self, old: str, new: str, people: People, common: frozenset[str]) -> None:
        self._old, self._new = old, new
        self._people = people
        self._shared = _topic_in_common(old, new)
        #: Shared words that few other entries hold: they say that both are about one thing.
        self._telling = self._shared - common - people.keys()
        self._attributes = attributes_in_common(old, new)

    def has_common_ground(self) -> bool:
        """Whether both share anything by which the one could change the other."""
        shared = self._shared or self._attributes
        return bool(shared or relations_in(self._old) & relations_in(self._new) & _CHANGING)

    def replaces(self) -> bool:
        """Whether the words say that the entry no longer holds."""
        old, new = self._old, self._new
        if _FORMERLY.search(old) or ends_one_of_several(old, new):
            return False
        if not self._of_one_subject():
            return bool(self._telling) and _stepped(old, new)  # "my doctor gives me 2.5 mg"
        ends, now = is_over(new), says_now(new)
        if ends and "home" in attributes_of(old) and about_another(new) and not about_another(old):
            return False  # a flatmate who moves out leaves the speaker at home
        return bool(
            (self._same_attribute() and (now or ends or _begins_alone(new)))
            or self._names_what_ended()
            or (contrary_preferences(old, new) and (now or ends))
            or _chosen(old, new)
            or (self._telling and _SETTLED.search(new))
            or (ends and self._telling and len(self._shared) >= 2)
            or (now and self._is_close() and not _other_event(old, new))
            or _same_thing_otherwise(old, new)
            or calls_off(old, new)
            or carries_out(old, new)
        )

    def contradicts(self) -> bool:
        """Whether both cannot hold, although no word says that something changed."""
        old, new = self._old, self._new
        if _FORMERLY.search(old) or not self._of_one_subject():
            return False
        return bool(
            (self._same_attribute() and _another_value(old, new))
            or contrary_preferences(old, new)
            or _denies(old, new)
            or _other_count(old, new)
        )

    def states_plainly(self) -> bool:
        """Whether both are short statements of the speaker's diet or home: "I'm vegan"."""
        few = max(len(self._old.split()), len(self._new.split())) <= _PLAIN_WORDS
        one = attributes_of(self._old) == attributes_of(self._new)
        alone = not (about_another(self._old) or about_another(self._new))
        return few and one and alone and bool(self._attributes & _PLAIN) and self._same_attribute()

    def _of_one_subject(self) -> bool:
        old, new, people = self._old, self._new, self._people
        if self._of_my_partner():
            return True
        if not same_person(old, new):
            return False
        if of_one_person(old, new, people) or names_the_other(old, new, people):
            return True
        return bool(relations_in(old) & relations_in(new) & _CHANGING)

    def _same_attribute(self) -> bool:
        """Whether both state an attribute that the same person has one of."""
        old, new = self._old, self._new
        if not self._attributes or other_scope(old, new):
            return False
        return of_one_person(old, new, self._people) or self._of_my_partner()

    def _of_my_partner(self) -> bool:
        """Whether the entry tells who the speaker's partner is, and the statement is about both:
        "my girlfriend Tess is a nurse", "Tess and I split up".
        """
        subject = subject_of(self._old, self._people)
        alone = not subject_of(self._new, self._people)
        return "partner" in self._attributes and bool(subject & _PARTNERS) and alone

    def _names_what_ended(self) -> bool:
        """Whether the entry tells of the thing that the statement says is over."""
        over = frozenset(_stems(" ".join(ended_words(self._new))))
        named = over & self._shared
        return bool(named & self._telling or (named and self._introduces(named)))

    def _introduces(self, names: frozenset[str]) -> bool:
        """Whether the entry says who somebody is whose name is among what ended: a pet, a partner,
        a boss.
        """
        held = set(known_people([self._old]).items())
        return any(name in names and relations & _ENDING for name, relations in held)

    def _is_close(self) -> bool:
        """Whether both are about the same thing: they share two words or more, one of them rare,
        and half of those of the shorter one.
        """
        one, other = topic_of(self._old), topic_of(self._new)
        few = min(len(one), len(other))
        return bool(self._telling) and len(self._shared) >= 2 and len(self._shared) * 2 >= few


def _begins_alone(new: str) -> bool:
    """Whether a text says that something began, and not beside something else."""
    return says_begun(new) and not _BESIDE.search(new)


def _common_words(texts: Iterable[str]) -> frozenset[str]:
    """Words that many entries hold, which say nothing about which of them is meant."""
    counted = Counter(word for text in texts for word in topic_of(text))
    return frozenset(word for word, many in counted.items() if many > _FEW_HOLD_IT)


def _topic_in_common(old: str, new: str) -> frozenset[str]:
    return topic_of(old) & topic_of(new)


def ended_too(new: str, first: str, known: dict[str, str]) -> tuple[str, ...]:
    """Ids of other entries that end with the first: they name what is over, and tell of the same
    thing. What is told of a person outlives them.
    """
    over = frozenset(_stems(" ".join(ended_words(new)))) - WEAK
    if not (is_over(new) or over) or _NEVER.search(new):
        return ()
    return tuple(
        old_id
        for old_id, old in known.items()
        if over & _stems(old)
        and not ends_one_of_several(old, new)
        and same_person(old, new)
        and not relations_in(old) - ANIMALS
        and _of_one_thing(first, old)
    )


def _of_one_thing(one: str, other: str) -> bool:
    """Whether two entries tell of the same thing: by its name and kind, or by half their words."""
    mine, theirs = topic_of(one), topic_of(other)
    if len(mine & theirs) * 2 >= min(len(mine), len(theirs)):
        return True
    return bool(mine & theirs and concepts_told(mine) & concepts_told(theirs))


def _chosen(old: str, new: str) -> bool:
    """Whether a statement decides between alternatives: "we picked Rowan" after "Rowan or Ash"."""
    if not _CHOOSES.search(new) or not _BETWEEN.search(old):
        return False
    return bool(names_of(f" {old}") & names_of(f" {new}"))


def other_scope(old: str, new: str) -> bool:
    """Whether both say when they hold, with no time in common: on weekdays, at weekends."""
    one = {number for number, scope in enumerate(_SCOPES) if scope.search(old)}
    other = {number for number, scope in enumerate(_SCOPES) if scope.search(new)}
    return bool(one and other) and not one & other


def _same_thing_otherwise(old: str, new: str) -> bool:
    """Whether a statement says that the same thing has changed: another day, hour or figure
    ("yoga's on Mondays now"), the contrary, or another person in a role.
    """
    if _NEW_ROLE.search(new) and relations_in(old) & relations_in(new) & _CHANGING:
        return True
    if _stepped(old, new):
        return True
    if not says_another(new) and "again" not in new:
        return False
    names, others = names_of(old), names_of(new)
    if names and others and not names & others:
        return False
    topic, other = topic_of(old), topic_of(new)
    if not topic & other or len(topic & other) * 2 < min(len(topic), len(other)):
        return False
    if bool(_NEGATED.search(old)) is not bool(_NEGATED.search(new)):
        return topic <= other or other <= topic
    if not says_another(new):
        return False
    return any(_differ(kind, old, new) for kind in (*VALUES, SHORT_DAY)) or (
        _differ(PLAIN_NUMBER, old, new) and (len(topic & other) >= 2 or _count_alike(old, new))
    )


def _count_alike(old: str, new: str) -> bool:
    """Whether a number stands before the same word in both: "two cats", "three cats now"."""
    counted = [{stem(found[1]) for found in COUNTED.finditer(text.lower())} for text in (old, new)]
    return bool(counted[0] & counted[1])


def _stepped(old: str, new: str) -> bool:
    """Whether a text says that an amount went up or down, and the older has one of its unit."""
    stepped = _STEPPED.search(new) is not None
    return stepped and _differ(_AMOUNT, old, new) and bool(_units(old) & _units(new))


def _units(text: str) -> set[str]:
    return {found[1].lower() for found in _AMOUNT.finditer(text)}


def names_of(text: str) -> set[str]:
    """The names in a text, without those of days and months."""
    return {one for one in names_in(" " + text) if not DATE_WORD.fullmatch(one)}


def _differ(kind: re.Pattern[str], old: str, new: str) -> bool:
    """Whether both have a value of a kind, with none in common."""
    one = {found[0].lower() for found in kind.finditer(old)}
    other = {found[0].lower() for found in kind.finditer(new)}
    return bool(one and other) and not one & other


@lru_cache(1_024)
def topic_of(text: str) -> frozenset[str]:
    """The words that name the topic of a statement, without days and figures."""
    return frozenset(
        one
        for one in _stems(LEADS_IN.sub(" ", text)) - WEAK
        if not one.isdigit() and not DATE_WORD.fullmatch(one) and not PLAIN_NUMBER.fullmatch(one)
    )


def _other_event(old: str, new: str) -> bool:
    """Whether both name a day, with none in common, and no word says that it was moved."""
    days = [{found[0].lower() for found in VALUES[0].finditer(one)} for one in (old, new)]
    return all(days) and not days[0] & days[1] and not _RESCHEDULED.search(new)


def _other_count(old: str, new: str) -> bool:
    """Whether both count the same thing with different numbers: "3 interviews", "5 interviews"."""
    one, other = _COUNTS.search(old), _COUNTS.search(new)
    if one is None or other is None or one[1] == other[1] or one[2].lower() != other[2].lower():
        return False
    words, others = _stems(old) - {one[1]}, _stems(new) - {other[1]}
    small, large = sorted((words, others), key=len)
    return len(small & large) >= max(2, len(small) - 1) and not _other_event(old, new)


def _denies(old: str, new: str) -> bool:
    """Whether one statement says "never" about something that the other says happened."""
    if bool(_NEVER.search(old)) is bool(_NEVER.search(new)):
        return False
    never, other = (old, new) if _NEVER.search(old) else (new, old)
    claimed = _stems(_NEVER.sub(" ", never)) - WEAK
    return len(claimed & _stems(other)) >= max(_DENIED, len(claimed) // 3)


def same_person(old: str, new: str) -> bool:
    """Whether two statements can be about the same person."""
    if about_another(old) != about_another(new):
        if relations_in(old) & relations_in(new) & _CHANGING:
            return True
        return _names_in_common(old, new)
    if not about_another(new):
        return True
    people = relations_in(old) & relations_in(new) or names_in(" " + old) & names_in(" " + new)
    return bool(people)


def _names_in_common(old: str, new: str) -> bool:
    """Whether the person (not the speaker) that one statement is about is named in the other."""
    about, other = (new, old) if about_another(new) else (old, new)
    subject = _SUBJECT.match(about.strip())
    if subject is None:
        return False
    name = subject[1] or subject[2] or ""
    if name.isupper():  # a department, not a person
        return True
    kin = relations_in(subject[0]) & relations_in(other)
    return bool(kin) or name.lower() in words_of(normalised(other))


def shares_words(old: str, new: str) -> bool:
    """Whether two statements share a word of their topic."""
    return _shared(old, new) > 0


def _shared(old: str, new: str) -> int:
    """Number of shared words, without days and figures, which name no topic."""
    both = (_stems(old) & _stems(new)) - WEAK
    return sum(1 for one in both if not one.isdigit() and not DATE_WORD.fullmatch(one))


def _another_value(old: str, new: str) -> bool:
    one, other = read(old), read(new)
    return one.stems != other.stems or one.numbers != other.numbers


def _stems(text: str) -> frozenset[str]:
    """Stems of a text; French words without an elided article or pronoun."""
    return read(_ELISION.sub(" ", _DATE_BESIDE.sub("", text))).stems
