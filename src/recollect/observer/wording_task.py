"""The one model task of a session: its findings, worded for a reader.

The local form answers with the sentences the signals wrote themselves. A model, where one is
configured, may word them better: it is asked once for all, with the prompt beside this file, and
whatever it does not answer stays as it was.
"""

import json
from collections.abc import Callable, Sequence
from importlib.resources import files
from typing import Final

from recollect.observer.candidates import Candidate

LONGEST: Final = 400

Wording = Callable[[Sequence[Candidate]], Sequence[str]]
Ask = Callable[[str], str]


def local_wording(candidates: Sequence[Candidate]) -> list[str]:
    """The sentences as they are."""
    return [one.content for one in candidates]


def model_wording(ask: Ask) -> Wording:
    """The same task asked of a model; what it does not answer well stays as it is."""

    def wording(candidates: Sequence[Candidate]) -> list[str]:
        if not candidates:
            return []
        prompt = files("recollect.observer").joinpath("prompts/wording.md").read_text("utf-8")
        findings = [
            {"number": number, "type": one.type.value, "text": one.content, "files": one.files}
            for number, one in enumerate(candidates)
        ]
        try:
            answer = json.loads(ask(prompt.replace("{findings}", json.dumps(findings))))
        except Exception:  # noqa: BLE001 nothing is lost because a model failed
            return local_wording(candidates)
        return _chosen(candidates, answer)

    return wording


def _chosen(candidates: Sequence[Candidate], answer: object) -> list[str]:
    texts = local_wording(candidates)
    for item in answer if isinstance(answer, list) else ():
        if not isinstance(item, dict):
            continue
        number, text = item.get("number"), item.get("text")
        fits = isinstance(number, int) and 0 <= number < len(texts) and not isinstance(number, bool)
        if fits and isinstance(text, str) and 0 < len(text.strip()) <= LONGEST:
            texts[int(str(number))] = text.strip()
    return texts
