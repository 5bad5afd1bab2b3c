"""Job queue: work is queued in the writer's transaction, done later, each effect exactly once."""
