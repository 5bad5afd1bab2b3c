"""Optional extras that a plain installation leaves out, and the command to install them.

The command depends on the installer: uv and pipx use an environment of their own, into which a bare
``pip`` would not install, and which they recreate. The source of the installation (a folder, until
it is published) is read from the installation itself.
"""

import json
import sys
from importlib import metadata
from typing import Final
from urllib.parse import unquote, urlsplit

NAME: Final = "recollect"
#: The extras in ``all``; a tool's environment is recreated, so all of these are given again.
ALL: Final = ("code", "mcp", "panel", "postgres", "server")


def how_to_install(extra: str) -> str:
    """The command that adds an extra to this installation, as a sentence."""
    return f"This adds it: {_command(extra)}"


def _command(extra: str) -> str:
    where = sys.prefix.replace("\\", "/")
    whole = "all" if extra in ALL else f"all,{extra}"
    if "/uv/tools/" in where:
        return f'uv tool install --force "{_source()}[{whole}]"'
    if "/pipx/" in where:
        return f'pipx install --force "{_source()}[{whole}]"'
    return f'{sys.executable} -m pip install "{_source()}[{extra}]"'


def _source() -> str:
    """The folder it was installed from, or its name if that was a package index."""
    try:
        direct_url = metadata.distribution(NAME).read_text("direct_url.json")
        address = urlsplit(str(json.loads(direct_url or "{}").get("url", "")))
    except (metadata.PackageNotFoundError, ValueError):
        return NAME
    return unquote(address.path) if address.scheme == "file" else NAME
