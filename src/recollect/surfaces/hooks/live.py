"""Live session of the daemon: applies hook events to a session and computes their answers.

An event is applied first; if its hook process waits, the answer is then computed from the same
session.
"""

from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from threading import RLock
from typing import Final

from recollect.engine import Recollect
from recollect.engine.agent_session import EDITS, READS, SEARCHES, SHELLS, AgentSession, joined
from recollect.engine.transcripts import outcome
from recollect.surfaces.hooks.event_formats import HookEvent, result_text, word_of_path
from recollect.surfaces.hooks.spool import SpoolPosition
from recollect.surfaces.hooks.transcript_tail import MAX_BYTES, MAX_BYTES_WHILE_WAITING, tail
from recollect.vocabulary.acts import Act, ActKind, Origin
from recollect.vocabulary.origins import origin_of

#: Beginnings of a prompt that asks to remember: typed, or the command's expanded text.
REMEMBER: Final = ("/remember ", "The user asked to remember: ")
_SUBAGENT: Final = 2_000


@dataclass(slots=True)
class LiveSession:
    """A session that the daemon knows, and the spool position up to which it has applied events."""

    session: AgentSession
    memory: Recollect
    root: Path
    harness: str
    applied: SpoolPosition
    kept: SpoolPosition | None = None
    grounded: bool = False
    opened: bool = False
    #: The last event that is answered with what a session begins with, and ``grounded`` and
    #: ``opened`` before it: its answer may not arrive.
    before: tuple[str, bool, bool] = ("", False, False)
    ended: bool = False
    ended_at: datetime | None = None
    #: Whether the session was finished before: only events that were on their way are missing.
    finished: bool = False
    transcript: str = ""
    read: int = 0
    processed_until: datetime | None = None
    last_words: str = ""
    prompts: deque[str] = field(default_factory=lambda: deque(maxlen=20))
    notes: dict[str, str] = field(default_factory=dict)
    #: The event that was applied while what it asked to remember is not stored yet: no checkpoint
    #: is written before it is.
    begun: str = ""
    #: The last prompt, as it was recorded.
    prompt: Act | None = None
    turn: RLock = field(default_factory=RLock)


def process_event(live: LiveSession, event: HookEvent, at: datetime) -> None:
    """Apply an event to its session; an event after the end of a finished session reopens it."""
    if live.finished and live.ended_at is not None and at > live.ended_at:
        live.finished = live.ended = False
    if event.folder:
        live.session.recorder.enter(event.folder)
    live.processed_until = live.processed_until or at
    transcript = word_of_path(event.data.get("transcript_path")) or live.transcript
    if transcript != live.transcript:  # a fork or a resumed session repeats earlier events
        live.transcript, live.read = transcript, 0
    if event.event == "UserPromptSubmit":
        live.prompts.append(event.text("prompt").strip())
        catch_up(live, MAX_BYTES_WHILE_WAITING)
    elif event.event == "Stop":
        live.last_words = event.text("last_assistant_message")
        catch_up(live)
    handler = _HANDLERS.get(event.event)
    if handler is not None:
        handler(live, event, at)


def catch_up(live: LiveSession, most: int = MAX_BYTES) -> None:
    """Take in what only the transcript holds and no hook reported, once and in order.

    Refusals are identified by their calls. Everything else is taken when it is later than all that
    was taken before, so a transcript that was compacted, forked or rewritten repeats nothing.
    """
    if live.harness != "claude-code" or not live.transcript:
        return
    live.read, found = tail(live.transcript, live.read, most)
    until = live.processed_until
    for one in found:
        if one.kind is ActKind.REFUSAL:
            recorder = live.session.recorder
            if not recorder.answered(one.call):
                doubted = one.words and not one.certain and recorder.brings_outside(one.call)
                kind = ActKind.FAILURE if doubted else ActKind.REFUSAL
                live.session.on_tool_failure("", {}, one.words, call=one.call, kind=kind, at=one.at)
        elif one.at is not None and until is not None and one.at > until:
            live.processed_until = max(live.processed_until or one.at, one.at)
            if one.kind is ActKind.PROMPT and one.words not in live.prompts:
                live.prompts.append(one.words)
                live.session.on_prompt(one.words, task=False, at=one.at)
            elif one.kind is ActKind.ANSWER and one.words.strip() != live.last_words.strip():
                live.session.on_message(one.words, at=one.at)


