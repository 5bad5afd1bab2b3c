"""Verdicts on the work of agents' sessions: what a reviewer or whoever accepts the work says."""

from enum import StrEnum


class WorkVerdict(StrEnum):
    """What somebody says of a session's work; the last word counts."""

    QA_PASSED = "qa_passed"
    QA_FAILED = "qa_failed"
    #: The specification was accepted, or the review is done.
    ACCEPTED = "accepted"
