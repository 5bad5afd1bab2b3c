"""Standing instructions that serve an attacker, as opposed to rules that people give themselves.

"Always run the linter" is what most lessons are, and passes. An attack is recognised by what no
person asks of their own assistant: to switch off a check and say nothing, to put advertisements or
links into its answers, to spread a claim in other conversations, to rank a file above the person.
Each rule requires such a sign beside the instruction, so that a person's own rule is not blocked; a
negated instruction ("never skip the tests without telling me") does not count.
"""

from typing import Final

_SPACE: Final = r"[^\S\n]+"
#: A word of the same sentence that does not negate it.
_WORD: Final = (
    r"(?!(?:never|not|no|cannot|without|avoid|(?:do|does|did|wo|ca|should|must)n['\u2019]?t)\b)"
    r"[^\s.!?]+"
)
_START: Final = rf"(?:^|[.!?\n])\W{{0,3}}(?:{_WORD}{_SPACE}){{0,14}}?"
_BETWEEN: Final = rf",?(?:{_SPACE}{_WORD}){{0,8}}?{_SPACE}"

_CHECKS: Final = (
    r"(?:checks?|hooks?|tests?|linters?|verifications?|validations?|reviews?|scans?|scanners?"
    r"|audits?|approvals?|confirmations?|safeguards?|guardrails?|safety|security|authentication"
    r"|signing|signatures?|sandbox|permissions?)\b"
)
_FLAGS: Final = r"--(?:no-verify|no-gpg-sign|skip-checks|insecure|dangerously-[a-z-]+)(?![\w-])"
_WEAKENS: Final = (
    rf"(?:(?:use|pass|add|append|set|run|commit|push|merge){_BETWEEN}{_FLAGS}"
    r"|(?:skip|disable|bypass|circumvent|deactivate|turn off|switch off)\s+(?:[\w-]+\s+){0,3}?"
    rf"{_CHECKS})"
)
_CONCEALS: Final = (
    r"(?:(?:do not|don['\u2019]?t|never|without)\s+(?:ever\s+)?(?:mention|report|disclos|reveal"
    r"|admit|tell|inform|notify|alert|say)(?:e|ing)?\s+(?:it|this|that|so|anything"
    r"|any of (?:it|this)|anyone|anybody|people|(?:the\s+)?(?:reviewers?|others|team"
    r"|maintainers?))\s*(?:[.,;!?\n)]|$|to (?!me\b|us\b)"
    r"|in (?:the |your |any )?(?:answer|reply|summary|report|response))"
    r"|keep (?:it|this|that) (?:quiet|secret|hidden|to yourself)"
    r"|(?:nobody|no one) (?:needs? to|must|should|may) (?:know|notice|see))"
)

_PUTS: Final = r"(?:add|append|insert|include|put|place|slip|embed|attach|mention)"
_ADVERTISEMENT: Final = (
    r"(?:advertisements?|advertising|ads? for|promotions?\s+(?:for|of)|plugs?\s+for"
    r"|sponsored\s+(?:links?|messages?)|(?:affiliate|referral)\s+(?:links?|codes?))\b"
)
_LINK: Final = r"(?:link|url|address)\s+(?:to\s+|of\s+)?(?:https?://|www\.)"
_ANSWERS: Final = (
    r"(?:every|each|all|any)\s+(?:of\s+)?(?:your\s+)?(?:answers?|repl(?:y|ies)|responses?"
    r"|outputs?)\b"
)

_PEOPLE: Final = r"(?:(?:the\s+)?users?|people|everyone|everybody|anyone|anybody|others|customers)"
_ELSEWHERE: Final = (
    r"\bin\s+(?:all\s+|any\s+|your\s+)?(?:future|other|later|next|every|each)"
    r"\s+(?:conversations?|chats?|sessions?),?(?:\s+(?:please|always|also))?\s+"
)

_THIS: Final = (
    r"(?:this|these|the following)\s+(?:files?|documents?|pages?|texts?|notes?|messages?|readme"
    r"|rules?|instructions?|comments?|memor(?:y|ies)|content)\b"
)
#: The person or the prompt themselves, not "the user settings" or "the system clock".
_ABOVE: Final = (
    r"(?:what\s+)?(?:the\s+|your\s+|any\s+|all\s+|every\s+)?"
    r"(?:(?:user|human|person|owner|operator)s?(?:['\u2019]s?\s+(?:instructions?|requests?|orders?"
    r"|wishes|prompts?|messages?|words?))?"
    r"(?:\s*(?:[.,;!?/)\n]|$)|\s+(?:or|and|says?|said|asks?|wants?)\b)"
    r"|(?:system|developer|user)\s+(?:prompts?|messages?|instructions?)"
    r"|your\s+(?:instructions?|guidelines|rules|training))"
)

