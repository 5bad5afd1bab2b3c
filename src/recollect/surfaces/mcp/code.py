"""The code graph for the tools, where there is one; an honest word where there is none."""

import json
from typing import Any, Final

from recollect.engine import Recollect
from recollect.vocabulary.plain import plain

NO_INDEX: Final = "No code index yet; run 'recollect index' in the project first."
_LONGEST: Final = 8_000


def code_of(memory: Recollect) -> Any:
    """The verbs of the code graph; None where nothing has been indexed."""
    code = getattr(memory, "code", None)
    if code is None:
        return None
    ready = getattr(code, "indexed", True)
    return code if (ready() if callable(ready) else ready) else None


def told(answer: Any) -> str:
    """An answer of the code graph as compact text, cut where it is long."""
    text = answer if isinstance(answer, str) else json.dumps(plain(answer), ensure_ascii=False)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]} [... cut]"
