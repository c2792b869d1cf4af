"""What Clew is compared with, in the same run: BM25, dense retrieval, and the fusion of both by reciprocal ranks."""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from graphrag.evaluation.datasets import Passage

if TYPE_CHECKING:
    from storage.ports import Embedder, Vector

Progress = Callable[[str], None]

K1, B = 1.2, 0.75
RRF_K = 60
"""The constant of Cormack, Clarke and Büttcher, "Reciprocal Rank Fusion" (SIGIR 2009)."""
FUSED_DEPTH = 50
"""How many passages of each ranking are fused, as in the published floors; deeper lists change recall@5 by a point."""

_WORDS = re.compile(r"[a-z0-9]+")
_HAN = re.compile(r"[\u4e00-\u9fff]+")
_EMBEDDED_AT_ONCE = 1024


def tokens(text: str, *, chinese: bool) -> list[str]:
    """Lower-case words of ASCII letters and digits; for Chinese also every character and every pair of neighbours."""
    text = text.lower()
    found = _WORDS.findall(text)
    if chinese:
        for run in _HAN.findall(text):
            found += [*run, *(run[i : i + 2] for i in range(len(run) - 1))]
    return found


class BM25Index:
    """Okapi BM25 over whole passages (Robertson and Zaragoza 2009), without stemming and stop words."""

    def __init__(self, passages: Sequence[Passage], *, chinese: bool) -> None:
        self._chinese = chinese
        self._ids = [p.id for p in passages]
        self._postings: dict[str, list[tuple[int, int]]] = defaultdict(list)
        lengths: list[int] = []
        for i, passage in enumerate(passages):
            counts = Counter(tokens(f"{passage.title} {passage.text}", chinese=chinese))
            lengths.append(counts.total())
            for term, count in counts.items():
                self._postings[term].append((i, count))
        mean = sum(lengths) / max(len(lengths), 1) or 1.0
        self._norms = [K1 * (1 - B + B * length / mean) for length in lengths]

    def scores(self, question: str) -> dict[str, float]:
        """The score of every passage that shares a term with ``question``, in the order of the corpus."""
        scores: dict[int, float] = defaultdict(float)
        # Sorted: the sum of floats, and so the order of near-ties, must not depend on the hash seed.
        for term in sorted(set(tokens(question, chinese=self._chinese))):
            found = self._postings.get(term, ())
            idf = math.log(1 + (len(self._ids) - len(found) + 0.5) / (len(found) + 0.5))
            for i, count in found:
                scores[i] += idf * count * (K1 + 1) / (count + self._norms[i])
        return {self._ids[i]: scores[i] for i in sorted(scores)}

    def rank(self, question: str, limit: int) -> list[str]:
        """The ids of the best passages, ties in the order of the corpus."""
        scores = self.scores(question)
        return sorted(scores, key=lambda i: -scores[i])[:limit]


class DenseIndex:
    """Exact cosine over the vectors of whole passages."""

    def __init__(self, passages: Sequence[Passage], embedder: Embedder, progress: Progress) -> None:
        import numpy as np

        self._ids = [p.id for p in passages]
        self._embedder = embedder
        self._questions: dict[str, Vector] = {}
        parts = []
        for start in range(0, len(passages), _EMBEDDED_AT_ONCE):
            progress(f"embedding passages {start}/{len(passages)}")
            part = passages[start : start + _EMBEDDED_AT_ONCE]
            parts.append(embedder.embed([p.whole for p in part], "passage"))
        self._vectors: Vector = np.concatenate(parts)

    def rank(self, question: str, limit: int) -> list[str]:
        """The ids of the nearest passages, ties in the order of the corpus."""
        import numpy as np

        if question not in self._questions:
            self._questions[question] = self._embedder.embed([question], "query")[0]
        similarity = self._vectors @ self._questions[question]
        return [self._ids[i] for i in np.argsort(-similarity, kind="stable")[:limit]]


def fused(rankings: Sequence[Sequence[str]], limit: int) -> list[str]:
    """Reciprocal rank fusion: each ranking adds ``1 / (60 + rank)``; ties in the order of first appearance."""
    scores: dict[str, float] = defaultdict(float)
    for ranking in rankings:
        for rank, id_ in enumerate(ranking, 1):
            scores[id_] += 1 / (RRF_K + rank)
    return sorted(scores, key=lambda i: -scores[i])[:limit]


__all__ = ["FUSED_DEPTH", "RRF_K", "BM25Index", "DenseIndex", "Progress", "fused", "tokens"]
