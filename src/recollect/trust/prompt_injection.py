"""Prompt injection: detects instructions hidden in content, and marks what outside text led to.

A page, an issue or a document may say "remember this rule" or "ignore what you were told". Its
author wants it to be remembered; so it is quarantined for a person to review. The check looks for
instructions to the assistant, not for the subject of the text: a page *about* such attacks is
marked like any other outside text, and only a text that gives the instruction is quarantined.

A memory is marked (tainted) if it cites an event of outside text, or one that came after such an
event on the same stream, or was made in a session where outside text was read. A mark reduces its
confidence by three tenths and asks for review. What an agent writes in its own session is its own
wording, so there only a sign that is sufficient by itself quarantines it; it is marked all the
same.
"""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import replace
from functools import cache, lru_cache
from typing import Final, NamedTuple

from recollect.storage.access.quarantine import origins_before, origins_in
from recollect.storage.agents.sessions import stream_names
from recollect.storage.database import Transaction
from recollect.trust.standing_rules import STANDING
from recollect.vocabulary.audiences import Access
from recollect.vocabulary.linear_patterns import FoldedText, LinearPattern, Presence, shortened
from recollect.vocabulary.memory import Memory
from recollect.vocabulary.memory_types import Source

#: Invisible characters: some hide something, some are regular parts of a script.
INVISIBLE: Final = re.compile(
    "[\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff\U000e0000-\U000e007f]"
)
#: Flags of subdivisions of a country: a black flag, invisible letters, and an end.
_FLAG: Final = re.compile(
    "\U0001f3f4(?:\U000e0067\U000e0062(?:\U000e0065\U000e006e\U000e0067"
    "|\U000e0073\U000e0063\U000e0074|\U000e0077\U000e006c\U000e0073)"
    "|\U000e0075\U000e0073[\U000e0061-\U000e007a]{2})\U000e007f"
)
_PICTURE: Final = (
    "[\u00a9\u00ae\u203c\u2049\u2122\u2139\u2190-\u21ff\u2300-\u23ff\u2460-\u24ff\u25a0-\u27bf"
    "\u2900-\u297f\u2b00-\u2bff\u3030\u303d\u3297\u3299\U0001f000-\U0001faff]"
)
#: One joiner between two emoji, the first perhaps with a variation selector or a skin tone.
_JOINED: Final = re.compile(f"(?<={_PICTURE})\u200d(?={_PICTURE})|(?<=\ufe0f)\u200d(?={_PICTURE})")
_JOINERS: Final = frozenset("\u200c\u200d")
_DIRECTIONS: Final = frozenset("\u200e\u200f\u202a\u202b\u202c\u2066\u2067\u2068\u2069")
_WORD_BREAK: Final = "\u200b"
_BYTE_ORDER: Final = "\ufeff"
#: Scripts that use joiners and non-joiners: Arabic to Sinhala, Tibetan, Burmese, Khmer, Mongolian;
#: and scripts without spaces.
_JOINING: Final = re.compile(
    "[\u0600-\u08ff\u0900-\u0dff\u0f00-\u109f\u1780-\u18af\ua840-\ua87f\ua8e0-\ua8ff\ufb50-\ufdff"
    "\ufe70-\ufefc]"
)
_UNSPACED: Final = re.compile("[\u0e00-\u0fff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]")
_FROM_THE_RIGHT: Final = frozenset({"R", "AL", "AN"})
_BESIDE: Final = 8

#: Factor on the confidence of what outside text led to, and the mark where nobody knows which.
DISCOUNT: Final = 0.7
SUSPECT: Final = "suspect"
_MAX_ORIGINS: Final = 20


class TaintVerdict(NamedTuple):
    """A memory as it may be stored, or why it is quarantined instead."""

    memory: Memory
    reasons: tuple[str, ...] = ()


class Sign(NamedTuple):
    """One sign of instructions in a text, and whether it is sufficient by itself."""

    reason: str
    strong: bool


_AI: Final = r"(?:ai|assistant|agent|model|llm|chat ?bot|claude|gpt|copilot|you)"
_BEFORE: Final = (
    r"(?:previous|prior|above|earlier|preceding|existing|all|any|other|your|the|these|those|my|system"
    r"|developer|initial|original|safety)"
)
_NOT_ASKED_BACK: Final = (
    r"(?!(?:\w+\s+){0,4}(?:confirmation|password|passphrase|login|permission|interactive|install"
    r"|command|shell)\s+prompts?\b)"
)
_ORDERS: Final = (
    r"(?:instructions?|rules?|prompts?|directions?|guidelines?|guardrails?|context|constraints?"
    r"|messages?|polic(?:y|ies)|restrictions?|training|memor(?:y|ies)|what you were told)"
)


