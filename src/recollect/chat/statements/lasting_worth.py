"""Whether a statement is worth an entry for months, and which part of its sentence belongs to it.

A statement is worth an entry when it holds a person, a date, a figure with the thing it counts, a
preference, a decision, a relation or a lasting circumstance. A step of a task ("I've added the
header") needs a date, a person or a result. Words that only frame the statement ("I'm worried about
..., especially since my draft ...") and the request that follows are not part of it.
"""

import re
from typing import Final

from recollect.chat.language.attributes import ATTRIBUTES, HEALTH
from recollect.chat.language.sentence_subject import relations_in, speaks_of_family
from recollect.chat.language.temporary_statements import LIFE_GOALS

_MONTH: Final = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|march|april|june|july|aug(?:ust)?|sept(?:ember)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?|janvier|février|mars|avril|mai|juin|juillet|août|septembre"
    r"|octobre|novembre|décembre)"
)
_SELF: Final = (
    r"(?:i|i'm|im|i am|i've|i have|i'd|i was|we|we're|we are|we've|we have|we were|je|j'ai|on)"
    r"(?: (?:also|just|already|currently|recently|now|really|still|actually|have|had|been|kinda"
    r"|finally|even|only|mainly|initially|successfully|so far|am|was))*+ "
)
#: Words for the time of something.
DATED: Final = re.compile(
    rf"\b{_MONTH}\b|\bmay \d{{1,2}}\b|\b\d{{1,2}}(?:st|nd|rd|th)? may\b|\b(?:19|20)\d{{2}}\b"
    r"|\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b|\b(?:lundi|mardi|mercredi|jeudi|vendredi"
    r"|samedi|dimanche|demain|hier)s?\b|\b(?:tomorrow|yesterday|tonight|ago|birthday|christmas"
    r"|easter|spring|summer|autumn|winter|printemps|été|automne|hiver|noël)\b|\bnext (?:week|month"
    r"|year|term|semester)\b|\blast (?:week|month|year|night)\b|\bil y a\b|\b(?:semaine|mois"
    r"|année) (?:prochaine?|dernière?)\b|\bin (?:a|two|three|four|five|six|\d{1,3}) (?:day|week"
    r"|month|year)s?\b|\bsince (?:i|my|we|\d|last)\b|\b\d{1,2} ?(?:am|pm)\b|\b\d{1,2}h\d{0,2}\b",
    re.IGNORECASE,
)
#: A figure with the thing it counts.
COUNTED: Final = re.compile(
    r"(?:[$€£] ?\d[\d,.]{0,12}|\b\d[\d,.]{0,12} ?(?:%|percent|euros?|dollars?|pounds|k\b|[a-zà-ÿ]"
    r"{3,20})|\b\d{1,3}-(?:year|month|week|day|hour)|\b\d{1,3} ?/ ?\d{1,3}\b|\b(?:two|three|four"
    r"|five|six|seven|eight|nine|ten|eleven|twelve|twenty|deux|trois|quatre|cinq|six|sept|huit"
    r"|neuf|dix) [a-zà-ÿ-]{3,20}|\b[a-zà-ÿ]{4,20} \d{2,12}\b)",
    re.IGNORECASE,
)
_RESULT: Final = re.compile(
    r"\b\d[\d,.]{0,8} ?(?:%|percent)|\bfrom (?:about |around )?[$€£]?\d.{0,30}\bto [$€£]?\d"
    r"|\b(?:reached|completed|solved|scored|gathered|finished|achieved|earned|saved|submitted"
    r"|published|raised|reduced|cut|passed|increased|improved|extended|dropped|grew|corrected"
    r"|logged|read)\b.{0,40}?\b\d|\b(?:new|now|daily|weekly|monthly|annual|current)\b.{0,40}?\b\d",
    re.IGNORECASE,
)
_TASTE: Final = re.compile(
    r"\b(?:prefer\w{0,4}|preference|love|loves|hate|hates|like|likes|dislike\w?|enjoy\w{0,3}"
    r"|fan of"
    r"|favou?rite|fav|rather|can't stand|allergic|afraid|scared|always|never|usually|every"
    r"|each|often|rarely|hardly|tend to|used to|into|interested in|passionate|obsessed|addicted"
    r"|adore|aime|aimes|déteste|préfère|préférée?|toujours|jamais|chaque|souvent|passionnée?"
    r"|values?|believe in|good at|bad at|terrible at|keen|habit)\b",
    re.IGNORECASE,
)
_DECIDED: Final = re.compile(
    r"\b(?:decided|decision|chose|chosen|opted|agreed|settled on|committed|accepted|declined"
    r"|rejected|turned down|signed|switched|switching|moved|moving|quit|joined|joining|started"
    r"|starting|stopped|gave up|giving up|promised|booked|bought|sold|adopted|enrolled"
    r"|applied (?:to|for)|hired|promoted|offered|planned|plan to|planning to|plan is|goal"
    r"|aim|aiming|deadline|due"
    r"|saving (?:up )?for|training for|going to|got (?:a|an|my|the|married|engaged|divorced)"
    r"|cancelled|canceled|postponed|no longer|anymore|lost|won|broke|failed|passed|graduated"
    r"|retired|décidé|choisi|accepté|refusé|signé|réservé|acheté|vendu|arrêté|commencé|quitté"
    r"|annulé|inscrite?|déménag\w{1,4}|objectif|prévu)\b",
    re.IGNORECASE,
)
_CIRCUMSTANCE: Final = re.compile(
    r"\b(?:i'm|im|i am|we're|we are|he's|she's|he is|she is|je suis|on est|is|are|est) (?:an?|the"
    r"|une?|le|la|from|based|called|named|married|single|divorced|retired|pregnant|self-employed"
    r"|left-handed|allergic|originally|half|in charge|responsible|(?-i:[A-ZÀ-Þ])\w)"
    r"|\b(?:i|we|j'ai|je|on|he|she) ?(?:'ve got|have|own|has|got|speak|play|run|live|lives|work"
    r"|works|study|studies|teach|teaches|drive|grow|collect|eat|drink|smoke|wear|keep|need|take"
    r"|sleep|commute|parle|joue|habite|travaille|prends|mange|bois|fume) |\bj'(?:ai|habite|étudie"
    r"|enseigne)\b|\b(?:i'm|im|i am|we're|je suis) (?:on|in|at|en|chez|à) (?-i:[A-ZÀ-Þ])"
    r"|\bcall me\b|^(?:i|we|je|on) (?:\w{2,12}ly )?(?!need|want|think|guess|see|know|understand"
    r"|hope|wonder|agree|mean|can|could|should|would|will|did|was|were|had|have|am|get |got "
    r"|try|use|veux|pense|sais|vais"
    r"|peux)[a-zà-ÿ]{3,15}(?<!ed)(?<!ing) "
    r"|\bmy (?:name|address|phone|number|email|budget|size|blood|flat"
    r"|house|apartment|car|bike|salary|rent|team|company|school|university|mon|ma)\b|\b(?:mon"
    r"|ma|mes|notre|nos) \w",
    re.IGNORECASE,
)
#: Steps of the current task, which need more than their topic to be worth keeping.
_STEP: Final = re.compile(
    rf"{_SELF}(?:us(?:e|ed|ing)|r[au]n(?:ning)? (?:into|the|this|a)|implement\w{{0,3}}|add(?:ed"
    r"|ing)?|fix(?:ed|ing)?|install\w{0,3}|enabl\w{1,3}|check(?:ed|ing)?|configur\w{1,3}|set(?:ting"
    r")? up|test(?:ed|ing)?|creat(?:ed|ing)|wr(?:ote|itten|iting)|measured|calculat\w{1,3}|got|get"
    r"|getting|noticed|noticing|identified|managed to|confirmed|experiencing|seeing|saw|develop\w"
    r"{0,3}|includ\w{1,3}|updat\w{1,3}|tagged|applied|apply|appl(?:ies|ying)|practic\w{1,3}|review"
    r"\w{0,3}|compar\w{1,3}|evaluat\w{1,3}|made|make|making|had|have (?:two|three|this|these"
    r"|the|some|an?)|multipl"
    r"\w{1,4}|divid\w{1,3}|subtract\w{0,3}|need(?:ed)? to|want(?:ed)? to|would like to|like to"
    r"|monitor\w{0,3}|clean\w{0,3} up|integrat\w{1,3}|optimi[sz]\w{1,3}|working on|focus\w{0,3}"
    r"|figur\w{1,3}|consider\w{0,3}|explor\w{1,3}|stud(?:ied|ying)|introduced|thought|followed"
    r"|tried|trying|attempt\w{0,3}|structured|listed|included|defined|found|keep getting|seem)\b",
    re.IGNORECASE,
)
_NEVER: Final = re.compile(r"\b(?:never|always|prefer\w{0,4}|jamais|toujours)\b", re.IGNORECASE)
_MIGHT: Final = re.compile(
    r"(?:my|our|the) (?:[\w'%,.-]{1,20} ){1,18}?(?:might|may|could|should) (?:not |also |be )?\w",
    re.I,
)
_WANTS_DONE: Final = re.compile(
    r"(?:i|we)(?:'d| would)? (?:also |just |really |definitely )?(?:want|like|need|wanna|plan|hope)"
    r" (?:to )?(?!be\b)[a-z]|(?:my|our|the) (?:main |current |next |overall )?(?:goal|aim|plan"
    r"|idea|focus"
    r"|objective|intention) (?:is|was|here is)\b|(?:i|we)(?:'ll| will)\b|(?:i'm|we're|i am|we are)"
    r" (?:also |just |really |currently )?(?:aiming|leaning|planning|hoping|going|looking) (?:to"
    r"|for"
    r"|towards?)\b|(?:i|we) (?:think|guess|believe|feel like|suppose)\b",
    re.IGNORECASE,
)
_BY_WHEN: Final = re.compile(
    rf"\b(?:by|before|until|on|from|starting|in|at|avant|le|dès) (?:the )?(?:\w{{3,10}} )?(?:\d"
    rf"|{_MONTH}"
    r"|(?:mon|tues|wednes|thurs|fri|satur|sun)day|tomorrow|tonight|next|end of|summer|winter|spring"
    r"|autumn)",
    re.IGNORECASE,
)
_PIECE_OF_WORK: Final = re.compile(
    r"(?:my|our|the|this) (?:[\w'-]{2,20} ){0,3}?(?:answers?|app|application|article|card|chapter"
    r"|cover"
    r" letter|cv|dashboard|database|diagram|document|draft|email|essay|feature|form|formula|gallery"
    r"|layout|letter|library|list|module|outline|page|paper|paragraph|plan|portfolio|post"
    r"|presentation"
    r"|project|proposal|prototype|report|resume|résumé|server|setup|site|slides|statement|summary"
    r"|system|table|thesis|title|website|workflow) (?:is|are|was|has|have|had|needs?|should|will"
    r"|won't"
    r"|includes?|looks?|uses?|already|currently)\b",
    re.IGNORECASE,
)
_OF_CODE: Final = re.compile(
    r"\b(?:api|app|backend|bootstrap|browser|bug|button|cache|caching|cdn|cli|code|column|commit"
    r"|component"
    r"|config\w{0,8}|css|debug\w{0,4}|deploy\w{0,5}|endpoint|error|event listener|fetch|flask"
    r"|form|frontend"
    r"|function|git|html|http|implementation|index|javascript|js|json|jwt|library|loop|middleware"
    r"|modal"
    r"|module|navbar|npm|orm|parameter|query|react|regex|repo\w{0,6}|request|response|route"
    r"|schema|script"
    r"|server|sql\w{0,8}|stylesheet|template|test suite|unit tests?|url|validation|variable)s?\b",
    re.IGNORECASE,
)
_HAS_OR_DOES: Final = re.compile(
    rf"{_SELF}(?:got|have|had|use|using|need|want|work\w{{0,3}} (?:on|with)|include\w?"
    rf"|get\w{{0,4}})\b"
    r"|(?:i|we)(?:'ve| have) [a-z]{3,15}(?:ed|t)?\b|(?:i|we) (?:have|use|got|need)\b",
    re.IGNORECASE,
)
#: Something that somebody has to do and wants to be reminded of.
_OWED: Final = re.compile(
    r"\b(?:remind me|don'?t let me forget|mustn'?t forget|must not forget|rappelle-(?:le-)?moi"
    r"|faut pas"
    r" que j'oublie|ne me laisse pas oublier)\b|^(?:i've got to|i have to|i need to|i must|i gotta"
    r"|we have to|we need to|je dois|il faut que je|faut que je|on doit)\b.{3,80}\b(?:by|before"
    r"|until"
    r"|avant|d'ici) (?:then|the (?:end|summer|wedding|trip|move|holidays)|(?:la fin"
    r"|les vacances))\b",
    re.IGNORECASE,
)
_GOAL: Final = re.compile(
    rf"(?:i|we|je|on) (?:really |just |still |also )?(?:want|hope|plan|intend|aim|veux|voudrais"
    rf"|espère) (?:to |de |d')?{LIFE_GOALS}",
    re.IGNORECASE,
)
#: Phrases that say nothing by themselves.
_EMPTY: Final = re.compile(
    r"\\|[\u00b2\u00b3\u221a^]|\d ?[=+*\u00d7\u00f7\u2212] ?\(?\d|[=] ?[\d(]|\(\d{1,4}/\d{1,4}\)|°"
    r"|\b(?:good handle|makes sense|starting point|on the right track|let me know"
    r"|get the (?:gist|idea)|ring a bell)\b"
    r"|^(?:to|given|considering|based on|using|with|for) [^,]{3,200}, (?:i|we|it|here)\b"
    r"|^for (?:your|all|[a-z]{3,15}ing (?:me|this|that|it|us)|the (?:help|examples?|reminder|tips?"
    r"|advice|explanation|clarification|suggestions?|feedback))\b"
    r"|^(?:which|given|considering)\b|\b(?:i|we)(?:'d| would) (?:also |really )?(?:love|like"
    r"|appreciate) (?:some|an?|your|if|any|more|to (?:see|know|understand|get|hear|have|learn"
    r" more))\b|^(?:they|these|those|that|it) (?:seem|sound|look|help|are|is|was|will)\b"
    r"|\b(?:we|i) (?:should|need to|have to|must|would|could) (?:also )?(?:consider|use|multiply"
    r"|add|divide|calculate|balance|solve)\b|\blike this$|\bthe following\b|\bfrom scratch\b"
    r"|\b(?:started|begun|starting|began) (?:off )?with (?:the|a|some)\b"
    r"|\b(?:as|like) you (?:said|instructed|mentioned|suggested|asked|recommended|advised|told)\b",
    re.IGNORECASE,
)
#: Facts behind a question: "I'm trying to understand how my score rose".
_OF_MINE: Final = re.compile(
    r"(?: [a-z]{2,12}){0,3}? (?:how|why|that|whether|if|about|what) (?=(?:my|our|i've|we've"
    r"|(?:i|we) (?!(?:did|do|can|could|should|would|might|will|am|was)\b)[a-z]{2,20})\b)",
    re.IGNORECASE,
)
#: Wondering, weighing or wishing, which states nothing by itself, even if a day is named.
_WONDERS: Final = re.compile(
    rf"{_SELF}(?:trying to (?:decide|figure|understand|determine|see|find|know|learn|get|make sure"
    r"|grasp|wrap)|wondering|curious|confused|stuck|unsure|torn|debating|deciding|not (?:quite "
    r"|really"
    r" |so |entirely )?(?:sure|certain|clear)|wanna (?:know|see|make|understand|learn)|want to"
    r" (?:know|understand|make sure|ensure|see|be sure|learn more|double-check|confirm|avoid)|would"
    r" like to (?:know|understand|see|get)|like to (?:know|understand|see|get|compress|add)|hoping"
    r" (?:to|you|for)|looking for (?:advice|tips|ideas|help|feedback|suggestions|guidance|ways)"
    r"|(?:still )?thinking (?:about|of) (?:how|whether|what|if|the|my)|having (?:trouble"
    r"|a (?:hard|tough) time|issues"
    r"|difficulty)"
    r"|need to (?:make sure|understand|know|figure|ensure|decide)|worried|nervous|anxious|concerned"
    r"|(?:been )?told that|heard that|read that|understand that|struggling|(?:think|guess|believe)"
    r" (?:i'll|i should|i will|i might|i'd|it|that|this|we)|leaning|definitely (?:will|going))\b"
    r"|(?:i'll|i will) definitely\b"
    r"|here(?:'s| is| are)\b|(?:this|that|it) (?:is|was|seems|looks)\b",
    re.IGNORECASE,
)
#: A fact inside a sentence that otherwise only wonders.
_FACT_THAT: Final = re.compile(
    r"\b(?:the fact that|(?:worried|concerned|nervous|anxious|glad|proud|happy|excited|grateful"
    r"|relieved|noticed|found|realized|realised) that|reali[sz]ed|noticed) "
    r"(?=(?:i|i've|i'm|we|we've|my|our)\b)",
    re.IGNORECASE,
)
#: "..., which has recently improved to 250ms": the noun, and the statement about it.
_WHICH: Final = re.compile(
    r"\b((?:the|my|our) (?:[\w'/.-]{1,25} ){1,10}?(?:[\w'/.-]{1,25})),? which (?=(?:has|have"
    r"|is now|are now"
    r"|was|were|now|recently|currently|went)\b[^,]{0,120}?\d)",
    re.IGNORECASE,
)
#: "... to reflect the new daily quota of 1,200 calls per day".
_NEW_VALUE: Final = re.compile(
    r"\b(?:the|my|our|a) (?:new|updated|revised|current|increased|extended) (?:[\w'/-]{2,25} ){1,4}"
    r"(?:of|is|to|at) [^,.;]{0,20}?\d(?:[^,;]|,(?=\d{3})|, (?=\d{4})){0,60}",
    re.IGNORECASE,
)
#: Words that only frame the statement after them.
_FRAME: Final = re.compile(
    rf"{_SELF}(?:trying to|wondering|worried|nervous|anxious|stressed|confused|stuck|struggling"
    r"|curious|not (?:quite |really |so )?sure|unsure|feeling|hoping|looking (?:for|to|into)"
    r"|thinking|considering|want to (?:know|understand|make sure|ensure|see|improve|learn)"
    r"|would like to know|like to know|need to (?:make sure|understand|know|figure)|concerned"
    r"|having (?:trouble|a (?:hard|tough) time|issues)|excited|relieved|frustrated|overwhelmed"
    r"|torn)\b",
    re.IGNORECASE,
)
_BECAUSE: Final = re.compile(
    r"[, ] ?(?:especially (?:since|because|given that|now that|as|considering)|particularly since"
    r"|now that|given that|considering that|considering|since|because|seeing as|as) "
    r"(?=(?:i|i'm|i've|my|we|we've|our|the|it's been|[a-z]{3,20} (?:and i|is|has|said|suggested"
    r"|shared|told|mentioned|gave|offered|recommended|thinks|wants|asked|agreed|joined|reviewed))"
    r"\b)",
    re.IGNORECASE,
)
#: Start of a request after a statement.
_THEN_ASKS: Final = re.compile(
    r"[,;:]? ?(?:\b(?:and|so|but|then|or) )?(?:also )?(?:\b(?:can|could|would|will) you\b"
    r"|\bwill (?:this|that|it)\b|\bplease\b|\blet me know\b|\bhelp me\b|\b(?:was|is"
    r"|would) (?:that|this|it) (?:a|be|the|ok"
    r"|okay|right|good)\b|\bshould i\b|\bhow (?:can|do|should|would|could|might|to)\b|\bwhat (?:can"
    r"|do|should|would|is|are|if)\b|\bhere's\b|\bhere is\b|\bhere are\b|\bif there (?:are|is) any"
    r"\b|\bif you (?:can|could|have|know)\b|(?<=and )(?:provide|give|show|explain|suggest|tell"
    r"|include an|write|list|recommend)\b|(?<=also )(?:provide|give|show|explain|suggest)\b"
    r"|\b(?:so|and now|now) (?:now )?(?:i|we)(?:'m| am|'re)? (?:just |now )?(?:want|trying|looking"
    r"|would like|a bit|starting from|need to (?:implement|make|ensure|figure|add|fix|know|find"
    r"|understand|write|improve))\b|\bso (?:go easy|make|keep|use|don't|be|help|show)\b"
    r"|\bany (?:tips|advice|ideas|suggestions)\b|\b(?:i'm|i am) (?:just |kinda |also )?(?:wondering"
    r"|curious|not sure)\b|\bdo you\b)",
    re.IGNORECASE,
)
_TAIL: Final = re.compile(
    r"[ ,;:-]{1,3}(?:and|so|but|or|also|however|then|because|since)?(?: now)?[ ,;:.-]{0,3}$", re.I
)
_PERSON_NAMED: Final = re.compile(
    r"\b(?:with|by|from|for|and|met|told|called|named|to|avec|par|pour|chez) [A-ZÀ-Þ][a-zà-ÿ]{2,20}"
    r"(?:'s)?\b|^[A-ZÀ-Þ][a-zà-ÿ]{2,20}(?:'s| is| has| was| will)\b|\b[A-ZÀ-Þ][a-zà-ÿ]{2,20}'s\b",
    re.UNICODE,
)
_UNWELL: Final = re.compile(r"\bgets? (?:\w{3,12} )?\w{0,5}sick\b|\bheadaches?\b", re.IGNORECASE)
_FEWEST: Final = 4
#: A worry or a wish of the moment, which ends with the task that it is about.
_FEELS: Final = re.compile(
    rf"{_SELF}(?:(?:feel|feeling|felt|getting|a|bit|little|kinda|so|pretty|very|quite|some|too"
    r"|kind of|sort of) ){0,4}(?:worried|stressed|nervous|anxious|overwhelmed|stuck|confused"
    r"|frustrated|concerned|torn|unsure|lost|behind|swamped|struggling)\b|(?:worried|nervous"
    r"|stressed|anxious) (?:that|about|i)\b|(?:i|i'm|im|we|we're) (?:am |are |just |really "
    r"|still )?(?:feel|feeling|felt)"
    r" (?:\w{2,10} ){0,2}(?:encouraged|motivated|confident|validated|relieved|inspired|good|great"
    r"|proud|hopeful|better|bad|guilty|tired|lost|energi[sz]ed|ready)\b",
    re.IGNORECASE,
)
_TRIES: Final = re.compile(
    rf"(?:{_SELF})?(?:(?:trying|aiming|looking|hoping|working|wanting) (?:to|on) |looking (?:for"
    r"|forward)|(?:just |really )?(?:want|wanna) to (?:make sure|know|see|understand|check)|heard\b"
    r"|(?:got|have) (?:the|this|these|some|a few|an? (?:list|set|bunch|table|file|couple) of) "
    r"|(?:calculated|computed|worked out|measured) (?:the|an?|my|that) )",
    re.IGNORECASE,
)
#: A noun phrase without a statement: "my project's scope and timeline".
_NOUNS_ONLY: Final = re.compile(
    r"(?:my|our"
    r"|the) (?:[\w-]{2,20}'s )?(?:[\w-]{2,20} ){0,3}?[\w-]{2,20}(?: and [\w-]{2,20}){0,2}$",
    re.IGNORECASE,
)
_SAYS_SOMETHING: Final = re.compile(
    r"\b(?:is|are|was|were|has|have|had|will|can|won't|isn't|needs?|wants?|lives?|works?|\w{2,15}ed"
    r"|got|goes|went|made|makes|\d{1,6})\b",
    re.IGNORECASE,
)
#: An exercise, whose figures nobody will ask for again.
_OF_SCHOOL: Final = re.compile(
    r"\b(?:triang\w{2,7}|angles?|sides? of|hypotenuse|equations?|polynomial|integral|derivative"
    r"|matrix|vectors?|radius|perimeter|dice|die|coins? toss|card draw|marbles?|fractions?)\b",
    re.IGNORECASE,
)


