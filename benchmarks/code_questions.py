"""Questions about real code whose answers are known: patches and release notes, with their trees.

A question is what somebody wrote about a change; its answer is the source files that the change
touched, tests, documentation and packaging left out; its tree is the code before it. Two sources,
both fetched with the ordinary clients into a scratch folder:

* ``patches``: source packages of the machine's own distribution carry fixes taken from upstream,
  each with its commit message. ``long`` asks the same with the subject alone and the added test as
  the reproduction, between the headings and version tables that trackers ask for.
* ``notes``: entries of Django's release notes, asked of the first release of that branch. Which
  files an entry means was read from the differences of the releases (``sets/django_notes.tsv``).
"""

import json
import re
import subprocess
import sys
import tarfile
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Final

SETS: Final = Path(__file__).parent / "sets"
_SUITES: Final = "bullseye bookworm trixie sid bullseye-security bookworm-security".split()
_HEADER: Final = re.compile(
    r"^(?:From|Date|Author|Origin|Bug(?:-[\w-]+)?|Forwarded|Applied-Upstream|Last-Updates?|"
    r"Reviewed-[Bb]y|Signed-off-by|Acked-by|Co-authored-by|Change-Id|Index|Closes-Bug|Related-Bug|"
    r"Partial-Bug|Generated-By|Assisted-By|Depends-On|Tested-by|Backported-by|Cc|Fixes|Comment|"
    r"Debian-Bug|Bug_Debian|Upstream|Backport|X-[\w-]+|Conflicts?|MIME-Version|Content-[\w-]+|"
    r"This patch header follows DEP-3.*)\s*:.*$|^From [0-9a-f]{40} .*$|^\(cherry.picked from.*$|"
    r"^\(backported from.*$|^commit [0-9a-f]{40}$|^Merge:? .*$",
    re.M,
)
_SUBJECT: Final = re.compile(r"^(?:Subject|Description):\s*", re.M)
_NUMBERED: Final = re.compile(r"^\[PATCH[^\]]*\]\s*")
_BODY: Final = re.compile(r"^(?:---(?: .*)?$|diff |Index: |\+\+\+ )", re.M)
_CHANGED: Final = re.compile(r"^\+\+\+ (\S+)", re.M)
_NOT_SOURCE: Final = re.compile(
    r"(?:^|/)(?:tests?|testing|docs?|examples?|benchmarks?|debian|releasenotes|tools|ci|scripts)(?:/|\Z)"
    r"|(?:^|/)(?:test_[^/]*|[^/]*_tests?|tests|setup|conf|conftest|_?version|noxfile|tasks)\.py\Z"
    r"|(?:^|/)unittests?/"
)
_OURS: Final = re.compile(
    r"debian|shebang|reproducib|intersphinx|privacy|packag(?:e|ing) |sphinx|/usr/|build-dep|vendor|"
    r"system copy|systemd|lintian|distribution|no longer ship|FTBFS|# DP:|FIXME|^Revert",
    re.I,
)
_LEAST, _MAX_GOLD, _MAX_PATCHES = 40, 5, 25
#: Packages of Python whose patches are mostly upstream's own fixes.
PACKAGES: Final = (
    "ansible-core barbican beets cairosvg cinder cloud-init cyborg dask.distributed designate "
    "flask fonttools glance gunicorn horizon ipython ironic jinja2 joblib keystone lava mistral "
    "nbconvert neutron nova numba onionshare pandas patroni pillow pymatgen pymodbus pyopenssl "
    "python-aiohttp python-asyncssh python-authlib python-cryptography python-django python-git "
    "python-httplib2 python-markdown python-mitogen python-oslo.messaging python-pip "
    "python-pyramid python-reportlab python-scrapy python-tornado python-urllib3 "
    "python-werkzeug python3.11 python3.13 python3.9 starlette swift sympy toil tryton-server "
    "twisted waitress"
).split()
_TEMPLATE: Final = (
    "{subject}\n\n### Describe the bug\n\nI expected this to work, but it does not.\n\n"
    "### How to Reproduce\n\n```python\n{code}\n```\n\n### Expected behavior\n\nNo error.\n\n"
    "### Environment\n\n- OS: Linux-5.15.0-x86_64-with-glibc2.31\n- Python version: 3.9.7\n"
    "- pip list: wheel 0.37.1, setuptools 58.1.0, packaging 21.3\n\n"
    "- [x] I have searched the existing issues\n"
)


@dataclass(frozen=True)
class Question:
    """One question: where it is asked, what it says, which files answer it."""

    name: str
    package: str
    tree: str
    text: str
    gold: tuple[str, ...]


def is_source(path: str) -> bool:
    """Whether a path is code that a fix is looked for in."""
    return path.endswith(".py") and not _NOT_SOURCE.search(path)


