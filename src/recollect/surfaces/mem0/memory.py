"""mem0's ``Memory`` class: the same methods and the same answers, without configuration.

All memories are in one space of one store (``mem0`` unless named otherwise). No model is used:
statements are kept in the speaker's own words, and a repeated statement is not kept twice.
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
#: Soft cap on entries. One owner holds the entries of all users here, so a person's cap is no use.
_UNCAPPED: Final = 1_000_000
_NEW: Final = (Outcome.KEPT, Outcome.REPLACED, Outcome.ASKED)


class Mem0Memory:
    """mem0's ``Memory``. ``config`` may be mem0's own; its provider settings are ignored."""

    def __init__(self, config: Any = None, **options: Any) -> None:
        named = config.get("recollect", {}) if isinstance(config, Mapping) else {}
        chosen = {"space": SPACE, "client": "mem0", **named, **options}
        self.config = config
        self._memory = open_memory(**chosen)
        self._uncapped = False

    @classmethod
    def from_config(cls, config_dict: Mapping[str, Any]) -> Self:
        """Create from mem0's configuration; the key ``{"recollect": {"db": ..., "space": ...}}`` is
        ours.
        """
        return cls(config_dict)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def engine(self) -> Recollect:
        """Underlying engine, with everything that mem0's API does not offer."""
        return self._memory

    def close(self) -> None:
        """Close the store."""
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
        """Store the statements in messages; with ``infer=False``, store every message unchanged."""
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
            statements_found = stated(found, by="assistant", day=datetime.now(UTC).date())
            kept = [self._keep(one, scope, metadata) for one in statements_found]
            return {"results": [one for one in kept if one is not None]}
        heard = [
            item
            for message in found
            if message.role == "user"
            for item in self._process_message(
                message, scope, metadata, chosen=isinstance(messages, str)
            )
        ]
        return {"results": heard}

    def get(self, memory_id: str) -> Item | None:
        """Return one memory; None when there is none with that id."""
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
        """List the memories of a scope, newest first."""
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
        """Search memories, best first, each with a score from 0 to 1."""
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
        if not items and not threshold:  # "what do you know about me?" matches everything
            everything = self.get_all(filters={**(filters or {}), **scope}, limit=wanted)["results"]
            items = [{**item, "score": 0.0} for item in everything]
        return {"results": items[:wanted]}

    def update(
        self, memory_id: str, data: str, metadata: Mapping[str, Any] | None = None
    ) -> dict[str, str]:
        """Replace the text of a memory, and its metadata if given."""
        memory = self._required(memory_id)
        fields: dict[str, Any] = {"content": data}
        if metadata is not None:
            fields["extras"] = extras_of({**metadata_of(memory), **metadata})
        self._memory.update(memory_id, **fields)
        return {"message": "Memory updated successfully!"}

    def delete(self, memory_id: str) -> dict[str, str]:
        """Archive a memory. Its history stays, as in mem0."""
        self._required(memory_id)
        self._memory.forget(memory_id)
        return {"message": "Memory deleted successfully!"}

    def delete_all(
        self, user_id: str | None = None, agent_id: str | None = None, run_id: str | None = None
    ) -> dict[str, str]:
        """Archive every memory of a scope."""
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
        """List the changes of a memory, oldest first; empty for an unknown id."""
        found = self._found(memory_id, deleted=True)
        return [] if found is None else history_of(found, self._memory.history(memory_id))

    def reset(self) -> None:
        """Delete every memory permanently, with its history."""
        for archived in (False, True):
            while page := self._memory.list(limit=_PAGE, archived=archived, superseded=True).items:
                for memory in page:
                    self._memory.forget(memory.id, for_good=True)

    def chat(self, query: str) -> None:
        """Not implemented, as in mem0."""
        raise NotImplementedError("Chat function not implemented yet.")

    def _process_message(
        self,
        message: Message,
        scope: Mapping[str, str],
        metadata: Mapping[str, Any] | None,
        *,
        chosen: bool,
    ) -> list[Item]:
        """Process a message as personal memory does; return the result in mem0's format.

        ``chosen`` marks a text that the caller explicitly wants kept: when none of it is recognised
        as lasting, its statements are stored all the same.
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
            statements_found = stated([message], by="user", day=datetime.now(UTC).date())
            kept = [self._keep(one, scope, metadata) for one in statements_found]
            return [one for one in kept if one is not None]
        return [self._statement_item(one) for one in lasting if one.outcome in _NEW and one.entry]

    def _lift_cap(self) -> None:
        """Raise the default soft cap, so that no entry is trimmed for those of other users.

        The default of 200 is meant for one person. A cap that was set explicitly stays.
        """
        if not self._uncapped:
            if self._memory.chat.settings().soft_cap == MemorySettings().soft_cap:
                self._memory.chat.set(soft_cap=_UNCAPPED)
            self._uncapped = True

    def _statement_item(self, one: HeardStatement) -> Item:
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
        """Store a message; None when it was known already. mem0 stores every raw message."""
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


def _async_version(
    method: Callable[Concatenate[Mem0Memory, P], R],
) -> Callable[Concatenate["AsyncMemory", P], Coroutine[Any, Any, R]]:
    """Wrap a method to run on the thread pool instead of blocking the event loop."""

    async def call(self: "AsyncMemory", /, *args: P.args, **kwargs: P.kwargs) -> R:
        work = partial(method, self.memory, *args, **kwargs)
        return await get_running_loop().run_in_executor(self.pool, work)

    update_wrapper(call, method)
    return call


class AsyncMemory:
    """mem0's ``AsyncMemory``: the same methods as coroutines, on a bounded thread pool."""

    def __init__(self, config: Any = None, **options: Any) -> None:
        self.memory = Mem0Memory(config, **options)
        self.pool = ThreadPoolExecutor(4, thread_name_prefix="recollect-mem0")

    @classmethod
    async def from_config(cls, config_dict: Mapping[str, Any]) -> Self:
        """Create from mem0's configuration."""
        return cls(config_dict)

    add = _async_version(Mem0Memory.add)
    get = _async_version(Mem0Memory.get)
    get_all = _async_version(Mem0Memory.get_all)
    search = _async_version(Mem0Memory.search)
    update = _async_version(Mem0Memory.update)
    delete = _async_version(Mem0Memory.delete)
    delete_all = _async_version(Mem0Memory.delete_all)
    history = _async_version(Mem0Memory.history)
    reset = _async_version(Mem0Memory.reset)
    close = _async_version(Mem0Memory.close)
