"""Texts of the sample, in each language of the panel: what a small team said and what it kept."""

from typing import Final, NamedTuple


class SampleMemory(NamedTuple):
    """A memory of the sample: its type, its words, its modules and files, and the message it is
    from, counted from the first."""

    kind: str
    content: str
    modules: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    message: int | None = None


class SampleTexts(NamedTuple):
    """Messages as stream, author and words; and memories."""

    talk: tuple[tuple[str, str, str], ...]
    memories: tuple[SampleMemory, ...]


_ENGLISH: Final = SampleTexts(
    talk=(
        ("general", "grace", "The checkout test failed again last night, third time this week."),
        ("general", "ada", "It was not our code: the bank's sandbox timed out."),
        ("general", "grace", "Then let us try three times before we call it broken."),
        (
            "general",
            "ada",
            "Decision: payment calls are retried three times, with two seconds between.",
        ),
        ("backend", "lin", "Which queue do we use for the mail job?"),
        (
            "backend",
            "ada",
            "We decided on the PostgreSQL queue: one system less to run than Redis.",
        ),
        ("backend", "lin", "Thanks. I will write it into the handbook."),
        ("backend", "grace", "How long are refunds possible now?"),
        ("backend", "ada", "Fourteen days since March, it was two days before."),
        ("general", "lin", "Deploys are on Tuesdays and Thursdays, never on a Friday."),
    ),
    memories=(
        SampleMemory(
            "decision",
            "Payment calls are retried three times, two seconds apart.",
            ("payments",),
            ("payments/client.py",),
            3,
        ),
        SampleMemory(
            "decision",
            "The mail job uses the PostgreSQL queue instead of Redis.",
            ("queue",),
            ("jobs/mail.py",),
            5,
        ),
        SampleMemory("gotcha", "The staging database is wiped every night at two.", ("staging",)),
        SampleMemory(
            "preference", "Ada likes short pull requests: one change, one review.", ("review",)
        ),
        SampleMemory(
            "requirement",
            "Customers may ask for their money back within fourteen days.",
            ("refunds",),
            ("orders/refund.py",),
            8,
        ),
        SampleMemory(
            "workflow_recipe",
            "Release: make test, tag, make deploy, watch the dashboard for ten minutes.",
            ("release",),
        ),
        SampleMemory(
            "dead_end",
            "Caching exchange rates for a day broke invoices on weekends; cache them for an hour.",
            ("payments",),
            ("payments/rates.py",),
        ),
        SampleMemory(
            "pattern",
            "Every handler validates its input with a model before it touches the database.",
            ("api",),
            ("api/handlers.py",),
        ),
        SampleMemory(
            "error_pattern",
            "The bank's sandbox times out at night: a failing checkout test then is not our code.",
            ("payments",),
            ("tests/test_checkout.py",),
            1,
        ),
        SampleMemory("fact", "Deploys are on Tuesdays and Thursdays.", ("release",), (), 9),
    ),
)

_FRENCH: Final = SampleTexts(
    talk=(
        (
            "general",
            "grace",
            "Le test du paiement a encore échoué cette nuit, la troisième fois cette semaine.",
        ),
        ("general", "ada", "Ce n'était pas notre code : le bac à sable de la banque a expiré."),
        ("general", "grace", "Alors essayons trois fois avant de dire que c'est cassé."),
        (
            "general",
            "ada",
            "Décision : les appels de paiement sont retentés trois fois, à deux secondes d'écart.",
        ),
        ("backend", "lin", "Quelle file utilisons-nous pour l'envoi des mails ?"),
        (
            "backend",
            "ada",
            "Nous avons décidé d'utiliser la file PostgreSQL : un système de moins que Redis.",
        ),
        ("backend", "lin", "Merci. Je l'écris dans le manuel."),
        ("backend", "grace", "Combien de temps un remboursement est-il possible maintenant ?"),
        ("backend", "ada", "Quatorze jours depuis mars, c'était deux jours avant."),
        ("general", "lin", "Les déploiements ont lieu le mardi et le jeudi, jamais un vendredi."),
    ),
    memories=(
        SampleMemory(
            "decision",
            "Les appels de paiement sont retentés trois fois, à deux secondes d'écart.",
            ("payments",),
            ("payments/client.py",),
            3,
        ),
        SampleMemory(
            "decision",
            "L'envoi des mails utilise la file PostgreSQL au lieu de Redis.",
            ("queue",),
            ("jobs/mail.py",),
            5,
        ),
        SampleMemory(
            "gotcha", "La base de préproduction est vidée chaque nuit à deux heures.", ("staging",)
        ),
        SampleMemory(
            "preference",
            "Ada aime les petites demandes de fusion : un changement, une relecture.",
            ("review",),
        ),
        SampleMemory(
            "requirement",
            "Les clients peuvent se faire rembourser pendant quatorze jours.",
            ("refunds",),
            ("orders/refund.py",),
            8,
        ),
        SampleMemory(
            "workflow_recipe",
            "Livraison : make test, étiquette, make deploy, puis regarder le tableau dix minutes.",
            ("release",),
        ),
        SampleMemory(
            "dead_end",
            "Garder les taux de change un jour faussait les factures du week-end : une heure.",
            ("payments",),
            ("payments/rates.py",),
        ),
        SampleMemory(
            "pattern",
            "Chaque point d'entrée valide ses données avec un modèle avant de toucher à la base.",
            ("api",),
            ("api/handlers.py",),
        ),
        SampleMemory(
            "error_pattern",
            "Le bac à sable de la banque expire la nuit : un test de paiement raté n'est alors "
            "pas notre code.",
            ("payments",),
            ("tests/test_checkout.py",),
            1,
        ),
        SampleMemory(
            "fact", "Les déploiements ont lieu le mardi et le jeudi.", ("release",), (), 9
        ),
    ),
)

TEXTS: Final = {"en": _ENGLISH, "fr": _FRENCH}
