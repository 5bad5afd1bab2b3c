"""Names that surfaces may use besides the API, each imported on first use.

Surfaces import the engine and the vocabulary and nothing below them, so whatever else they need is
listed here. A name that is not in the table is not available to them.
"""

from typing import TYPE_CHECKING, Final

from recollect.vocabulary.lazy_imports import lazy_names

if TYPE_CHECKING:
    from recollect.chat.language.command_replies import answer, language_of, without_offer
    from recollect.chat.language.relative_dates import with_dates
    from recollect.chat.language.sentences import (
        clauses_of,
        is_pasted,
        sentences_of,
        without_foreign,
    )
    from recollect.chat.language.speech_acts import SpeechAct, speech_act
    from recollect.chat.statements.statement_extraction import language_spoken
    from recollect.context.projects import Project, commit_of, project_of
    from recollect.context.review import Learned, Review
    from recollect.context.rule_files import merged
    from recollect.index.analyser import query_terms
    from recollect.inference.embedder import PROVIDERS
    from recollect.inference.tokens import count_tokens
    from recollect.memories.export_restorer import is_export
    from recollect.memories.maintenance import Health
    from recollect.memories.short_forms import filled_levels
    from recollect.observer.evaluation import scored
    from recollect.observer.learner import Lesson
    from recollect.observer.lesson_figures import lesson_figures, lessons_of
    from recollect.observer.replay import Played, commits_of, sessions_of
    from recollect.pages.importer import private_streams
    from recollect.recall.profiles import MEASURED, SIGNALS, Profile, Weights, profile_of
    from recollect.storage.dialects.protocol import Erased
    from recollect.sync.wire import packed, unpacked
    from recollect.trust.origins import declared_origin, origin_of
    from recollect.trust.quoted_text import FRAME, attribution
    from recollect.trust.secrets import redacted_values

_HOMES: Final = {
    "Erased": "recollect.storage.dialects.protocol",
    "FORMS": "recollect.pages.importer",
    "FRAME": "recollect.trust.quoted_text",
    "Health": "recollect.memories.maintenance",
    "Learned": "recollect.context.review",
    "Lesson": "recollect.observer.learner",
    "MEASURED": "recollect.recall.profiles",
    "PROVIDERS": "recollect.inference.embedder",
    "Played": "recollect.observer.replay",
    "Profile": "recollect.recall.profiles",
    "Project": "recollect.context.projects",
    "Review": "recollect.context.review",
    "SIGNALS": "recollect.recall.profiles",
    "SpeechAct": "recollect.chat.language.speech_acts",
    "Weights": "recollect.recall.profiles",
    "answer": "recollect.chat.language.command_replies",
    "attribution": "recollect.trust.quoted_text",
    "clauses_of": "recollect.chat.language.sentences",
    "commits_of": "recollect.observer.replay",
    "count_tokens": "recollect.inference.tokens",
    "declared_origin": "recollect.trust.origins",
    "filled_levels": "recollect.memories.short_forms",
    "is_export": "recollect.memories.export_restorer",
    "is_pasted": "recollect.chat.language.sentences",
    "language_of": "recollect.chat.language.command_replies",
    "language_spoken": "recollect.chat.statements.statement_extraction",
    "lesson_figures": "recollect.observer.lesson_figures",
    "lessons_of": "recollect.observer.lesson_figures",
    "merged": "recollect.context.rule_files",
    "origin_of": "recollect.trust.origins",
    "private_streams": "recollect.pages.importer",
    "packed": "recollect.sync.wire",
    "profile_of": "recollect.recall.profiles",
    "project_of": "recollect.context.projects",
    "commit_of": "recollect.context.projects",
    "query_terms": "recollect.index.analyser",
    "redacted_values": "recollect.trust.secrets",
    "scored": "recollect.observer.evaluation",
    "sentences_of": "recollect.chat.language.sentences",
    "sessions_of": "recollect.observer.replay",
    "speech_act": "recollect.chat.language.speech_acts",
    "unpacked": "recollect.sync.wire",
    "with_dates": "recollect.chat.language.relative_dates",
    "without_offer": "recollect.chat.language.command_replies",
    "without_foreign": "recollect.chat.language.sentences",
}

__all__ = [
    "FRAME",
    "MEASURED",
    "PROVIDERS",
    "SIGNALS",
    "Erased",
    "Health",
    "Learned",
    "Lesson",
    "Played",
    "Profile",
    "Project",
    "Review",
    "SpeechAct",
    "Weights",
    "answer",
    "attribution",
    "clauses_of",
    "commit_of",
    "commits_of",
    "count_tokens",
    "declared_origin",
    "filled_levels",
    "is_export",
    "is_pasted",
    "language_of",
    "language_spoken",
    "lesson_figures",
    "lessons_of",
    "merged",
    "origin_of",
    "packed",
    "private_streams",
    "profile_of",
    "project_of",
    "query_terms",
    "redacted_values",
    "scored",
    "sentences_of",
    "sessions_of",
    "speech_act",
    "unpacked",
    "with_dates",
    "without_foreign",
    "without_offer",
]

__getattr__ = lazy_names(__name__, _HOMES)
