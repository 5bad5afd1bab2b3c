"""What a person who reviews a memory reads: the lesson first, then few sentences of evidence.

A sentence is left out that logs what was done, weighs options, announces, tells that the tests
passed, was said before a change of which the outcome is known, or speaks of names that are gone at
the end of the session. Of the others those are told that say most and repeat least.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any, Final, NamedTuple

from recollect.observer.claim_score import AgentSentence, score_of
from recollect.observer.diagnoses import identifiers, is_aside, same, sentences_of
from recollect.observer.names import LEAST_SHARED, are_related
from recollect.observer.names import words as words_of
from recollect.observer.phrases import as_sentence, quoted, shortened
from recollect.observer.signals.claims import (
    AFTER,
    BEFORE,
    BEFORE_CHANGE,
    CHANGED,
    Claim,
    bare,
    is_cause,
    is_guess,
    stands,
    told_claims,
)
from recollect.observer.signals.gone_names import speaks_of_gone
from recollect.observer.signals.rejections import is_rejected
from recollect.observer.signals.turn_text import (
    BESIDE,
    FOUND,
    REFUSED,
    REPLIED,
    REPORTED,
    about,
    changed_lines,
    edited_upon,
    is_asking,
    is_task,
    said_by_user,
    whole,
)
from recollect.observer.turn_words import has_yielded, overturns

#: Maximum number of sentences told besides the lesson, of their characters, and the minimum score
#: of one.
SENTENCES: Final = 6
ROOM: Final = 1_000
LEAST: Final = -2.8
#: Characters told of a user's words.
SAID: Final = 680
#: Number of sentences that tell how it was before a change, and how many words each shares with
#: what it is about.
CAUSES: Final = 2
_CAUSE_SHARED: Final = 2
_SHORTEST: Final = 25
#: What a word adds that nothing else tells, and one of the user's.
NEW: Final = 0.2
USERS: Final = 0.2
_MOST_NEW: Final = 12
#: Deducted for a sentence that is about something else and cannot stand by itself.
APART: Final = 1.2
#: Characters below which words lean on what the agent had said, and by how many words and names its
#: sentence must be about them.
_SHORT: Final = 80
_SPOKEN_OF: Final = 3
#: Fewest words outside of names and quotations of a sentence that says something.
_LEAST_WORDS: Final = 3
#: Maximum number of files named where nothing was changed.
_FILES: Final = 2
#: Sentences that tell nothing of the matter: rows and headings, the tests, options, an agent of
#: itself.
_CHAFF: Final = re.compile(
    r" · |"
    r"\b(?:all (?:\d+ )?(?:unit |integration |existing |new )?tests|tests? (?:all )?(?:now )?"
    r"pass\w*|lint\w* (?:is |are |passes |clean)|build (?:passes|succeeds)|all pass\w*|"
    r"no (?:lint\w*|type|compile\w*) (?:issues|errors)|"
    r"(?:PR|pull request) (?:created|updated|is))\b|"
    r"^(?:lines? |L)\d|\.\w{1,5}:\d|(?:\u2192|->) [\"`(]|"
    r"^(?:(?:now )?(?:let me|let's|I'll|I will)\b|I(?:'ve|'m)?\b|"
    r"(?:much |more )*(?:clean\w*|simpl\w*|concise|consisten\w*|automatic\w*|idempotent|clear\w*|"
    r"better|type[ -]?safe\w*|maintainab\w*|no-op|backwards?[ -]compatib\w*)\b[^.:]{0,30}:|"
    r"(?:option|approach|alternative|pros?|cons?|downside|step|phase|task)\b)",
    re.I,
)
#: Sentences to the user of that moment: an offer, an assent, the item of a choice, a commit by its
#: hash, the log of tests and imports, and what was cut off.
_OF_THE_TALK: Final = re.compile(
    r"^(?:if you(?:'d| need| want| would| prefer| see)|you can (?:now )?(?:test|try|see|verify)|"
    r"ready (?:for|to)|good (?:catch|point|question)|found it|perfect|interesting|great|"
    r"yes\b|no[,.]|committed (?:as|with)|pushed|commit:|(?=[0-9a-f]{0,9}\d)[0-9a-f]{7,10} [-:]|"
    r"[A-D]\) |(?:removed|added) (?:unused )?(?:`[^`\n]{0,80}` )?imports?\b|"
    r"`?\w{1,80}_test\.\w{1,4}`? ?[-:\u2013\u2014]|`?Test[A-Z]\w{1,120}`?(?:[/:]| [-\u2013\u2014])|"
    r"(?:also )?(?:added|updated) (?:\S{1,80} ){0,4}tests?\b|next steps?|would you|want me|PR \d|"
    r"looking at|now I|my guess|note that you)|"
    r"\[cut\]|\bI(?:'m| am) (?:confused|not sure|ready|confident)\b|\blet me know\b|"
    r"\bgood catch\b",
    re.I,
)
_NAMED: Final = re.compile(r"`[^`\n]{0,120}`|\"[^\"\n]{0,120}\"")
#: The item of a list under a heading, where nothing was changed: an option or a suggestion.
_ITEM: Final = re.compile(r"^[A-Z][\w `'()/-]{2,60}(?::| [-\u2013\u2014]) (?=\S)")
WHERE: Final = "Where: "


class _Sentence(NamedTuple):
    """A sentence that may be told, with its score, its place and the event of a report."""

    text: str
    score: float
    place: tuple[int, int]
    event: str = ""
    reported: bool = False


def for_review(
    main: Mapping[str, Any],
    claims: Sequence[Claim],
    lead: Sequence[Claim],
    near: Sequence[str],
) -> tuple[str, tuple[str, ...]]:
    """Text of a memory that waits for review, and the events of what it tells besides the user's
    words and the claims."""
    lead = [one for one in lead if not is_stale(one.text, main)]
    first = told_claims(lead)
    said = [said_by_user(main, SAID), *_about(main, near)]
    context = _context(main, said)
    causes = _causes(main, claims, first)
    told = f"{first} {context} {' '.join(causes)}"
    others = _chosen(_sentences(main, claims, told), told, str(main["words"]))
    found = " ".join(as_sentence(one.text) for one in others if not one.reported)
    ended = " ".join(as_sentence(one.text) for one in others if one.reported)
    changed = changed_lines(main, f"{first} {found}")
    lines = [
        *first.splitlines(),
        *said,
        *([f"{BEFORE_CHANGE} {' '.join(map(as_sentence, causes))}"] if causes else []),
        *([f"{REPLIED}{quoted(context)}"] if context else []),
        *([f"{FOUND}{found}"] if found else []),
        *([f"{REPORTED}{ended}"] if ended else []),
        *(changed or _where(main, " ".join([*said, first, found, ended]))),
    ]
    events = [one.event for one in others if one.event]
    events += [str(main["before"][1])] if any(one.startswith(REPLIED) for one in lines) else []
    return "\n".join(lines), tuple(dict.fromkeys(event for event in events if event))


def _causes(main: Mapping[str, Any], claims: Sequence[Claim], first: str) -> list[str]:
    """Sentences on how it was before a change of which the outcome is told: only what was wrong,
    because what was there is gone."""
    if BEFORE_CHANGE in first or not any(claim.phase == AFTER for claim in claims):
        return []
    known = _telling(f"{main['words']} {first}")
    told: list[str] = []
    for claim in claims:
        shared = len(known & _telling(claim.text))
        if claim.phase != BEFORE or claim.score < LEAST or shared < _CAUSE_SHARED:
            continue
        if _is_chaff(claim.text) or is_stale(claim.text, main) or not is_cause(claim.text):
            continue
        if stands(claim.text) and not any(same(claim.text, one) for one in told):
            told.append(claim.text)
    return told[:CAUSES]


def is_stale(sentence: str, main: Mapping[str, Any]) -> bool:
    """Whether a sentence speaks of what is gone at the end of the session."""
    return speaks_of_gone(sentence, main.get("gone", frozenset()))


def _about(main: Mapping[str, Any], near: Sequence[str]) -> list[str]:
    """What the user's words are about; a refused command only if they speak of it, and a refused
    edit unless they order something else, because people stop a call to say what else they want."""
    lines = about(main, near)
    if lines and lines[0].startswith(REFUSED):
        action, words = str(main["action"]), str(main["words"])
        edits = action.startswith(("editing", "writing"))
        if not (are_related(action, words) or (edits and (is_asking(words) or not is_task(words)))):
            return []
    return lines


def _context(main: Mapping[str, Any], said: Sequence[str]) -> str:
    """The sentence of the agent's last message before the user's words that names most of what they
    speak of."""
    words = str(main["words"])
    if any(one.startswith(REPLIED) for one in said) or main["first"] or main["action"]:
        return ""
    if overturns(words) or has_yielded(str(main["answer"])):
        return ""
    wanted = _telling(words)
    found = [bare(one) for one in sentences_of(whole(str(main["before"][0])))]
    found = [one for one in found if len(one) >= _SHORTEST and not one.endswith((":", "?"))]
    found = [one for one in found if not _is_chaff(one) and not is_stale(one, main)]
    short = len(words) < _SHORT
    rated = [(len(wanted & _telling(one)) + short * min(2, identifiers(one)), one) for one in found]
    best = max((rank for rank, _ in rated), default=0)
    told = next((one for rank, one in rated if rank == best >= _SPOKEN_OF), "")
    return shortened(told, BESIDE)


def _sentences(main: Mapping[str, Any], claims: Sequence[Claim], told: str) -> list[_Sentence]:
    """Sentences that may be told beside what is, of what the agent stated and of its report of the
    turn's end."""
    after = any(claim.phase == AFTER for claim in claims)
    found = [
        _Sentence(claim.text, claim.score, (claim.step, claim.place))
        for claim in claims
        if claim.phase != CHANGED and not (after and claim.phase == BEFORE)
    ]
    situation = frozenset({"last_said", *({"after_change"} if main["edited"] else ())})
    for event, text, repeats in () if main.get("refuted") else main.get("summaries", ()):
        for place, line in enumerate(sentences_of(str(text)) if repeats is None else ()):
            said = bare(line).rstrip(".")
            if len(said) < _SHORTEST or is_aside(said) or said.endswith(("?", ":")):
                continue
            if is_rejected(said, main) or any(said in one.text for one in found):
                continue
            score = score_of(AgentSentence(said, place=place, situation=situation))
            step = int(main["step"]) + _REPORT
            found.append(_Sentence(said, score, (step, place), str(event or ""), reported=True))
    told = told.casefold()
    return [
        one
        for one in found
        if one.score >= LEAST
        and one.text.casefold() not in told
        and not _is_chaff(one.text)
        and not is_stale(one.text, main)
        and (main["edited"] or not (is_suggestion(one.text) or is_guess(one.text)))
    ]


