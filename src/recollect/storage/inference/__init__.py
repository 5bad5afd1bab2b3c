"""Tables of budgets and model calls; the package inference owns them."""
