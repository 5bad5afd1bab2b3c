"""Secrets of accounts and wallets, by name and format: seeds, keys, recovery codes, logins.

``ledger seed: ...`` and twelve words, a private key in hexadecimal beside its name, the recovery
codes of a service, and the password after an account's name where somebody explains how to log in.
The rules are written and judged as those of ``placed_rules``.
"""

from typing import Final

from recollect.trust.secret_values import PlacedRule, is_plausible_after_word, is_unusual, is_varied


def _is_seed(value: str) -> bool:
    """Whether words are a wallet's seed phrase: none of them is a common word of sentences."""
    return _COMMON.isdisjoint(value.replace(",", " ").split())


def _are_codes(value: str) -> bool:
    """Whether groups of characters are codes: most have digits, and none is a year or date."""
    groups = value.replace("-", " ").split()
    signs = "".join(groups)
    return len(signs) > 6 and sum(map(str.isdigit, signs)) * 4 > len(signs)


_COMMON: Final = frozenset(
    (
        "the and you your for with that this are was from have not can will has had but all any "
        "our their when then than into onto out les des une est pour dans avec sur que qui pas "
        "der die das und ist nicht mit von den dem ein eine auf los las una para con por del "
        "che non per della"
    ).split()
)
#: Names of keys that spend money or sign.
_PRIVATE_KEYS: Final = (
    "private key", "privkey", "wallet key", "signing key", "secret key", "hot wallet", "priv key",
    "privater schl", "clave privada", "chiave privata", "chave privada", " priv",
)  # fmt: skip
_PRIVATE_KEY: Final = (
    r"(?i:priv(?:ate)?[ _-]?key|(?:wallet|signing|secret)[ _-]key|hot wallet|privater schl.ssel"
    r"|cl. priv.e|clave privada|chiave privata|chave privada)"
)
#: One code of a list: two groups of characters, or one long group.
_GROUP: Final = "[A-Za-z0-9]{4,6}"
_CODE: Final = rf"(?:{_GROUP}[ -]{_GROUP}(?:-{_GROUP}){{0,3}}|[A-Za-z0-9]{{8,12}}|[0-9]{{6,10}})"

ACCOUNTS: Final[tuple[PlacedRule, ...]] = (
    PlacedRule(
        "seed of a wallet",
        (
            "seed",
            "recovery phrase",
            "recovery words",
            "mnemonic",
            "backup phrase",
            "wallet",
            "secret phrase",
            "semilla",
            "phrase de r",
            "wiederherstellungs",
            "frase di recupero",
        ),
        r"(?i:\bseed|recovery (?:phrase|words)|mnemonic|(?:backup|secret) phrase|\bwallet|semilla"
        r"|phrase de r.cup|wiederherstellungs(?:phrase|w.rter)|frase di recupero)"
        r"[^\n]{0,60}?(?:[:=\n]|\b(?:is|are|est|ist|es|lautet)\b)[ \t\n]{0,3}[\"'`]?"
        r"(?P<secret>(?:(?:[0-9]{1,2}[.)]?[ ])?[a-z]{3,8}[ ,\n]{1,2}){11,23}"
        r"(?:[0-9]{1,2}[.)]?[ ])?[a-z]{3,8})",
        _is_seed,
    ),
    PlacedRule(
        "private key",
        _PRIVATE_KEYS,
        rf"{_PRIVATE_KEY}[^\n]{{0,48}}?[^\w\n](?P<secret>(?:0x)?[0-9a-fA-F]{{64}})\b",
        is_varied,
    ),
    PlacedRule(
        "private key",
        _PRIVATE_KEYS,
        rf"(?:^|[^\w\n])(?P<secret>(?:0x)?[0-9a-fA-F]{{64}})\b[^\n]{{0,32}}?{_PRIVATE_KEY}",
        is_varied,
    ),
    PlacedRule(
        "password of a login",
        ("log in", "login", "sign in", "connecter", "einloggen", "anmelden", "entrar", "accedi"),
        r"(?i:log ?in|sign in|connecter|einloggen|anmelden|entrar|accedi)[^\n]{0,60}?"
        r"(?i:\b[\w.@-]{2,40}(?:[ ]/|,?[ ]and then|,?[ ]then|[ ]puis|[ ]dann|[ ]luego|[ ]e poi)[ ])"
        r"(?P<secret>[^\s\"'`<>()]{6,60})",
        is_unusual,
    ),
    PlacedRule(
        "password of a login",
        ("log in", "login", "sign in", "connecter", "einloggen", "anmelden", "iniciar"),
        r"\b(?i:use|with|using|utilise|benutze|nimm|usa|mit|avec|con)[ ]"
        r"(?P<secret>[^\s\"'`<>()@]{6,60})[ ]"
        r"(?i:to (?:log ?in|sign in)|pour (?:se|te|vous) connecter|zum (?:einloggen|anmelden)"
        r"|para (?:entrar|iniciar))",
        is_plausible_after_word,
    ),
    PlacedRule(
        "codes to recover an account",
        (
            "backup code",
            "recovery code",
            "emergency code",
            "scratch code",
            "codes de secours",
            "codes de r",
            "rettungscode",
            "wiederherstellungscode",
            "backup-code",
            "digos de re",
            "codici di",
            "one-time code",
            "2fa code",
        ),
        r"(?i:(?:backup|recovery|emergency|scratch|one-time|2fa)[ -]codes?"
        r"|codes de (?:secours|r.cup\w{1,8})"
        r"|(?:rettungs|wiederherstellungs)codes?|c.digos de re\w{1,12}|codici di \w{3,10})"
        r"[^\n:]{0,48}(?::|\n|[ \t](?:are|is|sont|sind|son))[ \t\n]{0,4}(?:[-*][ ])?"
        rf"(?P<secret>{_CODE}(?:[ \t]{{0,3}}[,;/\n\t ][\s*-]{{0,4}}{_CODE}){{0,15}})",
        _are_codes,
    ),
    PlacedRule(
        "one-time password seed",
        ("totp", "2fa", "mfa", "authenticator"),
        r"(?i:[?&]secret=|\b(?:totp|2fa|mfa|authenticator)(?: (?:secret|seed|key|setup key|code))?"
        r"(?:[ \t]?[:=]|[ \t]is|[ \t])[ \t]?)(?P<secret>(?:[A-Z2-7]{4}[ -]?){4,16})",
        is_varied,
    ),
)
