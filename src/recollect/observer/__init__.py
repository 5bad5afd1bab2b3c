"""Observer: turns actions of agents into memories, through signals, scratchpad and promotion."""
