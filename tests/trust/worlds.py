"""Random worlds: spaces, people, streams, events and memories, in a store and in plain Python.

Every text holds a secret of its own and the word ``common``, so that whatever comes out of the
engine can be searched for what should not be there. The plain side is written by the rules in the
docstring of ``test_leaks``, from nothing but what was done: it never asks the store.
"""

from dataclasses import dataclass, field
from random import Random
from typing import Any

from recollect.engine import Recollect
from recollect.vocabulary.memory_types import MemoryType, RelationType

USERS = ("ada", "bob", "cyd", "dan", "eve", "fay")
TEAMS = ("red", "blue")
ORGANISATIONS = ("acme", "umbrella")
ROLES = ("reader", "member", "steward", "owner")
TAGS = ("north", "south")
KINDS = ("fact", "gotcha", "memo", "decision")


@dataclass
class Person:
    """Somebody who may ask, with the teams and organisations they belong to."""

    user: str
    teams: frozenset[str]
    organisations: frozenset[str]


@dataclass
class StreamModel:
    """A stream as it should be."""

    id: str
    name: str
    owner: str
    access: str
    parent: str | None
    listed: set[str] = field(default_factory=set)


@dataclass
class EventModel:
    """An event as it should be."""

    id: str
    stream: str
    author: str
    secret: str
    deleted: bool = False
    reply_to: str | None = None
    old_secrets: list[str] = field(default_factory=list)
    signs: set[tuple[str, str]] = field(default_factory=set)


@dataclass
class MemoryModel:
    """A memory as it should be."""

    id: str
    owner: str
    visibility: str
    team: str | None
    organisation: str | None
    stream: str | None
    type: str
    tag: str
    secret: str
    events: tuple[str, ...] = ()
    archived: bool = False
    superseded: bool = False
    old_secrets: list[str] = field(default_factory=list)


@dataclass
class SpaceModel:
    """A space as it should be."""

    name: str
    id: str
    members: dict[str, str]
    streams: dict[str, StreamModel] = field(default_factory=dict)
    events: dict[str, EventModel] = field(default_factory=dict)
    memories: dict[str, MemoryModel] = field(default_factory=dict)
    arrows: set[tuple[str, str, str]] = field(default_factory=set)

    def root(self, stream: str) -> StreamModel:
        """The stream that decides: a thread follows the stream it began in."""
        found = self.streams[stream]
        while found.parent is not None:
            found = self.streams[found.parent]
        return found

    def reads(self, person: Person, stream: str) -> bool:
        """A member may read what is open, their own, or lists them."""
        root = self.root(stream)
        may = root.access == "open" or root.owner == person.user or person.user in root.listed
        return person.user in self.members and may

    def sees_event(self, person: Person, event: str) -> bool:
        """An event is seen by whoever may read its stream."""
        return event in self.events and self.reads(person, self.events[event].stream)

    def sees(self, person: Person, memory: str) -> bool:
        """A memory is seen by its audience, if they may read all that it was taken from."""
        model = self.memories.get(memory)
        if model is None or not all(self.sees_event(person, event) for event in model.events):
            return False
        member = person.user in self.members
        own = member and model.owner == person.user
        match model.visibility:
            case "personal":
                return own
            case "project":
                return member
            case "team":
                return own or model.team in person.teams
            case "organisation":
                return own or model.organisation in person.organisations
            case "stream":
                return model.stream is not None and self.reads(person, model.stream)
        raise AssertionError(model.visibility)

    def corrects(self, person: Person, memory: str) -> bool:
        """Members change what is their own, stewards and owners what anybody remembered."""
        if not self.writes(person) or not self.sees(person, memory):
            return False
        own = self.memories[memory].owner == person.user
        return own or self.members[person.user] in {"steward", "owner"}

    def writes(self, person: Person) -> bool:
        """Members write; readers and strangers do not."""
        return self.members.get(person.user) in {"member", "steward", "owner"}


