"""Features for and against a contradiction between two statements.

Each feature is a number between 0 and 1 for a property of the language. For a contradiction: the
subject is the same, its value differs, one side denies the other, one says that something ended.
Against: the statements are of different times, one is an exception, something was only added.
``judge`` has the weights.
"""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

import numpy as np

from recollect.memories.contradictions import words
from recollect.memories.contradictions.statements import (
    ComparedStatement,
    Token,
    about_other_code,
    negation_ends,
    same_word,
    shared_words,
)
from recollect.memories.text_comparison import WordVectors, read

_SINGULAR: Final = frozenset("date time weekday monthday port address version path".split())
_MOMENTS: Final = frozenset("date time weekday monthday year".split())
_MEASURED: Final = frozenset("duration size length mass money share".split())


def features(
    old: ComparedStatement, new: ComparedStatement, vectors: WordVectors | None = None
) -> dict[str, float]:
    """Features of an older statement and a newer one."""
    shared_old = frozenset(shared_words(old, new))
    shared_new = frozenset(shared_words(new, old))
    topic = {
        "cover": _cover(old, new, shared_old, shared_new),
        "cover_old": _share(old.tokens, shared_old),
        "cover_new": _share(new.tokens, shared_new),
        "names_shared": min(1.0, _strong(old, shared_old) / 2),
        "near": _nearness(old, new, vectors),
        "lonely": float(_content_words(old, shared_old) < 2),
    }
    return {
        **topic,
        **_value_features(old, new),
        **_denial_features(old, new, shared_old, shared_new),
        **_ending_features(old, new, shared_old, shared_new),
        **_frame_features(old, new, shared_old, shared_new),
        **_subject_features(old, new, shared_old, shared_new),
    }


def _share(tokens: Sequence[Token], matched: frozenset[int]) -> float:
    total = sum(token.weight for token in tokens)
    met = sum(tokens[place].weight for place in matched)
    return met / total if total else 0.0


def _cover(
    old: ComparedStatement, new: ComparedStatement, one: frozenset[int], other: frozenset[int]
) -> float:
    """Share of the smaller statement's words that the other contains."""
    smaller = min(sum(t.weight for t in old.tokens), sum(t.weight for t in new.tokens))
    met = max(
        sum(old.tokens[place].weight for place in one),
        sum(new.tokens[place].weight for place in other),
    )
    return min(1.0, met / smaller) if smaller else 0.0


def _content_words(one: ComparedStatement, matched: frozenset[int]) -> int:
    """Number of different meaningful words that both contain."""
    return len({one.tokens[at].stem for at in matched if one.tokens[at].weight >= 1})


def _strong(old: ComparedStatement, matched: frozenset[int]) -> int:
    return len(
        {
            old.tokens[place].stem
            for place in matched
            if old.tokens[place].name or old.tokens[place].code
        }
    )


def _nearness(old: ComparedStatement, new: ComparedStatement, vectors: WordVectors | None) -> float:
    if vectors is None or not old.tokens or not new.tokens:
        return 0.5
    one = vectors([token.text for token in old.tokens]).sum(axis=0)
    other = vectors([token.text for token in new.tokens]).sum(axis=0)
    length = float(np.linalg.norm(one) * np.linalg.norm(other))
    return max(0.0, float(one @ other) / length) if length else 0.0


# --- values ---------------------------------------------------------------------------------------


def _value_features(old: ComparedStatement, new: ComparedStatement) -> dict[str, float]:
    differing = old.values.differing(new.values)
    agreeing = old.values.agreeing(new.values)
    kinds = {name.split()[0] for name in differing}
    return {
        "value_one": float(bool(kinds & _SINGULAR)),
        "value_measured": float(bool(kinds & _MEASURED)),
        "value_count": float("count" in kinds),
        "value_loose": float(not differing and old.values.loose(new.values)),
        "value_same": float(bool(agreeing)),
        "label_other": float("label" in kinds),
        "other_moment": float(bool(kinds) and kinds <= _MOMENTS and _begins_and_finishes(old, new)),
    }


