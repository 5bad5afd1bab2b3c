"""Executes spoken commands to the memory and answers with a sentence about the result.

A text that is no command is either a question, which is answered, or a statement, which is passed
to the listener.

Nothing is guessed: "that" means the entries shown last, or else the entry kept last in the session
or just now; for shown or older entries, the person is asked first. Entries chosen by a name are
listed before they are forgotten, and erasing them needs a yes, as erasing everything does. That yes
answers the question directly before it and no earlier one; a yes to two entries that contradict
each other answers what was asked last in the session. Some words mean the entries of one's own job
or home ("my job"), else those that hold every word.
"""

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from threading import Lock
from typing import Final

from recollect.chat.answers.question_reader import is_for_answering, is_question
from recollect.chat.command_task import COMMAND, SpokenSentence
from recollect.chat.commands import (
    SpokenCommand,
    asks_for_help,
    asks_for_work,
    mentions_memory,
    understand,
)
from recollect.chat.entries.control import Control
from recollect.chat.entries.entry_writer import EntryWriter, NewEntryText
from recollect.chat.entries.pending_confirmations import PendingConfirmations
from recollect.chat.entries.question_replies import OpenPair, QuestionReplies
from recollect.chat.entries.undo import Undo
from recollect.chat.language.command_replies import answer
from recollect.chat.language.relative_dates import with_dates
from recollect.chat.language.sentence_subject import about_another
from recollect.chat.statements.statement_extraction import language_spoken
from recollect.chat.summary import summarise
from recollect.chat.talk import Talk
from recollect.chat.updates.single_attributes import attributes_of, own_attribute
from recollect.inference.tasks import Tasks
from recollect.memories.text_comparison import read
from recollect.storage.database import Database
from recollect.trust.authorisation import authorise, closed
from recollect.vocabulary.audiences import Viewer
from recollect.vocabulary.clock import Clock
from recollect.vocabulary.errors import NotFound, Quarantined, RecollectError, SecretRefused
from recollect.vocabulary.ids import AUDIT, is_id
from recollect.vocabulary.personal import AuditEntry, Entry, Intent, Outcome, Said
from recollect.vocabulary.results import Recalled
from recollect.vocabulary.retrievals import Retrieval
from recollect.vocabulary.spaces import Space

Find = Callable[[Viewer, Space, str, str | None], Recalled]
LastAsked = Callable[[Viewer, Space], Retrieval | None]

_MAX_AT_ONCE: Final = 10
_SHOWN: Final = 8
_SHOWN_FOR: Final = timedelta(minutes=15)
_PAGES: Final = 1_000
_JUST_NOW: Final = timedelta(minutes=2)
_MENTIONS: Final = 1_000


