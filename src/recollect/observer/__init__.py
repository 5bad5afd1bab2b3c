"""Observer: turns the actions of agents into memories, through signals, scratchpad and promotion."""
