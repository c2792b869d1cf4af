"""What a store should hold in a state of the model: the records and rows that each document brings by itself."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from pathlib import Path

from crash.simulation.model import State, Stretch, Written
from crash.simulation.store import Store

from graphrag import Document
from storage.ports import COLLECTIONS
from storage.records import Chain, Evidence, Period, Record, Relation, SameAs, Source
from storage.state_hash import canonical_line

NAMESPACE = "documents"


def document_of(name: str, written: Written) -> Document:
    return Document(id=name, text=written.text, groups=written.groups, language="en")


@dataclass(frozen=True)
class Part:
    """What one document brings into the stores: its records, each with the relations it needs, and its rows' access."""

    source: Source
    lines: Mapping[str, frozenset[str]]
    chains: frozenset[str]
    rows: Mapping[str, Mapping[str, str]]


class Oracle:
    """Says what each document brings into a store that holds nothing else, and what a state is from that."""

    def __init__(self, folder: Path) -> None:
        self._store = Store(folder)
        self._parts: dict[tuple[str, Written], Part] = {}

    def part_of(self, name: str, written: Written) -> Part:
        """What one document brings."""
        if (name, written) not in self._parts:
            kb = self._store.kb
            kb.ingest([document_of(name, written)])
            graph, index = kb._stores.graph, kb._stores.index
            [source] = graph.every_source()
            ids = [source.document_id]
            self._parts[name, written] = Part(
                source=source,
                lines={canonical_line(r): _needs(r) for r in graph.records() if not isinstance(r, (SameAs, Source))},
                chains=frozenset(c.id for g in graph.document_graphs(ids) for c in g.chains),
                rows={c: {r.id: r.access_class for r in index.document_rows(c, ids)} for c in COLLECTIONS},
            )
            kb.remove(f"{NAMESPACE}/{name}")
        return self._parts[name, written]

    def lines_of(self, state: State) -> set[str]:
        """The canonical lines of every record of a state."""
        parts = [self.part_of(name, written) for name, written in state.versions]
        lines = {line for part in parts for line, needs in part.lines.items() if not needs & state.rejected}
        for part, stretches in zip(parts, state.versions.values(), strict=True):
            lines.add(canonical_line(_held(part.source, stretches)))
        held = {chain for part in parts for chain in part.chains}
        active = state.derived()
        for proposal in state.proposals.values():
            if proposal.status == "accepted" and proposal.chain_id not in held and active[proposal.chain_id]:
                lines.add(canonical_line(Chain(relation_ids=proposal.relation_ids, derived=True)))
        return lines

    def hash_of(self, state: State) -> str:
        """The state hash of a knowledge base in this state."""
        digest = hashlib.sha256()
        for line in sorted(self.lines_of(state)):
            digest.update(line.encode("utf-8", "surrogatepass") + b"\n")
        return digest.hexdigest()

    def rows_of(self, state: State, collection: str) -> list[tuple[str, str, datetime | None, datetime | None]]:
        """Every row that documents have in a collection: its id, access class, and from when until when it is found."""
        return sorted(
            (id_, class_, stretches[0].start, stretches[-1].end)
            for (name, written), stretches in state.versions.items()
            for id_, class_ in self.part_of(name, written).rows[collection].items()
        )

    def close(self) -> None:
        self._store.close()


def _held(source: Source, stretches: Sequence[Stretch]) -> Source:
    """A source that holds in these stretches, and not in the gaps between them."""
    gaps = []
    for one, next_one in pairwise(stretches):
        assert one.end is not None
        assert next_one.start is not None
        gaps.append(Period(start=one.end, end=next_one.start))
    return source.model_copy(
        update={"valid_from": stretches[0].start, "valid_to": stretches[-1].end, "gaps": tuple(gaps)}
    )


def _needs(record: Record) -> frozenset[str]:
    """The relations without which a record is not active."""
    if isinstance(record, Relation):
        return frozenset({record.id})
    if isinstance(record, Evidence):
        return frozenset({record.relation_id})
    return frozenset(record.relation_ids) if isinstance(record, Chain) else frozenset()
