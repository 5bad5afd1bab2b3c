"""The secret scanner, which checks everything that is taught or captured.

What a person teaches is refused with the reason, because they can say it again without the secret.
A captured event did happen, so it is stored with a mark in place of the secret. Neither the secret
nor a part of it is ever put into a message.

Ordinary text costs a few microseconds: one pass searches for all the words and patterns that the
rules need, and only the rules whose needs it finds are tried.
"""

import json
from collections.abc import Iterable, Mapping
from typing import Any, Final

from recollect.trust import (
    command_rules,
    number_rules,
    password_rules,
    password_words,
    placed_rules,
    table_rules,
)
from recollect.trust.secret_rules import (
    LIBRARY_NEEDS,
    TELLING,
    TOKENS,
    SecretRule,
    by_need,
    due_places,
    library_rules,
)
from recollect.trust.secret_values import Secret, is_made_up, is_named
from recollect.vocabulary.arguments import checked_name
from recollect.vocabulary.errors import SecretRefused
from recollect.vocabulary.lazy_patterns import lazy_pattern
from recollect.vocabulary.linear_patterns import FoldedText, Presence, shortened

#: Everything that any rule needs, searched for at once.
_PRESENCE: Final = Presence(
    words=(
        *(need for rule in TELLING for need in rule.needs),
        *LIBRARY_NEEDS,
        *password_words.WORDS,
        *command_rules.WORDS,
        *placed_rules.WORDS,
        *number_rules.WORDS,
    ),
    shapes=(*(need for rule in TOKENS for need in rule.needs), *number_rules.SHAPES),
)
#: The rules of tokens and of telling words, each of which needs something; and those of a need.
_RULES: Final = (*TOKENS, *TELLING)
_NEEDING: Final = by_need([rule.needs for rule in _RULES])
_MARK: Final = lazy_pattern(r"\[secret removed: ([^\]\n]{1,60})\]")
_APART: Final = "\n" * 8
_LONGEST_NAME: Final = 200
_LEAST_SPOKEN: Final = 4
#: How often a text is searched again after secrets in it were replaced.
_PASSES: Final = 4


def load_bulk_scanner() -> None:
    """Load the fast multi-pattern search. A single short text is checked faster without it; callers
    with hundreds load it first.
    """
    _PRESENCE.load()


def find_secrets(text: str) -> tuple[Secret, ...]:
    """Every secret in a text, in order; overlapping ones are merged."""
    if len(text) < _LEAST_SPOKEN:
        return ()
    short = shortened(text)
    found = _found(short.text)
    if short.cuts:
        spans = [(one.start, one.end) for one in found]
        found = [Secret(found[place].kind, *span) for place, *span in short.restored(spans)]
    return _apart(sorted(found, key=lambda one: (one.start, -one.end)))


def _found(text: str) -> list[Secret]:
    """All matches of the rules in a text, in any order."""
    reading = FoldedText(text)
    present = _PRESENCE.found(text, reading.folded)
    if not present:
        return []
    rules = [_RULES[place] for place in due_places(_NEEDING, present)]
    if not LIBRARY_NEEDS.isdisjoint(present):
        rules += [rule for rule in library_rules() if _is_due(rule, present)]
    found = [one for rule in rules for one in _matches(rule, reading)]
    low = _lowered(text)
    found += password_rules.find_passwords(text, low, present)
    found += table_rules.find_listed(text, low, present)
    found += command_rules.find_commanded(reading, low, present)
    found += placed_rules.find_placed(reading, present)
    found += number_rules.find_numbers(reading, present)
    return found


def redacted(text: str) -> str:
    """The text with a mark in place of each secret; the same object if there is none."""
    return _opened(_with_marks(text, keep_lines=False))


def redacted_lines(text: str) -> str:
    """The same, with unchanged line numbers: for a file that is chunked and cited by lines."""
    return _with_marks(text, keep_lines=True)


def _with_marks(text: str, *, keep_lines: bool) -> str:
    """Replace secrets by marks; what a mark brings to light is looked for again."""
    for _ in range(_PASSES):
        secrets = find_secrets(text)
        if not secrets:
            return text
        parts, at = [], 0
        for secret in secrets:
            ends = text.count("\n", secret.start, secret.end) if keep_lines else 0
            parts += [text[at : secret.start], mark_of(secret.kind), "\n" * ends]
            at = secret.end
        text = "".join((*parts, text[at:]))
    return text


def redacted_values(value: Any) -> Any:
    """The same for every text inside a JSON value, including its keys."""
    return _cleaned(value, None, 0)


def holds_secret(value: Any) -> bool:
    """Whether a JSON value could contain a secret: fast, with false positives."""
    return _suspected("\n".join(_texts(value)))


def refuse_secrets(texts: Iterable[Any], what: str) -> None:
    """Raise an error that names the kind, if any of the texts and values contains a secret."""
    given = [text for text in texts if text]
    kinds = _kinds([text for text in given if isinstance(text, str)])
    for value in given:
        if not isinstance(value, str) and holds_secret(value):
            kinds += [
                kind for kind in _marked(redacted_values(value)) if kind not in _marked(value)
            ]
    if kinds:
        raise SecretRefused(
            f"The {what} holds what looks like a secret ({', '.join(dict.fromkeys(kinds))}). "
            "Nothing was kept.",
            hint="Say it again without the secret; name where the secret is kept instead.",
        )


