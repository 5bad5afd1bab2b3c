"""Language models over HTTP: any OpenAI-compatible server, and Anthropic's.

Invariant: an answer is text with its token counts, or ``InferenceError``; nothing else is raised,
and no attempt outlasts its timeout. A server that does not support JSON mode is asked without it.
"""

import re
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final, Protocol

from recollect.inference.endpoint import JsonEndpoint, Reply
from recollect.vocabulary.errors import InvalidSetting, ModelFailed

MODEL_PROVIDERS: Final = ("none", "openai", "ollama", "anthropic")
OPENAI_URL: Final = "https://api.openai.com/v1"
OLLAMA_URL: Final = "http://127.0.0.1:11434/v1"
ANTHROPIC_URL: Final = "https://api.anthropic.com/v1"
ANTHROPIC_VERSION: Final = "2023-06-01"
_ABOUT_FORMAT: Final = re.compile(rb"response_format|json_object|json mode", re.IGNORECASE)
_ABOUT_LENGTH: Final = re.compile(rb"max_tokens|max_completion_tokens", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class ModelAnswer:
    """A model's answer, and the number of tokens in and out."""

    text: str
    input_tokens: int = 0
    output_tokens: int = 0


class ChatModel(Protocol):
    """Interface of a model that answers a prompt."""

    @property
    def name(self) -> str:
        """The model's name, for the record of costs."""
        ...

    def answer(self, system: str, prompt: str, *, tokens: int) -> ModelAnswer:
        """One answer of at most ``tokens`` tokens."""
        ...

    def cents(self, answer: ModelAnswer) -> float:
        """The cost of an answer, in cents."""
        ...


@dataclass(frozen=True, slots=True)
class ModelChoice:
    """The configured model. Building one needs no network."""

    provider: str = "none"
    model: str | None = None
    base_url: str | None = None
    api_key: str | None = field(default=None, repr=False)
    timeout_seconds: float = 30.0
    attempts: int = 3
    prices: tuple[float, float] = (0.0, 0.0)  # cents per million tokens, in and out


class _Model:
    """Shared by both kinds: an endpoint, a name, a price."""

    def __init__(self, choice: ModelChoice, endpoint: JsonEndpoint, name: str) -> None:
        self._endpoint = endpoint
        self._prices = choice.prices
        self.name = name

    def cents(self, answer: ModelAnswer) -> float:
        """By the configured prices; zero if none are set."""
        inward, outward = self._prices
        return (answer.input_tokens * inward + answer.output_tokens * outward) / 1_000_000

    def close(self) -> None:
        """Close the connections."""
        self._endpoint.close()

    def _refusal(self, reply: Reply) -> ModelFailed:
        said = f"{self._endpoint.address} answered {reply.status}: {self._endpoint.quoted(reply)}"
        return ModelFailed(said, hint="Check the key." if reply.status in {401, 403} else None)

    def _unusable(self, why: str) -> ModelFailed:
        return ModelFailed(f"{self._endpoint.address} gave an answer that cannot be used: {why}.")


class OpenAIChat(_Model):
    """OpenAI, Ollama, vLLM, OpenRouter and other servers with that protocol."""

    def __init__(self, choice: ModelChoice, *, sleep: Callable[[float], None] = time.sleep) -> None:
        address = choice.base_url or (OLLAMA_URL if choice.provider == "ollama" else OPENAI_URL)
        endpoint = JsonEndpoint(
            address,
            api_key=choice.api_key,
            timeout_seconds=choice.timeout_seconds,
            attempts=choice.attempts,
            sleep=sleep,
        )
        super().__init__(choice, endpoint, _named(choice))
        self._wants_json = True
        self._length_name = "max_tokens"

    def answer(self, system: str, prompt: str, *, tokens: int) -> ModelAnswer:
        """One answer; retried without parameters that the server does not accept."""
        for _ in range(3):
            reply = self._endpoint.post("/chat/completions", self._request(system, prompt, tokens))
            if reply.good:
                return self._read(reply)
            if reply.status not in {400, 404, 422} or not self._adapts_to_refusal(reply):
                raise self._refusal(reply)
        raise self._refusal(reply)

    def _request(self, system: str, prompt: str, tokens: int) -> dict[str, Any]:
        request: dict[str, Any] = {
            "model": self.name,
            "messages": [
                {"role": "system", "content": system},
                {"role": "user", "content": prompt},
            ],
            "temperature": 0,
            self._length_name: tokens,
        }
        if self._wants_json:
            request["response_format"] = {"type": "json_object"}
        return request

    def _adapts_to_refusal(self, reply: Reply) -> bool:
        if self._wants_json and _ABOUT_FORMAT.search(reply.body):
            self._wants_json = False
            return True
        if self._length_name == "max_tokens" and _ABOUT_LENGTH.search(reply.body):
            self._length_name = "max_completion_tokens"
            return True
        return False

    def _read(self, reply: Reply) -> ModelAnswer:
        try:
            answer_document = reply.json()
            content = answer_document["choices"][0]["message"]["content"]
            usage = answer_document.get("usage") or {}
        except (ValueError, KeyError, IndexError, TypeError, AttributeError) as error:
            raise self._unusable("it is not an answer of that protocol") from error
        if not isinstance(content, str) or not content.strip():
            raise self._unusable("it says nothing")
        return ModelAnswer(
            content, _count(usage, "prompt_tokens"), _count(usage, "completion_tokens")
        )


class AnthropicChat(_Model):
    """Anthropic's messages."""

    def __init__(self, choice: ModelChoice, *, sleep: Callable[[float], None] = time.sleep) -> None:
        endpoint = JsonEndpoint(
            choice.base_url or ANTHROPIC_URL,
            api_key=choice.api_key,
            key_header="x-api-key",
            headers={"anthropic-version": ANTHROPIC_VERSION},
            timeout_seconds=choice.timeout_seconds,
            attempts=choice.attempts,
            sleep=sleep,
        )
        super().__init__(choice, endpoint, _named(choice))

    def answer(self, system: str, prompt: str, *, tokens: int) -> ModelAnswer:
        """One answer."""
        request = {
            "model": self.name,
            "max_tokens": tokens,
            "temperature": 0,
            "system": system,
            "messages": [{"role": "user", "content": prompt}],
        }
        reply = self._endpoint.post("/messages", request)
        if not reply.good:
            raise self._refusal(reply)
        try:
            answer_document = reply.json()
            parts = [
                part["text"] for part in answer_document["content"] if part.get("type") == "text"
            ]
            usage = answer_document.get("usage") or {}
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise self._unusable("it is not an answer of that protocol") from error
        said = "".join(part for part in parts if isinstance(part, str))
        if not said.strip():
            raise self._unusable("it says nothing")
        return ModelAnswer(said, _count(usage, "input_tokens"), _count(usage, "output_tokens"))


def choose_model(choice: ModelChoice) -> ChatModel | None:
    """The model of this choice; None if there is none, and local answers are used."""
    if choice.provider not in MODEL_PROVIDERS:
        raise InvalidSetting(
            f"There is no model provider {choice.provider!r}.",
            hint=f"Choose one of {', '.join(MODEL_PROVIDERS)}.",
        )
    if choice.provider == "none":
        return None
    return AnthropicChat(choice) if choice.provider == "anthropic" else OpenAIChat(choice)


def _named(choice: ModelChoice) -> str:
    name = (choice.model or "").strip()
    if not name:
        raise InvalidSetting("A model server needs the name of a model.", hint="Set model_name.")
    return name


def _count(usage: Any, name: str) -> int:
    found = usage.get(name) if isinstance(usage, dict) else None
    return found if isinstance(found, int) and found >= 0 else 0
