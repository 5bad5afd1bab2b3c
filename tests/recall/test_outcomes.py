"""A reply that says what is asked for ranks with its question: a decision, a fix, a cause.

One store of several discussions, each with a question, some talk and a reply that begins by saying
what it is. No weight was chosen by the second set of questions; its last four were asked once.
"""

import pytest

from recollect.engine import Recollect
from recollect.index.outcome_marks import CAUSE, DEADLINE, DECISION, FIX, OWNER, SUMMARY, marks_of
from recollect.vocabulary.events import NewEvent
from tests.stores import StoreMaker

TALKS: dict[str, list[tuple[str, str]]] = {
    "jobs": [
        ("ada", "Which job queue should we use for the mail service?"),
        ("bob", "Redis with RQ is what I know best, the queue there is simple."),
        ("cleo", "That is another job for operations: they would have to run Redis."),
        ("ada", "How many jobs an hour do we expect in the queue?"),
        ("bob", "About two thousand, the job queue of the old service had the same."),
        ("cleo", "Kafka would be too much for that."),
        ("bob", "And backups?"),
        ("ada", "Decision: PostgreSQL with SKIP LOCKED, no Redis."),
    ],
    "cache": [
        ("bob", "Do we need a cache in front of the search service?"),
        ("ada", "Latency is fine without one, but the job of warming it is small."),
        ("cleo", "Memcached or nothing, I would say."),
        ("bob", "Decision: no cache until a page takes longer than 300 ms."),
    ],
    "build": [
        ("cleo", "The nightly build fails on the arm machines since Tuesday."),
        ("ada", "Same compiler, same flags as before?"),
        ("bob", "The linker complains about a missing symbol on those only."),
        ("cleo", "I looked at the images, they were updated."),
        ("cleo", "Root cause: the base image moved to musl."),
        ("cleo", "Fix: pin the image to the last glibc release."),
    ],
    "login": [
        ("ada", "People are logged out after the deploy, why does the login expire?"),
        ("bob", "Sessions are kept in memory, are they not?"),
        ("ada", "They were moved to the database last month."),
        ("bob", "**Cause** - the signing key is made anew at every start."),
        ("ada", "Fixed: the key is read from the vault now."),
    ],
    "invoice": [
        ("cleo", "Wann... sorry, when must the new invoices be ready?"),
        ("bob", "The tax office wants them this year."),
        ("cleo", "Deadline: 15 November, with the old layout if need be."),
        ("ada", "Owner: Cleo, with Bob as her second."),
    ],
    "traduction": [
        ("ada", "Quel outil de traduction prenons-nous pour le site ?"),
        ("bob", "DeepL est cher, le site a beaucoup de pages."),
        ("cleo", "Weblate peut rester chez nous."),
        ("ada", "Décision : Weblate, hébergé chez nous."),
    ],
    "chatter": [
        ("bob", "The queue at the canteen was long again, good job we went early."),
        ("ada", "We should decide about lunch sooner."),
        ("cleo", "I never know what to decide there."),
        ("bob", "Nice job on the talk about queues, by the way!"),
        ("ada", "Deciding about the offsite is harder than about any job."),
    ],
}

ASKED = [
    ("what did we decide about the job queue?", "Decision: PostgreSQL"),
    ("decision on the job queue", "Decision: PostgreSQL"),
    ("what was decided about the cache for search?", "Decision: no cache"),
    ("what was the root cause of the nightly build failure?", "Root cause: the base image"),
    ("how was the nightly build on arm fixed?", "Fix: pin the image"),
    ("qu'avons-nous décidé pour l'outil de traduction ?", "Décision : Weblate"),
]

