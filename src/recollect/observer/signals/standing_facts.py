"""Finds sentences in which a user states what holds for the project, the product or themselves.

Such a statement outlives the task it was said in: what the right name or command is ("the correct
topic is `orders.v2`"), what the product must never or may only do ("drafts should never be sent"),
what must not exist ("there must be no public endpoint"), how something is to be made ("built so
that it can be moved"), which part decides what, what stage the project is in, and what the user
knows. A report of a fault uses the same words without a duty, and a wish for the screen without a
quantity; neither is such a statement.
"""

import re
from typing import Final

#: Words that bind a sentence to this moment, or to one thing before the speaker.
_FOR_NOW: Final = re.compile(
    r"\b(?:yet|(?<!from )now|until|this time|for the (?:moment|time being)|at the moment|today|"
    r"tomorrow|later|again|still|currently|(?:this|that) (?:one|line|time|error|issue|bug|commit|"
    r"task|step|ticket|message|plan)|fix (?:this|that|it))\b",
    re.I,
)
#: Words of a guess.
_GUESSED: Final = re.compile(
    r"\b(?:maybe|perhaps|probably|I (?:guess|think|suppose|assume)|not sure|might)\b", re.I
)
#: Something of the technical world that has a right name, and a fact about it.
_NAMED: Final = (
    r"(?:endpoint|command|path|name|url|port|key|flag|option|method|function|module|package|table|"
    r"column|field|file|folder|directory|branch|version|host|address|import|syntax|format|api|"
    r"class|script|tool|setting|variable|queue|topic|bucket|schema|parameter|header|token|domain|"
    r"repo(?:sitory)?|register|pin|model|unit)"
)
_SYSTEM: Final = (
    r"(?:api|endpoint|service|server|backend|library|sdk|database|table|driver|protocol|webhook|"
    r"cli|compiler|broker|gateway|provider|device|sensor|firmware|scheduler|parser)"
)
_CODE: Final = r"(?:`[^`\n]{2,60}`|'[^'\n]{2,60}'|\"[^\"\n]{2,60}\"|[\w-]{1,40}[_./][\w./-]{1,60})"
#: A command of two words or more in marks of quotation.
_QUOTED: Final = (
    r"(?:`[\w.-]+ [^`\n]{1,80}`|'[\w.-]+ [^'\n]{1,80}'|\"[\w.-]+ [^\"\n]{1,80}\"|"
    r"\u201c[\w.-]+ [^\u201d\n]{1,80}\u201d)"
)
_DUTY: Final = (
    r"(?:should|must|shall|needs? to|has to|have to|(?:is|are) (?:supposed|meant|expected) to)"
)
_CORRECT: Final = tuple(
    re.compile(form, re.I)
    for form in (
        # the right name, the right means
        rf"\bthe (?:correct|right|proper|actual|official) (?:[\w-]{{1,30}} )?{_NAMED}s?\b.{{0,40}}"
        r"\b(?:is|are)\b(?! (?:not|missing|unclear|wrong)\b) \S{2}",
        rf"\b(?:you|we) (?:need|have|ought) to (?:use|call|query|import|pass|set|send) (?:the )?"
        rf"(?:{_CODE}) (?:{_NAMED})\b"
        r" (?:to|for|instead|not|because|since|which|as)\b",
        rf"\buse (?:the )?(?:{_CODE}) {_NAMED}s? (?:to|for|instead|and not|not)\b",
        rf"\b(?:use|with|by|via|using|run|type) {_QUOTED} (?:to|for|when|in order)\b"
        r"(?! (?:see|check|debug|reproduce|verify|analy[sz]e|show|find|look|try|confirm)\b)",
        rf"\b(?:is|are|be|gets?) (?:installed|started|run|built|tested|deployed|launched|called|"
        rf"compiled|formatted|released|generated|migrated|seeded) (?:with|by|via|using|through) "
        rf"(?:{_QUOTED}|{_CODE})",
        rf"(?:^|[.:;] )(?:{_QUOTED}|[a-z][\w.-]{{1,20}}(?: [\w./<>@-]{{2,30}}){{1,4}}) is (?:the|"
        r"our) (?:right |correct |preferred |usual |only )?way (?:to|of|we|you)\b",
        r"\b(?:is|are) (?:called|named|spelled|written) .{2,40}(?:, not|, and not| rather than|"
        r" instead of) \S{2}",
        r"\bwhen I (?:say|ask for|write|speak of) .{2,40}\bI (?:always )?mean\b|"
        r"\bby [`'\"]?[\w -]{2,30}[`'\"]?,? (?:I|we) (?:always )?mean\b",
        rf"\byou (?:can|should|must|need to|have to) (?:run|start|build|test|deploy|launch|"
        rf"install) "
        rf"(?:[\w.-]+ ){{0,3}}(?:by|with|via|using|through) (?:just |simply )?(?:running )?"
        rf"(?:{_CODE}|[\w-]+ directly)",
        r"\b(?:where|when|if|in case) (?:there (?:are|is)|they|the two|both|these|of) (?:any |"
        r"an? )?"
        r"(?:discrepanc|conflict|differ|disagree|contradict)\w*",
        # where something is, and what it is made from
        rf"\balready (?:exists?|lives?|have|has)\b.{{0,60}}\b(?:in|under|at) (?:the )?{_CODE}",
        r"\b(?:site|app|api|backend|frontend|server|service|database|bot|project|it) is "
        r"(?:deployed|"
        r"hosted|served) (?:on|at|via|by|from|with|through) \S{3}",
        r"\b(?:brand|our) (?:colou?rs?|fonts?|typeface|palette|typography) (?:is|are)\b",
        rf"\b(?:lives?|(?:is|are) (?:located|stored|kept|defined|found)|can be found) (?:in|at|"
        rf"under|on) (?:the )?(?:{_CODE}|[a-z]+/)",
        r"\b(?:is|are|gets?) (?:auto-?|automatically )?generated (?:by|from|with|out of|on "
        r"(?:each|every))\b",
        # what a system outside does, and wants
        rf"\b(?:the|this|that|our|their) (?:[\w-]{{1,30}} )?{_SYSTEM} (?:{_CODE} )?(?:returns?|"
        r"expects?|requires?|(?:only|always|never) \w{2,20}s|accepts? only|counts from|uses|sends|"
        r"limits)\b(?! (?:an? )?(?:\w+ )?(?:errors?|40\d|50\d|nothing|empty|null|none|undefined|"
        r"wrong|invalid)\b)",
    )
)
#: What must hold of the product: a duty with a quantity, an absence, an aim of the design.
_INVARIANT: Final = tuple(
    re.compile(form, re.I)
    for form in (
        rf"\b{_DUTY} (?:also )?(?:only|never|always|under no circumstances|at no time|exclusively)"
        r"(?: ever)? (?!take|cost|see|be a (?:matter|second|minute))\w",
        r"\b(?:only|never|always) (?:should|must|may|shall) \w",
        r"\b(?:only|nobody|no one) (?:[\w-]+ ){0,4}(?:should|must|may|shall) (?:ever )?"
        r"(?:be able|see|read|write|access|change|edit|delete|send|create|call|use)\b",
        r"\bno [\w-]{3,20} (?:should|must|may|shall) (?:ever )?\w",
        r"\bthere (?:should|must|shall) (?:never )?be no (?!(?:\w+ )?(?:need|reason|problem|"
        r"issue|error)s?\b)\w",
        r"\bthere (?:should|must)(?:n'?t| not| never) be (?:any|an?|more than) \w",
        r"\bI (?:always|only|never) want\b(?! (?:you|this|it|that (?:to|one|for)) ).{12}",
        r"\bI (?:do not|don'?t|dont) (?:ever )?want (?:any|there to be|anyone|anybody|users?|people"
        r"|customers?|clients?|to (?:ever|depend|rely|be tied|store|expose|share|leak))\b.{6}",
        r"\b(?:should|must|needs? to|has to) be (?:built|written|designed|made|kept|structured|"
        r"implemented|organi[sz]ed|set up) (?:in (?:a|such a) way|so) (?:that|where|which)\b",
        r"\b(?:whole|main|entire) (?:point|idea|goal|purpose|aim) (?:of (?:this|the|our)"
        r"[\w -]{0,30} |here )?is (?:to|that)\b",
        r"\b(?!you\b|we\b|I\b|it\b|that\b|this\b)[\w./`-]{3,60} (?:should|must) (?:decide|own|be "
        r"responsible for|know nothing|not know|be in charge of|have the final)\b",
        r"\b(?:is|are|was|were) (?:kept |left |made )?[\w-]+ (?:by design|on purpose|"
        r"intentionally|deliberately)\b",
        r"\b(?:is|are) (?:only |solely |strictly )(?:meant|intended|used|reserved) (?:for|to|by)\b",
        rf"\b(?:{_DUTY}|I want\b.{{3,60}} to) (?:also )?(?:work|fit|run|build|compile|be (?:usable|"
        r"readable|responsive|accessible|supported))\b.{0,60}\b(?:on|in|with|across|for|under) "
        r"(?:all|every|any|both|different|various|multiple|older) [a-z]",
    )
)
#: A requirement that only the screen shows: gaps and colours are set once and seen.
_OF_THE_LAYOUT: Final = re.compile(
    r"\b(?:gaps?|spac(?:e|ing)s?|borders?|shadows?|underlines?|overflow\w*|scroll\w*|margins?|"
    r"padding|colou?rs?|fonts?|align\w*|centered|pixels?|px|bold|rounded corners?|hover\w*|icons?|"
    r"(?:on|at|to) the (?:left|right|top|bottom)|bigger|smaller|animat\w+|buttons?|spinners?|"
    r"popups?|heights?|widths?|containers?|logos?)\b",
    re.I,
)
#: What the user says of themselves, of the part the agent has, and of the stage of the project.
_ABOUT: Final = tuple(
    re.compile(form, re.I)
    for form in (
        r"\bI(?:'m| am) (?:an? |the )?(?:[\w/-]+ ){0,4}(?:researcher|scientist|designer|analyst|"
        r"student|teacher|doctor|lawyer|founder|manager|writer|journalist|accountant|statistician|"
        r"mathematician|physicist|biologist|economist|(?:back-?end|front-?end|full-?stack|embedded|"
        r"data|ml|devops|mobile|ios|android|python|java|c\+\+|web|hardware|mechanical|electrical|"
        r"game) (?:developer|engineer|guy|person|programmer))\b",
        r"\bmy (?:day job|background|profession|(?:main|own|first) (?:job|language|expertise|"
        r"field))\b.{0,40}\b(?:is|are)\b",
        r"\bI(?:'m| am)(?: a bit| a little| quite| pretty| very| rather)? rusty\b",
        r"\bI (?:come from|have) an? .{3,40} background\b",
        r"\bI haven'?t (?:been|done|used|touched|written|worked|programmed)\b.{3,60}\b(?:in (?:an? "
        r"(?:very )?long (?:time|while)|years|ages|forever|decades)|for (?:years|ages|decades|a "
        r"long time))\b",
        r"\bI(?:'m| am) (?:not an?|no) (?:expert|specialist|native speaker)\b",
        r"\bI(?:'m| am) (?:on|running|using|working on|developing on) (?:an? |my )?(?:\w+ )?"
        r"(?:windows|mac ?(?:os|book)?|linux|ubuntu|debian|fedora|arch|wsl2?|powershell|nixos|"
        r"raspberry|apple silicon|m[1-5]|arm64)\b",
        r"\bmy (?:machine|laptop|computer|pc|gpu|board|phone|router|nas|vps|cluster) (?:only )?"
        r"(?:has|runs|uses|supports|is an?)\b",
        r"\bfirst time (?:I'm |I am |that I(?:'m| am) )?(?:using|doing|working with|writing|"
        r"coding)\b",
        r"\bI(?:'ve| have) never (?:used|worked with|written|programmed|coded|deployed|built|"
        r"done)\b",
        r"\b(?:repo(?:sitory)?|project|package|code ?base) is (?:public|private|open[- ]?source|"
        r"closed[- ]?source|internal|proprietary)\b",
        r"\b(?:our|my|the target) (?:users|customers|audience|clients|readers|players|students|"
        r"patients) (?:are|is) (?:mostly |mainly |usually |all )?(?!not\b|now\b|still\b|shown\b|"
        r"able\b|being\b|getting\b|complaining\b)\w",
        r"\byou(?:'re| are) the (?:expert|engineer|developer|programmer|professional)\b",
        r"\b(?:we|the (?:app|project|product|company))(?:'re| are|'s| is) (?:still |only |just )*"
        r"(?:in|at) (?:the |an? )?(?:prototype|prototyping|alpha|beta|mvp|early|experimental|"
        r"research|pre-?launch|pilot|proof[- ]of[- ]concept)(?: \w+)? (?:phase|stage)\b",
        r"\b(?:it|this|ours)(?:'s| is) (?:only |just |still )?an? (?:prototype|mvp|proof[- ]of["
        r"- ]concept|(?:hobby|side|toy|throwaway|research(?:[- ](?:focus\w+|oriented))?|demo|"
        r"internal|take-?home|learning|school|university|production|student|solo|one-man)(?: "
        r"[\w-]+)? (?:project|assignment|code ?base|app|tool|system|site|product))\b",
    )
)
#: Words that make what stands beside them a rule, or a duty that does not end.
_EXPLICIT: Final = re.compile(
    r"\b(?:make|consider|treat) (?:this|that|it) (?:as )?(?:an? |our |the )?(?:\w+ )?(?:rule|habit|"
    r"convention|standard|norm|policy|guideline)\b|"
    r"\bkeep (?:it|them|[\w./`-]{2,40}|the [\w ./-]{2,30}) (?:always )?(?:up[- ]to[- ]date|"
    r"in sync|updated)\b(?! (?:for|until)\b)|"
    r"\b(?:remember|memori[sz]e|note) (?:this|that|it) (?:for (?:the future|next time|all|later|"
    r"every)|from now)\b|"
    r"\b(?:commit|push|merg|deploy|mark|clos|delet|releas|publish|mov(?:e|ing) on)\w*\b.{0,60}\b"
    r"(?:after|before|until|unless|once) I(?:'ve| have)? (?:approv|confirm|test|tri|verif|review|"
    r"check|say|said|agree|tell|told|ask)\w*\b|"
    r"\b(?:is|are)(?:n'?t| not)? (?:only |never )?(?:done|finished|complete|closed|accepted)\b"
    r".{0,40}\b(?:until|unless|when|once|after) I\b|"
    r"\b(?:update|write|log|document|save|record|note|keep|add)\b.{3,100}\b(?:across|cross|other|"
    r"future|new|next|later) (?:chats?|sessions?|agents?|conversations?)\b|"
    r"\b(?:our|the|a|another|new|first|second|one) (?:ground |general |golden |house )?rule (?:is|"
    r"here is|for (?:our|all|every|this project))\b",
    re.I,
)
#: A gate that is no word of the moment, nor are sessions to come.
_UNTIL_I: Final = re.compile(r"\buntil I\b|\blater (?:chats?|sessions?)\b", re.I)
#: The subject of a sentence that only stands for something said before.
_POINTER: Final = re.compile(r"^(?:it|this|that|these|those|they|he|she|both)\b", re.I)
#: A polite order that something is always so.
_REQUESTED: Final = re.compile(
    r"^(?:can|could|would) (?:you|we) (?:please )?(?:make (?:it|sure)|ensure)(?: so)?(?: that)? "
    r"[^?]{2,60}\b(?:always|never|only)\b",
    re.I,
)
_LETTER: Final = re.compile(r"^\(?[a-dA-D\d][.)] ")
_QUOTING: Final = ('"', "\u201c")
#: Subjects of a question.
_ASKED: Final = re.compile(r"\?\s*$|^(?:why|what|how|where|which|who|is|are|does|do|did)\b", re.I)


