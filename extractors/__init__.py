"""From text to chunks and proposed relations: loaders, chunking, English and Chinese extraction, embedders."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from extractors.bilingual import BilingualExtractor
from extractors.chunkers.by_kind import KindChunker
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

if TYPE_CHECKING:
    from extractors.english import EnglishExtractor
    from extractors.user_rules import UserRules


@lru_cache(maxsize=1)
def default_extractor() -> BilingualExtractor:
    """The offline extractor for English and Chinese; its models are loaded at the first text of each language."""
    return extractor_with_rules(None)


def extractor_with_rules(rules: UserRules | None) -> BilingualExtractor:
    """The offline extractor, with rules of the user's own beside the built-in ones."""
    from extractors.chinese import ChineseExtractor
    from extractors.chinese_statements import ChineseStatements
    from extractors.document_cues import DocumentCues
    from extractors.english_statements import EnglishStatements

    english = _english()
    beside = [DocumentCues({"en": EnglishStatements(english), "zh": ChineseStatements()})]
    own: RelationExtractor | None = None
    if rules is not None:
        from extractors.user_rules import UserRuleExtractor
        from extractors.user_rules_chinese import ChineseUserRules
        from extractors.user_rules_english import EnglishUserRules

        readers: dict[str, RelationExtractor] = {}
        if cues := rules.of("en"):
            readers["en"] = EnglishUserRules(cues, english)
        if cues := rules.of("zh"):
            readers["zh"] = ChineseUserRules(cues)
        own = UserRuleExtractor(rules, readers)
    return BilingualExtractor({"en": english, "zh": ChineseExtractor()}, beside, own=own)


@lru_cache(maxsize=1)
def _english() -> EnglishExtractor:
    """One for all, for its parser."""
    from extractors.english import EnglishExtractor

    return EnglishExtractor()


def default_chunker(size_tokens: int = 350, overlap: float = 0.12) -> Chunker:
    """The chunker for every kind of text: about ``size_tokens`` a chunk; in prose the share ``overlap`` is repeated."""
    return KindChunker(size_tokens=size_tokens, overlap=overlap)


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
    "extractor_with_rules",
]
