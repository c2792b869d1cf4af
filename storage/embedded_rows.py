"""How records become rows of the embedded graph store, and rows become records."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from storage.encoding import from_micros, from_text, to_json, to_micros, to_text
from storage.records import (
    Chunk,
    Evidence,
    Modality,
    Period,
    Relation,
    RelationType,
    Source,
    Span,
    Statement,
    StatementKey,
    StoredDocument,
)

Row = tuple[Any, ...]

TYPES: tuple[RelationType, ...] = tuple(RelationType)
"""A relation type's number in ``edge`` is its place here; the order must never change."""

TYPE_NUMBER = {type_: number for number, type_ in enumerate(TYPES)}


def id_list(ids: Iterable[str | int]) -> str:
    """A list as one parameter, to be read by ``json_each(?)``; sorted, so equal sets give equal queries."""
    return json.dumps(sorted(set(ids)))


# --- documents -------------------------------------------------------------------------------------------------------

SOURCE_COLUMNS = (
    "s.namespace, s.path, s.location, s.groups, s.metadata, s.valid_from, s.valid_to, s.document, s.raw_hash, "
    "s.fingerprint, s.ingested_at, (SELECT json_group_array(json_array(g.start, g.end)) FROM "
    "(SELECT start, end FROM document_gap WHERE document = s.document ORDER BY start) AS g)"
)


def source_row(source: Source) -> Row:
    """The columns of ``source``, without its id."""
    return (
        to_text(source.namespace), to_text(source.path), to_text(source.location), to_json(source.groups),
        to_json(source.metadata), to_micros(source.valid_from), to_micros(source.valid_to), source.document_id,
        source.raw_hash, source.fingerprint, to_micros(source.ingested_at),
    )  # fmt: skip


def source_of(row: Row) -> Source:
    """A source from SOURCE_COLUMNS."""
    namespace, path, location, groups, metadata, start, end, document, raw_hash, fingerprint, at, gaps = row
    return Source(
        namespace=from_text(namespace) or "",
        path=from_text(path) or "",
        location=from_text(location),
        groups=tuple(json.loads(groups)),
        metadata=json.loads(metadata),
        valid_from=from_micros(start),
        valid_to=from_micros(end),
        document_id=document,
        raw_hash=raw_hash,
        fingerprint=fingerprint,
        ingested_at=from_micros(at),
        gaps=tuple(Period(start=from_micros(start), end=from_micros(end)) for start, end in json.loads(gaps)),
    )


DOCUMENT_COLUMNS = "d.source, o.content_hash, o.title, o.language, o.length, o.sections, o.pages"


def document_row(document: StoredDocument) -> Row:
    """The columns of ``document_record``, without its id."""
    return (
        document.content_hash, to_text(document.title), document.language, document.length,
        to_json([s.model_dump() for s in document.sections]), to_json([p.model_dump() for p in document.pages]),
    )  # fmt: skip


def document_of(row: Row) -> StoredDocument:
    """A stored document from DOCUMENT_COLUMNS."""
    source, content_hash, title, language, length, sections, pages = row
    return StoredDocument(
        source_id=source,
        content_hash=content_hash,
        title=from_text(title) or "",
        language=language,
        length=length,
        sections=json.loads(sections),
        pages=json.loads(pages),
    )


CHUNK_COLUMNS = "c.document, c.start, c.end, c.ordinal, c.section, c.page, c.places, c.context"


def chunk_row(chunk: Chunk) -> Row:
    """All columns of ``chunk``."""
    places = to_json([place.model_dump(mode="json") for place in chunk.places])
    section = to_json(chunk.section)
    return (
        chunk.document_id, chunk.start, chunk.end, chunk.ordinal, section, chunk.page, places, to_text(chunk.context),
    )  # fmt: skip


def chunk_of(row: Row) -> Chunk:
    """A chunk from CHUNK_COLUMNS."""
    document, start, end, ordinal, section, page, places, context = row
    return Chunk(
        document_id=document,
        start=start,
        end=end,
        ordinal=ordinal,
        section=tuple(json.loads(section)),
        page=page,
        places=json.loads(places),
        context=from_text(context) or "",
    )


# --- statements and relations ----------------------------------------------------------------------------------------

STATEMENT_COLUMNS = "s.language, s.terms, s.direction, s.negated"


def statement_of(row: Row) -> Statement:
    """A statement from STATEMENT_COLUMNS."""
    language, terms, direction, negated = row
    return Statement(
        key=StatementKey(
            language=language, terms=tuple(json.loads(terms)), direction=direction, negated=bool(negated)
        )
    )  # fmt: skip


RELATION_COLUMNS = "r.type, r.head, r.tail, r.polarity"


def relation_of(row: Row) -> Relation:
    """A relation from RELATION_COLUMNS."""
    type_, head, tail, polarity = row
    return Relation(type=type_, head=head, tail=tail, polarity=polarity)


EVIDENCE_COLUMNS = (
    "v.relation, v.document, v.confidence, v.modality, v.subtype, v.explicit, v.head_start, v.head_end, v.tail_start, "
    "v.tail_end, v.cue_start, v.cue_end, v.origin, v.confirmed_by, v.doubted_by"
)


def evidence_row(evidence: Evidence) -> Row:
    """All columns of ``evidence``."""
    cue = (evidence.cue.start, evidence.cue.end) if evidence.cue else (None, None)
    return (
        evidence.relation_id, evidence.document_id, evidence.id, evidence.confidence, evidence.modality,
        evidence.subtype, evidence.explicit, evidence.head.start, evidence.head.end, evidence.tail.start,
        evidence.tail.end, *cue, evidence.origin, to_json(evidence.confirmed_by), to_json(evidence.doubted_by),
    )  # fmt: skip


def evidence_of(row: Row) -> Evidence:
    """A piece of evidence from EVIDENCE_COLUMNS."""
    relation, document, confidence, modality, subtype, explicit, *offsets, origin, confirmed, doubted = row
    head_start, head_end, tail_start, tail_end, cue_start, cue_end = offsets
    return Evidence(
        relation_id=relation,
        document_id=document,
        head=Span(start=head_start, end=head_end),
        tail=Span(start=tail_start, end=tail_end),
        cue=None if cue_start is None else Span(start=cue_start, end=cue_end),
        subtype=subtype,
        modality=Modality(modality),
        explicit=bool(explicit),
        confidence=confidence,
        origin=origin,
        confirmed_by=tuple(json.loads(confirmed)),
        doubted_by=tuple(json.loads(doubted)),
    )
