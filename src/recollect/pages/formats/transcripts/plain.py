"""The plain form: one act a line, for any program that wants its sessions remembered.

``{"session": "s1", "kind": "call", "tool": "Edit", "arguments": {"file_path": "a.py"}, "call":
"c1", "time": "2026-05-31T14:00:00Z"}`` - kinds are those of an act; ``text``, ``paths``, ``agent``,
``cwd``, ``branch``, ``origin`` and ``id`` may be there. See docs/observer.md.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from recollect.pages.formats.transcripts.parts import (
    TranscriptAct,
    TranscriptSession,
    mapping,
    name_of,
    outcome,
    text_of,
    word,
)
from recollect.vocabulary.acts import ActKind, Origin
from recollect.vocabulary.origins import outside_label
from recollect.vocabulary.paths import Roots

KINDS: Final = {kind.value: kind for kind in ActKind}
_ORIGINS: Final = {origin.value: origin for origin in Origin}
_ANSWERS: Final = frozenset({ActKind.RESULT, ActKind.FAILURE, ActKind.REFUSAL})
_BY_USER: Final = frozenset({ActKind.PROMPT, ActKind.CORRECTION, ActKind.INTERRUPTION})


class Plain:
    """Turns plain lines into acts."""

    format = "acts"

    def __init__(self, roots: Roots | None = None) -> None:
        self._roots = roots or Roots()
        self._sessions: dict[str, TranscriptSession] = {}
        self._line = 0

    def knows(self, line: Mapping[str, Any]) -> bool:
        """Whether a line is an act of a session."""
        return str(line.get("kind")) in KINDS and bool(word(line.get("session")))

    def read_acts(self, line: Mapping[str, Any]) -> Iterator[TranscriptAct]:
        """The act of one line."""
        self._line += 1
        kind = KINDS.get(str(line.get("kind")))
        session_name = word(line.get("session"))
        if kind is None or not session_name:
            return
        session = self._sessions.get(session_name)
        if session is None:
            session = self._sessions[session_name] = TranscriptSession(session_name, self._roots)
        session.enter(line.get("cwd"))
        session.check_out(line.get("branch"))
        session.now(line.get("time"))
        name = word(line.get("id")) or name_of(session_name, self._line, kind)
        text, agent = text_of(line.get("text")), word(line.get("agent")) or None
        given = line.get("paths")
        paths = [path for path in given if isinstance(path, str)] if isinstance(given, list) else []
        call = word(line.get("call")) or name
        if kind is ActKind.CALL:
            tool, arguments = word(line.get("tool")) or "unknown", mapping(line.get("arguments"))
            yield session.call(tool, arguments, call, name, agent=agent, paths=paths)
        elif kind in _ANSWERS:
            origin_mark = outside_label(line.get("origin"))
            if kind is ActKind.REFUSAL:  # the words, if a program copied Claude Code's sentence
                _, text = outcome(text, failed=True)
            yield session.answer(
                kind, text, call, name, agent=agent, paths=paths, origin_mark=origin_mark
            )
        else:
            origin, origin_mark = _origin(line, Origin.USER if kind in _BY_USER else Origin.AGENT)
            relative = session.relative(paths)
            yield session.act(
                kind,
                text,
                name,
                origin=origin,
                origin_mark=origin_mark,
                agent=agent,
                paths=relative,
            )


def _origin(line: Mapping[str, Any], usual: Origin) -> tuple[Origin, str]:
    """Origin of a line's words, from its ``origin``: a known name, or a kind and its place."""
    given = line.get("origin")
    origin_mark = outside_label(given)
    if origin_mark is not None:
        return Origin.OUTSIDE, origin_mark
    return _ORIGINS.get(str(given), usual), ""
