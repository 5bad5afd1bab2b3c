"""``Memory`` as mem0 users know it: the same methods, the same answers, nothing to configure.

All of it lives in one space of one store (``mem0`` unless named otherwise). There is no model:
what people state is kept in their own words, what was said before is not kept twice.
"""

from asyncio import get_running_loop
from collections.abc import Callable, Coroutine, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from functools import partial, update_wrapper
from typing import Any, Concatenate, Final, ParamSpec, Self, TypeVar

from recollect.composition import open as open_memory
from recollect.engine import Recollect
from recollect.surfaces.mem0.messages import Message, messages_of, stated
from recollect.surfaces.mem0.scopes import Mem0ValueError, matches, narrowest, scope_of, tags_of
from recollect.surfaces.mem0.shapes import Item, extras_of, history_of, item_of, metadata_of
from recollect.vocabulary.errors import MemoryNotFound
from recollect.vocabulary.memory import Memory
from recollect.vocabulary.personal import HeardStatement, MemorySettings, Outcome

P = ParamSpec("P")
R = TypeVar("R")

SPACE: Final = "mem0"
_MAX_RESULTS: Final = 1_000
_PAGE: Final = 500
#: One store keeps for everybody here, so the cap of one person's entries does not hold.
_UNCAPPED: Final = 1_000_000
_NEW: Final = (Outcome.KEPT, Outcome.REPLACED, Outcome.ASKED)


