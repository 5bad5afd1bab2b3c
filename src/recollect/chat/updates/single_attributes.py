"""Attributes that a person has one of: a home, an employer, a partner, a diet, a phone.

A later statement of the same attribute is a new version of the former one. Things that people have
many of (pets, hobbies, favourite dishes) are not included. Forms of English and French identify
most attributes; a brand or a trade is identified by the table of concepts.
"""

import re
from functools import lru_cache
from typing import Final

from recollect.chat.language.change_words import says_begun, says_changed
from recollect.chat.language.concepts import concept_of, concepts_told, members_by_concept
from recollect.memories.text_comparison import normalised, stem, words_of

_ATTRIBUTES: Final[dict[str, re.Pattern[str]]] = {
    "home": re.compile(
        r"\b(?:i|we|je|on|nous) (?:now |currently |still )?(?:live|moved (?:to|into|back)|habite"
        r"|habitons|vis à|vis en)\b|\bj'habite\b|\bliving in\b|\b(?:ai|a|avons|est|suis) "
        r"(?:déménagé|emménagé)\b|\bmoved (?:to|into) (?-i:[A-Z])|\b(?:got|get|have|collected"
        r"|picked"
        r" up) the keys\b(?! (?:to|of|for) (?!(?:the|our|my|a) (?:new )?(?:flat|house|place|home"
        r"|studio|apartment|cottage)))|\b(?:lives|vit|habite) (?:in|at|near|à|en|au|chez)\b"
        r"|\b(?:i|we) (?:rent"
        r"|bought)"
        r" an? (?:[\w-]{2,12} ){0,2}(?:flat|studio|house|place|room|cottage|bungalow)\b"
        r"|\b(?:took|taking|taken|got|getting|found|bought|rented|renting|signed for) (?:an?|the"
        r"|our|my) (?:[\w-]{2,12} ){0,3}(?:(?:one|two|three|four|1|2|3|4)-bed|flat|studio|house"
        r"|place|bedsit|cottage|bungalow)\b|\b(?:i'm|im|we're|i am|we are) in an? (?:[\w-]{2,12} )"
        r"{0,2}(?:flat|studio|house|place|bedsit|cottage|bungalow)\b|\b(?:pris|trouvé|acheté|loué)"
        r" (?:un|une|l')? ?(?:[\w-]{2,12} ){0,2}(?:appart|appartement|studio|maison|deux-pièces"
        r"|coloc)\b",
        re.IGNORECASE,
    ),
    "job": re.compile(
        r"\b(?:work(?:s|ing)? (?:as|at|for|in)|(?:i'm|im|i am) an? (?:\w+ ){1,4}(?:at|for|in)\b"
        r"|my (?:new )?job|join(?:ed|ing) (?!.{2,40}\b(?:choir|band|club|gym|orchestra|league)\b)"
        r".{2,60} as an?\b|start(?:ed|ing) (?:at|as|a new job)"
        r"|hired (?:as|by)|freelance|je travaille|je bosse|je suis (?!intolérant|allergique"
        r"|sensible|née?\b|accro|abonnée?\b|inscrite?\b|habituée?\b|opposée?\b|fidèle|restée?\b|allée?\b"
        r"|arrivée?\b|venue?\b|partie?\b|coincée?\b)\w{2,30} (?:chez|dans une?|au|à la)"
        r"|self-employed|(?:got|have) a (?:new )?job|promoted to|(?:switch|chang)(?:ed|ing) jobs?\b"
        r"|new employer|changé de (?:boulot|travail|boîte|poste|job)|handed in (?:my|his|her)"
        r" notice|(?:gave|given|worked) (?:my|his|her) notice|resigned|laid off|made redundant"
        r"|(?:quit|left|lost|leaving) (?:my|the|that) (?:[\w-]{2,12} )?(?:job|firm|company|office)"
        r"|(?:got|been) (?:sacked|fired|hired)|(?<!\ba )(?<!\bthe )retired|new gig"
        r"|(?:first|second|third) (?:day|week"
        r"|month|shift) (?:\w{2,8} ){0,2}(?:at|as|with)\b|signed (?:a|my"
        r"|the) (?:\w{2,12} )?contract"
        r"|démissionn|(?:posé|donné) (?:ma|sa) démission|licenciée?|embauchée?|(?:premi[eè]re?"
        r"|deuxième) (?:jour|semaine|mois) (?:chez|comme|au|à)\b|je travaille|nouveau (?:boulot"
        r"|travail|job|poste))",
        re.IGNORECASE,
    ),
    "partner": re.compile(
        r"\b(?:my|a|new|mon|ma|un|une) (?:new |nouveau |nouvelle )?(?:boyfriend|girlfriend|partner"
        r"|copain|copine)\b|\b(?:seeing|dating|going out with) (?:an?|this|someone|somebody|(?-i:"
        r"[A-Z])\w)|\bcall(?:ed|ing)? it quits\b|\b(?:broke|broken|split|splitting) up\b|\b(?:we're"
        r"|made it) official\b|\bsingle (?:again|now)\b|\bdumped (?:me|him|her)\b|\bje sors avec\b"
        r"|\bon (?:s'est|a) (?:séparée?s|quittée?s|rompu)\b|\ben couple avec\b",
        re.IGNORECASE,
    ),
    "car": re.compile(
        r"\b(?:drive (?:an?|my|the)|my (?:new )?car is|(?:got|bought|have|leased) (?:an?|my|the)"
        r" (?:[\w-]{2,12} ){0,3}(?:car|van|suv|hatchback|camper)|ma voiture|je roule en)\b",
        re.IGNORECASE,
    ),
    "diet": re.compile(
        r"\b(?:vegetarian|vegan|pescatarian|pescetarian|flexitarian|plant-based|meat-eater"
        r"|carnivore|omnivore|keto|eat(?:ing)? meat|végétarienn?e?|végane?|flexitarienn?e?"
        r"|pescétarienn?e?|mange de la viande)\b",
        re.IGNORECASE,
    ),
    "smoking": re.compile(
        r"\b(?:smok(?:e|es|ing|er)|cigarettes?|cigs|vap(?:e|ing)|fume|fumer|clopes?|tabac)\b",
        re.IGNORECASE,
    ),
    "weight": re.compile(r"\b\d{2,3}(?:[.,]\d)? ?(?:kilos?|kg|lbs|stone)\b", re.IGNORECASE),
    "rent": re.compile(
        r"\b(?:rent|loyer)\b.{0,40}\d|\b(?:i|we) pay .{0,12}\d.{0,20} for (?:my|our|the|this|a)"
        r" (?:flat|room|studio|place|house|apartment|bedsit)\b",
        re.IGNORECASE,
    ),
    "learning": re.compile(r"\b(?:learning|taking up|j'apprends|doing) [A-Z]\w{3,}"),
    "drinking": re.compile(r"\b(?:drink alcohol|alcohol|alcool|drinking)\b", re.IGNORECASE),
}
_KEYED: Final = re.compile(
    r"\b(?:my|our|mon|ma|notre) (?:new |fav |favou?rite |current |nouveau |nouvelle )?"
    r"([\w-]{3,20}(?: [\w-]{3,20})?)(?:'s name)? (?:these days |now |currently )?"
    r"(?:is|'s|was|moved to|changed to|est|s'appelle)\b",
    re.IGNORECASE,
)

