"""Statements of a message: classifies its sentences and finds those that state something lasting.

A question or a request may hold a fact ("as a night nurse, ...", "... since I'm coeliac", "for my
brother Leo"): that part is a statement of its own. A person called only "she" gets the name that
was mentioned before.
"""

import re
from collections.abc import Callable
from datetime import date
from typing import Final

from recollect.chat.language.relative_dates import with_dates
from recollect.chat.language.sentence_subject import about_another, name_in, names_in, relations_in
from recollect.chat.language.sentences import clauses_of, is_pasted, sentences_of, without_foreign
from recollect.chat.language.speech_acts import SpeechAct, opening_removed, speech_act
from recollect.chat.language.temporary_statements import is_idle
from recollect.chat.statements.facts_in_questions import held_facts
from recollect.chat.statements.joined_predicates import split_predicates
from recollect.chat.statements.joined_sentences import (
    Statement,
    with_quotation,
    with_reasons,
    with_successors,
)
from recollect.chat.statements.lasting_score import features_of, lasting_score
from recollect.chat.statements.lasting_worth import (
    is_dated,
    only_wonders,
    unframed,
    worth_keeping,
)
from recollect.chat.statements.plain_facts import is_riddle, noted_words, tells_plainly
from recollect.chat.statements.unresolved_words import is_unresolved, points_away

