"""Short forms of a memory by its kind, made from its own words: nothing is added to the content.

A fact becomes a key and its value, a recipe its steps, a pattern its trigger and hint, a failure
its remedy, an episode its title and its results. Without such fields, prose is shortened by leaving
out the words that carry least; words that change a claim ("not", "before", "only", "until") always
stay.
"""

import re
from collections.abc import Mapping
from typing import Any, Final

from recollect.inference.tokens import count_tokens
from recollect.vocabulary.memory import Levels
from recollect.vocabulary.memory_types import MemoryType
from recollect.vocabulary.stopwords import STOP_WORDS

SUMMARY_CHARACTERS: Final = 280
COMPRESSED_CHARACTERS: Final = 120
INDEX_CHARACTERS: Final = 56

_HEADINGS: Final = (
    "Before the change|Since then|Found|Changed for it|Then|Committed|Changed|Refused|Stopped|"
    "The agent (?:found|agreed|reported|had asked|had said)"
)
#: End of a sentence: its mark, with the quotation that it closes, the end of the line, or the start
#: of the next part in a note of a session.
_SENTENCE_END: Final = re.compile(
    r"(?<=[.!?\u3002\uff01\uff1f])\s+|(?<=[.!?][\u201d\"])\s+|\n+"
    rf"|\s(?=(?:{_HEADINGS}):?\s[\u201c`A-Za-z])(?<=[.\u201d\")]\s)"
)
#: Headings of such parts; the list of changes carries least.
_HEADING: Final = re.compile(rf"^(?:{_HEADINGS}):\s{{0,2}}")
_LISTING: Final = re.compile(r"^(?:Changed(?: for it)?:|Committed \u201c)")
_SAID: Final = 0.4  # the worth of what somebody said beside what was noted of it
#: Words whose removal would change a claim.
_TURNING: Final = frozenset(
    "not no never nor only before after until unless without because if than over under from to "
    "instead against between into off out both more most few same dont doesnt didnt isnt arent "
    "wasnt werent havent hasnt hadnt cant couldnt wont wouldnt shouldnt must all when".split()
)
_IDLE: Final = STOP_WORDS - _TURNING
_FRENCH_IDLE: Final = frozenset(
    "le la les l' un une des du de d' et que qui est sont c'est il elle on nous vous ils elles ce "
    "cette ces son sa ses leur leurs mon ma mes notre nos votre vos au aux".split()
)
_OPENING: Final = re.compile(
    r"^(?:(?:the|our|my|a|an|le|la|les|notre|nos|mon|ma)\s+)?", re.IGNORECASE
)
#: "the team decided to use X because Y" is about what follows "use".
_DECIDED: Final = re.compile(
    r"^(?:(?:the team|we|everyone|they|i|on|nous|l['\u2019]équipe)\s+)"
    r"(?:(?:have|has|had|will|avons|a|ont)\s+)?"
    r"(?:decided|agreed|chose|choose|prefer|prefers|want|wants|décidé|choisi|préfère|préférons)"
    r"\s+(?:(?:to|that we|on|using|de|d['\u2019])\s+)?",
    re.IGNORECASE,
)
_IS: Final = re.compile(
    r"\s(?:is|are|was|were|uses?|lives? in|runs? on|listens? on|means|est|sont|utilise)\s",
    re.IGNORECASE,
)
#: "Tests do not run on Windows": the word before the verb belongs to it, and not to the key.
_OF_THE_VERB: Final = re.compile(
    r"\b(?:n[o']t|never|longer|always|only|often|still|also|to|that|who|which|do|does|did|will|would"
    r"|can|cannot|could|should|must|may|might|shall|n[e']|jamais|qui|que)$|n['\u2019]t$",
    re.IGNORECASE,
)
_AS: Final = re.compile(r"\s(?:as|for|comme|pour)\s(?:the|our|a|an|le|la|notre)?\s{0,2}", re.I)
_WHY: Final = re.compile(
    r",?\s(?:because(?: of)?|since|due to|so that|parce qu['\u2019e]|car|à cause de)\s",
    re.IGNORECASE,
)
#: "The user refused this edit and said: ..." is about what was said.
_LEAD_IN: Final = re.compile(
    r"^(?:after \u201c[^\u201d]{0,300}\u201d,? )?(?:the )?user\b[^:\u201c\"]{0,160}"
    r":\s{0,2}[\u201c\"]",
    re.IGNORECASE,
)
#: "The user held the agent back from editing `x` (proposed: ...) and said: ..." is what was said on
#: editing `x`, which need not be against editing it at all.
_HELD_BACK: Final = re.compile(
    r"^(?:the )?user (?:did not want the agent|held the agent back from|stopped the agent from) ",
    re.IGNORECASE,
)
_PROPOSED: Final = re.compile(r" \(proposed: `[^`]{0,400}`\)")
_THEIR_WORDS: Final = re.compile(
    r"(?:\. In their words| and (?:said|asked)|, then (?:said|asked)): (?=\u201c)"
)
#: Words with which people begin a turn, and which say nothing about its subject.
_OPENER: Final = re.compile(
    r"^(?:(?:(?:ok|okay|yes|yeah|yep|hmm+|ah|oh|hey|hi|cool|great|nice|sure|right|well|so|and|but"
    r"|also|now|actually|wait|sorry|thanks|perfect|alright|please|then|maybe|basically)\b"
    r"|no,|[a-z0-9]\)|\u2026|\.{3})[\s,.!:;)-]{0,4})+",
    re.IGNORECASE,
)
_ASKING: Final = re.compile(
    r"^(?:(?:i (?:think|guess|believe|mean|feel)(?: that| like)?|let['\u2019]?s|let us"
    r"|(?:can|could|would|should) (?:you|we)|we should|i want(?: you)? to"
    r"|i(?:['\u2019]d| would) like(?: you)? to|what if we|how about we|please|just|also|then|first)"
    r"[\s,]{1,2})+",
    re.IGNORECASE,
)
_OPENINGS: Final = 2  # such a beginning may follow another: "ok, I think B), let's"
_TELLING: Final = re.compile(r"\d|[A-Z]{2,}|[a-z][A-Z]|[/_`]")
#: Negations of the words that follow.
_NEGATION: Final = re.compile(r"(?:\bnot|\bnever|n['\u2019]t)$", re.IGNORECASE)
_MAX_KEY: Final = 5
_FEW_WORDS: Final = 4
_SOME_ROOM: Final = 25  # characters in which a piece of a sentence still says something
_MARKS: Final = '.,;:!?"()'
_ENDS: Final = tuple(".,;:!?\u2026")
_SPEAKERS: Final = frozenset(
    "i we you he she it they there this that on nous vous il elle ils elles ce".split()
)


