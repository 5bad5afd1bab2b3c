"""View of a session review: what it was given, learned (with evidence) and saved."""

from typing import TYPE_CHECKING

from recollect.surfaces.cli.views.memories import event_time
from recollect.surfaces.cli.views.screen import Screen, StyledText
from recollect.surfaces.cli.views.words import counted, shortened
from recollect.vocabulary.own_wishes import is_one_persons_wish

if TYPE_CHECKING:
    from collections.abc import Sequence

    from recollect.engine.for_surfaces import Learned, Review
    from recollect.vocabulary.agents import TrustState
    from recollect.vocabulary.memory import Memory
    from recollect.vocabulary.pagination import Page

    #: A decision in a word, and the memory after it.
    Decided = tuple[str, Memory]

_LEVELS = {1: "cautious", 2: "standard", 3: "confident", 4: "autonomous"}
_ASKS = {
    "all": "everything new is asked about",
    "marked": "only what is marked for review is asked about",
    "none": "nothing is asked about",
}


def full_review(screen: Screen, found: "Review") -> None:
    """The whole review, for a pipe or when there is nothing to decide."""
    heading(screen, found)
    for number, learned in enumerate(found.learned, 1):
        learned_item(screen, learned, number, len(found.learned))
    closing(screen, found)


def heading(screen: Screen, found: "Review") -> None:
    """The session, and the context it was given."""
    run = found.session
    screen.line(
        StyledText(f"Session {run.id}", "bold"),
        StyledText(f" of {run.agent}, "),
        screen.when(run.started_at),
    )
    if run.task:
        screen.line(StyledText(f"  {shortened(run.task, 120)}"))
    screen.line(
        StyledText(
            f"  {counted(run.steps, 'step')}, {counted(run.failures, 'failed command')}; "
            f"reminders took {found.savings.spent:,} tokens"
        )
    )
    if found.remembered:
        screen.line()
        screen.line(StyledText(f"It was reminded of {counted(len(found.remembered), 'note')}:"))
        for given in found.remembered:
            screen.line(
                StyledText(f"  {given.memory.type_name} "),
                screen.name(given.memory.id),
                StyledText(f"  {shortened(given.memory.content, 100)}"),
            )
    screen.line()
    learned = f"{counted(len(found.learned), 'thing')}:" if found.learned else "nothing new."
    screen.line(StyledText(f"It learned {learned}"))


def learned_item(screen: Screen, learned: "Learned", number: int, total: int) -> None:
    """One learned item, and the events it came from."""
    memory = learned.memory
    files = f"  {', '.join(memory.files[:3])}" if memory.files else ""
    said = f"  {learned.decision.value}" if learned.decision else ""
    marked = "" if not memory.needs_review or said else "  to be reviewed"
    screen.line()
    screen.line(
        StyledText(f"  {number}/{total}  {memory.type_name.replace('_', ' ').upper()}", "bold"),
        StyledText(f"{files}{_found_by_qa(memory)}  "),
        screen.name(memory.id),
        StyledText(f"{said}{marked}", "yellow"),
    )
    for line in memory.content.splitlines():
        screen.line(StyledText(f"       {line}"))
    if "contaminated" in memory.tags and memory.needs_review:
        where = ", ".join(memory.provenance.outside)
        screen.line(StyledText(f"       noticed after outside text was read: {where}", "yellow"))
    if is_one_persons_wish(memory):
        whose = memory.provenance.created_by
        screen.line(StyledText(f"       {whose}'s wish: only {whose}'s agents are told", "dim"))
    for event in learned.evidence:
        screen.line(
            StyledText("       from "),
            event_time(screen, event),
            StyledText(f" {event.author}: {shortened(event.text, 160)}"),
        )


def _found_by_qa(memory: "Memory") -> str:
    """Severity and unit of work of what a reviewer found; empty for everything else."""
    if memory.provenance.source.value != "qa_auto":
        return ""
    unit, spec = memory.work_unit, memory.extras.get("spec")
    of = unit.label if unit else f"spec {spec}" if spec else ""
    said = ", ".join(filter(None, (memory.extras.get("severity"), of)))
    return f"  {said}" if said else ""