def safe_name(name: str, what: str) -> str:
    """A short single-line name without a secret: of a space, a person, a tag."""
    kept = checked_name(name, what)
    refuse_secrets([kept], what)
    return kept


def safe_names(names: Iterable[str]) -> list[str]:
    """Those of some captured names, for example of files, that contain no secret."""
    return [name for name in names if redacted(name) is name]


def mark_of(kind: str) -> str:
    """The mark in place of a secret."""
    return f"[secret removed: {kind}]"


def _kinds(texts: list[str]) -> list[str]:
    """The kinds of the secrets in texts; what belongs together must be in one text."""
    whole = _APART.join(texts)
    kinds = [secret.kind for secret in find_secrets(whole)]
    for text in texts:
        if text[0] in "{[" and (clean := redacted(text)) != text:
            kinds += _marked(clean)
    return kinds


def _marked(value: Any) -> list[str]:
    """The kinds of secrets that the marks in a value name."""
    return [kind for text in _texts(value) for kind in _MARK.findall(text)]


def _suspected(text: str) -> bool:
    """Whether any rule could match at all. Run on everything, so it is fast."""
    return len(text) >= _LEAST_SPOKEN and bool(_PRESENCE.found(text, FoldedText(text).folded))


def _lowered(text: str) -> str:
    """The text in lower case, character for character."""
    low = text.lower()
    if len(low) == len(text):
        return low
    return "".join(small if len(small := sign.lower()) == 1 else sign for sign in text)


def _is_due(rule: SecretRule, present: frozenset[str]) -> bool:
    """Whether a text contains what a rule needs."""
    return not rule.needs or not present.isdisjoint(rule.needs)


def _matches(rule: SecretRule, reading: FoldedText) -> list[Secret]:
    text = reading.text
    return [
        Secret(rule.kind, start, end)
        for start, end in rule.pattern.spans(reading)
        if not (rule.whole_word and _goes_on(text, start)) and not _is_shown(rule, text[start:end])
    ]


def _is_shown(rule: SecretRule, found: str) -> bool:
    """Whether a match is an example from documentation."""
    if rule.kind == "password in an address":
        return is_named(found)
    return "rivate" not in rule.kind and is_made_up(found)


def _goes_on(text: str, start: int) -> bool:
    """Whether a word continues here; an escaped line end is not part of one."""
    before = text[start - 1 : start]
    return before.isalnum() and not (before in "nrt" and text[start - 2 : start - 1] == "\\")


def _apart(found: list[Secret]) -> tuple[Secret, ...]:
    """Overlapping secrets merged into one, under the first one's name."""
    kept: list[Secret] = []
    for one in found:
        if kept and one.start < kept[-1].end:
            last = kept[-1]
            kept[-1] = Secret(last.kind, last.start, max(last.end, one.end))
        else:
            kept.append(one)
    return tuple(kept)


def _cleaned(value: Any, name: str | None, depth: int) -> Any:
    """A JSON value without its secrets; ``name`` is its key, which may say password."""
    if isinstance(value, str):
        return redacted(value) if name is None else _under(name, value)
    if isinstance(value, Mapping):
        return {
            redacted(inner) if isinstance(inner, str) else inner: _cleaned(
                one, inner if isinstance(inner, str) else None, depth + 1
            )
            for inner, one in value.items()
        }
    if isinstance(value, list | tuple):
        return [_cleaned(inner, name, depth + 1) for inner in value]
    if name is not None and isinstance(value, int) and not isinstance(value, bool):
        labelled = _under(name, str(value))
        return value if labelled == str(value) else labelled
    return value


def _under(name: str, inner: str) -> str:
    """A text with its key: {"password": "..."} is an assignment."""
    inner = redacted(inner)
    if len(name) > _LONGEST_NAME or not _suspected(name):
        return inner
    labelled = f'{name}: "{inner}"'
    offset = len(labelled) - len(inner) - 1
    for secret in reversed(find_secrets(labelled)):
        start, end = max(secret.start - offset, 0), min(secret.end - offset, len(inner))
        if start < end:
            inner = f"{inner[:start]}{mark_of(secret.kind)}{inner[end:]}"
    return inner


def _opened(text: str) -> str:
    """The text; if it is JSON itself, its parsed content, since nested text is escaped and reads
    differently.
    """
    if text[:1] not in ("{", "[") or "\\" not in text or not _suspected(text):
        return text
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return text
    clean = redacted_values(value)
    return text if clean == value else json.dumps(clean, ensure_ascii=False)


def _texts(value: Any) -> list[str]:
    """Every text inside a JSON value, keys included."""
    found: list[str] = []
    _add_texts(value, found)
    return found


def _add_texts(value: Any, found: list[str]) -> None:
    """Append every text inside a JSON value; the most frequent are tried first."""
    if isinstance(value, str):
        found.append(value)
    elif isinstance(value, list | tuple):
        for inner in value:
            _add_texts(inner, found)
    elif isinstance(value, dict | Mapping):
        for name, inner in value.items():
            found.append(str(name))
            _add_texts(inner, found)
    elif isinstance(value, int):
        found.append(str(value))
