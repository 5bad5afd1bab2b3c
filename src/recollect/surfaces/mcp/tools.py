"""MCP tools: each calls one engine verb and answers in a few lines of text."""

from datetime import datetime
from pathlib import Path
from typing import Any, Final

from recollect.engine import Recollect
from recollect.engine.for_surfaces import FRAME, attribution
from recollect.surfaces.mcp.answers import (
    citation,
    contradiction_text,
    dispute_text,
    event_line,
    explained,
    found_lines,
    research_text,
    window_text,
)
from recollect.surfaces.mcp.code import SHOWN, asked, flow_text, impact_text, needs_text
from recollect.surfaces.mcp.source import MemorySource, OpenMemory
from recollect.vocabulary.agents import TrustLevel
from recollect.vocabulary.arguments import whole
from recollect.vocabulary.code import Impact
from recollect.vocabulary.errors import (
    EventNotFound,
    InvalidInput,
    InvalidText,
    NotAllowed,
    NotFound,
)
from recollect.vocabulary.events import Event
from recollect.vocabulary.ids import short_id
from recollect.vocabulary.memory import Memory
from recollect.vocabulary.memory_types import Source

LARGEST_PAGE: Final = 25
LARGEST_READ: Final = 100
DEEPEST: Final = 200
NOTHING: Final = "Nothing about this is kept here."
_WEAK: Final = "Nothing fits well; the nearest share only a word or two with the question:"


