"""Every way of asking the engine, each compared with the rules: what must come, nothing else."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import pytest

from recollect.engine import Recollect
from recollect.vocabulary.errors import InvalidInput, NotAllowed, NotFound
from recollect.vocabulary.results import Recalled
from tests.trust.worlds import KINDS, TAGS, MemoryModel, Person, SpaceModel, World

LONG_AGO = datetime(1990, 1, 1, tzinfo=UTC)


@dataclass
class Asker:
    """One person in one space, with one engine, and what they may know."""

    view: Recollect
    person: Person
    space: SpaceModel
    world: World
    words_only: bool

    def __post_init__(self) -> None:
        space, person = self.space, self.person
        self.memories = {m for m in space.memories if space.sees(person, m)}
        self.events = {e for e in space.events if space.sees_event(person, e)}
        self.streams = {s for s in space.streams if space.reads(person, s)}
        known = self.memories | self.events
        self.forbidden = [
            secret for secret, item in self.world.secrets().items() if item not in known
        ]

    def ask(self, verb: Callable[..., Any], *given: Any, **named: Any) -> Any:
        """The verb's answer, once it is sure that no secret is in it."""
        answer = verb(*given, **named)
        if isinstance(answer, Iterator):
            answer = "".join(answer)
        told = repr((answer.found, answer.missing) if isinstance(answer, Recalled) else answer)
        for secret in self.forbidden:
            assert secret not in told, f"{self.person.user} is told {secret} by {verb.__name__}"
        return answer

    def refused(self, verb: Callable[..., Any], *given: Any, **named: Any) -> None:
        """The verb must answer as if there were no such thing."""
        told: object = None
        with pytest.raises(NotFound) as refusal:
            told = verb(*given, **named)
        assert told is None
        assert all(secret not in str(refusal.value) for secret in self.forbidden)

    def everything(self) -> tuple[list[str], list[str], list[str]]:
        """The ids of all memories, events and streams of this space; and some of each other space.

        What is elsewhere is refused for one reason, whatever it is: people take turns there, so
        that each asks for a third of it and all of it is asked for.
        """
        turn = list(self.world.people).index(self.person.user)
        others = [space for space in self.world.spaces.values() if space is not self.space]
        kinds = ("memories", "events", "streams")
        memories, events, streams = (
            [
                *getattr(self.space, kind),
                *(item for space in others for item in [*getattr(space, kind)][turn % 3 :: 3]),
            ]
            for kind in kinds
        )
        return memories, events, streams

    @property
    def current(self) -> set[str]:
        """The memories that lists and search show without being asked for more."""
        models = self.space.memories
        return {m for m in self.memories if not models[m].archived and not models[m].superseded}


def everything(world: World) -> tuple[list[str], list[str], list[str]]:
    """The ids of all memories, events and streams of all spaces."""
    spaces = world.spaces.values()
    return (
        [memory for space in spaces for memory in space.memories],
        [event for space in spaces for event in space.events],
        [stream for space in spaces for stream in space.streams],
    )


# --- Ways of asking, one for each verb that reads -------------------------------------------------


def ask_get(asker: Asker) -> None:
    memories, events, streams = asker.everything()
    for memory in memories:
        if memory in asker.memories:
            kept = asker.ask(asker.view.get, memory)
            model = asker.space.memories[memory]
            assert model.secret in kept.content
            assert (kept.archived, bool(kept.superseded_by)) == (model.archived, model.superseded)
            asker.ask(asker.view.get, memory, as_of=kept.created_at)
        else:
            asker.refused(asker.view.get, memory)
            asker.refused(asker.view.get, memory, as_of=asker.world.memory._services.clock())
    for event in events:
        if event in asker.events:
            said = asker.ask(asker.view.get, event)
            assert (asker.space.events[event].secret in said.text) != bool(said.deleted_at)
        else:
            asker.refused(asker.view.get, event)
    for stream in streams:
        asker.refused(asker.view.get, stream)


def ask_short_ids(asker: Asker) -> None:
    """The start of an id finds what the asker sees, and tells nothing of the rest."""
    memories, _, _ = asker.everything()
    for memory in memories[::5]:
        for length in (4, 12, 16, 22, 28):
            start = memory[:length]
            fitting = {seen for seen in asker.memories if seen.startswith(start)}
            if len(fitting) == 1:
                assert asker.ask(asker.view.get, start).id in fitting
            elif fitting:
                with pytest.raises(InvalidInput, match="More than one"):
                    asker.view.get(start)
            else:
                asker.refused(asker.view.get, start)


