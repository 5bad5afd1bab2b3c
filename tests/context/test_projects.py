"""One project has one space, from whichever worktree, clone or folder of it one looks."""

from pathlib import Path

from recollect.context.projects import branch_of, project_of


def repository(folder: Path, origin: str | None = None) -> Path:
    git = folder / ".git"
    (git / "worktrees").mkdir(parents=True)
    url = f'[remote "origin"]\n\tfetch = +refs\n\turl = {origin}\n' if origin else ""
    (git / "config").write_text(f"[core]\n\tbare = false\n{url}")
    return folder


def worktree(main: Path, folder: Path) -> Path:
    own = main / ".git" / "worktrees" / folder.name
    own.mkdir(parents=True)
    (own / "commondir").write_text("../..\n")
    folder.mkdir(parents=True)
    (folder / ".git").write_text(f"gitdir: {own}\n")
    return folder


def test_worktrees_and_folders_of_a_repository_are_one_project(tmp_path: Path) -> None:
    main = repository(tmp_path / "app")
    (main / "src" / "deep").mkdir(parents=True)
    other = worktree(main, tmp_path / "elsewhere" / "feature")

    spaces = {project_of(path).space for path in (main, main / "src" / "deep", other)}

    assert len(spaces) == 1
    assert project_of(main / "src").root == main
    assert project_of(other).root == other


def test_clones_of_one_remote_are_one_project(tmp_path: Path) -> None:
    by_ssh = repository(tmp_path / "a", "git@example.org:team/App.git")
    by_https = repository(tmp_path / "b", "https://user@example.org/team/App")
    fork = repository(tmp_path / "c", "https://example.org/other/App")

    assert project_of(by_ssh).space == project_of(by_https).space
    assert project_of(fork).space != project_of(by_ssh).space
    assert project_of(by_ssh).space.startswith("app-")


def test_same_names_in_other_places_are_other_projects(tmp_path: Path) -> None:
    one, two = repository(tmp_path / "x" / "app"), repository(tmp_path / "y" / "app")
    bare = tmp_path / "z" / "no repository"
    bare.mkdir(parents=True)

    assert project_of(one).space != project_of(two).space
    assert project_of(bare).root == bare
    assert project_of(bare).space.startswith("no-repository-")


def test_the_branch_of_a_repository_and_of_its_worktrees(tmp_path: Path) -> None:
    main = repository(tmp_path / "app")
    other = worktree(main, tmp_path / "feature")
    (main / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    (main / ".git" / "worktrees" / "feature" / "HEAD").write_text("ref: refs/heads/ann/dark\n")

    assert branch_of(main) == "main"
    assert branch_of(other) == "ann/dark"
    (main / ".git" / "HEAD").write_text("0123456789abcdef\n")
    assert branch_of(main) == ""
    assert branch_of(tmp_path / "nowhere") == ""