_MAX_SENTENCES: Final = 40
_DOUBTED: Final = -0.5  # a statement with a lower score is chatter
_LIKELY: Final = 0.2  # chatter with a higher score is a statement
_SURE: Final = 1.8  # the same for apparent requests: "name's Otto", "did my first 10k on Sunday"
_BESIDE: Final = -1.0  # minimum score of chatter that is added to the statement before it
#: A fragment needs one of these features to be added to the statement before it.
_TELLING_FEATURES: Final = frozenset(
    "figure amount name named family attribute habit month dated clock".split()
)
_LONGEST_WHOLE: Final = 400
_NEVER_SCORED: Final = frozenset(
    {SpeechAct.PREFERENCE, SpeechAct.HYPOTHETICAL, SpeechAct.QUOTATION, SpeechAct.PASTED}
)
_LONGEST_TOPIC: Final = 200
_SHORTEST_TOPIC: Final = 30
_SHORT_MESSAGE: Final = 160
_MIDDLE_MESSAGE: Final = 480  # in longer ones, the form of a sentence says too little
#: The end of a statement before a remark on it.
_REMARK: Final = re.compile(
    r"(.{8,120}?), (?:it|that|which|this|they|c'est|ça|cela|ce qui)\b", re.IGNORECASE
)
_FEW_WORDS: Final = 3  # maximum number of words of a fragment that says little alone
_NAMED_ONLY: Final = 6  # maximum number of words that only name somebody: "my career coach Greg"
_FRENCH: Final = re.compile(
    r"\b(?:je|j'\w{1,20}|tu|il|elle|on|nous|vous|est|suis|les|des|une|mon|ma|mes|pour|avec|dans"
    r"|pas|le|la|du|au|que|fait|quel|quelle|qui|où|quand|combien|comment|chez|à|et|moi|ne|n'\w{1,20}|de|un"
    r"|ce|cette|ça|sur|mais|très|merci|beaucoup|bonjour|bonsoir|salut|coucou|oui|aux|notre|nos|leur"
    r"|par|liste|(?:l|d|qu)['\u2019]\w{2,20}|d'accord|super|génial)\b",
    re.IGNORECASE,
)
_ENGLISH: Final = re.compile(
    r"\b(?:i|i'm|the|my|is|are|you|do|does|what|where|when|who|how|which|and|to|of|in|for|it|we|was"
    r"|did|at|with|have|has|your|please|from|this|that|not|be|keep|answers?)\b",
    re.IGNORECASE,
)
_LEADING_REASON: Final = re.compile(
    r"(?:because|cause|cos|as|since|now that|seeing as|parce que?|vu que?|comme|car|depuis que?) ?"
    r"(?:since |depuis que? ?)?(?=\S)",
    re.IGNORECASE,
)
#: Requests to keep the words before them, which are not part of those words.
_KEEP_THAT: Final = re.compile(
    r"[,;] ?(?:please )?(?:and )?(?:keep (?:that|this|it) in mind|remember (?:that|this|it)"
    r"|don't forget"
    r"(?: that| it| this)?|note (?:that|it|this)|make a note(?: of (?:that|it))?"
    r"|(?:just )?so you know"
    r"|for future reference|retiens-le|note-le|ne l'oublie pas|garde-le en tête|souviens-t'en)"
    r"(?: please)?[ .!]{0,3}$",
    re.IGNORECASE,
)
#: A possible reaction after a statement: "..., so perhaps I'll carry it".
_IMAGINED_BEHIND: Final = re.compile(
    r"(?<=\w\w), (?:so |and |but |then |donc |et |mais )?(?:perhaps|maybe|peut-être)\b[^,?]{3,80}"
    r"[.!]{0,2}$",
    re.IGNORECASE,
)
#: Words that begin a hypothetical case, and words that continue it in later clauses.
_SUPPOSES: Final = re.compile(r"(?:what )?if |imagine|suppose|et si |si |imagine", re.IGNORECASE)
_WOULD: Final = re.compile(r"\b(?:\w{1,6}'d|would|could|might|\w{2,20}rais|\w{2,20}rait)\b", re.I)
#: Statements about oneself before a request: "I have a dog that hates noise, any ideas?"
_BEGINS_WITH_MY: Final = re.compile(r"(?:my|our)\b", re.IGNORECASE)
_VERB: Final = re.compile(
    r"\b(?:is|isn't|are|aren't|was|were|has|had|have|can|can't|will|won't|would|does|doesn't|did|do"
    r"|don't"
    r"|got|gets|went|came|made|took|runs?|ran|said|told|left|lost|won|grew|fell|born"
    r"|[a-z]{2,15}(?:ed|es"
    r"|[a-rt-z]s))\b|'s\b|\d|:",
    re.IGNORECASE,
)
#: The transition from a statement to a question: "..., so I'm wondering how".
_TAIL: Final = re.compile(
    r",? (?:so|and|but) (?:now )?(?:i'm|i am|i was|i) (?:just |also |kinda )?(?:wondering|wonder"
    r"|curious"
    r"|hoping|looking for|not sure|unsure|thinking|need help|having trouble|stuck)\b.{0,400}$"
    r"| to (?:[a-z]{3,12} ){1,2}(?:it|this|that|them)[.!]{0,2}$",
    re.IGNORECASE,
)
#: A noun phrase inside the speaker's wish, which needs no word such as "my" to be theirs.
_TELLS_OF: Final = re.compile(r"(?:the|a|an) (?:[\w'/.-]{1,25} ){1,12}?.{0,60}\d", re.IGNORECASE)
_LASTING_OF_OTHERS: Final = re.compile(
    r"(?:'s| is| est| a) (?:only |nearly |almost )?\d{1,3}\b"
    r"| (?:also |now |only |aussi )?(?:lives?|works?|teaches|studies|has|hates|loves|likes|prefers"
    r"|plays"
    r"|speaks|drives|moved|is (?:an?|from|allergic|married)|was born|habite|travaille|aime"
    r"|déteste|adore"
    r"|parle|joue|vit) ",
    re.IGNORECASE,
)
#: Beginnings like an order or a question that may be none: "plan is to ...", "had a stroke in May".
_NO_ORDER: Final = re.compile(
    r"(?!what|who|wh?ere|when|how|which|why|that|there)\w{2,12}(?:'s| is| are| was| club) |(?:did"
    r"|had|was|were|cut|put|set|read|has) (?:my|the"
    r"|an?|to"
    r"|our|on|two|three|contact|\d)\b|(?:please|pls|plz) (?:no|not|nothing|never|without)\b"
    r"|(?:take|get|go|do|run|read|walk|swim|work|watch|use|buy|cook|eat|meet)\b.{2,40} (?:every"
    r"|most)"
    r" [a-z]{3,9}\b",
    re.IGNORECASE,
)
#: Beginnings that no score makes a statement: a condition, a guess, a bare "it", program output.
_DEPENDS: Final = re.compile(
    r"(?:if|unless|whether|maybe|perhaps|it(?!'s been| has been)|si|peut-être)\b|.{0,60}(?:Error"
    r"|Exception)\b",
    re.I,
)
#: A fragment that negates part of the sentence before it: "not fixed yet".
_SAYS_NOT_SO: Final = re.compile(
    r"(?:but )?not (?!bad|sure|really|yet\b|now\b|too|me\b)\w{4,15}(?: yet)?[.!]{0,2}$"
    r"|(?:mais )?(?:rien de|pas (?:encore )?)(?!mal\b|sûre?\b)\w{4,15}[.!]{0,2}$",
    re.IGNORECASE,
)
_ON_CONDITION: Final = re.compile(
    r"\b(?:if|unless) (?:the|he|she|they|it|i|we|my|that|anyone)\b|\bs(?:i |'ils? |'elles? )", re.I
)
_ADDS: Final = re.compile(
    r"(?:it's|its|it is|it was|it'll be|it will be|it starts|it costs|that's|that is|they're|c'est"
    r"|ce sera|c'était|ça coûte|ça commence) .{0,60}?(?:\d|day\b|morning\b|evening\b|lundi\b"
    r"|mardi\b|mercredi\b|jeudi\b|vendredi\b|samedi\b|dimanche\b)",
    re.IGNORECASE,
)
#: What the message is, before a colon: "context for my questions: I'm on the Payments team".
_HEADING: Final = re.compile(
    r"(?:some |quick |a bit of |little |un peu de |petit )?(?:context|background|info|information"
    r"|update|news|reminder|note|fyi|contexte|nouvelles?|rappel|mise à jour)\b"
    r"(?: [\w']{1,15}){0,5}$",
    re.IGNORECASE,
)
_PRONOUN: Final = re.compile(r"(?:he|she|he's|she's|il|elle)\b", re.IGNORECASE)