class OrderRule(NamedTuple):
    """One pattern of instructions; tried on a text that contains any of its required words."""

    reason: str
    strong: bool
    needs: tuple[str, ...]
    written: str

    @property
    def pattern(self) -> LinearPattern:
        """The pattern, compiled at first use."""
        return _compiled(self.written)


@cache
def _compiled(written: str) -> LinearPattern:
    return LinearPattern(written, re.IGNORECASE)


RULES: Final[tuple[OrderRule, ...]] = tuple(
    OrderRule(reason, strong, tuple(needs.split("|")), pattern)
    for reason, strong, needs, pattern in (
        (
            "tells to ignore instructions",
            True,
            "ignore|disregard|forget|overr|bypass|skip|drop|discard|follow",
            rf"\b(?:ignore|disregard|forget|override|bypass|overrule|skip|drop|discard|do not"
            rf" follow"
            rf"|don't follow|stop following)\s+{_NOT_ASKED_BACK}(?:\w+\s+){{0,3}}?{_BEFORE}?\s*"
            rf"(?:\w+\s+){{0,2}}{_ORDERS}",
        ),
        (
            "tells to ignore instructions",
            True,
            "ignore|oublie|pas compte",
            r"\b(?:ignore[rz]?|oublie[rz]?|ne tiens? pas compte (?:de|des))\s+(?:\w+\s+){0,3}?"
            r"(?:instructions?|r[eè]gles?|consignes?)(?:\s+pr[ée]c[ée]dentes?)?",
        ),
        (
            "tells the assistant what it is",
            True,
            "you |from now on|act as |pretend |new |tu es |sormais|partir",
            rf"\b(?:you are now|from now on,? (?:you|the {_AI})|act as (?:an?|the) (?:unrestricted"
            r"|admin|root|developer|dan)|pretend (?:to be|you are)|your new (?:prompt"
            r"|instructions?|persona)|new system (?:prompt|instructions?)"
            r"|new (?:prompt|instructions?|persona)"
            r"(?=\s*:|\s+(?:are|is|for you|follows?|below|apply)\b)"
            r"|you (?:must|shall|should|will|have to) (?:now |always |never )"
            r"|tu es maintenant|d[ée]sormais,? tu|à partir de maintenant,? tu)\b",
        ),
        (
            "speaks as the system",
            True,
            "<|[|system|developer|begin ",
            r"(?:<\|?/?(?:system|im_start|im_end|assistant|developer)\|?>|\[/?(?:INST|SYSTEM|SYS)\]"
            r"|<<SYS>>|^\s*#{1,4}\s*(?:system|developer)(?: prompt| message)?\s*:?\s*$"
            r"|^\s*(?:system|developer)(?: (?:prompt|message|note|override|notice))?\s*:"
            r"|\bBEGIN (?:SYSTEM|ADMIN) (?:PROMPT|MESSAGE)|<(?:important|instructions?)>)(?m:)",
        ),
        (
            "hides from the person",
            True,
            "do not |don't |never |without |keep this |ne ",
            r"\b(?:(?:do not|don't|never|without) (?:tell(?:ing)?|mention(?:ing)?|inform(?:ing)?"
            r"|reveal(?:ing)?|show(?:ing)?|alert(?:ing)?|notify(?:ing)?|ask(?:ing)?|disclos\w+)\s+"
            r"(?:this |it |that |anything )?(?:to )?(?:the )?(?:user|human|person|owner|anyone"
            r"|(?<!mention )(?<!mentioning )(?<!reveal )(?<!show )them)"
            r"|keep this (?:secret|hidden|between us)|ne (?:le |la )?(?:dis|dites|mentionne) "
            r"(?:rien|pas) [àa])\b",
        ),
        (
            "asks for secrets",
            True,
            "send|post|forward|upload|exfiltrate|leak|mail|transmit|copy|append|include|print|reveal|output|share|give",
            r"\b(?:send|post|forward|upload|exfiltrate|leak|e-?mail|transmit|copy|append|include|print"
            r"|reveal|output|share|give)\b[^\n]{0,60}(?:\.env\b|\b(?:api keys?|keys?|tokens?"
            r"|passwords?"
            r"|credentials?|secrets?|env(?:ironment)? variables?|ssh|cookies?|system prompt"
            r"|conversation|chat history|memor(?:y|ies))\b)[^.\n]{0,60}(?:\bto\b|\bat\b|https?://|@)",
        ),
        (
            "asks for secrets",
            True,
            " prompt| instruction| message",
            r"\b(?:reveal|print|repeat|show|output|leak|display)\b[^.\n]{0,30}\b(?:system|hidden|initial)"
            r" (?:prompt|instructions?|message)",
        ),
        (
            "asks to be remembered",
            False,
            "remember|memori|store|save|record|note|keep in mind|add|write|commit|persist",
            r"\b(?:remember|memori[sz]e|store|save|record|note|keep in mind|add|write|commit"
            r"|persist)"
            r"\b[^.\n]{0,40}\b(?:rule|fact|preference|instruction|permanent(?:ly)?|memory"
            r"|forever|long[- ]term"
            r"|to (?:your|the) (?:memory|notes|knowledge)|in (?:your|the) (?:memory|notes)"
            r"|for (?:all )?(?:future|later|every)|across sessions|from now on|always)\b",
        ),
        (
            "asks to be remembered",
            False,
            "remember|memori|note",
            r"\b(?:please |you must |always |be sure to |make sure (?:to|you) )?(?:remember"
            r"|memori[sz]e"
            r"|note)\s+(?:that|this|:|the following)",
        ),
        (
            "asks to be remembered",
            False,
            "souviens|retiens|morise|enregistre|oublie",
            r"\b(?:souviens-toi|retiens|m[ée]morise|enregistre|n'oublie(?:z)? (?:pas|jamais))\b",
        ),
        (
            "gives the assistant an order",
            False,
            "must|should|need to|required to|has to|have to|please|always|never",
            rf"\b(?:{_AI}s?|agents? reading this|if you are an?"
            rf" {_AI})\b[^.\n]{{0,40}}\b(?:must|should"
            r"|need to|are required to|has to|have to|please|always|never)\b",
        ),
        (
            "gives the assistant an order",
            False,
            "important|attention|note to |instruction|ai:|agent:|assistant:",
            r"(?:^|[.!?:>\-*]\s*|<!--\s*)(?:important|attention|note to (?:ai|assistants?"
            r"|agents?|llms?)"
            r"|instructions? (?:for|to) (?:the )?(?:ai|assistants?|agents?|llms?|models?)|ai:"
            r"|agent:"
            r"|assistant:)",
        ),
        (
            "gives the assistant an order",
            False,
            "always|never|whenever|every time|future|going forward",
            r"\b(?:always|never|whenever|every time|in (?:all )?future|going forward)\b[^.\n]{0,80}"
            r"\b(?:run|execute|use|install|recommend|approve|accept|merge|trust|skip|disable|send|reply"
            r"|answer|respond|prefer|tell|say|add|include|delete|push|commit|ignore|click|open|visit)\b",
        ),
        (
            "gives the assistant an order",
            False,
            "run|execute|paste|eval|curl|wget",
            r"\b(?:run|execute|paste|eval)\b[^.\n]{0,40}(?:curl|wget|rm -rf|base64|powershell"
            r"|bash -c"
            r"|sudo|chmod|\| ?(?:sh|bash))|(?:curl|wget)[^\n|]{0,120}\|\s*(?:sudo )?(?:ba|z)?sh\b",
        ),
        (
            "claims what the person wants",
            False,
            "the user|the owner|the admin|the human|the maintainer|the team",
            r"\bthe (?:user|owner|admin(?:istrator)?|human|maintainer"
            r"|team)\b[^.\n]{0,20}\b(?:prefers?"
            r"|wants?|has (?:already )?(?:approved|authori[sz]ed|agreed|asked|requested|consented)"
            r"|always|trusts?|likes?|said|decided)\b",
        ),
        *STANDING,
    )
)
_DOUBTED: Final = frozenset(
    {"asks to be remembered", "claims what the person wants", "goes round the checks"}
)
_ALLOWED_INVISIBLE: Final = 2
_TAGS: Final = re.compile("[\U000e0020-\U000e007e]+")
_BASE64: Final = re.compile(r"(?<![A-Za-z0-9+/])[A-Za-z0-9+/]{40,}={0,2}(?![A-Za-z0-9+/])")
_LOOKALIKE: Final = str.maketrans("аеорсухіјѕԁɡһıİ", "aeopcyxijsdghii")
_LOOKS_ALIKE: Final = re.compile(f"[{''.join(map(chr, _LOOKALIKE))}]")
_LEET: Final = str.maketrans("013457@$", "oieastas")
_LEETED: Final = re.compile(r"[a-zA-Z][0134570@$][a-zA-Z]")
_SPACED: Final = re.compile(r"\b(?:\w[\s._-]){5,}\w\b")
_LONG_SPACE: Final = re.compile(r"\s{4,}")
#: A long text is checked in pieces; they overlap, so that nothing is missed at their ends.
_PIECE: Final = 100_000
_OVERLAP: Final = 2_000


