"""Findings of a reviewer: what failed, how severe it is, and which spec it belongs to.

A finding becomes an error pattern. Of a whole report the severe findings do; the others are counted
in the verdict only.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from enum import StrEnum
from typing import Any, Final

from recollect.vocabulary.arguments import checked_name, choice, refuse_unknown, shown
from recollect.vocabulary.errors import InvalidInput

_IMPORTANCE: Final = {"critical": 0.95, "high": 0.85, "medium": 0.6, "low": 0.4}


class Severity(StrEnum):
    """How severe a finding is."""

    CRITICAL = "critical"
    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"

    @property
    def is_severe(self) -> bool:
        """Whether a finding of a report is worth remembering."""
        return self in (Severity.CRITICAL, Severity.HIGH)


@dataclass(frozen=True, slots=True)
class QaFinding:
    """One finding of a reviewer."""

    description: str
    severity: Severity | None = None
    spec: str | None = None
    files: tuple[str, ...] = ()
    modules: tuple[str, ...] = ()
    fix: str | None = None
    tried: str | None = None

    @property
    def content(self) -> str:
        """The finding in sentences."""
        parts = [
            f"{self.description.strip().rstrip('.')}.",
            f"Tried: {self.tried.strip().rstrip('.')}." if self.tried else "",
            f"Right is: {self.fix.strip().rstrip('.')}." if self.fix else "",
        ]
        return " ".join(part for part in parts if part)

    @property
    def extras(self) -> dict[str, str]:
        """Extras of its error pattern."""
        given = {"fix": self.fix, "severity": self.severity, "spec": self.spec}
        return {"error": self.description, **{name: str(one) for name, one in given.items() if one}}

    @property
    def tags(self) -> tuple[str, ...]:
        """Tags by which it can be filtered."""
        severity = (f"severity:{self.severity}",) if self.severity else ()
        return ("qa_failure", *severity, *((f"spec:{self.spec}",) if self.spec else ()))

    @property
    def importance(self) -> float:
        """Importance, by its severity."""
        return _IMPORTANCE[self.severity or Severity.MEDIUM]


def finding_of(description: str, given: Mapping[str, Any]) -> QaFinding:
    """A finding from named values; what it has no field for is refused."""
    known = [one.name for one in fields(QaFinding) if one.name != "description"]
    refuse_unknown(given, known, "A finding of a reviewer")
    if not description.strip():
        raise InvalidInput("A finding of a reviewer needs a description.")
    severity, spec = given.get("severity"), given.get("spec")
    return QaFinding(
        description,
        severity=None if severity is None else choice(Severity, severity, "severity"),
        spec=None if spec is None else checked_name(str(spec), "spec"),
        files=_names(given.get("files"), "files"),
        modules=_names(given.get("modules"), "modules"),
        fix=_text(given.get("fix"), "fix"),
        tried=_text(given.get("tried"), "tried"),
    )


def findings_of(issues: Iterable[Mapping[str, Any]], spec: str | None) -> list[QaFinding]:
    """The findings of a report; ``spec`` is that of every issue which names none."""
    found = []
    for issue in issues:
        if not isinstance(issue, Mapping):
            raise InvalidInput(f"An issue of a report is a mapping, not {shown(issue)}.")
        given = {name: value for name, value in issue.items() if name != "description"}
        if spec is not None:
            given.setdefault("spec", spec)
        found.append(finding_of(str(issue.get("description") or ""), given))
    return found


def _names(given: object, what: str) -> tuple[str, ...]:
    if given is None:
        return ()
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise InvalidInput(f"Give {what} as a list of texts, not as {shown(given)}.")
    return tuple(map(str, given))


def _text(given: object, what: str) -> str | None:
    if given is not None and not isinstance(given, str):
        raise InvalidInput(f"Give {what} as text, not as {shown(given)}.")
    return given
