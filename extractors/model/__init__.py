"""Extraction with a chat model: it quotes, code finds the quotes; alone or beside the offline extractor."""

from extractors.model.hybrid import HybridExtractor
from extractors.model.model_extractor import DEFAULT_PROMPT, ModelExtractor

__all__ = ["DEFAULT_PROMPT", "HybridExtractor", "ModelExtractor"]