def judge(
    transaction: Transaction, access: Access, memory: Memory, texts: Sequence[str | None]
) -> TaintVerdict:
    """Mark a memory by its origins; or quarantine it if it gives instructions."""
    outside = _origins(transaction, access, memory)
    said = "\n".join(text for text in texts if text)
    reasons = suspicion(said, outside=bool(outside))
    own = memory.provenance.source is Source.USER_TAUGHT and not outside
    if not (outside or own):
        outside = _origins_of_agents(transaction, access, memory)
    if reasons and not own:
        return TaintVerdict(marked(memory, outside or (SUSPECT,)), reasons)
    if reasons or (not outside and not own and doubts(said)):
        return TaintVerdict(marked(memory, (SUSPECT,)))
    return TaintVerdict(marked(memory, outside) if outside else memory)


def marked(memory: Memory, origins: Sequence[str]) -> Memory:
    """The memory with its marks: lower confidence, and waiting for review."""
    known = tuple(dict.fromkeys((*memory.provenance.outside, *origins)))[:_MAX_ORIGINS]
    return replace(
        memory,
        confidence=round(memory.confidence * DISCOUNT, 6),
        needs_review=True,
        provenance=replace(memory.provenance, outside=known),
    )


def _origins_of_agents(transaction: Transaction, access: Access, memory: Memory) -> tuple[str, ...]:
    """Origins of outside text in the agents' sessions that a memory was made in."""
    if not memory.provenance.sessions:
        return ()
    names = stream_names(transaction, access.space_id, memory.provenance.sessions)
    return tuple(origins_in(transaction, access, names))[:_MAX_ORIGINS]


