"""Errors of jobs, caught and turned into a short sentence that is safe to store.

This is the one place of the package where any error is caught: a worker runs handlers it does not
know, and none of their errors may end it. The stored sentence names the error's type, is short, and
shows nothing that looks like a secret.
"""

import re
from collections.abc import Callable
from typing import Final

from recollect.vocabulary.ids import EVENT, JOB, MEMORY, SPACE, STREAM, is_id

LONGEST_MESSAGE: Final = 300
HIDDEN: Final = "[hidden]"

_IDS: Final = (EVENT, JOB, MEMORY, SPACE, STREAM)
_IN_ADDRESS: Final = re.compile(r"(?<=://)[^/\s@]+@")
_AFTER_SCHEME: Final = re.compile(r"\b(bearer|basic)\s+[\w.~+/=-]{6,}", re.IGNORECASE)
_AFTER_NAME: Final = re.compile(
    r"(?<![\w-])([\w-]*(?:key|token|secret|password|passwd|credentials?|authorization))"
    r"""(['"]?\s*+[=:]\s*+)(?:"[^"]*"|'[^']*'|[^\s,;&"']+)""",
    re.IGNORECASE,
)
_PREFIXED: Final = re.compile(r"\b(?:sk|pk|rk|ghp|gho|ghs|xox[abp]|hf|glpat)[-_][\w-]{8,}")
_LONG: Final = re.compile(r"[\w-]{24,}")


def exception_of(act: Callable[[], object]) -> Exception | None:
    """Call ``act`` and return its exception, if it raised one."""
    try:
        act()
    except Exception as error:  # noqa: BLE001 - a handler is foreign code; its error is a result
        return error
    return None


def safe_message(error: Exception, redact: Callable[[str], str]) -> str:
    """The error's type and the beginning of its message, on one line."""
    words = " ".join(str(error).encode(errors="replace").decode().replace("\0", " ").split())
    message = redact(words)
    if len(message) > LONGEST_MESSAGE:
        message = message[: LONGEST_MESSAGE - 1] + "…"
    name = type(error).__name__
    return f"{name}: {message}" if message else f"{name}."


def hide_secrets(text: str) -> str:
    """The text without what is named as a secret or looks like one; our ids stay."""
    text = _IN_ADDRESS.sub(f"{HIDDEN}@", text)
    text = _AFTER_SCHEME.sub(rf"\1 {HIDDEN}", text)
    text = _AFTER_NAME.sub(rf"\1\2{HIDDEN}", text)
    text = _PREFIXED.sub(HIDDEN, text)
    return _LONG.sub(_hidden_if_random, text)


def _hidden_if_random(found: re.Match[str]) -> str:
    word = found.group()
    if any(is_id(word, prefix) for prefix in _IDS):
        return word
    mixed = any(c.isdigit() for c in word) and any(c.isalpha() for c in word)
    return HIDDEN if mixed else word
