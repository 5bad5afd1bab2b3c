"""Reads results from the store: few fields of candidates to rank, full items of those shown.

Two results that contradict each other, undecided, are both shown, with a note, in display order:
the newer one comes first where it fits the question nearly as well; a personal one before what
others hold only if it is surer and newer.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from recollect.index.analyser import analyse
from recollect.index.search_index import CollectionView
from recollect.recall import explain
from recollect.recall.candidates import NEAR_ENOUGH, RecallCandidate
from recollect.recall.contradiction_marks import one_is_personal, with_reasons
from recollect.recall.passages import passages
from recollect.recall.plan import CHUNKS
from recollect.recall.signals import CollectionSignals
from recollect.recall.state import RecallState
from recollect.storage.database import Transaction
from recollect.storage.memories import contradictions, reads
from recollect.vocabulary.audiences import Access
from recollect.vocabulary.contradictions import in_display_order
from recollect.vocabulary.events import Event
from recollect.vocabulary.memory import Memory
from recollect.vocabulary.results import Chunk, Found, Packed

#: Number of words of a text that are read to check whether it holds the words of the question.
_READ_TERMS: Final = 2_000
#: Least cosine at which a text with half of the question's words counts as a match.
_NEARLY: Final = 0.2
#: Share of the older one's score from which the newer one fits a question nearly as well.
_NEARLY_AS_WELL: Final = 0.8


def load_ranking_fields(
    transaction: Transaction,
    access: Access,
    found: Sequence[RecallCandidate],
    fields: Sequence[CollectionSignals],
    *,
    diversified: bool = False,
) -> None:
    """Load the id and the text of each candidate, and of a memory the fields for scoring; its tags
    too where similarity counts and there are no vectors.
    """
    said = [one for one in found if one.collection == "events"]
    if said:
        from recollect.storage.pages import events

        audiences = frozenset().union(*(here.survey.audiences for here in fields))
        texts = events.texts_at(transaction, access.space_id, audiences, [one.slot for one in said])
        for one in said:
            one.item_id, one.text = texts.get(one.slot, ("", ""))
    kept = [one for one in found if one.collection == "memories"]
    by_slot = reads.ranking_fields(transaction, access, [one.slot for one in kept])
    for one in kept:
        one.ranking_fields = known = by_slot.get(one.slot)
        if known is not None:
            one.item_id, one.text = known.memory_id, known.content
    if diversified and all(one.unit is None for one in kept):
        tags = reads.tags_of(transaction, access.space_id, [one.item_id for one in kept])
        for one in kept:
            one.tags = tags.get(one.item_id, frozenset())


def texts_at(
    transaction: Transaction, survey: CollectionView, space_id: str, slots: Sequence[int]
) -> list[str]:
    """The texts of the events at slots, as far as the viewer of the survey may see them."""
    from recollect.storage.pages import events

    told = events.texts_at(transaction, space_id, survey.audiences, list(slots))
    return [text for _, text in told.values()]


def read_memories(
    transaction: Transaction,
    access: Access,
    some: Sequence[RecallCandidate],
    asked: RecallState,
) -> None:
    """Read the candidates that are memories and were not read yet."""
    ids = [one.item_id for one in some if one.collection == "memories"]
    fresh = [name for name in ids if name not in asked.memories]
    if fresh:
        read = reads.get_memories(transaction, access, fresh)
        moment = asked.plan.filters.as_of
        if moment is not None:
            from recollect.memories.reader import all_as_they_stood

            then = all_as_they_stood(transaction, read.values(), moment)
            changed = [one.id for one in then if one.content != read[one.id].content]
            asked.reworded.update(changed)
            read = {one.id: one for one in then}
        asked.memories |= read


def full_items(
    transaction: Transaction,
    access: Access,
    ranked: Sequence[RecallCandidate],
    asked: RecallState,
) -> tuple[Found, ...]:
    """The full items of the results, read once more with the access of the viewer."""
    read_memories(transaction, access, ranked, asked)
    said = [one.item_id for one in ranked if one.collection == "events"]
    written = [one.item_id for one in ranked if one.collection == CHUNKS]
    items: dict[str, Memory | Event | Chunk] = {**asked.memories}
    if said:
        from recollect.storage.pages import events

        items |= events.get_events(transaction, access, said)
    if written:
        from recollect.storage.code import chunks

        items |= chunks.get_chunks(transaction, access, written)
    if asked.packs:
        from recollect.storage.access.quarantine import after_outside

        asked.tainted = after_outside(transaction, access.space_id, said)
    return tuple(
        Found(
            item=items[one.item_id],
            score=one.score,
            keyword_score=one.keyword,
            keyword_rank=one.keyword_rank,
            vector_score=one.vector,
            vector_rank=one.vector_rank,
            why=explain.why(one) if asked.explained else None,
            reason=one.reason,
            passage=(
                None
                if one.passage is None or one.item_id in asked.reworded
                else passages(one.text)[one.passage]
            ),
        )
        for one in ranked
        if one.item_id in items
    )


def undecided_in_order(
    transaction: Transaction, access: Access, found: Sequence[Found]
) -> tuple[Found, ...]:
    """The results, with two that contradict each other in display order."""
    known = {one.id: one.item for one in found if isinstance(one.item, Memory)}
    if len(known) < 2:
        return tuple(found)
    hits = {one.id: one for one in found}
    ordered = [one.id for one in found]
    pairs = contradictions.open_among(transaction, access, list(known))
    for first, second in pairs:
        for one, reason in with_reasons(known[first], known[second]):
            hits[one.id] = replace(hits[one.id], reason=reason)
    moved = [
        pair
        for pair in (in_display_order(known[first], known[second]) for first, second in pairs)
        if one_is_personal(*pair)
        or hits[pair[0].id].score >= _NEARLY_AS_WELL * hits[pair[1].id].score
    ]
    for _ in moved:  # one that is in several pairs may have to move more than once
        before = list(ordered)
        for pair in moved:
            places = sorted(ordered.index(one.id) for one in pair)
            for place, one in zip(places, pair, strict=True):
                ordered[place] = one.id
        if ordered == before:
            break
    return tuple(hits[one] for one in ordered)


def only_weak(found: Sequence[Found], terms: Sequence[str]) -> bool:
    """Whether no result is near the question or holds more than half of its words; half of them are
    enough for a result that is nearly near, and for code whose file or name holds one of them.
    """
    nearest = max((one.vector_score or 0.0 for one in found), default=1.0)
    if nearest >= NEAR_ENOUGH:
        return False
    wanted = set(terms)
    held = max(len(_held(one, wanted)) for one in found)
    half = nearest >= _NEARLY or any(_named_by(one, wanted) for one in found)
    return 2 * held < len(wanted) if half else 2 * held <= len(wanted)


def with_weak_scores(found: Sequence[Found], terms: Sequence[str]) -> tuple[Found, ...]:
    """Results that fit badly, none of code with a higher score than the share of the question's
    words that it holds: code is scored beside the best code, however little that holds.
    """
    wanted = set(terms)
    return tuple(
        replace(one, score=min(one.score, len(_held(one, wanted)) / max(1, len(wanted))))
        if isinstance(one.item, Chunk)
        else one
        for one in found
    )


def _named_by(found: Found, wanted: set[str]) -> bool:
    """Whether a result is code that holds half of a question's words, one in its file's or its own
    name. A word that merely stands in code may mean anything.
    """
    if not isinstance(found.item, Chunk) or 2 * len(_held(found, wanted)) < len(wanted):
        return False
    names = analyse(f"{found.item.path} {found.item.name}", limit=_READ_TERMS)
    return not wanted.isdisjoint(names)


def _held(found: Found, wanted: set[str]) -> set[str]:
    """The words of a question that a result holds."""
    return wanted.intersection(analyse(found.text, limit=_READ_TERMS))


def packed(
    found: Sequence[Found], asked: RecallState, budget: int | None, viewer: str
) -> Packed | None:
    """The results as one text, when a budget is given or the phase of work has one."""
    planned, phase = asked.plan, asked.plan.phase
    if budget is None:
        return None
    from recollect.inference.tokens import count_tokens
    from recollect.recall.budget_packer import pack
    from recollect.recall.phases import ALLOCATIONS, BUDGETS

    shares = ALLOCATIONS[phase] if phase is not None else None
    wanted = budget or (BUDGETS[phase] if phase is not None else planned.profile.budget)
    return pack(found, wanted, count_tokens, shares, viewer=viewer, tainted=asked.tainted)
