"""How the speaker wants to be addressed: "how should you address me?" after "call me Skipper"."""

import re
from typing import Final

_ASKS: Final = re.compile(
    r"\bwhat should you call me\b|\b(?:what|which) name do i go by\b|\bwhat do i go by\b"
    r"|\bme tutoyer ou me vouvoyer\b"
    r"|\bcomment (?:tu (?:dois|devrais) m'appeler|dois-tu m'appeler)\b",
    re.IGNORECASE,
)
_TELLS: Final = re.compile(
    r"\b(?:call|address|calling|addressing) me (?!back\b|later\b|when\b|if\b|at\b|on\b|in\b"
    r"|tomorrow\b|today\b|tonight\b|about\b|for\b|every\b|a\b)\w"
    r"|\b(?:i|i'd rather|i prefer to|and) go by (?!bus\b|train\b|car\b|bike\b|foot\b|the\b)\w"
    r"|^(?:i am|i'm) (?-i:[A-ZÀ-Þ])[\w-]{1,20} to (?:everyone|everybody|all|my friends|friends)\b"
    r"|\b(?:everyone|everybody|people|my friends) (?:just )?calls? me (?-i:[A-ZÀ-Þ])"
    r"|\btout le monde m'appelle (?-i:[A-ZÀ-Þ])"
    r"|^(?:it's|its|that's|i am|i'm) (?:dr|mr|mrs|ms|miss|mx|prof|professor)\b"
    r"|\b(?:tutoie|vouvoie|tutoyer|vouvoyer|tutoyons|vouvoyons|tutoiement|vouvoiement"
    r"|appelle-moi|appelez-moi|dis-moi tu|dites-moi vous)\b",
    re.IGNORECASE,
)


def asks_for_address(question: str) -> bool:
    """Whether a question asks how the speaker wants to be addressed."""
    return _ASKS.search(question) is not None


def tells_address(text: str) -> bool:
    """Whether a text says how the speaker wants to be addressed."""
    return _TELLS.search(text.strip().replace("\u2019", "'")) is not None
