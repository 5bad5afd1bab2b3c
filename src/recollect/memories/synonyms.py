"""Synonyms and stop words in what people say about themselves.

A vector cannot tell "tea" from "coffee" or "Lyon" from "Paris": siblings are as near as synonyms.
So interchangeable words are listed here, and all others must match exactly.
"""

from typing import Final

#: Each line is one meaning; the first word represents it.
_SAME: Final = """
favourite favorite best preferred
colour color
film movie films movies
mother mum mom mama
father dad papa
write author writer
like enjoy love fond adore interested interest interests fan
hate detest loathe dislike cannotstand
prefer rather
live living lives reside resides dwell
work job works working employed
study studied studies degree
begin start started begins began beginning starts
stop quit stopped quitting ended finish finished cease
learn learning learnt study
remind reminder reminders
meet meeting meets met appointment appointments
drive driving driver car
licence license
house home
flat apartment
child kid
train training trains
run running ran runs jog
hike hiking hikes
swim swimming
wake awake getup
sleep gotobed
expire expires runout expired
afraid scared scare scares fear fears
suffer suffers
allergy allergic
intolerant intolerance
answer answers reply replies response responses
short brief concise
slow
deadline due
budget
reset resets wiped
deploy deploys deployment release releases frozen
plane planes flying fly flight flights
vegetarian végétarien végétarienne
trip journey travel
married marry marries wedding
baby
save saving saved putaside
birthday birth born
commute commutes
phone telephone
lose losing
kilometre kilometer km kilometres kilometers
"""

#: Words that carry little: that something is called, had, done, or done now.
LIGHT: Final = frozenset(
    """
    name named called call is was be been being have has had having get gets got getting go goes
    going went take takes taking make makes making do does doing use uses using used keep keeps
    want wants wish would could should will shall may might can currently current moment now today
    usually normally generally always ever everywhere often really very definitely quite please
    there where what who which that this these those it its one something anything thing things
    city year years old place person people part kind sort each every per time times last digits
    end ends favourite like goal see database support plan plans planning need needs must know
    known tell told say says
    remember note mind instead rather than over also too still just own lot lots around about
    pay pays cost costs eat eats drink play plays player wear wears suffer suffers speak speaks
    am pm hr hours o clock currently exactly simply enough well much many music wedding indent
    mon ma mes est sont suis ai appelle s'appelle m'appelle nom boire plutôt depuis h
    """.split()
)


#: Irregular forms; the base word stands first.
_IRREGULAR: Final = """
arise arose arisen/bear bore borne/beat beaten/become became/begin began begun/bend bent
bind bound/bite bit bitten/bleed bled/blow blew blown/break broke broken/bring brought
build built/burn burnt/buy bought/catch caught/choose chose chosen/come came/deal dealt/dig dug
draw drew drawn/dream dreamt/drink drank drunk/drive drove driven/eat ate eaten/fall fell fallen
feed fed/feel felt/fight fought/find found/flee fled/fly flew flown/forget forgot forgotten
forgive forgave forgiven/freeze froze/give gave given/grow grew grown/hang hung/hear heard
hide hid hidden/hold held/keep kept/know knew known/lay laid/lead led/lean leant/leap leapt
leave left/lend lent/light lit/lose lost/mean meant/meet met/mow mown/pay paid/ride rode ridden
ring rang rung/rise rose risen/run ran/sell sold/send sent/sew sewn/shake shook shaken
shine shone/shoot shot/show shown/shrink shrank/sing sang sung/sink sank/sit sat/sleep slept
slide slid/smell smelt/speak spoke spoken/spell spelt/spend spent/spill spilt/stand stood
steal stole stolen/stick stuck/sting stung/strike struck/swear swore sworn/sweep swept
swim swam swum/swing swung/teach taught/tear tore torn/tell told/think thought
throw threw thrown/understand understood/wake woke woken/wear wore worn/weave wove woven/win won
wind wound/write wrote written/child children/man men/woman women/foot feet/tooth teeth
mouse mice/goose geese/half halves/knife knives/life lives/leaf leaves/wife wives/shelf shelves
wolf wolves/person people
"""


def _table() -> dict[str, str]:
    same = {word: line.split()[0] for line in _SAME.strip().splitlines() for word in line.split()}
    irregular: dict[str, str] = {}
    for line in _IRREGULAR.replace("\n", "/").split("/"):
        base, *forms = line.split() or [""]
        if base not in LIGHT:  # "paid" says more than "pay" does
            irregular |= {form: same.get(base, base) for form in forms}
    return {**irregular, **same}


CANONICAL: Final = _table()

_NUMBERS: Final = """
zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen
sixteen seventeen eighteen nineteen twenty
""".split()
_FRENCH_NUMBERS: Final = """
zéro un deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize
""".split()
NUMBERS: Final = {
    **{word: str(number) for number, word in enumerate(_FRENCH_NUMBERS) if number > 1},
    **{word: str(number) for number, word in enumerate(_NUMBERS) if number > 1},
    **{"twice": "2", "second": "2", "third": "3", "fourth": "4", "fifth": "5", "half": "0.5"},
    **{"thirty": "30", "forty": "40", "fifty": "50", "hundred": "100", "thousand": "1000"},
}

#: Owners and negations: on one side only, they make it another claim.
DECISIVE: Final = frozenset(
    """
    mother father sister brother daughter son wife husband cousin uncle aunt grandmother grandfather
    grandma grandpa friend colleague boss neighbour partner girlfriend boyfriend mère père soeur
    sœur frère fille fils femme mari cousine oncle tante
    hate stop cancel cancelled canceled fail failed next tomorrow yesterday former ex moved
    """.split()
)

#: Texts that differ only in these are opposites.
OPPOSITES: Final = frozenset(
    frozenset(pair.split("/"))
    for pair in """
    like/hate begin/stop with/without left/right long/short dark/light lose/gain buy/sell
    bought/sold morning/night morning/evening before/after start/stop love/hate son/daughter
    husband/wife mother/father brother/sister second/minute begin/end open/close arrive/leave
    arrive/depart enable/disable lend/borrow pass/fail win/lose push/pull import/export give/take
    upload/download send/receive hire/fire accept/reject allow/forbid lock/unlock add/remove
    increase/decrease rise/fall raise/lower north/south east/west small/large small/big little/big
    cheap/expensive early/late hot/cold warm/cold wet/dry full/empty old/new old/young front/back
    top/bottom breakfast/dinner breakfast/lunch lunch/dinner spring/autumn summer/winter
    """.split()
)

#: Pairs of opposite function words; a claim has at most one of a pair.
CONTRASTS: Final = tuple(
    tuple(frozenset(side.split("+")) for side in pair.split("/"))
    for pair in """
    before+until/after+since up/down more/less+fewer most/least first/last above/below over/under
    inside/outside in/out on/off ends+end/starts+start+begins+begin earlier/later with/without
    best/worst max/min true/false left/right upper/lower maximum/minimum only/never avant/après
    plus/moins
    """.split()
)
