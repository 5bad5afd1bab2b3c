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


def _lifted(
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
                "The memory was closed. Nothing was done.", hint="Open it again to go on."
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

    remember = _lifted(Recollect.remember)
    recall = _lifted(Recollect.recall)
    assemble = _lifted(Recollect.assemble)
    predict = _lifted(Recollect.predict)
    expand = _lifted(Recollect.expand)
    uses = _lifted(Recollect.uses)
    research = _lifted(Recollect.research)
    plan_research = _lifted(Recollect.plan_research)
    researches = _lifted(Recollect.researches)
    feedback = _lifted(Recollect.feedback)
    retrievals = _lifted(Recollect.retrievals)
    trend = _lifted(Recollect.trend)
    get = _lifted(Recollect.get)
    list = _lifted(Recollect.list)
    update = _lifted(Recollect.update)
    forget = _lifted(Recollect.forget)
    restore = _lifted(Recollect.restore)
    supersede = _lifted(Recollect.supersede)
    pin = _lifted(Recollect.pin)
    verify = _lifted(Recollect.verify)
    history = _lifted(Recollect.history)
    relate = _lifted(Recollect.relate)
    unrelate = _lifted(Recollect.unrelate)
    relations = _lifted(Recollect.relations)
    record = _lifted(Recollect.record)
    record_many = _lifted(Recollect.record_many)
    open_stream = _lifted(Recollect.open_stream)
    streams = _lifted(Recollect.streams)
    set_access = _lifted(Recollect.set_access)
    admit = _lifted(Recollect.admit)
    dismiss = _lifted(Recollect.dismiss)
    join_stream = _lifted(Recollect.join_stream)
    read = _lifted(Recollect.read)
    window = _lifted(Recollect.window)
    replies = _lifted(Recollect.replies)
    revisions = _lifted(Recollect.revisions)
    edit_event = _lifted(Recollect.edit_event)
    delete_event = _lifted(Recollect.delete_event)
    react = _lifted(Recollect.react)
    unreact = _lifted(Recollect.unreact)
    reactions = _lifted(Recollect.reactions)
    pointing_at = _lifted(Recollect.pointing_at)
    import_ = _lifted(Recollect.import_)
    export = _lifted(Recollect.export)
    spaces = _lifted(Recollect.spaces)
    members = _lifted(Recollect.members)
    add_member = _lifted(Recollect.add_member)
    remove_member = _lifted(Recollect.remove_member)
    aliases = _lifted(Recollect.aliases)
    confirm_alias = _lifted(Recollect.confirm_alias)
    withdraw_alias = _lifted(Recollect.withdraw_alias)
    budgets = _lifted(Recollect.budgets)
    change_number = _lifted(Recollect.change_number)
    overview = _lifted(Recollect.overview)
    set_budget = _lifted(Recollect.set_budget)
    stats = _lifted(Recollect.stats)
    health = _lifted(Recollect.health)
    embedder_state = _lifted(Recollect.embedder_state)
    provider_state = _lifted(Recollect.provider_state)
    erase_traces = _lifted(Recollect.erase_traces)
    rebuild_index = _lifted(Recollect.rebuild_index)
    work = _lifted(Recollect.work)
    warm = _lifted(Recollect.warm)
    dead_jobs = _lifted(Recollect.dead_jobs)
    retry_jobs = _lifted(Recollect.retry_jobs)
