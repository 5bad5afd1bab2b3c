"""Recall search: runs the steps of a recall over one list of candidates.

Plan, survey, keywords, vectors, boost, scale, gather, look closer, fuse, rerank, score, diversify,
hydrate, pack, explain: each step adds one thing (docs/recall.md names their modules). A step that
is not available is named in the answer, and the others answer without it. Calls to models are made
outside any transaction. Steps that only some questions need (code, a reranker, a model that
imagines an answer, wishes, outcomes) are imported and run only for those.
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Final, TypeVar

from recollect.index.indexer import Indexer
from recollect.index.search_index import SearchIndex, StaleReader
from recollect.recall import fuse
from recollect.recall.candidates import RecallCandidate
from recollect.recall.plan import (
    CHUNKS,
    Plan,
    Temporal,
    collections_of,
    let_through,
    plan,
    sessions_meant,
)
from recollect.recall.profiles import Profile, with_chat_weights, with_learned_weights
from recollect.recall.question_vectors import VectorWanted, vector_without_names
from recollect.recall.results import (
    full_items,
    load_ranking_fields,
    only_weak,
    packed,
    read_memories,
    texts_at,
    undecided_in_order,
    with_weak_scores,
)
from recollect.recall.score import diversify, repeats_last, score
from recollect.recall.signals import CollectionSignals, field_of, keywords, meaning, weighed
from recollect.recall.state import RecallState
from recollect.recall.turn_acts import mark_acts
from recollect.recall.word_alignment import Aligner, holds_answer, scale_alignment
from recollect.storage.database import Database, Transaction
from recollect.trust.authorisation import authorise, closed
from recollect.vocabulary.audiences import Access, Viewer
from recollect.vocabulary.clock import Clock, to_microseconds
from recollect.vocabulary.errors import InferenceError, RecollectError
from recollect.vocabulary.pending_counts import PendingCounts
from recollect.vocabulary.phases import Phase
from recollect.vocabulary.results import Dropped, Filters, Found, Recalled
from recollect.vocabulary.spaces import Space

if TYPE_CHECKING:
    from recollect.inference.reranker import Reranker
    from recollect.recall.code_search import CodeSearch
    from recollect.recall.hyde import Imagine
    from recollect.vocabulary.vectors import VectorModel

_BEGINNINGS: Final = 5
_RECENT: Final = 20

T = TypeVar("T")


class Recall:
    """Searches the index and ranks the results."""

    def __init__(
        self,
        database: Database,
        index: SearchIndex,
        indexer: Indexer,
        clock: Clock,
        *,
        reranker: "Reranker | None" = None,
        imagine: "Imagine | None" = None,
        counts: PendingCounts | None = None,
        chat_weights: tuple[float, float, float] | None = None,
    ) -> None:
        self._database = database
        self._chat_weights = chat_weights
        self._index = index
        self._indexer = indexer
        self._clock = clock
        self._aligner: Aligner | None = None
        self._reranker = reranker
        self._imagine = imagine
        self._counts = PendingCounts() if counts is None else counts

    @cached_property
    def _code(self) -> "CodeSearch":
        """Search of code, imported only where a space has code."""
        from recollect.recall.code_search import CodeSearch

        return CodeSearch(self._index, self._indexer, self._counts)

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
        explicit: bool = False,
        temporal: Temporal | None = None,
        chain: bool = False,
        session: str | None = None,
        recent: Sequence[str] = (),
        more: int = 0,
    ) -> Recalled:
        """The best results that the viewer may see; none where memory is off or incognito.

        ``more`` results may follow those of the limit: candidates that were weighed all the same.
        ``explicit`` marks a question that a person asked, for which a model may imagine an answer.
        """
        collections = collections_of(kinds, filters)
        profile = with_chat_weights(profile, self._chat_weights)
        asked = self._ask(plan(query, filters=filters, limit=limit, profile=profile, phase=phase))
        asked.explained, asked.session, asked.packs = explained, session, budget is not None
        asked.more = more
        asked.wants_memories, asked.recent = "memories" in collections, tuple(recent)
        once = partial(self._with_vectors, viewer, space, collections, asked, temporal)
        found, ordered = _on_current_index(once, asked)
        if asked.closed is not None:
            told = f"Nothing is recalled: {asked.closed}."
            return Recalled(query, (), (told,), profile.name, closed=True)
        if explicit and self._imagine is not None and self._imagined(space, asked, ordered):
            found, ordered = _on_current_index(once, asked)
        came = self._chained(viewer, space, found, asked) if chain else ()
        weak = only_weak(found, asked.plan.terms)
        if weak:
            found = with_weak_scores(found, asked.plan.terms)
        return Recalled(
            query,
            (*found, *came),
            tuple(dict.fromkeys(asked.missing)),
            profile.name,
            tuple(dict.fromkeys(asked.notes)),
            _dropped(ordered[limit:], limit) if explained else (),
            packed(found, asked, budget, viewer.user),
            weak=weak,
        )

    def _with_vectors(
        self,
        viewer: Viewer,
        space: Space,
        collections: list[str],
        asked: RecallState,
        temporal: Temporal | None,
    ) -> tuple[tuple[Found, ...], list[RecallCandidate]]:
        """Run the steps; again if the question has to be embedded without names."""
        while True:
            try:
                return self._search(viewer, space, collections, asked, temporal)
            except VectorWanted as wanted:
                asked.without_names[wanted.text] = None
                try:
                    asked.without_names[wanted.text] = self._indexer.question(wanted.text)
                except InferenceError as error:
                    asked.missing.append(f"Searched with the names in the vector: {error.message}")

    def _search(
        self,
        viewer: Viewer,
        space: Space,
        collections: list[str],
        asked: RecallState,
        temporal: Temporal | None,
    ) -> tuple[tuple[Found, ...], list[RecallCandidate]]:
        """Run the steps once: the results to return, and all ranked candidates."""
        asked.memories.clear()
        with self._database.reading() as transaction:
            access = authorise(transaction, viewer, space)
            asked.closed = closed(transaction, access, asked.session)
            if asked.closed is not None:
                return (), []
            if access.role is None:
                asked.missing.append(
                    f"{viewer.user} does not belong to the space {space.name!r}: "
                    "what only its members may see was not searched."
                )
            if asked.plan.phase is not None:
                _take_learned_weights(transaction, access, asked)
            if temporal is not None:
                asked.sessions = sessions_meant(transaction, access, temporal)
            fields = [
                self._field(transaction, access, name, asked)
                for name in collections
                if name != CHUNKS
            ]
            fields = [here for here in fields if len(here)]
            candidates = self._weigh(transaction, access, fields, asked)
            pieces: list[RecallCandidate] | None = None
            if CHUNKS in collections and asked.sessions is None and access.code_indexed:
                pieces = self._code.pieces(transaction, access, asked, self._model(asked))
            if self._reranker is None:
                return self._arranged(transaction, access, candidates, pieces, asked)
        from recollect.recall.rerank import rerank

        trouble = rerank(candidates, asked.plan, self._reranker)
        if trouble is None:
            asked.notes.append(f"reranked by {self._reranker.model_id}")
        else:
            asked.missing.append(trouble)
        with self._database.reading() as transaction:
            access = authorise(transaction, viewer, space)
            return self._arranged(transaction, access, candidates, pieces, asked)

    def _arranged(
        self,
        transaction: Transaction,
        access: Access,
        candidates: list[RecallCandidate],
        pieces: list[RecallCandidate] | None,
        asked: RecallState,
    ) -> tuple[tuple[Found, ...], list[RecallCandidate]]:
        """All candidates in order, with code and connected memories where there is code."""
        limit = asked.plan.limit
        ordered = repeats_last(self._order(candidates, asked, graph=access.code_indexed))
        if pieces is not None:
            ordered = self._code.merged(ordered, pieces)
        ordered = self._with_connected_memories(transaction, access, ordered, asked)
        shown = [one.item_id for one in ordered[:limit] if one.collection == CHUNKS]
        if shown:
            asked.missing += self._code.changed(transaction, access, shown)
        found = full_items(transaction, access, ordered[: limit + asked.more], asked)
        return undecided_in_order(transaction, access, found), ordered

    def _imagined(self, space: Space, asked: RecallState, ordered: list[RecallCandidate]) -> bool:
        """Have a model imagine an answer where little was found; return whether there is a new
        vector to search by.
        """
        from recollect.recall.hyde import finds_little

        if self._imagine is None or self._indexer.embedder is None or not finds_little(ordered):
            return False
        try:
            text = self._imagine(space, asked.plan.text)
            vector = self._indexer.question(text) if text and text.strip() else None
        except RecollectError as error:
            asked.missing.append(f"Searched without an imagined answer: {error.message}")
            return False
        if vector is None:
            return False
        asked.imagined = vector[1]
        asked.notes.append("little was found: searched once more by an imagined answer")
        return True

    def _chained(
        self, viewer: Viewer, space: Space, found: tuple[Found, ...], asked: RecallState
    ) -> tuple[Found, ...]:
        """Memories of files that must be changed together with the results."""
        from recollect.recall.causal_chain import memories_along_chain

        with self._database.reading() as transaction:
            access = authorise(transaction, viewer, space)
            came = memories_along_chain(
                transaction,
                access,
                found,
                files=sorted(asked.plan.filters.files),
                now=self._clock(),
            )
        if came is None:
            asked.notes.append("no files are known to go with what was found")
        elif not came:
            asked.notes.append("nothing else is remembered of files that go with what was found")
        return came or ()

    def _ask(self, planned: Plan) -> RecallState:
        """The state of a new question, with its vector where that does not depend on the stored
        data.
        """
        lexicon = self._indexer.lexicon
        context = planned.profile.uses_context
        words = lexicon.words_of(planned.topic) if lexicon else []
        asked = RecallState(planned, words, None, context=context)
        asked.words = asked.words or planned.topic.split()
        asked.weighs = asked.context and self._indexer.weighs_words
        asked.notes.append(f"a question of type {planned.query_type}")
        if self._indexer.embedder is None:
            asked.notes.append("no embedder: found by words alone")
        elif not asked.weighs:
            try:
                asked.vector = self._indexer.question(planned.text)
            except InferenceError as error:
                asked.missing.append(f"Searched without vectors: {error.message}")
        return asked

    def _field(
        self, transaction: Transaction, access: Access, collection: str, asked: RecallState
    ) -> CollectionSignals:
        """One collection with the signals of both legs and of the boosts for each row."""
        now = to_microseconds(self._clock())
        filters = asked.plan.filters
        asks_wishes = asked.plan.wants_help and asked.context and collection == "events"
        terms = asked.plan.terms
        if asks_wishes:
            from recollect.recall.wishes import wish_terms

            terms = (*terms, *wish_terms())
        survey = self._index.survey(
            transaction,
            access,
            collection,
            terms,
            model=self._model(asked),
            moment=None if filters.superseded or filters.as_of else now,
            slots=let_through(
                transaction,
                access,
                collection,
                filters,
                asked.sessions,
                now=now,
                missing=asked.missing,
            ),
            ahead=asked.ahead,
        )
        here = (
            field_of(
                survey,
                asked.plan,
                asked.words,
                partial(texts_at, transaction, survey, access.space_id),
            )
            if asked.context
            else CollectionSignals(survey, asked.plan.terms)
        )
        if not len(here):
            return here
        keywords(here, context=asked.context)
        self._near(transaction, here, asked)
        if asked.context and survey.beside is not None:
            self._converse(here, asked, asks_wishes=asks_wishes)
        return here

    def _converse(self, here: CollectionSignals, asked: RecallState, *, asks_wishes: bool) -> None:
        """Add the signals of a conversation beside its words: person, time, outcome, wishes."""
        from recollect.recall.boost import boosts
        from recollect.recall.outcomes import outcome

        span = boosts(here, asked.plan.text)
        outcome(here, asked.plan.text)
        if asks_wishes:
            from recollect.recall.wishes import wishes

            wishes(here)
        if here.names:
            asked.notes.append(f"asks about {', '.join(sorted(here.names))}")
        if span is not None:
            asked.notes.append(f"names a time: {span.words}")

    def _with_connected_memories(
        self,
        transaction: Transaction,
        access: Access,
        ordered: list[RecallCandidate],
        asked: RecallState,
    ) -> list[RecallCandidate]:
        """Add memories of files connected to those of the best results, or to recent ones."""
        filters = asked.plan.filters
        if not asked.wants_memories or asked.sessions is not None or filters.files:
            return ordered
        limit = asked.plan.limit
        read_memories(transaction, access, ordered[: limit + asked.more], asked)  # all at once
        best = (asked.memories.get(one.item_id) for one in ordered[:limit])
        files: dict[str, Sequence[str]] = {
            memory.id: memory.files for memory in best if memory is not None and memory.files
        }
        if any(one.collection == CHUNKS for one in ordered):
            files |= self._code.files_of(transaction, access, ordered)
        recent = list(asked.recent)
        if asked.session is not None and access.member:
            from recollect.storage.agents import observations

            recent += observations.files_of_session(transaction, access.space_id, asked.session)
        recent = list(dict.fromkeys(reversed(recent)))[:_RECENT]
        if not files and not recent:
            return ordered
        now = to_microseconds(self._clock())
        return self._code.with_neighbours(
            transaction, access, ordered, asked, files=files, recent=recent, now=now
        )

    def _model(self, asked: RecallState) -> "VectorModel | None":
        """The model whose vectors are compared; None where there are none to compare."""
        if asked.vector is not None:
            return asked.vector[0]
        return self._indexer.model if asked.weighs else None

    def _near(self, transaction: Transaction, here: CollectionSignals, asked: RecallState) -> None:
        question = asked.vector
        if asked.weighs:
            try:
                question = weighed(self._indexer, here, asked.words)
            except InferenceError as error:
                asked.missing.append(f"Searched without vectors: {error.message}")
        elif question is not None and here.names:
            question = vector_without_names(asked, here.names) or question
        if question is not None and asked.imagined is not None:
            from recollect.recall.hyde import ensemble

            question = question[0], ensemble(question[1], asked.imagined)
        codes = here.survey.codes
        if question is not None and codes is not None:
            here.query, here.reading_model = question[1], not asked.weighs
            near = self._index.nearness(transaction, here.survey, codes, question[1])
            meaning(here, near, context=asked.context)

    def _weigh(
        self,
        transaction: Transaction,
        access: Access,
        fields: list[CollectionSignals],
        asked: RecallState,
    ) -> list[RecallCandidate]:
        """The candidates with their relevance."""
        planned = asked.plan
        fuse.scale(fields, context=asked.context)
        found = fuse.gather(fields, planned)
        if planned.profile.exact or any(here.scanned_in_part for here in fields):
            depth = max(planned.profile.depth, planned.limit)
            fuse.take_exact_cosines(transaction, fields, found, depth)
        found = [one for one in found if fuse.has_evidence(one)]
        load_ranking_fields(
            transaction, access, found, fields, diversified=planned.profile.diversity < 1
        )
        if asked.context:
            self._add_text_signals(found, fields, asked)
        fuse.fuse(found, planned)
        return found

    def _order(
        self, found: list[RecallCandidate], asked: RecallState, *, graph: bool
    ) -> list[RecallCandidate]:
        """The candidates in order of score."""
        if asked.explained:
            from recollect.recall.explain import absent

            asked.notes += absent(found, graph=graph)
        score(found, asked.plan, self._clock())
        return diversify(found, asked.plan.profile.diversity, asked.plan.limit)

    def _add_text_signals(
        self, found: list[RecallCandidate], fields: list[CollectionSignals], asked: RecallState
    ) -> None:
        holds_answer(found, asked.plan.answer)
        turns = [one for one in found if one.collection == "events"]
        if turns:
            mark_acts(turns, asked.plan.text)
        if asked.plan.wants_help:
            from recollect.recall.wishes import confirm_wishes

            confirm_wishes(found)
        lexicon = self._indexer.lexicon
        if lexicon is None:
            return
        try:
            if self._aligner is None:
                self._aligner = Aligner(lexicon)
            for here in fields:
                self._aligner.align(found, here, asked.words)
        except InferenceError as error:
            asked.missing.append(f"Ranked without the vectors of words: {error.message}")
        scale_alignment(found)


def _take_learned_weights(transaction: Transaction, access: Access, asked: RecallState) -> None:
    """Use the type weights by phase that the people of this space approved, if any."""
    from recollect.storage.metrics.experiments import in_force

    held = in_force(transaction, access.space_id)
    if held is not None:
        profile = with_learned_weights(asked.plan.profile, held.weights)
        asked.plan = replace(asked.plan, profile=profile)


def _dropped(left: list[RecallCandidate], limit: int) -> tuple[Dropped, ...]:
    from recollect.recall.explain import dropped

    return dropped(left, limit)


def _on_current_index(once: Callable[[], T], asked: RecallState) -> T:
    """Run a search that starts again when the shared index has moved past its snapshot, because it
    would miss items moved since; after a few attempts it takes what it sees.
    """
    for _ in range(_BEGINNINGS - 1):
        try:
            return once()
        except StaleReader:
            continue
    asked.ahead = True
    return once()
