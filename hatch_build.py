"""Puts the static embedder's two files into the wheel, so that installing it needs nobody else's.

They come from the package `wordllama` (MIT licence, which is put beside them). It is installed only
while the wheel is built; with it, every user would also install `tokenizers`, `huggingface-hub` and
what these need. An editable installation carries no files: there the package itself is used.
"""

from importlib.metadata import distribution
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

FILES = ("weights/l2_supercat_256.safetensors", "tokenizers/l2_supercat_tokenizer_config.json")
FOLDER = "recollect/inference/wordllama"


class CarriedWeights(BuildHookInterface):  # type: ignore[misc]
    """Adds the files to a wheel that is built to be installed elsewhere."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Name each file and the place it gets in the wheel."""
        if version == "editable":
            return
        spec = find_spec("wordllama")
        if spec is None or not spec.submodule_search_locations:
            raise RuntimeError("The wheel carries files of the package wordllama: install it.")
        package = Path(spec.submodule_search_locations[0])
        include = build_data["force_include"]
        for name in FILES:
            include[str(package / name)] = f"{FOLDER}/{name}"
        (licence,) = (
            Path(str(file.locate()))
            for file in distribution("wordllama").files or []
            if file.name == "LICENSE"
        )
        include[str(licence)] = f"{FOLDER}/LICENSE"
