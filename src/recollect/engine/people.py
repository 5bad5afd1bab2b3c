"""People API: aliases, teams and organisations, onboarding, and shared preferences."""

from recollect.engine.services import View
from recollect.engine.verb_wrappers import repeatable
from recollect.vocabulary.memory import Memory
from recollect.vocabulary.spaces import AliasSuggestion, Group, GroupRole


class People(View):
    """``memory.people``: the members and what they share."""

    def leave(self) -> bool:
        """Leave this space; whether the viewer was a member. Its last owner cannot leave."""
        return self._services.spaces.remove_member(self.viewer, self.space, self.viewer.user)

    @repeatable
    def suggest_aliases(self) -> tuple[AliasSuggestion, ...]:
        """Names on imported events that are probably a member's. Stewards may confirm them."""
        return self._services.aliases.suggest(self.viewer, self.space)

    # --- teams and organisations ------------------------------------------------------------------

    @repeatable
    def groups(self) -> tuple[Group, ...]:
        """The teams and organisations that the viewer is in, each with its members."""
        return self._services.people().groups.of(self.viewer)

    @repeatable
    def group(self, kind: str, name: str) -> Group:
        """One team or organisation of the viewer's."""
        return self._services.people().groups.get(self.viewer, kind, name)

    def found_group(self, kind: str, name: str) -> Group:
        """Found a team or an organisation; the viewer is its owner."""
        return self._services.people().groups.found(self.viewer, kind, name)

    def add_to_group(self, kind: str, name: str, user: str, role: str = GroupRole.MEMBER) -> Group:
        """Add a person to a team or an organisation, or change their role: member, owner."""
        return self._services.people().groups.set_member(self.viewer, kind, name, user, role)

    def remove_from_group(self, kind: str, name: str, user: str) -> Group:
        """Remove a person from a team or an organisation; everyone may leave."""
        return self._services.people().groups.remove_member(self.viewer, kind, name, user)

    def dissolve_group(self, kind: str, name: str) -> None:
        """Delete a team or an organisation; what was shared with it is its authors' again."""
        self._services.people().groups.dissolve(self.viewer, kind, name)

    # --- sharing ----------------------------------------------------------------------------------

    @repeatable
    def onboarding(self, limit: int = 5) -> tuple[Memory, ...]:
        """The most important memories of others here: confidence x pinned weight x access."""
        shared = self._services.people().shared
        return self._as_read(shared.onboarding(self.viewer, self.space, limit))

    @property
    def belongs(self) -> bool:
        """Whether the viewer is a member of the space, and so sees what its members share."""
        return self._services.spaces.belongs(self.viewer, self.space)

    @property
    def is_new(self) -> bool:
        """Whether the viewer is a member who has not seen the introduction yet."""
        return self._services.spaces.is_new(self.viewer, self.space)

    def welcome(self) -> tuple[Memory, ...]:
        """The same on the first visit of a space, once; empty from then on."""
        return self._as_read(self._services.people().shared.welcome(self.viewer, self.space))

    def _as_read(self, memories: tuple[Memory, ...]) -> tuple[Memory, ...]:
        memos = self._services.workspace().memos
        return memos.with_answers(self.viewer, self.space, memories)

    def propose(self, memory_id: str) -> Memory:
        """Propose a personal memory to the project: shared under your name, unconfirmed."""
        return self._services.people().shared.propose(self.viewer, self.space, self._id(memory_id))

    def adopt(self, memory_id: str) -> Memory:
        """Accept another's proposal for the project; for a second member, or a steward."""
        return self._services.people().shared.adopt(self.viewer, self.space, self._id(memory_id))

    def _id(self, memory_id: str) -> str:
        return self._services.reader.complete_id(self.viewer, self.space, memory_id)
