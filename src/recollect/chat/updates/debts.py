"""Debts that are paid back: "I owe Paul 20 euros", "I paid Paul back".

Both must name the same person and the same direction. A part that was paid back leaves the debt.
"""

import re
from typing import Final

from recollect.chat.language.sentence_subject import names_in, relations_in

_JUST: Final = r"(?:(?:just|finally|already|now|also|enfin|bien|déjà|tout) ){0,2}"
#: What the speaker owes, and what is owed to the speaker.
_OWED: Final = (
    re.compile(
        rf"\b(?:i|we) (?:still )?(?:owe|borrowed)\b|\b(?:i|we)(?:'ve| have) borrowed\b"
        rf"|\b(?:je|on|nous) (?:dois|doit|devons) (?:encore )?(?:[\d€]|de l'argent)"
        rf"|\blent (?:me|us)\b"
        rf"|\b(?:j'ai|on a) {_JUST}emprunté\b|\bm'a {_JUST}(?:prêté|avancé)\b",
        re.IGNORECASE,
    ),
    re.compile(
        rf"\bowes? (?:me|us)\b|\b(?:i|we)(?:'ve| have)? {_JUST}lent\b|\bborrowed\b.{{0,40}}"
        rf"\bfrom (?:me|us)\b|\b(?:me|nous) (?:doit|doivent)\b|\b(?:j'ai|on a) {_JUST}prêté\b",
        re.IGNORECASE,
    ),
)
#: Words of paying back, by the speaker and to the speaker.
_PAID: Final = (
    re.compile(
        rf"(?:^|\b(?:i|we)(?:'ve| have)? ){_JUST}(?:paid (?:[\w'-]{{1,20}} ){{1,6}}?(?:back|off)\b"
        rf"|paid (?:back|off)\b|repaid\b|reimbursed\b|(?:settled|squared) up with\b|gave "
        rf"(?:[\w'-]{{1,20}} ){{1,4}}?(?:money|cash|loan) back\b)"
        rf"|\b(?:i|we) (?:don't|do not|no longer) owe\b"
        rf"|\b(?:j'ai|on a|nous avons) {_JUST}(?:remboursé|rendu (?:[\w'-]{{1,20}} ){{0,3}}argent)"
        rf"|\bne (?:dois|doit|devons) plus rien\b",
        re.IGNORECASE,
    ),
    re.compile(
        rf"\b{_JUST}(?:paid (?:me|us) back|repaid (?:me|us)|reimbursed (?:me|us)|settled up with"
        rf" (?:me|us)|gave (?:me|us) (?:[\w'-]{{1,20}} ){{0,3}}back)\b"
        rf"|\bgot (?:my|our) money back\b|\b(?:m'a|nous a) {_JUST}(?:remboursé|rendu)",
        re.IGNORECASE,
    ),
)
_AMOUNT: Final = re.compile(r"(?<![\w.,:/-])\d{1,6}(?:[.,]\d{1,2})?(?![\w:/])")
_DATES: Final = re.compile(r"\([^()]{0,30}\d{4}\)|\b\d{1,2} [A-ZÀ-Þa-zà-ÿ]{3,9} \d{4}\b")
_READ: Final = 300


def may_settle(text: str) -> bool:
    """Whether a text says that somebody was paid back."""
    return any(paid.search(text[:_READ].replace("\u2019", "'")) for paid in _PAID)


def settles(debt: str, paid: str) -> bool:
    """Whether a later text says that the debt of an earlier one was paid back."""
    old, new = (text[:_READ].replace("\u2019", "'") for text in (debt, paid))
    same_way = any(
        owed.search(old) and back.search(new) for owed, back in zip(_OWED, _PAID, strict=True)
    )
    if not same_way or any(back.search(old) for back in _PAID):
        return False
    names = names_in(f" {old}") & names_in(f" {new}")
    if not names and not relations_in(old) & relations_in(new):
        return False
    before, now = _amounts(old), _amounts(new)
    return not now or not before or bool(before & now)


def _amounts(text: str) -> set[str]:
    return set(_AMOUNT.findall(_DATES.sub(" ", text)))