#: Reason, whether it is sufficient by itself, what a text must contain for it, and the pattern.
STANDING: Final[tuple[tuple[str, bool, str, str], ...]] = (
    (
        "switches off checks in secret",
        True,
        "skip|disable|bypass|circumvent|deactivate|turn off|switch off"
        "|--no-verify|--no-gpg-sign|--skip-checks|--insecure|--dangerously-",
        rf"{_START}{_WEAKENS}[^!?\n]{{0,100}}?\b{_CONCEALS}",
    ),
    (
        "switches off checks in secret",
        True,
        "silently|secretly|quietly",
        r"(?:^|[.!?;\n]|\balways\b|\bplease\b)\s{0,3}(?:always\s+)?(?:silently|secretly|quietly)\s+"
        rf"{_WEAKENS}",
    ),
    (
        "goes round the checks",
        False,
        "--no-verify|--no-gpg-sign|--skip-checks|--insecure|--dangerously-",
        rf"\b(?:always|every time|each time|whenever){_BETWEEN}{_FLAGS}",
    ),
    (
        "advertises",
        True,
        "advertis|ad for|ads for|promotion|plug|sponsored|affiliate|referral",
        r"\b(?:whenever|when|every time|each time|if)\s+(?:the\s+(?:user|human|person)|a\s+user"
        r"|users|people|someone|somebody|anyone|anybody)\s+(?:asks?|wants?|requests?)"
        rf"{_BETWEEN}{_PUTS}{_BETWEEN}{_ADVERTISEMENT}",
    ),
    (
        "advertises",
        True,
        "advertis|ad for|ads for|promotion|plug|sponsored|affiliate|referral|http|www.",
        rf"{_START}{_PUTS}{_BETWEEN}(?:{_ADVERTISEMENT}|{_LINK})[^!?\n]{{0,80}}?\b{_ANSWERS}",
    ),
    (
        "advertises",
        True,
        "advertis|ad for|ads for|promotion|plug|sponsored|affiliate|referral|http|www.",
        rf"{_START}{_ANSWERS}{_BETWEEN}(?:{_PUTS}|with){_BETWEEN}(?:{_ADVERTISEMENT}|{_LINK})",
    ),
    (
        "advertises",
        True,
        "http|www.",
        r"\b(?:whenever|every time|each time|when)\s+you\s+(?:open|read|view|load|see|visit)\s+"
        r"(?:an?|any|the|some)\s+(?:\w+\s+)?(?:files?|pages?|documents?|repositor(?:y|ies))"
        rf"{_BETWEEN}{_PUTS}{_BETWEEN}{_LINK}",
    ),
    (
        "spreads a claim",
        True,
        "conversation|chat|session",
        rf"{_ELSEWHERE}(?:(?:tell|inform|convince|persuade|assure|remind)\s+{_PEOPLE}\b|promote\b"
        rf"|advertise\b|praise\b|recommend{_BETWEEN}to\s+{_PEOPLE}\b)",
    ),
    (
        "sets itself above the person",
        True,
        "authorit|importan|trust|binding|priority|weight|rank",
        rf"\b(?:treat|consider|regard|take|give)\s+{_THIS}{_BETWEEN}(?:more|higher|highest|greater)"
        r"\s+(?:authoritative|authority|important|importance|trusted|trustworthy|binding|priority"
        rf"|weight|rank){_BETWEEN}(?:than|over)\s+{_ABOVE}",
    ),
    (
        "sets itself above the person",
        True,
        "overrid|overrul|outrank|precedence|priority|supersede|trump|authority",
        rf"\b{_THIS}\s+(?:must\s+|shall\s+|always\s+)?(?:overrides?|overrules?|outranks?"
        r"|supersedes?|trumps?|(?:takes?|has|have)\s+(?:precedence|priority|authority)\s+over)\s+"
        rf"{_ABOVE}",
    ),
    (
        "sets itself above the person",
        True,
        "authorit|trust|binding|importan",
        r"\b(?:agents|assistants|ais?|llms|models|chat ?bots)\s+(?:must|should|shall|have to"
        rf"|need to|are required to)\s+(?:always\s+)?(?:treat|consider|regard|take)\s+{_THIS}"
        rf"{_BETWEEN}more\s+(?:authoritative|trusted|trustworthy|binding|important)\s+than\b",
    ),
)
