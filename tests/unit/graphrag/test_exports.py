"""The public surface of the four packages is what is written here, and nothing else."""

from __future__ import annotations

import importlib

import pytest

PUBLIC = {
    "graphrag": [
        "Answer", "AsyncKnowledgeBase", "ChainsResult", "ClewError", "Document", "IngestReport", "KnowledgeBase",
        "LoadOptions", "RelationType", "RemovalReceipt", "SearchResult", "Settings", "View",
    ],
    "extractors": [
        "BilingualExtractor", "ChunkSpan", "Chunker", "ExtractedRelation", "ExtractionResult", "Loader",
        "RelationExtractor", "StructureChunker", "TextSpan", "default_chunker", "default_extractor", "detect_language",
        "extract", "extractor_with_rules",
    ],
    "storage": [],
    "feedback": [
        "Candidate", "Decision", "EvidenceFacts", "LedgerReport", "LinkFacts", "Quote", "ReviewItem", "ReviewLink",
        "StandingVerdict", "StoredItem", "accept", "check", "is_judged", "list_proposals", "list_stored", "propose",
        "reject", "reject_stored", "rollback", "show", "show_stored", "standing", "sync_derived_rows", "take_back",
        "verify",
    ],
}  # fmt: skip


@pytest.mark.parametrize("package", PUBLIC)
def test_a_package_exports_exactly_this(package: str) -> None:
    module = importlib.import_module(package)
    assert sorted(getattr(module, "__all__", [])) == PUBLIC[package]
    for name in PUBLIC[package]:
        assert getattr(module, name).__name__ == name


def test_a_name_that_is_not_public_is_an_attribute_error() -> None:
    import graphrag

    with pytest.raises(AttributeError, match="no attribute 'Nothing'"):
        _ = graphrag.Nothing