# --- Patches --------------------------------------------------------------------------------------


class Packages:
    """Source packages, by the machine's own client and its configured mirrors."""

    def __init__(self, scratch: Path, suites: Iterable[str] = _SUITES) -> None:
        self._scratch = scratch / "apt"
        self._options: list[str] = []
        self._prepare(list(suites))

    def _prepare(self, suites: list[str]) -> None:
        for folder in ("lists/partial", "cache/archives/partial"):
            (self._scratch / folder).mkdir(parents=True, exist_ok=True)
        listed = self._scratch / "sources.list"
        if not listed.exists():
            lines = [
                f"deb-src {place}{'-security' * suite.endswith('-security')} {suite} main"
                for suite in suites
                for place in _mirrors()
            ]
            listed.write_text("\n".join(lines) + "\n")
        self._options = [
            part
            for option in (
                f"Dir::Etc::sourcelist={listed}",
                "Dir::Etc::sourceparts=-",
                f"Dir::State::lists={self._scratch / 'lists'}",
                f"Dir::Cache={self._scratch / 'cache'}",
                "APT::Sandbox::User=root",
            )
            for part in ("-o", option)
        ]
        if not any((self._scratch / "lists").glob("*Sources*")):
            self._run("apt-get", "update")

    def _run(self, *command: str, folder: Path | None = None) -> str:
        done = subprocess.run(
            [command[0], *self._options, *command[1:]],
            cwd=folder,
            capture_output=True,
            text=True,
            check=False,
        )
        return done.stdout

    def versions(self, package: str) -> list[str]:
        """The versions that the mirrors tell of."""
        told = self._run("apt-cache", "showsrc", package)
        named = rf"^Package: {re.escape(package)}$.*?^Version: (\S+)$"
        return sorted(set(re.findall(named, told, re.M | re.S)))

    def fetched(self, package: str, version: str, *, whole: bool) -> Path | None:
        """The folder of a package's files: its patches, or with ``whole`` its sources."""
        folder = self._scratch.parent / "packages" / f"{package}_{version.rpartition(':')[2]}"
        folder.mkdir(parents=True, exist_ok=True)
        wanted = [] if whole else ["--diff-only"]
        have = list(folder.glob("*.orig.tar.*" if whole else "*.debian.tar.*"))
        if not have:
            command = ("apt-get", "source", *wanted, "--download-only", f"{package}={version}")
            self._run(*command, folder=folder)
        found = list(folder.glob("*.orig.tar.*" if whole else "*.debian.tar.*"))
        return folder if found else None


def _mirrors() -> list[str]:
    """The addresses that the machine's client is set up with."""
    told = subprocess.run(
        ["apt-get", "indextargets", "--format", "$(REPO_URI)"],
        capture_output=True,
        text=True,
        check=False,
    ).stdout
    found = {line.rstrip("/").removesuffix("-security") for line in told.split()}
    return sorted(place for place in found if place.endswith("/debian"))


def unpacked(archives: Iterable[Path], target: Path, only: str = "") -> Path:
    """A folder with what archives hold, their own top folder left out."""
    for archive in archives:
        if archive.name.endswith(".asc"):
            continue
        with tarfile.open(archive) as tar:
            for member in tar:
                name = member.name.removeprefix("./")
                below = name if only else name.partition("/")[2]
                if member.isfile() and below and name.startswith(only) and ".." not in below:
                    place = target / below
                    place.parent.mkdir(parents=True, exist_ok=True)
                    data = tar.extractfile(member)
                    place.write_bytes(data.read() if data else b"")
    return target


def of_patches(scratch: Path, names: Iterable[str] = PACKAGES) -> Iterator[Question]:
    """Every usable patch of packages, each change once however many versions carry it."""
    packages = Packages(scratch)
    for package in names:
        known: set[tuple[bool, str]] = set()
        for version in packages.versions(package):
            folder = packages.fetched(package, version, whole=False)
            if folder is None:
                continue
            here = unpacked(folder.glob("*.debian.tar.*"), folder / "debian", only="debian/patches")
            found = []
            for question in _of_folder(package, folder, here / "debian" / "patches"):
                key = question.name.endswith(":long"), question.text.partition("\n")[0].casefold()
                if key not in known and len(known) < 2 * _MAX_PATCHES:
                    known.add(key)
                    found.append(question)
            if not found or packages.fetched(package, version, whole=True) is None:
                continue
            tree = folder / "tree"
            if not tree.exists():
                unpacked(sorted(folder.glob("*.orig.tar.*")), tree)
            yield from (one for one in found if all((tree / path).is_file() for path in one.gold))


