"""The ONNX folder embedder on a tiny model whose vectors can be worked out by hand."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from extractors.embedders import OnnxFolderEmbedder
from storage.errors import ConfigurationError, ModelError

onnx = pytest.importorskip("onnx")
tokenizers = pytest.importorskip("tokenizers")

VOCABULARY = {"[UNK]": 0, "[CLS]": 1, "storm": 2, "port": 3, "ask": 4}
# The model looks up one row per token, so a text's vector is the mean (or first, largest, last) of these.
ROWS = np.array([[0, 0, 1], [0, 4, 0], [3, 0, 0], [0, 2, 2], [8, 0, 0]], dtype=np.float32)


def write_model(path: Path, *, rank: int = 3, inputs: tuple[str, ...] = ("input_ids", "attention_mask")) -> None:
    nodes = [onnx.helper.make_node("Gather", ["rows", "input_ids"], ["states"])]
    if rank == 2:
        axes = onnx.numpy_helper.from_array(np.array([1], np.int64), "axes")
        nodes.append(onnx.helper.make_node("ReduceMax", ["states", "axes"], ["sentence_embedding"], keepdims=0))
    output = "states" if rank == 3 else "sentence_embedding"
    graph = onnx.helper.make_graph(
        nodes,
        "tiny",
        [onnx.helper.make_tensor_value_info(name, onnx.TensorProto.INT64, ["batch", "tokens"]) for name in inputs],
        [onnx.helper.make_tensor_value_info(output, onnx.TensorProto.FLOAT, [None] * rank)],
        initializer=[onnx.numpy_helper.from_array(ROWS, "rows"), *([axes] if rank == 2 else [])],
    )
    model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 18)], ir_version=9)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(model.SerializeToString())


def write_json(path: Path, content: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content), encoding="utf-8")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "model"
    write_model(folder / "model.onnx")
    tokenizer = tokenizers.Tokenizer(tokenizers.models.WordLevel(VOCABULARY, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    tokenizer.post_processor = tokenizers.processors.TemplateProcessing(
        single="[CLS] $A", special_tokens=[("[CLS]", 1)]
    )
    tokenizer.save(str(folder / "tokenizer.json"))
    return folder


def unit(*values: float) -> Any:
    return pytest.approx(np.array(values) / np.linalg.norm(values), abs=1e-6)


def test_the_default_is_the_mean_over_all_tokens(folder: Path) -> None:
    embedder = OnnxFolderEmbedder(folder)
    # [CLS] storm port: (0,4,0) + (3,0,0) + (0,2,2) = (3,6,2)
    vector = embedder.embed(["storm port"], "passage")[0]
    assert embedder.dimensions == 3
    assert vector.dtype == np.float32
    assert vector == unit(3, 6, 2)


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({"pooling_mode": "cls"}, (0, 4, 0)),
        ({"pooling_mode_cls_token": True, "pooling_mode_mean_tokens": False}, (0, 4, 0)),
        ({"pooling_mode_max_tokens": True}, (3, 4, 2)),
        ({"pooling_mode_lasttoken": True}, (0, 2, 2)),
        ({"pooling_mode_mean_tokens": True, "word_embedding_dimension": 3}, (3, 6, 2)),
    ],
)
def test_pooling_is_what_the_folder_says(folder: Path, settings: dict[str, Any], expected: tuple[float, ...]) -> None:
    write_json(folder / "1_Pooling" / "config.json", settings)
    assert OnnxFolderEmbedder(folder).embed(["storm port"], "passage")[0] == unit(*expected)


def test_prompts_tell_the_sides_apart_and_arguments_win(folder: Path) -> None:
    write_json(folder / "config_sentence_transformers.json", {"prompts": {"query": "ask ", "document": ""}})
    embedder = OnnxFolderEmbedder(folder)
    assert embedder.embed(["storm"], "query")[0] == unit(11, 4, 0)
    assert embedder.embed(["storm"], "passage")[0] == unit(3, 4, 0)
    other = OnnxFolderEmbedder(folder, query_prefix="", passage_prefix="port ")
    assert other.embed(["storm"], "query")[0] == unit(3, 4, 0)
    assert other.embed(["storm"], "passage")[0] == unit(3, 6, 2)
    assert other.name != embedder.name


def test_the_token_limit_of_the_folder_holds(folder: Path) -> None:
    write_json(folder / "sentence_bert_config.json", {"max_seq_length": 8})
    vector = OnnxFolderEmbedder(folder).embed(["storm " * 7 + "port " * 50], "passage")[0]
    assert vector == unit(21, 4, 0)  # [CLS] and seven storms


def test_a_model_in_the_onnx_subfolder_with_its_own_pooling(folder: Path) -> None:
    (folder / "model.onnx").unlink()
    write_model(folder / "onnx" / "model.onnx", rank=2, inputs=("input_ids", "attention_mask", "token_type_ids"))
    assert OnnxFolderEmbedder(folder).embed(["storm port"], "passage")[0] == unit(3, 4, 2)


def test_the_name_is_of_the_content_and_not_of_the_place(folder: Path, tmp_path: Path) -> None:
    name = OnnxFolderEmbedder(folder).name
    copy = shutil.copytree(folder, tmp_path / "elsewhere")
    assert OnnxFolderEmbedder(copy).name == name
    write_json(copy / "1_Pooling" / "config.json", {"pooling_mode": "cls"})
    assert OnnxFolderEmbedder(copy).name != name
    assert "elsewhere" not in name


def test_a_vector_does_not_depend_on_its_batch(folder: Path) -> None:
    embedder = OnnxFolderEmbedder(folder)
    texts = ["storm", "port storm ask", "nothing known", "ask"]
    together = embedder.embed(texts, "passage")
    assert [embedder.embed([text], "passage")[0].tobytes() for text in texts] == [row.tobytes() for row in together]
    assert embedder.embed([], "query").shape == (0, 3)


@pytest.mark.parametrize("text", ["", "a\0b", "\ud800", "\ufdfa" * 20_000, "x" * 1_000_000, "😀" * 999], ids=range(6))
def test_hostile_input_gives_a_unit_vector(folder: Path, text: str) -> None:
    vector = OnnxFolderEmbedder(folder).embed([text], "passage")[0]
    assert float(np.linalg.norm(vector)) == pytest.approx(1, abs=1e-6)


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("1_Pooling/config.json", '{"pooling_mode": "weightedmean"}', "weightedmean"),
        (
            "1_Pooling/config.json",
            '{"pooling_mode_cls_token": true, "pooling_mode_max_tokens": true}',
            "Supported is one",
        ),
        ("1_Pooling/config.json", "[]", "JSON object"),
        ("config.json", "{", "as JSON"),
        ("modules.json", '[{"type": "sentence_transformers.models.Dense"}]', "Dense"),
        ("modules.json", "{}x", "cannot be read"),
        ("tokenizer.json", "{}", "tokenizer"),
    ],
)
def test_a_folder_that_asks_for_more_is_refused(folder: Path, name: str, content: str, words: str) -> None:
    (folder / name).parent.mkdir(exist_ok=True)
    (folder / name).write_text(content)
    with pytest.raises(ConfigurationError, match=words):
        OnnxFolderEmbedder(folder)


def test_missing_damaged_and_unfit_models_are_typed_errors(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"model\.onnx"):
        OnnxFolderEmbedder(tmp_path / "absent")
    write_model(folder / "model.onnx", inputs=("input_ids", "pixel_values"))
    with pytest.raises(ConfigurationError, match="pixel_values"):
        OnnxFolderEmbedder(folder)
    (folder / "model.onnx").write_bytes(b"no model")
    with pytest.raises(ModelError, match="cannot be loaded"):
        OnnxFolderEmbedder(folder)