class SpokenCommands:
    """Executes spoken commands."""

    def __init__(
        self,
        database: Database,
        *,
        keeper: EntryWriter,
        control: Control,
        undo: Undo,
        find: Find,
        last_asked: LastAsked,
        tasks: Tasks,
        talk: Talk,
        pending: PendingConfirmations,
        replies: QuestionReplies,
        clock: Clock,
    ) -> None:
        self._clock = clock
        self._tasks = tasks
        self._database = database
        self._keeper = keeper
        self._control = control
        self._way_back = undo
        self._find = find
        self._last_asked = last_asked
        self._talk = talk
        self._pending = pending
        self._replies = replies
        self._lock = Lock()
        #: Ids of the entries shown since something was last kept, by space, person and session.
        self._shown: OrderedDict[tuple[str, str, str | None], tuple[str, ...]] = OrderedDict()

    def say(self, viewer: Viewer, space: Space, text: str, session: str | None) -> Said:
        """Process a text: execute a command, answer a question or take in a statement;
        ``Intent.NONE`` when there is nothing to do.
        """
        if is_for_answering(text):
            return self._answered(viewer, space, text, session)
        if asks_for_help(text):
            return Said(Intent.NONE, answer("help", language_spoken(text)), False)
        command = understand(text)
        if command.intent is Intent.NONE and self._tasks.has_model and mentions_memory(text):
            told = self._tasks.run(space.id, COMMAND, SpokenSentence(text)).value
            command = SpokenCommand(told.intent, told.about, told.language)
        if command.intent is Intent.NONE:
            return self._talked(viewer, space, text, session)
        return self.do(viewer, space, command, session)

    def do(self, viewer: Viewer, space: Space, command: SpokenCommand, session: str | None) -> Said:
        """Execute a recognised command."""
        here = _Here(viewer, space, session, command)
        if command.intent not in (Intent.YES, Intent.NO):
            self._pending.drop(viewer, space, session)
        done = _DONE.get(command.intent)
        if done is None:
            return Said(Intent.NONE, "", False)
        return done(self, here)

    # --- just talking -----------------------------------------------------------------------------

    def _talked(self, viewer: Viewer, space: Space, text: str, session: str | None) -> Said:
        """Answer a question, or take in a statement."""
        if is_question(text):
            return self._answered(viewer, space, text, session)
        self._pending.drop(viewer, space, session)
        said = self._talk.told(viewer, space, text, session)
        if said.intent is Intent.NONE and asks_for_work(text):
            return Said(Intent.NONE, answer("outside", language_spoken(text)), False)
        if said.done:
            self._mention(viewer, space, session, ())
        return said

    def _answered(self, viewer: Viewer, space: Space, text: str, session: str | None) -> Said:
        self._pending.drop(viewer, space, session)
        said = self._talk.answered(viewer, space, text, session)
        if not said.done and asks_for_work(text):
            return Said(Intent.NONE, answer("outside", language_spoken(text)), False)
        if said.done:
            # A message that was shown is no entry, so a later "that" needs a question.
            self._mention(viewer, space, session, said.subjects or ("",))
        return said

    def _mention(
        self, viewer: Viewer, space: Space, session: str | None, shown: tuple[str, ...]
    ) -> None:
        """Record the entries shown since the last one was kept: "that" now means them."""
        with self._lock:
            self._shown[space.id, viewer.user, session] = shown
            self._shown.move_to_end((space.id, viewer.user, session))
            while len(self._shown) > _MENTIONS:
                self._shown.popitem(last=False)

    # --- each intent ------------------------------------------------------------------------------

    def _remember(self, here: "_Here") -> Said:
        text, to_do = here.command.about, here.command.to_do
        if to_do:
            dated = with_dates(text, self._clock().date())
            text = answer("to_do", here.command.language, text=dated)
        telling = NewEntryText(text, manually_saved=True, session=here.session)
        try:
            kept = self._keeper.add(here.viewer, here.space, telling)
        except SecretRefused:
            return here.said("secret", done=False)
        except Quarantined:
            return here.said("quarantined", done=False)
        if kept.entry is None:
            forgotten = "forgotten" in kept.reason
            return here.said("tombstone" if forgotten else "closed", done=False)
        subjects = (kept.entry.id,)
        self._mention(here.viewer, here.space, here.session, ())
        if kept.outcome is Outcome.MERGED:
            count = kept.entry.repeat_count + 1
            return here.said("merged", subjects=subjects, undo=kept.undo, count=count)
        if kept.question is not None:
            old = self._control.get(here.viewer, here.space, kept.question.old_id)
            said = here.said(
                "conflict",
                subjects=subjects,
                undo=kept.undo,
                old=_short(old.memory.content),
                new=_short(kept.entry.memory.content),
            )
            return Said(said.intent, said.answer, True, (), subjects, kept.undo, kept.question)
        name = "kept_to_do" if to_do else "kept"
        return here.said(name, subjects=subjects, undo=kept.undo)

    def _forget(self, here: "_Here") -> Said:
        chosen = self._meant(here)
        if isinstance(chosen, Said):
            return chosen
        named = is_spelled_out(here.command.about, chosen) if here.command.about else None
        if named is False or (named is None and not self._is_just_kept(here, chosen)):
            question = here.said(
                "forget_these", done=False, texts=_listed(chosen, here.command.language)
            )
            return self._asked_first(here, question, chosen)
        return self._forgotten(here, chosen)

    def _is_just_kept(self, here: "_Here", chosen: list[Entry]) -> bool:
        """Whether "that" can only mean the entry kept last: it was kept in this session or just
        now, and nothing was shown since, as far as this process knows.
        """
        last, done = self._last_kept(here)
        if last is None or [one.id for one in chosen] != [last.id]:
            return False
        shown = self._shown.get(here.key, None if here.session is None else ())
        if shown is None or (shown and shown != (last.id,)):
            return False
        if done is None or (here.session is not None and done.session == here.session):
            return True
        return self._clock() - done.at <= _JUST_NOW

    def _forget_all(self, here: "_Here") -> Said:
        chosen = self._all(here)
        if not chosen:
            return here.said("empty", done=False)
        question = here.said("forget_all", done=False, count=len(chosen))
        return self._asked_first(here, question, chosen)

    def _asked_first(self, here: "_Here", question: Said, chosen: list[Entry]) -> Said:
        """Ask before forgetting; the next yes forgets exactly the chosen entries."""
        ids = tuple(entry.id for entry in chosen)
        self._pending.ask(here.viewer, here.space, here.session, ids)
        return replace(question, subjects=ids)

    def _forgotten(self, here: "_Here", chosen: list[Entry]) -> Said:
        ids = [entry.id for entry in chosen]
        gone = self._control.forget(here.viewer, here.space, ids, session=here.session)
        if len(chosen) == 1:
            text = _short(chosen[0].memory.content)
            return here.said("forgotten", subjects=gone.ids, undo=gone.undo, text=text)
        return here.said("forgotten_many", subjects=gone.ids, undo=gone.undo, count=len(ids))

    def _pin(self, here: "_Here") -> Said:
        pinned = here.command.intent is Intent.PIN
        chosen = self._meant(here)
        if isinstance(chosen, Said):
            return chosen
        if len(chosen) > 1:
            return here.said("which", done=False, texts=_listed(chosen, here.command.language))
        entry, done = self._control.pin(
            here.viewer, here.space, chosen[0].id, pinned=pinned, session=here.session
        )
        name = "pinned" if pinned else "unpinned"
        text = _short(entry.memory.content)
        return here.said(name, subjects=(entry.id,), undo=done.id, text=text)

    def _switch(self, here: "_Here") -> Said:
        on = here.command.intent is Intent.MEMORY_ON
        _, done = self._control.set(
            here.viewer, here.space, session=here.session, memory_enabled=on
        )
        return here.said("memory_on" if on else "memory_off", undo=done.id)

    def _incognito(self, here: "_Here") -> Said:
        if here.session is None:
            return here.said("incognito_needs_session", done=False)
        on = here.command.intent is Intent.INCOGNITO_START
        _, done = self._control.incognito(here.viewer, here.space, here.session, on=on)
        return here.said("incognito_start" if on else "incognito_end", undo=done.id)

    def _ask(self, here: "_Here") -> Said:
        if is_question(here.command.about):
            return self._answered(here.viewer, here.space, here.command.about, here.session)
        found = self._find(here.viewer, here.space, here.command.about, here.session)
        if found.missing and not found.found and self._is_closed(here):
            return here.said("closed_ask", done=False)
        if not found.found:
            return here.said("nothing_about", done=False, about=here.command.about)
        texts = "\n".join(f"- {_short(one.text)}" for one in found.found[:_SHOWN])
        self._mention(
            here.viewer, here.space, here.session, tuple(one.id for one in found.found[:_SHOWN])
        )
        said = here.said("about", about=here.command.about, texts=texts)
        return Said(said.intent, said.answer, True, found.found)

    def _summary(self, here: "_Here") -> Said:
        if self._is_closed(here):
            return here.said("closed_ask", done=False)
        kept = self._all(here)
        if not kept:
            return here.said("empty", done=False)
        told = summarise(kept, here.command.language)
        return here.said(
            f"summary{'_one' if told.count == 1 else ''}",
            count=told.count,
            pinned=told.pinned,
            texts=told.text,
        )

    def _undo(self, here: "_Here") -> Said:
        code = here.command.about
        if not is_id(code.partition(".")[0], AUDIT):
            last = self._way_back.last_undoable(here.viewer, here.space, here.session)
            if last is None:
                return here.said("nothing_to_undo", done=False)
            if self._way_back.is_gone(last):
                return here.said("gone", done=False)
            if self._way_back.is_sealed(last):
                return here.said("sealed", done=False)
            code = last.id
        try:
            undone = self._way_back.undo(here.viewer, here.space, code)
        except RecollectError as error:
            return Said(Intent.UNDO, error.message, False)
        return here.said("undone", undo=undone.code, what=undone.sentence)

    def _yes(self, here: "_Here") -> Said:
        pending = self._pending.take(here.viewer, here.space, here.session)
        if pending is not None:
            chosen = [entry for entry in self._all(here) if entry.id in pending]
            return self._forgotten(here, chosen) if chosen else here.said("empty", done=False)
        return self._answer(here, replaces=True)

    def _no(self, here: "_Here") -> Said:
        if self._pending.take(here.viewer, here.space, here.session):
            self._pending.drop(here.viewer, here.space, here.session)
            return here.said("left", done=False)
        return self._answer(here, replaces=False)

    def _answer(self, here: "_Here", *, replaces: bool) -> Said:
        """Answer the open question that is meant, or list the open ones."""
        where = (here.viewer, here.space, here.session)
        standing = self._replies.open_pairs(here.viewer, here.space)
        if not standing:
            return here.said("no_question", done=False)
        meant = self._replies.meant(*where, standing, here.command.about)
        if meant is None:
            listed = self._replies.list_them(*where, standing)
            return here.said("which_question", done=False, texts=_numbered(listed, here.language))
        if language_spoken(meant.new) == "fr":  # "no" may also be typed by somebody who speaks it
            here = here.spoken_in("fr")
        question, done = self._control.answer(
            here.viewer, here.space, meant.question.id, replaces=replaces
        )
        subjects, new, old = (question.new_id,), _short(meant.new), _short(meant.old)
        said = here.said(
            "replaced" if replaces else "both", subjects=subjects, undo=done.id, new=new, old=old
        )
        return replace(said, replaced_texts=(meant.old,)) if replaces else said

    # --- what is meant ----------------------------------------------------------------------------

    def _meant(self, here: "_Here") -> "list[Entry] | Said":
        """The entries that a command is about, or the answer that there are none."""
        if not here.command.about:
            last, done = self._last_kept(here)
            shown = self._shown.get(here.key)
            if shown is None:
                shown = self._shown_elsewhere(here, done)
            chosen = [entry for entry in self._all(here) if entry.id in shown] if shown else []
            found = chosen or ([last] if last else [])
            return found or here.said("nothing_said", done=False)
        chosen = entries_about(here.command.about, self._all(here))
        if not chosen:
            return here.said("nothing_about", done=False, about=here.command.about)
        if len(chosen) > _MAX_AT_ONCE:
            return here.said("which", done=False, texts=_listed(chosen, here.command.language))
        return chosen

    def _shown_elsewhere(self, here: "_Here", kept: AuditEntry | None) -> tuple[str, ...]:
        """Ids of the entries that another process showed last, by the log of questions: those of
        the last quarter of an hour, unless something was kept since.
        """
        last = self._last_asked(here.viewer, here.space)
        if last is None or last.client != here.viewer.client:
            return ()
        if self._clock() - last.at > _SHOWN_FOR or (kept is not None and kept.at > last.at):
            return ()
        return tuple(one.id for one in last.served[:_SHOWN] if one.kind == "memory")

    def _last_kept(self, here: "_Here") -> tuple[Entry | None, AuditEntry | None]:
        """The entry kept or repeated last, in this session if there is one, with its audit row."""
        page = self._control.audit(here.viewer, here.space, cursor=None, limit=50)
        for done in page.items:
            if (
                done.action in ("remember", "repeat")
                and done.subject
                and (here.session is None or done.session in (None, here.session))
            ):
                try:
                    return self._control.get(here.viewer, here.space, done.subject), done
                except NotFound:
                    continue
        return None, None

    def _all(self, here: "_Here") -> list[Entry]:
        kept: list[Entry] = []
        cursor: str | None = None
        while True:
            page = self._control.page(
                here.viewer,
                here.space,
                cursor=cursor,
                limit=_PAGES,
                pinned=None,
                manually_saved=None,
            )
            kept += page.items
            cursor = page.next_cursor
            if cursor is None:
                return kept

    def _is_closed(self, here: "_Here") -> bool:
        with self._database.reading() as transaction:
            access = authorise(transaction, here.viewer, here.space)
            return closed(transaction, access, here.session) is not None


