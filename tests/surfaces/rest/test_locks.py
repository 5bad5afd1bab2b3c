"""A store that others hold: a writer is told to come again, a reader waits for nobody."""

from recollect.storage.access.visibility_filter import acquire_locks
from recollect.storage.database import Transaction
from tests.stores import StoreMaker
from tests.surfaces.rest.conftest import Serve


def test_write_that_waited_too_long_is_told_to_come_again(stores: StoreMaker, serve: Serve) -> None:
    address = stores.ready()
    memory = stores.open(address, settings={"busy_seconds": "0.3"})
    memory.remember("there before")
    ask, holder = serve(memory), stores.database(address)

    def meanwhile(transaction: Transaction) -> None:
        acquire_locks(transaction, [memory.space.id])
        refused = ask("POST", "/v1/memories", {"content": "never"})
        assert refused.status == 503
        assert "retry-after" in refused.headers
        assert refused.error["code"] == "store_busy"
        assert "Nothing of this call was written" in refused.error["message"]
        assert ask("GET", "/v1/memories").status == 200
        assert ask("GET", "/health").status == 200

    holder.write(meanwhile)
    assert ask("POST", "/v1/memories", {"content": "now"}).status == 201