def ask_list(asker: Asker) -> None:
    models = asker.space.memories

    def listed(limit: int, **narrow: Any) -> list[str]:
        found: list[str] = []
        cursor = None
        while len(found) < 1_000:
            page = asker.ask(asker.view.list, cursor=cursor, limit=limit, **narrow)
            found += [item.id for item in page.items]
            cursor = page.next_cursor
            if cursor is None:
                return found
        raise AssertionError("the pages do not end")

    def expect(narrow: dict[str, Any], holds: Callable[[MemoryModel], bool]) -> None:
        expected = {m for m in asker.memories if holds(models[m])}
        found = listed(7, **narrow)
        assert set(found) == expected, narrow
        assert found == sorted(expected, reverse=True)

    expect({}, lambda m: not m.archived and not m.superseded)
    expect({"superseded": True}, lambda m: not m.archived)
    expect({"archived": True}, lambda m: m.archived)
    for tag in TAGS:
        expect({"tag": tag}, lambda m, tag=tag: m.id in asker.current and m.tag == tag)  # type: ignore[misc]
    for kind in KINDS:
        expect({"type": kind}, lambda m, kind=kind: m.id in asker.current and m.type == kind)  # type: ignore[misc]
    for user in asker.world.people:
        expect({"author": user}, lambda m, user=user: m.id in asker.current and m.owner == user)  # type: ignore[misc]
    for space in asker.world.spaces.values():
        for stream in space.streams:
            roots = {m.id for m in models.values() if m.stream and root(asker, m) == stream}
            expect({"stream": stream}, lambda m, r=roots: m.id in asker.current and m.id in r)  # type: ignore[misc]


def root(asker: Asker, memory: MemoryModel) -> str:
    assert memory.stream is not None
    return asker.space.root(memory.stream).id


def ask_recall(asker: Asker) -> None:
    events = {e for e in asker.events if not asker.space.events[e].deleted}
    visible = asker.current | events

    def found(query: str, **narrow: Any) -> set[str]:
        answer = asker.ask(asker.view.recall, query, limit=1_000, **narrow)
        return {hit.id for hit in answer}

    assert found("common") == visible
    assert found("common", kinds=["memory"]) == asker.current
    assert found("common", kinds=["event"]) == events
    assert found("common", superseded=True, kinds=["memory"]) == {
        m for m in asker.memories if not asker.space.memories[m].archived
    }
    for tag in TAGS:
        tagged = {m for m in asker.current if asker.space.memories[m].tag == tag}
        assert found("common", tag=tag) == tagged
    for user in asker.world.people:
        said = {e for e in events if asker.space.events[e].author == user}
        kept = {m for m in asker.current if asker.space.memories[m].owner == user}
        assert found("common", author=user) == said | kept
    _, _, streams = asker.everything()
    for stream in streams:
        said = {e for e in events if asker.space.events[e].stream == stream}
        models = [asker.space.memories[m] for m in asker.current]
        kept = {m.id for m in models if m.stream and root(asker, m) == stream}
        assert found("common", stream=stream) == said | kept
    for secrets in several(asker.world.secrets(), 8):
        question, items = " ".join(secrets), set(secrets.values())
        answer = asker.ask(asker.view.recall, question, limit=1_000)
        by_words = {hit.id for hit in answer if hit.keyword_score}
        assert by_words <= items
        assert by_words >= {
            i for s, i in secrets.items() if i in visible and s == held_by(asker, i)
        }
        assert {hit.id for hit in answer} <= visible
        if asker.words_only:
            plain = asker.ask(asker.view.recall, question, limit=1_000, profile="plain")
            assert {hit.id for hit in plain} == by_words


def several(held: dict[str, str], most: int) -> Iterator[dict[str, str]]:
    """Some entries at a time: what one question must not find, none of many may find either."""
    entries = list(held.items())
    for start in range(0, len(entries), most):
        yield dict(entries[start : start + most])


def held_by(asker: Asker, item: str) -> str:
    """The secret that something of the asker's space holds today."""
    space = asker.space
    return (space.memories.get(item) or space.events[item]).secret


def ask_history(asker: Asker) -> None:
    for memory in asker.everything()[0]:
        if memory in asker.memories:
            entries = asker.ask(asker.view.history, memory)
            assert {entry.memory_id for entry in entries} == {memory}
        else:
            asker.refused(asker.view.history, memory)


def ask_relations(asker: Asker) -> None:
    for memory in asker.everything()[0]:
        if memory not in asker.memories:
            asker.refused(asker.view.relations, memory)
            continue
        found = {
            (arrow.source_id, arrow.type.value, arrow.target_id)
            for arrow in asker.ask(asker.view.relations, memory)
        }
        expected = {
            arrow
            for arrow in asker.space.arrows
            if memory in {arrow[0], arrow[2]} and {arrow[0], arrow[2]} <= asker.memories
        }
        assert found == expected


