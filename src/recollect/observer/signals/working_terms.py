"""Finds sentences in which a user sets the terms of the work with an agent.

Terms say what the user does alone ("commits are done by me"), what the agent only supplies ("just
give me the commands to run"), what the user knows ("I'm not a programmer"), how to proceed when
something is not known ("if the year is unclear, leave it empty"), and how many of a kind there may
be and where they belong ("only one class per file"). They are typed in a hurry: so the frame of the
sentence counts, and the thing it is about may be misspelt. In a text too long to be an instruction,
only the orders in its own lines that bind the agent itself are terms.
"""

import re
from collections.abc import Sequence
from typing import Final

from recollect.observer.signals.rule_sections import listed_rules

#: Words that bind a sentence to this moment.
_FOR_NOW: Final = re.compile(
    r"\b(?:yet|for now|right now|until|this time|for the (?:moment|time being)|at the moment|"
    r"today|now|first|tomorrow|later|next)\b",
    re.I,
)
#: Work on the code that a user may keep.
_WORK: Final = (
    r"(?:commits?|committ?(?:ing|ed)|push(?:es|ing)?|tests?|testing|run(?:s|ning)?|deploy\w*|merg\w+|"
    r"releas\w+|publish\w*|install\w*|migrat\w+|builds?|review\w*|server|git|code|coding|pr|prs)"
)
#: Parts of a code base that are counted.
_UNITS: Final = (
    r"(?:class(?:es)?|components?|functions?|types?|models?|modules?|endpoints?|scripts?|features?|"
    r"exports?|hooks?|migrations?|structs?|enums?|interfaces?|tests?|views?|services?|changes?)"
)
_TERMS: Final = tuple(
    re.compile(form, re.I)
    for form in (
        # none of a kind, ever
        r"(?:^|[,;.] )no (?:[\w-]{2,20} ){1,3}ever\b(?! (?:since|(?:again )?(?:show|appear|"
        r"load|work)))",
        # done by the user
        rf"\b(?:want|wants|like|prefer|must|should|will|have to|has to|needs?|only|always|are|is)\b"
        rf".{{0,60}}\b{_WORK}\b.{{0,40}}\bby (?:me|myself)\b",
        rf"\b{_WORK}\b.{{0,40}}\b(?:to be|be|are|is) (?:\w+ )?(?:done|made|run|handled|written|"
        r"executed|managed|launched|submitted|started) (?:only )?by (?:me|myself)\b",
        rf"\b(?:leave|let) (?:the |all |any )?{_WORK} (?:\w+ )?(?:to|for) me\b",
        rf"\bI(?:'ll| will| am going to) (?:always |only )?{_WORK} (?:it |this |that )?by \w+ing\b",
        rf"\b(?:don'?t|do not|never|dont|no) (?:do |make |run )?(?:the |any "
        rf")?{_WORK}\b[^.]{{0,25}}\bI"
        rf"(?:'ll| will| want to| prefer to| like to|'d rather)? (?:do|make|run|handle|{_WORK})\b",
        rf"(?:^|[,;] )I (?:always |usually )?(?:do|make|handle|take care of) (?:all )?the "
        rf"{_WORK}\b",
        r"\bI(?:'ll| will)? (?:write|type) (?:all )?the code\b",
        r"\b(?:don'?t|do not|dont|never) (?:start|spawn|run|launch|restart) (?:a |the |another "
        r"|any |"
        r"my )?(?:[\w-]+ )?(?:server|watcher)s?,? (?:because|as|since|it|I)\b",
        rf"\bI (?:always |only |usually )?(?:{_WORK}) (?:it |this |them |everything |the \w+ )?"
        r"(?:directly )?(?:on|in|via|from) (?:my |an? |the )?(?:own|real|remote|physical|separate|"
        r"actual|different|other) \w{3,20}",
        # what the agent only supplies
        r"\b(?:don'?t|do not|dont|never) (?:give|show|tell|spoil) me (?:the |any )?(?:full |"
        r"complete |"
        r"whole |entire )?(?:solutions?|answers?)\b",
        r"\b(?:don'?t|do not|never) (?:write|do|make|create|type|generate|implement|solve|edit) "
        r"(?:any(?:thing)? |the |my )?(?:of )?(?:the |my )?(?:code|work|coding|programming|"
        r"homework|assignments?|edits?|changes)? ?for me\b",
        r"\b(?:just|only) (?:give|tell|show|send|provide)(?: me)? (?:me )?(?:the |some )?"
        r"(?:directions?|guidance|hints?|instructions|advice|pointers)\b(?! (?:for|on|about) "
        r"(?:this|that|the)\b)",
        r"\b(?:just|only) (?:give|tell|show|send) me (?:the )?(?:exact )?commands? (?:to run|"
        r"(?:that )?I (?:should|need to|must|have to|can) (?:run|type|execute)|"
        r"(?:and|so) I(?:'ll| will| can))\b",
        # what the user knows
        r"\bI (?:don'?t|do not|dont) know how to (?:do any|code|program|use (?:git|the (?:terminal|"
        r"command line|console|shell)))\b",
        r"\bI(?:'m| am|m) (?:not (?:very |really |too |that )?(?:technical|(?:an? )?(?:programmer|"
        r"developer|coder|engineer))|(?:an? )?(?:complete |total |absolute )?(?:beginner|newbie|"
        r"noob)\b|(?:quite |very |completely |totally )?new to "
        r"(?!this\b|that\b|the\b|it\b|you\b)[\w.+#-]{2,30})",
        r"\bI have (?:very )?(?:limited|no|little|zero|not much|hardly any) (?:\w+ )?(?:experience|"
        r"knowledge)\b",
        # what is done when something is not known
        r"^(?:please )?(?:be (?:very |as )?conservative\b|(?:don'?t|do not|never|dont) (?:guess|"
        r"invent|fabricate|make (?:up|things up|stuff up)|hallucinate)\b)",
        r"\bif (?:[\w-]+ ){1,6}?(?:is|are|isn'?t|aren'?t|remains?) (?:not )?(?:unclear|"
        r"ambiguous|unknown|"
        r"uncertain|clear|missing|known|sure)\b,? .{0,30}\b(?:leave|keep|set|mark|flag|use|"
        r"skip|write|put|ask)\b",
        r"\b(?:when|if) (?:you(?:'re| are) )?(?:ever )?(?:unsure|in doubt|not sure|"
        r"uncertain)\b.{0,12}"
        r"\b(?:ask|leave|say|tell|skip|stop)\b",
        # what holds as true
        r"\b(?:treat|use|take|consider) .{3,60}\bas (?:the |our |a )?(?:[\w-]+ )?"
        r"(?:source of truth|reference implementation)\b",
        r"^.{3,60}\b(?:is|are|remains|stays) (?:the |our )?(?:[\w-]+ )?source of truth\b",
        # how many of a kind, and where they belong
        rf"\bone (?:[\w`@.-]{{2,30}} ){{0,2}}?{_UNITS} (?:per|(?:in|for) (?:each|every|a|an|"
        rf"one|\w{{2,6}}))"
        r" (?:single )?(?:files?|folders?|director(?:y|ies)|modules?|classes|class|packages?|"
        r"components?|features?)\b",
        rf"\bone (?:files?|folders?|director(?:y|ies)|modules?|commits?|branch(?:es)?|prs?) "
        rf"(?:per|for "
        rf"(?:each|every)) (?:[\w-]+ )?(?:{_UNITS}|tasks?|stor(?:y|ies)|issues?)\b",
        r"\bthere (?:shouldn'?t|should not|must not|mustn'?t|should never|should only) be "
        r"(?:multiple|more than one|several|two|any other|one|a single|duplicate) [^.]{0,30}`",
        r"\b(?:don'?t|do not|dont|never|no need to) (?:create|add|make|write|build) (?:an?|"
        r"another|any|"
        r"new|extra) .{0,40}\b(?:re-?)?use (?:the )?(?:existing|our|same)\b",
        r"\b(?:follow|stick to|keep to|respect|match) (?:exactly )?(?:the|our) (?:exact )?"
        r"(?:same|existing|usual|established) (?:[\w-]+ )?(?:protocol|procedure|"
        r"process|workflow|conventions?|patterns?|structure|naming|style|architecture)\b",
        r"\bre-?us(?:e|ing) (?:the )?(?:existing|our) (?:[\w-]+ )?(?:components?|functions?|"
        r"helpers?|"
        r"classes|hooks?|services?|modules?|code|utilities|utils)\b",
        # the same in other languages
        r"\bje (?:le|la|les|l')? ?(?:fais|ferai|lance|teste|commite?|pushe?|gère) (?:tout "
        r")?moi-m[êe]me\b",
        r"\bich (?:committe|commite|pushe|teste|starte|deploye|mache (?:die |alle )?commits) "
        r".{0,20}?"
        r"selb(?:st|er)\b",
        r"\b(?:mach|mache|bitte) keine (?:commits?|tests?|pushes|kommentare)\b(?! mehr noch)",
        r"\byo (?:hago|har[ée]|ejecuto|pruebo|subo) (?:los |el |las |la )?"
        r"(?:commits?|push|tests?|pruebas|despliegue)\b",
        r"\b(?:on doit|il faut|tu dois|vous devez|faut) tout (?:faire|mettre|coder|écrire|"
        r"ecrire)\b",
        r"\b(?:jamais de|plus jamais de|aucun(?:e)?) (?:tests?|commits?|commentaires?|scripts?|"
        r"fichiers?|docs?|documentation)\b",
        r"\b(?:doit|doivent|devra|devront) [êe]tre (?:[\w-]+ )?(?:g[ée]r[ée]e?s?|faite?s?|mise?s?|"
        r"plac[ée]e?s?|impl[ée]ment[ée]e?s?|g[ée]n[ée]r[ée]e?s?) (?:dans|par|en|sur|côté) "
        r"(?!la page|le bouton|un |une )[\w.-]{3,30}",
    )
)
#: Orders in a long text that bind the agent, whatever is built.
_BINDING: Final = re.compile(
    r"^(?:IMPORTANT:? )?(?:please )?(?:don'?t|do not|never) (?:ever )?(?:guess|assume|invent|"
    r"fabricate|make (?:up|things up)|hallucinate|over-?engineer|(?:rewrite|refactor|restructure|"
    r"redesign) (?:the (?:entire|whole|existing)|existing|working)|"
    r"(?:change|break|touch|modify) (?:working|existing|unrelated)|"
    r"introduce (?:new |any |enterprise|unnecessary|heavy|plugin|abstract))|"
    r"^prefer (?:the )?(?:simpler?|simplest|existing|smallest|minimal|readable)\b|"
    r"^keep (?:the |all |your )?(?:code|changes|modifications|edits|diffs?|commits?|solution) "
    r"(?:as )?(?:simple|minimal|small|short|readable|beginner)",
    re.I,
)
_LINE: Final = re.compile(r"\n+")
_MARKS: Final = re.compile(r"^\s*(?:[-*+>\u2022]|\(?\d{1,2}[.)])?\s*")
_LONGEST_LINE: Final = 200
_HEADED: Final = re.compile(r"^.{3,60}:$")
#: Most characters told of the orders of a long text.
_ROOM: Final = 400


