"""Personal numbers: payment cards, bank accounts and social security numbers.

A number counts only if its arithmetic is right: a card's last digit (Luhn) and its prefix, an
account's checksum (modulo 97) and its country's length, a social security number's ranges. One run
of digits in ten passes Luhn by chance, so an ungrouped card number must not follow a word that
calls it an order, an id or a time.
"""

import re
import string
from collections.abc import Iterator
from typing import Final

from recollect.trust.secret_values import Secret, holds_any
from recollect.vocabulary.lazy_patterns import lazy_pattern
from recollect.vocabulary.linear_patterns import FoldedText, LinearPattern

_CARD_SHAPES: Final = (
    "[0-9]{4}[ -][0-9]{4}[ -][0-9]{4}", "[0-9]{4}[ -][0-9]{6}[ -][0-9]{4}", "[0-9]{13}",
)  # fmt: skip
_IBAN_SHAPE: Final = "[A-Z]{2}[0-9]{2}[ -]?[A-Z0-9]{4}[ -]?[A-Z0-9]{4}"
_SOCIAL_SHAPE: Final = "[0-9]{3}-[0-9]{2}-[0-9]{4}"
#: Patterns of which a text with such a number contains one.
SHAPES: Final = (*_CARD_SHAPES, _IBAN_SHAPE, _SOCIAL_SHAPE)
_CARD: Final = LinearPattern(
    r"[0-9]{4}[ -][0-9]{4}[ -][0-9]{4}[ -][0-9]{1,7}|[0-9]{4}[ -][0-9]{6}[ -][0-9]{4,5}"
    r"|[0-9]{13,19}"
)
_IBAN: Final = LinearPattern(r"[A-Z]{2}[0-9]{2}(?:[ -]?[A-Z0-9]{4}){2,7}(?:[ -]?[A-Z0-9]{1,3})?")
_SOCIAL: Final = LinearPattern(r"[0-9]{3}-[0-9]{2}-[0-9]{4}|[0-9]{3} [0-9]{2} [0-9]{4}|[0-9]{9}")
#: Words that announce a social security number, however it is written.
WORDS: Final = ("ssn", "social security", "social_security", "social-security", "socialsecurity")
_SOCIAL_WORDS: Final = lazy_pattern(r"(?i)\bssn\b|social[ _-]?security")
#: Words beside a card number, and words right before other numbers. In lower case.
_CARD_WORDS: Final = (
    "card", "visa", "amex", "american express", "discover", "diners", "maestro", "carte", "karte",
    "tarjeta", "cartão", "cvv", "cvc", "expir", "billing", "payment", " cc ", " pan ", " pay ",
)  # fmt: skip
_OTHER_WORDS: Final = frozenset(
    [
        "order", "orders", "id", "ids", "no", "nr", "number", "ref", "reference", "invoice",
        "ticket", "tracking", "shipment", "parcel", "case", "serial", "sku", "isbn", "ean", "gtin",
        "upc", "imei", "imsi", "iccid", "vin", "transaction", "txn", "trace", "span", "request",
        "timestamp", "time", "ts", "epoch", "nanoseconds", "ns", "us", "ms", "build", "run", "job",
        "message", "user", "account", "customer", "uid", "pid", "hash", "seed", "offset", "size",
        "bytes", "part", "snowflake", "commande", "facture", "bestellung", "rechnung", "pedido",
        "numéro", "n°", "#", "model", "catalog", "item", "product", "article", "batch", "lot",
        "version",
    ]
)  # fmt: skip
_LAST_WORD: Final = lazy_pattern(r"([^\W\d_]{1,20}°?|#)[\s:=#.\"'(]{0,4}$")
_CARD_LENGTHS: Final = frozenset({15, 16})
#: Length of an account number, by country.
_IBAN_LENGTHS: Final = {
    "AD": 24, "AE": 23, "AL": 28, "AT": 20, "AZ": 28, "BA": 20, "BE": 16, "BG": 22, "BH": 22,
    "BR": 29, "BY": 28, "CH": 21, "CR": 22, "CY": 28, "CZ": 24, "DE": 22, "DK": 18, "DO": 28,
    "EE": 20, "EG": 29, "ES": 24, "FI": 18, "FO": 18, "FR": 27, "GB": 22, "GE": 22, "GI": 23,
    "GL": 18, "GR": 27, "GT": 28, "HR": 21, "HU": 28, "IE": 22, "IL": 23, "IQ": 23, "IS": 26,
    "IT": 27, "JO": 30, "KW": 30, "KZ": 20, "LB": 28, "LC": 32, "LI": 21, "LT": 20, "LU": 20,
    "LV": 21, "LY": 25, "MC": 27, "MD": 24, "ME": 22, "MK": 19, "MR": 27, "MT": 31, "MU": 30,
    "NL": 18, "NO": 15, "PK": 24, "PL": 28, "PS": 29, "PT": 25, "QA": 29, "RO": 24, "RS": 22,
    "SA": 24, "SC": 31, "SD": 18, "SE": 24, "SI": 19, "SK": 24, "SM": 27, "ST": 25, "SV": 28,
    "TL": 23, "TN": 24, "TR": 26, "UA": 29, "VA": 22, "VG": 24, "XK": 20,
}  # fmt: skip
_NEAR_CHARACTERS: Final = 60
_ACCOUNT_CHARACTERS: Final = frozenset(string.ascii_letters + string.digits)


