"""Attributes of a person (age, job, home, ...) and the words that ask for them and state them.

A strict attribute is answered only by a text that states it: "how old am I?" by no other number.
The patterns are forms of English and French.
"""

import re
from dataclasses import dataclass
from typing import Final

_I: Final = r"(?:i|we|je|on|nous|he|she|they|il|elle|\w{2,30})"
_BE: Final = r"(?:i'm|im|i am|we're|we are|he's|he is|she's|she is|they're|is|are|aged|turn|turns"
_MONTH: Final = (
    r"(?:january|february|march|april|may|june|july|august|september|october|november|december"
    r"|janvier|février|mars|avril|mai|juin|juillet|août|septembre|octobre|novembre|décembre)"
)
_SMALL: Final = (
    r"(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|[a-z]{3,6}teen|twenty"
    r"|thirty|forty|fifty|sixty|seventy|eighty|ninety|un|deux|trois|quatre|cinq|sept|huit|neuf|dix"
    r"|onze|douze|quinze|vingt|trente|quarante|cinquante|soixante)"
)


@dataclass(frozen=True, slots=True)
class Attribute:
    """One attribute of a person."""

    name: str
    asked: re.Pattern[str]
    told: re.Pattern[str]
    strict: bool = False


def _attribute(name: str, asked: str, told: str, *, strict: bool = False) -> Attribute:
    return Attribute(
        name,
        re.compile(asked, re.IGNORECASE),
        re.compile(told, re.IGNORECASE),
        strict,
    )


