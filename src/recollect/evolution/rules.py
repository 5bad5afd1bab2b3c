"""The figures by which memories live and fade. One place, so that the docs can show them all."""

from datetime import timedelta
from typing import Final

from recollect.vocabulary.evolution import NightStep
from recollect.vocabulary.retrievals import Verdict

#: What a verdict adds to confidence, and between what.
VERDICTS: Final = {
    Verdict.HELPFUL: 0.05,
    Verdict.CITED: 0.05,
    Verdict.UNHELPFUL: -0.1,
    Verdict.WRONG: -0.1,
}
LEAST_CONFIDENCE: Final = 0.1
MAX_CONFIDENCE: Final = 1.0
#: So many uses without a correction add this much, up to here; so many lift the review flag.
USES: Final = 5
USES_ADD: Final = 0.05
USES_UP_TO: Final = 0.95
USES_LIFT_REVIEW: Final = 10
#: Inferred memories that nobody used for so long are archived.
PRUNED_AFTER: Final = timedelta(days=180)
#: What was not used for so many half-lives is archived.
HALF_LIVES: Final = 3.0
#: Superseded memories that nobody used for so long are archived.
SUPERSEDED_AFTER: Final = timedelta(days=90)
#: What a night archived is deleted so much later, after so many nights at least.
GRACE: Final = timedelta(days=30)
GRACE_NIGHTS: Final = 7
#: Episodes are summarised and compressed when they are so old.
SUMMARISED_AFTER: Final = timedelta(days=7)
COMPRESSED_AFTER: Final = timedelta(days=30)
#: Facts as alike as this are merged; memories as near as this and of one file are tied together.
ALIKE: Final = 0.92
LINKED: Final = 0.6
LOGS_KEPT: Final = timedelta(days=90)
RUNS_KEPT: Final = timedelta(days=400)
#: When so much time passed since the last night, the clock jumped or the machine was off.
CLOCK_JUMP: Final = timedelta(days=45)
#: So many memories are changed in one transaction, and so many looked at for repeats a night.
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
#: Steps that are left out when the clock went back, or jumped.
AGEING: Final = frozenset(
    {
        NightStep.PRUNE,
        NightStep.HALF_LIFE,
        NightStep.FORGET,
        NightStep.DELETE,
        NightStep.RETENTION,
    }
)
