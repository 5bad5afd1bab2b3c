"""How well the words of a question are met by an entry, compared with all others."""

import numpy as np

from recollect.chat.answers.shared_readings import SharedReadings
from recollect.chat.answers.word_alignment import aligned, alignment_features, with_siblings
from recollect.inference.static_embedder import StaticEmbedder

TEXTS = ["Liv started playing the bassoon", "Liv likes soup", "The bin is green", "We live in Bonn"]


def test_the_entry_with_the_nearest_word_stands_out() -> None:
    nothing = np.zeros((len(TEXTS), 1))
    readings = SharedReadings(StaticEmbedder().word_vectors)
    near = aligned(readings, ["instrument"], TEXTS, nothing, nothing)
    rows = alignment_features(near, [1.0], [True])
    assert rows[0]["align_thing_behind"] == 0.0
    assert rows[0]["align_thing_ahead"] > 0.0
    assert all(row["align_thing_behind"] > 0.0 for row in rows[1:])


def test_the_same_word_is_nearest_and_a_word_of_the_concept_near() -> None:
    same, like = np.zeros((4, 1)), np.zeros((4, 1))
    same[1, 0] = like[2, 0] = 1.0
    near = aligned(SharedReadings(None), ["soup"], TEXTS, same, like)
    assert near[:, 0].tolist() == [0.0, 1.0, 0.75, 0.0]


def test_without_words_there_is_nothing_to_align() -> None:
    assert alignment_features(np.zeros((3, 0)), [], []) == [{}, {}, {}]


def test_entries_about_the_person_asked_for_are_compared_with_each_other() -> None:
    rows = [{"named": 1.0, "align_thing_away": 0.5}, {"related": 1.0}, {}]
    with_siblings(rows)
    assert rows[0]["sibling_away"] == 0.5
    assert rows[0]["sibling_alone"] == 0.0
    assert rows[2] == {"sibling_not": 1.0}
