"""The secret scanner, which stands before everything that is taught or captured.

What a person teaches is refused with the reason, because they can say it again without the secret.
What is captured happened, so it is kept with a mark where the secret was. Neither the secret nor a
part of it is ever put into a message.

Ordinary text costs a few microseconds: one pass looks for long runs of letters and digits and a
handful of words, and the rules are tried only on what that finds.
"""

import re
from collections.abc import Iterable, Mapping
from typing import Any, Final, NamedTuple

from recollect.trust.secret_rules import (
    ASSIGNED,
    SPOKEN,
    TELLING,
    TOKENS,
    Rule,
    library_rules,
)
from recollect.vocabulary.errors import SecretRefused
from recollect.vocabulary.linear import LinearPattern, Reading

#: A piece as long as what is secret in the shortest token. Tokens are known by how such a piece
#: begins, or by what stands before it where a sign that no piece holds parts the two.
_PIECE: Final = re.compile(r"[A-Za-z0-9_-]{16,}")
_PARTING: Final = frozenset(".=:~/&;?")
_NEEDS: Final = tuple(dict.fromkeys(need for rule in TOKENS for need in rule.needs))
_HEADS: Final = frozenset(need[:3] for need in _NEEDS if len(need) > 2 and need[0] not in _PARTING)
_SHORT_HEADS: Final = frozenset(need for need in _NEEDS if len(need) == 2)
_BEFORE: Final = re.compile(
    r"(?:SG|ya29|hv[sbr]|dp\.[a-z]+|atlasv1|pat[A-Za-z0-9]{14})\.|AccountKey=|Q~|[Ss]ig(?:nature)?="
    r"|\d{8,10}:|/services/|/workflows/|webhooks/\d{1,30}/|\.[A-Za-z\d_-]{6}\."
)
_SHORTEST_TOKEN: Final = 20
_WORDS: Final = ("pass", "secret", "token", "key", "pwd", "bearer", "authoriz", "pin ")
_PLACEHOLDER: Final = LinearPattern(
    r"(?i)x{4,}|\*{3,}|\.{3}|…|•|your|example|placeholder|changeme|change_me|redacted|dummy|sample"
    r"|insert|replace|todo|none|null|undefined|true|false|process\.env|os\.environ|getenv|\$\{|\{\{"
    r"|^\$|^%|^<|password|secret removed|^https?://|^/|^\./|\)$"
)
_LETTER: Final = re.compile(r"[A-Za-z]")
_OTHER: Final = re.compile(r"[0-9!@#$%^&*+=?~]")
_LEAST_SPOKEN: Final = 4


class Secret(NamedTuple):
    """One secret in a text: its kind and where it stands."""

    kind: str
    start: int
    end: int


def find_secrets(text: str) -> tuple[Secret, ...]:
    """Every secret in a text, in order; overlapping ones are told as one."""
    if not _suspected(text):
        return ()
    low = text.lower()
    reading = Reading(text)
    found = [one for rule in TOKENS if _holds(text, rule) for one in _matches(rule, reading)]
    for rule in (*TELLING, *library_rules()):
        if _holds(low, rule):
            found += _matches(rule, reading)
    for rule, judged in ((ASSIGNED, _looks_random), (SPOKEN, _is_said)):
        if _holds(low, rule):
            found += [one for one in _matches(rule, reading) if judged(text[one.start : one.end])]
    return _apart(sorted(found, key=lambda one: (one.start, -one.end)))


def redacted(text: str) -> str:
    """The text with a mark in place of each secret; the very same text when it holds none."""
    if not _suspected(text):
        return text
    return _without(text, find_secrets(text))


def _without(text: str, secrets: Iterable[Secret]) -> str:
    """The text with a mark in place of each of these, which stand in order and apart."""
    kept, at = [], 0
    for secret in secrets:
        kept += [text[at : secret.start], mark_of(secret.kind)]
        at = secret.end
    return "".join((*kept, text[at:]))


