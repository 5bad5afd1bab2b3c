"""Writes the installation as a plugin folder: hooks, MCP server and the command ``/remember``."""

import json
from pathlib import Path
from typing import Any, Final

import recollect
from recollect.surfaces.hooks.daemon_folder import keep_options
from recollect.surfaces.hooks.installer import SERVER, Setup, handlers, server
from recollect.vocabulary.errors import Conflict, StoreError

COMMAND: Final = """\
---
description: Keep something in this project's memory, in your own words.
argument-hint: what to remember
---
The user asked to remember: $ARGUMENTS

Recollect keeps this by itself, through its hook, and says so in a note. Where no such note came,
the tool record_memory keeps it: these words, unchanged, as a preference.
"""


def files(setup: Setup) -> dict[str, str]:
    """Files of the plugin, by their path in the folder."""
    manifest = {
        "name": SERVER,
        "displayName": "Recollect",
        "version": recollect.__version__,
        "description": "A memory for this project: what earlier sessions and its people found out.",
        "license": "Apache-2.0",
        "keywords": ["memory"],
    }
    market = {
        "name": SERVER,
        "owner": {"name": "The Recollect authors"},
        "plugins": [
            {"name": SERVER, "description": manifest["description"], "source": "./"},
        ],
    }
    return {
        ".claude-plugin/plugin.json": _shown(manifest),
        ".claude-plugin/marketplace.json": _shown(market),
        "hooks/hooks.json": _shown(
            {
                "description": "Tells Recollect what happens, and the agent what is known.",
                "hooks": handlers(setup.home, "claude-code"),
            }
        ),
        ".mcp.json": _shown({"mcpServers": {SERVER: server(setup.options)}}),
        "commands/remember.md": COMMAND,
    }


def write(folder: Path, setup: Setup) -> list[Path]:
    """Write the plugin into a new or empty folder."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise Conflict(f"{folder} is not empty. Nothing was changed.", hint="Name a new folder.")
    written = []
    keep_options(setup.base, setup.options)
    try:
        for name, text in files(setup).items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, "utf-8")
            written.append(path)
    except OSError as error:
        raise StoreError(f"{folder} cannot be written: {error}.") from error
    return written


def _shown(value: Any) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"
