"""Recall, as a chain of steps over one list of candidates.

Plan, survey, sparse, dense, boost, scale, gather, look closer, fuse, score, diversify, hydrate,
pack, explain: each step adds one thing and each is a module of its own. A step that cannot take
part is named in the answer, and the others answer without it.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from recollect.inference.indexer import Indexer
from recollect.inference.tokens import count_tokens
from recollect.recall import dense, explain, fuse
from recollect.recall.align import Aligner, holds_answer, scale_alignment
from recollect.recall.boost import boosts
from recollect.recall.candidates import Candidate, gather, has_evidence, take_exact
from recollect.recall.causal import LEADERS, brought_along
from recollect.recall.code import CodeRecall, weighed_terms
from recollect.recall.diversify import diversify
from recollect.recall.field import Field, field_of
from recollect.recall.graph import Neighbours
from recollect.recall.pack import pack
from recollect.recall.phases import ALLOCATIONS, BUDGETS
from recollect.recall.plan import Plan, plan
from recollect.recall.profiles import Profile
from recollect.recall.score import score
from recollect.recall.sparse import keywords
from recollect.storage import chunks, code, events, memories, places
from recollect.storage.database import Database, Transaction
from recollect.storage.search_index import SearchIndex
from recollect.storage.vector_index import VectorModel
from recollect.trust.visibility import look
from recollect.vocabulary.audiences import Sight, Viewer
from recollect.vocabulary.clock import Clock, to_microseconds
from recollect.vocabulary.code import Chunk
from recollect.vocabulary.errors import InferenceError, InvalidInput
from recollect.vocabulary.events import Event
from recollect.vocabulary.memory import Memory
from recollect.vocabulary.numbers import shown
from recollect.vocabulary.phases import Phase
from recollect.vocabulary.results import Filters, Found, Packed, Recalled
from recollect.vocabulary.spaces import Space

COLLECTIONS: Final = {"memory": "memories", "event": "events", "chunk": "chunks"}


CHUNKS: Final = chunks.COLLECTION
_EMBEDDED: Final = 2_000


@dataclass(slots=True)
class _Asked:
    """One question on its way through the chain."""

    plan: Plan
    words: list[str]
    vector: dense.Question | None
    notes: list[str] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)

    weighs: bool = False

    @property
    def context(self) -> bool:
        """Whether the profile looks at what stands around."""
        return self.plan.profile.lends


class Recall:
    """Asks the index, and ranks what it knows."""

    def __init__(
        self, database: Database, index: SearchIndex, indexer: Indexer, clock: Clock
    ) -> None:
        self._database = database
        self._index = index
        self._indexer = indexer
        self._clock = clock
        self._aligner: Aligner | None = None
        self._neighbours = Neighbours()
        self._code = CodeRecall(self._neighbours)

    def search(
        self,
        viewer: Viewer,
        space: Space,
        query: str,
        *,
        kinds: Collection[str],
        filters: Filters,
        limit: int,
        profile: Profile,
        phase: Phase | None = None,
        budget: int | None = None,
        explained: bool = False,
    ) -> Recalled:
        """The best that the viewer may see."""
        collections = _collections(kinds, filters)
        asked = self._ask(plan(query, filters=filters, limit=limit, profile=profile, phase=phase))
        with self._database.reading() as transaction:
            sight = look(transaction, viewer, space)
            fields = [
                self._field(transaction, sight, name, asked)
                for name in collections
                if name != CHUNKS
            ]
            ordered = self._rank(transaction, sight, fields, asked)
            if CHUNKS in collections and code.get_index(transaction, sight) is not None:
                ordered = _merged(ordered, self._pieces(transaction, sight, asked))
                if "memories" in collections and filters == Filters():
                    ordered = self._with_company(transaction, sight, ordered, limit)
            found = _hydrated(transaction, sight, ordered[:limit], asked.plan, explained)
        if not sight.member:
            asked.missing.append(f"{viewer.user} does not belong to the space {space.name!r}")
        return Recalled(
            query,
            found,
            tuple(dict.fromkeys(asked.missing)),
            profile.name,
            tuple(dict.fromkeys(asked.notes)),
            explain.dropped(ordered[limit:], limit) if explained else (),
            _packed(found, asked.plan, budget),
        )

    def _ask(self, planned: Plan) -> _Asked:
        """The question with its vector, where that does not depend on what is in the store."""
        lexicon = self._indexer.lexicon
        asked = _Asked(planned, lexicon.words_of(planned.text) if lexicon else [], None)
        asked.words = asked.words or planned.text.split()
        asked.weighs = asked.context and lexicon is not None
        asked.notes.append(f"a question of type {planned.query_type}")
        if self._indexer.embedder is None:
            asked.notes.append("no embedder: found by words alone")
        elif not asked.weighs:
            try:
                asked.vector = self._indexer.question(planned.text)
            except InferenceError as error:
                asked.missing.append(f"vectors: {error.message}")
        return asked

    def _field(
        self, transaction: Transaction, sight: Sight, collection: str, asked: _Asked
    ) -> Field:
        """One collection with what both legs and the boosts say of each row."""
        now = to_microseconds(self._clock())
        filters = asked.plan.filters
        survey = self._index.survey(
            transaction,
            sight,
            collection,
            asked.plan.terms,
            model=self._model(asked),
            moment=None if filters.superseded or filters.as_of else now,
            slots=_let_through(transaction, sight, collection, filters, now),
        )
        here = (
            field_of(survey, asked.plan.terms, asked.words, asked.plan.of_self)
            if asked.context
            else Field(survey, asked.plan.terms)
        )
        keywords(here, context=asked.context)
        self._near(transaction, here, asked)
        if asked.context:
            span = boosts(here, asked.plan.text)
            if here.names:
                asked.notes.append(f"asks about {', '.join(sorted(here.names))}")
            if span is not None:
                asked.notes.append(f"names a time: {span.words}")
        return here

    def _with_company(
        self, transaction: Transaction, sight: Sight, ordered: list[Candidate], limit: int
    ) -> list[Candidate]:
        """With what is remembered of files that must be touched together with the best."""
        leaders = [one.item_id for one in ordered[:LEADERS]]
        files: dict[str, Sequence[str]] = {
            key: (chunk.path,)
            for key, chunk in chunks.get_chunks(transaction, sight, leaders).items()
        }
        if not files and not any(one.collection == "memories" for one in ordered[:LEADERS]):
            return ordered
        known = memories.get_memories(transaction, sight, leaders) if leaders else {}
        files |= {key: memory.files for key, memory in known.items()}
        now = to_microseconds(self._clock())
        shown = ordered[:limit]
        company = brought_along(transaction, sight, self._neighbours, shown, files=files, now=now)
        if not company:
            return ordered
        return sorted([*ordered, *company], key=lambda one: -one.score)

    def _pieces(self, transaction: Transaction, sight: Sight, asked: _Asked) -> list[Candidate]:
        """What of the code answers, one piece a file."""
        filters = asked.plan.filters
        slots = chunks.slots_in_files(transaction, sight, filters.files) if filters.files else None
        survey = self._index.survey(
            transaction,
            sight,
            CHUNKS,
            tuple(weighed_terms(asked.plan.text)),
            model=self._model(asked),
            moment=None,
            slots=slots,
        )
        if not len(survey) or not survey.seen.any():
            return []
        near = None
        question = asked.vector
        try:
            if question is None and self._indexer.embedder is not None:
                question = self._indexer.question(asked.plan.text[:_EMBEDDED])
            if question is not None and survey.codes is not None:
                near = self._index.nearness(transaction, survey, survey.codes, question[1])
        except InferenceError as error:
            asked.missing.append(f"vectors: {error.message}")
        found = self._code.candidates(transaction, sight, asked.plan, survey, near)
        ids = places.items_at(transaction, sight.space_id, [one.slot for one in found])
        texts = chunks.get_chunks(transaction, sight, list(ids.values()))
        for one in found:
            one.item_id = ids.get(one.slot, "")
            known = texts.get(one.item_id)
            one.text = known.text if known else ""
        return [one for one in found if one.text]

    def _model(self, asked: _Asked) -> VectorModel | None:
        """The model whose vectors are compared; None where there are none to compare."""
        if asked.vector is not None:
            return asked.vector[0]
        return self._indexer.model if asked.weighs else None

    def _near(self, transaction: Transaction, here: Field, asked: _Asked) -> None:
        question = asked.vector
        if asked.weighs:
            try:
                question = dense.weighed(self._indexer, here, asked.words)
            except InferenceError as error:
                asked.missing.append(f"vectors: {error.message}")
        codes = here.survey.codes
        if question is not None and codes is not None and len(here):
            here.query = question[1]
            near = self._index.nearness(transaction, here.survey, codes, question[1])
            dense.meaning(here, near, context=asked.context)

    def _rank(
        self, transaction: Transaction, sight: Sight, fields: list[Field], asked: _Asked
    ) -> list[Candidate]:
        """Every candidate in the order of its score."""
        planned = asked.plan
        fuse.scale(fields, context=asked.context)
        found = gather(fields, planned, fuse.weights_of(planned))
        if planned.profile.exact:
            _sharpen(transaction, fields, found, max(planned.profile.depth, planned.limit))
        found = [one for one in found if has_evidence(one)]
        _glance(transaction, sight, found)
        if asked.context:
            self._look_closer(found, fields, asked)
        fuse.fuse(found, planned)
        score(found, planned, self._clock())
        return diversify(found, planned.profile.diversity, planned.limit)

    def _look_closer(self, found: list[Candidate], fields: list[Field], asked: _Asked) -> None:
        holds_answer(found, asked.plan.answer)
        lexicon = self._indexer.lexicon
        if lexicon is None:
            return
        try:
            if self._aligner is None:
                self._aligner = Aligner(lexicon)
            for here in fields:
                self._aligner.align(found, here, asked.words)
        except InferenceError as error:
            asked.missing.append(f"word vectors: {error.message}")
        scale_alignment(found)


def _merged(ordered: list[Candidate], pieces: list[Candidate]) -> list[Candidate]:
    """Both lists as one, by their scores; a piece that a memory quotes whole is said once."""
    if not ordered or not pieces:
        return ordered or pieces
    quoted = " ".join(" ".join(one.text.split()) for one in ordered[:50])
    kept = [one for one in pieces if " ".join(one.text.split()) not in quoted]
    return sorted([*ordered, *kept], key=lambda one: -one.score)


def _sharpen(
    transaction: Transaction, fields: list[Field], found: list[Candidate], depth: int
) -> None:
    """Exact cosines in place of rough ones, where an order by the legs alone hangs on them."""
    for here in fields:
        slots = [one.slot for one in found if one.collection == here.collection]
        if here.survey.codes is not None and here.query is not None and slots:
            exact = here.survey.codes.exact(transaction, here.query, slots)
            take_exact(found, exact, here.collection, depth)
    fuse.sharpen(found)


def _packed(found: Sequence[Found], planned: Plan, budget: int | None) -> Packed | None:
    """The found as one text, when a budget is given or the phase of work has one."""
    phase = planned.phase
    if budget is None:
        return None
    shares = ALLOCATIONS[phase] if phase is not None else None
    wanted = budget or (BUDGETS[phase] if phase is not None else planned.profile.budget)
    return pack(found, wanted, count_tokens, shares)


def _collections(kinds: object, filters: Filters) -> list[str]:
    named = list(kinds) if isinstance(kinds, Iterable) else [kinds]
    unknown = [kind for kind in named if not isinstance(kind, str) or kind not in COLLECTIONS]
    if unknown or not named:
        raise InvalidInput(
            "recall searches memories, events and chunks of code, "
            f"not {shown(unknown[0] if unknown else '')}.",
            hint="Give kinds among: memory, event, chunk.",
        )
    chosen = [COLLECTIONS[kind] for kind in COLLECTIONS if kind in named]
    return [name for name in chosen if name == "memories" or not _says_nothing(name, filters)]


def _says_nothing(collection: str, filters: Filters) -> bool:
    """Whether a collection has nothing that the filters could be about."""
    if collection == CHUNKS:
        return replace(filters, files=frozenset()) != Filters()
    return _only_memories_have(filters)


def _only_memories_have(filters: Filters) -> bool:
    """Whether a filter asks for something that an event has not."""
    return bool(
        filters.types
        or filters.sources
        or filters.scopes
        or filters.tags
        or filters.files
        or filters.modules
        or filters.minimum_confidence is not None
        or filters.pinned is not None
        or filters.needs_review is not None
        or filters.as_of is not None
    )


def _let_through(
    transaction: Transaction, sight: Sight, collection: str, filters: Filters, now: int
) -> list[int] | None:
    """The slots that the filters let through; None when there is nothing to filter by."""
    if filters == Filters():
        return None
    if collection == "memories":
        return memories.slots_let_through(transaction, sight, filters, now)
    return events.slots_let_through(transaction, sight, filters)


def _glance(transaction: Transaction, sight: Sight, found: Sequence[Candidate]) -> None:
    """Give each candidate its id and its words, and a memory what scoring it takes."""
    ids = places.items_at(transaction, sight.space_id, [one.slot for one in found])
    for one in found:
        one.item_id = ids.get(one.slot, "")
    of_events = [one.item_id for one in found if one.collection == "events"]
    of_memories = [one.item_id for one in found if one.collection == "memories"]
    texts = events.texts_of(transaction, sight, of_events)
    glances = memories.glances(transaction, sight, of_memories)
    for one in found:
        one.glance = glances.get(one.item_id)
        one.text = texts.get(one.item_id, "") if one.glance is None else one.glance.content


def _hydrated(
    transaction: Transaction,
    sight: Sight,
    ranked: Sequence[Candidate],
    planned: Plan,
    explained: bool,
) -> tuple[Found, ...]:
    """The things themselves, read through the sight once more."""
    kept = [one.item_id for one in ranked if one.collection == "memories"]
    said = [one.item_id for one in ranked if one.collection == "events"]
    written = [one.item_id for one in ranked if one.collection == CHUNKS]
    items: Mapping[str, Memory | Event | Chunk] = {
        **chunks.get_chunks(transaction, sight, written),
        **(memories.get_memories(transaction, sight, kept) if kept else {}),
        **events.get_events(transaction, sight, said),
    }
    return tuple(
        Found(
            item=items[one.item_id],
            score=one.score,
            keyword_score=one.keyword,
            keyword_rank=one.keyword_rank,
            vector_score=one.vector,
            vector_rank=one.vector_rank,
            why=explain.why(one, planned) if explained else None,
            reason=one.reason,
        )
        for one in ranked
        if one.item_id in items
    )