def ask_pointing_at(asker: Asker) -> None:
    for event in asker.everything()[1]:
        if event not in asker.events:
            asker.refused(asker.view.pointing_at, event)
            continue
        found = {memory.id for memory in asker.ask(asker.view.pointing_at, event)}
        pointing = {m.id for m in asker.space.memories.values() if event in m.events}
        assert found == pointing & asker.memories


def ask_read(asker: Asker) -> None:
    for space in asker.world.spaces.values():
        for stream in space.streams.values():
            if stream.id not in asker.streams:
                asker.refused(asker.view.read, stream.id)
                continue
            expected = [e for e in space.events if space.events[e].stream == stream.id]
            for name in (stream.id, stream.name):
                page = asker.ask(asker.view.read, name, limit=1_000)
                assert [event.id for event in page.items] == expected


def ask_names(asker: Asker) -> None:
    """Streams of two spaces have the same names; each space gives its own or none."""
    own = {stream.name: stream.id for stream in asker.space.streams.values()}
    for name in {s.name for space in asker.world.spaces.values() for s in space.streams.values()}:
        if own.get(name) in asker.streams:
            asker.ask(asker.view.read, name)
        else:
            asker.refused(asker.view.read, name)


def ask_window(asker: Asker) -> None:
    for event in asker.everything()[1]:
        if event not in asker.events:
            asker.refused(asker.view.window, event)
            continue
        window = asker.ask(asker.view.window, event, before=100, after=100)
        around = [said.id for said in (*window.before, window.event, *window.after)]
        stream = asker.space.events[event].stream
        assert around == [e for e in asker.space.events if asker.space.events[e].stream == stream]


def ask_replies(asker: Asker) -> None:
    for event in asker.everything()[1]:
        if event not in asker.events:
            asker.refused(asker.view.replies, event)
            continue
        found = [said.id for said in asker.ask(asker.view.replies, event)]
        events = asker.space.events
        assert found == [e for e in events if events[e].reply_to == event and e in asker.events]


def ask_revisions(asker: Asker) -> None:
    for event in asker.everything()[1]:
        if event not in asker.events:
            asker.refused(asker.view.revisions, event)
            continue
        model = asker.space.events[event]
        old = asker.ask(asker.view.revisions, event)
        expected = [] if model.deleted else model.old_secrets
        assert [secret in was.text for secret, was in zip(expected, old, strict=True)] == [
            True
        ] * len(expected)


def ask_reactions(asker: Asker) -> None:
    for event in asker.everything()[1]:
        if event not in asker.events:
            asker.refused(asker.view.reactions, event)
            continue
        signs = asker.ask(asker.view.reactions, event)
        assert {(sign.user, sign.emoji) for sign in signs} == asker.space.events[event].signs


def ask_streams(asker: Asker) -> None:
    found = {stream.id for stream in asker.ask(asker.view.streams).items}
    assert found == asker.streams
    threads = {stream.id for stream in asker.ask(asker.view.streams, kind="thread").items}
    assert threads == {s for s in asker.streams if asker.space.streams[s].parent}


def ask_stats(asker: Asker) -> None:
    figures = asker.ask(asker.view.stats)
    counts: dict[str, int] = {}
    for memory in asker.memories:
        model = asker.space.memories[memory]
        kind = "archived" if model.archived else model.type
        counts[kind] = counts.get(kind, 0) + 1
    assert figures["memories"] == counts
    assert figures["events"] == len(asker.events)
    assert figures["streams"] == len(asker.streams)
    live = [m for m in asker.memories if not asker.space.memories[m].archived]
    said = [e for e in asker.events if not asker.space.events[e].deleted]
    assert sum(figures["vectors"].values()) == len(live) + len(said)


def ask_export(asker: Asker) -> None:
    told = json.loads(asker.ask(asker.view.export, "json"))
    assert {memory["id"] for memory in told["memories"]} == asker.memories
    assert {stream["id"] for stream in told["streams"]} == asker.streams
    said = {event["id"] for stream in told["streams"] for event in stream["events"]}
    assert said == asker.events
    arrows = {
        (arrow["source_id"], arrow["type"], arrow["target_id"])
        for memory in told["memories"]
        for arrow in memory["relations"]
    }
    assert arrows == {a for a in asker.space.arrows if {a[0], a[2]} <= asker.memories}
    text = asker.ask(asker.view.export, "markdown")
    for memory in asker.memories:
        assert asker.space.memories[memory].secret in text


def ask_members(asker: Asker) -> None:
    if asker.person.user in asker.space.members:
        found = asker.ask(asker.view.members)
        assert {m.user: m.role.value for m in found} == asker.space.members
    else:
        with pytest.raises(NotAllowed):
            asker.view.members()


