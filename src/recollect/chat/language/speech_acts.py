"""Classifies the speech act of a sentence: statement, question, request, chat, hypothetical, quote.

Only statements of speakers about themselves or about people they name are worth an entry. The rules
are about forms of language (inversion, imperative, conditional, first person), in English and
French; a sentence that matches none is chatter and is not kept.
"""

import re
from enum import StrEnum
from functools import lru_cache
from typing import Final

from recollect.chat.language.sentence_subject import speaks_of_family
from recollect.chat.language.sentences import shortened
from recollect.chat.language.standing_wishes import asks_politely, is_standing_wish
from recollect.chat.language.temporary_statements import is_idle, is_temporary


class SpeechAct(StrEnum):
    """The speech act of a sentence."""

    STATEMENT = "statement"
    PREFERENCE = "preference"  # how the assistant is to answer, from now on
    QUESTION = "question"
    REQUEST = "request"
    CHATTER = "chatter"
    HYPOTHETICAL = "hypothetical"
    QUOTATION = "quotation"
    PASTED = "pasted"


def _words(*patterns: str, start: bool = False) -> re.Pattern[str]:
    whole = "|".join(patterns)
    return re.compile(rf"(?:{whole})" if start else rf"\b(?:{whole})\b", re.IGNORECASE)


