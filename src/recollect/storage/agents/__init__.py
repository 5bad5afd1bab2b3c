"""Tables of agents' sessions and of the observations made in them."""
