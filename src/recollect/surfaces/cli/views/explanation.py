"""View of a score explanation: a table of each signal's contribution to each result."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from recollect.surfaces.cli.views.screen import Line, Screen, StyledText
from recollect.surfaces.cli.views.words import shortened

if TYPE_CHECKING:
    from recollect.vocabulary.results import Found, Packed, Recalled

_BAR: Final = 24
_DROPPED: Final = 5
_WORDS: Final = 60


def explained(screen: Screen, result: "Recalled") -> None:
    """Parts of each result's score, strongest first, then candidates that were left out."""
    from recollect.engine.for_surfaces import SIGNALS

    screen.line(StyledText(""))
    screen.line(StyledText("Why", "bold"), StyledText(f"  profile {result.profile}", "dim"))
    for note in result.notes:
        screen.line(StyledText(f"  {note}", "dim"))
    rows: list[list[Line]] = []
    for rank, found in enumerate(result.found, 1):
        rows += _rows(rank, found, SIGNALS)
    screen.table(["", "signal", "gave", "value", "weight", "because of"], rows)
    for one in result.dropped[:_DROPPED]:
        words = shortened(one.text, _WORDS)
        screen.line(
            StyledText(f"left out {one.score:.2f}  ", "dim"),
            StyledText(words),
            _reason_text(one.reason),
        )


def packed(screen: Screen, pack: "Packed") -> None:
    """Text as it goes into a prompt, and its share of the token budget."""
    screen.line(StyledText(pack.text))
    screen.line(StyledText(f"{pack.tokens:,} of {pack.budget:,} tokens", "dim"))
    for one in pack.left_out:
        screen.line(StyledText(shortened(one.text, _WORDS), "dim"), _reason_text(one.reason))


def _rows(rank: int, found: "Found", meanings: "Mapping[str, str]") -> list[list[Line]]:
    if found.why is None:
        return []
    head: list[Line] = [
        [StyledText(f"{rank}", "bold")],
        [StyledText(f"{found.score:.3f}", "bold")],
        [StyledText("relevance " + _bar(found.why.relevance), "bold cyan")],
        [StyledText(f"{found.why.relevance:.3f}")],
        [StyledText("")],
        [StyledText(shortened(found.text, _WORDS), "bold")],
    ]
    rows = [head]
    for part in found.why.parts:
        text = meanings.get(part.signal, part.signal)
        rows.append(
            [
                [StyledText("")],
                [StyledText(part.signal)],
                [StyledText(f"{part.share:+.3f} {_bar(part.share * 4)}", "cyan")],
                [StyledText(f"{part.value:.2f}")],
                [StyledText(f"{part.weight:.2f}", "dim")],
                [StyledText(text + _leg(found, part.signal), "dim")],
            ]
        )
    rows += [
        [
            [StyledText("")],
            [StyledText(name)],
            [StyledText(f"x {value:.2f}")],
            [StyledText("")],
            [StyledText("")],
            [StyledText("")],
        ]
        for name, value in found.why.factors.items()
    ]
    return rows


def _leg(found: "Found", signal: str) -> str:
    """Rank and score within one retrieval leg."""
    if signal == "words" and found.keyword_score is not None:
        return f"; rank {found.keyword_rank or 'far'}, score {found.keyword_score:.2f}"
    if signal == "meaning" and found.vector_score is not None:
        return f"; rank {found.vector_rank or 'far'}, cosine {found.vector_score:.2f}"
    return ""


def _bar(share: float) -> str:
    return "\u2588" * max(0, min(_BAR, round(share * _BAR)))


def _reason_text(reason: str) -> StyledText:
    return StyledText(f"  ({reason})", "dim")
