"""What says that two statements can both hold, and what still says that they cannot."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.engine import Recollect
from recollect.inference.static_embedder import StaticEmbedder
from recollect.memories.contradictions.judge import contradiction, judge_pair
from tests.stores import StoreMaker


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The lease of the job is 2 h 30 min.", "A job's lease: 150 minutes."),
        ("La remise est de 7,5 %.", "Dans le fichier, la remise vaut 0,075."),
        ("Never call the vault from a handler.", "Only the start script may call the vault."),
        ("Ivan drinks coffee every morning.", "Ivan's brother Pavel no longer drinks coffee."),
        ("No deploys on Fridays.", "Hotfixes are the one exception to no deploys on Fridays."),
        ("Server number 1 listens on port 8080.", "Server number 2 listens on port 9090."),
        ("The bus no. 5 leaves at 8:10.", "The bus no. 7 leaves at 8:30."),
        ("my friend Marta lives in Berlin", "my friend Marta works for Zalando"),
        (
            "The test data is reset every night at 02:00.",
            "Test data gets wiped every night at 2 am.",
        ),
        ("Le cache est vidé chaque lundi.", "Les caches sont vidés tous les lundis."),
        ("The cafeteria closes at 14:00.", "The cafeteria opens at 11:00."),
        ("La piscine ouvre à 9 h.", "La piscine ferme à 20 h."),
        ("Sami is allergic to eggs.", "Sami turned 4 yesterday!"),
        ("Rita is not fond of planes.", "Rita met her cousin last night."),
        ("My sister Ana lives in Rome.", "My sister Ana studies law."),
        ("Log lines of LoadRowHandler name the row.", "Log lines of MergePageIndex name the page."),
        ("`parse_row` returns None on an empty line.", "`read_page` never returns None."),
        ("src/a/rows.py is loaded first.", "src/b/pages.py is loaded last, after the others."),
    ],
)
def test_both_can_hold(old: str, new: str) -> None:
    assert not judge_pair(old, new, StaticEmbedder().word_vectors).contradicts


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The lease of the job is 2 h 30 min.", "The lease of the job is 150 seconds now."),
        ("La remise est de 7,5 %.", "La remise est de 9 %."),
        ("Server number 1 listens on port 8080.", "Server number 1 listens on port 9090."),
        ("Ivan drinks coffee every morning.", "Ivan no longer drinks coffee."),
        ("The queue is drained every night.", "The queue was retired."),
        ("The cafeteria closes at 14:00.", "The cafeteria closes at 15:00."),
        ("Sami is allergic to eggs.", "Sami is no longer allergic to eggs, since yesterday."),
        (
            "Invoices are generated on the 3rd of each month.",
            "Invoices go out on the 5th of each month.",
        ),
        ("Le loyer est payé le 3 de chaque mois.", "Le loyer est payé le 8 de chaque mois."),
        ("my friend Marta lives in Berlin", "my friend Marta lives in Hamburg"),
        ("my friend Marta lives in Berlin", "my friend Marta moved to Hamburg"),
        ("`parse_row` returns None on an empty line.", "`parse_row` never returns None."),
        ("Our code is hosted on GitHub.", "Our code is hosted on GitLab now."),
    ],
)
def test_both_cannot_hold(old: str, new: str) -> None:
    assert judge_pair(old, new, StaticEmbedder().word_vectors).contradicts


_SALAD = (
    "one two three deux trois dozen half 3 0 1,000 7,5 % 12:30 2026-05-01 v1.2 $5 port no not "
    "never only since until than of the a la le people servers is was now Monday lundi May p.m. "
    "I my we uses instead moved - : . , ( ) ' é"
).split()
_SALADS = st.lists(st.sampled_from(_SALAD), max_size=14).map(" ".join)


@given(_SALADS, _SALADS)
def test_whatever_is_said_is_judged(old: str, new: str) -> None:
    """Two number words in a row once failed, and with it the write: "two three boxes"."""
    judged = judge_pair(old, new)
    assert 0 <= judged.score <= 1
    assert contradiction(old, new) == (judged if judged.contradicts else None)


def test_a_number_that_counts_nothing_is_remembered(stores: StoreMaker) -> None:
    with stores.open() as memory:
        memory.remember("Bring two three boxes for the move.")
        kept = memory.remember("Bring two three crates for the move.")
        assert kept.content.startswith("Bring two three crates")


_STORY = (
    'The user held the agent back from editing `api/login.py` and said: "let us check" '
    "Found: The login reads the tokens from the session instead of the header. The expiry of a "
    "login token is {expiry} minutes. Changed for it: `check_token` in `api/login.py`, and the "
    "tests of the session now run without a server. Should we warn the user?"
)
_OTHER_STORY = (
    'The user said: "please do not stash anything any more" Found: The '
    "warning of the worker replaces the old one, and is printed once in place of twice. Changed "
    "for it: `warn` in `jobs/worker.py`. The setting is off now, and nobody reads it. Is the old "
    "name still needed by the login?"
)


@pytest.mark.parametrize(
    ("other", "contradicts"),
    [
        (_OTHER_STORY, False),
        (_STORY.format(expiry=30), False),
        (_STORY.format(expiry=45), True),
        ("The expiry of a login token is 45 minutes.", True),
        ("The expiry of a login token is 30 minutes.", False),
    ],
)
def test_long_texts_are_held_against_each_other_by_their_sentences(
    other: str, contradicts: bool
) -> None:
    judged = judge_pair(_STORY.format(expiry=30), other, StaticEmbedder().word_vectors)
    assert judged.contradicts is contradicts, judged


def test_what_a_program_noted_of_sessions_contradicts_nothing(stores: StoreMaker) -> None:
    """Until somebody confirms it; a wish that was overheard can be contradicted at once."""
    with stores.open(embedder="static") as memory:
        kinds = [("observer_inferred", "gotcha"), ("observer_inferred", "preference")]
        for source, kind in kinds:
            for port in (5432, 6543):
                memory.remember(
                    f"The {kind} database listens on port {port}.", source=source, type=kind
                )
        memory.evolution.run()
        found = [one.a.type for one in memory.contradictions.list().items]
        assert found == ["preference"]


def noted(memory: Recollect, words: str) -> str:
    """What an observer keeps of a turn: the quoted words, and where something was changed."""
    text = f"The user said: “{words}” Changed for it: `check` in `src/api/login.py`."
    kept = memory.remember(
        text, source="observer_inferred", type="preference", files=["src/api/login.py"]
    )
    return kept.id


@pytest.mark.parametrize(
    ("earlier", "later", "contradicts"),
    [
        ("yeah let's fix the rest as well", "ok cool, let's answer the comment instead", False),
        ("keep each commit small please", "we don't need to commit the plan", False),
        ("instead of two flags print one line", "instead of two flags print one line", False),
        ("could we write the tests in Go?", "the tests are written in Python", False),
        ("Commit messages are written in English.", "Commit messages are written in French.", True),
        ("The login session lasts 30 minutes.", "ok. The login session lasts 45 minutes.", True),
    ],
)
def test_turns_that_a_program_noted_contradict_where_they_are_about_the_same(
    stores: StoreMaker, earlier: str, later: str, contradicts: bool
) -> None:
    with stores.open(embedder="static") as memory:
        pair = {noted(memory, earlier), noted(memory, later)}
        memory.evolution.run()
        found = [{one.a.id, one.b.id} for one in memory.contradictions.list().items]
        assert found == ([pair] if contradicts else [])


def test_a_persons_word_is_held_against_what_a_note_quotes_and_not_against_the_rest(
    stores: StoreMaker,
) -> None:
    with stores.open(embedder="static") as memory:
        noted(memory, "The login session lasts 30 minutes.")
        memory.remember("The login session lasts 45 minutes.")
        assert len(memory.contradictions.list().items) == 1
        noted(memory, "please look at the staging host")
        memory.remember("The check in src/api/login.py is not changed any more.")
        assert len(memory.contradictions.list().items) == 1
