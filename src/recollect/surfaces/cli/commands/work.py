"""Commands about agents' work from outside its sessions: what runs or waits, QA, accepted, done."""

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from typer import Argument, BadParameter, Option, Typer

from recollect.surfaces.cli.command import CliCommand, CliGroup, command
from recollect.surfaces.cli.session import CommandContext

if TYPE_CHECKING:
    from recollect.engine.for_surfaces import JudgedWork

Unit = Annotated[
    list[str] | None,
    Option("--unit", metavar="NAME=VALUE", help="The unit of work, as spec=007; may be repeated."),
]
Branch = Annotated[
    str | None,
    Option("--branch", metavar="NAME", help="The branch; the one checked out here by default."),
]
SessionId = Annotated[
    str | None, Option("--session", metavar="ID", help="One session, instead of unit or branch.")
]
Methodology = Annotated[
    str, Option("--methodology", metavar="NAME", help="Whose words --unit uses: native, bmad, ...")
]
Note = Annotated[str, Option("--note", metavar="TEXT", help="What else there is to say.")]
Files = Annotated[list[str] | None, Option("--file", metavar="PATH", help="A file of the issue.")]
Modules = Annotated[
    list[str] | None, Option("--module", metavar="NAME", help="A module of the issue.")
]


def sessions(
    session: CommandContext,
    units: Unit = None,
    branch: Annotated[str | None, Option("--branch", metavar="NAME", help="One branch.")] = None,
    methodology: Methodology = "native",
) -> None:
    """Say how work ended: QA, accepted, done.

    Alone, it lists the sessions that are running or wait for a verdict, and the newest.
    A build whose QA failed keeps back what it found out until 'qa --passed'; a spec and a
    review keep it back until 'accept'. It does not matter which process observes them.
    """
    from recollect.surfaces.cli.views import work

    with session.open() as memory:
        found = memory.agents.work.sessions(
            unit=_parts(units), branch=branch or "", methodology=methodology
        )
    session.answer({"items": found}, lambda screen: work.listed(screen, found))


def qa(
    session: CommandContext,
    issue: Annotated[
        list[str] | None, Argument(metavar="[ISSUE]", help="What the reviewer found.")
    ] = None,
    *,
    passed: Annotated[bool, Option("--passed", help="The reviewer found no fault.")] = False,
    severity: Annotated[
        str | None,
        Option("--severity", metavar="HOW", help="critical, high, medium or low."),
    ] = None,
    spec: Annotated[
        str | None, Option("--spec", metavar="NAME", help="The spec that the issue belongs to.")
    ] = None,
    files: Files = None,
    modules: Modules = None,
    fix: Annotated[str | None, Option("--fix", metavar="TEXT", help="What is right.")] = None,
    tried: Annotated[
        str | None, Option("--tried", metavar="TEXT", help="What was tried before.")
    ] = None,
    report: Annotated[
        Path | None,
        Option(
            "--report",
            metavar="FILE",
            help="A JSON list of issues: description, severity, files, fix, ...; - reads it here.",
        ),
    ] = None,
    units: Unit = None,
    branch: Branch = None,
    name: SessionId = None,
    methodology: Methodology = "native",
    note: Note = "",
) -> None:
    """Report what a review of the work found: an issue, a whole report, or --passed.

    Critical and high issues, and those without a severity, become error patterns: agents
    are warned of them. The work they belong to teaches nothing until its review passed.
    An issue of medium or low severity alone, and an empty report, count as passed.

      recollect unit qa "Totals are off by a cent" --severity high --spec 007 --file cart.py
      recollect unit qa --passed --unit spec=007
    """
    from recollect.surfaces.cli.views import work

    words = " ".join(issue or ())
    if (bool(words) + passed + (report is not None)) != 1:
        raise BadParameter("Give an issue, --passed or --report FILE.", param_hint="ISSUE")
    alone = {"severity": severity, "fix": fix, "tried": tried, "files": files, "modules": modules}
    given = {key: value for key, value in alone.items() if value}
    if given and not words:
        raise BadParameter(f"--{next(iter(given))} belongs to an issue.", param_hint="ISSUE")
    issues: list[dict[str, Any]] = [{"description": words, **given}] if words else []
    if report is not None:
        issues = _issues(report)
    with session.open() as memory:
        done = memory.agents.work.qa_report(
            issues, spec=spec, note=note, **_target(units, branch, name, methodology, spec)
        )
    session.answer(done, lambda screen: work.judged(screen, done, _verdict(done, issues)))


