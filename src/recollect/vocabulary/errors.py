"""Every error the engine raises on purpose, in one tree.

A surface turns one of these into one shape: a sentence that says what happened, what was kept and
what to do. Anything else that escapes is a bug.

    RecollectError
    ├── InvalidInput            the caller's value cannot be taken; nothing was changed
    │   ├── InvalidText         empty, too long, or not storable as text
    │   │   └── SecretRefused   it holds a key, a token or a password
    │   ├── InvalidTime         a naive or impossible time
    │   └── InvalidSetting      a setting that does not exist or has no such value
    ├── NotFound                nothing of that id is visible to the caller
    │   ├── SpaceNotFound
    │   ├── StreamNotFound
    │   ├── EventNotFound
    │   ├── MemoryNotFound
    │   ├── JobNotFound
    │   ├── RetrievalNotFound
    │   └── CodeNotIndexed      no code was indexed in this space
    ├── NotAllowed              the caller may see it but may not do this
    │   ├── MemoryOff           the person switched memory off here, or is incognito
    │   ├── RecentlyForgotten   something so near was forgotten within a day
    │   └── Quarantined         it reads like an instruction hidden in content; it was set aside
    ├── TokenRefused            the access token is missing or not valid
    ├── Conflict                somebody changed it first
    ├── StoreError              the database would not do it
    │   ├── StoreBusy           other writers held it for too long
    │   ├── StoreFull           no room on the disk
    │   ├── StoreReadOnly       the file or its folder cannot be written
    │   ├── StoreDamaged        the file is not a sound database
    │   ├── StoreTooNew         a newer program wrote this schema
    │   ├── StoreClosed         the memory was closed before the call
    │   └── StoreUnavailable    it cannot be opened or reached
    │       ├── ConnectionLost  the connection was cut while the server worked on it
    │       └── CommitUnknown   it went away while it committed; the write is there or is not
    ├── InferenceError          an embedder or a model did not answer
    │   ├── EmbedderUnavailable the configured embedder cannot be used at all
    │   ├── EmbedderFailed      it was asked and failed; asking again may help
    │   ├── RerankerUnavailable the configured reranker cannot be used at all
    │   ├── RerankerFailed      it was asked and failed, or was too slow
    │   └── ModelFailed         a language model gave nothing that can be used
    ├── ImportFailed            an import stopped; what was read before is kept
    └── SyncFailed              the other side of a sync cannot be reached, or would not exchange
        └── ProtocolMismatch    it speaks another version of sync
"""


class RecollectError(Exception):
    """Something went wrong in a way the engine understands."""

    code = "error"

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message} {self.hint}" if self.hint else self.message


class InvalidInput(RecollectError):
    """The value cannot be taken. Nothing was changed."""

    code = "invalid_input"


class InvalidText(InvalidInput):
    """The text is empty, too long, or holds characters that cannot be stored."""

    code = "invalid_text"


class SecretRefused(InvalidText):
    """The text holds a key, a token or a password. Nothing was kept."""

    code = "secret_refused"


class InvalidTime(InvalidInput):
    """The time has no zone or lies outside what can be stored."""

    code = "invalid_time"


class InvalidSetting(InvalidInput):
    """There is no such setting, or it cannot have that value."""

    code = "invalid_setting"


class NotFound(RecollectError):
    """Nothing of that id is visible here."""

    code = "not_found"


class SpaceNotFound(NotFound):
    """No space of that name is visible here."""

    code = "space_not_found"


class StreamNotFound(NotFound):
    """No stream of that id is visible here."""

    code = "stream_not_found"


class EventNotFound(NotFound):
    """No event of that id is visible here."""

    code = "event_not_found"


class MemoryNotFound(NotFound):
    """No memory of that id is visible here."""

    code = "memory_not_found"


class JobNotFound(NotFound):
    """No job of that id is in the queue."""

    code = "job_not_found"


class RetrievalNotFound(NotFound):
    """No question of that id is in the viewer's own log."""

    code = "retrieval_not_found"


class CodeNotIndexed(NotFound):
    """No code was indexed in this space."""

    code = "code_not_indexed"


class NotAllowed(RecollectError):
    """You may see this, but you may not do that to it."""

    code = "not_allowed"


class TokenRefused(RecollectError):
    """The access token is missing, unknown, expired, or was revoked."""

    code = "token_refused"


class MemoryOff(NotAllowed):
    """Memory is off here. Nothing was kept, and nothing is recalled."""

    code = "memory_off"


class RecentlyForgotten(NotAllowed):
    """Something so near was forgotten within the last day. Nothing was kept."""

    code = "recently_forgotten"


class Quarantined(NotAllowed):
    """The text reads like an instruction hidden in content. It was set aside, not remembered."""

    code = "quarantined"


class Conflict(RecollectError):
    """Somebody changed it since you read it. Nothing was changed."""

    code = "conflict"


class StoreError(RecollectError):
    """The database would not do it."""

    code = "store_error"


class StoreBusy(StoreError):
    """Other writers held the database for too long. Nothing of this call was written."""

    code = "store_busy"


class StoreFull(StoreError):
    """The disk is full. Nothing of this call was written; what was there before is intact."""

    code = "store_full"


class StoreReadOnly(StoreError):
    """The database cannot be written. Nothing was changed."""

    code = "store_read_only"


class StoreDamaged(StoreError):
    """The file is not a sound database."""

    code = "store_damaged"


class StoreTooNew(StoreError):
    """The database was written by a newer version of Recollect. Nothing was changed."""

    code = "store_too_new"


class StoreClosed(StoreError):
    """The memory was closed before the call. Nothing was done."""

    code = "store_closed"


class StoreUnavailable(StoreError):
    """The database cannot be opened."""

    code = "store_unavailable"


class ConnectionLost(StoreUnavailable):
    """The connection was cut while the server worked on it. Nothing of this call was written."""

    code = "connection_lost"


class CommitUnknown(StoreUnavailable):
    """The server went away before it confirmed the write; whether it was kept is not known."""

    code = "commit_unknown"


class InferenceError(RecollectError):
    """An embedder or a model did not answer."""

    code = "inference_error"


class EmbedderUnavailable(InferenceError):
    """The configured embedder cannot be used."""

    code = "embedder_unavailable"


class EmbedderFailed(InferenceError):
    """The embedder was asked and failed. Asking again may help."""

    code = "embedder_failed"


class RerankerUnavailable(InferenceError):
    """The configured reranker cannot be used."""

    code = "reranker_unavailable"


class RerankerFailed(InferenceError):
    """The reranker was asked and failed. Results come without it."""

    code = "reranker_failed"


class ModelFailed(InferenceError):
    """A language model gave nothing that can be used. The local answer stands in."""

    code = "model_failed"


class ImportFailed(RecollectError):
    """The import stopped. What was read before is kept; start it again to go on."""

    code = "import_failed"


class SyncFailed(RecollectError):
    """The other side cannot be reached or would not exchange. What was exchanged before is kept."""

    code = "sync_failed"


class ProtocolMismatch(SyncFailed):
    """The two sides speak different versions of sync. Nothing was exchanged."""

    code = "protocol_mismatch"