def filled_levels(
    content: str,
    levels: Levels,
    kind: MemoryType = MemoryType.MEMO,
    extras: Mapping[str, Any] | None = None,
) -> Levels:
    """All four levels with token counts, as the kind of memory defines them; existing ones stay."""
    summary = levels.summary or summarised(content)
    told = summary if kind is MemoryType.EPISODE else content  # a model's words, where it gave some
    typed = levels.compressed or typed_form(told, kind, extras or {})
    compressed = typed or compressed_form(summary)
    index = levels.index or index_line(compressed, keyed=typed is not None)
    counts = {text: count_tokens(text) for text in {content, summary, compressed, index}}
    return Levels(
        summary=summary,
        compressed=compressed,
        index=index,
        full_tokens=counts[content],
        summary_tokens=counts[summary],
        compressed_tokens=counts[compressed],
        index_tokens=counts[index],
    )


def derived_forms(content: str, kind: MemoryType, extras: Mapping[str, Any]) -> dict[str, str]:
    """Short forms of a content for which nobody supplied any, by name."""
    summary = summarised(content)
    typed = typed_form(content, kind, extras)
    compressed = typed or compressed_form(summary)
    index = index_line(compressed, keyed=typed is not None)
    return {"summary": summary, "compressed": compressed, "index": index}


def summarised(content: str) -> str:
    """The most informative sentences that fit, in order; the start of the first one when none
    fits."""
    sentences = [one for one in _SENTENCE_END.split(content.strip()) if one]
    if sum(map(len, sentences)) + len(sentences) <= SUMMARY_CHARACTERS + 1:
        return " ".join(sentences) or cut(" ".join(content.split()), SUMMARY_CHARACTERS)
    said = _SAID * bool(_LEAD_IN.match(sentences[0]))
    ranked = sorted(
        range(len(sentences)), key=lambda at: (-_worth(sentences[at], at) - said * (at == 0), at)
    )
    room, kept = SUMMARY_CHARACTERS, set[int]()
    for at in ranked:
        if len(sentences[at]) + 1 <= room:
            room -= len(sentences[at]) + 1
            kept.add(at)
    chosen = " ".join(sentences[at] for at in sorted(kept))
    return chosen or cut(" ".join(content.split()), SUMMARY_CHARACTERS)


