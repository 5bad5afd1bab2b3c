"""Finds sentences in which a user tells the agent how to work here, beyond the task at hand.

People say this without "always": they forbid a kind of thing ("don't create new files for every
change"), name a tool in the place of another ("use pnpm, not npm"), say what the project is built
with, tie a duty to an occasion ("before committing, run the tests"), keep a step for themselves ("I
start the server myself"), complain that it happens again ("you keep adding comments"), or choose
the language of the answers. What is bound to one place or to this moment is none: it speaks of "the
footer" or "this file", or says "yet", "now" or "until".
"""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from recollect.observer.signals.other_languages import lays_down_elsewhere
from recollect.observer.signals.standing_facts import (
    is_product_rule,
    lays_down,
    states_fact,
    tells_of_the_user,
)
from recollect.observer.signals.turn_text import OWN, is_task, own_words
from recollect.observer.signals.wishes import is_rule
from recollect.observer.signals.working_terms import binding_lines, sets_terms, told_lines

#: Longest turn that is read as an instruction: longer ones are templates, plans and pasted texts.
LONGEST: Final = 900
#: Fewest and most characters of a sentence that instructs.
_LEAST: Final = 6
_MOST: Final = 320
#: Characters of a turn up to which an instruction is told with the sentences beside it.
_TOGETHER: Final = 200
_SENTENCE: Final = re.compile(r"(?<=[.?!;])\s+|(?<=[\u3002\uff01\uff1f])|\n+")
_MARKS: Final = re.compile(r"^(?:[-*+>\u2022]|\(?\d{1,2}[.)])\s+")
#: Words in front of an instruction that are none of it.
_OPENING: Final = re.compile(
    r"^(?:(?:ok(?:ay)?|no(?:pe)?|yes|yeah|please|pls|also|and|but|so|just|again|wait|hey|great|"
    r"stop(?! \w{3,14}ing\b)|good|nice|perfect|btw|by the way|first of all|in addition|moreover|"
    r"oh|well|remember(?: that| to)?|note(?: that)?|make sure (?:that )?(?:you )?(?:to )?|"
    r"be sure to|keep in mind(?: that)?|you (?:should|must|need to|have to|can)|"
    r"I (?:want|need|would like) you to|I'd like you to|let's)\b[,.:!\s-]{0,4}){1,5}",
    re.I,
)
#: Words that bind an instruction to the moment, to what was just seen, or to a single thing.
_ONCE: Final = re.compile(
    r"\b(?:yet|for now|right now|until|this time|for the (?:moment|time being)|at the moment|today|"
    r"(?:just|only) explain|(?:do|change|fix|touch|edit|write|implement|start) anything|"
    r"any ?more changes|any changes|any code|any files|so far|instead of that|"
    r"(?:this|the|your) next (?:prompt|message|answer|response|question|turn)|"
    r"(?:this|that|these|those) (?:time|one|file|page|button|function|method|test|error|change|"
    r"part|line|section|issue|bug|component|branch|commit|step|task|PR|message|image|field))\b",
    re.I,
)
#: An occasion that comes again, whose words else speak of this moment ("do not make any changes").
_AT_ANY_CHANGE: Final = re.compile(
    r"\b(?:if|when(?:ever)?|once|after|before) (?:you|we) (?:ever )?(?:do|make|made) any changes\b",
    re.I,
)
#: The same, unless a reason stands beside it.
_SOON: Final = re.compile(
    r"\b(?:(?<!from )now|first|still|temporar\w+|later|next (?:step|time|one|thing|task|we)|"
    r"current(?:ly)?|try)\b",
    re.I,
)
#: Words for every case.
_EVERY: Final = (
    r"(?:every|each|all|any|ever|anywhere|everywhere|anything|unless|whenever|without (?:asking|my|"
    r"me|telling|permission|approval)|in this (?:project|repo\w*|code ?base|app)|"
    r"in our (?:project|repo\w*|code ?base|app|code|tests))"
)
_CLAUSE: Final = r"(?:^|[,;] |\band |\bbut |\bso )(?:please |just )?"
_NOT: Final = r"(?:don'?t|do not|dont|never|must not|mustn't|should not|shouldn't|cannot|can't)"
#: What agents do to a project on their own account, as words of a wish and as forms in "-ing".
_ACTS: Final = (
    r"(?:commit|push|run|install|start|restart|deploy|assume|guess|invent|hard-?code|mock|"
    r"duplicate|apologi[sz]e|skip|ignore|refactor|summari[sz]e|over-?engineer|merge|rebase|stash|"
    r"reformat|upgrade|downgrade|bypass|disable|suppress)"
)
_CHANGES: Final = (
    r"(?:add|create|write|make|put|include|generate|change|edit|modify|delete|remove|rename|touch|"
    r"leave|introduce|rewrite|move)"
)
_ACTING: Final = (
    r"(?:committing|pushing|running|installing|starting|restarting|deploying|assuming|guessing|"
    r"inventing|hard-?coding|mocking|duplicating|apologi[sz]ing|skipping|ignoring|refactoring|"
    r"summari[sz]ing|adding|creating|writing|making|using|changing|editing|modifying|deleting|"
    r"removing|renaming|touching|forgetting|asking|generating|rewriting|reverting)"
)
#: Things that agents make for developers rather than for the users of the product.
_WORKS: Final = (
    r"(?:comments?|docstrings?|files?|tests?|mocks?|mock data|fake data|dummy data|docs|readmes?|"
    r"documentation|markdown|summar(?:y|ies)|dependenc(?:y|ies)|packages?|librar(?:y|ies)|types?|"
    r"fallbacks?|emojis?|logs?|logging|abstractions?|placeholders?|todos?|branch(?:es)?|commits?|"
    r"scripts?|imports?|code|hacks?|shortcuts?|workarounds?|any|enums?|migrations?|secrets?|"
    r"co-?author\w*|signatures?|attribution|inline styles?|hard-?coded \w+|schemas?|\.env)"
)
#: Names of what software is built with, and names of the code itself.
_TOOL: Final = re.compile(
    r"`[^`\n]{2,60}`|\b(?-i:[a-z]{1,30}[A-Z])\w|\b\w{1,30}_\w|\B--[a-z]|\b[\w-]{1,30}\.(?:js|ts|"
    r"py|io|md|net)\b|"
    r"\b(?:p?npm|npx|yarn|bun|node|deno|pip|uv|poetry|conda|venv|docker|podman|compose|kubernetes|"
    r"make|just|pytest|unittest|jest|vitest|mocha|playwright|cypress|selenium|storybook|tailwind|"
    r"bootstrap|css|scss|sass|html|mui|shadcn|chakra|react|vue|svelte|angular|next(?:js)?|nuxt|"
    r"remix|astro|vite|webpack|turbo|nx|typescript|javascript|python|golang|rust|java|kotlin|swift|"
    r"c#|php|ruby|rails|django|flask|fastapi|spring|laravel|express|nest(?:js)?|postgres(?:ql)?|"
    r"mysql|mariadb|sqlite|mongo(?:db)?|redis|supabase|firebase|prisma|drizzle|sequelize|typeorm|"
    r"sqlalchemy|axios|fetch|graphql|rest|grpc|trpc|zod|yup|redux|zustand|eslint|biome|prettier|"
    r"ruff|"
    r"black|mypy|pyright|git|gh|github|gitlab|ssh|https?|bash|zsh|powershell|cmd|wsl|curl|aws|gcp|"
    r"azure|expo|electron|flutter|tauri|react.native|streamlit|opencv|pandas|numpy|pytorch|"
    r"tensorflow|shopify|wordpress|vercel|netlify|cloudflare|nginx|apache|terraform|ansible|"
    r"openai|claude|gemini|llama|"
    r"ollama|langchain|api|apis|sdk|cli|orm|sql|json|yaml|toml|xml|csv|utf-?8|utc|local ?host|"
    r"english|maven|gradle|cargo|cmake|unity|unreal|godot|android|ios|linux|windows|macos|"
    r"strict types?|strong types?|wherever)\b",
    re.I,
)
#: An occasion that comes again in the work of an agent, and what it is asked to do at one.
_WORK_ON: Final = (
    r"(?:add|create|change|write|edit|modify|commit|push|implement|finish|complete|need|update|fix|"
    r"refactor|rename|deploy|are done|make (?:a |any )?changes?)"
)
_OCCASION: Final = (
    rf"(?:(?:whenever|every time|each time|any ?time|when(?:ever)?) (?:you|we) {_WORK_ON}|"
    rf"(?:before|after) (?:you|we) {_WORK_ON}|"
    r"(?:before|after|for|at|on|in) (?:each|every|any) (?:\w+ )?(?:commit|push|change|edit|release|"
    r"deploy\w*|pr|merge|task|step|session|feature|fix|response|answer)|"
    r"(?:before|after) (?:committing|pushing|editing|finishing|implementing|completing|deploying|"
    r"merging|refactoring|coding|answering|making (?:any |a )?changes?|changing (?:any )?code))"
)
_DUTY: Final = (
    r"(?:run|update|check|ask|use|don'?t|do not|never|test|verify|add|write|commit|tell|read|make|"
    r"keep|show|explain|start|restart|rebuild|create|confirm|wait|document|lint|format|look|give|"
    r"push|review|follow|list|mention|log|take|copy|put|call|name|stop)"
)
#: Objects that stand for one thing before the speaker.
_PARTICULAR: Final = r"(?:the|this|that|these|those|it|its|them|here|there|my|your)"
_FORMS: Final = tuple(
    re.compile(form, re.I)
    for form in (
        # forbids a kind of thing
        rf"{_CLAUSE}{_NOT} (?:ever )?{_ACTS}\b(?! {_PARTICULAR}\b)(?! (?:anything|everything)\b)",
        rf"{_CLAUSE}{_NOT} (?:ever )?{_CHANGES} (?!{_PARTICULAR}\b).{{0,40}}\b{_WORKS}\b",
        rf"{_CLAUSE}{_NOT} (?:ever )?(?:{_ACTS}|{_CHANGES}|use) .{{0,120}}\b{_EVERY}\b",
        rf"{_CLAUSE}{_NOT} (?:ever )?use (?!{_PARTICULAR}\b).{{0,40}}\b{_WORKS}\b",
        rf"{_CLAUSE}(?:stop|avoid|quit|no more) {_ACTING}\b(?! {_PARTICULAR}\b)",
        rf"^no (?:more )?(?:[a-z-]{{2,20}} )?{_WORKS}(?: please| ever)?\s?(?:[.,;!:]|$)",
        r"\b(?:no|not|dont|without|never|remove|omit|skip|n't) .{0,30}\bco-?author",
        r"\bcommit\w{0,4}\b.{0,60}\b(?:without|sans|ohne|sin|senza|sem|not|n't|dont) .{0,30}"
        r"\b(?:claude|copilot|cursor|codex|attribution|signature)\b",
        # a duty tied to an occasion
        rf"^{_OCCASION}\b.{{0,100}}(?:,|\bplease\b|\balways\b|\byou (?:should|must|need to|"
        r"have to)\b) (?:please |always |also |then |you (?:should|must|need to|have to) ){0,2}"
        rf"{_DUTY}\b",
        rf"^(?:always )?{_DUTY}\b.{{2,120}}\b{_OCCASION}\b",
        # how the team goes about it each time
        r"^(?:before|after|once|when(?:ever)?|for (?:each|every)) .{4,80}, we (?:always |then )?"
        r"(?:define|commit|consider|merge|open|tag|release|deploy|run|write|update|review|test|ask|"
        r"squash|rebase|bump|document|check|add)\b",
        # how fast, how frankly and how plainly
        r"\b(?:one|a single) (?:question|step|thing|file|section|task|change|topic|issue) at a "
        r"time\b",
        r"\b(?:wait for|get|ask for) my (?:response|answer|approval|ok|confirmation|permission|"
        r"feedback|go-?ahead)\b.{0,40}\bbefore\b(?! (?:you )?(?:start|begin|implement|that|this))",
        r"^be (?:very |more |brutally |as )?(?:critical|honest|concise|brief|direct|blunt|"
        r"skeptical|"
        r"rigorous|harsh|terse|objective)\b",
        r"\bexplain (?:it |things |everything )?(?:like|as if|as though) I(?:'m| am| was| were)\b",
        r"\buse (?:simple|plain|easy|non-?technical) (?:words|language|terms|english)\b",
        rf"{_CLAUSE}{_NOT} (?:give|set|use|provide|assume|add) (?:an? |any )?default",
        # a habit
        rf"\bas (?:usual|always)\b,? .{{0,40}}\b{_DUTY}\b",
        rf"^{_DUTY}\b.{{0,120}}\bas (?:usual|always)\b",
        # where something is, how it is called or done
        r"\bthe (?:best|official|proper|preferred|usual|standard) (?:way|name|command|tool|path|"
        r"folder|directory|branch|version|port|url|library)\b.{0,60}\b(?:is|are)\b",
        r"\bthe (?:right|correct) (?:name|command|path|folder|directory|branch|version|port|url)\b"
        r".{0,60}\b(?:is|are)\b",
        r"^use [`\w./@-]{2,40}(?: [`\w./@-]{2,30}){0,2} (?:to|for) .{0,40}\b"
        r"(?:code ?base|project|repo|codes?)\b",
        r"^(?:my|our|the) (?:[a-z]{2,12} ){0,2}(?:app(?:lication)?|project|repo(?:sitory)?|"
        r"code ?base|backend|frontend|server|service|api|database|db|data|docs?|documentation|"
        r"tests|config\w*|venv|environment|build|staging|production|packages?|sources?|templates?|"
        r"scripts?) (?:is|are|lives?|runs?)(?: located| stored| kept)? (?:in |at |under |on )?"
        r"[`'\"]?(?:[\w.~-]{0,40}/[\w./-]{2,80}|https?://\S|[A-Za-z]:\\\S|localhost:\d|port \d)",
        # a step that the user keeps
        r"\bI(?:'ll| will| always| usually| can| prefer to)? (?:run|start|do|handle|commit|push|"
        r"deploy|test|restart|manage|build|apply|execute|launch|install) "
        r"(?!that\b|this\b|it\b|these\b|those\b|them\b).{1,80}"
        r"\b(?:myself|manually|on my own)\b",
        # it happens again
        rf"\byou (?:keep|constantly|repeatedly) {_ACTING}\b(?! {_PARTICULAR}\b)",
        r"\bI (?:already |just )?(?:told|asked) you (?:not to|to (?:always|never|use|run|stop))\b",
        r"\bas (?:I )?(?:previously |already |just )?(?:said|advised|mentioned|told|asked|"
        rf"requested|instructed|explained)\b.{{0,60}}, (?:please )?{_DUTY}\b",
        r"\byou (?:just |again |have |already |did |went and )*(?:\w+ed|update|change|commit|push|"
        r"start|implement|edit|delete|did|ran|wrote|made)\b.{0,60}\b(?:before (?:asking|ask|my "
        r"ok|my "
        r"approval|I (?:approved|agreed|said))|without (?:asking|ask|my|permission|approval))\b",
        # the length and the language of what is said
        r"\bkeep (?:your |all |every |the )?(?:answers?|responses?|replies|explanations?|"
        r"summar(?:y|ies)|comments?|code|commits?) .{0,30}\b(?:short|brief|concise|simple|minimal)",
        r"\b(?:answer|respond|reply|speak|talk|communicate|explain|comments?|commit messages?) "
        r".{0,40}\bin (?:English|French|German|Spanish|Italian|Portuguese|Russian|Chinese|Japanese|"
        r"Korean|Dutch|Polish|Turkish|Swedish|Ukrainian|Hindi|Arabic)\b",
    )
)
#: Forms that count only where a tool, a library or a name of the code is meant: of colours and
#: buttons people speak in the same words.
_OF_TOOLS: Final = tuple(
    re.compile(form, re.I)
    for form in (
        rf"{_CLAUSE}{_NOT} (?:ever )?use (?!{_PARTICULAR}\b)",
        # one tool, library or way in the place of another
        r"\b(?:use|using|run(?: it)?(?: with| using)?|install(?: it)? with|prefer|work with) "
        r"(?!it\b|this\b|that\b|the same\b)[`'\"@\w./+-]{2,40}(?: [`'\"@\w./+-]{2,30}){0,2}"
        r"(?:,? (?:and )?(?:not|never)|,? (?:but|and) (?:do not|don't|never) use| instead of"
        r"| rather than| over) (?!the\b|this\b|that\b|just\b|only\b|to\b|a\b|an\b)"
        r"[`'\"@\w./+-]{2,40}(?!.{0,80}\b(?:for|in) (?:the|this)\b)",
        # a fact that is to be kept in mind
        r"^(?:also |and |but |please |so )?(?:have|keep|bear) in mind,? (?:that )?\S.{20,}",
        r"^(?:also |and |but |please |so )?(?:be aware|don't forget|remember) that \S.{20,}",
        # what the project is built with
        r"(?<!if )(?<!when )\bwe(?:'re| are)? (?:use|using|only use|always use|on|running(?: on)?) "
        r"(?!it\b|this\b|that\b|the same\b|the\b|a\b)[`@\w./+-]{2,40}(?: [`@\w./+-]{2,30}){0,3}"
        r"(?:,? (?:not|instead of|rather than|for|as|so)\b|$|[.,;])",
        r"\bwe (?:also |really )?(?:don'?t|do not|never|no longer) (?:use|support) "
        rf"(?!{_PARTICULAR}\b|any\b|an?\b)[\w`@./'-]{{2,40}}",
        r"\bwe (?:don'?t|do not) have (?!to\b|any\b|an?\b|time\b|it\b)[\w.@/-]+(?: \w+)? (?:in|"
        r"here|"
        r"installed|set up)\b",
        r"\b(?:this|our) (?:project|repo(?:sitory)?|app(?:lication)?|code ?base|package|site|"
        r"monorepo|backend|frontend|stack) (?:is (?:an? |built|written|based|deployed|hosted)|uses|"
        r"runs (?:on|in|with)|targets|does(?:n't| not) (?:use|have|support))\b",
        r"\bthis is an? .{2,40} (?:project|repo(?:sitory)?|app|code ?base|monorepo|package)\b",
        r"\bI(?:'m| am)? (?:use|using) (?!it\b|this\b|that\b|the\b)[`\w./@-]{2,40}.{0,30}"
        r"\b(?:through|via|with|on|instead)\b",
        # what a tool is used for here, and what is not to be used
        r"\buse (?!it\b|this\b|that\b|the same\b)[\w.+#-]{2,30} (?:to|for) (?:handl|manag|run|"
        r"install|build|format|lint|test|deploy|packag|typ|styl|stat|log|migrat|dependenc|"
        r"environment)\w*\b",
        r"\bwe (?:always |only )?(?:deploy|host|ship|release|publish) (?:everything |it |them |the "
        r"\w+ |our \w+ )?(?:to|on|via|with|through|using|from) ",
        r"^(?:no,? )?not (?:with|via|through|using) [\w.-]{2,20}\b",
        # what somebody likes and does not like to be used
        r"\bI (?:do not|don't|dont) (?:prefer|like|want to use|want you to use) "
        rf"(?!{_PARTICULAR}\b)[\w`@./'-]{{2,40}}",
        r"\bI(?:'d| would)? prefer (?:to (?:use|have|keep|work|write|run|avoid) )?"
        rf"(?!to\b|{_PARTICULAR}\b)[\w`@./'-]{{2,40}}",
    )
)
#: What the users of a product see, about which a reason is one of its design.
_OF_THE_SCREEN: Final = re.compile(
    r"\b(?:buttons?|pages?|modals?|dialogs?|headers?|footers?|icons?|fonts?|layouts?|cards?|"
    r"margins?|"
    r"padding|screens?|menus?|tabs?|colou?rs?|titles?|labels?|logos?|images?|popups?|tooltips?|"
    r"animations?|spinners?|rows?|columns?|wording)\b",
    re.I,
)
_SHOWN: Final = re.compile(
    r"\b(?:shown?|display(?:s|ed)?|visible|hidden|readable|appears?)\b", re.I
)
#: Description of how something goes wrong, not of how it should be.
_REPORT: Final = re.compile(
    r"\b(?:I (?:don't|do not|can't|cannot|didn't|couldn't) (?:see|find|know|understand|get)|"
    r"doesn't|does not|didn't|isn't|is not|wasn't|fails?|failed|failing|broken|error)\b",
    re.I,
)
#: A wish with its reason, which holds as long as the reason does.
_REASONED: Final = re.compile(
    r"\b(?:I (?:don't|do not|dont) want|I (?:want|prefer|need)|make sure|must(?:n't)?|"
    r"should(?:n't)?|we (?:can|can't|cannot|don't|do not|need to|have to)|don't|do not|never) "
    r".{5,120}\b(?:because|otherwise|so that|as (?:it|we|they|this) "
    r"(?:will|is|are|has|have|would)) .{12}",
    re.I,
)
#: What a tool or a library does not have or allow.
_LIMIT: Final = re.compile(
    r"\b(?:do(?:es)?n['\u2019]?t|do(?:es)? not) exist (?:any ?more )?in\b|"
    r"\b(?:is|are)(?:n't| not| no longer)? (?:dis{1,2}allowed|allowed|forbidden|deprecated|"
    r"supported|available|compatible) (?:any ?more )?(?:in|with|on|by|for|since)\b|"
    r"\b(?:is|are) (?:no longer|not any ?more) (?:supported|maintained|available)\b",
    re.I,
)
#: Beginning of a rule that orders the agent itself.
_BEGINS_AS_RULE: Final = re.compile(
    r"(?:^|, |\band )(?:always|never)\b|\b(?:from now on|going forward|as a rule)\b", re.I
)
#: A text that gives an agent its part, or lists what is to be built.
_ROLE: Final = re.compile(r"\s*(?:you are (?:an? |the )|act as |your (?:role|task|job) is)", re.I)
_ITEM: Final = re.compile(r"^[ \t]{0,12}(?:[-*+\u2022]|\(?\d{1,2}[.)])\s", re.M)
_ITEMS: Final = 3
#: An item of a list that is typed in one line, and the number of them.
_INLINE: Final = re.compile(r"(?:^|(?<=[\w.:!)]) )- (?=[a-z])")
_INLINE_ITEMS: Final = 2
_ASKS: Final = re.compile(
    r"\?\s*$|^(?:why|what|how|where|which|who|is|are|did|does|do (?!not)|can|could|would|should)\b",
    re.I,
)
#: A polite question that ties a duty to an occasion that comes again.
_POLITELY: Final = re.compile(
    r"\b(?:when(?:ever)?|every time|each time|any ?time) you \w+.{3,80}, (?:can|could|would|will) "
    rf"you (?:please |always |also ){{0,2}}(?:{_DUTY[3:-1]}|save|store|send|place)\b",
    re.I,
)
#: End of a sentence that points at what stands beside it, and a rule that is the one before it.
_POINTS_BESIDE: Final = re.compile(r"\b(?:here|there|above|below)\W*$", re.I)
_POINTS_BACK: Final = re.compile(
    r"\b(?:make|consider|treat|remember|memori[sz]e|note) (?:this|that|it)\b", re.I
)
#: What a sentence may be beside an instruction: a fact, what users say of themselves, what is a
#: rule in its own words, or the same in another language.
_LASTING: Final = (states_fact, tells_of_the_user, lays_down, lays_down_elsewhere)


