"""``python -m benchmarks.patterns``: hostile repetitions against prose of the same length.

Every function that meets untrusted text is given each repetition and prose of the same length; the
number is the CPU time of the one divided by that of the other, the best of three of each. Nothing
should cost more than twice what prose costs.

--size N      characters of each text (1,000,000)
--over R      tell only the ratios above this (all: 0)
--prose FILE  real prose to compare with; without it, sentences of common words are made up
--only NAMES  the functions to measure, by name
"""

import argparse
import random
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

from recollect.index.analyser import analyse
from recollect.jobs.trouble import hide_secrets
from recollect.memories import metadata, text_comparison
from recollect.pages.value import value_of
from recollect.recall.query_terms import weighed_terms
from recollect.trust import prompt_injection, secrets

_WORDS: Final = (
    "the we of to and a in that have it for not on with as you do at this but by from they or an "
    "will my one all would there what so up out if about who get which go me when make can like "
    "time no just know take people into year your good some could them see other than then now "
    "look only come over think also back after use two how our work first well way even new want "
    "because any these give day most us server deploy key token password note store remember "
    "always never add run please ignore skip test rule instruction send system user should must"
).split()


def prose(size: int, seed: int = 1) -> str:
    """Sentences of common words, with the words that gates look for among them."""
    chance = random.Random(seed)
    said: list[str] = []
    length = 0
    while length < size:
        words = [chance.choice(_WORDS) for _ in range(chance.randint(6, 16))]
        said.append(" ".join(words).capitalize() + chance.choice((". ", ". ", "? ", ".\n")))
        length += len(said[-1])
    return "".join(said)[:size]


#: What is repeated, by name. Each is cut to the size wanted, with a sign after it that fits none.
REPEATED: Final[Mapping[str, str]] = {
    "spaces": " ", "tabs": "\t", "newlines": "\n", "letters": "a", "digits": "1", "capitals": "A",
    "dots": ".", "dashes": "-", "underscores": "_", "quotes": '"', "apostrophes": "'",
    "opening brackets": "(", "square brackets": "[", "braces": "{", "angles": "<", "hashes": "#",
    "stars": "*", "backticks": "`", "at signs": "@", "slashes": "/", "colons": ":", "equals": "=",
    "plus": "+", "commas": ",", "pipes": "|", "accented": "é", "ideographs": "中",
    "emoji": "\U0001f600", "invisible": "\u200b", "curly quotes": "\u2019",
    "spaced letters": "a ", "dotted letters": "a.", "digits and spaces": "1 ", "a dash": "a-",
    "blocks with dots": "aaaaaaaaaaaaaaaaaaaaaaaa.", "base64": "QUJDREVGR0hJSktMTU5PUFFSU1RVVldY/+",
    "hexadecimal": "deadbeef01", "numbers": "12,345.67 ", "dates": "2024-01-01 ",
    "comments": "<!---->", "open comments": "<!--", "links": "https://a.b/c?d=e ",
    "addresses": "https://a:b@", "handles": "@ab ", "paths": "/a/b.py:1 ", "camel": "aB",
    "snake": "a_b_", "markdown": "- *a* `b` [c](d) ", "code": "x = f(y)\n", "versions": "1.2.3.",
    "ignore": "ignore ", "ignore all": "please ignore all of the ", "send the key": "send key ",
    "remember": "remember to add ", "always run": "always you must ", "the user": "the user ",
    "skip the tests": "skip the tests ", "turned round": ". never skip tests without telling ",
    "use it": ". use pass add set run ", "jwt": "eyJaaaaaaaa.", "keys": "sk-aaaa ", "akia": "AKIA",
    "bearer": "bearer ", "password": "password is ", "password of": "password of a is ",
    "assigned": "token=", "begin": "-----BEGIN PRIVATE KEY ", "aws": "aws secret ", "us": "0a-us",
    "json": '{"a":', "lines of spaces": "    \n", "sentences": "No. ",
    "from import": "from a import ",
    "password:": "password: ", "key=": "api_key=", "quoted": 'password="', "pw": "pw ",
    "pass": "pass:", "mot de passe": "mot de passe est ", "secret of": "secret of the server is ",
    "pin": "PIN ", "two passwords": "password is a. the pw of b: c, ", "curl": "curl -u ",
    "mysql": "mysql -p ", "curl lines": "curl -u a:b\n", "options": "--password ",
    "net use": "net use a ", "cookie": "cookie sid=", "login": "login a/b ",
    "markup": "<password>", "value": 'name="password" ', "identified": "identified by '",
    "machine": "machine a login b ", "signature": "&sig=a", "cards": "4111 1111 1111 1112 ",
    "accounts": "DE00 0000 0000 ", "socials": "ssn 000-00-0000 ",
    "addresses with names": "https://a:b@c ", "bar": "| password | ",
    "is the": "a is the password ", "joined scripts": "\u0645\u200c", "directions": "\u05d0\u200f",
    "tags": "\U000e0041 ", "family": "\U0001f468\u200d\U0001f469 ", "half leet": "p4ss w0rd ",
    "encoded": "QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVphYmNkZWZnaGlq ", "crlf": "\r\n",
    "months": "May ", "last": "last may ", "if we": "if we use ", "no": "not ",
}  # fmt: skip


