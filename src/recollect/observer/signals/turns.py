"""Signals 18 to 20: users' turns after the first prompt, and findings of agents.

Turns are recorded with what the agent stated, changed, checked and committed in each. A refusal
without words waits for the next prompt, where people say why.
"""

import re
from collections.abc import Iterable, Mapping
from typing import Any, Final

from recollect.observer.candidates import Candidate
from recollect.observer.commands import (
    SHELLS,
    checks,
    commit_made,
    commit_message,
    discarded,
    moves_commits,
    puts_back,
)
from recollect.observer.diagnoses import is_choice, same, stated
from recollect.observer.failures import has_failed
from recollect.observer.material import MaterialLine
from recollect.observer.phrases import action_of, calls_changed, shortened, symbols_in
from recollect.observer.scratchpad import Scratchpad
from recollect.observer.signals.gone_names import GoneNames
from recollect.observer.signals.numbered_answers import answers_to, questions_in
from recollect.observer.signals.rule_notes import added, is_rule_note
from recollect.observer.signals.standing_instructions import said_of_themselves
from recollect.observer.signals.turn_candidates import candidates_of, is_own
from recollect.observer.signals.turn_text import KEPT as ANSWER
from recollect.observer.signals.turn_text import is_plan_file
from recollect.observer.signals.working_terms import binding_lines
from recollect.observer.tool_wishes import ran_instead
from recollect.observer.turn_words import is_notice
from recollect.vocabulary.acts import Act, ActKind

KEPT: Final = 200
STATEMENTS: Final = 12
COMMITS: Final = 4
SYMBOLS: Final = 4
BODY: Final = 400
#: Number of names that are kept of what a turn's edits newly call.
BROUGHT: Final = 24
#: Number of turns of which an edit may take something away.
REACH: Final = 8
#: Characters kept of the agent's last message in a turn.
SUMMARY: Final = 2_400
#: Characters read of the end of a message for numbered questions.
ASKED: Final = 3_000
#: Number of weaker statements kept in addition for a model to read, and characters kept of the
#: user's words.
MORE: Final = 24
WORDS: Final = 1_200
#: Characters behind these that are read for lines that bind the agent.
TAIL: Final = 4_000
#: Number of commands before a turn that are kept, and characters of each.
RAN: Final = 6
COMMAND: Final = 200
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
#: A prompt as some programs wrap it.
_WRAPPING: Final = re.compile(r"</?user[_-]?query>", re.I)
#: Direct requests to remember something, which are stored separately.
_KEPT_ANYWAY: Final = re.compile(r"\s*(?:/remember\b|The user asked to remember:)")


