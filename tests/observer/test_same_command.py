"""Which command lines run again what was refused: by what they run, not by how they are written."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.observer.same_command import repeats, same_program
from recollect.observer.shell_lines import MOST, READ, runs

PUSH = "git push origin main"
MIGRATE = "npm run migrate"
DOWN = "docker compose down -v"

AGAIN = [
    (PUSH, "git push origin main"),
    (PUSH, "cd app && git push origin main"),
    (PUSH, "git -C app push origin main"),
    (PUSH, "GIT_SSH=x git push origin main"),
    (PUSH, "git push --force origin main"),
    (PUSH, "git push origin main --force"),
    (PUSH, "git push -u origin main 2>&1 | tail -5"),
    (PUSH, "git push origin HEAD:main"),
    (PUSH, "git push origin +main"),
    (PUSH, "git add -A; git commit -m 'x'; git push origin main"),
    (PUSH, "git commit -m x || git push origin main"),
    (PUSH, "(cd app; git push origin main)"),
    (PUSH, "{ git push origin main; }"),
    (PUSH, "sudo -u ann git push origin main"),
    (PUSH, "env GIT_SSH=x git push origin main"),
    (PUSH, "time git push origin main"),
    (PUSH, "nohup git push origin main &"),
    (PUSH, "timeout 30 git push origin main"),
    (PUSH, "bash -c 'git push origin main'"),
    (PUSH, 'bash -lc "cd app && git push origin main"'),
    (PUSH, "eval git push origin main"),
    (PUSH, "echo $(git push origin main)"),
    (PUSH, 'echo "$(git push origin main)"'),
    (PUSH, "echo `git push origin main`"),
    (PUSH, "if git diff --quiet; then git push origin main; fi"),
    (PUSH, "for x in 1 2; do git push origin main; done"),
    (PUSH, "/usr/bin/git push origin main"),
    (PUSH, "git push \\\n  origin main"),
    (PUSH, "git push 'origin' \"main\""),
    (PUSH, "# push it\ngit push origin main"),
    (PUSH, "git commit -F - <<'EOF'\na message\nEOF\ngit push origin main"),
    (PUSH, "git push origin main > /dev/null"),
    ("git push --force", "git push -f origin feature"),
    ("git push", "git push origin main"),
    ("git commit -m 'one'", 'git commit -am "another"'),
    ("git commit --amend --no-edit", "git commit --amend -m x"),
    ("git commit -m 'x'", "git commit -m \"$(cat <<'EOF'\nfix: a 'thing'\nEOF\n)\""),
    (MIGRATE, "cd api && npm run migrate"),
    (MIGRATE, "npm --prefix api run migrate"),
    (MIGRATE, "npm run migrate -- --to 5"),
    (MIGRATE, "npm run-script migrate"),
    (DOWN, "sudo docker compose down -v"),
    (DOWN, "make x; docker compose down -v"),
    (DOWN, "docker-compose down -v"),
    (DOWN, "docker compose -f dev.yml down --volumes"),
    (DOWN, "docker compose down -v --remove-orphans"),
    ("rm -rf build", "rm -r -f build"),
    ("rm -rf build", "rm --recursive --force ./build dist"),
    ("rm -rf build", "find . -name build | xargs rm -rf build"),
    ("npx prisma migrate reset", "pnpm exec prisma migrate reset --force"),
    ("pytest tests/a.py", "python3 -m pytest tests/b.py"),
    ("go test ./a/...", "go test ./... -run X"),
    ("make deploy", "make -C app test deploy"),
    ("python manage.py migrate", "cd web && uv run ./manage.py migrate"),
    ("./deploy.sh prod", "bash scripts/deploy.sh prod"),
    ("kubectl delete pod x", "kubectl -n dev delete pod x"),
    ("pip install flask", "pip3 install flask"),
]
OTHER = [
    (PUSH, "git push --tags"),
    (PUSH, "git push origin feature"),
    (PUSH, "git push origin main-2"),
    (PUSH, "git push --dry-run origin main"),
    (PUSH, "git push --help"),
    (PUSH, "git push"),
    (PUSH, "git pull origin main"),
    (PUSH, "echo 'git push origin main'"),
    (PUSH, "grep -rn 'git push origin main' docs"),
    (PUSH, "git commit -m 'git push origin main'"),
    (PUSH, "cat > run.sh <<EOF\ngit push origin main\nEOF"),
    (PUSH, "ls # git push origin main"),
    (PUSH, ""),
    (PUSH, "'"),
    ("git commit --amend", "git commit -a -m x"),
    ("git push --force", "git push origin main"),
    (MIGRATE, "npm run build"),
    (MIGRATE, "npm run test"),
    (MIGRATE, "npm install migrate"),
    (DOWN, "docker compose up"),
    (DOWN, "docker compose logs -f"),
    (DOWN, "docker compose down"),
    (DOWN, "docker compose up -d -v"),
    ("rm -rf build", "rm -rf dist"),
    ("rm -rf build", "rm build"),
    ("make deploy", "make test"),
    ("kubectl -n prod delete pod x", "kubectl -n dev delete pod x"),
    ("go test ./a/...", "go build ./a/..."),
    ("", "git push"),
    ("python manage.py migrate", "python manage.py test"),
]


@pytest.mark.parametrize(("refused", "line"), AGAIN)
def test_a_refused_command_is_known_however_it_is_written(refused: str, line: str) -> None:
    assert repeats(refused, line)


@pytest.mark.parametrize(("refused", "line"), OTHER)
def test_another_command_is_not_the_refused_one(refused: str, line: str) -> None:
    assert not repeats(refused, line)


def test_of_a_chain_that_counts_which_the_refusal_speaks_of() -> None:
    chain = "git add -A && git commit -m 'x' && git push origin main"
    said = "never push without asking"
    assert repeats(chain, "git push origin main", said)
    assert not repeats(chain, "git add -A", said)
    assert not repeats(chain, "git push origin main")
    assert repeats(chain, "git add -A; git commit -m y; git push origin main")


@pytest.mark.parametrize(
    ("known", "line", "same"),
    [
        ("go test ./a", "cd x && go test ./b -run Y", True),
        ("go test ./a", "go build ./a", False),
        ("npm run lint", "pnpm run lint", False),
        ("npm run lint", "npm run lint -- --fix", True),
        ("npm run lint", "npm run test", False),
        ("make lint", "make test", False),
        ("golangci-lint run ./...", "golangci-lint run ./pkg/x", True),
        ("git status", "ls", False),
    ],
)
def test_the_same_program_whatever_it_runs_on(known: str, line: str, same: bool) -> None:
    assert same_program(known, line) is same


def test_folders_variables_and_interpreters_are_told_apart() -> None:
    (first,) = runs("cd services/api && A=1 B=2 go -C cmd test ./...")
    assert (first.folder, first.variables) == ("services/api/cmd", ("A", "B"))
    (second,) = runs("python3.12 tools/build.py --all")
    assert (second.program, second.interpreter) == ("build.py", "python3.12")
    (third,) = runs("export A=1; npm test")
    assert third.variables == ("A",)


WORDS = st.sampled_from(
    ["git", "push", "origin", "main", "-f", "--force", "make", "x.py", "rm", "-rf", "npm", "run"]
)
PROGRAMS = st.sampled_from(
    ["git", "make", "./x.py", "rm", "npm run", "docker compose", "python x.py"]
)
COMMANDS = st.builds(
    lambda *parts: " ".join((parts[0], *parts[1])), PROGRAMS, st.lists(WORDS, max_size=5)
)
SHELL = st.text(alphabet="abgit \t\n'\"`$(){}<>|&;#\\-=/.0EOF", max_size=200)


@given(SHELL, SHELL)
def test_nothing_that_is_typed_throws(one: str, other: str) -> None:
    assert isinstance(repeats(one, other), bool)
    assert len(runs(one)) <= MOST


@given(st.text(max_size=300))
def test_any_text_is_read(text: str) -> None:
    for run in runs(text):
        assert run.written


@given(COMMANDS)
def test_a_command_repeats_itself_and_what_stands_around_it_changes_nothing(command: str) -> None:
    around = [
        "{}",
        "cd app && {}",
        "A=b {}",
        "sudo {}",
        "({})",
        "ls; {} | tail -3",
        "bash -c '{}'",
        "{} 2>&1",
        "echo $({})",
    ]
    known = bool(runs(command))
    assert [repeats(command, one.format(command)) for one in around] == [known] * len(around)


@given(COMMANDS, WORDS)
def test_more_words_do_not_make_it_another_command(command: str, more: str) -> None:
    if runs(command):
        assert repeats(command, f"{command} {more}")


@pytest.mark.parametrize(
    "piece", ["(", "$(", '"', "'", "`", "<<A ", "\\", '"$(', "a=", "{ ", "sudo "]
)
def test_reading_takes_time_linear_in_the_line(piece: str) -> None:
    def seconds(size: int) -> float:
        line = piece * (size // len(piece))
        best = 9.0
        for _ in range(3):
            began = time.process_time()
            runs(line)
            best = min(best, time.process_time() - began)
        return best

    assert seconds(READ) < 0.05 + 16 * seconds(READ // 4)
