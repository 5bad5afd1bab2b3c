"""Which entries a person means by some words: "my job", "the holiday in Spain"."""

from recollect.chat.language.sentence_subject import about_another
from recollect.chat.updates.single_attributes import attributes_of, own_attribute
from recollect.memories.text_comparison import read
from recollect.vocabulary.personal import Entry


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