def _worth(sentence: str, place: int) -> float:
    """Information value of a sentence: names and numbers, and a bonus for the first."""
    words = sentence.split()
    if not words:
        return 0.0
    telling = sum(bool(_TELLING.search(word)) for word in words)
    names = sum(word[0].isupper() for word in words[1:])
    heavy = sum(not _is_idle(word) for word in words)
    first = 0.2 * (place == 0) - 0.005 * min(place, 20)
    small = 0.5 * (len(words) < _FEW_WORDS or sentence.endswith(("!", "?")))
    listing = 0.6 * bool(_LISTING.match(sentence))
    return (telling + names + 0.5 * heavy) / (len(words) + 2) + first - small - listing


def compressed_form(text: str) -> str:
    """The informative words, in order; the speaker is named only in the longer forms."""
    whole = text.strip()
    text = _LEAD_IN.sub("", whole, count=1)
    said = _SAID * (text != whole)
    quoted, closed, rest = text.partition("\u201d") if said else ("", "", _said_on_an_action(text))
    turn = [without_opening(one) for one in _SENTENCE_END.split(quoted) if one]
    noted = [_HEADING.sub("", one) for one in _SENTENCE_END.split(rest.strip()) if one.strip(".")]
    sentences = [*filter(None, turn), *noted]
    short = [*filter(None, turn), *(" ".join(_content_words(one)) for one in noted)]
    if closed and short and noted and not short[len(short) - len(noted) - 1].endswith(_ENDS):
        short[len(short) - len(noted) - 1] += "."
    if sum(map(len, short)) + len(short) <= COMPRESSED_CHARACTERS + 1:
        return " ".join(filter(None, short)) or cut(text, COMPRESSED_CHARACTERS)
    ranked = sorted(
        range(len(short)), key=lambda at: (-_worth(sentences[at], at) - said * (at == 0), at)
    )
    room, kept = COMPRESSED_CHARACTERS, dict[int, str]()
    for at in ranked:
        fits = short[at] if len(short[at]) + 1 <= room else cut(short[at], max(1, room - 1))
        if fits and (room > _SOME_ROOM or fits == short[at]):
            room -= len(fits) + 1
            kept[at] = fits
    return cut(" ".join(kept[at] for at in sorted(kept)) or text, COMPRESSED_CHARACTERS)


def without_opening(sentence: str) -> str:
    """A sentence of a person without the words that only begin a turn ("ok, I think", "let's"):
    what people say keeps its other words, since it reads badly without them."""
    bare = sentence.strip()
    for _ in range(_OPENINGS):
        bare = _ASKING.sub("", _OPENER.sub("", bare, count=1), count=1).strip()
    return bare if len(bare.split()) > 1 else ""


def _said_on_an_action(text: str) -> str:
    """A refusal as what was being done, and what was said of it."""
    if not _HELD_BACK.match(text):
        return text
    return _THEIR_WORDS.sub(": ", _PROPOSED.sub("", _HELD_BACK.sub("", text, count=1)), count=1)


def _content_words(sentence: str) -> list[str]:
    """The informative words of a sentence. One in capitals is a name: "team A", "IT"."""
    words = sentence.split()
    loud = sentence.isupper()
    return [
        word
        for place, word in enumerate(words)
        if not _is_idle(word)
        or (place and _NEGATION.search(words[place - 1]))
        or (place and word.isupper() and not loud and word.strip(_MARKS) != "I")
    ]


def _is_idle(word: str) -> bool:
    plain = word.lower().strip(_MARKS).replace("\u2019", "'")
    bare = plain.replace("'", "")
    return (plain in _IDLE or plain in _FRENCH_IDLE or bare in _IDLE) and bare not in _TURNING


def index_line(text: str, *, keyed: bool = True) -> str:
    """A short title of the memory: the key of a form that has one, else how the text begins."""
    key, mark, _ = text.partition(": ") if keyed else (text, "", "")
    if mark and 2 < len(key) <= INDEX_CHARACTERS:
        return key
    words = [_file_name(word) for word in text.lstrip("\u2026\u201d ").split()]
    return cut(" ".join(words) or text, INDEX_CHARACTERS)


def _file_name(word: str) -> str:
    """A path as the name of its file, in the quotation marks it had; any other word as it is."""
    folder, slash, name = word.rpartition("/")
    if not slash or "." not in name or "://" in folder:
        return word
    return "`" * folder.startswith("`") + name


def typed_form(content: str, kind: MemoryType, extras: Mapping[str, Any]) -> str | None:
    """Compressed form specific to a kind of memory; None where there is only prose."""
    made = _FROM_FIELDS[kind](extras) if kind in _FROM_FIELDS and extras else None
    if kind is MemoryType.EPISODE:
        return _episode(content, extras)
    if made is None and kind in (MemoryType.FACT, MemoryType.DECISION):
        made = key_and_value(content)
    return None if made is None else cut(" ".join(made.split()), COMPRESSED_CHARACTERS)


