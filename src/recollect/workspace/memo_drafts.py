"""Drafts a memo from a conversation: its summary, its topics, and the events it points at."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from recollect.inference.tasks import Tasks
from recollect.inference.text_tasks import TOPICS, Text
from recollect.memories.drafts import Draft
from recollect.vocabulary.arguments import checked_text, repaired_text
from recollect.vocabulary.events import Event
from recollect.vocabulary.memory_types import MemoryType
from recollect.vocabulary.spaces import Space
from recollect.vocabulary.workspace import ConversationWindow
from recollect.workspace.conversation_reader import is_question
from recollect.workspace.memo_search import QUESTION_LIMIT
from recollect.workspace.memo_text import (
    MEMO_SUMMARY,
    ConversationText,
    conversation_lines,
    cut,
    topic_words,
)

#: Minimum number of characters of an answer that is worth keeping.
_SUBSTANCE: Final = 20


class MemoDrafter:
    """Drafts memos, with a model or without."""

    def __init__(self, tasks: Tasks) -> None:
        self._tasks = tasks

    def of_window(
        self,
        space: Space,
        window: ConversationWindow,
        *,
        summary: str | None,
        topics: tuple[str, ...],
        extras: Mapping[str, Any],
    ) -> Draft:
        """Draft a memo of a conversation: summary by its author, by a model, or only its topics."""
        spoken = window.events or (window.anchor,)
        named = topics or self._topics(space, spoken)
        if summary is not None:
            content, by = checked_text(summary, "summary", QUESTION_LIMIT), "user"
        else:
            content, by = self._summary(space, spoken), "model"
        if not content:
            content, by = about(named), "source"
        question = next((one for one in spoken if is_question(one.text)), None)
        anchors = [window.anchor.id, *([question.id] if question else ()), *best_answer(window)]
        by_whom = "user" if topics else "source"
        return Draft(
            content,
            type=MemoryType.MEMO.value,
            events=list(dict.fromkeys(anchors)),
            tags=named,
            extras={**extras_of(window, by), "topics_by": by_whom, **extras},
        )

    def _summary(self, space: Space, spoken: Sequence[Event]) -> str:
        if not self._tasks.has_model:
            return ""
        done = self._tasks.run(space.id, MEMO_SUMMARY, ConversationText(conversation_lines(spoken)))
        return cut(repaired_text(done.value.summary), QUESTION_LIMIT)

    def _topics(self, space: Space, spoken: Sequence[Event]) -> tuple[str, ...]:
        local = topic_words([one.text for one in spoken])
        if not self._tasks.has_model:
            return local
        done = self._tasks.run(space.id, TOPICS, Text("\n".join(conversation_lines(spoken))))
        if done.by == "local":
            return local
        named = (cut(repaired_text(one).lower(), 60) for one in done.value.topics)
        return tuple(dict.fromkeys(one for one in named if one))[:8] or local


def best_answer(window: ConversationWindow) -> Sequence[str]:
    """The id of the longest message of the main answerer, where somebody answered."""
    said = [
        one
        for one in window.events
        if window.answerers and one.author == window.answerers[0] and len(one.text) >= _SUBSTANCE
    ]
    return [max(said, key=lambda one: len(one.text)).id] if said else []


def about(topics: Sequence[str]) -> str:
    """The content of a memo that keeps only its topics."""
    return f"A conversation about {', '.join(topics)}" if topics else "A conversation"


def extras_of(window: ConversationWindow, by: str) -> Mapping[str, Any]:
    """The metadata that a memo keeps of a conversation: pointers and people, no text."""
    ids = tuple(one.id for one in window.events)
    answerer = window.answerers[0] if window.answerers else None
    return {
        "window": ids,
        "stream": window.anchor.stream_id,
        "participants": window.participants[:100],
        "summary_by": by,
        **({"window_start": ids[0], "window_end": ids[-1]} if ids else {}),
        **({"primary_answerer": answerer} if answerer else {}),
    }
