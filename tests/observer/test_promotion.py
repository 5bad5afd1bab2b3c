"""Promotion: what is remembered of what was noticed, and why the rest is not."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from recollect.inference.static_embedder import StaticEmbedder
from recollect.observer.candidates import Candidate, SessionType
from recollect.observer.learner import by_words
from recollect.observer.merge import merge
from recollect.observer.promotion import Judge, Known, fields_of, sign_of
from recollect.observer.taxonomy import Signal
from recollect.vocabulary.memory_types import MemoryType

RULE = Candidate(
    signal=Signal.ERROR_RETRY,
    key="rule:errcheck",
    type=MemoryType.ERROR_PATTERN,
    content="The check enforces errcheck.",
    session="s",
)
WISH = Candidate(
    signal=Signal.REFUSAL,
    key="w",
    type=MemoryType.PREFERENCE,
    content="The user said: “no comments”",
    session="s",
    confidence=0.9,
    quote="no comments",
)
TWICE = {(RULE.signal.value, RULE.key): 2}


def embed(texts: Sequence[str]) -> "np.ndarray[Any, Any]":
    words = sorted({word for text in texts for word in text.split()})
    return np.array([[text.split().count(word) for word in words] for text in texts], float)


def reasons(judged: Any) -> list[str]:
    return [one.reason for one in judged.dropped]


def test_what_one_session_shows_waits_for_the_second() -> None:
    once, twice = Judge().judge([RULE], {}, []), Judge().judge([RULE], TWICE, [])

    assert (once.promoted, reasons(once)) == ((), ["not seen in enough sessions"])
    assert [one.sessions for one in twice.promoted] == [2]


def test_a_user_s_words_are_remembered_at_once() -> None:
    (one,) = Judge().judge([WISH], {}, []).promoted

    assert one.confidence > 0.85
    assert fields_of(one)["source"] == "observer_inferred"


def test_a_repeat_is_not_remembered_again() -> None:
    known = Known(RULE.content, frozenset())
    beside = Known(RULE.content, frozenset({"other.go"}))
    elsewhere = Known("The check enforces errcheck in other.go.", frozenset({"other.go"}))
    signed = Known("worded otherwise", frozenset({"x"}), frozenset({sign_of(RULE)}))

    for judge in (Judge(), Judge(embed=embed)):
        assert reasons(judge.judge([RULE], TWICE, [known])) == ["known already"]
        assert reasons(judge.judge([RULE], TWICE, [signed])) == ["known already"]
        assert reasons(judge.judge([RULE], TWICE, [beside])) == ["known already"]
        here = replace(RULE, files=("a.go",))
        assert judge.judge([here], TWICE, [beside]).promoted
        assert judge.judge([here], TWICE, [elsewhere]).promoted
        assert len(judge.judge([RULE, replace(RULE, step=9)], TWICE, []).promoted) == 1


def test_where_embedding_costs_findings_are_compared_by_meaning_too() -> None:
    cause = "`load_cart` caches the session before `login` sets it, so the first request fails."
    again = "The first request fails because `load_cart` caches the session before `login` set it."
    other = "`load_cart` closes the database before `login` reads it."
    known = [Known(cause, frozenset({"src/cart.py", "src/login.py"}))]
    judge = Judge(embed=by_words(StaticEmbedder().word_vectors))
    found = [
        replace(RULE, key=text, content=text, files=("src/cart.py",)) for text in (again, other)
    ]
    seen = {(one.signal.value, one.key): 2 for one in found}

    assert [one.content for one in judge.judge(found, seen, known).promoted] == [other]


def test_a_failed_session_leaves_its_lessons_only() -> None:
    pair = replace(RULE, signal=Signal.CO_ACCESS, key="a", content="a and b", sessions=5)
    dead = replace(
        RULE, signal=Signal.SELF_CORRECTION, type=MemoryType.DEAD_END, content="x", failed=True
    )
    judged = Judge().judge([pair, dead, replace(WISH, failed=True)], {}, [], succeeded=False)

    assert [one.type for one in judged.promoted] == [MemoryType.DEAD_END]
    assert reasons(judged) == ["failed approach", "failed approach"]


def test_what_a_stranger_may_have_said_is_marked_and_unsure_things_are_dropped() -> None:
    tainted = replace(RULE, tainted_by="WebFetch", confidence=0.7 * 0.7)
    doubtful = replace(RULE, key="b", content="other", confidence=0.3, sessions=2)
    judged = Judge().judge([tainted, doubtful], TWICE, [])

    (one,) = judged.promoted
    assert fields_of(one)["needs_review"] is True
    assert "contaminated" in fields_of(one)["tags"]
    assert reasons(judged) == ["not sure enough"]


def test_a_session_type_has_its_cap() -> None:
    many = [replace(WISH, key=str(number), content=f"wish {number}") for number in range(6)]
    judged = Judge().judge(many, {}, [], SessionType.ROADMAP)

    assert len(judged.promoted) == 3
    assert reasons(judged) == ["over the session's cap"] * 3


def test_every_text_passes_the_scanner_and_a_user_s_words_stay() -> None:
    judge = Judge(scan=lambda text: text.replace("secret", "***"))
    judged = judge.judge(
        [WISH, RULE], TWICE, [], wording=lambda found: ["hidden", "Use key=secret."]
    )

    assert [one.content for one in judged.promoted] == [WISH.content, "Use key=***."]


def test_agents_that_agree_are_believed_at_once() -> None:
    (one,) = merge([[RULE], [replace(RULE, confidence=0.75)]])

    assert (one.agents, one.needed_sessions) == (2, 1)
    assert one.confidence == pytest.approx(0.85)
    assert Judge().judge([one], {}, []).promoted
    assert [each.agents for each in merge([[RULE], [WISH]])] == [1, 1]
    assert [each.agents for each in merge([[RULE, RULE]])] == [1]
