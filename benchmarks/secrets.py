"""``python -m benchmarks.secrets``: the share of secrets that is caught, and the false alarms.

500 secrets of 25 kinds, made up by their published formats with a fixed seed, each put into prose,
code and JSON; and the secrets and look-alikes of ``secret_set``, with new values.
False alarms are counted on lines of real text: one file of JSON lines or plain text, also
compressed.
"""

import argparse
import gzip
import json
import random
import string
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from benchmarks.secret_set import SET_NAMES, cases, refused, through
from recollect.trust.secrets import find_secrets, redacted

COUNT = 500
LINES = 5_000
LETTERS = string.ascii_letters + string.digits
LOWER = string.ascii_lowercase + string.digits
HEX = string.digits + "abcdef"
BASE64 = LETTERS + "+/"

Maker = Callable[[random.Random], str]


def _of(alphabet: str, size: int) -> Maker:
    return lambda chance: "".join(chance.choice(alphabet) for _ in range(size))


def _after(prefix: str, alphabet: str, size: int) -> Maker:
    made = _of(alphabet, size)
    return lambda chance: prefix + made(chance)


def _jwt(chance: random.Random) -> str:
    part = _of(LETTERS + "-_", 40)
    return f"eyJhbGciOiJIUzI1NiJ9.eyJ{part(chance)}.{part(chance)}"


def _private_key(chance: random.Random) -> str:
    kind = chance.choice(["RSA ", "EC ", "OPENSSH ", ""])
    lines = "\\n".join(_of(BASE64, 64)(chance) for _ in range(4))
    return f"-----BEGIN {kind}PRIVATE KEY-----\\n{lines}\\n-----END {kind}PRIVATE KEY-----"


def _connection(chance: random.Random) -> str:
    scheme = chance.choice(["postgresql", "mysql", "mongodb+srv", "redis", "amqp"])
    return f"{scheme}://app:{_of(LETTERS, 14)(chance)}@db.internal:5432/main"


def _slack(chance: random.Random) -> str:
    digits = _of(string.digits, 12)
    return f"xoxb-{digits(chance)}-{digits(chance)}-{_of(LETTERS, 24)(chance)}"


def _telegram(chance: random.Random) -> str:
    return f"{_of(string.digits, 10)(chance)}:AA{_of(LETTERS + '_-', 33)(chance)}"


def _sendgrid(chance: random.Random) -> str:
    return f"SG.{_of(LETTERS, 22)(chance)}.{_of(LETTERS + '_-', 43)(chance)}"


def _webhook(chance: random.Random) -> str:
    up = string.ascii_uppercase + string.digits
    return (
        f"https://hooks.slack.com/services/T{_of(up, 8)(chance)}/B{_of(up, 10)(chance)}"
        f"/{_of(LETTERS, 24)(chance)}"
    )


KINDS: dict[str, Maker] = {
    "Anthropic": _after("sk-ant-api03-", LETTERS + "_-", 95),
    "OpenAI project": _after("sk-proj-", LETTERS + "_-", 120),
    "OpenAI legacy": lambda c: f"sk-{_of(LETTERS, 20)(c)}T3BlbkFJ{_of(LETTERS, 20)(c)}",
    "Google API": _after("AIza", LETTERS + "_-", 35),
    "GitHub classic": _after("ghp_", LETTERS, 36),
    "GitHub fine-grained": lambda c: f"github_pat_{_of(LETTERS, 22)(c)}_{_of(LETTERS, 59)(c)}",
    "GitLab": _after("glpat-", LETTERS + "_-", 20),
    "Slack": _slack,
    "Slack webhook": _webhook,
    "Stripe": _after("sk_live_", LETTERS, 24),
    "npm": _after("npm_", LETTERS, 36),
    "PyPI": _after("pypi-AgEIcHlwaS5vcmc", LETTERS + "_-", 150),
    "Hugging Face": _after("hf_", LETTERS, 34),
    "AWS access key": _after("AKIA", string.ascii_uppercase + string.digits, 16),
    "AWS secret key": lambda c: f"aws_secret_access_key={_of(BASE64, 40)(c)}",
    "Azure storage": lambda c: f"AccountKey={_of(BASE64, 86)(c)}==",
    "JSON web token": _jwt,
    "private key": _private_key,
    "connection string": _connection,
    "SendGrid": _sendgrid,
    "Twilio": _after("SK", HEX, 32),
    "Telegram": _telegram,
    "DigitalOcean": _after("dop_v1_", HEX, 64),
    "Databricks": _after("dapi", HEX, 32),
    "password": lambda c: f"password={_of(LETTERS, 8)(c)}{c.choice('!#%')}{_of(LOWER, 4)(c)}7",
}

