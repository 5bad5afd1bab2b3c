"""What agents are told when sessions are replayed in their order: how much, and whether it fits.

    python -m benchmarks.served_notes TRANSCRIPTS [--draw OUT.md] [--count 40] [--seed 17]

Every session goes through the path that hooks take: it is told something as it begins and at each
prompt, its acts are heard, and it is learned from at its end, so that the next one may be told of
it. Printed are the tokens told at the start and with the first prompt, how many notes were said to
bear on a prompt, and how many work states call a check still failing. Whether a note did bear on
its prompt, and whether a check was failing still, only a reader can say: the file has each of them
with the text of the session around it.
"""

import argparse
import json
import random
import re
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median, quantiles
from typing import Any, Final

import recollect
from recollect.context.session import AgentSession
from recollect.engine import Recollect
from recollect.engine.for_surfaces import sessions_of
from recollect.engine.transcripts import acts_of
from recollect.inference.tokens import count_tokens
from recollect.observer.commands import SHELLS, checks
from recollect.observer.replay import Played
from recollect.surfaces.cli.bench.workspace import StandingClock
from recollect.vocabulary.acts import Act, ActKind

_BEARING: Final = re.compile(r"notes that may bear on this[^\n]{0,60}:\n((?:- [^\n]*\n?)+)")
_FAILING: Final = re.compile(r"Still failing: (`[^`]*`[^`]*?\)\.)")
_STATE: Final = re.compile(r"where an earlier session stood([^\n]*)")
_AHEAD: Final = re.compile(r"earlier sessions on such work also needed ([^\n]*)")
_CHANGED: Final = re.compile(r"Changed: ((?:`[^`]*`(?:, )?)+)")
_QUOTED: Final = re.compile(r"`([^`]+)`")
_WORD: Final = re.compile(r"[A-Za-z][\w.-]{4,40}")
#: Telling words that a note shares with the prompts of a session that it was about.
_SHARED: Final = 3
_COMMON: Final = frozenset(
    "should would could please there where which about after before always never using agent "
    "session instead these those their other files tests check because think first still".split()
)
_AFTER: Final = 14
_CHECKS: Final = 8


@dataclass(slots=True)
class ServedFigures:
    """What was told, and what of it somebody should judge."""

    tokens: list[int] = field(default_factory=list)
    prompts: int = 0
    notes: list[str] = field(default_factory=list)
    states: int = 0
    failing: list[str] = field(default_factory=list)
    #: Of what sessions were told: work states and those of which a file was touched later, names of
    #: files and those touched later, notes at the start and those about what came.
    told_states: list[bool] = field(default_factory=list)
    told_files: list[bool] = field(default_factory=list)
    told_notes: list[bool] = field(default_factory=list)
    #: The prompt and what was told upon it, to be judged.
    openings: list[str] = field(default_factory=list)

    def as_json(self) -> dict[str, Any]:
        """The figures; what is to be judged is counted only."""
        return {
            "sessions": len(self.tokens),
            "tokens_median": median(self.tokens),
            "tokens_p90": round(quantiles(self.tokens, n=10)[-1]),
            "prompts": self.prompts,
            "notes_bearing_on_a_prompt": len(self.notes),
            "work_states": self.states,
            "still_failing": len(self.failing),
            "work_states_told": len(self.told_states),
            "work_states_touched_later": _share(self.told_states),
            "files_told": len(self.told_files),
            "files_touched_later": _share(self.told_files),
            "notes_told_at_start": len(self.told_notes),
            "notes_at_start_about_what_came": _share(self.told_notes),
        }


class ServedReplay:
    """Replays sessions into one store."""

    def __init__(self, memory: Recollect, clock: StandingClock) -> None:
        self._memory = memory
        self._clock = clock
        self.found = ServedFigures()

    def play(self, played: Played) -> None:
        """One session, from its beginning to its end."""
        self._clock.now = played.begins
        session = self._memory.session(id=played.name, agent="claude-code")
        session.recorder.check_out(played.branch)
        start = session.system_prompt()
        told = count_tokens(start)
        opening = ""
        calls: dict[str, Act] = {}
        first = True
        for place, act in enumerate(played.acts):
            self._clock.now = max(self._clock.now, act.at)
            if act.kind is ActKind.CALL and act.call:
                calls[act.call] = act
            following = played.acts[place + 1].kind if place + 1 < len(played.acts) else None
            _heard(session, act, calls, final=following in (ActKind.PROMPT, ActKind.END, None))
            if act.kind is ActKind.PROMPT:
                text = session.opening(act.text) if first else session.bearing_on(act.text)
                told += count_tokens(text) if first else 0
                opening = text if first else opening
                first = False
                self._noted(played, place, text)
        session.finish("success")
        self.found.tokens.append(told)
        self._left(played, session)
        self._judged(played, start, opening)

    def _judged(self, played: Played, start: str, opening: str) -> None:
        """What was told at the start, against what the session then did and was asked."""
        touched = {path for act in played.acts for path in act.paths}
        asked = " ".join(act.text for act in played.acts if act.kind is ActKind.PROMPT)
        words = _telling(asked)
        for line in start.splitlines():
            if line.startswith("- ["):
                note = line.partition("): ")[2]
                files = any(path in note for path in touched)
                self.found.told_notes.append(files or len(_telling(note) & words) >= _SHARED)
        state, ahead = _STATE.search(opening), _AHEAD.search(opening)
        if state is not None:
            changed = _CHANGED.search(state[1])
            left = set(_QUOTED.findall(changed[1])) if changed else set()
            self.found.told_states.append(bool(left & touched))
        for path in _QUOTED.findall(ahead[1]) if ahead else ():
            self.found.told_files.append(path in touched)
        if state is not None or ahead is not None:
            first = next(act for act in played.acts if act.kind is ActKind.PROMPT)
            shown = ", ".join(sorted(touched)[:12])
            self.found.openings.append(
                f"session {played.name[:8]} on {played.branch}: {_line(first, 500)}\n\n"
                f"{opening[:1500]}\n\n**Touched later:** {shown}"
            )

    def _noted(self, played: Played, place: int, text: str) -> None:
        self.found.prompts += 1
        bearing = _BEARING.search(text)
        for line in bearing.group(1).splitlines() if bearing else ():
            after = played.acts[place + 1 : place + 1 + _AFTER]
            self.found.notes.append(
                "\n".join(
                    [
                        f"session {played.name[:8]}, prompt: {_line(played.acts[place], 700)}",
                        "",
                        f"**Note:** {line}",
                        "",
                        "```text",
                        *(_line(act, 260) for act in after),
                        "```",
                    ]
                )
            )

    def _left(self, played: Played, session: AgentSession) -> None:
        if not session.progress.worth_keeping:
            return
        self.found.states += 1
        for failing in _FAILING.findall(session.progress.content()):
            self.found.failing.append(
                "\n".join(
                    [
                        f"session {played.name[:8]}",
                        "",
                        f"**Still failing:** {failing}",
                        "",
                        "```text",
                        *_last_checks(played),
                        "... and the end:",
                        *(_line(act, 400) for act in played.acts[-5:]),
                        "```",
                    ]
                )
            )


