"""Text of a memory of an exchange: the lesson's sentence, then labelled lines about it.

The first line is what a reader should know: the user's words, or a finding of the agent where the
words only led to it. The lines behind it name what was refused, what the words reply to, the
outcome and what was changed. A pasted log is shortened in favour of the outcome, and a plan is
reduced to its title and reasons.
"""

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, Final

from recollect.observer.diagnoses import identifiers, names_in, sentences_of
from recollect.observer.names import LEAST_SHARED, are_related, common_words, is_test
from recollect.observer.names import words as words_of
from recollect.observer.phrases import NOT_ABBREVIATED, quoted, shortened
from recollect.observer.signals.context_need import context_needed
from recollect.observer.signals.wishes import is_lasting, is_question, is_wishing
from recollect.observer.turn_words import has_yielded, is_plan, worth

#: Characters read of a user's words, told of them, told where they are only the occasion of a
#: finding, and told of the turn before.
OWN: Final = 680
TOLD: Final = 340
OCCASION: Final = 140
BESIDE: Final = 140
#: Characters that are kept of what an agent said before a turn, and first in it.
KEPT: Final = 400
#: Characters of a pasted block that are kept, enough to recognise it.
_PASTE: Final = 160
_SENTENCE: Final = re.compile(rf"(?<=[.?!]){NOT_ABBREVIATED}\s+")
#: Fewest characters of a sentence, rather than the number of an item.
_LEAST_SAID: Final = 5
_LINES: Final = 2
_FENCED: Final = re.compile(r"(?:```|\"\"\")[\w-]{0,20}\n?(.*?)(?:```|\"\"\"|\Z)", re.S)
#: Lines printed by a program, not written by a person.
_PRINTED: Final = re.compile(
    r"^(?:\s{4,}\S|\s*(?:---|===|\+\+\+|@@|\$ |> |\|[ -]|\[[\w:.-]{1,30}\]|[│├└╭╰]|at \S+\(|"
    r"FAIL\b|ok\s{2,}|PASS\b|panic:|goroutine |\d{4}-\d\d-\d\d[T ]|\d\d:\d\d:\d\d|"
    r"[\w./-]{1,200}:\d{1,6}[:\s]|[0-9a-f]{7,40} |[+-]\s?\S{1,40}\s?[:=({]|[{}\]]))"
)
_REFUSING: Final = re.compile(
    r"^(?:no+|nope|nah|stop|wait|wrong|hm+,? no)\b(?! (?:need|worries|problem))|"
    r"\b(?:don't|do not|never|instead|rather|should(?:n't| not)|wrong|not (?:what|the|a|like|this|"
    r"that|here|now|yet|needed|necessary)|too (?:much|many|long|big|complex)|unnecessary|overkill|"
    r"no need|without|please use|only|must|prefer)\b",
    re.I,
)
#: Beginning of an order for the moment.
_TASK: Final = re.compile(
    r"^(?:(?:ok(?:ay)?|great|cool|nice|perfect|good|now|and|then|also|so|yes|alright|[a-d1-9]\))"
    r"[,.! ]+){0,3}(?:please |can (?:you|we) |could (?:you|we) |let's |lets |"
    r"I (?:want|need) (?:you )?(?:to )?|we (?:need|want) to |I'd like (?:you )?to |help me )?"
    r"(?:also |now |just |please )?"
    r"(?:add|make|create|write|check|look|help|review|run|implement|generate|explain|fix|update|"
    r"commit|push|pull|squash|copy|move|rename|reduce|refactor|evaluate|analy[sz]e|research|search|"
    r"suggest|list|describe|compare|test|figure|improve|clean|think|continue|start|open|"
    r"investigate|find|show|tell|give|go|do|try|"
    r"read|see|debug|summari[sz]e|merge|rebase|address|propose|confirm|verify|invoke|discuss)\b",
    re.I,
)
_HEADING: Final = re.compile(r"^#{1,6}\s*(?:Plan:?\s*)?(.*)$", re.I)
#: Sections of a plan that give its purpose and reasons.
_WHY: Final = re.compile(
    r"\b(?:goal|summary|context|problem|background|root cause|cause|why|motivation|overview|"
    r"decisions?|approach|design|behaviou?r|solution|constraints?|requirements?|issue|insight)\b",
    re.I,
)
#: Minimum characters of words that are told as the occasion of a finding, and the need of context
#: from which they are not.
_TELLING: Final = 30
_UNTELLING: Final = 2.5
_PLAN_LINE: Final = 260
#: Telling words from which words name their subject themselves.
_SUBJECT: Final = 5
#: Parts that are kept of what an agent said before a turn, if its end is among them, and fewest and
#: most characters of a question that is told.
_ENDED: Final = 3
_LEAST_ASKED: Final = 25
_LONGEST_ASKED: Final = 220
#: Beginning of words that agree with what was said before them.
_AGREEING: Final = re.compile(r"(?:yes|yeah|yep|right|exactly|true|agreed|sure)\b", re.I)
#: Words for something that was seen or said before, without its name.
_POINTING_AT: Final = re.compile(
    r"\b(?:those|these|that|this) (?:changes?|files?|lines?|things?|parts?|tests?|cases?|ones?|"
    r"func(?:tion)?s?|methods?|fields?|approach|logic|thing|code|stuff)\b|"
    r"\bthe (?:others?|other ones?|rest|former|latter|same|one(?= here| there| above| below))\b"
    r"(?! (?:of|way|time|thing|name|for|as)\b| \w+ (?:of|that|which)\b)",
    re.I,
)
_FILES: Final = 2
#: Number of words that a file's name and symbols share with what clearly speaks of it.
_CLEARLY: Final = 2
#: Beginning of the action of a refused command.
_RUNNING: Final = "running "
#: Beginnings of the action of a refused edit.
_EDITING: Final = ("editing ", "writing ")
_SYMBOLS: Final = 3
#: Number of symbols that are told though nobody spoke of them.
_FEW: Final = 2
#: Number of names that are told of what an edit newly calls.
_MEANS: Final = 2
#: An item of a list that states nothing: a name with a note on it.
_NOTED: Final = re.compile(r"[`\w./()*-]{2,80} (?:[-\u2013\u2014]|\u2192) ")
#: Labels of the lines behind the first one.
REFUSED: Final = "Refused: "
STOPPED: Final = "Stopped: "
RAN: Final = "Said after the agent ran: "
ASKED: Final = "The agent had asked: "
ANSWERED: Final = "The user answered: "
REPLIED: Final = "The agent had said: "
EARLIER: Final = "The user had said before: "
CHANGED: Final = "Changed: "
MEANS: Final = "Done with: "
COMMITTED: Final = "Committed as: "
FOUND: Final = "The agent found: "
AGREED: Final = "The agent agreed: "
ADMITTED: Final = "The agent admitted: "
REPORTED: Final = "The agent reported: "
ALSO_SAID: Final = "The user also said: "
LATER_SAID: Final = "Later the user said: "
ENDED: Final = "In the end: "
#: The proposal in the phrase for an action.
_PROPOSAL: Final = re.compile(
    r"^(editing|writing) (`[^`]{1,300}`|a file) \((proposed|removing): (`.{1,300}`)\)$"
)


