"""Embeddings from any OpenAI-compatible server: OpenAI, Ollama, LM Studio, vLLM.

Invariant: an answer is accepted only if it has one finite vector for each text, all of the same
length as every vector before; anything else is `EmbedderFailed` and gives no vector at all. Blank
texts are never sent: their rows are zeros.
"""

import re
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from recollect.inference.endpoint import JsonEndpoint, Reply
from recollect.inference.vectors import is_matryoshka, normalise_rows, shorten
from recollect.vocabulary.arguments import repaired_text
from recollect.vocabulary.errors import (
    EmbedderFailed,
    EmbedderUnavailable,
    InferenceError,
    InvalidSetting,
)

BATCH_TEXTS: Final = 128
BATCH_CHARACTERS: Final = 400_000
MAX_CHARACTERS: Final = 24_000  # of one text; about 8,000 tokens of code, the limit of most models
SHORTEST_CUT: Final = 500
_PROBE: Final = "recollect"
_ABOUT_DIMENSIONS: Final = re.compile(rb"dimension|matryoshka", re.IGNORECASE)
_ABOUT_LENGTH: Final = re.compile(
    rb"too (?:long|large|many tokens)|maximum|context.{0,3}(?:length|size)|exceed", re.IGNORECASE
)


class OpenAICompatibleEmbedder:
    """A remote model. It may be slow, paid or down, so it is never used in a write."""

    local = False

    def __init__(
        self,
        *,
        provider: str,
        model: str,
        base_url: str,
        api_key: str | None = None,
        dims: int | None = None,
        timeout_seconds: float = 30.0,
        attempts: int = 4,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        if not model.strip():
            raise InvalidSetting("An embedding server needs the name of a model.")
        self._endpoint = JsonEndpoint(
            base_url,
            api_key=api_key,
            timeout_seconds=timeout_seconds,
            attempts=attempts,
            sleep=sleep,
        )
        self._model = model.strip()
        self.paid = bool(api_key)  # a service with a key charges money
        self._wanted_dims = dims
        self._asks_for_dims = dims is not None
        self.matryoshka = is_matryoshka(self._model)
        self._dims = dims if self.matryoshka else None
        self.model_id = f"{provider}/{self._model}" + (f"@{dims}" if dims else "")

    @property
    def dims(self) -> int:
        """Known at once for a Matryoshka model of a configured size; otherwise one word is
        embedded.
        """
        if self._dims is None:
            self._embed_batch([_PROBE])
        if self._dims is None:
            raise EmbedderFailed(f"{self._endpoint.address} gave no vector.")
        return self._dims

    def describe(self) -> str:
        dims = "dimensions not known yet" if self._dims is None else f"{self._dims} dimensions"
        return f"{self.model_id}, {dims}, at {self._endpoint.address}"

    def close(self) -> None:
        """Close the connections; the next text opens new ones."""
        self._endpoint.close()

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        sent = [place for place, text in enumerate(texts) if text.strip()]
        cut = [repaired_text(texts[place][:MAX_CHARACTERS]) for place in sent]
        rows = [self._embed_batch(batch) for batch in _batches(cut)]
        vectors = np.zeros((len(texts), self.dims), np.float32)
        if rows:
            vectors[sent] = np.concatenate(rows)
        return vectors

    def _embed_batch(self, batch: list[str]) -> NDArray[np.float32]:
        """One request, retried without parameters that the server does not accept."""
        reply = self._endpoint.post("/embeddings", self._request(batch))
        if reply.good:
            return self._fitted(self._vectors(reply, len(batch)))
        if reply.status not in {400, 413, 422}:
            raise self._refusal(reply)
        if self._asks_for_dims and _ABOUT_DIMENSIONS.search(reply.body):
            self._asks_for_dims = False
            return self._embed_batch(batch)
        if reply.status != 413 and not _ABOUT_LENGTH.search(reply.body):
            raise self._refusal(reply)
        return self._embed_smaller(batch, reply)

    def _embed_smaller(self, batch: list[str], reply: Reply) -> NDArray[np.float32]:
        """A batch in two halves; a single text cut to half. Only a text that is too long is cut."""
        if len(batch) > 1:
            middle = len(batch) // 2
            halves = (self._embed_batch(batch[:middle]), self._embed_batch(batch[middle:]))
            return np.concatenate(halves)
        if len(batch[0]) <= SHORTEST_CUT:
            raise self._refusal(reply)
        return self._embed_batch([batch[0][: len(batch[0]) // 2]])

    def _request(self, batch: list[str]) -> dict[str, object]:
        request: dict[str, object] = {
            "model": self._model,
            "input": batch,
            "encoding_format": "float",
        }
        if self._asks_for_dims:
            request["dimensions"] = self._wanted_dims
        return request

    def _refusal(self, reply: Reply) -> InferenceError:
        """The error of a refusal: 401, 403 and 404 are permanent; the rest may pass."""
        said = f"{self._endpoint.address} answered {reply.status}: {self._endpoint.quoted(reply)}"
        if reply.status in {401, 403}:
            return EmbedderUnavailable(said, hint="Check the key.")
        if reply.status == 404:
            return EmbedderUnavailable(said, hint="Check the address and the name of the model.")
        return EmbedderFailed(said)

    def _vectors(self, reply: Reply, count: int) -> NDArray[np.float32]:
        try:
            return normalise_rows(_vectors_in(reply, count))
        except ValueError as error:
            raise EmbedderFailed(
                f"{self._endpoint.address} gave an answer that cannot be used: {error}."
            ) from error

    def _fitted(self, vectors: NDArray[np.float32]) -> NDArray[np.float32]:
        """The vectors at the configured length, or the first length that was seen."""
        wanted, given = self._wanted_dims, vectors.shape[1]
        if self.matryoshka and wanted is not None and given > wanted:
            return shorten(vectors, wanted)
        if self.matryoshka and wanted is not None and given < wanted:
            raise EmbedderUnavailable(
                f"{self.model_id} gives only {given} dimensions.", hint="Ask for no more than that."
            )
        self._dims = self._dims or given
        if given != self._dims:
            raise EmbedderFailed(
                f"{self.model_id} gave {given} dimensions where it had given {self._dims}."
            )
        return vectors


def _batches(texts: list[str]) -> Iterator[list[str]]:
    """Texts in batches small enough for any server."""
    batch: list[str] = []
    characters = 0
    for text in texts:
        if len(batch) == BATCH_TEXTS or (batch and characters + len(text) > BATCH_CHARACTERS):
            yield batch
            batch, characters = [], 0
        batch.append(text)
        characters += len(text)
    if batch:
        yield batch


def _vectors_in(reply: Reply, count: int) -> NDArray[np.float64]:
    """The vectors of an answer of the shape {"data": [{"index": 0, "embedding": [...]}, ...]}.

    The result has one row of finite numbers for each text, in the order of the texts. Otherwise a
    ValueError says in plain words what is wrong, ready to follow a colon.
    """
    rows = [_numbers(item) for item in _in_order(_items(reply), count)]
    if len({len(row) for row in rows}) != 1:
        raise ValueError("its embeddings differ in length")
    try:
        vectors = np.asarray(rows, dtype=np.float64)
    except OverflowError:
        raise ValueError("it holds numbers too large to use") from None
    with np.errstate(over="ignore", invalid="ignore"):
        lengths = np.linalg.norm(vectors, axis=1)
    if not np.isfinite(lengths).all():
        raise ValueError("it holds numbers that are not finite")
    return vectors


def _items(reply: Reply) -> list[dict[str, Any]]:
    try:
        answer = reply.json()
    except ValueError:
        raise ValueError("it is not JSON") from None
    items = answer.get("data") if isinstance(answer, dict) else None
    if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
        raise ValueError("there is no list of embeddings in it")
    return items


def _in_order(items: list[dict[str, Any]], count: int) -> list[dict[str, Any]]:
    """The items by their index; if a server omits all indexes, its order is trusted."""
    if len(items) != count:
        raise ValueError(f"it has {len(items)} embeddings for {count} texts")
    if all("index" not in item for item in items):
        return items
    placed = {item.get("index"): item for item in items if type(item.get("index")) is int}
    if set(placed) != set(range(count)):
        raise ValueError("its embeddings do not say which text they belong to")
    return [placed[place] for place in range(count)]


def _numbers(item: dict[str, Any]) -> list[float]:
    numbers = item.get("embedding")
    if not isinstance(numbers, list) or not numbers or not set(map(type, numbers)) <= {float, int}:
        raise ValueError("an embedding is not a list of numbers")
    return numbers
