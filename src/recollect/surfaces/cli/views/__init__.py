"""Views: how values are shown, drawn in a terminal or as plain text in a pipe."""
