"""How records become nodes and relationships of the Neo4j graph store, and these become records.

What is only kept comes back from ``record``, the whole of it as JSON; beside it stands what a query filters by and what
a person reads. ``name`` is what Neo4j Browser writes on a node.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from storage.chain_text import arrow
from storage.encoding import from_text, record_json, to_micros, to_text
from storage.records import (
    AccessClass,
    Chain,
    Chunk,
    Evidence,
    Mention,
    Polarity,
    Relation,
    RelationStatus,
    RelationType,
    Source,
    Span,
    Statement,
    StatementKey,
    StoredDocument,
    metadata_tag,
)

Properties = dict[str, Any]


def readable(text: str) -> str:
    """``text`` for people: what cannot be encoded is shown as a question mark."""
    return text.encode("utf-8", "replace").decode("utf-8")


# --- documents -------------------------------------------------------------------------------------------------------


def source_node(source: Source) -> Properties:
    """The node of a source."""
    return {
        "id": source.id,
        "name": readable(source.path),
        "namespace": readable(source.namespace),
        "path": readable(source.path),
        "groups": [readable(group) for group in source.groups],
        "record": record_json(source),
    }


def access_of(source: Source) -> Properties:
    """What its source says about who may see a document and when."""
    start, end = to_micros(source.valid_from), to_micros(source.valid_to)
    return {
        "class": AccessClass.of([source.groups]).id,
        "valid_from": start,
        "valid_to": end,
        "gaps": [edge for gap in source.gaps for edge in (to_micros(gap.start), to_micros(gap.end))] or None,
        # Only those that are, are indexed.
        "bounded": True if start is not None or end is not None or source.gaps else None,
        "tags": sorted({metadata_tag(name, value) for name, value in source.metadata.items()}),
    }


def document_node(document: StoredDocument, source: Source) -> Properties:
    """The node of a document."""
    return {
        "id": document.id,
        "name": readable(document.title or source.path),
        "title": readable(document.title),
        "language": document.language,
        "record": record_json(document),
        **access_of(source),
    }


def chunk_node(chunk: Chunk) -> Properties:
    """The node of a chunk; its text lies in the text index."""
    return {
        "id": chunk.id,
        "name": readable(" / ".join(chunk.section)) or f"chunk {chunk.ordinal}",
        "document": chunk.document_id,
        "start": chunk.start,
        "end": chunk.end,
        "ordinal": chunk.ordinal,
        "page": chunk.page,
        "record": record_json(chunk),
    }


# --- statements and relations ----------------------------------------------------------------------------------------


def statement_node(statement: Statement) -> Properties:
    """The node of a statement without its words of a mention."""
    key = statement.key
    return {
        "id": statement.id,
        "language": key.language,
        "terms": list(key.terms),
        "direction": key.direction.value,
        "negated": key.negated,
    }


STATEMENT = "s{.language, .terms, .direction, .negated}"
"""What a query gives of a statement ``s``."""


def statement_of(found: Mapping[str, Any]) -> Statement:
    """A statement from STATEMENT."""
    return Statement(key=StatementKey.model_validate({**found, "terms": tuple(found["terms"])}))


def mention_of(statement: str, document: str, start: int, end: int, text: str | bytes) -> Mention:
    """A mention from the relationship MENTIONED_IN and its ends."""
    return Mention(
        statement_id=statement, document_id=document, span=Span(start=start, end=end), text=from_text(text) or ""
    )


def mention_row(mention: Mention) -> Properties:
    """A relationship MENTIONED_IN and its ends."""
    return {
        "statement": mention.statement_id,
        "document": mention.document_id,
        "props": {"start": mention.span.start, "end": mention.span.end, "text": to_text(mention.text)},
    }


def relation_node(relation: Relation) -> Properties:
    """The node of a relation that is not proven yet."""
    return {
        "id": relation.id,
        "name": arrow(relation.type, relation.polarity).strip("─→"),
        "type": relation.type.value,
        "head": relation.head,
        "tail": relation.tail,
        "polarity": relation.polarity.value,
        "status": RelationStatus.RETIRED.value,
    }


RELATION = "r{.type, .head, .tail, .polarity}"
"""What a query gives of a relation ``r``."""


def relation_of(found: Mapping[str, Any]) -> Relation:
    """A relation from RELATION."""
    return Relation(
        type=RelationType(found["type"]), head=found["head"], tail=found["tail"], polarity=Polarity(found["polarity"])
    )


_SPANS = ("head", "tail", "cue")


def evidence_props(evidence: Evidence) -> Properties:
    """The properties of the relationship EVIDENCED_BY; ``start`` and ``end`` are those of the quote."""
    fields = evidence.model_dump(mode="json", exclude={"relation_id", "document_id", "origin", *_SPANS})
    spans = {name: getattr(evidence, name) for name in _SPANS}
    return {
        **fields,
        "id": evidence.id,
        "document": evidence.document_id,
        "origin": to_text(evidence.origin),
        "start": evidence.quote.start,
        "end": evidence.quote.end,
        **{f"{name}_start": span.start if span else None for name, span in spans.items()},
        **{f"{name}_end": span.end if span else None for name, span in spans.items()},
    }


def evidence_of(relation: str, found: Mapping[str, Any]) -> Evidence:
    """A piece of evidence from the properties of its relationship."""
    spans = {
        name: None if (start := found.get(f"{name}_start")) is None else Span(start=start, end=found[f"{name}_end"])
        for name in _SPANS
    }
    others = {name: found[name] for name in Evidence.model_fields if name in found}
    others |= {"relation_id": relation, "document_id": found["document"], "origin": from_text(found["origin"])}
    return Evidence.model_validate({**others, **spans})


def chain_node(chain: Chain) -> Properties:
    """The node of a chain that is not known to hold yet."""
    links = len(chain.relation_ids)
    return {
        "id": chain.id,
        "name": f"chain of {links}" if links > 1 else "single link",
        "links": list(chain.relation_ids),
        "status": RelationStatus.RETIRED.value,
        "accepted": None,
    }


__all__ = [
    "RELATION",
    "STATEMENT",
    "Properties",
    "access_of",
    "chain_node",
    "chunk_node",
    "document_node",
    "evidence_of",
    "evidence_props",
    "mention_of",
    "mention_row",
    "readable",
    "relation_node",
    "relation_of",
    "source_node",
    "statement_node",
    "statement_of",
]
