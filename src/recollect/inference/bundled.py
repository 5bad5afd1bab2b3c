"""Bundled files of the default embedder: static weights and the Llama 2 tokenizer of `wordllama`.

The built wheel includes them (hatch_build.py), so that nobody has to install that package and its
30 MB of dependencies. When run from source, they are taken from the installed package.

Invariant: that package is located, never imported (importing it configures logging, and its own
loader would download), and a file that is missing or damaged is one clear error.
"""

from __future__ import annotations

import json
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from recollect.inference.llama_tokenizer import LlamaTokenizer
from recollect.vocabulary.errors import EmbedderUnavailable

WEIGHTS_FILE: Final = "weights/l2_supercat_256.safetensors"
TOKENIZER_FILE: Final = "tokenizers/l2_supercat_tokenizer_config.json"
_TENSOR: Final = "embedding.weight"
_LONGEST_HEADER: Final = 1 << 20
#: Where the wheel has the two files; a source folder has none.
CARRIED: Final = Path(__file__).parent / "wordllama"
_REINSTALL: Final = "Install Recollect again, or: pip install --force-reinstall wordllama"


def bundled_folder() -> Path | None:
    """The folder with the files, or None if neither the wheel nor the package provides them."""
    if CARRIED.is_dir():
        return CARRIED
    spec = find_spec("wordllama")
    if spec is None or not spec.submodule_search_locations:
        return None
    return Path(spec.submodule_search_locations[0])


def bundled_file(name: str, folder: Path | None = None) -> Path:
    """The path of one shipped file, in the given folder or in the installed package."""
    folder = folder or bundled_folder()
    if folder is None:
        raise EmbedderUnavailable(
            "The static embedding weights are not installed.", hint="pip install wordllama"
        )
    path = folder / name
    if not path.is_file():
        raise EmbedderUnavailable(f"The file {name} is not in {folder}.", hint=_REINSTALL)
    return path


def load_tokenizer(path: Path) -> LlamaTokenizer:
    """The Llama 2 tokenizer; shared within a process."""
    try:
        return _tokenizer(path, *_version(path))
    except (OSError, ValueError) as error:
        raise EmbedderUnavailable(
            f"The tokenizer {path} cannot be read.", hint=_REINSTALL
        ) from error


def open_weights(path: Path) -> NDArray[np.float16]:
    """The token vectors, memory-mapped once per process; pages are read on first access."""
    try:
        return _weights(path, *_version(path))
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise EmbedderUnavailable(f"The weights {path} cannot be read.", hint=_REINSTALL) from error


def _version(path: Path) -> tuple[int, int]:
    """Fingerprint of a file's version: modification time and size."""
    status = path.stat()
    return status.st_mtime_ns, status.st_size


@lru_cache(maxsize=2)
def _tokenizer(path: Path, _written: int, _size: int) -> LlamaTokenizer:
    return LlamaTokenizer(path)


@lru_cache(maxsize=2)
def _weights(path: Path, _written: int, _size: int) -> NDArray[np.float16]:
    shape, offset = _weights_layout(path)
    return np.asarray(np.memmap(path, dtype="<f2", mode="r", offset=offset, shape=shape))


def _weights_layout(path: Path) -> tuple[tuple[int, int], int]:
    """Shape and byte offset of the tensor: 8 bytes of header length, a JSON header, then data."""
    with path.open("rb") as file:
        header_size = int.from_bytes(file.read(8), "little")
        if header_size > _LONGEST_HEADER:
            raise ValueError("the header is longer than any real one")
        tensor = json.loads(file.read(header_size))[_TENSOR]
    rows, dims = tensor["shape"]
    start, end = tensor["data_offsets"]
    offset = 8 + header_size + start
    if tensor["dtype"] != "F16" or end - start != rows * dims * 2:
        raise ValueError("the tensor is not a table of float16 numbers")
    if path.stat().st_size < offset + rows * dims * 2:
        raise ValueError("the file ends before its tensor does")
    return (rows, dims), offset
