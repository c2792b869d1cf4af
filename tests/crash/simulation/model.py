"""What a knowledge base should be, worked out in memory from its documents and verdicts alone.

Nothing of the stores is used but how ids are made. A document is a few sentences of two things and a cue; a state is
what each source said when, and what became of each proposal.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import NamedTuple

from extractors.keys import statement_key
from storage.records import Chain, Polarity, Relation, RelationType, Statement

THINGS = ("the storm", "heavy rain", "the flooded road", "the closed port", "the strike", "the power cut", "the fire")
CUES = {
    "causes": (RelationType.CAUSAL, Polarity.AFFIRMED),
    "precedes": (RelationType.SEQUENTIAL, Polarity.AFFIRMED),
    "supports": (RelationType.SUPPORTING, Polarity.AFFIRMED),
    "does not cause": (RelationType.CAUSAL, Polarity.NEGATED),
}
SAID = 0.9
"""The confidence of what one document says."""

Sentence = tuple[str, str, str]
"""Head, cue, tail."""


@dataclass(frozen=True)
class Written:
    """One document as it was given."""

    sentences: tuple[Sentence, ...]
    groups: tuple[str, ...]

    @property
    def text(self) -> str:
        return " ".join(f"{head[0].upper()}{head[1:]} {cue} {tail}." for head, cue, tail in self.sentences)

    def seen_by(self, groups: frozenset[str] | None) -> bool:
        return groups is None or bool(groups & set(self.groups))


class Stretch(NamedTuple):
    """What a source said from a moment (None: always before) until before another (None: for ever)."""

    start: datetime | None
    end: datetime | None
    written: Written

    def holds(self, moment: datetime) -> bool:
        return (self.start is None or self.start <= moment) and (self.end is None or moment < self.end)


def statement_of(thing: str) -> str:
    """The id of the statement that a thing is."""
    return STATEMENTS[thing]


def _relation(sentence: Sentence) -> Relation:
    head, cue, tail = sentence
    type_, polarity = CUES[cue]
    return Relation(type=type_, head=statement_of(head), tail=statement_of(tail), polarity=polarity)


def _statement(thing: str) -> str:
    key = statement_key(thing, "en")
    assert key is not None
    return Statement(key=key).id


STATEMENTS: Mapping[str, str] = {thing: _statement(thing) for thing in THINGS}
RELATIONS: Mapping[Sentence, Relation] = {
    (head, cue, tail): _relation((head, cue, tail)) for head, tail in itertools.permutations(THINGS, 2) for cue in CUES
}


@dataclass(frozen=True)
class Proposed:
    """A chain that somebody wants to have stored, and what became of it."""

    relation_ids: tuple[str, ...]
    status: str
    batch: str | None = None

    @property
    def chain_id(self) -> str:
        return Chain(relation_ids=self.relation_ids).id


@dataclass(frozen=True)
class State:
    """By name, what a source said when, its present text at the end; proposals by id, and relations a person rejected.

    Without ``keeping`` there is nothing but present texts.
    """

    keeping: bool = False
    lines: Mapping[str, tuple[Stretch, ...]] = field(default_factory=dict)
    proposals: Mapping[str, Proposed] = field(default_factory=dict)
    rejected: frozenset[str] = frozenset()

    # how it changes

    def with_documents(self, new: Mapping[str, Written], *, now: datetime, says: datetime | None = None) -> State:
        """Texts are taken in; each takes the place of what its source said from a moment on: ``says``, else now."""
        lines = dict(self.lines)
        for name, written in new.items():
            line = [
                stretch._replace(written=replace(stretch.written, groups=written.groups))
                for stretch in lines.get(name, ())
            ]
            start = says
            if line and line[-1].written == written:
                start = says or line[-1].start
                line.pop()
            elif line:
                start = says or now
            if not self.keeping:
                line, start = [], None
            earlier = [
                Stretch(s.start, start if s.end is None else min(s.end, start), s.written)
                for s in line
                if start is not None and (s.start is None or s.start < start)
            ]
            lines[name] = (*earlier, Stretch(start, None, written))
        return replace(self, lines=lines)

    def without(self, name: str) -> State:
        return replace(self, lines={n: line for n, line in self.lines.items() if n != name})

    def decided(self, proposal_id: str, status: str, batch: str | None = None) -> State:
        known = self.proposals[proposal_id]
        decision = replace(known, status=status, batch=batch or known.batch)
        return replace(self, proposals={**self.proposals, proposal_id: decision})

    # what is then true

    @property
    def documents(self) -> dict[str, Written]:
        """The present text of each source."""
        return {name: line[-1].written for name, line in self.lines.items()}

    @property
    def versions(self) -> dict[tuple[str, Written], list[Stretch]]:
        """Every text that is kept, with the stretches in which it holds."""
        found: dict[tuple[str, Written], list[Stretch]] = {}
        for name, line in self.lines.items():
            for stretch in line:
                found.setdefault((name, stretch.written), []).append(stretch)
        return found

    def seen(self, at: datetime, groups: frozenset[str] | None) -> dict[str, Written]:
        """What those with these groups see who ask about a moment."""
        return {
            name: stretch.written
            for name, line in self.lines.items()
            for stretch in line
            if stretch.holds(at) and stretch.written.seen_by(groups)
        }

    @property
    def active(self) -> set[str]:
        """The relations that some version says, of whatever time."""
        return {RELATIONS[s].id for _, written in self.versions for s in written.sentences} - self.rejected

    @property
    def statuses(self) -> dict[str, str]:
        return {id_: proposal.status for id_, proposal in self.proposals.items()}

    def voices(self, at: datetime, groups: frozenset[str] | None = None) -> dict[str, int]:
        """By active relation, how many visible documents say it."""
        counts: dict[str, int] = {}
        for document in self.seen(at, groups).values():
            for sentence in set(document.sentences):
                id_ = RELATIONS[sentence].id
                counts[id_] = counts.get(id_, 0) + 1
        return {id_: count for id_, count in counts.items() if id_ not in self.rejected}

    def said(self, at: datetime, groups: frozenset[str] | None) -> set[str]:
        """The statements that a visible document has, whatever becomes of the relations between them."""
        sentences = {s for d in self.seen(at, groups).values() for s in d.sentences}
        return {id_ for s in sentences for id_ in (RELATIONS[s].head, RELATIONS[s].tail)}

    def confidences(self, at: datetime, groups: frozenset[str] | None = None) -> dict[str, float]:
        """By active relation, what its voices are worth together."""
        return {id_: round(1 - (1 - SAID) ** n, 6) for id_, n in self.voices(at, groups).items()}

    def derived(self) -> dict[str, bool]:
        """By accepted chain, whether every link is active."""
        active = self.active
        accepted = [p for p in self.proposals.values() if p.status == "accepted"]
        return {p.chain_id: all(r in active for r in p.relation_ids) for p in accepted}

    def paths(
        self, start: str, end: str, at: datetime, groups: frozenset[str] | None, hops: int
    ) -> set[tuple[str, ...]]:
        """Every path of affirmed relations between two statements that comes by no statement twice."""
        visible = self.voices(at, groups)
        onward: dict[str, list[Relation]] = {}
        for relation in RELATIONS.values():
            if relation.id in visible and relation.polarity is Polarity.AFFIRMED:
                onward.setdefault(relation.head, []).append(relation)

        def extend(path: tuple[Relation, ...], at: str, been: frozenset[str]) -> Iterator[tuple[str, ...]]:
            if at == end and path:
                yield tuple(r.id for r in path)
            elif len(path) < hops:
                for relation in onward.get(at, ()):
                    if relation.tail not in been:
                        yield from extend((*path, relation), relation.tail, been | {relation.tail})

        return set(extend((), start, frozenset({start})))
