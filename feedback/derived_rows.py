"""The searchable rows of derived chains: words of documents, each row for those only who may read all its words."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from feedback.rereading import document_texts
from storage.chain_text import chain_text
from storage.identity import make_id
from storage.ports import Embedder, GraphStore, IndexRow, TextIndex
from storage.records import OWNER, AccessClass, Chain, Evidence, RelationStatus, Scope, Source, metadata_tag

MAX_ROWS = 32
"""Rows of one chain. More happen only if its links are readable by many groups that have nothing in common."""

_MAX_READ = 512  # readings that are compared with one another, which takes time by their square

_ALWAYS = (datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC))

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Reading:
    """A way to read the first links of a chain: one piece of evidence for each, and who may read them all."""

    access: AccessClass
    tags: frozenset[str]
    valid: tuple[datetime, datetime]
    evidence: tuple[Evidence, ...]

    def covers(self, other: _Reading) -> bool:
        """Whether everyone who may read ``other``, at any time and with any filter, may read this too."""
        return (
            all(any(set(b) <= set(a) for b in other.access.rule) for a in self.access.rule)
            and self.tags >= other.tags
            and self.valid[0] <= other.valid[0]
            and self.valid[1] >= other.valid[1]
        )

    def then(self, other: _Reading) -> _Reading:
        """Both, one after the other: allowed to those who may read both."""
        return _Reading(
            access=AccessClass.of([*self.access.rule, *other.access.rule]),
            tags=self.tags & other.tags,
            valid=(max(self.valid[0], other.valid[0]), min(self.valid[1], other.valid[1])),
            evidence=self.evidence + other.evidence,
        )


@dataclass(frozen=True, slots=True)
class DerivedRow:
    """A row that should exist, without its vector, and the access rule that its class stands for."""

    row: IndexRow
    access: AccessClass


def derived_rows(graph: GraphStore, index: TextIndex) -> list[DerivedRow]:
    """The rows that should exist for all active derived chains, by id; see :func:`rows_of`."""
    return rows_of(graph, index, [c for c, status in graph.derived_chains() if status is RelationStatus.ACTIVE])


def rows_of(graph: GraphStore, index: TextIndex, chains: Sequence[Chain]) -> list[DerivedRow]:
    """The rows that should exist for these chains, without vectors, by id.

    A row says every link in the words of one document each, and its access class is the conjunction of those documents'
    groups. There is one row for each distinct rule that is not implied by another: so nobody matches words that they
    may not read, and everybody who may see every link has a row to match. A row's id is a hash of all its fields, so
    two equal ids are two equal rows. Documents that are valid at this moment are quoted; the rows end with them.
    """
    if not chains:
        return []
    scope = graph.scope(OWNER)
    evidence = graph.evidence(sorted({r for c in chains for r in c.relation_ids}), scope)
    ids = sorted({item.document_id for items in evidence.values() for item in items})
    documents = graph.documents(ids, scope)
    sources = _sources(graph, {d.source_id for d in documents.values()}, scope)
    access = {i: sources[d.source_id] for i, d in documents.items() if d.source_id in sources}
    readings = {chain.id: _readings(chain, evidence, access) for chain in chains}
    words = _words(index, [item for found in readings.values() for r in found for item in r.evidence])
    rows = {}
    for chain in chains:
        for reading in readings[chain.id]:
            if all(item.id in words for item in reading.evidence):
                text = chain_text([words[item.id] for item in reading.evidence])
                row = _row(chain.id, text, documents[reading.evidence[0].document_id].language, reading)
                rows[row.id] = DerivedRow(row=row, access=reading.access)
    return [rows[i] for i in sorted(rows)]


def write_rows(graph: GraphStore, index: TextIndex, embedder: Embedder, rows: Sequence[DerivedRow]) -> None:
    """Embed and write rows, after their access classes were made known to the graph."""
    if not rows:
        return
    graph.intern(sorted({r.access.id: r.access for r in rows}.values(), key=lambda a: a.id))
    vectors = embedder.embed([r.row.text for r in rows], "passage")
    index.write("chains", [replace(r.row, vector=v) for r, v in zip(rows, vectors, strict=True)])


def drop_rows(index: TextIndex, chain_ids: Collection[str]) -> int:
    """Remove every row of these derived chains; returns how many there were."""
    ids = [row.id for row in index.derived_rows() if row.owner in chain_ids]
    if ids:
        index.delete("chains", ids)
    return len(ids)


def sync_derived_rows(graph: GraphStore, index: TextIndex, embedder: Embedder) -> int:
    """Make the index hold exactly the rows that the graph's active derived chains should have.

    To be called, under the writer lock, after every change of documents, groups, metadata or validity, and when an
    intent was left open. Doing it twice, or after having been cut off, changes nothing more. Returns how many rows were
    written or removed.
    """
    present = {row.id for row in index.derived_rows()}
    desired = derived_rows(graph, index)
    missing = [r for r in desired if r.row.id not in present]
    stale = sorted(present - {r.row.id for r in desired})
    write_rows(graph, index, embedder, missing)
    if stale:
        index.delete("chains", stale)
    return len(missing) + len(stale)


def _sources(graph: GraphStore, ids: Iterable[str], scope: Scope) -> dict[str, Source]:
    return {source.id: source for source in graph.sources(scope, sorted(ids))}


def _readings(chain: Chain, evidence: dict[str, list[Evidence]], access: dict[str, Source]) -> list[_Reading]:
    links = [
        [_read(item, access[item.document_id]) for item in evidence.get(relation_id, []) if item.document_id in access]
        for relation_id in chain.relation_ids
    ]
    # A tag that some link has nowhere can be on no row; without it, most documents of one rule read alike.
    shared = frozenset.intersection(*(frozenset[str]().union(*(r.tags for r in link)) for link in links))
    found: list[_Reading] = []
    for i, link in enumerate(links):
        widest = _widest(chain.id, (replace(r, tags=r.tags & shared) for r in link))
        found = widest if i == 0 else _widest(chain.id, (one.then(other) for one in found for other in widest))
    return found


def _read(item: Evidence, source: Source) -> _Reading:
    return _Reading(
        access=AccessClass.of([source.groups]),
        tags=frozenset(metadata_tag(name, value) for name, value in source.metadata.items()),
        valid=(source.valid_from or _ALWAYS[0], source.valid_to or _ALWAYS[1]),
        evidence=(item,),
    )


def _widest(chain_id: str, readings: Iterable[_Reading]) -> list[_Reading]:
    """At most MAX_ROWS that no other covers, the first of equals kept; those that are never valid go too."""
    different: dict[object, _Reading] = {}
    for reading in readings:
        if reading.valid[0] < reading.valid[1]:
            different.setdefault((reading.access, reading.tags, reading.valid), reading)
    kept: list[_Reading] = []
    for reading in _first(list(different.values()), _MAX_READ, chain_id):
        if not any(k.covers(reading) for k in kept):
            kept = [k for k in kept if not reading.covers(k)] + [reading]
    return _first(kept, MAX_ROWS, chain_id)


def _first(readings: list[_Reading], limit: int, chain_id: str) -> list[_Reading]:
    """The first ``limit``: one of every access rule before a second of any, simple rules before long ones."""
    if len(readings) > limit:
        _log.warning("chain %s has more access rules than are indexed; %d of %d are", chain_id, limit, len(readings))
    ordered = sorted(readings, key=lambda r: (len(r.access.rule), r.access.rule, [item.id for item in r.evidence]))
    seen: Counter[AccessClass] = Counter()
    places = []
    for reading in ordered:
        places.append(seen[reading.access])
        seen[reading.access] += 1
    return [ordered[i] for i in sorted(range(len(ordered)), key=lambda i: (places[i], i))[:limit]]


def _words(index: TextIndex, evidence: Sequence[Evidence]) -> dict[str, tuple[str, str]]:
    """Head and tail of each piece of evidence as its document says them; without what cannot be read."""
    by_document: dict[str, list[Evidence]] = {}
    for item in evidence:
        by_document.setdefault(item.document_id, []).append(item)
    return {
        item.id: (text[item.head.start : item.head.end], text[item.tail.start : item.tail.end])
        for document_id, text in document_texts(index, by_document)
        for item in by_document[document_id]
        if item.quote.end <= len(text)
    }


def _row(chain_id: str, text: str, language: str, reading: _Reading) -> IndexRow:
    tags = tuple(sorted(reading.tags))
    start, end = reading.valid
    valid_from, valid_to = (None if start == _ALWAYS[0] else start), (None if end == _ALWAYS[1] else end)
    times = [moment.isoformat() if moment else None for moment in (valid_from, valid_to)]
    return IndexRow(
        id=make_id("chn", "row", chain_id, reading.access.id, language, text, *times, *tags),
        owner=chain_id,
        document_id="",
        access_class=reading.access.id,
        language=language,
        text=text,
        tags=tags,
        valid_from=valid_from,
        valid_to=valid_to,
    )


__all__ = ["MAX_ROWS", "DerivedRow", "derived_rows", "drop_rows", "rows_of", "sync_derived_rows", "write_rows"]