class _Here:
    """Context of a command: viewer, space, session and the recognised command."""

    def __init__(
        self, viewer: Viewer, space: Space, session: str | None, command: SpokenCommand
    ) -> None:
        self.viewer = viewer
        self.space = space
        self.session = session
        self.command = command
        self.language = command.language
        self.key = (space.id, viewer.user, session)

    def spoken_in(self, language: str) -> "_Here":
        """The same, to be answered in another language."""
        command = self.command._replace(language=language)
        return _Here(self.viewer, self.space, self.session, command)

    def said(
        self,
        name: str,
        *,
        done: bool = True,
        subjects: tuple[str, ...] = (),
        undo: str | None = None,
        **values: object,
    ) -> Said:
        """An answer in the language of the command."""
        words = answer(name, self.command.language, **values)
        return Said(self.command.intent, words, done, (), subjects, undo)


_DONE: Final[dict[Intent, Callable[[SpokenCommands, _Here], Said]]] = {
    Intent.REMEMBER: SpokenCommands._remember,
    Intent.FORGET: SpokenCommands._forget,
    Intent.FORGET_ALL: SpokenCommands._forget_all,
    Intent.PIN: SpokenCommands._pin,
    Intent.UNPIN: SpokenCommands._pin,
    Intent.MEMORY_ON: SpokenCommands._switch,
    Intent.MEMORY_OFF: SpokenCommands._switch,
    Intent.INCOGNITO_START: SpokenCommands._incognito,
    Intent.INCOGNITO_END: SpokenCommands._incognito,
    Intent.ASK: SpokenCommands._ask,
    Intent.SUMMARY: SpokenCommands._summary,
    Intent.UNDO: SpokenCommands._undo,
    Intent.YES: SpokenCommands._yes,
    Intent.NO: SpokenCommands._no,
}