def _begins_and_finishes(old: ComparedStatement, new: ComparedStatement) -> bool:
    """Whether one says when something begins and the other when it finishes."""
    sides = {(one.says(words.BEGINS), one.says(words.FINISHES)) for one in (old, new)}
    return sides == {(True, False), (False, True)}


# --- denial ---------------------------------------------------------------------------------------


def _denial_features(
    old: ComparedStatement, new: ComparedStatement, one: frozenset[int], other: frozenset[int]
) -> dict[str, float]:
    first, second = _best_clause(old, one), _best_clause(new, other)
    odd_old, odd_new = old.negations(first) % 2, new.negations(second) % 2
    every = (_parity(old), _parity(new))
    only = old.says(words.ONLY), new.says(words.ONLY)
    always = old.says(words.ALWAYS), new.says(words.ALWAYS)
    never = old.says(words.NEVER), new.says(words.NEVER)
    return {
        "negated": float(odd_old != odd_new),
        "negated_any": float(every[0] != every[1]),
        "negated_both": float(bool(odd_old and odd_new)),
        "negated_word": _negated_words(old, new, one, other),
        "reversed": float((always[0] and never[1]) or (never[0] and always[1])),
        "all_only": float(
            (always[0] and only[1] and not only[0]) or (only[0] and always[1] and not only[1])
        ),
        "opposed": float(_opposed(old, new)),
        "only_new": float(only[1] and not only[0]),
        "only_old": float(only[0] and not only[1]),
        "may_must": float(_permission(old) * _permission(new) < 0),
        "only_not": float((only[0] and odd_new) or (only[1] and odd_old)),
        "without_must": float(_needs_it(old, new) or _needs_it(new, old)),
        "bad": float(_turned_out_badly(new, other)),
        "liked_less": float(_liked_less(old, new)),
    }


_WITHOUT: Final = re.compile(r"\b(?:without|sans)\b")


def _needs_it(one: ComparedStatement, other: ComparedStatement) -> bool:
    """Whether one says that nothing works without a thing, and the other that it is needed."""
    refused = one.says(_WITHOUT) and _parity(one) == 0
    return refused and (other.says(words.MUST) or other.says(words.ALWAYS)) and not _parity(other)


def _negated_words(
    old: ComparedStatement, new: ComparedStatement, one: frozenset[int], other: frozenset[int]
) -> float:
    """Share of the common words that are denied on one side only."""
    mine = {old.tokens[place].stem: _denied(old, place) for place in one}
    theirs = {new.tokens[place].stem: _denied(new, place) for place in other}
    both = [stem for stem in mine if stem in theirs]
    flipped = [stem for stem in both if mine[stem] != theirs[stem]]
    return len(flipped) / len(both) if both else 0.0


_NEARBY: Final = 40


def _denied(one: ComparedStatement, place: int) -> bool:
    """Whether a negation stands shortly before a word, within the same clause."""
    token = one.tokens[place]
    clause = one.clauses[token.clause]
    at = clause.find(token.text)
    return at > 0 and any(at - _NEARBY <= end <= at for end in negation_ends(clause))


def _turned_out_badly(new: ComparedStatement, matched: frozenset[int]) -> bool:
    """Whether the newer statement says that something in the older one did harm."""
    clauses = new.clauses_with(words.BAD)
    return any(new.tokens[place].clause in clauses for place in matched)


_RANKS: Final = re.compile(
    r"\b(?:prefers?|over|rather than|instead of|better than|préfère\w{0,2}|plutôt que)\b"
)


def _liked_less(old: ComparedStatement, new: ComparedStatement) -> bool:
    """Whether the newer statement asks for something that the older one ranks second."""
    less = read(old.text).less if _RANKS.search(old.text) else None
    if less is None or read(new.text).less == less:
        return False
    return any(same_word(less, token.stem) for token in new.tokens)


def _best_clause(one: ComparedStatement, matched: frozenset[int]) -> int:
    """The clause that shares the most with the other statement."""
    totals: dict[int, float] = {}
    for place in matched:
        token = one.tokens[place]
        totals[token.clause] = totals.get(token.clause, 0.0) + token.weight
    best = max(totals, key=lambda clause: (totals[clause], -clause), default=0)
    return min(best, len(one.clauses) - 1)


