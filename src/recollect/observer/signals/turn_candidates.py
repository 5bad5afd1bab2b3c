"""Creates memory candidates from users' turns, and has findings that no turn accounts for added.

A turn of the user is judged by its words, its position and its outcome. Its memory quotes the user,
names the subject, and adds the agent's best sentences on it; it cites each of them.
"""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from recollect.observer.candidates import Candidate, moment_of
from recollect.observer.names import are_related
from recollect.observer.phrases import digest, module_of, quoted
from recollect.observer.scratchpad import Scratchpad
from recollect.observer.signals.claims import (
    BEFORE,
    Claim,
    at_length,
    chosen,
    claims_of,
    told_claims,
    with_prospects,
)
from recollect.observer.signals.context_need import context_needed
from recollect.observer.signals.exchanges import (
    CURT,
    GOING_ON,
    exchanges,
    folded,
    is_refusal,
    settled,
)
from recollect.observer.signals.findings import finding_of, strength_of, sureness, weight_of
from recollect.observer.signals.overtaken import with_later_words
from recollect.observer.signals.reader_score import reader_score
from recollect.observer.signals.retold import joined
from recollect.observer.signals.review_lines import for_review
from recollect.observer.signals.review_queue import (
    FORGOTTEN,
    is_idle,
    kept_for_review,
    review_sureness,
    tells_nothing,
)
from recollect.observer.signals.telling import (
    HEDGED,
    TELL,
    leads_with_words,
    leans,
    may_be_told,
    rule_apart,
    states,
    tells_how_to_work,
    told_beside,
)
from recollect.observer.signals.telling_score import telling_score
from recollect.observer.signals.threads import is_failure, standing
from recollect.observer.signals.told_text import told_text
from recollect.observer.signals.turn_text import (
    OWN,
    answered,
    content_of,
    edited_upon,
    is_asking,
    is_plan_file,
    is_prose,
    is_refusing,
    is_task,
    own_words,
    replied_to,
    said_after,
)
from recollect.observer.signals.wishes import (
    is_empty,
    is_lasting,
    type_of,
)
from recollect.observer.taxonomy import Signal
from recollect.observer.turn_words import has_yielded, is_plan, worth

#: Confidence from which a candidate is likely to be remembered.
PROMISING: Final = 0.5
#: Minimum score of a turn that is told.
TURN: Final = 0.5
#: Minimum score of a turn that is remembered for a person to review, and not told before.
TURN_FOR_REVIEW: Final = -11.0
#: Deduction for a turn without a known outcome.
UNSETTLED: Final = 3.0
#: Deductions for a turn that was undone later in the session, and for a question that changed
#: nothing.
REVERSED: Final = 20.0
WONDERING: Final = 1.2
TELLING: Final = 3.0
_NO: Final = re.compile(r"^(?:no(?:pe)?|nah|wait|hm+)[,.! ]+", re.I)
FEW_CHARACTERS: Final = 12
#: Characters below which a turn is told with the one that it continues.
LEANING: Final = 80
#: Strength of a claim that counts as found.
STRONG: Final = 1.5
#: Weight of the readers' score in the score of a turn, and the level at which it adds nothing.
READER: Final = 1.0
#: Number of words that a claim shares with the user's, to be told behind words that settle
#: something.
BESIDE_WORDS: Final = 2
#: Deducted for a turn that neither states nor changed anything, for one at length, for one of which
#: no claim is told, and for a hedged one; added for one that states something and was
#: followed. Readers found 1 in 20 of the first worth keeping, and every other one of the last.
TALKED: Final = 4.0
LENGTHY: Final = 1.0
LATER: Final = 0.4
#: Need of context from which words settle nothing, the deductions for a task and for the wording of
#: prose, and by how much words that may be told are over the threshold at least.
MUCH: Final = 2.0
TASKED: Final = 8.0
LIFTED: Final = 0.2
#: Least confidence of what may be told: enough for agents of a new project to be told it.
TOLD_CONFIDENCE: Final = 0.86
PROSE: Final = 1.5
#: Share of the deduction for words that need their conversation, where a claim leads; deducted for
#: a claim that was made before a change, and where only a plan was written.
UNSETTLING: Final = 0.3
FORMER: Final = 1.5
PLANNING: Final = 2.0
UNTOLD: Final = 2.5
LONG: Final = 700
#: A turn of fewer words counts this much less where it states nothing and nothing was found.
FEW_WORDS: Final = 6
SHORT: Final = 1.5
UNDECIDED: Final = 0.7
DONE: Final = 1.0
#: Number of items from which a commit's message is a list.
LISTED: Final = 2
#: Number of claims from which they are remembered beside a rule that is told alone.
ENOUGH: Final = 2
#: Added to the score of a claim in an answer in which the agent agreed.
AGREEING: Final = 1.0
READER_LEVEL: Final = 0.3
#: Score of a turn: added for its findings, deducted if it only asks or orders something, and
#: deducted further if that led to no strong finding.
FOUND_OUT: Final = 0.7
ORDERED: Final = 0.8
TASK: Final = 2.0
ORDER_FOUND: Final = 1.5
#: Deduction for an order to write tests, which is hardly ever a lesson.
TESTS: Final = 1.5
_TESTS: Final = re.compile(r"(?i)\b(?:add|write|create|have|need|extend|cover)\b.{0,40}\btests?\b")
#: Added for a turn that led to edits, for an objection, and for an answer in which the agent
#: agreed.
EDITED: Final = 1.1
OBJECTING: Final = 0.7
YIELDED: Final = 1.6
#: Added for a refusal whose words refuse, for any other refusal, and for a plan.
REFUSED: Final = 1.8
HELD_BACK: Final = 0.5
PLANNED: Final = 0.3
#: Maximum number of other turns quoted with a turn, and the words they must share with it.
OTHERS: Final = 2
RELATED: Final = 1
#: Maximum number of the agent's statements quoted with an exchange.
QUOTED: Final = 10
#: Minimum score of a quoted statement.
TOLD: Final = 0.8


