"""Fusing what several searches found: reciprocal rank fusion, in which chains weigh by how well they fit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from graphrag.chain_view import ChainReader
from graphrag.results import ChannelScore
from storage.ports import Nomination
from storage.records import Chunk

RRF_K = 10
"""Constant of reciprocal rank fusion (Cormack, Clarke, Büttcher 2009, who took 60): on English multi-hop questions 5 to
10 kept more of what one channel alone ranks high, on Chinese chains 10 and 20 did alike."""

WORDS_WEIGHT = {"en": 0.5, "zh": 1.0}
"""Weight of BM25 against vectors by the question's language: the default embedder ranks English better than words do
(musique recall@5 49.9 and 45.4), Chinese worse (ece_chain_zh chain@5 24.8 and 37.9)."""

CHAIN_WEIGHT = 12.0
"""Weight of the chain channel against one plain channel, times how well a chain fits; flat between 8 and 16."""

OPEN_CHAIN_WEIGHT = 6.0
"""The same for a question whose form asks for no reason, order or support: there chains mostly lead aside."""

PROOFS = 3
"""Pieces of evidence of one relation whose chunks are taken, the most certain first."""

NEXT_PROOF = 0.8
"""What each further piece of evidence of a relation is worth against the one before."""


@dataclass(slots=True)
class Fused:
    """One chunk and what each channel said of it; ``text`` where a search has read it already."""

    chunk_id: str
    document_id: str
    text: str | None = None
    score: float = 0.0
    channels: dict[str, ChannelScore] = field(default_factory=dict)


def linked_chunks(reader: ChainReader, chains: Sequence[tuple[Sequence[str], float]]) -> list[tuple[Chunk, float]]:
    """The chunks that prove the chains (relation ids and fit, best first), each once, by the fit of its best chain.

    Among equals they stand in the order of chain and link, so the passages of one chain come in its own order.
    """
    proofs = reader.evidence(r for relations, _ in chains for r in relations)
    reader.chunks(e.document_id for found in proofs.values() for e in found[:PROOFS])
    linked: dict[str, tuple[Chunk, float]] = {}
    for depth in range(PROOFS):
        for relations, fit in chains:
            for relation in relations:
                if depth < len(proofs[relation]) and (chunk := reader.chunk_of(proofs[relation][depth])):
                    linked.setdefault(chunk.id, (chunk, fit * NEXT_PROOF**depth))
    return sorted(linked.values(), key=lambda item: -item[1])


def fuse(
    plain: Mapping[str, Sequence[Nomination]],
    linked: Sequence[tuple[Chunk, float]],
    weights: Mapping[str, float],
    chain_weight: float = CHAIN_WEIGHT,
) -> list[Fused]:
    """All chunks that any channel found, best first, ties by id: a pure function of the ranked lists.

    ``weights`` are those of the plain channels, of which one that is not named weighs 1; ``chain_weight`` is that of
    the chain channel.
    """
    fused: dict[str, Fused] = {}
    for channel, nominations in plain.items():
        for rank, row in enumerate(nominations, 1):
            chunk = fused.setdefault(row.owner, Fused(row.owner, row.document_id))
            chunk.text = row.text
            chunk.score += weights.get(channel, 1.0) / (RRF_K + rank)
            chunk.channels[channel] = ChannelScore(rank=rank, score=row.score)
    for rank, (found, fit) in enumerate(linked, 1):
        chunk = fused.setdefault(found.id, Fused(found.id, found.document_id))
        chunk.score += chain_weight * fit / (RRF_K + rank)
        chunk.channels["chain"] = ChannelScore(rank=rank, score=fit)
    return sorted(fused.values(), key=lambda f: (-f.score, f.chunk_id))


__all__ = [
    "CHAIN_WEIGHT",
    "NEXT_PROOF",
    "OPEN_CHAIN_WEIGHT",
    "PROOFS",
    "RRF_K",
    "WORDS_WEIGHT",
    "Fused",
    "fuse",
    "linked_chunks",
]
