"""Reads how a folder in the layout of sentence-transformers wants its model to be used."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

from storage.errors import ConfigurationError

Pooling = Literal["mean", "cls", "max", "lasttoken"]

_DEFAULT_TOKENS = 512
_QUERY_PROMPTS = ("query",)
_PASSAGE_PROMPTS = ("passage", "document", "corpus")
# Older folders hold one flag per way of pooling instead of its name.
_POOLING_FLAGS: dict[str, Pooling] = {
    "pooling_mode_mean_tokens": "mean",
    "pooling_mode_cls_token": "cls",
    "pooling_mode_max_tokens": "max",
    "pooling_mode_lasttoken": "lasttoken",
}
_HARMLESS_MODULES = ("Transformer", "Pooling", "Normalize")  # vectors are brought to unit length in any case


@dataclass(frozen=True)
class FolderSettings:
    """What the folder's files say.

    Attributes:
        model: the ONNX file.
        tokenizer: the ``tokenizer.json``.
        pooling: how token vectors become one vector.
        max_tokens: longest input, with the special tokens.
        query_prefix: put before every question.
        passage_prefix: put before every passage.
        files: all files whose content decides about a vector.
    """

    model: Path
    tokenizer: Path
    pooling: Pooling
    max_tokens: int
    query_prefix: str
    passage_prefix: str
    files: tuple[Path, ...]


def read_folder_settings(folder: Path) -> FolderSettings:
    """Read ``folder``: the model and the tokenizer are required, everything else has a default.

    Raises:
        ConfigurationError: a required file is missing, or a file asks for something that is not supported.
    """
    model = _first_file(folder, ("model.onnx", "onnx/model.onnx"))
    tokenizer = _first_file(folder, ("tokenizer.json", "onnx/tokenizer.json"))
    _refuse_further_layers(folder / "modules.json")
    prompts = _read_object(folder / "config_sentence_transformers.json").get("prompts") or {}
    weights_beside = tuple(sorted(path for path in model.parent.glob("*.onnx_data*") if path.is_file()))
    return FolderSettings(
        model=model,
        tokenizer=tokenizer,
        pooling=_pooling(folder / "1_Pooling" / "config.json"),
        max_tokens=_max_tokens(folder),
        query_prefix=_first_prompt(prompts, _QUERY_PROMPTS),
        passage_prefix=_first_prompt(prompts, _PASSAGE_PROMPTS),
        files=(model, *weights_beside, tokenizer),
    )


def _first_file(folder: Path, names: tuple[str, ...]) -> Path:
    for name in names:
        if (path := folder / name).is_file():
            return path
    raise ConfigurationError(
        f"The embedding model folder {folder} holds no {' or '.join(names)}. "
        "Export the model to ONNX with its tokenizer.json, or give another folder."
    )


def _read_object(path: Path) -> dict[str, Any]:
    if not path.is_file():
        return {}
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ConfigurationError(f"{path} cannot be read as JSON: {error}. Repair or remove it.") from error
    if not isinstance(content, dict):
        raise ConfigurationError(f"{path} does not hold a JSON object. Repair or remove it.")
    return content


def _pooling(path: Path) -> Pooling:
    settings = _read_object(path)
    named = settings.get("pooling_mode")
    flags = [flag for flag, on in settings.items() if flag.startswith("pooling_mode_") and on is True]
    chosen = [str(named)] if named else flags
    if not chosen:
        return "mean"
    if len(chosen) == 1:
        for pooling in get_args(Pooling):
            if pooling == _POOLING_FLAGS.get(chosen[0], chosen[0]):
                result: Pooling = pooling
                return result
    raise ConfigurationError(
        f"{path} asks for the pooling {', '.join(chosen)}. Supported is one of {', '.join(get_args(Pooling))}."
    )


def _max_tokens(folder: Path) -> int:
    limits = [
        _read_object(folder / "sentence_bert_config.json").get("max_seq_length"),
        _read_object(folder / "config.json").get("max_position_embeddings"),
        _read_object(folder / "tokenizer_config.json").get("model_max_length"),
    ]
    # A tokenizer without a limit states one of 10**30.
    usable = [limit for limit in limits if isinstance(limit, int) and 8 <= limit <= 1_000_000]
    return min([_DEFAULT_TOKENS, *usable])


def _first_prompt(prompts: object, names: tuple[str, ...]) -> str:
    if isinstance(prompts, dict):
        for name in names:
            if isinstance(prompt := prompts.get(name), str):
                return prompt
    return ""


def _refuse_further_layers(path: Path) -> None:
    if not path.is_file():
        return
    try:
        modules = json.loads(path.read_text(encoding="utf-8"))
        kinds = [str(module["type"]).rpartition(".")[2] for module in modules]
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise ConfigurationError(f"{path} cannot be read: {error}. Repair or remove it.") from error
    if further := [kind for kind in kinds if kind not in _HARMLESS_MODULES]:
        raise ConfigurationError(
            f"{path} asks for layers that are not supported: {', '.join(further)}. "
            "Export them into the ONNX model and remove them from this file, or choose another model."
        )
