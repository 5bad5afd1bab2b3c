"""What of a memory should be embedded: its content alone, or with its type, files and modules.

``python -m benchmarks.memory_texts`` keeps a small project's memories each way and asks the same
questions, through the public API. Some questions name a file or a part of the program, as people at
work do; some only say what happened.
"""

from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final
from unittest.mock import patch

import recollect
from recollect.memories import embedding_jobs, inserter
from recollect.vocabulary.memory import Memory

#: Type, content, files, modules, and the questions that it answers.
KEPT: Final[tuple[tuple[str, str, str, str, tuple[str, ...]], ...]] = (
    (
        "gotcha",
        "Reading stops at the first empty line, so two headers in a row are lost.",
        "src/mail/parser.py",
        "mail",
        (
            "why do headers disappear in the mail parser?",
            "what should I watch out for when parsing messages?",
        ),
    ),
    (
        "decision",
        "We keep times as whole microseconds because floats lost the order of events.",
        "src/store/clock.py",
        "store",
        ("why are timestamps integers?", "what was decided about the clock of the store?"),
    ),
    (
        "error_pattern",
        "KeyError on 'total' when the cart is empty.",
        "src/shop/checkout.py",
        "shop",
        ("checkout crashes without items", "errors in the shop"),
    ),
    (
        "pattern",
        "Every handler returns a function that does the write.",
        "src/jobs/handler.py",
        "jobs",
        ("how are background jobs structured?", "how do handlers write?"),
    ),
    (
        "requirement",
        "Nothing may be sent before the user has agreed.",
        "src/mail/sender.py",
        "mail",
        ("when may we deliver a newsletter?", "what must hold for outgoing mail?"),
    ),
    (
        "dead_end",
        "Caching whole pages made edits invisible for an hour.",
        "src/web/pages.py",
        "web",
        ("did anyone try to cache the site?", "what did not work for web pages?"),
    ),
    (
        "preference",
        "Short functions, no classes with one method.",
        "",
        "",
        ("how does the team like its code?",),
    ),
    (
        "workflow_recipe",
        "Freeze, tag, build the wheel, upload, announce.",
        "tools/release.py",
        "tools",
        ("how do we publish a version?", "steps of the release tool"),
    ),
    (
        "module_insight",
        "All money goes through one rounding function.",
        "src/shop/money.py",
        "shop",
        ("where are prices rounded?", "how does the shop treat money?"),
    ),
    (
        "causal_dependency",
        "The schema and the fixtures change together.",
        "src/store/schema.py",
        "store",
        ("what else must change with the tables?", "what goes with schema.py?"),
    ),
    (
        "gotcha",
        "The connection is shared between threads unless it is asked not to be.",
        "src/store/pool.py",
        "store",
        ("thread trouble with the database", "what to know before touching pool.py?"),
    ),
    (
        "error_pattern",
        "Timeout after 30 seconds when the proxy is asleep.",
        "src/web/client.py",
        "web",
        ("requests hang in the morning", "errors of the web client"),
    ),
    (
        "decision",
        "Passwords are hashed on the server only.",
        "src/users/login.py",
        "users",
        ("where does hashing happen?", "what was decided about signing in?"),
    ),
    (
        "pattern",
        "Views never query; they are given rows.",
        "src/web/views.py",
        "web",
        ("may a view read from the database?", "how are views written?"),
    ),
    (
        "task_calibration",
        "Migrations take three times as long as planned.",
        "src/store/migrations.py",
        "store",
        ("how much time to plan for a migration?",),
    ),
    (
        "gotcha",
        "Tests pass alone but not together: the clock is global.",
        "tests/conftest.py",
        "tests",
        ("why is the suite flaky?", "gotchas of the tests"),
    ),
    (
        "requirement",
        "An export must be readable without the program.",
        "src/store/export.py",
        "store",
        ("what is expected of a backup?", "requirements for export.py"),
    ),
    (
        "dead_end",
        "A second process for parsing doubled the memory and gained nothing.",
        "src/mail/parser.py",
        "mail",
        ("was parallel parsing tried?", "dead ends in the mail module"),
    ),
    (
        "module_insight",
        "Sessions are plain dictionaries that a decorator signs.",
        "src/users/session.py",
        "users",
        ("how does the session cookie work?", "how is users/session built?"),
    ),
    (
        "error_pattern",
        "UnicodeDecodeError for names from the old import.",
        "src/users/legacy.py",
        "users",
        ("strange characters in customer names", "what goes wrong in legacy.py?"),
    ),
    (
        "work_state",
        "Half of the invoices are moved; those of last year wait.",
        "src/shop/invoices.py",
        "shop",
        ("how far is the invoice migration?", "where did we stop with billing?"),
    ),
    (
        "gotcha",
        "A retry sends the mail twice when the answer is slow.",
        "src/mail/sender.py",
        "mail",
        ("customers get the same message two times", "gotchas when sending"),
    ),
    (
        "decision",
        "Search is done in the process and not by a server.",
        "src/search/index.py",
        "search",
        ("why is there no search cluster?", "what was decided for the index?"),
    ),
    (
        "pattern",
        "Errors say what was kept and what to do.",
        "src/errors.py",
        "",
        ("what should a message tell the user?",),
    ),
    (
        "e2e_observation",
        "On a small screen the pay button lies under the keyboard.",
        "src/web/templates/pay.html",
        "web",
        ("phone users cannot finish buying", "observations of the payment page"),
    ),
    (
        "context_cost",
        "Reading the generated client costs forty thousand tokens.",
        "src/web/generated.py",
        "web",
        ("which file should not be opened whole?",),
    ),
)

