"""Phrases for readers: an agent's action, quotations, and names of modules and errors."""

import hashlib
import re
from collections.abc import Mapping
from typing import Any, Final

from recollect.observer.commands import plain
from recollect.observer.names import common_words
from recollect.vocabulary.arguments import repaired_text

QUOTE_LENGTH: Final = 720
COMMAND_LENGTH: Final = 120
PROPOSED: Final = 140
_LOOKED: Final = 2_000
_DECLARED: Final = re.compile(
    r"^[ \t]{0,12}(?:(?:export|default|async|public|private|static|pub)[ \t]+){0,3}"
    r"(?:func|def|class|function|type|interface|struct|enum|fn|const)[ \t]+"
    r"(?:\([^)\n]{0,60}\)[ \t]*)?([A-Za-z_]\w{2,60})",
    re.M,
)
#: A call, by the whole name of what is called.
_CALLED: Final = re.compile(r"(?<![\w.])((?:[A-Za-z_]\w{0,60}\.){0,3}[A-Za-z_]\w{3,60})\(")
#: Lines and characters of a proposal that are compared with the words of who refused it.
_COMPARED: Final = 200
_PROPOSAL: Final = 6_000
#: The part of a refusal that names what is refused.
_REFUSED_PART: Final = re.compile(
    r"\b(?:instead of|rather than|don't|do not|never|without|no need (?:for|to)) "
    r"([^.,;!?\n]{3,80})",
    re.I,
)
_SUBSTANCE: Final = re.compile(r"\w\W{0,3}[ (.=]\W{0,3}\w.{8}")
#: What only a name of the code, a file or a command line has in it.
_NAME: Final = re.compile(r"[\w)][._/(:=]{1,3}\w|_|\(|[a-z][A-Z]|^--?\w|/")
_SPACE: Final = re.compile(r"\s+")
#: For patterns that end a sentence at a full stop: not at one of these.
NOT_ABBREVIATED: Final = r"(?<!\bvs\.)(?<!\be\.g\.)(?<!\bi\.e\.)(?<!\bcf\.)"


def quoted(words: str) -> str:
    """The words on one line in quotation marks, cut if long."""
    return f"“{shortened(words, QUOTE_LENGTH)}”"


def shortened(words: str, length: int) -> str:
    """The words on one line, cut at a word boundary if long."""
    plain = _SPACE.sub(" ", repaired_text(words)).strip()
    if len(plain) <= length:
        return plain
    cut = plain[:length].rsplit(" ", 1)[0]
    return f"{cut or plain[:length]} …"


def capitalised(sentence: str) -> str:
    """A sentence with a capital letter first, unless it begins with a name of the code: those are
    told as they are written."""
    first = sentence.partition(" ")[0]
    if first[:1] in '`"' or _NAME.search(first.rstrip(".,;:!?")):
        return sentence
    return sentence[:1].upper() + sentence[1:]


def as_sentence(words: str) -> str:
    """Words with a capital letter first and a full stop behind, unless they have an end."""
    told = capitalised(words)
    return told if told.endswith((".", "!", "”", "…")) else f"{told.rstrip(',;:-')}."


def action_of(
    tool: str | None, arguments: Mapping[str, Any], paths: tuple[str, ...], about: str = ""
) -> str:
    """Intended action of a call, as a phrase that follows "from" or "the agent"; of a proposal the
    line that speaks most of what somebody said ``about`` it."""
    if not tool:
        return ""
    where = f"`{paths[0]}`" if paths else "a file"
    proposed = proposal_of(tool, arguments, about)
    command = arguments.get("command")
    if isinstance(command, str) and command.strip():
        return f"running `{shortened(plain(command) or command, COMMAND_LENGTH)}`"
    if tool in {"Edit", "MultiEdit", "NotebookEdit", "apply_patch"}:
        return f"editing {where}{proposed}"
    if tool == "Write":
        return f"writing {where}{proposed}"
    if tool == "Read":
        return f"reading {where}"
    if tool == "ExitPlanMode":
        return f"going ahead with its plan{proposed}"
    if tool == "AskUserQuestion":
        return f"asking a list of questions{proposed}"
    return f"using {tool}"