#: Openings of a sentence that say nothing.
_OPENING: Final = re.compile(
    r"(?:(?:(?:hi|hey|hello|hiya)(?: there| again| you| everyone| all)?|morning"
    r"|good (?:morning|evening|afternoon)|ok|okay|k|oh|ah|aha|well"
    r"|so"
    r"|and|but|also|anyway|anyways|btw|by the way|fyi|actually|yeah|yes|yep|nah|nope|no|right|great"
    r"|nice|perfect|cool|super|fair|splendid|brilliant|lovely|excellent|fantastic|wonderful|ace|fab"
    r"|sweet|ta|alright|phew|omg|wtf|wth|blimey|gosh|yup|ya|now|sorry|however|plus(?! d[e'])"
    r"|additionally|besides"
    r"|meanwhile|overall|honestly|basically|génial|nickel|chouette|fair enough|works|sure|thanks"
    r"|thank you|thx|cheers|lol|haha"
    r"|hmm|um|uh|argh|ugh|ow|ouch|aïe|wow|good|awesome|amazing|then|unrelated but|unrelated"
    r"|update|news|plot"
    r" twist|just so you know|for the record|for context|for info|good news|bad news|big news"
    r"|quick update|small update|heads up|side note|one more thing|last thing|another thing"
    r"|first|guess what|guess who|few things about me|a few things about me|new here"
    r"|bonjour|salut|coucou|bonsoir|bon|bah|ben|alors|ah|et|mais|donc|voilà|merci|oui|non|ouais"
    r"|ça y est|au fait|sinon|pour info|en fait|d'ailleurs|euh|tiens|dis|parfait|super|top|d'accord"
    r"|petite info|bonne nouvelle|mauvaise nouvelle|(?:remind me|don't let me forget|remember|note"
    r"|keep in mind|bear in mind) that|rappelle-[tm]oi qu[e']|souviens-toi qu[e']|note qu[e']"
    r"|retiens qu[e'])(?:\b|(?<='))[ ,.:!;-]{0,4})",
    re.IGNORECASE,
)
_QUESTION: Final = _words(
    r"(?:what|what's|whats|which|who|who's|whose|where|where's|when|when's|how|how's|why|why's)\b"
    r"(?! i )(?!ever)",
    r"(?:do|does|did|is|are|was|were|can|could|would|will|should|shall|has|have|had|am|may|might"
    r"|isn't|aren't|don't|doesn't|can't|couldn't|won't|shouldn't|wouldn't) (?:i|you|we|they|he|she"
    r"|it|there|this|that|these|those|the|my|your|our|a|an|any|anyone|all|some|people|someone|ya"
    r"|u)\b",
    r"(?:is|are) (?!always|never|often|still|just|now|really|usually)(?:[\w'-]{1,20} ){1,5}"
    r"(?:better|enough|worth|worse|safe|ok|okay|normal|too)\b",
    r"any(?:one|body)? (?:idea|ideas|tip|tips|thoughts|chance|recommendation|recommendations"
    r"|suggestion|suggestions|advice|app|apps|good)\b",
    r"(?:and|what|how) about\b",
    r"(?:quel|quelle|quels|quelles|combien|comment|pourquoi|où|quand|qui|que|quoi|qu'est-ce"
    r"|est-ce|c'est quoi|c'est qui|c'est quand|c'est où|c'est quel|y a quoi|y a-t-il|faut-il"
    r"|peux-tu|pouvez-vous|as-tu|sais-tu|connais-tu|penses-tu|pourrais-tu|tu sais|tu connais"
    r"|tu penses|t'as|t'aurais|tu aurais|tu as|tu crois)\b",
    start=True,
)
#: Words before a question that are not part of it: "now how do I ...".
_LEADS_TO: Final = re.compile(r"(?:now|then|next|first|also|or|maintenant|ensuite),? ", re.I)
_INVERTED: Final = _words(
    r"(?!rendez-|(?:carry|add|hands|head|clip|slip|roll)-on)(?-i:[a-zà-ÿ]{2,14})-(?:tu|vous|il|elle"
    r"|on|je)(?!-)",
    r"(?:tu|vous) (?:peux|pouvez|proposes?|conseilles?)",
)
_REQUEST: Final = _words(
    r"(?:please|pls|plz|let's|s'il te plaît|stp) ",
    r"\w{2,14}-(?:moi|le|la|les|nous)\b",
    r"(?:just |now |then |maybe )?(?:act|add|adjust|advise|analy[sz]e|answer|apologi[sz]e|apply"
    r"|arrange|ask|assume|attach|book|break|bring|brainstorm|build|buy|calculate|call me back"
    r"|cancel"
    r"|change(?! of plans?\b)|check|choose|cite|clarify|clean|close|combine|come up"
    r"|compare|compute|continue|convert"
    r"|correct|count|create|cut|debug|define|delete|demonstrate|describe|design|develop|do|double"
    r"|draft|draw|drop|edit|elaborate|email|emphasi[sz]e|entertain|estimate|evaluate|expand"
    r"|explain|extend|extract|fetch|figure|fill|find|finish|fix|format|generate|get|give|go|guess"
    r"|help|highlight|identify|ignore|imagine|improve"
    r"|include|increase"
    r"|insert|invent|invite|join|justify|keep|leave|let|limit|list|look|lower|make|mark|match"
    r"|mention"
    r"|merge|move|name|note|notify|offer|order|open|organi[sz]e|outline"
    r"|paraphrase|phrase|pick|plan(?!(?: for [\w ]{2,20})?:| is\b)|point|polish|prepare|print"
    r"|propose|proofread|put|quote|rank|read"
    r"|recommend|reduce|refactor|refer|reformat|remind|remove|rename|repeat|rephrase|replace|reply"
    r"|research|reserve|reverse|review|revise|reword|rewrite|roleplay|round|run|scan|schedule"
    r"|say|search|select|send|set|shorten|show|simplify|skip|solve|sort|spell|split|stop|stress"
    r"|structure|suggest|sum|summari[sz]e|swap|switch|take|tell|test|text|thank|think|tone"
    r"|translate|trim|try|turn|update|use|verify|wait"
    r"|wake|walk|watch|wish|word|wrap|write)\b(?!ing|'s)",
    r"(?:adapte|ajoute|aide|allonge|analyse|améliore|baisse|calcule|change|choisis|classe|cherche"
    r"|compare|compte|continue|corrige|coupe|crée|décris"
    r"|dessine|dis|donne|écris|enlève|envoie|explique|fais|garde|imagine|invente|laisse|liste|lis"
    r"|mets|montre|ouvre|organise|parle|passe|prépare|propose|raccourcis|raconte|recommande"
    r"|reformule|regarde|relis|remplace|résume|retire|simplifie|suggère|supprime|traduis|trouve"
    r"|utilise|vérifie)\b",
    r"(?:i|we)(?:'d| would)? (?:just )?(?:need|want|like) (?:an?|some|something|you|your|help|the"
    r"|one|two|three|ideas?|more|another|this|that|it) ?",
    r"(?:i|we)(?:'d| would)? (?:just |also )?(?:need|want|like|have) to (?:add|ask|build|change"
    r"|check"
    r"|clean|convert|cook|create|cut|do|draw|edit|find|finish|fix|format|get (?:this|it|the|a)|know"
    r"|improve|install|make|organi[sz]e|plan|prepare|print|put|remove|rename|replace|see|send|set"
    r"|show|sort|speed|split|test|translate|try|turn|understand|update|use|wash|write)\b(?!.{0,80}"
    r"\b(?:by|before|until|on) (?:the )?(?:\d|[a-z]{3,6}day|next|end))",
    r"(?:i'm |i am |we're |we are )?(?:looking for|searching for|after a) ",
    r"(?:je|on) (?:cherche|voudrais|voudrait|veux|veut|souhaite|souhaiterais|aimerais) ",
    r"(?:j'aimerais|j'aurais besoin|j'ai besoin|il me faut|il me faudrait|tu peux|tu pourrais"
    r"|une idée|besoin d)",
    start=True,
)
_ASKS_LATER: Final = _words(
    r"(?:can|could|would|will) you",
    r"(?:do|did) you (?:know|think|have)",
    r"tu peux",
    r"please",
    r"wish me luck",
    r"s'il te plaît",
)
_HYPOTHETICAL: Final = _words(
    r"(?<!as )if (?:i|we|my|he|she|they|you) (?:were|was|had|won|could|did|ever|got|became|lived"
    r"|owned)",
    r"if (?:i|we|my [\w-]{2,20}|our [\w-]{2,20}) (?!would)[^.?!]{2,60}(?:'d|\bwould|\bwouldn't) ",
    r"(?:i|we)(?:'d| would) (?:be|buy|move|live|love to|have|quit|go|sell|rather die|probably)",
    r"(?:i|we)(?:'d| would) (?:never |always |probably |totally |still |just )(?!been|had|liked"
    r"|wanted|thought|heard|seen|rather|like|prefer)[a-z]{2,20}",
    r"(?:maybe|perhaps|might|someday|one day|some day) (?:i'll|i will|i might|we'll|we might|i'd)",
    r"(?:i|we) (?:might|may) (?:just |well |even |also |one day )?[a-z]{2,20}",
    r"peut-être (?:que |qu')?(?:je|j'|on|un jour)",
    r"imagine",
    r"suppose (?:i|we|that)",
    r"supposing",
    r"what if",
    r"in another life",
    r"i (?:wish|dream) (?:i|we|my|of|that)",
    r"hypothetically",
    r"let's say|pretend",
    r"si (?:j'étais|j'avais|je (?:gagnais|pouvais|devais|vivais)|on (?:était|avait|gagnait)"
    r"|nous (?:étions|avions))",
    r"si (?:jamais )?(?:je |j'|on |nous |mes? |ma )[^.?!]{2,60}"
    r"(?:je|j'|on|il|elle|nous) ?(?:[mtsl]'|me |te |se |y |en |ne |le |la |les )?"
    r"\w{2,15}(?:rais|rait|rions)",
    r"je (?:rendrais|serais|voudrais|deviendrais|vivrais|achèterais)",
    r"j'(?:aurais|achèterais|irais|habiterais)",
    r"supposons|admettons",
    r"dans une autre vie",
)
#: A to-do that somebody notes down, in their own words.
_NOTED: Final = re.compile(
    r"(?:note to self|reminder|memo|pense-bête|to ?do)\b ?[:,-]|(?:please )?(?:remind me"
    r"|don't let me"
    r" forget|remember) to\b|(?:rappelle-moi|n'oublie pas|faut pas que j'oublie|pense) (?:de|à)\b",
    re.IGNORECASE,
)
#: Criticism of something at hand with an instruction: "day 4 is too full, split it".
_THEN_DO: Final = re.compile(
    r"^(?!(?:i|i'm|my|we|our|je|j'|mon|ma)\b).{3,80}, (?:so )?(?:cut|split|move|change|fix|drop"
    r"|remove|shorten|swap|delete|trim|redo|rewrite|coupe|change|enlève|raccourcis|supprime|refais)"
    r"[ -](?:it|that|them|this|one|le|la|les|ça)[.!]{0,2}$",
    re.IGNORECASE,
)
#: A need that states a lasting circumstance: "I need the ramp for my wheelchair".
_NEEDED_FOR: Final = re.compile(
    r"(?:i|we|my \w{2,20}|j'ai|on a) (?:really |also |always )?(?:needs?|wants?|besoin) .{2,60}"
    r"\b(?:for|because of|with|pour|à cause de) (?:my|our|mon|ma|mes) (?:wheelchair|walking"
    r"|crutch\w{0,3}|hearing|back|knees?|hips?|eyes|asthma|arthritis|migraines?|eczema|diabetes"
    r"|insulin|allerg\w{1,4}|fauteuil|dos|genoux?|hanche|asthme|arthrose|diabète|eczéma)\b",
    re.IGNORECASE,
)
_OWN: Final = _words(
    r"i",
    r"i'm",
    r"im",
    r"i've",
    r"ive",
    r"i'd",
    r"i'll",
    r"my",
    r"mine",
    r"me",
    r"myself",
    r"we",
    r"we're",
    r"we've",
    r"we'll",
    r"our",
    r"ours",
    r"us",
    r"je",
    r"j'\w{1,20}",
    r"jai",
    r"moi",
    r"m'\w{1,20}",
    r"me",
    r"mon",
    r"ma",
    r"mes",
    r"nous",
    r"notre",
    r"nos",
    r"on",
)
_NAMED: Final = re.compile(
    r"(?:^|[\s,(:])(?!I\b|I'|The\b|This\b|That\b|These\b|It\b|Its\b|It's\b|There\b|What\b|Le\b|La\b"
    r"|Les\b|Il\b|Elle\b|Ce\b|Cette\b|C'est\b|Day\b|Here\b|They\b|You\b|Your\b|He\b|She\b|A\b|An\b"
    r"|No\b|Not\b|Yes\b|Some\b|Most\b|All\b)"
    r"[A-ZÀ-Þ][\w-]{1,30}(?: [A-ZÀ-Þ][\w-]{1,30})?(?:'s| is| has| was| had| will| can't| can"
    r"| doesn't"
    r"| does| isn't| lives| works| hates| loves| likes| wants| needs| prefers| moved| turned| turns"
    r"| got| started| left| studies| plays| speaks| eats| drinks| est| a| habite| travaille| aime"
    r"| déteste| préfère| adore| mange| ne)\b",
    re.UNICODE,
)
#: Statements that name people or things mentioned before: "their names are Ada and Lou".
_OF_THEM: Final = re.compile(
    r"(?:(?:their|his|her|its|leurs?|ses|son|sa) (?:[\wà-ÿ-]{2,15} ){0,2}(?:is|are|est|sont)"
    r"|(?:they're|they are|he's|she's|it's|ils|elles|il|elle)(?: is| are| s'appell\w{1,4})?(?:"
    r" called| named)?) (?-i:[A-ZÀ-Þ])|(?-i:[A-ZÀ-Þ])[\w-]{2,20} (?:born and (?:bred|raised)"
    r"|through and through|d'origine|de naissance)\b|(?:the )?(?:goal|plan|aim|dream|idea|deadline"
    r"|objectif|but)(?: is|'s|,? c'est) (?:to |de |d')?\w"
    r"|(?:il )?faut (?:aussi |encore |absolument )?(?:que j|qu'on|que nous)",
    re.IGNORECASE,
)
_DONE: Final = re.compile(
    r"(?:finally |just |also |officially |already |only )?"
    r"(?!\w{2,12} (?:it|that|this|them|the (?:error|bug|problem|issue))\b)(?:swapped|traded"
    r"|upgraded|ditched|replaced|traded in|handed in|resigned|enrolled|qualified"
    r"|dropped out|relocated|inherited|rented|leased|proposed|separated|split up|turned \d|went"
    r" (?:fully |back )?(?:vegan|vegetarian|freelance|part-time|full-time|self-employed|gluten-free"
    r"|to"
    r" the)|given up|sold|bought|moved|quit|joined|agreed|booked|signed|adopted|started|stopped"
    r"|switched|left"
    r"|gave up|broke up|got (?:married|engaged|divorced|promoted|hired|fired|a |an |my |the )"
    r"|passed"
    r"|failed|retired|graduated|became|changed|cancelled|canceled|postponed|promised|found|lost"
    r"|hired|born|married|divorced|engaged|allergic|living|working|studying|training|vegan"
    r"|vegetarian|vendu|acheté|déménagé|arrêté|commencé|quitté|réservé|signé|annulé|adopté)\b",
    re.IGNORECASE,
)
_DATED: Final = re.compile(
    r"\b(?:is|are|was|were|due|booked|starts?|ends?|moved|est|sont|prévue?|réservée?)\b.{0,80}"
    r"\b(?:\d{1,2}(?:st|nd|rd|th)? (?:of )?(?:january|february|march|april|may|june|july|august"
    r"|september|october|november|december|janvier|février|mars|avril|mai|juin|juillet|août"
    r"|septembre|octobre|novembre|décembre)|tomorrow|cancelled|canceled|postponed|annulée?"
    r"|reportée?)\b|\b(?:cancelled|canceled|postponed|annulée?|reportée?)\b",
    re.IGNORECASE,
)
#: A plan in short form: "Dinner with the Nowaks this Saturday at 8", "dentist tomorrow".
_EVENT: Final = re.compile(
    r"(?:an? |the |another |big |un |une |le |la |l')?(?:\w{2,20} ){0,3}?(?:appointment|barbecue"
    r"|bbq"
    r"|birthday|breakfast|brunch|call|check-?up|christening|class|concert|conference|course|date"
    r"|deadline|dentist|dinner|doctor|drinks|driving test|engagement|exam|festival|flight|funeral"
    r"|game|gig|holiday|hospital|interview|lesson|lunch|marathon|match|meeting|move|open day"
    r"|operation"
    r"|party|physio|play|presentation|race|recital|rehearsal|reunion|scan|surgery|test|theatre|tour"
    r"|trip|vet|viewing|visit|wedding|workshop|anniversaire|apéro|concert|cours|déjeuner|dentiste"
    r"|départ|dîner|entretien|examen|fête|mariage|médecin|opération|rdv|rendez-vous|répétition"
    r"|réunion|soirée|stage|train|visite|vol|voyage)\b.{0,80}?"
    r"\b(?:monday|tuesday|wednesday|thursday|friday|saturday|sunday|tomorrow|tonight|next (?:week"
    r"|month|year)|\d{1,2}(?:st|nd|rd|th)? (?:of )?[a-z]{3,9}|[a-z]{3,9} \d{1,2}(?:st|nd|rd|th)?"
    r"|at \d{1,2}|lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche|demain|après-demain|à \d{1,2}"
    r" ?h|in (?:january|february|march|april|may|june|july|august|september|october|november"
    r"|december))\b",
    re.IGNORECASE,
)
#: Statements about an invented person.
_INVENTED: Final = re.compile(
    r"\b(?:main character|protagonist|personnage principal|le héros|l'héroïne|chapter \w{1,8}"
    r"|scene \w{1,8}|chapitre \w{1,8})\b"
    r"|\b(?:my|our|the|mon|notre) (?:main |new )?(?:character|avatar|protagonist|hero|heroine"
    r"|villain"
    r"|npc|sim|player|dungeon|horoscope|fortune|tarot|zodiac sign says|story|novel|dream"
    r"|personnage|héros|histoire|rêve)\b",
    re.IGNORECASE,
)
#: A changed value without its owner: "rent just went up to 810", "down to 81 kilos".
_CHANGED: Final = re.compile(
    r"(?:the |our |my )?[\w-]{3,20} (?:just |has |have |was |got |finally )?(?:just )?(?:went|gone"
    r"|moved"
    r"|changed|increased|dropped|rose|fell|raised|put|been (?:moved|changed|postponed|rescheduled"
    r"|raised)) (?:up |down |back |from )?.{0,30}\d|(?:down|up|back|now) (?:to|at) \d",
    re.IGNORECASE,
)
_ERROR_LINE: Final = re.compile(
    r"^[\w./-]{1,40}: (?:[\w./-]{1,40}: )?(?:cannot|error|no such|permission|command not|fatal)"
    r"|^(?:E|W|ERR|FATAL): |\b(?:could not|cannot|unable to|failed to) [^,]{2,60}/\w"
    r"|^\s*(?:Traceback|Error|Exception|Warning|File \")|[{}<>=]{2}|\(\) ?\{|;\s*$|^\s*[$#] ",
    re.IGNORECASE,
)
_SHORT: Final = re.compile(
    r"(?:[Ii]'m|[Ii]m|[Ii] am|[Jj]e suis|[Mm]y \w|[A-Z]\w{1,20}'s) ?"
    r"(?:[\w-]{4,30}|[A-ZÀ-Þ]\w{1,30})[.!]{0,3}$",
    re.UNICODE,
)
#: Words that only announce a statement: "I should mention I stammer".
_PREAMBLE: Final = re.compile(
    r"(?:(?:i|we) (?:should|ought to|must|forgot to|want to|wanted to|meant to|may as well|might as"
    r" well) (?:also |probably |perhaps )?(?:have )?(?:mention(?:ed)?|sa(?:y|id)|add(?:ed)?"
    r"|point(?:ed)? out|t(?:ell|old)(?: you)?|warn(?:ed)?(?: you)?|explain(?:ed)?)|did i (?:ever )?"
    r"(?:mention|tell you|say)|you should (?:also )?know|it's worth (?:mentioning|knowing|saying)"
    r"|(?:fun|random|little) fact(?: about me)?|(?:as )?i(?:'ve| may have"
    r"| might have)? (?:already )?"
    r"(?:mentioned|told you)|j'(?:aurais|ai) (?:dû|oublié) (?:de )?(?:te |vous )?(?:dire|préciser"
    r"|prévenir)|je (?:précise|te préviens|te signale|rappelle)|il faut que je te dise|faut que je"
    r" te dise|sache|à savoir|pour ta gouverne)\b"
    r"(?:[,:] ?(?:that |qu[e'] ?)?| that | qu[e'] ?| (?=(?:i|i'm|i've|my|we|we're|our|je|mon"
    r"|ma)\b))"
    r"(?! (?:it|this|that|this|them|him|her)\b)",
    re.IGNORECASE,
)
_FEWEST_WORDS: Final = 3


