"""Finds memories that contradict each other, by what somebody stands behind, and notes it.

A program's note of a session quotes what a person said there, and tells around it on what occasion
and which files were changed. Only the quoted words state something, and they are turns of a
conversation: one turn after another about other things ("let's fix the rest", "let's answer the
comment") changes nothing. So their sentences are compared only where they are about the same.
"""

import re
from collections.abc import Mapping
from datetime import datetime
from typing import Final

from recollect.memories.contradictions.judge import PairJudgement, contradiction, judge_pair
from recollect.memories.text_comparison import WordVectors, may_share_word
from recollect.storage.database import Transaction
from recollect.storage.memories import contradictions, relations
from recollect.vocabulary.ids import CONTRADICTION, new_id
from recollect.vocabulary.memory import Memory, Relation
from recollect.vocabulary.memory_types import INFERRED, RelationType
from recollect.vocabulary.question_texts import only_asks

#: Number of nearest memories checked for a contradiction; each check costs about as much as a
#: write.
_JUDGED: Final = 4
#: A text that seems to contradict this many memories is one more of a series ("service 7 uses
#: ..."), and not a change.
SERIES: Final = 3
#: What somebody said, in a program's note: quoted after a colon.
_SAID: Final = re.compile(r": \u201c([^\u201d]*)(?:\u201d|\Z)")


def contradicted_texts(
    near: Mapping[str, str], said: str, vectors: WordVectors
) -> dict[str, PairJudgement]:
    """Known texts that cannot hold beside a new one, by their ids, most certain first."""
    if only_asks(said):
        return {}
    nearest = [pair for pair in near.items() if not only_asks(pair[1])][:_JUDGED]
    related = [pair for pair in nearest if may_share_word(pair[1], said)]
    judged = {one: contradiction(text, said, vectors) for one, text in related}
    found = {one: verdict for one, verdict in judged.items() if verdict is not None}
    if len(found) >= SERIES:
        return {}
    return dict(sorted(found.items(), key=lambda one: -one[1].score))


def is_misquoted(known: Memory, new: Memory, vectors: WordVectors) -> bool:
    """Whether one is a program's note, and the words that it quotes contradict nothing."""
    noted = quotes(known) or quotes(new)
    return noted and not judge_memories(known, new, vectors).contradicts


def judge_memories(old: Memory, new: Memory, vectors: WordVectors | None) -> PairJudgement:
    """Judge whether an older and a newer memory can both hold."""
    first, second = _quoted(old), _quoted(new)
    return judge_pair(
        first or old.content,
        second or new.content,
        vectors,
        by_sentence=bool(first or second),
    )


def quotes(memory: Memory) -> bool:
    """Whether a memory is a program's note that quotes a person, and nobody has confirmed it."""
    return bool(_quoted(memory))


def _quoted(memory: Memory) -> str:
    """The words that a program's note quotes."""
    if memory.provenance.source not in INFERRED or memory.user_verified:
        return ""
    return " ".join(one.strip() for one in _SAID.findall(memory.content))


def note_contradiction(
    transaction: Transaction,
    space_id: str,
    pair: tuple[str, str],
    found: PairJudgement,
    now: datetime,
    *,
    by: str = "rules",
    apart: bool = False,
) -> bool:
    """Record that two memories contradict each other, the older first; False if already recorded.

    ``apart`` means that one is personal: one person's memory lowers the confidence of nobody
    else's.
    """
    row = contradictions.ContradictionRow(
        new_id(CONTRADICTION, now), *pair, found.kind, found.score, by, now
    )
    if not contradictions.add_contradiction(transaction, space_id, row):
        return False
    if apart:
        return True
    relation = Relation(
        RelationType.CONFLICTS_WITH,
        pair[1],
        target_id=pair[0],
        confidence=found.score,
        automatic=True,
    )
    relations.put_relation(transaction, space_id, relation)
    return True
