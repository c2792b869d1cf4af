"""Clew as a system under test: a store per set, kept and resumed, and its search results as ranked lists."""

from __future__ import annotations

import hashlib
import json
import re
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from graphrag.evaluation.baselines import BM25Index, Progress
from graphrag.evaluation.datasets import Passage, RankingSet, Row

if TYPE_CHECKING:
    from graphrag.ingest import Progress as IngestProgress
    from graphrag.results import IngestReport, SearchResult
    from graphrag.settings import Settings
    from storage.ports import Embedder
    from storage.records import Document

NAMESPACE = "eval"
ROW_SEPARATOR = "\n"  # keeps the border of two rows visible, also where a heading ends without a full stop
RANKED = 10  # the deepest cut of the measures
_REPORT_EVERY = 5.0  # seconds between two lines of progress
_MOST_HITS = 640


class Store(Protocol):
    """What an evaluation needs of a knowledge base."""

    def ingest(
        self, sources: Sequence[Document], *, namespace: str, progress: Callable[[IngestProgress], None]
    ) -> IngestReport:
        """Take documents in; what is there already costs next to nothing."""

    def search(self, question: str, *, limit: int) -> SearchResult:
        """Chains and chunks that answer a question, best first."""

    def close(self) -> None:
        """Let go of what is open."""


OpenStore = Callable[[Path, "Settings", "Embedder"], Store]


def open_knowledge_base(path: Path, settings: Settings, embedder: Embedder) -> Store:
    """Open the product itself."""
    from graphrag.knowledge_base import KnowledgeBase

    return KnowledgeBase.open(path, settings=settings, embedder=embedder)


def ingest_fingerprint(settings: Settings, embedder: Embedder) -> str:
    """A digest of all that decides what ingest stores: settings, embedder, format, and the code itself.

    The code counts because rules change many times under one version number while they are written, and a kept store
    that is older than the rules would be measured without a word.
    """
    from storage.manifest import FORMAT_VERSION

    chosen = {name: getattr(settings, name) for name in ("chunk_tokens", "chunk_overlap")}
    parts = [chosen, embedder.name, embedder.dimensions, FORMAT_VERSION, _code_sha256()]
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


