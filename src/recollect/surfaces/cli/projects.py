"""Commands about a project: its space is the project's own, unless another one was named."""

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from recollect.context.projects import Project
    from recollect.engine import Recollect
    from recollect.surfaces.cli.session import Session


def project_here(folder: str | None = None) -> "Project":
    """The project of a folder; of the working directory otherwise."""
    from recollect.context.projects import project_of

    return project_of(Path(folder) if folder else Path.cwd())


def space_of(session: "Session", project: "Project") -> str:
    """The space that was named, or the project's own."""
    named = session.settings["space"]
    return project.space if named.origin == "default" else named.text


def open_project(session: "Session", project: "Project") -> "Recollect":
    """The engine in the project's space."""
    return session.open(space=space_of(session, project))