def _listed(chosen: list[Entry], language: str) -> str:
    begin, end = ("« ", " »") if language == "fr" else ("“", "”")
    shown = (_short(entry.memory.content) for entry in chosen[:_MAX_AT_ONCE])
    return "; ".join(f"{begin}{text}{end}" for text in shown)


def _numbered(pairs: list[OpenPair], language: str) -> str:
    """Open questions, one a line, each with the number by which it is answered."""
    return "\n".join(
        f"{number}. " + answer("open_pair", language, old=_short(pair.old), new=_short(pair.new))
        for number, pair in enumerate(pairs, 1)
    )


def _short(text: str) -> str:
    plain = " ".join(text.split())
    return plain if len(plain) <= 120 else f"{plain[:119]}…"


def entries_about(about: str, kept: list[Entry]) -> list[Entry]:
    """The entries that some words are about: those of one's own job or home for "my job", else
    those that hold every word.
    """
    attribute = own_attribute(about)
    if attribute is not None:
        mine = [one for one in kept if not about_another(one.memory.content)]
        chosen = [one for one in mine if attribute in attributes_of(one.memory.content)]
        if chosen:
            return chosen
    wanted = read(about)
    stems = wanted.stems | wanted.light
    return [entry for entry in kept if _is_about(entry, stems)]


def _is_about(entry: Entry, stems: frozenset[str]) -> bool:
    mine = read(entry.memory.content)
    return bool(stems) and stems <= mine.stems | mine.light | mine.numbers


def is_spelled_out(about: str, chosen: list[Entry]) -> bool:
    """Whether the person's words cover the whole text of the one entry, so that listing it first
    would add nothing.
    """
    wanted = read(about)
    return len(chosen) == 1 and read(chosen[0].memory.content).stems <= wanted.stems | wanted.light
