"""Parts that a plain installation leaves out, and how whoever runs this adds them.

The command depends on who installed the program: uv and pipx keep it in an environment of its own,
into which a bare ``pip`` would not install.
"""

import sys
from typing import Final

EVERYTHING: Final = "all"


def how_to_install(extra: str) -> str:
    """What to type to add a part to this very installation."""
    return f"{_command(extra)} brings it (in the folder of Recollect's source)."


def _command(extra: str) -> str:
    where = sys.prefix.replace("\\", "/")
    if "/uv/tools/" in where:
        return f"'uv tool install --force \".[{extra}]\"'"
    if "/pipx/" in where:
        return f"'pipx install --force \".[{extra}]\"'"
    return f"'{sys.executable} -m pip install \".[{extra}]\"'"
