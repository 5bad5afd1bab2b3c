"""Act: one action of an agent, its user or its harness in a session, as one small value.

A live hook and an old transcript give the same acts, whatever program the session ran in. Texts are
clipped, so that an act stays small; the event has the full text. Paths are relative to the
repository's root with forward slashes, so one file is one file from every worktree and machine.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any, Final

#: A result keeps its beginning and its end (in characters): errors are named at either.
TEXT_HEAD: Final = 3_000
TEXT_TAIL: Final = 1_000
_CUT: Final = "\n[...]\n"
LONGEST_TEXT: Final = TEXT_HEAD + TEXT_TAIL + len(_CUT)


class ActKind(StrEnum):
    """The kind of an act."""

    PROMPT = "prompt"  # the user's own words at the beginning of a turn
    ANSWER = "answer"  # what the agent said to the user
    REASONING = "reasoning"  # what the agent thought
    CALL = "call"  # a tool is called
    RESULT = "result"  # and answers
    FAILURE = "failure"  # or fails
    REFUSAL = "refusal"  # or the user did not let it run; the text is what the user said
    CORRECTION = "correction"  # the user corrects something, in words
    INTERRUPTION = "interruption"  # the user stopped the turn
    COMPACTION = "compaction"  # the harness compacted the context; the text is the summary
    SUBTASK = "subtask"  # a piece of work was done and validated
    SYSTEM = "system"  # a message of the harness about itself
    END = "end"  # the session is over


class Origin(StrEnum):
    """Origin of the text of an act; only some origins can be trusted."""

    USER = "user"
    AGENT = "agent"
    REPOSITORY = "repository"  # files of the project
    COMMAND = "command"  # what a program on this machine printed
    OUTSIDE = "outside"  # web pages, issues, pull requests, MCP tools: anybody may have written it
    HARNESS = "harness"  # the agent program about itself
    MEMORY = "memory"  # served by recall; never learned again


@dataclass(frozen=True, slots=True)
class Act:
    """One action."""

    session: str
    step: int
    kind: ActKind
    at: datetime
    text: str = ""
    tool: str | None = None
    call: str | None = None
    arguments: Mapping[str, Any] = field(default_factory=dict)
    paths: tuple[str, ...] = ()
    origin: Origin = Origin.AGENT
    origin_mark: str = ""  # origin mark of outside text: its kind, and the place if known
    agent: str | None = None
    event: str | None = None
    tokens: int = 0
    branch: str = ""  # the checked-out branch, if known

    @property
    def outside(self) -> bool:
        """Whether somebody unknown may have written the text."""
        return self.origin is Origin.OUTSIDE


def clipped(text: str) -> str:
    """A text short enough for an act: its beginning and its end."""
    if len(text) <= TEXT_HEAD + TEXT_TAIL:
        return text
    return f"{text[:TEXT_HEAD]}{_CUT}{text[-TEXT_TAIL:]}"
