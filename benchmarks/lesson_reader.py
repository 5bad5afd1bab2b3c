"""Lessons by a reader in the place of a model, through the real task and over loopback.

python -m benchmarks.lesson_reader write TRANSCRIPTS LESSONS FOLDER [SESSIONS]
python -m benchmarks.lesson_reader score TRANSCRIPTS LESSONS FOLDER

``write`` puts the prompt of each session into FOLDER as NAME.prompt.txt. A reader who has not seen
the annotated lessons writes what a model would answer into NAME.answer.json. ``score`` serves
these answers over HTTP on loopback and measures what is then promoted. What else is asked, which of
the rules' findings last, is written there as ID.prompt.txt and answered from ID.answer.json.
"""

import hashlib
import json
import sys
from collections.abc import Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import ClassVar

from recollect.engine.for_surfaces import lessons_of, sessions_of
from recollect.engine.transcripts import acts_of
from recollect.inference.chat_model import ModelChoice, choose_model
from recollect.inference.tasks import Tasks, filled, prompt_of
from recollect.observer.candidates import Candidate
from recollect.observer.lesson_figures import figures_of
from recollect.observer.lesson_task import LESSONS, SessionLines, model_lessons
from recollect.observer.material import numbered
from recollect.observer.observer import Observer, Report
from recollect.observer.promotion import Judge
from recollect.observer.replay import Played


def main() -> None:
    """Write the prompts, or score the answers."""
    what, data, gold, folder = sys.argv[1], *map(Path, sys.argv[2:5])
    lessons = lessons_of(gold)
    wanted = {lesson.session for lesson in lessons}
    sessions = [played for played in sessions_of(acts_of(data)) if played.name in wanted]
    if what == "write":
        folder.mkdir(parents=True, exist_ok=True)
        named = sys.argv[5].split(",") if len(sys.argv) > 5 else []
        for played in sessions:
            if not named or any(played.name.startswith(name) for name in named):
                path = folder / f"{played.name}.prompt.txt"
                path.write_text(_prompt(_report(played)), "utf-8")
        return
    answered = [one for one in sessions if (folder / f"{one.name}.answer.json").is_file()]
    print(json.dumps(figures_of(answered, lessons, _promoted(answered, folder)), indent=2))


def _report(played: Played) -> Report:
    observer = Observer(played.name)
    for act in played.acts:
        observer.observe(act)
    return observer.report()


def _prompt(report: Report) -> str:
    question = prompt_of(LESSONS.name).partition("\n---\n")[2]
    return filled(question, SessionLines(numbered(report.material)), LESSONS.longest)


class _Answers(BaseHTTPRequestHandler):
    """Answers each prompt with what the reader wrote for it; other tasks get no verdict."""

    protocol_version = "HTTP/1.1"
    written: ClassVar[dict[str, str]] = {}
    folder: ClassVar[Path]

    def log_message(self, format: str, *arguments: object) -> None:
        """Say nothing."""

    def do_POST(self) -> None:
        """The recorded answer."""
        asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
        prompt = asked["messages"][-1]["content"].strip()
        says = self.written.get(prompt) or self._other(prompt)
        body = json.dumps({"choices": [{"message": {"role": "assistant", "content": says}}]})
        self.send_response(200)
        self.send_header("content-length", str(len(body.encode())))
        self.end_headers()
        self.wfile.write(body.encode())

    def _other(self, prompt: str) -> str:
        name = hashlib.sha256(prompt.encode()).hexdigest()[:12]
        (self.folder / f"{name}.prompt.txt").write_text(prompt, "utf-8")
        answer = self.folder / f"{name}.answer.json"
        return answer.read_text("utf-8") if answer.is_file() else '{"verdicts": []}'


def _promoted(sessions: Sequence[Played], folder: Path) -> dict[str, tuple[Candidate, ...]]:
    reports = {played.name: _report(played) for played in sessions}
    for name, report in reports.items():
        _Answers.written[_prompt(report).strip()] = (folder / f"{name}.answer.json").read_text()
    _Answers.folder = folder
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Answers)
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        url = f"http://127.0.0.1:{server.server_address[1]}/v1"
        read = model_lessons(Tasks(choose_model(ModelChoice("openai", "reader", url))))
        return {
            name: Judge().judge(read("space", report), {}, []).promoted
            for name, report in reports.items()
        }
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


if __name__ == "__main__":
    main()
