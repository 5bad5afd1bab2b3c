"""Tables of spaces, streams and events; only the package pages owns them."""
