"""The commands, a few to a module; a module is loaded when one of its commands is typed."""