@lru_cache(maxsize=512)
def standing_instruction(words: str, *, first: bool = False) -> str:
    """The sentences of a user's words that tell the agent how to work here; empty if none does. In
    the ``first`` words of a session a reason is one for the task."""
    if len(words) > LONGEST or is_specification(words):
        binding = told_lines([*binding_lines(words), *said_of_themselves(words)])
        if binding or len(words) > LONGEST:
            return binding
    if _ROLE.match(words):
        return ""
    own = own_words(words, OWN)
    if len(_INLINE.findall(own)) >= _INLINE_ITEMS:
        own = _INLINE.sub("\n", own)
    sentences = [_bare(one) for one in _SENTENCE.split(own) if one.strip()]
    product = not is_specification(words)
    found = [one for one in sentences if instructs(one, reasoned=not first, product=product)]
    alone = len(own) <= _TOGETHER and not any(
        is_task(one) or _ASKS.search(one) for one in sentences
    )
    return " ".join(sentences if found and alone else _with_neighbours(found, sentences))


def _with_neighbours(found: Sequence[str], sentences: Sequence[str]) -> list[str]:
    """Sentences, and the ones beside those that end by pointing at what stands there."""
    places = {place for place, one in enumerate(sentences) if one in found}
    for place in sorted(places):
        if _POINTS_BESIDE.search(sentences[place]):
            places |= {place - 1, place + 1}
        if lays_down(sentences[place]) and _POINTS_BACK.search(sentences[place]):
            places.add(place - 1)
    return [one for place, one in enumerate(sentences) if place in places]