def states_fact(sentence: str) -> bool:
    """Whether a sentence names the right means, or tells what a system outside does."""
    said = sentence.strip()
    return not _is_of_the_moment(said) and any(form.search(said) for form in _CORRECT)


def is_product_rule(sentence: str) -> bool:
    """Whether a sentence says what must hold of the product, whatever is done next."""
    said = _LETTER.sub("", sentence.strip())
    if _OF_THE_LAYOUT.search(said):
        return False
    if _REQUESTED.match(said):
        return not _FOR_NOW.search(said)
    if _is_of_the_moment(said) or _POINTER.match(said):
        return False
    return any(form.search(said) for form in _INVARIANT)


def _is_of_the_moment(said: str) -> bool:
    """Whether a sentence asks, guesses, is a part of a quotation or holds for now."""
    if said.count('"') % 2 or said.startswith(_QUOTING):
        return True
    return any(form.search(said) for form in (_ASKED, _FOR_NOW, _GUESSED))


def tells_of_the_user(sentence: str) -> bool:
    """Whether users say in a sentence what they know, what part the agent has, or what stage the
    project is in."""
    said = sentence.strip()
    return not _ASKED.search(said) and any(form.search(said) for form in _ABOUT)


def lays_down(sentence: str) -> bool:
    """Whether a sentence says of itself that it is a rule, or has something kept up to date."""
    said = _UNTIL_I.sub("", sentence)
    return _EXPLICIT.search(sentence) is not None and not _FOR_NOW.search(said)
