"""Updates a space's pairs of files that change together to the checked-out commit."""

from recollect.codegraph import git
from recollect.codegraph.co_change import read_on
from recollect.codegraph.run import Run
from recollect.storage.code import graph, history
from recollect.storage.database import Database, Transaction
from recollect.trust.authorisation import authorise
from recollect.vocabulary.clock import Clock


def weigh_history(database: Database, clock: Clock, run: Run) -> None:
    """Weigh the files that change together, if there are new commits."""
    head = git.head(run.root)
    with database.reading() as transaction:
        access = authorise(transaction, run.viewer, run.space)
        index = graph.get_index(transaction, access)
        if head is None or index is None or index.history_sha == head:
            return
        old = history.sums(transaction, access)
    read = read_on(run.root, old, index.history_sha, graph.commits_summed(index))

    def work(transaction: Transaction) -> None:
        access = authorise(transaction, run.viewer, run.space)
        now = graph.get_index(transaction, access)
        if now is None or now.history_sha != index.history_sha:
            return  # somebody else has read it meanwhile
        history.replace_sums(transaction, run.space.id, old, read.sums)
        version = graph.touch_index(
            transaction,
            run.space.id,
            clock(),
            touched=(),
            weighed=read.weighed,
            history_sha=head,
        )
        run.version = version if run.version and version == run.version + 1 else None

    database.write(work)
    run.commits = read.commits
