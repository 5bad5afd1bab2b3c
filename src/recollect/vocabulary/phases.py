"""The six phases that every methodology maps to."""

from enum import StrEnum


class Phase(StrEnum):
    """The current activity of an agent, whatever its methodology calls it."""

    DEFINE = "define"
    IMPLEMENT = "implement"
    VALIDATE = "validate"
    REFINE = "refine"
    EXPLORE = "explore"
    REFLECT = "reflect"
