"""Recognises temporary statements: steps of a task, worries of the moment, half sentences.

"I'm trying to fix the header" is nothing that somebody wants to be reminded of next week. A
sentence that names a day or a figure that was reached is an event, however it is phrased.
"""

import re
from typing import Final

from recollect.chat.language.sentence_subject import RELATIONS, speaks_of_family

_SPEAKER: Final = (
    r"(?:i|i'm|im|i am|i've|i have|i'd|i was|we|we're|we are|we've|we were|je|j'ai|j'étais|on)"
    r"(?: (?:am|been|have|currently|just|also|really|still|now|actually|kinda|kind of|sort of"
    r"|pretty"
    r"|quite|a bit|so|already|recently|always|suis|encore|plutôt|un peu|vraiment|ai|only))*+ ?"
)
#: Goals for one's life, as opposed to the current task.
LIFE_GOALS: Final = (
    r"(?:adopt|become|buy|climb|complete my|cut (?:down|back|out)|drink less|eat|emigrate|finish"
    r" (?:my|the) (?:[\w'-]{2,20} ){0,2}(?:licen[cs]e|degree|ph\.?d|thesis|master'?s|novel|book"
    r"|course"
    r"|training|studies)|pass my|qualify|graduate|gain|get (?:a|an|back"
    r"|married|divorced|engaged|pregnant|fit|into|out|my)|give up|go (?:back|to|vegan|part)|have"
    r" (?:a|kids|children|another)|join|learn|leave|live|lose|marry|meet|move|open|propose|publish"
    r"|quit|read more|retire|run|save|see (?:my|the)|sell|settle|sleep|speak|spend|start (?:a|my|my"
    r" own|our)|stop|study|surprise|swim|take (?:up|a)|teach|train|travel|visit|walk|work|apprendre"
    r"|arrêter|acheter|déménager|devenir|perdre|quitter|voyager)\b"
)
#: Talk about the current task, which ends with it: "I'm trying to ...", "here's my code".
_AT_WORK: Final = re.compile(
    rf"{_SPEAKER}(?:attempting|struggling|tried|having (?:some |a hard |a lot of |so much"
    rf" )?(?:trouble"
    r"|issues?|problems?|difficult\w{1,4}|time|fun)|getting (?:an?|this|the|some|these) (?:\w{2,12}"
    r" )?"
    r"(?:error|warning|message)|hoping|wondering|curious|not (?:sure|certain|clear|familiar|quite"
    r" sure"
    r"|really sure)|unsure|stuck|confused|worried|concerned|nervous|frustrated|overwhelmed|excited"
    r"|feeling|feel|felt|open to|thinking|think|guess|believe|hope|wonder|considering|looking"
    r" (?:for|to"
    r"|into|at|forward)|heard|read that|noticed|reali[sz]ed|figured|came across|come (?:up|across)"
    r"|swamped|ready to|about to|finali[sz]ing|debugging|reviewing|exploring|researching|focusing"
    r"|understand|see|know|agree|appreciate|mean|wanted to|need (?:help|some|a|an|your|more)"
    r"|(?:been )?using the following|found out|confident|convinced|getting (?:stuck|confused|there)"
    r"|can(?!'t)|could(?!n't)|should(?!n't)|must(?!n't)|had to (?:pick|choose|decide)|tend"
    r"|(?:defined|added"
    r"|implemented|included|fixed|modified|wrapped|tested|checked|refactored|configured|installed"
    r"|imported|created|set) (?:an?|the|some|my|up)|got the following|don't (?:know|understand|see"
    r"|get|think|want to)|can't (?:figure|seem|find|see"
    r"|tell|decide)|could use|working on (?:this|that|it|the|a|an|some|integrating|implementing)|me"
    r" demande|pense que|crois que|comprends pas|sais pas|arrive pas|galère|hésite)\b"
    rf"|{_SPEAKER}(?:trying|planning|aiming|working|preparing|want|would like|'d like|like|need"
    rf"|going|essaie|essaye|veux|voudrais) (?:to|de|d') ?(?!{LIFE_GOALS})(?-i:(?!my |the |a |see"
    rf" )[a-z])"
    r"|(?:here's|here is|here are|below is|this is|these are|see|attached is|voici|voilà) (?:my|our"
    r"|the|what|how|some|a|an|mon|ma|mes|le|la|ce)\b"
    r"|(?:my|our) (?:current |existing |main |next |only |first |other )?(?:question|questions|code"
    r"|codebase|function|script|implementation|query|error|config|configuration|file|problem|issue"
    r"|approach|idea|concern|thought|understanding|attempt|answer|solution|output|test"
    r"|tests|component|class|method|loop|stylesheet|css|html|calculation)\b(?! is due)"
    r"|need (?:help|some|a|an|your|more)\b"
    r"|(?:i|we|je|on)(?: [\w']{2,12}){1,4} (?:those(?: two)?|these(?: two)?|(?:this|that) one"
    r"|the two"
    r"|ces deux|celui-là|celle-là|ceux-là)[.!]?$"
    r"|(?:i|we)(?:'ve| have)? (?:just |also |already )?(?:set up|got|added|updated|fixed|changed"
    r"|used)"
    r" (?:the|this|that|it|them|these|my)(?: \w{2,20})?[.!]?$",
    re.IGNORECASE,
)
#: A figure that was reached, which is worth keeping whatever surrounds it.
_FIGURE: Final = re.compile(
    r"\b(?:reached|improved|increased|completed|secured|spent|extended|scored|added|raised|total of"
    r"|deadline of|quota of|limit of|grown|grew|dropped|went|rose|has|have|earn|saved|weigh|run"
    r"|ran)\b"
    r"(?:(?! an? ).){0,40}?\b\d",
    re.IGNORECASE,
)
#: Half a sentence, without the clause that it depends on.
_FRAGMENT: Final = re.compile(
    r"(?:if|unless|whether|when i|while i|because|although|though|after i|before i|so that|even if"
    r"|si |quand je|pendant que|parce que|however|in order to)\b(?!.{0,120},)|(?:if|unless|si) ",
    re.IGNORECASE,
)
#: Talk about the conversation that only mentions the speaker: "that really helped me".
_OF_THE_TALK: Final = re.compile(
    r"(?:that|that's|this|it|it's|these|those|ça|cela|c'est|c'était|the \w{2,30}|for"
    r" example)\b(?!.{0,80}\b(?:my|our|mon|ma|notre) (?:\w+ )?(?:"
    + RELATIONS
    + r")\b)(?!.{0,120}\b(?:i'm|i've|i am|we're|we've|je|j'|on a)\b)",
    re.IGNORECASE,
)
_LATER: Final = re.compile(r"(?:i'll|i will|i shall|we'll|we will|je vais|on va)\b", re.IGNORECASE)
_APPOINTED: Final = re.compile(
    r"\b(?:monday|tuesday|wednesday|thursday|friday|saturday|sunday)s?\b|\bnext (?:week|month|year"
    r"|spring|summer|autumn|winter)\b|\btomorrow\b|\b(?:lundi|mardi|mercredi|jeudi|vendredi|samedi"
    r"|dimanche|demain|prochaine?)\b",
    re.IGNORECASE,
)
#: A statement of today's date, which is no event.
_TODAY: Final = re.compile(
    r"\b(?:it's|it is|since it's|today is) (?:already )?[a-z]{3,9} \d{1,2}", re.I
)
_TIMED: Final = re.compile(
    r"\b(?:monday|tuesday|wednesday|thursday|friday|saturday|sunday)s?\b|\bnext\b|\btomorrow\b|\bin"
    r" (?:\d|a |two|three|four|five|six|the (?:spring|summer|autumn|fall|winter))|\b(?:from|until"
    r"|by|on"
    r"|since) (?:the )?\d|\b(?:lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche|demain"
    r"|prochaine?)\b"
    r"|\bdans (?:\d|un|deux|trois)|\bevery\b|\balways\b|\bspring\b|\bsummer\b|\bautumn\b|\bwinter\b"
    r"|\bchristmas\b|\beaster\b",
    re.IGNORECASE,
)
#: A named day, which makes a statement an event.
_DAY_SAID: Final = re.compile(
    r"\b(?:\d{1,2}(?:st|nd|rd|th)? (?:of )?|)(?:january|february|march|april|june|july|august"
    r"|september|october|november|december|janvier|février|mars|avril|mai|juin|juillet|août"
    r"|septembre|octobre|novembre|décembre)\b|\bmay \d{1,2}\b|\b\d{1,2} may\b"
    r"|\b\d{4}-\d{2}-\d{2}\b",
    re.IGNORECASE,
)

