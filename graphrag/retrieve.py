"""Retrieval: match chains and statements, walk the graph, fetch the linked chunks, fuse with plain hybrid search."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from extractors.keys import statement_key
from graphrag.calibration import Calibration
from graphrag.chain_view import ChainReader
from graphrag.concurrently import concurrently
from graphrag.fusion import CHAIN_WEIGHT, OPEN_CHAIN_WEIGHT, WORDS_WEIGHT, Fused, fuse, linked_chunks
from graphrag.loose_join import Half, best_halves, join_loosely, resemblance
from graphrag.match import Match, Nominated, Phrase, Search, best, match, nominate
from graphrag.question import WALKS, Ask, Question
from graphrag.results import FoundChain, Hit, Wider
from graphrag.stores import Stores
from graphrag.walk import Bounds, Path, Walk, crossings, join, walk
from graphrag.widen import widened
from storage.ports import ChainView, Nomination, RelationView, Vector
from storage.records import Chain, Chunk, Modality, PlaceKind, Polarity, Relation, RelationType, Scope, StatementKey

SEED_FLOOR = 0.45
"""Statements that fit worse than this are not walked from."""

MEANT_FLOOR = 0.6
"""A phrase is taken to mean a statement that fits it at least this well."""

LEADING_CONFIDENCE = 0.15
"""Relations down to here lead to passages; what is shown as an answer has the confidence that the settings ask for."""

LOOSE = 1.5
"""Factor for pairs of relations that only resemble what was asked, as against chains that meet in one statement."""

LOOSE_SEEDS = 80
"""Statements on either side from which a loose join sets out, the most alike first."""

LOOSE_FAN_OUT = 100
"""Relations of one such statement, the most certain first: there a statement on everyone's lips has hundreds."""

INCOMPLETE = 0.05
"""What a chain that reaches one of two named ends is worth: there are hundreds of them, and they lead astray."""

DIRECTNESS = 0.8
"""What each link beyond two (or missing to them) costs a chain between two named ends."""

MOST_HOPS = 8
"""Links up to which a chain is looked for before it is said that nothing shows it; the highest that can be set."""

SEEDS = 12
CHUNKS_PER_CHANNEL = 50
PATHS_KEPT = 40
STORED_NOMINATED = 20

DERIVED_BONUS = 1.25
"""A person accepted such a chain: it comes before one of equal fit that nobody has looked at."""


@dataclass(frozen=True, slots=True)
class RankedChain:
    """A chain that was matched or walked, and how well it fits the question, in [0, 1]."""

    relation_ids: tuple[str, ...]
    score: float  # the strength, and more of it the further the chain leads
    strength: float  # how well its ends fit what was asked for, times its weakest link
    weakest: float  # the confidence of its least certain link
    stored: Chain | None = None
    complete: bool = True  # False: one of the two ends that the question names is not reached
    joined: bool = True  # False: its links only resemble each other where they meet; it leads to passages


@dataclass(slots=True)
class Retrieval:
    """Everything that was found for a question."""

    question: Question
    chains: list[RankedChain] = field(default_factory=list)
    starts: list[Match] = field(default_factory=list)
    ends: list[Match] = field(default_factory=list)
    near_starts: list[Match] = field(default_factory=list)  # all that were looked at, the starts among them
    near_ends: list[Match] = field(default_factory=list)
    denied: list[RankedChain] = field(default_factory=list)  # said not to hold, between the two ends
    hits: list[Hit] = field(default_factory=list)
    longer: bool = False  # a chain between the two ends has more links than the settings allow
    reasons: list[str] = field(default_factory=list)
    trace: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Rows:
    """What the searches of the text index propose for one question."""

    statements: Mapping[str, Nominated]  # by phrase
    chains: Sequence[Nomination]
    chunks: Mapping[str, Sequence[Nomination]]  # by channel


