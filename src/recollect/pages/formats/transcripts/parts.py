"""Shared parts of the transcript readers: acts, sessions, and safe access to any JSON."""

import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, Final, NamedTuple

from recollect.trust.secrets import redacted, redacted_values
from recollect.vocabulary.acts import Act, ActKind, Origin, clipped
from recollect.vocabulary.origins import origin_mark_of, origin_of
from recollect.vocabulary.paths import Roots

BEGINNING: Final = datetime(1970, 1, 1, tzinfo=UTC)
PATHS_KEPT: Final = 30
_REFUSED: Final = ("The user doesn't want to proceed", "The user doesn't want to take this action")
_SAID: Final = re.compile(r"the user said:\s*\n?(.*)", re.S)
_EXIT: Final = re.compile(r"(?:^Exit code|[Pp]rocess exited with code|\bexit code:?) (-?\d+)")
_FOUND: Final = re.compile(r"^([^\s:]{1,300}[./][^\s:]{1,300})(?::\d+[:-].*)?$", re.M)
_LOOKED: Final = 8_000
_PATH_NAMES: Final = ("file_path", "notebook_path", "filePath", "path", "file")
#: Arguments that say what a call is about, the most telling first.
_TELLING_ARGUMENTS: Final = (
    "command",
    "cmd",
    "file_path",
    "notebook_path",
    "pattern",
    "query",
    "url",
    "prompt",
)
_FILE_TOOLS: Final = frozenset(
    {"Read", "Edit", "Write", "MultiEdit", "NotebookEdit", "NotebookRead", "apply_patch"}
)


class TranscriptAct(NamedTuple):
    """An act, its full text, and its name in the source."""

    act: Act
    whole: str
    name: str
    answers: tuple[str, datetime] | None = None


def gated(transcript_act: TranscriptAct) -> Act:
    """The act without secrets, for learning. Secrets are removed from the full text, because half
    of one that was cut is no longer recognised."""
    act = transcript_act.act
    whole, arguments = redacted(transcript_act.whole), redacted_values(act.arguments)
    paths = tuple(redacted(path) for path in act.paths)
    branch = redacted(act.branch)
    return replace(act, text=clipped(whole), arguments=arguments, paths=paths, branch=branch)


class TranscriptSession:
    """State of a session while its transcript is read: steps, calls, working directory."""

    def __init__(self, name: str, roots: Roots) -> None:
        self.name = name
        self.roots = roots
        self.folder: str | None = None
        self.branch = ""
        self.step = 0
        self.at = BEGINNING
        self.calls: dict[str, tuple[Act, str]] = {}

    def enter(self, folder: object) -> None:
        """Set the session's working directory."""
        if isinstance(folder, str) and folder and folder != self.folder:
            self.folder = folder
            self.roots.add(folder)

    def check_out(self, branch: object) -> None:
        """Set the session's branch."""
        self.branch = word(branch) or self.branch

    def now(self, time: object) -> datetime:
        """Time of a line; of the line before, where it has no readable one."""
        self.at = time_of(time) or self.at
        return self.at

    def act(self, kind: ActKind, text: str, name: str, **fields: Any) -> TranscriptAct:
        """An act of this session at its current step."""
        act = Act(self.name, self.step, kind, self.at, clipped(text), branch=self.branch, **fields)
        return TranscriptAct(act, text, name)

    def call(
        self,
        tool: str,
        arguments: Mapping[str, Any],
        call: str,
        name: str,
        *,
        agent: str | None,
        paths: Sequence[str] = (),
    ) -> TranscriptAct:
        """A tool call, which starts the next step."""
        self.step += 1
        named = paths or named_paths(tool, arguments)
        transcript_act = self.act(
            ActKind.CALL,
            call_text(tool, arguments),
            name,
            tool=tool,
            call=call,
            arguments=arguments,
            paths=self.relative(named),
            agent=agent,
        )
        if len(self.calls) > 10_000:
            self.calls.clear()
        self.calls[call] = (transcript_act.act, name)
        return transcript_act

    def answer(
        self,
        kind: ActKind,
        text: str,
        call: str,
        name: str,
        *,
        agent: str | None,
        paths: Sequence[str] = (),
        tokens: int = 0,
        origin_mark: str | None = None,
    ) -> TranscriptAct:
        """The answer to a tool call, if there is one. ``origin_mark`` says where the words came
        from, where the source gives it; otherwise the tool determines the origin."""
        asked, asked_name = self.calls.pop(call, (None, ""))
        tool = asked.tool if asked else None
        arguments = asked.arguments if asked else {}
        origin = origin_of(tool, arguments) if origin_mark is None else Origin.OUTSIDE
        if kind is ActKind.REFUSAL:
            origin = Origin.USER
        elif origin_mark is None and origin is Origin.OUTSIDE:
            origin_mark = origin_mark_of(tool or "", arguments)
        transcript_act = self.act(
            kind,
            text,
            name,
            tool=tool,
            call=call,
            paths=self.relative(paths) or (asked.paths if asked else ()),
            origin=origin,
            origin_mark=origin_mark or "",
            agent=agent,
            tokens=tokens or len(text) // 4,
        )
        if asked is None:
            return transcript_act
        return transcript_act._replace(answers=(asked_name, asked.at))

    def brings_outside(self, call: str) -> bool:
        """Whether strangers may write what a call answers; of an unknown call they may."""
        asked, _ = self.calls.get(call, (None, ""))
        return asked is None or origin_of(asked.tool, asked.arguments) is Origin.OUTSIDE

    def relative(self, paths: Sequence[str]) -> tuple[str, ...]:
        """Paths relative to the repository; paths outside it are left out."""
        found = (self.roots.relative(path, self.folder) for path in paths[:PATHS_KEPT])
        return tuple(dict.fromkeys(path for path in found if path))