def _parity(one: ComparedStatement) -> int:
    return sum(one.negations(place) for place in range(len(one.clauses))) % 2


def _opposed(old: ComparedStatement, new: ComparedStatement) -> bool:
    """Whether each side has a different word of a pair of opposites, and not the other word."""
    mine, theirs = _sides(old.words), _sides(new.words)
    return any(not mine[pair] & theirs[pair] for pair in mine.keys() & theirs.keys())


@lru_cache(4_096)
def _sides(said: tuple[str, ...]) -> dict[int, frozenset[int]]:
    """Pairs of opposites of which a text has words, and the side of each word."""
    found: dict[int, set[int]] = {}
    for word in said:
        for pair, side in _OPPOSITE_OF.get(word, ()):
            found.setdefault(pair, set()).add(side)
    return {pair: frozenset(sides) for pair, sides in found.items()}


_OPPOSITE_OF: Final[dict[str, list[tuple[int, int]]]] = {}
for _pair, _both in enumerate(words.OPPOSED):
    for _side, _those in enumerate(_both):
        for _word in _those:
            _OPPOSITE_OF.setdefault(_word, []).append((_pair, _side))


def _permission(one: ComparedStatement) -> int:
    """1 when something may or must be done, -1 when it may not, 0 when neither is said."""
    earlier_words = one.says(words.MAY) or one.says(words.MUST)
    return 0 if not earlier_words else -1 if _parity(one) else 1


# --- endings --------------------------------------------------------------------------------------


def _ending_features(
    old: ComparedStatement, new: ComparedStatement, one: frozenset[int], other: frozenset[int]
) -> dict[str, float]:
    earlier_words = {match[0][:_ROOT] for match in words.ENDED.finditer(old.text)}
    earlier_words |= {word[:_ROOT] for word in old.words}
    ends = [
        place
        for place, clause in enumerate(new.clauses)
        if any(match[0][:_ROOT] not in earlier_words for match in words.ENDED.finditer(clause))
        and not words.REPEATED.search(clause)
    ]
    about = {new.tokens[place].clause for place in other}
    return {
        "ended": float(any(clause in about for clause in ends)),
        "ended_elsewhere": float(bool(ends) and not any(clause in about for clause in ends)),
        "ended_name": float(_ends_name(new, other, ends)),
        "ended_old": float(bool(earlier_words)),
        "displaced": float(_displaced(old, new, one, other)),
        "replaced": float(_replaces(new, other)),
        "changed": float(new.says(words.CHANGED)),
        "changed_old": float(old.says(words.CHANGED)),
    }


_ROOT: Final = 5  # letters by which forms of one word are known


def _displaced(
    old: ComparedStatement, new: ComparedStatement, one: frozenset[int], other: frozenset[int]
) -> bool:
    """Whether the newer statement names the older one's value only outside the matching clause.

    "X does it; Y is gone": one clause has the common subject and something new, and the thing that
    the older statement named stands alone in another clause.
    """
    valued = {
        token.stem
        for place, token in enumerate(old.tokens)
        if place in one and (token.name or token.code or place == len(old.tokens) - 1)
    }
    about: dict[int, set[str]] = {}
    fresh: set[int] = set()
    for place, token in enumerate(new.tokens):
        if place in other:
            about.setdefault(token.clause, set()).add(token.stem)
        elif token.weight >= 1:
            fresh.add(token.clause)
    return any(
        met - valued
        and clause in fresh
        and any((others & valued) - met for place, others in about.items() if place != clause)
        for clause, met in about.items()
    )


def _ends_name(new: ComparedStatement, matched: frozenset[int], ends: Sequence[int]) -> bool:
    """Whether a clause about an ending names something that the older statement names."""
    return any(
        new.tokens[place].clause in ends and (new.tokens[place].name or new.tokens[place].code)
        for place in matched
    )