class Mem0Memory:
    """mem0's ``Memory``. ``config`` may be mem0's own; what it says of providers is not needed."""

    def __init__(self, config: Any = None, **options: Any) -> None:
        named = config.get("recollect", {}) if isinstance(config, Mapping) else {}
        chosen = {"space": SPACE, "client": "mem0", **named, **options}
        self.config = config
        self._memory = open_memory(**chosen)
        self._uncapped = False

    @classmethod
    def from_config(cls, config_dict: Mapping[str, Any]) -> Self:
        """From mem0's configuration; ``{"recollect": {"db": ..., "space": ...}}`` is ours."""
        return cls(config_dict)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def engine(self) -> Recollect:
        """The engine behind it, with everything that mem0 has no words for."""
        return self._memory

    def close(self) -> None:
        """Let the store go."""
        self._memory.close()

    def add(
        self,
        messages: Any,
        *,
        user_id: str | None = None,
        agent_id: str | None = None,
        run_id: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        infer: bool = True,
        memory_type: str | None = None,
        prompt: str | None = None,
    ) -> dict[str, list[Item]]:
        """Keep what was stated; with ``infer=False``, every message as it is."""
        scope = scope_of({"user_id": user_id, "agent_id": agent_id, "run_id": run_id}, None)
        if memory_type not in (None, "procedural_memory"):
            raise Mem0ValueError("Invalid 'memory_type'. Please pass procedural_memory.")
        if isinstance(messages, str) and not messages.strip():
            raise Mem0ValueError("The message is empty. Nothing was kept.")
        found = messages_of(messages)
        if not infer:
            raw = [self._keep(one, scope, metadata, raw=True) for one in found]
            return {"results": [one for one in raw if one is not None]}
        if agent_id and not user_id:
            told = stated(found, by="assistant", day=datetime.now(UTC).date())
            kept = [self._keep(one, scope, metadata) for one in told]
            return {"results": [one for one in kept if one is not None]}
        heard = [
            item
            for message in found
            if message.role == "user"
            for item in self._hear(message, scope, metadata, chosen=isinstance(messages, str))
        ]
        return {"results": heard}

    def get(self, memory_id: str) -> Item | None:
        """One memory; None when there is none of that id."""
        found = self._found(memory_id)
        return None if found is None else item_of(found)

    def get_all(
        self,
        *,
        user_id: str | None = None,
        agent_id: str | None = None,
        run_id: str | None = None,
        filters: Mapping[str, Any] | None = None,
        limit: int = 100,
        top_k: int | None = None,
    ) -> dict[str, list[Item]]:
        """Every memory of somebody, newest first."""
        given = {"user_id": user_id, "agent_id": agent_id, "run_id": run_id}
        scope = scope_of(given, filters)
        wanted = limit if top_k is None else top_k
        items: list[Item] = []
        for memory in self._all(scope):
            item = item_of(memory)
            if matches(scope, item) and matches(filters, item):
                items.append(item)
            if len(items) >= wanted:
                break
        return {"results": items[:wanted]}

    def search(
        self,
        query: str,
        *,
        user_id: str | None = None,
        agent_id: str | None = None,
        run_id: str | None = None,
        limit: int = 100,
        filters: Mapping[str, Any] | None = None,
        threshold: float | None = None,
        rerank: bool = True,
        top_k: int | None = None,
    ) -> dict[str, list[Item]]:
        """What a question is about, best first, each with a score from 0 to 1."""
        if not str(query).strip():
            raise Mem0ValueError("Invalid query: cannot be empty or whitespace-only.")
        scope = scope_of({"user_id": user_id, "agent_id": agent_id, "run_id": run_id}, filters)
        wanted = limit if top_k is None else top_k
        if wanted <= 0:
            return {"results": []}
        several = len(scope) > 1 or bool(filters)
        found = self._memory.recall(
            query,
            kinds=["memory"],
            tags=narrowest(scope) or None,
            limit=min(_MAX_RESULTS, wanted * 10 if several else wanted),
        )
        items: list[Item] = []
        for one in found:
            item = {**item_of(one.item), "score": one.score}  # type: ignore[arg-type]
            fits = matches(scope, item) and matches(filters, item)
            if fits and (threshold is None or one.score >= threshold):
                items.append(item)
        if not items and not threshold:  # "what do you know about me?" is about everything
            everything = self.get_all(filters={**(filters or {}), **scope}, limit=wanted)["results"]
            items = [{**item, "score": 0.0} for item in everything]
        return {"results": items[:wanted]}

    def update(
        self, memory_id: str, data: str, metadata: Mapping[str, Any] | None = None
    ) -> dict[str, str]:
        """Give a memory new words, and new metadata if there is any."""
        memory = self._required(memory_id)
        fields: dict[str, Any] = {"content": data}
        if metadata is not None:
            fields["extras"] = extras_of({**metadata_of(memory), **metadata})
        self._memory.update(memory_id, **fields)
        return {"message": "Memory updated successfully!"}

    def delete(self, memory_id: str) -> dict[str, str]:
        """Put a memory away. Its history stays, as mem0's does."""
        self._required(memory_id)
        self._memory.forget(memory_id)
        return {"message": "Memory deleted successfully!"}

    def delete_all(
        self, user_id: str | None = None, agent_id: str | None = None, run_id: str | None = None
    ) -> dict[str, str]:
        """Put away every memory of somebody."""
        given = {"user_id": user_id, "agent_id": agent_id, "run_id": run_id}
        scope = scope_of(given, None, required=False)
        if not scope:
            raise Mem0ValueError(
                "At least one filter is required to delete all memories.",
                hint="To delete all of them, use reset().",
            )
        for memory in list(self._all(scope)):
            if matches(scope, item_of(memory)):
                self._memory.forget(memory.id)
        return {"message": "Memories deleted successfully!"}

    def history(self, memory_id: str) -> list[Item]:
        """Every change of a memory, oldest first; none for an id that nobody has."""
        found = self._found(memory_id, deleted=True)
        return [] if found is None else history_of(found, self._memory.history(memory_id))

    def reset(self) -> None:
        """Erase every memory for good, with its history."""
        for archived in (False, True):
            while page := self._memory.list(limit=_PAGE, archived=archived, superseded=True).items:
                for memory in page:
                    self._memory.forget(memory.id, for_good=True)

    def chat(self, query: str) -> None:
        """As in mem0, there is none."""
        raise NotImplementedError("Chat function not implemented yet.")

    def _hear(
        self,
        message: Message,
        scope: Mapping[str, str],
        metadata: Mapping[str, Any] | None,
        *,
        chosen: bool,
    ) -> list[Item]:
        """Hear a message as personal memory does, and say what became of it in mem0's words.

        ``chosen`` is a text by itself, which somebody means to be kept: when nothing in it sounds
        lasting, its statements are kept all the same.
        """
        beside: dict[str, Any] = dict(metadata or {})
        if message.name:
            beside["actor_id"] = message.name
        self._lift_cap()
        heard = self._memory.chat.hear(
            message.content, tags=tags_of(scope), extras=extras_of(beside)
        )
        lasting = [one for one in heard.statements if one.outcome is not Outcome.SKIPPED]
        if not lasting and chosen:
            told = stated([message], by="user", day=datetime.now(UTC).date())
            kept = [self._keep(one, scope, metadata) for one in told]
            return [one for one in kept if one is not None]
        return [self._heard_item(one) for one in lasting if one.outcome in _NEW and one.entry]

    def _lift_cap(self) -> None:
        """Let no entry be trimmed for those of others: the cap of 200 is meant for one person. A
        cap that somebody chose stays."""
        if not self._uncapped:
            if self._memory.chat.settings().soft_cap == MemorySettings().soft_cap:
                self._memory.chat.set(soft_cap=_UNCAPPED)
            self._uncapped = True

    def _heard_item(self, one: HeardStatement) -> Item:
        entry = one.entry
        shown: Item = {
            "id": "" if entry is None else entry.id,
            "memory": "" if entry is None else entry.memory.content,
            "event": "ADD" if one.replaced is None else "UPDATE",
        }
        if one.replaced is not None:
            old = self._found(one.replaced, deleted=True)
            shown["previous_memory"] = "" if old is None else old.content
        return shown

    def _keep(
        self,
        message: Message,
        scope: Mapping[str, str],
        metadata: Mapping[str, Any] | None,
        *,
        raw: bool = False,
    ) -> Item | None:
        """Keep a message; None when it was known. mem0 keeps every raw message."""
        beside: dict[str, Any] = dict(metadata or {})
        if raw:
            beside["role"] = message.role
        if message.name:
            beside["actor_id"] = message.name
        kept = self._memory.remember(
            message.content,
            tags=tags_of(scope),
            extras=extras_of(beside),
            source="user_taught",
            repeats="keep" if raw else "merge",
            same_tags=True,
        )
        if kept.times_told > 1:
            return None
        shown: Item = {"id": kept.id, "memory": kept.content, "event": "ADD"}
        if raw:
            shown.update(actor_id=message.name, role=message.role)
        return shown

    def _all(self, scope: Mapping[str, str]) -> Iterator[Memory]:
        cursor: str | None = None
        while True:
            page = self._memory.list(cursor=cursor, limit=_PAGE, tags=narrowest(scope) or None)
            yield from page.items
            cursor = page.next_cursor
            if cursor is None:
                return

    def _found(self, memory_id: str, *, deleted: bool = False) -> Memory | None:
        try:
            found = self._memory.get(memory_id)
        except MemoryNotFound:
            return None
        if not isinstance(found, Memory) or (found.archived and not deleted):
            return None
        return found

    def _required(self, memory_id: str) -> Memory:
        found = self._found(memory_id)
        if found is None:
            raise Mem0ValueError(f"Memory with id {memory_id} not found")
        return found


