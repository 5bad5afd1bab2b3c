"""The built wheel tried as a new user would: install, five examples, uninstall, in empty places.

    python -m benchmarks.wheel_trial

Wheel and source archive are built and checked. What they need is fetched into a folder once; then
pip, uv and pipx install from that folder alone, without the network where this machine lets a
process be cut off from it (`unshare`). The five examples are those of docs/index.md. At the end
stands what the base installation weighs. It needs uv.
"""

import argparse
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
import venv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.examples import FIVE_USES, ROOT, blocks, commands

LARGEST = 8


@dataclass(frozen=True, slots=True)
class Way:
    """One way to install: what is typed before, to install, and to uninstall."""

    name: str
    before: tuple[tuple[str, ...], ...]
    install: tuple[str, ...]
    uninstall: tuple[str, ...]
    command: Path


class Trial:
    """All that is made lies in one folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.house = folder / "wheelhouse"
        self.cut_off = _can_cut_off()
        self.environment = {
            **{name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ},
            "HOME": str(folder / "home"),
            "UV_TOOL_DIR": str(folder / "uv-tools"),
            "UV_TOOL_BIN_DIR": str(folder / "uv-bin"),
            "UV_CACHE_DIR": str(folder / "uv-cache"),
            "PIPX_HOME": str(folder / "pipx"),
            "PIPX_BIN_DIR": str(folder / "pipx-bin"),
        }
        (folder / "home").mkdir()

    def build(self) -> list[Path]:
        """Wheel and source archive, checked as an index would check them."""
        out = self.folder / "dist"
        _run(["uv", "build", "--quiet", "--out-dir", str(out), str(ROOT)])
        made = sorted([*out.glob("*.whl"), *out.glob("*.tar.gz")])
        _run(["uv", "tool", "run", "--quiet", "twine", "check", "--strict", *map(str, made)])
        return made

    def fetch(self, wheel: Path) -> int:
        """Everything the wheel needs, into one folder; how many files."""
        self.python("fetch")
        _run([*self._pip("fetch"), "download", "--dest", str(self.house), f"{wheel}[all]"])
        self.python("pipx-itself")
        _run([*self._pip("pipx-itself"), "install", "pipx"])
        shutil.copy(wheel, self.house)
        return len(list(self.house.iterdir()))

    def python(self, name: str) -> Path:
        """An empty environment with pip."""
        place = self.folder / name
        venv.create(place, with_pip=True)
        return place / "bin" / "python"

    def _pip(self, name: str) -> list[str]:
        return [
            *(str(self.folder / name / "bin" / "python"), "-m", "pip"),
            *("--quiet", "--disable-pip-version-check"),
        ]

    def ways(self) -> list[Way]:
        """pip, uv and pipx."""
        from_house = ("--no-index", "--find-links", str(self.house))
        pip = tuple(self._pip("pip"))
        pipx = str(self.folder / "pipx-itself" / "bin" / "pipx")
        uv = shutil.which("uv") or "uv"
        return [
            Way(
                "pip",
                ((sys.executable, "-m", "venv", str(self.folder / "pip")),),
                (*pip, "install", *from_house, "recollect[all]"),
                (*pip, "uninstall", "--yes", "recollect"),
                self.folder / "pip" / "bin" / "recollect",
            ),
            Way(
                "uv tool",
                (),
                (uv, "tool", "install", "--quiet", "--offline", *from_house, "recollect[all]"),
                (uv, "tool", "uninstall", "--quiet", "recollect"),
                self.folder / "uv-bin" / "recollect",
            ),
            Way(
                "pipx",
                ((pipx, "environment"),),
                (pipx, "install", f"--pip-args={shlex.join(from_house)}", "recollect[all]"),
                (pipx, "uninstall", "recollect"),
                self.folder / "pipx-bin" / "recollect",
            ),
        ]

    def tried(self, way: Way) -> str:
        """Install, run the examples, uninstall; a line of the table."""
        for words in way.before:
            _run(words, self.environment)
        began = time.monotonic()
        _run([*self.cut_off, *way.install], self.environment)
        took = time.monotonic() - began
        done = self._examples(way)
        _run(way.uninstall, self.environment)
        gone = "yes" if not way.command.exists() else "NO"
        return f"{way.name:8} {took:>9.0f} s {f'{done} of {len(FIVE_USES)}':>9} {gone:>5}"

    def _examples(self, way: Way) -> int:
        """How many of the five uses end well and say what they should."""
        place = self.folder / f"project {way.name}"
        (place / "src").mkdir(parents=True)
        (place / "src" / "app.py").write_text("def run():\n    return 1\n")
        home = {**self.environment, "HOME": str(place), "RECOLLECT_DB": str(place / "memory.db")}
        good = 0
        for block in blocks(ROOT / "docs" / "index.md"):
            said, name = "", ""
            for _, *words in commands(block):
                name = words[0]
                said = _run([*self.cut_off, str(way.command), *words], home, place)
            good += FIVE_USES[name] in said
        return good

    def weighed(self, wheel: Path) -> str:
        """What an installation without any part weighs: bytes of files, compiled ones apart."""
        self.python("base")
        _run(
            [*self._pip("base"), "install", "--no-index", f"--find-links={self.house}", str(wheel)]
        )
        (site,) = (self.folder / "base" / "lib").glob("python*/site-packages")
        sizes: dict[str, int] = {}
        compiled = 0
        for file in site.rglob("*"):
            top = file.relative_to(site).parts[0]
            if file.is_dir() or top.split("-")[0] in {"pip", "setuptools", "_distutils_hack"}:
                continue
            if file.suffix == ".pyc":
                compiled += file.stat().st_size
            else:
                sizes[top] = sizes.get(top, 0) + file.stat().st_size
        most = sorted(sizes, key=lambda name: -sizes[name])[:LARGEST]
        told = ", ".join(f"{name} {sizes[name] / 1e6:.0f}" for name in most)
        return (
            f"the base installation weighs {sum(sizes.values()) / 1e6:.1f} MB ({told});\n"
            f"pip adds {compiled / 1e6:.1f} MB of compiled files, which Python makes anew"
        )


def _can_cut_off() -> list[str]:
    """How a command is run without network here; nothing where that cannot be."""
    words = ["unshare", "--user", "--map-root-user", "--net"]
    if shutil.which("unshare") is None:
        return []
    done = subprocess.run([*words, "true"], capture_output=True, check=False)
    return words if done.returncode == 0 else []


def _run(
    words: Sequence[str], environment: Mapping[str, str] | None = None, place: Path | None = None
) -> str:
    done = subprocess.run(
        list(words), env=environment, cwd=place, capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        raise SystemExit(f"{shlex.join(words)}\nfailed:\n{done.stdout}{done.stderr}")
    return done.stdout


def main() -> None:
    """Do all of it and print."""
    argparse.ArgumentParser(description=__doc__.split("\n")[0]).parse_args()
    with tempfile.TemporaryDirectory(prefix="recollect-wheel-") as name:
        trial = Trial(Path(name))
        made = trial.build()
        for file in made:
            print(f"{file.name:40} {file.stat().st_size / 1e6:6.1f} MB, checked")
        wheel = next(file for file in made if file.suffix == ".whl")
        print(f"{trial.fetch(wheel)} files were fetched; from here on nothing is")
        network = "cut off" if trial.cut_off else "there, but not used (--no-index)"
        print(f"the network is {network}\n")
        print(f"{'way':8} {'installed':>11} {'examples':>9} {'gone':>5}")
        for way in trial.ways():
            print(trial.tried(way), flush=True)
        print(f"\n{trial.weighed(wheel)}")


if __name__ == "__main__":
    main()