#: Forms that state nothing: "we'll see", "I'm hooked".
_IDLE_FORMS: Final = (
    r"^(?:i|we) (?:see|know|guess|think so|hope so|agree|understand|got it|love (?:it|that|this)"
    r"|like (?:it|that|this)|hate (?:it|that|this)|mean|bet|swear|can't wait|owe you|appreciate"
    r"|doubt it|don't know|dunno|have no idea|knew it|thought so|tried (?:that|it)"
    r"|did)\b[^,]{0,25}$",
    r"(?:will|would|gonna|going to) (?:hate|kill|murder|thank|love) (?:me|you)",
    r"^(?:i'll|i will|i shall|we'll|we shall) (?:have a|try|do|see|check|take|use|go with|think"
    r"|keep|give|let you|pass"
    r"|look|start with|stick|ask|be back|come back|report)",
    r"^(?:i|we|i've|we've) (?:just |totally |almost |nearly )?(?:forgot|forgotten|missed"
    r"|dropped (?:it|my|the|a)|spilled|overslept|yawned|laughed|cried|giggled)\b",
    r"^(?:i'll|i will|we'll|i'm going to|i'm gonna) \w{2,15} (?:it|that|this|them|you|those"
    r"|these)\b",
    r"^(?:i|we) (?:really |so |just |badly |desperately )?(?:need|want) (?!to\b)\w+(?: \w+)?$",
    r"^(?:i'm|im|i am|we're|we are) (?:planning|going|gonna|about)\b.{0,60}\b(?:tonight|today|now"
    r"|later|this (?:morning|afternoon|evening))",
    r"^(?:i'm|im|i am|i was|we're|we were|i) (?:also |just |still |kinda |really )?(?:wondering"
    r"|wonder)\b",
    r"^(?:i|we) (?:also |just |really )?want to (?:know|understand|see|make sure)\b",
    r"^(?:i|we) (?:think i |now |kind of |totally )?get (?:the (?:gist|idea|concept|point)|it"
    r"|that)\b",
    r"^(?:hopefully|my background|i want to learn$)",
    r"^for (?:the|your|all|that|this|[a-z]{3,15}ing)\b[^,]{0,200}$",
    r"^(?:let me|lemme)",
    r"(?:made|makes|make|saved|saves) my (?:day|life|week|evening|night)",
    r"in my head",
    r"^good luck to",
    r"^(?:hang on|hold on|one sec|one second|wait|bear with me|attends|deux secondes|une seconde)\b"
    r".{0,12}\b(?:let me|lemme|i'll|i need to|i have to|je (?:regarde|vérifie|cherche))\b",
    r"^(?:every|each|all|toute?s?) [\wà-ÿ-]{2,15} (?:needs?|has|have|should|a besoin"
    r"|ont)\b[^,]{0,20}$",
    r"^(?:took|takes|only took) (?:me )?(?:\d{1,3}|ten|five|two|ages|an?|forever)\b[^,]{0,20}(?:,"
    r" \w{2,12})?$",
    r"^(?:moins|plus|pas plus) de \d{1,6}\b.{0,20}\bsi possible",
    r"^(?:under|less than|max|at most) \d{1,6}\b.{0,30}\b(?:if possible|please|max)\b",
    r"i swear(?: to god)?$",
    r"^(?:i'm|im|i am|we're) (?:so |just |really |very |not |quite |all |a bit )?(?:back"
    r"|sorry|kidding|joking|confused|lost|curious|wondering|bored|tired|ready|done|good|fine|okay"
    r"|sure|hooked|impressed|sold|glad|happy (?:with that|now)|laughing|dying|crying|off|stuck"
    r"|in a hurry|listening|excited|here|all ears|starving|hungry|exhausted)\b[^,]{0,25}$",
    r"(?:thank|thanks|merci)",
    r"^(?:heureusement|dommage|tant mieux|tant pis)",
    r"^(?:j'en|je n'en) (?:peux|ai) plus\b",
    r"^je (?:vois|comprends|rigole|plaisante|sais pas|ne sais pas|te remercie|vais (?:essayer"
    r"|tester|voir|regarder|faire ça|prendre|y réfléchir))",
    r"^j'(?:adore|aime bien)(?: ça)?$",
    r"^on (?:verra|va voir|fait ça|essaie)",
    r"^ça (?:me |m')",
    r"(?:bless|love|owe) you",
    r"^(?:so |totally |a bit |just )?(?:bored|tired|exhausted|knackered|starving|hungry|freezing"
    r"|sleepy|fed up|stressed|hungover|shattered|drained|crevée?|fatiguée?|naze)\b",
    r"^(?:i'm|im|i am|je suis) (?:such |totally |literally |basically )?(?:an? |une? )(?:total "
    r"|complete |absolute |bloody |vraie? )?(?:genius|idiot|moron|legend|mess|disaster|zombie|wreck"
    r"|machine|fool|star|goddess|king|queen|hero|beast|fraud|clown|génie|idiote?|boulet|légende)\b",
    r"^(?:my bad|oh my|my god|my goodness|mon dieu|ma parole)",
    r"^(?:my|our|mon|ma|mes) (?:[\w'-]{2,20} ){1,3}(?:is|are|was|'s|est|sont) (?:such |so |just"
    r" |totally |literally |really |vraiment |trop )?(?:an? |une? |the )?(?:total |complete "
    r"|absolute |real |bit of a |vraie? )?(?:disgrace|mess|joke|disaster|nightmare|mush|toast"
    r"|fried|shambles|wreck|useless|rubbish|hopeless|a lost cause|killing me|melting|spinning"
    r"|on fire|all over the place|elsewhere|gone today|catastrophe|cata|honte|en vrac|en compote"
    r"|ailleurs|nulle?s?)\b",
    r"^je suis (?:trop |vraiment |complètement |un peu |tellement |si )?(?:crevée?|fatiguée?|morte?"
    r"|naze|ko|débordée?|paumée?|perdue?|dégoûtée?|pressée?|prête?|là|de retour|à l'ouest"
    r"|à côté de|dans le coltard|au bout|pas là|bête|nulle?)\b[^,]{0,40}$",
    r"^(?:i'm|im|i am) (?:so |a bit |all |totally |completely |just |really |half )(?!vegan"
    r"|vegetarian|allergic|deaf|blind|[A-Z])[^,]{3,40} (?:today|tonight|right now|this morning)$",
)
_IDLE: Final = re.compile(rf"\b(?:{'|'.join(_IDLE_FORMS)})\b", re.IGNORECASE)


def is_temporary(plain: str) -> bool:
    """Whether a sentence is only about what is going on right now."""
    if _DAY_SAID.search(_TODAY.sub(" ", plain)) or _FIGURE.search(plain):
        return False
    if _AT_WORK.match(plain) or _FRAGMENT.match(plain) or "`" in plain:
        return not _APPOINTED.search(plain) or "`" in plain
    if _LATER.match(plain):
        return not _TIMED.search(plain)
    of_the_talk = _OF_THE_TALK.match(plain) and not speaks_of_family(plain)
    return bool(of_the_talk) and not _TIMED.search(plain)


def is_idle(plain: str) -> bool:
    """Whether a sentence has a form that states nothing: "we'll see", "I'm hooked"."""
    return _IDLE.search(plain) is not None
