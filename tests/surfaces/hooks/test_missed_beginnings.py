"""What a session begins with and did not get in time is given with the next prompt, once."""

import json
from time import time_ns

from recollect.surfaces.hooks.sessions import Sessions
from recollect.surfaces.hooks.spool import Frame, SpoolPosition
from tests.surfaces.hooks.harness import Harness

RULE = "We support Python 3.11 only."
PROMPT = "Go on with the parser."


def teach(harness: Harness) -> None:
    with harness.memory() as memory:
        memory.remember(RULE, type="preference", source="user_taught")


def test_a_beginning_that_was_late_comes_with_the_first_prompt(harness: Harness) -> None:
    teach(harness)
    patient = harness.environment
    harness.environment = {**patient, "RECOLLECT_AGENT_PATIENCE": "0.000001"}
    harness.hook("SessionEnd", "another", reason="other")  # starts a daemon that is always late
    harness.wait_for_writers()
    harness.until((harness.home / "daemon.sock").exists)
    harness.environment = patient

    assert harness.hook("SessionStart", source="startup") == ""
    harness.stop()

    assert RULE in harness.hook("UserPromptSubmit", prompt=PROMPT)
    assert RULE not in harness.hook("UserPromptSubmit", prompt=PROMPT)


def test_a_beginning_that_did_not_arrive_comes_with_the_next_prompt(harness: Harness) -> None:
    teach(harness)
    harness.home.mkdir(exist_ok=True)
    with harness.memory() as memory:
        sessions = Sessions(memory, harness.home, memory.space.name)
        count = iter(range(1, 10))

        def told(event: str, *, arrives: bool, **data: str) -> str:
            payload = json.dumps(
                {"session_id": "one", "cwd": str(harness.project), "hook_event_name": event, **data}
            )
            place = SpoolPosition(0, next(count))
            name = f"{time_ns()}-{place}"
            sessions.take(Frame(name, "claude-code", event, payload.encode(), place))
            answer = sessions.answer(name).decode()
            if not arrives:
                sessions.undelivered(name)
            return answer

        assert RULE in told("SessionStart", source="startup", arrives=False)
        assert RULE in told("UserPromptSubmit", prompt=PROMPT, arrives=False)
        assert RULE in told("UserPromptSubmit", prompt=PROMPT, arrives=True)
        assert RULE not in told("UserPromptSubmit", prompt=PROMPT, arrives=True)
