"""The same API for asyncio: each call runs on a bounded pool of threads."""

from asyncio import get_running_loop
from collections.abc import AsyncIterator, Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial, update_wrapper
from typing import Any, Concatenate, ParamSpec, Self, TypeVar

from recollect.engine.verbs import Recollect
from recollect.vocabulary.errors import StoreClosed
from recollect.vocabulary.research import ResearchStep

P = ParamSpec("P")
R = TypeVar("R")


def _async_version(
    verb: Callable[Concatenate[Recollect, P], R],
) -> Callable[Concatenate["AsyncRecollect", P], Coroutine[Any, Any, R]]:
    """An asynchronous version of a verb that runs in the pool instead of blocking the loop."""

    async def call(self: "AsyncRecollect", /, *args: P.args, **kwargs: P.kwargs) -> R:
        return await self.run(partial(verb, self.memory, *args, **kwargs))

    update_wrapper(call, verb)
    return call


class AsyncGroup:
    """A group of verbs, each of which runs in the pool."""

    def __init__(
        self, verbs: object, run: Callable[[Callable[[], Any]], Coroutine[Any, Any, Any]]
    ) -> None:
        self._verbs = verbs
        self._run = run

    def __getattr__(self, name: str) -> Callable[..., Coroutine[Any, Any, Any]]:
        verb = getattr(self._verbs, name)

        async def call(*args: Any, **kwargs: Any) -> Any:
            return await self._run(partial(verb, *args, **kwargs))

        update_wrapper(call, verb)
        return call


