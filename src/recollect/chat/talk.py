"""Handles plain talk: takes in statements and answers questions, with one sentence for each."""

from typing import Final

from recollect.chat.answers.answer_finder import AnswerFinder
from recollect.chat.incoming_messages import USER
from recollect.chat.language.command_replies import answer
from recollect.chat.language.relative_dates import written
from recollect.chat.listener import Listener
from recollect.chat.statements.shopping_lists import is_about_list
from recollect.chat.statements.statement_extraction import language_spoken, statements_of
from recollect.chat.updates.corrections import is_correction
from recollect.chat.updates.moved_values import says_moved
from recollect.trust.secrets import find_secrets
from recollect.vocabulary.audiences import Viewer
from recollect.vocabulary.clock import Clock
from recollect.vocabulary.personal import Heard, HeardStatement, Intent, Outcome, Said
from recollect.vocabulary.spaces import Space

_KEPT: Final = (Outcome.KEPT, Outcome.MERGED, Outcome.REPLACED, Outcome.ASKED)


class Talk:
    """Replies to texts that are not commands."""

    def __init__(self, listener: Listener, answer_finder: AnswerFinder, clock: Clock) -> None:
        self._listener = listener
        self._answer_finder = answer_finder
        self._clock = clock

    def answered(self, viewer: Viewer, space: Space, question: str, session: str | None) -> Said:
        """Answer a question, with the day on which the answer was stated."""
        found = self._answer_finder.ask(viewer, space, question, at=None, session=session)
        if not found.known or found.at is None:
            return Said(Intent.ASK, found.text, False)
        day = written(found.at.date(), found.language)
        name = "answer_open" if found.question is not None else "answer"
        told_on = answer("told_on", found.language, text="", day=day)  # the day is said once
        text = found.text.removesuffix(told_on)
        words = answer(name, found.language, text=text, day=day)
        subjects = (found.entry_id,) if found.entry_id else ()
        return Said(Intent.ASK, words, True, (), subjects, question=found.question)

    def told(self, viewer: Viewer, space: Space, text: str, session: str | None) -> Said:
        """Take in a statement and say what was done; nothing is written when nothing in it is
        lasting.
        """
        lasting = self._listener.has_model or any(
            one.lasts for one in statements_of(text, self._clock().date())
        )
        changes = is_correction(text) or is_about_list(text) or says_moved(text)
        if not lasting and not changes:
            if find_secrets(text):  # otherwise the reply would say how to have it kept
                return Said(Intent.REMEMBER, answer("secret", language_spoken(text)), False)
            return Said(Intent.NONE, "", False)
        heard = self._listener.hear(viewer, space, text, at=None, speaker=USER, session=session)
        language = language_spoken(text)
        done = [one for one in heard.statements if one.outcome in _KEPT]
        if (
            not done
            and heard.event_id
            and all(one.outcome is Outcome.SKIPPED for one in heard.statements)
            and not is_correction(text)
        ):
            return Said(Intent.NONE, "", False)
        if not done:
            return Said(Intent.REMEMBER, _why_not(heard, language), False)
        subjects = tuple(one.entry.id for one in done if one.entry is not None)
        words = "\n".join(_sentence(one, language) for one in done)
        question = next((one.question for one in done if one.question is not None), None)
        replaced = tuple(text for one in done for text in one.replaced_texts)
        return Said(Intent.REMEMBER, words, True, (), subjects, done[-1].undo, question, replaced)


def _why_not(heard: Heard, language: str) -> str:
    if not heard.statements:
        return answer("closed", language)
    refused = [one for one in heard.statements if one.outcome is Outcome.NOT_KEPT]
    if not refused:
        return answer("nothing_lasting", language)
    name = "secret" if "secret" in refused[0].reason else "tombstone"
    return answer("quarantined" if "instruct" in refused[0].reason else name, language)


def _sentence(one: HeardStatement, language: str) -> str:
    text = _short(one.text)
    if one.outcome is Outcome.REPLACED:
        between = " », « " if language == "fr" else "”, “"
        old = between.join(map(_short, one.replaced_texts))
        return answer("replaced", language, new=text, old=old)
    if one.outcome is Outcome.MERGED and one.entry is not None:
        return answer("merged", language, count=one.entry.repeat_count + 1)
    if one.question is not None and language == "en":
        return f"{one.question.reason} Say yes or no."
    if one.question is not None:
        return answer("conflict_short", language, new=text)
    return answer("noted", language, text=text)


def _short(text: str) -> str:
    return text if len(text) <= 120 else f"{text[:119]}…"