@lru_cache(maxsize=1)
def _code_sha256() -> str:
    """A digest of the code that ingest runs, taken once: a process goes on with the code that it started with."""
    import extractors
    import graphrag
    import storage

    top, rules, nouns = (Path(str(package.__file__)).parent for package in (graphrag, extractors, storage))
    code = [path for path in rules.glob("*") if path.is_file()]  # embedders and loaders have names and versions
    code += [top / name for name in ("prepare.py", "chaining.py", "writing.py")]
    code += [nouns / name for name in ("records.py", "identity.py", "chain_text.py", "similarity.py", "stored_text.py")]
    digest = hashlib.sha256()
    for path in sorted(code, key=lambda p: (p.parent.name, p.name)):
        digest.update(path.name.encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


def store_path(cache: Path, data: RankingSet, fingerprint: str) -> Path:
    """Where the store of a set is kept: one per data and fingerprint."""
    name = re.sub(r"[^A-Za-z0-9_]+", "-", data.name)
    return cache / "eval" / f"{name}-{data.corpus_sha256[:12]}-{fingerprint[:12]}"


def documents_of(passages: Sequence[Passage]) -> list[Document]:
    """The documents of a corpus: a passage each, or the rows of one document joined in order."""
    from storage.records import Document

    joined: dict[str, list[Passage]] = {}
    for passage in passages:
        joined.setdefault(passage.document or passage.id, []).append(passage)
    return [
        Document(id=name, title=rows[0].title, text=ROW_SEPARATOR.join(r.text for r in rows))
        for name, rows in joined.items()
    ]


@contextmanager
def ingested_store(
    path: Path,
    data: RankingSet,
    *,
    settings: Settings,
    embedder: Embedder,
    open_store: OpenStore,
    progress: Progress,
    problems: list[str],
) -> Iterator[Store]:
    """The store of a set with every document in it; what an earlier run had taken in is kept.

    What could not be taken in is appended to ``problems``, in words.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    store = open_store(path, settings, embedder)
    try:
        documents = documents_of(data.passages)
        report = store.ingest(documents, namespace=NAMESPACE, progress=_told(path, len(documents), progress))
        if report.failed:
            first = f"{report.failed[0].path}: {report.failed[0].reason}"
            problems.append(f"{len(report.failed)} of {len(documents)} documents were not ingested ({first}, …)")
        if report.stale:
            problems.append(f"{len(report.stale)} documents of {path} are stale; delete the folder to redo them")
        yield store
    finally:
        store.close()


def _told(path: Path, count: int, progress: Progress) -> Callable[[IngestProgress], None]:
    """Tells now and then how far an ingest is."""
    progress(f"ingesting {count} documents into {path}")
    last = time.monotonic()

    def told(state: IngestProgress) -> None:
        nonlocal last
        if time.monotonic() - last >= _REPORT_EVERY:
            last = time.monotonic()
            progress(f"ingesting: {state.done / max(state.total, 1):.0%}")

    return told


class ClewRanker:
    """Turns search results into ranked lists of the data's ids."""

    def __init__(self, store: Store, data: RankingSet, bm25: BM25Index | None) -> None:
        self._store = store
        self._rows = rows_by_document(data.passages)
        self._bm25 = bm25

    def item(self, question: Row, limit: int) -> Row:
        """The item of one question, with at most ``limit`` ids."""
        result = self._store.search(question["question"], limit=limit)
        if self._rows:
            scores = self._bm25.scores(question["question"]) if self._bm25 else {}
            ranked = ranked_rows(result, self._rows, scores)
        else:
            ranked = ranked_documents(result)
            asked = limit
            # Several of the best chunks may belong to one document: ask for more until there are enough documents.
            while len(ranked) < limit and len(result.hits) >= asked and asked < _MOST_HITS:
                asked *= 4
                result = self._store.search(question["question"], limit=asked)
                ranked = ranked_documents(result)
        return {
            "ranked": ranked[:limit],
            "abstained": result.abstained,
            "evidence_score": result.evidence_score,
        }


def ranked_documents(result: SearchResult) -> list[str]:
    """The documents of the hits by their best chunk, in the caller's ids."""
    return list(dict.fromkeys(hit.source for hit in result.hits))


RowSpans = dict[str, list[tuple[int, int, str]]]


def rows_by_document(passages: Sequence[Passage]) -> RowSpans:
    """Where each row stands in its joined document: (start, end, id); empty where passages are documents."""
    spans: RowSpans = {}
    for passage in passages:
        if passage.document:
            rows = spans.setdefault(passage.document, [])
            start = rows[-1][1] + len(ROW_SEPARATOR) if rows else 0
            rows.append((start, start + len(passage.text), passage.id))
    return spans


def ranked_rows(result: SearchResult, rows: RowSpans, scores: dict[str, float]) -> list[str]:
    """Rows of documents: first those in which a chain's evidence stands, then those of the hits.

    The rows of one hit are ordered by ``scores`` (BM25 against the question), then as they stand.
    """
    ranked: dict[str, None] = {}
    for chain in result.chains:
        for link in chain.links:
            for proof in link.evidence:
                ranked.update(dict.fromkeys(_overlapping(rows, proof.source, proof.start, proof.end)))
    for hit in result.hits:
        within = _overlapping(rows, hit.source, hit.start, hit.end)
        ranked.update(dict.fromkeys(sorted(within, key=lambda row: -scores.get(row, 0.0))))
    return list(ranked)


def _overlapping(rows: RowSpans, document: str, start: int, end: int) -> list[str]:
    return [row for row_start, row_end, row in rows.get(document, ()) if row_start < end and start < row_end]


__all__ = [
    "NAMESPACE",
    "RANKED",
    "ClewRanker",
    "OpenStore",
    "Store",
    "documents_of",
    "ingest_fingerprint",
    "ingested_store",
    "open_knowledge_base",
    "ranked_documents",
    "ranked_rows",
    "rows_by_document",
    "store_path",
]
