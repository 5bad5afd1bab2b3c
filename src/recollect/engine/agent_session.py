"""Re-exports an agent's session, its tools and its prompt lines, for surfaces that serve agents."""

from recollect.context.fact_lines import MARK, joined
from recollect.context.recorder import EDITS, READS, SEARCHES, SHELLS
from recollect.context.session import AgentSession
from recollect.context.work_state import Progress

__all__ = ["EDITS", "MARK", "READS", "SEARCHES", "SHELLS", "AgentSession", "Progress", "joined"]