def key_and_value(content: str) -> str | None:
    """One sentence of the form "X is Y because Z" as "X: Y (Z)"; None for any other text."""
    sentences = [one for one in _SENTENCE_END.split(content.strip()) if one]
    if len(sentences) != 1 or len(content) > SUMMARY_CHARACTERS:
        return None
    claim, *reasons = _WHY.split(sentences[0].rstrip(". "), maxsplit=1)
    split = _decided(claim) or _stated(claim)
    if split is None:
        return None
    key, value = split
    why = f" ({_bare(reasons[0])})" if reasons else ""
    return f"{key}: {value}{why}"


def _decided(claim: str) -> tuple[str, str] | None:
    """ "The team decided to use X as the Y" is "Y: X"."""
    found = _DECIDED.match(claim)
    if found is None:
        return None
    rest = re.sub(r"^(?:use|using|utiliser)\s+", "", claim[found.end() :], flags=re.IGNORECASE)
    value, *of = _AS.split(rest, maxsplit=1)
    return (_bare(of[0]), _bare(value)) if of and len(of[0].split()) <= _MAX_KEY else None


def _stated(claim: str) -> tuple[str, str] | None:
    """ "The X is Y" is "X: Y"; a question, a denial or a mood of the verb is left as it stands."""
    found = _IS.search(claim)
    if found is None:
        return None
    key, value = claim[: found.start()], claim[found.end() :]
    if len(key.split()) > _MAX_KEY or not value.strip() or re.match(r"n?o[nt]\b|pas\b", value):
        return None
    if key.strip().lower() in _SPEAKERS or _OF_THE_VERB.search(key):
        return None
    return _OPENING.sub("", key, count=1), _bare(value)


def _bare(text: str) -> str:
    return " ".join(word for word in text.split() if not _is_idle(word)) or text.strip()


def _fact(extras: Mapping[str, Any]) -> str | None:
    key, value, where = (extras.get(name) for name in ("key", "value", "applies_to"))
    return f"{key}: {value}{f' ({where})' if where else ''}" if key and value else None


def _recipe(extras: Mapping[str, Any]) -> str | None:
    steps = [_bare(str(one.get("description", ""))) for one in extras.get("steps", ())]
    return f"{extras.get('task_pattern', '')}: {' -> '.join(steps)}" if steps else None


def _pattern(extras: Mapping[str, Any]) -> str | None:
    hint = extras.get("hint")
    template = extras.get("template")
    if not hint and isinstance(template, Mapping):
        hint = " -> ".join(str(value) for value in template.values())
    return f"{extras.get('trigger', 'pattern')}: {hint}" if hint else None


def _failure(extras: Mapping[str, Any]) -> str | None:
    error, fix = extras.get("error") or extras.get("command"), extras.get("fix")
    return f"{cut(str(error), 60)} -> {fix}" if error and fix else None


def _dead_end(extras: Mapping[str, Any]) -> str | None:
    tried, why = extras.get("approach_tried"), extras.get("why_it_failed")
    instead = f"; instead {extras['alternative_used']}" if extras.get("alternative_used") else ""
    return f"not {cut(str(tried), 50)}: {why}{instead}" if tried and why else None


def _episode(content: str, extras: Mapping[str, Any]) -> str:
    """The title, the events, and as much of the results as there is room for."""
    left = [f"{one.get('type')} {one.get('ref')}" for one in extras.get("artifacts", ())]
    tail = cut(f" ({', '.join(left)})", COMPRESSED_CHARACTERS // 2) if left else ""
    title = f"{extras['title']}: " if extras.get("title") else ""
    happened = compressed_form(summarised(content))
    return cut(f"{title}{happened}", COMPRESSED_CHARACTERS - len(tail)) + tail


def _coupling(extras: Mapping[str, Any]) -> str | None:
    changed, touched = extras.get("when_changed"), extras.get("then_touch") or ()
    return f"{changed} changed -> {', '.join(touched)}" if changed and touched else None


_FROM_FIELDS: Final = {
    MemoryType.FACT: _fact,
    MemoryType.WORKFLOW_RECIPE: _recipe,
    MemoryType.PATTERN: _pattern,
    MemoryType.ERROR_PATTERN: _failure,
    MemoryType.DEAD_END: _dead_end,
    MemoryType.CAUSAL_DEPENDENCY: _coupling,
}


def cut(text: str, limit: int) -> str:
    """The text up to the last word that fits."""
    if len(text) <= limit:
        return text
    shortened = (
        text[: limit - 1].rsplit(" ", 1)[0] if " " in text[: limit - 1] else text[: limit - 1]
    )
    return shortened.rstrip(" .,;:…") + "…"
