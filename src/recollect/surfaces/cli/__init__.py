"""The command line. Nothing here is loaded before the command that needs it is known."""
