"""Reading a quote again: what evidence says must still stand in the stored text, now and letter for letter."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from feedback.gate import EvidenceFacts
from storage.identity import content_digest
from storage.kept_document import kept_document
from storage.ports import GraphStore, IndexRow, TextIndex
from storage.records import Evidence, Scope

_BATCH = 32
"""Documents whose whole text is held in memory at one time."""


def _document_rows(index: TextIndex, document_ids: Iterable[str]) -> Iterator[tuple[str, IndexRow]]:
    """The ids and rows of those documents that have a text, in the order of their ids, a few at a time."""
    ids = sorted(set(document_ids))
    for start in range(0, len(ids), _BATCH):
        rows = index.rows("documents", ids[start : start + _BATCH])
        for document_id in sorted(rows):
            yield document_id, rows[document_id]


def document_texts(index: TextIndex, document_ids: Iterable[str]) -> Iterator[tuple[str, str]]:
    """The ids and texts of those documents that have a text, as they are needed."""
    return ((document_id, row.text) for document_id, row in _document_rows(index, document_ids))


def reread(graph: GraphStore, index: TextIndex, evidence: Iterable[Evidence], scope: Scope) -> dict[str, EvidenceFacts]:
    """What became of each piece of evidence, by its id, when its document was read again."""
    by_document: dict[str, list[Evidence]] = {}
    for item in evidence:
        by_document.setdefault(item.document_id, []).append(item)
    documents = graph.documents(sorted(by_document), scope)
    facts: dict[str, EvidenceFacts] = {}
    for document_id, row in _document_rows(index, documents):
        text = row.text
        stored = documents[document_id]
        whole = kept_document(row, source_id=stored.source_id, document_id=stored.id, version=stored)
        altered = whole is None
        # Copies that differ in title, spacing or case alone are one voice.
        fingerprint = "" if altered else content_digest("".join(text.split()).casefold().encode("utf-8", "replace"))
        for item in by_document[document_id]:
            problem = "the stored text is not the one it was read from" if altered else _outside(item, text)
            facts[item.id] = EvidenceFacts(evidence=item, problem=problem, fingerprint=fingerprint)
    for items in by_document.values():
        for item in items:
            facts.setdefault(item.id, EvidenceFacts(evidence=item, problem="its document is not in the store"))
    return facts


def _outside(item: Evidence, text: str) -> str:
    if item.quote.end > len(text):
        return "its quote lies outside the stored text"
    spans = [item.head, item.tail, *([item.cue] if item.cue else [])]
    return "" if all(text[s.start : s.end].strip() for s in spans) else "its quote is blank"


__all__ = ["document_texts", "reread"]