WAYS: Final[dict[str, Callable[[Memory], str]]] = {
    "content alone": lambda memory: memory.content,
    "type + content": lambda memory: f"{_spoken(memory.type)} {memory.content}",
    "content + files, module": lambda memory: f"{memory.content} {_tied(memory)}",
    "type + content + files, module": lambda memory: (
        f"{_spoken(memory.type)} {memory.content} {_tied(memory)}"
    ),
}


def _spoken(name: str) -> str:
    return name.replace("_", " ")


def _tied(memory: Memory) -> str:
    words = " ".join((*memory.files, *memory.modules))
    return words.replace("/", " ").replace(".", " ").replace("_", " ")


def found(way: Callable[[Memory], str], folder: Path, profile: str) -> tuple[float, float, float]:
    """The share of questions answered by the first, the first three, the first five."""
    with (
        patch.object(inserter, "embedded_text", way),
        patch.object(embedding_jobs, "embedded_text", way),
        recollect.open(folder / "kept.db", embedder="static", worker=False) as memory,
    ):
        wanted: list[tuple[str, str]] = []
        for type, content, files, modules, questions in KEPT:
            kept = memory.remember(content, type=type, files=files.split(), modules=modules.split())
            wanted += [(question, kept.id) for question in questions]
        places = [_place(memory, question, answer, profile) for question, answer in wanted]
    count = len(places)
    return tuple(100 * sum(place <= depth for place in places) / count for depth in (1, 3, 5))  # type: ignore[return-value]


def _place(memory: recollect.Recollect, question: str, answer: str, profile: str) -> int:
    ids = [hit.id for hit in memory.recall(question, limit=20, profile=profile, explicit=False)]
    return ids.index(answer) + 1 if answer in ids else 1_000


def main() -> None:
    """Every way, by the default profile and by vectors alone."""
    print(f"{'':34} {'R@1':>6} {'R@3':>6} {'R@5':>6}")
    for profile in ("workspace", "vectors_by_phase"):
        for name, way in WAYS.items():
            with TemporaryDirectory(prefix="recollect-memory-texts-") as folder:
                one, three, five = found(way, Path(folder), profile)
            label = f"{profile}: {name}"
            print(f"{label:34} {one:6.1f} {three:6.1f} {five:6.1f}")


if __name__ == "__main__":
    main()
