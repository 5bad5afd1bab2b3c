"""Words that say that something has changed, has ended or has begun.

An end applies to its object: "finished with the bank" ends the bank, and "finished the book about
the bank" ends the book. So the words after it, or before "is over", are part of the result.
"""

import re
from functools import lru_cache
from typing import Final

#: What came of a choice; "ended up in hospital" is none.
_ENDED_UP: Final = r"ended up(?! in (?:hospital|tears|court|bed|casualty))"
_NOW: Final = re.compile(
    r"\b(?:now|again|these days|from now on|new|switched|moved|changed|instead|since then|turns out"
    r"|finally|joining|joined|starting|started|back to|no longer|any ?more|any longer|actually"
    r"|maintenant|désormais|nouveau|nouvelle|finalement|dorénavant|déménagé|changé|en ce moment"
    r"|reportée?|avancée?|décalée?|repoussée?|déplacée?|rescheduled|postponed|update"
    r"|got the keys|(?:took|takes|taking) over"
    r"|(?:went|gone|goes|going|put me) (?:up|down)|(?:up|down) (?:to|from)|raised|increased"
    r"|pushed (?:back )?to|pushed back|brought forward|bumped|scratch that|strike that"
    rf"|{_ENDED_UP}"
    r"|ditched|dropped|swapped|(?:i|we|he|she|they)'?(?:ve|s)? (?:just )?(?:got|been) (?:put|made)"
    r"|du coup|au final|décalé au|passée?s? (?:en|à|au)"
    r"|(?:come|came|grown|grew|learn(?:ed|t)|started|begun|began) to (?:love|like|hate|dislike"
    r"|loathe"
    r"|detest|enjoy|adore|appreciate)|(?:gone|went) off|(?:me suis|s'est) mise? à (?:aimer|détester"
    r"|adorer))"
    r"(?!\w)",
    re.IGNORECASE,
)
#: Subset that says that the day, hour or figure of the same thing has changed.
_ANOTHER_NOW: Final = re.compile(
    r"\b(?:now|these days|from now on|instead|moved|changed|switched|rescheduled|postponed|actually"
    r"|turns out|after all|(?:went|gone|going|put me) (?:up|down)|(?:up|down) (?:to|from)|raised"
    r"|increased|pushed|bumped|brought forward|scratch that|strike that"
    rf"|{_ENDED_UP}"
    r"|at the moment|passée?s? (?:en|à|au)|du coup|au final"
    r"|maintenant|désormais|finalement|reportée?|avancée?|décalée?|repoussée?|déplacée?)(?!\w)",
    re.IGNORECASE,
)
_ENDS: Final = re.compile(
    r"\b(?:no longer|any ?more|any longer|c'est (?:fini|terminé)|sold|quit|swapped|traded|replaced"
    r"|ditched|resigned|handed in|gave in"
    r"|let go of|changed (?:dentist|doctor|gp|job|school|bank|phone|provider)\w{0,3}|démissionné"
    r"|démission"
    r"|changé de|remplacé|échangé|stopped|gave up|given up|broke up|split up|switched from"
    r"|got rid of|cancelled|canceled|divorced|dropped|retired|left|moved out|got fired|passed away"
    r"|died|ne \w{2,15} plus|n'\w{1,15} plus|arr[êe]t[ée]e?|vendue?|quittée?|annulée?|séparée?s?"
    r"|rompu|abandonné|don't .{2,40} now|(?:is|'s|are) off(?= *[.!]?$)|scrapped|written off"
    r"|wrote off|packed (?:it )?in|stepped down"
    r"|laissé tomber|mis fin à|à la casse|à la poubelle|rendu l'âme|called off|called it quits"
    r"|call it quits|fell through|laid off|made redundant|got sacked|sacked me|done with"
    r"|through with|finished with|fed up with|sick of|let (?:me|him|her) go|licenciée?|virée?"
    r"|largué|n'est plus|plus jamais"
    r"|(?:moved|switched|changed|gone|went) (?:[\w'-]{1,15} ){0,3}from)(?!\w)",
    re.IGNORECASE,
)
#: Words for an end or a new choice that are too often about something else to replace an entry.
_GONE: Final = re.compile(
    r"\b(?:pull(?:ed|ing) out|nicked|stolen|pinched|poached|closed|abandoned|binned|shut down"
    r"|closed down|went bust|fell out with|ran out of|broke down|too (?:dear|expensive|pricey|far"
    r"|small|noisy|big|slow|cold)|put (?:[\w'-]{2,15} ){1,2}on|back (?:in|at|with|on|to)"
    r"|stepped up|(?:took|taken|takes) over|upped|lowered|reduced|extended|doubled|halved|next up"
    r"|(?:went|gone|going|opted|settled) (?:for|with|on)|in the end|shifted|transferred"
    r"|(?:up|down)graded|outgrew|outgrown|it'll be|it's going to be|rather than|changed (?:my|his"
    r"|her|our|their) minds?|not .{2,30} but|à présent|résiliée?|lâché|à la place|plutôt que"
    r"|volée?|cassée?|perdue?|fermée?|repris|trop (?:cher|chère|loin|petit|petite))(?!\w)",
    re.IGNORECASE,
)
#: Verbs of ending that apply to many things; their object follows them.
_ENDS_IT: Final = re.compile(
    r"\b(?:closed|ended|got rid of|finished(?: with)?|done (?:with|w)|through with|over with|lost"
    r"|returned(?! to)"
    r"|gave (?:away|back)|given (?:away|back)|donated|chucked|jacked in|binned|axed|dumped|kicked"
    r"|came off|come off|weaned (?:myself |me )?off|went off|gone off|unsubscribed from"
    r"|(?:moved|walked) (?:on|away|out) (?:from|of|on)|parted ways with|deleted|uninstalled|lapsed"
    r"|stopped|quit|sold|left|dropped"
    r"|cancelled|canceled|gave up(?: on)?|given up(?: on)?|traded in|traded|swapped|ditched"
    r"|replaced|split (?:up )?(?:from|with)|broke (?:it off|up) with|no more|bye(?:-| )bye|goodbye"
    r"|no longer (?:in|at|on|with|use|using|have|having|do|doing|go to|going to|take|taking|see"
    r"|seeing|play|playing|eat|eating|drink|drinking|drive|driving|live in|work at|work for)"
    r"|(?:switched|moved|changed|gone|went) (?:[\w'-]{1,15} ){0,3}?from|ne \w{2,15} plus"
    r"|laissé tomber|arr[êe]t[ée]|résilié|fermé|rendu|donné|jeté|revendu|vendu|quitté|lâché"
    r"|abandonné|fini (?:avec)?|terminé|coupé|mis fin à|perdu|remplacé|échangé|plus d[eu']"
    r"|adieu)(?!\w)",
    re.IGNORECASE,
)
#: Phrases that say that the words before them are over.
_IT_ENDED: Final = re.compile(
    r"(?:'s| is| are| was| has| have| got| been| est|'est| sont| a été)(?: (?:all|now|finally|just"
    r"|been"
    r"|officially|long|bel et bien|enfin)){0,3} (?:over|gone|closed|dead|off|out|sold|cancelled"
    r"|canceled|history|finished|done|shut|fini|finie|terminée?|morte?|fermée?|vendue?|annulée?"
    r"|partie?)(?!\w)|\b(?:died|passed away|broke down|went bust|closed down|packed up|fell through"
    r"|expired|ran out|moved out|n'existe plus|n'est plus)(?!\w)",
    re.IGNORECASE,
)
#: What no longer is, between a negation and "any more": "we don't use Slack any more".
_NOT_ANY_MORE: Final = re.compile(
    r"\b(?:don't|doesn't|do not|does not|didn't|can't|won't|not|no|never|isn't|aren't|dont|doesnt)"
    r" ((?:[\w'-]{1,20} ){1,5}?)(?:any ?more|any longer)\b",
    re.IGNORECASE,
)
_READ: Final = 600
_PART: Final = re.compile(r"[.!;,] ")
_BEHIND: Final = 5  # words after an end that may name its object
_BEFORE: Final = 4  # words before "is over" that may name what ended
#: Words for a beginning; it ends the former one of things that people have only one of.
_BEGINS: Final = re.compile(
    r"\b(?:first (?:day|week|month|shift|class|lesson)|start(?:ed|ing|s)?|began|joined|joining"
    r"|signed (?:up|with|on|a|the|my)|switch(?:ed|ing)|mov(?:ed|ing)|swapped|bought|took (?:up|on)"
    r"|taken up|taking up|picked up|(?:got|getting) (?:a|an|the|my|our|engaged|married|hired"
    r"|promoted)|found (?:a|an|the|my)|landed|went (?:for|with|back)|gone (?:back|for|with)|back"
    r" (?:to|on|at|with|in)|(?:we're|it's|made it) official|new|nowadays|lately|took over|upgraded"
    r"|converted|became|qualified|promoted|transferred|relocated|settled (?:in|on|for)"
    rf"|{_ENDED_UP}"
    r"|opted for|commencé|repris|pris|mise? (?:à|au|aux)|acheté|trouvé|rejoint|passé"
    r"|passée|emménagé|devenue?|choisi|changé|inscrite?|embauchée?|premi(?:er|ère) (?:jour|semaine"
    r"|mois))(?!\w)",
    re.IGNORECASE,
)
_SINCE: Final = re.compile(
    r"\b(?:since|depuis|settled in|installée?s?|(?:me|nous) voilà|(?:put|got) me on"
    r"|(?:first|second|third|deuxième|troisième) (?:day|week|month|jour|semaine|mois))\b",
    re.IGNORECASE,
)
#: Words that begin another phrase: in "lost the keys to the kennel" the keys are lost.
_PHRASE: Final = frozenset(
    """
    about after and as at because before but by during for from in of on since so than to when with
    until till while if which that
    after à au aux avec car chez dans de des du et mais par parce pour sur
    """.split()
)
_POINTED_AT: Final = re.compile(r" (?:it|her|him|them|that|ça)[.,!:] ", re.IGNORECASE)
_GOES_ON: Final = re.compile(r"[\w'\u2019&-]{1,30}")
_LEFT_ME: Final = re.compile(
    r"\b(?:the|my|his|her|our|its|your) left\b|\bleft (?:me|us|him|her|them|over|hand\w{0,3}|side"
    r"|handed|to|in|on|a|some|for)\b",
    re.IGNORECASE,
)