#: A diet and nothing else, as one replies to "any diet?".
_DIET_ALONE: Final = re.compile(
    r"\s*+(?:(?:yes|yeah|yep|oui|mostly|strictly)\b,? ?)?(?:(vegetarian|veggie|vegan|pescatarian"
    r"|pescetarian|flexitarian)|(végétarienne|végétarien|végane|vegane|pescétarienne"
    r"|pescétarien))(?: (?:now|maintenant))?[\s.!]*$",
    re.IGNORECASE,
)


def language_spoken(text: str) -> str:
    """English or French, by function words."""
    return (
        "fr" if len(_FRENCH.findall(text[:2_000])) > len(_ENGLISH.findall(text[:2_000])) else "en"
    )


def statements_by_rules(text: str, day: date) -> list[Statement]:
    """Statements of a message by the rules alone, without the score of each clause."""
    return _statements(text, day, scored=False)


def statements_of(text: str, day: date) -> list[Statement]:
    """Statements of a message, sentence by sentence, with relative dates made absolute."""
    return _statements(text, day, scored=True)


def _statements(text: str, day: date, *, scored: bool) -> list[Statement]:
    if is_pasted(text):
        return [Statement(text[:120], SpeechAct.PASTED)]
    own = _with_subject(without_foreign(text))
    if not any(map(str.isalnum, own)):
        foreign = SpeechAct.PASTED if "```" in text else SpeechAct.QUOTATION
        chatter = not any(map(str.isalnum, text))
        return [Statement(text[:120], SpeechAct.CHATTER if chatter else foreign)]
    found: list[Statement] = []
    name = before = ""
    in_short = len(own) <= _SHORT_MESSAGE and len(text) <= _SHORT_MESSAGE * 2
    for sentence in sentences_of(own)[:_MAX_SENTENCES]:
        judge = _scored if in_short else _plain if len(own) <= _MIDDLE_MESSAGE else None
        told = _clauses_told(sentence, in_short=in_short, judge=judge if scored else None)
        if scored and in_short:
            told = [_with_comment(one) for one in told]
        known = bool(name or relations_in(before))
        told = with_reasons([_of_the_named(one, known=known) for one in told])
        if found and found[-1].lasts and _goes_on(sentence, told):
            found[-1] = Statement(f"{found[-1].text} {with_dates(sentence, day)}", found[-1].act)
            before = sentence
            continue
        for one in _resolved(told, sentence, before, in_short=in_short):
            worded = _worded(one, day, _named_before(one, sentence) or name) if one.lasts else one
            if worded.lasts or (worded.act is SpeechAct.CHATTER and _tells_of_another(worded.text)):
                name = name_in(worded.text) or name
            _append(found, worded)
        before = sentence
    if scored and in_short:
        if is_riddle(own):
            return [Statement(own, SpeechAct.HYPOTHETICAL)]
        found = with_successors(_with_fragments(found))
    return [with_quotation(one, text) for one in found]


