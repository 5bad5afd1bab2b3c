"""Claims of a session: the sentences of an agent that state something lasting, scored in context.

Each sentence of a statement is scored by ``claim_score``: its form, and the situation in which it
was said. A statement before a change, or with many turns to come, is overtaken more often than the
last word of a session.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from recollect.observer.claim_score import AgentSentence, score_of
from recollect.observer.diagnoses import before_choice, is_choice, names_in, same, sentences_of
from recollect.observer.names import LEAST_SHARED, are_related
from recollect.observer.names import words as words_of
from recollect.observer.signals.wishes import is_correcting
from recollect.observer.turn_words import has_yielded, is_undoing

#: Maximum number of claims told together and of their characters, and the minimum scores of the
#: first and of the others.
CLAIMS: Final = 3
ROOM: Final = 560
LEAST: Final = -1.4
MORE_LEAST: Final = -1.0
#: Number of words that a claim shares with what it is about, and the minimum score of one that
#: shares fewer.
RELATED: Final = 1
UNRELATED_LEAST: Final = -0.8
#: Number of words shared with the user's correction from which a sentence is the corrected one.
OBJECTED: Final = 4
_SHORTEST: Final = 25
#: Number or bullet of a list item, meaningless outside its list.
_LISTED: Final = re.compile(r"^(?:\(?\d{1,2}[.)]|[-*•]|[a-d]\))\s+")
#: Opening phrases of an answer, before its content.
_OPENING: Final = re.compile(
    r"^(?:(?:yes|no|right|great|good|perfect|ah|oh|ok(?:ay)?|so|but|also|and|however|now|wait|"
    r"I see|you.re (?:absolutely |completely )?(?:right|correct)|"
    r"good (?:point|catch|question|idea)|"
    r"(?:the )?(?:root cause|key insight|key finding|summary|fix|result|answer|conclusion)(?=:)|"
    r"that's a (?:good|great|fair) (?:point|catch|question))(?:[,.!:]|\s[-\u2013\u2014])\s*){1,3}",
    re.I,
)
#: An agent that tells of itself: what it did, does or understands.
_ALOUD: Final = re.compile(
    r"^(?:I|I've|I'm|I'll|let me|let's)\b|"
    r"\b(?:let me|I(?:'ll| will| need| should| can| could|'m going| now|'d)|I've|"
    r"my (?:fix|change))\b",
    re.I,
)


class Claim(NamedTuple):
    """A sentence of an agent, its score, the event and step in which it was said, its place in the
    statement, whether it was said after the changes of its turn, and how many words it shares with
    what it is about."""

    text: str
    score: float
    event: str
    step: int
    place: int
    after_change: bool = False
    shared: int = 0


def with_prospects(turns: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Turns, each with what followed it: names that later turns speak of, and features of its
    situation."""
    found: list[dict[str, Any]] = []
    later_names: set[str] = set()
    later_files: set[str] = set()
    for place in range(len(turns) - 1, -1, -1):
        turn = turns[place]
        follows = turns[place + 1] if place + 1 < len(turns) else None
        situation = {f"turns_after_{_bucket(len(turns) - 1 - place)}"}
        if follows is not None:
            words = str(follows["words"])[:400]
            situation |= {"next_corrects"} if is_correcting(words) else set()
            situation |= {"next_yields"} if has_yielded(str(follows["answer"])) else set()
            situation |= {"next_undoes"} if is_undoing(words) else set()
        if turn["edited"]:
            situation.add("edited")
            situation |= {"edited_again"} if later_files & set(turn["edited"]) else set()
        situation |= {"accepted"} if turn.get("let_go_on") else set()
        situation |= {"committed"} if turn.get("commit") else set()
        later = {"later": len(turns) - 1 - place, "later_names": frozenset(later_names)}
        found.append({**turn, "situation": frozenset(situation), **later})
        for text in (str(turn["words"]), *(str(one["text"]) for one in turn["stated"])):
            later_names |= {name.lower() for name in names_in(text)}
        later_files |= set(turn["edited"])
    return found[::-1]


