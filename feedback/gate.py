"""The gate of write-back: one pure function over facts gathered beforehand, one verdict per check.

A candidate is a path of relations that the graph already holds; the gate asks whether the path may wait for a person's
decision. Nothing here reads a store, a clock or a model, so each clause can be worked out by hand.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import pairwise

from pydantic import Field

from storage.ports import RelationView
from storage.records import (
    Evidence,
    Modality,
    Polarity,
    Proposal,
    ProposalStatus,
    Record,
    RelationType,
    Verdict,
)

CHECKS = ("form", "grounding", "types", "support", "view")
"""The checks in the order of their verdicts."""

MAX_PENDING = 1000
"""Proposals of one proposer that may wait for a person at the same time."""

MIN_LINKS = 2
MIN_DOCUMENTS = 2

_REPLAY = {
    ProposalStatus.QUARANTINED: "already waits for review",
    ProposalStatus.ACCEPTED: "was already accepted",
    ProposalStatus.REJECTED: "was rejected by a person",
    ProposalStatus.ROLLED_BACK: "was accepted and rolled back",
}
"""Earlier proposals that stand in the way. One that the gate refused does not: the facts may have changed, and if they
have not, the same check refuses again. Else anybody could block a chain for good by proposing it too early."""

_NOT_EVIDENCE = {"derived", "generated", "inferred", "recalled"}
_HUMAN = re.compile(r"human:\s*\S")
_EXTRACTOR = re.compile(r"([^@\s][^@]*)@\S")
_ASKS_FOR_CAUSE = re.compile(
    r"\b(?:why|how come|because|caus(?:e|es|ed|ing)|reasons?|(?:leads?|led|leading) to|due to|result(?:s|ed)? in)\b"
    r"|为什么|为何|为啥|因何|何以|怎么会|原因|缘故|因为|导致|引起|造成|致使",
    re.IGNORECASE,
)


class EvidenceFacts(Record):
    """One piece of evidence and what a re-reading of its document found."""

    evidence: Evidence
    problem: str = ""  # why its quote cannot be re-read now; "" when it can
    fingerprint: str = ""  # digest of the document's words: copies of one text have one fingerprint


class LinkFacts(Record):
    """One link as the proposer sees it; ``view`` is None for what is unknown, inactive or not visible alike."""

    relation_id: str
    view: RelationView | None = None
    evidence: tuple[EvidenceFacts, ...] = ()


class Candidate(Record):
    """Everything the checks look at.

    ``same_as`` holds the pairs of statements of the chain that are linked as saying the same, in either order.
    ``earlier`` are other proposals of the same chain by anyone, ``pending`` counts the proposer's that wait for review.
    """

    links: tuple[LinkFacts, ...]
    same_as: frozenset[tuple[str, str]] = frozenset()
    stored: bool = False  # the chain is stored already, found in a document or accepted
    rejected: bool = False  # a person rejected the stored chain
    earlier: tuple[Proposal, ...] = ()
    question: str = ""
    pending: int = Field(default=0, ge=0)
    max_pending: int = Field(default=MAX_PENDING, ge=0)


def check(candidate: Candidate) -> tuple[Verdict, ...]:
    """One verdict per check, in the order of :data:`CHECKS`; a chain may be quarantined only if all of them passed.

    - **form**: two or more links; each tail is the next head or linked to it by same_as; no relation and no statement
      twice, neither through same_as; the chain is neither stored nor rejected; nobody's proposal of it waits or was
      decided on; the proposer has room for one more.
    - **grounding**: every piece of evidence of every link was re-read from its document's stored text.
    - **types**: every link is affirmed and somewhere said as more than a hypothesis. A chain that answers a question
      for a cause (:func:`asks_for_cause`) has at least one causal link: *after this* is not *because of this*. Each
      link is shown with its own type, so a chain of mixed types claims no more than its links do. A hedged link passes,
      and the verdict says so.
    - **support**: the evidence stands in two or more documents of different words, and every link has evidence that an
      extractor or a person took from a document; generated, recalled or derived text is never counted.
    - **view**: the proposer sees every link.

    Where a link is unknown or hidden, every check says the same of it, so that a proposer learns nothing about what
    they may not see.
    """
    unseen = [
        f"{_name(i, link)} is not an active relation that the proposer sees"
        for i, link in enumerate(candidate.links)
        if link.view is None
    ]
    if unseen:
        quota = _quota(candidate)
        return tuple(
            Verdict(check=name, passed=False, reason="; ".join(unseen + (quota if name == "form" else [])))
            for name in CHECKS
        )
    return (
        _verdict("form", _form(candidate), f"{len(candidate.links)} links in a row, new"),
        _verdict("grounding", _grounding(candidate.links), "every quote stands in the stored text"),
        _verdict("types", _types(candidate), _types_note(candidate.links)),
        _verdict("support", _support(candidate.links), f"{len(_documents(candidate.links))} documents"),
        _verdict("view", [], "the proposer sees every link"),
    )


def passed(verdicts: Iterable[Verdict]) -> bool:
    """Whether every check passed."""
    return all(v.passed for v in verdicts)


def failures(verdicts: Iterable[Verdict]) -> str:
    """The checks that failed and why, as one line."""
    return "; ".join(f"{v.check}: {v.reason}" for v in verdicts if not v.passed)


def asks_for_cause(question: str) -> bool:
    """Whether an English or Chinese question asks for a cause: it has a word of a closed list (*why*, 导致)."""
    return _ASKS_FOR_CAUSE.search(question) is not None


def is_origin(origin: str) -> bool:
    """Whether evidence of this origin counts: ``extractor@version`` or ``human:NAME``, and nothing made by a machine
    out of other relations."""
    extractor = _EXTRACTOR.match(origin)
    if extractor is None or _HUMAN.match(origin):
        return _HUMAN.match(origin) is not None
    return _NOT_EVIDENCE.isdisjoint(re.split(r"[^a-z]+", extractor[1].lower()))


def _verdict(name: str, problems: Sequence[str], note: str) -> Verdict:
    return Verdict(check=name, passed=not problems, reason="; ".join(problems) or note)


def _name(position: int, link: LinkFacts) -> str:
    return f"link {position + 1} ({link.relation_id})"


def _quota(candidate: Candidate) -> list[str]:
    if candidate.pending < candidate.max_pending:
        return []
    return [f"the proposer already has {candidate.pending} proposals that wait for review, the most allowed"]


def _form(candidate: Candidate) -> list[str]:
    problems = []
    relations = [link.view.relation for link in candidate.links if link.view]
    if len(relations) < MIN_LINKS:
        problems.append(f"a chain to write back has {MIN_LINKS} or more links, not {len(relations)}")
    if len({r.id for r in relations}) < len(relations):
        problems.append("a relation stands in it twice")
    for i, (one, next_one) in enumerate(pairwise(relations), 1):
        if not _same(candidate, one.tail, next_one.head):
            problems.append(f"link {i} does not end where link {i + 1} begins")
    if relations and _visits_twice(candidate):
        problems.append("it comes back to a statement it has passed")
    if candidate.rejected:
        problems.append("the chain was rejected by a person")
    elif candidate.stored:
        problems.append("the chain is stored already")
    statuses = {p.status for p in candidate.earlier}
    problems += [f"the chain {said}" for status, said in _REPLAY.items() if status in statuses]
    return problems + _quota(candidate)


def _visits_twice(candidate: Candidate) -> bool:
    """Whether two places of the path hold one statement, or two that say the same.

    A joint is one place though it may have two statements: the tail and the next head.
    """
    relations = [link.view.relation for link in candidate.links if link.view]
    places = [{relations[0].head}]
    for one, next_one in pairwise(relations):
        places.append({one.tail, next_one.head})
    places.append({relations[-1].tail})
    return any(
        _same(candidate, a, b)
        for i, place in enumerate(places)
        for later in places[i + 1 :]
        for a in place
        for b in later
    )


def _same(candidate: Candidate, a: str, b: str) -> bool:
    return a == b or (a, b) in candidate.same_as or (b, a) in candidate.same_as


def _grounding(links: Sequence[LinkFacts]) -> list[str]:
    problems = []
    for i, link in enumerate(links):
        if not link.evidence:
            problems.append(f"{_name(i, link)} has no evidence")
        problems += [
            f"{_name(i, link)}: {facts.problem} ({facts.evidence.document_id})"
            for facts in link.evidence
            if facts.problem
        ]
    return problems


def _types(candidate: Candidate) -> list[str]:
    problems = []
    for i, link in enumerate(candidate.links):
        if link.view is None:
            continue
        if link.view.relation.polarity is not Polarity.AFFIRMED:
            problems.append(f"{_name(i, link)} is said not to hold")
        if link.view.belief.modality is Modality.HYPOTHETICAL:
            problems.append(f"{_name(i, link)} is only supposed, nowhere said")
    types = {link.view.relation.type for link in candidate.links if link.view}
    if asks_for_cause(candidate.question) and RelationType.CAUSAL not in types:
        problems.append(f"the question asks for a cause, and every link is {' or '.join(sorted(types))}")
    return problems


def _types_note(links: Sequence[LinkFacts]) -> str:
    words = ", ".join(link.view.relation.type.value for link in links if link.view)
    hedged = [str(i) for i, link in enumerate(links, 1) if link.view and link.view.belief.modality is Modality.HEDGED]
    return f"{words}; said with a hedge: link {', '.join(hedged)}" if hedged else words


def _counted(link: LinkFacts) -> list[EvidenceFacts]:
    return [facts for facts in link.evidence if is_origin(facts.evidence.origin)]


def _documents(links: Sequence[LinkFacts]) -> set[str]:
    """The different texts that the evidence stands in: a document that could not be read supports nothing."""
    return {facts.fingerprint for link in links for facts in _counted(link) if facts.fingerprint}


def _support(links: Sequence[LinkFacts]) -> list[str]:
    problems = [
        f"{_name(i, link)} has no evidence that an extractor or a person took from a document"
        for i, link in enumerate(links)
        if not _counted(link)
    ]
    found = len(_documents(links))
    if found < MIN_DOCUMENTS:
        problems.append(f"its evidence stands in {found} different documents, {MIN_DOCUMENTS} are needed")
    return problems


__all__ = [
    "CHECKS",
    "MAX_PENDING",
    "MIN_DOCUMENTS",
    "MIN_LINKS",
    "Candidate",
    "EvidenceFacts",
    "LinkFacts",
    "asks_for_cause",
    "check",
    "failures",
    "is_origin",
    "passed",
]
