"""Every sentence of the panel has its French, with the same places for values."""

import ast
import re
from importlib.resources import files
from pathlib import Path
from string import Formatter

from hypothesis import given
from hypothesis import strategies as st

import recollect
from recollect.inference.budgets import DEFAULTS
from recollect.memories.changes import _COMPARED, _LEVELS
from recollect.memories.contradictions.judge import REASONS
from recollect.pages import authors
from recollect.recall.code import WEIGHTS as CODE_SIGNALS
from recollect.recall.profiles import SIGNALS
from recollect.settings import SETTINGS
from recollect.surfaces.panel.error_texts import error_catalogue, translated_error, values_in
from recollect.surfaces.panel.pages.ask import ANSWER_LINES
from recollect.surfaces.panel.pages.attention import COUNTED_REASONS
from recollect.surfaces.panel.pages.attention import REASONS as STALE
from recollect.surfaces.panel.pages.health import PARTS
from recollect.surfaces.panel.pages.memories import ACTS as _ACTS
from recollect.surfaces.panel.pages.module_map import SIZES
from recollect.surfaces.panel.pages.served import SURFACES, WAYS
from recollect.surfaces.panel.pages.settings import MEANINGS, PROVIDERS
from recollect.surfaces.panel.renderer import SOURCES, catalogue
from recollect.trust.prompt_injection import _rules_with_needs
from recollect.vocabulary import errors
from recollect.vocabulary.agents import Decision, Point, TrustLevel
from recollect.vocabulary.events import EventKind
from recollect.vocabulary.memory import Action
from recollect.vocabulary.memory_types import ListOrder, MemoryType, RelationType, Source
from recollect.vocabulary.retrievals import Verdict
from recollect.vocabulary.spaces import Role
from recollect.vocabulary.streams import StreamKind

#: What a file of SQLite tells of itself; a server tells more, in its administrator's words.
_STORE = ("store", "version", "file", "bytes", "journal_bytes")
_AUDITED = (
    *("forget", "remember", "pin", "unpin", "settings", "incognito_start", "incognito_end"),
    *("supersede", "undo", "share", "unshare", "trim", "repeat", "release", "reject"),
    *("retention", "review", "roll_up"),
)
#: What a score is multiplied by, beside its signals.
_FACTORS = ("recency", "frequency", "phase", "trust", "confidence", "importance")
#: Why a name is probably a member's.
_ALIAS_REASONS = (
    *("the same handle", "the same letters", "the first name", "the last name"),
    "the first letter and the last name",
    "the first name and the first letter of the last",
    "the last name and the first letter",
    "one name begins with the other",
)
_PANEL_FOLDER = Path(recollect.__file__).parent / "surfaces" / "panel"
_SAID = re.compile(r"""_\(\s*(?:"([^"]{1,400})"|'([^']{1,400})')""")


def _said() -> set[str]:
    folder = files("recollect.surfaces.panel").joinpath("templates")
    found: set[str] = set()
    for one in folder.iterdir():
        for double, single in _SAID.findall(one.read_text(encoding="utf-8")):
            found.add(double or single)
    return found


def _named() -> set[str]:
    """Words that templates translate although they are not written in them."""
    named = {one.value for kind in (Action, Decision, ListOrder, Verdict) for one in kind}
    named |= {one.name.lower() for one in TrustLevel} | set(DEFAULTS)
    assert set(SOURCES) == set(Source)
    named |= {one.value.replace("_", " ") for kind in (MemoryType, RelationType) for one in kind}
    named |= set(SIZES.values()) | set(PROVIDERS.values()) | {one.value for one in Role}
    named |= set(REASONS.values()) | {one.replace("_", " ") for one in (*SIGNALS, *_STORE)}
    named |= set(SURFACES.values()) | set(WAYS.values())
    named |= {one.replace("_", " ") for one in (*_COMPARED, *_LEVELS, *_AUDITED, *Point)}
    named |= {rule.reason for rule, _ in _rules_with_needs()}
    named |= (
        set(STALE.values())
        | set(COUNTED_REASONS)
        | set(ANSWER_LINES)
        | set(MEANINGS.values())
        | set(SOURCES.values())
    )
    named.add("answered by a memo of the same question")  # a note of research
    named |= set(SIGNALS.values()) | set(_FACTORS) | {"memory", "event", "code"}
    named |= {one.replace("_", " ") for one in CODE_SIGNALS}
    named |= {one.value.replace("_", " ") for kind in (EventKind, StreamKind) for one in kind}
    named |= {one.help for one in SETTINGS} | set(_ALIAS_REASONS)
    return named | set(PARTS) | {text for text, _ in PARTS.values()}


