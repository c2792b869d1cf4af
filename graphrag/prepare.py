"""From one document to everything that is stored of it: a pure function of document, source and parts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from extractors.language import detect_language
from extractors.ports import Chunker, ExtractedRelation, RelationExtractor
from extractors.tables import TableWords
from graphrag.chaining import Link, document_chains
from graphrag.language_places import Languages
from graphrag.stores import DEGRADED
from storage.chain_text import chain_text
from storage.identity import make_id
from storage.ports import Collection, DocumentGraph, IndexRow, RowAccess
from storage.records import (
    AccessClass,
    Chunk,
    Document,
    Evidence,
    Mention,
    Modality,
    Polarity,
    Relation,
    Source,
    Span,
    Statement,
    StoredDocument,
    metadata_tag,
)

CHAIN_CONFIDENCE = 0.5
"""Evidence below this may stand as a single link but is not joined into longer chains at ingest."""


@dataclass(frozen=True, slots=True)
class Prepared:
    """One document, ready to be written: its part of the graph, and its rows, whose vectors are still to be made."""

    graph: DocumentGraph
    rows: dict[Collection, list[IndexRow]]
    truncated_chains: int
    degraded: tuple[str, ...]
    readings: Mapping[str, str]  # by row: what is embedded in place of its text, where a table is in it


def row_access(source: Source) -> RowAccess:
    """What searches filter by: the same for every row of a source's document."""
    return RowAccess(
        access_class=AccessClass.of([source.groups]).id,
        tags=tuple(sorted(metadata_tag(name, value) for name, value in source.metadata.items())),
        valid_from=source.valid_from,
        valid_to=source.valid_to,
    )


def prepare(document: Document, source: Source, *, chunker: Chunker, extractor: RelationExtractor) -> Prepared:
    """Chunk ``document``, extract its relations and build every record and index row that it gives."""
    language = document.language or detect_language(document.text)
    stored = StoredDocument(
        source_id=source.id,
        content_hash=document.content_hash,
        title=document.title,
        language=language,
        length=len(document.text),
        sections=document.sections,
        pages=document.pages,
    )
    chunks = tuple(
        Chunk(
            document_id=stored.id,
            start=c.start,
            end=c.end,
            ordinal=i,
            section=c.section,
            page=c.page,
            places=c.places,
            context=c.context,
        )
        for i, c in enumerate(chunker.chunk(document))
    )
    extraction = extractor.extract(document.text, language)
    if extraction.retry:
        source = source.model_copy(update={"fingerprint": source.fingerprint + DEGRADED})
    facts = _Facts(stored.id, extractor)
    provable = [r for r in extraction.relations if is_provable(r, document.text)]
    for relation in provable:
        facts.add(relation)
    degraded = extraction.degraded
    if unproven := len(extraction.relations) - len(provable):
        degraded += (f"relations whose words do not stand in the text were left out: {unproven}",)
    chains, truncated = document_chains(facts.links())
    graph = DocumentGraph(
        source=source,
        document=stored,
        chunks=chunks,
        statements=tuple(sorted(facts.statements.values(), key=lambda s: s.id)),
        mentions=tuple(sorted(facts.mentions.values(), key=lambda m: (m.span.start, m.span.end, m.statement_id))),
        relations=tuple(sorted(facts.relations.values(), key=lambda r: r.id)),
        evidence=tuple(sorted(facts.evidence.values(), key=lambda e: (e.quote.start, e.id))),
        chains=chains,
    )
    return Prepared(graph, index_rows(document, graph), truncated, degraded, table_readings(document, chunks))


def is_provable(relation: ExtractedRelation, text: str) -> bool:
    """Whether head, tail and cue are slices of the text, whoever says so."""
    spans = [relation.head, relation.tail, *([relation.cue] if relation.cue else [])]
    return all(text[s.start : s.end] == s.text for s in spans)