def _of_folder(package: str, folder: Path, patches: Path) -> Iterator[Question]:
    series = patches / "series"
    listed = series.read_text("utf-8", "replace").splitlines() if series.exists() else []
    for line in listed:
        name = line.split("#")[0].strip().split(" ")[0]
        patch = patches / name
        if not name or not patch.is_file():
            continue
        text = patch.read_text("utf-8", "replace")
        message, changed = message_of(text), _changed(text)
        gold = tuple(sorted({path for path in changed if is_source(path)}))
        if not 1 <= len(gold) <= _MAX_GOLD or len(message) < _LEAST or _OURS.search(message):
            continue
        tree = str(folder / "tree")
        yield Question(f"{package}:{name}", package, tree, message, gold)
        code = _added_tests(text)
        if len(code) >= _LEAST:
            subject = message.partition("\n")[0]
            long = _TEMPLATE.format(subject=subject, code=code)
            yield Question(f"{package}:{name}:long", package, tree, long, gold)


def message_of(patch: str) -> str:
    """What a patch says of itself, the headers and the list of files left out."""
    found = _BODY.search(patch)
    head = patch[: found.start()] if found else patch
    head = re.sub(r"\n[ \t]+(?=\S)", lambda one: one[0], head)
    head = _SUBJECT.sub("", _HEADER.sub("", head))
    lines = [re.sub(r"^ (?=\S)|^ \.$", "", line).rstrip() for line in head.splitlines()]
    text = re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()
    return _NUMBERED.sub("", text)


def _changed(patch: str) -> list[str]:
    named = (name.partition("/")[2] or name for name in _CHANGED.findall(patch))
    return [name for name in named if name != "dev/null"]


def _added_tests(patch: str) -> str:
    """The lines that a patch adds to tests, as somebody would show what does not work."""
    lines: list[str] = []
    inside = False
    for line in patch.splitlines():
        if line.startswith("+++ "):
            inside = line.endswith(".py") and not is_source(line.split()[1].partition("/")[2])
        elif inside and line.startswith("+"):
            lines.append(line[1:])
    return "\n".join(lines)[:6_000]


# --- Release notes --------------------------------------------------------------------------------


def of_notes(scratch: Path, package: str = "django") -> Iterator[Question]:
    """The entries of release notes whose files are told in a list of ours."""
    labels = [
        line.split("\t")
        for line in (SETS / f"{package}_notes.tsv").read_text("utf-8").splitlines()
        if line and not line.startswith("#")
    ]
    newest = sdist(scratch, package, max((one[0] for one in labels), key=_version))
    for release, start, files in labels:
        branch = ".".join(release.split(".")[:2])
        entry = _entry(newest / "docs" / "releases" / f"{release}.txt", start)
        tree = sdist(scratch, package, branch)
        gold = tuple(files.split(","))
        if entry and all((tree / path).is_file() for path in gold):
            yield Question(f"{package}:{release}:{start}", package, str(tree), entry, gold)


def _version(text: str) -> tuple[int, ...]:
    return tuple(map(int, text.split(".")))


def entries_of(notes: Path) -> list[str]:
    """The entries of one release: bullets, and the sections of security fixes."""
    text = notes.read_text("utf-8")
    found = [
        " ".join(entry.split())
        for entry in re.findall(r"^\* (.+?)(?=^\* |^\S|\Z)", text, re.M | re.S)
    ]
    sections = re.findall(r"^(CVE-[^\n]+)\n=+\n(.+?)(?=^CVE-|^Bugfixes|\Z)", text, re.M | re.S)
    return found + [f"{title}\n\n{body.strip()}" for title, body in sections]


def _entry(notes: Path, start: str) -> str:
    return next((one for one in entries_of(notes) if start in one), "")


def sdist(scratch: Path, package: str, version: str) -> Path:
    """The unpacked source distribution of one version."""
    folder = scratch / "sdists" / f"{package}-{version}"
    if not (folder / "tree").exists():
        command = ["download", "--quiet", "--no-deps", "--no-binary", ":all:", "-d", str(folder)]
        # An environment that uv made has no pip of its own; the one on the path does as well.
        pip = [sys.executable, "-m", "pip"] if find_spec("pip") else ["pip"]
        subprocess.run([*pip, *command, f"{package}=={version}"], check=True)
        unpacked(folder.glob("*.tar.*"), folder / "tree")
    return folder / "tree"


# --- Keeping --------------------------------------------------------------------------------------


def saved(questions: Iterable[Question], place: Path) -> list[Question]:
    """Write questions down, a line each."""
    kept = list(questions)
    place.write_text("".join(json.dumps(asdict(one)) + "\n" for one in kept), "utf-8")
    return kept


def loaded(place: Path) -> list[Question]:
    """Questions that were written down; texts of one's own can be asked in the same form."""
    found = []
    for line in place.read_text("utf-8").splitlines():
        values = json.loads(line)
        found.append(Question(**{**values, "gold": tuple(values["gold"])}))
    return found
