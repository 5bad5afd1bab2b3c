"""Score of how likely a clause states something lasting: a small linear model over its grammar.

The features are forms, not topics: who is the subject, in which tense and mood, whether a moment
("right now") or a habit ("every Sunday") is named, whether a person, a name, a figure or a trait is
mentioned, and what the rules decide. The weights are in ``lasting_score.tsv``; ``python -m
benchmarks.lasting_fit`` fits them to labelled sentences. A score of 0 means a probability of one
half.
"""

import re
from collections.abc import Callable
from functools import lru_cache
from importlib.resources import files
from typing import Final

from recollect.chat.language.attributes import ATTRIBUTES
from recollect.chat.language.change_words import ended_words, is_over, says_another, says_begun
from recollect.chat.language.concepts import TELLS_JOB, concept_heads
from recollect.chat.language.sentence_subject import (
    about_another,
    names_in,
    relations_in,
    speaks_of_family,
)
from recollect.chat.language.temporary_statements import is_idle, is_temporary
from recollect.memories.text_comparison import IDLE, normalised, words_of

_BIAS: Final = "bias"
_SHORT: Final = 3
_MIDDLE: Final = 6
_LONG: Final = 10
_LONGEST: Final = 400
_MONTH: Final = (
    r"(?:january|february|march|april|may|june|july|august|september|october|november|december"
    r"|janvier|février|mars|avril|mai|juin|juillet|août|septembre|octobre|novembre|décembre)"
)
_DAY: Final = r"(?:mon|tues|wednes|thurs|fri|satur|sun)day"
_PAST: Final = (
    r"(?:(?!need\b|speed\b|feed\b|indeed\b|seed\b|weed\b)\w{2,15}ed|was|were|had|got|went|saw"
    r"|took|made|lost|left|bought|sold|broke|won|built|grew"
    r"|quit|fell|found|met|told|sent|ran|ate|slept|heard|spent|became|began|wrote|forgot|felt"
    r"|thought|knew|meant|said|came)"
)
#: Features at the beginning of a clause: its subject, its tense and its mood.
_BEGINS: Final[tuple[tuple[str, str], ...]] = (
    ("subject_i", r"(?:i|im|je)\b|j'"),
    ("subject_we", r"(?:we|on|nous)\b"),
    ("subject_my", r"(?:my|our|mon|ma|mes|notre|nos)\b"),
    ("subject_it", r"(?:it|that|this|these|those|there|ça|ce|il|elle)\b|c'"),
    ("subject_you", r"(?:you|tu|vous)\b"),
    ("subject_the", r"(?:the|an?|le|la|les|une?)\b|l'"),
    ("subject_other", r"(?:he|she|they|his|her|their|son|sa|ses)\b"),
    ("subject_anyone", r"(?:some|people|every(?:one|body)|someone|les gens|an? (?:\w+ )?(?:man"
     r"|woman|guy|bloke|friend)|friend of mine)\b"),
    ("progressive", r"(?:i'm|im|i am|we're|we are) (?:\w{2,10}ly |just |still |not |so |also )?"
     r"\w{2,20}ing\b"),
    ("perfect_progressive", r"(?:(?:i've|i have|we've) )?been \w{2,20}"),
    ("perfect", r"(?:i've|ive|i have|we've|we have)\b"),
    ("past", rf"(?:i|we) (?:just |also |finally |already )?{_PAST}\b"),
    ("past_bare", rf"(?:just |finally |already )?{_PAST}\b"),
    ("future", r"(?:i'll|i will|we'll|we will|i'm going to|je vais|on va)\b"),
    ("conditional", r"(?:\w{1,8}'d|(?:i|we) would|would|could|might|may|should|(?:i|we) (?:could"
     r"|might|may|should))\b"),
    ("negated", r".{0,30}(?:\b(?:not|never|no|ne|pas)\b|n't\b|\bn')"),
    ("wants", r"(?:(?:i|we|je|on) (?:\w{2,10} )?)?(?:want|need|wish|hope|have to|veux|voudrais"
     r"|espère|hoping|thinking|worried|wondering)\b"),
    ("opines", r"(?:i|we|je) (?:\w{2,10} )?(?:think|guess|believe|know|see|mean|wonder|feel"
     r"|suppose|bet|doubt|agree|swear|promise|remember|forgot|understand|appreciate|wish|hear"
     r"|smell|pense|crois|vois|sais|comprends)\b"),
    ("present", r"(?:i|we) (?!am\b|was\b|had\b|have\b|got\b|went\b|just\b)(?:usually |always "
     r"|only |also |mostly |never |often )?[a-z]{2,12}(?<!ed)\b"),
    ("is_one_word", r"(?:i'm|i am|we're|je suis|on est) (?:\w{2,10}ly |so |too |really |very "
     r"|a bit |not |trop |très )?[\wà-ÿ-]{2,20}[.!]{0,3}$"),
    ("is_a", r"(?:i'm|i am|we're|is|je suis) (?:an?|the|une?) "),
    ("has", r"(?:i|we|i've|we've) (?:have|got|own)\b|(?:j'ai|on a|nous avons)\b"),
    ("is_at", r"(?:i'm|im|we're|(?:\S{1,15} ){1,3}(?:is|are)|je suis|on est) (?:in|at|on|dans|à"
     r"|en|au)"
     r" (?:(?:the|a|my|an|le|la|un) )?[a-zà-ÿ]"),
    ("has_a_moment", r"(?:i|we|i've|we've|j'ai|on a)(?: have"
     r"| got)? (?:\w{2,6} ){0,2}?(?:minutes?|hour"
     r"|secs?|seconds|time|clue|idea|choice|temps|nothing)\b"),
    ("they_want", r"(?:(?:my|the|our|mon|ma|les|le) )?[\w-]{2,15} (?:wants?|needs?|veut"
     r"|veulent)\b"),
    ("their_thing", r"(?:his|her|their|its|leur|ses) "),
    ("bare_progressive", r"(?:still |currently |now |just |also )?(?!thing|nothing|anything|bring"
     r"|king|ring|sing|spring|morning|evening|everything|something)[a-z]{2,15}ing "),
    ("bare_denial", r"(?:can't|don't|won't|haven't|didn't|couldn't|never|not|no|only|none|pas"
     r"|jamais"
     r"|plus|aucune?|que|sans|off)\b"),
    ("noun_is", r"(?:(?:the|le|la|les|l') ?)?(?!i|it|that|this|he|she|there|what|who|je|tu|il|elle"
     r"|ce|ça)[a-zà-ÿ-]{3,20}(?: [a-zà-ÿ-]{3,20}){0,2}(?:'s| is| are|'re| est| sont| was| were) "),
    ("noun_is_a", r"(?:(?:the|my|our|le|la|mon|ma) )?[a-zà-ÿ-]{2,20}(?:'s| is| est|,? c'est) (?:an?"
     r"|une?|called|named|in|from|at|on the|le|la|à|en) "),
    ("mine_is_one_word", r"(?:my|our|mon|ma|mes|notre|nos) [\w'-]{2,20}(?: [\w-]{2,20})?(?:'s| is"
     r"| are| est| sont) (?:\w{2,10}ly |so |all |still |too |already |trop |très )?[a-zà-ÿ-]{2,15}"
     r"[.!]{0,3}$"),
    ("it_is_a", r"(?:it's|its|it is|c'est) (?:an?|une?|my|mon|ma|for|pour) "),
    ("they_react", r"(?:(?:my|our|the|mon|ma|mes|les|le|la) )?[\w-]{2,20} (?:a bien |ont |a |just "
     r"|really |all )?(?:loved|laughed|liked|thought|smiled|cried|said|says|hated|agreed|will love"
     r"|is going to|will be|'ll be|would|could|shrugged|approves?|approved|keeps|adoré|ri|aimé|dit"
     r"|va adorer)\b"),
    ("small_future", r"(?:i'll|i will|we'll|je vais) (?:\w{2,10}ly |just )?(?:tell|ask|do|use"
     r"|take|go"
     r"|see|try|check|send|call|text|let|give|keep|have|add|put|pick|make|get|think|be (?:back"
     r"|there"
     r"|right)|look|read|stick|start|say|show|voir|essayer|tester|demander|prendre)\b"),
    ("told_of_a_count", r"\d{1,3}(?:,| ?(?:,|and|cm|kilos?|kg|foot|years?|ans|net|euros?|days?))"),
    ("coming_up", r"(?:my|our|the|mon|ma|notre|le|la)? ?(?:[\w'-]{2,20} ){0,2}[\w-]{2,20}(?:'s| is"
     r"| are| est| sont| se)? (?:coming up|due|booked|scheduled|about to expire|up for|approche"
     r"|prévue?|termine)\b"),
    ("and_i", r"[A-ZÀ-Þ][\w-]{1,20} (?:and|et) (?:i|me|moi)\b|my \w{2,15} and i\b"),
    ("goal_is", r"(?:the |our |my |le |l')?(?:goal|plan|aim|dream|objectif|but|rêve)(?: is|'s| est"
     r"|,? c'est) "),
    ("by_name", r"(?:their|her|his|its|leurs?|son|sa|ses) [\wà-ÿ]{2,15}(?:'s| is| are| est| sont)"
     r" (?:(?:à|in|at|en) )?(?:the )?(?-i:[A-ZÀ-Þ]|[\d])|(?:they're|they are) called\b"
     r"|ils s'appell|(?-i:[A-ZÀ-Þ])[\w-]{2,20} (?:born and|de naissance|d'origine)"),
    ("chosen", r"(?:(?:i|we|on a|j'ai) )(?:picked|chose|settled on|went with|choisi|opté pour"
     r"|decided on)\b"),
    ("imperative", r"(?:imagine|assume|suppose|pretend|say i|let's say|translate|traduis|dear"
     r"|customer|for example|par exemple|chapter|scene|in (?:scene|chapter)|main character)\b"),
)  # fmt: skip
#: Features anywhere in a clause.
_HOLDS: Final[tuple[tuple[str, str], ...]] = (
    ("before_then", r"\b(?:by|before|avant|d'ici)(?: the| la| le| l')? (?:end|fin|first|\d"
     r"|\w{3,9}day|easter|christmas|summer|été|noël|(?:lun|mar|mercre|jeu|vendre|same)di)\b"),
    ("moment", r"\b(?:now|rn|today|tonight|this (?:morning|afternoon|evening|minute)|again|just"
     r"|almost|nearly|already|at the moment|in (?:a|five|ten|two) (?:minutes?|sec|bit)|later|soon"
     r"|yet|aujourd'hui|ce soir|ce matin|maintenant|encore|tout de suite|bientôt|finally)\b"),
    ("habit", r"\b(?:since|for (?:\w{1,10} )?(?:years|yrs|months|decades|ages|good)|every"
     r"|each (?:day|week|month|year|way|time|morning)"
     rf"|always|usually|mostly|never|regularly|often|twice a|once a|per (?:week|month|year)|{_DAY}s"
     r"|(?:tues|thurs|mon|fri)s|weekends?|from now on|no longer|any ?more|used to|originally"
     r"|by the way|depuis|tous les|toutes les|chaque|toujours|jamais|souvent|plus d[eu]|until|till"
     r"|so you know|these days|same)\b|\b(?:le|du) (?:lundi|mardi|mercredi|jeudi|vendredi|samedi"
     r"|dimanche)\b"),
    ("dated", rf"\b(?:next|tomorrow|on {_DAY}|on the \d|in (?:{_MONTH}|spring|summer|autumn"
     r"|winter|\d{4})|\d{1,2}(?:st|nd|rd|th)|at \d|prochaine?|en "
     rf"{_MONTH}|le \d)|\b\d{{1,2}} {_MONTH}\b|\b{_MONTH} \d"),
    ("weekday", rf"\b(?:{_DAY}|lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche)s?\b"),
    ("month", rf"\b(?!may\b|march\b|mars\b){_MONTH}\b"),
    ("feeling", r"^.{0,20}?\b(?:tired|hungry|bored|sick|late|busy|stuck|lost|confused|nervous"
     r"|stressed"
     r"|worried|excited|happy|sad|glad|sorry|angry|annoyed|cold|hot|freezing|ready|done|curious"
     r"|surprised|impressed|ill|exhausted|asleep|headache|mood|fatigué|crevé|content|perdu"
     r"|faim|froid|soif|marre|mal|hâte)e?\b"),
    ("to_you", r"\b(?:you|your|you're|tu|ton|ta|te|toi|vous)\b|\bt'"),
    ("pointing", r"\b(?:it|these|those|ones?|ça|cela)\b|\bc'|\bce\b|\b(?:that|this)(?='s\b"
     r"| (?:is|was"
     r"|one|will|would|did|does|has|line|part|bit)\b|[ .,!]{0,3}$)"),
    ("they_are_at_it", r"^.{0,25}?\b(?!i'm|we're)\w{2,20}(?: is|'s| are|'re) (?:just |still "
     r"|finally "
     r"|already |not )?\w{2,15}ing\b"),
    ("reported", r"\b(?:says?|said|tells?|told|asked|claims?|reckons?|thinks|goes|swears|dit que?"
     r"|m'a dit|pense que|disent)\b"),
    ("opened", r"\b(?:called|named|s'appelle|name is|name's)\b"),
    ("possessed", r"\b(?:my|our|mon|ma|mes|notre|nos)\b"),
    ("taste", r"\b(?:prefer|preference|love|loves|hate|hates|like|likes|dislike|enjoy|favou?rite"
     r"|rather|can't stand|allergic|fan of|adore|aime|déteste|préfère|préférée?|supporte)\b"),
    ("decided", r"\b(?:decided|chose|agreed|signed|switched|moved|moving|quit|joined|started"
     r"|starts?|starting|stopped|gave up|promised|booked|bought|sold|adopted|enrolled|hired"
     r"|promoted|accepted|got (?:married|engaged|divorced)|cancelled|postponed|passed|failed"
     r"|graduated|retired|turned|died|born|décidé|choisi|signé|réservé|acheté|vendu|arrêté"
     r"|commencé|quitté|annulée?|inscrite?|déménag\w{1,4})\b"),
    ("figure", r"\d"),
    ("amount", r"\b\d[\d.,]{0,8} ?(?:%|euros?|dollars?|pounds|quid|kg|kilos?|mg|k|km|m|cm|years?"
     r"|yrs?|ans)\b|[$€£] ?\d|\b(?:two|three|four|five|six|seven|eight|nine|ten|deux|trois|quatre"
     r"|cinq) [a-zà-ÿ]{3,15}"),
    ("picked", r"\b(?:first|second|third|last|other|previous|next|former|latter|shorter|longer|blue"
     r"|red|green|same|première|deuxième|dernière|autre|premier) (?:one|version|sentence|paragraph"
     r"|line|verse|option|part|bit|half|title|draft|step|phrase|word|stanza|idea|answer|tab|act"
     r"|chapter|example|choice)s?\b|\b(?:step|number|option|line|part|page|question|étape) \w{1,5}"
     r"\b|\bthe (?:other|blue|red|green|short|long|big|small) one\b|\bl[ae] (?:première?"
     r"|premier|deuxième"
     r"|troisième|dernière?)$"),
    ("of_the_text", r"\b(?:paragraphs?|sentences?|version|verses?|rhymes?|ending|title|chapter"
     r"|story"
     r"|scene|plot|punchline|comma|typo|draft|caption|wording|tone|slides?|bullet|phrase|titre"
     r"|texte|virgule|fin|blague|poem|joke|poème)s?\b"),
    ("of_the_program", r"\b(?:code|error|line \d|function|tests?|build|button|screen|server|column"
     r"|loop|script|file|tab|click\w{0,3}|compile\w?|install\w{0,3}|log|port|printer|wifi|battery"
     r"|keyboard|inbox|link|page|ordi|connexion|écran|erreur|fichier)s?\b"),
    ("of_the_stove", r"\b(?:oven|timer|sauce|dough|soup|rice|eggs?|salt|pan|pot|recipe|grams?|burnt"
     r"|toast|cake|gâteau|sel|four|pâte|kettle|tea|leftover\w?)\b"),
    ("ends_pointing", r"\b(?:it|that|this|them|him|her|me|us|there|one|now|again|ça"
     r"|encore)[.!]{0,3}$"),
    ("invented", r"\b(?:dragon|wizard|knight|king|hero|heroine|villain|vampire|pirate|elf|detective"
     r"|narrator|character|novel|sim|fifa|marbles|apples|sheep|héros|sorcier|chevalier|roi)s?\b"),
    ("figure_of_speech", r"\b(?:lol|haha|lmao|mdr|apparently|literally|ugh|argh|pff|omg|wow|ha)\b"),
    ("listed", r"[^,]{2,40}, [^,]{2,40}(?:, | and | et )[^,]{2,40}"),
    ("per", r"\b(?:a|per|each|every|par) (?:day|week|month|year|night|morning|mois|semaine|an|jour)"
     r"\b|\b(?:after tax|net|gross)\b"),
    ("model", r"\b(?=[a-z]{0,6}\d)[a-z]{1,6}-?\d{1,4}[a-z]?\b|\b(?-i:[A-Z][a-z]{2,12}) \d{1,4}\b"),
    ("clock", r"\b\d{1,2}(?:[:.h]\d{2}|h| ?(?:am|pm))\b"),
    ("saves_for", r"\b(?:saving|training|plan is|planning|hoping to|must not forget|note to self"
     r"|don't let me forget|have to|need to|dois|faut que)\b"),
    ("once", r"\b(?:once|never again|for good|so far|in the end|after all|as a rule|in general"
     r"|for now"
     r"|any day|at heart|for short|by the way|soon|here|en général|au fait)\b"),
    ("small_talk", r"\b(?:funny|nice|cool|lovely|great|perfect|brilliant|amazing|weird|love it|star"
     r"|genius|hilarious|close|closer|fine|better|worse|easy|nearly|halfway|almost|drôle|bien"
     r"|mieux)\b"),
    ("asks", r"\?"),
    ("exclaims", r"!"),
)  # fmt: skip
_FRAGMENT: Final = re.compile(
    r"(?!(?:i|im|we|my|our|the|it|that|this|you|he|she|they|there|je|mon|ma|mes|on|nous|il|elle|ça"
    r"|ce|le|la|les|notre|nos)\b|(?:i|we|it|he|she|they|you|that)'|[jcl]')",
    re.IGNORECASE,
)
_NAME_INSIDE: Final = re.compile(r"(?<=[\w,:] )(?!I\b|I')[A-ZÀ-Þ][a-zà-ÿ]", re.UNICODE)
_BEGIN_PATTERNS: Final = tuple((name, re.compile(one, re.I)) for name, one in _BEGINS)
_HOLD_PATTERNS: Final = tuple((name, re.compile(one, re.I)) for name, one in _HOLDS)
#: Combinations of features that mean something else than each feature by itself.
_TOGETHER: Final = tuple(
    tuple(pair.split("+"))
    for pair in (
        "subject_my+habit present+habit progressive+dated progressive+name past+name"
        " statement+moment"
        " family+moment progressive+family fragment+attribute fragment+figure fragment+name"
        " fragment+family fragment+habit fragment+dated fragment+weekday family+reported"
        " is_one_word+feeling is_one_word+statement chatter+attribute chatter+family chatter+dated"
        " chatter+name chatter+amount subject_the+name subject_the+weekday subject_the+dated"
        " subject_the+amount family+they_are_at_it possessed+habit past+dated perfect+family"
        " present+statement pointing+statement to_you+statement ended+attribute ended+name"
        " begun+attribute begun+name begun+dated another_now+attribute another_now+name"
        " ended+chatter"
        " begun+chatter"
    ).split()
)


