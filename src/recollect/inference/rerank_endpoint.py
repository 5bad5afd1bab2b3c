"""Rerankers over HTTP, in the four formats that servers use: Cohere, Jina, TEI, vLLM.

They differ in the path, in the name of the texts and in the place of a score. An answer counts only
if it judges every text exactly once.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from recollect.inference.endpoint import JsonEndpoint, Reply
from recollect.inference.reranker import MAX_CHARACTERS, checked_scores
from recollect.vocabulary.arguments import repaired_text
from recollect.vocabulary.errors import (
    EmbedderFailed,
    InferenceError,
    InvalidSetting,
    RerankerFailed,
    RerankerUnavailable,
)


@dataclass(frozen=True, slots=True)
class Shape:
    """Request and answer format of one kind of server."""

    path: str
    texts: str
    results: str | None
    score: str
    model: str | None
    address: str | None = None
    extras: tuple[tuple[str, Any], ...] = ()
    counts: bool = True


SHAPES: Final[dict[str, Shape]] = {
    "cohere": Shape(
        path="/v2/rerank",
        texts="documents",
        results="results",
        score="relevance_score",
        model="rerank-v3.5",
        address="https://api.cohere.com",
    ),
    "jina": Shape(
        path="/v1/rerank",
        texts="documents",
        results="results",
        score="relevance_score",
        model="jina-reranker-v2-base-multilingual",
        address="https://api.jina.ai",
        extras=(("return_documents", False),),
    ),
    "vllm": Shape(
        path="/v1/rerank",
        texts="documents",
        results="results",
        score="relevance_score",
        model=None,
    ),
    "tei": Shape(
        path="/rerank",
        texts="texts",
        results=None,
        score="score",
        model=None,
        extras=(("truncate", True), ("raw_scores", False)),
        counts=False,
    ),
}


class EndpointReranker:
    """A cross-encoder on a server. No retries: somebody waits, and recall works without it."""

    def __init__(
        self,
        provider: str,
        *,
        base_url: str | None = None,
        model: str | None = None,
        api_key: str | None = None,
        timeout_seconds: float = 2.0,
    ) -> None:
        self._shape = shape = SHAPES[provider]
        address = base_url or shape.address
        if not address:
            raise InvalidSetting(
                f"The reranker {provider!r} needs the address of its server.",
                hint="Set reranker_url, for example to http://127.0.0.1:8080",
            )
        self._model = (model or shape.model or "").strip()
        self._endpoint = JsonEndpoint(
            _root(address, shape.path),
            api_key=api_key,
            timeout_seconds=timeout_seconds,
            attempts=1,
            server="reranking server",
        )
        self.model_id = f"{provider}/{self._model}" if self._model else provider

    def rerank(self, query: str, texts: Sequence[str]) -> list[float]:
        """One request for all the texts."""
        if not texts:
            return []
        try:
            reply = self._endpoint.post(self._shape.path, self._request(query, texts))
        except EmbedderFailed as error:
            raise RerankerFailed(error.message) from error
        if not reply.good:
            raise self._refusal(reply)
        try:
            found = self._scores(reply.json(), len(texts))
        except (ValueError, TypeError, KeyError) as error:
            raise RerankerFailed(
                f"{self._endpoint.address} gave an answer that cannot be used: {error}."
            ) from error
        return checked_scores(found, len(texts), self._endpoint.address)

    def _request(self, query: str, texts: Sequence[str]) -> dict[str, Any]:
        shape = self._shape
        request: dict[str, Any] = {
            "query": repaired_text(query)[:MAX_CHARACTERS],
            shape.texts: [repaired_text(text[:MAX_CHARACTERS]) or " " for text in texts],
            **dict(shape.extras),
        }
        if self._model:
            request["model"] = self._model
        if shape.counts:
            request["top_n"] = len(texts)
        return request

    def _scores(self, answer: Any, count: int) -> list[float]:
        """The scores in the order of the texts. ValueError if some are missing or invalid."""
        rows = answer if self._shape.results is None else answer[self._shape.results]
        scores: dict[int, float] = {}
        for row in rows:
            place, score = row["index"], row[self._shape.score]
            if isinstance(place, bool) or not isinstance(place, int) or place in scores:
                raise ValueError(f"{place!r} is no new place")
            if isinstance(score, bool) or not isinstance(score, int | float):
                raise ValueError(f"{score!r} is no score")
            scores[place] = score
        if sorted(scores) != list(range(count)):
            raise ValueError(f"it judged {len(scores)} of {count} texts")
        return [scores[place] for place in range(count)]

    def _refusal(self, reply: Reply) -> InferenceError:
        """The error of a refusal: 401, 403 and 404 are permanent; the rest may pass."""
        said = f"{self._endpoint.address} answered {reply.status}: {self._endpoint.quoted(reply)}"
        if reply.status in {401, 403}:
            return RerankerUnavailable(said, hint="Check the key.")
        if reply.status == 404:
            return RerankerUnavailable(said, hint="Check the address and the name of the model.")
        return RerankerFailed(said)


def _root(address: str, path: str) -> str:
    """The address without what the path would repeat: users give it with /v1 and without."""
    bare = address.strip().rstrip("/")
    for ending in (path, path.rsplit("/", 1)[0]):
        if ending and bare.endswith(ending):
            return bare[: -len(ending)]
    return bare
