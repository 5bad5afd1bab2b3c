"""The tracked figures after a month of agents' sessions, and after a month of a channel.

    python -m benchmarks.replayed_metrics --sessions FOLDER --channel FILE.xml.gz

Each is replayed into a store of its own, as it went, but so that the month ends now. Every session
is told what memory knows at its start and before its steps, and learned from at its end. In the
channel, everyone who opens a conversation with a question first asks the memory; when the
conversation is over, it is saved as a memo where somebody else answered. Then a night is run, and
`recollect stats` is asked, as anybody would ask it.
"""

import argparse
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import recollect
from recollect.context.session import AgentSession
from recollect.engine import Recollect
from recollect.engine.for_surfaces import sessions_of
from recollect.pages.formats.transcripts import acts_of
from recollect.surfaces.cli.app import app
from recollect.surfaces.cli.bench.workspace import (
    ChannelMessage,
    StandingClock,
    conversations_of,
    read_channel,
)
from recollect.vocabulary.acts import Act, ActKind
from recollect.vocabulary.events import NewEvent

FAILURES = (ActKind.FAILURE, ActKind.REFUSAL)


@contextmanager
def time_that_ends_now(place: Path, span: timedelta) -> Iterator[tuple[Recollect, StandingClock]]:
    """A store on a clock that stands at the beginning; at the end it is now, after a night."""
    clock = StandingClock()
    clock.now = datetime.now(UTC) - span
    with recollect.open(place, user="ada", space="replay", worker=False, clock=clock) as memory:
        yield memory, clock
        clock.now = datetime.now(UTC)
        memory.work(seconds=60)
        memory.evolution.run()


def replay_sessions(source: Path, place: Path, span: timedelta) -> int:
    """A month of sessions, each with memory; how many."""
    known = sessions_of(acts_of(source))
    last = max(one.begins for one in known)
    month = [one for one in known if one.begins > last - span]
    moved = datetime.now(UTC) - max(one.acts[-1].at for one in month)
    with time_that_ends_now(place, span) as (memory, clock):
        for played in month:
            clock.now = played.begins + moved
            with memory.session(
                id=played.name, agent="claude-code", task=played.prompt, root=_root(played.acts)
            ) as session:
                session.system_prompt()
                for step, act in enumerate(played.acts):
                    clock.now = max(clock.now, act.at + moved)
                    _lived(session, act, step)
    return len(month)


def _root(acts: Sequence[Act]) -> str | None:
    """The folder that a session worked in: what stands before its files in the calls."""
    found: Counter[str] = Counter()
    for act in acts:
        named = [one for one in act.arguments.values() if isinstance(one, str)]
        for path in act.paths:
            found.update(one.removesuffix(f"/{path}") for one in named if one.endswith(f"/{path}"))
    return found.most_common(1)[0][0] if found else None


def _lived(session: AgentSession, act: Act, step: int) -> None:
    """One act, as an agent's program tells it to the session."""
    tool = act.tool or ""
    if act.kind is ActKind.PROMPT:
        session.on_prompt(act.text)
        session.first_message(act.text)
    elif act.kind is ActKind.ANSWER:
        session.on_message(act.text)
    elif act.kind is ActKind.CALL:
        session.on_tool_call(tool, act.arguments, call=act.call)
        session.prepare_step(step)
    elif act.kind is ActKind.RESULT:
        session.on_tool_result(tool, act.arguments, act.text, call=act.call)
    elif act.kind in FAILURES:
        session.on_tool_failure(tool, act.arguments, act.text, call=act.call, kind=act.kind)


def replay_channel(source: Path, place: Path, span: timedelta) -> int:
    """A month of a channel, with questions asked and memos saved; how many messages."""
    messages = read_channel(source)
    since = messages[-1].at - span.total_seconds()
    month = [one for one in messages if one.at > since]
    moved = datetime.now(UTC) - datetime.fromtimestamp(month[-1].at, UTC)
    talks = {places[0]: places for places in conversations_of(month)}
    ends = {
        places[-1]: places
        for places in talks.values()
        if "?" in month[places[0]].text and len({month[one].author for one in places}) > 1
    }
    ids: list[str] = []
    with time_that_ends_now(place, span) as (memory, clock):
        memory.open_stream("channel", kind="channel")
        for number, one in enumerate(month):
            at = datetime.fromtimestamp(one.at, UTC) + moved
            clock.now = at
            if number in talks and "?" in one.text:
                memory.research(one.text)
            ids.append(_said(memory, one, at))
            if number in ends:
                memory.workspace.save(ids[ends[number][0]])
    return len(month)


def _said(memory: Recollect, one: ChannelMessage, at: datetime) -> str:
    event = NewEvent(one.text or "-", author=one.author, occurred_at=at)
    return memory.record_many([event], stream="channel")[0].id


def stats(place: Path) -> None:
    """What `recollect stats` says of a store."""
    app(args=["--db", str(place), "--space", "replay", "--user", "ada", "stats"])


def main(arguments: Sequence[str] | None = None) -> None:
    """Replay what is given, and print."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--sessions", type=Path, help="a folder or file of transcripts")
    parser.add_argument("--channel", type=Path, help="a channel whose conversations are known")
    parser.add_argument("--days", type=int, default=30, help="the last so many days of each")
    given = parser.parse_args(arguments)
    span = timedelta(days=given.days)
    with tempfile.TemporaryDirectory(prefix="recollect-replay-") as folder:
        for what, source, replay in (
            ("sessions", given.sessions, replay_sessions),
            ("messages", given.channel, replay_channel),
        ):
            if source is not None:
                place = Path(folder) / f"{what}.db"
                count = replay(source, place, span)
                print(f"== {given.days} days, {count:,} {what} ==", flush=True)
                try:
                    stats(place)
                except SystemExit as ended:
                    if ended.code:
                        raise


if __name__ == "__main__":
    main()
