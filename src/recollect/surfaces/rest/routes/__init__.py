"""Where each path leads, one module for what belongs together."""
