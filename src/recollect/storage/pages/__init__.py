"""Tables of spaces, streams and events, for the package pages."""
