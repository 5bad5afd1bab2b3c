"""Shopping and packing lists: one entry per list, which later messages add to or remove from.

"Shopping list: eggs, bread" is kept as said; "add milk to the list" makes it "Shopping list: eggs,
bread, milk", and "take the eggs off the list" removes the eggs. A bare "add milk" counts only if
the list was mentioned just before; otherwise it may be about anything.
"""

import re
from dataclasses import dataclass
from typing import Final

LIST_WORDS: Final = "shopping grocery packing list liste courses"
_NAMED: Final = r"(?:shopping|grocery|groceries|packing|to-buy|food)"
_LIST: Final = re.compile(
    rf"(?:here's |this is |voici )?(?:my |our |the |ma |la |notre )?(?:{_NAMED} list|list(?:e)? de"
    r" (?:courses|choses à acheter)|liste des courses)(?: is| for [\w ]{2,30}| pour [\w ]{2,30})?"
    r" ?: ?(?=\S)",
    re.IGNORECASE,
)
_TO_THE_LIST: Final = (
    rf"(?P<whose>my|our|the|that|ma|la|notre) (?:(?P<named>{_NAMED}) )?list(?:e)?"
    r"(?: (?P<nommée>de courses|des courses))?(?: too| as well| please| aussi| stp)?[ .!]{0,3}$"
)
_ADDED: Final = re.compile(
    rf"(?:please |also |oh |and |can you |could you |et ){{0,2}}(?:add|put|ajoute|mets|rajoute)"
    rf" (?P<items>[\w ,'&-]{{2,120}}?) (?:to|on|onto|à|sur) {_TO_THE_LIST}",
    re.IGNORECASE,
)
_TAKEN_OFF: Final = re.compile(
    rf"(?:please |also |oh |and |et ){{0,2}}(?:take|cross|remove|strike|enlève|raye|retire)"
    rf" (?P<items>[\w ,'&-]{{2,120}}?) (?:off|from|out of|de) {_TO_THE_LIST}",
    re.IGNORECASE,
)
_BARE: Final = re.compile(
    r"(?:please |also |oh |and |et ){0,2}(?:add|ajoute|rajoute) (?P<items>[\w'&-]{2,20}"
    r"(?:(?:,| and| et)? [\w'&-]{2,20}){0,3})(?: too| as well| please| aussi| stp)?[ .!]{0,3}$",
    re.IGNORECASE,
)
_BETWEEN: Final = re.compile(r",? (?:and|et) |, ?", re.IGNORECASE)
_ARTICLE: Final = re.compile(
    r"(?:the|some|an?|more|du|de la|des|les|le|la|une?|d'|l') ?(?=\w)", re.I
)


@dataclass(frozen=True, slots=True)
class ListChange:
    """Items to add to a list or to remove from it."""

    items: tuple[str, ...]
    taken_off: bool = False
    bare: bool = False  # whether the list is not named
    of_the_speaker: bool = False  # "my shopping list", which this change may create


def is_list(text: str) -> bool:
    """Whether a text is a list of things to buy or to pack, with its items."""
    return _LIST.match(text.strip()) is not None


def is_about_list(text: str) -> bool:
    """Whether a text is a list, or may change one."""
    return is_list(text) or list_change(text) is not None


def list_change(text: str) -> ListChange | None:
    """The change that a message makes to a list; None if it mentions no list."""
    plain = text.strip().replace("\u2019", "'")
    for pattern in (_ADDED, _TAKEN_OFF, _BARE):
        found = pattern.match(plain)
        if found is not None:
            items = tuple(one.strip() for one in _BETWEEN.split(found["items"]) if one.strip())
            named = pattern is not _BARE and bool(found["named"] or found["nommée"])
            mine = named and found["whose"].lower() in ("my", "our", "ma", "notre")
            return ListChange(items, pattern is _TAKEN_OFF, pattern is _BARE, mine)
    return None


def begun_list(change: ListChange) -> str:
    """A new list with the added items."""
    return f"Shopping list: {', '.join(map(_bare, change.items))}"


def changed_list(old: str, change: ListChange) -> str | None:
    """The list after a change; None if nothing changes, or nothing is left on it."""
    head = _LIST.match(old.strip())
    if head is None:
        return None
    on_it = [one for one in _BETWEEN.split(old.strip()[head.end() :].rstrip(" .!")) if one]
    known = {_bare(one).lower() for one in on_it}
    if change.taken_off:
        gone = {_bare(one).lower() for one in change.items}
        left = [one for one in on_it if _bare(one).lower() not in gone]
    else:
        new = [_bare(one) for one in change.items if _bare(one).lower() not in known]
        left = [*on_it, *new]
    return None if not left or left == on_it else f"{head[0]}{', '.join(left)}"


def _bare(item: str) -> str:
    return _ARTICLE.sub("", item, count=1) if _ARTICLE.match(item) else item
