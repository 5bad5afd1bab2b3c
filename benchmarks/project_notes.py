"""Notes of a made-up project, each about a name of its code of its own, as real ones are.

They are made by chance from a seed, so every machine has the same ones; few of them contradict each
other.
"""

from dataclasses import dataclass
from random import Random
from typing import Final

_VERBS: Final = """
    load parse render merge drop retry open close hash sort split join encode decode fetch push trim
    fold scan seal queue drain probe shift patch route bind stage check build mark lease poll sweep
    warm pack guard trace quote
""".split()
_THINGS: Final = """
    parade lantern invoice biscuit ledger schema branch worker cache queue parcel ticket banner
    header footer report upload digest cursor window bucket signal packet column socket thread
    stanza review filter marker layout export import backup notice policy
""".split()
_ENDS: Final = "Handler Store Reader Writer Plan Index Pool View Guard Client Table Step".split()
_KINDS: Final = (
    "decision preference pattern requirement gotcha error_pattern module_insight fact".split()
)
_SHAPES: Final = (
    "{name} {verb}s the {one} {tail}.",
    "The {one} of {name} {verb}s its {other} {tail}.",
    "Callers of {name} see the {one} that {verb}s the {other} {tail}.",
    "{name} once lost the {one}: it {verb}s the {other} {tail}.",
)
_TAILS: Final = tuple(
    " ".join(one.split())
    for one in """
    after a restart|while another {thing} is held|for callers outside the {thing} package|once per
    {thing}|under the lock of the {thing}|in the order of arrival|when the {thing} has no owner|on
    behalf of the {thing} service|unless a {thing} is pending|during the nightly run|inside one
    transaction|from the main thread alone|as the {thing} guide asks|with the clock of the server|
    through the {thing} proxy|at the end of a request|until the {thing} is acknowledged|on machines
    without a {thing}|in batches of a few hundred
    """.split("|")
)


@dataclass(frozen=True, slots=True)
class ProjectNote:
    """A note, what it is of, and where it belongs."""

    kind: str
    text: str
    file: str
    module: str


def project_notes(count: int) -> list[ProjectNote]:
    """So many notes, no two about the same name."""
    chance = Random(17)
    names: dict[str, None] = {}
    while len(names) < count:
        verb, thing = chance.choice(_VERBS), chance.choice(_THINGS)
        names.setdefault(f"{verb.title()}{thing.title()}{chance.choice(_ENDS)}")
    return [_note(name, chance) for name in names]


def _note(name: str, chance: Random) -> ProjectNote:
    one, other, thing, folder = chance.sample(_THINGS, 4)
    text = chance.choice(_SHAPES).format(
        name=name,
        verb=chance.choice(_VERBS),
        one=one,
        other=other,
        tail=chance.choice(_TAILS).format(thing=thing),
    )
    file = f"src/{folder}/{name.lower()[:9]}.py"
    return ProjectNote(chance.choice(_KINDS), text, file, f"src/{folder}")