def waiting(screen: Screen, page: "Page[Learned]", elsewhere: str = "") -> None:
    """A page of what waits for review, with what can be done about it; ``elsewhere`` says what is
    not held back and still to be reviewed."""
    if not page.items:
        screen.line(
            StyledText(
                "Nothing waits for review."
                if not elsewhere
                else f"Nothing is held back until it is reviewed. {elsewhere}"
            )
        )
        return
    for number, learned in enumerate(page.items, 1):
        learned_item(screen, learned, number, len(page.items))
    screen.line()
    more = f" 'recollect review --waiting --cursor {page.next_cursor}' shows the next."
    screen.line(
        StyledText(
            "Decide with recollect review --waiting --confirm ID, --reject ID or --edit ID=TEXT."
            + (more if page.next_cursor else "")
        )
    )


def wishes(screen: Screen, page: "Page[Learned]") -> None:
    """A page of wishes that are one person's each, with what can be done about them."""
    if not page.items:
        screen.line(StyledText("No wish here is one person's alone."))
        return
    for number, learned in enumerate(page.items, 1):
        learned_item(screen, learned, number, len(page.items))
    screen.line()
    more = f" 'recollect review --wishes --cursor {page.next_cursor}' shows the next."
    screen.line(
        StyledText(
            "A second person or a steward makes one the project's: "
            "recollect review --wishes --confirm ID." + (more if page.next_cursor else "")
        )
    )


def closing(screen: Screen, found: "Review") -> None:
    """State of the review, savings, and next steps."""
    if found.state is not None:
        screen.line()
        screen.line(StyledText("Where it stopped:"))
        screen.line(StyledText(f"  {shortened(found.state.content, 400)}"))
    screen.line()
    screen.line(StyledText(_savings(found)))
    standing(screen, found.standing)
    if found.suggests_caution:
        screen.line(
            StyledText(
                f"Much was wrong; 'recollect trust {found.standing.level - 1}' is more careful."
            )
        )
    remaining(screen, found)


def decided(screen: Screen, given: "Sequence[Decided]") -> None:
    """What was just confirmed, corrected or rejected, a line for each."""
    for verb, memory in given:
        screen.line(
            StyledText(f"{verb} {memory.type_name} ", "green"),
            screen.name(memory.id),
            StyledText(f"  {shortened(memory.content, 100)}"),
        )


def remaining(screen: Screen, found: "Review") -> None:
    """What of the session is still to be reviewed, and how."""
    if found.open:
        screen.line(
            StyledText(
                f"{counted(len(found.open), 'thing')} to review: recollect review --confirm ID, "
                "--reject ID, --edit ID=TEXT or --confirm-all."
            )
        )


def standing(screen: Screen, found: "TrustState") -> None:
    """Trust level, and what it is based on."""
    level = found.level
    chosen = f", chosen by {found.chosen_by}" if found.chosen_by else ""
    screen.line(
        StyledText(
            f"Trust level {level.value} ({_LEVELS[level.value]}{chosen}): agents are told what is "
            f"surer than {level.threshold:.2f}, and {_ASKS[level.asks]}."
        )
    )
    said = (
        f"of {counted(found.reviewed, 'thing')} reviewed, {found.confirmed:,} confirmed, "
        f"{found.corrected:,} edited, {found.rejected:,} rejected"
        if found.reviewed
        else "nobody has confirmed, edited or rejected anything yet"
    )
    screen.line(StyledText(f"  {counted(found.sessions, 'session')}; {said}"))


def _savings(found: "Review") -> str:
    savings = found.savings
    if not found.remembered:
        return "Nothing was given from memory, so nothing was saved."
    if savings.source_tokens == 0:
        return (
            f"What the reminders saved cannot be measured; they cost {savings.spent:,} tokens "
            "(none of them has events behind it to compare with)."
        )
    if savings.at_most <= 0:
        return (
            f"The reminders cost {savings.spent:,} tokens and the same had taken "
            f"{savings.source_tokens:,} to find out: nothing was saved this time."
        )
    return (
        f"Saved at most {savings.at_most:,} tokens: what the reminders said had taken "
        f"{savings.source_tokens:,} tokens to find out before, and they cost {savings.spent:,}."
    )
