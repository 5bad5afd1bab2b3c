"""Exchange of changes between stores: a laptop's file and a server, in both directions."""