def content_of(
    turn: Mapping[str, Any], earlier: Sequence[str], found: Sequence[str], *, settles: bool
) -> str:
    """The lesson's sentence, and labelled lines on what it is about and what became of it.

    Words that settle how something should be come first; others come behind what was found, as its
    occasion.
    """
    done = changed_lines(turn, " ".join(found))
    if found and not settles:
        return "\n".join([found[0], *_occasion(turn, found[0]), *found[1:], *done])
    said = [said_by_user(turn), *about(turn, earlier)]
    if found and str(turn["words"]).endswith("?") and found[0].startswith(AGREED):
        # An agreement says as a statement what the user asked for.
        said, found = [found[0].removeprefix(AGREED), *said], found[1:]
    return "\n".join([*said, *found, *done])


def _occasion(turn: Mapping[str, Any], found: str) -> list[str]:
    """The user's words that led to what was found, with what they refused, unless they say nothing
    of it by themselves."""
    words = str(turn["words"])
    refused = _refused(turn)
    if refused:
        return [said_by_user(turn), refused]
    own = own_words(words, OCCASION)
    if len(own) < _TELLING or own.startswith("…") or context_needed(own) >= _UNTELLING:
        return []
    if not are_related(own, f"{found} {' '.join(turn['edited'])}"):
        return []
    verb = "asked" if is_asking(words) else "said"
    return [f"The user had {verb}: {quoted(own)}"]


