"""Reads which tools a wish wants and does not want, and which command it was said about.

Who says "always use pnpm here" does not want npm or yarn; who says "use X, not Y" names Y. Only
tools that do the same job are rivals of each other.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Final

from recollect.observer.commands import is_step, plain
from recollect.observer.phrases import shortened
from recollect.observer.shell_lines import runs

#: Programs of which a project uses one.
_RIVALS: Final = (
    ("npm", "yarn", "pnpm", "bun"),
    ("pip", "pip3", "uv", "poetry", "pipenv", "conda", "pdm", "rye"),
    ("jest", "vitest", "mocha", "ava"),
    ("eslint", "biome", "oxlint", "tslint"),
    ("black", "ruff", "yapf", "autopep8"),
    ("flake8", "ruff", "pylint"),
    ("mypy", "pyright", "ty"),
    ("docker", "podman", "nerdctl"),
    ("mvn", "gradle", "gradlew"),
    ("node", "deno"),
    ("terraform", "tofu"),
    ("nvm", "fnm", "volta", "asdf"),
)
_TOOLS: Final[Mapping[str, frozenset[str]]] = {
    name: frozenset(other for family in _RIVALS if name in family for other in family) - {name}
    for family in _RIVALS
    for name in family
}
_TOOL: Final = r"[`'\"\u2018]?(?P<{}>(?:\./)?\.?[A-Za-z][\w./+-]{{1,40}})"
#: A tool that somebody wants: "use pnpm", "switch to uv", "run it with vitest".
_WANTED: Final = re.compile(
    rf"(?<!n't )(?<!not )(?<!never )(?<!stop )\b(?:use|using|prefer|switch(?:ed|ing)? to|"
    rf"moved? to|stick (?:to|with)|stay with|(?:run|install|build|test|lint|format)\w*"
    rf"(?: \w{{1,20}}){{0,3}} (?:with|through|via)|utilise[rz]?|utilisez)"
    rf"(?: (?:only|just|the|our|always|toujours))? {_TOOL.format('wanted')}",
    re.I,
)
#: A tool that somebody does not want: "not npm", "instead of pip", "never use yarn".
_UNWANTED: Final = re.compile(
    rf"\b(?:not|instead of|rather than|never use|don['\u2019]?t use|do not use|stop using|over|"
    rf"never run|don['\u2019]?t run|do not run|avoid|au lieu de|plutôt que|pas)"
    rf"(?: (?:the|plain|bare|raw|global|system))? {_TOOL.format('unwanted')}",
    re.I,
)
_LEAST: Final = 2
_LONGEST: Final = 2_000
_TOLD: Final = 120


def unwanted_tools(words: str) -> frozenset[str]:
    """Names of the tools that a wish does not want; empty where it wants none in the place of
    another."""
    text = words[:_LONGEST]
    wanted = {_name(one["wanted"]) for one in _WANTED.finditer(text)}
    against = {_name(one["unwanted"]) for one in _UNWANTED.finditer(text)}
    known = wanted & _TOOLS.keys()
    rivals = frozenset().union(*(_TOOLS[name] for name in known))
    named = {name for name in against if name in _TOOLS or (wanted and len(name) >= _LEAST)}
    return frozenset((rivals | named) - wanted)


def wanted_tools(words: str) -> frozenset[str]:
    """Names of the tools that a wish wants: known ones, and scripts by their path."""
    named = {_name(one["wanted"]) for one in _WANTED.finditer(words[:_LONGEST])}
    return frozenset(name for name in named if name in _TOOLS or name.startswith("./"))


def ran_instead(words: str, commands: Sequence[str]) -> str:
    """The latest of the commands run before a wish that ran what the wish does not want; where it
    wants a script, whatever was run last. Empty if the wish is about no tool."""
    wanted = wanted_tools(words)
    unwanted = unwanted_tools(words) if commands else frozenset()
    if not (wanted or unwanted):
        return ""
    scripts = any(name.startswith("./") for name in wanted)
    for command in reversed(commands):
        programs = {run.program for run in runs(command)}
        last = scripts and is_step(command) and not any(one[2:] in programs for one in wanted)
        if programs & unwanted or last:
            return shortened(plain(command), _TOLD)
    return ""


def _name(word: str) -> str:
    return word.rstrip(".").lower()
