"""Chooses the embedder: the configured provider, or the best available.

Invariant: a named provider is used or refused, never silently replaced; and nothing uses the
network unless an address, a key or `probe` was set.

"auto" takes the first of: qwen3-embedding 8b (on more than 32 GB), 4b, 0.6b through Ollama, if an
Ollama server is configured or probed for, answers at once and lists one; an OpenAI-compatible
server, if a key or an address is configured; the static weights. Because a server that is down at
the start makes "auto" choose another model, and another model means embedding everything again,
name the provider once you have settled on one.
"""

import os
from collections.abc import Callable
from typing import Final

from recollect.inference.embedder import Embedder, EmbedderChoice
from recollect.inference.static_embedder import DIMS, MODEL, StaticEmbedder
from recollect.vocabulary.errors import EmbedderUnavailable, InferenceError, InvalidSetting

OLLAMA_URL: Final = "http://127.0.0.1:11434"
OLLAMA_SECONDS: Final = 0.3
OPENAI_URL: Final = "https://api.openai.com/v1"
OPENAI_MODEL: Final = "text-embedding-3-small"
COMMON_DIMS: Final = 1_024
LARGE_MEMORY: Final = 32 << 30
_LARGE: Final = ("qwen3-embedding:8b", "qwen3-embedding:latest")
_ORDINARY: Final = ("qwen3-embedding:4b", "qwen3-embedding:0.6b")
_ONE_SIZE: Final = ("text-embedding-3", "qwen3-embedding")

MemoryOf = Callable[[], int | None]


def total_memory() -> int | None:
    """The bytes of memory in this machine, or None if the system does not say."""
    if not hasattr(os, "sysconf"):
        return None
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (ValueError, OSError):
        return None


def choose_embedder(
    choice: EmbedderChoice, *, memory_of: MemoryOf = total_memory
) -> Embedder | None:
    """The embedder of this choice; None for "none", where search uses keywords alone."""
    match choice.provider:
        case "none":
            return None
        case "static":
            return _static(choice)
        case "fastembed":
            from recollect.inference.fastembed_local import DEFAULT_MODEL, FastEmbedEmbedder

            return FastEmbedEmbedder(choice.model or DEFAULT_MODEL)
        case "onnx":
            from recollect.inference.onnx_local import OnnxEmbedder

            if not choice.model:
                raise EmbedderUnavailable(
                    "The ONNX embedder needs the folder of its model.",
                    hint="Set embedder_model to a folder with model.onnx and tokenizer.json.",
                )
            return OnnxEmbedder(choice.model)
        case "openai":
            return _openai(choice)
        case "ollama":
            return _ollama(choice, memory_of)
        case "auto":
            return _automatic(choice, memory_of)


def _automatic(choice: EmbedderChoice, memory_of: MemoryOf) -> Embedder:
    model = _listed_model(choice, memory_of) if choice.ollama_url or choice.probe else None
    if model is not None:
        return _remote(choice, "ollama", model, _ollama_url(choice) + "/v1", keyed=False)
    if choice.api_key or choice.base_url:
        return _openai(choice)
    if choice.model not in {None, MODEL}:
        raise EmbedderUnavailable(
            f"Nothing that is configured has the embedding model {choice.model}.",
            hint="Name the provider, and set its address or key.",
        )
    return StaticEmbedder()


def _static(choice: EmbedderChoice) -> Embedder:
    if choice.model not in {None, MODEL} or choice.dims not in {None, DIMS}:
        raise InvalidSetting(f"The static embedder has one model, {MODEL}, of {DIMS} dimensions.")
    return StaticEmbedder()


def _openai(choice: EmbedderChoice) -> Embedder:
    if not choice.api_key and not choice.base_url:
        raise EmbedderUnavailable(
            "Embedding with OpenAI needs a key.",
            hint="Set the key, or the address of a server that needs none.",
        )
    return _remote(choice, "openai", choice.model or OPENAI_MODEL, choice.base_url or OPENAI_URL)


def _ollama(choice: EmbedderChoice, memory_of: MemoryOf) -> Embedder:
    model = choice.model or _listed_model(choice, memory_of)
    if model is None:
        raise EmbedderUnavailable(
            f"Ollama at {_ollama_url(choice)} does not answer or has no qwen3-embedding.",
            hint="ollama pull qwen3-embedding:4b",
        )
    return _remote(choice, "ollama", model, _ollama_url(choice) + "/v1")


def _remote(
    choice: EmbedderChoice, provider: str, model: str, base_url: str, *, keyed: bool = True
) -> Embedder:
    known = model.rsplit("/", 1)[-1].lower().startswith(_ONE_SIZE)
    from recollect.inference.openai_embedder import OpenAICompatibleEmbedder

    return OpenAICompatibleEmbedder(
        provider=provider,
        model=model,
        base_url=base_url,
        api_key=choice.api_key if keyed else None,
        dims=choice.dims or (COMMON_DIMS if known else None),
        timeout_seconds=choice.timeout_seconds,
        attempts=choice.attempts,
    )


def _ollama_url(choice: EmbedderChoice) -> str:
    """Ollama's own address, with or without the protocol's path in the setting."""
    configured = choice.base_url if choice.provider == "ollama" else None
    return (choice.ollama_url or configured or OLLAMA_URL).rstrip("/").removesuffix("/v1")


def _listed_model(choice: EmbedderChoice, memory_of: MemoryOf) -> str | None:
    """The best model that an Ollama server has, if one answers quickly."""
    listed = _listed(_ollama_url(choice))
    large = (memory_of() or 0) > LARGE_MEMORY
    order = (*_LARGE, *_ORDINARY) if large else _ORDINARY
    for wanted in order if choice.model is None else (choice.model, f"{choice.model}:latest"):
        for name in listed:
            if name == wanted or name.startswith(f"{wanted}-"):
                return name
    return None


def _listed(url: str) -> list[str]:
    from recollect.inference.endpoint import JsonEndpoint

    endpoint = JsonEndpoint(url, timeout_seconds=OLLAMA_SECONDS, attempts=1)
    try:
        models = endpoint.get("/api/tags").json()["models"]
        return sorted(str(model["name"]) for model in models)
    except (InferenceError, ValueError, KeyError, TypeError):
        return []
    finally:
        endpoint.close()