def accept(
    session: CommandContext,
    *,
    units: Unit = None,
    branch: Branch = None,
    name: SessionId = None,
    methodology: Methodology = "native",
    note: Note = "",
) -> None:
    """Say that a spec was accepted, or that a review is done.

    What its sessions had kept back until then is learned now.
    """
    from recollect.surfaces.cli.views import work

    with session.open() as memory:
        done = memory.agents.work.accepted(note=note, **_target(units, branch, name, methodology))
    session.answer(done, lambda screen: work.judged(screen, done, "Accepted"))


def done(
    session: CommandContext,
    outcome: Annotated[
        str, Argument(metavar="[OUTCOME]", help="success, failure or partial.")
    ] = "success",
    *,
    units: Unit = None,
    branch: Branch = None,
    methodology: Methodology = "native",
    note: Note = "",
) -> None:
    """Say how a unit of work or a branch ended.

    Planners are told how the unit ended. A success ends the wishes that held for this work
    alone ("for this branch, skip the slow tests").
    """
    from recollect.surfaces.cli.views import work

    with session.open() as memory:
        given = _target(units, branch, None, methodology)
        given.pop("session")
        finished = memory.agents.work.done(outcome, note=note, **given)
    said = "Done" if outcome == "success" else f"Done ({outcome})"
    session.answer(finished, lambda screen: work.judged(screen, finished, said))


def _verdict(done: "JudgedWork", issues: list[dict[str, Any]]) -> str:
    if done.findings:
        return "QA failed"
    return "QA passed (nothing severe)" if issues else "QA passed"


def _target(
    units: list[str] | None,
    branch: str | None,
    name: str | None,
    methodology: str,
    spec: str | None = None,
) -> dict[str, Any]:
    """The work that is meant: what is named, else the branch that is checked out here."""
    parts = _parts(units)
    if not (parts or branch or name or spec):
        from recollect.engine.for_surfaces import branch_of

        branch = branch_of(Path.cwd())
    return {"unit": parts, "branch": branch or "", "session": name, "methodology": methodology}


def _parts(units: list[str] | None) -> dict[str, str]:
    parts: dict[str, str] = {}
    for one in units or ():
        key, sign, value = one.partition("=")
        if not sign or not key.strip() or not value.strip():
            raise BadParameter(f"{one!r} is not NAME=VALUE.", param_hint="--unit")
        parts[key.strip()] = value.strip()
    return parts


def _issues(report: Path) -> list[dict[str, Any]]:
    """The issues of a report."""
    try:
        text = sys.stdin.read() if str(report) == "-" else report.read_text("utf-8")
        found = json.loads(text)
    except (OSError, ValueError) as error:
        raise BadParameter(f"{report} cannot be read: {error}.", param_hint="--report") from None
    if isinstance(found, dict):
        found = found.get("issues")
    if not isinstance(found, list):
        raise BadParameter(f"{report} holds no list of issues.", param_hint="--report")
    return found


unit = Typer(cls=CliGroup, add_completion=False, rich_markup_mode=None, invoke_without_command=True)
unit.callback()(command(sessions))
unit.command("qa", cls=CliCommand)(command(qa))
unit.command("accept", cls=CliCommand)(command(accept))
unit.command("done", cls=CliCommand)(command(done))
