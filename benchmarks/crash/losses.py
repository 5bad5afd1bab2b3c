"""The losses of a campaign: what was lost, torn or locked, each with a sentence."""

from dataclasses import asdict, dataclass, field
from typing import Any

from recollect.vocabulary.errors import StoreBusy


@dataclass
class Losses:
    """What went wrong."""

    lost: list[str] = field(default_factory=list)
    torn: list[str] = field(default_factory=list)
    locked: list[str] = field(default_factory=list)

    @property
    def clean(self) -> bool:
        """Whether nothing did."""
        return not (self.lost or self.torn or self.locked)

    def add(self, other: "Losses") -> None:
        """Take in another's."""
        self.lost += other.lost
        self.torn += other.torn
        self.locked += other.locked

    def note(self, error: BaseException, doing: str) -> None:
        """An error that reached somebody: a lock that was not waited for, or something torn."""
        sentence = f"{doing}: {type(error).__name__}: {error}"
        busy = isinstance(error, StoreBusy) or "locked" in str(error)
        (self.locked if busy else self.torn).append(sentence)

    def as_json(self) -> dict[str, Any]:
        """To be sent from one process to another."""
        return asdict(self)

    def lines(self, most: int = 20) -> list[str]:
        """The sentences, for people."""
        named = (("lost", self.lost), ("torn", self.torn), ("locked", self.locked))
        return [f"{kind}: {sentence}" for kind, kept in named for sentence in kept[:most]]

    def __str__(self) -> str:
        return f"lost {len(self.lost)}, torn {len(self.torn)}, locked {len(self.locked)}"
