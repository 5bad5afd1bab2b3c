"""80 kinds of secrets and 80 look-alikes, twice: wordings from a file, values made by chance.

``sets/secrets.tsv`` and ``sets/look_alikes.tsv`` were at hand while the rules were written;
``secrets_fresh.tsv`` and ``look_alikes_fresh.tsv`` were written after them. No value is written
down anywhere: each is made anew from a seed, in the shape that its maker knows.
"""

import random
import string
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final, NamedTuple

from recollect.trust.secrets import find_secrets, redacted

SETS: Final = Path(__file__).parent / "sets"
DIGITS: Final = string.digits
LETTERS: Final = string.ascii_letters + DIGITS
SYLLABLES: Final = (
    "ba",
    "do",
    "fi",
    "gu",
    "ka",
    "lem",
    "mor",
    "nu",
    "pel",
    "ri",
    "sto",
    "tan",
    "vu",
)
WORDS: Final = (
    "amber",
    "bottle",
    "canyon",
    "dragon",
    "ember",
    "falcon",
    "ginger",
    "harvest",
    "island",
)

Maker = Callable[[random.Random], str]


class Case(NamedTuple):
    """One kind: its name, what its values are, and the text with a gap for the value."""

    kind: str
    value: str
    wording: str


def cases(name: str) -> list[Case]:
    """The cases of one file."""
    lines = (SETS / f"{name}.tsv").read_text("utf-8").splitlines()[1:]
    return [Case(*line.replace("\\n", "\n").split("\t")) for line in lines]


def told(case: Case, chance: random.Random) -> tuple[str, str]:
    """The text of a case with a new value, and the value."""
    value = MAKERS[case.value](chance) if case.value != "-" else ""
    return case.wording.replace("{}", value), value


def through(name: str, seed: int, times: int = 10) -> Iterator[tuple[str, str]]:
    """The secrets of a file of which something was left: their kind and the text."""
    chance = random.Random(seed)
    for case in cases(name):
        for _ in range(times):
            text, value = told(case, chance)
            if _is_left(value, redacted(text)):
                yield case.kind, text


def refused(name: str, seed: int, times: int = 10) -> Iterator[tuple[str, str]]:
    """The look-alikes of a file that were taken for secrets: their kind and the text."""
    chance = random.Random(seed)
    for case in cases(name):
        for _ in range(times if case.value != "-" else 1):
            text, _ = told(case, chance)
            if find_secrets(text):
                yield case.kind, text


