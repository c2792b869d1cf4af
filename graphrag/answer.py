"""A grounded answer: the best chain first, then sentences of its evidence, then where each of them stands."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from extractors.keys import statement_key
from extractors.sentences import sentence_spans
from extractors.token_estimate import estimate_tokens
from graphrag.answer_words import say
from graphrag.match import Match, names_kept
from graphrag.question import Ask
from graphrag.results import Answer, Citation, FoundChain, Hit, draw_chain
from graphrag.retrieve import MEANT_FLOOR, RankedChain, Retrieval, Retriever
from storage.identity import make_id
from storage.records import Modality, Polarity, Span

SHOWN_CHAINS = 3
NEARLY_AS_GOOD = 0.85
"""Further chains are shown when they fit at least this well, relative to the best."""

NEAREST = 3


@dataclass(slots=True)
class _Draft:
    """An answer while it is put together."""

    chains: list[FoundChain] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    citations: list[Citation] = field(default_factory=list)
    markers: dict[str, int] = field(default_factory=dict)  # relation id → marker
    missing: list[str] = field(default_factory=list)


def compose(retriever: Retriever, found: Retrieval, *, threshold: float, tokens: int) -> Answer:
    """The answer that the retrieved evidence bears, or an abstention that shows the nearest things found."""
    score = evidence_score(retriever, found)
    draft = _Draft()
    chosen = _choose(retriever, found, threshold)
    if chosen:
        _show(draft, retriever, chosen, found)
    elif found.question.ask is Ask.OPEN and score >= threshold:
        _show_passages(draft, retriever, found)
    if not draft.citations:
        return _abstain(found, score)
    text, cut = _text(draft, found.question.language, tokens, found.reasons)
    reasons = [*found.reasons, *([cut] if cut else [])]
    return Answer(
        question=found.question.text,
        text=text,
        abstained=False,
        chains=tuple(draft.chains),
        citations=tuple(draft.citations),
        missing=tuple(draft.missing),
        evidence_score=score,
        truncated=bool(reasons),
        trace=(*found.trace, *reasons),
    )


def evidence_score(retriever: Retriever, found: Retrieval) -> float:
    """How much what was found looks like an answer, in [0, 1]: the fit of the best complete chain, or for an open
    question of the passage that holds most of its words."""
    certain = (c for c in (*found.chains, *found.denied) if c.complete and retriever.is_certain(c))
    chain = max((c.strength for c in certain), default=0.0)
    if found.question.ask is not Ask.OPEN:
        return round(chain, 6)
    return round(max(chain, *(_coverage(found, hit) for hit in found.hits[:NEAREST]), 0.0), 6)


def _coverage(found: Retrieval, hit: Hit) -> float:
    question = found.question
    key = statement_key(question.text, question.language)
    words = f"{hit.title} {hit.context} {hit.text}" if hit.context else f"{hit.title} {hit.text}"
    held = statement_key(words, question.language)
    if key is None or held is None:
        return 0.0
    wanted, there = set(key.terms), set(held.terms)
    return len(wanted & there) / len(wanted) * names_kept(question.text, words)


# choosing


def _choose(retriever: Retriever, found: Retrieval, threshold: float) -> list[RankedChain]:
    """The best chain and those nearly as good, none of them part of another; else what is shown of a path."""
    strong = [c for c in found.chains if c.strength >= threshold and retriever.is_certain(c)]
    complete = [c for c in strong if c.complete]
    if complete:
        good = [c for c in complete if c.score >= NEARLY_AS_GOOD * complete[0].score]
        whole = [c for c in good if not any(set(c.relation_ids) < set(other.relation_ids) for other in good)]
        return whole[:SHOWN_CHAINS]
    if found.denied:
        return found.denied
    if found.question.ask is not Ask.PATH or not (_fits(found.starts) and _fits(found.ends)):
        return []
    meant = {m.id for m in (*found.starts, *found.ends) if m.score >= MEANT_FLOOR}
    parts = [c for c in strong if not c.complete and c.joined]
    relations = retriever.reader.relations(r for c in parts for r in (c.relation_ids[0], c.relation_ids[-1]))
    ends = {i: {view.relation.head, view.relation.tail} for i, view in relations.items()}
    return [c for c in parts if meant & (ends[c.relation_ids[0]] | ends[c.relation_ids[-1]])][:1]


def _fits(matches: Sequence[Match]) -> bool:
    return bool(matches) and matches[0].score >= MEANT_FLOOR


# showing


def _show(draft: _Draft, retriever: Retriever, chosen: Sequence[RankedChain], found: Retrieval) -> None:
    language, reader = found.question.language, retriever.reader
    for ranked in chosen:
        chain = reader.found_chain(ranked.relation_ids, score=ranked.score, stored=ranked.stored)
        if chain is None:
            continue
        draft.chains.append(chain)
        for link in chain.links:
            _cite(draft, retriever, link.relation_id)
    if not draft.chains:
        return
    best = draft.chains[0]
    if best.links[0].polarity is Polarity.NEGATED:
        draft.notes.append(say(language, "negated"))
    if not chosen[0].complete and not found.longer:
        _note_missing(draft, best, found)
    if best.derived:
        draft.notes.append(say(language, "derived"))
    hedged = [link for link in best.links if link.modality is not Modality.ASSERTED]
    if hedged:
        drawn = "; ".join(f"{link.head} → {link.tail} [{draft.markers[link.relation_id]}]" for link in hedged)
        draft.notes.append(say(language, "hedged", links=drawn))
    for opposite in _opposites(retriever, best, found.denied):
        _cite(draft, retriever, opposite.links[0].relation_id)
        draft.chains.append(opposite)
        draft.notes.append(say(language, "disagree", chain=draw_chain(opposite, draft.markers)))


def _opposites(retriever: Retriever, best: FoundChain, denied: Sequence[RankedChain]) -> list[FoundChain]:
    """What another document says against a link of the chain, or against the chain as a whole."""
    shown = {link.relation_id for link in best.links}
    ids = [
        make_id(
            "rel", link.type, link.head_id, link.tail_id,
            Polarity.NEGATED if link.polarity is Polarity.AFFIRMED else Polarity.AFFIRMED,
        )
        for link in best.links
    ]  # fmt: skip
    ids += [c.relation_ids[0] for c in denied]
    there = retriever.reader.relations(i for i in ids if i not in shown)
    views = [retriever.reader.found_chain([id_], score=0.0) for id_ in there]
    return [v for v in views if v is not None]


def _cite(draft: _Draft, retriever: Retriever, relation_id: str) -> None:
    if relation_id in draft.markers:
        return
    evidence = retriever.reader.evidence([relation_id])[relation_id][0]
    for known in draft.citations:
        if known.evidence_id == evidence.id:
            draft.markers[relation_id] = known.marker
            return
    draft.markers[relation_id] = len(draft.citations) + 1
    draft.citations.append(retriever.reader.citation(len(draft.citations) + 1, evidence))


def _note_missing(draft: _Draft, best: FoundChain, found: Retrieval) -> None:
    """Say which part of the path is shown and which is not."""
    first, last = best.links[0].head, best.links[-1].tail
    asked_start = found.starts[0].statement.text
    asked_end = found.ends[0].statement.text
    from_start = any(m.id == best.links[0].head_id for m in found.starts if m.score >= MEANT_FLOOR)
    missing = f"{last} → {asked_end}" if from_start else f"{asked_start} → {first}"
    draft.missing.append(missing)
    draft.notes.append(say(found.question.language, "part_shown", shown=f"{first} → {last}", missing=missing))


def _show_passages(draft: _Draft, retriever: Retriever, found: Retrieval) -> None:
    """Sentences of the best chunks that hold most of the question's words: the answer where no chain is asked for."""
    question = found.question
    key = statement_key(question.text, question.language)
    wanted = set(key.terms) if key else set()
    ranked = []
    for position, hit in enumerate(found.hits[:5]):
        for span in sentence_spans(hit.text):
            words = statement_key(hit.text[span.start : span.end], question.language)
            common = len(wanted.intersection(words.terms)) if words else 0
            if common:
                ranked.append((-common, position, span.start, hit, span))
    ranked.sort(key=lambda r: r[:3])
    for *_, hit, span in ranked[:SHOWN_CHAINS]:
        chunk = next(c for c in retriever.reader.chunks([hit.document_id])[hit.document_id] if c.id == hit.chunk_id)
        marker = len(draft.citations) + 1
        place = Span(start=hit.start + span.start, end=hit.start + span.end)
        draft.citations.append(retriever.reader.sentence_citation(marker, hit.document_id, place, chunk))
    if draft.citations:
        draft.notes.append(say(question.language, "no_chain"))


