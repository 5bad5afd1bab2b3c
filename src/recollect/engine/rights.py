"""Data rights API: a person's own data, and the lifecycle of a space."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from recollect.engine.services import View
from recollect.vocabulary.arguments import shown
from recollect.vocabulary.errors import InvalidInput
from recollect.vocabulary.spaces import Space

if TYPE_CHECKING:
    from recollect.vocabulary.rights import PersonDeleted, PersonSummary


class Rights(View):
    """``memory.rights``: a person's data (export, delete), and the lifecycle of a space.

    A space can be renamed, archived, restored, deleted, and given a retention.
    """

    # --- a person ---------------------------------------------------------------------------------

    def summary(self, user: str | None = None) -> "PersonSummary":
        """Summary of a person's data in the store (the viewer's), counted by space and table."""
        return self._services.people().person_data.summary(self.viewer, user)

    def export_person(self, format: str = "json", *, user: str | None = None) -> Iterator[str]:
        """Everything of a person across spaces, as pieces of JSON or Markdown text."""
        return self._services.people().person_data.export(self.viewer, user, format)

    def delete_person(self, user: str, *, confirm: str) -> "PersonDeleted":
        """Delete everything of a person permanently, everywhere; ``confirm`` repeats the name."""
        if confirm != user:
            raise InvalidInput(
                f"Repeat the name {shown(user)} to delete everything of it. Nothing was deleted."
            )
        return self._services.people().person_data.delete(self.viewer, user)

    # --- a space ----------------------------------------------------------------------------------

    def rename_space(self, name: str) -> Space:
        """Rename this space. For owners."""
        return self._services.spaces.rename(self.viewer, self.space, name)

    def archive_space(self) -> Space:
        """Archive this space without losing anything. For owners."""
        return self._services.spaces.archive(self.viewer, self.space)

    def archived_spaces(self) -> tuple[Space, ...]:
        """The viewer's archived spaces."""
        return tuple(self._services.spaces.of(self.viewer, archived=True))

    def restore_space(self, name: str) -> Space:
        """Restore an archived space. For its owners."""
        return self._services.spaces.reopen(self.viewer, name)

    def delete_space(self, *, confirm: str) -> str:
        """Delete this space with all its data permanently; returns where traces remain, in words.

        ``confirm`` repeats its name. For owners.
        """
        if confirm != self.space.name:
            raise InvalidInput(
                f"Repeat the name {self.space.name!r} to delete the space. Nothing was deleted."
            )
        return self._services.spaces.delete(self.viewer, self.space)

    def set_retention(self, days: int | None) -> Space:
        """Set after how many days data is deleted at night; None keeps all. For owners."""
        return self._services.spaces.set_retention(self.viewer, self.space, days)
