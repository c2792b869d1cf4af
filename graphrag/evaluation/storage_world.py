"""A generated world of documents, statements and relations, large enough to measure the stores of one machine.

All of it is a pure function of a seed and a size, and any document can be made by its number alone, so a store of a
million chunks is written from a stream and needs no memory. Words follow Zipf's law, in English and in Chinese; vectors
lie in clusters, as those of an embedder do; few statements have many relations and most have few; every quote stands in
the text.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cache, cached_property

import numpy as np
from numpy.typing import NDArray

from graphrag.prepare import Prepared, index_rows
from storage.ports import DocumentGraph, Vector
from storage.records import (
    PUBLIC,
    Chunk,
    Document,
    Evidence,
    Mention,
    Modality,
    Relation,
    RelationType,
    Source,
    Span,
    Statement,
    StatementKey,
    StoredDocument,
)

DIMENSIONS = 384
CHUNKS = 10
"""Chunks of a document, each with one piece of evidence."""

RARE_GROUP, RARE_FIRST, RARE_EVERY = "rare", 7, 100
"""One document in a hundred, from the eighth on, belongs to a group of its own."""

HUB_PER_DOCUMENT = 1_000
"""Relations of the hub that one document states."""

_WORDS = 60_000
_HAN = 3_500
_LENGTH = {"en": 80, "zh": 75}  # words of a chunk; most Chinese ones have two characters
_TYPES = (RelationType.CAUSAL, RelationType.SEQUENTIAL, RelationType.SUPPORTING, RelationType.PROGRESSIVE)
_TYPE_SHARES = (0.6, 0.2, 0.12, 0.08)
_MOMENT = datetime(2026, 1, 1, tzinfo=UTC)
_SYLLABLES = [c + v for c in "bdfghklmnprstvwz" for v in ("a", "e", "i", "o", "u", "ai", "ou")]
_LEAST_RANK = 60  # what comes more often is no content word, and no part of a statement's key


@dataclass(frozen=True, slots=True)
class Size:
    """How much there is of everything."""

    documents: int
    statements: int
    relations: int
    hub_relations: int  # of one more statement, stated by documents of its own

    @classmethod
    def of(cls, scale: float) -> Size:
        """A million chunks and pieces of evidence, 200,000 statements and 600,000 relations, times ``scale``."""
        if not 0 < scale <= 10:
            raise ValueError("scale must lie in (0, 10]")
        documents = max(60, round(100_000 * scale) // 2 * 2)
        return cls(documents, 2 * documents, 6 * documents, max(200, round(100_000 * scale)))

    @property
    def chunks(self) -> int:
        """Chunks of the documents proper, without those of the hub."""
        return self.documents * CHUNKS

    @property
    def hub_documents(self) -> int:
        """Documents that state the hub's relations."""
        return -(-self.hub_relations // HUB_PER_DOCUMENT)


@dataclass(frozen=True, slots=True)
class Question:
    """Words as somebody might ask for one chunk, and a vector near that chunk's."""

    text: str
    vector: Vector


@dataclass(frozen=True, slots=True)
class _Stated:
    statement: Statement
    id: str
    words: str


class World:
    """Documents by number. Statements, relations and documents of even number are English, the others Chinese."""

    def __init__(self, seed: int, size: Size) -> None:
        self.seed = seed
        self.size = size

    # documents

    def documents(self, start: int, stop: int) -> Iterator[Prepared]:
        """The documents ``start`` to ``stop``, those of the hub being the last."""
        last = self.size.documents
        for number in range(start, stop):
            yield self.document(number) if number < last else self._hub_document(number - last)

    def document(self, number: int, *, version: int = 0) -> Prepared:
        """One document as :func:`graphrag.prepare.prepare` would give it, with vectors; another version, other text."""
        draw = np.random.default_rng([self.seed, 1, number, version])
        language = _language(number)
        pairs = []
        for j in range(CHUNKS):
            relation = self._proven(number, j, draw)
            pairs.append((int(self._heads[relation]), int(self._tails[relation]), int(self._types[relation])))
        return self._prepared(number, language, pairs, draw, chunk_of=range(CHUNKS))

    def question(self, number: int) -> Question:
        """A question for a chunk drawn by ``number``, in turn of an English and of a Chinese document."""
        draw = np.random.default_rng([self.seed, 2, number])
        document = int(draw.integers(self.size.documents // 2)) * 2 + number % 2
        prepared = self.document(document)
        row = prepared.rows["chunks"][int(draw.integers(CHUNKS))]
        assert row.vector is not None
        if number % 2:
            start = int(draw.integers(max(1, len(row.text) - 12)))
            text = f"为什么{row.text[start : start + 12]}？"
        else:
            words = row.text.split()
            text = f"why did the {' '.join(words[i] for i in draw.integers(len(words), size=5))}"
        return Question(text, _unit(row.vector + 0.25 * _noise(draw, 1)[0]))

    def seeds(self, number: int, count: int) -> list[str]:
        """Ids of statements to walk from, all of them equally likely that are the head of a relation."""
        draw = np.random.default_rng([self.seed, 3, number])
        return [self.statement(int(s)).id for s in draw.choice(self._with_relations, size=count, replace=False)]

    @property
    def hub(self) -> Statement:
        """The statement with more relations than any walk follows."""
        return Statement(key=StatementKey(language="en", terms=("hub", "everything")))

    def statement(self, number: int) -> Statement:
        """A statement by its number."""
        first, second = (int(i) for i in self._statement_words[number])
        language = _language(number)
        name = _han_word(number // 2 + _HAN) if language == "zh" else _english_word(number // 2 + _WORDS)
        frequent = _frequent_words(language)
        return Statement(key=StatementKey(language=language, terms=(frequent[first], name, frequent[second])))

    # parts of the above

    def _hub_document(self, part: int) -> Prepared:
        draw = np.random.default_rng([self.seed, 4, part])
        first = part * HUB_PER_DOCUMENT
        last = min(first + HUB_PER_DOCUMENT, self.size.hub_relations)
        pairs = [
            (-1, 2 * (i % (self.size.statements // 2)), i // (self.size.statements // 2)) for i in range(first, last)
        ]
        chunk_of = [i * CHUNKS // len(pairs) for i in range(len(pairs))]
        return self._prepared(self.size.documents + part, "en", pairs, draw, chunk_of=chunk_of)

    def _prepared(
        self,
        number: int,
        language: str,
        pairs: list[tuple[int, int, int]],
        draw: np.random.Generator,
        *,
        chunk_of: range | list[int],
    ) -> Prepared:
        """A document of which each pair (head, tail, type) is stated at the end of a chunk."""
        topic = number % len(self._centres)
        found = [(self._stated(head), self._stated(tail), _TYPES[kind % len(_TYPES)]) for head, tail, kind in pairs]
        text, cue = _Text(language), "leads to" if language == "en" else "导致"
        spans: list[tuple[Span, Span, Span]] = []
        bounds: list[tuple[int, int]] = []
        for chunk in range(CHUNKS):
            start = text.length
            text.add(self._filler(language, topic, draw))
            stated = [row for row, at in zip(found, chunk_of, strict=True) if at == chunk]
            spans += [text.sentence(head.words, cue, tail.words) for head, tail, _ in stated]
            bounds.append((start, text.length))
            text.add("\n")
        name = f"document {number}"
        document = Document(text=text.whole.rstrip("\n"), id=name, title=name, language=language)
        source = self._source(number, document)
        stored = StoredDocument(
            source_id=source.id, content_hash=document.content_hash, title=name, language=language,
            length=len(document.text),
        )  # fmt: skip
        document_id = source.document_id  # an id is a hash: each is made once
        chunks = tuple(
            Chunk(document_id=document_id, start=start, end=end, ordinal=i) for i, (start, end) in enumerate(bounds)
        )
        relations, evidence, mentions = {}, [], []
        for (head, tail, type_), (head_at, cue_at, tail_at) in zip(found, spans, strict=True):
            relation = Relation(type=type_, head=head.id, tail=tail.id)
            relation_id = relation.id
            relations[relation_id] = relation
            for end, at in ((head, head_at), (tail, tail_at)):
                mentions.append(Mention(statement_id=end.id, document_id=document_id, span=at, text=end.words))
            evidence.append(
                Evidence(
                    relation_id=relation_id, document_id=document_id, head=head_at, tail=tail_at, cue=cue_at,
                    subtype="cause", modality=Modality.ASSERTED, explicit=True, origin="generated@1",
                    confidence=round(float(draw.uniform(0.5, 0.95)), 3),
                )
            )  # fmt: skip
        statements = {end.id: end.statement for head, tail, _ in found for end in (head, tail)}
        graph = DocumentGraph(
            source=source,
            document=stored,
            chunks=chunks,
            statements=tuple(statements.values()),
            mentions=tuple(mentions),
            relations=tuple(relations.values()),
            evidence=tuple(evidence),
        )
        return self._with_vectors(Prepared(graph, index_rows(document, graph), 0, (), {}), topic, draw)

    def _source(self, number: int, document: Document) -> Source:
        bare = Source(
            namespace="generated", path=document.id or "", document_id="", raw_hash=document.content_hash,
            groups=(RARE_GROUP if number % RARE_EVERY == RARE_FIRST else PUBLIC,), fingerprint="generated@1",
            ingested_at=_MOMENT,
        )  # fmt: skip
        document_id = StoredDocument(
            source_id=bare.id, content_hash=document.content_hash, title="", language="", length=0
        ).id
        return bare.model_copy(update={"document_id": document_id})

    def _with_vectors(self, prepared: Prepared, topic: int, draw: np.random.Generator) -> Prepared:
        rows = dict(prepared.rows)
        near = self._centres[topic] + 0.5 * _noise(draw, 1)[0]
        for collection in ("chunks", "statements"):
            vectors = _unit(near + 0.6 * _noise(draw, len(rows[collection])))
            rows[collection] = [replace(r, vector=v) for r, v in zip(rows[collection], vectors, strict=True)]
        return replace(prepared, rows=rows)

    def _filler(self, language: str, topic: int, draw: np.random.Generator) -> str:
        ranks = np.searchsorted(self._zipf, draw.random(_LENGTH[language]))
        # Every third content word is one of the topic's own.
        own = (ranks >= _LEAST_RANK) & (draw.random(len(ranks)) < 0.33)
        ranks = np.where(own, (ranks + 37 * (topic + 1)) % _WORDS, ranks)
        words = _frequent_words(language)[ranks]
        return " ".join(words) + ". " if language == "en" else "".join(words) + "。"

    def _stated(self, number: int) -> _Stated:
        """A statement as texts say it, the hub for number -1."""
        statement = self.hub if number < 0 else self.statement(number)
        terms = statement.key.terms
        words = " ".join(terms) if statement.key.language == "en" else "".join(terms)
        return _Stated(statement, statement.id, words)

    def _proven(self, number: int, place: int, draw: np.random.Generator) -> int:
        """The relation that one piece of evidence proves: each is proven once, two of five pieces prove one again."""
        among = number // 2 * CHUNKS + place
        language = number % 2
        half = self.size.relations // 2
        group, rest = divmod(among, 5)
        own = 3 * group + rest if rest < 3 else int(half * draw.random() ** 2)
        return 2 * (own % half) + language

    @cached_property
    def _zipf(self) -> NDArray[np.float64]:
        shares = 1 / np.arange(1, _WORDS + 1) ** 1.05
        return np.cumsum(shares / shares.sum())

    @cached_property
    def _centres(self) -> NDArray[np.float32]:
        draw = np.random.default_rng([self.seed, 5])
        topics = max(8, self.size.documents // 100)
        # All vectors of an embedder have a direction in common.
        return (0.9 * _noise(draw, 1) + 0.7 * _noise(draw, topics)).astype(np.float32)

    @cached_property
    def _statement_words(self) -> NDArray[np.int64]:
        draw = np.random.default_rng([self.seed, 6])
        found = np.searchsorted(self._zipf, draw.random((self.size.statements, 2)))
        return np.where(found < _LEAST_RANK, found + _LEAST_RANK, found)

    @cached_property
    def _heads(self) -> NDArray[np.int64]:
        return self._ends(7, skew=2.0)

    @cached_property
    def _with_relations(self) -> NDArray[np.int64]:
        return np.unique(self._heads)

    @cached_property
    def _tails(self) -> NDArray[np.int64]:
        tails = self._ends(8, skew=1.3)
        return np.where(tails == self._heads, (tails + 2) % self.size.statements, tails)

    def _ends(self, part: int, *, skew: float) -> NDArray[np.int64]:
        draw = np.random.default_rng([self.seed, part])
        half = self.size.statements // 2
        places = (half * draw.random(self.size.relations) ** skew).astype(np.int64)
        return 2 * draw.permutation(half)[places] + np.arange(self.size.relations) % 2

    @cached_property
    def _types(self) -> NDArray[np.int64]:
        draw = np.random.default_rng([self.seed, 9])
        return draw.choice(len(_TYPES), size=self.size.relations, p=_TYPE_SHARES)


class _Text:
    """A text that grows, and where its parts stand."""

    def __init__(self, language: str) -> None:
        self._space = " " if language == "en" else ""
        self._stop = ". " if language == "en" else "。"
        self._parts: list[str] = []
        self.length = 0

    @property
    def whole(self) -> str:
        return "".join(self._parts)

    def add(self, words: str) -> None:
        self._parts.append(words)
        self.length += len(words)

    def sentence(self, head: str, cue: str, tail: str) -> tuple[Span, Span, Span]:
        """Add one that states a relation; where its three parts stand."""
        spans = []
        for words, after in ((head, self._space), (cue, self._space), (tail, self._stop)):
            self.add(words)
            spans.append(Span(start=self.length - len(words), end=self.length))
            self.add(after)
        return spans[0], spans[1], spans[2]


def _language(number: int) -> str:
    return "zh" if number % 2 else "en"


@cache
def _frequent_words(language: str) -> NDArray[np.object_]:
    """The words of a language by rank, the most frequent first."""
    return np.array([_english_word(i) if language == "en" else _han_word(i) for i in range(_WORDS)], dtype=object)


def _english_word(rank: int) -> str:
    """The more frequent a word, the shorter; different ranks, different words."""
    parts = []
    while True:
        rank, part = divmod(rank, len(_SYLLABLES))
        parts.append(_SYLLABLES[part])
        if not rank:
            return "".join(parts)
        rank -= 1


def _han_word(rank: int) -> str:
    """The most frequent words have one character, the others two or more."""
    parts = []
    while True:
        rank, part = divmod(rank, _HAN)
        parts.append(chr(0x4E00 + part))
        if not rank:
            return "".join(parts)
        rank -= 1


def _noise(draw: np.random.Generator, count: int) -> NDArray[np.float32]:
    """Vectors of length about 1 in random directions."""
    drawn: NDArray[np.float32] = draw.standard_normal((count, DIMENSIONS), dtype=np.float32)
    drawn /= np.float32(DIMENSIONS**0.5)
    return drawn


def _unit(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    unit: NDArray[np.float32] = (vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)).astype(np.float32)
    return unit


__all__ = [
    "CHUNKS", "DIMENSIONS", "HUB_PER_DOCUMENT", "RARE_EVERY", "RARE_FIRST", "RARE_GROUP", "Question", "Size", "World",
]  # fmt: skip
