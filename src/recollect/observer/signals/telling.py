"""Decides whether the memory of a user's turn may be told to agents before a person reviewed it.

Told is what a stranger to the session can use: what the user laid down and the agent agreed to or
followed, by a score that was fitted to a reader's judgements, if it can be understood alone; or
what the agent stated about how things are after the last change. What somebody else wrote and the
user pasted describes a fault that is mended by the end of the turn, and an agent's account of its
change is history; both wait for review.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from recollect.observer.diagnoses import identifiers, names_in
from recollect.observer.names import LEAST_SHARED, is_test
from recollect.observer.names import words as words_of
from recollect.observer.signals.claims import AFTER, Claim, told_claims
from recollect.observer.signals.context_need import is_pointing
from recollect.observer.signals.exchanges import is_refusal
from recollect.observer.signals.moment_bound import is_moment_bound
from recollect.observer.signals.other_languages import is_personal_elsewhere
from recollect.observer.signals.outcomes import admission, agreement, concedes, report
from recollect.observer.signals.review_remarks import cure_of
from recollect.observer.signals.rule_notes import is_rule_note
from recollect.observer.signals.rule_sections import listed_rules
from recollect.observer.signals.standing_facts import is_product_rule
from recollect.observer.signals.standing_instructions import (
    LONGEST,
    is_of_the_screen,
    is_specification,
    standing_instruction,
)
from recollect.observer.signals.telling_score import is_directing_refusal
from recollect.observer.signals.turn_text import (
    ADMITTED,
    AGREED,
    FOUND,
    OWN,
    REPORTED,
    answered,
    is_asking,
    is_prose,
    is_refusing,
    is_task,
    own_words,
    replied_to,
)
from recollect.observer.signals.wishes import (
    is_lasting,
    is_policy,
    is_rule,
    is_standing,
    standing_sentences,
)
from recollect.observer.turn_words import has_yielded, is_plan, is_review, is_undoing

#: Need of context from which words are reviewed first.
SOME: Final = 1.5
#: Scores from which a turn is told, and from which it is told with a claim that stands. With
#: sessions left out, three of five turns over the first were clearly worth telling, and more than
#: four of five at least narrowly.
TELL: Final = 0.3
NEARLY: Final = -0.2
#: Score below which what was accepted is not told: it looks like an order for the moment.
ACCEPTED: Final = -1.5
#: Hedged wording.
HEDGED: Final = re.compile(
    r"(?i)\b(?:I (?:guess|wonder|feel like)|not sure|maybe|perhaps|least worst|seems? to|"
    r"wondering)\b"
)
#: Remark in brackets.
_ASIDE: Final = re.compile(r"\([^()\n]{0,300}\)")
#: Beginning of the action of a refused command, and words that ask rather than forbid.
_RUNNING: Final = "running "
_ASKED: Final = re.compile(r"\?|^(?:why|can|could|would|is|are|do|does)\b", re.I)
#: A name of the code that is wanted in the place of another.
_COMPARED: Final = re.compile(
    r"`[^`\n]{2,60}` (?:instead of|rather than|and not) `[^`\n]{2,60}`", re.I
)
#: A comparison of which only one side is named.
_DANGLING: Final = re.compile(r"\binstead\b(?! of\b|,? (?:just|only|please)\b)", re.I)
#: Mistakes that were seen and are not named, and the telling words beside them that name none.
_SUCH: Final = re.compile(
    r"\b(?:such|these|those|the same|this kind of|that kind of) (?:\w+ ){0,2}"
    r"(?:mistakes?|errors?|bugs?|blunders?|nonsense)\b",
    re.I,
)
_REST: Final = 3
#: Uncertain words.
_UNSURE: Final = re.compile(
    r"\b(?:probably|maybe|perhaps|I (?:guess|wonder|feel)|not sure|wondering|in theory|"
    r"right\?|or\?)",
    re.I,
)
#: A request to look at something, which leaves open what will come of it.
_LOOK: Final = re.compile(
    r"\b(?:can|could|please) (?:you )?(?:take a|have a|look|check|review|explain|investigate)\b",
    re.I,
)
#: A question in the form of a statement, which leaves the answer open.
_WONDERING: Final = re.compile(
    r"\b(?:tell me|I(?:'m| am)? wonder(?:ing)? (?:how|what|where|which|why|when|who)|"
    r"what do you think|any (?:ideas|suggestions)|"
    r"(?:let's|we could|can (?:we|you)) "
    r"(?:think about|consider|look into|see (?:if|whether|how)))\b",
    re.I,
)
#: A command to the program that runs the agent.
_SLASH_COMMAND: Final = re.compile(r"\s*/[a-z][\w:-]*(?:\s|$)", re.I)
#: Words of somebody who speaks for themselves, to somebody.
_PERSONAL: Final = re.compile(
    r"\b(?:I|I'm|I'd|I've|we|we're|we've|you|your|our|my|me|us|let's|lets|please)\b|^do not\b",
    re.I,
)
#: A sentence that was typed by hand, and words of what should be.
_TYPED: Final = re.compile(r"[-* ]{0,3}[a-z](?!\w*[(_.:])")
_NORM: Final = re.compile(r"\b(?:should|must|needs? to|ha(?:s|ve) to|never|always|only)\b", re.I)
#: Beginning of words that contradict, and what somebody shows for it.
_WRONG: Final = re.compile(
    r"(?:(?:no|hm+|but|sorry|actually|wait)[,. ]+){0,2}(?:you(?:'re| are) (?:not (?:correct|right)|"
    r"wrong|incorrect|mistaken)|(?:that|this|it)(?:'s| is) (?:not (?:correct|right|true|so)|wrong|"
    r"incorrect)|(?:that|this|it) isn't (?:correct|right|true|so)|not (?:true|correct|right))\b",
    re.I,
)
_QUOTES: Final = re.compile(r"https?://\S|[\"\u201c][^\"\u201c\u201d]{20,200}[\"\u201d]|\n> \S")
#: Beginning of words that lean on what was said before them: a reply, or a word for something.
_REPLY: Final = re.compile(
    r"(?:no(?:pe)?|but|and|so|ok(?:ay)?|yes|yeah|also|hm+|then|or)\b[,.! ]{0,3}", re.I
)
_POINTER: Final = re.compile(r"(?:it|this|that|these|those|they|them|he|she|both|same)\b", re.I)
#: Telling words below which nothing is understood, and from which no name is needed.
_FEW_TELLING: Final = 3
_MANY_TELLING: Final = 4
_SENTENCE: Final = re.compile(r"(?<=[.?!:])\s+|\n+")
_LEAST_SENTENCE: Final = 40
#: Characters of a sentence from which nobody finds the wish in it.
_BREATH: Final = 320
#: Characters of impersonal sentences, and their share, from which a text was written by somebody
#: else.
_IMPERSONAL: Final = 120
_MOSTLY: Final = 0.6
#: Words by which a claim tells of the change rather than of how things are.
_OF_A_CHANGE: Final = re.compile(
    r"^(?:now|the (?:bug|fix|issue|problem|change|simplification|refactor\w*|old|new|original))\b|"
    r"\b(?:will|would|was|were|had|previously|we|our)\b",
    re.I,
)
#: Words of a reason, a condition or a limit, without which a claim is a mere detail.
_REASONED: Final = re.compile(
    r"\b(?:because|since|so that|so|instead|rather|only|never|always|must|unless|except|even|"
    r"which|when|if|without|before|after|until|not|n't|cannot|can't)\b|n't\b",
    re.I,
)
_NAMES: Final = 2
_TAKEN_UP_AGAIN: Final = frozenset({"edited_again", "next_corrects", "next_undoes"})
#: Number of words that a claim shares with what the user had said.
_SHARED: Final = 2


def states(turn: Mapping[str, Any]) -> bool:
    """Whether the words themselves state how something should be, as the reason of a
    refusal does."""
    words = _ASIDE.sub("", str(turn["words"]))
    if is_asking(words) or HEDGED.search(words):
        return False
    if is_policy(words):
        return True
    if is_refusal(turn):
        return is_lasting(words) or is_refusing(words)
    return is_lasting(words) and (is_refusing(words) or is_standing(words))


def may_be_told(
    main: Mapping[str, Any], best: Sequence[Claim], need: float, *, settles: bool
) -> bool:
    """Whether a memory may be told unreviewed; ``best`` are its claims, ``need`` is how much its
    words need their conversation, ``settles`` says that they settle something."""
    words = str(main["words"])
    if _is_held_back(main):
        return False
    if tells_how_to_work(main) or cure_of(main):
        return True
    if main["first"]:
        lays_down = is_rule(words) and not is_specification(words)
        return settles and need < SOME and lays_down and not _is_open(words)
    if is_specification(words) or is_moment_bound(main, agreement(main)):
        return False
    score = float(main["telling"])
    if _is_proved(main) and score >= ACCEPTED:
        return True
    if score >= TELL:
        open_still = _WONDERING.search(words) or (HEDGED.search(words) and not is_refusal(main))
        unclear = open_still or _is_unclear(words) or _is_about_nothing(main)
        return not (unclear or _is_unfinished(main))
    if settles and need < SOME and is_accepted(main):
        if _is_confirmed(main):
            return score >= ACCEPTED or is_rule(words)
        return score >= (ACCEPTED if identifiers(words) else NEARLY) and not is_of_the_screen(words)
    if is_directing_refusal(main) and score >= ACCEPTED:
        return True
    return score >= NEARLY and _is_found_out(main, best, settles=settles)


def _is_found_out(main: Mapping[str, Any], best: Sequence[Claim], *, settles: bool) -> bool:
    """Whether code was changed upon a turn, not again later, and a claim stands since then."""
    if "edited_again" in main.get("situation", ()) or not _has_worked(main):
        return False
    if settles:
        return any(claim.phase == AFTER for claim in best) and not _is_open(str(main["words"]))
    related = any(claim.shared >= _SHARED and _is_lasting(claim) for claim in best)
    return related and not any(map(_is_of_a_change, best))


def tells_how_to_work(turn: Mapping[str, Any]) -> bool:
    """Whether words tell the agent how to work here and leave nothing open, or take it to task for
    something that it admits."""
    return bool(_instruction(turn)) or bool(admission(turn))


def _instruction(turn: Mapping[str, Any]) -> str:
    """The sentences of a turn that tell the agent how to work here, unless it leaves that open."""
    words = str(turn["words"])
    found = standing_instruction(words, first=bool(turn["first"]))
    return "" if _is_open(found if len(words) > LONGEST else words) else found


def _is_held_back(main: Mapping[str, Any]) -> bool:
    """Whether words are somebody else's, a plan or a command to the program that runs the agent,
    stand in the rules of the project already, or were undone later."""
    words = str(main["words"])
    lent = is_others_words(words) and not (cure_of(main) or _is_proved(main) or _lists_rules(words))
    others = is_plan(words) or lent
    others = others or _SLASH_COMMAND.match(words) is not None
    return others or _is_in_the_rules(main) or bool(main.get("reversed"))


def rule_apart(main: Mapping[str, Any]) -> str:
    """The sentences of a turn that lay down what holds every time, if they stand beside a task that
    ends with the session; empty if the words are told whole, as where the rule leans on them."""
    words = own_words(str(main["words"]), OWN)
    if is_refusal(main) or is_plan(words):
        return ""
    instruction = _instruction(main)
    if instruction and not _is_whole_product_rule(instruction, words):
        return instruction
    rule = standing_sentences(words)
    others = [one.strip() for one in _SENTENCE.split(words) if one.strip() and one not in rule]
    tasked = main["first"] or all(map(is_task, others))
    return rule if rule and others and tasked and not leans(rule) else ""


def _is_whole_product_rule(rule: str, words: str) -> bool:
    """Whether a rule of the product is all that was said, so that it is told with its outcome."""
    return is_product_rule(rule) and len(set(words.split()) - set(rule.split())) <= 1


def is_accepted(main: Mapping[str, Any]) -> bool:
    """Whether words that state something hold: as the reason of a refusal, as a rule, as a decision
    for the project, or by the agent that says it again."""
    words = str(main["words"])
    if _is_refused_itself(main):
        return not _is_pointing_only(words)
    if _is_open(words):
        return False
    return _is_confirmed(main) or is_rule(words) or _is_own_policy(words)


def _is_refused_itself(main: Mapping[str, Any]) -> bool:
    """Whether a user refused something, other than a command with a question."""
    words = str(main["words"])
    return is_refusal(main) and not (
        str(main["action"]).startswith(_RUNNING) and _ASKED.search(words) is not None
    )


def _is_confirmed(main: Mapping[str, Any]) -> bool:
    """Whether more than a user's words shows that they hold: a refusal, the agent that says them
    again, or code that was changed from one name to another."""
    agreed = bool(agreement(main)) and has_yielded(str(main["answer"]))
    compared = _COMPARED.search(str(main["words"])) is not None and bool(main["edited"])
    return _is_refused_itself(main) or agreed or compared


def _is_own_policy(words: str) -> bool:
    """Whether a decision for the project stands in a sentence that names its subject, in a turn
    that does not ask."""
    own = own_words(words, OWN)
    sentences = (one.strip() for one in _SENTENCE.split(own))
    return "?" not in own and any(is_policy(one) and not _is_bare(one) for one in sentences)


def _is_bare(sentence: str) -> bool:
    """Whether a sentence has too few telling words to be understood alone."""
    telling = {word for word in words_of(sentence) if len(word) >= LEAST_SHARED}
    return len(telling) < _FEW_TELLING or is_pointing(sentence)


def leads_with_words(main: Mapping[str, Any]) -> bool:
    """Whether a memory that is told begins with the user's words, rather than with a claim of the
    agent."""
    told = is_directing_refusal(main) or main["telling"] >= TELL or _is_proved(main)
    return told or tells_how_to_work(main) or bool(cure_of(main))


def _is_unfinished(main: Mapping[str, Any]) -> bool:
    """Whether a user was not content with what was changed upon words that nobody agreed to."""
    situation = main.get("situation", frozenset())
    corrected = {"edited_again", "next_corrects"} <= situation
    return corrected and not is_refusal(main) and not agreement(main)


def _is_unclear(words: str) -> bool:
    """Whether orders and wishes are dictated in one breath, or what is wished only points at what
    stands in another sentence."""
    sentences = [one.strip() for one in _SENTENCE.split(own_words(words, OWN)) if one.strip()]
    wishes = [one for one in sentences if is_lasting(one)]
    pointing = len(sentences) > 1 and wishes and all(_POINTER.match(one) for one in wishes)
    return bool(pointing) or any(len(one) > _BREATH for one in sentences)


def _is_about_nothing(main: Mapping[str, Any]) -> bool:
    """Whether neither a user's words, nor what was refused, nor the agent's words for it name what
    it is about."""
    words = own_words(str(main["words"]), OWN)
    if str(main["action"]) and not _is_pointing_only(words):
        return False
    about = f"{words} {agreement(main)} {answered(main)} {replied_to(main)}"
    telling = {word for word in words_of(about) if len(word) >= LEAST_SHARED}
    return len(telling) < _FEW_TELLING or not (identifiers(about) or len(telling) >= _MANY_TELLING)


def _is_pointing_only(words: str) -> bool:
    """Whether words begin with "it" or its like, and name nothing that it could be."""
    own = _REPLY.sub("", words.strip(), count=1)
    return _POINTER.match(own) is not None and "`" not in words and not identifiers(words)


def told_beside(main: Mapping[str, Any], best: Sequence[Claim]) -> str:
    """What is told behind a user's words: the agent's own words for what it agreed to, what it
    claims about how things are, or how it reported the outcome."""
    again, admitted = agreement(main), admission(main)
    if again or admitted:
        return f"{ADMITTED}{admitted}" if admitted else f"{AGREED}{again}"
    related = [claim for claim in best if claim.shared >= _SHARED]
    held = [claim for claim in related if _OF_A_CHANGE.search(claim.text) is None]
    if main["edited"]:
        held = [claim for claim in held if claim.phase == AFTER]
    if held:
        return f"{FOUND}{told_claims(held)}"
    ended = report(main) if main["edited"] else ""
    # A report may be overtaken: it is told only where the matter was not taken up again.
    overtaken = _TAKEN_UP_AGAIN & set(main.get("situation", ()))
    return f"{REPORTED}{ended}" if ended and not overtaken else ""


def leans(words: str) -> bool:
    """Whether words begin with something that stands for what was said before them."""
    own = words.strip()
    return _REPLY.match(own) is not None or _POINTER.match(own) is not None


def _is_open(words: str) -> bool:
    """Whether words leave open what should be: half of a comparison, a doubt, a request to look, or
    to undo something of this session."""
    own = own_words(words, OWN)
    if is_undoing(own) or any(form.search(own) for form in (_DANGLING, _UNSURE, _LOOK)):
        return True
    rest = _SUCH.sub(" ", own)
    return rest != own and len({one for one in words_of(rest) if len(one) >= LEAST_SHARED}) <= _REST


def is_others_words(words: str) -> bool:
    """Whether a text is mostly somebody else's, such as a pasted review: whole sentences that speak
    for nobody and to nobody."""
    if is_review(words):
        return True
    sentences = [one.strip() for one in _SENTENCE.split(own_words(words, OWN)) if one.strip()]
    impersonal = sum(
        len(one) for one in sentences if len(one) >= _LEAST_SENTENCE and not _is_personal(one)
    )
    return impersonal >= max(_IMPERSONAL, _MOSTLY * sum(map(len, sentences)))


def _is_personal(sentence: str) -> bool:
    """Whether somebody speaks for themselves or to somebody, or typed in a hurry what should be."""
    if _PERSONAL.search(sentence) or is_personal_elsewhere(sentence):
        return True
    return _TYPED.match(sentence) is not None and _NORM.search(sentence) is not None


def _lists_rules(words: str) -> bool:
    """Whether a text that speaks to the agent lists rules, however impersonal the rest is."""
    return bool(listed_rules(words)) and _PERSONAL.search(words) is not None


def _is_proved(main: Mapping[str, Any]) -> bool:
    """Whether words tell the agent that it is wrong, quote what shows it, and the agent gives way
    and says it again: a correction with its source, no review."""
    words = str(main["words"])
    quoting = _QUOTES.search(words) is not None and _WRONG.match(words) is not None
    return quoting and concedes(main) and bool(agreement(main))


def _is_in_the_rules(main: Mapping[str, Any]) -> bool:
    """Whether a wish was written into the project's own rules, which are told as they stand."""
    unread = bool(main.get("unread_notes"))
    return bool(main["edited"]) and not unread and all(map(is_rule_note, main["edited"]))


def _has_worked(main: Mapping[str, Any]) -> bool:
    """Whether code was changed upon a turn."""
    return any(not is_test(path) and not is_prose(path) for path in main["edited"])


def _is_of_a_change(claim: Claim) -> bool:
    """Whether a claim tells what was changed, or how it was before."""
    return claim.phase != AFTER or _OF_A_CHANGE.search(claim.text) is not None


def _is_lasting(claim: Claim) -> bool:
    """Whether a claim gives a reason or a limit, and tells of what by its name."""
    text = f"{claim.before} {claim.text}".strip()
    return _REASONED.search(text) is not None and len(set(names_in(text))) >= _NAMES