class AsyncRecollect:
    """The same API for asyncio, on a bounded pool of threads: further calls wait in a queue."""

    def __init__(
        self, memory: Recollect, *, threads: int = 8, pool: ThreadPoolExecutor | None = None
    ) -> None:
        self.memory = memory
        self._pool = pool or ThreadPoolExecutor(threads, thread_name_prefix="recollect")

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def run(self, call: Callable[[], R]) -> R:
        """Run anything on the pool."""
        try:
            waiting = get_running_loop().run_in_executor(self._pool, call)
        except RuntimeError as error:  # the pool takes nothing more
            raise StoreClosed(
                "The memory was closed. Nothing was done.", hint="Open it again to continue."
            ) from error
        return await waiting

    async def close(self) -> None:
        """Finish what is under way and let the store go; a second time changes nothing."""
        with suppress(StoreClosed):
            await self.run(self.memory.close)
        self._pool.shutdown()

    async def within(self, **options: Any) -> "AsyncRecollect":
        """The same store and pool, for another viewer or another space."""
        view = await self.run(partial(self.memory.within, **options))
        return AsyncRecollect(view, pool=self._pool)

    async def bearing(self, secret: str) -> "AsyncRecollect":
        """The same store and pool, for the viewer of an access token."""
        view = await self.run(partial(self.memory.bearing, secret))
        return AsyncRecollect(view, pool=self._pool)

    async def researching(self, question: str, **options: Any) -> AsyncIterator[ResearchStep]:
        """The steps to an answer as they are made, each on the pool; the last has the answer."""
        steps = self.memory.researching(question, **options)
        while (step := await self.run(lambda: next(steps, None))) is not None:
            yield step

    @property
    def agents(self) -> AsyncGroup:
        """The API for agents, awaited."""
        return AsyncGroup(self.memory.agents, self.run)

    @property
    def chat(self) -> AsyncGroup:
        """Personal memory, awaited."""
        return AsyncGroup(self.memory.chat, self.run)

    @property
    def code(self) -> AsyncGroup:
        """The code graph, awaited."""
        return AsyncGroup(self.memory.code, self.run)

    @property
    def contradictions(self) -> AsyncGroup:
        """Contradictions between memories, awaited."""
        return AsyncGroup(self.memory.contradictions, self.run)

    @property
    def evolution(self) -> AsyncGroup:
        """Nightly maintenance, awaited."""
        return AsyncGroup(self.memory.evolution, self.run)

    @property
    def learning(self) -> AsyncGroup:
        """Learning from agents' sessions, awaited."""
        return AsyncGroup(self.memory.learning, self.run)

    @property
    def people(self) -> AsyncGroup:
        """The people of the space and what they share, awaited."""
        return AsyncGroup(self.memory.people, self.run)

    @property
    def disputes(self) -> AsyncGroup:
        """Disputed memories, awaited."""
        return AsyncGroup(self.memory.disputes, self.run)

    @property
    def rights(self) -> AsyncGroup:
        """A person's data and the lifecycle of a space, awaited."""
        return AsyncGroup(self.memory.rights, self.run)

    @property
    def sync(self) -> AsyncGroup:
        """Sync of this space with a server, awaited."""
        return AsyncGroup(self.memory.sync, self.run)

    @property
    def tokens(self) -> AsyncGroup:
        """Access tokens of this space, awaited."""
        return AsyncGroup(self.memory.tokens, self.run)

    @property
    def metrics(self) -> AsyncGroup:
        """Metrics, awaited."""
        return AsyncGroup(self.memory.metrics, self.run)

    @property
    def workspace(self) -> AsyncGroup:
        """Shared knowledge of a space, awaited."""
        return AsyncGroup(self.memory.workspace, self.run)

    remember = _async_version(Recollect.remember)
    recall = _async_version(Recollect.recall)
    assemble = _async_version(Recollect.assemble)
    predict = _async_version(Recollect.predict)
    expand = _async_version(Recollect.expand)
    uses = _async_version(Recollect.uses)
    research = _async_version(Recollect.research)
    plan_research = _async_version(Recollect.plan_research)
    remembered = _async_version(Recollect.remembered)
    researches = _async_version(Recollect.researches)
    feedback = _async_version(Recollect.feedback)
    retrievals = _async_version(Recollect.retrievals)
    trend = _async_version(Recollect.trend)
    get = _async_version(Recollect.get)
    list = _async_version(Recollect.list)
    update = _async_version(Recollect.update)
    forget = _async_version(Recollect.forget)
    restore = _async_version(Recollect.restore)
    supersede = _async_version(Recollect.supersede)
    pin = _async_version(Recollect.pin)
    verify = _async_version(Recollect.verify)
    history = _async_version(Recollect.history)
    relate = _async_version(Recollect.relate)
    unrelate = _async_version(Recollect.unrelate)
    relations = _async_version(Recollect.relations)
    record = _async_version(Recollect.record)
    record_many = _async_version(Recollect.record_many)
    open_stream = _async_version(Recollect.open_stream)
    streams = _async_version(Recollect.streams)
    set_access = _async_version(Recollect.set_access)
    admit = _async_version(Recollect.admit)
    dismiss = _async_version(Recollect.dismiss)
    join_stream = _async_version(Recollect.join_stream)
    read = _async_version(Recollect.read)
    window = _async_version(Recollect.window)
    replies = _async_version(Recollect.replies)
    revisions = _async_version(Recollect.revisions)
    edit_event = _async_version(Recollect.edit_event)
    delete_event = _async_version(Recollect.delete_event)
    react = _async_version(Recollect.react)
    unreact = _async_version(Recollect.unreact)
    reactions = _async_version(Recollect.reactions)
    pointing_at = _async_version(Recollect.pointing_at)
    import_ = _async_version(Recollect.import_)
    export = _async_version(Recollect.export)
    spaces = _async_version(Recollect.spaces)
    members = _async_version(Recollect.members)
    add_member = _async_version(Recollect.add_member)
    remove_member = _async_version(Recollect.remove_member)
    aliases = _async_version(Recollect.aliases)
    confirm_alias = _async_version(Recollect.confirm_alias)
    withdraw_alias = _async_version(Recollect.withdraw_alias)
    budgets = _async_version(Recollect.budgets)
    change_number = _async_version(Recollect.change_number)
    overview = _async_version(Recollect.overview)
    set_budget = _async_version(Recollect.set_budget)
    stats = _async_version(Recollect.stats)
    health = _async_version(Recollect.health)
    embedder_state = _async_version(Recollect.embedder_state)
    provider_state = _async_version(Recollect.provider_state)
    erase_traces = _async_version(Recollect.erase_traces)
    rebuild_index = _async_version(Recollect.rebuild_index)
    work = _async_version(Recollect.work)
    warm = _async_version(Recollect.warm)
    dead_jobs = _async_version(Recollect.dead_jobs)
    retry_jobs = _async_version(Recollect.retry_jobs)
