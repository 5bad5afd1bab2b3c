"""HTML rendering: templates, filters and translation. Text is never treated as HTML."""

import json
from collections.abc import Mapping
from datetime import UTC, date, datetime
from functools import cache
from hashlib import sha256
from importlib.resources import files
from typing import Any, Final

from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape

from recollect.surfaces.panel.page_request import PageRequest, Rendered
from recollect.vocabulary.clock import Clock
from recollect.vocabulary.ids import short_id
from recollect.vocabulary.memory_types import Source
from recollect.vocabulary.question_texts import only_asks
from recollect.vocabulary.workspace import Memo

LANGUAGES: Final = {"en": "English", "fr": "Français"}
_PACKAGE: Final = "recollect.surfaces.panel"
_HIDDEN: Final = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f")
_LONGEST: Final = 4_000
_NONE: Final = "\N{EN DASH}"
_UNITS: Final = ("", "k", "M", "G")  # of bytes
_STEPS: Final = ((60, "s"), (3_600, "min"), (86_400, "h"), (86_400 * 60, "d"))
#: Files of rules that the panel previews and keeps.
RULE_FILES: Final = ("CLAUDE.md", "AGENTS.md", ".cursorrules", "GEMINI.md")
#: How a memory came to be, in words for people.
SOURCES: Final = {
    Source.AGENT_EXPLICIT: "kept on request",
    Source.OBSERVER_INFERRED: "learned from a session",
    Source.QA_AUTO: "kept from a test run",
    Source.MCP_AUTO: "kept by an MCP client",
    Source.COMMIT_AUTO: "learned from a commit",
    Source.USER_TAUGHT: "taught",
    Source.SYSTEM: "made by Recollect",
    Source.RESEARCHER: "made from an answer",
}


@cache
def catalogue(language: str) -> Mapping[str, str]:
    """Translations of a language, by the English sentences."""
    if language == "en" or language not in LANGUAGES:
        return {}
    text = files(_PACKAGE).joinpath(f"catalogues/{language}.json").read_text(encoding="utf-8")
    found: dict[str, str] = json.loads(text)
    return {key: typeset(told) for key, told in found.items()}


def typeset(text: str) -> str:
    """French without lines that begin with a colon or a question mark."""
    for mark in (":", ";", "?", "!", "»"):
        text = text.replace(f" {mark}", f"\u00a0{mark}")
    return text.replace("« ", "«\u00a0")


def translated(language: str, text: str, **values: object) -> str:
    """Translate a sentence of the panel, and fill in its values."""
    told = catalogue(language).get(text, text)
    return told.format(**values) if values else told


@cache
def asset(name: str) -> bytes:
    """Content of a static file."""
    return files(_PACKAGE).joinpath(f"assets/{name}").read_bytes()


@cache
def asset_mark(name: str) -> str:
    """Version mark in an asset's address, which changes with the asset's content."""
    return sha256(asset(name)).hexdigest()[:12]


@cache
def _environment() -> Environment:
    """The templates, compiled once in a process, whatever number of servers it runs."""
    made = Environment(
        loader=PackageLoader(_PACKAGE, "templates"),
        autoescape=select_autoescape(default=True, default_for_string=True),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    made.filters.update(
        shown=shown_text,
        editable=editable,
        percent=percent,
        number=number,
        size=size,
        decimal=decimal,
        short=short_id,
        moment=moment,
        source_name=SOURCES.__getitem__,
        memo_answer=memo_answer,
    )
    made.globals.update(
        asset_mark=asset_mark, languages=LANGUAGES, rule_file_names=" ".join(RULE_FILES)
    )
    return made


class Renderer:
    """Renders templates into pages."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._environment = _environment()

    def load(self) -> None:
        """Compile every template."""
        for name in self._environment.list_templates(["html"]):
            self._environment.get_template(name)

    def page(self, request: PageRequest, made: Rendered, **standing: Any) -> str:
        """Render a whole page; or only its inner part, when the page's script asks for that."""
        language = request.language

        def told(text: str, **values: object) -> str:
            return translated(language, text, **values)

        now = self._clock()
        return self._environment.get_template(made.template).render(
            request=request,
            frame="fragment.html" if request.fragment else "layout.html",
            _=told,
            ago=lambda at: ago(at, now),
            now=now,
            **standing,
            **made.values,
        )


def shown_text(text: str, most: int = _LONGEST) -> str:
    """Text for a page: control and bidirectional characters are shown as codes.

    A very long text is cut and ends with a count.
    """
    cut = text[:most]
    clean = "".join(_visible(character) for character in cut)
    return f"{clean}… (+{len(text) - most:,})" if len(text) > most else clean


def editable(text: str) -> str:
    """Text for a form field, without control and bidirectional characters."""
    return "".join(one for one in text if _visible(one) == one)


def _visible(character: str) -> str:
    if character in _HIDDEN or (ord(character) < 32 and character not in "\n\t"):
        return f"⟨U+{ord(character):04X}⟩"
    return character


def percent(share: float) -> str:
    """Share from 0 to 1 as a percentage."""
    return f"{round(100 * share)}\u202f%"


def number(count: float) -> str:
    """Count with thousands separators."""
    return f"{count:,.0f}".replace(",", "\u202f")


def decimal(amount: float, language: str, places: int = 1) -> str:
    """Number with some decimal places, with a decimal comma in some languages."""
    told = f"{amount:.{places}f}"
    return told.replace(".", ",") if language == "fr" else told


def size(count: float, language: str = "en") -> str:
    """Number of bytes in readable units."""
    step = 0
    while count >= 1_000 and step < len(_UNITS) - 1:
        count, step = count / 1_000, step + 1
    if language == "fr":
        return f"{count:.3g}\u202f{_UNITS[step]}o".replace(".", ",")
    return f"{count:.3g}\u202f{_UNITS[step]}B"


def memo_answer(memo: Memo) -> str:
    """What the source of a memo says, where the memo itself only keeps a question."""
    if not only_asks(memo.summary):
        return ""
    return next((one.text for one in memo.quotes if one.text and not only_asks(one.text)), "")


def moment(at: datetime | date | None) -> str:
    """Date, or time to the minute, in UTC."""
    if at is None:
        return _NONE
    if isinstance(at, datetime):
        return at.astimezone(UTC).strftime("%Y-%m-%d %H:%M")
    return at.isoformat()


def ago(at: datetime | None, now: datetime) -> str:
    """Elapsed time: 5 min, 3 h, 12 d; a date when it is long ago."""
    if at is None:
        return _NONE
    seconds = max(0, int((now - at).total_seconds()))
    unit = 1
    for limit, name in _STEPS:
        if seconds < limit:
            return f"{seconds // unit} {name}"
        unit = limit if limit <= 86_400 else unit
    return at.astimezone(UTC).strftime("%Y-%m-%d")
