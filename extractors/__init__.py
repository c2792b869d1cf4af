"""From text to chunks and proposed relations: loaders, chunking, English and Chinese extraction, embedders."""

from __future__ import annotations

from functools import lru_cache

from extractors.bilingual import BilingualExtractor
from extractors.chunking import StructureChunker
from extractors.language import detect_language
from extractors.ports import (
    Chunker,
    ChunkSpan,
    ExtractedRelation,
    ExtractionResult,
    Loader,
    RelationExtractor,
    TextSpan,
)
from storage.stored_text import stored_text


@lru_cache(maxsize=1)
def default_extractor() -> BilingualExtractor:
    """The offline extractor for English and Chinese; its models are loaded at the first text of each language."""
    from extractors.chinese import ChineseExtractor
    from extractors.english import EnglishExtractor

    return BilingualExtractor({"en": EnglishExtractor(), "zh": ChineseExtractor()})


def default_chunker(size_tokens: int = 350, overlap: float = 0.12) -> Chunker:
    """The chunker for prose: about ``size_tokens`` a chunk, of which the share ``overlap`` repeats the one before."""
    return StructureChunker(size_tokens=size_tokens, overlap=overlap)


def extract(text: str) -> ExtractionResult:
    """The relations that ``text`` states, with offsets into it; needs no store, no network and no key.

    Offsets refer to the stored form of the text (:func:`storage.stored_text.stored_text`), which is the text itself
    unless it holds carriage returns, NUL or lone surrogates.

    >>> extract("The port closed because the access road was flooded.").relations[0].tail.text
    'The port closed'
    """
    normal = stored_text(text)
    return default_extractor().extract(normal, detect_language(normal))


__all__ = [
    "BilingualExtractor",
    "ChunkSpan",
    "Chunker",
    "ExtractedRelation",
    "ExtractionResult",
    "Loader",
    "RelationExtractor",
    "StructureChunker",
    "TextSpan",
    "default_chunker",
    "default_extractor",
    "detect_language",
    "extract",
]
