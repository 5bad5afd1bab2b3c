"""Command ``ask``: answers a question from recorded messages, with citations."""

from typing import Annotated

from typer import Argument, Option

from recollect.surfaces.cli.session import CommandContext


def ask(
    session: CommandContext,
    question: Annotated[list[str], Argument(metavar="QUESTION", help="What you want to know.")],
    *,
    steps: Annotated[
        bool, Option("--steps", help="Show each step: plan, search, reflect.")
    ] = False,
    plan: Annotated[bool, Option("--plan", help="Only show what would be searched for.")] = False,
) -> None:
    """Answer a question, with citations.

    Every sentence cites the message it rests on; 'recollect show ID' opens it. Related memories are
    listed below the answer. Ctrl-C stops it.
    """
    from recollect.surfaces.cli.views import research
    from recollect.vocabulary.research import StepKind

    text = " ".join(question)
    with session.open(says_who_belongs=True) as memory:
        if plan:
            planned = memory.plan_research(text)
            session.answer(planned, lambda screen: research.planned(screen, planned))
            return
        for step in memory.researching(text):
            if step.answer is not None:
                answer = step.answer
            elif steps and step.kind is not StepKind.SENTENCE:
                session.note(research.step_text(step))
        kept = () if session.options.json else memory.remembered(text)
    session.answer(answer, lambda screen: research.answered(screen, answer, kept))
    if answer.id is not None and answer.citations:
        session.note("To say whether it helped: recollect feedback last helpful")