@lru_cache(64)  # one message asks for the same clause more than once
def opening_removed(sentence: str) -> str:
    """A sentence without greetings and filler words at its beginning."""
    words = shortened(sentence).strip()
    for _ in range(6):
        preamble = _PREAMBLE.match(words)
        if preamble and len(words[preamble.end() :].split()) >= _FEWEST_WORDS:
            words = words[preamble.end() :]
        found = _OPENING.match(words)
        rest = words[found.end() :] if found else words
        if rest == words or not rest or (found and found[0].isalpha()):
            break
        if not found or not _cuts(found[0], rest):
            break
        words = rest
    return words.strip(" ,;:-")


#: Openings that may also begin the statement: "no sugar for me", "lovely neighbours".
_MEANS_SOMETHING: Final = frozenset(
    "no non then good first super top works lovely sweet excellent brilliant now honestly".split()
)


def _cuts(opening: str, rest: str) -> bool:
    """Whether an opening says nothing here and can be cut; "no" in "no sugar for me" cannot."""
    word = opening.strip(" ,.:!;-").lower()
    if word in _MEANS_SOMETHING and not set(opening) & set(",.:!;-"):
        return rest[:2].lower() in ("i ", "my", "we", "i'", "je", "j'")
    return True


@lru_cache(64)
def speech_act(sentence: str) -> SpeechAct:
    """Classify a sentence."""
    plain = opening_removed(sentence)
    before, hole, _ = plain.partition('""')
    wished = is_standing_wish(before, asks=False)
    if hole and len(plain.replace('""', "").split()) < 9 and not wished:
        return SpeechAct.QUOTATION
    if _ERROR_LINE.search(plain):
        return SpeechAct.PASTED
    if _imagines(plain):
        return SpeechAct.HYPOTHETICAL
    if is_standing_wish(plain, asks=sentence.rstrip(" )!.").endswith("?")):
        return SpeechAct.PREFERENCE
    if _asks(sentence, plain):
        return SpeechAct.QUESTION
    if _THEN_DO.search(plain):
        return SpeechAct.REQUEST
    if _REQUEST.match(plain) and not (
        _DONE.match(plain) or _NOTED.match(plain) or _NEEDED_FOR.match(plain)
    ):
        return SpeechAct.REQUEST
    if len(plain.split()) < _FEWEST_WORDS and not _short_statement(plain):
        return SpeechAct.CHATTER
    if is_idle(plain) or is_temporary(plain):
        return SpeechAct.CHATTER
    return SpeechAct.STATEMENT if tells(plain) else SpeechAct.CHATTER


