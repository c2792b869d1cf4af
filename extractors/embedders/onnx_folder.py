"""Any ONNX sentence-embedding model that lies in a folder with its tokenizer."""

from __future__ import annotations

import hashlib
import importlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from extractors.embedders.embedder_input import safe_text
from extractors.embedders.onnx_folder_settings import FolderSettings, Pooling, read_folder_settings
from extractors.embedders.onnx_session import onnxruntime_version, open_session, run_longest_first, run_session
from extractors.embedders.unit_vectors import unit_rows
from storage.errors import ConfigurationError, MissingExtraError, ModelError
from storage.ports import Side, Vector

_EXTRA = "onnx"
_SENTENCE_OUTPUT = "sentence_embedding"
_DIMENSION_PROBE = "dimensions"


class OnnxFolderEmbedder:
    """Embeds with ``model.onnx`` (or ``onnx/model.onnx``) and ``tokenizer.json`` of a folder.

    Read where they exist: ``1_Pooling/config.json`` (default: mean), ``config_sentence_transformers.json`` (prompts
    named query, and passage or document), and the token limit (default and at most 512). The model takes ``input_ids``
    and, if it has them, ``attention_mask``, ``token_type_ids`` and ``position_ids``. It gives one vector per token,
    which is pooled here, or one per text. One text per run: a vector never depends on its batch.

    Args:
        folder: where the files lie.
        query_prefix: put before every question, instead of what the folder says.
        passage_prefix: put before every passage, instead of what the folder says.
        threads: texts embedded at the same time.

    Attributes:
        name: hash of the files' contents and of how they are used, and onnxruntime's version; not the folder's path.
        dimensions: as the model gives.

    Raises:
        MissingExtraError: the ``onnx`` extra is not installed.
        ConfigurationError: a file is missing, or asks for something that is not supported.
        ModelError: the model cannot be loaded or run.
    """

    def __init__(
        self,
        folder: Path,
        *,
        query_prefix: str | None = None,
        passage_prefix: str | None = None,
        threads: int = 2,
    ) -> None:
        settings = read_folder_settings(folder)
        self._prefixes: dict[Side, str] = {
            "query": settings.query_prefix if query_prefix is None else query_prefix,
            "passage": settings.passage_prefix if passage_prefix is None else passage_prefix,
        }
        self._pooling: Pooling = settings.pooling
        self._threads = threads
        self._tokenizer = _open_tokenizer(settings)
        self.name = f"onnx-{_content_hash(settings, self._prefixes)}/onnxruntime-{onnxruntime_version(extra=_EXTRA)}"
        self._session = open_session(settings.model, label=str(settings.model), extra=_EXTRA)
        self._inputs = [entry.name for entry in self._session.get_inputs()]
        outputs = [entry.name for entry in self._session.get_outputs()]
        self._output = outputs.index(_SENTENCE_OUTPUT) if _SENTENCE_OUTPUT in outputs else 0
        if unknown := set(self._inputs) - {"input_ids", "attention_mask", "token_type_ids", "position_ids"}:
            raise ConfigurationError(
                f"The model {settings.model} wants inputs that a text does not give: {', '.join(sorted(unknown))}. "
                "Export it for feature extraction."
            )
        self.dimensions = len(self._run(self._tokenizer.encode(_DIMENSION_PROBE).ids))

    def embed(self, texts: Sequence[str], side: Side) -> Vector:
        """Return one unit vector per text, of shape (len(texts), dimensions).

        Args:
            texts: any strings; of each, the first 20,000 characters and then the model's token limit are read.
            side: selects the prefix.

        Raises:
            ModelError: the model fails, or gives a vector that is zero or not finite.
        """
        if not texts:
            return np.empty((0, self.dimensions), dtype=np.float32)
        prefix = self._prefixes[side]
        sequences: list[list[int]] = [self._tokenizer.encode(prefix + safe_text(text)).ids for text in texts]
        vectors = run_longest_first(self._run, sequences, length=len, threads=self._threads)
        return unit_rows(np.stack(vectors), model=self.name)

    def _run(self, ids: list[int]) -> Vector:
        if not ids:
            raise ModelError(
                f"The tokenizer of {self.name} makes no token of a text and adds none of its own. "
                "Export the tokenizer with its special tokens."
            )
        length = len(ids)
        feeds = {
            "input_ids": np.array([ids], np.int64),
            "attention_mask": np.ones((1, length), np.int64),
            "token_type_ids": np.zeros((1, length), np.int64),
            "position_ids": np.arange(length, dtype=np.int64)[None],
        }
        outputs = run_session(self._session, {name: feeds[name] for name in self._inputs}, label=self.name)
        return _pooled(np.asarray(outputs[self._output]), self._pooling, model=self.name)


def _pooled(output: np.ndarray[Any, Any], pooling: Pooling, *, model: str) -> Vector:
    """Turn (1, d) or (1, tokens, d) into (d,)."""
    if output.ndim == 2 and len(output) == 1:
        return np.asarray(output[0], dtype=np.float32)
    if output.ndim != 3 or len(output) != 1:
        raise ModelError(
            f"The model {model} gives an output of shape {output.shape}, neither (1, d) nor (1, tokens, d). "
            "Export it for feature extraction."
        )
    states = output[0]
    if pooling == "cls":
        pooled = states[0]
    elif pooling == "lasttoken":
        pooled = states[-1]
    else:
        pooled = states.max(axis=0) if pooling == "max" else states.mean(axis=0)
    return np.asarray(pooled, dtype=np.float32)


def _open_tokenizer(settings: FolderSettings) -> Any:
    try:
        tokenizers: Any = importlib.import_module("tokenizers")
    except ImportError as error:
        raise MissingExtraError("An ONNX embedding model in a folder", _EXTRA) from error
    try:
        tokenizer = tokenizers.Tokenizer.from_file(str(settings.tokenizer))
    except Exception as error:  # tokenizers raises plain Exception
        raise ConfigurationError(
            f"{settings.tokenizer} is not a tokenizer that this version can read: {error}. Export it again."
        ) from error
    tokenizer.enable_truncation(max_length=settings.max_tokens)
    tokenizer.no_padding()
    return tokenizer


def _content_hash(settings: FolderSettings, prefixes: dict[Side, str]) -> str:
    digest = hashlib.sha256(repr((settings.pooling, settings.max_tokens, sorted(prefixes.items()))).encode())
    for path in settings.files:
        with path.open("rb") as file:
            digest.update(hashlib.file_digest(file, "sha256").digest())
    return digest.hexdigest()[:16]
