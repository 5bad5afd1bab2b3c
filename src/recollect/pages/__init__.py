"""The page store: spaces, streams and the complete history of their events."""
