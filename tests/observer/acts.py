"""Acts for tests: a session told in a few words."""

from datetime import UTC, datetime, timedelta
from typing import Any

from recollect.observer.observer import Observer
from recollect.vocabulary.acts import Act, ActKind, Origin

START = datetime(2026, 5, 1, 9, 0, tzinfo=UTC)


class Story:
    """Tells a session act by act; each call is a step, each act a second."""

    def __init__(self, session: str = "s1", start: datetime = START, branch: str = "") -> None:
        self.session = session
        self.branch = branch
        self.start = start
        self.acts: list[Act] = []
        self.step = 0

    def prompt(self, text: str) -> "Story":
        return self._add(ActKind.PROMPT, text, origin=Origin.USER)

    def answer(self, text: str) -> "Story":
        return self._add(ActKind.ANSWER, text)

    def think(self, text: str) -> "Story":
        return self._add(ActKind.REASONING, text)

    def call(
        self, tool: str, path: str | None = None, agent: str | None = None, **arguments: Any
    ) -> "Story":
        self.step += 1
        paths = () if path is None else (path,)
        return self._add(
            ActKind.CALL,
            "",
            tool=tool,
            call=f"c{self.step}",
            arguments=arguments,
            paths=paths,
            agent=agent,
        )

    def result(self, text: str = "", **fields: Any) -> "Story":
        return self._add(ActKind.RESULT, text, **self._of_call(), **fields)

    def fail(self, text: str) -> "Story":
        return self._add(ActKind.FAILURE, text, **self._of_call())

    def refuse(self, words: str = "") -> "Story":
        return self._add(ActKind.REFUSAL, words, origin=Origin.USER, **self._of_call())

    def bash(self, command: str, output: str = "ok") -> "Story":
        return self.call("Bash", command=command).result(output)

    def read(self, path: str, text: str = "") -> "Story":
        return self.call("Read", path, file_path=path).result(text, paths=(path,))

    def edit(self, path: str, old: str = "", new: str = "") -> "Story":
        return self.call("Edit", path, old_string=old, new_string=new).result()

    def observed(self, **options: Any) -> Observer:
        observer = Observer(self.session, **options)
        for act in self.acts:
            observer.observe(act)
        return observer

    def _of_call(self) -> dict[str, Any]:
        call = next(act for act in reversed(self.acts) if act.kind is ActKind.CALL)
        return {"tool": call.tool, "call": call.call}

    def _add(self, kind: ActKind, text: str, **fields: Any) -> "Story":
        at = self.start + timedelta(seconds=len(self.acts))
        self.acts.append(Act(self.session, self.step, kind, at, text, branch=self.branch, **fields))
        return self
