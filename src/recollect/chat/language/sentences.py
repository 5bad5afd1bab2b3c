"""Splits a message into sentences and clauses that can each make a statement.

Code, quotations and pasted lines are not the speaker's statements and are removed first. A clause
is split off where a new subject begins ("..., and my birthday is"), or where a question or a
request follows a statement ("we leave in May, what should I pack?").
"""

import re
from typing import Final

#: Longer messages (in characters) count as pasted, not said.
LONGEST_MESSAGE: Final = 6_000
LONGEST_SENTENCE: Final = 600
_FENCE: Final = "```"
_QUOTED: Final = re.compile(
    r"\"[^\"\n]{1,1000}\"|\u201c[^\u201c\u201d\n]{1,1000}\u201d|«[^«»\n]{1,1000}»"
)
#: A line of a list or a heading; several of them are a pasted document.
_LIST_LINE: Final = re.compile(r"\s{0,12}(?:[-*+\u2022] |\d{1,3}[.)] |#{1,6} |\*\*)")
_PASTED_LIST: Final = 3
_SPEAKER_LINE: Final = re.compile(
    r"(?:\[[^\[\]\n]{1,40}\] ?)?[A-ZÀ-Þ][\w .'-]{0,30}(?: \([^()\n]{1,30}\))?: \S", re.UNICODE
)
_END: Final = re.compile(
    r"(?<=[a-zà-ÿ0-9%)\]'\"\u2019\u2026][.!?\u2026])[ \t]+|(?<=[!?\u2026][!?\u2026])[ \t]+"
    r"|(?<= [!?])[ \t]+|(?<=[A-Z]{2}[.!?])[ \t]+|\n+|[\U0001F300-\U0001FAFF\u2600-\u27BF\uFE0F]+"
    r"|(?<=[\u3002\uff01\uff1f\u061f])"
)
#: A full stop after a title ends no sentence; after an abbreviation it may, where a new one begins.
_TITLE: Final = re.compile(r"\b(?:dr|mr|mrs|ms|prof|mme|mlle|vs|e\.g|i\.e|approx)\.$", re.I)
_SHORTENED: Final = re.compile(
    r"\b(?:st|ave|rd|blvd|apt|univ|dept|nr|jr|sr|etc|env|bd|av|a\.m|p\.m|[A-Z])\.$", re.I
)
_BEGINS: Final = re.compile(
    r"(?:i|i'm|i've|my|we|our|he|she|they|it|it's|the|this|that|and|but|so|also|then|please|what"
    r"|where|when|who|how|can|do|is|je|j'|mon|ma|mes|on|nous|il|elle|le|la|les|et|mais)\b",
    re.I,
)
_WH: Final = (
    r"(?:what|what's|whats|which|who|who's|where|where's|when|when's|how|how's|why|any (?:idea|tip"
    r"|app|advice|suggestion|recommendation)s?|can you|could you|would you|will you|do you"
    r"|is (?:it|that|there|this)|are there|should i|quel|quelle|quels|quelles|combien|comment"
    r"|pourquoi|tu proposes|tu peux|tu connais|tu as|t'as|c'est quoi|est-ce que|qu'est-ce)"
)
_TURNS: Final = re.compile(
    rf",? (?:so|and|but|donc|et|alors) (?={_WH}\b)|, (?={_WH}\b)|; |: (?={_WH}\b)"
    rf"| [-\u2013\u2014] (?={_WH}\b)",
    re.IGNORECASE,
)
#: Words that begin a relative clause after a comma, unless the sentence is a question.
_RELATIVE: Final = re.compile(r"(?:who|which|where|when|qui|que|où|quand)\b", re.IGNORECASE)
_SUBJECT: Final = (
    r"(?:i|i'm|i've|i'd|i'll|im|ive|my|we|we're|we've|our|je|j'(?=\w)|mon|ma|mes|notre|nos"
    r"|on(?! (?:the|an|my|our|his|her|their|your|this|that|account|top|foot|holiday|time|average"
    r"|leave"
    r"|call|\d|(?:mon|tues|wednes|thurs|fri|satur|sun)days?|week))|nous)"
)
_JOINS: Final = re.compile(
    rf"(?: ?: |, (?:and |but |et |mais |plus )?| and | but | et | mais )(?={_SUBJECT}(?:\b"
    rf"|(?<=')))",
    re.IGNORECASE,
)
_HAS_VERB: Final = re.compile(
    r"\b(?:i|i'm|im|i've|i'd|i'll|we|we're|we've|he|he's|she|she's|they|it's|is|are|was|were|has"
    r"|have|had|wants|called|je|j|on|nous|il|elle|est|sont|a|ont)\b(?!$)",
    re.IGNORECASE,
)
#: Two words that make a statement by themselves: "I'm vegetarian", "I'm 34".
_TWO_WORDS: Final = re.compile(
    r"(?:i'm|im|we're|he's|she's|\w{2,20}'s) (?:[\w-]{4,30}|\d{2})$", re.I
)
_SHARED: Final = re.compile(r"(?:i|we|on|nous) (?:are|were|both|broke|have both|got married)", re.I)