def says_begun(text: str) -> bool:
    """Whether a text says that something began."""
    return _BEGINS.search(text) is not None


def _named_behind(rest: str) -> list[str]:
    """Words after an end that name its object, up to a comma or the next phrase."""
    if _POINTED_AT.match(rest):  # "sold her. yes, the boat."
        return _GOES_ON.findall(rest)[1:_BEHIND]
    words = _GOES_ON.findall(rest.split(",", maxsplit=1)[0].split(". ", maxsplit=1)[0])[:_BEHIND]
    end = next((at for at, one in enumerate(words) if at and one.lower() in _PHRASE), len(words))
    return words[:end]


def _named_before(text: str) -> list[str]:
    """Words before "is over" that name what ended, back to where its phrase begins."""
    words = _GOES_ON.findall(text[-_READ:])[-_BEFORE:]
    begin = max((at for at, one in enumerate(words, 1) if one.lower() in _PHRASE), default=0)
    return words[begin:]


def ended_words(text: str) -> frozenset[str]:
    """Words that name what a text says is over."""
    plain = _LEFT_ME.sub(" ", text[:_READ])
    found: set[str] = set()
    for end in _ENDS_IT.finditer(plain):
        found.update(_named_behind(plain[end.end() :]))
    for end in _NOT_ANY_MORE.finditer(plain):
        found.update(end[1].split())
    for end in _IT_ENDED.finditer(plain):
        found.update(_named_before(plain[: end.start()]))
    return frozenset(found)


