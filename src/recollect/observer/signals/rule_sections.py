"""Finds the rules that a long prompt lists under a heading of its own.

Who describes a task at length often puts the rules of the project into it: under "Rules",
"Conventions" or "Constraints" stand items that forbid something or hold for all code. Only such
items count, and only two or more of them; what one of them says of the task itself ("do not change
the start page") ends with it.
"""

import re
from typing import Final

_LONGEST: Final = 160
_LEAST: Final = 2
#: Marks in front of a heading or an item: of a list, of a heading, and pictures.
_MARKS: Final = re.compile(r"^[\s#>*\u2022\u2013+-]*(?:\(?\d{1,2}[.)]\s+)?[^\w`\"'\u00c0-\uffff]*")
_PICTURES: Final = re.compile(r"[\u2190-\u2bff\ufe0f\U0001f000-\U0001faff]")
_HEADING: Final = re.compile(
    r"^(?:[\w&/,'() -]{0,30}\b)?(?:rules?|conventions?|constraints?|guidelines?|principles?|"
    r"coding standards?|code style|do'?s and don'?ts|best practices|r\u00e8gles|reglas|regeln|"
    r"regras|regole|конвенции|правила|规则|规范|约束|ルール)(?: \([^)]{0,40}\))?"
    r"(?: (?:to follow|of the (?:project|code|house)|for (?:this|the) (?:project|repo\w*|"
    r"code\w*)))?"
    r"\s*:?\W{0,4}$",
    re.I,
)
_ANY_HEADING: Final = re.compile(
    r"^\s*(?:#{1,6}\s|\*\*[^*]{3,60}\*\*:?\s*$|-{3,}\s*$|[^-*]{3,50}:$)"
)
#: An item that forbids something, or holds for everything.
_RULE: Final = re.compile(
    r"^(?:(?:please|you) )?(?:do not|don'?t|never|no [a-z]|always|only|avoid|must(?: not|n'?t)? |"
    r"prefer|all (?!tests? pass)\w|every|each|strict|use .{2,60}(?:\bnot\b|instead|\bonly\b|never|"
    r"rather|everywhere))|\b(?:must|should) (?:always|never|only)\b|\beverywhere\b",
    re.I,
)
#: What ends with the task: changes that are not to be made, and the answer that is wanted.
_OF_THE_TASK: Final = re.compile(
    r"\b(?:change|modify|touch|alter|break|remove|delete|rename|redesign|start|stop|skip|proceed|"
    r"partial|output|answer|this (?:task|feature|screen|page|file|ticket|change|step))\b",
    re.I,
)
#: A block of code or of quoted text, and the words before what somebody else wrote.
_FENCED: Final = re.compile(r"```.*?(?:```|\Z)|^[ \t]*>[^\n]*$", re.S | re.M)
_LENT: Final = re.compile(
    r"https?://|\bsee below\b|\b(?:copied|pasted?|taken|quoted?) from\b|"
    r"\b(?:says?|said|wrote|writes|posted|replied|answered|announced|suggests?|suggested)\b[^.\n]{0,40}:|"
    r"\b(?:from|in|of) (?:the |their |this )?(?:docs?|documentation|readme|website|page|article|"
    r"post|blog|wiki|e?mail|issue|thread)\b",
    re.I,
)
_BEGINNING: Final = 300


def listed_rules(text: str) -> list[str]:
    """The items under a heading of rules that hold for all work; empty if there are fewer than
    two, or if the text begins as what somebody else wrote."""
    if _LENT.search(text[:_BEGINNING]):
        return []
    found: list[str] = []
    headed = False
    for line in _FENCED.sub("", text).splitlines():
        said = _MARKS.sub("", _PICTURES.sub("", line)).strip().strip("*")
        if not said:
            continue
        if len(said) <= _LONGEST and _HEADING.match(said):
            headed = True
        elif _ANY_HEADING.match(line):
            headed = False
        elif headed and len(said) <= _LONGEST and _is_rule(said):
            found.append(said)
    return list(dict.fromkeys(found)) if len(found) >= _LEAST else []


def _is_rule(item: str) -> bool:
    return _RULE.search(item) is not None and _OF_THE_TASK.search(item) is None
