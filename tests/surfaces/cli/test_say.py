"""Just talking, through the real command line: every sentence is a process of its own."""

import pytest

from tests.surfaces.cli.runner import Processes


class Talking:
    """Says sentences to one store, each in a new process."""

    def __init__(self, process: Processes) -> None:
        self._process = process

    def __call__(self, text: str) -> str:
        ran = self._process("say", text)
        assert ran.code in (0, 1), ran  # 1: what was asked was not done
        return ran.out


@pytest.fixture
def say(process: Processes) -> Talking:
    return Talking(process)


def test_what_is_told_is_kept_without_a_command(say: Talking) -> None:
    assert "I'm vegetarian" in say("I'm vegetarian, keep that in mind")
    assert "I'm vegetarian" in say("what diet do I follow?")


def test_asking_to_remember_is_no_fact(say: Talking) -> None:
    assert "I don't know" in say("Can you remember what I told you about Clara?")
    assert "nothing" in say("what do you remember about Clara?")


def test_chatter_and_requests_are_not_kept(say: Talking) -> None:
    assert say("ok thanks") == ""
    assert say("Make it shorter please") == ""
    assert "nothing here yet" in say("what do you know about me?")


def test_the_newest_place_is_the_answer(say: Talking) -> None:
    say("I live in Toulouse")
    say("We moved to Bordeaux")
    told = say("where do I live?")
    assert "Bordeaux" in told
    assert "Toulouse" not in told


def test_a_date_is_asked_for(say: Talking) -> None:
    assert "I don't know" in say("when is my dentist appointment?")
    say("My dentist appointment is on 3 June at 9:30")
    assert "3 June" in say("when is my dentist appointment?")


def test_a_yes_in_another_process_forgets_everything(say: Talking) -> None:
    say("My sister Ana lives in Porto")
    assert "Say “yes”" in say("forget everything")
    assert "I have forgotten" in say("yes")
    assert "I don't know" in say("where does my sister live?")


def test_a_yes_after_something_else_forgets_nothing(say: Talking) -> None:
    say("My sister Ana lives in Porto")
    say("forget everything")
    say("what do you know about me?")
    assert "no open question" in say("yes")
    assert "Porto" in say("where does my sister live?")


def test_a_french_question_has_a_french_answer(say: Talking) -> None:
    say("J'habite à Arles")
    assert "tu me l'as dit" in say("Où est-ce que j'habite ?")
    assert "Je ne sais pas" in say("Quel est le prénom de mon frère ?")


def test_a_french_conversation_stays_french(say: Talking, process: Processes) -> None:
    say("J'habite à Arles")
    assert "vaut désormais" in say("On a déménagé à Nîmes le mois dernier")
    assert "Nîmes" in say("où est-ce que j'habite ?")
    assert "« Je suis allergique aux noix »" in say("Je suis allergique aux noix")
    assert "« Je suis allergique aux noix »" in say("oublie ce que tu sais sur les noix")
    assert "J'ai oublié" in say("oui")
    assert "C'est annulé" in say("annule")
    assert "Rien de cela ne dure" in process("say", "merci beaucoup").err
    assert "Je retiens" in say("liste de courses : lait, œufs")
    assert "lait" in say("qu'est-ce que je dois acheter ?")


def test_what_an_update_replaced_is_said(say: Talking, process: Processes) -> None:
    say("I drive a 2014 Fiesta")
    say("My sister Ana lives in Porto")
    assert "Replaced: “I drive a 2014 Fiesta”" in say("I've sold the Fiesta")
    ran = process("say", "I live in Porto", "--json")
    assert ran.code == 0
    assert ran.document["replaced_texts"] == []
    assert "Porto" in say("where does my sister live?")


def test_a_yes_in_another_session_is_told_what_is_open(process: Processes) -> None:
    process("say", "The deadline of the report is 15 March", "--session", "monday")
    asked = process("say", "The deadline of the report is 20 March", "--session", "monday")
    assert "Say yes or no" in asked.out
    other = process("say", "yes", "--session", "tuesday")
    assert other.code == 1
    assert "1. I have noted: “The deadline of the report is 15 March”" in other.out
    answered = process("say", "yes", "--session", "monday")
    assert "Replaced: “The deadline of the report is 15 March”" in answered.out


def test_a_forgotten_fact_is_not_quoted_from_its_message(say: Talking) -> None:
    say("I'm allergic to hazelnuts. My sister Mia lives in Lyon.")
    assert "hazelnuts" in say("forget about hazelnuts")
    say("yes")
    assert "hazelnut" not in say("what am I allergic to?")
    assert "hazelnut" not in say("what did I tell you about hazelnuts?").replace("“hazelnuts”", "")
    assert "Lyon" in say("where does my sister live?")
