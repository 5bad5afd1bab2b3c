"""The leak test in a process whose visibility function was taken out: what does the wall hold?

python -m tests.trust.unfiltered ADDRESS SEED          says "nothing leaked", or what did
python -m tests.trust.unfiltered ADDRESS SEED --first    asks until something leaks
"""

import importlib.util
import sys
from itertools import product
from pathlib import Path

import pytest
from sqlalchemy import make_url

FILTER = "recollect.storage.access.visibility_filter"
RULES = (
    "return and_(_sources_readable(audience), or_(shared, and_(_MEMBER == 1, _inside(audience))))"
)
NO_RULES = "return audience.c.space_id == _SPACE"


def take_the_filter_out() -> None:
    """Load the module of the filter with rules that let everything of a space through."""
    spec = importlib.util.find_spec(FILTER)
    assert spec is not None
    assert spec.origin is not None
    source = Path(spec.origin).read_text("utf-8")
    assert source.count(RULES) == 1, "the rules moved: this test must follow them"
    module = importlib.util.module_from_spec(spec)
    sys.modules[FILTER] = module
    code = source.replace(RULES, NO_RULES)
    exec(compile(code, spec.origin, "exec"), module.__dict__)


def main(address: str, seed: str, *options: str) -> None:
    take_the_filter_out()

    import recollect
    from recollect.vocabulary.errors import RecollectError
    from tests.clocks import TickingClock
    from tests.embedders import WordEmbedder
    from tests.postgres_databases import WaitingConnection, keep_plans
    from tests.trust.asking import READS
    from tests.trust.test_leaks import SHARE, askers
    from tests.trust.worlds import World

    database = make_url(address).database if "://" in address else None
    if database is not None:
        keep_plans(database)
    memory = recollect.open(
        address, user="ada", embedder=WordEmbedder(), worker=False, clock=TickingClock()
    )
    world = World(memory, int(seed), share=SHARE)
    world.shuffle()
    leaks = 0
    for asker, ask in product(askers(world, [(memory, False)]), READS):
        try:
            ask(asker)
        except (AssertionError, RecollectError, pytest.fail.Exception) as error:
            leaks += 1
            print(f"{asker.person.user} in {asker.space.name}: {ask.__name__}: {error}")
            if "--first" in options:
                break
    memory.close()
    if database is not None:
        WaitingConnection.end_all(database)
    print("nothing leaked" if not leaks else f"{leaks} leaks")


if __name__ == "__main__":
    main(*sys.argv[1:])