def unframed(words: str) -> str:
    """A statement without the worry or wish around it, and without the request that follows."""
    asks = _THEN_ASKS.search(words, min(len(words), 12))
    told = _TAIL.sub("", words[: asks.start()]) if asks else words
    if len(told.split()) < _FEWEST:
        told = words
    frame = _FRAME.match(told) or _WONDERS.match(told)
    if frame is None:
        return told
    return _told_inside(told, frame.end()) or told


def _told_inside(told: str, begin: int) -> str:
    """The statement inside a worry or a wish; empty when there is none."""
    which = _WHICH.search(told)
    if which is not None:
        return f"{which[1]} {told[which.end() :]}"
    for inside in (
        _FACT_THAT.search(told),
        _BECAUSE.search(told),
        _OF_MINE.match(told, begin),
    ):
        if inside is not None and len(told[inside.end() :].split()) >= _FEWEST:
            return told[inside.end() :]
    new = _NEW_VALUE.search(told)
    return new[0] if new else ""


def only_wonders(words: str) -> bool:
    """Whether somebody only worries, wonders, tries or looks for something."""
    return any(one.match(words) for one in (_FEELS, _WONDERS, _TRIES))


def facts_inside(words: str) -> list[str]:
    """Facts about the speaker mentioned inside a question or a wish: "the fact that I passed"."""
    found = _FACT_THAT.search(words)
    if found is None:
        return []
    told = re.split(
        r" (?=to (?:further |better |help )?[a-z]{3,15}\b)|[,;?]", words[found.end() :]
    )[0]
    return [told] if len(told.split()) >= _FEWEST else []