def redacted_values(value: Any) -> Any:
    """The same for every text inside a JSON value, its names included."""
    if isinstance(value, str):
        return redacted(value)
    if isinstance(value, Mapping):
        return {_clean(name): _under(name, inner) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [redacted_values(inner) for inner in value]
    return value


def refuse_secrets(texts: Iterable[str | None], what: str) -> None:
    """Nothing, when none of the texts holds a secret; otherwise an error that names its kind."""
    whole = "\n".join(text for text in texts if text)
    found = find_secrets(whole)
    if found:
        kinds = ", ".join(dict.fromkeys(secret.kind for secret in found))
        raise SecretRefused(
            f"The {what} holds what looks like a secret ({kinds}). Nothing was kept.",
            hint="Say it again without the secret; name where the secret is kept instead.",
        )


def mark_of(kind: str) -> str:
    """What stands where a secret was."""
    return f"[secret removed: {kind}]"


def _suspected(text: str) -> bool:
    """Whether any rule could match at all. This is run on everything, so it is quick."""
    if len(text) < _LEAST_SPOKEN:
        return False
    if any(map(_begins_token, [word for word in text.split() if len(word) >= _SHORTEST_TOKEN])):
        return True
    if "://" in text and "@" in text:
        return True
    low = text.lower()
    return any(word in low for word in _WORDS)


def _begins_token(word: str) -> bool:
    """Whether a token of a known shape could stand in a long word."""
    before: re.Match[str] | None = None
    searched = False
    for found in _PIECE.finditer(word):
        piece, start = found.group(), found.start()
        if piece[:3] in _HEADS or piece[:2] in _SHORT_HEADS or "-us" in piece:
            return True
        if start and word[start - 1] in _PARTING:
            if not searched:
                before, searched = _BEFORE.search(word), True
            if word[start - 1] in "?&;" or (before is not None and before.start() < start):
                return True
    return False


def _holds(text: str, rule: Rule) -> bool:
    return not rule.needs or any(need in text for need in rule.needs)


def _matches(rule: Rule, reading: Reading) -> list[Secret]:
    text = reading.text
    return [
        Secret(rule.kind, start, end)
        for start, end in rule.pattern.spans(reading)
        if not (rule.whole_word and start and text[start - 1].isalnum())
    ]


def _apart(found: list[Secret]) -> tuple[Secret, ...]:
    """Secrets that overlap become one, under the first one's name."""
    kept: list[Secret] = []
    for one in found:
        if kept and one.start < kept[-1].end:
            last = kept[-1]
            kept[-1] = Secret(last.kind, last.start, max(last.end, one.end))
        else:
            kept.append(one)
    return tuple(kept)


def _looks_random(value: str) -> bool:
    """Whether an assigned value could be a password: letters and something else, no stand-in."""
    if _PLACEHOLDER.search(value) or not _LETTER.search(value):
        return False
    return bool(_OTHER.search(value)) and not _is_name(value)


def _is_said(value: str) -> bool:
    """Whether a spoken value could be one: it has a digit or a sign in it."""
    return bool(_OTHER.search(value.rstrip(".!?"))) and not _PLACEHOLDER.search(value)


_NAME: Final = re.compile(r"[A-Za-z_$][\w$]*(?:(?:\.|::|->)[A-Za-z_$][\w$]*)*[?!]?(?:\[\w*\])?")
_DIGITS: Final = re.compile(r"\d")


def _is_name(value: str) -> bool:
    """Whether a value reads like a name in code: dotted words with hardly a digit."""
    return bool(_NAME.fullmatch(value)) and len(_DIGITS.findall(value)) < 3


def _under(name: object, inner: Any) -> Any:
    """A value with what its name says about it: {"password": "..."} is an assignment."""
    if isinstance(name, str) and isinstance(inner, str):
        told = f'{name}: "{inner}"'
        offset = len(told) - len(inner) - 1
        moved = (
            Secret(one.kind, max(one.start - offset, 0), min(one.end - offset, len(inner)))
            for one in find_secrets(told)
        )
        return _without(inner, (one for one in moved if one.start < one.end))
    return redacted_values(inner)


def _clean(name: Any) -> Any:
    return redacted(name) if isinstance(name, str) else name