def _noticed() -> set[str]:
    """What buttons leave for the next page to say."""
    return {
        part.value
        for tree in _trees()
        for call in ast.walk(tree)
        if isinstance(call, ast.Call) and getattr(call.func, "id", "") == "Redirect"
        for told in call.args[1:2]
        for part in ([told.body, told.orelse] if isinstance(told, ast.IfExp) else [told])
        if isinstance(part, ast.Constant) and isinstance(part.value, str)
    }


def _trees() -> list[ast.Module]:
    folder = files("recollect.surfaces.panel")
    return [
        ast.parse(one.read_text(encoding="utf-8"))
        for place in (folder, folder.joinpath("pages"))
        for one in place.iterdir()
        if one.name.endswith(".py")
    ]


def test_every_sentence_has_its_french() -> None:
    noticed = _noticed()
    assert len(noticed) > 10
    missing = sorted((_said() | _named() | noticed | set(_ACTS)) - set(catalogue("fr")))
    assert missing == []


def test_the_reasons_for_an_alias_are_those_that_are_given() -> None:
    source = Path(authors.__file__).read_text(encoding="utf-8")
    assert [one for one in _ALIAS_REASONS if f'"{one}"' not in source] == []


def test_no_french_is_left_over() -> None:
    written = {
        node.value
        for tree in _trees()
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }
    left_over = sorted(set(catalogue("fr")) - _said() - _named() - written)
    assert left_over == []


def test_the_places_for_values_are_the_same() -> None:
    for english, french in catalogue("fr").items():
        assert _places(english) == _places(french), english


def _places(text: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(text) if name}


def test_every_error_of_the_panel_has_its_french_and_none_is_left_over() -> None:
    known = error_catalogue("fr")
    told = {sentence for sentence, _ in _errors(Path(recollect.__file__).parent)}
    own = {sentence for sentence, place in _errors(_PANEL_FOLDER) if place}
    missing = [one for one in sorted(own) if translated_error("fr", one) == one]
    assert missing == []
    left_over = [one for one in known if not any(values_in(one, text) is not None for text in told)]
    assert left_over == []


def test_the_places_for_values_of_errors_are_known() -> None:
    for english, french in error_catalogue("fr").items():
        assert _places(french) <= _places(english), english


def _errors(folder: Path) -> set[tuple[str, str]]:
    """Messages and hints of errors that are raised below a folder; an x stands for each value."""
    names = {name for name, one in vars(errors).items() if isinstance(one, type)}
    return {
        (text, place.name)
        for place in folder.rglob("*.py")
        for call in ast.walk(ast.parse(place.read_text(encoding="utf-8")))
        if isinstance(call, ast.Call) and getattr(call.func, "id", "") in names
        for given in (*call.args[:1], *(one.value for one in call.keywords if one.arg == "hint"))
        if (text := _text_of(given))
    }


def _text_of(given: ast.expr) -> str:
    if isinstance(given, ast.Constant) and isinstance(given.value, str):
        return given.value
    if isinstance(given, ast.JoinedStr):
        return "".join(
            str(one.value) if isinstance(one, ast.Constant) else "x" for one in given.values
        )
    return ""


@given(
    st.lists(st.text("ab {}", max_size=4), min_size=1, max_size=4),
    st.lists(st.text("cd", min_size=1, max_size=5), min_size=4, max_size=4),
)
def test_the_values_of_a_sentence_are_found_again(words: list[str], values: list[str]) -> None:
    plain = [one.replace("{", "").replace("}", "") or " " for one in words]
    sentence = "".join(f"{one}{{v{at}}}" for at, one in enumerate(plain))
    given_values = {f"v{at}": value for at, value in zip(range(len(plain)), values, strict=False)}
    assert values_in(sentence, sentence.format(**given_values)) == given_values
    assert values_in(sentence, "") is None
