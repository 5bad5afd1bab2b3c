"""Words that ask for one thing and tell it in others: "what do I do for a living?", "I'm a nurse".

Each line is one concept: what it is asked by, and what tells it. The words are general language, in
English and French; a word of a question that stands in a concept is met by any word of its line.
"""

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Final

from recollect.memories.simhash import stem

_GROUPS: Final = """
    live living home house flat apartment place address city town reside based moved move village
        habite habiter vis vivre ville maison appartement logement logé adresse déménagé domicile
    job work profession occupation career employer company employed working freelance joining hired
        works métier boulot travail travaille profession boîte bosse emploi entreprise employeur
        travailler poste
    name called named call nickname nom prénom appelle surnom nommé
    tall height 1m cm feet taille mesure mesurer grand
    birthday born birth anniversaire né née naissance
    marry married marrying wedding engaged mariage marie marier marié mariés fiancés
    diet eat food vegetarian vegan pescatarian halal kosher gluten coeliac celiac meat eating
        régime alimentaire alimentation mange manger végétarien végétarienne végane viande casher
    allergic allergy allergies intolerant intolerance allergique allergie digère
    car drive driving vehicle voiture conduis roule conduire automobile
    transport commute around travel bike bicycle bus train metro tram scooter cycling cycle vélo
        déplace trajet
    sport exercise workout training train gym judo swimming swim running run tennis yoga football
        climbing hiking rugby boxing pilates surfing cycling basketball natation nager course
        escalade danse randonnée boxe piscine nage
    swim swimming nager natation nage piscine
    pet animal dog cat puppy kitten chien chat hamster rabbit parrot animaux
    breed beagle labrador poodle greyhound spaniel terrier retriever race
    relative family mum mom mother dad father sister brother wife husband aunt uncle cousin niece
        nephew grandmother grandfather mother-in-law father-in-law sister-in-law brother-in-law
        parents famille mère père sœur frère tante oncle cousine belle-mère beau-père
    phone mobile smartphone iphone pixel android samsung téléphone portable
    computer laptop macbook thinkpad pc desktop ordinateur ordi
    system os operating linux windows macos ubuntu fedora debian mint distribution distro arch
    camera photo photos fuji fujifilm canon nikon sony leica lens appareil
    app program software tool editor application logiciel appli outil chat slack teams
    band music singer song album listen artist musique groupe chanteur écoute
    book author novel reading read livre roman auteur lire
    film movie series show film série
    favourite favorite fav best prefer love like préféré préférée favori préfère adore aime
    hate dislike avoid stand détester déteste évite horreur
    drink coffee tea beer wine alcohol juice boisson bois boire café thé bière vin alcool
    smoke smoking cigarettes smoker fume fumer tabac cigarette
    language speak speaks english french german spanish italian langue parle français anglais
        espagnol allemand italien réponds répondre
    tutoyer vouvoyer tutoie vouvoie tutoiement vouvoiement
    study university degree school college student études école université étudiant fac lycée
    child children kid kids son daughter toddler baby twins enfant enfants fils fille bébé jumeaux
    boyfriend girlfriend partner dating copain copine compagnon compagne
    husband wife spouse mari femme époux épouse
    boss manager supervisor chef patron patronne
    appointment meeting booked rendez-vous rdv dentist doctor consultation
    due deadline hand submit rendre échéance
    trip holiday vacation travel travelling travels flight ferry voyage vacances vol
    fear scared afraid phobia vertigo peur vertige phobie
    contact reach email mail call message joindre contacter appeler
    pay salary rent cost price salaire loyer prix
    colour color blue red green yellow purple couleur bleu rouge vert
    size shoe shoes pointure taille
    blood type group sanguin sang groupe
    religion muslim christian jewish hindu buddhist musulman chrétien juif
    instrument guitar piano violin drums cello flute guitare violon batterie
    hobby hobbies pastime loisir loisirs passe-temps
    medicine medication pills prescription médicament traitement
    own have got possess possède ai avoir
    sell sold vend vendu
    quit stop stopped gave arrêté arrête cessé
    cancel cancelled canceled annulé annule annulée still
"""


@lru_cache(1)
def _concepts() -> dict[str, frozenset[int]]:
    lines: list[str] = []
    for line in _GROUPS.strip("\n").splitlines():
        if line.startswith("        "):
            lines[-1] += " " + line.strip()
        else:
            lines.append(line.strip())
    found: dict[str, set[int]] = {}
    for number, line in enumerate(lines):
        for word in line.split():
            found.setdefault(stem(word), set()).add(number)
    return {word: frozenset(numbers) for word, numbers in found.items()}


def concepts_of(stems: Iterable[str]) -> frozenset[int]:
    """The concepts that some words belong to."""
    known = _concepts()
    return frozenset(number for one in stems for number in known.get(one, ()))


def concept_of(name: str) -> int:
    """The concept that is asked by a word."""
    return min(_concepts()[stem(name)])


#: What tells of a job without a word for it: "I'm a nurse", "she's a lawyer", "je suis kiné".
TELLS_JOB: Final = re.compile(
    r"\b(?:i'm|im|i am|he's|she's|he is|she is|as|been|is|who's) an? (?!bit|lot|fan|big|huge"
    r"|little|vegan"
    r"|vegetarian|member|man|woman|mother|father|morning|night)(?:[\w-]{2,20} ){0,3}?[\w-]{0,30}"
    r"(?:er|or|ist|ian|ant|ent|man|woman|nurse|chef|vet|midwife|cook|clerk|barista|analyst|pilot"
    r"|judge|coach|guide|guard|smith|wright|host|apprentice|intern)\b"
    r"|\b(?:je suis|elle est|il est) (?!allergique|en\b|à\b|dans\b|très\b|un peu)[\wé]{4,20}\b"
    r"|\bi design\b|\bfreelance\b",
    re.IGNORECASE,
)
