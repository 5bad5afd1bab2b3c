"""Which tools a wish does not want: those that it speaks against, and rivals of the wanted one."""

import pytest

from recollect.observer.tool_wishes import ran_instead, unwanted_tools


@pytest.mark.parametrize(
    ("words", "unwanted"),
    [
        ("please always use pnpm here", {"npm", "yarn", "bun"}),
        ("use pnpm, not npm", {"npm", "yarn", "bun"}),
        ("we moved: please always use yarn here from now on, not pnpm", {"npm", "pnpm", "bun"}),
        ("Always use vitest instead of jest", {"jest", "mocha", "ava"}),
        ("don't use npm", {"npm"}),
        ("use ./dev.sh, not make", {"make"}),
        ("never use docker directly", {"docker"}),
        ("utilisez pnpm au lieu de npm", {"npm", "yarn", "bun"}),
        ("npm test must pass before commit", set()),
        ("always use tabs in this project", set()),
        ("never push to main without asking me", set()),
        ("Use the existing helper instead of a new one", set()),
        ("commits are done by me", set()),
        ("", set()),
    ],
)
def test_wishes_name_what_they_do_not_want(words: str, unwanted: set[str]) -> None:
    assert unwanted_tools(words) == unwanted


@pytest.mark.parametrize(
    ("words", "commands", "ran"),
    [
        ("please always use pnpm here", ["npm install", "ls"], "npm install"),
        ("please always use pnpm here", ["cd web && npm ci 2>&1 | tail -3"], "npm ci"),
        ("please always use pnpm here", ["pnpm install", "git status"], ""),
        ("use ./dev.sh here", ["make run", "ls -la"], "make run"),
        ("use ./dev.sh here", ["./dev.sh run"], ""),
        ("always use tabs here", ["npm install"], ""),
        ("please always use pnpm here", [], ""),
    ],
)
def test_a_wish_was_said_about_the_command_that_ran_something_else(
    words: str, commands: list[str], ran: str
) -> None:
    assert ran_instead(words, commands) == ran
