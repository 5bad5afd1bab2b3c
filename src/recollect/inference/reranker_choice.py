"""Chooses the reranker: the configured one, or none. Nothing is contacted before it is used."""

from recollect.inference.reranker import Reranker, RerankerChoice


def choose_reranker(choice: RerankerChoice) -> Reranker | None:
    """The reranker of this choice; None for "none", where signals alone decide."""
    if choice.provider == "none":
        return None
    from recollect.inference.reranker_timeout import TimeoutReranker

    return TimeoutReranker(_named(choice), choice.timeout_seconds)


def _named(choice: RerankerChoice) -> Reranker:
    if choice.provider == "fastembed":
        from recollect.inference.fastembed_reranker import DEFAULT_MODEL, FastEmbedReranker

        return FastEmbedReranker(choice.model or DEFAULT_MODEL)
    if choice.provider == "ollama":
        from recollect.inference.ollama_reranker import OllamaReranker

        return OllamaReranker(
            choice.model,
            base_url=choice.base_url,
            api_key=choice.api_key,
            timeout_seconds=choice.timeout_seconds,
        )
    from recollect.inference.rerank_endpoint import EndpointReranker

    return EndpointReranker(
        choice.provider,
        base_url=choice.base_url,
        model=choice.model,
        api_key=choice.api_key,
        timeout_seconds=choice.timeout_seconds,
    )
