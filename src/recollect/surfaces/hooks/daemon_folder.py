"""Folder in which the hooks of an installation reach their daemon.

Without options it is one folder per user. An installation that names a store, a space or a user has
its own subfolder, which holds these options: the daemon that is started there uses them, whatever
the environment of the agent says.
"""

import hashlib
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Final

#: Options that an installation may name, each under the name of its setting.
NAMES: Final = ("db", "space", "user", "embedder")
_FILE: Final = "options.json"
_STORES: Final = "stores"


def home_of(base: Path, options: Mapping[str, str]) -> Path:
    """Path of the folder for the given options; creates nothing."""
    if not options:
        return base
    digest = hashlib.blake2b(_shown(options).encode("utf-8", "replace"), digest_size=6)
    return base / _STORES / digest.hexdigest()


def keep_options(base: Path, options: Mapping[str, str]) -> Path:
    """Create the folder, readable by its owner alone, with the options in it; return its path."""
    home = home_of(base, options)
    if options:
        home.mkdir(parents=True, exist_ok=True, mode=0o700)
        opened = os.open(home / _FILE, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(opened, "w", encoding="utf-8") as file:
            file.write(_shown(options))
    return home


def options_of(home: Path) -> dict[str, str]:
    """Options that were named when hooks were installed with this folder."""
    try:
        found = json.loads((home / _FILE).read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return {name: str(found[name]) for name in NAMES if found.get(name)}


def drop_unused(base: Path, home: Path) -> None:
    """Remove a folder that has not been used yet."""
    if home == base or not home.is_dir():
        return
    if [entry.name for entry in home.iterdir()] == [_FILE]:
        (home / _FILE).unlink()
        home.rmdir()
        if not any(home.parent.iterdir()):
            home.parent.rmdir()


def _shown(options: Mapping[str, str]) -> str:
    return json.dumps(dict(options), indent=2, ensure_ascii=False, sort_keys=True) + "\n"
