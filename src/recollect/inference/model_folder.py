"""A folder with a sentence model in ONNX form, and what it says about how the model is used.

The folder is as downloaded from model hubs: ``model.onnx`` (or ``onnx/model.onnx``) and
``tokenizer.json``, with the small files of settings beside them. How token vectors become one
vector (pooling) and how many tokens the model reads at once are part of a model: read wrongly they
give vectors that look sound and find little. What no file says is taken from tables here.
"""

import json
from pathlib import Path
from typing import Any, Final, Literal

from recollect.vocabulary.errors import EmbedderUnavailable

Pooling = Literal["mean", "cls", "lasttoken"]

_MODELS: Final = ("model.onnx", "onnx/model.onnx")
_TOKENIZER: Final = "tokenizer.json"
#: The files that say how many tokens a model reads at once, and the name it has there.
_LENGTHS: Final = (
    ("sentence_bert_config.json", "max_seq_length"),
    ("tokenizer_config.json", "model_max_length"),
    ("config.json", "max_position_embeddings"),
)
_USUAL_LENGTH: Final = 512
_LONGEST: Final = 8_192
_POOLING: Final = "1_Pooling/config.json"
_POOLINGS: Final[tuple[Pooling, ...]] = ("mean", "cls", "lasttoken")
#: Models that take the vector of the first token, where their folder does not say so: copies made
#: for ONNX often lack that file.
_FIRST_TOKEN: Final = ("bge-", "gte-base-en-v1.5", "gte-large-en-v1.5", "mxbai-", "snowflake-")


class ModelFolder:
    """The files of a model, and its settings. Opening it reads no weights."""

    def __init__(self, folder: str) -> None:
        self.path = Path(folder).expanduser()
        self.name = self.path.resolve().name
        models = [name for name in _MODELS if (self.path / name).is_file()]
        if not models or not (self.path / _TOKENIZER).is_file():
            raise EmbedderUnavailable(
                f"{folder} holds no model: there must be a model.onnx and a tokenizer.json.",
                hint="Set embedder_model to the folder of a sentence model in ONNX form.",
            )
        self.model_file = models[0]
        self.tokenizer = self.path / _TOKENIZER
        self.size = (self.path / self.model_file).stat().st_size
        self.longest = self._longest()
        self.pooling = self._pooling()
        #: How it is used, as part of its name: read in another way it gives other vectors.
        self.reading = f"{self.pooling}{self.longest}"

    @property
    def dims(self) -> int | None:
        """How many dimensions its vectors have, as far as its files say."""
        told = self._settings("config.json").get("hidden_size")
        return told if isinstance(told, int) else None

    def _longest(self) -> int:
        """How many tokens the model reads at once: the least that a file of it says."""
        said = [self._settings(file).get(name) for file, name in _LENGTHS]
        told = [one for one in said if isinstance(one, int) and 0 < one <= 10**9]
        return min([*told, _LONGEST]) if told else _USUAL_LENGTH

    def _pooling(self) -> Pooling:
        settings = self._settings(_POOLING)
        modes = [
            name.removeprefix("pooling_mode_").removesuffix("_tokens").removesuffix("_token")
            for name, used in settings.items()
            if name.startswith("pooling_mode_") and used is True
        ]
        if isinstance(settings.get("pooling_mode"), str):
            modes = [settings["pooling_mode"]]
        if not modes:
            return "cls" if self._takes_first_token() else "mean"
        for known in _POOLINGS:
            if modes == [known]:
                return known
        raise EmbedderUnavailable(
            f"The model in {self.path} joins its tokens by {' and '.join(modes)}.",
            hint=f"What is known here: {', '.join(_POOLINGS)}.",
        )

    def _takes_first_token(self) -> bool:
        origin = str(self._settings("config.json").get("_name_or_path", ""))
        names = self.name.lower(), origin.rsplit("/", 1)[-1].lower()
        return any(name.startswith(_FIRST_TOKEN) for name in names)

    def _settings(self, name: str) -> dict[str, Any]:
        """What a file of settings says; nothing if it is not there or cannot be read."""
        try:
            told = json.loads((self.path / name).read_text("utf-8"))
        except (OSError, ValueError):
            return {}
        return told if isinstance(told, dict) else {}