def candidates_of(
    turns: Sequence[dict[str, Any]], pad: Scratchpad, gone: frozenset[str] = frozenset()
) -> list[Candidate]:
    """Candidates for each exchange of a session, and for each finding that no exchange quotes;
    ``gone`` are the names of the code that the session removed."""
    every = annotated(turns, gone)
    return kept_for_review(composed(every, pad), every)


def composed(every: Sequence[dict[str, Any]], pad: Scratchpad) -> list[Candidate]:
    """Candidates of annotated turns with their texts, before the worst are forgotten."""
    found = [
        candidate
        for exchange in exchanges(every)
        for some in _apart(exchange)
        for candidate in _of_exchange(some, pad)
    ]
    return with_later_words(joined(found, every, PROMISING), every)


def annotated(
    turns: Sequence[dict[str, Any]], gone: frozenset[str] = frozenset()
) -> list[dict[str, Any]]:
    """Turns with their outcome, what was taken back, what followed, and the names that are gone."""
    every = with_prospects(standing(settled(folded(turns))))
    return [{**turn, "telling": telling_score(turn), "gone": gone} for turn in every]


def _of_exchange(turns: Sequence[dict[str, Any]], pad: Scratchpad) -> Iterator[Candidate]:
    told = [one for one in _told(turns) if is_own(one)]
    found = _turn_candidates(turns, told, pad)
    yield from found
    used = {one["event"] for one in told} if any(map(_is_promising, found)) else set()
    for turn in turns:
        for one in turn["stated"]:
            if one["event"] not in used and not turn.get("reversed"):
                yield finding_of(one, turn, pad)