def _share(those: Sequence[bool]) -> float:
    return round(sum(those) / max(1, len(those)), 3)


def _telling(text: str) -> set[str]:
    """Long words of a text, for comparison."""
    return {word.lower().strip(".-") for word in _WORD.findall(text)} - _COMMON


def _heard(session: AgentSession, act: Act, calls: dict[str, Act], *, final: bool) -> None:
    """One act, as the hooks of an agent's program tell it."""
    call = calls.get(act.call or "", act)
    tool = call.tool or act.tool or ""
    named: dict[str, Any] = {"call": act.call, "at": act.at, "agent": act.agent}
    if act.kind is ActKind.PROMPT or act.kind is ActKind.CORRECTION:
        session.on_prompt(act.text, task=act.kind is ActKind.PROMPT, at=act.at)
    elif act.kind is ActKind.ANSWER:
        session.on_message(act.text, final=final, at=act.at, agent=act.agent)
    elif act.kind is ActKind.CALL:
        session.on_tool_call(tool, _arguments(call), **named)
    elif act.kind is ActKind.RESULT:
        session.on_tool_result(tool, _arguments(call), act.text, **named)
    elif act.kind in (ActKind.FAILURE, ActKind.REFUSAL):
        session.on_tool_failure(tool, _arguments(call), act.text, kind=act.kind, **named)


def _arguments(call: Act) -> dict[str, Any]:
    """A call's arguments with the path that the file has in its repository."""
    given = dict(call.arguments)
    for name in ("file_path", "notebook_path"):
        if name in given and call.paths:
            given[name] = call.paths[0]
    return given


def _last_checks(played: Played) -> list[str]:
    """The last checks of a session and what they printed."""
    calls = {act.call: act for act in played.acts if act.kind is ActKind.CALL and act.call}
    lines: list[str] = []
    for act in played.acts:
        call = calls.get(act.call or "") if act.kind in (ActKind.RESULT, ActKind.FAILURE) else None
        command = str(call.arguments.get("command", "")) if call and call.tool in SHELLS else ""
        if command and checks(command):
            printed = " ".join(act.text.split())
            shown = printed if len(printed) < 500 else f"{printed[:250]} … {printed[-250:]}"
            lines.append(f"{act.step:>4} {act.kind.value}: $ {command[:300]}\n     {shown}")
    return lines[-_CHECKS:]


def _line(act: Act, longest: int) -> str:
    given = " ".join(f"{name}={value}" for name, value in act.arguments.items())
    text = " ".join(f"{act.tool or ''} {given} {act.text}".split()).replace("```", "'''")
    return f"{act.step:>4} {act.kind.value:<10} {text[:longest]}"


def _drawn(title: str, some: Sequence[str], count: int, chance: random.Random) -> list[str]:
    chosen = chance.sample(list(some), min(count, len(some)))
    parts = [f"# {title}: {len(chosen)} of {len(some)}"]
    return [*parts, *(f"## {number}\n{one}" for number, one in enumerate(chosen, 1))]


def main(arguments: Sequence[str] | None = None) -> None:
    """Replay, print the figures, write what is to be judged."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("transcripts", type=Path)
    parser.add_argument("--draw", type=Path, help="where to write what a reader should judge")
    parser.add_argument("--count", type=int, default=40)
    parser.add_argument("--seed", type=int, default=17)
    given = parser.parse_args(arguments)
    clock = StandingClock()
    with (
        tempfile.TemporaryDirectory(prefix="recollect-served-") as folder,
        recollect.open(
            Path(folder) / "memory.db",
            worker=False,
            clock=clock,
            settings={"agent_patience": "1000"},
        ) as memory,
    ):
        replay = ServedReplay(memory, clock)
        for played in sessions_of(acts_of(given.transcripts)):
            replay.play(played)
    print(json.dumps(replay.found.as_json(), indent=2))
    if given.draw is not None:
        chance = random.Random(given.seed)
        parts = _drawn("Notes that may bear on a prompt", replay.found.notes, given.count, chance)
        parts += _drawn("Openings", replay.found.openings, given.count, chance)
        parts += _drawn("Still failing", replay.found.failing, given.count, chance)
        given.draw.write_text("\n\n".join(parts) + "\n", "utf-8")


if __name__ == "__main__":
    main()