def sets_terms(sentence: str) -> bool:
    """Whether a sentence sets a term of the work, beyond this moment."""
    return not _FOR_NOW.search(sentence) and any(form.search(sentence) for form in _TERMS)


def binding_lines(text: str) -> list[str]:
    """The lines of a long text that bind the agent itself, and the rules that it lists; a heading
    that is a term is told with the lines below it."""
    found = listed_rules(text)
    headed = False
    for line in filter(str.strip, _LINE.split(text)):
        said = _MARKS.sub("", line).strip()
        short = 0 < len(said) <= _LONGEST_LINE
        if short and not said.endswith("?") and (_BINDING.match(said) or sets_terms(said)):
            headed = _HEADED.match(said) is not None
            found.append(said)
        elif headed and short and line != line.lstrip("-*+\u2022 "):
            found.append(said)
        elif headed:
            found = found[:-1] if found[-1].endswith(":") else found
            headed = False
    return list(dict.fromkeys(found))


def told_lines(lines: Sequence[str]) -> str:
    """Lines as sentences, as many as there is room for."""
    told = ""
    for said in lines:
        sentence = said if said.endswith((".", "!", ":", ";")) else f"{said}."
        if len(told) + len(sentence) < _ROOM:
            told = f"{told} {sentence}".strip()
    return told