#: A food that somebody eats again, or no longer, is a change of diet.
_FOOD: Final = re.compile(
    r"\b(?:eat(?:s|ing)?|ate|having|back (?:on|to)|off|no|mang(?:e|er|eons)|remange|repris) "
    r"(?:[\w']{2,10} ){0,2}(?:meat|fish|chicken|dairy|seafood|pork|beef|gluten|animal products"
    r"|viande|poisson|poulet|produits laitiers)\b",
    re.IGNORECASE,
)
#: Kinds of thing that most people have one of, by a word of the table of concepts.
_ONE_OF: Final = ("phone", "computer", "browser", "car", "instrument")
_TRADE: Final = re.compile(
    r"\b(?:(?:i'm|im|i am|i was|been) (?:now |still |only |just )?an? |je suis (?:une? )?)"
    r"((?:[\wà-ÿ-]{2,20} ){0,2}[\wà-ÿ-]{3,20})",
    re.IGNORECASE,
)
_OF_THE_SPEAKER: Final = re.compile(
    r"(?:^|[ ,.])(?:i|i'm|i've|my|we|we've|our|je|j'\w{1,20}|mon|ma|on|got|bought|switched|traded"
    r"|swapped)\b",
    re.IGNORECASE,
)
_FEWEST_MEMBERS: Final = 8
_NEVER: Final = re.compile(r"(?!)")