def _origins(transaction: Transaction, access: Access, memory: Memory) -> tuple[str, ...]:
    provenance = memory.provenance
    found = [*provenance.outside]
    if provenance.events:
        found += origins_before(transaction, access.space_id, provenance.events)
    if provenance.sessions and provenance.source is not Source.USER_TAUGHT:
        found += origins_in(transaction, access, provenance.sessions)
    return tuple(dict.fromkeys(found))[:_MAX_ORIGINS]


def signs(text: str) -> tuple[Sign, ...]:
    """Every sign of instructions to an assistant in a text, each reason once."""
    text = shortened(text).text
    if len(text) <= _PIECE:
        return _signs(text)
    text = _LONG_SPACE.sub(_short_space, text)  # a gap must not split an instruction
    found: dict[str, bool] = {}
    for start in range(0, max(1, len(text) - _OVERLAP), _PIECE - _OVERLAP):
        for reason, strong in _signs(text[start : start + _PIECE]):
            found[reason] = found.get(reason, False) or strong
    return tuple(Sign(reason, strong) for reason, strong in found.items())


@lru_cache(maxsize=16)  # a text is checked more than once on its way in
def _signs(shown: str) -> tuple[Sign, ...]:
    found: dict[str, bool] = {}
    for reason, strong in _seen(shown):
        found[reason] = found.get(reason, False) or strong
    if has_hidden_characters(shown, _ALLOWED_INVISIBLE):
        found["hides characters"] = True
    plainly = frozenset(found)
    for reason, _ in _seen("\n".join(_hidden(shown))):
        found[f"hides an order: {reason}"] = True
    for respelled in _respelled(shown):  # what is readable without respelling is not hidden
        for reason, _ in _seen(respelled):
            if reason not in plainly:
                found[f"hides an order: {reason}"] = True
    return tuple(Sign(reason, strong) for reason, strong in found.items())


def suspicion(text: str, *, outside: bool) -> tuple[str, ...]:
    """Reasons to quarantine a text; empty if it may pass.

    Outside text is quarantined for any sign; our own only for one that is sufficient by itself.
    """
    return tuple(sign.reason for sign in signs(text) if outside or sign.strong)


def doubts(text: str) -> bool:
    """Whether a text of unknown origin should be reviewed: it asks to be remembered, claims to know
    what a person wants, or bypasses a check. A plain instruction ("always run the tests") is what
    most lessons are.
    """
    return any(sign.reason in _DOUBTED for sign in signs(text))


