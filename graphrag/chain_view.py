"""Chains as a caller sees them: links in words, each with the visible evidence re-read from the stored text."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from extractors.sentences import sentence_spans
from extractors.tables import TableWords
from graphrag.places import places_at
from graphrag.results import ChainLink, Citation, FoundChain, LinkEvidence
from storage.identity import link_id
from storage.ports import GraphStore, IndexRow, RelationView, StatementView, TextIndex
from storage.records import Chain, Chunk, Evidence, Scope, Source, Span, StoredDocument, Structure
from storage.versions import end_at

MAX_EVIDENCE = 3
"""Pieces of evidence shown for one link, the most certain first."""

_AROUND = 1_500
"""Characters on either side of a quote in which the ends of its sentence are looked for."""


class ChainReader:
    """Reads what stands behind relations and chunks, once per operation and caller."""

    def __init__(self, graph: GraphStore, index: TextIndex, scope: Scope, *, now: datetime) -> None:
        self._graph = graph
        self._index = index
        self._scope = scope
        self._now = now
        self._rows: dict[str, IndexRow | None] = {}  # the text and structure of a document
        self._structures: dict[str, Structure] = {}
        self._tables: dict[str, TableWords] = {}
        self._documents: dict[str, StoredDocument] = {}
        self._sources: dict[str, Source] = {}
        self._chunks: dict[str, list[Chunk]] = {}
        self._relations: dict[str, RelationView] = {}
        self._evidence: dict[str, list[Evidence]] = {}
        self._statements: dict[str, StatementView] = {}

    # what is there

    def relations(self, ids: Iterable[str]) -> dict[str, RelationView]:
        """The visible ones of these relations."""
        wanted = list(dict.fromkeys(ids))
        missing = [i for i in wanted if i not in self._relations]
        if missing:
            self._relations.update(self._graph.relations(missing, self._scope))
        return {i: self._relations[i] for i in wanted if i in self._relations}

    def evidence(self, ids: Iterable[str]) -> dict[str, list[Evidence]]:
        """Each relation's visible evidence, the most certain first."""
        wanted = list(dict.fromkeys(ids))
        missing = [i for i in wanted if i not in self._evidence]
        if missing:
            found = self._graph.evidence(missing, self._scope)
            for id_ in missing:
                self._evidence[id_] = sorted(found.get(id_, []), key=lambda e: (-e.confidence, e.document_id, e.id))
        return {i: self._evidence[i] for i in wanted}

    def documents(self, ids: Iterable[str]) -> dict[str, StoredDocument]:
        """The visible ones of these documents."""
        wanted = list(dict.fromkeys(ids))
        missing = [i for i in wanted if i not in self._documents]
        if missing:
            found = self._graph.documents(missing, self._scope)
            self._documents.update(found)
            sources = self._graph.sources(self._scope, sorted({d.source_id for d in found.values()}))
            self._sources.update({s.id: s for s in sources})
        return {i: self._documents[i] for i in wanted if i in self._documents}

    def source(self, document_id: str) -> Source:
        """The source of a visible document."""
        return self._sources[self.documents([document_id])[document_id].source_id]

    def valid_until(self, document_id: str) -> datetime | None:
        """Until when a document held that no longer does: the end of the time that is asked about."""
        end = end_at(self.source(document_id), self._scope.at)
        return end if end is not None and end <= self._now else None

    def prefetch(self, relation_ids: Iterable[str]) -> None:
        """Read everything that stands behind these relations at once instead of one after the other."""
        relations = self.relations(relation_ids)
        proofs = self.evidence(relations)
        self._words(s for r in relations.values() for s in (r.relation.head, r.relation.tail))
        documents = self.documents(e.document_id for found in proofs.values() for e in found[:MAX_EVIDENCE])
        self._read_texts(documents)

    def text(self, document_id: str) -> str:
        """The stored text of a document."""
        row = self._row(document_id)
        return row.text if row else ""

    def _row(self, document_id: str) -> IndexRow | None:
        self._read_texts([document_id])
        return self._rows[document_id]

    def _read_texts(self, document_ids: Iterable[str]) -> None:
        missing = [i for i in document_ids if i not in self._rows]
        if missing:
            self._rows |= dict.fromkeys(missing) | self._index.rows("documents", missing)

    def structure(self, document_id: str) -> Structure:
        """The places and tables of a document: read when something in it is cited, since large tables have many."""
        if document_id not in self._structures:
            row = self._row(document_id)
            self._structures[document_id] = row.kept_structure() if row else Structure()
        return self._structures[document_id]

    def tables(self, document_id: str) -> TableWords:
        """The rows of a document's tables, each as it reads by itself."""
        if document_id not in self._tables:
            text = self.text(document_id)
            self._tables[document_id] = TableWords(self.structure(document_id).tables, text)
        return self._tables[document_id]

    def chunks(self, document_ids: Iterable[str]) -> dict[str, list[Chunk]]:
        """Each document's chunks in order."""
        wanted = list(dict.fromkeys(document_ids))
        missing = [i for i in wanted if i not in self._chunks]
        if missing:
            found = self._graph.chunks(missing, self._scope)
            self._chunks.update({i: found.get(i, []) for i in missing})
        return {i: self._chunks[i] for i in wanted}

    def chunk_of(self, evidence: Evidence) -> Chunk | None:
        """The chunk that holds most of a quote, the first of equals."""
        quote = evidence.quote
        best: tuple[int, Chunk] | None = None
        for chunk in self.chunks([evidence.document_id])[evidence.document_id]:
            shared = min(chunk.end, quote.end) - max(chunk.start, quote.start)
            if shared > 0 and (best is None or shared > best[0]):
                best = (shared, chunk)
        return best[1] if best else None

    # how it is shown

    def found_chain(
        self,
        relation_ids: Sequence[str],
        *,
        score: float,
        stored: Chain | None = None,
        max_evidence: int = MAX_EVIDENCE,
    ) -> FoundChain | None:
        """A chain in words; None if the caller may not see one of its links."""
        relations = self.relations(relation_ids)
        if len(relations) < len(set(relation_ids)):
            return None
        proofs = self.evidence(relation_ids)
        words = self._words(s for r in relations.values() for s in (r.relation.head, r.relation.tail))
        links = []
        for i, id_ in enumerate(relation_ids):
            relation, belief = relations[id_].relation, relations[id_].belief
            before = relations[relation_ids[i - 1]].relation.tail if i else relation.head
            links.append(
                ChainLink(
                    relation_id=id_,
                    type=relation.type,
                    polarity=relation.polarity,
                    modality=belief.modality,
                    subtype=belief.subtype,
                    confidence=belief.confidence,
                    head_id=relation.head,
                    head=words[relation.head],
                    tail_id=relation.tail,
                    tail=words[relation.tail],
                    documents=belief.documents,
                    evidence=tuple(self._link_evidence(e) for e in proofs[id_][:max_evidence]),
                    joined_by_same_as=before != relation.head,
                    same_as_id=link_id(before, relation.head) if before != relation.head else None,
                )
            )
        return FoundChain(
            id=Chain(relation_ids=tuple(relation_ids)).id,
            links=tuple(links),
            score=round(score, 6),
            stored=stored is not None,
            derived=stored is not None and stored.derived,
        )

    def citation(self, marker: int, evidence: Evidence) -> Citation:
        """Where a piece of evidence stands, with the sentence around it."""
        chunk = self.chunk_of(evidence)
        quote = evidence.quote
        return self._citation(marker, evidence.document_id, quote, evidence_id=evidence.id, chunk=chunk)

    def sentence_citation(self, marker: int, document_id: str, span: Span, chunk: Chunk) -> Citation:
        """Where a sentence of a chunk stands."""
        return self._citation(marker, document_id, span, evidence_id=None, chunk=chunk)

    def _citation(
        self, marker: int, document_id: str, quote: Span, *, evidence_id: str | None, chunk: Chunk | None
    ) -> Citation:
        document, source, text = (
            self.documents([document_id])[document_id],
            self.source(document_id),
            self.text(document_id),
        )
        section = next((s.path for s in reversed(document.sections) if s.start <= quote.start < s.end), ())
        page = next((p.number for p in reversed(document.pages) if p.start <= quote.start < p.end), None)
        sentence = surrounding_sentence(text, quote)
        return Citation(
            marker=marker,
            evidence_id=evidence_id,
            document_id=document_id,
            chunk_id=chunk.id if chunk else None,
            source=source.path,
            title=document.title,
            section=section,
            page=page,
            places=places_at(self.structure(document_id), text, quote.start),
            start=quote.start,
            end=quote.end,
            quote=text[quote.start : quote.end],
            sentence=text[sentence.start : sentence.end],
            row=self.tables(document_id).row_at(quote.start),
            valid_until=self.valid_until(document_id),
        )

    def _link_evidence(self, evidence: Evidence) -> LinkEvidence:
        text, quote, cue = self.text(evidence.document_id), evidence.quote, evidence.cue
        return LinkEvidence(
            evidence_id=evidence.id,
            document_id=evidence.document_id,
            source=self.source(evidence.document_id).path,
            start=quote.start,
            end=quote.end,
            quote=text[quote.start : quote.end],
            head=text[evidence.head.start : evidence.head.end],
            head_start=evidence.head.start,
            head_end=evidence.head.end,
            tail=text[evidence.tail.start : evidence.tail.end],
            tail_start=evidence.tail.start,
            tail_end=evidence.tail.end,
            cue=text[cue.start : cue.end] if cue else None,
            cue_start=cue.start if cue else None,
            cue_end=cue.end if cue else None,
            subtype=evidence.subtype,
            modality=evidence.modality,
            confidence=evidence.confidence,
            origin=evidence.origin,
            valid_until=self.valid_until(evidence.document_id),
        )

    def _words(self, ids: Iterable[str]) -> Mapping[str, str]:
        wanted = list(dict.fromkeys(ids))
        missing = [i for i in wanted if i not in self._statements]
        if missing:
            self._statements.update(self._graph.statements(missing, self._scope))
        return {i: " ".join(self._statements[i].text.split()) for i in wanted}


def surrounding_sentence(text: str, quote: Span) -> Span:
    """The whole sentence, or sentences, in which a quote stands."""
    start = max(0, quote.start - _AROUND)
    window = text[start : quote.end + _AROUND]
    touched = [s.shifted(start) for s in sentence_spans(window) if s.shifted(start).overlaps(quote)]
    if not touched:
        return quote
    return Span(start=min(touched[0].start, quote.start), end=max(touched[-1].end, quote.end))


__all__ = ["MAX_EVIDENCE", "ChainReader", "surrounding_sentence"]
