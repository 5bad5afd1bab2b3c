"""Subject of a sentence: the speaker, a relation of theirs ("my sister"), or a named person."""

import re
from difflib import get_close_matches
from functools import lru_cache
from typing import Final

#: Words for relations, in English and French; the words of one line are synonyms.
_SAME: Final = """
    mum mom mother mama mommy mummy mère maman
    dad father papa daddy père
    sister sis sœur soeur
    brother bro frère
    wife missus femme épouse
    husband hubby mari époux
    boyfriend copain petit-ami mec
    girlfriend copine petite-amie meuf
    partner conjoint conjointe compagnon compagne
    fiancé fiancée fiance
    son boy fils
    daughter girl fille
    child kid toddler baby newborn eldest youngest oldest enfant bébé aîné aînée cadet cadette
    kids children twins enfants jumeaux jumelles
    grandmother grandma gran nan granny mamie grand-mère
    grandfather grandpa grandad papi papy grand-père
    aunt auntie tante
    uncle oncle
    cousin cousine
    nephew neveu
    niece neice nièce
    mother-in-law belle-mère
    father-in-law beau-père
    sister-in-law belle-sœur
    brother-in-law beau-frère
    stepfather stepdad
    stepmother stepmum stepmom
    stepbrother half-brother demi-frère
    stepsister half-sister demi-sœur
    stepson
    stepdaughter
    godfather parrain
    godmother marraine
    godson filleul
    goddaughter filleule
    grandson petit-fils
    granddaughter petite-fille
    grandchildren grandkids petits-enfants
    friend mate buddy ami amie pote copains
    boss manager chef chefe patron patronne supervisor
    colleague coworker co-worker teammate collègue
    flatmate roommate housemate coloc colocataire
    neighbour neighbor voisin voisine
    landlord landlady propriétaire proprio
    lodger tenant locataire
    intern trainee stagiaire
    teacher professor tutor prof professeur
    doctor gp médecin docteur
    dentist dentiste
    therapist psy
    agent
    dog puppy chien chienne chiot
    cat kitten chat chatte chaton
    parents
    grandparents
    in-laws
    family relative relatives famille
    horse cheval
    rabbit lapin
"""
#: Animals, which are often stated by their breed.
ANIMALS: Final = frozenset({"dog", "cat", "horse", "rabbit"})
SAME_RELATION: Final[dict[str, str]] = {
    word: line.split()[0] for line in _SAME.splitlines() for word in line.split()
}
RELATIONS: Final = "|".join(
    sorted((re.escape(word) for word in SAME_RELATION), key=len, reverse=True)
)
_RELATION: Final = re.compile(rf"(?<![\w-])(?:{RELATIONS})s?(?![\w-])", re.IGNORECASE)
#: Words with another meaning in the other language: they name a relation only after these.
_ONLY_BEHIND: Final = {
    "chat": re.compile(r"\b(?:mon|le|un|notre|ton|votre|du|au|petit|vieux|gros|son) $"),
    "son": re.compile(
        r"\b(?:my|our|his|her|their|your|a|the|eldest|oldest|youngest|older|younger|little|middle"
        r"|teenage|one|baby|and|'s|adult|only|whose) $"
    ),
}
_POSSESSED: Final = re.compile(r"\b(?:my|our|mon|ma|notre) ([a-zà-ÿœ-]{6,20})")
_MISSPELLED: Final = 0.87
_READ: Final = 2_000
_NAME: Final = re.compile(r"(?<![\w'])(?<!^)[A-ZÀ-Þ][\w-]{1,30}", re.UNICODE)
_NO_NAMES: Final = frozenset(
    """
    he she her his their he's she's il elle sa ses leur
    i i'm i've i'd i'll monday tuesday wednesday thursday friday saturday sunday january february
    march april may june july august september october november december the my our we a an and
    but so it is she he they you what when where who how which mon ma mes je tu il elle on nous le
    la les un une lundi mardi mercredi jeudi vendredi samedi dimanche english french german spanish
    bonjour hi hello ok please always never just no not when whenever keep use call give reply
    answer also maybe sorry thanks then there here this that these those some most all everything
    everyone
    nobody someone bought sold got started took found adopted seeing dating life work home today
    tomorrow yesterday tonight lunch dinner breakfast
    """.split()
    + """
    toujours jamais merci ce cette ces quand tout tous
    """.split()
)
_OTHER: Final = re.compile(
    rf"(?:my|our|mon|ma|mes|notre|nos|the"
    rf"|les|her|his|their|another|sa|leur) (?:[\w-]{{2,20}} ){{0,2}}?(?:{RELATIONS})s?(?![\w-])",
    re.IGNORECASE,
)
_NAMED: Final = re.compile(
    r"([A-ZÀ-Þ]\w{1,30}(?:-[A-ZÀ-Þ]\w{1,30})?)(?: [A-ZÀ-Þ]\w{1,30})?(?:'s|:| (?:is|has|was|had"
    r"|will|can|can't"
    r"|does|doesn't"
    r"|isn't|wants|needs|got|left|est|a(?= (?:\d|une?|deux|trois|des|le|la|les|son|sa|ses|mal|eu"
    r"|été"
    r"|pris|fait|[a-zà-ÿ]{2,15}é)\b)|ne|n'\w{1,15}|aime|habite|travaille|déteste|adore|mange"
    r"|préfère"
    r"|[a-z]{3,15}s|[a-z]{2,15}ed))\b",
    re.UNICODE,
)
_SPEAKER: Final = re.compile(
    r"(?:and|et) (?:i|me|moi)\b|^(?:i|i'm|i've|i'd|i'll|im|we|we're|we've|je|j'|on|nous)\b", re.I
)


def relations_in(text: str) -> set[str]:
    """The relations that a text mentions, each by the first word of its line."""
    return set(_relations(text[:_READ].lower()))


@lru_cache(2_048)  # a statement is compared with the same entries again and again
def _relations(lower: str) -> frozenset[str]:
    found = set()
    for match in _RELATION.finditer(lower):
        word = match[0]
        if word in _ONLY_BEHIND and not _ONLY_BEHIND[word].search(lower[: match.start()][-12:]):
            continue
        found.add(SAME_RELATION.get(word) or SAME_RELATION.get(word.rstrip("s"), word))
    for match in _POSSESSED.finditer(lower):
        if match[1] not in SAME_RELATION and len(match[1]) >= 6:
            near = get_close_matches(match[1], SAME_RELATION, 1, _MISSPELLED)
            found.update(SAME_RELATION[word] for word in near)
    return frozenset(found)


def names_in(text: str) -> set[str]:
    """Possible names in a text: capitalised words that do not begin it."""
    found = {match[0] for match in _NAME.finditer(text)}
    return {name for name in found if name.lower() not in _NO_NAMES}


def speaks_of_family(text: str) -> bool:
    """Whether a sentence is about family that the speaker calls only "the twins" or "the dog"."""
    return _OTHER.match(text.strip()) is not None


def name_in(text: str) -> str:
    """The first name in a text; empty when there is none."""
    for match in _NAME.finditer(" " + text):
        if match[0].lower() not in _NO_NAMES:
            return match[0]
    return ""


def about_another(text: str) -> bool:
    """Whether somebody other than the speaker is the subject of a sentence."""
    plain = text.strip()
    if _SPEAKER.search(plain):
        return False
    if _OTHER.match(plain):
        return True
    named = _NAMED.match(plain)
    return named is not None and named[1].lower() not in _NO_NAMES