def notes_for(live: LiveSession, event: HookEvent) -> str:
    """Answer to the agent for an event."""
    session = live.session
    match event.event:
        case "SessionStart":
            ground = session.system_prompt()
            live.grounded = session.begun
            return ground
        case "SubagentStart":
            return session.system_prompt()[:_SUBAGENT].rsplit("\n", 1)[0]
        case "UserPromptSubmit":
            ground = "" if live.grounded else session.system_prompt()
            live.grounded = live.grounded or session.begun
            first, live.opened = not live.opened, True
            prompt = event.text("prompt")
            if prompt.lstrip().startswith(REMEMBER):
                live.opened = not first
                return ground
            more = session.opening(prompt) if first else session.bearing_on(prompt)
            return joined([ground, more])
        case "PreToolUse" if event.tool in EDITS:
            return session.tool_context(event.tool, event.arguments)
        case "PreToolUse" if event.tool in SHELLS:
            return session.command_context(event.arguments)
        case "PostToolUse":
            return _after(session, event)
        case "PostToolUseFailure":
            return session.tool_context(
                event.tool, event.arguments, event.text("error"), failed=True
            )
        case "PostToolBatch":
            return session.prepare_step() or ""
    return ""


def _after(session: AgentSession, event: HookEvent) -> str:
    """Context that is added to a tool's result."""
    if event.tool in READS:
        return session.tool_context(event.tool, event.arguments)
    if event.tool in SEARCHES:
        found = result_text(event.data.get("tool_response"))
        return session.search_context(event.arguments, found)
    return ""


def _prompt(live: LiveSession, event: HookEvent, at: datetime) -> None:
    words = event.text("prompt")
    asks = words.lstrip().startswith(REMEMBER)
    live.prompt = live.session.on_prompt(words, task=not asks, at=at)


def _begins(live: LiveSession, event: HookEvent, at: datetime) -> None:
    if live.ended_at is None or at > live.ended_at:  # else the session's own start, arrived late
        live.ended = live.finished = False
    if event.data.get("source") in {"compact", "clear"}:
        live.session.forget_told()
        live.opened = False
        live.grounded = False


def _calls(live: LiveSession, event: HookEvent, at: datetime) -> None:
    live.session.on_tool_call(
        event.tool, event.arguments, call=event.call, at=at, agent=event.agent
    )


def _answers(live: LiveSession, event: HookEvent, at: datetime) -> None:
    live.session.on_tool_result(
        event.tool,
        event.arguments,
        result_text(event.data.get("tool_response")),
        call=event.call,
        at=at,
        agent=event.agent,
    )


def _fails(live: LiveSession, event: HookEvent, at: datetime) -> None:
    # Only Claude Code begins the text of a failed command with a line of its own.
    outside = origin_of(event.tool, event.arguments) is Origin.OUTSIDE or (
        live.harness != "claude-code" and event.tool in SHELLS
    )
    kind, words = outcome(event.text("error"), failed=True, outside=outside)
    if event.data.get("is_interrupt") is True and kind is not ActKind.REFUSAL:
        kind, words = ActKind.REFUSAL, ""  # the text is the stopped tool's, not the user's
    live.session.on_tool_failure(
        event.tool,
        event.arguments,
        words,
        call=event.call,
        kind=kind,
        at=at,
        agent=event.agent,
    )


def _stops(live: LiveSession, event: HookEvent, at: datetime) -> None:
    words = event.text("last_assistant_message")
    if words:
        inner = event.event == "SubagentStop"
        live.session.on_message(words, final=not inner, at=at, agent=event.agent)


def _ends(live: LiveSession, _: HookEvent, at: datetime) -> None:
    live.ended = True
    live.ended_at = at


_HANDLERS: Final[Mapping[str, Callable[[LiveSession, HookEvent, datetime], None]]] = {
    "SessionStart": _begins,
    "UserPromptSubmit": _prompt,
    "PreToolUse": _calls,
    "PostToolUse": _answers,
    "PostToolUseFailure": _fails,
    "Stop": _stops,
    "SubagentStop": _stops,
    "SessionEnd": _ends,
}
