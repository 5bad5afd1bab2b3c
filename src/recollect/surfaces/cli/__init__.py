"""Command-line interface. Modules are loaded only once the command that needs them is known."""
