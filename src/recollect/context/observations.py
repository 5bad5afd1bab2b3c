"""Classifies output of UI tools by rules: precondition, timing, behaviour, order or trap.

Most output of such tools is not worth keeping; only sentences about how the application behaves are
kept. They wait for a person's confirmation.
"""

import re
from typing import Final, NamedTuple

UI_TOOLS: Final = (
    "take_screenshot",
    "click_by_text",
    "fill_input",
    "get_page_structure",
    "eval",
    "browser_snapshot",
    "browser_click",
    "browser_type",
    "browser_navigate",
    "browser_wait_for",
)
CONFIDENCE: Final = 0.75
_LONGEST: Final = 400
_RULES: Final = (
    (
        "precondition",
        r"\b(?:must|need(?:s|ed)? to|requires?|required|before|first"
        r"|log(?:ged)? ?in|sign(?:ed)? in)\b",
    ),
    (
        "timing",
        r"\b(?:timed? ?out|timeout|after \d+ ?m?s|wait(?:ed|ing)?|slow|still loading|debounce)\b",
    ),
    ("test_sequence", r"\b(?:then|order|sequence|step \d|afterwards)\b"),
    (
        "mcp_gotcha",
        r"\b(?:selector|element not found|no such element|stale|detached|not clickable|iframe)\b",
    ),
    (
        "ui_behavior",
        r"\b(?:button|dialog|modal|form|page|field|menu|redirect\w*|disabled|appears?|shows?|closes?)\b",
    ),
)
_COMPILED: Final = tuple((kind, re.compile(rule, re.IGNORECASE)) for kind, rule in _RULES)
_SENTENCE: Final = re.compile(r"[^.!?\n]{15,}[.!?]")


class Observation(NamedTuple):
    """One sentence about the application, and its category."""

    kind: str
    sentence: str


def is_ui_tool(tool: str) -> bool:
    """Whether a tool shows or operates a user interface, whatever server provides it."""
    return tool.rsplit("__", maxsplit=1)[-1] in UI_TOOLS


def observed(text: str) -> Observation | None:
    """First sentence of a result that says how the application behaves."""
    for match in _SENTENCE.finditer(text[:_LONGEST]):
        sentence = " ".join(match.group().split())
        for kind, rule in _COMPILED:
            if kind != "ui_behavior" and rule.search(sentence):
                return Observation(kind, sentence)
            if kind == "ui_behavior" and len(rule.findall(sentence)) > 1:
                return Observation(kind, sentence)
    return None