@lru_cache(1_024)  # a statement is compared with the same entries again and again
def _attributes(text: str) -> frozenset[str]:
    found = {name for name, pattern in _ATTRIBUTES.items() if pattern.search(text)}
    found |= {f"is:{match[1].lower()}" for match in _KEYED.finditer(text[:600])}
    if _FOOD.search(text) and (says_changed(text) or says_begun(text)):
        found.add("diet")
    if _tells_trade(text):
        found.add("job")
    return frozenset(found | _kinds_named(text))


def _tells_trade(text: str) -> bool:
    """Whether a text states the speaker's job by a word for a trade: "I'm a baker now"."""
    told = (found[1] for found in _TRADE.finditer(text[:600]))
    return any(concept_of("profession") in concepts_told(_stems(words)) for words in told)


def _kinds_named(text: str) -> set[str]:
    """Kinds of single things that a text names, if it says that they are the speaker's."""
    return {name for name in _ONE_OF if _named_of(name, text)}


def _named_of(kind: str, text: str) -> frozenset[str]:
    """The things of a kind that a text names as the speaker's."""
    if not _OF_THE_SPEAKER.search(text):
        return frozenset()
    members = members_by_concept(words_of(normalised(text[:600])), _FEWEST_MEMBERS)
    return members.get(concept_of(kind), frozenset())


def attributes_in_common(old: str, new: str) -> set[str]:
    """The single-valued attributes that both statements state. One and the same thing of a kind is
    no other value: "I sing bass" and "a new bass amp".
    """
    both = _attributes(old) & _attributes(new)
    return {
        name
        for name in both
        if name not in _ONE_OF
        or _ATTRIBUTES.get(name, _NEVER).search(old)
        or _named_of(name, new) - _named_of(name, old)
    }


def _stems(text: str) -> list[str]:
    return [stem(word) for word in words_of(normalised(text))]


def attributes_of(text: str) -> set[str]:
    """The single-valued attributes that a statement states of its subject."""
    return set(_attributes(text))


#: What people call their own attributes.
_CALLED: Final = {
    word: name
    for name, words in {
        "job": "job work employer career boulot travail emploi métier",
        "home": "home address flat place maison appartement logement adresse",
        "partner": "partner boyfriend girlfriend copain copine",
        "car": "car voiture",
        "diet": "diet régime",
        "rent": "rent loyer",
        "weight": "weight poids",
        "phone": "phone téléphone",
    }.items()
    for word in words.split()
}
_MY: Final = re.compile(
    r"(?:my|our|mon|ma|notre) (?:new |current |nouveau |nouvelle )?([^\W\d_]{3,12})", re.IGNORECASE
)


def own_attribute(words: str) -> str | None:
    """The attribute of the speaker's that some words name: "my job"."""
    found = _MY.fullmatch(words.strip())
    return None if found is None else _CALLED.get(found[1].lower())


#: Search words for entries of an attribute.
_LOOKED_FOR: Final = {
    "phone": "phone mobile smartphone iphone pixel android samsung téléphone portable",
    "computer": "laptop computer macbook thinkpad pc ordinateur ordi",
    "instrument": "play playing lessons joue",
    "browser": "browser firefox chrome safari",
    "home": "live lives living moved home flat habite vis déménagé emménagé",
    "job": "work works working job started joined hired retired travaille bosse boîte",
    "partner": "boyfriend girlfriend partner seeing dating copain copine",
    "car": "drive car voiture roule",
    "diet": "vegetarian vegan pescatarian meat fish dairy eat végétarien végétarienne viande mange",
    "smoking": "smoke smoking cigarettes fume clope tabac",
    "drinking": "alcohol drink drinking alcool",
    "weight": "kilos kg weigh stone pounds",
    "rent": "rent loyer",
    "learning": "learning apprends",
}


def words_for(text: str) -> str:
    """Search words for other entries that state the same attributes."""
    return " ".join(_LOOKED_FOR.get(name, "") for name in attributes_of(text))