def is_dated(words: str) -> bool:
    """Whether a statement says when something was, is or will be."""
    return DATED.search(words) is not None


def _is_of_the_task(words: str) -> bool:
    """Whether a sentence of a long message is only about the current work: its goal, the state of
    its parts. A day, a result, a decision or a person makes it worth keeping.
    """
    if _MIGHT.match(words) or len(words.split()) < _FEWEST or _says_nothing(words):
        return True
    if _FEELS.match(words) or _TRIES.match(words):
        return _GOAL.match(words) is None
    if _RESULT.search(words) or _NEVER.search(words):
        return False
    if _WANTS_DONE.match(words):
        goal = _GOAL.match(words) is not None and " to learn " not in words
        return _BY_WHEN.search(words) is None and not goal
    if DATED.search(words):
        return False
    if _PIECE_OF_WORK.match(words):
        return True
    return bool(_OF_CODE.search(words) and _HAS_OR_DOES.match(words))


def _says_nothing(words: str) -> bool:
    """Whether a statement is only a noun phrase, or the data of an exercise."""
    if _NOUNS_ONLY.match(words) and not _SAYS_SOMETHING.search(words):
        return not relations_in(words)
    return bool(_OF_SCHOOL.search(words)) and not _RESULT.search(words) and not _NEVER.search(words)


def worth_keeping(words: str, *, in_short: bool = False) -> bool:
    """Whether a statement holds anything worth an entry; with ``in_short`` (a short message without
    a task), the statement was made for its own sake.
    """
    person = relations_in(words) or speaks_of_family(words)
    if _FEELS.match(words):
        return in_short and bool(person or HEALTH.told.search(words))
    if _WONDERS.match(words):
        told = person or DATED.search(words) or HEALTH.told.search(words)
        return in_short and bool(told) and " trying to " not in words
    if not in_short and _is_of_the_task(words):
        return False
    if DATED.search(words):
        return True
    if _EMPTY.search(words):
        return False
    if person or HEALTH.told.search(words) or _UNWELL.search(words):
        return True
    if _OWED.search(words) or _GOAL.match(words):
        return True
    if _STEP.match(words) or _FRAME.match(words):
        return bool(_RESULT.search(words) or _DECIDED.search(words))
    if in_short:
        return True
    evidence = (_RESULT, COUNTED, _TASTE, _DECIDED, _CIRCUMSTANCE, _PERSON_NAMED)
    return any(one.search(words) for one in (*evidence, *(one.told for one in ATTRIBUTES)))
