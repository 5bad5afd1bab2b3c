"""What says that two statements can both hold, and what still says that they cannot."""

import pytest

from recollect.inference.static import StaticEmbedder
from recollect.memories.contradictions.judge import judge_pair


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
    ],
)
def test_both_cannot_hold(old: str, new: str) -> None:
    assert judge_pair(old, new, StaticEmbedder().word_vectors).contradicts