#: Features computed by other modules.
_HELD: Final[tuple[tuple[str, Callable[[str], object]], ...]] = (
    ("family", lambda plain: relations_in(plain) or speaks_of_family(plain)),
    ("name", _NAME_INSIDE.search),
    ("named", names_in),
    ("about_another", about_another),
    ("idle", is_idle),
    ("ended", lambda plain: ended_words(plain) or is_over(plain)),
    ("begun", says_begun),
    ("another_now", says_another),
    ("passing", is_temporary),
    ("fragment", _FRAGMENT.match),
)


@lru_cache(64)  # one message asks for the same clause more than once
def features_of(clause: str, act: str) -> frozenset[str]:
    """The features of a clause that the rules classify as ``act``."""
    plain = clause[:_LONGEST].replace("\u2019", "'")
    found = {act}
    found.update(name for name, pattern in _BEGIN_PATTERNS if pattern.match(plain))
    found.update(name for name, pattern in _HOLD_PATTERNS if pattern.search(plain))
    found.update(f"tells_{one.name}" for one in ATTRIBUTES if one.told.search(plain))
    if TELLS_JOB.search(plain):
        found.add("tells_job")
    if any(name.startswith("tells_") for name in found):
        found.add("attribute")
    found.update(name for name, holds in _HELD if holds(plain))
    telling = (word for word in words_of(normalised(plain)) if word not in IDLE)
    found.update(f"of_{head}" for head in concept_heads(telling))
    count = len(plain.split())
    found.update(
        name
        for name, holds in (
            ("short", count <= _SHORT),
            ("middle", count <= _MIDDLE),
            ("long", count >= _LONG),
        )
        if holds
    )
    found.update("+".join(pair) for pair in _TOGETHER if found.issuperset(pair))
    return frozenset(found)


@lru_cache(1)
def _weights() -> dict[str, float]:
    text = (
        files("recollect.chat.statements").joinpath("lasting_score.tsv").read_text(encoding="utf-8")
    )
    rows = (line.split("\t") for line in text.splitlines() if line and not line.startswith("#"))
    return {name: float(weight) for name, weight in rows}


def lasting_score(clause: str, act: str) -> float:
    """Score of a clause; above 0, it more likely states something lasting than not."""
    weights = _weights()
    return weights[_BIAS] + sum(weights.get(name, 0.0) for name in features_of(clause, act))