def proposal_of(tool: str, arguments: Mapping[str, Any], about: str = "") -> str:
    """Proposal of a call, in brackets: an added line, or a removed one if nothing is added, the
    title of a plan, or a question. Of several lines it is the first that speaks most of what was
    said ``about`` the proposal."""
    if tool == "AskUserQuestion":
        asked = arguments.get("questions")
        first = asked[0] if isinstance(asked, list) and asked else {}
        text = first.get("question") if isinstance(first, Mapping) else ""
        return f" (“{shortened(text, PROPOSED)}”)" if isinstance(text, str) and text else ""
    if tool == "ExitPlanMode":
        plan = arguments.get("plan")
        lines = plan.splitlines() if isinstance(plan, str) else []
        title = next((line.strip("# \t") for line in lines if line.strip("# \t")), "")
        title = title.removeprefix("Plan:").strip()
        return f" “{shortened(title, PROPOSED)}”" if title and title != "Plan" else ""
    added = _added_line(arguments, about)
    if added:
        return f" (proposed: `{shortened(added, PROPOSED)}`)"
    new, old = arguments.get("new_string"), arguments.get("old_string")
    removed = _added_line({"new_string": old, "old_string": new}, about)
    return f" (removing: `{shortened(removed, PROPOSED)}`)" if removed else ""


def symbols_in(arguments: Mapping[str, Any]) -> list[str]:
    """Functions, types and similar symbols declared in an edit's text, in order, without those
    that are the same before and after it."""
    parts = (arguments.get(name) for name in ("old_string", "new_string", "content"))
    texts = [part[:_LOOKED] if isinstance(part, str) else "" for part in parts]
    old, new = _declared(texts[0]), _declared(f"{texts[1]}\n{texts[2]}")
    return [name for name in {**old, **new} if old.get(name) != new.get(name)]


def _declared(text: str) -> dict[str, str]:
    """What a text declares, each with the text up to the next declaration."""
    found = list(_DECLARED.finditer(text))
    ends = [one.start() for one in found[1:]]
    ends.append(len(text))
    return {
        one.group(1): " ".join(text[one.start() : end].split())
        for one, end in zip(found, ends, strict=False)
    }


def calls_in(text: str) -> list[str]:
    """Names of what a piece of code calls, in order; what it declares is not among them."""
    called = dict.fromkeys(_CALLED.findall(text))
    declared = set(_DECLARED.findall(text)) if called else ()
    return [name for name in called if name not in declared]


def calls_changed(arguments: Mapping[str, Any]) -> tuple[list[str], list[str]]:
    """What an edit newly calls, and what is not called any more where it was made."""
    texts = (arguments.get("new_string"), arguments.get("old_string"))
    new, old = (calls_in(text[:_LOOKED]) if isinstance(text, str) else [] for text in texts)
    brought = [name for name in new if name not in old]
    return brought, [name for name in old if name not in new]


def _added_line(arguments: Mapping[str, Any], about: str = "") -> str:
    """The line that an edit would add which speaks most of what was said ``about`` it; the first
    substantial one if none does."""
    new, old = arguments.get("new_string"), arguments.get("old_string")
    if not isinstance(new, str):
        return ""
    before = {line.strip() for line in old.splitlines()} if isinstance(old, str) else set()
    lines = (line.strip() for line in new[: _PROPOSAL if about else _LOOKED].splitlines())
    fresh = [line for line in lines if _SUBSTANCE.search(line) and line not in before]
    fresh = [line for line in fresh if "`" not in line]
    code = [line for line in fresh if not line.startswith(("//", "#", "/*", "*", "import "))]
    refused = " ".join(_REFUSED_PART.findall(about))
    for group in (code, fresh) if about else ():
        rated = [
            (common_words(line, about) + common_words(line, refused), line)
            for line in group[:_COMPARED]
        ]
        most, best = max(rated, key=lambda pair: pair[0], default=(0, ""))
        if most:
            return best
    return next(iter(code), fresh[0] if fresh else "")


def added_statements(arguments: Mapping[str, Any]) -> list[str]:
    """Lines of code that an edit adds, without comments and openings of blocks."""
    new, old = arguments.get("new_string"), arguments.get("old_string")
    before = {line.strip() for line in old.splitlines()} if isinstance(old, str) else set()
    lines = (line.strip() for line in new[:_LOOKED].splitlines()) if isinstance(new, str) else ()
    return [
        line
        for line in lines
        if _SUBSTANCE.search(line)
        and line not in before
        and "`" not in line
        and not line.startswith(("//", "#", "/*", "*", "import "))
        and not line.endswith(("{", "(", ":", ","))
    ]


def module_of(path: str) -> str | None:
    """Folder of a file; None at the root."""
    folder, _, _ = path.rpartition("/")
    return folder or None


def digest(text: str) -> str:
    """Short stable hash of a text, independent of case and spacing."""
    plain = _SPACE.sub(" ", text).strip().lower()
    return hashlib.blake2b(plain.encode("utf-8", "replace"), digest_size=8).hexdigest()
