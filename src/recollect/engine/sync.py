"""Sync API of one space: sync now, preview what would be sent, resolve conflicts."""

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from recollect.engine.services import View
from recollect.engine.verb_wrappers import repeatable
from recollect.vocabulary.arguments import checked_name, flag
from recollect.vocabulary.errors import InvalidInput, NotFound
from recollect.vocabulary.sync import (
    ContentConflict,
    SyncOptions,
    SyncPreview,
    SyncReport,
    SyncStatus,
)

if TYPE_CHECKING:
    from recollect.vocabulary.memory import Memory


class Sync(View):
    """Sync a space with a server, in both directions."""

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
        """Sync until neither side has anything new; earlier options are remembered."""
        self._services.serving.flush()  # recently served memories count as used
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
        """Exactly what the next sync would send, and what it would hold back and why."""
        return self._services.sync().device.preview(
            self.viewer, self.space, options=_options(personal, left_out, vectors_only, None)
        )

    @repeatable
    def status(self) -> SyncStatus:
        """The peers of the space, and how many changes are waiting."""
        return self._services.sync().device.status(self.viewer, self.space)

    @repeatable
    def conflicts(self) -> tuple[ContentConflict, ...]:
        """Memories whose content was changed in two places, with both contents."""
        return self._services.sync().conflicts.list(self.viewer, self.space)

    def resolve(
        self,
        memory_id: str,
        *,
        keep: str | None = None,
        content: str | None = None,
        both: bool = False,
    ) -> "Memory":
        """Keep one of the contents of a memory, by its version, or write another.

        With ``both`` the one that is shown stays, and each other becomes a memory of its own.
        """
        wanted = self._services.reader.complete_id(self.viewer, self.space, memory_id)
        if flag(both, "both"):
            if keep is not None or content is not None:
                raise InvalidInput("Keep one content, or both; not one and both.")
            keep = self._split_conflict(wanted)
        return self._services.sync().conflicts.resolve(
            self.viewer, self.space, wanted, keep=keep, content=content
        )

    def _split_conflict(self, memory_id: str) -> str:
        """Create memories from the contents that are not shown; the version of the one that is."""
        from recollect.memories.drafts import Draft
        from recollect.memories.write_policy import AS_IT_IS

        conflict = next((one for one in self.conflicts() if one.memory_id == memory_id), None)
        if conflict is None:
            raise NotFound(f"{memory_id} has no conflict.")
        shown, *others = conflict.versions
        memory = self._services.reader.get(self.viewer, self.space, memory_id)
        for other in others:
            draft = Draft(
                other.content,
                type=memory.type,
                visibility=memory.audience.visibility,
                team=memory.audience.team,
                organisation=memory.audience.organisation,
                stream=memory.audience.stream,
                tags=memory.tags,
                files=memory.files,
                modules=memory.modules,
            )
            self._services.write_path.create(self.viewer, self.space, draft, AS_IT_IS)
        return shown.version

    def exchange(self, document: Any) -> dict[str, Any]:
        """Server side: take a page of changes from a device and answer with one."""
        return self._services.sync().server.exchange(self.viewer, self.space, document)


def _options(
    personal: bool | None,
    left_out: Iterable[str] | None,
    vectors_only: bool | None,
    insecure: bool | None,
) -> SyncOptions | None:
    """The given options for what may be sent; None if none were given."""
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
