"""Adverbs and particles that link a clause to the one before it: *so*, *therefore*, *then*, *as a result*."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from extractors.english_candidates import Candidate, Site, modality_of
from extractors.english_connectives import clause_pair
from extractors.english_cues import CAUSAL, LINKS, RESULT_ADVERBS, SEQUENTIAL
from extractors.english_lexicon import TIME_NOUNS, word_set
from extractors.english_narrative import event_end
from extractors.english_spans import Range, clause, clause_end, is_finite_or_verb, subject_of
from storage.records import RelationType

if TYPE_CHECKING:
    from spacy.tokens import Span, Token

_SO_DEGREE = word_set("""
    far long much many on forth called
""")


_FEELINGS = word_set("""
    glad happy sorry sad pleased proud afraid angry grateful thankful relieved sure surprised disappointed excited lucky
    ashamed jealous upset worried scared
""")
_ADVICE = 0.4
"""*The lift is stuck, so take the stairs*: a reason for doing something has not brought it about."""
_PLANNING = word_set("""
    need needs want wants plan plans should must
""")
_FRONTED = word_set("""
    if when unless once whenever because although
""")


def so(site: Site) -> Iterator[Candidate]:
    """*X, so Y*; *X so that Y* (a purpose if a modal follows); *so slow that Y*."""
    token, sentence = site.token, site.sentence
    doc, i = token.doc, token.i
    if i + 1 >= sentence.end or token.nbor().lower_ in _SO_DEGREE:
        if i + 1 < sentence.end and token.nbor().lower_ in ("many", "much") and token.dep_ == "advmod":
            yield from _so_degree(token, token.head)
        return
    following = token.nbor()
    if i == sentence.start:
        yield from _so_split_off(token)
        return
    if following.lower_ == "that":
        pair = clause_pair(token, i + 2)
        if pair is not None:
            verb, result, governor, main = pair
            purpose = any(c.dep_ == "aux" and c.tag_ == "MD" for c in verb.children) or verb.tag_ in (
                "VBP",
                "VBZ",
                "VB",
            )
            if purpose:
                yield Candidate(CAUSAL, "purpose", result, main, (i, i + 2), 0.4, "so-that:purpose", governor)
            else:
                yield Candidate(CAUSAL, "result", main, result, (i, i + 2), 0.6, "so-that", governor)
        return
    if token.dep_ == "advmod" and token.head.tag_ in ("JJ", "RB") and token.head.i > i:
        yield from _so_degree(token, token.head)
        return
    comma = i - 1
    if comma > sentence.start and doc[comma].lower_ == "and":
        comma -= 1
    verb = token.head
    if token.dep_ == "cc" and verb.i < i:
        verb = next((c for h in (verb, verb.head) for c in h.rights if c.dep_ == "conj" and c.i > i), verb)
    subject = subject_of(verb)
    paused = comma > sentence.start and doc[comma].text in (",", ";")
    flows = token.i > sentence.start + 2 and subject is not None and subject.i == i + 1 and subject.tag_ == "PRP"
    if not (paused or flows) or not is_finite_or_verb(verb) or verb.i < i:
        return
    ordered = subject is None and verb.tag_ == "VB" and paused
    if not ordered and (subject is None or (subject.left_edge.i - i > 1 and doc[i + 1].text != ",")):
        return
    first = verb.head if verb.head.i < i else next((c for c in verb.children if c.dep_ == "ccomp" and c.i < i), None)
    if first is None or not is_finite_or_verb(first):
        return
    first = _last_clause(first, comma)
    end = comma if paused else i
    if not paused and _is_aim(verb, first):
        yield Candidate(CAUSAL, "purpose", clause(verb, after=i + 1), clause(first, before=i), (i, i + 1), 0.4,
                        "so-that:purpose", first, modality=modality_of(first))  # fmt: skip
        return
    yield Candidate(CAUSAL, "result", clause(first, before=end), clause(verb, after=i + 1), (i, i + 1),
                    _ADVICE if ordered else 0.65, "so", verb, modality=modality_of(token))  # fmt: skip


def _last_clause(verb: Token, end: int) -> Token:
    """*B* of *A, and B, so C*: the clause nearest to the cue."""
    while (later := next((c for c in verb.rights if c.dep_ == "conj" and verb.i < c.i < end), None)) is not None:
        if subject_of(later) is None or not is_finite_or_verb(later):
            break
        verb = later
    return verb


def _so_split_off(token: Token) -> Iterator[Candidate]:
    """*I liked it so I kept it*, where the parser begins a sentence at *so*."""
    doc, i, verb = token.doc, token.i, token.head
    subject = subject_of(verb)
    if i == 0 or token.text != "so" or doc[i - 1].text in (".", "!", "?") or not is_finite_or_verb(verb):
        return
    before = doc[i - 1].sent
    first = _last_clause(before.root, i)
    if subject is None or subject.i != i + 1 or not is_finite_or_verb(first) or subject_of(first) is None:
        return
    yield Candidate(CAUSAL, "result", clause(first, before=i), clause(verb, after=i + 1), (i, i + 1), 0.6, "so", verb,
                    modality=modality_of(verb))  # fmt: skip


def _is_aim(result: Token, first: Token) -> bool:
    """*move it so we can pass*: without a comma, a modal or a mere plan makes the result a purpose."""
    modal = any(c.dep_ == "aux" and c.tag_ == "MD" for c in result.children)
    planned = first.lower_ in _PLANNING or any(c.dep_ == "aux" and c.tag_ == "MD" for c in first.children)
    return modal or planned or first.tag_ == "VB"


def _so_degree(token: Token, quality: Token) -> Iterator[Candidate]:
    """*so slow that Y*, *so many calls that Y*."""
    if quality.lower_ in _FEELINGS:
        return  # *so glad that he came*: the clause is why, and what is felt is no result
    governor = next((t for t in quality.ancestors if is_finite_or_verb(t)), quality)
    above = dict.fromkeys((quality, quality.head, quality.head.head))
    for verb in [c for h in above for c in h.rights if c.dep_ in ("ccomp", "advcl", "relcl")]:
        that = next((c for c in verb.lefts if c.lower_ == "that" and c.dep_ == "mark"), None)
        if that is None or that.i < quality.i or that.nbor(-1).lower_ == "now" or subject_of(verb) is None:
            continue
        if is_finite_or_verb(governor):
            yield Candidate(CAUSAL, "result", clause(governor, before=that.i), (that.i + 1, clause_end(verb)),
                            (token.i, token.i + 1), 0.7, "so-degree", governor)  # fmt: skip
            return


def result_adverb(site: Site) -> Iterator[Candidate]:
    """*X and therefore Y*; *X; consequently, Y*; *X is therefore Y* with the cause in the sentence before."""
    token, sentence, previous = site.token, site.sentence, site.previous
    verb = token.head
    if token.dep_ != "advmod" or not is_finite_or_verb(verb) or token.i == sentence.start:
        return
    confidence = RESULT_ADVERBS[token.lower_]
    yield from adverb_link(token, verb, previous, confidence, f"adverb:{token.lower_}", "result", CAUSAL)


def result_phrase(site: Site) -> Iterator[Candidate]:
    """*X, and as a result Y*; *X; as a consequence, Y*: two clauses of one sentence, each with its own subject."""
    token, sentence = site.token, site.sentence
    doc, i = token.doc, token.i
    end = i + 3
    if tuple(t.lower_ for t in doc[i + 1 : end]) not in (("a", "result"), ("a", "consequence")) or end >= sentence.end:
        return
    before = i - 1
    if before > sentence.start and doc[before].text == ",":
        before -= 1
    joined = before > sentence.start and (doc[before].lower_ == "and" or doc[before].text == ";")
    if not joined or doc[end].lower_ == "of":
        return
    subject_start = end + 1 if doc[end].text == "," else end
    verb = next((t for t in doc[end : sentence.end] if is_finite_or_verb(t) and _begins_at(t, subject_start)), None)
    if verb is None:
        return
    above = verb.head
    while i <= above.i < end:  # a clause that the parser hung on *result* itself
        above = above.head
    first = above if above.i < i else next((c for c in verb.lefts if c.dep_ in ("ccomp", "parataxis")), None)
    if first is None or first.i >= i or not is_finite_or_verb(first) or subject_of(first) is None:
        return
    yield Candidate(CAUSAL, "result", clause(first, before=before), (subject_start, clause(verb)[1]), (i, end), 0.75,
                    "result-phrase", verb, modality=modality_of(verb))  # fmt: skip


def _begins_at(verb: Token, position: int) -> bool:
    subject = subject_of(verb)
    return subject is not None and subject.left_edge.i == position


def then_adverb(site: Site) -> Iterator[Candidate]:
    """*X and then Y*: earlier, later."""
    token, sentence = site.token, site.sentence
    verb = token.head
    if token.dep_ != "advmod" or not is_finite_or_verb(verb) or token.i == sentence.start:
        return
    if any(c.dep_ == "advcl" and c.i < token.i for c in verb.children) or sentence[0].lower_ in ("if", "when"):
        return
    past = verb.tag_ in ("VBD", "VBN") and verb.head.tag_ in ("VBD", "VBN")
    steps = token.lower_ == "then" and verb.dep_ == "conj" and verb.tag_ == verb.head.tag_ and token.i < verb.i
    if not (past or steps) or (token.lower_ == "later" and token.nbor(-1).lower_ in TIME_NOUNS | {"no"}):
        return
    yield from adverb_link(token, verb, None, 0.65 if past else 0.55, f"adverb:{token.lower_}", "then", SEQUENTIAL)


def adverb_link(token: Token, verb: Token, previous: Range | None, confidence: float, rule: str,
            subtype: str, kind: RelationType) -> Iterator[Candidate]:  # fmt: skip
    """The clause of the adverb and the clause before it, in this sentence or as the sentence before."""
    first = (
        verb.head if verb.dep_ == "conj" else next((c for c in verb.lefts if c.dep_ in ("ccomp", "parataxis")), None)
    )
    cue = (token.i, token.i + 1)
    if first is not None and first.i < token.i and is_finite_or_verb(first):
        own = subject_of(verb)
        auxiliaries = [c.i for c in verb.lefts if c.dep_ in ("aux", "auxpass") and c.i > first.i]
        start = own.left_edge.i if own is not None else min([token.i + 1, verb.i, *auxiliaries])
        later = (start, clause_end(verb)) if start > first.i else clause(verb, after=token.i + 1)
        link = min(token.i, start)
        earlier = clause(first, before=link)
        if start < token.i < later[1]:  # the cue stands inside the later clause: take the part after the subject too
            later = (start, clause_end(verb))
        if kind is SEQUENTIAL:
            later = (later[0], min(later[1], event_end(verb)))
        yield Candidate(kind, subtype, earlier, later, cue, confidence, rule, verb, modality=modality_of(verb))
    elif previous is not None and verb.dep_ == "ROOT":
        yield Candidate(kind, subtype, previous, clause(verb), cue, confidence - 0.05, rule, verb,
                        modality=modality_of(verb))  # fmt: skip


def link(sentence: Span, previous: Range | None, stated: Range | None, statement: Range | None) -> Iterator[Candidate]:
    """A link at the start of a sentence to the sentence before it: to what that one led to, or to all it stated."""
    if previous is None or stated is None or statement is None:
        return
    doc, start = sentence.doc, sentence.start
    while start < sentence.end and (doc[start].tag_ == "CC" or doc[start].is_punct or doc[start].is_space):
        start += 1
    for cue in LINKS:
        end = start + len(cue.words)
        if tuple(t.lower_ for t in doc[start:end]) != cue.words or end >= sentence.end:
            continue
        if (cue.needs_comma and doc[end].text != ",") or doc[end].lower_ in ("of", "to", "-", "than", "far"):
            continue
        first = end + 1 if doc[end].text == "," else end
        fronted = doc[first].lower_ in _FRONTED if first < sentence.end else False
        this = first if fronted else max(statement[0], end), statement[1]
        told = previous if cue.type in (CAUSAL, SEQUENTIAL) else stated
        head, tail = (told, this) if cue.previous_first else (this, told)
        yield Candidate(cue.type, cue.subtype, head, tail, (start, end), cue.confidence, f"link:{'-'.join(cue.words)}",
                        sentence.root, modality=modality_of(doc[start]))  # fmt: skip
        return


__all__ = ["adverb_link", "link", "result_adverb", "result_phrase", "so", "then_adverb"]
