"""Whether what was found answers: words count by how much they say, and questions tell nothing."""

from recollect.inference.static_embedder import StaticEmbedder
from recollect.research.evidence import confidence_of, measured
from recollect.research.questions import read
from recollect.research.replies import evidence_in
from recollect.research.topic_speakers import FoundPassage
from recollect.research.word_matcher import WordMatcher
from recollect.vocabulary.events import Event, EventKind
from tests.research.conversation import START

LEXICON = StaticEmbedder()
ANY = read("Which printer is upstairs?")


def found(*texts: str) -> list[FoundPassage]:
    return [
        FoundPassage(
            Event(
                str(number), "spc", "str", EventKind.MESSAGE, "Bob", text, {}, None, START, START
            ),
            0.5,
        )
        for number, text in enumerate(texts)
    ]


def confidence(question: str, *texts: str) -> float:
    features = measured(read(question), frozenset(), found(*texts), [], LEXICON)
    return confidence_of(features)


def test_words_of_any_text_say_less_than_names_of_things() -> None:
    says = WordMatcher(["think", "kind", "trombone"], LEXICON).says
    assert says[2] > 1.5 * max(says[0], says[1])


def test_without_vectors_all_words_say_the_same() -> None:
    matcher = WordMatcher(["think", "trombone"], None)
    assert matcher.says.tolist() == [1.0, 1.0]
    assert matcher.exact_matches("two trombones, I think").tolist() == [1.0, 1.0]


def test_what_says_much_is_worth_more_than_what_says_little() -> None:
    question = "Which trombone do people think is good?"
    thing = confidence(question, "A trombone from Lyon.")
    little = confidence(question, "I think so.")
    assert little < thing
    assert thing < confidence(question, "People think the trombone is good.")


def test_words_of_one_sentence_are_surer_than_words_here_and_there() -> None:
    question = "When does the ferry to Corsica leave?"
    together = confidence(question, "It rains. The ferry to Corsica leaves at nine. Good night!")
    apart = confidence(question, "The ferry was full. I like Corsica. When do you leave?")
    assert together > apart


def test_a_question_that_nobody_replied_to_is_no_evidence() -> None:
    asked, told = found("Where is the ferry to Corsica?", "The ferry to Corsica is in Toulon.")
    assert evidence_in(ANY, [asked, told], {}) == [told]
    assert evidence_in(ANY, [asked, told], {asked.event.id: told.event}) == [asked, told]
    assert evidence_in(ANY, [asked], {asked.event.id: None}) == []