def _replaces(new: ComparedStatement, matched: frozenset[int]) -> bool:
    """Whether a word for replacing stands near something that the older statement names."""
    clauses = new.clauses_with(words.REPLACED)
    return any(new.tokens[place].clause in clauses for place in matched)


# --- time and scope -------------------------------------------------------------------------------


def _frame_features(
    old: ComparedStatement, new: ComparedStatement, one: frozenset[int], other: frozenset[int]
) -> dict[str, float]:
    first, second = _best_sentence(old, one), _best_sentence(new, other)
    past = _is_past(first), _is_past(second)
    spans = _spans(first), _spans(second)
    return {
        "past": float(past[0] != past[1]),
        "past_both": float(past[0] and past[1]),
        "spans": float(bool(spans[0]) and bool(spans[1]) and not spans[0] & spans[1]),
        "span_one": float(bool(spans[0]) != bool(spans[1])),
        "added": float(new.says(words.ADDED)),
        "excepted": float(new.says(words.EXCEPTED) or old.says(words.EXCEPTED)),
    }


def _best_sentence(one: ComparedStatement, matched: frozenset[int]) -> str:
    """The sentence that shares the most with the other statement."""
    totals: dict[int, float] = {}
    for place in matched:
        token = one.tokens[place]
        totals[token.sentence] = totals.get(token.sentence, 0.0) + token.weight
    return one.sentences[max(totals, key=lambda place: (totals[place], -place), default=0)]


def _is_past(sentence: str) -> bool:
    earlier_words = words.SPAN.search(sentence) and words.WAS.search(sentence)
    return bool(words.PAST.search(sentence) or earlier_words)


def _spans(sentence: str) -> frozenset[str]:
    return frozenset(match[0] for match in words.SPAN.finditer(sentence))


# --- subjects -------------------------------------------------------------------------------------

_DETERMINERS: Final = re.compile(r"^(?:same|own|whole|first|last|next|new|old|other|shared)$")


def _subject_features(
    old: ComparedStatement, new: ComparedStatement, one: frozenset[int], other: frozenset[int]
) -> dict[str, float]:
    loose_old = [t for place, t in enumerate(old.tokens) if place not in one]
    loose_new = [t for place, t in enumerate(new.tokens) if place not in other]
    names = [t for t in loose_old if t.name or t.code], [t for t in loose_new if t.name or t.code]
    return {
        "other_modifier": float(_other_modifier(old, new, one, other)),
        "subject_kept": float(_subject_kept(old, one) and _subject_kept(new, other)),
        "subject_lost": float(not _subject_kept(old, one) and not _subject_kept(new, other)),
        "names_swapped": float(bool(names[0]) and bool(names[1])),
        "names_new": float(bool(names[1]) and not names[0]),
        **_slot_features(old, new, one, other),
        "owned_other": float(_owner_of_other(old, new, other)),
        "other_predicate": float(_other_predicate(old, new, one, other)),
        "happened": float(_only_happened(old, new, one, other)),
        "nothing_left": float(not loose_old),
        "code_other": float(about_other_code(old, new)),
    }


_STATES: Final = re.compile(
    r"\b(?:is|are|called|named|lives?|prefers?|est|sont|s'appelle|habite|préfère|by|listens?|uses?"
    r"|lies|stored?|kept|written|runs?|goes?|go|tracked|handled|managed|owned)\b"
)
_HAS_MANY: Final = re.compile(
    r"\b(?:plays?|speaks?|likes?|loves?|has|have|supports?|supported|accepts?|accepted|owns"
    r"|includes?|learning|joue|parle|aime|available|disponible|knows|collects|offers?|emits?"
    r"|publish(?:es|ed)?|tested|mentors?|learns?)\b"
)