def _with_subject(text: str) -> str:
    """A diet that is all that is said, as a statement of the speaker; any other text as it is."""
    diet = _DIET_ALONE.match(text)
    if diet is None:
        return text
    return f"je suis {diet[2].lower()}" if diet[2] else f"I'm {diet[1].lower()}"


def _append(found: list[Statement], one: Statement) -> None:
    """Add a statement; one that begins with the words of the last takes its place."""
    if found and one.lasts and one.text.startswith(found[-1].text):
        found.pop()
    found.append(one)


def _clauses_told(
    sentence: str, *, in_short: bool, judge: Callable[[Statement], Statement] | None
) -> list[Statement]:
    """The statements of the clauses of a sentence; what it asks to note is one as it is."""
    noted = noted_words(sentence)
    if noted is not None:
        return [Statement(one, SpeechAct.STATEMENT) for one in clauses_of(noted)]
    told: list[Statement] = []
    imagined = False
    clauses = clauses_of(_IMAGINED_BEHIND.sub("", _KEEP_THAT.sub("", sentence)))
    if len(clauses) > 1 and _HEADING.match(clauses[0]) and f"{clauses[0]}:" in sentence:
        told.append(Statement(clauses.pop(0), SpeechAct.CHATTER))
    for clause in clauses:
        read = _read(clause, imagined=imagined, in_short=in_short)
        told += [judge(one) for one in read] if judge else read
        imagined = imagined or bool(_SUPPOSES.match(opening_removed(clause)))
    return told


def _with_comment(one: Statement) -> Statement:
    """A statement with a remark on it: "I can't have walnuts, they nearly killed me" is a statement
    if its first half is one.
    """
    found = _REMARK.match(one.text) if one.act is SpeechAct.CHATTER else None
    if found is None:
        return one
    head = [_scored(part) for part in _read(found[1], imagined=False, in_short=True)]
    lasts = len(head) == 1 and head[0].act is SpeechAct.STATEMENT
    return Statement(one.text, SpeechAct.STATEMENT) if lasts else one


def _named_before(one: Statement, sentence: str) -> str:
    """The only name before a statement in its sentence: "give Ayo a seat, she's ..."."""
    names = names_in(sentence[: max(0, sentence.find(one.text))])
    return next(iter(names)) if len(names) == 1 else ""


def _scored(one: Statement) -> Statement:
    """Reclassify a statement if its score clearly contradicts the rules."""
    words = opening_removed(one.text) or one.text
    if one.act in (SpeechAct.STATEMENT, SpeechAct.CHATTER) and tells_plainly(words):
        return Statement(one.text, SpeechAct.STATEMENT)
    asks = one.act in (SpeechAct.QUESTION, SpeechAct.REQUEST)
    if one.act in _NEVER_SCORED or (asks and ("?" in words or not _NO_ORDER.match(words))):
        return one
    score = lasting_score(words, one.act.value)
    if one.act is SpeechAct.STATEMENT:
        return Statement(one.text, SpeechAct.CHATTER) if score < _DOUBTED else one
    likely = score > (_SURE if asks else _LIKELY)
    if (is_idle(words) or _ON_CONDITION.search(words)) and score < _SURE:
        return one
    promoted = likely and not _DEPENDS.match(words) and not only_wonders(words)
    return Statement(one.text, SpeechAct.STATEMENT) if promoted else one


