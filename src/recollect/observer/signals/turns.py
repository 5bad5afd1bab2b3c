"""Signals 18 to 20: what users said after their first words, and what agents found out.

A turn of the user is judged by its words, by where it stands, and by the agent's answer to it. Its
memory quotes the user, names what it was about, and quotes the agent's best statement on it; it
cites each of them. A refusal without words waits for the next prompt, where people say why. What
the agent found out and no turn of the user accounts for is a diagnosis of its own.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from recollect.observer.candidates import Candidate
from recollect.observer.commands import SHELLS, checks, commit_message, puts_back
from recollect.observer.diagnoses import is_choice, same, stated
from recollect.observer.failures import has_failed
from recollect.observer.material import MaterialLine
from recollect.observer.phrases import action_of, digest, module_of, shortened, symbols_in
from recollect.observer.scratchpad import Scratchpad
from recollect.observer.signals.exchanges import CURT, GOING_ON, exchanges, is_refusal, settled
from recollect.observer.signals.threads import standing
from recollect.observer.signals.turn_text import (
    are_related,
    content_of,
    findings,
    found_out,
    is_asking,
    is_refusing,
    is_task,
)
from recollect.observer.signals.wishes import is_empty, is_lasting, type_of
from recollect.observer.taxonomy import Signal
from recollect.observer.turn_words import has_yielded, is_plan, worth
from recollect.vocabulary.acts import Act, ActKind
from recollect.vocabulary.memory_types import MemoryType

KEPT: Final = 200
STATEMENTS: Final = 12
COMMITS: Final = 4
SYMBOLS: Final = 4
BODY: Final = 400
#: So many more are kept of a turn for a model to read.
MORE: Final = 24
WORDS: Final = 1_200
#: A turn that is worth so much, and a finding, are remembered.
TURN: Final = 2.25
FINDING: Final = 4.0
#: So much less is a turn worth when nothing is known to have come of it.
UNSETTLED: Final = 3.0
#: A wish with one of these is for good, whatever came of it.
_STANDING: Final = re.compile(
    r"(?i)\b(?:always|never|from now on|every time|toujours|jamais|désormais)\b"
)
_NO: Final = re.compile(r"^(?:no(?:pe)?|nah|wait|hm+)[,.! ]+", re.I)
LITTLE: Final = 12
#: A sentence that tells so much says a finding by itself; of one alone so much is told.
STRONG: Final = 1.5
ALONE_FOUND: Final = 600
#: A turn is worth more by what was found out on it, and less when it only asks or orders something;
#: much less when nothing strong was found out on that.
FOUND_OUT: Final = 0.7
ORDERED: Final = 0.3
TASK: Final = 1.0
#: What was acted upon, and words that say how it is not to be, are worth more.
EDITED: Final = 0.8
OBJECTING: Final = 0.2
#: So many statements of the agent are quoted with an exchange.
QUOTED: Final = 10
#: A statement that is worth less says nothing that a reader misses.
TOLD: Final = 0.8
_SOON: Final = 3
_DONE: Final = re.compile(
    r"\b(?:done|all (?:tests )?pass\w*|complete[d]?|summary|fixed|updated|created|pushed|"
    r"committed|implemented)\b",
    re.I,
)
_GIT: Final = re.compile(r"(?:git|gh)\b|$")
_NOT_THEIRS: Final = re.compile(
    r"^(?:Implement the following|The user wants to clarify these)", re.I
)
#: What the user tells memory directly is kept by itself.
_KEPT_ANYWAY: Final = re.compile(r"\s*(?:/remember\b|The user asked to remember:)")


class Turns:
    """Hears users' turns and what agents state in between."""

    name = "turns"
    hears = (
        ActKind.PROMPT,
        ActKind.REFUSAL,
        ActKind.CORRECTION,
        ActKind.INTERRUPTION,
        ActKind.ANSWER,
        ActKind.CALL,
        ActKind.RESULT,
    )

    def __init__(self) -> None:
        self._turns: list[dict[str, Any]] = []
        self._waiting: dict[str, Any] | None = None
        self._interrupted = False
        self._said = ["", ""]
        self._check = ["", ""]

    def hear(self, act: Act, pad: Scratchpad) -> None:
        """One act of the user or the agent."""
        if act.agent is not None:
            return
        if act.kind is ActKind.CALL:
            self._called(act)
        elif act.kind is ActKind.RESULT:
            self._passed(act)
        elif act.kind is ActKind.PROMPT:
            self._prompted(act, pad)
        elif act.kind is ActKind.INTERRUPTION:
            self._interrupted = True
        elif act.kind is ActKind.ANSWER:
            self._stated(act, pad)
        else:
            self._refused(act, pad)

    def gather(self, pad: Scratchpad) -> Iterable[Candidate]:
        """Each exchange, and each finding that no exchange quotes."""
        for turns in exchanges(standing(settled(self._turns))):
            told = [one for one in _told(turns) if _is_own(one)]
            found = _turn_candidate(turns, told, pad)
            if found is not None:
                yield found
            used = {one["event"] for one in told} if found and _is_promising(found) else set()
            for turn in turns:
                for one in turn["stated"]:
                    if one["event"] not in used:
                        yield _finding(one, turn, pad)

    def lines(self, pad: Scratchpad) -> Iterable[MaterialLine]:
        """Turns and statements, as a model reads them; a refusal with what was refused."""
        for turn in self._turns:
            who = f"user, stopping the agent from {turn['action']}" if turn["action"] else "user"
            event = str(turn["event"] or "")
            yield MaterialLine(int(turn["step"]), event, who, str(turn["words"]))
            said = [*turn["stated"], *turn.get("more", ()), *_first_answer(turn)]
            for one in sorted(said, key=lambda one: int(one["step"])):
                if _is_own(one):
                    worth, event = float(one["score"]), str(one["event"] or "")
                    yield MaterialLine(int(one["step"]), event, "agent", str(one["text"]), worth)

    def state(self) -> Any:
        """The turns, and what is not settled yet."""
        return [self._turns, self._waiting, self._interrupted, self._said, self._check]

    def resume(self, state: Any) -> None:
        """Go on."""
        self._turns, self._waiting, self._interrupted, self._said = state[:4]
        self._check = state[4] if len(state) > 4 else ["", ""]

    def _called(self, act: Act) -> None:
        command = act.arguments.get("command")
        if self._turns and act.tool in SHELLS and isinstance(command, str):
            self._commanded(command, act)
        elif self._turns and act.paths and act.tool not in {"Read", "Grep", "Glob"}:
            turn = self._turns[-1]
            paths, symbols = turn["edited"], turn.setdefault("symbols", {})
            if act.paths[0] not in paths and len(paths) < 8:
                paths.append(act.paths[0])
            known = symbols.setdefault(act.paths[0], []) if len(symbols) < 8 else []
            known += [name for name in symbols_in(act.arguments) if name not in known]
            del known[SYMBOLS:]

    def _commanded(self, command: str, act: Act) -> None:
        """A check whose result is awaited, a commit, or a change that is put back."""
        turn = self._turns[-1]
        ran = [check.name for check in checks(command) if not _GIT.match(check.name)]
        self._check = [act.call or "", ran[-1]] if ran else ["", ""]
        subject, rest = commit_message(command)
        if subject and len(turn.setdefault("commits", [])) < COMMITS:
            turn["commits"].append([subject, shortened(rest, BODY)])
        if puts_back(command):
            turn["edited"], turn["passed"] = [], ""

    def _passed(self, act: Act) -> None:
        call, name = self._check
        if call and act.call == call and self._turns:
            self._turns[-1]["passed"] = "" if has_failed(act.text) else name

    def _prompted(self, act: Act, pad: Scratchpad) -> None:
        if _KEPT_ANYWAY.match(act.text):
            return
        waiting, self._waiting = self._waiting, None
        interrupted, self._interrupted = self._interrupted, False
        turn = self._turn(act, pad)
        if waiting is not None and act.step - int(waiting["step"]) <= _SOON:
            turn |= {name: waiting[name] for name in ("action", "step", "paths")}
            turn["late"] = True
        turn["interrupted"] = interrupted
        self._begin(turn)

    def _refused(self, act: Act, pad: Scratchpad) -> None:
        call = pad.call_of(act)
        paths = call.paths or act.paths
        if self._turns:  # it was called, and did not happen
            edited = self._turns[-1]["edited"]
            self._turns[-1]["edited"] = [path for path in edited if path not in paths[:1]]
        turn = self._turn(act, pad)
        turn["action"] = action_of(call.tool or act.tool, call.arguments, paths)
        turn["paths"] = list(paths[:5])
        turn["refused"] = act.kind is ActKind.REFUSAL
        turn["corrected"] = act.kind is ActKind.CORRECTION
        if _NOT_THEIRS.match(act.text) or not act.text.strip():
            self._waiting = turn
        else:
            self._begin(turn)

    def _turn(self, act: Act, pad: Scratchpad) -> dict[str, Any]:
        near = [path for path, use in pad.files.items() if act.step - use.last_step <= _SOON]
        return {
            "step": act.step,
            "event": act.event,
            "words": act.text.strip()[:WORDS],
            "first": not self._turns and act.kind is ActKind.PROMPT and act.step == 0,
            "done": _DONE.search(self._said[0][:300]) is not None,
            "before": list(self._said),
            "action": "",
            "paths": near[-2:],
            "edited": [],
            "stated": [],
            "answer": "",
            "overturns": "",
        }

    def _begin(self, turn: dict[str, Any]) -> None:
        if len(self._turns) < KEPT:
            self._turns.append(turn)

    def _stated(self, act: Act, pad: Scratchpad) -> None:
        self._said = [act.text[:400], act.event or ""]
        if not self._turns:
            return
        turn = self._turns[-1]
        if not turn["answer"]:
            turn["answer"] = act.text[:400]
            turn["answered"] = [act.event, act.step, pad.repeated_from(turn["answer"])]
        turn["last"] = act.event
        statement = stated(act.text)
        if statement is None:
            return
        note = {
            "score": round(statement.score, 2),
            "text": statement.text,
            "event": act.event,
            "step": act.step,
            "files": turn["edited"][-1:],
            "choice": is_choice(act.text),
            "repeats": pad.repeated_from(statement.text),
        }
        kept = [one for one in turn["stated"] if not _outdated(one, note)]
        kept.append(note)
        if len(kept) > STATEMENTS:
            least = min(kept, key=lambda one: float(one["score"]))
            kept.remove(least)
            turn["more"] = [*turn.get("more", ()), least][-MORE:]
        turn["stated"] = kept


