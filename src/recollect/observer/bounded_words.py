"""Words that bind a user's wish to the work at hand: "for this task only", "until the release".

Short wishes only: elsewhere "in this branch" says what is spoken of, and "for now" is a thought.

"Until" also says what must come first ("never merge until the tests pass"), which holds always. It
ends a wish only where it names something that happens once.
"""

import re
from typing import Final

_WORK: Final = (
    r"(?:task|branch|pr|pull request|ticket|issue|feature|story|sprint|session|change|migration"
    r"|refactor|refactoring|release|job|spec|epic|experiment|spike|prototype)"
)
_THIS_WORK: Final = re.compile(
    r"(?:^|[.;:!] )(?:please,? )?(?:only |just )?"
    rf"(?:for|in|on|during|within) this {_WORK}\b(?: only)?"
    rf"|\b(?:only|just) (?:for|in|on|during) this {_WORK}\b"
    rf"|\b(?:for|in|on|during) this {_WORK} only\b|\bfor this {_WORK}$"
)
_ONCE: Final = (
    r"(?:release|released|launch|launched|deadline|demo|freeze|migration|migrated|rewrite|merged?"
    r"|shipped|ship|live|over|finished|done|next|monday|tuesday|wednesday|thursday|friday|saturday"
    r"|sunday|tomorrow|tonight|week|month|holidays?|v?\d+(?:\.\d+)*|back|beta|announcement)"
)
_UNTIL: Final = re.compile(
    rf"\buntil ((?:[\w'.-]++ ){{0,6}}?{_ONCE}\b(?: (?:is|are) \w++)?(?: out)?)"
)
#: What must come first of all, again and again.
_PRECONDITION: Final = re.compile(
    r"\buntil (?:\w+ ){0,4}(?:pass|passes|green|reviewed|approved|asked?|confirm(?:ed|s)?"
    r"|agree[ds]?|tell|told|say|said|answer(?:ed)?|succeeds?|works?|compiles?|builds?)\b"
)
#: Longer words report or weigh something.
LONGEST_WORDS: Final = 160
#: How a wish begins that says how to work, and is no order for a single step.
_LASTING: Final = re.compile(
    r"(?:^|, )(?:please |you )?"
    r"(?:always|never|don't|do not|only|leave|keep|avoid|skip|stay|no|use)\b"
)


def bound_of(words: str) -> str:
    """The words by which a wish is bound to the work at hand; empty if it is not."""
    plain = _plain(words)
    if len(plain) > LONGEST_WORDS or plain.endswith("?"):
        return ""
    found = _THIS_WORK.search(plain)
    if found:
        return found.group(0).strip(".;:! ")
    once = _UNTIL.search(plain)
    if once is None or _PRECONDITION.search(plain):
        return ""
    return once.group(0)


def is_lasting(words: str) -> bool:
    """Whether bound words say how to work as long as they hold."""
    return _LASTING.search(_plain(words)) is not None


def _plain(words: str) -> str:
    return " ".join(words.lower().replace("\u2019", "'").split()).rstrip(".! ")