#: A whole statement with a date or a figure, before a comma or "so".
_DATED_HEAD: Final = re.compile(
    r"(?!if\b|when\b|imagine\b|suppose\b|say\b|si\b)(?:[\w'-]{1,20} ){3,30}?.{0,40}"
    r"(?:\d|today|tomorrow|day\b|week|month).{0,60}(?:,| so) ",
    re.IGNORECASE,
)


def _imagines(plain: str) -> bool:
    """Whether a sentence is hypothetical; a polite wish is not."""
    supposed = _HYPOTHETICAL.search(plain)
    if supposed and _DATED_HEAD.match(plain[: supposed.start()]):
        supposed = None  # "the show opens on 3 May, I may faint"
    return bool(supposed or _INVENTED.search(plain)) and not asks_politely(plain)


#: A question without a question mark: after a comma, or in French with its question word last.
_ASKS_AT_ITS_END: Final = re.compile(
    r"(?:, |[-\u2013\u2014;:] )(?:and |so |but )?(?:where|how|what|which|when|why|who)"
    r"(?:'s| (?:do|does|did|is|are|should|can|would|could|shall|will|\w{2,12} (?:do|should|can)))"
    r"(?: (?:i|we|you|it|that|the|my)\b[^,.!]{0,60})?[.! ]*$"
    r"|\b(?:il|elle|on|ça|c'est|tu|je|faut|coûte|fait) (?:[\w' -]{0,30} )?"
    r"(?:combien|quand|comment|pourquoi|quoi|où|laquelle|lequel)[.! ]*$",
    re.IGNORECASE,
)
_END_OF_SENTENCE: Final = 120


def _asks(sentence: str, plain: str) -> bool:
    if sentence.rstrip(" )!.").endswith(("?", "\uff1f", "\u061f")):
        return True
    leads = _LEADS_TO.match(plain)
    plain = plain[leads.end() :] if leads else plain
    return (
        bool(_QUESTION.match(plain))
        or bool(_INVERTED.search(plain[:60]))
        or _ASKS_AT_ITS_END.search(plain[-_END_OF_SENTENCE:]) is not None
    )


def _short_statement(plain: str) -> bool:
    """Whether a very short sentence is a statement: "I'm vegetarian", "Amara's vegan"."""
    return len(plain.split()) >= 2 and _SHORT.match(plain) is not None


def tells(plain: str) -> bool:
    """Whether a sentence is about its speaker, about somebody named, or about something dated."""
    return bool(
        _NOTED.match(plain)
        or _OWN.search(plain)
        or speaks_of_family(plain)
        or _NAMED.search(plain)
        or _OF_THEM.match(plain)
        or _DONE.match(plain)
        or _DATED.search(plain)
        or _EVENT.match(plain)
        or _CHANGED.match(plain)
    )