#: Not tuned on.
HELD_OUT = [
    ("which queue did we settle on for jobs?", "Decision: PostgreSQL"),
    ("did the team agree on a job queue in the end?", "Decision: PostgreSQL"),
    ("conclusion about caching search results", "Decision: no cache"),
    ("why did the arm build break?", "Root cause: the base image"),
    ("what caused people to be logged out after the deploy?", "**Cause**"),
    ("what is the solution for the login that expires?", "Fixed: the key"),
    ("what is the deadline for the new invoices?", "Deadline: 15 November"),
    ("who is responsible for the new invoices?", "Owner: Cleo"),
    ("quel choix pour la traduction du site ?", "Décision : Weblate"),
    ("what's the verdict on the search cache?", "Decision: no cache"),
    ("who is in charge of invoices?", "Owner: Cleo"),
    ("pourquoi la compilation nocturne échoue-t-elle sur arm ?", "Root cause: the base image"),
    ("what did the three of us agree for background jobs?", "Decision: PostgreSQL"),
]


@pytest.fixture
def talks(stores: StoreMaker) -> Recollect:
    """Every discussion in a stream of its own, as a static embedder sees it."""
    memory = stores.open(embedder="static")
    for stream, turns in TALKS.items():
        memory.record_many([NewEvent(text, author=who) for who, text in turns], stream=stream)
    return memory


def rank(memory: Recollect, question: str, beginning: str) -> int:
    found = [one.text for one in memory.recall(question, limit=20)]
    return next((n for n, text in enumerate(found, 1) if text.startswith(beginning)), 99)


@pytest.mark.parametrize(("question", "beginning"), ASKED)
def test_reply_ranks_with_its_question(talks: Recollect, question: str, beginning: str) -> None:
    assert rank(talks, question, beginning) <= 3


def test_wordings_that_were_not_tuned_on(talks: Recollect) -> None:
    """Nearly all of them among the first three, and all among the first six."""
    ranks = {question: rank(talks, question, beginning) for question, beginning in HELD_OUT}
    assert max(ranks.values()) <= 6, ranks
    assert sum(place <= 3 for place in ranks.values()) >= len(ranks) - 2, ranks


def test_reply_in_a_thread_of_its_own(stores: StoreMaker) -> None:
    """In a thread the question stands elsewhere; the reply points at it."""
    memory = stores.open(embedder="static")
    asked = memory.record("Which job queue should we use?", stream="general", author="ada")
    for number in range(30):
        memory.record(f"The canteen has soup number {number} today.", stream="general")
    memory.open_stream("thread", kind="thread", parent="general")
    for text in ("Redis?", "Hardly.", "Decision: PostgreSQL SKIP LOCKED, no Redis."):
        memory.record(text, stream="thread", reply_to=asked.id)
    assert rank(memory, "what did we decide about the job queue?", "Decision:") <= 3


def test_decision_about_something_else_stays_behind(talks: Recollect) -> None:
    found = [one.text for one in talks.recall("what did we decide about the job queue?", limit=20)]
    ours = next(n for n, text in enumerate(found) if text.startswith("Decision: PostgreSQL"))
    others = [n for n, text in enumerate(found) if text.startswith("Decision: no cache")]
    assert all(ours < other for other in others)


def test_question_that_asks_for_no_outcome_is_ranked_as_ever(talks: Recollect) -> None:
    answer = talks.recall("who talked about Kafka", explain=True)
    for one in answer:
        assert one.why is not None
        assert "outcome" not in {part.signal for part in one.why.parts}


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Decision: x", DECISION),
        ("**Decision** - x", DECISION),
        ("> DECIDED: x", DECISION),
        ("OK, decision: x", DECISION),
        ("We've decided to x", DECISION),
        ("Décidé : x", DECISION),
        ("On part sur x", DECISION),
        ("Root cause: x", CAUSE),
        ("Fix: x", FIX),
        ("Résolu : x", FIX),
        ("TL;DR x", SUMMARY),
        ("Conclusion: x", SUMMARY),
        ("Deadline: x", DEADLINE),
        ("Responsable : x", OWNER),
        ("Decisions are hard", 0),
        ("The decision: x", DECISION),
        ("I have no decision: x", 0),
        ("fixed-size arrays are faster", 0),
        ("Because of rain", 0),
        ("", 0),
    ],
)
def test_markers(text: str, kind: int) -> None:
    assert marks_of(text) == kind
