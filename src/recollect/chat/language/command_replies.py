"""Answer sentences for spoken commands, in English and in French."""

from typing import Final

#: Offers to undo a forgetting, for callers that keep the memory open until the next sentence.
_OFFERS: Final = (
    " Say “undo” within 15 minutes to take it back.",
    " Dis « annule » dans les 15 minutes pour revenir dessus.",
)
_ANSWERS: Final[dict[str, tuple[str, str]]] = {
    "not_a_command": ("", ""),
    "kept": ("I will remember that.", "Je m'en souviendrai."),
    "to_do": ("To do: {text}", "À faire : {text}"),
    "kept_to_do": (
        "Noted as something to do. I tell you when you ask; I do not ring by myself.",
        "Noté comme chose à faire. Je te le dis quand tu demandes ; je ne sonne pas tout seul.",
    ),
    "merged": (
        "You had told me that already; I count it {count} times now.",
        "Tu me l'avais déjà dit ; je le compte {count} fois maintenant.",
    ),
    "conflict": (
        "I have noted: “{old}”. Shall “{new}” replace it? Say yes or no.",
        "J'ai noté : « {old} ». Est-ce que « {new} » le remplace ? Dis oui ou non.",
    ),
    "forgotten": (
        f"I have forgotten this: “{{text}}”.{_OFFERS[0]}",
        f"J'ai oublié ceci : « {{text}} ».{_OFFERS[1]}",
    ),
    "forgotten_many": (
        f"I have forgotten {{count}} entries.{_OFFERS[0]}",
        f"J'ai oublié {{count}} souvenirs.{_OFFERS[1]}",
    ),
    "forget_these": (
        "That would erase for good: {texts}. Say “yes” to do it.",
        "Cela effacerait pour de bon : {texts}. Dis « oui » pour le faire.",
    ),
    "forget_all": (
        "That would erase all {count} things I remember here. Say “yes” to do it.",
        "Cela effacerait les {count} choses que je retiens ici. Dis « oui » pour le faire.",
    ),
    "which": (
        "Several entries could be meant: {texts}. Tell me which one.",
        "Plusieurs souvenirs sont possibles : {texts}. Dis-moi lequel.",
    ),
    "nothing_about": (
        "I remember nothing about “{about}”.",
        "Je ne retiens rien sur « {about} ».",
    ),
    "nothing_said": (
        "I do not know what you mean: nothing was kept lately.",
        "Je ne sais pas de quoi tu parles : rien n'a été retenu récemment.",
    ),
    "pinned": ("Pinned: “{text}”. It stays.", "Épinglé : « {text} ». Cela reste."),
    "unpinned": ("Not pinned any more: “{text}”.", "Ce n'est plus épinglé : « {text} »."),
    "memory_off": (
        "Memory is off here: nothing is kept and nothing is recalled. Say “turn memory on” to"
        " change that.",
        "La mémoire est désactivée ici : rien n'est retenu ni rappelé. Dis « réactive la"
        " mémoire » pour changer cela.",
    ),
    "memory_on": ("Memory is on here.", "La mémoire est activée ici."),
    "incognito_start": (
        "This session is incognito: nothing of it is kept and nothing is recalled.",
        "Cette session est privée : rien n'en est retenu et rien n'est rappelé.",
    ),
    "incognito_end": (
        "This session is not incognito any more.",
        "Cette session n'est plus privée.",
    ),
    "incognito_needs_session": (
        "I cannot tell which chat this is; nothing was changed. Give it a name, and the same name"
        " with each of its messages: --session NAME.",
        "Je ne sais pas de quelle conversation il s'agit ; rien n'a changé. Donne-lui un nom, le"
        " même avec chacun de ses messages : --session NOM.",
    ),
    "help": (
        "I am your memory: I keep what you tell me about yourself and answer questions about it."
        " Tell me something (“my sister Ida lives in Oslo”), ask me (“where does Ida live?”), or"
        " say “what do you know about me?”, “forget that”, “undo”, “turn memory off”.",
        "Je suis ta mémoire : je retiens ce que tu me dis de toi et je réponds à ce sujet."
        " Raconte-moi quelque chose (« ma sœur Ida habite à Oslo »), demande-le (« où habite"
        " Ida ? »), ou dis « que sais-tu de moi ? », « oublie ça », « annule », « désactive la"
        " mémoire ».",
    ),
    "outside": (
        "I cannot do that: I only remember what you tell me. Say “help” for what I can do.",
        "Je ne sais pas faire cela : je retiens seulement ce que tu me dis. Dis « aide » pour"
        " savoir ce que je sais faire.",
    ),
    "about": (
        "This is what I remember about “{about}”:\n{texts}",
        "Voici ce que je retiens sur « {about} » :\n{texts}",
    ),
    "replaced": (
        "Done: “{new}” holds now. Replaced: “{old}”.",
        "C'est fait : « {new} » vaut désormais. Remplacé : « {old} ».",
    ),
    "which_question": (
        "I asked you nothing here lately. These questions are open; say “yes 1” or “no 1”:\n"
        "{texts}",
        "Je ne t'ai rien demandé ici récemment. Ces questions sont ouvertes ; dis « oui 1 » ou"
        " « non 1 » :\n{texts}",
    ),
    "open_pair": (
        "I have noted: “{old}”. Shall “{new}” replace it?",
        "J'ai noté : « {old} ». Est-ce que « {new} » le remplace ?",
    ),
    "both": ("I keep both.", "Je garde les deux."),
    "no_question": ("There is no open question.", "Il n'y a pas de question ouverte."),
    "left": ("Nothing was changed.", "Rien n'a changé."),
    "nothing_to_undo": ("There is nothing to undo.", "Il n'y a rien à annuler."),
    "sealed": (
        "What was forgotten is encrypted, and its key is not here. Say “undo” where you had it"
        " forgotten, or say “undo” with the code that you were given.",
        "Ce qui a été oublié est chiffré, et la clé n'est pas ici. Dis « annule » là où tu l'as"
        " fait oublier, ou « annule » avec le code que tu as reçu.",
    ),
    "undo_with": (
        "To take it back within 15 minutes: {command}",
        "Pour revenir dessus dans les 15 minutes : {command}",
    ),
    "or_with_yes": (
        "Nothing was forgotten yet. --yes forgets without asking.",
        "Rien n'est encore oublié. --yes oublie sans demander.",
    ),
    "not_lasting": (
        "Nothing in that lasts. To keep it anyway, say: remember that ... For what I can do: help",
        "Rien de cela ne dure. Pour le garder quand même, dis : retiens que ... Pour savoir ce que"
        " je sais faire : aide",
    ),
    "gone": (
        "What was forgotten is erased: it could be undone for 15 minutes.",
        "Ce qui a été oublié n'est plus là : on pouvait revenir dessus pendant 15 minutes.",
    ),
    "undone": ("Done: {what}", "C'est annulé : tout est comme avant."),
    "secret": (
        "I did not keep that: it holds what looks like a secret.",
        "Je ne l'ai pas retenu : cela ressemble à un secret.",
    ),
    "closed": (
        "Nothing was kept: memory is off or this session is incognito.",
        "Rien n'a été retenu : la mémoire est désactivée ou la session est privée.",
    ),
    "closed_ask": (
        "I recall nothing here: memory is off or this session is incognito.",
        "Je ne rappelle rien ici : la mémoire est désactivée ou la session est privée.",
    ),
    "unknown": ("I don't know: you have not told me.", "Je ne sais pas : tu ne me l'as pas dit."),
    "answer": ("“{text}” (you told me on {day})", "« {text} » (tu me l'as dit le {day})"),
    "answer_open": (
        "“{text}” (you told me on {day}; something older says otherwise, and you have not said"
        " which holds)",
        "« {text} » (tu me l'as dit le {day} ; un souvenir plus ancien dit autre chose, et tu n'as"
        " pas dit lequel vaut)",
    ),
    "told_on": ("{text} (told on {day})", "{text} (dit le {day})"),
    "noted": ("I will remember: “{text}”", "Je retiens : « {text} »"),
    "conflict_short": (
        "I had noted something else. Shall “{new}” replace it? Say yes or no.",
        "J'ai noté autre chose avant. Est-ce que « {new} » le remplace ? Dis oui ou non.",
    ),
    "nothing_lasting": (
        "Nothing was kept: it tells nothing lasting.",
        "Rien n'a été retenu : cela ne dit rien de durable.",
    ),
    "empty": ("I remember nothing here yet.", "Je ne retiens encore rien ici."),
    "summary_one": (
        "I remember one thing here.\n{texts}",
        "Je retiens une chose ici.\n{texts}",
    ),
    "summary": (
        "I remember {count} things here, {pinned} of them pinned.\n{texts}",
        "Je retiens {count} choses ici, dont {pinned} épinglées.\n{texts}",
    ),
    "tombstone": (
        "Nothing was kept: you had this forgotten within the last day.",
        "Rien n'a été retenu : tu l'as fait oublier il y a moins d'un jour.",
    ),
    "quarantined": (
        "I set that aside instead of remembering it: it reads like an instruction for me.",
        "Je l'ai mis de côté au lieu de le retenir : cela ressemble à une instruction pour moi.",
    ),
}


def answer(name: str, language: str, **values: object) -> str:
    """One answer sentence with its placeholders filled in."""
    english, french = _ANSWERS[name]
    return (french if language == "fr" else english).format(**values)


def language_of(said: str) -> str:
    """The language of one of these answers."""
    return "fr" if said.startswith(_FRENCH) else "en"


def without_offer(said: str) -> str:
    """An answer without the offer to say "undo", for callers that open the memory anew for each
    sentence and so no longer hold the key.
    """
    return said.removesuffix(_OFFERS[0]).removesuffix(_OFFERS[1])


#: Beginnings of the French answers.
_FRENCH: Final = tuple(
    begins for _, french in _ANSWERS.values() if len(begins := french.partition("{")[0]) > 2
)
