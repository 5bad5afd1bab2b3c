"""Validates numbers and flags from callers. True is not a number, and text is not parsed."""

from recollect.vocabulary.errors import InvalidInput


def is_number(value: object) -> bool:
    """Whether it is a finite number, and not a boolean."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def whole(value: object, low: int, high: int, what: str) -> int:
    """An integer in a range; ``what`` names it in the error."""
    if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
        raise InvalidInput(f"{what} {low:,} to {high:,}, not {shown(value)}.")
    return value


def amount(value: object, low: float, high: float, what: str) -> float:
    """A number in a range; ``what`` names it in the error."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high:
        raise InvalidInput(f"{what} {low:,} to {high:,}, not {shown(value)}.")
    return float(value)


def fraction(value: object, what: str) -> float:
    """A number from 0 to 1."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise InvalidInput(f"The {what} must be a number from 0 to 1, not {shown(value)}.")
    return float(value)


def flag(value: object, what: str) -> bool:
    """A boolean, and nothing that merely looks like one."""
    if not isinstance(value, bool):
        raise InvalidInput(f"{what} must be true or false, not {shown(value)}.")
    return value


def shown(value: object) -> str:
    """A value for an error message, shortened."""
    if isinstance(value, int) and abs(value) >= 10**30:
        return "a number that large" if value > 0 else "a number that small"
    try:
        text = repr(value)
    except RecursionError:
        return f"a {type(value).__name__} that is nested very deep"
    return text if len(text) <= 80 else f"{text[:77]}..."
