"""Phrases for endings, replacements, additions and exceptions, in English and French.

They are patterns for lower-case text. A pattern describes the language in general, never one
particular text; ``judge`` decides how much each counts.
"""

import re
from typing import Final


def _any(words: str) -> re.Pattern[str]:
    """Pattern of alternatives, one a line or separated by slashes; each ends at a word boundary."""
    phrases = [one.strip() for line in words.strip().splitlines() for one in line.split("/")]
    return re.compile(rf"(?<![\w-])(?:{'|'.join(one for one in phrases if one)})(?!\w)")


#: Something has ended.
ENDED: Final = _any(
    r"""
    no longer/not any ?more/any ?more/gone/gave up/gives up/given up/giving up/quit/quits/stopped
    dropped/drops/removed/deleted/retired/discontinued/abandoned/cancelled/canceled/closed
    disbanded/dissolved/decommissioned/switched off/turned off/shut down/powered off/taken down
    lifted/lapsed?/expired/ended/is over/was over/revoked/banned/deprecated/uninstalled/archived
    sold/left/leaves/moved out/moved away/moved to/stepped down/handed over/handed off/passed on
    frozen/locked/read-only/went away/broke up/divorced/fired/resigned/relieved/on leave
    out of the loop/out of use/out of service/out of date/obsolete/phased out/torn down/scrapped
    thrown away/got rid of/unsubscribed/withdrawn/suspended/disabled/died/passed away
    returned/replaced/superseded/migrated/migrated away/moved off/ripped out/killed/sunset
    let .{1,40} lapse/does not exist/has been emptied/were emptied/were returned/is left
    shut/shut its doors/purged/ran out/runs out/emptied/empty/no more/thrown out/wiped/unplugged
    gave back/given back/taken out/stripped/dismantled/demolished/axed/ditched/abolished/repealed
    rescinded/losing/stolen/laid off/moved on/has gone/is gone/out of print/no one uses/unused
    jetée?s?/enlevée?s?/démontée?s?/détruite?s?/perdue?s?/abolie?s?/vidée?s?/résilié/sortie? de
    ceased/wound down/put an end/has finished/is finished/called off/given away/gave away
    supprimée?s?/vendue?s?/arrêtée?s?/abandonnée?s?/fermée?s?/annulée?s?/archivée?s?/retirée?s?
    quittée?/démissionné/passé la main/n'existe plus/n'existent plus/disparue?s?/désactivée?s?
    résiliée?s?/remplacée?s?/éteinte?s?/coupée?s?/débranchée?s?/déménagé/terminée?s?/levée?s?
    ne \w{2,20} plus/n'\w{1,20} plus/plus aucune?/plus personne/mis fin/cessé/renoncé
    décommissionnée?s?
    """
)
#: What happens again and again ends nothing: "is emptied every night", "are deleted each week".
REPEATED: Final = re.compile(
    r"\b(?:is|are|gets?|being|be|will|est|sont|se fait|se font)(?: \w{2,20}){1,3}"
    r" (?:(?:every|each|chaque|tou(?:te)?s les|once an?|twice an?)(?: \w{2,20}){1,2}"
    r"|nightly|hourly|daily|weekly|monthly|yearly|annually|regularly|régulièrement)\b"
)
#: The beginning of something that has an end, and its end: two moments, not two values of one.
BEGINS: Final = _any(
    r"""
    opens?/opened/opening/starts?/started/begins?/began/check-in/arrives?/arrived/boarding
    ouvre/ouvrent/ouverture/commence/commencent/débute/débutent/arrive/arrivent
    """
)
FINISHES: Final = _any(
    r"""
    closes?/closed/closing/ends?/ended/stops?/stopped/finish(?:es|ed)?/check-out/leaves?/left
    departs?/departed/ferme/ferment/fermeture/finit/finissent/se termine/se terminent/part/partent
    """
)
#: What happened once at a moment, told soon after: "turned four yesterday".
HAPPENED: Final = re.compile(
    r"\b(?:yesterday|last night|this morning|last (?:mon|tues|wednes|thurs|fri|satur|sun)day"
    r"|(?:just )?turned (?:\d{1,3}|[a-z]{3,10}(?=$|[ .,!]*$))"
    r"|hier|ce matin|avant-hier|lundi dernier|vient d'avoir|viennent d'avoir)\b"
)
#: Something turned out badly.
BAD: Final = _any(
    r"""
    broke/breaks?/broken/hid/hides/hidden/fails?/clash(?:es|ed)?/conflicts?/lost/loses
    wrong/rots?/rotted/corrupt(?:ed|s)?/crash(?:es|ed)?/leak(?:s|ed)?/unreadable/slow(?:s|ed)?
    too slow/unstable/flaky/harm(?:s|ed)?/hurts?/damage[sd]?/bad idea/mistake/outage/incident
    made .{1,30} worse/is worse/causes?/caused/deadlock(?:s|ed)?/rejects?/rejected
    swallow(?:s|ing|ed)?
    pourri\w{0,3}/casse[rs]?/cassée?s?/échoue/perdue?s?/plante/erreurs?
    """
)
#: Something replaces something else.
REPLACED: Final = _any(
    r"""
    instead of/in place of/in lieu of/rather than/replaces/replaced/replacing/takes over from
    taken over/took over/takes over/switched to/switched from/moved to/moved from/migrated to
    migrated from/renamed to/renamed/changed to/changed from/swapped/succeeds/succeeded/supersedes
    gone to/went over to/converted to/rewritten in/ported to
    à la place/au lieu/plutôt que/plutôt qu'\w{1,20}/remplace/remplacent/remplacée?s? par
    passée?s? à/migrée?s? vers/succède/reprend/basculée?s? vers/renommée?s?
    """
)
#: Something differs from before.
CHANGED: Final = _any(
    r"""
    now/nowadays/currently/since/as of/from now on/starting/effective/following/after/at last
    turns out/actually/in fact/correction/was wrong/new/updated?/changed/moved/raised/lowered
    increased/decreased/reduced/cut/cut to/bumped/doubled/halved/extended/postponed/delayed
    brought forward/rescheduled/slips?/slipped/pushed back/upgraded/downgraded/prolonged
    shortened/one more/sooner/later than planned/will survive/stays/granted/wrote back
    this time/this year/decided/team vote/we agreed/the rule is/again/instead
    désormais/maintenant/dorénavant/depuis/finalement/à compter/dès/en fait/vérification faite
    passe à/passée?s? à/repoussée?s?/avancée?s?/reportée?s?/prolongée?s?/augmentée?s?
    réduite?s?/relevée?s?/    plutôt/nouveau/nouvelle/c'est \w+ qui
    """
)
#: Something is added to what exists.
ADDED: Final = _any(
    r"""
    also/too/as well/in addition/on top of/besides/alongside/along with/next to/additionally
    plus a/second copy/has joined/joined the/took up/takes up
    is learning/has started/mentors/on the side/both/moreover/a further/extra/as an extra
    complements?/complementing/adopted/supported too
    aussi/également/en plus/en outre/à côté de/de plus/par ailleurs/s'est mise?/ainsi que/s'ajoute
    s'ajoutent/en complément
    """
)
#: A rule has an exception.
EXCEPTED: Final = _any(
    r"""
    except/except for/exceptions?/exempt/exempted/exemptions?/exempts/derogations?/unless/waiver
    waived/excused/special case/carve-out/exclusions?/excluding/apart from/other than/spared
    the only \w{2,20} that/the only \w{2,20} which/the only \w{2,20} who/is fine/are fine/excepted
    excepts?/break-glass/in an emergency/grandfathered/whitelisted/allow-?listed/alone may/may still
    by way of/if needed/not apply to/does not apply/do not apply/not bound by/escape hatch
    opt out/opted out/on birthdays/may stay/is allowed to skip/may skip/need not/at most once
    provided that/only during
    sauf/excepté/à l'exception/exceptions?/dispensée?s?/dispense/dispensent/dérogations?
    hormis/à moins/    exonérée?s?/exemptée?s?/cas particulier/par dérogation/fait exception
    """
)
#: The text is about the past.
PAST: Final = _any(
    r"""
    until \d{4}/until (?:last|early|late|spring|summer|autumn|winter|january|february|march|april)
    until (?:may|june|july|august|september|october|november|december)
    used to/formerly/previously/back in/back then/at the time/in the past/once was/at launch
    originally/in the early days/as a child/as a student/years ago/months ago/before the
    before \d{4}/prior to/last (?:year|winter|summer|spring|autumn|month|season)/in those days
    at first/initially
    jusqu'en/jusqu'à \d{4}/auparavant/autrefois/à l'époque/avant \d{4}/avant la/avant le
    anciennement/à l'origine/au début/était/étaient/faisait/faisaient/avait/avaient/utilisait
    """
)
_MONTH = (
    "january|february|march|april|may|june|july|august|september|october|november|december"
    "|janvier|février|mars|avril|mai|juin|juillet|août|septembre|octobre|novembre|décembre"
    "|spring|summer|autumn|winter|fall|printemps|été|automne|hiver"
)
#: Verbs in the past tense.
WAS: Final = re.compile(
    r"\b(?:was|were|had|did|ran|used|worked|lived|shipped|connected|stored|played|coached|went|made"
    r"|\w{3,12}ed|a été|\w{2,12}(?:ait|aient))\b"
)
#: A period of time with an end.
SPAN: Final = re.compile(
    rf"\b(?:from|between|de|du|entre|versions?) (?:\w{{1,12}} )?"
    rf"(?:{_MONTH}|v?\d[\d.]{{0,8}})(?: \d{{4}})?"
    rf" (?:to|until|till|and|through|à|et|au) (?:{_MONTH}|v?\d[\d.]{{0,8}})\b"
    rf"|\b(?:during|throughout|all through|in|en|pendant|over|for) (?:the |la |le |l')?"
    rf"(?:(?:first|second|third|fourth|last) (?:quarter|half)|(?:\d{{4}} )?season"
    rf"|{_MONTH}|(?:19|20)\d\d)\b"
)
#: A claim about all, about none, or about the only one.
ALWAYS: Final = _any(
    "always/every/all/any/anyone/everyone/everybody/each/whatever/at any time/toujours/tous"
    "/toutes/toute/tout/chaque/n'importe"
)
NEVER: Final = _any(
    "never/no one/nobody/none/no/not anyone/not a single/nothing/under no circumstances/jamais"
    "/aucun/aucune/personne/rien/nul"
)
ONLY: Final = _any(
    "only/solely/sole/exclusively/nothing but/no one but/nobody but/just one/alone"
    "/but maintainers/anyone but/reserved to/reserved for/restricted to/limited to the/réservée?s?"
    "/seulement/seule?s?/uniquement/exclusivement"
)
#: Something may be done, must be done, or must not be done.
MAY: Final = _any(
    "may/can/could/allowed|is fine|are fine|permitted|free to|possible|optional|peut|peuvent"
    "|autorisée?s?|possible|facultati\\w{1,3}".replace("|", "/")
)
MUST: Final = _any(
    "must/has to|have to|needs?|required?|requires|mandatory|shall|should|obligatoire|doit"
    "|doivent|exige|exigent|requise?s?|faut|needs to".replace("|", "/")
)
#: Negations. Two of them in one clause cancel each other.
NEGATED: Final = _any(
    r"""
    not/no/never/nobody/none/nothing/neither/nor/without/cannot/no one/hardly/rarely/avoid/avoids
    refrain/forbidden/forbids?/prohibited/banned/disallowed/refuses?/rejects?/rejected/fails?
    sent back/turned away/bounced/blocked/off limits/intolerant/intolerance/allergic/allergy
    allergies/free of/-free/lacks?/lacking/unable/off/disabled/unencrypted/private
    unsupported/unavailable/impossible/denied/declines?/thrown away/discarded/ignored?/ignores
    stop/skips?
    skipped/dislikes?/hates?/swallowing/hid/hides/broke/breaks/closed/unused/don't/do not
    doesn't/isn't/aren't/can't
    won't/wasn't/didn't/final
    pas/jamais/aucune?/rien/sans/ni/interdite?s?/interdit de/évite[rz]?/éviter/refusée?s?/impossible
    hors/désactivée?s?/inactifs?/inactive/sobre/fermée?s?/en clair/guère
    """
)
#: Pairs of opposites. Words of one side are separated by ``+``.
OPPOSED: Final = tuple(
    tuple(frozenset(side.split("+")) for side in pair.split("/"))
    for pair in """
    always+every+everyone+all+toujours/never+nobody+none+jamais+aucun+aucune
    enable+enabled+on+active+actif+activé/disable+disabled+off+inactive+inactif+désactivé
    allow+allowed+permit+autorisé/forbid+forbidden+prohibited+banned+interdit+refused
    public/private encrypted+chiffrées+chiffrés+chiffré/unencrypted+clear+clair+plaintext
    required+mandatory+requires+require+obligatoire/optional+facultatif
    keep+keeps+kept+retain/delete+deletes+deleted+discard+discarded+remove+removed+throw+thrown
    accept+accepted+accepts/reject+rejected+rejects dark/light open/closed
    before+first+avant/after+afterwards+après prefer+prefers+use+uses/avoid+avoids
    synchronous+sync/asynchronous+async manual+manually/automatic+automatically
    early/late left/right hot/cold up/down start+starts/stop+stops add/remove
    increase+raise/decrease+lower online/offline in/out inside/outside vegetarian+vegan/meat
    married/single+divorced strict/loose+lenient cheap/expensive fast/slow more/less
    composition/inheritance tabs/spaces morning+matin/evening+soir+night+nuit
    monolith/microservices signed/unsigned cached+cache+caching/fresh+uncached
    catch+swallow+swallowing/crash+raise+propagate mock+mocking+mocks/real+sandbox+live
    dry/wet+water+watering squash/unsquashed rebase+rebased/merge+merged
    first/family+last likes+loves+enjoys/hates+dislikes with+avec/without+sans
    import/export paid+payant/free+gratuit local/remote+cloud daily/weekly/monthly
    """.split()
)
