"""``python -m recollect`` is the command ``recollect``."""

from recollect.surfaces.cli.main import main

main()
