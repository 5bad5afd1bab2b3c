"""Benchmark of personal memory: extraction, updates and answers on assistant conversations.

Every message is processed at its time and every question asked at its own, through the public verbs
of one real store; each conversation has a separate space.
"""

import json
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from recollect.vocabulary.errors import InvalidInput

if TYPE_CHECKING:
    from recollect.engine import Recollect
    from recollect.vocabulary.personal import Entry


@dataclass(slots=True)
class TalkFigures:
    """Counts, for all conversations or for those of one kind."""

    kept: int = 0
    keep_total: int = 0
    wrongly_kept: int = 0
    skip_total: int = 0
    answered: int = 0
    ask_total: int = 0
    conversations: int = 0
    unnamed: int = 0  # entries that no `keep` names
    failures: list[str] = field(default_factory=list)


def read_talk(path: Path) -> list[dict[str, Any]]:
    """Read the conversations of a file."""
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
        conversations = document["conversations"]
        for one in conversations:
            one["messages"], one["keep"], one["skip"], one["ask"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InvalidInput(f"{path} holds no conversations: {error}.") from error
    return list(conversations)


def read_beside(path: Path) -> list[str]:
    """Statements of a file, one a line; lines that begin with # are notes."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, ValueError) as error:
        raise InvalidInput(f"{path} holds no statements: {error}.") from error
    return [line for line in lines if line.strip() and not line.startswith("#")]


def measured(
    conversations: Iterable[dict[str, Any]],
    open_store: "Callable[[Path], Recollect]",
    advance: Callable[[int, int | None, str], None] | None = None,
    beside: Sequence[str] = (),
) -> dict[str, Any]:
    """Figures over all conversations and by kind.

    ``beside`` are statements that each person has made before, one a day, up to the week before the
    conversation: an answer is then to be found among many entries.
    """
    whole, kinds = TalkFigures(), dict[str, TalkFigures]()
    conversation = list(conversations)
    with tempfile.TemporaryDirectory() as folder:
        memory = open_store(Path(folder) / "talk.db")
        try:
            for number, one in enumerate(conversation, 1):
                found = _conversation(memory.within(space=f"talk-{number}"), one, beside)
                for figures in (whole, kinds.setdefault(str(one.get("kind", "")), TalkFigures())):
                    _add(figures, found)
                if advance is not None:
                    advance(number, len(conversation), str(one.get("id", "")))
        finally:
            memory.close()
    return {
        **_document(whole),
        "by_kind": {kind: _document(figures) for kind, figures in sorted(kinds.items())},
        "failures": whole.failures,
    }


def _conversation(
    memory: "Recollect", conversation: dict[str, Any], beside: Sequence[str]
) -> TalkFigures:
    figures = TalkFigures(conversations=1)
    first = min(_moment(message["at"]) for message in conversation["messages"])
    for number, text in enumerate(beside):
        memory.chat.hear(text, at=first - timedelta(days=7 + len(beside) - number))
    events: list[str | None] = []
    for message in conversation["messages"]:
        heard = memory.chat.hear(
            message["text"], at=_moment(message["at"]), speaker=message["from"]
        )
        events.append(heard.event_id)
    _judge_kept(memory, conversation, events, figures)
    for question in conversation["ask"]:
        figures.ask_total += 1
        found = memory.chat.ask(question["text"], at=_moment(question["at"]))
        if _is_right(question, found.text, found.known):
            figures.answered += 1
        else:
            figures.failures.append(f"{conversation['id']}: {question['text']} -> {found.text}")
    return figures


def _judge_kept(
    memory: "Recollect",
    conversation: dict[str, Any],
    events: list[str | None],
    figures: TalkFigures,
) -> None:
    """Check what a message should leave against its memories, including replaced ones."""
    pointing = [memory.pointing_at(event) if event else () for event in events]
    named: set[str] = set()
    for wish in conversation["keep"]:
        figures.keep_total += 1
        words = [str(word).lower() for word in wish["words"]]
        fit = [
            one.id
            for one in pointing[wish["message"]]
            if all(word in one.content.lower() for word in words)
        ]
        named.update(fit)
        figures.kept += bool(fit)
        if not fit:
            figures.failures.append(f"{conversation['id']}: not kept: {wish['words']}")
    for index in conversation["skip"]:
        figures.skip_total += 1
        if pointing[index]:
            figures.wrongly_kept += 1
            texts = [one.content for one in pointing[index]]
            figures.failures.append(f"{conversation['id']}: wrongly kept: {texts}")
    entries: tuple[Entry, ...] = memory.chat.entries(limit=1_000).items
    known = {event for event in events if event}
    figures.unnamed += sum(
        1
        for one in entries
        if one.id not in named and known.intersection(one.memory.provenance.events)
    )


def _is_right(question: dict[str, Any], text: str, known: bool) -> bool:
    if question.get("unknown"):
        return not known
    lower = text.lower()
    return (
        known
        and all(str(word).lower() in lower for word in question["expect"])
        and not any(str(word).lower() in lower for word in question["forbid"])
    )


def _moment(text: str) -> datetime:
    return datetime.fromisoformat(text)


def _add(figures: TalkFigures, found: TalkFigures) -> None:
    for name, count in _counts(found).items():
        setattr(figures, name, getattr(figures, name) + count)
    figures.failures += found.failures


def _counts(figures: TalkFigures) -> Counter[str]:
    names = (name for name in TalkFigures.__dataclass_fields__ if name != "failures")
    return Counter({name: getattr(figures, name) for name in names})


def _document(figures: TalkFigures) -> dict[str, Any]:
    counts = dict(_counts(figures))
    unnamed, conversations = counts.pop("unnamed"), counts.pop("conversations")
    return {
        **counts,
        "conversations": conversations,
        "precision": {
            "unnamed_entries": unnamed,
            "per_conversation": round(unnamed / max(1, conversations), 2),
        },
    }