def _first_answer(turn: Mapping[str, Any]) -> list[dict[str, Any]]:
    """What the agent answered first, where nothing of it was kept as a statement."""
    if not turn["answer"]:
        return []
    event, step, *repeats = turn["answered"]
    told = {"step": step, "event": event, "text": turn["answer"], "score": 5.0}
    return [{**told, "repeats": repeats[0] if repeats else None}]


def _outdated(earlier: Mapping[str, Any], later: Mapping[str, Any]) -> bool:
    """Whether a later statement says the same as an earlier one, at least as well."""
    return bool(later["score"] >= earlier["score"]) and same(earlier["text"], later["text"])


def _told(turns: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The best statements on an exchange, in their order."""
    stated = [(_weight(one, turn), one) for turn in turns for one in turn["stated"]]
    stated = [pair for pair in stated if pair[0] >= TOLD and len(pair[1]["text"]) >= CURT]
    best = sorted(stated, key=lambda pair: -pair[0])[:QUOTED]
    return [one for _, one in sorted(best, key=lambda pair: int(pair[1]["step"]))]


def _weight(one: Mapping[str, Any], turn: Mapping[str, Any]) -> float:
    """A statement's score; what the agent says last in a turn is its account of it."""
    return float(one["score"]) + (0.9 if one["event"] == turn.get("last") else 0.0)


def _score(turn: Mapping[str, Any]) -> float:
    words = str(turn["words"])
    score: float = worth(words)
    score += 1.8 * bool(turn.get("refused")) + 0.7 * bool(turn.get("late"))
    score += 1.8 * bool(turn.get("corrected"))
    score += 1.2 * bool(turn.get("interrupted")) + EDITED * bool(turn["edited"])
    score += OBJECTING * is_refusing(words)
    score += 1.2 * has_yielded(str(turn["answer"]))
    score += 0.2 * max((_weight(one, turn) for one in turn["stated"]), default=0.0)
    return float(score) - 0.8 * bool(turn["first"]) + 1.5 * is_plan(words)


def _turn_candidate(
    turns: Sequence[dict[str, Any]], told: list[dict[str, Any]], pad: Scratchpad
) -> Candidate | None:
    spoken = [turn for turn in turns if not is_empty(str(turn["words"]))]
    if not spoken:
        return None
    scores = [_score(turn) for turn in spoken]
    refused = is_refusal(spoken[0]) and not (is_asking(str(spoken[0]["words"])) and spoken[1:])
    main = spoken[0] if refused else spoken[scores.index(max(scores))]
    main = next((turn for turn in reversed(spoken) if _takes_back(turn)), main)
    words = str(main["words"])
    agreed = _agreed(main, told)
    paths = tuple(dict.fromkeys([*main["paths"], *main["edited"][:2]]))[:4]
    others = _beside(main, spoken)
    beside = [str(one["words"]) for one in others]
    found, strength = found_out(main, beside, agreed, told)
    score = max(scores) - UNSETTLED * _is_unsettled(spoken, told)
    score -= ORDERED * is_task(words) + TASK * (is_task(words) and strength < STRONG)
    more_found = min(4.0, strength) - STRONG
    score += FOUND_OUT * (max(0.0, more_found) if any(map(_states, spoken)) else more_found)
    more = 0.25 * sum(score > 1.0 for score in scores) - 0.25
    events = [one["event"] for one in (main, *others, *agreed, *told)]
    events.insert(1, main.get("overturned"))
    return Candidate(
        signal=Signal.REFUSAL if is_refusal(main) else Signal.CORRECTION,
        key=digest(words),
        type=type_of(words),
        content=content_of(main, beside, found),
        session=pad.session,
        step=int(main["step"]),
        files=paths,
        modules=tuple(dict.fromkeys(filter(None, map(module_of, paths)))),
        confidence=sureness(score + more, TURN),
        quote=words,
        events=tuple(dict.fromkeys(event for event in events if event)),
    )


def _takes_back(turn: Mapping[str, Any]) -> bool:
    """Whether a turn says how something is instead; "no, write the plan" only gives an order."""
    return bool(turn["overturns"]) and not is_task(_NO.sub("", str(turn["words"])))


def _is_unsettled(spoken: Sequence[Mapping[str, Any]], told: Sequence[Any]) -> bool:
    """Whether nothing can be told of what came of an exchange that does not settle it itself."""
    if told or any(turn["edited"] or turn["commit"] for turn in spoken):
        return False
    if any(has_yielded(str(turn["answer"])) for turn in spoken):
        return False
    return not any(_states(turn) for turn in spoken)


def _states(turn: Mapping[str, Any]) -> bool:
    """Whether the words say themselves how something is to be; the reason of a refusal does."""
    words = str(turn["words"])
    if is_asking(words):
        return False
    if is_refusal(turn):
        return is_lasting(words) or is_refusing(words)
    return is_lasting(words) and (is_refusing(words) or _STANDING.search(words) is not None)


def _beside(main: Mapping[str, Any], spoken: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The other turns of an exchange that say something of their own."""
    known = {digest(str(main["words"])), digest(str(main["overturns"]))}
    found: list[dict[str, Any]] = []
    for turn in spoken:
        words = str(turn["words"])
        if turn is not main and digest(words) not in known and len(words) > LITTLE:
            known.add(digest(words))
            if worth(words) > 0 and _belongs(words, main):
                found.append(turn)
    return found


def _belongs(words: str, main: Mapping[str, Any]) -> bool:
    """Whether a turn says more of what another one is about, or how something is to be."""
    own = str(main["words"])
    if len(own) < CURT or GOING_ON.match(own) or (is_lasting(words) and not is_task(words)):
        return True
    return are_related(words, f"{own} {main['overturns']} {' '.join(main['paths'])}")


def _finding(one: Mapping[str, Any], turn: Mapping[str, Any], pad: Scratchpad) -> Candidate:
    paths = tuple(one["files"])
    text, strength = findings([(str(one["text"]), 0.0, "")], "", ALONE_FOUND)
    where = f"`{paths[0]}`: " if paths and paths[0] not in text else ""
    return Candidate(
        signal=Signal.DIAGNOSIS,
        key=digest(str(one["text"])),
        type=MemoryType.GOTCHA,
        content=f"{where}{text}",
        session=pad.session,
        step=int(one["step"]),
        files=paths,
        modules=tuple(filter(None, map(module_of, paths))),
        confidence=sureness(_weight(one, turn) if strength >= STRONG else 0.0, FINDING),
        events=(one["event"],) if one["event"] else (),
    )


def sureness(score: float, threshold: float) -> float:
    """A score as a confidence: at its threshold, just enough to be remembered."""
    return round(min(0.95, max(0.1, 0.5 + 0.12 * (score - threshold))), 3)


def _is_promising(found: Candidate) -> bool:
    return found.confidence >= 0.5


def _agreed(turn: Mapping[str, Any], told: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The answer in which the agent gives way, unless it is quoted anyway or strangers spoke."""
    if not has_yielded(str(turn["answer"])):
        return []
    event, _, *repeats = turn["answered"]
    known = any(one["event"] == event and event for one in told)
    answer = {"text": turn["answer"], "event": event, "repeats": repeats[0] if repeats else None}
    return [answer] if not known and _is_own(answer) else []


def _is_own(one: Mapping[str, Any]) -> bool:
    """Whether a statement is the agent's: strangers' words had no part in it."""
    return one.get("repeats") is None