class _Facts:
    """What the relations of one document say, each thing once."""

    def __init__(self, document_id: str, extractor: RelationExtractor) -> None:
        self._document_id = document_id
        self._extractor = extractor
        self.statements: dict[str, Statement] = {}
        self.mentions: dict[tuple[str, int, int], Mention] = {}
        self.relations: dict[str, Relation] = {}
        self.evidence: dict[str, Evidence] = {}

    def add(self, found: ExtractedRelation) -> None:
        head, tail = Statement(key=found.head_key), Statement(key=found.tail_key)
        if head.id == tail.id:
            return  # a statement is no reason for itself
        for statement, span in ((head, found.head), (tail, found.tail)):
            self.statements[statement.id] = statement
            self.mentions[statement.id, span.start, span.end] = Mention(
                statement_id=statement.id,
                document_id=self._document_id,
                span=Span(start=span.start, end=span.end),
                text=span.text,
            )
        relation = Relation(type=found.type, head=head.id, tail=tail.id, polarity=found.polarity)
        self.relations[relation.id] = relation
        evidence = Evidence(
            relation_id=relation.id,
            document_id=self._document_id,
            head=Span(start=found.head.start, end=found.head.end),
            tail=Span(start=found.tail.start, end=found.tail.end),
            cue=Span(start=found.cue.start, end=found.cue.end) if found.cue else None,
            subtype=found.subtype,
            modality=found.modality,
            explicit=found.explicit,
            confidence=found.confidence,
            origin=found.origin or self._extractor.name,
            confirmed_by=found.confirmed_by,
            doubted_by=found.doubted_by,
        )
        known = self.evidence.get(evidence.id)
        if known is None or (evidence.confidence, known.subtype) > (known.confidence, evidence.subtype):
            self.evidence[evidence.id] = evidence

    def links(self) -> list[Link]:
        best: dict[str, Evidence] = {}
        for item in self.evidence.values():
            known = best.get(item.relation_id)
            if known is None or (item.confidence, known.id) > (known.confidence, item.id):
                best[item.relation_id] = item
        return [
            Link(
                relation.id,
                relation.head,
                relation.tail,
                best[relation.id].confidence,
                walkable=relation.polarity is Polarity.AFFIRMED
                and best[relation.id].modality is not Modality.HYPOTHETICAL
                and best[relation.id].confidence >= CHAIN_CONFIDENCE,
            )
            for relation in self.relations.values()
            if best[relation.id].explicit or best[relation.id].confidence >= CHAIN_CONFIDENCE
        ]


def index_rows(document: Document, graph: DocumentGraph) -> dict[Collection, list[IndexRow]]:
    """The rows of the text index that a document and its part of the graph give, without vectors."""
    document_id, language = graph.document.id, graph.document.language
    access = row_access(graph.source)

    def row(
        id_: str, owner: str, text: str, *, context: str = "", structure: str = "", language: str = language
    ) -> IndexRow:
        return IndexRow(
            id=id_,
            owner=owner,
            document_id=document_id,
            language=language,
            text=text,
            context=context,
            structure=structure,
            access_class=access.access_class,
            tags=access.tags,
            valid_from=access.valid_from,
            valid_to=access.valid_to,
        )

    structure = document.structure.model_dump_json(exclude_defaults=True)
    words = first_words(graph.mentions)
    written = Languages(document.places, language)
    relations = {r.id: r for r in graph.relations}
    languages = {s.id: s.key.language for s in graph.statements}
    return {
        "documents": [row(document_id, document_id, document.text, context=document.title, structure=structure)],
        "chunks": [
            row(
                c.id,
                c.id,
                document.text[c.start : c.end],
                context=chunk_context(document.title, c.section, c.context),
                language=written.at(c.start),
            )
            for c in graph.chunks
        ],
        "statements": [
            row(make_id("stm", statement, document_id), statement, text, language=languages[statement])
            for statement, text in sorted(words.items())
        ],
        "chains": [
            row(
                make_id("chn", chain.id, document_id),
                chain.id,
                chain_text([(words[relations[r].head], words[relations[r].tail]) for r in chain.relation_ids]),
                language=languages[relations[chain.relation_ids[0]].head],
            )
            for chain in graph.chains
        ],
    }


def first_words(mentions: Sequence[Mention]) -> dict[str, str]:
    """Each statement in the words of its first mention in one document."""
    words: dict[str, str] = {}
    for mention in sorted(mentions, key=lambda m: (m.span.start, m.span.end)):
        words.setdefault(mention.statement_id, mention.text)
    return words


def chunk_context(title: str, section: tuple[str, ...], context: str = "") -> str:
    """What stands above a chunk, said once: the document's title, the headings it lies under, its own context."""
    parts = [title, *section, context]
    return "\n".join(part for i, part in enumerate(parts) if part and part not in parts[:i])


def table_readings(document: Document, chunks: Sequence[Chunk]) -> dict[str, str]:
    """The chunks that hold rows of a table, each row as it reads by itself: with the names of its columns."""
    if not document.tables:
        return {}
    words = TableWords(document.tables, document.text)
    return {c.id: reading for c in chunks if (reading := words.reading(c.start, c.end))}


def embedded_text(row: IndexRow, readings: Mapping[str, str]) -> str:
    """The text whose vector stands for a row: its context, then its own words or, for a table, its reading."""
    words = readings.get(row.id, row.text)
    return f"{row.context}\n{words}" if row.context else words


__all__ = [
    "CHAIN_CONFIDENCE",
    "Prepared",
    "chunk_context",
    "embedded_text",
    "first_words",
    "index_rows",
    "is_provable",
    "prepare",
    "row_access",
    "table_readings",
]
