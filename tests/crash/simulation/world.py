"""A knowledge base that steps are done to, with faults where they are set, and compared with the model after each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import closing, suppress
from dataclasses import replace
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Any

from crash.simulation.memory_index import MemoryIndex
from crash.simulation.model import RELATIONS, Proposed, State, statement_of
from crash.simulation.oracle import NAMESPACE, Oracle, document_of
from crash.simulation.steps import Step
from crash.simulation.store import NOON, Crash, Store

from graphrag.results import Answer, ChainsResult
from storage.errors import ClewError, NotFoundError
from storage.ports import COLLECTIONS
from storage.records import Proposal, SameAs
from storage.state_hash import canonical_line

HOPS = 4


def after_noon(half_hours: int) -> datetime:
    """A moment between two steps, or one at which something was done."""
    return NOON + timedelta(minutes=30 * half_hours)


class World:
    """A store, and the state that it should be in."""

    def __init__(self, store: Store, oracle: Oracle, state: State | None = None) -> None:
        self.store = store
        self.oracle = oracle
        self.state = state or State(keeping=store.keeping)
        self.typed: list[ClewError] = []

    # steps

    def run(self, steps: Sequence[Step]) -> None:
        """Do steps one after the other, then look at everything. Raises AssertionError where the model is another."""
        for number, step in enumerate(steps, 1):
            try:
                self.do(step)
            except AssertionError as error:
                raise AssertionError(f"step {number}, {step}: {error}") from error
        self.store.reopen()
        self.check_all()

    def do(self, step: Step) -> None:
        """Do one step, and compare."""
        self.store.now += timedelta(hours=1)
        if step.do == "look":
            at = self.store.now if step.half_hours is None else after_noon(step.half_hours)
            self.look(step.ends, step.view, at)
            return
        if step.do == "reopen":
            self.store.reopen()
            self.check([self.state], closed=True)
            return
        action = getattr(self, f"_{step.do}")(step)
        if action is None:
            return
        call, states = action
        whole = True
        with self.store.faults.set_for(step.fault):
            try:
                call()
            except Crash:
                whole = False
            except ClewError as error:
                self.typed.append(error)
                whole = False
                if step.fault is None or len(str(error)) < 20:
                    raise AssertionError(f"{type(error).__name__}: {error}") from error
        if not whole and step.fault is not None and step.fault.kind == "crash":
            self.store.reopen()
            self.check(states(), closed=True)
        elif not whole:
            self.check(states())
        else:
            self.check(states()[-1:], closed=True)

    def _ingest(self, step: Step) -> Any:
        new = dict(step.documents)
        old = self.state.documents
        says = after_noon(step.half_hours) if step.half_hours is not None and self.store.keeping else None
        dates: dict[str, Any] = {"now": self.store.now, "says": says}
        rewritten = {n: d for n, d in new.items() if n not in old or old[n].text != d.text}
        written = self.state.with_documents(rewritten, **dates)
        whole = written.with_documents({n: d for n, d in new.items() if n not in rewritten}, **dates)
        given = [document_of(name, document) for name, document in new.items()]
        return lambda: self.store.kb.ingest(given, valid_from=says), lambda: [self.state, written, whole]

    def _regroup(self, step: Step) -> Any:
        [(name, asked)] = step.documents
        if name not in self.state.documents:
            return None
        document = replace(self.state.documents[name], groups=asked.groups)
        after = self.state.with_documents({name: document}, now=self.store.now)
        return lambda: self.store.kb.ingest([document_of(name, document)]), lambda: [self.state, after]

    def _remove(self, step: Step) -> Any:
        name = f"{NAMESPACE}/{step.name}"

        def remove() -> None:
            expectation = self.state.documents
            if step.name in expectation:
                receipt = self.store.kb.remove(name)
                gone = self.state.active - self.state.without(step.name).active
                assert set(receipt.relations) == gone
            else:
                with suppress(NotFoundError):
                    self.store.kb.remove(name)
                    raise AssertionError("something was removed that is not there")

        return remove, lambda: [self.state, self.state.without(step.name)]

    def _propose(self, step: Step) -> Any:
        found = self.store.kb.chains(start=step.ends[0], end=step.ends[1], limit=20).chains
        chains = [tuple(link.relation_id for link in c.links) for c in found if len(c.links) > 1]
        if not chains:
            return None
        wanted = chains[step.choice % len(chains)]
        before = self.state

        def states() -> list[State]:
            known = self.proposals()
            refused = {i for i, p in before.proposals.items() if p.status == "refused"}
            new = {i: p for i, p in known.items() if i not in before.proposals or i in refused}
            after = before
            for id_, proposal in new.items():
                assert proposal.relation_ids == wanted or id_ in before.proposals
                if proposal.status.value == "quarantined":
                    assert all(r in before.voices(self.store.now) for r in wanted), (
                        "a chain passed the gate over what is not there"
                    )
                after = replace(after, proposals={**after.proposals, id_: _known(proposal)})
            return [before, after]

        return lambda: self.store.kb.propose(wanted, proposer="simulation", question="Why?"), states

    def _accept(self, step: Step) -> Any:
        return self._verdict(step, "quarantined", "accepted")

    def _reject(self, step: Step) -> Any:
        return self._verdict(step, "quarantined", "rejected")

    def _rollback(self, step: Step) -> Any:
        return self._verdict(step, "accepted", "rolled_back")

    def _verdict(self, step: Step, before: str, after: str) -> Any:
        waiting = sorted(i for i, p in self.state.proposals.items() if p.status == before)
        if not waiting:
            return None
        chosen = waiting[step.choice % len(waiting)]
        kb, said = self.store.kb, {"reason": "it holds", "actor": "ada"}
        active = self.state.voices(self.store.now)
        allowed = all(relation in active for relation in self.state.proposals[chosen].relation_ids)

        def decide() -> None:
            if after == "rolled_back":
                batch = self.state.proposals[chosen].batch
                assert batch is not None
                kb.rollback(batch, **said)
            elif after == "rejected":
                kb.reject(chosen, **said)
            else:
                try:
                    kb.accept(chosen, **said)
                except ClewError as error:
                    if "no longer passes the gate" not in str(error):
                        raise
                else:
                    assert allowed, "a chain was accepted over what is not there"

        def states() -> list[State]:
            now = self.proposals()[chosen]
            decided = self.state.decided(chosen, now.status.value, now.batch)
            return [self.state, decided]

        return decide, states

    def _doubt(self, step: Step) -> Any:
        return self._overlay(step, sorted(self.state.active), self.store.kb.reject)

    def _relent(self, step: Step) -> Any:
        return self._overlay(step, sorted(self.state.rejected), self.store.kb.accept)

    def _overlay(self, step: Step, among: Sequence[str], decide: Callable[..., object]) -> Any:
        """A person's verdict on a relation, or its end."""
        if not among:
            return None
        chosen = among[step.choice % len(among)]
        after = replace(self.state, rejected=self.state.rejected ^ {chosen})
        return lambda: decide(chosen, reason="so it is", actor="ada"), lambda: [self.state, after]

    def _optimize(self, step: Step) -> Any:
        return self.store.kb.optimize, lambda: [self.state]

    # comparing

    def proposals(self) -> dict[str, Proposal]:
        return {p.id: p for p in self.store.kb.proposals()}

    def check(self, states: Sequence[State], *, closed: bool = False) -> None:
        """The store is in one of these states, from now on that one; ``closed``: and no write is open."""
        graph = self.store.kb._stores.graph
        found, statuses = graph.state_hash(), {i: p.status.value for i, p in self.proposals().items()}
        rejected = {item.id for item in self.store.kb.verdicts()}
        same = [
            s for s in states if s.statuses == statuses and s.rejected == rejected and self.oracle.hash_of(s) == found
        ]
        assert same, f"the store is in none of {len(states)} states that it may be in: {self._differences(states[-1])}"
        self.state = same[-1]
        derived = {c.id: status.value == "active" for c, status in graph.derived_chains()}
        assert derived == self.state.derived(), "derived chains are not active as their links are"
        if closed:
            assert not graph.open_intents(), "a write was left open"
            self.check_rows()

    def check_rows(self) -> None:
        """The index holds exactly the rows that the documents have."""
        index = self.store.kb._stores.index
        ids = sorted(index.document_ids())
        for collection in COLLECTIONS:
            expected = self.oracle.rows_of(self.state, collection)
            rows = index.document_rows(collection, ids)
            found = sorted((row.id, row.access_class, row.valid_from, row.valid_to) for row in rows)
            wrong = sorted(set(found) ^ set(expected), key=str)
            assert found == expected, (
                f"{collection} has {len(found)} rows, of {len(expected)}, and not in both: {wrong}"
            )

    def check_all(self) -> None:
        """Everything agrees: the stores with each other, with the model, and with a store that was made anew."""
        self.check([self.state], closed=True)
        report = self.store.kb.check()
        assert report.healthy, report.as_text()
        assert self.store.kb.verify_ledger().intact
        for view in (None, frozenset({"hr"})):
            for at in (self.store.now, after_noon(int((self.store.now - NOON) / timedelta(hours=1)))):
                self.look(("the storm", "the fire"), view, at)
        with closing(Store(self.store.folder / "fresh", keeping=self.store.keeping)) as fresh:
            if not World(fresh, self.oracle).build(self.state, self.store.now):
                return
            assert fresh.kb.status().state_hash == self.store.kb.status().state_hash
            if isinstance(self.store.kb._stores.index, MemoryIndex):  # another index may rank otherwise
                for question in ("Why did the fire happen?", "What did the storm lead to?"):
                    assert _said(fresh.kb.ask(question)) == _said(self.store.kb.ask(question)), question

    def build(self, state: State, now: datetime) -> bool:
        """Make the store what it would be had only happened what it still tells of; whether that is possible.

        It is not where a chain that was accepted holds by older versions alone: nobody could propose it now; nor where
        a text came back after another of which no trace is left.
        """
        kb = self.store.kb
        if any(one.written == other.written for line in state.lines.values() for one, other in pairwise(line)):
            return False
        for name in sorted(state.lines, reverse=True):
            for start, end, written in state.lines[name]:
                kb.ingest([document_of(name, written)], valid_from=start, valid_to=end)
        self.store.now = now
        voices = state.voices(now)
        for proposal in state.proposals.values():
            if proposal.status == "accepted" and state.derived()[proposal.chain_id]:
                if not all(relation in voices for relation in proposal.relation_ids):
                    return False
                again = kb.propose(proposal.relation_ids, proposer="simulation")
                if again.status.value == "quarantined":  # else one document holds the whole chain by now
                    kb.accept(again.id, reason="it holds", actor="ada")
        there = {RELATIONS[s].id for _, written in state.versions for s in written.sentences}
        for relation in sorted(state.rejected & there):
            kb.reject(relation, reason="so it is", actor="ada")
        return True

    def look(self, ends: tuple[str, str], view: frozenset[str] | None, at: datetime) -> None:
        """What is shown to those who look with these groups, about a moment, is what the model would show."""
        kb, told = self.store.kb, {"groups": view, "as_of": None if at == self.store.now else at}
        visible = self.state.seen(at, view)
        shown = {d.path: d for d in kb.documents(**told).documents}
        assert shown.keys() == visible.keys(), f"{sorted(shown)} is shown of {sorted(visible)}"
        for name, document in visible.items():
            assert shown[name].relations == len({RELATIONS[s].id for s in document.sentences} - self.state.rejected)
        self._check_chains(kb.chains(start=ends[0], end=ends[1], limit=200, **told), ends, view, at)
        answer = kb.ask(f"Why did {ends[1]} happen?", **told)
        confidences = self.state.confidences(at, view)
        assert answer.abstained or visible
        for citation in answer.citations:
            text = visible[citation.source].text
            assert text[citation.start : citation.end] == citation.quote
        for chain in answer.chains:
            assert all(link.relation_id in confidences for link in chain.links)

    def _check_chains(
        self, result: ChainsResult, ends: tuple[str, str], view: frozenset[str] | None, at: datetime
    ) -> None:
        state = self.state
        voices, confidences, seen = state.voices(at, view), state.confidences(at, view), state.said(at, view)
        for side, thing in zip(("start", "end"), ends, strict=True):
            matched = [m.statement_id for m in result.matched_statements[side]]  # type: ignore[index]
            assert (matched[:1] == [statement_of(thing)]) == (statement_of(thing) in seen), f"{thing} meant {matched}"
            assert set(matched) <= seen
        found = set()
        for chain in result.chains:
            for link in chain.links:
                assert link.relation_id in voices, "a link is shown that is not there"
                assert link.documents == voices[link.relation_id]
                assert abs(link.confidence - confidences[link.relation_id]) < 2e-6
            found.add(tuple(link.relation_id for link in chain.links))
        starts, finishes = (
            [m.statement_id for m in result.matched_statements[side]]  # type: ignore[index]
            for side in ("start", "end")
        )
        paths = {p for s in starts for e in finishes for p in state.paths(s, e, at, view, HOPS)}
        assert found <= paths, "a chain is shown that is none"
        if not result.truncated:
            for path in paths:
                assert any(_within(path, longer) for longer in found), "a chain is missing"

    def _differences(self, state: State) -> str:
        records = self.store.kb._stores.graph.records()
        actual = {canonical_line(record) for record in records if not isinstance(record, SameAs)}
        lines = self.oracle.lines_of(state)
        shown = [f"extra {line[:150]}" for line in sorted(actual - lines)[:3]]
        shown += [f"missing {line[:150]}" for line in sorted(lines - actual)[:3]]
        statuses = {i: p.status.value for i, p in self.proposals().items()}
        return "; ".join(shown) or f"proposals {statuses}, not {state.statuses}"


def _known(proposal: Proposal) -> Proposed:
    return Proposed(proposal.relation_ids, proposal.status.value, proposal.batch)


def _said(answer: Answer) -> tuple[Any, ...]:
    return answer.text, answer.abstained, [(c.source, c.start, c.quote) for c in answer.citations]


def _within(path: tuple[str, ...], longer: tuple[str, ...]) -> bool:
    return any(longer[i : i + len(path)] == path for i in range(len(longer) - len(path) + 1))
