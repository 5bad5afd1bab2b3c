"""Scores a user's turn for its lasting value, by its words and its position.

A correction often looks like a question, so questions count. A turn weighs more right after the
agent said that it was done, after an interruption, or as the reason of a refusal; a short go-ahead
weighs nothing. The sum has no unit: one threshold holds for every session.
"""

import re
from typing import Final

from recollect.observer.diagnoses import identifiers

_LASTING: Final = re.compile(
    r"\b(?:always|never(?! ?mind)|make sure|from now on|in general|by default|memori[sz]e|remember"
    r"|every time|each time|in the future|going forward|as a rule|convention)\b",
    re.I,
)
_WISH: Final = re.compile(
    r"\b(?:I(?:'d| would) (?:like|rather|prefer|say|expect)"
    r"|I (?:want|prefer|think|expect|don't think|meant?)"
    r"|we (?:should|need|want|don't|do not|can|could|must|have to)"
    r"|(?:should|must|shouldn't|mustn't|needs? to|has to|have to|ought to|supposed to)"
    r"|please (?:don't|always|never|use|keep)|do not|don't|"
    r"let's (?:not|also|use|keep|make|add|remove)|can we|could we|why not|"
    r"no need|not necessary|overkill)\b",
    re.I,
)
_COMPARING: Final = re.compile(
    r"\b(?:instead(?: of)?|rather than|the existing|already (?:have|has|exists?|do|use)"
    r"|same (?:as|way|for)"
    r"|like we|consisten\w+|better|simpler|cleaner|actually|only|both|unless|except|otherwise"
    r"|too (?:much|many|large|big|long|complex|generic)|reuse|single|separate|explicit\w*)\b",
    re.I,
)
_OPENING: Final = re.compile(
    r"^(?:no+|nope|nah|hm+|wait|but|e+h+|uh+m*|are (?:we|you) sure|actually|why|isn't|aren't|"
    r"wouldn't|shouldn't|couldn't|don't we|do we|did (?:you|we)|doesn't|didn't|"
    r"is (?:it|this|that|the)|"
    r"looking at|I'm (?:not|questioning|wondering|confused)|wondering|so|also|question)\b",
    re.I,
)
_NEGATING: Final = re.compile(
    r"\b(?:not|wrong|incorrect|broken|missing|missed|still|unused|nobody|nothing|weird|odd|"
    r"confus\w+|unnecessary|redundant|duplicat\w+|risky?|fails?|failing|hangs?)\b|n't\b",
    re.I,
)
_REASON: Final = re.compile(
    r"\b(?:because|since|so that|the idea is|the (?:issue|problem|reason|point) (?:is|with)|"
    r"otherwise|that (?:means|way)|which (?:means|is)|in case|given|if (?:we|you|the|there|a))\b",
    re.I,
)
_GO_AHEAD: Final = re.compile(
    r"^(?:(?:ok(?:ay)?|yes|yeah|yep|yup|sure|great|cool|good|perfect|nice|thanks?|thank you|please|"
    r"now|then|and|let's|lets|just|go ahead|do it|do this|do that|continue|proceed|go on|try again|"
    r"sounds good|looks good|lgtm|commit|push|merge|rebase|pull|stage|all|it|this|that|these|them|"
    r"the|a|changes?|pr|branch|open|create|draft|to|main|with|also|again|run|tests?|lint|can|could|"
    r"you|we|make|for|me|first|so far|everything|up|in|on|your?|my|our|resume|wait|stop|sorry|done|"
    r"review|check|fix|start|begin|implement|plan|next|step|one|\d+|option|first|second|hi|hello|"
    r"[abc])\b[\s,.!:;?)(/-]*){1,14}$",
    re.I,
)
#: Beginning of an order for the moment.
_ORDER: Final = re.compile(
    r"^(?:can|could|please|let|add|make|do|run|fix|update|check|look|create|commit|push|use|remove"
    r")\b",
    re.I,
)
#: An order to carry out a plan, and what its sentences speak of; words that change the plan.
_PLAN_ORDER: Final = re.compile(
    r"(?:(?:please|ok(?:ay)?|yes|now)[,.]? ){0,2}(?:implement|execute|carry out|start(?: on| "
    r"with)?|"
    r"proceed with|go (?:ahead )?with|follow) (?:the|this|that|your|my) (?:[\w-]+ )?plan\b",
    re.I,
)
_OF_A_PLAN: Final = re.compile(r"\b(?:plan|to-?do'?s?|them|steps?)\b", re.I)
_CHANGING_A_PLAN: Final = re.compile(
    r"\b(?:but|except|instead|without|only|also|use|using|unless)\b", re.I
)
_LONGEST_ORDER: Final = 700
_ENDS: Final = re.compile(r"(?<=[.!?])\s+|\n+")
#: A text of the program that runs the agent: one in a tag of two words, or of what was left out.
_NOTICE: Final = re.compile(
    r"\s*(?:<(?!user[_-]?(?:query|message|prompt|input)\b)[a-z]{2,20}(?:[_-][a-z]{2,20}){1,3}>|"
    r"This session is being continued from a previous|"
    r"(?:The|This) (?:conversation|session) (?:was|has been) (?:compacted|summari[sz]ed))",
    re.I,
)
_PASTED: Final = re.compile(r"```.*?(?:```|\Z)", re.S)
_PLAN: Final = re.compile(r"^(?:Implement the following plan|# Plan)", re.I)
_REVIEW: Final = re.compile(
    r"\b(?:got this (?:feedback|comment|review)|review (?:comment|feedback|finding)|feedback:|"
    r"(?:copilot|reviewer|cursor|bugbot) (?:said|says|found|commented)|"
    r"(?:high|medium|low|critical) (?:severity|priority))\b",
    re.I,
)
#: Answer of an agent that agrees that its user was right.
_YIELDED: Final = re.compile(
    r"(?:(?:Ah|Oh|Yes|Hmm|No|Right)[,.!]? )?(?:"
    r"you.re (?:absolutely |completely |totally )?(?:right|correct)"
    r"|you are (?:absolutely )?(?:right|correct)|(?:good|great|fair|excellent) (?:catch|point|call|"
    r"idea|observation|eye)|my (?:mistake|bad)|I apologi[sz]e|sorry|"
    r"that's a (?:good|great|fair)|"
    r"I (?:missed|misunderstood|misread|see the (?:issue|problem))|makes sense)",
    re.I,
)
#: Answer of an agent that had misunderstood.
_UNDERSTOOD: Final = re.compile(
    r"(?:(?:ah|oh|okay|ok|right|yes)[,.!]? )?(?:now )?(?:I (?:see|understand)(?: now| what you)|"
    r"now I (?:see|understand|get) (?:it|what you)|"
    r"thanks? (?:you )?for (?:the )?(?:clarif|correct)|"
    r"that clarifies|I misunderstood|I see what you mean|"
    r"(?:you.re right[,. -]{1,3})?I had (?:it|this|that) (?:backwards?|wrong|the wrong way))",
    re.I,
)
#: Words of a user who wants something undone.
_UNDOING: Final = re.compile(
    r"\b(?:revert|undo|roll (?:it |this |that )?back|back (?:it |this |that )?out|"
    r"(?:remove|drop|delete) (?:this|that|it|them|those|these)(?: \w+)? again|"
    r"(?:go|switch|change \w+) back to|get rid of (?:this|that|it|those|these)|"
    r"not needed any ?more|don't need (?:this|that|it) (?:any ?more|after all))\b",
    re.I,
)
#: Words of a user who wants all of it thrown away.
_UNDOING_ALL: Final = re.compile(
    r"\b(?:revert|undo|discard|rewind|roll back|throw away|drop) (?:all|everything|every)\b|"
    r"\b(?:abandon|scrap|throw away|discard) (?:the|this|that) (?:current |whole |entire )?"
    r"(?:branch|approach|attempt|change|work|idea)|\bstart (?:over|from scratch) again\b|"
    r"\blet'?s (?:just )?start over\b",
    re.I,
)
#: Words of a user for whom a change did not help, about "it" or about something by its name.
_UNCHANGED: Final = re.compile(
    r"^(?:\w+[,. ]+){0,2}(?:still|same (?:error|issue|problem|result|thing))\b|"
    r"\b(?:it|this|that|they)(?:'s| is| are)? still\b(?! (?:used|needed|necessary|possible|valid))|"
    r"\b(?:it|this|that)(?: \w+)? (?:doesn't|does not|didn't|did not|isn't|is not) "
    r"(?:work|help|fix|solve|do (?:it|anything|the trick)\b)|"
    r"\bI still (?:get|see|have)\b|\bnothing (?:has )?changed\b|"
    r"\b(?:it|this|that) (?:(?:has )?(?:changed|helped|fixed|solved|did) nothing|"
    r"made no difference)",
    re.I,
)
_STILL: Final = re.compile(
    r"\bstill (?:\w{2,12}ing|not|fails?|broken|the same|wrong|there|happens?|shows?)\b|"
    r"\b(?:doesn't|does not|didn't|did not|isn't|is not) work(?:ing)?\b|\bkeeps? failing\b",
    re.I,
)
#: Words of a user who gives up an own wish.
_CONCEDING: Final = re.compile(
    r"\b(?:I concede|fair enough|never ?mind|forget (?:it|that|about)|you(?:'re| are) right|"
    r"I was wrong|my (?:mistake|bad)|(?:let's|lets|just) (?:leave|keep) (?:it|that|this|as)|"
    r"I guess (?:this|that|it)(?:'s| is| was| makes| has)|"
    r"(?:that|this|it)(?:'s| is) (?:fine|ok(?:ay)?|good) (?:then|as|like)|"
    r"back to the (?:original|first|old|previous)|let's go back)\b",
    re.I,
)
#: Beginning of a turn that retracts what was said or done before it.
_OVERTURNING: Final = re.compile(
    r"^(?:hm+[,. ]+|wait[,. ]+|sorry[,. ]+|but |ok(?:ay)?[,. ]+|ah[,. ]+)?(?:"
    r"no(?:pe)?[,.!]? (?!need|worries|problem|idea|then\b|(?:it|that)(?:'s| is) (?:good|fine|ok))|"
    r"no+$|nah\b|wrong\b|"
    r"not (?:what|quite|really|correct|right|true)\b|"
    r"(?:that|this|it)(?:'s| is| was|) (?:not|wrong|incorrect|n't)\b|(?:that|this|it) isn't\b|"
    r"you(?:'re| are) (?:wrong|mistaken|incorrect|not (?:correct|right))\b|"
    r"I (?:didn't|did not|don't) (?:mean|ask|want)\b|I meant?\b|I misunderstood|"
    r"I(?:'m| am) (?:talking|speaking|asking) about\b|(?:my point|what I mean\w*) (?:is|was)\b|"
    r"(?:that |this |it )?(?:doesn't|does not|didn't|did not) (?:work|help|fix)\b|"
    r"still (?:not|fails?|failing|broken|the same|an? error)\b|same error\b|"
    r"revert\b|undo\b|roll(?:ing)? ?back\b|go back to\b|let's (?:revert|undo|go back)\b)",
    re.I,
)
_LEAST_CHARACTERS: Final = 8
_LONG: Final = 1_500