def _text(draft: _Draft, language: str, tokens: int, reasons: Sequence[str]) -> tuple[str, str]:
    """The answer as it is printed, and what was left out of it for its length."""
    lines = []
    for i, chain in enumerate(draft.chains):
        drawn = draw_chain(chain, draft.markers)
        if i == 0:
            lines.append(drawn)
        elif chain.links[0].polarity is draft.chains[0].links[0].polarity:
            lines.append(say(language, "also", chain=drawn))
    if lines:
        lines.append("")
    lines += draft.notes
    if draft.notes:
        lines.append("")
    said: dict[str, list[int]] = {}
    left, cut = float(tokens), ""
    for citation in draft.citations:
        sentence = " ".join((citation.row or citation.sentence).split())
        if sentence not in said:
            cost = estimate_tokens(sentence)
            if cost > left and said:
                cut = say(language, "shortened", tokens=tokens)
                continue
            left -= cost
        said.setdefault(sentence, []).append(citation.marker)
    lines += [f"{sentence} {''.join(f'[{m}]' for m in markers)}" for sentence, markers in said.items()]
    lines += ["", say(language, "sources")]
    lines += [f"[{c.marker}] {c.place_in(language)}: {_quoted(c.quote)}" for c in draft.citations]
    lines += ["", *(say(language, "cut", reason=reason) for reason in reasons)] if reasons else []
    if cut:
        lines += ["", cut]
    return "\n".join(lines), cut


def _quoted(quote: str) -> str:
    words = " ".join(quote.split())
    return f"“{words}”"


def _abstain(found: Retrieval, score: float) -> Answer:
    language = found.question.language
    nearest = tuple(found.hits[:NEAREST])
    lines = [say(language, "no_answer"), "", say(language, "nearest" if nearest else "nothing")]
    lines += [f"- {hit.place_in(language)}: {_quoted(hit.shown(160))}" for hit in nearest]
    return Answer(
        question=found.question.text,
        text="\n".join(lines),
        abstained=True,
        nearest=nearest,
        evidence_score=score,
        truncated=bool(found.reasons),
        trace=(*found.trace, *found.reasons),
    )


__all__ = ["compose", "evidence_score"]