def _plain(one: Statement) -> Statement:
    """Make a statement of what tells a lasting fact by its form."""
    plain = one.act is SpeechAct.CHATTER and tells_plainly(opening_removed(one.text) or one.text)
    return Statement(one.text, SpeechAct.STATEMENT) if plain else one


def _with_fragments(found: list[Statement]) -> list[Statement]:
    """Join fragments of a short message to the statement before them: "Nineteen years." or "Noah,
    3.4 kg" belong to it if they name a person, a figure or a circumstance.
    """
    whole: list[Statement] = []
    for one in found:
        before = whole[-1] if whole else None
        if (
            before is not None
            and before.act is SpeechAct.STATEMENT
            and _may_add(one)
            and len(before.text) + len(one.text) <= _LONGEST_TOPIC
            and _adds_to_it(one.text)
        ):
            joined = (
                f"{before.text.rstrip(' ,;')}{'' if before.text[-1] in '.!' else ','} {one.text}"
            )
            whole[-1] = Statement(joined, before.act)
        else:
            whole.append(one)
    return whole


def _may_add(one: Statement) -> bool:
    few = one.act is SpeechAct.STATEMENT and (
        len(one.text.split()) <= _FEW_WORDS or one.text[:1].isdigit()
    )
    return few or one.act is SpeechAct.CHATTER


def _adds_to_it(fragment: str) -> bool:
    words = opening_removed(fragment) or fragment
    if _SAYS_NOT_SO.match(words):
        return True
    told = features_of(words, SpeechAct.CHATTER.value)
    return (
        "fragment" in told
        and bool(told & _TELLING_FEATURES)
        and not _DEPENDS.match(words)
        and lasting_score(words, SpeechAct.CHATTER.value) > _BESIDE
    )


def _of_the_named(one: Statement, *, known: bool) -> Statement:
    """Turn chatter about "him" or "her" into a statement if the person was named just before."""
    found = _PRONOUN.match(one.text)
    if not known or found is None or one.act is not SpeechAct.CHATTER:
        return one
    if not _LASTING_OF_OTHERS.match(one.text, found.end()):
        return one
    return Statement(one.text, SpeechAct.STATEMENT)


def _resolved(
    told: list[Statement], sentence: str, before: str, *, in_short: bool
) -> list[Statement]:
    """The statements of a sentence; if one of them has an unresolved "it", the whole sentence
    instead, or the previous sentence joined with it.
    """
    unresolved = [
        index
        for index, one in enumerate(told)
        if one.act is SpeechAct.STATEMENT and is_unresolved(one.text) and worth_keeping(one.text)
    ]
    asks = {SpeechAct.QUESTION, SpeechAct.REQUEST} & {one.act for one in told}
    if not unresolved:
        return told
    if asks:  # a question gives "it" no topic: only a dated statement says enough
        return [
            Statement(one.text, SpeechAct.CHATTER)
            if index in unresolved
            and (points_away(one.text) or not in_short)
            and not (in_short and is_dated(one.text))
            else one
            for index, one in enumerate(told)
        ]
    words = unframed(opening_removed(sentence))
    if unresolved[0] == 0 and is_unresolved(words) and _goes_before(before):
        words = f"{before} {words}"
    if len(words) > _LONGEST_WHOLE:
        return told
    if not in_short and (is_unresolved(words) or not worth_keeping(words)):
        return [
            Statement(one.text, SpeechAct.CHATTER) if index in unresolved else one
            for index, one in enumerate(told)
        ]
    rest = [one for one in told if one.act is not SpeechAct.STATEMENT]
    return [Statement(words, SpeechAct.STATEMENT), *rest]


