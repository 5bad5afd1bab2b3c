"""Learning API of one space: what agents' sessions teach."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from os import PathLike
from pathlib import Path

from recollect.engine.verb_wrappers import repeatable
from recollect.observer.candidates import Candidate, SessionType
from recollect.observer.coaccess import CoAccess
from recollect.observer.commit_lessons import CommitLessons
from recollect.observer.git_history import commits_of, messages_of
from recollect.observer.learner import Learner, Lesson
from recollect.observer.merge import merge
from recollect.observer.observer import Observer, Report
from recollect.observer.prediction import Predicted
from recollect.vocabulary.acts import Act
from recollect.vocabulary.audiences import Viewer
from recollect.vocabulary.errors import InvalidInput
from recollect.vocabulary.memory import Memory
from recollect.vocabulary.spaces import Space

Progress = Callable[[int, str], None]


class Learning:
    """Learn from sessions, and predict what comes next."""

    def __init__(
        self,
        learner: Learner,
        commit_lessons: Callable[[], CommitLessons],
        viewer: Viewer,
        space: Space,
    ) -> None:
        self._learner = learner
        self._commit_lessons = commit_lessons
        self._viewer = viewer
        self._space = space

    def learn(self, observer: Observer, *, succeeded: bool = True) -> Lesson:
        """Store what a finished session taught."""
        return self._learner.learn(self._viewer, self._space, observer, succeeded=succeeded)

    def subtask_done(self, observer: Observer) -> Lesson:
        """Store what a validated piece of a long session taught; the session continues."""
        return self._learner.learn(self._viewer, self._space, observer, over=False)

    def learn_together(self, observers: Sequence[Observer]) -> Lesson:
        """Store what agents working in parallel observed; shared observations count more."""
        if not observers:
            raise InvalidInput("Give at least one observer.")
        found: list[Candidate] = merge([one.candidates() for one in observers])
        sketches = {path: each for one in observers for path, each in one.sketches().items()}
        first = observers[0]
        held = next((one.held for one in observers if one.held), None)
        report = Report(first.facts(), found, first.session_type, sketches, held=held)
        return self._learner.learn_from(self._viewer, self._space, report)

    def replay(
        self,
        source: str | PathLike[str],
        *,
        session_type: str = SessionType.BUILD,
        progress: Progress | None = None,
    ) -> list[Lesson]:
        """Learn from transcripts of finished sessions, in chronological order."""
        path = Path(source)
        if not path.exists():
            raise InvalidInput(f"There is no file {str(path)!r}.")
        lessons: list[Lesson] = []
        for session, acts in _sessions(path):
            observer = Observer(session, session_type=SessionType(session_type))
            for act in self._learner.named_events(self._viewer, self._space, session, acts):
                observer.observe(act)
            observer.accept()  # whoever learns from a transcript says that its work is over
            lessons.append(self.learn(observer))
            if progress is not None:
                progress(len(lessons), session)
        return lessons

    def bootstrap(self, root: str | PathLike[str]) -> int:
        """Learn from a repository's commits which files change together; how many were new."""
        return self._learner.bootstrap(self._viewer, self._space, commits_of(Path(root)))

    def learn_messages(self, root: str | PathLike[str]) -> list[Memory]:
        """Keep what the messages of a repository's commits state as lasting, each statement once:
        breaking changes, and labelled lines like ``Decision:``. Those of others wait for review.
        """
        place = Path(root)
        messages = messages_of(place, commits_of(place))
        return self._commit_lessons().learn(self._viewer, self._space, messages)

    @repeatable
    def predict(
        self, files: Iterable[str], *, prompt: str = "", branch: str = "", limit: int = 10
    ) -> list[Predicted]:
        """The files that a session which touched these will probably touch next."""
        return self._learner.experience.predict(
            self._viewer, self._space, list(files), prompt, branch=branch, limit=limit
        )

    @repeatable
    def together(self, files: Iterable[str], *, limit: int = 20) -> list[CoAccess]:
        """Files that are used together with these: weight from 0 to 1, order, time between, and the
        types of the sessions."""
        return self._learner.experience.together(self._viewer, self._space, list(files), limit)


def _sessions(path: Path) -> Iterator[tuple[str, list[Act]]]:
    from recollect.observer.replay import sessions_of
    from recollect.pages.formats.transcripts import acts_of

    for played in sessions_of(acts_of(path)):
        yield played.name, played.acts
