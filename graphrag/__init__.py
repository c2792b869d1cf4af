"""Clew: retrieval by relation chains, and answers in which every step is cited."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from extractors.ports import LoadOptions
    from graphrag.async_knowledge_base import AsyncKnowledgeBase
    from graphrag.knowledge_base import KnowledgeBase
    from graphrag.results import Answer, ChainsResult, IngestReport, RemovalReceipt, SearchResult
    from graphrag.settings import Settings
    from storage.errors import ClewError
    from storage.records import Document, RelationType, View

_HOMES = {
    "Answer": "graphrag.results",
    "AsyncKnowledgeBase": "graphrag.async_knowledge_base",
    "ChainsResult": "graphrag.results",
    "ClewError": "storage.errors",
    "Document": "storage.records",
    "IngestReport": "graphrag.results",
    "KnowledgeBase": "graphrag.knowledge_base",
    "LoadOptions": "extractors.ports",
    "RelationType": "storage.records",
    "RemovalReceipt": "graphrag.results",
    "SearchResult": "graphrag.results",
    "Settings": "graphrag.settings",
    "View": "storage.records",
}


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used, so that the command line starts at once."""
    if name not in _HOMES:
        raise AttributeError(f"module 'graphrag' has no attribute {name!r}")
    return getattr(importlib.import_module(_HOMES[name]), name)


__all__ = [
    "Answer",
    "AsyncKnowledgeBase",
    "ChainsResult",
    "ClewError",
    "Document",
    "IngestReport",
    "KnowledgeBase",
    "LoadOptions",
    "RelationType",
    "RemovalReceipt",
    "SearchResult",
    "Settings",
    "View",
]
