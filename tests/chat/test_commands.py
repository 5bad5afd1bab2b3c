"""Spoken commands: natural variants in English and French, and what is none."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.chat.commands import understand
from recollect.vocabulary.personal import Intent

SAID = {
    Intent.ASK: (
        "what do you remember about my dog?",
        "Do you know anything about Paul?",
        "What did I tell you about the trip?",
        "que sais-tu sur mon chien ?",
        "te souviens-tu de mon anniversaire ?",
        "Can you remember what I told you about Clara?",
        "remember: where did I park?",
        "remind me when the rent is due",
    ),
    Intent.FORGET: (
        "forget that",
        "Please forget what I said about my salary.",
        "delete what you know about Robin",
        "don't remember that",
        "oublie ça",
        "No, actually forget that.",
        "Attends, oublie-le",
        "efface ce que tu sais sur Paul",
        "delete everything about Clara",
        "wipe all you know about my ex",
        "oublie tout ce que je t'ai dit sur Paul",
    ),
    Intent.PIN: ("pin this", "always remember this", "épingle ça", "Could you pin that please?"),
    Intent.MEMORY_OFF: (
        "turn memory off",
        "Switch off your memory",
        "stop remembering things",
        "désactive la mémoire s'il te plaît",
    ),
    Intent.MEMORY_ON: ("turn memory back on", "enable memory", "réactive la mémoire"),
    Intent.INCOGNITO_START: (
        "start incognito for this chat",
        "go incognito",
        "off the record",
        "don't remember this conversation",
        "passe en mode privé",
    ),
    Intent.INCOGNITO_END: ("end incognito", "leave private mode", "quitte le mode privé"),
    Intent.REMEMBER: (
        "remember that I live in Lyon",
        "Note that the code is 4 digits long",
        "souviens-toi que j'habite à Lyon",
        "remember to buy milk",
        "n'oublie pas d'acheter du lait",
        "remind me that the rent is due on the first",
        "rappelle-moi que le loyer augmente en janvier",
    ),
    Intent.SUMMARY: ("what do you know about me?", "que sais-tu de moi ?"),
    Intent.FORGET_ALL: ("forget everything about me", "oublie tout"),
    Intent.UNDO: (
        "undo",
        "take that back",
        "annule",
        "undo aud_01m7ja7e66b76zmvnbez707je0.a-Key_",
        "annule aud_01m7ja7e66b76zmvnbez707je0, merci",
    ),
    Intent.NONE: (
        "I forgot my keys.",
        "The memory of my laptop is 16 GB.",
        "What a nice day!",
        "Je me souviens de cette journée.",
        "x" * 600,
    ),
}


@pytest.mark.parametrize(("intent", "text"), [(i, t) for i, texts in SAID.items() for t in texts])
def test_each_way_to_say_it_is_understood(intent: Intent, text: str) -> None:
    assert understand(text).intent is intent


def test_only_a_whole_word_at_the_end_is_politeness() -> None:
    assert understand("remember that I love snow").about == "I love snow"
    assert understand("forget about the snow, please!").about == "the snow"
    assert understand("forget everything I said about the snow").about == "the snow"
    key = "aud_01m7ja7e66b76zmvnbez707je0.a-key-now"
    assert understand(f"undo {key} now").about == key


def test_what_it_is_about_is_told() -> None:
    assert understand("Please forget what I said about my salary!").about == "my salary"
    assert understand("forget that").about == ""
    assert understand("que sais-tu sur mon chien ?").language == "fr"


@given(st.text(max_size=600))
def test_any_text_is_understood_or_none(text: str) -> None:
    assert understand(text).intent in Intent