def ask_spaces(asker: Asker) -> None:
    found = {space.name for space in asker.ask(asker.view.spaces)} - {"default"}
    assert found == {
        name for name, space in asker.world.spaces.items() if asker.person.user in space.members
    }


def ask_dead_jobs(asker: Asker) -> None:
    if asker.space.members.get(asker.person.user) in {"steward", "owner"}:
        asker.ask(asker.view.dead_jobs)
    else:
        with pytest.raises(NotAllowed):
            asker.view.dead_jobs()


#: Each way of asking, and the verb it asks.
def ask_trend(asker: Asker) -> None:
    """Counts tell of things too: no more came up than recall shows."""
    found = asker.view.recall("common", limit=200, profile="workspace", created_after=LONG_AGO)
    best = max((hit.score for hit in found), default=0.0)
    about = [hit for hit in found if hit.score >= 0.5 * best]
    assert asker.ask(asker.view.trend, "common", days=36_500).total == len(about)


def ask_retrievals(asker: Asker) -> None:
    """Their own words and nobody else's, with ids of what they were shown when they asked."""
    for question in asker.view.retrievals(limit=1_000).items:
        assert question.user == asker.person.user
        told = repr((question.served, question.feedback))
        assert not any(secret in told for secret in asker.forbidden)


def ask_research(asker: Asker) -> None:
    """Whatever is asked, only events that the asker may read are cited, in any step of the way."""
    asker.view._services.research()._memos = None  # workspace/test_leaks asks about memos
    for question in ("common", *list(asker.world.secrets())[:1]):
        steps = list(asker.view.researching(question))
        told = repr(steps).replace(question, "")  # what they said themselves they know
        assert not any(secret in told for secret in asker.forbidden)
        answer = steps[-1].answer
        assert answer is not None
        assert {one.event_id for one in answer.citations} <= asker.events
        assert asker.view.plan_research(question).question == question
        assert {one.id for one in asker.view.remembered(question)} <= asker.memories


def ask_researches(asker: Asker) -> None:
    """Their own questions and nobody else's."""
    own = {one.id for one in asker.view.retrievals(limit=1_000).items}
    for record in asker.view.researches(limit=1_000).items:
        assert record.id in own
        told = repr((record.cited, record.memo_hits, record.memo_id, record.verdicts))
        assert not any(secret in told for secret in asker.forbidden)


def ask_overview(asker: Asker) -> None:
    seen = asker.ask(asker.view.overview)
    models = asker.space.memories
    assert seen.counts.total == len(asker.current)
    assert seen.counts.archived == sum(models[one].archived for one in asker.memories)
    assert sum(seen.by_type.values()) == seen.counts.total
    assert {one.memory.id for one in seen.activity} <= asker.memories


def ask_assemble(asker: Asker) -> None:
    """A context holds nothing that the asker may not see, however large its budget."""
    for signals in ({"task": "common"}, {"current_file": "a.py", "collaborators": ["bob", "ada"]}):
        found = asker.ask(asker.view.assemble, 1_000_000, signals)
        assert {one.id for one in found.entries} <= asker.current
        assert {one.id for one in found.left_out} <= asker.current


def ask_predict(asker: Asker) -> None:
    people = list(asker.world.people)
    signals = {"current_file": "a.py", "branch": "common", "collaborators": people}
    found = asker.ask(asker.view.predict, signals)
    assert {one.memory.id for one in found.predicted_memories} <= asker.current


def ask_expand(asker: Asker) -> None:
    for memory in asker.everything()[0]:
        if memory in asker.memories:
            assert [one.id for one in asker.ask(asker.view.expand, memory)] == [memory]
        else:
            asker.refused(asker.view.expand, memory)


def ask_uses(asker: Asker) -> None:
    for memory in asker.everything()[0][::4]:
        if memory in asker.memories:
            asker.ask(asker.view.uses, memory)
        else:
            asker.refused(asker.view.uses, memory)


READS: dict[Callable[[Asker], None], str] = {
    ask_assemble: "assemble",
    ask_predict: "predict",
    ask_expand: "expand",
    ask_uses: "uses",
    ask_get: "get",
    ask_short_ids: "get",
    ask_list: "list",
    ask_recall: "recall",
    ask_history: "history",
    ask_relations: "relations",
    ask_pointing_at: "pointing_at",
    ask_read: "read",
    ask_names: "read",
    ask_window: "window",
    ask_replies: "replies",
    ask_revisions: "revisions",
    ask_reactions: "reactions",
    ask_streams: "streams",
    ask_stats: "stats",
    ask_overview: "overview",
    ask_export: "export",
    ask_members: "members",
    ask_spaces: "spaces",
    ask_dead_jobs: "dead_jobs",
    ask_retrievals: "retrievals",
    ask_trend: "trend",
    ask_research: "researching",
    ask_researches: "researches",
}