def is_suggestion(sentence: str) -> bool:
    """Whether a sentence is an item under a heading, which where nothing was changed is an option
    or a suggestion."""
    return _ITEM.match(sentence) is not None


#: Steps by which a report stands behind all statements of its turn.
_REPORT: Final = 1_000_000


def _chosen(sentences: Iterable[_Sentence], told: str, words: str) -> list[_Sentence]:
    """The sentences that say most and repeat least, in their order."""
    left, kept, room = list(sentences), list[_Sentence](), ROOM
    users = _telling(words)
    known = users | _telling(told)
    while left and len(kept) < SENTENCES:
        best = max(left, key=partial(_value, known=known, users=users))
        left.remove(best)
        if len(best.text) <= room and not any(same(best.text, one.text) for one in kept):
            kept.append(best)
            room -= len(best.text) + 1
            known = known | _telling(best.text)
    return sorted(kept, key=lambda one: one.place)


def _value(one: _Sentence, *, known: set[str], users: set[str]) -> float:
    """What a sentence adds: how good it is, what it says that nothing else does, and how much it is
    about the user's words and what is told already."""
    own = _telling(one.text)
    apart = not own & (known | users) and not stands(one.text)
    told = one.score + NEW * min(_MOST_NEW, len(own - known)) + USERS * len(own & users)
    return told - APART * apart


def _where(main: Mapping[str, Any], told: str) -> list[str]:
    """The files that the rest is about, where nothing was changed upon a user's words and the rest
    does not name them; a file that was merely open is none."""
    paths = dict.fromkeys([*main["paths"], *edited_upon(main)])
    new = [path for path in paths if path not in told and are_related(path, told)][:_FILES]
    return [f"{WHERE}{', '.join(f'`{path}`' for path in new)}."] if new else []


def _is_chaff(sentence: str) -> bool:
    if _CHAFF.search(sentence) or _OF_THE_TALK.search(sentence):
        return True
    return len(_telling(_NAMED.sub(" ", sentence))) < _LEAST_WORDS


def _telling(text: str) -> set[str]:
    return {word for word in words_of(text) if len(word) >= LEAST_SHARED}