def _lifted(
    method: Callable[Concatenate[Mem0Memory, P], R],
) -> Callable[Concatenate["AsyncMemory", P], Coroutine[Any, Any, R]]:
    """A method that waits for its turn on the pool instead of blocking the loop."""

    async def call(self: "AsyncMemory", /, *args: P.args, **kwargs: P.kwargs) -> R:
        work = partial(method, self.memory, *args, **kwargs)
        return await get_running_loop().run_in_executor(self.pool, work)

    update_wrapper(call, method)
    return call


class AsyncMemory:
    """mem0's ``AsyncMemory``: the same methods, awaited, on a bounded pool of threads."""

    def __init__(self, config: Any = None, **options: Any) -> None:
        self.memory = Mem0Memory(config, **options)
        self.pool = ThreadPoolExecutor(4, thread_name_prefix="recollect-mem0")

    @classmethod
    async def from_config(cls, config_dict: Mapping[str, Any]) -> Self:
        """From mem0's configuration."""
        return cls(config_dict)

    add = _lifted(Mem0Memory.add)
    get = _lifted(Mem0Memory.get)
    get_all = _lifted(Mem0Memory.get_all)
    search = _lifted(Mem0Memory.search)
    update = _lifted(Mem0Memory.update)
    delete = _lifted(Mem0Memory.delete)
    delete_all = _lifted(Mem0Memory.delete_all)
    history = _lifted(Mem0Memory.history)
    reset = _lifted(Mem0Memory.reset)
    close = _lifted(Mem0Memory.close)
