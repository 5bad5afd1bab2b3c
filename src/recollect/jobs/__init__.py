"""Work that is promised in the writer's transaction and done later, each effect exactly once."""
