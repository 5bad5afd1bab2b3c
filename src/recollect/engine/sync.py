"""Sync as verbs of one space: exchange now, look at what would leave, decide conflicts."""

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from recollect.engine.services import View
from recollect.engine.verb_wrappers import repeatable
from recollect.vocabulary.errors import InvalidInput
from recollect.vocabulary.numbers import flag
from recollect.vocabulary.sync import (
    ContentConflict,
    SyncOptions,
    SyncPreview,
    SyncReport,
    SyncStatus,
)
from recollect.vocabulary.text import checked_name

if TYPE_CHECKING:
    from recollect.vocabulary.memory import Memory


class Sync(View):
    """Exchange a space with a server, in both directions."""

    def now(
        self,
        address: str | None = None,
        *,
        token: str,
        remote_space: str | None = None,
        personal: bool | None = None,
        left_out: Iterable[str] | None = None,
        vectors_only: bool | None = None,
        insecure: bool | None = None,
        progress: Callable[[int, int], None] | None = None,
    ) -> SyncReport:
        """Exchange until neither side has anything new; what was said once need not be again."""
        self._services.serving.flush()  # what was served a moment ago counts as used
        return self._services.sync().device.sync(
            self.viewer,
            self.space,
            address,
            token,
            options=_options(personal, left_out, vectors_only, insecure),
            remote_space=remote_space,
            progress=progress,
        )

    def preview(
        self,
        *,
        personal: bool | None = None,
        left_out: Iterable[str] | None = None,
        vectors_only: bool | None = None,
    ) -> SyncPreview:
        """Exactly what the next exchange would send, and what would stay and why."""
        return self._services.sync().device.preview(
            self.viewer, self.space, options=_options(personal, left_out, vectors_only, None)
        )

    @repeatable
    def status(self) -> SyncStatus:
        """With whom the space is exchanged, and what waits."""
        return self._services.sync().device.status(self.viewer, self.space)

    @repeatable
    def conflicts(self) -> tuple[ContentConflict, ...]:
        """Memories whose content was changed in two places, with both contents."""
        return self._services.sync().conflicts.list(self.viewer, self.space)

    def resolve(
        self, memory_id: str, *, keep: str | None = None, content: str | None = None
    ) -> "Memory":
        """Keep one of the contents of a memory, by its version, or write another instead."""
        wanted = self._services.reader.complete_id(self.viewer, self.space, memory_id)
        return self._services.sync().conflicts.resolve(
            self.viewer, self.space, wanted, keep=keep, content=content
        )

    def exchange(self, document: Any) -> dict[str, Any]:
        """The server's part: take a page of changes from a device and answer with one."""
        return self._services.sync().server.exchange(self.viewer, self.space, document)


def _options(
    personal: bool | None,
    left_out: Iterable[str] | None,
    vectors_only: bool | None,
    insecure: bool | None,
) -> SyncOptions | None:
    """What was said about what may leave; None when nothing was."""
    if personal is None and left_out is None and vectors_only is None and insecure is None:
        return None
    if isinstance(left_out, str):
        raise InvalidInput("Give what is left out as a list of names.")
    return SyncOptions(
        personal=flag(bool(personal), "personal"),
        left_out=tuple(sorted({checked_name(name, "name") for name in left_out or ()})),
        vectors_only=flag(bool(vectors_only), "vectors_only"),
        insecure=flag(bool(insecure), "insecure"),
    )
