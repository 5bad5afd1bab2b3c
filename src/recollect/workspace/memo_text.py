"""Text of a memo: its summary, its topics, and lines for a model.

Without a model a memo keeps nothing of its source but the topics: its summary is read from its
events whenever it is shown, so an edited source shows its new words at once.
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from recollect.inference.tasks import Task
from recollect.inference.text_tasks import Shorter, words_of
from recollect.trust.fence import without_fenced
from recollect.vocabulary.arguments import repaired_text
from recollect.vocabulary.events import Event
from recollect.workspace.conversation_reader import is_question

SUMMARY_LIMIT: Final = 300
PREVIEW_LIMIT: Final = 200
_TOPICS: Final = 5
_MAX_CHARACTERS: Final = 8_000
_SENTENCE: Final = re.compile(r"(?<=[.!?。！？])\s|\n")  # noqa: RUF001
_NO_WORDS: Final = ("<@", "<http", "http:", "https:", "<#")
#: An address anywhere in a word: its host names no topic.
_ADDRESS: Final = re.compile(
    r"://|\bwww\.|\w@\w[\w-]{0,60}\.|\b[\w-]{1,60}\.(?:com|org|net|io|dev|app|example|local)\b",
    re.IGNORECASE,
)
_CODE: Final = re.compile(r"`([^`\n]{2,40})`")
#: Words of everyday conversation that name no topic.
_TALK: Final = frozenset(
    "about actually again already also always another answer anyone anything around back because"
    " before better bit case cool could does doing done don't else even ever every everything fine"
    " first found get gets getting give goes going good got great guess guys have hello help here"
    " hey i'd i'll i'm i've idea it's its i.e just keep kind know last let let's like little long"
    " look looking looks lot made make makes making many maybe mean might more much need needs"
    " never new nice not now okay one only other out people point pretty probably problem question"
    " quite really right run running runs said same say says see seem seems should"
    " since some someone"
    " something sort"
    " still stuff sure take tell thank thanks that's then there there's these they thing things"
    " think thought time today tomorrow too tried try trying under until use used uses using"
    " usually very want wanted wants was way week well were what's when where which while who why"
    " will with without wonder wondering work worked working works would write yeah yes yesterday"
    " yet you're your".split()
)
#: The same in French, with the verbs that most sentences about work share.
_TALK_IN_FRENCH: Final = frozenset(
    "ai ainsi alors après aucun aussi autre avais avait avant avec avez avoir avons bien bon"
    " bonjour car ceci cela celle celui ces cet cette chaque chez chose choses comme comment"
    " dans depuis des deux dire dit dois doit donc dont elle elles encore entre est été être"
    " eux faire fais fait faites faut fois font hier ici ils jamais jour leur lui maintenant"
    " mais merci mes mieux moi moins mon notre nous nos oui par parce pas pense peu peut peux"
    " plus pour pourquoi pouvez pouvons problème quand que quel quelle quelles quels question"
    " qui quoi rien sais sans ses soit son sont sous suis sur tes toi ton toujours tous tout"
    " toute toutes très trop une utilise utiliser utilisons vers veut veux voici voilà vos"
    " votre vous vraiment".split()
)
#: A word that French writes onto the next one.
_ELIDED: Final = re.compile(r"^(?:[cdjlmnst]|qu|jusqu|lorsqu|puisqu)['\u2019]", re.IGNORECASE)


_POSSESSIVE: Final = re.compile(r"['\u2019]s$")
#: Common verbs and other words that say something of a matter and name none.
_VERBS: Final = frozenset(
    "add ask begin bring buy change check close come cost decide drop end fail find fix happen hold"
    " keep leave limit live lose mean meet miss move open own pay play press push put read remove"
    " restart run send set ship show start stay stop switch talk turn wait wipe".split()
)
_INFLECTED: Final = re.compile(r"(?:s|es|ed)$")
_PARTICIPLE: Final = re.compile(r"[a-z]{3,}[^aeiou\W]ed")


def _is_verb(word: str) -> bool:
    """Whether a word is a common verb in any form, or a participle: it names no topic."""
    stem = _INFLECTED.sub("", word)
    forms = {word, stem, f"{stem}e", stem[:-1]} if stem != word else {word}
    return not _VERBS.isdisjoint(forms) or _PARTICIPLE.fullmatch(word) is not None


@dataclass(frozen=True, slots=True)
class ConversationText:
    """A conversation as given to a model: one line per message."""

    messages: tuple[str, ...]
    words: int = 40


def _local_summary(_: ConversationText) -> Shorter:
    """An empty summary: without a model a memo keeps no text of its source."""
    return Shorter("")


MEMO_SUMMARY: Final = Task("memo_summary", Shorter, _local_summary, tokens=160)


def conversation_lines(spoken: Sequence[Event]) -> tuple[str, ...]:
    """The lines of a conversation, as many as a model is given."""
    lines, room = [], _MAX_CHARACTERS
    for one in spoken:
        line = f"{one.author}: {plain(one.text)}"[:1_000]
        room -= len(line)
        if room < 0:
            break
        lines.append(line)
    return tuple(lines)


def plain(text: str) -> str:
    """A text as it is quoted: without memories that recall had inserted."""
    return repaired_text(without_fenced(text)).strip()


def headline(text: str) -> str:
    """Headline of a message: its first question, or else its first sentence."""
    sentences = [one.strip() for one in _SENTENCE.split(plain(text)[:4_000]) if one.strip()]
    asked = [one for one in sentences if is_question(one) and len(one) > 8]
    chosen = asked[0] if asked else (sentences[0] if sentences else "")
    return cut(chosen, SUMMARY_LIMIT)


def cut(text: str, limit: int = PREVIEW_LIMIT) -> str:
    """A text on one line, cut at a word."""
    line = " ".join(text.split())
    if len(line) <= limit:
        return line
    return line[: limit - 1].rsplit(" ", 1)[0].rstrip(" ,;:.") + "…"


def topic_words(texts: Sequence[str], count: int = _TOPICS) -> tuple[str, ...]:
    """The recurring words of a conversation; words marked as code count double."""
    counts: Counter[str] = Counter()
    for text in texts:
        pieces = plain(text)[:4_000].split()
        said = " ".join(
            one for one in pieces if not one.startswith(_NO_WORDS) and not _ADDRESS.search(one)
        )
        marked = {one.strip().lower() for one in _CODE.findall(said) if " " not in one.strip()}
        words = {_POSSESSIVE.sub("", _ELIDED.sub("", word)).strip("-'") for word in words_of(said)}
        for word in words | marked:
            if len(word) > 2 and not (word in _TALK or word in _TALK_IN_FRENCH or _is_verb(word)):
                counts[word] += 2 if word in marked else 1
    ranked = sorted(counts, key=lambda word: (-counts[word], -len(word), word))
    return tuple(ranked[:count])
