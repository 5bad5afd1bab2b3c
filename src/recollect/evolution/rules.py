"""Constants of nightly maintenance, in one place so that the docs can show them all."""

from datetime import timedelta
from typing import Final

from recollect.vocabulary.evolution import NightStep
from recollect.vocabulary.retrievals import Verdict

#: Change of confidence by a verdict, and the limits of confidence.
VERDICTS: Final = {
    Verdict.HELPFUL: 0.05,
    Verdict.CITED: 0.05,
    Verdict.UNHELPFUL: -0.1,
    Verdict.WRONG: -0.1,
}
LEAST_CONFIDENCE: Final = 0.1
MAX_CONFIDENCE: Final = 1.0
#: Every ``USES`` uses without a correction add ``USES_ADD``, up to ``USES_UP_TO``; after
#: ``USES_LIFT_REVIEW`` uses the review flag is removed.
USES: Final = 5
USES_ADD: Final = 0.05
USES_UP_TO: Final = 0.95
USES_LIFT_REVIEW: Final = 10
#: Inferred memories that nobody used for this long are archived.
PRUNED_AFTER: Final = timedelta(days=180)
#: Memories that were not used for this many half-lives are archived.
HALF_LIVES: Final = 3.0
#: Superseded memories that nobody used for this long are archived.
SUPERSEDED_AFTER: Final = timedelta(days=90)
#: Memories that a night archived are deleted after this time, and after this many nights at least.
GRACE: Final = timedelta(days=30)
GRACE_NIGHTS: Final = 7
#: Ages at which episodes are summarised and compressed.
SUMMARISED_AFTER: Final = timedelta(days=7)
COMPRESSED_AFTER: Final = timedelta(days=30)
#: Least similarity at which facts are merged, and at which memories of one file are linked.
ALIKE: Final = 0.92
LINKED: Final = 0.6
LOGS_KEPT: Final = timedelta(days=90)
RUNS_KEPT: Final = timedelta(days=400)
#: Time since the last night from which the clock is taken to have jumped, or the machine to have
#: been off.
CLOCK_JUMP: Final = timedelta(days=45)
#: Maximum number of memories changed per transaction, compared per batch, and compared per night.
BATCH: Final = 200
SCAN_BATCH: Final = 50
MAX_SCANNED: Final = 1_000

STEPS: Final = (
    NightStep.FEEDBACK,
    NightStep.USES,
    NightStep.PRUNE,
    NightStep.HALF_LIFE,
    NightStep.FORGET,
    NightStep.SUMMARISE,
    NightStep.COMPRESS,
    NightStep.MERGE,
    NightStep.DELETE,
    NightStep.RETENTION,
    NightStep.LOGS,
)
CONSOLIDATING: Final = (
    NightStep.FORGET,
    NightStep.SUMMARISE,
    NightStep.COMPRESS,
    NightStep.MERGE,
)
#: Steps that depend on age: skipped when the clock went back; after a jump only the deletions are.
AGEING: Final = frozenset(
    {
        NightStep.PRUNE,
        NightStep.HALF_LIFE,
        NightStep.FORGET,
        NightStep.DELETE,
        NightStep.RETENTION,
    }
)
