"""Values made by chance for the sets of secrets: no value is written down, only its shape."""

import base64
import random
import re
import string
from collections.abc import Callable
from typing import Final

DIGITS: Final = string.digits
LETTERS: Final = string.ascii_letters + DIGITS
HEX: Final = DIGITS + "abcdef"
#: Alphabets of values whose size is written behind a colon: ``alnum:36``.
ALPHABETS: Final = {
    "alnum": LETTERS,
    "url": LETTERS + "_-",
    "b64": LETTERS + "+/",
    "hex": HEX,
    "lower": string.ascii_lowercase + DIGITS,
    "upper": string.ascii_uppercase + DIGITS,
    "digits": DIGITS,
}
SYLLABLES: Final = "ba do fi gu ka lem mor nu pel ri sto tan vu".split()
WORDS: Final = "amber bottle canyon dragon ember falcon ginger harvest island".split()
#: Words that people really choose, and words of a wallet's seed.
CHOSEN: Final = (
    "swordfish monkey sunshine dragon letmein princess football shadow superman trustno1 batman "
    "butterfly chocolate jasmine pepper hunter ginger whatever buster maverick cookie banana "
    "mustang thunder starwars pumpkin orange tigger hockey killer"
).split()
FRENCH: Final = "soleil doudou loulou marseille chouchou bonjour camille nicolas papillon".split()
SEED_WORDS: Final = (
    "abandon ability able about above absent absorb abstract absurd abuse access accident account "
    "accuse achieve acid acoustic acquire across act action actor actress actual adapt add addict"
).split()

Maker = Callable[[random.Random], str]


def made(value: str, chance: random.Random) -> str:
    """A new value: of a maker by name, or of an alphabet and a size."""
    if value in MAKERS:
        return MAKERS[value](chance)
    alphabet, size = value.split(":")
    return _of(ALPHABETS[alphabet], int(size))(chance)


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
    return base64.b64encode(f"ada:{_password(chance)}".encode()).decode()


def _human(chance: random.Random) -> str:
    """A word, a number and perhaps a sign, as people make a password that a rule accepts."""
    word = chance.choice(CHOSEN[:3] + WORDS + FRENCH)
    return f"{word.capitalize()}{chance.randint(1, 2099)}{chance.choice(('!', '', '', '#', '*'))}"


def _strong(chance: random.Random) -> str:
    """What a generator makes, with signs inside and a letter or digit at both ends."""
    inner = _of(LETTERS + "!#$%*+-_~^", chance.randint(9, 16))(chance)
    return f"{chance.choice(LETTERS)}{inner}{chance.randint(0, 9)}{chance.choice(LETTERS)}"


def _leet(chance: random.Random) -> str:
    word = chance.choice([word for word in CHOSEN if len(word) > 6])
    return word.translate(str.maketrans("aeios", "43105"))


def _jwt(chance: random.Random) -> str:
    part = _of(ALPHABETS["url"], 43)
    return f"eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJ{part(chance)}.{part(chance)}"


def _joined(pattern: str) -> Maker:
    """Values in a pattern: each ``alphabet:size`` between angles is made, the rest stays."""
    parts = re.split(r"<([^>]*)>", pattern)

    def joined(chance: random.Random) -> str:
        return "".join(
            made(part, chance) if place % 2 else part for place, part in enumerate(parts)
        )

    return joined


def _base64_of_password(chance: random.Random) -> str:
    return base64.b64encode(_human(chance).encode()).decode()


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
    "human": _human,
    "strong": _strong,
    "strongurl": lambda chance: _of(LETTERS + "_-.~!", 14)(chance) + chance.choice(LETTERS),
    "leet": _leet,
    "dict": lambda chance: chance.choice(CHOSEN),
    "french": lambda chance: chance.choice(FRENCH),
    "dashes": lambda chance: "-".join(chance.sample(WORDS, 4)),
    "seed": lambda chance: " ".join(chance.sample(SEED_WORDS, 12)),
    "jwt": _jwt,
    "basic": _base64_of_login,
    "base64pw": _base64_of_password,
    "b64_44": _joined("<b64:43>="),
    "b64_88": _joined("<b64:86>=="),
    "pemline": lambda chance: "".join(f"\\n{_of(LETTERS, 64)(chance)}" for _ in range(3)) + "\\n",
    "slackbot": _joined("<digits:12>-<digits:12>-<alnum:24>"),
    "slackuser": _joined("<digits:12>-<digits:12>-<digits:12>-<hex:32>"),
    "slackapp": _joined("A<upper:10>-<digits:13>-<hex:64>"),
    "discordbot": _joined("M<alnum:25>.<alnum:6>.<url:38>"),
    "braintree": _joined("access_token$production$<lower:16>$<hex:32>"),
    "sendgrid": _joined("SG.<url:22>.<url:43>"),
    "mailchimp": _joined("<hex:32>-us14"),
    "brevo": _joined("<hex:64>-<alnum:16>"),
    "azuread": _joined("<alnum:3>8Q~<url:33>a"),
    "glsa": _joined("glsa_<alnum:32>_<hex:8>"),
    "dynatrace": _joined("dt0c01.<upper:24>.<upper:64>"),
    "airtable": _joined("pat<alnum:14>.<hex:64>"),
    "asana": _joined("1/<digits:16>:<hex:32>"),
    "postman": _joined("<hex:24>-<hex:34>"),
    "atlas": _joined("<alnum:14>.atlasv1.<url:66>"),
    "agekey": _joined("<upper:58>"),
    "tailscale": _joined("k<alnum:11>CNTRL-<alnum:32>"),
    "telegram": _joined("<digits:10>:AA<url:33>"),
    "bcrypt": _joined("$2b$12$<alnum:53>"),
    "sha512crypt": _joined("$6$<alnum:16>$<alnum:86>"),
}
