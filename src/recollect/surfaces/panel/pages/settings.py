"""Settings page: store and embedder, model budgets, retention, and failed jobs."""

from typing import Final

from recollect import __version__
from recollect.surfaces.panel.page_request import (
    GET,
    POST,
    PageRequest,
    PageRoute,
    Redirect,
    Rendered,
)
from recollect.vocabulary.errors import InvalidInput, NotAllowed

#: Providers that can be tested, and their names on the page.
PROVIDERS: Final = {"embedder": "Embedder", "reranker": "Reranker", "model": "Language model"}
#: Names of the stores.
STORES: Final = {"sqlite": "SQLite", "postgresql": "PostgreSQL"}
#: What a budget of each kind counts.
MEANINGS: Final = {
    "embeddings": "texts turned into vectors by a server",
    "enrichments": "descriptions of memories and code",
    "queries": "questions answered by research",
    "iterations": "rounds of search for those questions",
    "cents": "the price of all calls",
}


def settings(request: PageRequest) -> Rendered:
    """Show the store, the embedder, budgets and jobs."""
    memory = request.memory
    here = next((one for one in memory.spaces() if one.id == memory.space.id), memory.space)
    try:
        dead = memory.dead_jobs()
    except NotAllowed:
        dead = ()
    figures = memory.stats()
    configured = () if request.logged_in else request.configured
    in_use = {one.name: one.value for one in configured if one.name in PROVIDERS}
    return Rendered(
        "settings.html",
        {
            "retention_days": here.retention_days,
            "figures": figures,
            "budgets": memory.budgets(),
            "dead": dead,
            "version": __version__,
            "configured": configured,
            "stores": STORES,
            "in_use": in_use | {"embedder": figures["embedder"]},
            "meanings": MEANINGS,
            "providers": PROVIDERS,
        },
    )


def test_provider(request: PageRequest) -> Redirect:
    """Test whether a provider answers."""
    well, said = request.memory.provider_state(request.form.get("provider"))
    done = "it answers: {said}" if well else "it does not answer: {said}"
    return Redirect("/panel/settings", done, values={"said": said})


def set_budget(request: PageRequest) -> Redirect:
    """Set the monthly budget of a kind."""
    allowed = request.form.get("allowed")
    try:
        amount = float(allowed) if allowed else None
    except ValueError as error:
        raise InvalidInput("A budget is a number. Nothing was changed.") from error
    request.memory.set_budget(request.form.get("kind"), amount)
    return Redirect("/panel/settings", "saved")


def set_retention(request: PageRequest) -> Redirect:
    """Set after how many days the nightly run deletes things from this space."""
    days = request.form.get("days")
    if days and not days.isdecimal():
        raise InvalidInput("A retention is a number of days. Nothing was changed.")
    request.memory.rights.set_retention(int(days) if days else None)
    return Redirect("/panel/settings", "saved")


def retry(request: PageRequest) -> Redirect:
    """Retry failed jobs."""
    count = request.memory.retry_jobs(request.form.get("job") or None)
    return Redirect("/panel/settings", "waiting again: {count}", values={"count": count})


ROUTES: Final = (
    PageRoute(GET, "/panel/settings", settings),
    PageRoute(POST, "/panel/settings/provider", test_provider),
    PageRoute(POST, "/panel/settings/budget", set_budget),
    PageRoute(POST, "/panel/settings/retention", set_retention),
    PageRoute(POST, "/panel/settings/retry", retry),
)
