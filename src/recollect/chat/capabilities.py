"""Recognises questions about what the memory can do, and requests for work that it cannot do."""

import re
from typing import Final

_HELP: Final = re.compile(
    r"(?:please |hi,? |hello,? )?(?:help(?: me)?|what (?:can|do) you do(?: for me)?|who are you"
    r"|what are you|how do you work|how does this work|what can i (?:say|ask)(?: you)?"
    r"|aide(?:-moi)?|que (?:sais|peux)-tu faire|qu'est-ce que tu (?:sais|peux) faire|qui es-tu"
    r"|tu es qui|comment ça marche)(?: please| s'il te plaît)?[\s.!?]*",
    re.IGNORECASE,
)
#: Something to make or to do, which a memory does not.
_WORK: Final = re.compile(
    r"(?:hi,? |hello,? |hey,? |please |so |ok,? )*"
    r"(?:(?:can|could|would|will) you (?:please |maybe )?|please )?"
    r"(?:write|draft|compose|draw|paint|translate|summari[sz]e|rewrite|proofread|book"
    r"|order|call (?!me\b)|e-?mail|send|play|sing|code|build|generate|design|calculate|solve"
    r"|recommend|suggest)\b"
    r"|(?:peux-tu|pourrais-tu|tu peux|tu pourrais) (?:m')?(?:écrire|rédiger|dessiner|traduire"
    r"|résumer|réserver"
    r"|commander|envoyer|appeler|jouer|chanter|calculer|recommander|proposer)\b",
    re.IGNORECASE,
)


def asks_for_help(text: str) -> bool:
    """Whether a text only asks what the memory can do, or who answers."""
    return _HELP.fullmatch(text.strip().replace("\u2019", "'")) is not None


def asks_for_work(text: str) -> bool:
    """Whether a text asks to make or to do something that has nothing to do with remembering."""
    return _WORK.match(text.strip().replace("\u2019", "'")) is not None
