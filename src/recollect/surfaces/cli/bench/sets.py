"""Reads evaluation data sets: LoCoMo, and conversations in the plain format of ``bench chat``.

A turn keeps its id in the data set. Gold that names no turn is left out, and a question without any
gold is not asked. Both are counted, and so are times that cannot be read, so that losses are
reported.
"""

import gzip
import json
import re
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from recollect.vocabulary.errors import InvalidInput

LOCOMO_CATEGORIES: Final = {
    1: "multi-hop",
    2: "temporal",
    3: "open-domain",
    4: "single-hop",
    5: "adversarial",
}
_SESSION: Final = re.compile(r"session_(\d+)")
_APART: Final = re.compile(r"[;,\s()]+")
_PACKED: Final = b"\x1f\x8b"


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn of a conversation."""

    id: str
    session: str
    speaker: str
    time: str | None
    text: str


@dataclass(frozen=True, slots=True)
class BenchQuestion:
    """One question and the turns that answer it."""

    text: str
    category: str
    gold: tuple[str, ...]
    counted: bool = True
    answer: str = ""


@dataclass(frozen=True, slots=True)
class Conversation:
    """Turns of a conversation, and the questions about them."""

    id: str
    turns: tuple[Turn, ...]
    questions: tuple[BenchQuestion, ...]
    #: References in the data set to turns that it does not hold.
    unknown_gold: int = 0
    unasked: int = 0
    unread_times: int = 0


def read_any(path: Path) -> list[Conversation]:
    """Conversations of a file in either format: LoCoMo is a list, the plain format an object."""
    return read_locomo(path) if isinstance(_document(path, object), list) else read_chat(path)


def read_locomo(path: Path) -> list[Conversation]:
    """Conversations of a LoCoMo file."""
    return [_locomo(one, number) for number, one in enumerate(_document(path, list), 1)]


def read_chat(path: Path) -> list[Conversation]:
    """Conversations of a file in the plain format."""
    document = _document(path, dict)
    try:
        return [
            _checked(
                Conversation(
                    str(one.get("id", number)),
                    tuple(_turn(turn) for turn in one["turns"]),
                    tuple(_question(question) for question in one.get("questions", ())),
                )
            )
            for number, one in enumerate(document["conversations"], 1)
        ]
    except (KeyError, TypeError, AttributeError) as error:
        raise InvalidInput(
            f"{path.name} is not in the form of 'bench chat': {error!r}.",
            hint='It holds {"conversations": [{"id", "turns": [...], "questions": [...]}]}.',
        ) from error


def _document(path: Path, kind: type) -> Any:
    try:
        data = path.read_bytes()
        document = json.loads(gzip.decompress(data) if data.startswith(_PACKED) else data)
    except (OSError, EOFError, zlib.error, ValueError, RecursionError) as error:
        raise InvalidInput(f"{path} cannot be read as JSON: {error}.") from error
    if not isinstance(document, kind):
        raise InvalidInput(f"{path.name} does not hold an evaluation set.")
    return document


def _turn(turn: Mapping[str, Any]) -> Turn:
    time = turn.get("time")
    return Turn(
        str(turn["id"]),
        str(turn.get("session", "")),
        str(turn.get("speaker") or "unknown"),
        None if time is None else str(time),
        str(turn["text"]),
    )


def _question(question: Mapping[str, Any]) -> BenchQuestion:
    gold = tuple(map(str, question.get("gold", ())))
    return BenchQuestion(
        str(question["text"]),
        str(question.get("category", "")),
        gold,
        answer=str(question.get("answer", "")),
    )


def _locomo(one: Mapping[str, Any], number: int) -> Conversation:
    try:
        talk = one["conversation"]
        names = sorted(filter(_SESSION.fullmatch, talk), key=_session_number)
        times = {name: _locomo_time(talk.get(f"{name}_date_time")) for name in names}
        unread = sum(
            times[name] is None and talk.get(f"{name}_date_time") is not None for name in names
        )
        turns = [
            Turn(said["dia_id"], name, said["speaker"], times[name], _words(said))
            for name in names
            for said in talk[name]
        ]
        questions = [
            BenchQuestion(
                str(asked["question"]),
                LOCOMO_CATEGORIES.get(asked["category"], str(asked["category"])),
                tuple(part for text in asked["evidence"] for part in _APART.split(text) if part),
                counted=asked["category"] != 5,
                answer=str(asked.get("answer", "")),
            )
            for asked in one["qa"]
        ]
    except (KeyError, TypeError, AttributeError) as error:
        raise InvalidInput(f"Conversation {number} is not one of LoCoMo: {error!r}.") from error
    name = str(one.get("sample_id", number))
    return _checked(Conversation(name, tuple(turns), tuple(questions), unread_times=unread))


def _session_number(name: str) -> int:
    return int(name.removeprefix("session_"))


def _words(said: Mapping[str, Any]) -> str:
    """Text of a turn; the caption of a picture that was shown precedes it."""
    caption = said.get("blip_caption")
    return f"[photo: {caption}] {said['text']}" if caption else str(said["text"])


def _locomo_time(text: str | None) -> str | None:
    if text is None:
        return None
    try:
        return datetime.strptime(text, "%I:%M %p on %d %B, %Y").replace(tzinfo=UTC).isoformat()
    except ValueError:
        return None


def _checked(one: Conversation) -> Conversation:
    """The conversation with only existing gold, each once; missing gold is counted."""
    known = {turn.id for turn in one.turns}
    questions = []
    unknown = 0
    for asked in one.questions:
        named = dict.fromkeys(asked.gold)
        gold = tuple(name for name in named if name in known)
        unknown += len(named) - len(gold)
        if gold:
            questions.append(replace(asked, gold=gold))
    return replace(
        one,
        questions=tuple(questions),
        unknown_gold=unknown,
        unasked=len(one.questions) - len(questions),
    )