def is_go_ahead(words: str) -> bool:
    """Whether the words only let the work continue."""
    said = words.strip()
    return (len(said) <= 90 and _GO_AHEAD.match(said) is not None) or _is_plan_order(said)


def _is_plan_order(words: str) -> bool:
    """Whether each sentence only has a plan carried out, as a program words it for its user."""
    if len(words) > _LONGEST_ORDER or _PLAN_ORDER.match(words) is None:
        return False
    sentences = (one.strip() for one in _ENDS.split(words))
    return all(
        _OF_A_PLAN.search(one) is not None and _CHANGING_A_PLAN.search(one) is None
        for one in sentences
        if one and not one.startswith("@")
    )


def is_notice(words: str) -> bool:
    """Whether a text was written by the program that runs the agent, not by its user."""
    return _NOTICE.match(words) is not None


def has_yielded(answer: str) -> bool:
    """Whether the agent agrees that its user was right."""
    return _YIELDED.match(answer.strip()) is not None


def has_understood(answer: str) -> bool:
    """Whether the agent says that it understands only now what was meant."""
    return _UNDERSTOOD.match(answer.strip()) is not None


def overturns(words: str) -> bool:
    """Whether the words retract what was said or done before them."""
    return _OVERTURNING.match(words.strip()) is not None


