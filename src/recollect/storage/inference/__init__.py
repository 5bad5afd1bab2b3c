"""Tables of budgets and model calls, for the package inference."""
