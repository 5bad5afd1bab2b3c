"""What a channel writes about itself is told from what people say."""

import pytest

from recollect.engine import Recollect
from recollect.research.service_messages import is_service_message


@pytest.mark.parametrize(
    "text",
    [
        "@Gus has joined the channel",
        "<@U0123> has left the channel",
        "Ann Lee set the channel topic: design files and reviews",
        "ada renamed the channel from files to design",
        "bob was added to the channel by ann",
    ],
)
def test_what_a_channel_writes_about_itself_is_known(text: str) -> None:
    assert is_service_message(text)


@pytest.mark.parametrize(
    "text",
    [
        "We left the channel because of the noise.",
        "I set the topic to five partitions",
        "Gus joined the team in May.",
        "Who set the channel topic?",
        "The design files are in the channel.",
    ],
)
def test_what_people_say_is_none(text: str) -> None:
    assert not is_service_message(text)


def test_a_service_message_is_never_cited(memory: Recollect) -> None:
    memory.record("The design files are in the blue folder.", stream="files", author="eve")
    memory.record("@Gus set the channel topic: design files", stream="files", author="Gus")

    for question in ("Where are the design files?", "Who has the design file of the boat?"):
        quotes = [one.quote for one in memory.research(question).citations]
        assert quotes == ["The design files are in the blue folder."]