#: A clause about something that the clause before it named: "we sold it in January".
_POINTS_BACK: Final = re.compile(
    r"(?:i|we|i've|we've|i'm|je|on|nous) (?:[\w']{2,15} ){1,2}(?:it|them|him|her|there)\b|(?:i'm|i"
    r" am) the \w|(?:j'en|je) suis l[ea] "
    r"|(?:je|on|nous|j')? ?(?:l'|les |y |en )(?:ai|a|avons|avait|as)\b",
    re.IGNORECASE,
)


#: What somebody is, between commas behind their name: "Ludmila, our au pair, is off".
_NAME_ENDS: Final = re.compile(r"(?:^|[\s(])[A-ZÀ-Þ][\w'-]{1,30}$")
_IN_APPOSITION: Final = re.compile(
    r"(?:my|our|mon|ma|notre) (?:[\w'-]{2,20} ){0,3}[\w'-]{2,20}, ", re.IGNORECASE
)


def sentence_spans(text: str) -> list[tuple[int, int]]:
    """Where each sentence of a text begins and ends; an abbreviation ("Dr.", "St.") ends none."""
    spans, start = [], 0
    for end in _END.finditer(text):
        said, rest = text[max(start, end.start() - 12) : end.start()], text[end.end() :][:20]
        if "\n" not in end[0] and (
            _TITLE.search(said) or (_SHORTENED.search(said) and not _BEGINS.match(rest))
        ):
            continue
        spans.append((start, end.start()))
        start = end.end()
    return [*spans, (start, len(text))]


def is_pasted(text: str) -> bool:
    """Whether a message is a pasted document or transcript."""
    if len(text) > LONGEST_MESSAGE:
        return True
    lines = [line for line in text.split("\n") if line.strip()]
    spoken = sum(1 for line in lines if _SPEAKER_LINE.match(line.strip()))
    return spoken >= 3 or (len(lines) >= 8 and spoken * 2 >= len(lines))


def without_foreign(text: str) -> str:
    """A message without code, quoted lines and quotations: only the speaker's own words."""
    parts = text.replace("\u2019", "'").split(_FENCE)
    own = "\n".join(parts[::2])
    lines = [line for line in own.split("\n") if not line.lstrip().startswith((">", "|", "    "))]
    listed = [line for line in lines if _LIST_LINE.match(line)]
    if len(listed) >= _PASTED_LIST:
        lines = [line for line in lines if not _LIST_LINE.match(line)]
    return _QUOTED.sub(_short_quotation, "\n".join(lines))


def _short_quotation(found: re.Match[str]) -> str:
    """Keep one or two quoted words, which are a name or irony; blank out longer quotations, which
    are somebody else's words.
    """
    return found[0] if len(found[0].split()) <= 2 else '""'


def sentences_of(text: str) -> list[str]:
    """The sentences of a message."""
    found = (text[begin:end].strip(" \t,;-") for begin, end in sentence_spans(text))
    return [shortened(piece) for piece in found if any(map(str.isalnum, piece))]


def shortened(sentence: str) -> str:
    """A sentence cut to the maximum length, after a clause or else after a word."""
    if len(sentence) <= LONGEST_SENTENCE:
        return sentence
    start = sentence[:LONGEST_SENTENCE]
    clause = start.rfind(", ")
    return start[: clause if clause > LONGEST_SENTENCE // 2 else max(start.rfind(" "), 1)]


def clauses_of(sentence: str) -> list[str]:
    """The clauses of a sentence that each have a subject of their own."""
    clauses: list[str] = []
    for piece in _turns(sentence):
        begin = 0
        for cut in _JOINS.finditer(piece):
            left, right = piece[begin : cut.start()], piece[cut.end() :]
            if ":" in cut[0] and len(right.split()) >= 3:
                clauses.append(left)
                begin = cut.end()
                continue
            if not _stands_alone(left) or _SHARED.match(right):
                continue
            if len(right.split()) < 3 or _POINTS_BACK.match(right):
                continue
            if cut[0] == ", " and _NAME_ENDS.search(left) and _IN_APPOSITION.match(right):
                continue
            clauses.append(left)
            begin = cut.end()
        clauses.append(piece[begin:])
    return [clause.strip(" ,;") for clause in clauses if clause.strip(" ,;")]


def _stands_alone(left: str) -> bool:
    """Whether the words before a cut make a statement by themselves."""
    if len(left.split()) < 3:
        return _TWO_WORDS.match(left.strip()) is not None
    return _HAS_VERB.search(left) is not None


def _turns(sentence: str) -> list[str]:
    """A sentence split where a question follows a statement."""
    asks = sentence.rstrip(" )!").endswith("?")
    pieces: list[str] = []
    begin = 0
    for cut in _TURNS.finditer(sentence):
        if not asks and cut[0] == ", " and _RELATIVE.match(sentence, cut.end()):
            continue
        pieces.append(sentence[begin : cut.start()])
        begin = cut.end()
    return [*pieces, sentence[begin:]]
