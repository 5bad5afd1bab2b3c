"""The verbs of rights over what is kept: a person's own data, and a space's life."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from recollect.engine.services import View
from recollect.vocabulary.errors import InvalidInput
from recollect.vocabulary.numbers import shown
from recollect.vocabulary.spaces import Space

if TYPE_CHECKING:
    from recollect.vocabulary.rights import PersonDeleted, PersonSummary


class Rights(View):
    """``memory.rights``: export and delete everything of a person; rename, archive, delete a
    space, and say how long it keeps things."""

    # --- a person ---------------------------------------------------------------------------------

    def summary(self, user: str | None = None) -> "PersonSummary":
        """What the store holds of a person (the viewer), counted by space and table."""
        return self._services.people().person_data.summary(self.viewer, user)

    def export_person(self, format: str = "json", *, user: str | None = None) -> Iterator[str]:
        """Everything of a person across spaces, as pieces of JSON or Markdown text."""
        return self._services.people().person_data.export(self.viewer, user, format)

    def delete_person(self, user: str, *, confirm: str) -> "PersonDeleted":
        """Delete everything of a person, for good, in every space; ``confirm`` repeats the name."""
        if confirm != user:
            raise InvalidInput(
                f"Repeat the name {shown(user)} to delete everything of it. Nothing was deleted."
            )
        return self._services.people().person_data.delete(self.viewer, user)

    # --- a space ----------------------------------------------------------------------------------

    def rename_space(self, name: str) -> Space:
        """Give this space another name. Owners may."""
        return self._services.spaces.rename(self.viewer, self.space, name)

    def archive_space(self) -> Space:
        """Close this space without losing anything. Owners may."""
        return self._services.spaces.archive(self.viewer, self.space)

    def archived_spaces(self) -> tuple[Space, ...]:
        """The viewer's spaces that were archived."""
        return tuple(self._services.spaces.of(self.viewer, archived=True))

    def restore_space(self, name: str) -> Space:
        """Open an archived space again. Its owners may."""
        return self._services.spaces.reopen(self.viewer, name)

    def delete_space(self, *, confirm: str) -> str:
        """Delete this space with all that is in it, for good; where a trace is left, in words.

        ``confirm`` repeats its name. Owners may.
        """
        if confirm != self.space.name:
            raise InvalidInput(
                f"Repeat the name {self.space.name!r} to delete the space. Nothing was deleted."
            )
        return self._services.spaces.delete(self.viewer, self.space)

    def set_retention(self, days: int | None) -> Space:
        """Say after how many days things are deleted at night; None keeps all. Owners may."""
        return self._services.spaces.set_retention(self.viewer, self.space, days)