def _told(turns: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Best statements on an exchange, in their order."""
    stated = [(weight_of(one, turn), one) for turn in turns for one in turn["stated"]]
    stated = [pair for pair in stated if pair[0] >= TOLD and len(pair[1]["text"]) >= CURT]
    best = sorted(stated, key=lambda pair: -pair[0])[:QUOTED]
    return [one for _, one in sorted(best, key=lambda pair: int(pair[1]["step"]))]


def _score(turn: Mapping[str, Any]) -> float:
    words = str(turn["words"])
    score: float = worth(words)
    objects = is_refusing(words) or is_lasting(words)
    score += (REFUSED if objects else HELD_BACK) * bool(turn.get("refused"))
    score += 0.7 * bool(turn.get("late")) + 1.8 * bool(turn.get("corrected"))
    score += 1.2 * bool(turn.get("interrupted")) + EDITED * bool(turn["edited"])
    score += OBJECTING * is_refusing(words)
    score += YIELDED * has_yielded(str(turn["answer"]))
    score += 0.2 * max((weight_of(one, turn) for one in turn["stated"]), default=0.0)
    return float(score) - 0.8 * bool(turn["first"]) + PLANNED * is_plan(words)


def _apart(turns: Sequence[dict[str, Any]]) -> list[list[dict[str, Any]]]:
    """Split an exchange: turns that were undone or that state something of their own become
    exchanges by themselves."""
    undone = [[turn] for turn in turns if turn.get("reversed")]
    if undone and len(turns) > 1:
        return [*undone, *_apart([turn for turn in turns if not turn.get("reversed")])]
    spoken = [turn for turn in turns if not is_empty(str(turn["words"]))]
    if len(spoken) < 2:
        return [list(turns)]
    main = _main(spoken)
    near = {id(turn) for _, turn in _near(main, spoken)}
    own = [
        turn
        for turn in spoken
        if turn is not main
        and (_is_sure(turn) or turn.get("answers") or (id(turn) not in near and states(turn)))
    ]
    return [[turn for turn in turns if turn not in own], *([turn] for turn in own)]


def _is_sure(turn: Mapping[str, Any]) -> bool:
    """Whether a turn is worth a memory of its own, whatever was said around it."""
    return bool(turn["telling"] >= TELL or tells_how_to_work(turn))


def _main(spoken: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """The turn that the memory of an exchange is about."""
    sure = [turn for turn in spoken if _is_sure(turn)]
    if sure:
        return max(sure, key=lambda turn: (tells_how_to_work(turn), float(turn["telling"])))
    scores = [_score(turn) for turn in spoken]
    asked = is_asking(str(spoken[0]["words"])) and any(map(states, spoken[1:]))
    refused = is_refusal(spoken[0]) and not asked
    stating = [turn for turn in spoken if states(turn)] or spoken
    best = max(stating, key=lambda turn: scores[spoken.index(turn)])
    main = spoken[0] if refused else best
    return next((turn for turn in reversed(spoken) if _takes_back(turn)), main)


def _turn_candidates(
    turns: Sequence[dict[str, Any]], told: list[dict[str, Any]], pad: Scratchpad
) -> list[Candidate]:
    """The memory of an exchange; where a rule of it is told alone, also one for review of what the
    agent found."""
    spoken = [turn for turn in turns if not is_empty(str(turn["words"]))]
    if not spoken:
        return []
    scores = [_score(turn) for turn in spoken]
    main = _main(spoken)
    words = str(main["words"])
    agreed = _agreed(main, told)
    paths = tuple(dict.fromkeys([*_paths_of(main), *edited_upon(main)[:2]]))[:4]
    others = _beside(main, spoken)
    near = [str(one["words"]) for earlier, one in _near(main, spoken) if earlier]
    near = [one for one in near if len(words) < LEANING and context_needed(one) < MUCH]
    about = " ".join([words, str(main["overturns"]), *(str(one["words"]) for one in others)])
    claims = claims_of([*turns, _also_said(main, agreed)], about)
    need = 0.0 if main.get("answers") else context_needed(own_words(words, OWN))
    settles = states(main) and need < MUCH
    best = chosen(claims, shared=BESIDE_WORDS if settles else 0)
    found, strength = told_claims(best), strength_of(best)
    score = max(scores) - UNSETTLED * _is_unsettled(spoken, found)
    score -= REVERSED if main.get("reversed") else 0.0
    score -= WONDERING * (
        is_asking(words) and not main["edited"] and not agreed and strength < TELLING
    )
    score -= TESTS * (is_task(words) and _TESTS.search(words) is not None)
    score -= ORDERED * is_task(words) + TASK * (is_task(words) and strength < ORDER_FOUND)
    more_found = min(4.0, strength) - STRONG
    score += FOUND_OUT * (max(0.0, more_found) if settles else more_found)
    score += READER * (reader_score(main, claims, states=settles) + READER_LEVEL)
    changed = any(turn["edited"] for turn in spoken)
    score -= REVERSED * is_idle(main, best, changed=changed, settles=settles)
    score -= TALKED * (not changed and not settles) + LENGTHY * (len(words) > LONG)
    untold = not found and not settles
    score -= UNTOLD * untold + SHORT * (untold and len(words.split()) < FEW_WORDS)
    score -= TASKED * (not claims and not settles and not main["edited"] and is_failure(words))
    score -= need * (1.0 if settles else UNSETTLING)
    score -= PROSE * (bool(main["paths"]) and settles and all(map(is_prose, main["paths"])))
    score -= FORMER * any(claim.phase == BEFORE for claim in best)
    score -= PLANNING * (changed and all(map(is_plan_file, main["edited"])))
    score -= LATER * math.log2(1 + int(main.get("later", 0))) * (not settles)
    score -= UNDECIDED * (HEDGED.search(words) is not None) - DONE * (changed and settles)
    score += 0.25 * sum(one > 1.0 for one in scores) - 0.25
    events = [one["event"] for one in (main, *others, *agreed, *told)]
    events[1:1] = [main.get("overturned"), *main.get("drafts", ())]
    ungated = score
    score = _gated(score, main, best, need, settles=settles)
    if main["first"] and not settles and not tells_how_to_work(main):
        score -= TASKED
    content, more_events = _told_of(main, best, claims, near, score, settles=settles)
    events += more_events
    made = Candidate(
        signal=Signal.REFUSAL if is_refusal(main) else Signal.CORRECTION,
        key=digest(words),
        type=type_of(words),
        content=content,
        session=pad.session,
        step=int(main["step"]),
        files=paths,
        modules=tuple(dict.fromkeys(filter(None, map(module_of, paths)))),
        confidence=_sure_enough(main, claims, content, score, settles=settles),
        unsure=score < TURN,
        quote=words,
        events=tuple(dict.fromkeys(event for event in events if event)),
        at=moment_of(main),
    )
    alone = _rule_alone(made, main)
    if alone is made or len(at_length(claims)) < ENOUGH:
        return [alone]
    return [alone, _found_beside(made, main, best, claims, _held_back(ungated))]


def _found_beside(
    made: Candidate,
    main: Mapping[str, Any],
    best: Sequence[Claim],
    claims: Sequence[Claim],
    score: float,
) -> Candidate:
    """What the agent found in a turn of which a rule is told alone: it waits for review, because
    words that are worth telling are worth their outcome."""
    content, ended = for_review(main, claims, best, ())
    return replace(
        made,
        key=digest(f"{main['words']} {told_claims(best)}"),
        content=content,
        confidence=max(PROMISING, _confidence(score)),
        unsure=True,
        quote="",
        events=tuple(dict.fromkeys((*made.events, *ended))),
    )


def _told_of(
    main: Mapping[str, Any],
    best: Sequence[Claim],
    claims: Sequence[Claim],
    near: Sequence[str],
    score: float,
    *,
    settles: bool,
) -> tuple[str, Sequence[str | None]]:
    """Text of the memory of a turn, and the events of what it tells besides the words and the
    claims: for agents short, for a person who reviews at length."""
    if score < TURN:
        return for_review(main, claims, () if settles else best, near)
    if not (settles or leads_with_words(main)):
        return content_of(main, near, told_claims(best).splitlines(), settles=False), ()
    lines = told_beside(main, best).splitlines()
    near = near if main["overturns"] or leans(str(main["words"])) else ()
    before = main["before"][1] if answered(main) or replied_to(main) else None
    return told_text(main, near, lines), [before]


def _paths_of(main: Mapping[str, Any]) -> list[str]:
    """Files that a turn is about, besides those it changed. A rule for all of the work is not about
    the files that were merely open when it was said."""
    paths = [str(path) for path in main["paths"]]
    if main["action"] or not tells_how_to_work(main):
        return paths
    return [path for path in paths if path.rpartition("/")[2] in str(main["words"])]


def _rule_alone(told: Candidate, main: Mapping[str, Any]) -> Candidate:
    """What is told of a rule that stands beside a task: the rule, without the files of the task."""
    rule = "" if told.unsure else rule_apart(main)
    if not rule:
        return told
    files = () if main["first"] else told.files
    return replace(
        told,
        key=digest(rule),
        type=type_of(rule),
        content="\n".join([f"The user said: {quoted(rule)}", *said_after(main)]),
        files=files,
        modules=() if main["first"] else told.modules,
        quote=rule,
    )


def _gated(
    score: float, main: Mapping[str, Any], best: Sequence[Claim], need: float, *, settles: bool
) -> float:
    """Score of a turn, over the threshold of what is told only if it may be told."""
    if may_be_told(main, best, need, settles=settles):
        return max(score, TURN + LIFTED)
    return _held_back(score)


def _held_back(score: float) -> float:
    """A score below the threshold of what is told, in the same order."""
    return TURN - 1.0 / (1.0 + score - TURN) if score >= TURN else score


def _also_said(turn: Mapping[str, Any], agreed: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """The turn with what the agent said besides its statements: the answer in which it agreed, and
    the message of the commit, unless that is a list."""
    said = [{**one, "step": int(turn["step"]), "more": AGREEING} for one in agreed]
    _, rest = turn.get("commit") or ("", "")
    if rest and rest.count(" - ") < LISTED:
        step = int(turn.get("changed", turn["step"]))
        said.append({"text": rest, "event": turn.get("last"), "step": step})
    return {**turn, "stated": said}


def _takes_back(turn: Mapping[str, Any]) -> bool:
    """Whether a turn states a correction; "no, write the plan" only gives an order."""
    return bool(turn["overturns"]) and not is_task(_NO.sub("", str(turn["words"])))


def _is_unsettled(spoken: Sequence[Mapping[str, Any]], found: str) -> bool:
    """Whether an exchange has no known outcome and does not settle the matter by its own words."""
    if found or any(turn["commit"] for turn in spoken):
        return False
    if any(turn["edited"] and not is_task(str(turn["words"])) for turn in spoken):
        return False
    if any(has_yielded(str(turn["answer"])) for turn in spoken):
        return False
    return not any(states(turn) for turn in spoken)


def _beside(main: Mapping[str, Any], spoken: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Other turns of an exchange that add something of their own."""
    known = {digest(str(main["words"])), digest(str(main["overturns"]))}
    found: list[dict[str, Any]] = []
    for turn in spoken:
        words = str(turn["words"])
        if turn is not main and digest(words) not in known and len(words) > FEW_CHARACTERS:
            known.add(digest(words))
            if worth(words) > 0 and _belongs(words, main):
                found.append(turn)
    return found


def _near(
    main: dict[str, Any], spoken: Sequence[dict[str, Any]]
) -> list[tuple[bool, dict[str, Any]]]:
    """Turns quoted with the main one, each with whether it came before: the last one that the main
    turn depends on, and the next ones that continue its subject."""
    own = f"{main['words']} {main['overturns']}"
    depends = len(str(main["words"])) < CURT or GOING_ON.match(str(main["words"])) is not None
    others, place = _beside(main, spoken), spoken.index(main)
    before = [one for one in others if one in spoken[:place]][-1:]
    after = [one for one in others if one in spoken[place:]]
    told = [
        (True, one) for one in before if depends or are_related(str(one["words"]), own, RELATED)
    ]
    after = [one for one in after if not is_asking(str(one["words"]))]
    more = [
        (False, one)
        for number, one in enumerate(after)
        if are_related(str(one["words"]), own, RELATED)
        or (not number and GOING_ON.match(str(one["words"])))
    ]
    return [*told, *more][:OTHERS]


def _belongs(words: str, main: Mapping[str, Any]) -> bool:
    """Whether a turn continues the subject of another, or states how something should be."""
    own = str(main["words"])
    if len(own) < CURT or GOING_ON.match(own) or (is_lasting(words) and not is_task(words)):
        return True
    return are_related(words, f"{own} {main['overturns']} {' '.join(main['paths'])}")


def _sure_enough(
    main: Mapping[str, Any], claims: Sequence[Claim], content: str, score: float, *, settles: bool
) -> float:
    """Confidence of the memory of a turn; of what waits for review only its order depends on it."""
    sure = _confidence(score)
    if score >= TURN or sure < PROMISING:
        return sure
    if tells_nothing(content, str(main["words"])):
        return FORGOTTEN
    return review_sureness(main, claims, settles=settles)


def _confidence(score: float) -> float:
    """Confidence of the memory of a turn. What may be told is told because of what kind it is, so
    that its score adds little."""
    sure = sureness(score, TURN, TURN_FOR_REVIEW)
    return max(sure, TOLD_CONFIDENCE) if score >= TURN else sure


def _is_promising(found: Candidate) -> bool:
    return found.confidence >= PROMISING


def _agreed(turn: Mapping[str, Any], told: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The answer in which the agent agrees, unless it is quoted already or may repeat
    outside text."""
    if not has_yielded(str(turn["answer"])):
        return []
    event, _, *repeats = turn["answered"]
    known = any(one["event"] == event and event for one in told)
    answer = {"text": turn["answer"], "event": event, "repeats": repeats[0] if repeats else None}
    return [answer] if not known and is_own(answer) else []


def is_own(one: Mapping[str, Any]) -> bool:
    """Whether a statement is the agent's own, without influence of outside text."""
    return one.get("repeats") is None
