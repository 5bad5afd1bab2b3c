"""Texts to measure with: made by chance from a seed, so every machine has the same ones.

Words are drawn so that few are frequent and most are rare, as in any language. Whoever has real
texts names a file instead: a JSON list, or one text a line.
"""

import json
from pathlib import Path
from random import Random
from typing import Final

_PEOPLE: Final = """
    Ana Ben Chloe Dmitri Elif Femi Grace Hiro Ines Jonas Kavya Liam Mei Nadia Omar Priya Quentin
    Rosa Sven Tomas Uma Viktor Wanda Ximena Yusuf Zoe
""".split()
_THINGS: Final = """
    cache queue index token session worker deploy migration schema backup invoice payment customer
    report dashboard login password key certificate proxy container cluster pipeline test fixture
    parser lexer tokenizer embedding vector memory event stream channel thread message reaction
    export import archive snapshot replica shard lock lease retry timeout latency throughput budget
    roadmap release branch commit merge review ticket incident alert log metric trace span profile
    config secret flag setting default limit quota policy role permission scope space team project
    garden kitchen bicycle violin painting recipe flight hotel camping sunrise lake mountain dog
    school exam lecture thesis interview contract salary mortgage insurance dentist vaccine doctor
""".split()
_VERBS: Final = """
    broke fixed moved renamed deleted restored measured doubled halved wrote read reviewed merged
    shipped rolled back postponed cancelled planned booked bought sold painted cooked learned taught
    explained forgot remembered changed reset rotated expired leaked crashed froze slowed improved
""".split()
_QUALITIES: Final = """
    new old slow fast broken flaky stable nightly weekly staging production local remote shared
    private public empty full large small red blue green early late third second last next
    temporary permanent hidden visible encrypted compressed duplicated missing wrong right
""".split()
_TAILS: Final = """
    because the {quality} {thing} was {quality}|after the {thing} of {person}|before the {thing}
    review|and told {person} about it|so that the {thing} is no longer {quality}|while {person} was
    on holiday|in {file}|on port {number}|for {number} minutes|with {person} and {person}|at
    {number}:30 on Monday|and it is not the {thing} that we wanted|but only when the {thing} is
    {quality}|since version {number}.{number}
""".replace("\n", " ").split("|")
_SHAPES: Final = (
    "{person} {verb} the {quality} {thing} {tail}.",
    "The {thing} {thing} was {quality} {tail}.",
    "We have {verb} the {thing} of the {quality} {thing} {tail}.",
    "I think that {person} should have {verb} the {thing} {tail}.",
    "Is the {quality} {thing} in {file} the one that {person} {verb}?",
    "{file}: the {thing} is {quality} {tail}",
    "Never touch the {quality} {thing}: {person} {verb} it {tail}.",
)
_QUESTIONS: Final = (
    "What did {person} say about the {quality} {thing}?",
    "When was the {thing} {verb}?",
    "Why is the {quality} {thing} of {person} in {file}?",
    "Who {verb} the {thing} and the {quality} {thing}?",
    "How do we know that the {thing} is {quality}?",
    "Where did {person} have the {thing} that was {verb}?",
)


def sentences(count: int) -> list[str]:
    """So many sentences, no two alike."""
    chance = Random(7)
    made: dict[str, None] = {}
    while len(made) < count:
        made.setdefault(_filled(chance, chance.choice(_SHAPES)))
    return list(made)


def questions(count: int) -> list[str]:
    """Questions about the same things."""
    chance = Random(11)
    return [_filled(chance, chance.choice(_QUESTIONS)) for _ in range(count)]


def read_texts(path: Path) -> list[str]:
    """Texts of a file: a JSON list, or one a line; each once."""
    content = path.read_text(encoding="utf-8")
    texts = json.loads(content) if content.lstrip().startswith("[") else content.splitlines()
    return [text for text in dict.fromkeys(texts) if text.strip()]


def _filled(chance: Random, shape: str) -> str:
    text = shape.replace("{tail}", " ".join(chance.choice(_TAILS).split()), 1)
    while "{" in text:
        start, end = text.index("{"), text.index("}")
        text = text[:start] + _word(chance, text[start + 1 : end]) + text[end + 1 :]
    return text


def _word(chance: Random, kind: str) -> str:
    if kind == "number":
        return str(int(10_000 ** chance.random()))
    if kind == "file":
        return (
            f"src/{_drawn(chance, _THINGS)}/{_drawn(chance, _VERBS)}_{_drawn(chance, _THINGS)}.py"
        )
    return _drawn(chance, _LISTS[kind])


def _drawn(chance: Random, words: list[str]) -> str:
    """One of the words; the first ones far more often than the last."""
    return words[int(len(words) * chance.random() ** 3)]


_LISTS: Final = {"person": _PEOPLE, "thing": _THINGS, "verb": _VERBS, "quality": _QUALITIES}