class World:
    """A store full of secrets, and who knows which."""

    def __init__(self, memory: Recollect, seed: int, *, share: float = 1.0) -> None:
        """``share`` says how much of the usual number of things is in each space."""
        self.random = Random(seed)
        self._share = share
        self.memory = memory
        self.people = {user: self._person(user) for user in USERS}
        self.spaces: dict[str, SpaceModel] = {}
        self._secrets = 0
        for number in range(2):
            self._make_space(f"space {number}")
        for space in self.spaces.values():
            self._fill(space)

    def view(self, memory: Recollect, person: Person, space: SpaceModel) -> Recollect:
        """The engine as a person has it in a space."""
        return memory.within(
            space=space.name,
            user=person.user,
            teams=person.teams,
            organisations=person.organisations,
        )

    def secrets(self) -> dict[str, str]:
        """Every secret there is or was, and the id of what holds it."""
        held: dict[str, str] = {}
        for space in self.spaces.values():
            items: list[MemoryModel | EventModel] = [*space.memories.values()]
            for item in [*items, *space.events.values()]:
                held |= dict.fromkeys([item.secret, *item.old_secrets], item.id)
        return held

    def shuffle(self) -> None:
        """Let people come and go, and streams open and close."""
        for space in self.spaces.values():
            owner = self.view(self.memory, self.people["ada"], space)
            for user in self.random.sample(USERS[1:], 3):
                if self.random.random() < 0.5 and user in space.members:
                    owner.remove_member(user)
                    del space.members[user]
                else:
                    space.members[user] = self.random.choice(ROLES)
                    owner.add_member(user, space.members[user])
            for stream in list(space.streams.values()):
                self._decide(space, stream)

    # --- Making -----------------------------------------------------------------------------------

    def _person(self, user: str) -> Person:
        return Person(
            user,
            frozenset(team for team in TEAMS if self.random.random() < 0.4),
            frozenset(one for one in ORGANISATIONS if self.random.random() < 0.4),
        )

    def _secret(self) -> str:
        self._secrets += 1
        return f"secret{self._secrets:05}x"

    def _words(self, secret: str) -> str:
        return f"common {secret} {self.random.choice(['apple', 'pear', 'plum'])}"

    def _make_space(self, name: str) -> None:
        made = self.memory.within(
            space=name,
            user="ada",
            kind=self.random.choice(["project", "workspace", "personal"]),
            team=self.random.choice([None, *TEAMS]),
            organisation=self.random.choice([None, *ORGANISATIONS]),
        )
        space = SpaceModel(name, made.space.id, {"ada": "owner"})
        for user in USERS[1:]:
            if self.random.random() < 0.65:
                space.members[user] = self.random.choice(ROLES)
                made.add_member(user, space.members[user])
        self.spaces[name] = space

    def _fill(self, space: SpaceModel) -> None:
        for _ in range(4):
            self._open_stream(space, None)
        for _ in range(3):
            self._open_stream(space, self.random.choice(sorted(space.streams)))
        for stream in list(space.streams.values()):
            self._decide(space, stream)
        for make, number in (
            (self._record, 14),
            (self._remember, 18),
            (self._relate, 10),
            (self._change, 16),
        ):
            for _ in range(round(number * self._share)):
                make(space)

    def _writer(self, space: SpaceModel, stream: str | None = None) -> Person | None:
        able = [
            person
            for person in self.people.values()
            if space.writes(person) and (stream is None or space.reads(person, stream))
        ]
        return self.random.choice(able) if able else None

    def _open_stream(self, space: SpaceModel, parent: str | None) -> None:
        person = self._writer(space, parent)
        if person is None:
            return
        access = self.random.choice(["open", "private", "private"])
        name = f"stream {len(space.streams)}"
        made = self.view(self.memory, person, space).open_stream(
            name, kind="thread" if parent else "channel", access=access, parent=parent
        )
        space.streams[made.id] = StreamModel(made.id, name, person.user, access, parent)

    def _decide(self, space: SpaceModel, stream: StreamModel) -> None:
        """Its owner, when they still can, changes who may read a stream."""
        owner = self.people[stream.owner]
        if stream.parent is not None or not space.writes(owner):
            return
        view = self.view(self.memory, owner, space)
        user = self.random.choice(USERS)
        action = self.random.choice(["admit", "admit", "dismiss", "access"])
        if action == "access":
            stream.access = self.random.choice(["open", "private"])
            view.set_access(stream.id, stream.access)
        elif action == "admit":
            view.admit(stream.id, user)
            stream.listed.add(user)
        else:
            view.dismiss(stream.id, user)
            stream.listed.discard(user)

    def _record(self, space: SpaceModel) -> None:
        stream = self.random.choice(sorted(space.streams))
        person = self._writer(space, stream)
        if person is None:
            return
        secret = self._secret()
        answered = [e for e in sorted(space.events) if space.sees_event(person, e)]
        reply = self.random.choice([None, *answered]) if answered else None
        said = self.view(self.memory, person, space).record(
            self._words(secret),
            stream=stream,
            reply_to=reply,
            payload={"note": secret} if self.random.random() < 0.3 else {},
        )
        space.events[said.id] = EventModel(said.id, stream, person.user, secret, reply_to=reply)

    def _remember(self, space: SpaceModel) -> None:
        person = self._writer(space)
        if person is None:
            return
        visibility = self.random.choice(["personal", "project", "team", "organisation", "stream"])
        readable = [stream for stream in sorted(space.streams) if space.reads(person, stream)]
        if visibility == "stream" and not readable:
            visibility = "project"
        known = [event for event in sorted(space.events) if space.sees_event(person, event)]
        model = MemoryModel(
            id="",
            owner=person.user,
            visibility=visibility,
            team=self.random.choice(TEAMS) if visibility == "team" else None,
            organisation=(
                self.random.choice(ORGANISATIONS) if visibility == "organisation" else None
            ),
            stream=self.random.choice(readable) if visibility == "stream" else None,
            type=self.random.choice(KINDS),
            tag=self.random.choice(TAGS),
            secret=self._secret(),
            events=tuple(self.random.sample(known, min(len(known), self.random.randint(0, 2)))),
        )
        fields: dict[str, Any] = {
            "type": model.type,
            "tags": [model.tag],
            "visibility": visibility,
            "team": model.team,
            "organisation": model.organisation,
            "stream": model.stream,
            "events": model.events,
        }
        view = self.view(self.memory, person, space)
        replaced = [
            m for m in space.memories.values() if space.corrects(person, m.id) and not m.superseded
        ]
        if replaced and self.random.random() < 0.2:
            old = self.random.choice(replaced)
            kept = view.supersede(old.id, self._words(model.secret), **fields)
            old.superseded = True
            space.arrows.add((kept.id, "supersedes", old.id))
        else:
            kept = view.remember(self._words(model.secret), **fields)
        model.id = kept.id
        space.memories[kept.id] = model

    def _relate(self, space: SpaceModel) -> None:
        person = self._writer(space)
        if person is None:
            return
        seen = [memory for memory in sorted(space.memories) if space.sees(person, memory)]
        if len(seen) > 1:
            source, target = self.random.sample(seen, 2)
            if not space.corrects(person, source):
                return
            kind = self.random.choice([kind.value for kind in RelationType])
            self.view(self.memory, person, space).relate(source, kind, memory=target)
            space.arrows.add((source, kind, target))

    def _change(self, space: SpaceModel) -> None:
        """Edit, sign or take back what somebody said; change or put away what is kept."""
        if self.random.random() < 0.5 and space.events:
            self._change_event(space, self.random.choice(list(space.events.values())))
        elif space.memories:
            memory = self.random.choice(list(space.memories.values()))
            able = [person for person in self.people.values() if space.corrects(person, memory.id)]
            if not able:
                return
            view = self.view(self.memory, self.random.choice(able), space)
            if self.random.random() < 0.5:
                view.forget(memory.id)
                memory.archived = True
            else:
                memory.old_secrets.append(memory.secret)
                memory.secret = self._secret()
                view.update(memory.id, content=self._words(memory.secret))

    def _change_event(self, space: SpaceModel, event: EventModel) -> None:
        author = self.people[event.author]
        if event.deleted or not space.writes(author) or not space.reads(author, event.stream):
            return
        view = self.view(self.memory, author, space)
        action = self.random.choice(["edit", "sign", "delete"])
        if action == "edit":
            event.old_secrets.append(event.secret)
            event.secret = self._secret()
            view.edit_event(event.id, self._words(event.secret))
        elif action == "sign":
            view.react(event.id, "👍")
            event.signs.add((author.user, "👍"))
        else:
            view.delete_event(event.id)
            event.deleted = True
            event.signs.clear()


assert set(KINDS) <= {kind.value for kind in MemoryType}
