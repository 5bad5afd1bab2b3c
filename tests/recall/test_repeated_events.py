"""Prompts typed again and ends of sessions stand behind what says something of its own."""

from recollect.engine import Recollect
from recollect.surfaces.mcp.workspace import NOTHING, WorkspaceTools

PROMPT = "go on with the coupon"


def work(memory: Recollect) -> str:
    """Three sessions on the same, and a note; the id of the note."""
    for number in range(3):
        with memory.session(id=f"session{number}", agent="claude-code") as session:
            session.on_prompt(PROMPT)
            edit = {"file_path": "shop/coupon.py"}
            session.on_tool_call("Edit", edit, call="c1")
            session.on_tool_result("Edit", edit, "coupon.py was changed", call="c1")
            session.on_message("The coupon is in the cart now.", final=True)
            session.finish("partial")
    note = memory.remember("A coupon code expires at midnight, whatever its time zone.")
    memory.work(600)
    return note.id


def test_repeats_and_ends_come_after_everything_else(memory: Recollect) -> None:
    note = work(memory)

    found = memory.recall("coupon", limit=50).found

    texts = [one.text for one in found]
    assert note in [one.id for one in found][:5], "only what says something else is before it"
    firsts = [place for place, text in enumerate(texts) if text not in texts[:place]]
    others = [place for place, text in enumerate(texts) if text in texts[:place]]
    ends = [place for place, text in enumerate(texts) if text == "partial"]
    assert others
    assert max(place for place in firsts if place not in ends) < min(others)
    assert all(place > max(set(firsts) - set(ends)) for place in ends)
    assert texts.count(PROMPT) == 3, "nothing is left out"


def test_messages_of_people_are_no_steps_of_agents(memory: Recollect) -> None:
    work(memory)
    tools = WorkspaceTools(memory)

    lines = tools.search_messages("coupon").splitlines()[1:]

    assert lines
    assert all(PROMPT in line for line in lines)
    assert tools.search_messages("coupon", filters={"from": "nobody"}) == NOTHING
    assert "in the cart now" in tools.search_messages("coupon", filters={"from": "claude-code"})