HOLDERS: dict[str, Callable[[str], str]] = {
    "prose": lambda secret: f"By the way, for the demo use {secret} and tell nobody.",
    "code": lambda secret: f'client = connect("{secret}", retries=3)  # TODO move',
    "JSON": lambda secret: json.dumps({"user": "ada", "value": secret, "nested": [1, None]}),
}


def caught(seed: int = 7) -> dict[str, dict[str, float]]:
    """The share caught of each kind in each holder; caught means that nothing of it is left."""
    chance = random.Random(seed)
    shares: dict[str, dict[str, float]] = {}
    for kind, make in KINDS.items():
        made = [make(chance) for _ in range(COUNT // len(KINDS))]
        shares[kind] = {
            name: sum(_gone(secret, hold(secret)) for secret in made) / len(made)
            for name, hold in HOLDERS.items()
        }
    return shares


def _gone(secret: str, text: str) -> bool:
    """Whether the longest telling part of a secret is gone after redaction."""
    core = (
        secret.split("=", 1)[-1] if secret.startswith(("password", "aws_", "Account")) else secret
    )
    core = core.split("://app:", 1)[-1].split("@", 1)[0] if "://app:" in core else core
    return core not in redacted(text) and core[-12:] not in redacted(text)


def lines_of(path: Path) -> Iterator[str]:
    """Every line of text in a file; of JSON lines, every line of every text inside."""
    with gzip.open(path, "rt") if path.suffix == ".gz" else path.open() as file:
        for line in file:
            try:
                texts = list(_texts(json.loads(line)))
            except ValueError:
                texts = [line]
            for text in texts:
                yield from (part for part in text.splitlines() if part.strip())


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for inner in value:
            yield from _texts(inner)
    elif isinstance(value, dict):
        for inner in value.values():
            yield from _texts(inner)


def speed(texts: list[str]) -> tuple[float, float]:
    """CPU milliseconds for 2 kB: of ordinary text, and of text where every rule is suspected."""
    ordinary = "".join(texts)[:200_000] or "The harbour closes at nine. " * 8_000
    pieces = [ordinary[start : start + 2_000] for start in range(0, len(ordinary), 2_000)]
    alarming = [f"{piece[:1900]} the api key and password token sk- ghp_ eyJ" for piece in pieces]
    find_secrets(alarming[0])
    return _cpu(pieces), _cpu(alarming)


def _cpu(texts: list[str]) -> float:
    start = time.process_time()
    for text in texts:
        find_secrets(text)
    return (time.process_time() - start) / len(texts) * 1_000


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser("python -m benchmarks.secrets", description=__doc__)
    parser.add_argument("--lines", type=Path, help="a file of real text to count false alarms on")
    parser.add_argument("--seed", type=int, default=7, help="what the values are made from")
    options = parser.parse_args()
    shares = caught()
    print(f"{COUNT} secrets of {len(KINDS)} kinds, each in {', '.join(HOLDERS)}:\n")
    print(f"{'kind':<22}" + "".join(f"{name:>8}" for name in HOLDERS))
    for kind, row in shares.items():
        print(f"{kind:<22}" + "".join(f"{row[name]:>8.0%}" for name in HOLDERS))
    means = {name: sum(row[name] for row in shares.values()) / len(shares) for name in HOLDERS}
    print(f"{'all':<22}" + "".join(f"{means[name]:>8.1%}" for name in HOLDERS))
    for name in SET_NAMES:
        judged, what = (through, "went through") if "secrets" in name else (refused, "were refused")
        wrong = list(judged(name, options.seed, 10))
        kinds = sorted({kind for kind, _ in wrong})
        count = sum(1 if case.value == "-" else 10 for case in cases(name))
        share = f"({len(wrong) / count:.1%})"
        print(f"{name:<22} {len(wrong)} of {count} {share} {what} {', '.join(kinds)}")
    real: list[str] = []
    if options.lines:
        for line in lines_of(options.lines):
            real.append(line)
            if len(real) == LINES:
                break
        alarms = [line for line in real if find_secrets(line)]
        print(f"\nfalse alarms: {len(alarms)} of {len(real):,} lines")
        for line in alarms[:20]:
            print(f"  {[one.kind for one in find_secrets(line)]} {line[:120]}")
    ordinary, alarming = speed(real)
    print(f"\nCPU for 2 kB: {ordinary:.3f} ms ordinary, {alarming:.3f} ms where rules are tried")


if __name__ == "__main__":
    main()