def claims_of(turns: Sequence[Mapping[str, Any]], about: str) -> list[Claim]:
    """Sentences of the agent's own statements in some turns, with their scores, best first.

    Statements that were taken back are left out, and of one that presents options the part behind
    its beginning.
    """
    wanted = frozenset(word for word in words_of(about) if len(word) >= LEAST_SHARED)
    found: list[Claim] = []
    for turn in turns:
        for one in turn["stated"]:
            if one.get("repeats") is not None or one.get("taken_back"):
                continue
            for place, spoken in spoken_in(turn, one, wanted):
                if not _is_objected(spoken.text, str(one.get("against", ""))):
                    event, step = str(one["event"] or ""), int(one["step"])
                    after = "after_change" in spoken.situation
                    shared = len(wanted & set(words_of(spoken.text)))
                    score = score_of(spoken) + float(one.get("more", 0.0))
                    claim = Claim(spoken.text, score, event, step, place, after, shared)
                    found.append(claim)
    return sorted(found, key=lambda claim: -claim.score)


def chosen(claims: Sequence[Claim], room: int = ROOM, least: float = LEAST) -> list[Claim]:
    """The best claims that belong together, in the order in which they were said: the first, and
    others only if they are good by themselves and say something else."""
    kept: list[Claim] = []
    for claim in claims:
        if claim.score < (MORE_LEAST if kept else least) or len(kept) == CLAIMS:
            break
        if _ALOUD.search(claim.text):
            continue
        if claim.shared < RELATED and claim.score < UNRELATED_LEAST:
            continue
        if len(claim.text) > room or any(same(claim.text, other.text) for other in kept):
            continue
        kept.append(claim)
        room -= len(claim.text) + 1
    return sorted(kept, key=lambda claim: (claim.step, claim.place))


def told_claims(claims: Sequence[Claim]) -> str:
    """Claims as sentences."""
    return " ".join(map(_ended, (claim.text for claim in claims)))


def _ended(sentence: str) -> str:
    sentence = sentence if sentence[:1] in '`"' else sentence[:1].upper() + sentence[1:]
    return sentence if sentence.endswith((".", "!", "”", "…")) else f"{sentence.rstrip(',;:-')}."


def _is_objected(sentence: str, against: str) -> bool:
    """Whether the user's next words corrected the sentence."""
    return bool(against) and are_related(sentence, against, OBJECTED)


def spoken_in(
    turn: Mapping[str, Any], statement: Mapping[str, Any], wanted: frozenset[str]
) -> list[tuple[int, AgentSentence]]:
    """Sentences of a statement with their situation."""
    base = set(turn.get("situation", ()))
    if turn["edited"] and int(statement["step"]) < int(turn.get("changed", 0)):
        base.add("before_change")
    elif turn["edited"]:
        base.add("after_change")
    base |= {"last_said"} if statement["event"] == turn.get("last") else set()
    base |= {"among_options"} if statement.get("choice") else set()
    later = turn.get("later_names", frozenset())
    text = str(statement["text"])
    if statement.get("choice"):
        text = before_choice(text) if is_choice(text) else ""
    found: list[tuple[int, AgentSentence]] = []
    for place, line in enumerate(sentences_of(text)):
        said = bare(line)
        if len(said) >= _SHORTEST and not said.rstrip(").").endswith(("?", ":")):
            named = {name.lower() for name in names_in(said)}
            share = len(named & later) / len(named) if named else 0.0
            again = f"named_again_{0 if not share else 1 if share < 0.7 else 2}"
            spoken = AgentSentence(said, wanted, place, frozenset(base | {again}))
            found.append((place, spoken))
    return found


def bare(line: str) -> str:
    """A sentence without its list mark and opening phrases."""
    return _OPENING.sub("", _LISTED.sub("", line)).lstrip(".,;:!- ")


def _bucket(count: int) -> int:
    return 0 if not count else 1 if count < 3 else 2 if count < 8 else 3
