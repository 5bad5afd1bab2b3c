"""Recovery of a damaged file: surveys what can be saved per table, and saves it to a new store."""

from typing import TYPE_CHECKING

from recollect.surfaces.cli.session import CommandContext
from recollect.vocabulary.errors import RecollectError

if TYPE_CHECKING:
    from recollect.vocabulary.reports import RescueReport

ADVICE = (
    "'recollect doctor --rescue NEW.db' writes what can be read into a new store; "
    "this file is left as it is."
)


def problems(session: CommandContext) -> tuple[str, ...]:
    """Problems that SQLite finds in the file, which is not written to."""
    from recollect import composition

    return composition.damage_of(str(session.place))


def survey(session: CommandContext) -> "tuple[RescueReport | None, str, str | None]":
    """Survey what can be saved of a damaged file: the report, its summary, and advice."""
    from recollect import composition
    from recollect.surfaces.cli.views.rescues import sentence

    try:
        report = composition.survey_damage(str(session.place))
    except RecollectError as error:
        return None, error.message, error.hint
    return report, sentence(report), ADVICE


def rescue(session: CommandContext, target: str) -> "RescueReport":
    """Write what can be read of the file into a new store."""
    from recollect import composition
    from recollect.surfaces.cli.progress import measuring

    with measuring(session, "Rescuing") as advance:
        return composition.rescue(
            session.settings["db"].text or str(session.place),
            target,
            user=session.settings["user"].text or None,
            progress=lambda done, table: advance(done, None, f"{done:,} rows, {table}"),
        )