def _seen(text: str) -> list[tuple[str, bool]]:
    if not text:  # most texts hide nothing
        return []
    plain = _LONG_SPACE.sub(_short_space, visible_text(text))
    reading = FoldedText(plain)
    there = _needs().found("", reading.folded)
    return [
        (rule.reason, rule.strong)
        for rule, needed in _rules_with_needs()
        if not there.isdisjoint(needed) and rule.pattern.search(reading)
    ]


@cache
def _rules_with_needs() -> list[tuple[OrderRule, frozenset[str]]]:
    """The rules, each with its required words as they occur in a text folded to ASCII."""
    return [
        (rule, frozenset(FoldedText(need).folded.decode("ascii").lower() for need in rule.needs))
        for rule in RULES
    ]


@cache
def _needs() -> Presence:
    return Presence((need for _, needed in _rules_with_needs() for need in needed), ())


def _short_space(run: re.Match[str]) -> str:
    """Shorten a gap of white space; a line break in it stays, as an instruction may begin there."""
    return " \n " if "\n" in run.group() else "   "


def visible_text(text: str) -> str:
    """The text as a person reads it: nothing invisible, look-alike letters unified."""
    if text.isascii():
        return text
    shown = unicodedata.normalize("NFKC", INVISIBLE.sub("", text))
    return shown.translate(_LOOKALIKE) if _LOOKS_ALIKE.search(shown) else shown


def _hidden(text: str) -> list[str]:
    """Parts of a text that a person does not see: comments, tag characters, encodings."""
    found = [*_between(text, "<!--", "-->"), *_between(text, "[//]: # (", ")")]
    if not text.isascii():
        found += ["".join(chr(ord(sign) - 0xE0000) for sign in run) for run in _TAGS.findall(text)]
    found += [decoded for run in _BASE64.findall(text) if (decoded := _decoded(run))]
    return found


def _respelled(text: str) -> list[str]:
    """The text with obfuscated spelling undone: s p a c e d, or 1ik3 th1s."""
    found = []
    spaced = _SPACED.sub(lambda run: re.sub(r"[\s._-]", "", run.group()), text)
    if spaced != text:
        found.append(spaced)
    if _LEETED.search(text):
        found.append(text.translate(_LEET))
    return found


def _between(text: str, opens: str, closes: str) -> list[str]:
    """The texts between two markers, each occurrence."""
    found = []
    start = text.find(opens)
    while start >= 0:
        end = text.find(closes, start)
        if end < 0:
            break
        found.append(text[start + len(opens) : end])
        start = text.find(opens, end)
    return found


def _decoded(run: str) -> str:
    """The decoded base64, if it is text."""
    import base64
    import binascii

    try:
        raw = base64.b64decode(run + "=" * (-len(run) % 4), validate=True).decode("utf-8")
    except (binascii.Error, UnicodeDecodeError, ValueError):
        return ""
    return raw if raw.isprintable() or "\n" in raw else ""


def has_hidden_characters(text: str, allowed: int) -> bool:
    """Whether a text has more than ``allowed`` invisible characters that no script needs.

    A joiner holds a family emoji together, a tag sequence makes the flag of Scotland, Persian and
    Hindi are spelled with joiners, Hebrew beside digits needs direction marks, and a file may begin
    with a byte order mark. None of these hides anything; the same among other letters does.
    """
    if text.isascii() or INVISIBLE.search(text) is None:
        return False
    shown = _JOINED.sub("", _FLAG.sub("", text))
    signs = {sign for sign in set(shown) if unicodedata.bidirectional(sign) in _FROM_THE_RIGHT}
    for found in INVISIBLE.finditer(shown):
        allowed -= not _belongs(shown, found.start(), signs)
        if allowed < 0:
            return True
    return False


def _belongs(text: str, place: int, from_the_right: set[str]) -> bool:
    """Whether an invisible character is part of the regular spelling of its neighbours."""
    sign = text[place]
    if sign in _DIRECTIONS:
        return not from_the_right.isdisjoint(text[max(0, place - _BESIDE) : place + _BESIDE])
    beside = text[max(0, place - 1) : place] + text[place + 1 : place + 2]
    if sign in _JOINERS:
        return _JOINING.search(beside) is not None
    if sign == _WORD_BREAK:
        return _UNSPACED.search(beside) is not None
    return sign == _BYTE_ORDER and place == 0