class Tools:
    """Tools that the server offers on one memory."""

    def __init__(self, memory: Recollect | MemorySource, root: Path | None = None) -> None:
        self._source = OpenMemory(memory) if isinstance(memory, Recollect) else memory
        self._root = root

    @property
    def _memory(self) -> Recollect:
        """Memory to read from."""
        return self._source.reading()

    def search_memory(
        self,
        query: str,
        *,
        limit: int = 5,
        cursor: str | None = None,
        type: str | None = None,
        file: str | None = None,
        events: bool = False,
    ) -> str:
        """Search what earlier sessions and people stored. Ask in natural language.

        type narrows to one kind (gotcha, decision, error_pattern, ...), file to one path from the
        repository's root. events=true also searches what was said and done, not only notes.
        """
        size = whole(limit, 1, LARGEST_PAGE, "A page has")
        start = _start(cursor)
        narrow: dict[str, Any] = {"type": type, "file": file}
        kinds = ("memory", "event") if events and not (type or file) else ("memory",)
        answer = self._memory.recall(query, limit=start + size + 1, kinds=kinds, **narrow)
        found, page = answer.found, answer.found[start : start + size]
        if not page:
            return NOTHING if start == 0 else "That was all."
        lines = [FRAME, *([_WEAK] if answer.weak else []), *found_lines(page, start + 1)]
        if len(found) > start + size and start + size < DEEPEST:
            lines.append(f'More with cursor="{start + size}".')
        return "\n".join(lines)

    def record_memory(
        self,
        content: str,
        type: str = "fact",
        files: list[str] | None = None,
        tags: list[str] | None = None,
        session: str | None = None,
    ) -> str:
        """Store one thing that the next session would otherwise have to find out again.

        type is one of gotcha, decision, preference, pattern, requirement, error_pattern,
        module_insight, dead_end, fact. files are paths from the repository's root.
        """
        _check_words(content)
        memory = self._source.writing()
        kept = memory.remember(
            content,
            type=type,
            files=files or (),
            tags=tags or (),
            session=session,
            source="agent_explicit",
            needs_review=self._needs_review,
        )
        if kept.times_told > 1:
            return f"Already known as {citation(kept)}, seen {kept.times_told} times now."
        against = memory.contradictions.list(memory=kept.id, limit=3).items
        if not against:
            return f"Kept as {citation(kept)}."
        contradiction_lines = "\n".join(contradiction_text(one) for one in against)
        return (
            f"Kept as {citation(kept)}. It contradicts what is kept; resolve_contradiction decides."
            f"\n{FRAME}\n{contradiction_lines}"
        )

    def report_qa(
        self,
        issues: list[dict[str, Any]],
        *,
        spec: str | None = None,
        unit: dict[str, str] | None = None,
        branch: str = "",
        session: str | None = None,
    ) -> str:
        """Report what a review of the work found; the next session is warned of severe issues.

        An issue has a description, and may have a severity (critical, high, medium, low), files,
        modules, fix, tried and spec. An empty list says that nothing was found. unit ({"spec":
        "007"}), branch or session say whose work it is: it teaches only once its review passed.
        """
        memory = self._source.writing()
        if spec is None and not (unit or branch or session):
            reviewer = memory.session(agent="mcp", stage="qa_review")
            kept = reviewer.qa_report(issues)
        else:
            kept = self._judged(issues, spec, unit, branch, session)
        if self._needs_review:
            kept = [memory.update(one.id, needs_review=True) for one in kept]
        if not kept:
            return "Nothing severe was found, so nothing was kept."
        return "\n".join(f"Kept as {citation(one)}: {one.content}" for one in kept)

    def update_memory(
        self,
        id: str,
        content: str | None = None,
        type: str | None = None,
        files: list[str] | None = None,
        tags: list[str] | None = None,
    ) -> str:
        """Correct a note that was written badly: the given fields replace the old ones.

        If it was right and no longer is, call supersede_memory instead. What a person
        taught or confirmed is theirs to correct.
        """
        given = {"content": content, "type": type, "files": files, "tags": tags}
        changes: dict[str, Any] = {
            name: value for name, value in given.items() if value is not None
        }
        if not changes:
            raise InvalidInput("No change was given. Nothing was changed.")
        if content is not None:
            _check_words(content)
        found = self._correctable(id)
        kept = self._source.writing().update(
            found.id, needs_review=self._needs_review or found.needs_review, **changes
        )
        return f"Updated {citation(kept)}."

    def supersede_memory(
        self,
        id: str,
        content: str,
        *,
        type: str | None = None,
        files: list[str] | None = None,
        tags: list[str] | None = None,
        session: str | None = None,
    ) -> str:
        """Replace a note that was right before with what is true now; the old one stays in the
        history. Type, files and tags are those of the old note unless they are given."""
        _check_words(content)
        old = self._correctable(id)
        kept = self._source.writing().supersede(
            old.id,
            content,
            type=type or old.type.value,
            files=old.files if files is None else files,
            tags=old.tags if tags is None else tags,
            session=session,
            source="agent_explicit",
            needs_review=self._needs_review,
        )
        return f"Kept as {citation(kept)} in place of {citation(old)}."

    def read_events(
        self,
        event: str | None = None,
        stream: str | None = None,
        *,
        before: int = 5,
        after: int = 5,
        limit: int = 20,
        cursor: str | None = None,
    ) -> str:
        """Read events verbatim: around one event, or a stream in order.

        event is an id from search_memory with events=true; before and after say how many around
        it. stream is a stream's name or id. With neither, the streams are listed.
        """
        if event is not None and stream is not None:
            raise InvalidInput("Give an event or a stream, not both.")
        if event is not None:
            return window_text(self._memory.window(event, before=before, after=after))
        size = whole(limit, 1, LARGEST_READ, "A page has")
        if stream is None:
            streams = self._memory.streams(cursor=cursor)
            lines = [f"[stream {one.id}] {one.name}" for one in streams.items]
            return _page(lines, streams.next_cursor) or "Nothing was recorded here yet."
        page = self._memory.read(stream, cursor=cursor, limit=size)
        return _page([event_line(one) for one in page.items], page.next_cursor) or "That was all."

    def get_session_context(
        self,
        task: str = "",
        files: list[str] | None = None,
        *,
        unit: dict[str, str] | None = None,
        stage: str = "coding",
    ) -> str:
        """Get what is known about a task, and the state of earlier work. Call it once.

        unit names the piece of work, like {"spec": "007", "subtask": "2"}; only its own earlier
        work is told then, instead of the branch's. stage is planning, coding, qa_review or qa_fix.
        """
        session = self._memory.session(
            task=task, root=self._root, agent="mcp", unit=unit, stage=stage
        )
        parts = [session.system_prompt(), session.first_message(files=False)]
        parts += [session.tool_context("Read", {"file_path": file}) for file in files or ()]
        return "\n\n".join(part for part in parts if part) or NOTHING

    def assemble_context(
        self,
        task: str = "",
        budget: int = 4_000,
        *,
        files: list[str] | None = None,
        errors: list[str] | None = None,
        branch: str = "",
        activity: str = "coding",
        personal: bool = False,
    ) -> str:
        """Get context for a task in four tiers, within a token budget.

        files are paths from the repository's root, the open one first; errors are those just seen;
        activity is coding, debugging, starting, reviewing or refining. expand_memory opens the ids
        of its index. personal=true also takes what the user told of themselves: only if they ask.
        """
        named = files or []
        signals = {
            "task": task,
            "current_file": named[0] if named else None,
            "files": named[1:],
            "recent_errors": errors or [],
            "branch": branch,
            "activity": activity,
        }
        made = self._memory.assemble(budget, signals, personal=personal)
        if made.context or not made.left_out:
            return made.context or NOTHING
        return f"Nothing fits into {budget} tokens; {len(made.left_out)} notes would bear on this."

    def expand_memory(self, ids: list[str]) -> str:
        """Get the whole text of notes listed in an index, by their ids."""
        found = self._memory.expand(*ids)
        return "\n".join(
            [FRAME, *(f"{citation(one)} {attribution(one)}: {one.content}" for one in found)]
        )

    def research(self, question: str) -> str:
        """Answer a question from what people said, every sentence with the message it cites.

        It says so when nothing was found. read_events opens a cited message with what is around it.
        """
        return research_text(self._memory.research(question, requester="agent"))

    def plan_research(self, question: str) -> str:
        """Break a complex question down into searches, without making them."""
        plan = self._memory.plan_research(question)
        head = "Several searches:" if plan.complex else "One search:"
        return "\n".join([head, *(f"- {one}" for one in plan.searches)])

    def analyze_impact(self, target: str, depth: int = 3) -> str:
        """Analyse what may break when something changes: dependents, tests, linked notes.

        target is a path, a symbol, path:line, or the word diff for what is not committed yet.
        """
        steps = whole(depth, 1, 10, "A depth is")
        return asked(
            lambda: self._memory.code.impact(target, depth=steps),
            lambda found: impact_text(found, self._notes_on(found)),
        )

    def get_dependencies(self, target: str) -> str:
        """List what a file or a symbol uses, and what uses it."""
        code = self._memory.code
        return asked(
            lambda: (code.dependencies(target), code.dependants(target)),
            lambda both: needs_text(*both),
        )

    def trace_data_flow(self, source: str, target: str | None = None) -> str:
        """Trace how values flow from one symbol to others, along calls."""
        return asked(
            lambda: self._memory.code.flow(source, target), lambda found: flow_text(found, target)
        )

    def hear_message(
        self, text: str, at: str | None = None, speaker: str = "user", session: str | None = None
    ) -> str:
        """Pass one message of the conversation, verbatim, to the user's personal memory.

        It stores what lasts (who they are, what they like, what changed, what is planned) and skips
        the rest. at is when it was said, in ISO 8601; speaker is user or assistant.
        """
        heard = self._source.writing().chat.hear(
            text, at=_moment(at), speaker=speaker, session=session
        )
        lines = [
            f"{one.outcome.value}: {one.text} ({one.reason})"
            + "".join(f" Replaced: {old}" for old in one.replaced_texts)
            for one in heard.statements
        ]
        return "\n".join(lines) or heard.reason or "Nothing in it lasts."

    def ask_memory(self, question: str, at: str | None = None, session: str | None = None) -> str:
        """Ask the user's personal memory: "where do I live?". One answer with its date and entry.

        It says that it does not know when nothing holds the answer; do not guess then.
        """
        found = self._memory.chat.ask(question, at=_moment(at), session=session)
        if not found.known or found.at is None:
            return found.text
        return "\n".join([FRAME, f"{found.text} (said {found.at:%Y-%m-%d}, {found.entry_id})"])

    def forget_memory(self, id: str) -> str:
        """Archive a note because the user asked for it. 'recollect restore ID' restores it."""
        archived = self._memory.forget(self._correctable(id, "forget {id}").id)
        if archived is None:
            raise InvalidInput("Nothing was archived.")
        return f"Archived {citation(archived)}. 'recollect restore {archived.id}' restores it."

    def explain_memory(self, id: str) -> str:
        """Get a note's whole text, its origin, evidence, relations and history."""
        memory = self._memory
        found = memory.get(id)
        if not isinstance(found, Memory):
            raise InvalidInput(f"{id} is an event, not a note.")
        return explained(
            found, memory.history(found.id), memory.relations(found.id), self._evidence(found)
        )

    def list_contradictions(self, *, limit: int = 10) -> str:
        """List undecided contradictions between two notes, with both texts and dates."""
        size = whole(limit, 1, LARGEST_PAGE, "A page has")
        found = self._memory.contradictions.list(limit=size).items
        return "\n".join([FRAME, *map(contradiction_text, found)]) if found else "None is open."

    def resolve_contradiction(
        self, id: str, resolution: str, *, note: str | None = None, text: str | None = None
    ) -> str:
        """Decide between two notes, as the user said: a_wins, b_wins, both, or merged with text.

        What a person taught or confirmed does not lose here: they decide it.
        """
        known = self._memory.contradictions.get(id)
        losing = {"a_wins": [known.b], "b_wins": [known.a], "merged": [known.a, known.b]}
        for one in losing.get(resolution, ()):
            self._correctable(one.id, f"contradictions resolve {known.id} {resolution}")
        done = self._source.writing().contradictions.resolve(
            known.id,
            resolution,
            note=note,
            text=text,
            source="agent_explicit",
            needs_review=self._needs_review,
        )
        merged = f" {short_id(done.merged_id)} takes their place." if done.merged_id else ""
        return f"Decided: {resolution}. {citation(done.a)} and {citation(done.b)}.{merged}"

    def list_disputes(self, *, limit: int = 10) -> str:
        """List disputed notes with their comments: they count for less until settled."""
        size = whole(limit, 1, LARGEST_PAGE, "A page has")
        found = self._memory.disputes.list(limit=size).items
        return "\n".join([FRAME, *map(dispute_text, found)]) if found else "None is open."

    def dispute_memory(self, id: str, reason: str) -> str:
        """Dispute a note for the user, with a reason; a steward of the space settles it."""
        _check_words(reason)
        opened = self._source.writing().disputes.open(id, reason)
        return f"Disputed as {opened.id}; it waits for {', '.join(opened.waits_for)}."

    def settle_dispute(
        self, id: str, resolution: str, *, content: str | None = None, reason: str | None = None
    ) -> str:
        """Settle a dispute as the user said: updated with content, confirmed, or withdrawn.

        escalated lets an owner of the space decide instead.
        """
        disputes = self._source.writing().disputes
        if resolution == "escalated":
            done = disputes.escalate(id, reason)
            return f"It waits for {', '.join(done.waits_for)}."
        done = disputes.resolve(id, resolution, content=content, text=reason)
        return f"Settled: {done.state}."

    def _judged(
        self,
        issues: list[dict[str, Any]],
        spec: str | None,
        unit: dict[str, str] | None,
        branch: str,
        session: str | None,
    ) -> list[Memory]:
        """What a review of named work found; where no session of it is known, only that."""
        work = self._source.writing().agents.work
        try:
            found = work.qa_report(
                issues, spec=spec, unit=unit, branch=branch, session=session, by_agent=True
            )
        except NotFound:
            return []
        return list(found.findings)

    @property
    def _needs_review(self) -> bool:
        """Whether notes of an agent wait for a person's review."""
        return self._memory.agents.trust().level < TrustLevel.CONFIDENT

    def _correctable(self, identifier: str, doing: str = "edit {id}") -> Memory:
        """Return a note that an agent may correct or archive.

        While agents' notes wait for review, notes that a person taught, confirmed or pinned are
        refused.
        """
        found = self._memory.get(identifier)
        if not isinstance(found, Memory):
            raise InvalidInput(f"{identifier} is an event, not a note.")
        taught = found.provenance.source is Source.USER_TAUGHT
        if (taught or found.user_verified or found.pinned) and self._needs_review:
            raise NotAllowed(
                f"A person taught or confirmed {citation(found)}. Nothing was changed.",
                hint=f"They can: recollect {doing.format(id=found.id)}.",
            )
        return found

    def _notes_on(self, found: Impact) -> list[Memory]:
        """Notes on the files that a change reaches, as far as an answer shows them."""
        ids = [str(one["id"]) for one in found.memories[:SHOWN]]
        notes = [self._memory.get(one) for one in ids]
        return [one for one in notes if isinstance(one, Memory)]

    def _evidence(self, found: Memory) -> list[Event]:
        """Events that a memory cites, as far as the viewer may read them."""
        seen: list[Event] = []
        for event in found.provenance.events[:5]:
            try:
                item = self._memory.get(event)
            except EventNotFound:
                continue
            if isinstance(item, Event):
                seen.append(item)
        return seen


def _check_words(content: str) -> None:
    if not content.strip():
        raise InvalidText("The text is empty. Nothing was kept.", hint="Write a sentence.")


def _moment(text: str | None) -> datetime | None:
    if text is None:
        return None
    try:
        return datetime.fromisoformat(text)
    except ValueError as error:
        raise InvalidInput("at is a time in ISO 8601, like 2026-03-01T10:00:00Z.") from error


def _page(lines: list[str], cursor: str | None) -> str:
    """Lines of a page, and how to request the next page."""
    return "\n".join([*lines, *([f'More with cursor="{cursor}".'] if cursor else [])])


def _start(cursor: str | None) -> int:
    if cursor is None:
        return 0
    if not cursor.isdigit() or int(cursor) > DEEPEST:
        raise InvalidInput("That cursor is not valid for a search.")
    return int(cursor)
