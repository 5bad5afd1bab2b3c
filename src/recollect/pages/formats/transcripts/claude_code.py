"""Claude Code's transcripts: one JSON object a line, with forks and copies.

A line has its own id, and a line that occurs again (a fork, a resumed session, a cumulative copy)
is the same line. Lines that the harness injected count as the harness's text, never as the user's.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from recollect.pages.formats.transcripts.parts import (
    TranscriptAct,
    TranscriptSession,
    blocks,
    is_failure,
    is_rejection,
    mapping,
    name_of,
    outcome,
    text_of,
    word,
)
from recollect.vocabulary.acts import ActKind, Origin
from recollect.vocabulary.paths import Roots

TYPES: Final = frozenset(
    {
        "user",
        "assistant",
        "system",
        "summary",
        "progress",
        "file-history-snapshot",
        "queue-operation",
        "pr-link",
    }
)
#: Beginnings of texts that the harness injects as the user's.
_INJECTED: Final = re.compile(
    r"\s*(?:<(?:command-|local-command|bash-|system-reminder|task-notification|ide_|user-memory)"
    r"|Caveat: The messages below|Operation stopped by hook|Stop hook feedback|"
    r"Base directory for this skill:)"
)
_CONTINUED: Final = "This session is being continued from a previous conversation"
_FOUND_LINE: Final = re.compile(r"^([^\s:]{2,300}):\d+:", re.M)
_SEEN: Final = 2_000_000


class ClaudeCode:
    """Turns the lines of any number of Claude Code sessions into acts."""

    format = "claude-code"

    def __init__(self, roots: Roots | None = None) -> None:
        self._roots = roots or Roots()
        self._sessions: dict[str, TranscriptSession] = {}
        self._seen: set[str] = set()
        self._queued: set[str] = set()

    def knows(self, line: Mapping[str, Any]) -> bool:
        """Whether a line has the type field of Claude Code's lines."""
        return bool(word(line.get("type")))

    def read_acts(self, line: Mapping[str, Any]) -> Iterator[TranscriptAct]:
        """The acts of one line."""
        kind = line.get("type")
        if kind == "queue-operation":
            yield from self._typed_meanwhile(line)
            return
        if kind not in ("user", "assistant", "system"):
            return
        name = word(line.get("uuid"))
        if name and name in self._seen:
            return
        if name and len(self._seen) < _SEEN:
            self._seen.add(name)
        session = self._session(line)
        if kind == "system":
            yield from self._system(session, line, name)
        else:
            yield from self._message(session, line, name or name_of(session.name, line))

    def _session(self, line: Mapping[str, Any]) -> TranscriptSession:
        name = word(line.get("sessionId")) or "unknown"
        session = self._sessions.get(name)
        if session is None:
            session = self._sessions[name] = TranscriptSession(name, self._roots)
        session.enter(line.get("cwd"))
        session.check_out(line.get("gitBranch"))
        session.now(line.get("timestamp"))
        return session

    def _message(
        self, session: TranscriptSession, line: Mapping[str, Any], name: str
    ) -> Iterator[TranscriptAct]:
        message = mapping(line.get("message"))
        by_user = line.get("type") == "user"
        agent = agent_of(line)
        for place, block in enumerate(blocks(message.get("content"))):
            named = f"{name}/{place}"
            what = block.get("type")
            if what == "tool_result":
                yield self._answer(session, line, block, named)
            elif what == "tool_use":
                call = word(block.get("id")) or named
                tool = word(block.get("name")) or "unknown"
                yield session.call(tool, mapping(block.get("input")), call, named, agent=agent)
            elif what == "thinking":
                text = text_of(block.get("thinking") or "")
                if text:
                    yield session.act(ActKind.REASONING, text, named, agent=agent)
            elif what == "text":
                text = text_of(block.get("text") or "")
                if text.strip() and by_user:
                    yield self._said_by_user(session, line, text, named)
                elif text.strip() and not line.get("isApiErrorMessage"):
                    yield session.act(ActKind.ANSWER, text, named, agent=agent)

    def _said_by_user(
        self, session: TranscriptSession, line: Mapping[str, Any], text: str, name: str
    ) -> TranscriptAct:
        if line.get("isCompactSummary") or text.startswith(_CONTINUED):
            return session.act(ActKind.COMPACTION, text, name, origin=Origin.HARNESS)
        if text.startswith("[Request interrupted by user"):
            return session.act(ActKind.INTERRUPTION, "", name, origin=Origin.USER)
        agent = agent_of(line)
        if agent is not None:  # what a sub-agent was asked for is the agent's own text
            return session.act(ActKind.ANSWER, text, name, agent=agent)
        if line.get("isMeta") or _INJECTED.match(text):
            typed, closed, _ = text.partition("<command-args>")[2].partition("</command-args>")
            if closed and typed.strip():
                return session.act(ActKind.PROMPT, typed.strip(), name, origin=Origin.USER)
            return session.act(ActKind.SYSTEM, text, name, origin=Origin.HARNESS)
        if text in self._queued:
            self._queued.discard(text)
            return session.act(ActKind.SYSTEM, "", name, origin=Origin.HARNESS)
        return session.act(ActKind.PROMPT, text, name, origin=Origin.USER)

    def _answer(
        self,
        session: TranscriptSession,
        line: Mapping[str, Any],
        block: Mapping[str, Any],
        name: str,
    ) -> TranscriptAct:
        structured = line.get("toolUseResult")
        text = text_of(block.get("content"))
        call = word(block.get("tool_use_id"))
        kind, words = outcome(
            text,
            failed=is_failure(block, structured),
            outside=session.brings_outside(call) and not is_rejection(structured),
        )
        result = mapping(structured)
        return session.answer(
            kind,
            words,
            call,
            name,
            agent=agent_of(line),
            paths=_found_paths(result),
            tokens=_tokens(result),
        )

    def _system(
        self, session: TranscriptSession, line: Mapping[str, Any], name: str
    ) -> Iterator[TranscriptAct]:
        if line.get("subtype") in ("compact_boundary", "api_error", "local_command"):
            text = f"{line.get('subtype')}: {text_of(line.get('content'))}"
            named = name or name_of(session.name, line)
            yield session.act(ActKind.SYSTEM, text, named, origin=Origin.HARNESS)

    def _typed_meanwhile(self, line: Mapping[str, Any]) -> Iterator[TranscriptAct]:
        text = text_of(line.get("content"))
        if line.get("operation") == "enqueue" and text.strip() and not _INJECTED.match(text):
            session = self._session(line)
            if len(self._queued) < 10_000:
                self._queued.add(text)
            name = name_of(session.name, session.at, text)
            yield session.act(ActKind.PROMPT, text, name, origin=Origin.USER)


def agent_of(line: Mapping[str, Any]) -> str | None:
    """The sub-agent of a line."""
    named = word(line.get("agentId"))
    if line.get("isSidechain") is True:
        return named or "sub-agent"
    return None


def _found_paths(result: Mapping[str, Any]) -> list[str]:
    """The files that a search found."""
    names = result.get("filenames")
    if isinstance(names, list) and names:
        return [name for name in names if isinstance(name, str)]
    content = result.get("content")
    if result.get("mode") == "content" and isinstance(content, str):
        return list(dict.fromkeys(_FOUND_LINE.findall(content[:8_000])))
    return []


def _tokens(result: Mapping[str, Any]) -> int:
    """Tokens that a read returned, estimated from its lines; its text may have been cut."""
    lines = mapping(result.get("file")).get("numLines")
    return lines * 10 if isinstance(lines, int) and 0 < lines < 1_000_000 else 0