def _slot_features(
    old: ComparedStatement, new: ComparedStatement, one: frozenset[int], other: frozenset[int]
) -> dict[str, float]:
    """Position of the words that only one side has: at the beginning, or in place of a value."""
    mine = [place for place in range(len(old.tokens)) if place not in one]
    theirs = [place for place in range(len(new.tokens)) if place not in other]
    few = 0 < len(mine) <= 2 and 0 < len(theirs) <= 3
    begins = bool(mine and theirs) and 0 in mine and 0 in theirs
    kept = _subject_kept(old, one)
    one_way = old.says(_STATES) and not old.says(_HAS_MANY)
    return {
        "one_word": float(len(mine) == 1 and len(theirs) <= 2),
        "slot_one_way": float(few and not begins and kept and one_way),
        "begins_and_more": float(begins and len(mine) > 1 and len(theirs) > 1),
        "many": float(old.says(_HAS_MANY)),
    }


_OWNER: Final = re.compile(r"\b([a-zà-ÿ-]{2,20})'s ([a-zà-ÿ-]{2,20})\b")
_OWNER_OF: Final = re.compile(r"\b([a-zà-ÿ-]{2,20}) (?:of|de|du|d') ?([a-zà-ÿ-]{2,20})\b")


def _owner_of_other(
    old: ComparedStatement, new: ComparedStatement, matched: frozenset[int]
) -> bool:
    """Whether the newer statement is about something that belongs to the older one's subject."""
    subject = old.tokens[0].text if old.tokens else ""
    known = {new.tokens[place].text for place in matched}
    return any(
        owner == subject and thing not in known
        for owner, thing in _OWNER.findall(new.text.replace("\u2019", "'"))
    )


_COPULA: Final = frozenset("is are was were be been am being 's est sont était suis".split())


def _other_predicate(
    old: ComparedStatement, new: ComparedStatement, one: frozenset[int], other: frozenset[int]
) -> bool:
    """Whether both share their subject alone and say different things of it.

    "Marta lives in Berlin" and "Marta works for Zalando": the shared words stand before the verb,
    and the verbs differ. A copula says what the subject is, so it may contradict any verb.
    """
    verbs = _word_after_subject(old, one), _word_after_subject(new, other)
    if not verbs[0] or not verbs[1] or set(verbs) & _COPULA:
        return False
    return not same_word(verbs[0], verbs[1])


def _only_happened(
    old: ComparedStatement, new: ComparedStatement, one: frozenset[int], other: frozenset[int]
) -> bool:
    """Whether they share their subject alone, and one tells what once happened to it.

    "Sami is allergic to eggs" and "Sami turned 4 yesterday": the event is none of the state.
    """
    if old.says(words.HAPPENED) == new.says(words.HAPPENED):
        return False
    verbs = _word_after_subject(old, one), _word_after_subject(new, other)
    return bool(verbs[0] and verbs[1]) and not same_word(verbs[0], verbs[1])


def _word_after_subject(one: ComparedStatement, matched: frozenset[int]) -> str:
    """The word behind the shared words, if these are the first words of the text and no others."""
    if not matched or set(matched) != set(range(len(matched))):
        return ""
    last = one.tokens[len(matched) - 1].text.lower()
    behind = one.words[one.words.index(last) + 1 :] if last in one.words else ()
    return behind[0] if behind else ""


def _subject_kept(one: ComparedStatement, matched: frozenset[int]) -> bool:
    """Whether the other statement contains the beginning of this one."""
    return 0 in matched or (len(one.tokens) > 1 and 1 in matched and one.tokens[0].weight < 1)


def _other_modifier(
    old: ComparedStatement, new: ComparedStatement, one: frozenset[int], other: frozenset[int]
) -> bool:
    """Whether the word before a shared word differs: "the Lyon office", "the Madrid office"."""
    before = _before(old, one)
    after = _before(new, other)
    return any(stem in after and before[stem].stem != after[stem].stem for stem in before)


def _before(one: ComparedStatement, matched: frozenset[int]) -> dict[str, Token]:
    """For each shared word near the beginning: the preceding word that the other side lacks."""
    found: dict[str, Token] = {}
    for place in sorted(matched):
        if 0 < place <= 4 and place - 1 not in matched:
            token = one.tokens[place - 1]
            if token.clause == one.tokens[place].clause and not _DETERMINERS.match(token.text):
                found.setdefault(one.tokens[place].stem, token)
    return found
