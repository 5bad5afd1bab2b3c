"""What changes together is summed up commit by commit; what is new is read alone."""

import random
from pathlib import Path

import pytest

import recollect
from recollect.codegraph.co_change import (
    COMMITS,
    HistoryUpdate,
    co_changed_pairs,
    commits_of,
    read_new_commits,
)
from recollect.engine import Recollect
from recollect.storage.code import graph, history
from recollect.trust.authorisation import authorise
from tests.codegraph.projects import commit, git, with_history

FILES = ("a.py", "b.py", "lib/c.py", "lib/d.py", "notes.md")


class Author:
    """Commits at random: changes, renames, files that go, a branch that is merged."""

    def __init__(self, root: Path, dice: random.Random) -> None:
        self.root, self._dice, self._number = root, dice, 0
        for path in FILES:
            self._write(path)
        commit(root, "first")

    def work(self) -> None:
        self._dice.choice([self._change, self._change, self._rename, self._drop, self._merge])()

    def _files(self) -> list[str]:
        return sorted(git(self.root, "ls-files").split())

    def _write(self, path: str) -> None:
        self._number += 1
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        text = target.read_text() if target.exists() else f"# {path}\n" * 20
        target.write_text(f"{text}x{self._number} = {self._number}\n")

    def _change(self) -> None:
        chosen = [*FILES, *self._files()]
        for path in self._dice.sample(chosen, self._dice.randint(1, 4)):
            self._write(path)
        commit(self.root, "a change")

    def _rename(self) -> None:
        old = self._dice.choice(self._files())
        self._number += 1
        git(self.root, "mv", old, f"moved{self._number}.py")
        commit(self.root, "a new name")

    def _drop(self) -> None:
        if len(self._files()) > 2:
            git(self.root, "rm", "--quiet", self._dice.choice(self._files()))
        commit(self.root, "less")

    def _merge(self) -> None:
        git(self.root, "checkout", "--quiet", "-b", "side")
        self._change()
        git(self.root, "checkout", "--quiet", "-")
        git(self.root, "merge", "--quiet", "--no-ff", "-m", "merged", "side")
        git(self.root, "branch", "--quiet", "-D", "side")


@pytest.mark.parametrize("seed", range(4))
def test_what_was_added_is_what_all_of_it_comes_to(tmp_path: Path, seed: int) -> None:
    dice = random.Random(seed)
    author = Author(tmp_path, dice)
    known = read_new_commits(tmp_path, {}, None, 0)
    for _ in range(6):
        last = git(tmp_path, "rev-parse", "HEAD").strip()
        for _ in range(dice.randint(1, 3)):
            author.work()
        known = read_new_commits(tmp_path, known.sums, last, known.weighed)
        anew = read_new_commits(tmp_path, {}, None, 0)
        assert known.weighed == anew.weighed
        assert known.sums.keys() == anew.sums.keys()
        for pair, told in known.sums.items():
            assert told == pytest.approx(anew.sums[pair])


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    return with_history(tmp_path / "shop")


def _from(root: Path, last: str | None, known: HistoryUpdate) -> HistoryUpdate:
    return read_new_commits(root, known.sums, last, known.weighed)


def test_only_new_commits_are_read(shop: Path) -> None:
    last = git(shop, "rev-parse", "HEAD").strip()
    known = read_new_commits(shop, {}, None, 0)
    assert known.commits == known.weighed == 4
    assert _from(shop, last, known) == HistoryUpdate(known.sums, 4, 0)
    (shop / "shop/tax.py").write_text("RATE = 0.3\n")
    commit(shop, "Another rate")
    assert _from(shop, last, known)[1:] == (5, 1)


@pytest.mark.parametrize("how", ["amended", "reset", "unknown", "older index", "too much"])
def test_history_that_does_not_lead_on_is_read_anew(shop: Path, how: str) -> None:
    last: str | None = git(shop, "rev-parse", "HEAD").strip()
    known = read_new_commits(shop, {}, None, 0)
    if how == "amended":
        git(shop, "commit", "--quiet", "--amend", "-m", "said otherwise")
    elif how == "reset":
        git(shop, "reset", "--quiet", "--hard", "HEAD~2")
    elif how == "unknown":
        last = "0" * 40
    elif how == "older index":
        known = known._replace(weighed=0)
    else:
        known = known._replace(weighed=2 * COMMITS)
    again = _from(shop, last, known)
    assert again == read_new_commits(shop, {}, None, 0)
    assert again.commits == (2 if how == "reset" else 4)


def test_a_file_that_takes_the_name_of_another_is_read_anew(shop: Path) -> None:
    known = read_new_commits(shop, {}, None, 0)
    last = git(shop, "rev-parse", "HEAD").strip()
    git(shop, "rm", "--quiet", "shop/prices.py")
    commit(shop, "No prices")
    git(shop, "mv", "shop/cart.py", "shop/prices.py")
    commit(shop, "The cart is the prices")
    again = _from(shop, last, known)
    assert again == read_new_commits(shop, {}, None, 0)
    assert again.sums["shop/prices.py", "shop/prices.py"] == (6, 6)


def test_the_history_of_a_renamed_file_comes_along(shop: Path) -> None:
    git(shop, "mv", "shop/cart.py", "shop/basket.py")
    commit(shop, "A basket")
    commits = commits_of(shop)
    assert commits.renamed == {"shop/cart.py": "shop/basket.py"}
    pairs = {
        (one.first, one.second): one.commits
        for one in co_changed_pairs(_from(shop, None, HistoryUpdate({}, 0, 0)).sums)
    }
    assert pairs["shop/basket.py", "shop/prices.py"] == 4


def _sums(memory: Recollect) -> history.Sums:
    with memory._services.code.questions._database.reading() as transaction:
        access = authorise(transaction, memory.viewer, memory.space)
        assert graph.get_index(transaction, access) is not None
        return history.sums(transaction, access)


def test_an_index_adds_what_was_committed_since(shop: Path, tmp_path: Path) -> None:
    with recollect.open(tmp_path / "m.db", embedder="none", worker=False) as memory:
        assert memory.code.index(shop).commits == 4
        assert memory.code.index(shop).commits == 0
        git(shop, "mv", "shop/cart.py", "shop/basket.py")
        commit(shop, "A basket")
        assert memory.code.index(shop).commits == 1
        git(shop, "commit", "--quiet", "--amend", "-m", "A basket, said otherwise")
        assert memory.code.index(shop).commits == 5
        fresh = memory.within(space="fresh")
        fresh.code.index(shop)
        assert _sums(memory) == _sums(fresh)
        assert ("shop/basket.py", "shop/prices.py") in _sums(memory)