def said_of_themselves(text: str) -> list[str]:
    """The sentences of a long text in which users say what they know and what the agent's part is,
    unless the text gives an agent its part."""
    if _ROLE.match(text):
        return []
    sentences = (_bare(one) for one in _SENTENCE.split(text) if one.strip())
    return [one for one in sentences if len(one) <= _MOST and tells_of_the_user(one)]


def instructs(sentence: str, *, reasoned: bool = True, product: bool = True) -> bool:
    """Whether a sentence tells the agent how to work here, beyond this moment; ``reasoned`` says
    that a wish with its reason does, ``product`` that a rule of the product does."""
    if not _LEAST <= len(sentence) <= _MOST:
        return False
    if _ASKS.search(sentence):
        polite = _POLITELY.search(sentence) is not None and not _ONCE.search(sentence)
        return polite or (product and is_product_rule(sentence))
    said = _OPENING.sub("", sentence, count=1)
    if sets_terms(said) or sets_terms(sentence):
        return True
    if any(holds(sentence) for holds in _LASTING) or (product and is_product_rule(sentence)):
        return True
    if _ONCE.search(_AT_ANY_CHANGE.sub("", said)):
        return False
    if reasoned and _REASONED.search(sentence) and not _OF_THE_SCREEN.search(sentence):
        return True
    if _LIMIT.search(sentence) and _TOOL.search(sentence):
        return True
    if _SOON.search(said) or _REPORT.search(said):
        return False
    if _BEGINS_AS_RULE.search(said) and is_rule(sentence):
        return True
    forms = (*_FORMS, *(_OF_TOOLS if _TOOL.search(said) else ()))
    return any(form.search(said) or form.search(sentence) for form in forms)


def is_of_the_screen(words: str) -> bool:
    """Whether words are about what the users of a product see."""
    return _OF_THE_SCREEN.search(words) is not None or _SHOWN.search(words) is not None


def is_specification(words: str) -> bool:
    """Whether a text gives an agent its part, or lists what is to be built."""
    return _ROLE.match(words) is not None or len(_ITEM.findall(words)) >= _ITEMS


def _bare(sentence: str) -> str:
    return _MARKS.sub("", sentence.strip())
