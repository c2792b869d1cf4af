"""A document as it was taken in, made again from what the stores keep of it."""

from __future__ import annotations

from pydantic import ValidationError

from graphrag.prepare import kept_structure
from storage.ports import IndexRow
from storage.records import Document, Source, StoredDocument


def stored_document(source: Source, version: StoredDocument | None, row: IndexRow) -> Document | None:
    """The current document of ``source`` from its record and the row that keeps its text and structure.

    None if that is not what the document's identity was made from: the text, or what belongs to it, was altered.
    Without a record (``version`` None) only a document without headings and pages can be made again.
    """
    for language in (version.language if version else row.language, None):  # it may have come without one
        try:
            structure = kept_structure(row)
            document = Document(
                text=row.text,
                title=version.title if version else row.context,
                language=language,
                sections=version.sections if version else (),
                pages=version.pages if version else (),
                metadata=source.metadata,
                kind=structure.kind,
                places=structure.places,
                tables=structure.tables,
            )
        except ValidationError:
            return None
        found = StoredDocument(
            source_id=source.id, content_hash=document.content_hash, title="", language="", length=len(document.text)
        )
        if document.text == row.text and found.id == source.document_id:
            return document
    return None


__all__ = ["stored_document"]