def is_refusing(words: str) -> bool:
    """Whether the words say that something must not be done, or must be done differently."""
    return _REFUSING.search(own_words(words, OWN)) is not None


def is_asking(words: str) -> bool:
    """Whether the words only ask for information."""
    return is_question(words) and not is_wishing(words)


def is_task(words: str) -> bool:
    """Whether the words only ask or order something for now, without correcting anything."""
    own = own_words(words, OWN)
    if is_plan(words) or is_refusing(own) or is_lasting(own):
        return False
    return is_asking(words) or _TASK.match(own.strip("“ ")) is not None


@lru_cache(maxsize=512)
def own_words(words: str, longest: int) -> str:
    """The user's words, with pasted blocks cut to their beginnings; of a long text the sentences
    that say most."""
    if is_plan(words):
        return _plan(words, longest)
    text = _FENCED.sub(lambda found: f" {shortened(found.group(1), _PASTE)} ", words)
    kept: list[str] = []
    printed = 0
    for line in text.splitlines():
        printed = printed + 1 if _PRINTED.match(line) else 0
        if printed <= _LINES:
            kept.append(line if not printed else line[:_PASTE])
        elif kept and kept[-1] != "…":
            kept.append("…")
    whole = " ".join(" ".join(kept).split())
    own = whole if longest < OWN else shortened(whole, OWN)
    return own if len(own) <= longest else _most_telling(own, longest)


def _most_telling(words: str, longest: int) -> str:
    """Sentences that say most about how something should be, in their order; gaps are marked."""
    sentences = [one for one in _SENTENCE.split(words) if one.strip()]
    said = [place for place, one in enumerate(sentences) if len(one.strip()) >= _LEAST_SAID]
    ranked = sorted(said, key=lambda place: -worth(sentences[place]))
    kept: list[int] = []
    for place in ranked:
        if sum(len(sentences[one]) + 3 for one in (*kept, place)) <= longest:
            kept.append(place)
    if not kept:
        return shortened(words, longest)
    told = ""
    for place in sorted(kept):
        gap = "" if place == 0 or place - 1 in kept else "… "
        told = f"{told} {gap}{sentences[place]}".strip()
    told = told if max(kept) == len(sentences) - 1 else f"{told} …"
    return told.replace("… …", "…")


def replied_to(turn: Mapping[str, Any]) -> str:
    """The sentence of the agent's last message that short words, or words for something that was
    seen, reply to: the last one that names something; empty if the words name their subject, or
    refuse an action that does."""
    words = own_words(str(turn["words"]), OWN)
    telling = [word for word in words_of(words) if len(word) >= LEAST_SHARED]
    leans = _AGREEING.match(words) is not None
    named = len(set(telling)) >= _SUBJECT and not points_at(words) and not leans
    if named or identifiers(words) or turn["action"]:
        return ""
    said = [one for one in sentences_of(whole(str(turn["before"][0]))) if identifiers(one)]
    said = [one for one in said if not _NOTED.match(one)]
    stated = [one for one in said if len(one) <= BESIDE and not one.endswith((":", "?"))]
    return stated[-1] if stated else ""


def answered(turn: Mapping[str, Any]) -> str:
    """The question at the end of the agent's last message that a user's words answer, if they name
    nothing of the code themselves: short words, or words that speak of the same."""
    words = own_words(str(turn["words"]), OWN)
    if turn["action"] or identifiers(words) or is_question(words) or len(turn["before"]) < _ENDED:
        return ""
    asked = [one for one in sentences_of(str(turn["before"][2])) if one.endswith("?")]
    last = asked[-1] if asked else ""
    if not _LEAST_ASKED <= len(last) <= _LONGEST_ASKED or not identifiers(last):
        return ""
    telling = {word for word in words_of(words) if len(word) >= LEAST_SHARED}
    return last if len(telling) < _SUBJECT or are_related(words, last) else ""