def is_undoing(words: str) -> bool:
    """Whether the words ask for something to be undone."""
    return _UNDOING.search(words) is not None


def undoes_all(words: str) -> bool:
    """Whether the words ask for all of the last work to be thrown away."""
    return _UNDOING_ALL.search(words) is not None


def has_not_helped(words: str) -> bool:
    """Whether the words say that it is still as it was, without naming what."""
    return _UNCHANGED.search(words) is not None


def is_still_so(words: str) -> bool:
    """Whether the words say of something that it still fails."""
    return _STILL.search(words) is not None


def is_conceding(words: str) -> bool:
    """Whether the user gives up what they had asked for."""
    return _CONCEDING.search(words) is not None


def is_review(words: str) -> bool:
    """Whether the text is a pasted review."""
    return _REVIEW.search(words[:3_000]) is not None


def is_plan(words: str) -> bool:
    """Whether the text is a complete plan."""
    return _PLAN.match(words.strip()) is not None


def worth(words: str) -> float:
    """Score of the words alone."""
    own = _PASTED.sub(" ", words).strip()
    if len(own) < _LEAST_CHARACTERS or is_go_ahead(own):
        return -3.0
    said = own[:_LONG]
    found = 2.4 * bool(_LASTING.search(said))
    found += 0.8 * bool(_WISH.search(said))
    found += 0.6 * bool(_COMPARING.search(said))
    found += 0.6 * bool(_OPENING.match(said))
    found += 0.5 * bool(_NEGATING.search(said)) - 0.4 * bool(_ORDER.match(said))
    found += 0.4 * bool(_REASON.search(said))
    found += 0.3 * ("?" in said)
    found += 0.3 * min(2, identifiers(said))
    found += 0.4 * (len(own) > 60) + 0.4 * (len(own) > 160)
    return found + 0.6 * is_review(own)