ATTRIBUTES: Final = (
    _attribute(
        "age",
        r"\bhow old\b|\bwhat age\b|\bwhat(?:'s| is) [\w' ]{2,40} age\b|\bquel âge\b",
        rf"\b{_BE}|turned|turning|turnt|ai|a|aura|aurai|fête|fêté) (?:now |just |about |nearly "
        rf"|only"
        rf" |still )?(?:\d{{1,3}}|{_SMALL})(?: (?:years|year|months|and a half|ans|mois|and|et)\b"
        rf"|[.,;!)]|$)|\b(?:\d{{1,3}}|{_SMALL})[ -](?:years?|months?|ans|mois)(?:[- ]old)?\b(?!"
        rf" ago)(?! in\b)(?! of\b)|\bborn (?:in|on)\b|\bnée? (?:en|le)\b|^[A-Z]?\w{{1,20}},"
        rf" \d{{2}},|\bi'm [A-Z]\w{{1,20}}, \d{{2}}\b",
        strict=True,
    ),
    _attribute(
        "birthday",
        r"\bbirthday\b|\bwhen (?:was|were) [\w' ]{1,30} born\b|\b(?:year|date) (?:was|were) [\w' ]"
        r"{1,30} born\b|\banniversaire\b|\bdate de naissance\b|\bquand [\w' -]{2,40} née?\b",
        r"\bbirthday\b|\bborn (?:in|on) (?:the )?(?:\d|[a-z]{3,9} \d)|\banniversaire\b|\bnée? (?:en"
        rf"|le) \d|\bturn(?:s|ed|ing)? \d{{1,3}} (?:on|in)\b|\bborn\b.{{0,30}}(?:\d{{4}}|{_MONTH})",
        strict=True,
    ),
    _attribute(
        "birthplace",
        r"\bwhere (?:was|were) [\w' ]{1,40} born\b|\bbirthplace\b|\bwhere [\w' ]{1,30} (?:come from"
        r"|grow up|grew up|from)\b|\boù [\w' -]{1,30}née?\b|\blieu de naissance\b",
        r"\bborn\b.{0,30}\b(?:in|at) (?:[A-Z]|a\b|the\b)|\bborn and raised\b|\bgrew up\b"
        r"|\bcomes? from\b"
        r"|(?:\b(?:i'm|is|are|am)|'s) (?:originally )?from\b|\bnée? (?:à|en|au|aux|dans)\b"
        r"|\bgrandi (?:à|en|au)\b"
        r"|\bvien[st] d[eu']",
        strict=True,
    ),
    _attribute(
        "name",
        r"\bwhat(?:'s| is| was) my (?:first |last |full |real )?name\b|\bwhat am i called\b|\bwho"
        r" am"
        r" i\b(?! [a-z])|\b(?:call|address) me\b"
        r"|\bcomment (?:est-ce que )?(?:je m'appelle|m'appelles?-)"
        r"|\bmon (?:pré)?nom\b|\bm'appeler\b|\bcomment je m'appelle\b",
        r"\bmy (?:full |real |first )?name(?:'s| is)\b|\bcall(?:s|ed)? me\b|\bnickname\b|\bje"
        r" m'appelle\b"
        r"|\bmoi c'est\b|\bmoi,? c'est\b|\bappelle[sz]?[- ]moi\b|\bon m'appelle\b|\bmon (?:pré)?nom"
        r"|\b(?-i:[Ii]'m|[Ii] am|Je suis|je suis) (?-i:[A-ZÀ-Þ][a-zà-ÿ-]{2,20})(?:,| and\b|\.|!|$| "
        r"by the way)|\bname'?s (?-i:[A-ZÀ-Þ])",
        strict=True,
    ),
    _attribute(
        "height",
        r"\bhow tall\b|\bheight\b|\bmesur|\bquelle (?:est ma )?taille\b",
        r"\b\d ?(?:m|ft|'|feet|foot)\b ?\d{0,2}|\b\d{3} ?cm\b|\b\dm\d{2}\b|\btall\b|\bje mesure\b",
        strict=True,
    ),
    _attribute(
        "weight",
        r"\b(?:how much|combien) (?:do|does|did|est-ce que|je|il|elle)? ?[\w' ]{1,30} (?:weigh"
        r"|pèse)"
        r"\b|\bweight\b|\bje pèse combien\b|\bmon poids\b",
        r"\b\d{2,3}(?:[.,]\d)? ?(?:kilos?|kg|kgs|pounds|lbs|stone)\b|\bweighs? \d|\bpèse \d",
        strict=True,
    ),
    _attribute(
        "home",
        r"\b(?:what|which) (?:part|area|neighbou?rhood|district"
        r"|end) (?:of \w{2,12} )?(?:am|do|are) (?:i|we)\b"
        r"|\bwhere(?:'s| is| are| do| does| am| did)? [\w' ]{1,40}\b(?:live|lives|living|based|home"
        r"|house|place|flat|stay|reside)\b|\bwhich (?:city|town|country|village|area|street|part)"
        r"\b[\w' ]{0,40}\b(?:i|we|my|live|lives)\b|\bmy (?:home ?town|address|city|town)\b|\boù"
        r" (?:est-ce qu[e' ]{1,2})?[\w' -]{1,30}(?:habit|vi[st]|viv)|\bhabit\w{1,5} où\b|\bdans"
        r" quelle ville\b|\bquelle ville\b|\bmon adresse\b|\boù habit",
        rf"\b{_I} (?:now |currently |still |both |all )?(?:lives?|living|moved|relocated|settled"
        r"|reside[sd]?|habite|habitons|habitent|vit|vis) (?:now |out |over |back |down |up |here )?"
        r"(?:in|to|at|near|on|into|with|above|close|outside|between|by|next|à|en|au|aux|dans|chez"
        r"|près)\b|\bi(?:'ve)? (?:just )?moved\b|\bj'habite\b|\bliving in\b|\bbased in\b|\b(?:ai|a"
        r"|avons|est|suis|sommes) (?:déménagé|emménagé|installée?s?)\b|\bmoved (?:to|into|back)\b"
        r"|\b(?:have|got) (?:an?|two|three|another) (?:[\w-]{2,20} ){1,3}in (?-i:[A-ZÀ-Þ])"
        r"|\bsigned (?:the|a|our|my) lease (?:for|on)\b|\bsigné (?:le|un|notre|mon) bail\b"
        r"|\b(?:my|our) (?:new |home )?address is\b|\bmon adresse est\b"
        r"|\bmy (?:home|house|flat|apartment|place) (?:is )?(?:in|near|at)\b|\b(?:we're|i'm|we are"
        r"|i am|on est|je suis) (?:in|en|au|à|out in|over in) (?-i:[A-ZÀ-Þ])\w{2,}|\bhome is\b"
        r"|\b(?:got|have|get|collected|picked up) the keys\b|\bkeys day\b|\b(?:new"
        r"|the) (?:\w{2,12}-bed"
        r"|place|flat|house) in (?-i:[A-ZÀ-Þ])|\b(?:posé|déballé) (?:nos|mes"
        r"|les) (?:cartons|valises)"
        r"|\b(?:i'm|we're) in an? (?:\w{2,12} ){0,2}(?:studio|flat|house|place|bedsit|cottage)\b"
        r"|\bteaches\b.{0,40}\bin (?-i:[A-Z])|\bworks\b.{0,40}\bin (?-i:[A-Z])",
    ),
    _attribute(
        "job",
        r"\bdo(?:es)? (?:i|we|my|[A-Z]?[\w'-]{1,30})(?: [\w'-]{1,30}){0,2} do\b(?! (?:on|at|every"
        r"|in"
        r"|with|to|when|this|next|after|before|about))|\b(?:for|as) a living\b"
        r"|\b(?:earn|make) (?:my|a|our|his|her) (?:money|living)\b|\bgagne (?:ma|sa) vie\b"
        r"|\bdo for work\b"
        r"|\b(?:my|our|'s|his|her) (?:new |current )?(?:job|work|profession|occupation|career"
        r"|trade|employer)\b|\bwhere (?:do|does) [\w' ]{1,30} work\b|\bwork (?:as|for|in)\b"
        r"|\b(?:position|role) (?:at|on|in)\b|\bday job\b|\bline of work\b|\breport to\b"
        r"|\bemployer\b"
        r"|\bwho do i work"
        r"\b|\b(?:fais|fait) (?:dans la vie|comme|quoi)\b|\b(?:mon|son) (?:métier|travail|boulot"
        r"|emploi|job)\b|\boù [\w' -]{1,30}(?:travaill|boss)"
        r"|\b(?:travaill|boss)\w{0,4} où\b|\bfait (?:mon|ma) \w{2,20}\b|\bque fait\b"
        r"|\bquoi comme (?:travail|métier|boulot)\b",
        r"\bi (?:drive (?:an? |the )?(?:tram|bus|buses|lorr|truck|taxi|train|cab|ambulance)"
        r"|(?:also |now )?"
        r"(?:manage|lecture|restore|repair|sell|edit|deliver|translate|cut hair|farm|breed"
        r"|bake for|cook"
        r" (?:at|for a|in)|clean (?:offices|houses)|look after (?:patients|the accounts)"
        r"|paint houses))"
        r"|\b(?:shift|job) at\b|\bteam lead(?:er)?\b|\b(?:works?|working|worked) (?:as|at|for|in"
        r"|with|from|on|nights|days|part|full)\b|\bmy"
        r" (?:new )?job\b|\bjoin(?:ed|ing|s)? .{2,60} as an?\b|\bstart(?:ed|ing|s)? (?:at|as|a new"
        r" job|work|my own)\b|\bhired (?:as|by)\b|\bfreelanc|\bself-employed\b|\b(?:got|have|found"
        r"|landed|took) (?:a|the) (?:new )?(?:job|position|role)\b|\bpromoted\b|\bretired\b|\bshift"
        r"s?\b|\b(?:resigned|laid off|made redundant|licenciée?|head of [a-z])|\bhanded in (?:my"
        r"|his|her)"
        r" notice\b|\bdémissionn|\bà (?:mon|son) compte\b|\bstart\w{0,3} (?:in|on"
        r"|from) \w{3,12} (?:i'm|i am|as|at)\b|\bje (?:travaille|bosse)\b"
        r"|\btravaille (?:chez|à|au|dans|comme|pour|en)\b|\bruns?"
        r" (?:a"
        r"|an|my|her|his|the|our) \w|\b(?:opened|opening|owns?|started|founded|set up) (?:a|an|my"
        r"|her|his|our) (?:\w{2,20} ){0,2}(?:shop|business|company|café|cafe|bakery|restaurant"
        r"|practice|studio|salon|gallery|clinic|agency|store|firm|stall|truck|start-?up|school|bar"
        r"|pub)\b|\bteaches\b|\bteach \w|\bmonte ma\b|\bma (?:boîte|société)\b|\btiens un|\btient"
        r" un|\bélève des\b|\benseigne\b"
        r"|\b(?:first|second|third|last) (?:day|week|month|shift) (?:\w{2,8} ){0,2}(?:at|as|with)\b"
        r"|\b(?:quit|left|leaving) (?:my job|work|the (?:company|firm|office))\b|\bnew gig\b"
        r"|\b(?:sacked|fired|let go|unemployed|between jobs|got the job|au chômage|virée?)\b"
        r"|\b(?:ouvert|ouvre|lancé|repris) (?:mon|ma|notre|un|une) (?:\w{2,20} ){0,2}(?:atelier"
        r"|boutique|magasin|commerce|cabinet|salon|resto|restaurant|entreprise|agence|garage)\b"
        r"|\bchangé de (?:travail|boulot|job|métier|poste|boîte|employeur)\b"
        r"|\b(?:posé|donné) (?:ma|sa) démission\b|\bembauchée?\b|\b(?:premi[eè]re?|deuxième"
        r"|dernière?) (?:jour|semaine|mois) (?:chez|comme|au|à)\b",
    ),
    _attribute(
        "partner",
        r"\b(?:who(?:'s| is)|what(?:'s| is)|name of) (?:my|our) (?:boyfriend|girlfriend|partner"
        r"|husband|wife|fiancée?|spouse)\b|\bwho am i (?:dating|married|engaged|seeing|with)\b"
        r"|\bam i (?:single|married|dating|engaged)\b|\bje suis (?:mariée?|célibataire|en couple)\b"
        r"|\bqui est (?:mon|ma) (?:copain|copine|mari|femme|conjointe?|compagn\w{2,4}|fiancée?)\b",
        r"\b(?:my|a|new|mon|ma|un|une) (?:new |nouveau |nouvelle |lovely )?(?:boyfriend|girlfriend"
        r"|partner|copain|copine|husband|wife|fiancée?|mari|femme|compagne|compagnon|conjointe?)\b"
        r"|\b(?:married|engaged|dating|divorced|single|mariée?s?|fiancée?s?|célibataire)\b"
        r"|\b(?:broke|broken|split|splitting|breaking) up\b|\bcall(?:ed|ing)? it quits\b"
        r"|\b(?:we're|we are|it's|made it) official\b|\bseeing (?:a|an|this|someone|somebody)\b"
        r"|\b(?:got|getting) (?:together|back together|divorced|separated) with\b|\bmy ex\b"
        r"|\b(?:on s'est|nous nous sommes) (?:séparée?s|quittée?s|mis ensemble|rencontrée?s)\b"
        r"|\brompu\b|\bje sors avec\b|\ben couple\b",
    ),
    _attribute(
        "diet",
        r"\b(?:diet|vegetarian|veggie|vegan)\b|\bdo(?:es)? [\w' ]{1,30} eat\b|\b(?:mange"
        r"|manger) (?:de la"
        r" viande|du|de|des)\b|\brégime\b",
        r"\b(?:vegetarians?|veggie|vegans?|pescatarian|flexitarian|eat(?:s|ing)?|ate|diet"
        r"|halal|kosher|gluten"
        r"|végétarienn?e?|végane?|mange|mangeons|viande|meat)\b",
    ),
    _attribute(
        "smoking",
        r"\bsmok(?:e|es|ing|er)\b|\bfum(?:e|es|er|eur|euse)\b",
        r"\b(?:smok(?:e|es|ed|ing|er)|cigarettes?|cigs|fags|vap(?:e|es|ing)|tobacco|fum(?:e|er|ais"
        r"|eur|euse)|clopes?|tabac)\b",
    ),
    _attribute(
        "drinking",
        r"\bdrink alcohol\b|\bdo (?:i|we) drink\?|\bdo (?:i|we) drink(?: any)?(?: alcohol| wine|"
        r" beer)?\?|\bl'alcool\b|\bbois de l'alcool\b",
        r"\b(?:alcohol|alcool|teetotal|sober|dry january|drinking)\b",
    ),
    _attribute(
        "health",
        r"\b(?:medical|health|illness|disease|disabilit\w{1,4}|diagnos\w{1,4})\b|\bwrong with my\b"
        r"|\bsuffer\b|\bmaladie\b|\bproblèmes? de santé\b|\bsouffr",
        r"\b(?:adhd|an[a]?emia|anxiety|arthritis|asthma\w{0,3}|autis\w{1,3}|bipolar|blind|cancer"
        r"|chronic|c(?:o|)eliac|deaf|depression|depressed|diabet\w{2,4}|dyslexi\w{1,2}|eczema"
        r"|endometriosis|epilep\w{2,4}|fibromyalgia|hernia|hypertension|insomnia|migraines?"
        r"|pacemaker|pregnant|psoriasis|sciatica|scoliosis|slipped dis[ck]|stroke|thyroid|tinnitus"
        r"|ulcer|vertigo|wheelchair|diagnosed|heart (?:condition|attack)|bad (?:back|knee|hip)"
        r"|hearing aids?|asthmatique|diabète|diabétique|épilep\w{2,5}|migraines|hernie|enceinte"
        r"|allerg\w{1,4}|intoleran\w{1,2}|intolérante?|colou?r-?blind|daltonienn?e?)\b",
    ),
    _attribute(
        "car",
        r"\b(?:which|what(?: kind of)?|quelle?) (?:car|voiture|vehicle)\b|\bwhat do i drive\b|\bmy"
        r" car\b|\bma voiture\b|\bdo (?:i|we) (?:have|own|drive) a car\b|\bavoir une voiture\b",
        r"\b(?:drives? (?:an?|my|the|our)|car|voiture|je roule|van|suv|hatchback|camper)\b",
    ),
    _attribute(
        "rent",
        r"\brent\b|\bloyer\b",
        r"\brent\b|\bloyer\b",
    ),
    _attribute(
        "phone",
        r"\b(?:which|what|quel) (?:phone|mobile|smartphone|téléphone|portable)\b",
        r"\b(?:phone|smartphone|iphone|pixel|android|galaxy|fairphone|nokia|oneplus|xiaomi"
        r"|téléphone"
        r"|portable)\b",
    ),
    _attribute(
        "studies",
        r"\bwhat (?:am i|do i|does \w{2,20}|is \w{2,20}) study(?:ing)?\b|\b(?:uni(?:versity)?"
        r"|college"
        r"|degree|course|major)\b|\bétudi|\bmes études\b",
        r"\b(?:study(?:ing)?|studies|student|degree|ph\.?d|master'?s|bachelor|undergraduate"
        r"|university"
        r"|uni|college|(?:first|second|third|fourth|final|last|1st|2nd|3rd) (?:year|yr)"
        r"|major(?:ing)?|étudi\w{1,6}|fac|licence|école|thesis)\b",
    ),
    _attribute(
        "children",
        r"\b(?:how many|combien d[e']) ?(?:kids|children|sons|daughters|enfants|fils|filles)\b"
        r"|\b(?:my"
        r"|our|mes|nos) (?:kids|children|sons|daughters|enfants|fils|filles)\b",
        r"\b(?:kids|children|sons?|daughters?|twins|triplets|enfants|fils|filles?|jumeaux|jumelles"
        r"|baby|bébé|boys|girls)\b",
    ),
    _attribute(
        "fear",
        r"\b(?:scared|afraid|fear|fears|frightened|phobia|terrified|peur|phobie)\b",
        r"\b(?:scared|afraid|fear|frightened|phobi\w{1,2}|terrified|terrifies|scares|petrified"
        r"|claustrophobic|vertigo|peur|phobie|vertige|terrifiée?|angoisse)\b",
    ),
    _attribute(
        "transport",
        r"\bhow (?:do|does) [\w' ]{1,40} (?:get|commute|travel|go) (?:to|around|there)\b|\bcomment"
        r" (?:est-ce que )?[\w' -]{1,30}(?:déplac\w{1,3}|vais|va)\b",
        r"\b(?:bikes?|biking|cycles?|cycling|bus|train|tram|metro|tube|subway|walks?|on foot"
        r"|drives?"
        r"|commut\w{1,4}|scooter|ferry|vélo|à pied|métro|voiture|déplace|trottinette)\b",
    ),
    _attribute(
        "rising",
        r"\b(?:gets?|got|wakes?|woken?) up\b|\b(?:lève|lever|lèves|réveille|réveiller)\b",
        r"\b(?:up (?:at|by|before)|wakes?|waking|gets? up|getting up|lève|réveille)\b",
    ),
    _attribute(
        "household",
        r"\b(?:live|living|share [\w' ]{1,20}) with\b|\bflat ?mates?\b|\broom ?mates?\b"
        r"|\bhouse ?mates?\b|\bcolocs?\b|\b(?:avec qui|qui)\b.{0,20}\b(?:vis|habite)\b",
        r"\b(?:(?:flat|room|house)-?mates?|colocs?|colocataires?|(?:lives?|living|moved in"
        r"|share[sd]?"
        r"|vis|habite|vit) (?:[\w' ]{1,20} )?(?:with|avec)|live alone|vis seule?)\b",
    ),
    _attribute(
        "upsets",
        r"\bwhat (?:food|foods|dish) .{1,30}\b(?:agree|heartburn|sick|ill)\b",
        r"\b(?:agree with|heartburn|makes? me (?:ill|sick)|upsets? my)\b",
    ),
)

HEALTH: Final = next(one for one in ATTRIBUTES if one.name == "health")


def attributes_asked(question: str) -> tuple[Attribute, ...]:
    """Attributes that a question asks for."""
    return tuple(one for one in ATTRIBUTES if one.asked.search(question))