def points_at(words: str) -> bool:
    """Whether words speak of something that was seen or said before, without its name."""
    return _POINTING_AT.search(words) is not None


def whole(text: str) -> str:
    """The beginning of an agent's text that was kept, without a sentence that was cut off."""
    if len(text) < KEPT or text.rstrip().endswith((".", "!", "?")):
        return text
    return text[: max(text.rfind(". "), text.rfind("\n")) + 1]


def said_by_user(turn: Mapping[str, Any], longest: int = TOLD) -> str:
    """The user's own words, or the beginning of a plan."""
    words = str(turn["words"])
    own = quoted(own_words(words, longest))
    if turn.get("answers"):
        return f"{ANSWERED}{quoted(shortened(str(turn['answers']), OWN))}"
    if is_plan(words):
        return f"The user had this planned: {own}"
    return f"The user {'asked' if is_asking(words) else 'said'}: {own}"


def about(turn: Mapping[str, Any], earlier: Sequence[str] = ()) -> list[str]:
    """What a user's words are about: what they refused, and what they follow or reply to."""
    words = str(turn["words"])
    if is_plan(words):
        return []
    refused = _refused(turn)
    if refused:
        return [refused]
    after = said_after(turn)
    if after:
        return after
    earlier = [str(turn["overturns"])] if turn["overturns"] else earlier
    earlier = [one for one in earlier if context_needed(one) < _UNTELLING]
    if earlier:
        return [f"{EARLIER}{quoted(own_words(earlier[0], BESIDE))}"]
    question = answered(turn)
    if question:
        return [f"{ASKED}{quoted(question)}"]
    reply = replied_to(turn)
    return [f"{REPLIED}{quoted(reply)}"] if reply else []


def said_after(turn: Mapping[str, Any]) -> list[str]:
    """The command that ran before a wish for another tool, if one did."""
    ran = str(turn.get("ran_instead") or "")
    return [f"{RAN}`{ran}`."] if ran else []


def _refused(turn: Mapping[str, Any]) -> str:
    """What the user refused or stopped; empty if the words that came later do not refuse it."""
    action, words = str(turn["action"]), str(turn["words"])
    if not action or not (turn.get("refused") or turn.get("late")):
        return ""
    if turn.get("late") and not (is_refusing(words) or are_related(action, words)):
        return ""
    proposal = _PROPOSAL.match(action)
    if proposal is not None and not _shows(proposal.group(4), turn):
        action = f"{proposal.group(1)} {proposal.group(2)}"
    return f"{STOPPED if turn.get('late') else REFUSED}{_action(action)}."


def _shows(line: str, turn: Mapping[str, Any]) -> bool:
    """Whether a proposed line speaks of what was objected to, or of what the agent then agreed."""
    answer = str(turn["answer"]) if has_yielded(str(turn["answer"])) else ""
    return common_words(line, f"{turn['words']} {answer}") > 0


def _action(action: str) -> str:
    """A refused action, with the proposal first where it is known."""
    proposal = _PROPOSAL.match(action)
    if proposal is not None:
        _, where, how, line = proposal.groups()
        return f"{line} in {where}" if how == "proposed" else f"removing {line} from {where}"
    return action.removeprefix(_RUNNING) if action.startswith(f"{_RUNNING}`") else action


def changed_lines(turn: Mapping[str, Any], found: str) -> list[str]:
    """Files changed in the turn, and the commit if nothing else shows the outcome; nothing at a
    refused command, where what was changed afterwards is not what the user spoke of."""
    if turn.get("refused") and str(turn["action"]).startswith(_RUNNING):
        return []
    spoken = f"{turn['words']} {turn['overturns']} {turn['answer']} {found}"
    symbols = turn.get("symbols", {})
    told = [_changed(path, symbols, spoken) for path in changed_for(turn, found)[:_FILES]]
    parts = [f"{CHANGED}{'; '.join(told)}."] if told else []
    means = [f"`{name}`" for name in means_of(turn) if name not in found]
    parts += [f"{MEANS}{', '.join(means[:_MEANS])}."] if means else []
    subject, _ = turn.get("commit") or ("", "")
    if subject and not found and are_related(str(turn["words"]), subject):
        parts.append(f"{COMMITTED}{quoted(subject)}.")
    return parts


