"""Reranking with a model run by Ollama: each text is judged by one word, yes or no.

Ollama has no rerank API, so a model made for it (Qwen3-Reranker) is asked whether a text answers
the question. The score is the probability of yes against no, if the server returns probabilities,
otherwise the word alone, with the earlier order as the tie-breaker.
"""

import math
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final

from recollect.inference.endpoint import JsonEndpoint
from recollect.inference.reranker import MAX_CHARACTERS, checked_scores
from recollect.vocabulary.arguments import repaired_text
from recollect.vocabulary.errors import EmbedderFailed, RerankerFailed, RerankerUnavailable

DEFAULT_MODEL: Final = "dengcao/Qwen3-Reranker-0.6B"
DEFAULT_URL: Final = "http://127.0.0.1:11434"
_PATH: Final = "/api/generate"
_AT_ONCE: Final = 4
#: Weight of the earlier order if the server returns no probabilities.
_ORDER: Final = 0.02
_SYSTEM: Final = (
    "Judge whether the Document meets the requirements based on the Query and the Instruct "
    'provided. Note that the answer can only be "yes" or "no".'
)
_INSTRUCT: Final = "Given a question, find notes and turns of conversations that answer it"


class OllamaReranker:
    """A model on an Ollama server, asked about a few texts at a time."""

    def __init__(
        self,
        model: str | None = None,
        *,
        base_url: str | None = None,
        api_key: str | None = None,
        timeout_seconds: float = 2.0,
    ) -> None:
        self._model = (model or DEFAULT_MODEL).strip()
        address = (base_url or DEFAULT_URL).strip().rstrip("/").removesuffix("/v1")
        self._endpoint = JsonEndpoint(
            address.removesuffix(_PATH),
            api_key=api_key,
            timeout_seconds=timeout_seconds,
            attempts=1,
            server="reranking server",
        )
        self.model_id = f"ollama/{self._model}"

    def rerank(self, query: str, texts: Sequence[str]) -> list[float]:
        """One request per text, four at a time; the first failure ends it."""
        if not texts:
            return []
        asked = repaired_text(query)[:MAX_CHARACTERS]
        with ThreadPoolExecutor(_AT_ONCE) as pool:
            answers = list(pool.map(lambda text: self._judged(asked, text), texts))
        scores = [
            score if sure else (1 - _ORDER) * score + _ORDER * (1 - place / len(texts))
            for place, (score, sure) in enumerate(answers)
        ]
        return checked_scores(scores, len(texts), self._endpoint.address)

    def _judged(self, query: str, text: str) -> tuple[float, bool]:
        """How well a text answers, and whether that is a probability and not just a word."""
        document = repaired_text(text[:MAX_CHARACTERS]) or " "
        request = {
            "model": self._model,
            "system": _SYSTEM,
            "prompt": f"<Instruct>: {_INSTRUCT}\n<Query>: {query}\n<Document>: {document}",
            "stream": False,
            "think": False,
            "logprobs": True,
            "top_logprobs": 10,
            "options": {"temperature": 0, "num_predict": 1},
        }
        try:
            reply = self._endpoint.post(_PATH, request)
        except EmbedderFailed as error:
            raise RerankerFailed(error.message) from error
        if not reply.good:
            said = f"{self._endpoint.address} answered {reply.status}"
            said = f"{said}: {self._endpoint.quoted(reply)}"
            if reply.status in {401, 403, 404}:
                raise RerankerUnavailable(said, hint=f"Try: ollama pull {self._model}")
            raise RerankerFailed(said)
        try:
            return _verdict(reply.json())
        except (ValueError, TypeError, KeyError, AttributeError, IndexError) as error:
            raise RerankerFailed(
                f"{self._endpoint.address} gave an answer that cannot be used: {error}."
            ) from error


def _verdict(answer: dict[str, Any]) -> tuple[float, bool]:
    """The probability of yes against no, or the word itself."""
    logprobs = answer.get("logprobs") or []
    if logprobs:
        chances = {"yes": 0.0, "no": 0.0}
        for one in logprobs[0].get("top_logprobs") or [logprobs[0]]:
            word = str(one["token"]).strip().lower()
            if word in chances:
                chances[word] += math.exp(min(float(one["logprob"]), 0.0))
        if sum(chances.values()) > 0:
            return chances["yes"] / sum(chances.values()), True
    word = str(answer["response"]).strip().lower()
    if not word.startswith(("yes", "no")):
        raise ValueError(f"{word[:20]!r} is neither yes nor no")
    return float(word.startswith("yes")), False
