"""Converts settings into the configurations of embedder, reranker and chat model."""

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Final, cast

from recollect.inference.embedder import EmbedderChoice, Provider
from recollect.inference.reranker import RerankerChoice, RerankProvider
from recollect.settings import Value
from recollect.vocabulary.errors import InvalidSetting

if TYPE_CHECKING:
    from recollect.inference.chat_model import ChatModel

#: Seconds that a question waits for a remote embedder before it is answered by keywords alone.
QUESTION_SECONDS: Final = 3.0


def choice_of(values: Mapping[str, Value]) -> EmbedderChoice:
    """The embedder that is configured."""
    return EmbedderChoice(
        provider=cast("Provider", values["embedder"].text),
        model=values["embedder_model"].text or None,
        base_url=values["embedder_url"].text or None,
        api_key=values["embedder_key"].text or None,
        dims=whole(values["embedder_dims"]),
        timeout_seconds=number(values["embedder_timeout"]),
        ollama_url=values["ollama_url"].text or None,
    )


def reranker_of(values: Mapping[str, Value]) -> RerankerChoice:
    """The reranker that is configured."""
    return RerankerChoice(
        provider=cast("RerankProvider", values["reranker"].text),
        model=values["reranker_model"].text or None,
        base_url=values["reranker_url"].text or None,
        api_key=values["reranker_key"].text or None,
        timeout_seconds=number(values["reranker_timeout"]),
    )


def model_of(values: Mapping[str, Value]) -> "ChatModel | None":
    """The language model that is configured; nothing is loaded if there is none."""
    timeout, prices = number(values["model_timeout"]), _prices(values["model_prices"])
    if values["model"].text == "none":
        return None
    from recollect.inference.chat_model import ModelChoice, choose_model

    return choose_model(
        ModelChoice(
            provider=values["model"].text,
            model=values["model_name"].text or None,
            base_url=values["model_url"].text or None,
            api_key=values["model_key"].text or None,
            timeout_seconds=timeout,
            prices=prices,
        )
    )


def _prices(value: Value) -> tuple[float, float]:
    """Two numbers separated by a slash; zero if not set."""
    if not value.text:
        return 0.0, 0.0
    inward, _, outward = value.text.partition("/")
    try:
        return float(inward), float(outward or inward)
    except ValueError:
        raise InvalidSetting(
            f"{value.setting.name} is two numbers like 15/60, not {value.text!r}."
        ) from None


def chat_weights(value: Value) -> tuple[float, float, float]:
    """Three weights separated by slashes; none is negative and one at least counts."""
    try:
        relevance, recency, importance = (float(part) for part in value.text.split("/"))
    except ValueError:
        relevance = recency = importance = -1.0
    found = (relevance, recency, importance)
    if not (min(found) >= 0 and 0 < sum(found) < math.inf):
        raise InvalidSetting(
            f"{value.setting.name} is three numbers like 0.9/0.05/0.05, not {value.text!r}."
        )
    return found


def for_questions(choice: EmbedderChoice) -> EmbedderChoice:
    """The same embedder with one attempt and a short timeout, because somebody waits."""
    return replace(
        choice, attempts=1, timeout_seconds=min(choice.timeout_seconds, QUESTION_SECONDS)
    )


def switch(value: Value) -> bool:
    """An on/off setting."""
    if value.text not in {"on", "off"}:
        raise InvalidSetting(f"{value.setting.name} is on or off, not {value.text!r}.")
    return value.text == "on"


#: Valid values of the setting ``switched_off``.
CAPABILITIES: Final = frozenset(
    {"memos", "knowledge", "experts", "gaps", "suggestions", "related", "research"}
)


def capabilities(value: Value) -> frozenset[str]:
    """The capabilities that a setting names."""
    named = frozenset(one.strip() for one in value.text.split(",") if one.strip())
    unknown = sorted(named - CAPABILITIES)
    if unknown:
        raise InvalidSetting(
            f"There is no capability {unknown[0]!r} to switch off.",
            hint=f"There are: {', '.join(sorted(CAPABILITIES))}.",
        )
    return named


def whole(value: Value) -> int | None:
    """An integer, if set."""
    if not value.text:
        return None
    if not value.text.isdigit():
        raise InvalidSetting(f"{value.setting.name} is a whole number, not {value.text!r}.")
    return int(value.text)


def number(value: Value) -> float:
    """A number."""
    try:
        return float(value.text)
    except ValueError:
        raise InvalidSetting(f"{value.setting.name} is a number, not {value.text!r}.") from None
