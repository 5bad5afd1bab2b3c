"""The command line's fixtures, for the commands that bring mem0's data."""

from tests.surfaces.cli.conftest import cli, empty_store, no_file_yet

__all__ = ["cli", "empty_store", "no_file_yet"]
