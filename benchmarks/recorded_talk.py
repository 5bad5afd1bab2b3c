"""Records a conversation as a person sees it in a terminal: twenty messages, each a process.

``python -m benchmarks.recorded_talk FILE`` says each message with ``recollect say`` to a store of
its own and writes down what comes back, word for word.
"""

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final

MESSAGES: Final = (
    "Hi! I'm Nadia, I'm vegetarian and I live in Lyon.",
    "ok thanks",
    "my sister Ines is allergic to walnuts",
    "What should I cook tonight?",
    "I work as a physiotherapist at the Croix-Rousse hospital",
    "Please keep your answers short from now on",
    "where do I live?",
    "We moved to Bordeaux last May.",
    "where do I live?",
    "what is my diet?",
    "If I won the lottery I'd buy a boat",
    "my dentist appointment is on 12 March at 9:30",
    "oops, I meant 10:30",
    "when is my dentist appointment?",
    "what do you remember about Ines?",
    "what is my shoe size?",
    "forget about walnuts",
    "yes",
    "what do you remember about Ines?",
    "what do you know about me?",
)


def recorded(db: Path) -> str:
    """The conversation, with what each process printed."""
    lines: list[str] = []
    for message in MESSAGES:
        said = subprocess.run(
            [sys.executable, "-m", "recollect", "--db", str(db), "say", message],
            capture_output=True,
            text=True,
            check=False,
        )
        lines += [f"$ recollect say {message!r}", *(said.stdout or said.stderr).splitlines(), ""]
    return "\n".join(line.rstrip() for line in lines)


def main() -> None:
    """Write the conversation into a file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        options.file.write_text(recorded(Path(folder) / "talk.db"), encoding="utf-8")


if __name__ == "__main__":
    main()