def says_changed(text: str) -> bool:
    """Whether a text says that something has changed or ended."""
    return bool(
        _NOW.search(text) or _ANOTHER_NOW.search(text) or _ENDS.search(text) or ended_words(text)
    )


def says_otherwise(text: str) -> bool:
    """Whether a text says that something known has changed or is over."""
    plain = _LEFT_ME.sub(" ", text)
    return bool(_ANOTHER_NOW.search(text) or _ENDS.search(plain) or _GONE.search(plain))


def says_another(text: str) -> bool:
    """Whether a text says that something else holds now, not only that something is over."""
    return _ANOTHER_NOW.search(text) is not None


def tells_successor(text: str) -> bool:
    """Whether a text says that something ended and then what replaced it."""
    first, *rest = _PART.split(text[:_READ])
    return is_over(first) and any(says_anew(part) for part in rest)


def says_anew(text: str) -> bool:
    """Whether a text says that something is new: that it changed, began, or holds since a time."""
    return bool(_NOW.search(text) or _BEGINS.search(text) or _SINCE.search(text))


@lru_cache(2_048)  # each question about the same entries asks it again
def is_over(text: str) -> bool:
    """Whether a text says that something ended."""
    return _ENDS.search(_LEFT_ME.sub(" ", text)) is not None


def says_now(text: str) -> bool:
    """Whether a text contains a word of change, strong or weak."""
    return _NOW.search(text) is not None