class Turns:
    """Records users' turns and the agent's statements in between."""

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
        self._asked: dict[str, str] = {}
        self._names = GoneNames()
        self._ran: list[str] = []
        self._committing = ""

    def hear(self, act: Act, pad: Scratchpad) -> None:
        """Process one act of the user or the agent."""
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
        """Candidates for each exchange, and for each finding that no exchange quotes."""
        return candidates_of(self._turns, pad, self._names.gone())

    def lines(self, pad: Scratchpad) -> Iterable[MaterialLine]:
        """Turns and statements, as lines for a model; a refusal with what was refused."""
        for turn in self._turns:
            who = f"user, stopping the agent from {turn['action']}" if turn["action"] else "user"
            event = str(turn["event"] or "")
            yield MaterialLine(int(turn["step"]), event, who, str(turn["words"]))
            said = [*turn["stated"], *turn.get("more", ()), *_first_answer(turn)]
            for one in sorted(said, key=lambda one: int(one["step"])):
                if is_own(one):
                    worth, event = float(one["score"]), str(one["event"] or "")
                    yield MaterialLine(int(one["step"]), event, "agent", str(one["text"]), worth)

    def state(self) -> Any:
        """The turns, and what is pending."""
        said = [self._said, self._check, self._asked, self._names.state(), self._ran]
        said.append(self._committing)
        return [self._turns, self._waiting, self._interrupted, *said]

    def resume(self, state: Any) -> None:
        """Restore saved state."""
        self._turns, self._waiting, self._interrupted, self._said = state[:4]
        self._check = state[4] if len(state) > 4 else ["", ""]
        self._asked = state[5] if len(state) > 5 else {}
        self._names.resume(state[6] if len(state) > 6 else {})
        self._ran = state[7] if len(state) > 7 else []
        self._committing = state[8] if len(state) > 8 else ""

    def _called(self, act: Act) -> None:
        command = act.arguments.get("command")
        if act.tool in SHELLS and isinstance(command, str):
            self._ran = [*self._ran[1 - RAN :], command[:COMMAND]]
        if self._turns and act.tool in SHELLS and isinstance(command, str):
            self._commanded(command, act)
        elif self._turns and act.paths and act.tool not in {"Read", "Grep", "Glob"}:
            turn = self._turns[-1]
            turn["changed"] = act.step
            self._names.edited(act.paths[0], act.arguments)
            if is_rule_note(act.paths[0]) and not added(act.arguments):
                turn["unread_notes"] = True
            paths, symbols = turn["edited"], turn.setdefault("symbols", {})
            if act.paths[0] not in paths and len(paths) < 8:
                paths.append(act.paths[0])
            known = symbols.setdefault(act.paths[0], []) if len(symbols) < 8 else []
            known += [name for name in symbols_in(act.arguments) if name not in known]
            del known[SYMBOLS:]
            self._brought(act)

    def _brought(self, act: Act) -> None:
        """Record what an edit newly calls, and forget what it takes away again."""
        new, gone = calls_changed(act.arguments)
        for turn in self._turns[-REACH:] if gone else ():
            kept = [one for one in turn.get("brought", ()) if one[1] not in gone]
            turn["brought"] = kept
        turn = self._turns[-1]
        turn["brought"] = [*turn.get("brought", ()), *([act.paths[0], name] for name in new)][
            :BROUGHT
        ]

    def _commanded(self, command: str, act: Act) -> None:
        """Record a check whose result is awaited, a commit, or a reverted change."""
        turn = self._turns[-1]
        ran = [check.name for check in checks(command) if not _GIT.match(check.name)]
        self._check = [act.call or "", ran[-1]] if ran else ["", ""]
        subject, rest = commit_message(command)
        if subject and len(turn.setdefault("commits", [])) < COMMITS:
            turn["commits"].append([subject, shortened(rest, BODY)])
            self._committing = act.call or ""
        if self._discarded(command) or puts_back(command):
            turn["edited"], turn["passed"], turn["brought"] = [], "", []

    def _discarded(self, command: str) -> bool:
        """Mark the earlier turns of which a command throws away the changes."""
        thrown = discarded(command)
        if thrown is None or (thrown.back_to and any(map(moves_commits, self._ran[:-1]))):
            return False
        commits = 0
        for turn in reversed(self._turns):
            commits += len(turn.get("commits", ()))
            if thrown.back_to and any(
                _is_same(one, thrown.back_to) for one in turn.get("made", ())
            ):
                break
            if not thrown.back_to and commits > thrown.commits:
                break
            if turn is self._turns[-1]:
                continue
            edited = [path for path in turn["edited"] if not is_plan_file(path)]
            if edited and (not thrown.files or all(_names(thrown.files, one) for one in edited)):
                turn["discarded"] = True
        return True

    def _passed(self, act: Act) -> None:
        if self._committing and act.call == self._committing and self._turns:
            made = commit_made("commit", act.text)
            if made is not None:
                self._turns[-1]["made"] = [*self._turns[-1].get("made", ()), made][-COMMITS:]
        call, name = self._check
        if call and act.call == call and self._turns:
            self._turns[-1]["passed"] = "" if has_failed(act.text) else name

    def _prompted(self, act: Act, pad: Scratchpad) -> None:
        if _KEPT_ANYWAY.match(act.text) or is_notice(act.text):
            return
        waiting, self._waiting = self._waiting, None
        interrupted, self._interrupted = self._interrupted, False
        turn = self._turn(act, pad)
        if waiting is not None and act.step - int(waiting["step"]) <= _SOON:
            turn |= {name: waiting[name] for name in ("action", "step", "paths")}
            turn["late"] = True
        turn["interrupted"] = interrupted
        turn["answers"] = answers_to(act.text, self._asked)
        turn["ran_instead"] = ran_instead(str(turn["words"]), self._ran)
        self._asked, self._ran = {}, []
        self._begin(turn)

    def _refused(self, act: Act, pad: Scratchpad) -> None:
        call = pad.call_of(act)
        paths = call.paths or act.paths
        if self._turns:  # called, but not executed
            edited = self._turns[-1]["edited"]
            self._turns[-1]["edited"] = [path for path in edited if path not in paths[:1]]
            brought = self._turns[-1].get("brought", ())
            self._turns[-1]["brought"] = [one for one in brought if one[0] not in paths[:1]]
        turn = self._turn(act, pad)
        turn["action"] = action_of(call.tool or act.tool, call.arguments, paths, act.text)
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
            "at": act.at.timestamp(),
            "words": _kept(act.text.strip()),
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
        ended = act.text[-ANSWER:]
        asked = ended if "?" in ended and pad.repeated_from(ended) is None else ""
        self._said = [act.text[:ANSWER], act.event or "", asked]
        questions = questions_in(act.text[-ASKED:]) if asked else {}
        self._asked = questions or self._asked
        if not self._turns:
            return
        turn = self._turns[-1]
        if not turn["answer"]:
            turn["answer"] = act.text[:ANSWER]
            turn["answered"] = [act.event, act.step, pad.repeated_from(turn["answer"])]
        turn["last"] = act.event
        told = act.text[:SUMMARY]
        turn["summaries"] = [[act.event, told, pad.repeated_from(told)]]
        statement = stated(act.text)
        if statement is None:
            return
        note = {
            "score": round(statement.score, 2),
            "text": statement.text,
            "event": act.event,
            "step": act.step,
            "at": act.at.timestamp(),
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


def _is_same(one: str, other: str) -> bool:
    """Whether two hashes of commits, of which either may be shortened, are the same."""
    return one.startswith(other) or other.startswith(one)


def _names(files: Iterable[str], path: str) -> bool:
    """Whether one of some files is a path, or a folder of it."""
    return any(path == one or path.startswith(f"{one.rstrip('/')}/") for one in files)


def _kept(words: str) -> str:
    """The beginning of a user's words, and of the rest the lines that bind the agent and what users
    say of themselves."""
    if _WRAPPING.match(words):
        words = _WRAPPING.sub("", words).strip()
    if len(words) <= WORDS:
        return words
    beginning = words[:WORDS].rsplit(None, 1)[0]
    rest = words[WORDS : WORDS + TAIL]
    return "\n".join([beginning, *binding_lines(rest), *said_of_themselves(rest)])


def _first_answer(turn: Mapping[str, Any]) -> list[dict[str, Any]]:
    """First answer of the agent, if no part of it was kept as a statement."""
    if not turn["answer"]:
        return []
    event, step, *repeats = turn["answered"]
    told = {"step": step, "event": event, "text": turn["answer"], "score": 5.0}
    return [{**told, "repeats": repeats[0] if repeats else None}]


def _outdated(earlier: Mapping[str, Any], later: Mapping[str, Any]) -> bool:
    """Whether a later statement says the same as an earlier one, at least as well."""
    return bool(later["score"] >= earlier["score"]) and same(earlier["text"], later["text"])
