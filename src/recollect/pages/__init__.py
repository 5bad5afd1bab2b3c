"""The page store: spaces, streams and the complete history of what happened on them."""
