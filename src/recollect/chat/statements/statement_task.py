"""Model task that finds lasting statements in a message; ``statements`` is its local fallback.

A model may choose other words of the message than the rules do, but never words that are not in it:
a quote that the speaker did not say is dropped, and if none is left the rules answer. Text that the
rules know is not the speaker's own (code, quotations, pasted text) is not sent to the model, and a
message that holds a secret is never sent to a model.
"""

from dataclasses import dataclass
from datetime import date
from typing import Final

from recollect.chat.language.relative_dates import with_dates
from recollect.chat.language.sentences import LONGEST_SENTENCE, is_pasted, without_foreign
from recollect.chat.language.speech_acts import SpeechAct
from recollect.chat.statements.joined_sentences import Statement
from recollect.chat.statements.statement_extraction import statements_of
from recollect.inference.tasks import Task, Tasks
from recollect.trust.secrets import holds_secret

_FEWEST: Final = 2  # minimum number of words in a quote
_MAX_STATEMENTS: Final = 40
_LONGEST_NAME: Final = 60


@dataclass(frozen=True, slots=True)
class HeardMessage:
    """A message and the day on which it was said."""

    message: str
    day: str


@dataclass(frozen=True, slots=True)
class QuotedStatement:
    """Words of a message that state something lasting."""

    quote: str
    kind: str = SpeechAct.STATEMENT.value
    about: str = ""


@dataclass(frozen=True, slots=True)
class QuotedStatements:
    """The quoted statements of one message."""

    statements: tuple[QuotedStatement, ...] = ()


def _by_rules(given: HeardMessage) -> QuotedStatements:
    found = statements_of(given.message, date.fromisoformat(given.day))
    return QuotedStatements(
        tuple(QuotedStatement(one.text, one.act.value) for one in found if one.lasts)
    )


STATEMENTS: Final = Task("statements", QuotedStatements, _by_rules, tokens=800)


def heard_statements(tasks: Tasks, space_id: str, text: str, day: date) -> list[Statement]:
    """The statements of a message: from the model if there is one and its quotes are in the
    message, else from the rules.
    """
    own = "" if not tasks.has_model or is_pasted(text) else without_foreign(text)
    if not any(map(str.isalnum, own)) or holds_secret(own):
        return statements_of(text, day)
    done = tasks.run(space_id, STATEMENTS, HeardMessage(own, day.isoformat()))
    if done.why:
        return statements_of(text, day)
    found = [one for one in done.value.statements[:_MAX_STATEMENTS] if _is_said(one.quote, own)]
    if done.value.statements and not found:
        return statements_of(text, day)
    return [_statement(one, own, day) for one in found] or [
        Statement(own[:LONGEST_SENTENCE], SpeechAct.CHATTER)
    ]


def _plain(text: str) -> str:
    return " ".join(text.replace("\u2019", "'").split())


def _is_said(quote: str, message: str) -> bool:
    """Whether a quote is in the message word for word, and neither too short nor too long."""
    plain = _plain(quote)
    return (
        len(plain.split()) >= _FEWEST
        and len(plain) <= LONGEST_SENTENCE
        and plain in _plain(message)
    )


def _statement(one: QuotedStatement, message: str, day: date) -> Statement:
    words, name = _plain(one.quote).strip(" ,;"), _plain(one.about)
    if 0 < len(name) <= _LONGEST_NAME and name in _plain(message) and name not in words:
        words = f"{name}: {words}"
    wish = one.kind.strip().lower() == SpeechAct.PREFERENCE.value
    act = SpeechAct.PREFERENCE if wish else SpeechAct.STATEMENT
    return Statement(with_dates(words, day), act)
