"""The six phases every way of working maps onto."""

from enum import StrEnum


class Phase(StrEnum):
    """What an agent is doing, whatever its process calls it."""

    DEFINE = "define"
    IMPLEMENT = "implement"
    VALIDATE = "validate"
    REFINE = "refine"
    EXPLORE = "explore"
    REFLECT = "reflect"