def find_numbers(reading: FoldedText, present: frozenset[str]) -> Iterator[Secret]:
    """Every personal number in a text; ``present`` are the words and patterns in it."""
    if not present.isdisjoint(_CARD_SHAPES):
        yield from _cards(reading)
    if _IBAN_SHAPE in present:
        yield from _accounts(reading)
    if _SOCIAL_SHAPE in present:
        yield from _socials(reading, announced=False)
    if not present.isdisjoint(WORDS):
        yield from _socials(reading, announced=True)


def _cards(reading: FoldedText) -> Iterator[Secret]:
    text = reading.text
    for start, end in _CARD.spans(reading):
        digits = re.sub(r"[ -]", "", text[start:end])
        if not _stands_alone(text, start, end) or not _is_issued(digits) or not _luhn(digits):
            continue
        if len(set(digits)) < 3 and digits.strip("0") == "":
            continue
        near = text[max(0, start - _NEAR_CHARACTERS) : end + _NEAR_CHARACTERS].lower()
        called = holds_any(near, _CARD_WORDS)
        grouped = len(digits) != end - start
        if called or (
            (grouped or len(digits) in _CARD_LENGTHS) and not _is_called_otherwise(text, start)
        ):
            yield Secret("card number", start, end)


def _is_called_otherwise(text: str, start: int) -> bool:
    """Whether the word right before a number says that it is an order, an id, a time."""
    last = _LAST_WORD.search(text, max(0, start - 24), start)
    return last is not None and last[1].lower() in _OTHER_WORDS


def _accounts(reading: FoldedText) -> Iterator[Secret]:
    text = reading.text
    for start, _ in _IBAN.spans(reading):
        length = _IBAN_LENGTHS.get(text[start : start + 2])
        end = _end_of(text, start, length) if length else None
        if end is None or not _stands_alone(text, start, end):
            continue
        if _mod_97(re.sub(r"[ -]", "", text[start:end])):
            yield Secret("bank account number", start, end)


def _end_of(text: str, start: int, length: int) -> int | None:
    """Where this many letters and digits from an offset end, spaces and hyphens not counted.

    None where anything else stands between them.
    """
    counted, at = 0, start
    while counted < length and at < len(text) and at - start < 2 * length:
        if text[at] not in " -":
            if text[at] not in _ACCOUNT_CHARACTERS:
                return None
            counted += 1
        at += 1
    return at if counted == length else None


def _socials(reading: FoldedText, *, announced: bool) -> Iterator[Secret]:
    text = reading.text
    for start, end in _SOCIAL.spans(reading):
        value = text[start:end]
        if not _stands_alone(text, start, end) or not _is_social(re.sub(r"[ -]", "", value)):
            continue
        if announced:
            if _SOCIAL_WORDS.search(text, max(0, start - _NEAR_CHARACTERS), start):
                yield Secret("social security number", start, end)
        elif "-" in value and not _is_called_otherwise(text, start):
            yield Secret("social security number", start, end)


def _stands_alone(text: str, start: int, end: int) -> bool:
    """Whether a number is not part of a longer one, of a word, or of a decimal fraction."""
    before, after = text[start - 1 : start], text[end : end + 1]
    if before.isalnum() or after.isalnum() or (before in ("_", ".", "-", "/", "+") and before):
        return False
    return not (after in ("_", "-", ".", "/") and text[end + 1 : end + 2].isalnum())


def _is_issued(digits: str) -> bool:
    """Whether cards with this prefix and length are issued."""
    first, two, four, size = digits[0], int(digits[:2]), int(digits[:4]), len(digits)
    if first == "4":
        return size in (13, 16, 19)
    if 51 <= two <= 55 or 2221 <= four <= 2720:
        return size == 16
    if two in (34, 37):
        return size == 15
    if two in (36, 38, 39) or 300 <= int(digits[:3]) <= 305:
        return size in (14, 16)
    if four == 6011 or two in (62, 64, 65, 35) or two in (50, 56, 57, 58, 63, 67):
        return 16 <= size <= 19
    return False


def _luhn(digits: str) -> bool:
    total = 0
    for place, digit in enumerate(reversed(digits)):
        doubled = int(digit) * (1 + place % 2)
        total += doubled - 9 if doubled > 9 else doubled
    return total % 10 == 0


def _mod_97(account: str) -> bool:
    turned = account[4:] + account[:4]
    return int("".join(str(int(sign, 36)) for sign in turned)) % 97 == 1


def _is_social(digits: str) -> bool:
    """Whether a number is in the ranges that were ever issued."""
    area, group, serial = digits[:3], digits[3:5], digits[5:]
    return not (area in ("000", "666") or area[0] == "9" or group == "00" or serial == "0000")
