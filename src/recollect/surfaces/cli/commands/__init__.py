"""Commands, a few per module; a module is loaded when one of its commands is run."""
