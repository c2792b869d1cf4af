"""A tiny benchmark folder, a store that searches by common words, and an embedder that counts them."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from extractors.ports import ExtractedRelation, ExtractionResult, TextSpan
from graphrag.evaluation.baselines import tokens
from graphrag.results import ChainLink, FileProblem, FoundChain, Hit, IngestReport, LinkEvidence, SearchResult
from graphrag.settings import Settings
from storage.ports import Side, Vector
from storage.records import Document, Modality, Polarity, RelationType, StatementKey


def write_rows(path: Path, rows: Sequence[dict[str, Any]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")


@pytest.fixture
def bench(tmp_path: Path) -> Path:
    """musique (with titles), multihoprag with null questions, both chain sets, and two extraction sets."""
    folder = tmp_path / "bench"
    write_rows(
        folder / "corpus/musique/corpus.jsonl",
        [
            {"id": "p1", "title": "Port", "text": "The storm closed the harbour."},
            {"id": "p2", "title": "Storm", "text": "Warm water fed it."},
            {"id": "p3", "title": "Bread", "text": "Bakers rise early."},
        ],
    )
    write_rows(
        folder / "multihop/musique/questions.jsonl",
        [
            {"id": "q1", "question": "What closed the harbour?", "gold_doc_ids": ["p1", "p2"]},
            {"id": "q2", "question": "When do bakers rise?", "gold_doc_ids": ["p3"]},
        ],
    )
    write_rows(folder / "corpus/multihoprag/corpus.jsonl", [{"id": "m1", "title": "Gold", "text": "Profits fell."}])
    write_rows(folder / "corpus/multihoprag/distractors.jsonl", [{"id": "m2", "title": "", "text": "Costs rose."}])
    write_rows(
        folder / "multihop/multihoprag/questions.jsonl",
        [
            {"id": "q1", "question": "Which profits fell?", "gold_doc_ids": ["m1"]},
            {"id": "q2", "question": "Who sang?", "gold_doc_ids": []},
        ],
    )
    write_rows(
        folder / "chain/ece_chain_zh/corpus.jsonl",
        [
            {"id": "e1", "title": "", "text": "木浆需求增加，木浆价格上涨"},
            {"id": "e2", "title": "", "text": "纸巾利润下降"},
        ],
    )
    write_rows(
        folder / "chain/ece_chain_zh/questions.jsonl",
        [
            {
                "id": "q1",
                "question": "木浆需求增加如何导致纸巾利润下降？",
                "gold_doc_ids": ["e1", "e2"],
                "gold_paths": [{"hop_docs": [["e1"], ["e2"]]}],
            }
        ],
    )
    rows = ["Rain fell for days.", "The river rose.", "The dam broke.", "People left."]
    write_rows(
        folder / "corpus/relqa_en_far/corpus.jsonl",
        [{"id": f"d#{i}", "doc_id": "d", "seq": i, "title": "", "text": text} for i, text in enumerate(rows)],
    )
    write_rows(
        folder / "chain/relqa_en_far/questions.jsonl",
        [{"id": "q1", "question": "Why: the dam broke?", "gold_doc_ids": ["d#0"], "given_ids": ["d#2"]}],
    )
    write_rows(
        folder / "extraction/cnc/sentences.jsonl",
        [
            {
                "id": "s1",
                "lang": "en",
                "text": "Rain caused floods",
                "causal": True,
                "relations": [{"type": "causal", "from": [0, 4], "to": [12, 18]}],
            },
            {"id": "s2", "lang": "en", "text": "Nothing here", "causal": False, "relations": []},
        ],
    )
    write_rows(
        folder / "extraction/ece_zh/sentences.jsonl",
        [
            {
                "id": "s1",
                "lang": "zh",
                "text": "玉米涨价导致猪肉涨价",
                "relations": [{"type": "causal", "from": {"product": ["玉米"]}, "to": {"product": ["猪肉"]}}],
            }
        ],
    )
    return folder


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(cache=tmp_path / "cache")  # type: ignore[call-arg]


class WordEmbedder:
    """Counts words into 32 fields."""

    name = "words@1"
    dimensions = 32

    def embed(self, texts: Sequence[str], side: Side) -> Vector:
        vectors = np.full((len(texts), self.dimensions), 1e-3, dtype=np.float32)
        for i, text in enumerate(texts):
            for word in tokens(text, chinese=True):
                vectors[i, sum(map(ord, word)) % self.dimensions] += 1
        return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)  # type: ignore[no-any-return]


class WordStore:
    """Ranks documents by common words; chunks are halves of documents; remembers what it was given, by path."""

    def __init__(self, path: Path, kept: dict[Path, dict[str, Document]]) -> None:
        self.documents = kept.setdefault(path, {})
        self.taken = 0
        self.closed = False

    def ingest(self, sources: Sequence[Document], *, namespace: str, progress: Callable[[Any], None]) -> IngestReport:
        assert namespace == "eval"
        failed = []
        for document in sources:
            assert document.id is not None
            if "unreadable" in document.text:
                failed.append(FileProblem(path=document.id, reason="unreadable"))
            elif document.id not in self.documents:
                self.documents[document.id] = document
                self.taken += 1
        return IngestReport(failed=tuple(failed))

    def search(self, question: str, *, limit: int) -> SearchResult:
        words = set(tokens(question, chinese=True))
        hits = []
        for id_, document in self.documents.items():
            middle = len(document.text) // 2
            for start, end in ((0, middle), (middle, len(document.text))):
                text = document.text[start:end]
                common = len(words & set(tokens(f"{document.title} {document.text}", chinese=True)))
                hits.append(
                    Hit(
                        chunk_id=f"{id_}:{start}",
                        document_id=id_,
                        source=id_,
                        start=start,
                        end=end,
                        text=text,
                        score=float(common),
                        channels={},
                    )
                )
        hits.sort(key=lambda h: (-h.score, h.chunk_id))
        best = hits[0].score if hits else 0.0
        return SearchResult(question=question, hits=tuple(hits[:limit]), evidence_score=best / 10, abstained=best == 0)

    def close(self) -> None:
        self.closed = True


class CauseExtractor:
    """Finds ``A caused B`` and ``甲导致乙``."""

    name = "cause@1"

    def extract(self, text: str, language: str) -> ExtractionResult:
        relations = []
        for cue in (" caused ", "导致"):
            at = text.find(cue)
            if at > 0:
                for confidence, polarity in (
                    (0.9, Polarity.AFFIRMED),
                    (0.3, Polarity.AFFIRMED),
                    (0.9, Polarity.NEGATED),
                ):
                    relations.append(
                        ExtractedRelation(
                            type=RelationType.CAUSAL,
                            head=TextSpan(start=0, end=2, text=text[:2]),
                            tail=TextSpan(start=at + len(cue), end=len(text), text=text[at + len(cue) :]),
                            cue=None,
                            head_key=StatementKey(language=language, terms=("a",)),
                            tail_key=StatementKey(language=language, terms=("b",)),
                            polarity=polarity,
                            subtype="cause",
                            confidence=confidence,
                            rule="test",
                        )
                    )
        return ExtractionResult(language=language, relations=tuple(relations), extractor=self.name)


def proof(source: str, start: int, end: int) -> FoundChain:
    """A chain of one link with one piece of evidence."""
    evidence = LinkEvidence(
        evidence_id="evd",
        document_id="doc",
        source=source,
        start=start,
        end=end,
        quote="",
        head="",
        head_start=start,
        head_end=start,
        tail="",
        tail_start=end,
        tail_end=end,
        cue=None,
        cue_start=None,
        cue_end=None,
        subtype="cause",
        modality=Modality.ASSERTED,
        confidence=0.9,
        origin="test",
    )
    link = ChainLink(
        relation_id="rel",
        type=RelationType.CAUSAL,
        subtype="cause",
        confidence=0.9,
        head_id="h",
        head="",
        tail_id="t",
        tail="",
        documents=1,
        evidence=(evidence,),
    )
    return FoundChain(id="chn", links=(link,))