def _is_left(value: str, text: str) -> bool:
    """Whether a secret, or its second half, can still be read."""
    return value in text or value[-max(4, len(value) // 2) :] in text


def _of(alphabet: str, size: int) -> Maker:
    return lambda chance: "".join(chance.choice(alphabet) for _ in range(size))


def _password(chance: random.Random) -> str:
    """What people and generators choose: letters and digits, sometimes a sign."""
    body = [chance.choice(string.ascii_lowercase) for _ in range(chance.randint(4, 7))]
    body += [chance.choice(DIGITS) for _ in range(chance.randint(1, 3))]
    body += [chance.choice(string.ascii_letters) for _ in range(chance.randint(1, 4))]
    body += [chance.choice("!#%*-_") for _ in range(chance.randint(0, 1))]
    first, rest = body[0], body[1:]
    chance.shuffle(rest)
    return first + "".join(rest).rstrip("!#%*-_") + chance.choice(LETTERS)


def _word(chance: random.Random) -> str:
    """A password that is a plain word: only its place tells of it."""
    return "".join(chance.choice(SYLLABLES) for _ in range(4))


def _phrase(chance: random.Random) -> str:
    return " ".join(chance.sample(WORDS, 4))


def _check_digit(body: str) -> str:
    total = 0
    for place, digit in enumerate(reversed(body)):
        doubled = int(digit) * (2 - place % 2)
        total += doubled - 9 if doubled > 9 else doubled
    return str(-total % 10)


def _card(chance: random.Random, prefix: str = "", size: int = 16) -> str:
    body = prefix or chance.choice(["4539", "4716", "5214", "5412", "2231", "6011"])
    body += _of(DIGITS, size - 1 - len(body))(chance)
    return body + _check_digit(body)


def _not_card(chance: random.Random) -> str:
    """A number of that length which no card has: it begins with a nine."""
    return "9" + _of(DIGITS, 15)(chance)


def _bad_card(chance: random.Random) -> str:
    card = _card(chance)
    return card[:-1] + str((int(card[-1]) + chance.randint(1, 9)) % 10)


def _iban(chance: random.Random) -> str:
    country, size = chance.choice([("DE", 18), ("FR", 23), ("ES", 20), ("AT", 16), ("NL", 0)])
    body = "ABNA" + _of(DIGITS, 10)(chance) if country == "NL" else _of(DIGITS, size)(chance)
    number = int("".join(str(int(sign, 36)) for sign in f"{body}{country}00"))
    return f"{country}{98 - number % 97:02}{body}"


def _bad_iban(chance: random.Random) -> str:
    iban = _iban(chance)
    return f"{iban[:2]}{(int(iban[2:4]) + chance.randint(1, 60)) % 90 + 2:02}{iban[4:]}"


def _grouped(maker: Maker, sign: str = " ", size: int = 4) -> Maker:
    def made(chance: random.Random) -> str:
        whole = maker(chance)
        return sign.join(whole[start : start + size] for start in range(0, len(whole), size))

    return made


def _ssn(chance: random.Random) -> str:
    area = chance.choice([n for n in range(1, 900) if n != 666])
    return f"{area:03}-{chance.randint(1, 99):02}-{chance.randint(1, 9999):04}"


def _sas(chance: random.Random) -> str:
    """A signature of 32 bytes as a link has it: plus, slash and equals are escaped."""
    body = _of(LETTERS, 41)(chance)
    return f"{body[:7]}%2B{body[7:20]}%2F{body[20:]}%3D"


def _uuid(chance: random.Random) -> str:
    whole = _of("0123456789abcdef", 32)(chance)
    return "-".join((whole[:8], whole[8:12], f"4{whole[13:16]}", f"a{whole[17:20]}", whole[20:]))


def _base64_of_login(chance: random.Random) -> str:
    import base64

    return base64.b64encode(f"ada:{_password(chance)}".encode()).decode()


MAKERS: Final[dict[str, Maker]] = {
    "password": _password,
    "word": _word,
    "phrase": _phrase,
    "pin": _of(DIGITS, 4),
    "puk": _of(DIGITS, 8),
    "card": _card,
    "card_groups": _grouped(_card),
    "card_dashes": _grouped(_card, "-"),
    "amex": lambda chance: _card(chance, chance.choice(["34", "37"]), 15),
    "not_card": _not_card,
    "bad_card": _bad_card,
    "iban": _iban,
    "iban_groups": _grouped(_iban),
    "bad_iban": _bad_iban,
    "ssn": _ssn,
    "ssn_digits": lambda chance: _ssn(chance).replace("-", ""),
    "sas": _sas,
    "uuid": _uuid,
    "base32": _of(string.ascii_uppercase + "234567", 32),
    "base64": _base64_of_login,
    "base64_44": lambda chance: _of(LETTERS + "+/", 43)(chance) + "=",
    "base64_88": lambda chance: _of(LETTERS + "+/", 86)(chance) + "==",
    "hex": _of("0123456789abcdef", 32),
    "hex40": _of("0123456789abcdef", 40),
    "hex64": _of("0123456789abcdef", 64),
    "alnum": _of(LETTERS, 16),
    "alnum_long": _of(LETTERS, 40),
    "long": _of(LETTERS, 600),
    "github": _of(LETTERS, 36),
    "pem": lambda chance: "\n".join(_of(LETTERS + "+/", 64)(chance) for _ in range(3)),
}