def outcome(text: str, *, failed: bool, outside: bool = False) -> tuple[ActKind, str]:
    """Kind of an answer, and its text: a result, a failure, or a refusal with the user's words.

    A program reports a refused call as a failure whose text it wrote itself. A file, a page or a
    tool may hold the same sentence, so a call that went well was never refused, and where
    ``outside`` says that strangers may have written the text, words in it are not the user's.
    """
    if failed and text.startswith(_REFUSED):
        said = _SAID.search(text)
        if said is None:
            return ActKind.REFUSAL, ""
        if not outside:
            return ActKind.REFUSAL, said.group(1).strip()
    if failed and text.startswith("[Request interrupted by user"):
        return ActKind.REFUSAL, ""
    return (ActKind.FAILURE if failed else ActKind.RESULT), text


def is_failure(block: Mapping[str, Any], structured: object) -> bool:
    """Whether a block of a Claude Code transcript reports a failed or refused call."""
    return bool(block.get("is_error")) or (
        isinstance(structured, str) and structured.startswith("Error")
    )


def is_rejection(structured: object) -> bool:
    """Whether Claude Code itself says that the user refused: no tool can write this."""
    return structured == "User rejected tool use"


def exit_code(text: str) -> int | None:
    """The exit code that an answer mentions."""
    found = _EXIT.search(text[:2_000])
    return int(found.group(1)) if found else None


def named_paths(tool: str, arguments: Mapping[str, Any]) -> list[str]:
    """The files that a call of a file tool names."""
    if tool not in _FILE_TOOLS:
        return []
    return [arguments[name] for name in _PATH_NAMES if isinstance(arguments.get(name), str)][:1]


def found_paths(text: str) -> list[str]:
    """The files in a search's answer: one per line, or at the beginning of the lines."""
    return list(dict.fromkeys(_FOUND.findall(text[:_LOOKED])))[:PATHS_KEPT]


def call_text(tool: str, arguments: Mapping[str, Any]) -> str:
    """A call in one line, in words that a person would search for."""
    for name in _TELLING_ARGUMENTS:
        value = arguments.get(name)
        if isinstance(value, list):
            value = " ".join(str(part) for part in value)
        if isinstance(value, str) and value:
            return f"{tool}: {value}"
    return tool


def text_of(content: object) -> str:
    """Text of a content: a string, or blocks with texts."""
    if isinstance(content, str):
        return content
    if isinstance(content, Mapping):
        return text_of(content.get("text") or content.get("content") or "")
    if isinstance(content, list):
        parts = (text_of(block) for block in content if isinstance(block, str | Mapping))
        return "\n".join(part for part in parts if part)
    return ""


def mapping(value: object) -> Mapping[str, Any]:
    """The value when it is an object, otherwise an empty one."""
    return value if isinstance(value, dict) else {}


def blocks(content: object) -> Iterator[Mapping[str, Any]]:
    """The blocks of a message; a bare text is one block."""
    if isinstance(content, str):
        yield {"type": "text", "text": content}
    elif isinstance(content, list):
        for block in content:
            if isinstance(block, str):
                yield {"type": "text", "text": block}
            elif isinstance(block, dict):
                yield block


def word(value: object) -> str:
    """A short name, or an empty text."""
    return value if isinstance(value, str) and len(value) <= 200 else ""


def time_of(value: object) -> datetime | None:
    """Time in the format of transcripts; None when it is not one."""
    if isinstance(value, str):
        try:
            moment = datetime.fromisoformat(value)
            moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
            return moment.astimezone(UTC)
        except (ValueError, OverflowError):
            return None
    if isinstance(value, int | float) and not isinstance(value, bool):
        try:
            return datetime.fromtimestamp(value / 1000 if value > 1e11 else value, UTC)
        except (ValueError, OverflowError, OSError):
            return None
    return None


def parsed(text: object) -> Mapping[str, Any]:
    """Arguments given as JSON text or as an object."""
    if isinstance(text, dict):
        return text
    if isinstance(text, str):
        try:
            return mapping(json.loads(text))
        except (ValueError, RecursionError):
            return {}
    return {}


def name_of(*parts: object) -> str:
    """Name derived from a digest of the content, for records without one."""
    whole = "\x1f".join(str(part) for part in parts)
    return hashlib.blake2b(whole.encode("utf-8", "replace"), digest_size=12).hexdigest()