class Retriever:
    """Retrieves for one caller; reads through one reader, so that nothing is fetched twice."""

    def __init__(self, stores: Stores, scope: Scope, calibration: Calibration) -> None:
        self._stores = stores
        self.scope = scope
        self.calibration = calibration
        self.reader = ChainReader(stores.graph, stores.index, scope, now=stores.clock())

    def retrieve(self, question: Question, *, limit: int) -> Retrieval:
        """Chains and chunks for ``question``, best first."""
        found = Retrieval(question)
        phrases = list(dict.fromkeys(p for p in (question.text, question.start, question.end) if p))
        vectors = dict(zip(phrases, self._stores.embedder.embed(phrases, "query"), strict=True))
        rows = self._search(question, vectors, max(limit, CHUNKS_PER_CHANNEL))
        self._match(found, rows.statements)
        self._walk(found)
        self._start_from_stored(found, rows.chains)
        found.chains.sort(key=lambda c: (-c.score, c.relation_ids))
        found.chains = found.chains[:PATHS_KEPT]
        linked = linked_chunks(self.reader, [(c.relation_ids, c.score) for c in found.chains])
        words = {"bm25": WORDS_WEIGHT.get(question.language, 1.0)}
        chains = OPEN_CHAIN_WEIGHT if question.ask is Ask.OPEN else CHAIN_WEIGHT
        found.hits = self._hits(fuse(rows.chunks, linked, words, chains)[: 2 * limit])[:limit]
        return found

    def _search(self, question: Question, vectors: Mapping[str, Vector], limit: int) -> _Rows:
        """All that is searched for a question, at once: statements by its phrases, chains and chunks by the whole."""
        index, scope, text = self._stores.index, self.scope, question.text
        named = [p for p in (question.start, question.end) if p] or [text]
        calls: list[Search] = [call for p in named for call in nominate(index, scope, p, vectors[p])]
        calls += [
            partial(index.search_text, "chains", text, scope, limit=STORED_NOMINATED),
            partial(index.search_vector, "chains", vectors[text], scope, limit=STORED_NOMINATED),
            partial(index.search_text, "chunks", text, scope, limit=limit),
            partial(index.search_vector, "chunks", vectors[text], scope, limit=limit),
        ]
        *statements, chains_worded, chains_near, worded, near = concurrently(calls)
        return _Rows(
            statements={p: Nominated(*statements[2 * i : 2 * i + 2]) for i, p in enumerate(named)},
            chains=[*chains_near, *chains_worded],
            chunks={"bm25": worded, "dense": near},
        )

    # chains

    def _match(self, found: Retrieval, nominated: Mapping[str, Nominated]) -> None:
        question = found.question

        def meant(phrase: str, *, inside: bool = False) -> list[Match]:
            asked = Phrase(phrase, statement_key(phrase, question.language), inside)
            graph, scope = self._stores.graph, self.scope
            return match(graph, scope, self.calibration, asked, nominated[phrase])

        if question.start:
            found.near_starts = meant(question.start)
        if question.end:
            found.near_ends = meant(question.end)
        if not question.start and not question.end:
            found.near_starts = found.near_ends = meant(question.text, inside=True)
        found.starts, found.ends = found.near_starts[:SEEDS], found.near_ends[:SEEDS]
        for name, matches in (("start", found.starts), ("end", found.ends)):
            if matches:
                found.trace.append(f"{name}: {matches[0].statement.text!r} fits {matches[0].score:.2f}")

    def _walk(self, found: Retrieval) -> None:
        question = found.question
        types, forward = WALKS[question.ask]
        starts, ends = best(found.starts, floor=SEED_FLOOR), best(found.ends, floor=SEED_FLOOR)
        if question.ask is Ask.PATH:
            self._walk_path(found, starts, ends)
        elif forward is None:
            self._take(found, self.between(starts, ends, self._wide()))
            for onward in (True, False):  # what one named thing leads to, or comes of
                self._take(found, self._onward(starts, types, onward, hops=2))
        else:
            self._take(found, self._onward(starts if forward else ends, types, forward, hops=self.bounds().max_hops))
        found.trace.append(f"walked {question.ask.value}: {len(found.chains)} chains")

    def _walk_path(self, found: Retrieval, starts: Mapping[str, float], ends: Mapping[str, float]) -> None:
        """Chains from one end to the other; beside them, as incomplete, what leads on from one or to the other."""
        self._take(found, self.between(starts, ends, self.bounds()))
        self._take(found, self.between(starts, ends, self._wide(2)))  # uncertain relations do not reach further
        found.denied = self._denied(found)
        self._look_further(found, starts, ends)
        certain = self.bounds()  # the ways that break off on either side are shown, and lead to few passages
        for seeds, forward in ((starts, True), (ends, False)):
            bounds = replace(certain, max_hops=min(2, certain.max_hops))
            types = tuple(RelationType)
            parts = self.walked(seeds, forward=forward, types=types, bounds=bounds)
            self._take(found, parts, complete=False)
        self._join_loosely(found)

    def _join_loosely(self, found: Retrieval) -> None:
        """Pairs of relations that resemble the way from one named end to the other, to find passages."""
        question = found.question
        if not question.start or not question.end:
            return
        asked = [statement_key(end, question.language) for end in (question.start, question.end)]
        start, end = asked
        if start is None or end is None:
            return
        ahead = self._halves(start, found.near_starts, forward=True)
        behind = self._halves(end, found.near_ends, forward=False)
        middles = {h.edge.tail for h in ahead} | {h.edge.head for h in behind}
        keys = {i: v.statement.key for i, v in self._stores.graph.statements(sorted(middles), self.scope).items()}
        known = {c.relation_ids: i for i, c in enumerate(found.chains)}
        for pair, worth, least in join_loosely(ahead, behind, keys, (start, end))[:PATHS_KEPT]:
            score = LOOSE * math.sqrt(worth)
            if pair not in known:
                found.chains.append(RankedChain(pair, score, worth, least, complete=False, joined=False))
            elif score > found.chains[known[pair]].score:
                found.chains[known[pair]] = replace(found.chains[known[pair]], score=score)

    def _halves(self, asked: StatementKey, near: Sequence[Match], *, forward: bool) -> list[Half]:
        """The best relations from (or to) the statements that resemble ``asked``."""
        alike = {m.id: resemblance(asked, m.statement.statement.key) for m in near}
        seeds = sorted((i for i in alike if alike[i] > 0), key=lambda i: (-alike[i], i))[:LOOSE_SEEDS]
        if not seeds:
            return []
        step = self._stores.graph.edges(
            sorted(seeds),
            self.scope,
            forward=forward,
            types=tuple(RelationType),
            min_confidence=self._wide().min_confidence,
            fan_out=LOOSE_FAN_OUT,
        )
        return best_halves([Half(e, alike[e.head if forward else e.tail]) for e in step.edges])

    def _look_further(self, found: Retrieval, starts: Mapping[str, float], ends: Mapping[str, float]) -> None:
        """Where no certain chain was found, see whether one is only longer than allowed: that is no gap."""
        bounds = self.bounds()
        if bounds.max_hops >= MOST_HOPS or any(self.is_certain(c) for c in found.chains):
            return
        meant = [{i: s for i, s in side.items() if s >= MEANT_FLOOR} for side in (starts, ends)]
        if all(meant) and self.between(meant[0], meant[1], replace(bounds, max_hops=MOST_HOPS)).paths:
            found.longer = True
            found.reasons.append(
                f"a chain between the two has more than {bounds.max_hops} links; set max_hops higher to see it"
            )

    def _onward(self, seeds: Mapping[str, float], types: Sequence[RelationType], forward: bool, *, hops: int) -> Walk:
        return self.walked(seeds, forward=forward, types=types, bounds=self._wide(hops))

    def _take(self, found: Retrieval, walked: Walk, *, complete: bool = True) -> None:
        """Add what a walk found that is not there yet, each chain with its fit to the whole question."""
        known = {c.relation_ids for c in found.chains}
        share = self._named_share(found, walked.paths)
        for path in walked.paths:
            if path.relation_ids not in known:
                strength = path.strength * share(path)
                score = strength * self._length(found, len(path.edges)) * (1.0 if complete else INCOMPLETE)
                found.chains.append(RankedChain(path.relation_ids, score, strength, path.weakest, complete=complete))
        found.reasons += [r for r in walked.reasons if r not in found.reasons]

    def _length(self, found: Retrieval, links: int) -> float:
        """What a chain's length is worth: between two named ends the direct way, else the further the better."""
        named = found.question.start and found.question.end
        return DIRECTNESS ** abs(links - 2) if named else _reach(links)

    def _named_share(self, found: Retrieval, paths: Sequence[Path]) -> Callable[[Path], float]:
        """Where a question does not tell its ends apart: how much of what it names stands at the two ends of a path."""
        question = found.question
        key = statement_key(question.text, question.language)
        if question.start or question.end or key is None:
            return lambda _: 1.0
        ends = {s for p in paths for s in (p.edges[0].head, p.edges[-1].tail)}
        terms = {
            i: set(v.statement.key.terms) for i, v in self._stores.graph.statements(list(ends), self.scope).items()
        }
        wanted = set(key.terms)

        def share(path: Path) -> float:
            named = terms.get(path.edges[0].head, set()) | terms.get(path.edges[-1].tail, set())
            return len(wanted & named) / len(wanted)

        return share

    def _denied(self, found: Retrieval) -> list[RankedChain]:
        """The relation between the two named ends that a document says does not hold, if there is one."""
        pairs = {
            Relation(type=type_, head=head.id, tail=tail.id, polarity=Polarity.NEGATED).id: head.score * tail.score
            for head, tail in itertools.product(found.starts, found.ends)
            if min(head.score, tail.score) >= MEANT_FLOOR and head.id != tail.id
            for type_ in RelationType
        }
        denied = [
            RankedChain((id_,), pairs[id_], pairs[id_], view.belief.confidence)
            for id_, view in self.reader.relations(pairs).items()
        ]
        return sorted(denied, key=lambda c: (-c.score, c.relation_ids))[:1]

    def bounds(self) -> Bounds:
        """The bounds of a walk as the settings give them."""
        s = self._stores.settings
        return Bounds(s.max_hops, s.fan_out, s.min_confidence, s.walk_seconds)

    def _wide(self, hops: int | None = None) -> Bounds:
        """The bounds of a walk that looks for passages: uncertain relations lead to them as well."""
        bounds = self.bounds()
        return replace(
            bounds,
            min_confidence=min(bounds.min_confidence, LEADING_CONFIDENCE),
            max_hops=min(hops or bounds.max_hops, bounds.max_hops),
        )

    def walked(
        self, seeds: Mapping[str, float], *, forward: bool, types: Sequence[RelationType], bounds: Bounds
    ) -> Walk:
        """A walk over what the caller may see, in one transaction."""
        return self._stores.graph.in_one_transaction(
            lambda graph: walk(graph, self.scope, seeds, forward=forward, types=types, bounds=bounds)
        )

    def between(
        self,
        starts: Mapping[str, float],
        ends: Mapping[str, float],
        bounds: Bounds,
        *,
        types: Sequence[RelationType] = tuple(RelationType),
    ) -> Walk:
        """Paths from one set of statements to another: walked from both sides, joined in the middle."""
        ahead = Bounds((bounds.max_hops + 1) // 2, bounds.fan_out, bounds.min_confidence, bounds.seconds / 2)
        behind = Bounds(bounds.max_hops // 2, bounds.fan_out, bounds.min_confidence, bounds.seconds / 2)
        forward = self.walked(starts, forward=True, types=types, bounds=ahead)
        backward = self.walked(ends, forward=False, types=types, bounds=behind)
        ends_ahead = sorted({p.edges[-1].tail for p in forward.paths})
        doors, _ = crossings(self._stores.graph, self.scope, ends_ahead, limit=bounds.fan_out)
        direct = []
        for path in forward.paths:
            arrival = max((kept * ends.get(s, 0.0) for s, kept in doors[path.edges[-1].tail]), default=0.0)
            if arrival > 0:
                direct.append(Path(path.edges, path.strength * arrival, path.start, path.statements))
        reasons = [*forward.reasons, *(r for r in backward.reasons if r not in forward.reasons)]
        known = {p.relation_ids for p in direct}
        joined = [p for p in join(forward.paths, backward.paths, doors) if p.relation_ids not in known]
        paths = sorted(direct + joined, key=lambda p: (-round(p.strength, 9), len(p.edges), p.relation_ids))
        return Walk(paths, reasons)

    def marked(self, chains: Sequence[RankedChain]) -> list[RankedChain]:
        """The same chains without those that a person rejected, each with the stored chain that it is, if it is one."""
        ids = {Chain(relation_ids=c.relation_ids).id: c for c in chains}
        stored = self._stores.graph.chains(list(ids), self.scope)
        rejected = self._stores.graph.rejected(list(ids)).statuses
        return [
            replace(c, stored=stored[id_].chain) if id_ in stored else c
            for id_, c in ids.items()
            if id_ not in rejected
        ]

    def _start_from_stored(self, found: Retrieval, rows: Sequence[Nomination]) -> None:
        """Match the stored chains; one that was written back and fits comes before any that is walked anew."""
        nominated = self._stores.graph.chains(list(dict.fromkeys(r.owner for r in rows)), self.scope)
        walked = {c.relation_ids for c in found.chains}
        for view in nominated.values():
            chain = view.chain
            if chain.relation_ids not in walked:
                found.chains += self._fitting(found, view)
        found.chains = [
            replace(c, score=min(1.0, c.score * DERIVED_BONUS)) if c.stored and c.stored.derived else c
            for c in self.marked(found.chains)
        ]
        found.trace += [
            f"started from the stored chain {c.stored.id}" for c in found.chains if c.stored and c.stored.derived
        ]

    def _fitting(self, found: Retrieval, view: ChainView) -> list[RankedChain]:
        """A stored chain as an answer: it must reach the ends that the question names."""
        types, forward = WALKS[found.question.ask]
        starts, ends = best(found.starts, floor=SEED_FLOOR), best(found.ends, floor=SEED_FLOOR)
        first, last = view.links[0].relation.head, view.links[-1].relation.tail
        if found.question.ask is Ask.PATH:
            seed = starts.get(first, 0.0) * ends.get(last, 0.0)
        elif forward is None:
            seed = max(starts.get(first, 0.0), ends.get(last, 0.0))
        else:
            seed = starts.get(first, 0.0) if forward else ends.get(last, 0.0)
        if seed <= 0 or not all(_walkable(link, types) for link in view.links):
            return []
        weakest = min(link.belief.confidence for link in view.links)
        score = seed * weakest * _reach(len(view.links))
        return [RankedChain(view.chain.relation_ids, score, seed * weakest, weakest, view.chain)]

    # chunks

    def _hits(self, fused: Sequence[Fused]) -> list[Hit]:
        """Fused chunks as they are shown, those that the graph does not know as current and visible left out."""
        known = self.reader.chunks(f.document_id for f in fused)
        chunks = {c.id: c for group in known.values() for c in group}
        unread = [f.chunk_id for f in fused if f.text is None and f.chunk_id in chunks]
        texts = self._stores.index.rows("chunks", unread) if unread else {}
        return [
            self._hit(f, chunks[f.chunk_id], texts[f.chunk_id].text if f.text is None else f.text)
            for f in fused
            if f.chunk_id in chunks and (f.text is not None or f.chunk_id in texts)
        ]

    def _hit(self, fused: Fused, chunk: Chunk, text: str) -> Hit:
        return Hit(
            chunk_id=chunk.id,
            document_id=chunk.document_id,
            source=self.reader.source(chunk.document_id).path,
            title=self.reader.documents([chunk.document_id])[chunk.document_id].title,
            section=chunk.section,
            page=chunk.page,
            places=chunk.places,
            context=chunk.context,
            start=chunk.start,
            end=chunk.end,
            text=text,
            rows=self._rows(chunk),
            score=round(fused.score, 6),
            channels=fused.channels,
            valid_until=self.reader.valid_until(chunk.document_id),
        )

    def widened(self, hits: Sequence[Hit]) -> list[Hit]:
        """The hits, each with the text of its section around it."""
        known = self.reader.chunks(h.document_id for h in hits)
        chunks = {c.id: c for group in known.values() for c in group}
        wider = []
        for hit in hits:
            text = self.reader.text(hit.document_id)
            sections = self.reader.documents([hit.document_id])[hit.document_id].sections
            span = widened(sections, text, chunks[hit.chunk_id])
            around = Wider(start=span.start, end=span.end, text=text[span.start : span.end])
            wider.append(hit.model_copy(update={"wider": around}))
        return wider

    def _rows(self, chunk: Chunk) -> tuple[str, ...]:
        """The rows of a chunk of a table as they read by themselves."""
        if not any(place.kind is PlaceKind.ROW for place in chunk.places):
            return ()
        return self.reader.tables(chunk.document_id).between(chunk.start, chunk.end)

    def is_certain(self, chain: RankedChain) -> bool:
        """Whether every link has the confidence that the settings ask of what is shown."""
        return chain.weakest >= self._stores.settings.min_confidence

    def shown(self, chains: Sequence[RankedChain], limit: int) -> tuple[FoundChain, ...]:
        """The first ``limit`` certain chains in words, leaving out those that are part of a better one."""
        chosen: list[RankedChain] = []
        for chain in chains:
            if len(chosen) == limit:
                break
            if self.is_certain(chain) and not any(_within(chain.relation_ids, other.relation_ids) for other in chosen):
                chosen.append(chain)
        self.reader.prefetch(r for c in chosen for r in c.relation_ids)
        views = (self.reader.found_chain(c.relation_ids, score=c.score, stored=c.stored) for c in chosen)
        return tuple(v for v in views if v is not None)


def fit_of(path: Path) -> float:
    """How much a path is worth as an answer: its strength, and more of it the further it leads."""
    return min(1.0, path.strength) * _reach(len(path.edges))


def _walkable(link: RelationView, types: Sequence[RelationType]) -> bool:
    """Whether a link may be part of an answer: said to hold, not only supposed, and of a type that was asked for."""
    relation = link.relation
    supposed = link.belief.modality is Modality.HYPOTHETICAL
    return relation.polarity is Polarity.AFFIRMED and not supposed and relation.type in types


def _reach(links: int) -> float:
    return 1 - 0.5 ** (links + 1)


def _within(part: Sequence[str], whole: Sequence[str]) -> bool:
    width = len(part)
    return any(tuple(whole[i : i + width]) == tuple(part) for i in range(len(whole) - width + 1))


__all__ = ["SEED_FLOOR", "RankedChain", "Retrieval", "Retriever", "fit_of"]