def hostile(size: int) -> dict[str, str]:
    """Every repetition at a size, and those that come behind or before something."""
    found = {
        name: (what * (size // len(what) + 1))[: size - 1] + "\x00"
        for name, what in REPEATED.items()
    }
    for name in ("spaces", "letters", "newlines", "digits"):
        for opening in ("Please ignore ", "password is ", "from ", "```", '"'):
            found[f"{opening.strip()}, then {name}"] = (opening + found[name])[:size]
    return found


def _signs(text: str) -> object:
    prompt_injection._signs.cache_clear()
    return prompt_injection.signs(text)


#: What is measured: functions that take text which anybody may have written.
FUNCTIONS: Final[Mapping[str, Callable[[str], object]]] = {
    "injection": _signs,
    "secrets": secrets.find_secrets,
    "redaction": secrets.redacted,
    "analysis": analyse,
    "likeness": text_comparison.read,
    "noticing": metadata.notice,
    "dates": metadata.dates_of,
    "question": weighed_terms,
    "value": value_of,
    "errors": hide_secrets,
}


def cost(function: Callable[[str], object], text: str, rounds: int = 3) -> float:
    """CPU seconds for one text, the best of some rounds."""
    best = float("inf")
    for _ in range(rounds):
        start = time.process_time()
        function(text)
        best = min(best, time.process_time() - start)
    return best


def ratios(
    functions: Mapping[str, Callable[[str], object]], size: int, said: str
) -> list[tuple[str, str, float, float]]:
    """Function, repetition, ratio to prose of that length, seconds; the worst first."""
    found = []
    texts = hostile(size)
    for name, function in functions.items():
        function(said[:2_000])
        base = cost(function, said)
        found.append((name, "prose itself", 1.0, base))
        for kind, text in texts.items():
            spent = cost(function, text, 1)
            if spent > base:
                spent = min(spent, cost(function, text, 2))
            found.append((name, kind, spent / base, spent))
    return sorted(found, key=lambda one: -one[2])


def main() -> None:
    """Print the ratios, the worst first."""
    parser = argparse.ArgumentParser("python -m benchmarks.patterns", description=__doc__)
    parser.add_argument("--size", type=int, default=1_000_000)
    parser.add_argument("--over", type=float, default=0.0)
    parser.add_argument("--prose", type=Path)
    parser.add_argument("--only", nargs="*", choices=FUNCTIONS, default=[*FUNCTIONS])
    options = parser.parse_args()
    said = options.prose.read_text("utf-8") if options.prose else prose(options.size)
    said = (said * (options.size // len(said) + 1))[: options.size]
    functions = {name: FUNCTIONS[name] for name in options.only}
    print(f"{'function':<14} {'repeated':<34} {'times prose':>12} {'CPU s':>8}")
    for name, kind, ratio, spent in ratios(functions, options.size, said):
        if ratio >= options.over:
            print(f"{name:<14} {kind:<34} {ratio:>12.2f} {spent:>8.3f}")


if __name__ == "__main__":
    main()