def _tells_of_another(words: str) -> bool:
    """Whether a person is mentioned, so that "she" in the next sentence means them."""
    return bool(relations_in(words)) or about_another(words)


def _goes_on(sentence: str, told: list[Statement]) -> bool:
    """Whether a sentence only adds a time or an amount to the one before: "It's on Friday at 5"."""
    acts = {one.act for one in told}
    return bool(_ADDS.match(sentence)) and acts <= {SpeechAct.STATEMENT, SpeechAct.CHATTER}


def _goes_before(sentence: str) -> bool:
    """Whether a sentence can give the topic of the next one."""
    long_enough = len(sentence) >= _SHORTEST_TOPIC or bool(names_in(" " + sentence))
    return (
        long_enough
        and len(sentence) <= _LONGEST_TOPIC
        and speech_act(sentence)
        not in (
            SpeechAct.QUESTION,
            SpeechAct.HYPOTHETICAL,
            SpeechAct.QUOTATION,
            SpeechAct.PASTED,
        )
    )


def _read(clause: str, *, imagined: bool, in_short: bool) -> list[Statement]:
    act = speech_act(clause)
    if imagined and _WOULD.search(clause):
        act = SpeechAct.HYPOTHETICAL
    reason = _LEADING_REASON.match(opening_removed(clause))
    if act is SpeechAct.CHATTER and reason is not None:
        told = opening_removed(clause)[reason.end() :]
        if names_in(told) or relations_in(told):
            return _read(told, imagined=imagined, in_short=in_short)
    if act is SpeechAct.STATEMENT and not _says_it(clause):
        act = SpeechAct.CHATTER
    if act is SpeechAct.STATEMENT:
        return [_weighed(one, in_short=in_short) for one in _apart(clause)]
    if act not in (SpeechAct.QUESTION, SpeechAct.REQUEST):
        return [Statement(clause, act)]
    held = [Statement(one, SpeechAct.STATEMENT) for one in held_facts(clause)]
    if not in_short:  # in a long request, a statement must be worth keeping too
        held = [
            _weighed(one.text, in_short=False)
            if speech_act(one.text) is SpeechAct.STATEMENT and len(one.text.split()) > _NAMED_ONLY
            else one
            for one in held
        ]
    return [Statement(clause, act), *(one for one in held if one.lasts)]


def _weighed(clause: str, *, in_short: bool) -> Statement:
    """A statement without its frame; chatter if nothing in it is worth an entry."""
    plain = opening_removed(clause) or clause
    told = unframed(plain)
    for words in dict.fromkeys((told, plain) if in_short else (told,)):
        if not worth_keeping(words, in_short=in_short):
            continue
        inside = len(words) < len(plain) and _TELLS_OF.match(words) is not None
        if inside or speech_act(words) is SpeechAct.STATEMENT:
            return Statement(words, SpeechAct.STATEMENT)
    return Statement(clause, SpeechAct.CHATTER)


def _apart(clause: str) -> list[str]:
    """The statements that a clause joins, if each part is a statement by itself."""
    parts = split_predicates(opening_removed(clause) or clause)
    if len(parts) > 1 and all(speech_act(one) is SpeechAct.STATEMENT for one in parts):
        return parts
    return [clause]


def _says_it(clause: str) -> bool:
    """Whether a clause that begins with "my" says something about it; "my project's scope and
    timeline" does not.
    """
    words = opening_removed(clause)
    if not _BEGINS_WITH_MY.match(words):
        return True
    rest = words.split(None, 2)[2:]
    return bool(rest and _VERB.search(rest[0])) or ("," not in words and bool(relations_in(words)))


def _worded(one: Statement, day: date, name: str) -> Statement:
    words = _TAIL.sub("", opening_removed(one.text).strip() or one.text)
    if name and _PRONOUN.match(words) and name not in words:
        words = f"{name}: {words}"
    return Statement(with_dates(words, day), one.act)
