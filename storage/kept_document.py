"""A document as it was taken in, made again from what the stores keep of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from storage.identity import make_id
from storage.ports import IndexRow
from storage.records import Document, StoredDocument


def kept_document(
    row: IndexRow | None,
    *,
    source_id: str,
    document_id: str,
    version: StoredDocument | None,
    metadata: Mapping[str, Any] | None = None,
) -> Document | None:
    """The document ``document_id`` from its record (``version``) and the row that keeps its text and structure.

    None if that is not what the document's identity was made from: the row is gone, or the text, or what belongs to
    it, was altered. Without a record only a document without headings and pages can be made again.
    """
    if row is None:
        return None
    for language in (version.language if version else row.language, None):  # it may have come without one
        try:
            structure = row.kept_structure()
            document = Document(
                text=row.text,
                title=version.title if version else row.context,
                language=language,
                sections=version.sections if version else (),
                pages=version.pages if version else (),
                metadata=dict(metadata or {}),
                kind=structure.kind,
                places=structure.places,
                tables=structure.tables,
            )
        except ValidationError:
            return None
        if document.text == row.text and make_id("doc", source_id, document.content_hash) == document_id:
            return document
    return None


__all__ = ["kept_document"]