def changed_for(turn: Mapping[str, Any], found: str) -> list[str]:
    """Files that were changed upon a user's words: of several, those that were refused or that the
    words and what was found clearly speak of, else the first ones; a text for people only if it is
    spoken of."""
    edited = [path for path in edited_upon(turn) if not is_plan_file(path)]
    edited = [path for path in edited if not is_test(path)] or edited
    said = f"{turn['words']} {turn['overturns']} {found}"
    symbols = turn.get("symbols", {})
    names = {path: f"{path} {' '.join(symbols.get(path, ()))}" for path in edited}
    named = [
        path for path in edited if path in turn["paths"] or are_related(said, names[path], _CLEARLY)
    ]
    spoken = [path for path in edited if not is_prose(path) or are_related(said, names[path])]
    return named or spoken


def edited_upon(turn: Mapping[str, Any]) -> list[str]:
    """Files that were edited upon a user's words. A refused edit is answered only by one of the
    same file, or of one that the objection or the agent's agreement names: what else was edited
    until the next turn belongs to other work."""
    edited = [str(path) for path in turn["edited"]]
    if not (str(turn["action"]).startswith(_EDITING) and _refused(turn)):
        return edited
    answer = str(turn["answer"]) if has_yielded(str(turn["answer"])) else ""
    said, symbols = f"{turn['words']} {answer}", turn.get("symbols", {})
    return [
        path
        for path in edited
        if path in turn["paths"] or common_words(f"{path} {' '.join(symbols.get(path, ()))}", said)
    ]


def means_of(turn: Mapping[str, Any]) -> list[str]:
    """What the edits upon an objection newly call, if the agent had answered the user with it."""
    words = str(turn["words"])
    objected = turn.get("refused") or turn.get("late") or "?" in words
    if not objected or turn["overturns"]:
        return []
    named = {name.rpartition(".")[2].rstrip("()") for name in names_in(str(turn["answer"]))}
    brought = [(str(path), str(name)) for path, name in turn.get("brought", ())]
    found = dict.fromkeys(name for path, name in brought if not (is_test(path) or is_prose(path)))
    told = [name for name in found if name.rpartition(".")[2] in named]
    return [name for name in told if name.rpartition(".")[2] not in words]


def _changed(path: str, symbols: Mapping[str, Sequence[str]], spoken: str) -> str:
    """A changed file, with what was changed in it as far as that is what was spoken of."""
    every = () if is_prose(path) else symbols.get(path, ())
    related = [name for name in every if name in spoken or common_words(name, spoken)]
    every = related or (every if len(every) <= _FEW else ())
    named = [name for name in every if not name.startswith(("Test", "test"))] or every
    names = ", ".join(f"`{name}`" for name in named[:_SYMBOLS])
    return f"{names} in `{path}`" if names else f"`{path}`"


def is_prose(path: str) -> bool:
    """Whether a file is written for people."""
    return path.endswith((".md", ".txt", ".rst"))


def is_plan_file(path: str) -> bool:
    """Whether a file holds a plan rather than the work."""
    return path.endswith(".md") and "plan" in path.lower()


def _plan(words: str, longest: int) -> str:
    """Title of a plan, and its sections on purpose and reasons."""
    title, kept, wanted = "", list[str](), True
    for line in words.splitlines()[1:] if not words.startswith("#") else words.splitlines():
        heading = _HEADING.match(line)
        if heading is not None and not title:
            title = heading.group(1).strip()
        elif heading is not None:
            wanted = _WHY.search(heading.group(1)) is not None
        elif wanted:
            kept += [one[:_PLAN_LINE] for one in sentences_of(line)]
    told = " ".join(kept)
    return shortened(f"{title}. {told}" if title else told or words, longest)
