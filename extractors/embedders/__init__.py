"""Backends of the ``Embedder`` port: text to unit vectors.

Importing this package loads neither onnxruntime nor a client library; each backend imports what it needs when it is
made or first used.
"""

from __future__ import annotations

from extractors.embedders.cache import CachedEmbedder
from extractors.embedders.e5 import E5Embedder
from extractors.embedders.onnx_folder import OnnxFolderEmbedder
from extractors.embedders.openai_compatible import OpenAIEmbedder
from extractors.embedders.registry import EMBEDDER_CHOICES, open_embedder, setting_of
from extractors.embedders.use import UniversalSentenceEmbedder

__all__ = [
    "EMBEDDER_CHOICES",
    "CachedEmbedder",
    "E5Embedder",
    "OnnxFolderEmbedder",
    "OpenAIEmbedder",
    "UniversalSentenceEmbedder",
    "open_embedder",
    "setting_of",
]
